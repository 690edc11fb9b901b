"""Deciding does not slow down with what is remembered."""

from __future__ import annotations

from benchmarks.clarifier import DECISIONS, Reading, faults, proposal_of, reading, tools_on_offer
from clarifier.clarifier import decide
from clarifier.decision import Situation
from clarifier.grounding.item_evidence import item_evidence
from clarifier.policy import open_policy
from memory.evidence import Slot
from memory.recall import Recall
from tests.clarifier.samples import evidence, state


def test_a_reading_counts_what_is_recalled() -> None:
    found = reading(20)
    assert found.turns == 20
    assert found.references >= 3 * (20 + DECISIONS)  # every piece of every turn, some in two lines
    assert 0 < found.next_p50_ms <= found.next_p95_ms <= found.all_p95_ms


def at(turns: int, first: float, of_all: float) -> Reading:
    return Reading(turns, 12 * turns, first, first, 1.0, 1.0, of_all)


def test_bounds() -> None:
    assert faults([at(250, 2.0, 2.0), at(1000, 2.5, 2.9)]) == []
    assert faults([at(1000, 2.5, 3.5)]) == ["1000 turns: p95 of decisions 3.50 ms > 3.0 ms"]
    assert faults([at(250, 2.0, 2.0), at(1000, 13.0, 2.9)]) == [
        "from 250 to 1000 turns the first decision grows faster than the past"
    ]


def test_a_recall_is_read_once_and_never_taken_for_another() -> None:
    tools, policy = tools_on_offer(), open_policy("benchmark")
    level = evidence("book_room.room_level", "low")
    one = Recall((state(evidence("book_room.room_city", "Lyon"), level),))
    other = Recall((state(evidence("book_room.room_city", "Bern"), level),))
    proposal = proposal_of(tools)
    grounds = [
        [reason.grounds for reason in decide(Situation("As usual", tools, known), proposal, policy=policy).reasons][:2]
        for known in (one, other, one)
    ]
    assert grounds == [["habit", "habit"], ["none", "habit"], ["habit", "habit"]]


def test_items_that_come_again_are_sorted_once() -> None:
    """A state line is told by its pieces: what a turn adds or erases is seen, what stays costs nothing."""
    first, second = evidence("f.city", "Lyon"), evidence("f.city", "Bern", turn=1)
    between = evidence("f.day", "Friday", kind="one_off", turn=2)
    (new,) = item_evidence([(first, second), (), (second, between)])  # seen for the first time: together
    assert new.pieces == (first, second, between)
    assert new.by_slot == {Slot("f", "city"): [first, second], Slot("f", "day"): [between]}
    assert new.by_value == {'"lyon"': [first], '"bern"': [second], '"friday"': [between]}
    assert (new.last_position, new.has_passing) == (2, True)
    (kept,) = item_evidence([tuple([first, second])])
    assert (kept.pieces, kept.last_position, kept.has_passing) == ((first, second), 1, False)
    assert item_evidence([(first, second)])[0] is kept
    (other,) = item_evidence([(first, between, second)])  # the ends are the same, and the number is not
    assert other.pieces == (first, between, second)
    assert [one.pieces for one in item_evidence([(first, second), (between,)])] == [(first, second), (between,)]

"""Deciding does not slow down with what is remembered."""

from __future__ import annotations

from benchmarks.clarifier import Reading, faults, proposal_of, reading, recall_of, tools_on_offer
from clarifier.clarifier import decide
from clarifier.decision import Situation
from clarifier.policy import open_policy
from tests.clarifier.samples import evidence


def test_a_reading_counts_what_is_recalled() -> None:
    found = reading(20)
    assert (found.turns, found.pieces, found.references) == (20, 60, 240)
    assert 0 < found.next_p50_ms <= found.next_p95_ms


def at(turns: int, first: float, later: float) -> Reading:
    return Reading(turns, 3 * turns, 12 * turns, first, first, later, later)


def test_bounds() -> None:
    assert faults([at(250, 2.0, 1.0), at(1000, 5.0, 1.2)]) == []
    assert faults([at(1000, 5.0, 3.5)]) == ["1000 turns: p95 of further decisions 3.50 ms > 3.0 ms"]
    assert faults([at(250, 2.0, 1.0), at(1000, 13.0, 1.0)]) == [
        "from 250 to 1000 turns the first decision grows faster than the past"
    ]


def test_a_recall_is_read_once_and_never_taken_for_another() -> None:
    tools, policy = tools_on_offer(), open_policy("benchmark")
    one = recall_of([evidence("get_room.city", "Lyon"), evidence("get_room.level", "low")])
    other = recall_of([evidence("get_room.city", "Bern"), evidence("get_room.level", "low")])
    proposal = proposal_of(tools[:1] * 7)
    grounds = [
        [reason.grounds for reason in decide(Situation("As usual", tools, recall), proposal, policy=policy).reasons][:2]
        for recall in (one, other, one)
    ]
    assert grounds == [["habit", "habit"], ["none", "habit"], ["habit", "habit"]]

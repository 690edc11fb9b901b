"""What the clarifier may not take from memory: echoes as further witnesses, sensitive values for another slot."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clarifier.grounding.sources import Sources
from clarifier.grounding.witnesses import remember, remember_slot
from clarifier.posterior import Moment, by_value, posterior
from clarifier.settings import Settings
from memory.evidence import Slot
from memory.records import Turn
from tests.clarifier.samples import evidence, need, past, situation, state, tool

NOTES = need("notes")
MEAL = tool("order_meal", "Order a meal.", NOTES)
SLOT = Slot("order_meal", "notes")


def probability(value: str, slot: str, *, said: str = "") -> float:
    """Return P(value) for `order_meal.notes` where memory has it for `slot`, and in the words of a turn."""
    spoken = past(Turn(turn_id="t0", request=said))
    known = situation("Order a meal", MEAL, items=(state(evidence(slot, value)), spoken))
    return remember(value, SLOT, NOTES, Sources(known), Settings()).posterior.probability(value)


@pytest.mark.parametrize("value", ["no sugar, I'm diabetic", "我对花生过敏", "halal, please", "I'm behind on my rent"])
def test_a_sensitive_value_supports_its_own_slot_alone(value: str) -> None:
    assert probability(value, "order_meal.notes") > 0
    for other in ("book_table.notes", "book_table.special_notes", "book_table.wishes"):
        assert probability(value, other, said=value) == 0
    known = situation("Order a meal", MEAL, items=(state(evidence("book_table.notes", value)),))
    assert remember_slot(SLOT, NOTES, Sources(known), Settings()).candidates == ()


def test_any_other_value_supports_like_slots() -> None:
    for other in ("order_meal.notes", "book_table.notes", "book_table.special_notes", "book_table.wishes"):
        assert probability("ring twice", other) > 0


def test_echoes_count_with_their_source_as_one() -> None:
    source = evidence("f.city", "Lyon", turn=0)
    echoes = [replace(evidence("f.city", "Lyon", turn=turn), echo_of="t0") for turn in (20, 40)]
    other = evidence("f.city", "Bern", turn=40)
    found = posterior(by_value([source, *echoes, other]), Moment(40))
    # Of Lyon only the newest echo weighs, 0.8 at age 0, as Bern does: 0.8/2.6 each.
    assert [(one.value, one.weight, one.count) for one in found.candidates] == [("Lyon", 0.8, 1), ("Bern", 0.8, 1)]
    assert found.unknown == pytest.approx(1 / 2.6)
    assert found.candidates[0].turn_ids == ("t0", "t20", "t40")


def test_an_echo_never_weighs_less_than_its_source() -> None:
    rule = evidence("f.city", "Lyon", turn=0, source="answer", kind="standing")
    echo = replace(evidence("f.city", "Lyon", turn=40), echo_of="t0")
    best = posterior(by_value([rule, echo]), Moment(40)).best
    assert best is not None
    assert (best.weight, best.count, best.is_standing) == (1.0, 1, True)

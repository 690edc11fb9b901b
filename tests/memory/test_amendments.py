"""Changes of a rule or fact in words that do not say it again."""

import pytest

from memory.evidence import PERSON, Slot
from memory.records import Turn
from memory.state.log_evidence import LogEvidence
from memory.state.user_state import fold
from tests.memory.turns import call, turn


def believed(*requests: str) -> set[str]:
    log = [Turn(turn_id=f"t{number}", request=request) for number, request in enumerate(requests)]
    state = fold(log)
    return {
        str(one.value)
        for slot, held in state.slots.items()
        for one in (*held.current, *held.bound)
        if slot.tool == PERSON and not one.is_negated
    }


@pytest.mark.parametrize(
    ("requests", "held"),
    [
        (("from now on order six buns on Mondays", "make that eight instead"), {"eight buns"}),
        (("keep the cellar at 12 degrees from now on", "raise it to 14"), {"keep the cellar at 14 degrees"}),
        (("my gift budget is 50 euros", "is it raining?", "raise the budget to 65"), {"65 euros"}),
        (("always water the fern at 6:30", "change of plan, 7:15 from now on"), {"water the fern at 7:15"}),
        (("以后每周三提醒我浇花", "改成周四吧，以后都这样"), {"每周四提醒我浇花"}),
        (("以后空调都设26度", "今天真热", "调到24度吧"), {"空调设24度"}),
        (("我每个月的书费预算是一百", "从下个月起涨到两百吧"), {"两百"}),
    ],
)
def test_only_the_quantity_is_new(requests: tuple[str, ...], held: set[str]) -> None:
    assert held <= believed(*requests)
    assert not believed(*requests[:1]) & believed(*requests)


@pytest.mark.parametrize(
    "request_",
    [
        "just this once make it twelve",
        "tomorrow make that nine",
        "should I make it nine?",
        "make that nine euros",  # of no such unit
        "这周改成九个",
    ],
)
def test_one_time_or_another_unit_changes_nothing(request_: str) -> None:
    assert "six buns" in believed("from now on order six buns on Mondays", request_)
    assert not any(
        "nine" in one or "twelve" in one or "九" in one for one in believed("from now on six buns", request_)
    )


def test_it_is_what_the_last_quantity_was_said_of() -> None:
    assert "six buns" in believed("from now on order six buns", "get me 2 lemons", "make it four")


def test_a_correction_of_a_rule_is_a_rule() -> None:
    log = [
        turn("a", "from now on order six buns", call("shop", item="buns", count=6)),
        turn("b", "make that eight", call("shop", item="buns", count=8)),
    ]
    (one,) = fold(log).slots[Slot("shop", "count")].current
    assert (one.value, one.is_standing) == (8, True)


def test_a_rule_without_a_value_means_what_its_call_changed() -> None:
    log = [
        turn("a", "from now on the early bus", call("ride", line=4, at="06:10", stop="Mill")),
        turn("b", "change of plan, the later one from now on", call("ride", line=4, at="07:40", stop="Mill")),
    ]
    rules = [
        (slot.argument, one.value) for slot, held in fold(log).slots.items() for one in held.current if one.is_standing
    ]
    assert ("at", "07:40") in rules
    assert ("stop", "Mill") not in rules


def test_a_growing_log_says_the_same() -> None:
    log = [
        turn("a", "keep the cellar at 12 degrees from now on"),
        turn("b", "order six buns", call("shop", item="buns", count=6)),
        turn("c", "raise it to 14"),
        turn("d", "make it eight", call("shop", item="buns", count=8)),
    ]
    grown = LogEvidence()
    for one in log:
        grown.append(one)
    state = fold(log)
    values = {piece.value for pieces in grown.pieces for piece in pieces}
    assert values == {one.value for held in state.slots.values() for one in held.candidates}

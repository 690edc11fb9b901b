"""For whom a call was made, and that it says nothing of the speaker where it was for somebody else."""

import pytest

from memory.evidence import Slot
from memory.state.user_state import fold
from tests.memory.turns import call, turn


def stands(request: str, **arguments: str) -> set[str]:
    state = fold([turn("a", request, call("shop", None, None, **arguments))])
    return {one.status for name in arguments for one in state.slots[Slot("shop", name)].candidates}


@pytest.mark.parametrize(
    "request_",
    [
        "order a large latte for Ines",
        "book my husband a large one",
        "get our neighbour the large box",
        "帮李娜订大杯",
        "替王小明买大杯",
    ],
)
def test_what_is_ordered_for_somebody_else_is_theirs(request_: str) -> None:
    assert stands(request_, size="large" if request_.isascii() else "大杯") == {"other_person"}


@pytest.mark.parametrize(
    ("request_", "size"),
    [
        ("order a large latte for Monday", "large"),
        ("order a large cake for Easter", "large"),
        ("book a large room for Rome", "large"),  # a place, perhaps
        ("book me and my husband large rooms", "large"),
        ("order a large latte for me", "large"),
        ("帮我订大杯", "大杯"),
        ("帮自己买大杯", "大杯"),
    ],
)
def test_what_names_nobody_else_is_ones_own(request_: str, size: str) -> None:
    assert stands(request_, size=size) == {"current"}


def test_a_name_that_a_call_took_is_its_value() -> None:
    assert stands("order a large latte for Ines", size="large", label="Ines") == {"current"}


def test_today_is_an_exception_to_the_rule_beside_it() -> None:
    assert stands("book the aisle from now on, but today give me the window", seat="window") == {"one_off"}
    assert stands("以后都送公司，但今天送家里", place="家里") == {"one_off"}

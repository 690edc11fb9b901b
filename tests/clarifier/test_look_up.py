"""Which tools supply a missing value."""

from __future__ import annotations

import pytest

from clarifier.grounding.codes import is_looked_up
from clarifier.grounding.look_up import suppliers
from clarifier.settings import Settings
from memory.evidence import Slot
from memory.records import Turn
from memory.tools import Parameter, Tool
from tests.clarifier.samples import BOOK, SEARCH_TRAINS, call, made, need, past, situation, tool

TRAIN_ID = need("train_id", "The unique identifier of the train.")
GET_TRAIN = tool("get_train", "Get the stops of a train.", need("train_id", "Identifier of the train."))
GET_TIMETABLE = tool("get_train_timetable", "Get the timetable of a station.", need("station", "Name of the station."))
CANCEL_TRAIN = tool("cancel_train", "Cancel a train.")
FIND_HOTEL = tool("find_hotels", "Find hotels.", need("city"))


def found(slot: Slot, parameter: Parameter, *tools: Tool, **rest) -> tuple[str, ...]:  # type: ignore[no-untyped-def]
    return suppliers(slot, parameter, situation("Book it", *tools, **rest), Settings())


def test_search_comes_before_fetch_and_no_supplier_needs_the_value_or_changes_anything() -> None:
    tools = (BOOK, GET_TIMETABLE, GET_TRAIN, CANCEL_TRAIN, FIND_HOTEL, SEARCH_TRAINS)
    assert found(Slot("book_ticket", "train_id"), TRAIN_ID, *tools) == ("search_trains", "get_train_timetable")


def test_a_supplier_is_not_called_twice() -> None:
    slot = Slot("book_ticket", "train_id")
    step = made(call("search_trains", origin="A", destination="B"), [])
    assert found(slot, TRAIN_ID, BOOK, SEARCH_TRAINS, steps=(step,)) == ()
    turn = past(Turn(turn_id="t", request="trains?", steps=(step,)), kind="topic")
    assert found(slot, TRAIN_ID, BOOK, SEARCH_TRAINS, items=(turn,)) == ()


def test_what_only_the_person_knows_has_no_supplier() -> None:
    get_users = tool("get_user_budget", "Get the budget of a user.", need("month"))
    assert found(Slot("sync", "user_id"), need("user_id", "Unique identifier of the user."), get_users) == ()
    assert found(Slot("book_ticket", "seat_class"), BOOK.parameters[1], BOOK, SEARCH_TRAINS) == ()
    list_users = tool("list_users", "List the users.")
    assert found(Slot("sync", "user_id"), need("user_id"), list_users) == ("list_users",)


def test_the_description_speaks_too_also_in_chinese() -> None:
    budget = tool("getBudgets", "检索用户的预算数据，包括账户、类别。", need("user_id", "用户的唯一标识符"))
    account = need("account_id", "交易所属的账户ID")
    assert found(Slot("createTransaction", "account_id"), account, budget) == ("getBudgets",)


@pytest.mark.parametrize(
    ("parameter", "is_one"),
    [
        (need("page_id"), True),
        (need("trainId"), True),
        (need("url", "The address to check."), True),
        (need("symbol", "The unique identifier of the stock."), True),
        (need("country_code", "ISO code of the country."), False),
        (need("date"), False),
        (need("amount", type="number"), False),
        (need("city", "Name of the city."), False),
        (need("id", enum=("a", "b")), False),
    ],
)
def test_only_identifiers_urls_codes_and_prices_are_looked_up(parameter: Parameter, is_one: bool) -> None:
    assert is_looked_up(parameter) is is_one

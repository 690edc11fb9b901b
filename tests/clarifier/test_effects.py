"""What tools do, read off their names and descriptions."""

from __future__ import annotations

import pytest

from clarifier.effects import effect_of, is_read_only, is_sensitive
from memory.language.schema import Effect
from tests.clarifier.samples import tool


@pytest.mark.parametrize(
    ("name", "description", "effect"),
    [
        ("getForecast", "Explore the weather of the next days.", "read"),
        ("get_purchase_link", "Get the purchase link.", "read"),
        ("isDateHoliday", "Determine whether a date is a holiday.", "read"),
        ("bookTrainTickets", "Book train tickets.", "write"),
        ("delete_note", "Delete a note.", "write"),
        ("emailLogin", "Use email for passwordless login.", "write"),
        ("create_order", "Create an order.", "pay"),
        ("transferMoney", "Transfer money to an account.", "pay"),
        ("sendMessage", "Send a message.", "message"),
        ("userActivityReport", "Generate a report of activities.", "read"),
        ("tianqi", "获取指定城市的天气预报。", "read"),
        ("xiadan", "为用户下单购买商品。", "pay"),
        ("tongzhi", "向联系人发送通知。", "message"),
        ("jizhang", "创建新的交易记录。", "write"),
        ("frobnicate", "", "write"),
        ("order_history", "", "read"),
        ("order_history", "Order history of the user.", "read"),
        ("orderHistory", "Returns what was ordered.", "read"),
        ("order_list", "查询订单列表。", "read"),
        ("order_food", "Order food for delivery.", "pay"),
        ("order_pizza", "Lets the user order pizza.", "pay"),
        ("order_cancel", "", "write"),
        ("order_create", "Create an order.", "pay"),
        ("book_search", "Search the library.", "read"),
        ("book_search", "", "read"),
        ("book_table", "在查到的餐厅订位，返回编号。", "write"),
        ("book_table", "Find and book a table.", "write"),
        ("book_table", "", "write"),
        ("record_lookup", "", "read"),
        ("message_search", "Search messages.", "read"),
        ("message_contact", "Message a contact.", "message"),
        ("transfer_quote", "", "read"),
        ("user_list_update", "", "write"),
        ("account_get_status", "This tool belongs to the account system.", "read"),
        ("shop.find_nearby", "Locate shops.", "read"),
        ("eats.order", "Place an order for food.", "pay"),
        ("place_order", "This tool belongs to the trading system.", "pay"),
    ],
)
def test_effect(name: str, description: str, effect: Effect) -> None:
    assert effect_of(tool(name, description)) == effect
    assert is_read_only(tool(name, description)) == (effect == "read")


def test_an_override_wins() -> None:
    assert effect_of(tool("getTaxi", "Get a taxi."), {"getTaxi": "pay"}) == "pay"


def test_sensitive_domains() -> None:
    assert is_sensitive(tool("order_refill", "Refill a prescription."))
    assert is_sensitive(tool("shenqing", "申请贷款。"))
    assert not is_sensitive(tool("play_song", "Play a song."))

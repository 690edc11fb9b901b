"""What tools do, read off their names and descriptions."""

from __future__ import annotations

import pytest

from clarifier.effects import Effect, effect_of, is_read_only, is_sensitive
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

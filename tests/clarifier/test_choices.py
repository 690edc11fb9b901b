"""Which member of an enum a text speaks for."""

from __future__ import annotations

import time

import pytest

from clarifier.grounding.choices import Speech, speaks_for_another, speech_for, stated_member
from tests.clarifier.samples import NOW

SEATS = ("first_class", "second_class")
CRAFTS = ("wheel", "handbuilding", "glazing", "open_studio")
SLOTS = ("03:00-04:00", "04:00-05:00", "14:00-15:00")


@pytest.mark.parametrize(
    ("value", "members", "text", "speech"),
    [
        ("second_class", SEATS, "Second class will do", "stated"),
        ("second_class", SEATS, "second-class, please", "stated"),
        ("second_class", SEATS, "Second. The wider seat is not worth it", "meant"),
        ("second_class", SEATS, "So first class, that leg only", "other"),
        ("second_class", SEATS, "Not first class, whatever happens", "silent"),
        ("second_class", SEATS, "Book the one at eight", "silent"),
        ("second_class", SEATS, "二等座", "foreign"),
        ("handbuilding", CRAFTS, "She wants to try it by hand", "stated"),
        ("handbuilding", CRAFTS, "by hand, no wheel", "stated"),
        ("wheel", CRAFTS, "by hand, no wheel", "other"),
        ("wheel", CRAFTS, "What have they got on the wheel", "stated"),
        ("open_studio", CRAFTS, "What have they got on the wheel", "other"),
        ("mattress", ("sofa", "mattress"), "two mattresses", "stated"),
        ("afternoon", ("morning", "afternoon"), "afternoons for me from now on", "stated"),
        ("audiobook_cd", ("book", "ebook", "audiobook_cd"), "the one on CD", "meant"),
        ("04:00-05:00", SLOTS, "四点到五点那班", "meant"),
        ("14:00-15:00", SLOTS, "四点到五点那班", "silent"),
        ("球拍", ("球拍", "球鞋", "整筒球"), "两个人都没拍子", "meant"),
        ("球鞋", ("球拍", "球鞋", "整筒球"), "两个人都没拍子", "silent"),
        ("本月", ("本周", "本月", "本学期"), "一个月看一回就够了", "meant"),
        ("大格", ("小格", "中格", "大格"), "要大格", "stated"),
        ("小格", ("小格", "中格", "大格"), "要大格", "other"),
        ("干货调料", ("蔬菜", "肉类", "干货调料"), "去东门进货", "silent"),  # one of its four characters
        ("album", ("album", "song"), "专辑榜呢", "stated"),
        ("song", ("album", "song"), "专辑榜呢", "other"),
        ("5min", ("1min", "5min", "daily"), "in five-minute steps", "stated"),
        ("other", ("sofa", "other"), "on the other side", "stated"),
        ("sofa", ("sofa", "other"), "on the other side", "silent"),  # "other" stands there by chance
    ],
)
def test_how_a_text_bears_on_a_member(value: str, members: tuple[str, ...], text: str, speech: Speech) -> None:
    assert speech_for(value, members, text, "", NOW) == speech


def test_a_gloss_speaks_for_its_member() -> None:
    told = "Either 'C' (Celsius) or 'F' (Fahrenheit)."
    assert speech_for("C", ("C", "F"), "in Celsius, if you please", told, NOW) == "stated"
    assert speech_for("F", ("C", "F"), "in Celsius, if you please", told, NOW) == "other"


def test_another_member_is_favoured_only_where_this_one_is_not() -> None:
    assert speaks_for_another("second_class", SEATS, "First class for once.", "", NOW)
    assert speaks_for_another("14:00-15:00", SLOTS, "四点到五点那班", "", NOW)
    assert not speaks_for_another("second_class", SEATS, "Second out, first back.", "", NOW)
    assert not speaks_for_another("second_class", SEATS, "You choose.", "", NOW)


def test_a_long_list_is_compared_with_a_text_once() -> None:
    syllables = [first + second for first in "bdfgklmnprstvz" for second in ("al", "en", "ir", "os", "um")]
    members = tuple(f"{one}{other}" for one in syllables for other in syllables)[:4900]
    wanted = members[4321]
    assert stated_member(members, "hello", "", NOW) is None  # reads the list, which is kept
    started = time.process_time()
    assert stated_member(members, f"the weather of {wanted}, please", "", NOW) == wanted
    assert speech_for(wanted, members, f"the weather of {wanted}, please", "", NOW) == "stated"
    assert speaks_for_another(members[7], members, f"the weather of {wanted}, please", "", NOW)
    assert time.process_time() - started < 0.5

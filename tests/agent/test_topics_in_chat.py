"""What a running topic, and one that is over, lend to the next request."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent.conversations import talk


@pytest.mark.parametrize(
    ("lines", "time"),
    [
        (("book a table for dinner in Ghent tomorrow for two", "Blue Door at seven"), "19:00"),
        (("dinner at 7 tomorrow in Ghent please, 3 people, the first restaurant",), "19:00"),
        (("find restaurants in Ghent for tomorrow evening", "book the first one at seven for two"), "19:00"),
        (("找一下杭州明天晚上吃饭的餐厅", "订第一家，七点，两个人"), "19:00"),
        (("book a table in Ghent tomorrow for two", "Blue Door at seven"), "07:00"),  # nothing says
    ],
)
def test_a_bare_hour_is_in_the_half_of_the_day_that_the_topic_speaks_of(
    tmp_path: Path, lines: tuple[str, ...], time: str
) -> None:
    (booked,) = talk(tmp_path, *lines).arguments_of("book_table")
    assert (booked["time"], booked["date"]) == (time, "2026-03-10")

"""What the planner without a model reads as an amount, the clarifier finds in the same words."""

from __future__ import annotations

from datetime import datetime

import pytest

from agent.planners.rules.measures import measured
from agent.planners.rules.utterance import Text
from clarifier.grounding.measures import measured as is_measured
from memory.tools import Parameter

MINUTES = Parameter(name="minutes", type="number", description="Length in minutes.")
SECONDS = Parameter(name="length", type="number", description="Seconds.")
HOURS = Parameter(name="hours", type="number", description="延长多少小时。")
LITRES = Parameter(name="litres", type="number", description="How much.")
KILOS = Parameter(name="weightKg", type="number", description="重量，单位为公斤。")
CELSIUS = Parameter(name="target", type="number", description="Temperature in Celsius.")
EUROS = Parameter(name="amount", type="number", description="Amount in euros.")


@pytest.mark.parametrize(
    ("text", "parameter", "values"),
    [
        ("an hour and a half", MINUTES, [90]),
        ("for 1h30", MINUTES, [90]),
        ("on Fri for 90 minutes", SECONDS, [5400]),
        ("2 hours 15 minutes", MINUTES, [135]),
        ("一个半小时", MINUTES, [90]),
        ("half a litre of milk", LITRES, [0.5]),
        ("三斤半", KILOS, [1.75]),
        ("two days", HOURS, [48]),
        ("a fortnight", HOURS, [336]),
        ("twice a week", HOURS, []),
        ("68 degrees Fahrenheit", CELSIUS, [20]),
        ("50 euros", EUROS, [50]),
        ("50 dollars", EUROS, []),
    ],
)
def test_both_read_the_same(text: str, parameter: Parameter, values: list[float]) -> None:
    said = [one.value for one in measured(parameter, Text(text, datetime(2026, 4, 1)))]
    assert said == values
    for value in values:
        assert is_measured(value, text, parameter)

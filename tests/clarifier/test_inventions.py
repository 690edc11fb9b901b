"""No value that is made up is acted on, and no call that a reference makes is held up: over whole data sets."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import pytest

from benchmark_adapter.data.dataset import Session
from benchmark_adapter.data.source import read_data
from clarifier.clarifier import decide
from clarifier.policy import open_policy
from tests.clarifier.reference_calls import inventions, reference_calls
from tests.shared import shared_path

BENCHMARK = open_policy("benchmark")
EXACT_KINDS = ("text", "id", "date", "time", "number")
"""What an open domain holds: there is no telling by chance."""


@lru_cache
def bundled() -> tuple[Session, ...]:
    return read_data(None, None, 42)


def acted_on(sessions: tuple[Session, ...]) -> tuple[Counter[str], Counter[str]]:
    """Return by kind how many values were made up, and how many of these were acted on."""
    made, acted = Counter[str](), Counter[str]()
    for reference in reference_calls(sessions):
        for invention in inventions(reference):
            made[invention.kind] += 1
            acted[invention.kind] += decide(reference.situation, invention.proposal, policy=BENCHMARK).kind == "act"
    return made, acted


def held_up(sessions: tuple[Session, ...]) -> list[str]:
    """Return the calls of references that were not made as they stand."""
    found = []
    for reference in reference_calls(sessions):
        decision = decide(reference.situation, reference.proposal, policy=BENCHMARK)
        if decision.kind != "act" or decision.calls != (reference.call,):
            found.append(f"{reference.where} {reference.tool.name}: {decision.kind}")
    return found


def test_nothing_made_up_is_acted_on_in_the_bundled_data() -> None:
    made, acted = acted_on(bundled())
    assert {kind: acted[kind] for kind in EXACT_KINDS} == dict.fromkeys(EXACT_KINDS, 0)
    assert made.total() > 150
    # A choice is the planner's reading, unless memory or the person's words have another.
    assert acted["enum"] <= 0.25 * made["enum"]


def test_what_the_references_do_is_not_held_up_in_the_bundled_data() -> None:
    calls = sum(1 for _ in reference_calls(bundled()))
    assert len(held_up(bundled())) <= 0.02 * calls  # one symptom told by its sound alone


@pytest.mark.slow
def test_nothing_made_up_is_acted_on_in_the_shared_data() -> None:
    sessions = read_data(shared_path("utb-dev"), shared_path("toolsets"), 42)
    made, acted = acted_on(sessions)
    assert {kind: acted[kind] for kind in EXACT_KINDS} == dict.fromkeys(EXACT_KINDS, 0)
    assert made.total() > 150
    assert len(held_up(sessions)) <= 2

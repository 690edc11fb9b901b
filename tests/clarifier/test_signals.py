"""Each signal, worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from clarifier.calibration.signals import FEATURES, Signals, Stated, recall_gap, signals_of
from clarifier.decision import Grounds
from clarifier.grounding.grounder import Grounding
from memory.evidence import Slot


def grounding(grounds: Grounds, probability: float, **rest: object) -> Grounding:
    fields = {"margin": probability, "parameter": None, "call_id": "1", "slot": Slot("t", "a"), "value": "v"}
    return Grounding(**{**fields, "grounds": grounds, "probability": probability, **rest})  # type: ignore[arg-type]


def test_no_arguments_are_neutral() -> None:
    assert signals_of([]) == Signals(sum_log_c=0.0, min_c=1.0, min_margin=1.0, arguments=0.0)
    assert signals_of([], stated=Stated(confidence=0.9)).planner_confidence == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("stated", "confidence", "uncertainty", "consistency"),
    [
        (Stated(), 0.0, 0.0, 0.0),
        (Stated(confidence=0.75), 0.25, 0.0, 0.0),
        (Stated(uncertainty=0.0), 0.0, -0.5, 0.0),
        (Stated(uncertainty=1.0, consistency=1.0), 0.0, 0.5, 0.5),
        (Stated(consistency=0.25), 0.0, 0.0, -0.25),
    ],
)
def test_what_the_planner_says_counts_from_one_half(
    stated: Stated, confidence: float, uncertainty: float, consistency: float
) -> None:
    """What it does not say stands at 0, as if it were even."""
    found = signals_of([grounding("request", 1.0)], stated=stated)
    assert (found.planner_confidence, found.request_uncertainty, found.self_consistency) == (
        confidence,
        uncertainty,
        consistency,
    )


def test_the_recall_gap_is_what_memory_should_have_said() -> None:
    said = grounding("request", 1.0)
    from_habit = grounding("habit", 0.6, is_recalled=True)
    of_the_topic = grounding("topic", 0.9)
    missing = grounding("missing", 0.0)
    other_value = grounding("none", 0.0, is_recalled=True)
    optional = grounding("none", 0.0, is_required=False)
    assert recall_gap([]) == 0.0
    assert recall_gap([optional]) == 0.0
    assert recall_gap([said, from_habit, other_value, optional]) == 0.0
    assert recall_gap([said, from_habit, of_the_topic, missing]) == 0.5
    assert signals_of([missing]).recall_gap == 1.0


def test_every_signal() -> None:
    logs = math.log(0.5) + math.log(0.8) + math.log(0.25) + math.log(0.01)
    found = signals_of(
        [
            grounding("request", 1.0),
            grounding("habit", 0.5, margin=-0.1, evidence_count=3, evidence_age=0.5, conflict_entropy=0.69),
            grounding("standing", 0.8, evidence_count=2, evidence_age=0.0, conflict_entropy=0.2),
            grounding("none", 0.25, is_open=False),
            grounding("missing", 0.0),
        ],
        stated=Stated(confidence=0.2),
    )
    assert found.sum_log_c == pytest.approx(logs)
    assert replace(found, sum_log_c=0.0) == Signals(
        min_c=0.0,
        min_c_required=0.0,
        min_margin=-0.1,
        arguments=5.0,
        conflict_entropy=0.69,
        evidence_age=0.5,
        evidence_count=2.0,
        share_from_memory=0.4,
        share_ungrounded=0.4,
        share_open=0.2,
        recall_gap=0.8,
        planner_confidence=-0.3,
    )


def test_invented_optional_arguments_are_ungrounded_but_not_open() -> None:
    found = signals_of([grounding("none", 0.0, is_required=False), grounding("request", 1.0)])
    assert (found.share_ungrounded, found.share_open) == (0.5, 0.0)
    assert (found.min_c, found.min_c_required) == (0.0, 1.0)


def test_features_have_the_names_of_the_fields() -> None:
    assert set(Signals().features()) == FEATURES

"""Each signal, worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from clarifier.calibration.signals import FEATURES, Signals, signals_of
from clarifier.decision import Grounds
from clarifier.grounding.grounder import Grounding
from memory.evidence import Slot


def grounding(grounds: Grounds, probability: float, **rest: object) -> Grounding:
    fields = {"margin": probability, "parameter": None, "call_id": "1", "slot": Slot("t", "a"), "value": "v"}
    return Grounding(**{**fields, "grounds": grounds, "probability": probability, **rest})  # type: ignore[arg-type]


def test_no_arguments_are_neutral() -> None:
    assert signals_of([]) == Signals(sum_log_c=0.0, min_c=1.0, min_margin=1.0, arguments=0.0)
    assert signals_of([], planner_confidence=0.9).planner_confidence == pytest.approx(0.4)


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
        planner_confidence=0.2,
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
        planner_confidence=-0.3,
    )


def test_invented_optional_arguments_are_ungrounded_but_not_open() -> None:
    found = signals_of([grounding("none", 0.0, is_required=False), grounding("request", 1.0)])
    assert (found.share_ungrounded, found.share_open) == (0.5, 0.0)
    assert (found.min_c, found.min_c_required) == (0.0, 1.0)


def test_features_have_the_names_of_the_fields() -> None:
    assert set(Signals().features()) == FEATURES

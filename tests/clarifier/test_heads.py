"""The heads: their arithmetic and their files."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from clarifier.calibration.heads import Head, default_heads, load_heads
from clarifier.calibration.signals import Signals
from clarifier.errors import CalibrationError, HeadFormatError


def test_a_head_is_logistic() -> None:
    head = Head(intercept=-1.0, weights={"min_c": 2.0})
    assert head.probability({"min_c": 0.5}) == 0.5
    assert head.probability({"min_c": 1.0}) == pytest.approx(0.7310585786)  # σ(1)
    assert Head(intercept=-1000).probability({}) == 0.0
    assert Head(intercept=1000).probability({}) == 1.0


def test_the_heads_set_by_hand() -> None:
    heads = load_heads()
    assert (heads.provenance, heads.planner, heads.strategy) == ("hand-set, not fitted", None, None)
    odds = heads.odds(Signals())
    # σ(1 + 2.2), σ(−1.3 + 4.5), σ(1.4)
    assert (odds.p_act, odds.p_calls, odds.p_asked) == pytest.approx((0.9608, 0.9608, 0.8022), abs=1e-4)


def test_heads_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "heads.json"
    head = {"intercept": 0}
    path.write_text(json.dumps({"version": 1, "provenance": "x", "p_act": head, "p_calls": head, "p_asked": head}))
    odds = load_heads(path).odds(Signals())
    assert (odds.p_act, odds.p_calls, odds.p_asked) == (0.5, 0.5, 0.5)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "expected a JSON file"),
        ("[]", "expected format version 1 or 2, got None"),
        ('{"version": 3}', "expected format version 1 or 2, got 3"),
        ('{"version": 1, "provenance": "x"}', "expected the fields of the format"),
        (
            '{"version": 1, "provenance": "x", "p_act": {"intercept": 0, "weights": {"mood": 1}}, '
            '"p_calls": {"intercept": 0}, "p_asked": {"intercept": 0}}',
            r"got \['mood'\]",
        ),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "heads.json"
    path.write_text(text)
    with pytest.raises(HeadFormatError, match=problem) as info:
        load_heads(path)
    assert isinstance(info.value, CalibrationError)
    assert info.value.where == str(path)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(HeadFormatError, match="expected a JSON file"):
        load_heads(tmp_path / "none.json")


def test_a_curve_is_linear_between_its_knots() -> None:
    head = Head.model_validate({"intercept": 0, "weights": {"z": 1}, "curve": [[0.2, 0.1], [0.6, 0.5], [0.8, 0.5]]})
    at = {p: head.probability({"z": math.log(p / (1 - p))}) for p in (0.1, 0.2, 0.4, 0.7, 0.9)}
    assert at == pytest.approx({0.1: 0.1, 0.2: 0.1, 0.4: 0.3, 0.7: 0.5, 0.9: 0.5})


@pytest.mark.parametrize("curve", [[[0.5, 0.5], [0.4, 0.6]], [[0.4, 0.6], [0.5, 0.5]], [[0.4, 1.5]]])
def test_a_curve_has_to_rise(curve: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="knots in"):
        Head.model_validate({"intercept": 0, "curve": curve})


def test_heads_say_what_they_were_not_fitted_with() -> None:
    heads = load_heads().model_copy(update={"planner": "rules", "strategy": "stead"})
    assert heads.misfit(planner="rules", strategy="stead") is None
    assert load_heads().misfit(planner="chat", strategy="dense") is None  # not fitted at all
    assert (heads.misfit(planner="chat", strategy="stead") or "").startswith(
        "the heads were fitted with planner 'rules', not 'chat': their probabilities may be off"
    )
    both = heads.misfit(planner="oracle", strategy="dense") or ""
    assert "planner 'rules', not 'oracle' and strategy 'stead', not 'dense'" in both


def test_the_heads_that_come_fitted() -> None:
    heads = load_heads("persona")
    assert (heads.planner, heads.strategy) == ("rules", "stead")
    assert heads.fit is not None
    assert heads.fit.persons == ("persona21", "persona22", "persona23", "stead_persona01", "stead_persona02")
    assert len(heads.fit.data) == 64
    assert set(heads.fit.scores) == {"p_act", "p_calls", "p_asked"}
    assert all(score.n >= 15 for score in heads.fit.scores.values())
    assert load_heads("hand_set") == load_heads()


def test_fitted_heads_are_the_default_only_with_the_planner_they_know() -> None:
    assert [default_heads(planner) for planner in ("rules", "chat", "oracle")] == ["persona", "hand_set", "hand_set"]

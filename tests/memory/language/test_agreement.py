"""Agreement of two hands, worked out by hand."""

from __future__ import annotations

import pytest

from benchmarks.corpus_agreement import Judged, agreement, judged, kappa


def _clauses(*pairs: tuple[str, str]) -> list[Judged]:
    return [Judged("en-x", False, {"act": a, "time": "now"}, {"act": b, "time": "now"}) for a, b in pairs]


def test_kappa_is_the_agreement_beyond_chance() -> None:
    clauses = _clauses(("order", "order"), ("order", "tell"), ("tell", "tell"), ("tell", "tell"))
    assert agreement(clauses, ["act"]) == 0.75
    assert agreement(clauses, ["act", "time"]) == 0.75
    assert kappa(clauses, "act") == pytest.approx((0.75 - 0.5) / 0.5)  # chance: 2 × 1 and 2 × 3 of 16


def test_kappa_of_one_label_throughout_is_one() -> None:
    assert kappa(_clauses(("order", "order"), ("order", "order")), "time") == 1


def test_the_hands_of_the_corpus_agree_far_beyond_chance() -> None:
    clauses = judged()
    assert all(kappa(clauses, field) > 0.7 for field in ("act", "time", "polarity", "whom"))

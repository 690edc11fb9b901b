"""Fitting: what the heads learn, from whom, and from how little they do not."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
import pytest

from clarifier.calibration.fitting import (
    Labelled,
    best_ablation,
    features_of,
    fit_heads,
    foretell,
    refit_intercepts,
    scores_of,
)
from clarifier.calibration.heads import HeadName, Heads, HeadScores, load_heads
from clarifier.calibration.signals import FEATURES, Signals
from clarifier.errors import CalibrationError, LabelsError, MissingExtraError

PERSONS = ("anna", "ben", "cleo")


def decisions(n: int, *, head: HeadName = "p_act") -> list[Labelled]:
    """Sure decisions, of which one in five is wrong, and unsure ones, of which one in five is right."""
    made = []
    for index in range(n):
        is_sure = index % 2 == 0
        signals = Signals(min_c=0.9 if is_sure else 0.1).features()
        made.append(Labelled(signals, PERSONS[index % 3], {head: is_sure is (index // 2 % 5 != 0)}))
    return made


def all_heads(n: int) -> list[Labelled]:
    return [one for head in ("p_act", "p_calls", "p_asked") for one in decisions(n, head=head)]


def fitted(labelled: Sequence[Labelled], **options: object) -> Heads:
    return fit_heads(
        labelled,
        planner="rules",
        strategy="stead",
        data="0" * 64,
        split="three persons",
        **options,  # type: ignore[arg-type]  # each test passes what it is about
    )


def test_a_head_learns_what_foretells_the_label() -> None:
    heads = fitted(all_heads(120), penalty=1e6)  # as good as no penalty: the shares themselves
    sure, unsure = heads.odds(Signals(min_c=0.9)), heads.odds(Signals(min_c=0.1))
    assert (sure.p_act, unsure.p_act) == pytest.approx((0.8, 0.2), abs=1e-3)
    assert set(heads.p_act.weights) == {"min_c"}  # the others never vary
    assert (heads.planner, heads.strategy) == ("rules", "stead")
    assert heads.provenance == (
        "fitted on three persons with the rules planner and stead memory; labels: p_act 120, p_calls 120, p_asked 120"
    )
    assert heads.fit is not None
    assert heads.fit.persons == PERSONS
    assert heads.fit.scores["p_act"].n == 120
    assert heads.fit.scores["p_act"].brier == pytest.approx(0.16, abs=2e-3)  # 0.8·0.2² + 0.2·0.8²
    assert heads.fit.scores["p_act"].auroc == pytest.approx(0.8, abs=0.01)
    assert Heads.model_validate_json(heads.model_dump_json()) == heads


def test_the_penalty_draws_towards_the_base_rate() -> None:
    loose, tight = fitted(all_heads(120), penalty=1e3), fitted(all_heads(120), penalty=1e-3)
    assert abs(tight.p_act.weights["min_c"]) < abs(loose.p_act.weights["min_c"]) / 2


def test_the_best_signals_are_chosen_by_persons_that_were_not_seen() -> None:
    """The planner's doubt foretells, the evidence misleads: it says the opposite of each person than of the others."""
    made = [
        Labelled(
            {"request_uncertainty": 0.4 if doubts else -0.4, "min_c": float((number % 2 == 0) is (person == "a"))},
            person,
            {"p_calls": doubts is (number % 5 == 0)},
        )
        for person in ("a", "b", "c")
        for number in range(20)
        for doubts in (True, False)
    ]
    assert best_ablation(made, "p_calls") == "stated"
    heads = fit_heads(made, planner="p", strategy="s", data="0" * 64, split="all", ablation="best", keep=load_heads())
    assert set(heads.p_calls.weights) == {"request_uncertainty"}
    assert heads.fit is not None
    assert heads.fit.scores["p_calls"].brier < 0.18  # 0.16 is what the doubt allows
    assert best_ablation(made[:40], "p_calls") == "none"  # one person alone


def test_what_each_ablation_looks_at() -> None:
    assert features_of("none") == ()
    stated = ("planner_confidence", "request_uncertainty", "self_consistency")
    assert features_of("stated") == stated
    assert features_of("posterior") == tuple(sorted(FEATURES - {*stated}))
    assert features_of("fusion") == tuple(sorted(FEATURES))
    heads = fitted(all_heads(120), ablation="none")
    assert heads.p_act.weights == {}
    assert heads.odds(Signals()).p_act == pytest.approx(0.5, abs=1e-3)


def test_few_labels_give_an_intercept_alone() -> None:
    heads = fitted(all_heads(30))
    assert heads.p_act.weights == {}
    assert heads.odds(Signals()).p_act == pytest.approx(0.5, abs=0.04)


@pytest.mark.parametrize(
    ("labelled", "message"),
    [
        ([], "expected for p_act (whether to act) at least 15 labels and 3 of either kind, got 0, of which 0 true"),
        (decisions(14), "got 14, of which 7 true"),
        ([Labelled({}, "anna", {"p_act": True})] * 50, "got 50, of which 50 true"),
    ],
)
def test_labels_that_do_not_suffice(labelled: list[Labelled], message: str) -> None:
    with pytest.raises(LabelsError) as info:
        fitted(labelled)
    assert message in str(info.value)
    assert isinstance(info.value, CalibrationError)


def test_heads_may_be_kept_where_labels_are_missing() -> None:
    hand_set = load_heads()
    heads = fitted(decisions(120), keep=hand_set)
    assert (heads.p_calls, heads.p_asked) == (hand_set.p_calls, hand_set.p_asked)
    assert heads.p_act != hand_set.p_act
    with pytest.raises(LabelsError, match="every head had too few"):
        fitted([], keep=hand_set)


def test_one_person_alone_cannot_be_foretold() -> None:
    with pytest.raises(LabelsError, match="at least two persons"):
        fitted([Labelled(one.signals, "anna", one.labels) for one in all_heads(120)])


def test_nobody_is_foretold_by_himself() -> None:
    # Anna's labels are the reverse of the others': a fit that had seen them would do better than this.
    x = np.array([[0.0], [1.0]] * 6)
    y = np.array([1.0, 0.0] * 2 + [0.0, 1.0] * 4)
    persons = np.array(["anna"] * 4 + ["ben"] * 4 + ["cleo"] * 4)
    foretold = foretell(x, y, persons, 1e6)
    assert foretold[:4] == pytest.approx([0, 1, 0, 1], abs=0.02)


def test_scores_by_hand() -> None:
    p, y = np.array([0.8] * 10 + [0.2] * 10), np.array([1.0] * 7 + [0.0] * 3 + [1.0] + [0.0] * 9)
    # Brier (7·0.04 + 3·0.64 + 0.64 + 9·0.04)/20; ECE (0.1 + 0.1)/2; AUROC over 8 true × 12 false: 7·9 pairs in order,
    # 7·3 ties at 0.8 and 1·9 at 0.2 counting half
    expected = HeadScores(n=20, positive=8, brier=0.16, ece=0.1, auroc=round((63 + 15) / 96, 6))
    assert scores_of(p, y) == expected
    assert scores_of(p[:5], np.ones(5)) == HeadScores(n=5, positive=5, brier=0.04, ece=0.2, auroc=None)


def test_an_isotonic_curve_needs_a_thousand_labels() -> None:
    with pytest.raises(LabelsError, match="expected 1000 labels for an isotonic curve of p_act, got 120"):
        fitted(all_heads(120), isotonic=True)
    heads = fitted(all_heads(1200), isotonic=True, penalty=1e-4)  # too timid, which the curve puts right
    assert heads.odds(Signals(min_c=0.9)).p_act == pytest.approx(0.8, abs=0.01)
    assert heads.odds(Signals(min_c=0.1)).p_act == pytest.approx(0.2, abs=0.01)


def test_intercepts_are_refitted_alone() -> None:
    hand_set = load_heads()
    signals = Signals(min_c=0.5).features()
    labelled = [Labelled(signals, "anna", {"p_calls": index % 4 == 0}) for index in range(40)]
    heads = refit_intercepts(hand_set, labelled, planner="oracle", strategy="dense")
    assert heads.odds(Signals(min_c=0.5)).p_calls == pytest.approx(0.25, abs=1e-4)
    assert heads.p_calls.weights == hand_set.p_calls.weights
    assert (heads.p_act, heads.p_asked) == (hand_set.p_act, hand_set.p_asked)
    assert (heads.planner, heads.strategy) == ("oracle", "dense")
    assert heads.provenance.endswith("intercepts of p_calls refitted with the oracle planner and dense memory")
    with pytest.raises(LabelsError):
        refit_intercepts(hand_set, labelled[:10], planner="oracle", strategy="dense")


def test_without_scikit_learn_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "sklearn"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'stead\[calibration\]'"):
        fitted(all_heads(120))

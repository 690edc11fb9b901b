"""Certificates: their thresholds and p-values by hand, and when they are refused."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clarifier.calibration.certificates import (
    Certificate,
    Outcomes,
    certify,
    joint_threshold,
    least_units,
    most_act_share,
    p_value,
    selective_threshold,
    sequence_of,
)
from clarifier.errors import CertificateRefusedError

TEN = Outcomes.of(
    [0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.5],
    [False, False, False, False, True, False, False, True, False, True],
    ["anna"] * 5 + ["ben"] * 5,
)


def test_the_joint_threshold_by_hand() -> None:
    # (n·R̂ + 1)/(n + 1): one wrong above 0.6, so 2/11 = 0.18; two from 0.6 on, 3/11 = 0.27; three at 0.5, 4/11 = 0.36
    assert joint_threshold(TEN, 0.2) == 0.65
    assert joint_threshold(TEN, 0.28) == 0.55
    assert joint_threshold(TEN, 0.4) == 0.5
    assert joint_threshold(TEN, 0.1) == 0.8  # 1/11 = 0.09 as long as nothing is wrong
    assert joint_threshold(TEN, 0.05) == math.inf


def test_the_joint_threshold_takes_ties_together() -> None:
    tied = Outcomes.of([0.5] * 9, [False] * 8 + [True], ["anna"] * 9)
    assert joint_threshold(tied, 0.2) == 0.5  # (1 + 1)/10
    assert joint_threshold(tied, 0.19) == math.inf  # not 0.5 by the eight right ones alone


def test_the_joint_threshold_over_persons() -> None:
    # two persons: n·R̂ is 1/5 at 0.75 and 2/5 at 0.6; (0.2 + 1)/3 = 0.4, (0.4 + 1)/3 = 0.467
    assert joint_threshold(TEN, 0.41, unit="persons") == 0.65
    assert joint_threshold(TEN, 0.39, unit="persons") == 0.8


def test_p_values_by_hand() -> None:
    # 1 wrong of 7 acting: 0.5^7·(1 + 7)
    assert p_value(TEN, 0.65, 0.5) == pytest.approx(8 / 128)
    assert p_value(TEN, 0.8, 0.5) == pytest.approx(1 / 16)
    assert p_value(TEN, 0.99, 0.5) == 1.0
    # Persons at 0.65: Anna 1 wrong of 5 acting, (1 − 5·0.5)/5 = −0.3; Ben 2 acting, −0.2; shifted mean 0.25.
    hoeffding = math.exp(-2 * (0.25 * math.log(0.5) + 0.75 * math.log(1.5)))
    bentkus = math.e * 0.75  # P(Bin(2, ½) ≤ 1)
    assert p_value(TEN, 0.65, 0.5, unit="persons") == pytest.approx(min(hoeffding, bentkus))


def test_the_first_threshold_that_fails_ends_the_sequence() -> None:
    assert selective_threshold(TEN, 0.5, 0.1, [0.8, 0.65, 0.5]) == 0.65  # p = 0.0625, 0.0625, 0.17
    assert selective_threshold(TEN, 0.5, 0.1, [0.9, 0.65]) == math.inf  # two right ones prove nothing: p = 0.25


def test_a_sequence_goes_from_the_surest_to_all() -> None:
    assert sequence_of([0.1, 0.2, 0.3, 0.4, 0.5], first_share=0.25, steps=4) == [0.4, 0.3, 0.2, 0.1]


def test_what_is_possible_at_all() -> None:
    assert most_act_share(0.46, 0.1) == pytest.approx(0.6)
    assert most_act_share(0.05, 0.1) == 1.0
    assert least_units("joint", 0.1) == 9
    assert least_units("selective", 0.1, 0.1) == 22


def test_a_certificate_says_what_it_promises() -> None:
    assert certify(TEN, "joint", alpha=0.2) == Certificate("joint", "turns", 0.2, None, 0.65, 10, 0.7, 0.3)
    assert certify(TEN, "joint", alpha=0.2).words == (
        "on average over calibration sets, a further turn of the calibrated population acts and is wrong with "
        "probability at most 20% (calibrated on 10 turns; acts on 70% of their turns)"
    )
    selective = certify(TEN, "selective", alpha=0.5, delta=0.1, thresholds=[0.8, 0.65, 0.5])
    assert selective.words == (
        "with confidence 90% over calibration sets, of the turns that act at most 50% are wrong, in a further turn of "
        "the calibrated population (calibrated on 10 turns; acts on 70% of their turns)"
    )


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"promise": "joint", "alpha": 0.05}, "needs at least 19 turns without a single error, got 10"),
        ({"promise": "joint", "alpha": 0.1, "unit": "persons"}, "needs at least 9 persons"),
        ({"promise": "selective", "alpha": 0.1}, "needs at least 22 turns"),
        ({"promise": "selective", "alpha": 0.21, "act_share": 0.9}, "at most 89% can act with 21% of them wrong"),
        ({"promise": "selective", "alpha": 0.3, "thresholds": [0.5]}, "only 0% may act; some were asked for"),
        ({"promise": "joint", "alpha": 0.2, "act_share": 0.8}, "only 70% may act; 80% were asked for"),
        ({"promise": "joint", "alpha": 0.0}, "α and δ between 0 and 1"),
    ],
)
def test_a_certificate_that_is_refused(asked: dict[str, object], reason: str) -> None:
    with pytest.raises(CertificateRefusedError) as info:
        certify(TEN, **asked)  # type: ignore[arg-type]  # each case is a set of arguments
    assert reason in info.value.reason


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60), st.floats(0.05, 0.9))
def test_the_joint_threshold_keeps_its_own_promise(turns: list[tuple[float, bool]], alpha: float) -> None:
    outcomes = Outcomes.of([p for p, _ in turns], [wrong for _, wrong in turns], ["anna"] * len(turns))
    threshold = joint_threshold(outcomes, alpha)
    acts = outcomes.score >= threshold
    assert ((acts & outcomes.is_wrong).sum() + acts.any()) / (len(turns) + 1) <= alpha + 1e-9
    if len(laxer := outcomes.score[outcomes.score < threshold]):  # and the next smaller score would not
        acts = outcomes.score >= laxer.max()
        assert ((acts & outcomes.is_wrong).sum() + 1) / (len(turns) + 1) > alpha

"""The two policies, on odds worked out by hand."""

from __future__ import annotations

import pytest

from clarifier.decision import Odds
from clarifier.errors import CalibrationError, UnknownPolicyError
from clarifier.policy import ProductPolicy, Stakes, open_policy
from memory.language.schema import Effect


def odds(p_act: float, p_calls: float, p_asked: float) -> Odds:
    return Odds(p_act=p_act, p_calls=p_calls, p_asked=p_asked)


@pytest.mark.parametrize(
    ("p_act", "p_calls", "p_asked", "acts"),
    [
        (0.5, 0.8, 0.8, True),  # 0.4 ≥ 0.4: a tie acts
        (0.5, 0.79, 0.8, False),
        (0.9, 0.1, 0.8, True),  # 0.09 ≥ 0.08
        (0.2, 1.0, 0.2, True),  # 0.2 ≥ 0.16
        (0.0, 1.0, 0.5, False),
    ],
)
def test_benchmark(p_act: float, p_calls: float, p_asked: float, acts: bool) -> None:
    policy = open_policy("benchmark")
    assert policy.acts(odds(p_act, p_calls, p_asked), Stakes("pay")) is acts
    assert policy.acts_unasked(odds(p_act, p_calls, p_asked), Stakes("pay"))
    assert not policy.must_confirm(Stakes("pay", is_stated=False))


@pytest.mark.parametrize(
    ("effect", "least"),
    [("read", 0.4), ("write", 0.8), ("message", 0.8), ("pay", 0.88)],  # 0.9 − 1/2, − 1/10, − 1/10, − 1/50
)
def test_product_weighs_the_cost(effect: Effect, least: float) -> None:
    policy = open_policy("product")
    assert policy.acts(odds(0, least + 1e-9, 0.9), Stakes(effect))
    assert not policy.acts(odds(0, least - 1e-9, 0.9), Stakes(effect))


@pytest.mark.parametrize(
    ("stakes", "must"),
    [
        (Stakes("pay", is_stated=False), True),
        (Stakes("message", is_stated=False), True),
        (Stakes("write", is_sensitive=True, is_stated=False), True),
        (Stakes("read", is_sensitive=True, is_stated=False), False),
        (Stakes("write", is_stated=False), False),
        (Stakes("pay", is_stated=True), True),
        (Stakes("write", p_ordered=0.4), True),
        (Stakes("pay", is_covered=True, p_ordered=0.4), True),
        (Stakes("pay", is_stated=False, is_covered=True), False),
    ],
)
def test_product_confirms_what_is_grave(stakes: Stakes, must: bool) -> None:
    assert open_policy("product").must_confirm(stakes) is must


def test_product_without_a_question_left() -> None:
    policy = open_policy("product")
    assert policy.acts_unasked(odds(1, 0.5, 1), Stakes("write", is_stated=False))
    assert not policy.acts_unasked(odds(1, 0.49, 1), Stakes("read"))
    assert not policy.acts_unasked(odds(1, 1, 1), Stakes("pay", is_stated=False))


def test_product_takes_a_standing_rule_for_consent() -> None:
    policy = open_policy("product")
    assert policy.acts(odds(1, 0.5, 0.9), Stakes("pay", is_stated=False, is_covered=True))
    assert not policy.acts(odds(1, 0.49, 0.9), Stakes("pay", is_stated=False, is_covered=True))


def test_unknown_policy() -> None:
    with pytest.raises(
        UnknownPolicyError, match="no policy is called 'bold'; choose one of benchmark, product"
    ) as info:
        open_policy("bold")
    assert isinstance(info.value, CalibrationError)
    assert (info.value.name, info.value.known) == ("bold", ("benchmark", "product"))


def test_costs_are_checked() -> None:
    with pytest.raises(ValueError, match="positive"):
        ProductPolicy(cost_wrong={"read": 0.0})

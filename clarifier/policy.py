"""The decision rules: whether the odds of a proposal suffice to act on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

from clarifier.decision import Odds
from clarifier.errors import UnknownPolicyError
from memory.language.schema import Effect


@dataclass(frozen=True)
class Stakes:
    """What is at stake in a proposal: the worst of its calls."""

    effect: Effect = "read"
    is_sensitive: bool = False
    """It acts (more than reads) in health, finance, law or safety."""
    is_stated: bool = True
    """The person said every required argument in this turn."""
    is_covered: bool = False
    """What they did not say, standing rules of theirs do."""
    tools: tuple[str, ...] = ()
    """Names of the tools called."""
    p_ordered: float = 1.0
    """That the deeds are wanted now, of the one least so."""


class Policy(Protocol):
    """A decision rule."""

    @property
    def name(self) -> str:
        """The name it is chosen by, and that decisions carry."""
        ...

    @property
    def heeds_from(self) -> float:
        """How sure the reading must be that a deed is forbidden, put off or called off for it not to be done."""
        ...

    def acts(self, odds: Odds, stakes: Stakes) -> bool:
        """Say whether to act rather than to ask."""
        ...

    def acts_unasked(self, odds: Odds, stakes: Stakes) -> bool:
        """Say whether to act rather than to give up, where nothing may be asked any more."""
        ...

    def must_confirm(self, stakes: Stakes) -> bool:
        """Say whether the person has to agree to the very call first, whatever the odds."""
        ...

    def doubts_choices(self, effect: Effect) -> bool:
        """Say whether a required choice is asked for that nothing speaks for and nothing against."""
        ...


@dataclass(frozen=True)
class BenchmarkPolicy:
    """Maximises exact accuracy: act iff p_a·p_c ≥ (1−p_a)·p_s (DESIGN §6). Nothing needs to be confirmed."""

    name: str = "benchmark"
    heeds_from: float = 0.9
    """A turn in which the wrong thing is left undone is as wrong as one in which it is done."""

    def acts(self, odds: Odds, stakes: Stakes) -> bool:
        return odds.p_act * odds.p_calls >= (1 - odds.p_act) * odds.p_asked

    def acts_unasked(self, odds: Odds, stakes: Stakes) -> bool:
        """Always: a turn given up is wrong for certain."""
        return True

    def must_confirm(self, stakes: Stakes) -> bool:
        return False

    def doubts_choices(self, effect: Effect) -> bool:
        return False


_EVEN = 0.5
SURELY_ORDERED = 0.8
"""From here on what was said in full need not be confirmed."""
_COSTS: Mapping[Effect, float] = MappingProxyType({"read": 2.0, "write": 10.0, "pay": 50.0, "message": 10.0})


@dataclass(frozen=True)
class ProductPolicy:
    """Weighs costs: act iff p_c ≥ ρ − c_ask/c_wrong with ρ = p_s (DESIGN §6); some calls are confirmed besides.

    Confirmed is what moves money and what reaches other people, unless standing rules of the person cover the very
    case, or they said that the tool needs none (`confirms`). What else acts on health, finance, law or safety is
    confirmed unless the person surely ordered it and stated every required argument in this turn (then asking would
    only repeat it). Confirmed is, too, whatever changes something and is more likely only asked about, told or imagined
    than ordered. Reading changes nothing and is never confirmed; other
    writes are settled by their cost alone, so that a habit shown twice needs no question.
    """

    name: str = "product"
    heeds_from: float = 0.5
    cost_ask: float = 1.0
    """Of one question; the unit of all costs."""
    cost_wrong: Mapping[Effect, float] = field(default_factory=lambda: _COSTS)
    """Of a wrong call by what it does."""
    shift: float = 0.0
    """How far above its cost-based place the threshold stands, after what this person corrected or undid
    (`clarifier.calibration.feedback`), in [0, 1]."""
    confirms: Mapping[str, bool] = field(default_factory=dict)
    """By tool, where its effect does not decide: whether this person is asked first, though it is all said (a standing
    rule still is consent), or never. Of several calls in one step one that has to be confirmed is enough."""

    def __post_init__(self) -> None:
        if self.cost_ask < 0 or min(self.cost_wrong.values()) <= 0:
            raise ValueError(f"costs of wrong calls must be positive, of asking not negative; got {self!r}")
        if not 0 <= self.shift <= 1:
            raise ValueError(f"the shift of the threshold must lie in [0, 1]; got {self!r}")

    def acts(self, odds: Odds, stakes: Stakes) -> bool:
        """By cost; where standing rules cover what was not said, they are the consent, and even odds suffice."""
        if stakes.is_covered:
            return odds.p_calls >= _EVEN
        return odds.p_calls >= odds.p_asked - self.cost_ask / self.cost_wrong[stakes.effect] + self.shift

    def acts_unasked(self, odds: Odds, stakes: Stakes) -> bool:
        """Where more likely right than wrong, and neither money nor other people are concerned."""
        return odds.p_calls >= _EVEN and not self.must_confirm(stakes)

    def must_confirm(self, stakes: Stakes) -> bool:
        if any(self.confirms.get(name, False) for name in stakes.tools):
            return not stakes.is_covered
        if stakes.tools and all(name in self.confirms for name in stakes.tools):
            return False
        if stakes.effect != "read" and stakes.p_ordered < _EVEN:
            return True
        if stakes.effect in ("pay", "message"):
            return not stakes.is_covered
        is_ordered = stakes.is_stated and stakes.p_ordered >= SURELY_ORDERED
        return stakes.is_sensitive and stakes.effect != "read" and not (is_ordered or stakes.is_covered)

    def doubts_choices(self, effect: Effect) -> bool:
        """Where the call changes something."""
        return effect != "read"


_POLICIES: Mapping[str, Callable[[], Policy]] = {"benchmark": BenchmarkPolicy, "product": ProductPolicy}


def open_policy(name: str) -> Policy:
    """Return the policy called `name`.

    Raises:
        UnknownPolicyError: If there is none.
    """
    try:
        return _POLICIES[name]()
    except KeyError:
        raise UnknownPolicyError(name, _POLICIES) from None

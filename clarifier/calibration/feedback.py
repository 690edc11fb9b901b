"""Feedback: what a person's next turn says of the calls before it, and the step by which it moves the threshold.

Nothing is stored: both are read out of the turn log, as the user state is, so that a correction or an undo counts in
the very next turn, and what is erased counts no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from clarifier.policy import Policy, ProductPolicy
from memory.evidence import Evidence
from memory.records import CallStep, Turn
from memory.state.corrections import is_state_correction
from memory.state.cues import is_correction, is_undo
from memory.state.extraction import extract, is_failure, read, settle

Outcome = Literal["accepted", "corrected", "undone"]
MOST_TURNS = 100
"""Turns that are looked back on: what a person found wrong long ago says little of now, and reading takes time."""


@dataclass(frozen=True)
class AdaptiveStep:
    """Adaptive conformal inference (Gibbs & Candès, 2021, eq. 2), kept within bounds.

    After each turn that acted the threshold rises by `rate · (1 − target)` if its calls were corrected or undone, and
    falls by `rate · target` if they were accepted: over time a share `target` of what acts goes wrong, as far as the
    bounds allow. It never falls below what the costs say.
    """

    target: float = 0.1
    """Share of turns that act of which a person shall have to correct one."""
    rate: float = 0.1
    """How fast; one correction is forgiven after nine accepted turns."""
    most: float = 0.3
    """Of the shift, so that what is certain is still done."""

    def __post_init__(self) -> None:
        if not (0 < self.target < 1 and self.rate > 0 and 0 <= self.most <= 1):
            raise ValueError(f"expected a target within (0, 1), a positive rate and most within [0, 1]; got {self!r}")

    def shift(self, outcomes: Iterable[Outcome | None], *, start: float = 0.0) -> float:
        """Return how far above its cost-based place the threshold stands after these turns, in [0, `most`]."""
        shift = start
        for outcome in outcomes:
            if outcome is not None:
                shift += self.rate * ((outcome != "accepted") - self.target)
                shift = min(max(shift, 0.0), self.most)
        return shift


def outcomes(turns: Sequence[Turn]) -> tuple[Outcome | None, ...]:
    """Return what became of the calls of each turn, `None` where that is not known.

    `accepted`: no undo or correction came by the end of the next turn. Not known: there were no calls, every call
    failed, or there is no next turn yet.

    Args:
        turns: A person's turns, oldest first.
    """
    found: list[Outcome | None] = [_outcome(turn, after) for turn, after in pairwise(turns)]
    return (*found, None) if turns else ()


def _outcome(turn: Turn, after: Turn) -> Outcome | None:
    """Return what `after` says of the calls of the turn before it. Only where it may speak of them are both read."""
    if is_state_correction(turn) or not _did_something(turn):
        return None
    if is_state_correction(after):
        used = extract(turn, 0)
        is_wrong = any(_contradicts(said, one) for said in extract(after, 1) for one in used)
        return "corrected" if is_wrong else "accepted"
    undoes = is_undo(after.request)
    if not undoes and not is_correction(after.request):
        return "accepted"
    readings = [read(turn, 0), read(after, 1)]
    is_left = len(settle([turn, after], readings)[0]) == len(readings[0].evidence)
    return "accepted" if is_left else "undone" if undoes else "corrected"


def _did_something(turn: Turn) -> bool:
    """Whether a call of the turn was carried out."""
    steps = (step for step in turn.steps if isinstance(step, CallStep))
    return any(not is_failure(observation) for step in steps for observation in step.observations)


def _contradicts(said: Evidence, used: Evidence) -> bool:
    """Whether a correction of the state says that a value was not meant."""
    is_same = said.value_key == used.value_key
    return said.slot == used.slot and (is_same if said.kind == "negated" else not is_same)


def after_feedback(policy: Policy, turns: Sequence[Turn], step: AdaptiveStep | None = None) -> Policy:
    """Return the policy with its threshold where the person's corrections have moved it.

    Only `product` has a threshold of costs; any other policy comes back as it is.

    Args:
        policy: As it starts out.
        turns: A person's turns, oldest first; the last 100 count.
        step: How feedback moves the threshold; the default where `None`.
    """
    if not isinstance(policy, ProductPolicy):
        return policy
    shift = (step or AdaptiveStep()).shift(outcomes(turns[-MOST_TURNS:]))
    return replace(policy, shift=shift)

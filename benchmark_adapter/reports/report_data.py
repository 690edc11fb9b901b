"""What a report shows of a run: calibration by bins, risk by coverage, acting against asking, the worst errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from benchmark_adapter.runs.run_scoring import JudgedTurn
from benchmark_adapter.scoring.calibration_metrics import Forecasts
from benchmark_adapter.scoring.metrics import ScoredTurn
from clarifier.decision import Decision

HARDEST = ("asked", "preference", "history", "derived", "observation", "request")
"""Sources of a value, hardest to come by first."""
NOTHING = "no argument"
MOST_ERRORS = 20


class Bin(NamedTuple):
    """Turns that were given about the same probability."""

    probability: float
    """Their mean."""
    share_right: float
    n: int


class Confusion(NamedTuple):
    """Turns of one source by what the reference and the agent did."""

    source: str
    both_act: int
    over_asked: int
    under_asked: int
    both_ask: int

    @property
    def n(self) -> int:
        """Turns in all."""
        return self.both_act + self.over_asked + self.under_asked + self.both_ask


@dataclass(frozen=True)
class WorstError:
    """A wrong turn with what was decided last."""

    turn: ScoredTurn
    decision: Decision | None
    """`None` where the turn failed before any."""
    sureness: float
    """Probability that the decision was right, as the clarifier saw it, in [0, 1]."""


def forecasts(turns: Sequence[ScoredTurn]) -> Forecasts:
    """Return what the turns that acted were given, and whether their calls were right."""
    acted = [turn for turn in turns if turn.p_calls is not None]
    return Forecasts.of([turn.p_calls or 0.0 for turn in acted], [turn.outcome.calls_are_right for turn in acted])


def reliability(of: Forecasts) -> list[Bin]:
    """Return the filled bins, lowest first."""
    bins = of.bins()
    return [
        Bin(float(of.probability[bins == one].mean()), float(of.is_right[bins == one].mean()), int((bins == one).sum()))
        for one in np.unique(bins)
    ]


def risk_coverage(of: Forecasts) -> list[tuple[float, float]]:
    """Return coverage and the share wrong among the covered, surest first; equal probabilities are covered together."""
    if not len(of):
        return []
    wrong = np.cumsum((1 - of.is_right)[::-1])
    ends = np.append(np.diff(of.probability[::-1]) != 0, True).nonzero()[0]
    return [((int(end) + 1) / len(of), float(wrong[end]) / (int(end) + 1)) for end in ends]


def confusion(turns: Sequence[ScoredTurn]) -> list[Confusion]:
    """Return acting against asking by the hardest source that the reference needs; sources without turns are left out.

    A turn whose reference asks is of source `asked`, whatever its arguments say.
    """
    rows = []
    for source in (*HARDEST, NOTHING):
        own = [turn for turn in turns if hardest_source(turn) == source]
        counts = [
            sum(turn.reference_asks is asks and bool(turn.questions) is asked for turn in own)
            for asks in (False, True)
            for asked in (False, True)
        ]
        if own:
            rows.append(Confusion(source, *counts))
    return rows


def hardest_source(turn: ScoredTurn) -> str:
    """Return where the value comes from that is hardest to come by."""
    if turn.reference_asks:
        return "asked"
    found = set(turn.argument_sources.values())
    return next((source for source in HARDEST if source in found), "derived" if found else NOTHING)


def worst_errors(turns: Sequence[JudgedTurn], most: int = MOST_ERRORS) -> list[WorstError]:
    """Return the wrong turns whose last decision the clarifier was surest of, surest first; ties in playing order."""
    wrong = list(_errors(turns))
    return sorted(wrong, key=lambda one: -one.sureness)[:most]


def _errors(turns: Sequence[JudgedTurn]) -> Iterator[WorstError]:
    for turn in (one.scored for one in turns):
        if not turn.is_correct:
            last = turn.line.decisions[-1] if turn.line.decisions else None
            yield WorstError(turn, last, 0.0 if last is None else sureness(last))


def sureness(decision: Decision) -> float:
    """Return the probability that a decision is right.

    p_a·p_c of acting, (1 − p_a)·p_s of asking, 1 − p_a of a reply in place of the proposed calls.
    """
    odds = decision.odds
    if decision.kind == "act":
        return odds.p_act * odds.p_calls
    if not decision.signals:
        return 0.0  # nothing was weighed: a reply or a question of the planner's own
    return (1 - odds.p_act) * (odds.p_asked if decision.kind == "ask" else 1.0)

"""Metrics: many scored turns to numbers (DESIGN §9; docs/metrics.md). Undefined is not a number, never 0.

Each function takes the draws to evaluate them on (`bootstrap.Draws`) and returns one value a draw, so that a metric and
its interval are one piece of code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np

from benchmark_adapter.data.dataset import ReferenceTurn
from benchmark_adapter.data.reference import CLARIFICATION, arguments
from benchmark_adapter.replay.bookkeeping import is_bookkeeping
from benchmark_adapter.replay.questions import missing_slots
from benchmark_adapter.replay.turn_result import TurnLine
from benchmark_adapter.scoring.bootstrap import Draws, Values, divide
from benchmark_adapter.scoring.exact import ExactScore
from benchmark_adapter.scoring.expected_cost import turn_cost
from benchmark_adapter.scoring.relaxed import RelaxedScore
from benchmark_adapter.scoring.turn_outcome import NO_CALLS, TurnOutcome
from benchmark_adapter.scoring.value_sources import Earlier, gold_or_rule
from clarifier.decision import Act

Group = Literal["ST", "MT", "LOI", "Chat"]
THIRDS = ("first_third", "middle_third", "last_third")
SOURCES = ("request", "history", "preference", "observation", "asked", "derived")
"""Where an argument's value comes from, in the words of the `gold` block."""
DECISION_RELEVANT = "decision_relevant"
EXACT_KEYS = ("overall", "micro", "ST", "MT", "LOI", "LOI_recoverable", "LOI_unrecoverable", "Chat", *THIRDS)

Verdict = Callable[["ScoredTurn"], bool]


@dataclass(frozen=True)
class ScoredTurn:
    """A turn with what was made of it."""

    reference: ReferenceTurn
    line: TurnLine
    score: ExactScore
    relaxed: RelaxedScore | None = None
    """`None` where the run ended turns at their first deviation."""
    outcome: TurnOutcome = NO_CALLS
    earlier: Earlier | None = None
    """The person's turns before; `None` where they are not known."""

    @property
    def is_correct(self) -> bool:
        """Whether the exact verdict is correct; a turn that failed is wrong whatever its replies."""
        return self.score.label == "correct" and self.line.failure is None

    @property
    def group(self) -> Group | None:
        """The task type in the paper's short form; `None` for a type it does not know."""
        return group_of(self.reference.task_type)

    @property
    def missing_slots(self) -> frozenset[str]:
        """What the reference asks for, as `tool.argument`; empty where it does not ask."""
        return frozenset(slot for step in self.reference.answer for slot in missing_slots(step))

    @property
    def reference_asks(self) -> bool:
        """Whether the reference asks the person in this turn."""
        return any(step.action.name == CLARIFICATION for step in self.reference.answer)

    @property
    def questions(self) -> tuple[frozenset[str], ...]:
        """The slots of each question that was asked."""
        return tuple(frozenset(decision.slots) for decision in self.line.decisions if decision.kind == "ask")

    @property
    def p_calls(self) -> float | None:
        """What the last decision to act gave the calls to be right, `None` if the agent did not act."""
        acts = [decision for decision in self.line.decisions if isinstance(decision, Act)]
        return acts[-1].odds.p_calls if acts else None

    @cached_property
    def cost(self) -> float:
        """What the turn costs under the product policy, in questions."""
        return turn_cost(len(self.questions), self.outcome.wrong_calls, self.reference.tools)

    @cached_property
    def argument_sources(self) -> Mapping[tuple[int, str], str]:
        """Where each reference argument (step, name) has its value from: by gold, else by the frozen rule.

        Empty where there is no gold and the earlier turns, which the rule looks at, are not known.
        """
        if self.reference.gold is None and self.earlier is None:
            return {}
        earlier = self.earlier or Earlier()
        return {
            (node, name): gold_or_rule(self.reference, node, name, earlier)
            for node, step in enumerate(self.reference.answer)
            if step.is_tool_call
            for name in arguments(step)
        }


def group_of(task_type: str | None) -> Group | None:
    """Return the paper's short form of a task type: every type with `Multi-Tool` in its name is MT."""
    if task_type is None:
        return None
    if "Multi-Tool" in task_type:
        return "MT"
    return {"Single-Tool": "ST", "Clarify": "LOI", "Chat": "Chat"}.get(task_type)  # type: ignore[return-value]  # values are of Group


def draws_once(turns: Iterable[ScoredTurn]) -> Draws:
    """Return the draw in which every turn counts once, with topics and persons to resample."""
    references = [turn.reference for turn in turns]
    return Draws.once([(one.session, (one.topic_index, one.topic_id)) for one in references])


def exact_accuracy(turns: Sequence[ScoredTurn], is_right: Verdict, draws: Draws) -> dict[str, Values]:
    """Return the accuracies, in [0, 1]: `micro` over all turns, every other the mean over persons who have such turns.

    `overall` is the mean of ST, MT and LOI. An LOI turn counts as recoverable if its reference does not ask.
    """
    groups = np.array([turn.group or "" for turn in turns])
    asks = np.array([turn.reference_asks for turn in turns], dtype=bool)
    right = np.array([is_right(turn) for turn in turns], dtype=bool)
    third_of = {id(turn): third for person in by_person(turns) for third in range(3) for turn in thirds(person)[third]}
    third = np.array([third_of[id(turn)] for turn in turns])
    members = {
        "ST": groups == "ST",
        "MT": groups == "MT",
        "LOI": groups == "LOI",
        "LOI_recoverable": (groups == "LOI") & ~asks,
        "LOI_unrecoverable": (groups == "LOI") & asks,
        "Chat": groups == "Chat",
        **{name: third == index for index, name in enumerate(THIRDS)},
    }
    values = {name: draws.share_by_person(right & chosen, chosen) for name, chosen in members.items()}
    values["micro"] = draws.share(right, np.ones(len(turns)))
    values["overall"] = (values["ST"] + values["MT"] + values["LOI"]) / 3
    return {key: values[key] for key in EXACT_KEYS}


def relaxed_accuracy(turns: Sequence[ScoredTurn], draws: Draws) -> dict[str, Values] | None:
    """Return the same accuracies by the relaxed verdict, `None` where turns were not judged so."""
    if any(turn.relaxed is None for turn in turns):
        return None
    return exact_accuracy(turns, lambda turn: turn.relaxed is not None and turn.relaxed.label == "correct", draws)


def is_decision_relevant(argument: str, source: str) -> bool:
    """Whether an argument's value may change with the request, the history or a preference (paper, appendix C.3).

    What a tool returned is passed on as it is; request ids, pages and formats say nothing of the task.
    """
    return source != "observation" and not is_bookkeeping(argument)


def slot_counts(turns: Iterable[ScoredTurn]) -> dict[str, tuple[list[int], list[int]]]:
    """Return per source, and for decision-relevant slots: of each turn, the arguments given right and all there are.

    Every reference argument counts, also those of calls that were never made, so that there are as many in every run
    over the same data.
    """
    right: dict[str, list[int]] = {name: [] for name in (*SOURCES, DECISION_RELEVANT)}
    every: dict[str, list[int]] = {name: [] for name in right}
    for turn in turns:
        for counts in (*right.values(), *every.values()):
            counts.append(0)
        for slot, source in turn.argument_sources.items():
            relevant = (DECISION_RELEVANT,) if is_decision_relevant(slot[1], source) else ()
            for name in (source, *relevant):
                right[name][-1] += slot in turn.score.right_arguments
                every[name][-1] += 1
    return {name: (right[name], every[name]) for name in right}


def ask_quality(turns: Sequence[ScoredTurn], draws: Draws) -> dict[str, Values]:
    """Return how well questions were asked.

    Asking is right if the reference asks too and a question names at least one missing slot. `precision`: of the turns
    that asked; `recall`: of those whose reference asks. `over_ask`: share that asked of the turns whose reference does
    not; `under_ask`: share that did not of those whose reference does. `slot_precision` and `slot_recall`: asked slots
    against missing ones, over all turns.
    """
    asked = np.array([bool(turn.questions) for turn in turns], dtype=bool)
    wanted = np.array([turn.reference_asks for turn in turns], dtype=bool)
    right = [any(slots & turn.missing_slots for slots in turn.questions) for turn in turns]
    named = [frozenset[str]().union(*turn.questions) for turn in turns]
    hits = [len(slots & turn.missing_slots) for slots, turn in zip(named, turns, strict=True)]
    precision, recall = draws.share(right, asked), draws.share(right, wanted)
    return {
        "precision": precision,
        "recall": recall,
        "f1": f1(precision, recall),
        "over_ask": draws.share(asked & ~wanted, ~wanted),
        "under_ask": draws.share(~asked & wanted, wanted),
        "slot_precision": draws.share(hits, [len(slots) for slots in named]),
        "slot_recall": draws.share(hits, [len(turn.missing_slots) for turn in turns]),
        "questions_per_turn": draws.share([len(turn.questions) for turn in turns], np.ones(len(turns))),
    }


def by_person(turns: Iterable[ScoredTurn]) -> list[list[ScoredTurn]]:
    """Return the turns of each person, persons and turns in the order they come."""
    persons: dict[str, list[ScoredTurn]] = {}
    for turn in turns:
        persons.setdefault(turn.reference.session, []).append(turn)
    return list(persons.values())


def thirds(turns: Sequence[ScoredTurn]) -> list[Sequence[ScoredTurn]]:
    """Return the turns cut as the reference evaluator does: sizes differ by at most one, the first get the rest."""
    size, rest = divmod(len(turns), 3)
    ends = [0]
    for index in range(3):
        ends.append(ends[-1] + size + (index < rest))
    return [turns[start:end] for start, end in pairwise(ends)]


def ratio(part: int, whole: int) -> float | None:
    """Return `part / whole`, `None` for nothing of nothing."""
    return part / whole if whole else None


def f1(precision: Values, recall: Values) -> Values:
    """Return the harmonic mean; 0 where one is 0 or the precision alone undefined, undefined where the recall is."""
    known = np.nan_to_num(precision)
    mean = np.nan_to_num(divide(2 * known * recall, known + recall))
    return np.where(np.isnan(recall), np.nan, mean)

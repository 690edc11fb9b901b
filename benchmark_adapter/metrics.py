"""Metrics: many scored turns to the numbers of a run (DESIGN §9). Undefined is `None`, never 0."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from benchmark_adapter.dataset import ReferenceTurn
from benchmark_adapter.exact import ExactScore
from benchmark_adapter.oracle import source_of
from benchmark_adapter.past import arguments
from benchmark_adapter.questions import missing_slots
from benchmark_adapter.relaxed import RelaxedScore
from benchmark_adapter.topics import CLARIFICATION
from benchmark_adapter.turn_result import TurnLine

Group = Literal["ST", "MT", "LOI", "Chat"]
THIRDS = ("first_third", "middle_third", "last_third")
SOURCES = ("request", "history", "preference", "observation", "asked", "derived")
"""Where an argument's value comes from, in the words of the `gold` block."""
EXACT_KEYS = ("overall", "micro", "ST", "MT", "LOI", "LOI_recoverable", "LOI_unrecoverable", "Chat", *THIRDS)


@dataclass(frozen=True)
class ScoredTurn:
    """A turn with what was made of it."""

    reference: ReferenceTurn
    line: TurnLine
    score: ExactScore
    relaxed: RelaxedScore | None = None
    """`None` where the run ended turns at their first deviation."""

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


def group_of(task_type: str | None) -> Group | None:
    """Return the paper's short form of a task type: every type with `Multi-Tool` in its name is MT."""
    if task_type is None:
        return None
    if "Multi-Tool" in task_type:
        return "MT"
    return {"Single-Tool": "ST", "Clarify": "LOI", "Chat": "Chat"}.get(task_type)  # type: ignore[return-value]  # values are of Group


def compute_metrics(turns: Sequence[ScoredTurn]) -> dict[str, Any]:
    """Return every metric of a run, but for its place and its time.

    Args:
        turns: All turns in playing order, person by person.
    """
    return {
        "n": len(turns),
        "failed": sum(turn.line.failure is not None for turn in turns),
        "exact": exact_accuracy(turns, lambda turn: turn.is_correct),
        "relaxed": relaxed_accuracy(turns),
        "slots": slot_accuracy(turns),
        "ask": ask_quality(turns),
        "expected_cost": None,
        "calibration": None,
        "tokens": {
            "prompt": sum(turn.line.usage.prompt for turn in turns),
            "completion": sum(turn.line.usage.completion for turn in turns),
            "recall": sum(turn.line.recall_tokens for turn in turns),
        },
        "ci95": None,
    }


def exact_accuracy(turns: Sequence[ScoredTurn], is_right: Callable[[ScoredTurn], bool]) -> dict[str, float | None]:
    """Return the accuracies, in [0, 1]: `micro` over all turns, every other the mean over persons who have such turns.

    `overall` is the mean of ST, MT and LOI. An LOI turn counts as recoverable if its reference does not ask.
    """
    members: Mapping[str, Callable[[ScoredTurn], bool]] = {
        "ST": lambda turn: turn.group == "ST",
        "MT": lambda turn: turn.group == "MT",
        "LOI": lambda turn: turn.group == "LOI",
        "LOI_recoverable": lambda turn: turn.group == "LOI" and not turn.reference_asks,
        "LOI_unrecoverable": lambda turn: turn.group == "LOI" and turn.reference_asks,
        "Chat": lambda turn: turn.group == "Chat",
    }
    persons = by_person(turns)
    values: dict[str, float | None] = {"micro": mean(map(is_right, turns))}
    for name, is_member in members.items():
        values[name] = mean(mean(map(is_right, filter(is_member, person))) for person in persons)
    for index, name in enumerate(THIRDS):
        values[name] = mean(mean(map(is_right, thirds(person)[index])) for person in persons)
    types = [values["ST"], values["MT"], values["LOI"]]
    values["overall"] = None if None in types else mean(types)
    return {key: values[key] for key in EXACT_KEYS}


def relaxed_accuracy(turns: Sequence[ScoredTurn]) -> dict[str, float | None] | None:
    """Return the same accuracies by the relaxed verdict, `None` where turns were not judged so."""
    if any(turn.relaxed is None for turn in turns):
        return None
    return exact_accuracy(turns, lambda turn: turn.relaxed is not None and turn.relaxed.label == "correct")


def slot_accuracy(turns: Iterable[ScoredTurn]) -> dict[str, dict[str, float | int | None] | None]:
    """Return per source of a value: how many reference arguments there are, and the share that was given right.

    Every reference argument counts, also those of calls that were never made, so that `n` is the same in every run over
    the same data. Without `gold` blocks nothing is known of sources, and `n` is 0. `decision_relevant` is not measured.
    """
    outcomes: dict[str, list[bool]] = defaultdict(list)
    for turn in turns:
        if turn.reference.gold is None:
            continue
        for index, step in enumerate(turn.reference.answer):
            if step.is_tool_call:
                for name in arguments(step):
                    source = source_of(turn.reference.gold, step.action.name, name)
                    outcomes[source].append((index, name) in turn.score.right_arguments)
    measured: dict[str, dict[str, float | int | None] | None] = {
        source: {"n": len(outcomes[source]), "accuracy": mean(outcomes[source])} for source in SOURCES
    }
    return {**measured, "decision_relevant": None}


def ask_quality(turns: Sequence[ScoredTurn]) -> dict[str, float | None]:
    """Return how well questions were asked.

    Asking is right if the reference asks too and a question names at least one missing slot. `precision`: of the turns
    that asked; `recall`: of those whose reference asks. `over_ask`: share that asked of the turns whose reference does
    not; `under_ask`: share that did not of those whose reference does. `slot_precision` and `slot_recall`: asked slots
    against missing ones, over all turns.
    """
    asked = [turn for turn in turns if turn.questions]
    wanted = [turn for turn in turns if turn.reference_asks]
    right = [turn for turn in asked if any(slots & turn.missing_slots for slots in turn.questions)]
    precision, recall = ratio(len(right), len(asked)), ratio(len(right), len(wanted))
    named = [frozenset[str]().union(*turn.questions) for turn in turns]
    hits = sum(len(slots & turn.missing_slots) for slots, turn in zip(named, turns, strict=True))
    return {
        "precision": precision,
        "recall": recall,
        "f1": f1(precision, recall),
        "over_ask": mean(bool(turn.questions) for turn in turns if not turn.reference_asks),
        "under_ask": mean(not turn.questions for turn in wanted),
        "slot_precision": ratio(hits, sum(map(len, named))),
        "slot_recall": ratio(hits, sum(len(turn.missing_slots) for turn in turns)),
        "questions_per_turn": mean(len(turn.questions) for turn in turns),
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


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are defined, `None` if none is."""
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined) if defined else None


def ratio(part: int, whole: int) -> float | None:
    """Return `part / whole`, `None` for nothing of nothing."""
    return part / whole if whole else None


def f1(precision: float | None, recall: float | None) -> float | None:
    """Return the harmonic mean; 0 where one is 0, `None` where both or the recall are undefined."""
    if recall is None:
        return None
    if not precision or not recall:
        return 0.0
    return 2 * precision * recall / (precision + recall)

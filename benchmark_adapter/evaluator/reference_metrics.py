"""The metrics of a profile as the reference evaluator computes them (conformance notes, 44-47).

Only scored turns count. An empty category has accuracy 0.0, and these zeros enter the means over profiles; our own
metrics do better, these exist to be equal to the reference's numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmark_adapter.data.dataset import Entry
from benchmark_adapter.errors import ReferenceCrashError

MULTI_TOOL = "Multi-Tool"
PARALLEL = "Parallel Multi-Tool"
SEQUENTIAL = "Sequential Multi-Tool"
MIXED = "Mixed Multi-Tool"
TASK_TYPES = ("Single-Tool", MULTI_TOOL, PARALLEL, SEQUENTIAL, MIXED, "Clarify", "Chat")
FIRST_TURN = "First Turn"
SUBSEQUENT_TURN = "Subsequent Turn"
SUBTYPES = ("Coreferential Reference", "Partial Information", "Long-Range Dependency", "Cross-Topic")
UNKNOWN_SUBTYPE = "Unknown Subtype"
LEAST_LAYERS = 4
"""Layers that have a row even if no session is that long."""

SCORE_FIELDS = ("inference_completed", "failed_task_idx", "failed_step", "error_type", "error_message", "api_error")


Metric = dict[str, Any]


class _Rate:
    """Correct among total."""

    def __init__(self) -> None:
        self.correct = 0
        self.total = 0

    def add(self, is_correct: bool) -> None:
        self.correct += is_correct
        self.total += 1

    def as_json(self) -> Metric:
        return {"accuracy": _ratio(self.correct, self.total), "correct_count": self.correct, "total_count": self.total}


class _Progress:
    """Steps made among steps of the reference."""

    def __init__(self) -> None:
        self.complete = 0
        self.total = 0

    def add(self, complete: int, total: int) -> None:
        self.complete += complete
        self.total += total

    def as_json(self) -> Metric:
        return {"rate": _ratio(self.complete, self.total), "complete_step": self.complete, "total_step": self.total}


def profile_metric(
    entry: Entry, scores: Sequence[Mapping[str, Any]], *, model_name: str, source_file: str | None = None
) -> Metric:
    """Return the metric of a profile with the keys of a reference metric file.

    Args:
        entry: The processed entry of the profile.
        scores: The lines of its score file: one, or none if the profile was not scored.
        model_name: As in the result file.
        source_file: Path of the topic file as the metric file gives it; by default its bare name.

    Raises:
        ReferenceCrashError: If a scored turn has no task type, or more turns were scored than there are.
    """
    score: Mapping[str, Any] = scores[0] if scores else {}
    tally = _Tally(entry)
    for position, result in enumerate(score.get("results", [])):
        tally.add(position, result)
    return {
        "model_name": model_name,
        "dataset_name": entry.name,
        "source_file": source_file or f"{entry.name}.jsonl",
        "num_topics_after_dedup": entry.num_topics,
        "num_turns": len(entry.turns),
        "num_scored_turns": tally.task.total,
        **{name: score.get(name) for name in SCORE_FIELDS},
        **tally.as_json(sessions=len(scores[:1])),
    }


class _Tally:
    """Counts over the scored turns of one profile."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.task = _Rate()
        self.task_types = {name: _Rate() for name in TASK_TYPES}
        self.layers = {str(layer): _Rate() for layer in range(LEAST_LAYERS)}
        self.subtypes: dict[Any, _Rate] = {name: _Rate() for name in (FIRST_TURN, SUBSEQUENT_TURN, *SUBTYPES)}
        self.optimal = {name: _Rate() for name in ("Total", PARALLEL, MIXED)}
        self.progress = {name: _Progress() for name in ("Total", SEQUENTIAL, MIXED)}

    def add(self, position: int, result: Mapping[str, Any]) -> None:
        """Count a scored turn; turns are scored in order, so its place in the file is its place in the session.

        Raises:
            ReferenceCrashError: If the session has no such turn, or the turn no task type.
        """
        if position >= len(self.entry.turns):
            raise ReferenceCrashError("IndexError", "list index out of range", "more turns were scored than there are")
        turn = self.entry.turns[position]
        is_correct = result["label"] == "correct"
        self.task.add(is_correct)
        for name in type_rows(turn.task_type):
            self.task_types.setdefault(name, _Rate()).add(is_correct)
        self.layers.setdefault(str(position), _Rate()).add(is_correct)
        for name in self._subtype_rows(position):
            self.subtypes.setdefault(name, _Rate()).add(is_correct)
        if turn.task_type in self.optimal:
            for name in ("Total", turn.task_type):
                self.optimal[name].add(bool(result["is_optimal"]))
        if turn.task_type in self.progress:
            for name in ("Total", turn.task_type):
                self.progress[name].add(_steps_made(result), len(turn.answer))

    def _subtype_rows(self, position: int) -> tuple[Any, ...]:
        if position == 0:
            return (FIRST_TURN,)
        subtypes = self.entry.subtypes
        return (SUBSEQUENT_TURN, subtypes[position - 1] if position <= len(subtypes) else UNKNOWN_SUBTYPE)

    def as_json(self, *, sessions: int) -> Metric:
        session = _Rate()
        for _ in range(sessions):
            session.add(0 < self.task.correct == self.task.total)
        return {
            "total_info": {"task": self.task.as_json(), "session": session.as_json()},
            "task_type_info": _rows(self.task_types),
            "layer_info": _rows(self.layers),
            "turn_subtype_info": _rows(self.subtypes),
            "optimal_info": _rows(self.optimal),
            "progress_info": _rows(self.progress),
        }


def type_rows(task_type: Any) -> tuple[str, ...]:
    """Return the rows a turn counts in: its own, and `Multi-Tool` for every kind of it.

    A kind has `Multi-Tool` and more in its name; blanks around the bare name make a type of its own.
    """
    if not isinstance(task_type, str):
        raise ReferenceCrashError("TypeError", f"argument of type {type(task_type).__name__!r} is not iterable")
    is_kind = MULTI_TOOL in task_type and task_type.strip() != MULTI_TOOL
    return (MULTI_TOOL, task_type) if is_kind else (task_type,)


def _steps_made(result: Mapping[str, Any]) -> int:
    """Return the steps left in the log: the failing one counts, and the one dropped after wrong arguments does not."""
    return sum(str(key).startswith("step_") for key in result["inference_log"])


def _rows(table: Mapping[Any, _Rate | _Progress]) -> Metric:
    return {"null" if name is None else name: row.as_json() for name, row in table.items()}


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0

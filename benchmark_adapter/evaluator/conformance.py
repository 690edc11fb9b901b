"""Replaying recorded input and output of the reference evaluator, family by family.

A folder of vectors holds one file a family, `NAME.jsonl` or `NAME.jsonl.gz`; any may be missing. Each line is replayed
and the outcome compared: everything exactly, floats to 1e-12. Where the reference evaluator raised, the replay must end
in a defined outcome that names the same exception type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from benchmark_adapter.data.jsonl import first_problem, read_lines
from benchmark_adapter.errors import DatasetError
from benchmark_adapter.evaluator import conformance_cases as cases
from benchmark_adapter.evaluator import conformance_runs as runs
from benchmark_adapter.evaluator.comparison import first_difference
from benchmark_adapter.evaluator.similarity import SimilarityMode

MOST_DISAGREEMENTS = 10
"""How many disagreements of a family are kept."""

Replay = Callable[[Any, SimilarityMode], cases.Outcome]
"""From a vector (validated by the family's own model) and a similarity mode to what came and what should have come."""

FAMILIES: Mapping[str, Replay] = {
    "paths": cases.replay_paths,
    "arguments": cases.replay_arguments,
    "trajectory": cases.replay_trajectory,
    "history": cases.replay_history,
    "dataset": cases.replay_dataset,
    "convert": cases.replay_convert,
    "metrics": runs.replay_metrics,
    "segments": runs.replay_segments,
    "dataset_stats": runs.replay_dataset_stats,
    "sessions": runs.replay_sessions,
}
"""Families by name, in the order they are reported."""


@dataclass(frozen=True)
class Disagreement:
    """A vector whose replay came out differently."""

    case_id: str
    line: int
    difference: str
    """Where the two outcomes first differ, what came and what was recorded."""


@dataclass(frozen=True)
class FamilyReport:
    """Agreement on one family."""

    agree: int
    total: int
    disagreements: tuple[Disagreement, ...] = ()
    """The first of them, in file order."""


@dataclass(frozen=True)
class Report:
    """Agreement on the families of a folder."""

    families: Mapping[str, FamilyReport] = field(default_factory=dict)

    @property
    def agree(self) -> int:
        return sum(family.agree for family in self.families.values())

    @property
    def total(self) -> int:
        return sum(family.total for family in self.families.values())

    @property
    def all_agree(self) -> bool:
        return self.agree == self.total

    def as_json(self) -> dict[str, Any]:
        """Return `{"families": {name: {"agree", "total"}}, "agree", "total"}`."""
        families = {name: {"agree": one.agree, "total": one.total} for name, one in self.families.items()}
        return {"families": families, "agree": self.agree, "total": self.total}


def verify(folder: Path, *, similarity: SimilarityMode = "rouge") -> Report:
    """Return how far the families in a folder agree with the recordings.

    Args:
        folder: With `NAME.jsonl` or `NAME.jsonl.gz`; files of other names are left alone.
        similarity: Mode to replay in. Families that were recorded in one mode only are replayed in that mode.

    Raises:
        DatasetError: If the folder is none or has no family, or a line is not a vector of its family.
    """
    if not folder.is_dir():
        raise DatasetError(folder, None, "expected a folder of conformance vectors, found none; check the path")
    files = {name: path for name in FAMILIES if (path := _family_file(folder, name)) is not None}
    if not files:
        raise DatasetError(folder, None, f"expected a file of at least one family ({', '.join(FAMILIES)}), found none")
    return Report({name: verify_family(name, path, similarity=similarity) for name, path in files.items()})


def verify_family(name: str, path: Path, *, similarity: SimilarityMode = "rouge") -> FamilyReport:
    """Return how far one file agrees; see `verify`."""
    replay = FAMILIES[name]
    agree = total = 0
    disagreements: list[Disagreement] = []
    for line, value in read_lines(path):
        difference: str | None
        try:
            outcome = replay(value, similarity)
        except ValidationError as exc:
            raise DatasetError(path, line, f"expected a vector of family {name!r}; {first_problem(exc)}") from exc
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as exc:
            # A replay that raises has no outcome, so it agrees with nothing; the other vectors still count.
            difference = f"the replay raises {type(exc).__name__}: {exc}"
        else:
            difference = first_difference(outcome.got, outcome.expected)
        total += 1
        if difference is None:
            agree += 1
        elif len(disagreements) < MOST_DISAGREEMENTS:
            disagreements.append(Disagreement(str(value["case_id"]), line, difference))
    return FamilyReport(agree, total, tuple(disagreements))


def _family_file(folder: Path, name: str) -> Path | None:
    candidates = (folder / f"{name}.jsonl", folder / f"{name}.jsonl.gz")
    return next((path for path in candidates if path.is_file()), None)

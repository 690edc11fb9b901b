"""The figures the benchmark's paper reports, as context for a run's table."""

from __future__ import annotations

import json
from collections.abc import Container, Mapping
from functools import cache
from importlib import resources
from statistics import fmean
from typing import Literal

from pydantic import BaseModel, ConfigDict

from benchmark_adapter.runs.manifest import Manifest

NOT_COMPARABLE = "official data, not comparable with the bundled set"
COMPARABLE = "official data, as in this run: comparable"


class PaperTables(BaseModel):
    """Tables 4 (exact) and 5 (relaxed): model to one percentage a column."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str
    official_data: tuple[str, ...]
    """Hashes (`Manifest.data`) of the data the figures were made on; empty as long as they are not known."""
    columns: tuple[str, ...]
    """Keys of the run's `exact` and `relaxed` metrics."""
    exact: Mapping[str, tuple[float, ...]]
    relaxed: Mapping[str, tuple[float, ...]]

    def rows(self, view: Literal["exact", "relaxed"]) -> dict[str, dict[str, float]]:
        """Return for each model its accuracy in [0, 1] by metric key."""
        table = self.exact if view == "exact" else self.relaxed
        return {
            model: {column: value / 100 for column, value in zip(self.columns, values, strict=True)}
            for model, values in table.items()
        }

    def best(self, view: Literal["exact", "relaxed"]) -> str:
        """Return the model with the highest `overall`."""
        rows = self.rows(view)
        return max(rows, key=lambda model: rows[model]["overall"])

    def mean(self, view: Literal["exact", "relaxed"]) -> dict[str, float]:
        """Return the mean over the models by metric key, in [0, 1]."""
        rows = self.rows(view).values()
        return {column: fmean(row[column] for row in rows) for column in self.columns}


def standing(manifest: Manifest | None, official_data: Container[str] | None = None) -> str:
    """Return whether the paper's figures can be compared with a run's, in words that stand below them.

    Args:
        manifest: Of the run; `None` where it is not known.
        official_data: Hashes of the official data; `None`: those that ship with the tables.
    """
    known = paper_tables().official_data if official_data is None else official_data
    if manifest is None or manifest.location["data"] is None:
        return NOT_COMPARABLE
    if manifest.data not in known:
        return "official data, not comparable with the data of this run"
    if manifest.view != "official":
        return f"official data, not comparable with a run with --view {manifest.view}"
    if manifest.limit is not None:
        return f"all of the official data, not comparable with a run with --limit {manifest.limit}"
    if manifest.memory_of is not None:
        return "official data, not comparable with a run with --memory-of"
    return COMPARABLE


@cache
def paper_tables() -> PaperTables:
    """Return the tables that ship with the package."""
    text = resources.files("benchmark_adapter.reports").joinpath("paper_tables.json").read_text("utf-8")
    return PaperTables.model_validate(json.loads(text))

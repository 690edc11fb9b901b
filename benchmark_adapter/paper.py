"""The figures the benchmark's paper reports, as context for a run's table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Literal

from pydantic import BaseModel, ConfigDict

NOT_COMPARABLE = "official data, not comparable with the bundled set"


class PaperTables(BaseModel):
    """Tables 4 (exact) and 5 (relaxed): model to one percentage a column."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str
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


@cache
def paper_tables() -> PaperTables:
    """Return the tables that ship with the package."""
    text = resources.files("benchmark_adapter").joinpath("paper_tables.json").read_text("utf-8")
    return PaperTables.model_validate(json.loads(text))

"""What is got for persons kept back from those who made it, to stand beside a figure of those it was made with."""

from __future__ import annotations

from dataclasses import dataclass

from benchmark_adapter.runs.manifest import Manifest

MADE_WITH = "on persons it was made with"


@dataclass(frozen=True)
class KeptBack:
    """Exact accuracy on kept-back persons (docs/results.md)."""

    overall: float | None
    """In [0, 1]; `None` where it was not measured."""
    turns: int

    @property
    def note(self) -> str:
        """What the figure is, in words that stand below it."""
        measured = "not measured with these settings" if self.overall is None else f"{self.turns} turns"
        return f"Kept back: persons it was not made with ({measured}; docs/results.md)."


_RULES_WITH_STEAD = KeptBack(overall=0.079, turns=136)
_NOT_MEASURED = KeptBack(overall=None, turns=0)


def kept_back(manifest: Manifest | None) -> KeptBack | None:
    """Return what such a run gets for kept-back persons; `None` unless its own are the bundled ones."""
    if manifest is None or manifest.location["data"] is not None:
        return None
    played = (manifest.planner, manifest.memory_name, manifest.policy, manifest.view)
    return _RULES_WITH_STEAD if played == ("rules", "stead", "benchmark", "official") else _NOT_MEASURED

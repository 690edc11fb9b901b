"""The manifest of a run: under which conditions its numbers were made."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from benchmark_adapter.errors import ManifestMismatchError
from benchmark_adapter.evaluator.similarity import SimilarityMode
from benchmark_adapter.provenance import digest
from benchmark_adapter.replay.past import View
from memory.tokens import COUNTER_NAME

SCORER_VERSION = "1"
"""Raised whenever the same replies could get another score."""
FORMAT_VERSION = 1
"""Of the run directory."""
_OUTSIDE_HASH = {"location", "dropped", "heads_saw"}
"""Fields that decide no number."""

Similarity = SimilarityMode
PlannerName = Literal["rules", "chat", "oracle"]


class Manifest(BaseModel):
    """All that decides the numbers of a run, and `location`, which does not."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format_version: int = FORMAT_VERSION
    data: str
    """SHA-256 over the topics as read, toolsets resolved."""
    scorer: str = SCORER_VERSION
    similarity: Similarity = "rouge"
    planner: str
    model: str | None = None
    base_url: str | None = None
    provider: str | None = None
    """The profile of the endpoint; `None` for planners without one."""
    profile: str | None = None
    """SHA-256 of all that the profile says."""
    request: dict[str, Any] | None = None
    """The options of every request as they are sent, and under `notes` what was asked for and is not."""
    prices: dict[str, Any] | None = None
    """US dollars per million tokens, where the profile states them."""
    samples: int = 1
    """Answers asked for each plan."""
    memory: str
    memory_of: str | None = None
    """Whose turns everybody is given in place of their own; `None`: their own."""
    budget: int | None
    """Tokens of recall; `None` where the strategy ignores budgets."""
    embedder: str
    """Its fingerprint."""
    policy: str
    heads: str
    """SHA-256 of the calibration heads."""
    prompt: str | None = None
    """Hash of the chat planner's prompt; `None` for planners without one."""
    view: View = "official"
    token_counter: str = COUNTER_NAME
    seed: int = 42
    limit: int | None = None
    stated_sources: bool = False
    """Whether the oracle said where each value comes from; what a model says, its profile decides."""
    relaxed: bool = True
    """Whether turns went on after their first deviation, for relaxed scoring."""
    python: str
    packages: dict[str, str]
    commit: str | None
    """Of the source tree, `+dirty` with uncommitted changes; `None` when installed from a package."""
    code: str | None = None
    """SHA-256 of the source, so that no result of other code is taken for that of this one; `None` in older runs."""
    location: dict[str, str | None]
    """Where data and toolsets were read from, `None` for the bundled ones: outside the hash."""
    dropped: tuple[dict[str, str | int | None], ...] = ()
    """Topics that were not drawn among those of their point in time, so that their turns are not played: session,
    topic, line, time, and the topic that was kept. Outside the hash: `data` and `seed` decide what is played."""

    heads_saw: tuple[str, ...] = ()
    """Persons of the data whom the heads were fitted on, so that calibration figures flatter them. Outside the hash:
    `data` and `heads` decide it."""

    @property
    def memory_name(self) -> str:
        """The strategy, and whose turns it remembers where these are not the person's own."""
        return self.memory if self.memory_of is None else f"{self.memory} of {self.memory_of}"

    @property
    def title(self) -> str:
        """What played, in words."""
        whose = "" if self.memory_of is None else f" of {self.memory_of}"
        return f"{self.planner} planner, {self.memory} memory{whose}, {self.policy} policy"

    @property
    def sha256(self) -> str:
        """The hash that names the run directory."""
        return digest(self.model_dump(mode="json", exclude=_OUTSIDE_HASH))

    def require_equal(self, other: Manifest) -> None:
        """Check that `other` stands for the same run.

        Raises:
            ManifestMismatchError: Naming every field that differs.
        """
        if differences := self.differences(other):
            raise ManifestMismatchError(differences)

    def differences(self, other: Manifest) -> dict[str, tuple[Any, Any]]:
        """Return the fields that decide numbers and differ, with both values."""
        mine, theirs = (m.model_dump(mode="json", exclude=_OUTSIDE_HASH) for m in (self, other))
        return {key: (mine[key], theirs[key]) for key in mine if mine[key] != theirs[key]}

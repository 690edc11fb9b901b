"""The paths of a reference graph that are still open at a point of a turn, in the reference's order of enumeration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from benchmark_adapter.evaluator.graph import START, PathStep, ReferenceGraph, State

STATE_LIMIT = 4096
"""Most states kept after a text reply. The reference evaluator, which lists all paths, needs 2.1 GB for the 256 states
of 8 independent calls of distinct tools; every graph it can judge stays far below this."""

SUCCESSOR_LIMIT = 1 << 16
"""Most successors looked at after a text reply: 3^n for n independent calls of distinct tools, so exact for n = 10."""

CANDIDATE_LIMIT = 64
"""Most distinct candidates listed for a refusal, outside verification."""


class Choice(NamedTuple):
    """A path step that was taken, and what is open after it."""

    step: PathStep
    after: Frontier


class Candidates(NamedTuple):
    """What the reference would have accepted at a step."""

    names: tuple[tuple[str, ...], ...]
    """Tool names of each distinct possibility, sorted, by first appearance."""
    truncated: bool
    """Whether there may be more."""


@dataclass(frozen=True)
class Frontier:
    """States that the open paths are in, in order of their first path.

    A prefix of calls leads to one state. Only a text reply, which does not narrow the open paths, leads from a state to
    all that may follow it, and there only a clarification or final answer that is independent of other calls gives more
    than one. So a reply to n open reference steps costs O(n), but after such a text up to
    O(n · (STATE_LIMIT + SUCCESSOR_LIMIT)), however many paths there are.
    """

    graph: ReferenceGraph
    paths_to: dict[State, int]
    """To each state the number of open prefixes that lead to it."""
    truncated: bool = False
    """Whether states beyond a limit, the last in order, were left out."""

    @classmethod
    def start(cls, graph: ReferenceGraph) -> Frontier:
        """Return the frontier before the first step; it is empty if the graph has no path."""
        return cls(graph, {START: 1} if graph.has_path else {})

    @property
    def has_finished_path(self) -> bool:
        """Whether an open path has no step left.

        Such paths offer nothing, but stay among the open ones; the reference evaluator stumbles over them when it
        narrows the open paths to those that go by the calls it accepted.
        """
        return any(self.graph.is_complete(state) for state in self.paths_to)

    def choose_calls(self, names: Sequence[str]) -> Choice | None:
        """Return the first candidate with these tool names, and the paths that go by it; None if none has."""
        counts = Counter(names)
        steps = (self.graph.choose(state, counts) for state in self.paths_to)
        step = next((step for step in steps if step is not None), None)
        if step is None:
            return None
        after: dict[State, int] = {}
        for state, prefixes in self.paths_to.items():
            if self.graph.allows(state, step):
                following = self.graph.advance(state, step)
                after[following] = after.get(following, 0) + prefixes
        return Choice(step, replace(self, paths_to=after))

    def choose_text(self, wanted: frozenset[str]) -> Choice | None:
        """Return the first candidate with a wanted name, and all paths however they go on; None if none has.

        Single steps come first from every state, so the candidate is always one step alone.
        """
        for state in self.paths_to:
            ready = state.run[:1] or self.graph.ready(state)
            for node in ready:
                if self.graph.names[node] in wanted:
                    return Choice((node,), self._all_successors())
        return None

    def _all_successors(self) -> Frontier:
        after: dict[State, int] = {}
        looked_at = 0
        for state, prefixes in self.paths_to.items():
            if self.graph.is_complete(state):
                after[state] = after.get(state, 0) + prefixes
            for _, following in self.graph.successors(state):
                if looked_at == SUCCESSOR_LIMIT or (following not in after and len(after) == STATE_LIMIT):
                    return replace(self, paths_to=after, truncated=True)
                looked_at += 1
                after[following] = after.get(following, 0) + prefixes
        return replace(self, paths_to=after)

    def candidates(self, limit: int | None = CANDIDATE_LIMIT) -> Candidates:
        """Return the distinct tool names that the open paths have at the next step.

        Args:
            limit: Most to list; None lists all, of which there may be exponentially many.
        """
        found: dict[tuple[str, ...], None] = {}
        for names in self._candidate_names():
            if names not in found and len(found) == limit:
                return Candidates(tuple(found), True)
            found[names] = None
        return Candidates(tuple(found), self.truncated)

    def _candidate_names(self) -> Iterator[tuple[str, ...]]:
        for state in self.paths_to:
            for step, _ in self.graph.successors(state):
                yield tuple(sorted(self.graph.names[node] for node in step))

    def count_paths(self) -> int:
        """Return how many open paths have a next step. Exponential in the worst case, for verification."""
        return sum(
            prefixes * self.graph.count_paths(state)
            for state, prefixes in self.paths_to.items()
            if not self.graph.is_complete(state)
        )

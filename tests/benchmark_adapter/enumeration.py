"""The reference evaluator's rules taken literally: all paths are listed, and replies narrow the list.

Exponential, and written without looking at the implementation under test, which must agree with it on small graphs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

Path = list[list[int]]


def all_paths(names: Sequence[str], dependencies: Sequence[Sequence[int]]) -> list[Path]:
    """List every path in order (conformance notes, 10); a cycle gives none."""
    paths: list[Path] = []

    def extend(done: set[int], path: Path) -> None:
        if len(done) == len(names):
            paths.append(path)
            return
        ready = [i for i in range(len(names)) if i not in done and set(dependencies[i]) <= done]
        for size in range(1, len(ready) + 1):
            seen: set[tuple[str, ...]] = set()
            for subset in combinations(ready, size):
                key = tuple(names[i] for i in subset)
                if key in seen:
                    continue
                seen.add(key)
                run = _run_around(subset[0], ready, names)
                if size == 1 and len(run) > 1 and run[0] == subset[0]:
                    extend(done | set(run), [*path, *([node] for node in run)])
                elif size == 1 or len(run) == 1 or list(subset[: len(run)]) == run:
                    extend(done | set(subset), [*path, list(subset)])

    extend(set(), [])
    return paths


def _run_around(node: int, ready: list[int], names: Sequence[str]) -> list[int]:
    """Return the maximal stretch of neighbours in the ready list with the name of `node` that holds it."""
    position = ready.index(node)
    start = position
    while start > 0 and names[ready[start - 1]] == names[node]:
        start -= 1
    end = position
    while end + 1 < len(ready) and names[ready[end + 1]] == names[node]:
        end += 1
    return ready[start : end + 1]


@dataclass
class Judgement:
    """What the literal follower says about one reply."""

    accepted: bool
    matched: list[int] | None = None
    crash: str | None = None
    candidates: list[tuple[str, ...]] | None = None
    n_candidates: int | None = None


class LiteralFollower:
    """Keeps the list of remaining paths (conformance notes, 14, 17, 18, 21)."""

    def __init__(self, names: Sequence[str], dependencies: Sequence[Sequence[int]], specials: frozenset[str]) -> None:
        self.names = names
        self.specials = specials
        self.remaining = all_paths(names, dependencies)
        self.step = 0

    def calls(self, predicted: Sequence[str]) -> Judgement:
        if self.step >= len(self.names):
            return Judgement(False)
        wanted = sorted(predicted)
        steps = [path[self.step] for path in self.remaining if len(path) > self.step]
        for step in steps:
            if sorted(self.names[i] for i in step) == wanted:
                if any(len(path) <= self.step for path in self.remaining):
                    return Judgement(True, sorted(step), crash="IndexError")
                self.remaining = [path for path in self.remaining if path[self.step] == step]
                self.step += 1
                return Judgement(True, sorted(step))
        return self._refused(steps)

    def text(self) -> Judgement:
        if self.step >= len(self.names):
            return Judgement(False, crash="KeyError")
        steps = [path[self.step] for path in self.remaining if len(path) > self.step]
        for step in steps:
            if any(self.names[i] in self.specials for i in step):
                assert len(step) == 1, "the reference would fail an assertion here"
                self.step += 1
                return Judgement(True, step)
        return self._refused(steps)

    def _refused(self, steps: list[list[int]]) -> Judgement:
        names = [tuple(sorted(self.names[i] for i in step)) for step in steps]
        return Judgement(False, candidates=list(dict.fromkeys(names)), n_candidates=len(steps))

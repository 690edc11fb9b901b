"""The reference graph of a turn, and the paths through it that the reference evaluator accepts.

The reference evaluator lists every execution path up front (conformance notes, 10-12), in exponential time. Its
rules only speak of the *ready* steps (not done, all dependencies done), so a prefix of a path leads to one `State`, and
everything but the enumeration itself is answered from states:

- a path step is a subset of the ready steps that is the *first* one with its sequence of tool names, in order of index;
- a *run* is a maximal stretch of neighbours in the ready list with one tool name. A subset of two or more that begins
  in a run of two or more must begin with that whole run;
- a single step that opens a run of two or more stands for the whole run, worked off one step at a time.

A subset is the first one with its names exactly if each member is the first step of its name after the member before
it. That makes choosing by names, the shortest path and listing without dead ends cheap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from benchmark_adapter.errors import ReferenceGraphError

PathStep = tuple[int, ...]
"""Indices of the reference steps that are taken together, ascending."""


class State(NamedTuple):
    """How far a path has come."""

    done: int = 0
    """Bit i is set when step i is done."""
    run: PathStep = ()
    """What is left of a run that is being worked off; its first step is all that may come next."""


START = State()


class ReferenceGraph:
    """The steps of a reference with their tool names and dependencies.

    Args:
        names: Tool or pseudo-action of each step.
        dependencies: For each step the indices of the steps before it; repeats and any order are allowed.

    Raises:
        ReferenceGraphError: If a dependency is not a step of the list.
    """

    def __init__(self, names: Sequence[str], dependencies: Sequence[Sequence[int]]) -> None:
        self.names = tuple(names)
        self.dependencies = tuple(tuple(sorted(set(before))) for before in dependencies)
        size = len(self.names)
        for node, before in enumerate(self.dependencies):
            for dependency in before:
                if not 0 <= dependency < size:
                    raise ReferenceGraphError(node=node, dependency=dependency, size=size)
        self._masks = tuple(sum(1 << dependency for dependency in before) for before in self.dependencies)
        self._all = (1 << size) - 1
        self._path_counts: dict[State, int] = {}

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def _heights(self) -> tuple[int, ...] | None:
        """Number of steps on the longest chain that starts at each step, itself included; None for a cycle."""
        dependants: list[list[int]] = [[] for _ in self.names]
        waiting = [0] * len(self)
        for node, before in enumerate(self.dependencies):
            for dependency in before:
                dependants[dependency].append(node)
                waiting[dependency] += 1
        heights = [1] * len(self)
        settled = [node for node, count in enumerate(waiting) if count == 0]
        for node in settled:  # grows while it is walked: Kahn's order, from the sinks up
            for dependency in self.dependencies[node]:
                heights[dependency] = max(heights[dependency], heights[node] + 1)
                waiting[dependency] -= 1
                if waiting[dependency] == 0:
                    settled.append(dependency)
        return tuple(heights) if len(settled) == len(self) else None

    @property
    def has_path(self) -> bool:
        """Whether any path exists; only a cycle prevents it."""
        return self._heights is not None

    @cached_property
    def shortest_length(self) -> int | None:
        """Steps of the shortest path, 0 for an empty reference; None if there is no path.

        Taking every ready step at once is always allowed, so this is the length of the longest chain.
        """
        return None if self._heights is None else max(self._heights, default=0)

    def is_complete(self, state: State) -> bool:
        return state.done == self._all

    def ready(self, state: State) -> PathStep:
        """Return the steps that are not done and whose dependencies are, by index. Ignores a run in progress."""
        done = state.done
        return tuple(i for i, mask in enumerate(self._masks) if not done >> i & 1 and mask & ~done == 0)

    def choose(self, state: State, names: Mapping[str, int]) -> PathStep | None:
        """Return the first path step from a state with just these tool names, or None if no path has one.

        Args:
            state: A state of a graph with paths.
            names: How often each name occurs, at least one in all.
        """
        size = sum(names.values())
        if state.run:
            return state.run[:1] if size == 1 and self.names[state.run[0]] in names else None
        ready = self.ready(state)
        ready_names = [self.names[node] for node in ready]
        at: dict[str, list[int]] = {}
        for position, name in enumerate(ready_names):
            if name in names:
                at.setdefault(name, []).append(position)
        if any(len(at.get(name, ())) < count for name, count in names.items()):
            return None
        # Any subset must open with the first step of its first name; what follows is taken as early as it comes.
        for name, positions in at.items():
            first = positions[0]
            if size > 1 and _run_length(ready_names, first) > max(names[name], 1):
                continue
            chosen = []
            for other, count in names.items():
                chosen += [position for position in at.get(other, ()) if position >= first][:count]
            if len(chosen) == size:
                return tuple(ready[position] for position in sorted(chosen))
        return None

    def allows(self, state: State, step: PathStep) -> bool:
        """Whether some path goes from a state of a graph with paths by exactly this step. O(n)."""
        if state.run:
            return step == state.run[:1]
        if any(state.done >> node & 1 or self._masks[node] & ~state.done for node in step):
            return False
        ready = self.ready(state)
        names = [self.names[node] for node in ready]
        first = ready.index(step[0])
        opening = _run_length(names, first) if len(step) > 1 else 1
        if step[:opening] != ready[first : first + opening]:
            return False
        passed_over: set[str] = set()  # names since the member before
        members = iter(step)
        member = next(members, None)
        for node, name in zip(ready, names, strict=True):
            if node != member:
                passed_over.add(name)
                continue
            if name in passed_over:
                return False
            passed_over.clear()
            member = next(members, None)
        return True

    def advance(self, state: State, step: PathStep) -> State:
        """Return the state after a path step that `choose` or `successors` gave for this state."""
        done = state.done | sum(1 << node for node in step)
        if state.run:
            return State(done, state.run[1:])
        if len(step) > 1:
            return State(done)
        ready = self.ready(state)
        first = ready.index(step[0])
        run = _run_length([self.names[node] for node in ready], first)
        return State(done, ready[first + 1 : first + run])

    def successors(self, state: State) -> Iterator[tuple[PathStep, State]]:
        """Yield every path step from a state in the reference's order, and the state after it.

        There are up to 2^n of them, each found in O(n).
        """
        if state.run:
            yield state.run[:1], State(state.done | 1 << state.run[0], state.run[1:])
            return
        ready = self.ready(state)
        names = [self.names[node] for node in ready]
        for size in range(1, len(ready) + 1):
            for positions in _first_subsets(names, size):
                step = tuple(ready[position] for position in positions)
                done = state.done | sum(1 << node for node in step)
                first = positions[0]
                run = ready[first + 1 : first + _run_length(names, first)] if size == 1 else ()
                yield step, State(done, run)

    def paths(self, state: State = START) -> Iterator[tuple[PathStep, ...]]:
        """Yield every path from a state to the end in the reference's order; exponentially many, for verification."""
        if not self.has_path:
            return
        if self.is_complete(state):
            yield ()
            return
        for step, after in self.successors(state):
            for rest in self.paths(after):
                yield (step, *rest)

    def count_paths(self, state: State = START) -> int:
        """Return how many paths lead from a state to the end. Exponential in the worst case, for verification."""
        if not self.has_path:
            return 0
        if self.is_complete(state):
            return 1
        if state not in self._path_counts:
            self._path_counts[state] = sum(self.count_paths(after) for _, after in self.successors(state))
        return self._path_counts[state]

    def first_shortest(self) -> tuple[PathStep, ...] | None:
        """Return the first of the shortest paths in the reference's order, or None if there is no path.

        A path is shortest if every step takes all ready steps that head a longest remaining chain. Of the path steps
        that do, the first is the smallest, then the lexicographically least. O(n²) in all.
        """
        if self._heights is None:
            return None
        path: list[PathStep] = []
        state = START
        while not self.is_complete(state):
            ready = self.ready(state)
            height = max(self._heights[node] for node in ready)
            critical = [position for position, node in enumerate(ready) if self._heights[node] == height]
            positions = _least_first_subset([self.names[node] for node in ready], critical)
            step = tuple(ready[position] for position in positions)
            path.append(step)
            state = State(state.done | sum(1 << node for node in step))
        return tuple(path)


def _run_length(names: Sequence[str], start: int) -> int:
    """Return the length of the stretch of equal names from `start` on."""
    end = start + 1
    while end < len(names) and names[end] == names[start]:
        end += 1
    return end - start


def _first_subsets(names: Sequence[str], size: int) -> Iterator[tuple[int, ...]]:
    """Yield the positions of every path step of one size, lexicographically."""
    seen: set[str] = set()
    for start, name in enumerate(names):
        if name in seen:
            continue
        seen.add(name)
        opening = 1 if size == 1 else _run_length(names, start)
        if opening <= size:
            prefix = tuple(range(start, start + opening))
            yield from _first_extensions(names, prefix, size)


def _first_extensions(names: Sequence[str], prefix: tuple[int, ...], size: int) -> Iterator[tuple[int, ...]]:
    """Yield `prefix` extended to `size` by steps that are each the first of their name after the one before."""
    if len(prefix) == size:
        yield prefix
        return
    seen: set[str] = set()
    still = size - len(prefix)
    for position in range(prefix[-1] + 1, len(names) - still + 1):
        if names[position] not in seen:
            seen.add(names[position])
            yield from _first_extensions(names, (*prefix, position), size)


def _least_first_subset(names: Sequence[str], required: Sequence[int]) -> tuple[int, ...]:
    """Return the smallest path step that holds all `required` positions, then the lexicographically least.

    Args:
        names: Names of the ready steps.
        required: Ascending positions, at least one.
    """
    rest, successor = _shortest_completions(names, required)
    openings = [
        range(start, start + _run_length(names, start))
        for start in range(required[0] + 1)
        if names[start] not in names[:start]
    ]
    # Taking everything is always a path step, so there is one; `min` keeps the first of equals.
    opening = min(openings, key=lambda opening: len(opening) + rest[opening[-1]])
    chosen = list(opening)
    while (follower := successor[chosen[-1]]) is not None:
        chosen.append(follower)
    return tuple(chosen)


def _shortest_completions(names: Sequence[str], required: Sequence[int]) -> tuple[list[int], list[int | None]]:
    """Return for each position how few members must follow it, and the first of them.

    A follower must be the first of its name after the member before it, that is, the previous position of its name may
    not lie between the two; and no required position may be passed over. Filled from the back; of equal followers the
    first is kept.
    """
    size = len(names)
    previous: list[int] = []
    last_seen: dict[str, int] = {}
    for position, name in enumerate(names):
        previous.append(last_seen.get(name, -1))
        last_seen[name] = position
    wanted = set(required)
    rest = [size + 1] * size  # more than any real number of members
    successor: list[int | None] = [None] * size
    next_required = size  # the first required position after the one at hand
    for position in range(size - 1, -1, -1):
        if next_required == size:
            rest[position] = 0
        for follower in range(position + 1, next_required + 1 if next_required < size else 0):
            if previous[follower] <= position and rest[follower] + 1 < rest[position]:
                rest[position] = rest[follower] + 1
                successor[position] = follower
        if position in wanted:
            next_required = position
    return rest, successor

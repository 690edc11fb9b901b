"""The reference graph: path rules, choosing by names, shortest paths."""

from __future__ import annotations

import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark_adapter.errors import ReferenceGraphError
from benchmark_adapter.evaluator.graph import START, ReferenceGraph, State
from tests.benchmark_adapter.enumeration import all_paths


def graph(names: str, *dependencies: tuple[int, ...]) -> ReferenceGraph:
    """One letter a step; steps without given dependencies have none."""
    padded = [*dependencies, *[()] * (len(names) - len(dependencies))]
    return ReferenceGraph(list(names), padded)


@st.composite
def graphs(draw: st.DrawFn) -> ReferenceGraph:
    """Acyclic graphs of up to 5 steps over few names, in any index order."""
    size = draw(st.integers(0, 5))
    order = draw(st.permutations(range(size)))
    dependencies: list[tuple[int, ...]] = [()] * size
    for place, node in enumerate(order):
        dependencies[node] = tuple(draw(st.sets(st.sampled_from(order[:place]), max_size=2)) if place else ())
    return ReferenceGraph(draw(st.lists(st.sampled_from("abc"), min_size=size, max_size=size)), dependencies)


def test_two_distinct_calls_go_in_three_ways() -> None:
    assert list(graph("ab").paths()) == [((0,), (1,)), ((1,), (0,)), ((0, 1),)]


def test_calls_of_one_tool_go_together_or_one_by_one_in_order() -> None:
    assert list(graph("aaa").paths()) == [((0,), (1,), (2,)), ((0, 1, 2),)]


def test_part_of_a_run_joins_another_tool_only_if_that_comes_first() -> None:
    # b a a: (b, first a) is allowed; a b with both a before: (first a, b) is not.
    assert list(graph("baa").paths()) == [
        ((0,), (1,), (2,)),
        ((0,), (1, 2)),
        ((1,), (2,), (0,)),
        ((0, 1), (2,)),
        ((1, 2), (0,)),
        ((0, 1, 2),),
    ]
    assert list(graph("aab").paths()) == [
        ((0,), (1,), (2,)),
        ((2,), (0,), (1,)),
        ((2,), (0, 1)),
        ((0, 1), (2,)),
        ((0, 1, 2),),
    ]


def test_dependants_of_a_run_wait_for_its_last_call() -> None:
    run_then_dependant = graph("aab", (), (), (0,))

    assert list(run_then_dependant.paths()) == [((0,), (1,), (2,)), ((0, 1), (2,))]


def test_a_dependency_that_is_not_there_is_named() -> None:
    with pytest.raises(
        ReferenceGraphError, match="step 1 depends on step 5, but the reference has steps 0 to 1"
    ) as info:
        graph("ab", (), (5,))
    assert (info.value.node, info.value.dependency, info.value.size) == (1, 5, 2)


def test_a_cycle_has_no_path() -> None:
    cycle = graph("abc", (1,), (0,))

    assert not cycle.has_path
    assert list(cycle.paths()) == []
    assert (cycle.count_paths(), cycle.shortest_length, cycle.first_shortest()) == (0, None, None)


def test_an_empty_reference_has_one_empty_path() -> None:
    empty = graph("")

    assert list(empty.paths()) == [()]
    assert (empty.count_paths(), empty.shortest_length, empty.first_shortest()) == (1, 0, ())


def test_repeated_dependencies_and_any_order_are_harmless() -> None:
    backwards = graph("ab", (1, 1), ())

    assert list(backwards.paths()) == [((1,), (0,))]


def test_choose_takes_what_comes_first() -> None:
    assert graph("bab").choose(START, Counter("b")) == (0,)
    assert graph("bab").choose(START, Counter("ab")) == (0, 1)
    assert graph("bab").choose(START, Counter("bb")) == (0, 2)


def test_choose_skips_a_run_it_would_tear() -> None:
    # a a b a: one a with b would tear the opening run, so the pair is b with the a after it.
    assert graph("aaba").choose(START, Counter("ab")) == (2, 3)
    assert graph("aab").choose(START, Counter("ab")) is None


def test_a_run_being_worked_off_allows_only_its_next_call() -> None:
    runs = graph("aab")
    begun = runs.advance(START, (0,))

    assert begun == State(done=0b001, run=(1,))
    assert runs.choose(begun, Counter("b")) is None
    assert runs.choose(begun, Counter("a")) == (1,)
    assert runs.advance(begun, (1,)) == State(done=0b011)


def test_first_shortest_postpones_what_it_can() -> None:
    # 0 -> 2, and 1 is free: the first shortest path takes 1 with the last step.
    assert graph("abc", (), (), (0,)).first_shortest() == ((0,), (1, 2))
    # Only 1 heads the longest chain, but 0 bears its name and comes first: both must go.
    assert graph("aab", (), (), (1,)).first_shortest() == ((0, 1), (2,))
    # Between two steps of one name any call lets the second be the first after it.
    assert graph("abac", (), (), (), (2,)).first_shortest() == ((0, 2), (1, 3))


@given(graphs())
def test_paths_are_those_of_the_rules_taken_literally(reference: ReferenceGraph) -> None:
    expected = all_paths(reference.names, reference.dependencies)
    shortest = min(map(len, expected))

    assert [[list(step) for step in path] for path in reference.paths()] == expected
    assert reference.count_paths() == len(expected)
    assert reference.shortest_length == shortest
    first = reference.first_shortest()
    assert first is not None
    assert [list(step) for step in first] == next(path for path in expected if len(path) == shortest)


@given(graphs())
def test_allowed_steps_are_the_listed_ones(reference: ReferenceGraph) -> None:
    steps = [step for step, _ in reference.successors(START)]
    everything = [tuple(i for i in range(len(reference)) if bits >> i & 1) for bits in range(1, 1 << len(reference))]

    assert {step for step in everything if reference.allows(START, step)} == set(steps)
    for step, after in reference.successors(START):
        assert reference.advance(START, step) == after


@pytest.mark.parametrize(
    "dependencies",
    [
        [()] * 64,
        [(i - 1,) if i else () for i in range(200)],
        [(i - 2, i - 1) if i % 3 == 0 and i else (i - i % 3,) if i % 3 else () for i in range(200)],
    ],
    ids=["64 independent", "chain of 200", "diamonds of 200"],
)
def test_large_graphs_take_milliseconds(dependencies: list[tuple[int, ...]]) -> None:
    began = time.perf_counter()
    large = ReferenceGraph([f"tool{i}" for i in range(len(dependencies))], dependencies)
    path = large.first_shortest()
    assert path is not None
    state = START
    for step in path:
        assert large.choose(state, Counter(large.names[node] for node in step)) == step
        state = large.advance(state, step)

    assert large.is_complete(state)
    assert len(path) == large.shortest_length
    assert time.perf_counter() - began < 0.5  # measured: 1, 15 and 9 ms; listing paths would not end

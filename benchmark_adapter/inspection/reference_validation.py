"""Faults of one turn's reference: its steps, their order, its questions and its final answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmark_adapter.data.reference import CLARIFICATION, FINAL_ANSWER, ReferenceStep, arguments
from benchmark_adapter.evaluator.graph import ReferenceGraph
from benchmark_adapter.inspection.argument_validation import ToolShelf
from benchmark_adapter.inspection.faults import Fault, error, warning


def reference_faults(steps: Sequence[ReferenceStep], tools: ToolShelf | None) -> Iterator[Fault]:
    """Yield what is wrong with a reference.

    Args:
        steps: All steps of the turn.
        tools: The tools on offer; `None` where they are not known, so that calls are not checked.
    """
    if not steps:
        yield error("no-steps", "expected steps, got none; a text would crash the reference evaluator", _END_IT)
        return
    yield from step_faults(steps, tools)
    yield from _final_answer_faults(steps)
    yield from _dependency_faults(steps)


def step_faults(steps: Sequence[ReferenceStep | None], tools: ToolShelf | None) -> Iterator[Fault]:
    """Yield what is wrong with each step by itself; `None` stands for one that could not be read."""
    for index, step in enumerate(steps):
        if step is None:
            continue
        if step.action.name == CLARIFICATION:
            found = _question_faults(step, tools)
        elif step.action.name == FINAL_ANSWER:
            found = _spoken_faults(step)
        else:
            found = _call_faults(step, tools)
        yield from (fault.at(step=index) for fault in found)


_END_IT = f"end the reference with a {FINAL_ANSWER} step that depends on all steps nothing else depends on"


def _call_faults(step: ReferenceStep, tools: ToolShelf | None) -> Iterator[Fault]:
    name = step.action.name
    if tools is not None and name not in tools:
        known = ", ".join(sorted(tools.functions)) or "no tool"
        yield error("unknown-tool", f"expected a tool of the topic's toolset, got {name!r}", f"it offers {known}")
    elif tools is not None:
        yield from tools.argument_faults(name, step.action.arguments)
    if step.observation is None:
        yield warning("no-observation", f"{name} returns nothing", "write what the tool returned as `observation`")
    if step.user_input is not None:
        mend = f"move it to a {CLARIFICATION} step"
        yield warning("stray-reply", f"the person's reply stands at a call of {name}, where nobody reads it", mend)


def _spoken_faults(step: ReferenceStep) -> Iterator[Fault]:
    if not isinstance(step.observation, str) or not step.observation.strip():
        yield warning(
            "no-text",
            f"expected what the assistant says as text in `observation`, got {step.observation!r:.80}",
            "write the assistant's words",
        )


def _question_faults(step: ReferenceStep, tools: ToolShelf | None) -> Iterator[Fault]:
    yield from _spoken_faults(step)
    if not (step.user_input or "").strip():
        yield error("no-reply", "the question has no reply of the person", "write it as `user_input`")
    asked = arguments(step)
    name, missing = asked.get("tool_name"), asked.get("missing_required_parameters")
    if not isinstance(name, str) or not isinstance(missing, list) or not missing:
        yield error(
            "question",
            f"expected `tool_name` and a list `missing_required_parameters`, got {asked!r:.120}",
            "name the tool and what is asked for; else no question can count as right",
        )
    elif tools is not None and name not in tools:
        mend = f"it offers {', '.join(sorted(tools.functions)) or 'no tool'}"
        yield error("unknown-tool", f"the question is for {name!r}, which the topic's toolset does not have", mend)
    elif tools is not None:
        for argument in missing:
            if not isinstance(argument, str) or not tools.takes(name, argument):
                yield error(
                    "asked-parameter",
                    f"the question asks for {argument!r}, which {name} does not take",
                    "name an argument of the tool; else no question can count as right",
                )


def _final_answer_faults(steps: Sequence[ReferenceStep]) -> Iterator[Fault]:
    finals = [index for index, step in enumerate(steps) if step.action.name == FINAL_ANSWER]
    if not finals:
        yield error("no-final-answer", "the reference has no final answer, so no reply can ever be right", _END_IT)
    for index in finals[1:]:
        yield error("final-answer", "the reference has a second final answer", "keep one", step=index)


def _dependency_faults(steps: Sequence[ReferenceStep]) -> Iterator[Fault]:
    sound = True
    for index, step in enumerate(steps):
        for dependency in dict.fromkeys(step.dependency_list):
            if not 0 <= dependency < len(steps):
                sound = False
                last = len(steps) - 1
                problem = f"expected dependencies between 0 and {last}, got {dependency}"
                yield error("dependency", problem, "correct `dependency_list`", step=index)
            elif dependency > index:
                problem = f"it depends on step {dependency}, which stands after it"
                yield warning("dependency-order", problem, "write steps in the order they are taken", step=index)
        if len(set(step.dependency_list)) < len(step.dependency_list):
            yield warning("dependency", "a dependency is listed twice", "list it once", step=index)
    if not sound:
        return
    graph = ReferenceGraph([step.action.name for step in steps], [step.dependency_list for step in steps])
    cyclic = _cyclic(graph)
    if cyclic:
        listed = ", ".join(map(str, cyclic))
        problem = f"steps {listed} wait for each other, so none can be taken and every reply is refused"
        yield error("cycle", problem, "take one dependency of the circle out", step=cyclic[0])
        return
    yield from _reach_faults(steps, graph)


def _cyclic(graph: ReferenceGraph) -> list[int]:
    """Return the steps that lie on a circle of dependencies."""
    return [node for node in range(len(graph)) if node in _before(graph, node)]


def _before(graph: ReferenceGraph, node: int) -> frozenset[int]:
    """Return every step that must come before a step, over any number of dependencies."""
    found: set[int] = set()
    waiting = list(graph.dependencies[node])
    while waiting:
        step = waiting.pop()
        if step not in found:
            found.add(step)
            waiting.extend(graph.dependencies[step])
    return frozenset(found)


def _reach_faults(steps: Sequence[ReferenceStep], graph: ReferenceGraph) -> Iterator[Fault]:
    """Yield steps that the final answer does not wait for, and questions that stand beside other steps."""
    before = [_before(graph, node) for node in range(len(graph))]
    finals = [index for index, step in enumerate(steps) if step.action.name == FINAL_ANSWER]
    if len(finals) == 1:
        final = finals[0]
        for node in sorted(set(range(len(steps))) - before[final] - {final}):
            is_after = final in before[node]
            told = (
                "comes after the final answer and is never played" if is_after else "the final answer does not need it"
            )
            mend = f"let the final answer, step {final}, depend on it, directly or over other steps"
            yield error("unreachable", f"{steps[node].action.name}: {told}", mend, step=node)
    crowded = {node for step in graph.first_shortest() or () if len(step) > 1 for node in step}
    for question in (index for index, step in enumerate(steps) if step.action.name == CLARIFICATION):
        related = before[question] | {question, *finals}
        beside = [node for node in range(len(steps)) if node not in related and question not in before[node]]
        if beside:
            told = f"nothing says whether the question comes before or after step {', '.join(map(str, beside))}"
            if question in crowded:
                problem = f"{told}; the reference evaluator fails when it writes them into history as one step"
                yield error("parallel-question", problem, "add the dependency", step=question)
            else:
                problem = f"{told}; the reference evaluator accepts odd orders then"
                yield warning("parallel-question", problem, "add the dependency", step=question)


def call_arguments(steps: Sequence[ReferenceStep]) -> Mapping[str, frozenset[str]]:
    """Return by tool the arguments that a turn gives or asks for."""
    named: dict[str, set[str]] = {}
    for step in steps:
        given: Mapping[str, Any] = arguments(step)
        if step.action.name == CLARIFICATION:
            missing = given.get("missing_required_parameters")
            if isinstance(given.get("tool_name"), str) and isinstance(missing, list):
                named.setdefault(given["tool_name"], set()).update(one for one in missing if isinstance(one, str))
        elif step.is_tool_call:
            named.setdefault(step.action.name, set()).update(given)
    return {tool: frozenset(names) for tool, names in named.items()}

"""Whether a call was made often enough in a turn: what changes something once, what reads twice at most.

It may be made again where something new came in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memory.language.values.values import canonical_key
from memory.records import CallStep, Observation, QuestionStep, Step, ToolCall
from memory.tools import Tool

_MOST_READINGS = 2


def is_spent(call: ToolCall, steps: Sequence[Step], *, is_reading: bool) -> bool:
    """Say whether `call` is not to be made once more in a turn with these steps.

    One that changes something and did it is never made again; one that failed only after something new: an answer, or
    a result of another call that was not there before. One that reads is not made twice in a row, unless it failed, and
    twice at most without anything new.
    """
    made = list(_made(call, steps))
    if not is_reading:
        return any(observation.error is None for observation in made) or _times_since_news(call, steps) > 0
    last = next((step for step in reversed(steps) if isinstance(step, CallStep)), None)
    is_in_a_row = last is not None and any(one.error is None for one in _made(call, [last]))
    return is_in_a_row or _times_since_news(call, steps) >= _MOST_READINGS


def last_result(call: ToolCall, steps: Sequence[Step]) -> Observation | None:
    """Return what the last such call of the turn gave; `None` where there was none."""
    return next(reversed(list(_made(call, steps))), None)


def most_at_once(*, is_reading: bool) -> int:
    """Return how many calls of the same are made in one step."""
    return _MOST_READINGS if is_reading else 1


def is_same_deed(call: ToolCall, other: ToolCall, tool: Tool) -> bool:
    """Say whether two calls of `tool` do the same: what it requires is equal, or everything where it requires nothing.

    That is wider than equality, for telling what may be done twice: an optional argument makes no other deed.
    """
    if not call.name == other.name == tool.name:
        return False
    names = [one.name for one in tool.required] or sorted({*call.arguments, *other.arguments})
    return all(canonical_key(call.arguments.get(name)) == canonical_key(other.arguments.get(name)) for name in names)


def _times_since_news(call: ToolCall, steps: Sequence[Step]) -> int:
    """Return how often `call` was made since the last thing that another step brought for the first time."""
    key, seen, times = _key(call), set[tuple[str, str]](), 0
    for step in steps:
        if isinstance(step, QuestionStep):
            times = 0 if step.answer else times
            continue
        results = {(_key(made), found.model_dump_json()) for made, found in _pairs(step)}
        others = {result for result in results if result[0] != key}
        if others - seen:
            times = 0
        times += sum(_key(made) == key for made in step.calls)
        seen |= results
    return times


def _made(call: ToolCall, steps: Iterable[Step]) -> Iterator[Observation]:
    key = _key(call)
    for step in steps:
        if isinstance(step, CallStep):
            yield from (observation for made, observation in _pairs(step) if _key(made) == key)


def _pairs(step: CallStep) -> Iterator[tuple[ToolCall, Observation]]:
    return zip(step.calls, step.observations, strict=True)


def _key(call: ToolCall) -> str:
    return f"{call.name} {canonical_key(call.arguments)}"

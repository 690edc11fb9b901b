"""A turn as text for a planner, and a turn cut down until its text fits a budget."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from itertools import chain
from typing import NamedTuple

from pydantic import JsonValue

from memory.records import CallStep, Observation, QuestionStep, Step, ToolCall, Turn
from memory.state.extraction import FAILURE_FIELDS, is_failure
from memory.text import split_name
from memory.tokens import count_tokens

ELLIPSIS = "…"


def render_turn(turn: Turn) -> str:
    """Return `turn` as lines: what was asked for, the steps in order, the reply."""
    when = f" ({turn.time:%Y-%m-%d %H:%M})" if turn.time else ""
    lines = [f"user{when}: {turn.request}"]
    for step in turn.steps:
        lines.extend(_step_lines(step))
    if turn.reply is not None:
        lines.append(f"reply: {turn.reply}")
    return "\n".join(lines)


def index_text(turn: Turn) -> str:
    """Return what a turn is found by: all that was said and called, without what tools returned."""
    lines = [turn.request]
    for step in turn.steps:
        if isinstance(step, QuestionStep):
            lines.extend(text for text in (step.question, step.answer) if text)
        else:
            lines.extend(render_call(call) for call in step.calls)
    return "\n".join([*lines, *([turn.reply] if turn.reply else [])])


def render_call(call: ToolCall) -> str:
    """Return a call as `name(argument=value, …)`, values as JSON with real characters."""
    return f"{call.name}({', '.join(f'{name}={_json(value)}' for name, value in call.arguments.items())})"


def fit_turn(
    turn: Turn, max_tokens: int, *, wanted: str = "", slots: Collection[str] = (), keeps_request: bool = True
) -> Turn | None:
    """Return `turn` cut down until its text has at most `max_tokens` tokens; `None` if even the barest has more.

    Observations shrink first (long lists to the entries that `wanted`, the reply or a call names, then the first
    ones; long texts to their beginning), then the reply, then the wording of questions. With `slots` observations
    shrink to what may fill them and to what tells entries apart, without what the call itself says, and so much of
    them outlasts the reply. The request (see `keeps_request`), the calls with their arguments, the answers and the
    fact of an error always stay, so evidence is the same before and after.

    Args:
        turn: The whole turn.
        max_tokens: By `memory.tokens.count_tokens`, at least 0.
        wanted: What the turn is shown for, such as the request at hand.
        slots: Names of the arguments that may have to be filled.
        keeps_request: With `slots`: whether the words of the request are never cut; else its beginning stays, and the
            results that may fill slots outlast the rest.
    """
    cut = TurnCuts(turn, wanted=wanted, slots=slots, keeps_request=keeps_request).fit(max_tokens)
    return cut.turn if cut is not None else None


class Cut(NamedTuple):
    """A turn cut down."""

    turn: Turn
    text: str
    """As `render_turn` gives it."""
    tokens: int
    """Of the text."""


class TurnCuts:
    """A turn as it is and ever shorter, for fitting it more than once; the arguments are those of `fit_turn`."""

    def __init__(
        self, turn: Turn, *, wanted: str = "", slots: Collection[str] = (), keeps_request: bool = True
    ) -> None:
        self._made: list[Cut] = []
        shorter = _cuts(turn, wanted, _Fields(slots), keeps_request) if slots else _cuts_alike(turn, wanted)
        self._to_make = chain((turn,), shorter)

    def fit(self, max_tokens: int) -> Cut | None:
        """Return the first that has at most `max_tokens` tokens; `None` if even the barest has more."""
        return next((cut for cut in chain(self._made, self._making()) if cut.tokens <= max_tokens), None)

    def _making(self) -> Iterator[Cut]:
        for turn in self._to_make:
            text = render_turn(turn)
            self._made.append(Cut(turn, text, count_tokens(text)))
            yield self._made[-1]


def barest_turn(turn: Turn) -> Turn:
    """Return the shortest form of `turn` that `fit_turn` gives: request, calls, answers, and the fact of an error."""
    return list(_barest(turn))[-1]


def slot_turn(turn: Turn, *, wanted: str = "", slots: Collection[str]) -> Turn:
    """Return `turn` without its reply, and of its observations what may fill `slots` (see `fit_turn`)."""
    used = f"{_used_text(turn)} {wanted.casefold()}"
    fields = _Fields(slots)
    return _with_reply(
        _with_observations(turn, lambda call, content: _news(call, content, _FOCUSED_SIZES[1], used, fields)), 0
    )


def _step_lines(step: Step) -> Iterator[str]:
    if isinstance(step, QuestionStep):
        if step.question:
            yield f"asked: {step.question}"
        if step.answer is not None:
            yield f"answered: {step.answer}"
        return
    for call, observation in zip(step.calls, step.observations, strict=True):
        yield f"call {render_call(call)}{_outcome(observation)}"


def _outcome(observation: Observation) -> str:
    if observation.error is not None:
        return f" -> error: {observation.error}"
    if observation.content is None:
        return ""
    content = observation.content
    return f" -> {content if isinstance(content, str) else _json(content)}"


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


class _Size(NamedTuple):
    """How much of an observation stays."""

    entries: int
    """Of each list; objects keep three times as many fields."""
    characters: int
    """Of each text."""


class _Fields:
    """The fields of an observation that may fill a slot or tell one entry from another."""

    _LABELS = frozenset({"name", "title", "label"})
    _TIMES = frozenset({"date", "day", "time", "datetime", "start", "end"})

    def __init__(self, slots: Collection[str]) -> None:
        self._slots = [words for slot in slots if (words := frozenset(split_name(slot)))]
        self._others = self._LABELS | self._TIMES if any(words & self._TIMES for words in self._slots) else self._LABELS

        self._known: dict[str, bool] = {}

    def __contains__(self, field: str) -> bool:
        if field not in self._known:
            self._known[field] = self._is_wanted(field)
        return self._known[field]

    def _is_wanted(self, field: str) -> bool:
        words = frozenset(split_name(field))
        return bool(words & self._others) or any(words <= slot or slot <= words for slot in self._slots)


_SIZES = (_Size(8, 240), _Size(4, 120), _Size(2, 60), _Size(1, 30))
_FOCUSED_SIZES = (_Size(12, 60), _Size(6, 40), _Size(3, 30), _Size(1, 30))
_ERROR_CHARACTERS = 120
_REPLY_CHARACTERS = (160, 60)
_QUESTION_CHARACTERS = 60
_REQUEST_TOKENS = (40, 25, 15)


def _cuts(turn: Turn, wanted: str, fields: _Fields, keeps_request: bool) -> Iterator[Turn]:
    """Yield `turn` ever shorter, keeping what may fill slots."""
    used = f"{_used_text(turn)} {wanted.casefold()}"
    for size in _SIZES[:2]:
        yield _with_observations(turn, lambda call, content, size=size: _shorten(content, size, used))  # type: ignore[misc]
    versions = [
        _with_observations(turn, lambda call, content, size=size: _news(call, content, size, used, fields))  # type: ignore[misc]
        for size in _FOCUSED_SIZES
    ]
    yield from versions[:2]
    for characters in _REPLY_CHARACTERS:
        yield _with_reply(versions[1], characters)
    yield _with_reply(versions[2], _REPLY_CHARACTERS[-1])
    for version in versions[1:] if keeps_request else versions[1:2]:
        yield _with_reply(version, 0)
    if not keeps_request:
        for tokens, version in zip(_REQUEST_TOKENS, versions[1:], strict=True):
            yield _with_request(_with_reply(version, 0), tokens)
    bare = list(_barest(turn))
    yield from bare
    if not keeps_request:
        yield _with_request(bare[-1], _REQUEST_TOKENS[-1])


def _cuts_alike(turn: Turn, wanted: str) -> Iterator[Turn]:
    """Yield `turn` ever shorter, all fields alike."""
    used = f"{_used_text(turn)} {wanted.casefold()}"
    for size in _SIZES:
        shortened = _with_observations(turn, lambda call, content, size=size: _shorten(content, size, used))  # type: ignore[misc]
        yield shortened
    bare = _with_observations(turn, lambda call, content: None)
    for characters in _REPLY_CHARACTERS:
        for version in (shortened, bare):
            yield _with_reply(version, characters)
    yield from _barest(turn)


def _barest(turn: Turn) -> Iterator[Turn]:
    """Yield `turn` without results and reply, then without the wording of questions."""
    bare = _with_reply(_with_observations(turn, lambda call, content: None), 0)
    yield bare
    for characters in (_QUESTION_CHARACTERS, 0):
        yield _with_questions(bare, characters)


def _with_request(turn: Turn, tokens: int) -> Turn:
    """Return `turn` with the beginning of its request: so many tokens, about."""
    share = tokens / max(count_tokens(turn.request), 1)
    return (
        turn.model_copy(update={"request": _clip(turn.request, int(share * len(turn.request)))}) if share < 1 else turn
    )


def _with_reply(turn: Turn, characters: int) -> Turn:
    return turn.model_copy(update={"reply": (_clip(turn.reply, characters) or None) if turn.reply else None})


def _with_observations(turn: Turn, shorten: Callable[[ToolCall, JsonValue], JsonValue]) -> Turn:
    def cut(call: ToolCall, observation: Observation) -> Observation:
        if observation.error is not None:
            return Observation(error=_clip(observation.error, _ERROR_CHARACTERS))
        if is_failure(observation) and isinstance(observation.content, dict):
            said = {name: observation.content[name] for name in FAILURE_FIELDS if name in observation.content}
            return Observation(content=_shorten(said, _Size(1, _ERROR_CHARACTERS), ""))
        # A part of what was checked when it came in: checking it again takes longer than cutting it.
        return Observation.model_construct(content=shorten(call, observation.content))

    steps = tuple(
        step.model_copy(update={"observations": tuple(map(cut, step.calls, step.observations))})
        if isinstance(step, CallStep)
        else step
        for step in turn.steps
    )
    return turn.model_copy(update={"steps": steps})


def _with_questions(turn: Turn, characters: int) -> Turn:
    steps = tuple(
        step.model_copy(update={"question": _clip(step.question, characters)})
        if isinstance(step, QuestionStep)
        else step
        for step in turn.steps
    )
    return turn.model_copy(update={"steps": steps})


def _clip(text: str, characters: int) -> str:
    if not characters or len(text) <= characters:
        return text if characters else ""
    return text[: characters - 1].rstrip() + ELLIPSIS


def _shorten(value: JsonValue, size: _Size, used: str) -> JsonValue:
    """Return `value` with at most `size` of everything; what was left out of a list or object is counted at its end."""
    if isinstance(value, str):
        return _clip(value, size.characters)
    if isinstance(value, list):
        kept = _kept_entries(value, size.entries, used)
        short = [_shorten(value[index], size, used) for index in kept]
        return short if len(kept) == len(value) else [*short, f"{ELLIPSIS} {len(value) - len(kept)} more"]
    if isinstance(value, dict):
        fields = {name: _shorten(value[name], size, used) for name in list(value)[: 3 * size.entries]}
        return fields if len(fields) == len(value) else {**fields, ELLIPSIS: f"{len(value) - len(fields)} more"}
    return value


def _news(call: ToolCall, value: JsonValue, size: _Size, used: str, fields: _Fields) -> JsonValue:
    """Return `_focus` of what came of `call`, without what the call itself says."""
    if isinstance(value, dict):
        said = call.arguments
        value = {name: inner for name, inner in value.items() if name not in said or said[name] != inner}
    return _focus(value, size, used, fields)


def _focus(value: JsonValue, size: _Size, used: str, fields: _Fields) -> JsonValue:
    """Return of `value` what is in `fields` or used, at most `size` of it; `None` if that is nothing.

    What was left out of a list is counted at its end; that fields were left out is not said, it is the rule.
    """
    if isinstance(value, list):
        kept = _kept_entries(value, size.entries, used)
        short: list[JsonValue] = [
            part for index in kept if (part := _focus(value[index], size, used, fields)) is not None
        ]
        left_out = len(value) - len(short)
        if short and left_out:
            short.append(f"{ELLIPSIS} {left_out} more")
        return short or None
    if isinstance(value, dict):
        chosen: dict[str, JsonValue] = {
            name: part
            for name, inner in value.items()
            if isinstance(inner, list | dict) or name in fields or _is_used(inner, used)
            if (part := _focus(inner, size, used, fields)) is not None
        }
        return chosen or None
    return _clip(value, size.characters) if isinstance(value, str) else value


def _kept_entries(entries: list[JsonValue], count: int, used: str) -> list[int]:
    """Return the indices of the `count` entries to keep, in order: those taken up later before the first ones."""
    if len(entries) <= count:
        return list(range(len(entries)))
    by_use = sorted(range(len(entries)), key=lambda index: (not _is_used(entries[index], used), index))
    return sorted(by_use[:count])


def _used_text(turn: Turn) -> str:
    """Return all that the turn's calls and reply say: what of an observation was taken up is in there."""
    return " ".join([*(_json(list(call.arguments.values())) for call in turn.calls), turn.reply or ""]).casefold()


def _is_used(entry: JsonValue, used: str) -> bool:
    if isinstance(entry, dict):
        return any(_is_used(value, used) for value in entry.values())
    return isinstance(entry, str) and len(entry) > 1 and entry.casefold() in used

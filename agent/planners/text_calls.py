"""Finds the tool calls in a model's text: JSON lists, `[f(a=1)]`, and markup of its own that an endpoint let through.

What is not certainly a call stays text. Nothing is evaluated (`literals.py`), and no text makes it fail.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from pydantic import JsonValue

from agent.planners.literals import NAME, Reader, UnreadableError, WrittenCall

Format = Literal["hammer", "pythonic"]

MAX_STARTS = 8
"""Places of a text where a list of calls is looked for."""
_LIST_OF_CALLS = re.compile(rf"[\[［【]\s*(?={NAME}\s*[(（])")
_CALL = re.compile(rf"{NAME}\s*[(（]")
_JSON = re.compile(r"[\[［【]\s*(?=[{｛])|[{｛]")
_FENCE = re.compile(r"\A```[\w-]*")
_NAMES, _ARGUMENTS = ("name", "function", "tool_name", "tool"), ("arguments", "parameters", "args", "params")
_TOOL_CALL, _TOOL_CALL_END = "<tool_call>", "</tool_call>"
_KIMI = ("<|tool_calls_section_begin|>", "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>")
_MARKS = ("[TOOL_CALLS]", "<|python_tag|>")


class Written(NamedTuple):
    """What a text holds."""

    calls: tuple[WrittenCall, ...]
    text: str
    """The text without the calls."""
    notes: tuple[str, ...] = ()
    is_none: bool = False
    """Whether the text says `[]`: no call is needed."""


def without_thoughts(text: str) -> str:
    """Return `text` without what the model thought aloud between `<think>` and `</think>`."""
    first, *others = text.split("</think>")
    if not others:
        return "" if text.lstrip().startswith("<think>") else text
    # Some templates put the opening tag into the prompt; what precedes a closing one alone was thought too.
    kept = [first.partition("<think>")[0] if "<think>" in first else ""]
    kept += [part.partition("<think>")[0] for part in others]
    return "".join(kept)


def read_written_calls(
    text: str, form: Format, parameters: Mapping[str, Sequence[str]], *, is_cut: bool = False
) -> Written:
    """Return the calls of a text in the form its model was taught, or in the other one.

    Args:
        text: Without thoughts.
        form: `hammer`: `[{"name": …, "arguments": {…}}]`; `pythonic`: `[name(argument=value)]`.
        parameters: By the name of each tool, its arguments in order.
        is_cut: Whether the answer ended at its token limit; then brackets may not be missing.
    """
    bare = _without_fence(text)
    if bare in ("[]", "［］", "[ ]"):
        return Written((), "", is_none=True)
    if _TOOL_CALL in text:
        return read_leaked_calls(text, parameters, is_cut=is_cut)
    readers: list[Callable[[str, bool], Iterator[_Found]]] = [_json_calls, _pythonic_calls]
    for reader in readers if form == "hammer" else reversed(readers):
        for found in reader(bare, not is_cut):
            if all(_tool_name(call.name, parameters) for call in found.calls) or found.is_whole:
                return _written(found, bare, parameters)
    return Written((), text)


def read_leaked_calls(text: str, parameters: Mapping[str, Sequence[str]], *, is_cut: bool = False) -> Written:
    """Return the calls that an endpoint left in the text as its model's own markup; such markup is no text."""
    if _TOOL_CALL in text:
        before, *blocks = text.split(_TOOL_CALL)
        parts = [block.partition(_TOOL_CALL_END) for block in blocks]
        calls = [call for inside, _, _ in parts for call in _marked_calls(inside, not is_cut) if call.name]
        said = "".join([before, *(after for _, _, after in parts)])
    elif _KIMI[0] in text:
        said, _, inside = text.partition(_KIMI[0])
        calls = list(_kimi_calls(inside))
    elif mark := next((mark for mark in _MARKS if text.lstrip().startswith(mark)), None):
        written = read_written_calls(text.lstrip()[len(mark) :], "hammer", parameters, is_cut=is_cut)
        return written if written.calls else Written((), text)
    else:
        return Written((), text)
    note = "calls came as markup in the text" if calls else "markup of calls that cannot be read was left out"
    made, notes = _named(calls, parameters)
    return Written(tuple(made), said.strip(), (note, *notes))


class _Found(NamedTuple):
    calls: tuple[WrittenCall, ...]
    start: int
    end: int
    is_whole: bool
    """Whether nothing else is in the text."""


def _written(found: _Found, text: str, parameters: Mapping[str, Sequence[str]]) -> Written:
    calls, notes = _named(found.calls, parameters)
    said = f"{text[: found.start].strip()} {text[found.end :].strip()}".strip()
    return Written(tuple(calls), said, notes)


def _named(
    calls: Sequence[WrittenCall], parameters: Mapping[str, Sequence[str]]
) -> tuple[list[WrittenCall], tuple[str, ...]]:
    """Return calls by the names of tools, with a name for every value, and what was mended."""
    made, notes = [], []
    for call in calls:
        name = _tool_name(call.name, parameters) or call.name
        if name != call.name:
            notes.append(f"{call.name!r} was read as {name!r}")
        arguments = dict(call.arguments)
        if call.positional:
            places = parameters.get(name, ())
            named = dict(zip(places, call.positional, strict=False))
            if len(call.positional) > len(places) or set(named) & set(arguments):
                # A wrong name stays, so that the model is told; values are never guessed into a place.
                named = {f"argument_{number}": value for number, value in enumerate(call.positional, start=1)}
            notes.append(f"{name}: values without a name were given to {', '.join(named)}")
            arguments = {**named, **arguments}
        made.append(WrittenCall(name, arguments))
    return made, tuple(notes)


def _tool_name(name: str, parameters: Mapping[str, Sequence[str]]) -> str | None:
    """Return the tool that is certainly meant by a name: its own, or one that differs in case or in punctuation."""
    if name in parameters:
        return name
    last = name.rpartition(".")[2]
    for key in (_bare(name), _bare(last)):
        alike = [known for known in parameters if _bare(known) == key]
        if len(alike) == 1:
            return alike[0]
    return None


def _bare(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


def _without_fence(text: str) -> str:
    bare = text.strip()
    if (fence := _FENCE.match(bare)) and bare.endswith("```") and len(bare) > fence.end() + 2:
        return bare[fence.end() : -3].strip()
    return bare.removesuffix("```").rstrip()


def _pythonic_calls(text: str, may_end_open: bool) -> Iterator[_Found]:
    starts = [(match.start(), match.end()) for match in _first(_LIST_OF_CALLS, text)]
    if _CALL.match(text):
        starts.insert(0, (0, 0))
    for start, begin in starts:
        reader = Reader(text, begin, may_end_open=may_end_open)
        calls = []
        try:
            while True:
                calls.append(reader.call())
                reader.take(")")  # one too many
                reader.take(",;")
                if not reader.look() or not _CALL.match(text, reader.position):
                    break
            closes = reader.take("]") or begin == 0 or (may_end_open and not reader.look())
        except UnreadableError:
            continue
        if closes and (begin or not reader.look()):
            # Without brackets around it, `Sure (1)` looks like a call too.
            yield _Found(tuple(calls), start, reader.position, begin > 0 == start and not reader.look())


def _json_calls(text: str, may_end_open: bool) -> Iterator[_Found]:
    for match in _first(_JSON, text):
        reader = Reader(text, match.start(), may_end_open=may_end_open)
        calls: list[WrittenCall] = []
        try:
            while reader.look() in ("{", "["):
                value = reader.value()
                calls += [_call_of(part) for part in (value if isinstance(value, list) else [value])]
                reader.take(",;")
        except UnreadableError:
            continue
        if calls:
            yield _Found(tuple(calls), match.start(), reader.position, match.start() == 0 and not reader.look())


def _first(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    for number, match in enumerate(pattern.finditer(text)):
        if number == MAX_STARTS:
            return
        yield match


def _call_of(value: JsonValue) -> WrittenCall:
    """Return the call that an object stands for.

    Raises:
        UnreadableError: If it has no name or its arguments are none.
    """
    if not isinstance(value, dict):
        raise UnreadableError("no object")
    if isinstance(inner := value.get("function"), dict):
        return _call_of(inner)
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), None)
    given = next((value[key] for key in _ARGUMENTS if key in value), {})
    if isinstance(given, str):
        given = _whole_value(given)
    if not isinstance(name, str) or not name or not isinstance(given, dict):
        raise UnreadableError("no call")
    return WrittenCall(name, given)


def _whole_value(text: str) -> JsonValue:
    reader = Reader(text)
    value = reader.value()
    if reader.look():
        raise UnreadableError("more than a value")
    return value


def _marked_calls(inside: str, may_end_open: bool) -> list[WrittenCall]:
    """Return the calls of one `<tool_call>`: JSON (Hermes, Qwen), `<function=…>` (Qwen coder) or `<arg_key>` (GLM)."""
    if "<function=" in inside:
        return [_function_call(part) for part in inside.split("<function=")[1:]]
    if "<arg_key>" in inside:
        name, _, rest = inside.partition("<arg_key>")
        pairs = [part.partition("</arg_key>") for part in rest.split("<arg_key>")]
        given = {key.strip(): _inner(value, "<arg_value>", "</arg_value>") for key, _, value in pairs}
        return [WrittenCall(name.strip(), given)]
    for found in _json_calls(inside.strip(), may_end_open):
        return list(found.calls)
    name = inside.strip()
    return [WrittenCall(name, {})] if re.fullmatch(NAME, name) else []


def _function_call(part: str) -> WrittenCall:
    name, _, body = part.partition(">")
    pairs = [one.partition(">") for one in body.split("<parameter=")[1:]]
    return WrittenCall(
        name.strip(), {key.strip(): _read_or_text(value.partition("</parameter>")[0]) for key, _, value in pairs}
    )


def _inner(text: str, begin: str, end: str) -> JsonValue:
    return _read_or_text(text.partition(begin)[2].partition(end)[0])


def _read_or_text(text: str) -> JsonValue:
    """Return the object, list, number or truth value that a text is, else the text."""
    try:
        value = _whole_value(text)
    except UnreadableError:
        return text.strip()
    return text.strip() if value is None or isinstance(value, str) else value


def _kimi_calls(inside: str) -> Iterator[WrittenCall]:
    for part in inside.split(_KIMI[1])[1:]:
        called, _, rest = part.partition(_KIMI[2])
        name = called.strip().removeprefix("functions.").rpartition(":")[0] or called.strip()
        try:
            given = _whole_value(rest.partition(_KIMI[3])[0])
        except UnreadableError:
            continue
        if isinstance(given, dict) and name:
            yield WrittenCall(name, given)

"""Finds the tool calls in a model's text: JSON lists, `[f(a=1)]`, and markup that an endpoint let through.

What is not certainly a call stays text. Nothing is evaluated (`literals.py`), and no text makes it fail.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from agent.planners.literals import NAME, Reader, UnreadableError, WrittenCall
from agent.planners.markup import call_of, read_markup

Format = Literal["hammer", "pythonic"]

MAX_STARTS = 8
"""Places of a text where a list of calls is looked for."""
_LIST_OF_CALLS = re.compile(rf"[\[［【]\s*(?={NAME}\s*[(（])")
_CALL = re.compile(rf"{NAME}\s*[(（]")
_JSON = re.compile(r"[\[［【]\s*(?=[{｛])|[{｛]")
_FENCE = re.compile(r"\A```[\w-]*")
_THINKING = re.compile(r"(?<!`)<(/?)thinking>")


class Written(NamedTuple):
    """What a text holds."""

    calls: tuple[WrittenCall, ...]
    text: str
    """The text without the calls."""
    notes: tuple[str, ...] = ()
    is_none: bool = False
    """Whether the text says `[]`: no call is needed."""


def without_thoughts(text: str) -> str:
    """Return `text` without what the model thought aloud between `<think>` (or `<thinking>`) and its end."""
    if "</thinking>" in text or text.lstrip().startswith("<thinking>"):
        text = _THINKING.sub(r"<\1think>", text)
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
    leaked = read_leaked_calls(text, parameters, is_cut=is_cut)
    if leaked.notes:
        return leaked
    readers: list[Callable[[str, bool], Iterator[_Found]]] = [_json_calls, _pythonic_calls]
    for reader in readers if form == "hammer" else reversed(readers):
        for found in reader(bare, not is_cut):
            if all(_tool_name(call.name, parameters) for call in found.calls) or found.is_whole:
                return _written(found, bare, parameters)
    return Written((), text)


def read_leaked_calls(text: str, parameters: Mapping[str, Sequence[str]], *, is_cut: bool = False) -> Written:
    """Return the calls that an endpoint left in the text as its model's own markup; such markup is no text."""
    markup = read_markup(text, may_end_open=not is_cut)
    if not markup.is_found:
        return Written((), text)
    calls, notes = _named(markup.calls, parameters)
    note = "calls came as markup in the text" if calls else "markup without a readable call was left out"
    return Written(tuple(calls), markup.text, (note, *notes))


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
        try:
            calls = _calls_in_a_row(reader)
            closes = reader.take("]") or begin == 0 or (may_end_open and not reader.look())
            while begin and closes and reader.look() and (further := _LIST_OF_CALLS.match(text, reader.position)):
                reader.position = further.end()
                calls += _calls_in_a_row(reader)
                closes = reader.take("]") or (may_end_open and not reader.look())
        except UnreadableError:
            continue
        if closes and (begin or not reader.look()):
            # Without brackets around it, `Sure (1)` looks like a call too.
            yield _Found(tuple(calls), start, reader.position, begin > 0 == start and not reader.look())


def _calls_in_a_row(reader: Reader) -> list[WrittenCall]:
    calls = [reader.call()]
    while True:
        reader.take(")")  # one too many
        reader.take(",;")
        if not reader.look() or not _CALL.match(reader.text, reader.position):
            return calls
        calls.append(reader.call())


def _json_calls(text: str, may_end_open: bool) -> Iterator[_Found]:
    for match in _first(_JSON, text):
        reader = Reader(text, match.start(), may_end_open=may_end_open)
        calls: list[WrittenCall] = []
        try:
            while reader.look() in ("{", "["):
                value = reader.value()
                calls += [call_of(part) for part in (value if isinstance(value, list) else [value])]
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

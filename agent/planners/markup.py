"""Reads the calls that an endpoint left in a text in its model's own markup, and takes the markup out of the text.

A family is known by its marks: tags (Hermes, Qwen, GLM, Llama, MiniMax), special tokens (Kimi, DeepSeek, Mistral,
GPT-OSS). What is markup is never shown, whether its calls can be read or not; a sentence that only mentions a tag stays
whole, as does what stands in backticks. Every family goes over the text once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from agent.planners.literals import NAME, Reader, UnreadableError, WrittenCall

_NAMES, _ARGUMENTS = ("name", "function", "tool_name", "tool"), ("arguments", "parameters", "args", "params")


class Markup(NamedTuple):
    """What the markup of a text holds."""

    calls: tuple[WrittenCall, ...]
    text: str
    """What is left."""
    is_found: bool
    """Whether there was any."""


class _Read(NamedTuple):
    calls: Sequence[WrittenCall] = ()
    rest: str = ""
    """What of the block is text."""


class _Family(NamedTuple):
    marks: re.Pattern[str]
    """Where a block begins (group `open`, with what the calls need of it) or ends."""
    read: Callable[[str, str, bool], _Read]
    """Reads a block: what the opening mark says, what is inside, whether brackets may be left open."""
    begins: re.Pattern[str]
    """What the inside of a block begins with; a mark before anything else is only mentioned."""
    around: re.Pattern[str] | None = None
    """Marks around all blocks, which go where there is a block."""


def read_markup(text: str, *, may_end_open: bool) -> Markup:
    """Return the calls that stand in `text` as markup, in the order of the families, and the text without it."""
    calls: list[WrittenCall] = []
    is_found = False
    for family in _FAMILIES:
        read = _read_family(family, text, may_end_open)
        if read is not None:
            is_found, text = True, read.rest
            calls += read.calls
    return Markup(tuple(calls), text.strip() if is_found else text, is_found)


def call_of(value: JsonValue) -> WrittenCall:
    """Return the call that an object stands for.

    Raises:
        UnreadableError: If it has no name or its arguments are none.
    """
    if not isinstance(value, dict):
        raise UnreadableError("no object")
    if isinstance(inner := value.get("function"), dict):
        return call_of(inner)
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), None)
    given = next((value[key] for key in _ARGUMENTS if key in value), {})
    if isinstance(given, str):
        given = whole_value(given)
    if not isinstance(name, str) or not name or not isinstance(given, dict):
        raise UnreadableError("no call")
    return WrittenCall(name, given)


def whole_value(text: str) -> JsonValue:
    """Return the value that a text is.

    Raises:
        UnreadableError: If it is none, or more.
    """
    reader = Reader(text)
    value = reader.value()
    if reader.look():
        raise UnreadableError("more than a value")
    return value


def _read_family(family: _Family, text: str, may_end_open: bool) -> _Read | None:
    marks = list(family.marks.finditer(text))
    calls: list[WrittenCall] = []
    kept: list[str] = []
    position, is_found = 0, False
    for mark, following in zip(marks, [*marks[1:], None], strict=False):
        opened = mark["open"]
        if opened is None or text[mark.start() - 1 : mark.start()] == "`" or not family.begins.match(text, mark.end()):
            continue
        stop = len(text) if following is None else following.start()
        read = family.read(opened, text[mark.end() : stop], may_end_open)
        is_found = True
        calls += (call for call in read.calls if call.name)
        kept += [text[position : mark.start()], read.rest]
        closes = following is not None and following["open"] is None
        position = following.end() if following is not None and closes else stop
    if not is_found:
        return None
    rest = "".join([*kept, text[position:]])
    return _Read(calls, family.around.sub("", rest) if family.around is not None else rest)


def _tool_call(_: str, inside: str, may_end_open: bool) -> _Read:
    """Read one `<tool_call>`: JSON (Hermes, Qwen), `<function=…>` (Qwen coder) or `<arg_key>` (GLM)."""
    if "<function=" in inside:
        return _Read([_function_call(*part.partition(">")[::2]) for part in inside.split("<function=")[1:]])
    if "<arg_key>" in inside:
        name, _, rest = inside.partition("<arg_key>")
        pairs = [part.partition("</arg_key>") for part in rest.split("<arg_key>")]
        given = {key.strip(): _inner(value, "<arg_value>", "</arg_value>") for key, _, value in pairs}
        return _Read([WrittenCall(name.strip(), given)])
    name = inside.strip()
    return _Read([WrittenCall(name, {})]) if re.fullmatch(NAME, name) else _Read(_objects(inside, may_end_open)[0])


def _function(opened: str, inside: str, may_end_open: bool) -> _Read:
    """Read one `<function=name>`: with parameters as tags (Qwen coder) or as JSON (Llama)."""
    return (
        _Read([_function_call(opened, inside)])
        if "<parameter=" in inside
        else _named_json(opened, inside, may_end_open)
    )


def _function_call(name: str, body: str) -> WrittenCall:
    pairs = [one.partition(">") for one in body.split("<parameter=")[1:]]
    return WrittenCall(
        name.strip(), {key.strip(): _read_or_text(value.partition("</parameter>")[0]) for key, _, value in pairs}
    )


_PARAMETER = re.compile(r"<[^<>\s]*parameter\s+name=[\"']([^\"'<>]+)[\"'](?:\s+string=[\"'](\w+)[\"'])?[^<>]*>")


def _invoke(opened: str, inside: str, _: bool) -> _Read:
    """Read one `<invoke name="…">` with its `<parameter name="…">`, also with prefixes (MiniMax, DeepSeek)."""
    given: dict[str, JsonValue] = {}
    found = list(_PARAMETER.finditer(inside))
    for one, following in zip(found, [*found[1:], None], strict=False):
        value = inside[one.end() : len(inside) if following is None else following.start()].partition("</")[0]
        given[one[1]] = value if one[2] == "true" else _read_or_text(value)
    return _Read([WrittenCall(opened.strip(), given)])


def _kimi(_: str, inside: str, may_end_open: bool) -> _Read:
    called, _, rest = inside.partition("<|tool_call_argument_begin|>")
    name = called.strip().removeprefix("functions.").rpartition(":")[0] or called.strip()
    return _named_json(name, rest, may_end_open)


_SEPARATOR = re.compile(r"<[|｜]tool[▁_]sep[|｜]>")


def _deepseek(_: str, inside: str, may_end_open: bool) -> _Read:
    """Read `name<sep>{…}` (V3.1) or `function<sep>name`, a line end and JSON in a fence (V3, R1)."""
    called, *others = _SEPARATOR.split(inside, maxsplit=1)
    rest = others[0] if others else ""
    if called.strip() == "function":
        called, _, rest = rest.strip().partition("\n")
    return _named_json(called.strip(), re.sub(r"\A\s*```\w*", "", rest), may_end_open)


_MISTRAL_NAMED = re.compile(rf"\s*({NAME})\s*(?:\[CALL_ID\]\s*[\w-]*\s*)?(?:\[ARGS\])?\s*(?=[{{｛])")


def _mistral(_: str, inside: str, may_end_open: bool) -> _Read:
    """Read `name[ARGS]{…}` (from Large 2 on), or the list of before."""
    if named := _MISTRAL_NAMED.match(inside):
        reader = Reader(inside, named.end(), may_end_open=may_end_open)
        try:
            given = reader.value()
        except UnreadableError:
            return _Read()
        rest = inside[reader.position :]
        return _Read([WrittenCall(named[1], given)] if isinstance(given, dict) else [], rest)
    return _Read(*_objects(inside, may_end_open))


_TO = re.compile(rf"\bto=(?:functions\.)?({NAME})")


def _harmony(opened: str, inside: str, may_end_open: bool) -> _Read:
    """Read one message of a channel (GPT-OSS): a call says to whom, `analysis` is thought, the rest is said."""
    if to := _TO.search(opened):
        return _named_json(to[1], inside or "{}", may_end_open)
    return _Read() if "<|channel|>analysis" in opened else _Read((), inside)


def _python_tag(_: str, inside: str, may_end_open: bool) -> _Read:
    """Read what Llama calls: JSON, or `tool.call(query="…")` of a built-in tool."""
    calls, rest = _objects(inside, may_end_open)
    if not calls:
        try:
            calls, rest = [(reader := Reader(inside, may_end_open=may_end_open)).call()], ""
            rest = inside[reader.position :]
        except UnreadableError:
            return _Read()
    return _Read([call._replace(name=call.name.removesuffix(".call")) for call in calls], rest)


def _objects(inside: str, may_end_open: bool) -> tuple[list[WrittenCall], str]:
    """Return the calls that stand as JSON at the beginning, in a list or in a row, and what follows them."""
    reader = Reader(inside, may_end_open=may_end_open)
    calls: list[WrittenCall] = []
    try:
        while reader.look() in ("{", "["):
            value = reader.value()
            calls += [call_of(part) for part in (value if isinstance(value, list) else [value])]
            reader.take(",;")
    except UnreadableError:
        return [], ""
    return calls, inside[reader.position :]


def _named_json(name: str, inside: str, may_end_open: bool) -> _Read:
    try:
        given = Reader(inside or "{}", may_end_open=may_end_open).value() if inside.strip() else {}
    except UnreadableError:
        return _Read()
    return _Read([WrittenCall(name, given)] if isinstance(given, dict) else [])


def _inner(text: str, begin: str, end: str) -> JsonValue:
    return _read_or_text(text.partition(begin)[2].partition(end)[0])


def _read_or_text(text: str) -> JsonValue:
    """Return the object, list, number or truth value that a text is, else the text."""
    try:
        value = whole_value(text)
    except UnreadableError:
        return text.strip()
    return text.strip() if value is None or isinstance(value, str) else value


_ANYTHING = re.compile("")
_FAMILIES = (
    _Family(
        re.compile(
            r"(?P<open>(?:<\|start\|>[^<]{0,80})?<\|channel\|>[^<]{0,80}(?:<\|constrain\|>[^<]{0,20})?<\|message\|>)"
            r"|<\|(?:end|return|call)\|>"
        ),
        _harmony,
        _ANYTHING,
    ),
    _Family(
        re.compile(r"(?P<open><tool_call>)|</tool_call>"),
        _tool_call,
        re.compile(rf"\s*(?:[{{\[｛]|<function=|{NAME}\s*<arg_key>)|[\r\n]*{NAME}[\r\n]*(?:</tool_call>|\Z)"),
    ),
    _Family(
        re.compile(r"(?P<open><\|tool_call_begin\|>)|<\|tool_call_end\|>"),
        _kimi,
        _ANYTHING,
        re.compile(r"<\|tool_calls_section_(?:begin|end)\|>"),
    ),
    _Family(
        re.compile(r"(?P<open><[|｜]tool[▁_]call[▁_]begin[|｜]>)|<[|｜]tool[▁_]call[▁_]end[|｜]>"),
        _deepseek,
        _ANYTHING,
        re.compile(r"<[|｜](?:tool[▁_]calls[▁_](?:begin|end)|end[▁_]of[▁_]sentence)[|｜]>"),
    ),
    _Family(re.compile(r"(?P<open>\[TOOL_CALLS\])"), _mistral, re.compile(rf"\s*(?:[\[{{｛]|{NAME}\s*[\[{{｛])")),
    _Family(
        re.compile(rf"<function=(?P<open>{NAME})>|</function>"),
        _function,
        re.compile(r"\s*(?:[{｛]|<parameter=|</function>)"),
    ),
    _Family(
        re.compile(r"<[^<>\s/]{0,20}invoke\s+name=[\"'](?P<open>[^\"'<>]{1,100})[\"']\s*>|</[^<>\s]{0,20}invoke>"),
        _invoke,
        re.compile(r"\s*<(?:/[^<>\s]{0,20}invoke>|[^<>\s]{0,20}parameter\s)"),
        re.compile(r"</?[^<>\s/]{0,20}(?:function_calls|minimax:tool_call)>"),
    ),
    _Family(re.compile(r"(?P<open><\|python_tag\|>)|<\|(?:eom_id|eot_id)\|>"), _python_tag, _ANYTHING),
)
"""Outer markup before what it may hold."""

"""What a dialogue supplies for the required arguments of a tool: typed values, one value to one slot."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from benchmark_adapter.labelling.deeds import COMMON
from benchmark_adapter.labelling.talk import Talk
from memory.language.text import split_name, stem, tokenise
from memory.language.text_cache import text_cache
from memory.language.values.enum_mentions import enum_mention
from memory.language.values.mentions import Mention, MentionKind, mentions
from memory.tools import Parameter, Tool

SlotKind = Literal[
    "flag", "choice", "number", "date", "time", "id", "secret", "address", "place", "name", "file", "text", "list",
    "object",
]  # fmt: skip
Source = Literal["said", "earlier", "answer", "observed", "used", "produced", "loose", "none"]
"""`said`: in the last message; `earlier`: in a message before it in this turn; `answer`: to a question about the slot;
`observed`: a tool returned a field of that name; `used`: a call of the topic gave the argument; `produced`: another
tool on offer gives it out and has all it needs; `loose`: words are left that might be meant; `none`: nothing."""

_ANY_CLOCK = datetime(2024, 1, 15, 12, 0)
"""Relative dates are only noticed here, not worked out, so any clock serves."""
_WORD_TEXTS: Mapping[SlotKind, str] = {
    "secret": "password passcode pin token secret credential key apikey",
    "date": "date day month deadline birthday",
    "time": "time",
    "id": "id ids identifier uuid code symbol ticker number no ref reference account username nickname",
    "file": "file filename path folder directory dir document source",
    "place": "city location place region country state address origin destination airport station where",
    "name": "name title person people artist album track movie song receiver recipient contact attendee",
}
_WORDS: Mapping[SlotKind, frozenset[str]] = {kind: frozenset(text.split()) for kind, text in _WORD_TEXTS.items()}
"""Words of parameter names by the kind of value they take."""
_BY_FORMAT: Mapping[str, SlotKind] = {
    "date": "date", "datetime": "date", "time": "time", "url": "address", "uri": "address", "email": "address",
    "ip": "address",
}  # fmt: skip
_BY_TYPE: Mapping[str, SlotKind] = {"integer": "number", "number": "number", "array": "list", "object": "object"}
_COMPATIBLE: Mapping[SlotKind, Mapping[MentionKind, float]] = {
    "number": {"number": 0.8, "currency": 0.3},
    "date": {"date": 0.9, "date_range": 0.9, "time": 0.3},
    "time": {"time": 0.9, "date": 0.7},
    "id": {"id": 0.9, "number": 0.6, "quoted": 0.7, "name": 0.3, "email": 0.4},
    "secret": {"id": 0.3, "quoted": 0.3},
    "address": {"url": 1.0, "email": 1.0, "ip": 1.0, "coordinates": 1.0},
    "place": {"name": 0.8, "country": 0.9, "quoted": 0.5, "coordinates": 0.8},
    "name": {"quoted": 0.8, "name": 0.8},
    "file": {"quoted": 0.8, "id": 0.5, "url": 0.6, "name": 0.3},
    "text": {"quoted": 0.8, "name": 0.6, "id": 0.4, "url": 0.5, "country": 0.4, "language": 0.5},
    "list": {"quoted": 0.6, "name": 0.6, "number": 0.6, "id": 0.6},
    "object": {"quoted": 0.4, "name": 0.4, "number": 0.4},
}
LABELLED = 0.5
"""Added to a value that stands next to the words the parameter goes by."""
LEAST = 0.5
"""Strength from which a typed value counts as meant for a slot."""
LOOSE = 0.4
_NEAR = 32
"""Characters before a value in which its label is looked for."""
_BESIDE = 5
"""Characters between a day and its time: "March 5th at 10:00"."""
_FILE_NAME = re.compile(r"(?<![\w.])[\w-]+\.(?:[A-Za-z]{1,5}\d?)(?![\w.])")


@dataclass(frozen=True)
class Supply:
    """How a required argument comes by its value."""

    parameter: Parameter
    kind: SlotKind
    source: Source
    strength: float
    """In [0, 1]."""

    @property
    def is_missing(self) -> bool:
        """Whether nothing, or nothing but loose words, speaks for it."""
        return self.source in ("none", "loose")


def slot_kind(parameter: Parameter) -> SlotKind:
    """Return what kind of value a parameter takes, as far as a reader of requests has to know."""
    words = split_name(parameter.name)
    if parameter.type == "boolean":
        return "flag"
    if parameter.enum or (parameter.items is not None and parameter.items.enum):
        return "choice"
    if _WORDS["secret"] & set(words):
        return "secret"
    if known := _BY_FORMAT.get(parameter.format or ""):
        return known
    if named := next((kind for kind in _TIMES if _WORDS[kind] & set(words)), None):
        return named
    if words and words[-1] in _WORDS["id"]:
        return "id"
    if typed := _BY_TYPE.get(parameter.type):
        return typed
    return next((kind for kind in _NAMED if _WORDS[kind] & set(words)), "text")


_TIMES: tuple[SlotKind, ...] = ("date", "time")
_NAMED: tuple[SlotKind, ...] = ("file", "place", "name")


@text_cache(4096)
def named_values(text: str) -> tuple[Mention, ...]:
    """Return the typed values that a text names, file names among the quoted, the ends of a period apart."""
    found = [end for mention in mentions(text, _ANY_CLOCK) for end in _ends(mention)]
    files = [
        Mention("quoted", match.start(), match.end(), match.group(), match.group())
        for match in _FILE_NAME.finditer(text)
        if not any(one.start <= match.start() < one.end for one in found if one.kind in ("url", "email", "quoted"))
    ]
    return tuple((*found, *files))


def _ends(mention: Mention) -> tuple[Mention, ...]:
    """Return the first and the last day of a period, each with half of its words; any other mention as it is."""
    if mention.kind != "date_range" or not isinstance(mention.value, list) or len(mention.value) != 2:
        return (mention,)
    middle = (mention.start + mention.end) // 2
    half = middle - mention.start
    first, last = mention.value
    return (
        Mention("date", mention.start, middle, mention.text[:half], first),
        Mention("date", middle, mention.end, mention.text[half:], last),
    )


def _moments(values: Sequence[Mention]) -> list[Mention]:
    """Return the values with each day and the time of day next to it as one."""
    times = [one for one in values if one.kind == "time"]
    joined: list[Mention] = []
    for value in values:
        near = [one for one in times if 0 <= one.start - value.end <= _BESIDE or 0 <= value.start - one.end <= _BESIDE]
        if value.kind == "date" and near:
            start, end = min(value.start, near[0].start), max(value.end, near[0].end)
            times.remove(near[0])
            joined.append(Mention("date", start, end, value.text, value.value))
        elif value.kind != "time":
            joined.append(value)
    return [*joined, *times]


@text_cache(8192)
def label_stems(parameter_name: str) -> frozenset[str]:
    """Return the stems of the words that a parameter goes by."""
    return frozenset(stem(word) for word in split_name(parameter_name) if len(word) > 1)


def supplies(tool: Tool, tools: Sequence[Tool], talk: Talk, *, depth: int = 1) -> tuple[Supply, ...]:
    """Return how each required argument of `tool` comes by its value, in schema order.

    A value serves one argument only: the surest pair of value and argument is settled first. An argument that nothing
    said may come from what tools returned, from the topic's calls, or from a tool on offer that gives it out.

    Args:
        tool: The tool that is to be called.
        tools: All on offer, as producers.
        talk: The topic.
        depth: Producers in a row that may be needed.
    """
    settled: dict[str, tuple[Source, float]] = {}
    for source, text in (("said", talk.last), ("earlier", " \n".join(talk.before))):
        for name, strength in assigned([p for p in tool.required if p.name not in settled], text).items():
            settled[name] = (source, strength)  # type: ignore[assignment]  # both are sources
    leftover = _leftover(talk.task, tool)
    found: list[Supply] = []
    for parameter in tool.required:
        kind = slot_kind(parameter)
        if parameter.name in settled:
            source, strength = settled[parameter.name]
        else:
            source, strength = _otherwise(parameter, kind, tool, tools, talk, leftover, depth)
        if source == "loose":
            leftover -= 1
        found.append(Supply(parameter, kind, source, strength))
    return tuple(found)


def _otherwise(
    parameter: Parameter, kind: SlotKind, tool: Tool, tools: Sequence[Tool], talk: Talk, leftover: int, depth: int
) -> tuple[Source, float]:
    labels = label_stems(parameter.name)
    for exchange in talk.exchanges:
        if labels & set(tokenise(exchange.question)) and not exchange.answer.rstrip().endswith("?"):
            return "answer", 0.8
    if parameter.name in talk.used:
        return "used", 0.6
    if labels & talk.observed:
        return "observed", 0.7
    if depth > 0 and any(
        all(not one.is_missing for one in supplies(other, tools, talk, depth=depth - 1))
        for other in producers(parameter, tool, tools)
    ):
        return "produced", 0.7
    if parameter.default is not None or kind == "flag":
        return "loose", LOOSE
    if kind in ("text", "name", "list", "object", "file") and leftover > 0:
        return "loose", LOOSE
    return "none", 0.0


def producers(parameter: Parameter, tool: Tool, tools: Sequence[Tool]) -> tuple[Tool, ...]:
    """Return the tools on offer whose name says that they give out what `parameter` takes, without needing it."""
    wanted = stem(split_name(parameter.name)[-1]) if split_name(parameter.name) else ""
    return tuple(
        other
        for other in tools
        if other.name != tool.name
        and wanted in {stem(word) for word in split_name(other.name)[1:]}
        and slot_kind(parameter) in ("id", "secret", "date")
        and all(p.name != parameter.name for p in other.required)
    )


def assigned(parameters: Sequence[Parameter], text: str) -> dict[str, float]:
    """Return the strength of the value that `text` names for each parameter it names one for, in (0, 1].

    A labelled value is settled first, then the surest pairs of value and parameter.
    """
    if not text.strip():
        return {}
    kinds = {parameter.name: slot_kind(parameter) for parameter in parameters}
    values = list(named_values(text))
    if not {"date", "time"} <= set(kinds.values()):
        values = _moments(values)
    found = {one.name: strength for one in parameters if (strength := _of_closed_domain(one, text))}
    taken: list[tuple[int, int]] = []
    for is_whole in (True, False):
        for parameter in (one for one in parameters if one.name not in found):
            place = _labelled(parameter, text, is_whole=is_whole)
            if place is not None and not any(start <= place < end for start, end in taken):
                found[parameter.name] = 1.0
                here = next((one for one in values if one.start <= place < one.end), None)
                taken.append((here.start, here.end) if here is not None else (place, place + 1))
    pairs = [
        (base + LABELLED * _nearness(parameter, value, text), parameter.name, value)
        for parameter in parameters
        for value in values
        if (base := _COMPATIBLE.get(kinds[parameter.name], {}).get(value.kind, 0.0))
    ]
    for strength, name, value in sorted(pairs, key=lambda pair: -pair[0]):
        if strength < LEAST or name in found or any(value.start < end and start < value.end for start, end in taken):
            continue
        found[name] = min(strength, 1.0)
        taken.append((value.start, value.end))
    return found


def _of_closed_domain(parameter: Parameter, text: str) -> float:
    """Return 1 where the text names an allowed value, 0.8 where it speaks of a flag, else 0."""
    kind = slot_kind(parameter)
    if kind == "choice" and enum_mention(text, parameter):
        return 1.0
    return 0.8 if kind == "flag" and label_stems(parameter.name) & set(tokenise(text)) else 0.0


def _nearness(parameter: Parameter, value: Mention, text: str) -> float:
    """Return 1 where the parameter's words stand just before the value or are its unit, ½ just after it, else 0."""
    labels = label_stems(parameter.name)
    if value.unit is not None and value.unit in labels:
        return 1.0
    if labels & set(tokenise(text[max(0, value.start - _NEAR) : value.start])):
        return 1.0
    return 0.5 if labels & set(tokenise(text[value.end : value.end + _NEAR // 2])) else 0.0


def _labelled(parameter: Parameter, text: str, *, is_whole: bool) -> int | None:
    """Return where the value in "the <parameter> is <value>" starts; pronouns and question words are no value.

    Args:
        parameter: The one that is looked for.
        text: What was said.
        is_whole: Whether the whole name is needed; else its last word suffices.
    """
    words = split_name(parameter.name)
    if not words:
        return None
    label = r"[\s_-]?".join(map(re.escape, words)) if is_whole else re.escape(words[-1])
    pattern = (
        rf"\b{label}s?[\"'”]?\s*(?:is|are|:|=|will be|should be|would be|called|named|to be|as)\s*"
        rf"(?!(?:not|what|which|the same|it|that)\b)[\"'“]?(?P<value>\w)"
    )
    match = re.search(pattern, text, re.IGNORECASE)
    return match.start("value") if match else None


def _leftover(text: str, tool: Tool) -> int:
    """Return how many words of the text are neither the tool's own nor common: what free text could be made of."""
    own = {
        *tokenise(" ".join(split_name(tool.name))),
        *tokenise(tool.description),
        *(term for p in tool.parameters for term in tokenise(" ".join(split_name(p.name)))),
    }
    return sum(term not in own and term not in COMMON for term in dict.fromkeys(tokenise(text)))

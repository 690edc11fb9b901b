"""Lists and objects as a text says them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import JsonValue

from agent.planners.rules.kinds import kind_of
from agent.planners.rules.phrases import has_chinese
from agent.planners.rules.said_values import said_values
from agent.planners.rules.utterance import Said, Text
from memory.language.values.amounts import amounts_of_things
from memory.language.values.descriptions import described_format
from memory.language.values.numbers import whole
from memory.language.values.values import equal
from memory.tools import Parameter, Tool

REQUIRED_STRENGTH, OPTIONAL_STRENGTH = 0.45, 0.8
"""Least strength of a value said in the request, for required and optional arguments (see `Said.strength`)."""


def composite(parameter: Parameter, tool: Tool, text: Text, taken: Sequence[tuple[int, int]] = ()) -> JsonValue:
    """Return the list or object that `text` says for `parameter`, without the words `taken`, or `None`."""
    if parameter.type == "object":
        return _object(parameter, tool, text)
    element = parameter.items or Parameter(name=parameter.name, description=parameter.description)
    if element.type == "object":
        return _counted_things(element, text.text)
    described = f"{parameter.description} {element.description}".strip()
    element = element.model_copy(
        update={
            "name": parameter.name,
            "description": described,
            "format": element.format or described_format(parameter.name, described, element.type),
            "is_required": parameter.is_required,
        }
    )
    least = REQUIRED_STRENGTH if parameter.is_required else OPTIONAL_STRENGTH
    found = [
        said
        for said in said_values(element, tool, text)
        if said.strength >= least and not any(said.start < end and start < said.end for start, end in taken)
    ]
    if kind_of(element) == "currency" and found:
        best = max(said.strength for said in found)
        found = [said for said in found if said.strength == best]
    if kind_of(element) == "text":
        found = _side_by_side(found, text.text)
    values: list[JsonValue] = []
    for said in sorted(found, key=lambda said: said.start):
        if not any(equal(said.value, value) for value in values):
            values.append(said.value)
    return values or None


_JOINED = re.compile(
    r"\s?(?:,|，|、|;|；|/|&|\band\b|\bor\b|和|跟|与|及|还有|以及)*\s?(?:and|和)?\s?(?:the\s|some\s|an?\s)?",
    re.IGNORECASE,
)


def _side_by_side(found: Sequence[Said], text: str) -> list[Said]:
    """Return the surest of the words found with all that stand beside them in a list ("flour, milk and eggs")."""
    free: list[Said] = []
    for said in sorted(found, key=lambda said: (-said.strength, said.end - said.start)):
        if not any(said.start < other.end and other.start < said.end for other in free):
            free.append(said)
    if not free:
        return []
    is_chinese = has_chinese(str(free[0].value))
    ordered = sorted((one for one in free if has_chinese(str(one.value)) == is_chinese), key=lambda said: said.start)
    best = first = last = ordered.index(free[0])
    while first > 0 and _JOINED.fullmatch(text[ordered[first - 1].end : ordered[first].start]):
        first -= 1
    while last + 1 < len(ordered) and _JOINED.fullmatch(text[ordered[last].end : ordered[last + 1].start]):
        last += 1
    alike = [said for said in ordered if said.strength >= ordered[best].strength - 0.02 and said.strength >= 0.9]
    return [*ordered[first : last + 1], *(said for said in alike if said not in ordered[first : last + 1])]


def _object(parameter: Parameter, tool: Tool, text: Text) -> JsonValue:
    """Return the object whose required fields (all, where none is required) `text` says, each with words of its own."""
    fields: dict[str, JsonValue] = {}
    taken: list[Said] = []
    for inner in parameter.properties:
        is_span = kind_of(inner) in ("date", "datetime")  # both ends of a period may stand in the same words
        least = REQUIRED_STRENGTH if inner.is_required and text.is_answer else OPTIONAL_STRENGTH
        for said in said_values(inner, tool, text):
            is_free = is_span or not any(said.start < other.end and other.start < said.end for other in taken)
            if is_free and (said.strength >= least or _goes_on(said, inner, taken, text)):
                fields[inner.name] = said.value
                taken.append(said)
                break
    needed = [inner.name for inner in parameter.properties if inner.is_required] or [
        inner.name for inner in parameter.properties
    ]
    return fields if fields and all(name in fields for name in needed) else None


def _goes_on(said: Said, inner: Parameter, taken: Sequence[Said], text: Text) -> bool:
    """Whether a number follows one of the same object with few words between ("11 cm high and 9 across")."""
    if kind_of(inner) != "number" or not taken:
        return False
    between = text.text[taken[-1].end : said.start]
    return said.start >= taken[-1].end and len(between.split()) <= 3 and not re.search(r"[.;!?]\s", between)


def _counted_things(element: Parameter, text: str) -> JsonValue:
    """Return the list that "250 grams of flour, 500 of milk" says for objects of a number and a name."""
    numeric = [inner.name for inner in element.properties if inner.type in ("number", "integer")]
    textual = [inner.name for inner in element.properties if inner.type == "string"]
    if len(numeric) != 1 or len(textual) != 1:
        return None
    said = amounts_of_things(text)
    things: list[JsonValue] = [{textual[0]: thing, numeric[0]: whole(number)} for number, thing in said]
    return things or None

"""Lists of things with a number each, and persons with their particulars, as a request tells them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from agent.planners.rules.composites import REQUIRED_STRENGTH
from agent.planners.rules.entries import Entry, Group, field_for
from agent.planners.rules.kinds import kind_of
from agent.planners.rules.said_values import said_values
from agent.planners.rules.segments import clauses, sentences
from agent.planners.rules.tool_text import content_terms
from agent.planners.rules.utterance import Said, Text
from memory.language.text import split_name
from memory.tools import Parameter, Tool

LEAST_SHARED = 2
"""Chinese characters in a row that a clause and an entry must have in common."""
_CJK_RUN = re.compile(r"[\u4e00-\u9fff]{2,}")
_PHONE = re.compile(r"(?<![\w-])\+?\d[\d -]{5,}\d(?![\w-])")
_PHONE_NAME = re.compile(r"phone|mobile|tel|电话|手机", re.IGNORECASE)
_ADDRESS_NAME = re.compile(r"addr|street|地址", re.IGNORECASE)
MOST_BETWEEN = 8
"""Characters between a name and the phone number that is theirs."""


def things(parameter: Parameter, tool: Tool, text: Text, groups: Sequence[Group]) -> JsonValue:
    """Return the list or object that `text` says by the things it names, or `None`.

    A list of objects with one number and one thing takes every allowed value that is named, with the number before it
    or 1, or every listed entry that a clause with a number names. An object with a phone number takes what stands
    beside one.
    """
    element = parameter.items
    if parameter.type == "object":
        return _person(parameter, text)
    if element is None or element.type != "object":
        return None
    numbers = [inner for inner in element.properties if inner.type in ("integer", "number")]
    others = [inner for inner in element.properties if inner not in numbers and inner.is_required]
    if len(numbers) != 1 or len(others) != 1:
        return None
    thing, number = others[0], numbers[0]
    if kind_of(thing) == "enum":
        return list(_allowed_things(thing, number, tool, text)) or None
    if kind_of(thing) == "id":
        return list(_entries_named(thing, number, tool, text, groups)) or None
    return None


def _allowed_things(thing: Parameter, number: Parameter, tool: Tool, text: Text) -> Iterator[JsonValue]:
    named: dict[str, Said] = {}
    for said in said_values(thing, tool, text):
        if said.strength >= REQUIRED_STRENGTH:
            named.setdefault(str(said.value), said)
    counts = text.of_kind("number")
    for said in sorted(named.values(), key=lambda one: one.start):
        ahead = [one for one in counts if one.end <= said.start and len(text.text[one.end : said.start].split()) <= 1]
        count = ahead[-1].value if ahead else 1
        yield {thing.name: said.value, number.name: count}


def _entries_named(
    thing: Parameter, number: Parameter, tool: Tool, text: Text, groups: Sequence[Group]
) -> Iterator[JsonValue]:
    group = next((one for one in groups if field_for(thing, one) is not None and len(one.entries) > 1), None)
    key = field_for(thing, group) if group is not None else None
    if group is None or key is None:
        return
    for part in clauses(text.text):
        amounts = [one for one in said_values(number, tool, Text(part.text, text.now)) if one.strength >= 0.3]
        scores = [_shared(entry, part.text) for entry in group.entries]
        best = max(scores)
        if amounts and best >= LEAST_SHARED and scores.count(best) == 1:
            yield {thing.name: group.entries[scores.index(best)][key], number.name: amounts[0].value}


def _shared(entry: Entry, clause: str) -> int:
    """Return how much of a text of `entry` the clause says: Chinese characters in a row, or words twice over."""
    words = set(content_terms(clause))
    return max((_shared_text(value, clause, words) for value in entry.values() if isinstance(value, str)), default=0)


def _shared_text(value: str, clause: str, words: set[str]) -> int:
    runs = [run.group() for run in _CJK_RUN.finditer(value)]
    longest = max(
        (b - a for run in runs for a in range(len(run)) for b in range(a + 2, len(run) + 1) if run[a:b] in clause),
        default=0,
    )
    return max(longest, 2 * len(words & set(content_terms(value))) if not runs else 0)


def _person(parameter: Parameter, text: Text) -> JsonValue:
    """Return a person whose phone number is told: the last name before it, and what follows in the sentence."""
    roles = {_role(inner): inner.name for inner in parameter.properties}
    phone = _PHONE.search(text.text) if "phone" in roles else None
    if phone is None:
        return None
    found: dict[str, JsonValue] = {roles["phone"]: phone.group()}
    names = [one for one in text.mentions if one.kind == "name" and 0 <= phone.start() - one.end <= MOST_BETWEEN]
    if "name" in roles and names:
        found[roles["name"]] = names[-1].value
    sentence = next((part for part in sentences(text.text) if part.start <= phone.start() < part.end), None)
    rest = text.text[phone.end() : sentence.end].strip(" ,;，；、:：") if sentence is not None else ""
    if "address" in roles and any(char.isdigit() for char in rest):
        found[roles["address"]] = rest
    needed = [inner.name for inner in parameter.properties if inner.is_required]
    return {name: found[name] for name in needed} if all(name in found for name in needed) else None


def _role(inner: Parameter) -> str:
    told = f"{' '.join(split_name(inner.name))} {inner.description}"
    return "phone" if _PHONE_NAME.search(told) else "address" if _ADDRESS_NAME.search(told) else "name"

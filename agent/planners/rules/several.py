"""Several things in one request that a tool takes one at a time."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import JsonValue

from agent.planners.rules.arguments import Filled, Filler
from agent.planners.rules.composites import REQUIRED_STRENGTH
from agent.planners.rules.entries import field_for, leaves
from agent.planners.rules.kinds import kind_of, role_of
from agent.planners.rules.said_values import said_values
from agent.planners.rules.tool_text import content_terms
from agent.planners.rules.utterance import Said, Text
from memory.language.values.values import canonical_key
from memory.tools import Parameter, Tool

_BOTH = re.compile(
    r"\bboth\b|\bthe pair\b|\b(?:the|those|these) two\b|\btwo more\b|\beach of\b|\beither end\b"
    r"|两[个边头样部本]|俩|分别",
    re.IGNORECASE,
)


def several(tool: Tool, filled: Filled, filler: Filler) -> tuple[Parameter, list[JsonValue]] | None:
    """Return the one required argument for which several values are given, and the values, or `None`."""
    text = Text(filler.situation.request, filler.situation.now)
    singles = [
        parameter
        for parameter in tool.required
        if parameter.type not in ("array", "object", "boolean") and role_of(parameter) is None
    ]
    for parameter in singles:
        kind = kind_of(parameter)
        if kind in ("date", "datetime", "time", "number", "year"):
            continue
        found = [said for said in said_values(parameter, tool, text) if said.strength >= REQUIRED_STRENGTH]
        values = _parallel(found, text, is_exact=kind in ("url", "id", "email", "ip"))
        if len(values) > 1:
            return parameter, values
        if not values and _means_both(filled, text.text):
            returned = _both_returned(parameter, filler)
            if len(returned) == 2:
                return parameter, returned
    return None


def _means_both(filled: Filled, text: str) -> bool:
    """Whether `text` speaks of two things, other than those that it says as a value ("the two mattresses")."""
    said = {term for name in filled.said_names for leaf in leaves(filled.arguments.get(name)) for term in _terms(leaf)}
    return any(not said & set(_terms(text[match.end() :].lstrip().split(" ")[0])) for match in _BOTH.finditer(text))


def _terms(value: JsonValue) -> tuple[str, ...]:
    return content_terms(str(value))


def _parallel(found: Sequence[Said], text: Text, *, is_exact: bool) -> list[JsonValue]:
    """Return the distinct values that stand side by side: all exact ones; names if joined, or if "both" is said."""
    ordered = sorted(found, key=lambda said: said.start)
    if not is_exact and not _BOTH.search(text.text):
        best = max((said.strength for said in ordered), default=0.0)
        ordered = [said for said in ordered if said.strength >= best - 0.05]
        joined = ordered[:1]
        for said in ordered[1:]:
            between = text.text[joined[-1].end : said.start]
            is_joined = re.fullmatch(r"\s?(?:,|，|、|and|和|跟|与|&|\n)?\s?(?:and|和)?\s?", between) and between.strip()
            if is_joined or re.fullmatch(r"[^。.!！?？]{0,6}(?:还有|以及|和)[^。.!！?？]{0,4}", between):
                joined.append(said)
        ordered = joined
    elif not is_exact:
        best = max((said.strength for said in ordered), default=0.0)
        ordered = [said for said in ordered if said.strength >= best - 0.25]
    else:
        best = max((said.strength for said in ordered), default=0.0)
        ordered = [said for said in ordered if said.strength >= best - 0.1]
    return list({canonical_key(said.value): said.value for said in ordered}.values())


def _both_returned(parameter: Parameter, filler: Filler) -> list[JsonValue]:
    """Return the values that the latest observation with such a field gives for `parameter`."""
    groups = [group for group in filler.past.topic_groups if field_for(parameter, group) is not None]
    if not groups:
        return []
    values: dict[str, JsonValue] = {}
    for group in reversed([group for group in groups if group.tool == groups[0].tool]):
        key = field_for(parameter, group)
        for entry in group.entries:
            if key is not None and entry.get(key) is not None:
                values.setdefault(canonical_key(entry[key]), entry[key])
    return list(values.values())

"""What a turn is to do: the tools that the request calls for, and for each the calls with their arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pydantic import JsonValue

from agent.planners.rules.arguments import Filled, Filler
from agent.planners.rules.composites import REQUIRED_STRENGTH
from agent.planners.rules.entries import field_for, with_field
from agent.planners.rules.kinds import kind_of, role_of
from agent.planners.rules.past_values import Past
from agent.planners.rules.said_values import said_values
from agent.planners.rules.segments import Segment, clauses
from agent.planners.rules.tool_choice import Choice, choose_tools
from agent.planners.rules.utterance import Said, Text
from agent.planners.rules.verbs import (
    asks_what_can_be_done,
    deeds_of,
    deeds_said,
    is_bare_statement,
    is_greeting,
    is_thanks,
)
from clarifier.decision import Situation
from clarifier.effects import effect_of
from clarifier.grounding.look_up import suppliers
from clarifier.settings import Settings
from memory.embedder import Embedder
from memory.evidence import Slot
from memory.text import split_name
from memory.tools import Parameter, Tool
from memory.typed.values import canonical_key

MAX_CALLS_OF_A_TOOL = 5
"""More of one kind in a request is rather a list that names something else."""


@dataclass(frozen=True)
class Goal:
    """A call that the turn is to make, as far as it is known."""

    tool: Tool
    filled: Filled
    focus: tuple[Segment, ...] = field(default=())

    @property
    def is_ready(self) -> bool:
        """Whether every required argument is known."""
        return not self.filled.missing


class Goals(NamedTuple):
    """What a turn is to do."""

    calls: list[Goal]
    """In the order in which the request speaks of them; none for small talk."""
    certainty: float | None = None
    """Probability that these are the tools that the request calls for; `None` where it calls for none."""


def goals_of(situation: Situation, embedder: Embedder | None) -> Goals:
    """Return the calls that the request calls for."""
    # Which tools are called for is a matter of the request: what came of the first calls must not change it.
    request = situation.request
    if is_greeting(request) or is_thanks(request) or asks_what_can_be_done(request) or is_bare_statement(request):
        return Goals([])
    start = replace(situation, steps=(), hints=())
    chosen = choose_tools(start, Filler(start, Past(start)), embedder)
    filler = Filler(situation, Past(situation))
    goals = [goal for choice in chosen.tools for goal in _calls(choice, filler)]
    goals += [goal for tool in _act_that_follows(goals, start) for goal in _calls(Choice(tool, 1.0, ()), filler)]
    sources = {goal.tool.name: _sources(goal, filler) for goal in goals}
    planned = {goal.tool.name for goal in goals}
    called = {call.name for step in situation.call_steps for call in step.calls}
    is_search = bool(_FIND.search(situation.request))
    goals = [_fresh(goal, sources[goal.tool.name], planned - called, is_search and not called) for goal in goals]
    return Goals([*_suppliers(goals, sources, filler), *goals], chosen.certainty if goals else None)


def _act_that_follows(goals: Sequence[Goal], start: Situation) -> list[Tool]:
    """Return the change that the request asks for by its deed and that acts on what the look-ups return, if one does.

    "Find one and book it": the words tell of the search; the deed and the id that the search gives out tell the rest.
    """
    reads = {goal.tool.name for goal in goals if effect_of(goal.tool) == "read"}
    if not reads or len(reads) < len({goal.tool.name for goal in goals}):
        return []
    said = deeds_said(start.request) & _CHANGING
    filler = Filler(start, Past(start))
    fitting = [
        tool
        for tool in start.tools
        if effect_of(tool) != "read"
        and deeds_of(tool) & said
        and any(reads & set(names) for names in _sources(Goal(tool, Filled()), filler).values())
    ]
    return fitting if len(fitting) == 1 else []


_CHANGING = frozenset(("book", "create", "change", "cancel", "send"))


def _searches(goal: Goal, name: str, filler: Filler) -> list[Tool]:
    """Return the searches on offer, for an id that a change waits for and that no tool is named after."""
    parameter = goal.tool.parameter(name)
    if parameter is None or kind_of(parameter) != "id" or effect_of(goal.tool) == "read":
        return []
    called = {call.name for step in filler.situation.call_steps for call in step.calls}
    return [
        tool
        for tool in filler.situation.tools
        if split_name(tool.name)[:1] in (("search",), ("find",)) and tool.name not in called
    ]


_FIND = re.compile(
    r"\blook (?:it|them|one)? ?up\b|\blook,|\bfind (?:it|one|what|me|out)\b|\bsearch\b"
    r"|\bthe (?:first|earliest|next) (?:one )?(?:they|you|that)\b"
    r"|先[看查找]|找[个出一]|你找|里找|到.{0,8}找",
    re.IGNORECASE,
)


def _sources(goal: Goal, filler: Filler) -> dict[str, tuple[str, ...]]:
    """Return per required argument of a goal the tools that can supply it in this turn, best first.

    Those come first that were seen to return lists with such a field; then those whose schema promises it.
    """
    situation = filler.situation
    groups = [group for group in (*filler.past.topic_groups, *filler.past.earlier_groups) if len(group.entries) > 1]
    called = {call.name for step in situation.call_steps for call in step.calls} | {goal.tool.name}
    found: dict[str, tuple[str, ...]] = {}
    for parameter in goal.tool.required:
        seen = [group.tool for group in with_field(groups, parameter)] if kind_of(parameter) in ("id", "url") else []
        offered = [tool for name in seen if name not in called and (tool := situation.tool(name)) is not None]
        promised = suppliers(Slot(goal.tool.name, parameter.name), parameter, situation, Settings())
        found[parameter.name] = tuple(
            dict.fromkeys((*(tool.name for tool in offered if effect_of(tool) == "read"), *promised))
        )
    return found


def _fresh(goal: Goal, sources: dict[str, tuple[str, ...]], coming: set[str], is_search: bool) -> Goal:
    """Take away what an earlier observation gave where this turn is to look it up anew."""
    stale = {
        name
        for name in goal.filled.arguments.keys() - goal.filled.said_names
        if (is_search and sources.get(name)) or coming & set(sources.get(name, ())) - {goal.tool.name}
    }
    if not stale:
        return goal
    kept = {name: value for name, value in goal.filled.arguments.items() if name not in stale}
    missing = tuple(p.name for p in goal.tool.required if p.name in stale or p.name in goal.filled.missing)
    return replace(goal, filled=replace(goal.filled, arguments=kept, missing=missing))


def _suppliers(goals: Sequence[Goal], sources: dict[str, dict[str, tuple[str, ...]]], filler: Filler) -> list[Goal]:
    """Return the look-ups that the goals wait for, where the request itself says what to look up.

    Where it does not, the value is left out, and the clarifier decides whether to look it up or to ask.
    """
    planned = {goal.tool.name for goal in goals}
    found: dict[str, Goal] = {}
    for goal in goals:
        for name in goal.filled.missing:
            names = sources[goal.tool.name].get(name, ())
            if planned & set(names) or _is_listed(goal, name, filler):
                continue
            tools = [tool for one in names if (tool := filler.situation.tool(one)) is not None] or _searches(
                goal, name, filler
            )
            offers = [
                Goal(tool, filled) for tool in tools if not (filled := filler.fill(tool, ())).missing and filled.said
            ]
            if offers:
                best = max(offers, key=lambda offer: offer.filled.said)
                found.setdefault(best.tool.name, best)
    return list(found.values())


def _is_listed(goal: Goal, name: str, filler: Filler) -> bool:
    """Whether this turn has listed values for the argument already, so that it is only open which is meant."""
    parameter = goal.tool.parameter(name)
    return parameter is not None and any(with_field(filler.past.own_groups, parameter))


def calls_of(tool: Tool, situation: Situation) -> list[Goal]:
    """Return the calls of one given tool that the request calls for."""
    return list(_calls(Choice(tool, 1.0, ()), Filler(situation, Past(situation))))


_BOTH = re.compile(
    r"\bboth\b|\bthe pair\b|\b(?:the|those|these) two\b|\btwo more\b|\beach of\b|\beither end\b"
    r"|两[个边头样部本]|俩|分别",
    re.IGNORECASE,
)
_ROUND = re.compile(r"\bout and back\b|\bthere and back\b|\bround[ -]trip\b|\bboth ways\b|往返|来回", re.IGNORECASE)


def _calls(choice: Choice, filler: Filler) -> Iterator[Goal]:
    """Yield one call, or several where the request names several things that the tool takes one at a time."""
    tool = choice.tool
    filled = filler.fill(tool, choice.focus)
    several = _several(tool, filled, filler)
    if several is not None:
        parameter, values = several
        for value in values[:MAX_CALLS_OF_A_TOOL]:
            missing = tuple(name for name in filled.missing if name != parameter.name)
            arguments = _in_order(tool, {**filled.arguments, parameter.name: value})
            yield Goal(tool, replace(filled, arguments=arguments, missing=missing), choice.focus)
        return
    yield Goal(tool, filled, choice.focus)
    if _ROUND.search(filler.situation.request) and (back := _way_back(tool, filled)) is not None:
        yield Goal(tool, back, choice.focus)


def _in_order(tool: Tool, arguments: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {parameter.name: arguments[parameter.name] for parameter in tool.parameters if parameter.name in arguments}


def _several(tool: Tool, filled: Filled, filler: Filler) -> tuple[Parameter, list[JsonValue]] | None:
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
        if not values and _BOTH.search(text.text):
            returned = _both_returned(parameter, filler)
            if len(returned) == 2:
                return parameter, returned
    return None


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


def _way_back(tool: Tool, filled: Filled) -> Filled | None:
    """Return the call with the ends of the journey exchanged, or `None` where it has no two ends."""
    ends = {
        role: parameter.name
        for parameter in tool.required
        if (role := role_of(parameter)) is not None
        and parameter.name in filled.arguments
        and kind_of(parameter) in ("place", "text")
    }
    if len(ends) < 2:
        return None
    arguments = dict(filled.arguments)
    arguments[ends["from"]], arguments[ends["to"]] = arguments[ends["to"]], arguments[ends["from"]]
    return replace(filled, arguments=arguments)


def focus_of(request: str, shares: Sequence[float], least: float) -> tuple[Segment, ...]:
    """Return the clauses whose share for a tool is at least `least`."""
    return tuple(part for part, share in zip(clauses(request), shares, strict=True) if share >= least)

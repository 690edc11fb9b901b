"""What a turn is to do: the tools that the request calls for, and for each the calls with their arguments."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pydantic import JsonValue

from agent.planners.rules.arguments import Filled, Filler
from agent.planners.rules.entries import Group, field_for, leaves, named_entry, with_field
from agent.planners.rules.kinds import kind_of, role_of
from agent.planners.rules.past_values import Past
from agent.planners.rules.segments import Segment
from agent.planners.rules.several import several
from agent.planners.rules.tool_choice import Choice, choose_tools
from agent.planners.rules.verbs import (
    asks_what_can_be_done,
    asks_what_is_known,
    deeds_forbidden,
    deeds_of,
    deeds_said,
    is_bare_statement,
    is_confidence,
    is_greeting,
    is_thanks,
)
from clarifier.decision import Situation
from clarifier.effects import effect_of
from clarifier.grounding.look_up import suppliers
from clarifier.settings import Settings
from memory.embedder import Embedder
from memory.evidence import Slot
from memory.language.values.values import canonical_key, equal
from memory.tools import Tool

_WITHOUT_CALLS = (is_greeting, is_thanks, asks_what_can_be_done, asks_what_is_known, is_bare_statement, is_confidence)
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
    if any(asks_for_none(request) for asks_for_none in _WITHOUT_CALLS):
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
    anew = frozenset() if called else _asked_anew(sources, filler)
    goals = [_fresh(goal, sources[goal.tool.name], planned - called, is_search and not called) for goal in goals]
    goals = [_fresh(goal, _unpicked(sources[goal.tool.name], goal, filler), anew, False) for goal in goals]
    return Goals([*_suppliers(goals, sources, filler), *goals], chosen.certainty if goals else None)


def _act_that_follows(goals: Sequence[Goal], start: Situation) -> list[Tool]:
    """Return the change that the request asks for by its deed and that acts on what the look-ups return, if one does.

    "Find one and book it": the words tell of the search; the deed and the id that the search gives out tell the rest.
    Instead of the deed, a required value that the request says and only the change takes tells of it too.
    """
    reads = {goal.tool.name for goal in goals if effect_of(goal.tool) == "read"}
    if not reads or len(reads) < len({goal.tool.name for goal in goals}):
        return []
    said = deeds_said(start.request) & _CHANGING
    forbidden = deeds_forbidden(start.request)
    filler = Filler(start, Past(start))
    told = {canonical_key(leaf) for goal in goals for leaf in leaves(goal.filled.arguments)}
    fitting = [
        tool
        for tool in start.tools
        if effect_of(tool) != "read"
        and not deeds_of(tool) & forbidden
        and (deeds_of(tool) & said or _says_more(tool, told, filler))
        and any(reads & set(names) for names in _sources(Goal(tool, Filled()), filler).values())
    ]
    return fitting if len(fitting) == 1 else []


def _says_more(tool: Tool, told: Collection[str], filler: Filler) -> bool:
    """Whether the request says more than one value for required arguments of `tool` that is not in `told`."""
    filled = filler.fill(tool)
    said = [filled.arguments[parameter.name] for parameter in tool.required if parameter.name in filled.firm_names]
    return len({canonical_key(leaf) for value in said for leaf in leaves(value)} - set(told)) > 1


_CHANGING = frozenset(("book", "create", "change", "cancel", "send"))


_FIND = re.compile(
    r"\blook (?:it|them|one)? ?up\b|\blook,|\bfind (?:it|one|what|me|out)\b|\bsearch\b"
    r"|\bthe (?:first|earliest|next) (?:one )?(?:they|you|that)\b"
    r"|先[看查找]|找[个出一]|你找|里找|到.{0,8}找",
    re.IGNORECASE,
)


def _sources(goal: Goal, filler: Filler) -> dict[str, tuple[str, ...]]:
    """Return per required argument of a goal the tools that can supply it in this turn, best first.

    Those come first that its description names or that were seen to give such a value out; then those whose own schema
    promises it.
    """
    situation = filler.situation
    groups = [*filler.past.topic_groups, *filler.past.earlier_groups]
    called = {call.name for step in situation.call_steps for call in step.calls} | {goal.tool.name}
    found: dict[str, tuple[str, ...]] = {}
    for parameter in goal.tool.required:
        fitting = with_field(groups, parameter) if kind_of(parameter) in ("id", "url") else ()
        seen = [group.tool for group in fitting if field_for(parameter, group) not in group.arguments]
        seen = [*(tool.name for tool in situation.tools if _names(parameter.description, tool)), *seen]
        offered = [tool for name in seen if name not in called and (tool := situation.tool(name)) is not None]
        promised = suppliers(Slot(goal.tool.name, parameter.name), parameter, situation, Settings())
        found[parameter.name] = tuple(
            dict.fromkeys((*(tool.name for tool in offered if effect_of(tool) == "read"), *promised))
        )
    return found


def _names(description: str, tool: Tool) -> bool:
    """Whether a description names a tool: "as returned by list_slots"."""
    return bool(re.search(rf"(?<![A-Za-z0-9_]){re.escape(tool.name)}(?![A-Za-z0-9_])", description))


def _fresh(goal: Goal, sources: dict[str, tuple[str, ...]], coming: Collection[str], is_search: bool) -> Goal:
    """Take away what an earlier observation gave where this turn is to look it up anew."""
    stale = {
        name
        for name in goal.filled.arguments.keys() - goal.filled.said_names
        if (is_search and sources.get(name)) or set(coming) & set(sources.get(name, ())) - {goal.tool.name}
    }
    if not stale:
        return goal
    kept = {name: value for name, value in goal.filled.arguments.items() if name not in stale}
    missing = tuple(p.name for p in goal.tool.required if p.name in stale or p.name in goal.filled.missing)
    return replace(goal, filled=replace(goal.filled, arguments=kept, missing=missing))


def _asked_anew(sources: dict[str, dict[str, tuple[str, ...]]], filler: Filler) -> frozenset[str]:
    """Return the sources of the goals that the topic asked for something else than what this request names."""
    found: set[str] = set()
    for name in {name for by_argument in sources.values() for names in by_argument.values() for name in names}:
        tool = filler.situation.tool(name)
        last = filler.past.last_call(tool) if tool is not None else None
        if tool is None or last is None:
            continue
        filled = filler.fill(tool)
        said = [parameter for parameter in tool.required if parameter.name in filled.firm_names]
        if any(not equal(filled.arguments[one.name], last.arguments.get(one.name), one) for one in said):
            found.add(name)
    return frozenset(found)


def _unpicked(sources: dict[str, tuple[str, ...]], goal: Goal, filler: Filler) -> dict[str, tuple[str, ...]]:
    """Return the sources without those of arguments for which the request picks one entry of several.

    Where it says all that a new list needs, a place or an extreme ("the first", "the cheapest") picks of that one.
    """
    situation = filler.situation
    picked = {
        parameter.name
        for parameter in goal.tool.required
        if parameter.name in goal.filled.chosen_names
        and len(entries := next(iter(with_field(filler.past.topic_groups, parameter)), Group(())).entries) > 1
        and (
            named_entry(entries, situation.request, situation.now) is not None
            or not any(_is_said_in_full(name, filler) for name in sources[parameter.name])
        )
    }
    return {name: names for name, names in sources.items() if name not in picked}


def _is_said_in_full(name: str, filler: Filler) -> bool:
    """Whether the request says every required argument of a tool."""
    tool = filler.situation.tool(name)
    return tool is not None and {one.name for one in tool.required} <= filler.fill(tool).firm_names


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
            tools = [tool for one in names if (tool := filler.situation.tool(one)) is not None]
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


_ROUND = re.compile(r"\bout and back\b|\bthere and back\b|\bround[ -]trip\b|\bboth ways\b|往返|来回", re.IGNORECASE)


def _calls(choice: Choice, filler: Filler) -> Iterator[Goal]:
    """Yield one call, or several where the request names several things that the tool takes one at a time."""
    tool = choice.tool
    filled = filler.fill(tool, choice.focus)
    more = several(tool, filled, filler)
    if more is not None:
        parameter, values = more
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

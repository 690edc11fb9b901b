"""Things that a request describes without naming them: a day by what happened then, something not heard of before."""

from __future__ import annotations

import re
from dataclasses import dataclass

from agent.planners.rules.kinds import noun_stems
from agent.planners.rules.tool_text import content_terms
from memory.language.text import split_name, stem
from memory.tools import Parameter, Tool

_TIMES = "day|date|night|evening|morning|afternoon|week|weekend|month|year|winter|summer|spring|autumn"
_DAY = re.compile(
    rf"\bthe (?:very )?(?:{_TIMES})\s(?:that |when |on which )?"
    r"(?P<what>(?:my|our|we|i|he|she|they|the|his|her|their|it|\w+[’']s)\b[^,.;!?]*)"
    r"|(?P<what_zh>[\u4e00-\u9fff]{3,})的?(?:那[一]?[天晚次回年]|当天)",
    re.IGNORECASE,
)


def described_day(text: str) -> tuple[str, ...] | None:
    """Return the content terms by which `text` describes a day ("the day the truck got stuck"), `None` without such."""
    match = _DAY.search(text)
    return content_terms(match["what"] or match["what_zh"]) if match is not None else None


_NEW = re.compile(
    r"\b(?:one|a|some) (?:particular|certain|special) (?P<noun>[a-z]+)"
    r"|\b(?:an?|one) (?:\w+ )?(?P<related>[a-z]+) (?:that|which|who)(?:[’']s|\b)"
    r"|[有某][一那]?[个只条首本家部种位](?P<zh>[\u4e00-\u9fff]{1,4})"
    r"|[昨前上][\u4e00-\u9fff]{3,}那[首个只条本家部份双]",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class NewThing:
    """Something that a request brings up without a name: "one particular fish", "a share that he's in love with"."""

    noun: str | None
    """What it is called, as a stem; `None` where only the wording tells that it is something else than before."""

    def may_be(self, parameter: Parameter, tool: Tool) -> bool:
        """Whether `parameter` asks for such a thing: its own words have the noun, or those of no other argument do."""
        if self.noun is None:
            return True
        mine = noun_stems(parameter) | frozenset(stem(word) for word in split_name(tool.name))
        others = frozenset().union(*(noun_stems(other) for other in tool.required if other.name != parameter.name))
        return self.noun in mine or self.noun not in others


def new_thing(text: str) -> NewThing | None:
    """Return what `text` brings up for the first time without naming it, `None` where it does no such thing."""
    match = _NEW.search(text)
    if match is None:
        return None
    noun = match["noun"] or match["related"] or match["zh"]
    return NewThing(stem(noun.casefold()) if noun else None)


_ONLY = re.compile(
    r"(?:^|[;,.(])\s*(?P<what>[\w\s-]{3,40}?)\sonly\b|\bonly for (?P<for>[\w\s-]{3,40})"
    r"|仅(?:限|用于)?(?P<zh>[\u4e00-\u9fff]{2,12})"
)


def restriction(parameter: Parameter) -> frozenset[str]:
    """Return the terms of what a description restricts an argument to ("wheel sessions only"); empty without such."""
    match = _ONLY.search(parameter.description)
    if match is None:
        return frozenset()
    return frozenset(content_terms(match["what"] or match["for"] or match["zh"])[:1])

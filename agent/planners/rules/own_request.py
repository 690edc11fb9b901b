"""Telling what a person says to a question that is no answer to it, but a request of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from agent.planners.rules.clause_table import CLAUSE_LEAST, OWN_CLAUSE_MARGIN
from agent.planners.rules.kinds import kind_of
from agent.planners.rules.said_values import said_values
from agent.planners.rules.segments import clauses, is_asking
from agent.planners.rules.tool_text import content_terms, tool_texts
from agent.planners.rules.utterance import Text
from agent.planners.rules.verbs import (
    asks_what_can_be_done,
    asks_what_is_known,
    deeds_of,
    deeds_said,
    is_bare_statement,
    is_confidence,
    is_greeting,
)
from agent.planners.rules.whereabouts import points_only
from clarifier.asking.answering import CONTENT
from clarifier.grounding.replies import calls_off, leaves_open
from memory.language.speech import answer_kind
from memory.language.text import normalise, split_name
from memory.state.cues import is_correction
from memory.tools import Parameter, Tool

_YES = re.compile(r"(?:yes|yeah|yep|sure|ok(?:ay)?|please do|go ahead|fine|right)\b|好|可以|行|是|对|嗯")
"""How an answer begins that agrees; whatever follows goes with the call that was asked about."""
_OPENING = re.compile(
    r"^(?:h+m+|u+m+|oh|ah|well|no+|nope|wait|sorry|actually|hey|by the way|不是?|嗯+|哦|啊|等等|对了)\W*$",
    re.IGNORECASE,
)
"""Interjections that make up a clause before anything is said."""
_WEAK_DEEDS = frozenset(("forecast", "create"))
"""Deeds that "tomorrow" and "make it two" already tell of."""
_TAKES_ANYTHING = ("text", "id", "object", "array")
"""Kinds of which any words may be a value: what the message is to say, or which of the listed things is meant."""


def is_own_request(said: str, slots: Sequence[str], tools: Sequence[Tool], now: datetime | None = None) -> bool:
    """Return whether `said`, in reply to a question for `slots` (as `tool.argument`), asks for something else.

    It does where it asks something and has no value for what was asked, or names what another tool is about ("what is
    the weather?" to "which day do you travel?"). What leaves the question open or calls all off is no request.
    """
    asked = _asked(slots, tools)
    if not asked or calls_off(said) or _YES.match(normalise(said)):
        return False
    if any(points_only(parameter, said.rstrip(" .!。！")) for _, parameter in asked):
        return False
    if is_greeting(said) or asks_what_can_be_done(said) or asks_what_is_known(said):
        return True
    if (is_bare_statement(said) or is_confidence(said)) and all(kind_of(one) == "id" for _, one in asked):
        return True
    has_value = any(_may_be(said, tool, parameter, now) for tool, parameter in asked)
    about = [tool for tool, _ in asked]
    lead = _lead(said)
    is_plain_order = not _takes_words(asked) and not _is_typed(said, asked, now) and answer_kind(said, "") == "orders"
    if _names_other(lead, about, tools):
        return is_asking(lead) or not has_value or is_correction(said) or is_plain_order
    is_order = bool((deeds_said(lead) - _WEAK_DEEDS).difference(*map(deeds_of, about)))
    if (is_asking(lead) or is_order) and not has_value and not leaves_open(said):
        return True
    is_told = not _takes_words(asked) and not _is_typed(said, asked, now) and answer_kind(said, "") == "tells"
    return is_plain_order or is_told


def _takes_words(asked: Sequence[tuple[Tool, Parameter]]) -> bool:
    """Whether any words may be the answer, orders and reports too: what a message is to say."""
    return any(CONTENT & set(split_name(parameter.name)[-1:]) for _, parameter in asked)


def _is_typed(said: str, asked: Sequence[tuple[Tool, Parameter]], now: datetime | None) -> bool:
    """Whether the words hold a value of a type that not any words have: a day, a number, a member of an enum."""
    typed = [one for one in asked if kind_of(one[1]) not in _TAKES_ANYTHING]
    return any(_may_be(said, tool, parameter, now) for tool, parameter in typed)


def _lead(said: str) -> str:
    """Return the first clause that says something, with its mark, or nothing ("hm, let me see").

    An answer stands there, whatever is added to it.
    """
    for clause in clauses(said):
        if content_terms(_OPENING.sub("", clause.text)):
            return said[clause.start : clause.end + 1]
    return ""


def _asked(slots: Sequence[str], tools: Sequence[Tool]) -> list[tuple[Tool, Parameter]]:
    own = {tool.name: tool for tool in tools}
    named = [(own[name], argument) for name, _, argument in (slot.rpartition(".") for slot in slots) if name in own]
    return [(tool, parameter) for tool, argument in named if (parameter := tool.parameter(argument)) is not None]


def _may_be(said: str, tool: Tool, parameter: Parameter, now: datetime | None) -> bool:
    """Whether the words may hold a value for `parameter`."""
    return kind_of(parameter) in _TAKES_ANYTHING or bool(said_values(parameter, tool, Text(said, now, is_answer=True)))


def _names_other(said: str, about: Sequence[Tool], tools: Sequence[Tool]) -> bool:
    """Whether the words speak clearly more of another tool on offer than of those the question was about."""
    texts, words = tool_texts(tools), content_terms(said)
    names = {tool.name for tool in about}
    own = max((texts.overlap(words, index) for index, tool in enumerate(tools) if tool.name in names), default=0.0)
    other = max(
        (texts.overlap(words, index) for index, tool in enumerate(tools) if tool.name not in names), default=0.0
    )
    return other >= CLAUSE_LEAST and other - own >= OWN_CLAUSE_MARGIN

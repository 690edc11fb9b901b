"""Exact values by what people call them: "公司在 13.3889,52.5170" and later "去公司"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from agent.planners.rules.kinds import ValueKind, kind_of, noun_stems, role_of
from agent.planners.rules.segments import named
from agent.planners.rules.tool_text import content_terms
from memory.language.text import stem
from memory.language.text_cache import text_cache
from memory.records import Turn
from memory.state.user_state import accepts
from memory.tools import Parameter

TOLD: frozenset[ValueKind] = frozenset(("id", "url", "email", "coordinates"))
"""Kinds of values that people speak of by what they stand for."""
LEAST_LETTERS = 2
"""A name of so few Latin letters is the rest of a word ("that's")."""
LOOK_BEHIND = 24
"""Characters before a value in which its name stands."""
_JOIN = r"(?:(?:[，,]|\s(?:is|at|lives|are|on|as))*(?:\s(?:is|at|on))?[:：]?\s|[在是为叫：:（(]\s?)"
_LABEL = re.compile(rf"(?P<label>[\u4e00-\u9fff]{{1,4}}?(?=\s?[在是为叫：:（(])|[A-Za-z]+){_JOIN}$")
_FROM = re.compile(r"(?:从|\bfrom\s(?:the\s|my\s)?)(?P<label>[\u4e00-\u9fff]{1,6}|[A-Za-z]+)")
_TO = re.compile(r"(?:[到去回往绕]|\bto\s(?:the\s|my\s)?)(?P<label>[\u4e00-\u9fff]{1,6}|[A-Za-z]+)")
_CJK = re.compile(r"[\u4e00-\u9fff]")
_OWN = re.compile(r"^(?:我们?|咱们?|新|my|our)")
_MOVE = re.compile(r"[到去往出走骑开绕]")


def labels(turns: Sequence[Turn], request: str) -> dict[str, JsonValue]:
    """Return what requests called exact values, the latest for each name ("my" and "new" left out)."""
    found: dict[str, JsonValue] = {}
    for text in (*(turn.request for turn in turns), request):
        found.update(_labels(text) if _EXACT.search(text) else ())
    return found


@text_cache(2048)
def _labels(text: str) -> tuple[tuple[str, JsonValue], ...]:
    """Return the names and values of one text."""
    found: list[tuple[str, JsonValue]] = []
    for mention in named(text, None):
        if mention.kind in TOLD:
            ahead = re.split(r"[，。；,;]", text[max(0, mention.start - LOOK_BEHIND) : mention.start])[-1]
            match = _LABEL.search(ahead)
            name = _OWN.sub("", match["label"].casefold()) if match else ""
            if _CJK.match(name) or (len(name) > LEAST_LETTERS and content_terms(name)):
                found.append((name, mention.value))
    return tuple(found)


_EXACT = re.compile(r"://|@|\d\.\d+\s?,|[A-Za-z][-_]?\d|\d[A-Za-z]")
"""What texts have that hold an address, coordinates or an id."""


def called_so(parameter: Parameter, request: str, known: Mapping[str, JsonValue]) -> JsonValue:
    """Return the value of `known` by whose name the request speaks of an argument, or `None`.

    Of a journey the end that stands after "from" or "to" ("从家去公司"), else the only one that is named.
    """
    if kind_of(parameter) not in TOLD:
        return None
    role = role_of(parameter)
    if role is None:
        own = noun_stems(parameter)
        said = {
            name
            for name in known
            if name in request.casefold() and str(known[name]) not in request and stem(name) not in own
        }
        values = [known[name] for name in said]
        return values[0] if len(values) == 1 and accepts(parameter, values[0]) else None
    for match in (_FROM if role == "from" else _TO).finditer(request):
        words = _MOVE.split(match["label"].casefold())[0]
        names = [name for name in known if words.startswith(name) or (words and name.startswith(words))]
        if names and accepts(parameter, known[max(names, key=len)]):
            return known[max(names, key=len)]
    return None

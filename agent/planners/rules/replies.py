"""The final words of a turn: what the tools returned, or a plain answer where no tool fits."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pydantic import JsonValue

from clarifier.decision import Situation
from memory.text import Language, language

MAX_ENTRIES = 5
"""Entries of a list that a reply tells of; the rest is counted."""

_LEAD: dict[Language, str] = {"en": "Here is what I found", "zh": "结果如下"}
_MORE: dict[Language, str] = {"en": "and {n} more", "zh": "另有{n}条"}
_FAILED: dict[Language, str] = {"en": "{tool} did not work: {error}", "zh": "{tool}没有成功：{error}"}
_CHAT: dict[Language, str] = {
    "en": "I hear you. There is nothing I need to look up or do for that, but say so if you would like something done.",
    "zh": "听到了。这事不用我查什么或办什么，需要的话再跟我说。",
}


def report(situation: Situation) -> str:
    """Return what the calls of this turn brought, in the language of the request; small talk where there were none."""
    tongue = language(situation.request)
    lines: list[str] = []
    for step in situation.call_steps:
        for call, observation in zip(step.calls, step.observations, strict=True):
            if observation.error is not None:
                lines.append(_FAILED[tongue].format(tool=call.name, error=observation.error))
            else:
                lines.append("; ".join(_told(observation.content, "", tongue)))
    if not lines:
        return _CHAT[tongue]
    return f"{_LEAD[tongue]}{':' if tongue == 'en' else '：'} " + ("\n" if len(lines) > 1 else "") + "\n".join(lines)


def _told(value: JsonValue, name: str, tongue: Language) -> Iterator[str]:
    """Yield `name: value` of every scalar; of long lists the first entries and how many are left."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _told(inner, key.replace("_", " "), tongue)
    elif isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        for item in value[:MAX_ENTRIES]:
            yield "(" + ", ".join(_told(item, "", tongue)) + ")"
        if len(value) > MAX_ENTRIES:
            yield _MORE[tongue].format(n=len(value) - MAX_ENTRIES)
    else:
        words = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield f"{name} {words}".strip()

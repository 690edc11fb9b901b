"""Whether a reply is true to what this turn did: no deed is claimed that no call did, no figure told that nothing gave.

Pure. What it finds sends the planner back once, and becomes an honest reply then.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from clarifier.asking.deeds import Deed, account, deed_words
from clarifier.decision import Situation
from clarifier.effects import effect_of
from memory.evidence import Slot
from memory.language.schema import Effect
from memory.language.speech import DeedClaim, claimed_deeds, deed_words_of
from memory.language.text import Language, language, split_name
from memory.records import CallStep, Observation, ToolCall, Turn
from memory.tools import Tool

DEED_TOLD = Slot("reply", "deed")
FIGURE_TOLD = Slot("reply", "figure")
"""What a hint is about that speaks of a reply."""
_FIGURE = re.compile(r"(?<![\w.])\d+(?:[.,:]\d+)*(?![\w])")
_NOT_DONE: Mapping[Language, str] = {
    "en": "To be honest: I have not done this, no tool has done it in this turn.",
    "zh": "说实话：这件事我还没有做，这一轮没有工具做过它。",
}
_NOT_KEPT: Mapping[Language, str] = {
    "en": "To be honest: memory is paused, so I have kept nothing of this.",
    "zh": "说实话：记忆已暂停，所以我什么都没有留下。",
}
_UNGIVEN: Mapping[Language, str] = {
    "en": "({figures}: I cannot find this in what the tools returned, so please check it.)",
    "zh": "（{figures}：工具返回的内容里没有，请核对。）",
}


def unbacked(reply: str, situation: Situation, effects: Mapping[str, Effect] | None = None) -> list[DeedClaim]:
    """Return the deeds that `reply` claims and no successful call did.

    Those of this turn count, and where a sentence speaks of what was done earlier, those of the running topic too.

    Args:
        reply: What is to be said.
        situation: With what was done.
        effects: What tools do, where their names mislead.
    """
    claims = claimed_deeds(reply)
    if not claims:
        return []
    mine = list(_made(situation.call_steps))
    before = [one for turn in situation.recall.topic_turns for one in _made_in(turn)]
    found = []
    for claim in claims:
        if not claim.is_own and mine:  # that something "is booked" may be what a tool returned
            continue
        if "save" in claim.kinds and situation.is_kept:  # "noted": the turn itself is kept
            continue
        made = [call for call, observation in (*mine, *(before if claim.is_earlier else ())) if not observation.error]
        tools = [tool for call in made if (tool := situation.tool(call.name)) is not None]
        if not any(_does(tool, claim, effects) for tool in tools):
            found.append(claim)
    return found


def honest(claims: Iterable[DeedClaim], situation: Situation) -> str:
    """Return what is said in place of a reply that claims what was not done, with what was."""
    spoken = language(situation.request)
    is_memory_alone = all(claim.kinds == ("save",) for claim in claims)
    deeds = [
        Deed(deed_words(call, tool, spoken), observation)
        for call, observation in _made(situation.call_steps)
        if (tool := situation.tool(call.name)) is not None and effect_of(tool) != "read"
    ]
    parts = [account(deeds, spoken), (_NOT_KEPT if is_memory_alone else _NOT_DONE)[spoken]]
    return ("" if spoken == "zh" else " ").join(filter(None, parts))


def ungiven_figures(reply: str, situation: Situation) -> list[str]:
    """Return the figures of a reply after tool results that stand nowhere in sight, in their order.

    What follows from two figures in sight by adding, taking away or multiplying is given, and so is a count of up to
    two digits; single digits number things.
    """
    if not situation.call_steps:
        return []
    seen = set(_numbers(_in_sight(situation)))
    plain = sorted(seen)[:_COMPARED]
    derived = {round(value, 2) for one in plain for other in plain for value in (one + other, one - other, one * other)}
    totals = {round(sum(run), 2) for run in _columns(situation)}
    return [
        found.group()
        for found in _FIGURE.finditer(reply)
        if (value := _number(found.group())) is not None
        and value >= 10
        and value not in seen
        and round(value, 2) not in derived | totals
        and not any(abs(value - one) < 1 and value == round(one) for one in seen)
    ]


def with_doubt(reply: str, figures: Iterable[str]) -> str:
    """Return a reply with a word on the figures that nothing in sight gives."""
    spoken = language(reply)
    named = ("、" if spoken == "zh" else ", ").join(dict.fromkeys(figures))
    return f"{reply}\n{_UNGIVEN[spoken].format(figures=named)}"


_COMPARED = 60
"""Figures that are put together two by two."""


def _does(tool: Tool, claim: DeedClaim, effects: Mapping[str, Effect] | None) -> bool:
    """Whether a tool may have done what is claimed: it changes something, and of the kind where one is named."""
    effect = effect_of(tool, effects)
    if effect == "read":
        return False
    if not claim.kinds:
        return True
    told = {*split_name(tool.name), *re.findall(r"[a-z]+", tool.description.casefold())}
    words = {word for kind in claim.kinds for word in deed_words_of(kind)}
    is_named = any(word in told if word.isascii() else word in tool.description for word in words)
    return is_named or (effect == "message" and "send" in claim.kinds) or (effect == "pay" and "pay" in claim.kinds)


def _made(steps: Iterable[CallStep]) -> Iterator[tuple[ToolCall, Observation]]:
    for step in steps:
        yield from zip(step.calls, step.observations, strict=True)


def _made_in(turn: Turn) -> Iterator[tuple[ToolCall, Observation]]:
    return _made(step for step in turn.steps if isinstance(step, CallStep))


def _in_sight(situation: Situation) -> str:
    """Return all that figures of a reply may come from."""
    parts = [situation.request, json.dumps(situation.now.isoformat() if situation.now else "")]
    parts += [f"{step.question} {step.answer or ''}" for step in situation.question_steps]
    for call, observation in _made(situation.call_steps):
        parts.append(json.dumps([call.arguments, observation.content, observation.error], ensure_ascii=False))
    parts += [item.text for item in situation.recall.items]
    for turn in situation.recall.topic_turns:
        parts.append(turn.model_dump_json())
    return "\n".join(parts)


def _numbers(text: str) -> Iterator[float]:
    """Yield the figures of a text, and the parts of dates and times."""
    for found in re.finditer(r"\d+(?:[.,]\d+)*", text):
        if (value := _number(found.group())) is not None:
            yield value
        yield from map(float, re.findall(r"\d+", found.group()))
    for clock in re.finditer(r"\b(\d{1,2}):(\d{2})\b", text):
        hour, minute = int(clock[1]), int(clock[2])
        yield hour * 100 + minute
        yield (hour % 12 or 12) * 100 + minute
        yield from (float(hour % 12 or 12), float(hour + 12))


def _number(text: str) -> float | None:
    if ":" in text:
        parts = text.split(":")
        return float(int(parts[0]) * 100 + int(parts[1])) if len(parts) == 2 else None
    plain = re.sub(r",(?=\d{3}\b)", "", text).replace(",", ".")
    return float(plain) if plain.count(".") <= 1 else None


def _columns(situation: Situation) -> Iterator[list[float]]:
    """Yield the figures of each field over the rows of a result, and their differences: what may be added up."""
    for _, observation in _made(situation.call_steps):
        rows = observation.content if isinstance(observation.content, list) else []
        records = [row for row in rows if isinstance(row, dict)]
        for name in {name for row in records for name in row}:
            column = [float(value) for row in records if isinstance(value := row.get(name), (int, float))]
            yield column
            yield [later - sooner for sooner, later in pairwise(column)]

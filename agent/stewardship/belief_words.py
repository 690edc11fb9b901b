"""What is believed of a person, and what was done for them, in the words that a person is told it in. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Literal

from clarifier.asking.deeds import deed_words
from clarifier.effects import effect_of
from clarifier.grounding.phrases import value_phrase
from memory.evidence import PERSON
from memory.language.schema import tool_effect
from memory.language.speech import content_of, memory_speech
from memory.language.text import Language, split_name, tokenise
from memory.language.values.dates import normal_date
from memory.records import CallStep, Turn
from memory.state.user_state import Candidate, SlotState, UserState
from memory.state.wording import is_mentioned
from memory.tools import Tool

Grade = Literal["once", "several", "usually", "always"]
"""How firmly something is believed: used once or a few times, most times, or laid down."""
USUAL_TIMES = 3
"""Turns that make a habit."""
_USUAL_SHARE = 0.6
"""Of a slot's turns that the usual value has at least."""
_SAID = ("request", "answer", "correction")


def grade_of(one: Candidate, slot: SlotState) -> Grade:
    """Return how firmly a value is believed, as the evidence is."""
    if one.is_standing:
        return "always"
    times = len(set(one.turn_ids))
    if times == 1:
        return "once"
    all_times = len({turn_id for other in slot.candidates for turn_id in other.turn_ids})
    return "usually" if times >= USUAL_TIMES and times >= _USUAL_SHARE * all_times else "several"


def graded(one: Candidate, slot: SlotState, spoken: Language = "en") -> str:
    """Return the words for it: "once", "3 times", "usually", "always, you said so on 3 March 2026"."""
    grade, times = grade_of(one, slot), len(set(one.turn_ids))
    if grade == "always":
        said = next((piece for piece in reversed(one.evidence) if piece.source in _SAID), one.evidence[-1])
        when = _day(said.time, spoken)
        if spoken == "zh":
            return f"一直如此，{when}您说过" if when else "一直如此，您说过"
        return f"always, you said so on {when}" if when else "always, you said so"
    if spoken == "zh":
        return {"once": "一次", "several": f"{times}次", "usually": f"通常，{times}次"}[grade]
    return {"once": "once", "several": f"{times} times", "usually": f"usually, {times} times"}[grade]


def known_lines(state: UserState, turns: Sequence[Turn], spoken: Language) -> list[str]:
    """Return what is known of the person: what they said of themselves as they said it, then what they usually take."""
    by_id = {turn.turn_id: turn for turn in turns}
    told = dict.fromkeys(
        piece.turn_id
        for held in state.slots.values()
        for one in (*held.current, *held.unwanted)
        if held.slot.tool == PERSON or one.is_standing
        for piece in one.evidence
        if piece.source in _SAID
    )
    asked = [turn.turn_id for turn in turns if (said := memory_speech(turn.request)) and said.act == "remember"]
    shown = [by_id[turn_id] for turn_id in sorted({*told, *asked} & set(by_id), key=list(by_id).index)]
    return [_quoted(turn, spoken) for turn in shown] + list(_habits(state, spoken))


def done_lines(turns: Sequence[Turn], tools: Sequence[Tool], spoken: Language) -> list[str]:
    """Return what was done for the person, oldest first: the calls that changed something and worked."""
    offered = {tool.name: tool for tool in tools}
    lines = []
    for turn in turns:
        for step in turn.steps:
            for call, observation in (
                zip(step.calls, step.observations, strict=True) if isinstance(step, CallStep) else ()
            ):
                tool = offered.get(call.name)
                effect = effect_of(tool) if tool is not None else tool_effect(call.name)
                if effect == "read" or observation.error is not None or "." in call.name:
                    continue
                when = _day(turn.time, spoken)
                words = deed_words(call, tool, spoken)
                lines.append((f"{when}：{words}" if spoken == "zh" else f"{when}: {words}") if when else words)
    return lines


def turns_that_say(about: str, state: UserState, turns: Sequence[Turn]) -> list[Turn]:
    """Return the turns whose words say what `about` speaks of, oldest first.

    They are those that a belief comes from which is named there, and those that have all of its words.
    """
    wanted = content_of(about)
    said = {
        piece.turn_id
        for held in state.slots.values()
        for one in held.candidates
        if _is_meant(one, held, about, wanted)
        for piece in one.evidence
        if piece.source in _SAID
    }
    return [
        turn
        for turn in turns
        if turn.turn_id in said or (wanted and not turn.calls and wanted <= set(tokenise(turn.request)))
    ]


def _is_meant(one: Candidate, slot: SlotState, about: str, wanted: frozenset[str]) -> bool:
    if is_mentioned(one.value, about):
        return True
    words = set(tokenise(str(one.value))) | set(tokenise(" ".join(split_name(slot.slot.argument))))
    return bool(wanted) and (wanted <= words or (not about.isascii() and bool(wanted & set(tokenise(str(one.value))))))


def _habits(state: UserState, spoken: Language) -> Iterator[str]:
    colon = "：" if spoken == "zh" else ": "
    for held in state.slots.values():
        for one in held.current:
            if held.slot.tool == PERSON or one.is_standing or grade_of(one, held) != "usually":
                continue
            if isinstance(one.value, str) and normal_date(one.value) is not None:
                continue
            noun = " ".join(split_name(held.slot.argument)) if held.slot.argument.isascii() else held.slot.argument
            how = f"（{graded(one, held, spoken)}）" if spoken == "zh" else f" ({graded(one, held, spoken)})"
            yield f"{noun}{colon}{value_phrase(one.value, spoken)}{how}"


def _quoted(turn: Turn, spoken: Language) -> str:
    when = _day(turn.time, spoken)
    said = " ".join(turn.request.split())
    return f"“{said}”" + ((f"（{when}）" if spoken == "zh" else f" ({when})") if when else "")


def _day(time: datetime | None, spoken: Language) -> str:
    if time is None:
        return ""
    return f"{time.year}年{time.month}月{time.day}日" if spoken == "zh" else f"{time.day} {time:%B %Y}"

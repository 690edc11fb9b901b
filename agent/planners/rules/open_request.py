"""A request that a turn of this conversation left open, taken up again by what the person says next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from agent.planners.rules.own_request import is_own_request
from agent.planners.rules.verbs import deeds_said, is_thanks
from clarifier.asking.answering import calls_all_off, gives_value
from clarifier.decision import Situation
from clarifier.grounding.replies import calls_off, leaves_open
from memory.language.text import split_name, stem, tokenise
from memory.records import QuestionStep, Step, Turn
from memory.state.topic import LONGEST_SILENCE
from memory.tools import Tool

_OF_DAYS = frozenset(("forecast",))
"""A deed that "tomorrow" alone already tells of."""
MOST_WORDS = 16
"""Of an answer; more words are a request of their own."""
_MOST_BACK = 4
"""Turns that may stand between a question and the answer to it."""


def resumed(situation: Situation) -> Situation:
    """Return the situation of the turn that waits for this request as its answer, where there is one.

    It waits where it asked for a value of a call that was not made since. What is said next is an answer where it is
    short, asks for no deed and names nothing that a tool is about: "for two at seven", "YB-2207". A question stays
    open behind other requests of the conversation. Answers of this turn that give no value are no answers.
    """
    told = tuple(_without_no_answer(step, situation) for step in situation.steps)
    plain = situation if told == situation.steps else replace(situation, steps=told)
    for last in _waiting(situation):
        asked = [step for step in last.steps if isinstance(step, QuestionStep)][-1]
        if not _is_answer(situation, asked):
            continue
        answer = QuestionStep(question=last.reply or asked.question, answer=situation.request, slots=asked.slots)
        if not gives_value(answer, situation.tools):
            continue
        steps = [
            step for step in last.steps if not isinstance(step, QuestionStep) or gives_value(step, situation.tools)
        ]
        return replace(plain, request=last.request, steps=(*steps, answer, *plain.steps))
    return plain


def _without_no_answer(step: Step, situation: Situation) -> Step:
    if not isinstance(step, QuestionStep) or not step.slots or gives_value(step, situation.tools):
        return step
    return step if step.answer is None else step.model_copy(update={"answer": None})


def _waiting(situation: Situation) -> Iterator[Turn]:
    """Yield the turns of this conversation that wait for an answer, newest first."""
    called: set[str] = set()
    later = situation.now
    known = situation.recall.topic_turns or situation.recall.turns[-1:]
    for turn in reversed(known[-_MOST_BACK:]):
        if _has_lapsed(turn.time, later):
            return
        if _waits(turn, called):
            yield turn
        called |= {call.name for call in turn.calls}
        later = turn.time or later


def _has_lapsed(time: datetime | None, later: datetime | None) -> bool:
    if time is None or later is None or (time.tzinfo is None) != (later.tzinfo is None):
        return False
    return later - time > LONGEST_SILENCE  # the conversation is over, and its open request with it


def _waits(turn: Turn, called_since: set[str]) -> bool:
    questions = [step for step in turn.steps if isinstance(step, QuestionStep)]
    if not questions or calls_all_off(questions[-1]):
        return False
    wanted = {slot.partition(".")[0] for slot in questions[-1].slots}
    return bool(wanted) and not wanted & ({call.name for call in turn.calls} | called_since)


def _is_answer(situation: Situation, asked: QuestionStep) -> bool:
    said = situation.request
    words = tokenise(said)
    if not 0 < len(words) <= MOST_WORDS or deeds_said(said) - _OF_DAYS or leaves_open(said) or calls_off(said):
        return False
    if is_thanks(said) or is_own_request(said, asked.slots, situation.tools, situation.now):
        return False
    return not _subjects(situation.tools) & {stem(word) for word in words}


def _subjects(tools: tuple[Tool, ...]) -> set[str]:
    """Return what tools are about, by their names."""
    return {stem(word) for tool in tools for word in split_name(tool.name)[1:]}

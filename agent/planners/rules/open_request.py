"""A request that the last turn left open, taken up again by what the person says next."""

from __future__ import annotations

from dataclasses import replace

from agent.planners.rules.own_request import is_own_request
from agent.planners.rules.verbs import deeds_said, is_thanks
from clarifier.decision import Situation
from clarifier.grounding.replies import calls_off, leaves_open
from memory.language.text import split_name, stem, tokenise
from memory.records import QuestionStep, Turn

_OF_DAYS = frozenset(("forecast",))
"""A deed that "tomorrow" alone already tells of."""
MOST_WORDS = 16
"""Of an answer; more words are a request of their own."""


def resumed(situation: Situation) -> Situation:
    """Return the situation of the last turn with this request as the answer, where that turn waits for one.

    It waits where it asked for a value of a call that was not made. What is said next is an answer where it is short,
    asks for no deed and names nothing that a tool is about: "for two at seven", "YB-2207".
    """
    known = situation.recall.topic_turns or situation.recall.turns
    if not known or not _waits(known[-1]):
        return situation
    last = known[-1]
    asked = [step for step in last.steps if isinstance(step, QuestionStep)][-1]
    if not _is_answer(situation, asked):
        return situation
    answer = QuestionStep(question=last.reply or asked.question, answer=situation.request, slots=asked.slots)
    steps = [step for step in last.steps if not isinstance(step, QuestionStep) or _tells(step)]
    return replace(situation, request=last.request, steps=(*steps, answer, *situation.steps))


def _tells(step: QuestionStep) -> bool:
    return step.answer is not None and not leaves_open(step.answer)


def _waits(turn: Turn) -> bool:
    questions = [step for step in turn.steps if isinstance(step, QuestionStep)]
    if not questions or calls_off(questions[-1].answer or ""):
        return False
    wanted = {slot.partition(".")[0] for slot in questions[-1].slots}
    return bool(wanted) and not wanted & {call.name for call in turn.calls}


def _is_answer(situation: Situation, asked: QuestionStep) -> bool:
    said = situation.request
    words = tokenise(said)
    if not 0 < len(words) <= MOST_WORDS or deeds_said(said) - _OF_DAYS or leaves_open(said) or calls_off(said):
        return False
    if is_thanks(said) or is_own_request(said, asked.slots, situation.tools, situation.now):
        return False
    about = {stem(word) for tool in situation.tools for word in split_name(tool.name)[1:]}
    return not about & {stem(word) for word in words}

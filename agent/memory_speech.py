"""Answers what a person says of memory itself, before any planner is asked and any tool is thought of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from agent.seams import Planner
from agent.stewardship.belief_words import done_lines, known_lines, turns_that_say
from clarifier.asking.answering import agrees
from clarifier.decision import Proposal, Situation
from clarifier.effects import is_read_only
from memory.language.speech import MemorySpeech, memory_speech
from memory.language.text import Language, language
from memory.records import Turn
from memory.state.user_state import UserState

MAX_LINES = 12
"""Of what is known or was done that a reply tells; the rest is counted."""

_NOTED: Mapping[Language, str] = {"en": "Noted: “{about}”.", "zh": "记下了：“{about}”。"}
_PAUSED: Mapping[Language, str] = {
    "en": "Memory is paused, so I keep nothing of this. `stead state resume` ends the pause.",
    "zh": "记忆已暂停，所以这句没有留下。用 `stead state resume` 可以恢复。",
}
_KNOWN: Mapping[Language, str] = {"en": "This is what I remember of you:", "zh": "我记得您的这些："}
_UNKNOWN: Mapping[Language, str] = {"en": "I remember nothing of you yet.", "zh": "我还没有记住您的什么。"}
_DONE: Mapping[Language, str] = {"en": "This is what I have done for you:", "zh": "我替您办过这些："}
_UNDONE: Mapping[Language, str] = {
    "en": "As far as I remember, I have done nothing of that kind for you.",
    "zh": "据我所记，还没有替您办过这类事。",
}
_MORE: Mapping[Language, str] = {"en": "and {n} more", "zh": "另有{n}条"}
_NOTHING: Mapping[Language, str] = {
    "en": "I remember nothing that says so, and I have kept nothing of this.",
    "zh": "我没有记住这样的事，这句话也没有留下。",
}
_SHALL_FORGET: Mapping[Language, str] = {
    "en": "What you said there would go for good:\n{lines}\nShall I forget it?",
    "zh": "这些话会被彻底删除：\n{lines}\n要忘掉吗？",
}
_SHALL_FORGET_ALL: Mapping[Language, str] = {
    "en": "That would erase everything I remember of you ({n} turns), for good. Shall I do that?",
    "zh": "这会彻底删除我记住的关于您的一切（{n}次对话）。要这样做吗？",
}
_FORGOTTEN: Mapping[Language, str] = {
    "en": "It is gone, and I have kept nothing of this either.",
    "zh": "已经忘掉了，这次的话也没有留下。",
}
_KEPT: Mapping[Language, str] = {"en": "All right, I keep it.", "zh": "好，那就留着。"}


class Keeper(Protocol):
    """Who keeps the memory of the person."""

    @property
    def is_paused(self) -> bool:
        """Whether nothing is remembered for now."""
        ...

    def kept_turns(self) -> tuple[Turn, ...]:
        """Return all that is kept, also during a pause, oldest first."""
        ...

    def state(self) -> UserState:
        """Return what is believed of the person."""
        ...

    def forget(self) -> object:
        """Erase everything."""
        ...

    def forget_turns(self, turn_ids: Sequence[str]) -> object:
        """Erase these turns."""
        ...


def leaves_no_trace(request: str) -> bool:
    """Say whether the turn of a request is not to be remembered: its words are those that are to be forgotten."""
    said = memory_speech(request)
    return said is not None and said.act in ("forget", "forget_all")


class MemoryFirst:
    """A planner that answers what is said of memory, and leaves all else to another.

    Args:
        planner: The other.
        keeper: Of the memory that is spoken of.
    """

    def __init__(self, planner: Planner, keeper: Keeper) -> None:
        self._planner = planner
        self._keeper = keeper

    @property
    def name(self) -> str:
        """That of the other planner."""
        return self._planner.name

    def plan(self, situation: Situation) -> Proposal:
        """Return a reply or a question about memory, or what the other planner proposes."""
        said = memory_speech(situation.request)
        if said is None or situation.call_steps or self._is_told(situation, said):
            return self._planner.plan(situation)
        spoken = language(situation.request)
        if said.act == "remember":
            told = _PAUSED[spoken] if self._keeper.is_paused else _NOTED[spoken].format(about=said.about.rstrip(".。"))
            return _reply(told)
        if said.act in ("forget", "forget_all"):
            return self._forget(said, situation, spoken)
        turns = () if self._keeper.is_paused else self._keeper.kept_turns()
        if said.act == "known":
            lines = known_lines(self._keeper.state(), turns, spoken)
            return _reply(_listed(_KNOWN[spoken], lines, spoken) if lines else _UNKNOWN[spoken])
        lines = done_lines(turns, situation.tools, spoken)
        return _reply(_listed(_DONE[spoken], lines, spoken) if lines else _UNDONE[spoken])

    def _is_told(self, situation: Situation, said: MemorySpeech) -> bool:
        """Whether another has to answer: more was said since, or a tool can tell what there is without being told."""
        if said.act == "done":
            return any(is_read_only(tool) and not tool.required for tool in situation.tools)
        return bool(situation.question_steps) and said.act not in ("forget", "forget_all")

    def _forget(self, said: MemorySpeech, situation: Situation, spoken: Language) -> Proposal:
        turns = self._keeper.kept_turns()
        if said.act == "forget":
            found = turns_that_say(said.about, self._keeper.state(), turns)
            if not found:
                return _reply(_NOTHING[spoken])
            lines = [f"- “{' '.join(turn.request.split())}”" for turn in found]
            question = _SHALL_FORGET[spoken].format(lines="\n".join(lines))
        else:
            found, question = list(turns), _SHALL_FORGET_ALL[spoken].format(n=len(turns))
        if not situation.question_steps:
            return Proposal(question=question, understands=True)
        if not agrees(situation.question_steps[-1].answer or "", question):
            return _reply(_KEPT[spoken])
        if said.act == "forget_all":
            self._keeper.forget()
        else:
            self._keeper.forget_turns([turn.turn_id for turn in found])
        return _reply(_FORGOTTEN[spoken])


def _reply(text: str) -> Proposal:
    return Proposal(reply=text)


def _listed(lead: str, lines: Sequence[str], spoken: Language) -> str:
    shown, left = lines[-MAX_LINES:], len(lines) - MAX_LINES
    more = [_MORE[spoken].format(n=left)] if left > 0 else []
    return "\n".join([lead, *(f"- {line}" for line in [*shown, *more])])

"""The running topic as texts and values."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import JsonValue

from clarifier.decision import Situation
from memory.language.text import split_name, stem
from memory.records import CallStep


@dataclass(frozen=True)
class Exchange:
    """Something the assistant said or asked, and what the person said to it."""

    question: str
    answer: str


@dataclass(frozen=True)
class Talk:
    """The running topic as texts and values, the latest message apart."""

    last: str
    """The latest message of the person."""
    before: tuple[str, ...]
    """Earlier messages of the person in this turn."""
    exchanges: tuple[Exchange, ...]
    """Of this turn."""
    observed: frozenset[str]
    """Stems of the field names that tools returned in the topic."""
    used: frozenset[str]
    """Names of the arguments of the topic's calls."""
    called: tuple[str, ...]
    """Tools called in this topic, in order."""

    @property
    def task(self) -> str:
        """All the person said in this turn."""
        return " \n".join((*self.before, self.last))


def talk_of(situation: Situation) -> Talk:
    """Return the topic of a situation as texts and values."""
    answered = [step for step in situation.question_steps if step.answer]
    said = [situation.request, *(step.answer or "" for step in answered)]
    steps = [*(step for turn in situation.recall.topic_turns for step in turn.steps), *situation.steps]
    calls = [step for step in steps if isinstance(step, CallStep)]
    fields = {name for step in calls for seen in step.observations for name in _fields(seen.content)}
    return Talk(
        last=said[-1],
        before=tuple(said[:-1]),
        exchanges=tuple(Exchange(step.question, step.answer or "") for step in answered),
        observed=frozenset(stem(word) for name in fields for word in split_name(name)[-1:]),
        used=frozenset(name for step in calls for call in step.calls for name in call.arguments),
        called=tuple(call.name for step in calls for call in step.calls),
    )


def _fields(value: JsonValue) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(name for inner in value.values() for name in _fields(inner))]
    return [name for inner in value[:3] for name in _fields(inner)] if isinstance(value, list) else []

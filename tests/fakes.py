"""Deterministic stand-ins for what needs a model, a network or a person."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np

from clarifier.decision import Act, Answer, Ask, Decision, Odds, Proposal, Situation
from memory.embedder import Matrix, Vector
from memory.recall import Recall
from memory.records import Observation, ToolCall, Turn
from memory.tools import Parameter, Tool

ODDS = Odds(p_act=0.9, p_calls=0.9, p_asked=0.9)


def make_tool(name: str, *required: str, description: str = "") -> Tool:
    """Return a tool whose text parameters `required` are all required."""
    return Tool(
        name=name,
        description=description,
        parameters=tuple(Parameter(name=parameter, is_required=True) for parameter in required),
        definition={
            "type": "function",
            "function": {
                "name": name,
                "description": description,
                "parameters": {
                    "type": "object",
                    "properties": {parameter: {"type": "string"} for parameter in required},
                    "required": list(required),
                },
            },
        },
    )


@dataclass
class ScriptedPlanner:
    """Proposes what the script says, one entry a plan, and keeps the situations it was shown."""

    script: Sequence[Proposal]
    name: str = "scripted"
    seen: list[Situation] = field(default_factory=list)

    def plan(self, situation: Situation) -> Proposal:
        self.seen.append(situation)
        return self.script[len(self.seen) - 1]


def obey(situation: Situation, proposal: Proposal) -> Decision:
    """Decide whatever the planner proposes."""
    if proposal.calls:
        return Act(policy="obey", odds=ODDS, calls=proposal.calls)
    if proposal.question is not None:
        slots = tuple(str(slot) for slot in proposal.question_slots)
        return Ask(policy="obey", odds=ODDS, question=proposal.question, slots=slots)
    return Answer(policy="obey", odds=ODDS, reply=proposal.reply or "")


@dataclass
class RecordingExecutor:
    """Answers every call with what `result` makes of it, and keeps the calls in order."""

    result: Callable[[ToolCall], Observation] = lambda call: Observation(content={"ran": call.name})
    calls: list[ToolCall] = field(default_factory=list)

    def execute(self, calls: Sequence[ToolCall]) -> list[Observation]:
        observations = []
        for call in calls:
            self.calls.append(call)
            observations.append(self.result(call))
        return observations


class SilentExecutor:
    """Gives nothing back."""

    def execute(self, calls: Sequence[ToolCall]) -> None:
        return None


@dataclass
class ScriptedUser:
    """Answers questions and replies from two scripts, `None` where they are used up, and keeps what was said."""

    answers: Iterable[str | None] = ()
    comebacks: Iterable[str | None] = ()
    asked: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._answers = iter(self.answers)
        self._comebacks = iter(self.comebacks)

    def ask(self, question: str) -> str | None:
        self.asked.append(question)
        return next(self._answers, None)

    def tell(self, reply: str) -> str | None:
        self.told.append(reply)
        return next(self._comebacks, None)


@dataclass
class FixedMemory:
    """A strategy that recalls one and the same, and keeps the turns it was shown."""

    recalled: Recall = field(default_factory=Recall)
    name: str = "fixed"
    observed: list[Turn] = field(default_factory=list)

    def observe(self, turn: Turn) -> None:
        self.observed.append(turn)

    def recall(self, request: str, tools: Sequence[Tool], now: datetime | None, budget: int) -> Recall:
        return self.recalled


@dataclass
class RecordingLog:
    """Keeps the turns it is given."""

    turns: list[Turn] = field(default_factory=list)

    def remember(self, turn: Turn) -> None:
        self.turns.append(turn)


_LONGEST_GRAM = 3


class HashingEmbedder:
    """Words and character n-grams hashed into unit vectors: texts that share them are near, in any language.

    Args:
        dimensions: Length of a vector.
        name: Part of the fingerprint; two embedders of different names count as different ones.
    """

    def __init__(self, *, dimensions: int = 1024, name: str = "hashing") -> None:
        self._dimensions = dimensions
        self._name = name
        self.embedded: list[str] = []
        """Every text embedded so far."""

    @property
    def fingerprint(self) -> str:
        return f"{self._name}-{self._dimensions}"

    @property
    def dimensions(self) -> int:
        return self._dimensions

    def embed_query(self, text: str) -> Vector:
        vector: Vector = self.embed_documents([text])[0]
        return vector

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        self.embedded += texts
        rows = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for feature in _features(text):
                number = int.from_bytes(hashlib.blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest())
                # By the sign, features that fall together cancel out on average (Weinberger et al. 2009, eq. 2).
                row[number // 2 % self._dimensions] += 1.0 if number % 2 else -1.0
            row[0] += not row.any()  # a text without words
            row /= np.linalg.norm(row)
        return rows


def _features(text: str) -> Iterator[str]:
    for word in re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()):
        yield f"word {word}"
        for length in range(1, _LONGEST_GRAM + 1):
            yield from (word[start : start + length] for start in range(len(word) - length + 1))

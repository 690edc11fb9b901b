"""What a run keeps of one turn: a line of `turns.jsonl`."""

from __future__ import annotations

import re
import traceback
from typing import Literal

from pydantic import BaseModel

from benchmark_adapter.replay.environment import Reply
from clarifier.decision import Decision, Usage
from memory.recall import ItemKind, Recall

_FRAME = re.compile(r'^  File "(.+)", line (\d+)', re.MULTILINE)


class RecalledItem(BaseModel, frozen=True, extra="forbid"):
    """One recalled item, without its text."""

    kind: ItemKind
    turn_ids: tuple[str, ...]
    tokens: int
    score: float


class Failure(BaseModel, frozen=True, extra="forbid"):
    """An error of ours or of the endpoint that ended the turn."""

    type: str
    message: str
    traceback: str

    @property
    def place(self) -> str | None:
        """File and line that raised, `None` where the traceback names none."""
        frames = _FRAME.findall(self.traceback)
        return f"{frames[-1][0]}:{frames[-1][1]}" if frames else None

    @classmethod
    def of(cls, exc: Exception) -> Failure:
        """Return what is kept of an exception; characters that no file can hold stand as escapes."""
        written = "".join(traceback.format_exception(exc))
        return cls(type=type(exc).__name__, message=_storable(str(exc)), traceback=_storable(written))


class TurnLine(BaseModel, frozen=True, extra="forbid"):
    """One turn of a run. Everything but `seconds` is the same whenever the run is repeated."""

    session: str
    turn: int
    """0-based position in the session."""
    label: Literal["correct", "error"]
    """The exact verdict at the time; `score` finds it again from `replies`."""
    reason: str | None = None
    """Why it is not correct."""
    replies: tuple[Reply, ...] = ()
    decisions: tuple[Decision, ...] = ()
    """Up to the first deviation, as is `usage`."""
    decisions_after: tuple[Decision, ...] = ()
    """After it; they count in nothing official."""
    recall: tuple[RecalledItem, ...] = ()
    usage: Usage = Usage()
    reply_usage: tuple[Usage, ...] = ()
    """`usage` by reply; empty where that is not known."""
    usage_after: Usage = Usage()
    """Tokens spent after the deviation."""
    notes: tuple[str, ...] = ()
    """What the planner mended, left out or sent back in any of its plans, in words, each once."""
    failure: Failure | None = None
    seconds: dict[str, float] = {}
    """Clock readings: `turn`, from request to end; `reply_0` and so on, what each reply took."""

    @property
    def key(self) -> tuple[str, int]:
        """Which turn it is."""
        return (self.session, self.turn)

    @property
    def official_replies(self) -> tuple[Reply, ...]:
        """The replies up to the first deviation, the deviating one included."""
        return tuple(reply for reply in self.replies if not reply.after_deviation)

    @property
    def recall_tokens(self) -> int:
        """Tokens of what was recalled."""
        return sum(item.tokens for item in self.recall)


def recalled_items(recall: Recall) -> tuple[RecalledItem, ...]:
    """Return what is kept of a recall; scores to 6 digits, below which they vary with the machine."""
    return tuple(
        RecalledItem(kind=item.kind, turn_ids=item.turn_ids, tokens=item.tokens, score=round(item.score, 6))
        for item in recall.items
    )


def _storable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()

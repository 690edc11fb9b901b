"""What kind each reply of a run is: calls, a question, chat, a refusal, or nothing at all.

All but the first two end a turn alike, so an accuracy on chat cannot tell a model that talks from one that refuses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Literal, get_args

from agent.planners.answers import EMPTY_NOTE, REFUSAL_NOTE
from benchmark_adapter.replay.environment import Reply
from benchmark_adapter.replay.turn_result import TurnLine

ReplyKind = Literal["calls", "question", "chat", "refusal", "empty"]

_REFUSES = re.compile(
    r"\A\W*(?:(?:i['’]m|i am|we are|we['’]re) (?:very |so |really )?sorry|sorry|unfortunately|i apologi[sz]e)?"
    r"\W*(?:but |that )?"
    r"(?:i|we)(?: (?:can ?not|can['’]t|won['’]t|will not|must decline|have to decline)|['’]m (?:unable|not able)| am "
    r"(?:unable|not able))\b.{0,40}\b(?:help|assist|comply|fulfil|do that|provide|discuss|answer)"
    r"|\A\W*(?:很?抱歉|对不起)?\W*我?(?:无法|不能|没办法)(?:帮助|协助|提供|回答|满足|完成|处理|帮)",
    re.IGNORECASE | re.DOTALL,
)
"""How models open a refusal that their endpoint does not mark as one; of the model's words, not of a person's."""


def kind_of(reply: Reply, notes: Iterable[str] = ()) -> ReplyKind:
    """Return the kind of a reply.

    Args:
        reply: As it left the adapter.
        notes: Of its turn: what the planner noted of the model's answer goes before the words.
    """
    if reply.calls:
        return "calls"
    noted = set(notes)
    if EMPTY_NOTE in noted or not (reply.content or "").strip():
        return "empty"
    if REFUSAL_NOTE in noted or _REFUSES.match(reply.content or ""):
        return "refusal"
    return "question" if reply.is_question else "chat"


def reply_counts(lines: Iterable[TurnLine]) -> dict[str, int]:
    """Return how many replies of each kind there are; those after a deviation do not count.

    The notes are of a whole turn, so they speak for its last reply alone.
    """
    counts: Counter[str] = Counter()
    for line in lines:
        replies = line.official_replies
        counts.update(kind_of(reply, line.notes if reply is replies[-1] else ()) for reply in replies)
    return {kind: counts[kind] for kind in get_args(ReplyKind)}

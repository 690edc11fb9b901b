"""The running topic: the last turns that belong with the request at hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from memory.language.values.value_forms import wall_time
from memory.records import Turn
from memory.state.corrections import CORRECTION_TOOL, is_state_correction
from memory.tools import Tool

LONGEST = 50
"""Turns. Where the tools on offer never change and topics are not known, nothing else would end a topic."""

LONGEST_SILENCE = timedelta(hours=4)
"""Without a turn, after which a conversation is over: who orders coffee the next day wants another one. Set by hand."""


def running_topic(turns: Sequence[Turn], tools: Sequence[Tool], *, now: datetime | None = None) -> int:
    """Return the position where the running topic starts; `len(turns)` if none of `turns` belongs to it.

    The topic is the unbroken run of last turns, `LONGEST` at most, whose calls all use tools now on offer. A turn
    without calls belongs if a turn before it does, or if its topic is known to be the same; one that corrects the user
    state, wherever it is. Where topics are known the run also ends at the first turn of another topic than the last
    turn's, and where times are known, `now` being that of the request, at a silence longer than `LONGEST_SILENCE`.
    """
    offered = {tool.name for tool in tools}
    topic = next((turn.topic for turn in reversed(turns) if not is_state_correction(turn)), None)
    start, later = len(turns), now
    for position in range(len(turns) - 1, max(-1, len(turns) - 1 - LONGEST), -1):
        turn = turns[position]
        called = {call.name for call in turn.calls}
        if called == {CORRECTION_TOOL}:
            continue
        if turn.topic != topic or not called <= offered or _is_over(turn.time, later):
            break
        later = turn.time or later
        if called:
            start = position
    return _with_chat_before(turns, start)


def _is_over(last: datetime | None, later: datetime | None) -> bool:
    """Whether a conversation was over between two moments, at least not where one of them is unknown."""
    return last is not None and later is not None and wall_time(later) - wall_time(last) > LONGEST_SILENCE


def _with_chat_before(turns: Sequence[Turn], start: int) -> int:
    """Take in turns without calls right before `start` that are known to share its topic."""
    while 0 < start < len(turns) and turns[start].topic is not None:
        before = turns[start - 1]
        if before.topic != turns[start].topic or before.calls:
            break
        start -= 1
    return start

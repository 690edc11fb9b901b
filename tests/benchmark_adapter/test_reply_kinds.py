"""Kinds of replies."""

from __future__ import annotations

import pytest

from agent.planners.answers import EMPTY_NOTE, REFUSAL_NOTE
from benchmark_adapter.replay.environment import Reply, WrittenCall
from benchmark_adapter.replay.turn_result import TurnLine
from benchmark_adapter.scoring.reply_kinds import kind_of, reply_counts

CALL = Reply(calls=(WrittenCall(id="c", name="find", arguments="{}"),))


@pytest.mark.parametrize(
    ("content", "is_question", "notes", "kind"),
    [
        ("Which city?", True, (), "question"),
        ("The table is booked.", False, (), "chat"),
        ("You can't go wrong with Rome.", False, (), "chat"),
        ("I can't wait!", False, (), "chat"),
        ("I'm sorry, but I can't help with that.", False, (), "refusal"),
        ("I am unable to assist with this request.", False, (), "refusal"),
        ("Sorry, I can't help with that. Anything else?", True, (), "refusal"),
        ("抱歉，我无法帮助你。", False, (), "refusal"),
        ("我不能吃辣的东西，你呢", False, (), "chat"),
        ("That is against the rules.", False, (REFUSAL_NOTE,), "refusal"),
        ("", False, (), "empty"),
        ("I have nothing to say.", False, (EMPTY_NOTE,), "empty"),
        (None, False, (), "empty"),
    ],
)
def test_replies_have_a_kind(content: str | None, is_question: bool, notes: tuple[str, ...], kind: str) -> None:
    assert kind_of(Reply(content=content, is_question=is_question), notes) == kind


def test_the_replies_of_a_run_are_counted_up_to_the_deviation() -> None:
    chat, question = Reply(content="Done."), Reply(content="Where?", is_question=True)
    after = Reply(content="Hm.", after_deviation=True)
    lines = [
        TurnLine(session="a", turn=0, label="correct", replies=(CALL, question, CALL, chat)),
        TurnLine(session="a", turn=1, label="error", replies=(question, chat, after), notes=(REFUSAL_NOTE,)),
        TurnLine(session="a", turn=2, label="error"),
    ]
    assert reply_counts(lines) == {"calls": 2, "question": 2, "chat": 1, "refusal": 1, "empty": 0}

"""What a person says of memory is answered before any planner is asked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from agent.agent import Agent
from agent.stewardship.steward import Steward
from clarifier.decision import Proposal
from memory.memory import Memory
from memory.records import Scope, ToolCall
from memory.storage.user_memory import UserMemory
from memory.tools import Tool
from tests.fakes import HashingEmbedder, RecordingExecutor, ScriptedPlanner, ScriptedUser

CANCEL = Tool(name="cancel_train", description="Cancel a train.", parameters=(), definition={})


@pytest.fixture
def ada(tmp_path: Path) -> Iterator[UserMemory]:
    with Memory.open(tmp_path, embedder=HashingEmbedder()) as memory:
        yield memory.user(Scope("ada"))


def say(memory: UserMemory, request: str, *answers: str, then: Proposal | None = None) -> tuple[str | None, list[str]]:
    """Return the reply to a request, and what was asked; a planner that is asked says "ok", after `then`."""
    planner = ScriptedPlanner([*([then] if then else []), Proposal(reply="ok")])
    agent = Agent(memory, planner, policy="benchmark", clock=lambda: datetime(2026, 3, 10, 9))
    user, executor = ScriptedUser(answers), RecordingExecutor()
    result = agent.run(request, (CANCEL,), executor=executor, user=user)
    return result.reply, user.asked


def test_what_is_to_be_remembered_is_kept_as_said_and_told(ada: UserMemory) -> None:
    assert say(ada, "Remember: my wife is called Anna.") == ("Noted: “my wife is called Anna”.", [])
    told, _ = say(ada, "what do you know about me?")
    assert told == "This is what I remember of you:\n- “Remember: my wife is called Anna.” (10 March 2026)"


def test_nothing_is_noted_while_memory_is_paused(ada: UserMemory) -> None:
    Steward(ada).pause()
    reply, _ = say(ada, "记住：我不吃花生")
    assert reply is not None
    assert reply.startswith("记忆已暂停")
    assert ada.kept_turns() == ()


@pytest.mark.parametrize(
    ("told", "forgotten", "yes"),
    [
        ("I like aisle seats.", "Forget that I like aisle seats.", "yes"),
        ("我喜欢过道的座位", "忘掉我喜欢过道这件事。", "好"),
        ("Remember: my wife is called Anna.", "forget my wife's name", "go ahead"),
    ],
)
def test_forgetting_shows_what_goes_and_leaves_nothing(ada: UserMemory, told: str, forgotten: str, yes: str) -> None:
    say(ada, told)
    _, asked = say(ada, forgotten, "no")
    assert told in asked[0]
    assert len(ada.turns()) == 1
    say(ada, forgotten, yes)
    assert ada.turns() == ()


def test_what_is_not_remembered_cannot_be_forgotten_and_is_no_new_like(ada: UserMemory) -> None:
    say(ada, "I like tea.")
    reply, asked = say(ada, "Forget that I like aisle seats.")
    assert asked == []
    assert reply == "I remember nothing that says so, and I have kept nothing of this."
    assert [turn.request for turn in ada.turns()] == ["I like tea."]


def test_forgetting_everything_calls_no_tool_and_waits_for_a_yes(ada: UserMemory) -> None:
    say(ada, "I like tea.")
    assert say(ada, "forget everything", "hm, what would go?")[0] == "All right, I keep it."
    assert len(ada.turns()) == 1
    say(ada, "忘掉所有关于我的事", "好的")
    assert ada.turns() == ()


def test_what_was_done_is_told_from_the_log(ada: UserMemory) -> None:
    assert (say(ada, "What have I booked?")[0] or "").startswith("As far as I remember, I have done nothing")
    say(ada, "cancel my train", then=Proposal(calls=(ToolCall(id="1", name="cancel_train", arguments={}),)))
    reply, _ = say(ada, "what have you cancelled?")
    assert reply == "This is what I have done for you:\n- 10 March 2026: cancel a train"

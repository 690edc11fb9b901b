"""Nothing that was remembered steers the terminal it is shown in."""

from __future__ import annotations

import io

import pytest

from agent.cli import StreamConsole
from agent.commands.near_names import suggested
from agent.printable import printable
from agent.stewardship.state_view import state_lines
from agent.stewardship.steward import listed
from memory.records import CallStep, Observation, ToolCall, Turn
from memory.state.user_state import fold


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("帮我订 7 点\tcafé 🙂\nשלום", "帮我订 7 点\tcafé 🙂\nשלום"),
        ("👩\u200d🚀 می\u200cخواهم", "👩\u200d🚀 می\u200cخواهم"),
        ("\x1b[2K\rDone\x07 \x9b1m", r"\x1b[2K\rDone\x07 \x9b1m"),
        ("pay \u202eecila\u202c", r"pay \u202eecila\u202c"),
    ],
)
def test_what_steers_is_escaped_and_all_else_stays(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_turns_states_and_the_chat_show_nothing_that_steers() -> None:
    call = ToolCall(id="1", name="book\x1b[8m", arguments={"seat": "aisle\x9b"})
    step = CallStep(calls=(call,), observations=(Observation(content="ok"),))
    turns = [Turn(turn_id="t\x1b", request="Hi\x1b]0;title\x07 there", steps=(step,))]
    assert listed(turns) == [r"t\x1b  Hi\x1b]0;title\x07 there  [book\x1b[8m]"]
    assert state_lines(fold(turns), turns)[0] == r"book\x1b[8m.seat"
    out = io.StringIO()
    StreamConsole(io.StringIO(), out).write("told:\x1b[2J")
    assert out.getvalue() == "told:\\x1b[2J\n"
    assert "\x1b" not in "".join(state_lines(fold(turns), turns)) + "".join(listed(turns))


def test_a_misspelt_choice_is_told_the_nearest_one() -> None:
    assert suggested("Value error, 'oracl' is not one of 'rules', 'chat', 'oracle'.") == (
        "'oracl' is not one of 'rules', 'chat', 'oracle'. Did you mean 'oracle'?"
    )
    assert suggested("'x' is not one of 'rules', 'chat'.") == "'x' is not one of 'rules', 'chat'."
    assert suggested("'five' is not a valid integer.") == "'five' is not a valid integer."

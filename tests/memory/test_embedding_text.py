"""What of a turn is embedded."""

from __future__ import annotations

from memory.records import CallStep, Observation, QuestionStep, ToolCall, Turn
from memory.storage.embedding_text import embedding_text


def test_request_answers_and_calls_in_short() -> None:
    turn = Turn(
        turn_id="t",
        request="Book a table",
        steps=(
            QuestionStep(question="Where?", answer="靠窗"),
            QuestionStep(question="When?"),
            CallStep(
                calls=(
                    ToolCall(id="1", name="find_table", arguments={"party_size": 2, "near": ["窗"], "note": "x" * 100}),
                    ToolCall(id="2", name="get_time"),
                ),
                observations=(Observation(content="SEEN"), Observation(error="BROKEN")),
            ),
        ),
        reply="DONE",
    )
    assert embedding_text(turn) == (
        f'Book a table\n靠窗\nfind table: party size 2, near ["窗"], note {"x" * 80}\nget time: '
    )


def test_a_long_request_is_cut() -> None:
    assert embedding_text(Turn(turn_id="t", request="y" * 3000)) == "y" * 2000


def test_an_empty_request_gives_an_empty_text() -> None:
    assert embedding_text(Turn(turn_id="t", request="")) == ""

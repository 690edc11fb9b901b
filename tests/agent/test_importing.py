"""`stead import`: bulk, idempotent, and every bad line named."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agent.cli import app
from agent.commands import data_option
from agent.stewardship.importing import import_lines
from memory.memory import Memory
from memory.records import CallStep, Observation, QuestionStep, Scope, ToolCall, Turn
from memory.storage.embedding_text import embedding_text
from memory.storage.user_memory import UserMemory
from memory.storage.user_settings import UserSettings
from tests.fakes import HashingEmbedder


def line(user: str, conversation: str, *said: str, time: str | None = None) -> str:
    """Return a conversation in which the user says this and gets `ok` each time."""
    messages: list[dict[str, str]] = []
    for text in said:
        messages += [{"role": "user", "content": text, **({"time": time} if time else {})}]
        messages += [{"role": "assistant", "content": "ok"}]
    return json.dumps({"user": user, "conversation": conversation, "messages": messages}, ensure_ascii=False)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "data", embedder=HashingEmbedder()) as opened:
        yield opened


def requests(memory: Memory, user: str, tenant: str = "default") -> list[str]:
    """Return what is remembered that a user asked for."""
    return [turn.request for turn in memory.user(Scope(user, tenant=tenant)).turns()]


def test_conversations_are_remembered_for_each_user_oldest_first(memory: Memory) -> None:
    seen: list[tuple[int, int]] = []
    lines = [
        line("ada", "k2", "later", time="2026-03-10T08:00:00+01:00"),
        line("用户1", "k1", "你好"),
        line("ada", "k1", "first", "second", time="2026-03-09T08:00:00+01:00"),
        "",
    ]
    imported = import_lines(lines, memory, on_progress=lambda done, total: seen.append((done, total)))
    assert (imported.lines, imported.users, imported.added, imported.known, imported.faults) == (3, 2, 4, 0, [])
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert requests(memory, "ada") == ["first", "second", "later"]
    assert requests(memory, "用户1") == ["你好"]


def test_without_all_times_the_order_of_the_file_counts(memory: Memory) -> None:
    import_lines([line("ada", "k2", "one", time="2026-03-10T08:00:00+01:00"), line("ada", "k1", "two")], memory)
    assert requests(memory, "ada") == ["one", "two"]


def test_again_and_after_growing_only_what_is_new_is_added(memory: Memory) -> None:
    import_lines([line("ada", "k1", "first")], memory)
    again = import_lines([line("ada", "k1", "first", "second")], memory)
    assert (again.added, again.known, again.faults) == (1, 1, [])
    assert requests(memory, "ada") == ["first", "second"]


def conversation(*messages: Mapping[str, object]) -> str:
    return json.dumps({"user": "ada", "conversation": "k1", "messages": messages})


def test_a_turn_that_went_on_since_is_completed_where_it_was(memory: Memory) -> None:
    """The log was taken down in the middle of a turn, then at its end; other turns came in between."""
    said = {"role": "user", "content": "Book a train"}
    question = {"role": "assistant", "content": "Window or aisle?"}
    answer = {"role": "user", "content": "window"}
    call = {"id": "c", "function": {"name": "book_train", "arguments": '{"seat": "window"}'}}
    booked = {"role": "assistant", "content": None, "tool_calls": [call]}
    result = {"role": "tool", "tool_call_id": "c", "content": "ok"}
    whole = (said, question, answer, booked, result, {"role": "assistant", "content": "Done."})
    for length in range(1, len(whole) + 1):
        imported = import_lines([conversation(*whole[:length])], memory)
        counts = (imported.added, imported.grown, imported.known, imported.faults)
        assert counts == ((1, 0, 0, []) if length == 1 else (0, 1, 0, [])), length
        memory.user(Scope("ada")).remember(Turn(turn_id=f"t{length}", request="meanwhile"))
    for again in (whole, whole[:2]):  # the same, and what was taken down earlier
        imported = import_lines([conversation(*again)], memory)
        assert (imported.added, imported.grown, imported.known, imported.faults) == (0, 0, 1, [])
    assert requests(memory, "ada") == ["Book a train", *["meanwhile"] * len(whole)]
    assert memory.user(Scope("ada")).turns()[0] == Turn(
        turn_id="k1#1",
        request="Book a train",
        steps=(
            QuestionStep(question="Window or aisle?", answer="window"),
            CallStep(
                calls=(ToolCall(id="c", name="book_train", arguments={"seat": "window"}),),
                observations=(Observation(content="ok"),),
            ),
        ),
        reply="Done.",
        topic="k1",
    )
    memory.wait_indexed()
    user = memory.user(Scope("ada"))
    assert user.similar([embedding_text(user.turns()[0])], 1) == [[("k1#1", 1.0)]]


def test_a_turn_that_says_something_else_is_no_turn_that_went_on(memory: Memory) -> None:
    def booked(seat: object, *, reply: str) -> str:
        call = {"id": "c", "function": {"name": "book", "arguments": json.dumps({"seat": seat})}}
        return conversation(
            {"role": "user", "content": "Book"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "assistant", "content": reply},
        )

    import_lines([booked(1, reply="ok")], memory)
    for other in (booked(True, reply="ok"), booked(2, reply="ok"), booked(1, reply="ok then")):
        imported = import_lines([other], memory)
        assert (imported.added, imported.grown, imported.known) == (0, 0, 0)
        assert imported.faults[0][1].startswith("turn 'k1#1' is in the log with another content")


def test_keys_that_nothing_reads_are_named_and_a_time_can_be_put_right(memory: Memory) -> None:
    said = {"role": "user", "content": "hi"}
    when = "2026-03-09T08:00:00+01:00"
    imported = import_lines(["", conversation({**said, "timestamp": when, "name": "Ada", "weight": None})], memory)
    assert (imported.added, imported.unread, imported.faults) == (1, {"timestamp": [2]}, [])
    assert memory.user(Scope("ada")).turns()[0].time is None
    imported = import_lines([conversation({**said, "time": when})], memory)
    assert (imported.grown, imported.unread, imported.faults) == (1, {}, [])
    assert memory.user(Scope("ada")).turns()[0].time == datetime.fromisoformat(when)


def test_bad_lines_are_skipped_and_named(memory: Memory) -> None:
    lines = [
        "{",
        line("ada", "k1", "kept"),
        line("ada", "k1", "another"),  # the same conversation with another content
        line(" ", "k1", "nobody"),
        line("ada", "k2", "kept too"),
    ]
    imported = import_lines(lines, memory)
    assert [number for number, _ in imported.faults] == [1, 3, 4]
    assert imported.faults[1][1].startswith("turn 'k1#1' is in the log with another content")
    assert (imported.lines, imported.added) == (5, 2)
    assert requests(memory, "ada") == ["kept", "kept too"]


def test_a_paused_user_is_passed_over(memory: Memory) -> None:
    memory.user(Scope("ada")).settle(UserSettings(is_paused=True))
    imported = import_lines([line("ada", "k1", "secret"), line("bob", "k1", "open")], memory)
    assert imported.faults == [(1, "'ada' has paused; `stead state resume ada` ends that")]
    assert imported.users == 1
    assert memory.user(Scope("ada")).kept_turns() == ()
    assert requests(memory, "bob") == ["open"]


def test_tenants_are_kept_apart(memory: Memory) -> None:
    import_lines([line("ada", "k1", "here")], memory, tenant="acme")
    assert (requests(memory, "ada"), requests(memory, "ada", "acme")) == ([], ["here"])


def test_the_command_counts_names_bad_lines_and_exits_with_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_option, "DEFAULT_EMBEDDER", HashingEmbedder())
    file = tmp_path / "chats.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + line("ada", "k1", "Hé").encode() + b"\n\xff\n" + b"[]\n" * 30)
    result = CliRunner().invoke(app, ["import", str(file), "--data", str(tmp_path / "data")])
    assert result.exit_code == 2
    assert result.stdout == "1 turn of 1 user remembered, 0 were known, 31 of 32 lines skipped.\n"
    named = result.stderr.splitlines()
    assert named[0] == (
        "stead: line 2 is skipped: no UTF-8, or half a surrogate pair; save it as UTF-8, not compressed"
    )
    assert named[-1] == "stead: 11 further lines are skipped"
    assert len(named) == 21
    again = CliRunner().invoke(app, ["import", str(file), "--json", "--data", str(tmp_path / "data")])
    counts = json.loads(again.stdout)
    assert (counts["added"], counts["known"], len(counts["skipped"])) == (0, 1, 31)


def test_the_command_names_keys_that_nothing_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_option, "DEFAULT_EMBEDDER", HashingEmbedder())
    file = tmp_path / "chats.jsonl"
    message = {"role": "user", "content": "hi", "timestamp": "2026-03-09T08:00:00+01:00"}
    file.write_text("\n".join([line("ada", "k0", "x"), conversation(message), conversation(message)]))
    result = CliRunner().invoke(app, ["import", str(file), "--json", "--data", str(tmp_path / "data")])
    assert result.exit_code == 0
    assert result.stderr == (
        "stead: 2 lines have messages with the key 'timestamp', the first is line 2; nothing reads it, only role, "
        "content, tool_calls, tool_call_id and time\n"
    )
    counts = json.loads(result.stdout)
    assert (counts["grown"], counts["unread"]) == (0, {"timestamp": {"lines": 2, "first": 2}})


def test_an_interrupted_import_says_so_and_is_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_option, "DEFAULT_EMBEDDER", HashingEmbedder())
    remember = UserMemory.remember_all

    def interrupted(user: UserMemory, turns: Iterable[Turn]) -> None:
        remember(user, list(turns)[:1])
        raise KeyboardInterrupt

    file = tmp_path / "chats.jsonl"
    file.write_text("\n".join([line("ada", "k1", "first"), line("ada", "k2", "second")]))
    command = ["import", str(file), "--data", str(tmp_path / "data")]
    with monkeypatch.context() as patched:
        patched.setattr(UserMemory, "remember_all", interrupted)
        result = CliRunner().invoke(app, command)
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == "stead: interrupted; what was done until then stays\n"
    again = CliRunner().invoke(app, command)
    assert (
        again.stdout
        == "1 turn of 1 user remembered, 1 were known, 0 of 2 lines skipped. Turns that were forgotten count as new.\n"
    )

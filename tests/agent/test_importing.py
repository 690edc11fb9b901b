"""`stead import`: bulk, idempotent, and every bad line named."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agent.cli import app
from agent.commands import data_option
from agent.stewardship.importing import import_lines
from memory.memory import Memory
from memory.records import Scope
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
    assert result.stdout == "1 turns of 1 users remembered, 0 were known, 31 of 32 lines skipped.\n"
    named = result.stderr.splitlines()
    assert named[0] == "stead: line 2 is skipped: no UTF-8, or half a surrogate pair"
    assert named[-1] == "stead: 11 further lines are skipped"
    assert len(named) == 21
    again = CliRunner().invoke(app, ["import", str(file), "--json", "--data", str(tmp_path / "data")])
    counts = json.loads(again.stdout)
    assert (counts["added"], counts["known"], len(counts["skipped"])) == (0, 1, 31)

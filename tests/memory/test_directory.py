"""The data directory, with real second processes."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from memory import Memory, Scope, Turn
from memory.errors import DataVersionError, DirectoryLockedError, MemoryStoreError, TurnLogMissingError
from memory.storage.directory import DataDirectory
from tests.fakes import HashingEmbedder

HOLD = """
import sys
from memory.storage.directory import DataDirectory
directory = DataDirectory(sys.argv[1])
print("held", flush=True)
sys.stdin.readline()
directory.close()
"""


@contextmanager
def holder(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Run another process that holds `path` until its input gets a line or it dies."""
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def test_makes_the_directory_and_opens_it_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "memory"
    for _ in range(2):
        with closing(DataDirectory(path)) as directory:
            assert directory.path == path
            assert directory.index == path / "index"
            assert directory.log_url.database == str(path / "turns.sqlite")
            assert (path / "memory.json").read_text() == '{"format":"stead-memory","version":1,"has_log":false}\n'


@pytest.mark.parametrize("timeout_s", [0, 0.4])
def test_another_process_keeps_it_and_the_wait_is_bounded(tmp_path: Path, timeout_s: float) -> None:
    """Case B07."""
    with holder(tmp_path):
        begun = time.monotonic()
        with pytest.raises(DirectoryLockedError, match="another process") as caught:
            DataDirectory(tmp_path, lock_timeout_s=timeout_s)
        assert timeout_s <= time.monotonic() - begun < timeout_s + 2
    assert (caught.value.path, caught.value.waited_s) == (str(tmp_path), timeout_s)


def test_waits_until_the_other_process_is_done(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        release = threading.Timer(0.3, print, [""], {"file": process.stdin, "flush": True})
        release.start()
        DataDirectory(tmp_path, lock_timeout_s=20).close()
        release.join()


def test_a_process_that_was_killed_holds_nothing(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
        DataDirectory(tmp_path, lock_timeout_s=1).close()


def test_this_process_opens_it_once_by_whatever_name(tmp_path: Path) -> None:
    path, link = tmp_path / "memory", tmp_path / "link"
    link.symlink_to(path)
    with closing(DataDirectory(path)):
        for name in (path, link, tmp_path / "x" / ".." / "memory"):
            (tmp_path / "x").mkdir(exist_ok=True)
            with pytest.raises(DirectoryLockedError, match="this process"):
                DataDirectory(name)
    DataDirectory(link).close()


def test_a_directory_that_nobody_uses_any_more_is_free(tmp_path: Path) -> None:
    directory = DataDirectory(tmp_path)
    del directory
    DataDirectory(tmp_path, lock_timeout_s=1).close()


def test_closing_twice_leaves_the_next_one_alone(tmp_path: Path) -> None:
    first = DataDirectory(tmp_path)
    first.close()
    with closing(DataDirectory(tmp_path)):
        first.close()
        with pytest.raises(DirectoryLockedError):
            DataDirectory(tmp_path)


def test_another_thread_may_close_it(tmp_path: Path) -> None:
    directory = DataDirectory(tmp_path)
    thread = threading.Thread(target=directory.close)
    thread.start()
    thread.join()
    DataDirectory(tmp_path, lock_timeout_s=1).close()


@pytest.mark.parametrize("timeout_s", [-1, float("nan")])
def test_a_wait_without_end_is_refused(tmp_path: Path, timeout_s: float) -> None:
    with pytest.raises(ValueError, match="lock_timeout_s"):
        DataDirectory(tmp_path, lock_timeout_s=timeout_s)


def test_a_newer_version_is_refused_and_set_free(tmp_path: Path) -> None:
    (tmp_path / "memory.json").write_text('{"format": "stead-memory", "version": 2, "new": [1]}')
    for _ in range(2):
        with pytest.raises(DataVersionError, match="data version 2"):
            DataDirectory(tmp_path, lock_timeout_s=1)


def test_a_file_of_another_program_is_refused(tmp_path: Path) -> None:
    (tmp_path / "memory.json").write_text('{"format": "other", "version": 1}')
    with pytest.raises(MemoryStoreError, match=r"memory\.json' is of another program; a memory needs a directory"):
        DataDirectory(tmp_path)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"version": "x"}', "\x80"])
def test_a_damaged_header_is_refused_and_written_anew_once_it_is_deleted(tmp_path: Path, content: str) -> None:
    with Memory.open(tmp_path, embedder=HashingEmbedder()) as memory:
        memory.user(Scope("ann")).remember(Turn(turn_id="1", request="a window seat"))
    header = tmp_path / "memory.json"
    header.write_text(content, encoding="latin-1")
    with pytest.raises(MemoryStoreError) as caught:
        Memory.open(tmp_path, embedder=HashingEmbedder())
    assert str(caught.value) == (
        f"{str(header)!r} is damaged; delete it, and it is written anew (the turns are in turns.sqlite)"
    )
    header.unlink()
    with Memory.open(tmp_path, embedder=HashingEmbedder()) as memory:
        assert len(memory.user(Scope("ann")).turns()) == 1
    assert header.read_text() == '{"format":"stead-memory","version":1,"has_log":true}\n'


def test_a_damaged_log_says_what_can_be_done(tmp_path: Path) -> None:
    Memory.open(tmp_path, embedder=HashingEmbedder()).close()
    (tmp_path / "turns.sqlite").write_bytes(b"hello" * 2000)
    with pytest.raises(MemoryStoreError) as caught:
        Memory.open(tmp_path, embedder=HashingEmbedder())
    assert str(caught.value) == (
        f"cannot open the turn log sqlite:///{tmp_path}/turns.sqlite: file is not a database; put the file back from a "
        "backup, or save what it still has with the program sqlite3 (.recover)"
    )


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(MemoryStoreError, match="is no directory"):
            DataDirectory(path)


OPEN_UNPRIVILEGED = """
import os, sys
from memory.storage.directory import DataDirectory
from tests.fakes import HashingEmbedder
from memory.errors import MemoryStoreError
if os.geteuid() == 0:
    os.seteuid(65534)  # permissions do not bind root
try:
    DataDirectory(sys.argv[1], lock_timeout_s=5)
except MemoryStoreError as exc:
    print(type(exc).__name__, exc)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of folders work otherwise there")
def test_a_directory_that_may_not_be_written_is_named(tmp_path: Path) -> None:
    path = tmp_path / "memory"
    path.mkdir()
    os.chmod(path, 0o555)
    for part in (tmp_path, *tmp_path.parents[:2]):  # pytest makes them for its own user alone
        os.chmod(part, 0o755)
    try:
        command = [sys.executable, "-c", OPEN_UNPRIVILEGED]
        for name in (path, path / "below"):
            result = subprocess.run([*command, str(name)], capture_output=True, text=True, timeout=60, check=True)
            assert result.stdout.startswith("MemoryStoreError cannot "), result
            assert "Permission denied" in result.stdout
    finally:
        os.chmod(path, 0o755)


def forget_tables(log: Path) -> None:
    log.unlink()
    with closing(sqlite3.connect(log)) as database:
        database.execute("VACUUM")
        database.execute("PRAGMA user_version = 1")


@pytest.mark.parametrize("damage", [lambda log: log.write_bytes(b""), Path.unlink, forget_tables])
def test_a_log_that_was_made_and_is_empty_is_refused(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    with Memory.open(tmp_path, embedder=HashingEmbedder()) as memory:
        memory.user(Scope("ann")).remember(Turn(turn_id="1", request="a window seat"))
    header, log = tmp_path / "memory.json", tmp_path / "turns.sqlite"
    assert header.read_text() == '{"format":"stead-memory","version":1,"has_log":true}\n'
    whole = log.read_bytes()
    damage(log)
    with pytest.raises(TurnLogMissingError) as caught:
        Memory.open(tmp_path, embedder=HashingEmbedder())
    assert str(caught.value) == (
        f"the turn log {str(log)!r} was made, and holds nothing now, not even its tables: every turn in it is lost to "
        f"this directory. Put the file back from a backup; or, to begin anew with no turns, delete {str(header)!r}"
    )
    log.write_bytes(whole)
    with Memory.open(tmp_path, embedder=HashingEmbedder()) as memory:
        assert [turn.request for turn in memory.user(Scope("ann")).turns()] == ["a window seat"]
    log.write_bytes(b"")
    header.unlink()
    with Memory.open(tmp_path, embedder=HashingEmbedder()) as memory:
        assert memory.user(Scope("ann")).turns() == ()


def test_a_log_that_was_never_made_is_made(tmp_path: Path) -> None:
    (tmp_path / "memory.json").write_text('{"format":"stead-memory","version":1}\n')
    with Memory.open(tmp_path, embedder=HashingEmbedder()) as memory:
        assert memory.user(Scope("ann")).turns() == ()

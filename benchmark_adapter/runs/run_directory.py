"""The run directory: manifest, one line a turn, metrics; the place where an interrupted run goes on.

`turns.jsonl` is appended to with fsync and is the resume point; a line that was cut off is dropped. When all turns are
there, the lines stand in playing order.
"""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from filelock import FileLock, Timeout
from pydantic import ValidationError

from benchmark_adapter.data.jsonl import first_problem, storable
from benchmark_adapter.errors import ManifestMismatchError, RunDirectoryError
from benchmark_adapter.replay.turn_result import TurnLine
from benchmark_adapter.runs.manifest import Manifest

MANIFEST, TURNS, METRICS = "manifest.json", "turns.jsonl", "metrics.json"
_SCRATCH = ".scratch-"
_BEFORE_MANIFEST = frozenset({".lock", f"{MANIFEST}.part"})
"""What a process may leave behind that dies while it makes the directory."""


class RunDirectory:
    """One run on disk. Get one from `open_run` or `read_run`.

    Args:
        path: The directory.
        manifest: What it was, or is being, made with.
        lines: The turns that are done, in file order.
    """

    def __init__(self, path: Path, manifest: Manifest, lines: Iterable[TurnLine]) -> None:
        self.path = path
        self.manifest = manifest
        self._lines = {line.key: line for line in lines}
        self._append_lock = threading.Lock()

    @property
    def lines(self) -> tuple[TurnLine, ...]:
        """The turns that are done, in the order they were added."""
        return tuple(self._lines.values())

    def line(self, session: str, turn: int) -> TurnLine | None:
        """Return what is kept of a turn, `None` if it is not done."""
        return self._lines.get((session, turn))

    def append(self, line: TurnLine) -> None:
        """Add a turn; it is on disk when this returns. May be called from several threads.

        Raises:
            RunDirectoryError: If it cannot be written, as on a full disk; the file then ends as it did before.
        """
        written = _encode(line)
        with self._append_lock:
            with _translated(self.path):
                _append(self.path / TURNS, written)
            self._lines[line.key] = TurnLine.model_validate_json(written)  # as it will be read, so that scores agree

    @contextmanager
    def scratch_folder(self) -> Iterator[Path]:
        """Hand out a new folder for as long as the block lasts.

        It lies in the run directory, which one process holds at a time: what a killed one left, the next takes away.
        """
        with _translated(self.path):
            folder = TemporaryDirectory(prefix=_SCRATCH, dir=self.path, ignore_cleanup_errors=True)
        with folder as name:
            yield Path(name)

    def finish(self, order: Iterable[tuple[str, int]], metrics: dict[str, Any]) -> None:
        """Put the lines in playing order and write the metrics."""
        ordered = {key: self._lines[key] for key in order}
        with _translated(self.path):
            if list(ordered) != list(self._lines):
                self._lines = ordered
                _replace(self.path / TURNS, b"".join(map(_encode, self.lines)))
            _replace(self.path / METRICS, _pretty(metrics))


@contextmanager
def open_run(path: Path, manifest: Manifest) -> Iterator[RunDirectory]:
    """Create a run directory, or go on with the one that is there; held by this process until the block ends.

    A last line that was cut off is taken away from the file.

    Raises:
        ManifestMismatchError: If the directory holds a run under other conditions.
        RunDirectoryError: If it cannot be written, is not a run directory, is damaged, or another process holds it.
    """
    if path.is_symlink() and not path.exists():
        problem = (
            f"expected a folder, got a link to {os.readlink(path)}, which is not there; make it, or remove the link"
        )
        raise RunDirectoryError(path, problem)
    with _translated(path):
        path.mkdir(parents=True, exist_ok=True)
        if not (path / MANIFEST).exists() and any(entry.name not in _BEFORE_MANIFEST for entry in path.iterdir()):
            raise RunDirectoryError(path, "expected a run directory or an empty one, got a folder of other files")
        lock = FileLock(path / ".lock", timeout=0)
        try:
            lock.acquire()
        except Timeout as exc:
            raise RunDirectoryError(path, "another process is running in this directory; let it end first") from exc
    try:
        with _translated(path):
            for left in path.glob(f"{_SCRATCH}*"):
                shutil.rmtree(left, ignore_errors=True)
            if (path / MANIFEST).exists():
                _drop_cut_off_line(path / TURNS)
                run = read_run(path)
                try:
                    manifest.require_equal(run.manifest)
                except ManifestMismatchError as exc:
                    raise ManifestMismatchError(exc.differences, path=path) from None
            else:
                _replace(path / MANIFEST, _pretty(manifest.model_dump(mode="json")))
                (path / TURNS).touch()
                run = RunDirectory(path, manifest, ())
        yield run
    finally:
        lock.release()


def read_run(path: Path) -> RunDirectory:
    """Return the run in a directory, which may be under way: a last line without an end is left aside.

    Raises:
        RunDirectoryError: If there is no run, or a file of it cannot be read.
    """
    if not (path / MANIFEST).is_file():
        raise RunDirectoryError(path, f"expected a run directory with {MANIFEST}; start one with `stead-bench run`")
    with _translated(path):
        written = (path / MANIFEST).read_bytes()
        data = (path / TURNS).read_bytes() if (path / TURNS).exists() else b""
    try:
        manifest = Manifest.model_validate_json(written)
    except ValidationError as exc:
        wrong = first_problem(exc, "the file")
        problem = f"expected a manifest of this version, got one that fails at {wrong}; use another directory"
        raise RunDirectoryError(path / MANIFEST, problem) from exc
    return RunDirectory(path, manifest, _decoded(path / TURNS, _whole_lines(data)))


def _whole_lines(data: bytes) -> bytes:
    return data[: data.rfind(b"\n") + 1]


def _drop_cut_off_line(path: Path) -> None:
    data = path.read_bytes() if path.exists() else b""
    if not data.endswith(b"\n"):
        _replace(path, _whole_lines(data))


def _decoded(path: Path, data: bytes) -> Iterator[TurnLine]:
    for number, text in enumerate(data.splitlines(), start=1):
        try:
            yield TurnLine.model_validate_json(text)
        except ValidationError as exc:
            problem = f"expected a turn of a run, got a line that fails at {first_problem(exc)}; remove the line"
            raise RunDirectoryError(f"{path}:{number}", problem) from exc


def _encode(line: TurnLine) -> bytes:
    return (json.dumps(storable(line.model_dump(mode="json")), ensure_ascii=False) + "\n").encode()


def _append(path: Path, data: bytes) -> None:
    """Add bytes to the end of a file, all or, where that fails, none: half a line would run into the next."""
    with path.open("ab", buffering=0) as file:
        before = os.fstat(file.fileno()).st_size
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[file.write(rest) or 0 :]
            os.fsync(file.fileno())
        except BaseException:
            file.truncate(before)
            raise


def _pretty(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


def _replace(path: Path, data: bytes) -> None:
    """Write a file as a whole or not at all."""
    partial = path.with_suffix(path.suffix + ".part")
    with partial.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        reason = exc.strerror or str(exc)
        problem = f"cannot read or write here ({reason}); give --out a folder that you may write to"
        raise RunDirectoryError(exc.filename or path, problem) from exc

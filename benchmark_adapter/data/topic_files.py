"""Which files of a folder hold topics, and where their toolsets lie."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmark_adapter.data.toolsets import TOOLSET_FILES, Toolsets
from benchmark_adapter.errors import DatasetError, NoDataError

_TOPIC_FIELDS = frozenset(
    f"{prefix}{name}" for name in ("tasks", "answer_list", "task_types") for prefix in ("", "english_")
)

_MOST_NAMES = 3
"""Files that a message names."""


class Found(NamedTuple):
    """The `.jsonl` files that a path stands for, each group in natural order of names (`persona2` before 10)."""

    topics: tuple[Path, ...]
    left_out: tuple[Path, ...]
    """Files whose first line shows that they hold something else; toolset files are not among them."""


def find_topic_files(path: Path) -> Found:
    """Return the topic files of a path: itself, or those in a folder and anywhere below it.

    Below a folder, hidden folders and the files of toolsets are passed over, and a file is left out when its first
    line is JSON without any field of a topic. A file that cannot be read, or whose first line is broken, stays, so that
    the fault is seen.

    Raises:
        DatasetError: If the folder, or one below it, cannot be read.
    """
    if not path.is_dir():
        return Found((path,), ())
    topics: list[Path] = []
    left_out: list[Path] = []
    for file in sorted(_files_below(path), key=lambda file: _natural_order(file.relative_to(path))):
        if file.suffix == ".jsonl" and file.name not in TOOLSET_FILES:
            (topics if _may_hold_topics(file) else left_out).append(file)
    return Found(tuple(topics), tuple(left_out))


def some_topic_files(path: Path) -> Found:
    """Return what `find_topic_files` does, if there is any topic file.

    Raises:
        DatasetError: If nothing is there, the folder cannot be read or has no topic file; files that hold something
            else are named.
    """
    if not path.exists():
        raise NoDataError(path)
    found = find_topic_files(path)
    if found.topics:
        return found
    problem = "expected a folder with .jsonl topic files, found none in it"
    if found.left_out:
        names = ", ".join(str(file.relative_to(path)) for file in found.left_out[:_MOST_NAMES])
        more = f" and {len(found.left_out) - _MOST_NAMES} more" if len(found.left_out) > _MOST_NAMES else ""
        problem += f" (no topic in the first line of {names}{more}); write one topic object a line"
    raise DatasetError(path, None, problem)


def repeated_names(paths: Sequence[Path]) -> dict[Path, Path]:
    """Return the files whose stem an earlier file has too, each with that file: one stem is one person."""
    first: dict[str, Path] = {}
    return {path: first[path.stem] for path in paths if first.setdefault(path.stem, path) != path}


def toolsets_of(topic_file: Path, root: Path) -> Toolsets:
    """Return the toolsets of a topic file: those in or beside its folder, else in or beside one above it up to `root`.

    Nothing else is looked into. Where there are none, it is the folder that is named in messages.
    """
    beside = Toolsets.beside(topic_file)
    if beside.folder.is_dir() or not root.is_dir():
        return beside
    folder, top = topic_file.absolute().parent, root.absolute()
    above = [one for one in (folder, *folder.parents) if one == top or top in one.parents]
    for named in (place for one in above for place in (one / "toolsets", one)):
        if any((named / name).is_file() for name in TOOLSET_FILES):
            return Toolsets(named)
    return beside


def _files_below(path: Path) -> Iterator[Path]:
    """Yield the files in a folder and below, but for hidden ones and those of hidden folders."""

    def refuse(exc: OSError) -> None:
        problem = f"cannot be read: {exc.strerror or exc}; make it readable, or move it elsewhere"
        raise DatasetError(exc.filename or path, None, problem) from exc

    for folder, folders, files in os.walk(path, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(folder, name) for name in files if not name.startswith("."))


def _may_hold_topics(file: Path) -> bool:
    try:
        with file.open("rb") as lines:
            first = next((line for line in lines if line.strip()), b"")
        value = json.loads(first.decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return True
    return isinstance(value, dict) and not _TOPIC_FIELDS.isdisjoint(value)


def _natural_order(path: Path) -> list[tuple[int, str]]:
    """Sort key that puts `persona2` before `persona10`."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", os.fspath(path))]

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from benchmark_adapter.data.topic_files import Found, find_topic_files, repeated_names, toolsets_of
from benchmark_adapter.data.topics import read_topic_files
from benchmark_adapter.errors import DatasetError
from tests.benchmark_adapter.topics import TOOLS, library_topics, write_topics


def test_topic_files_are_found_anywhere_below_a_folder_in_natural_order(tmp_path: Path) -> None:
    topics = [
        write_topics(tmp_path / name, library_topics())
        for name in ("data/en/reader_2.jsonl", "data/en/reader_10.jsonl", "reader_1.jsonl")
    ]
    for hidden in (".cache/reader_3.jsonl", "data/.reader_4.jsonl"):
        write_topics(tmp_path / hidden, library_topics())
    (tmp_path / "data" / "tools_en.jsonl").write_text("[]\n", "utf-8")
    (tmp_path / "data" / "README.md").write_text("{}\n", "utf-8")
    left_out = tmp_path / "results.jsonl"
    left_out.write_text('\n{"id": 1}\n', "utf-8")
    assert find_topic_files(tmp_path) == Found(tuple(topics), (left_out,))


@pytest.mark.parametrize("first_line", [b'{"id": ', b"\xff", b"", b'\xef\xbb\xbf{"english_tasks": []}'])
def test_a_file_that_may_hold_topics_stays(tmp_path: Path, first_line: bytes) -> None:
    file = tmp_path / "reader_1.jsonl"
    file.write_bytes(first_line + b"\n")
    assert find_topic_files(tmp_path) == Found((file,), ())


def test_a_file_stands_for_itself_whatever_it_holds(tmp_path: Path) -> None:
    assert find_topic_files(tmp_path / "nowhere.txt") == Found((tmp_path / "nowhere.txt",), ())


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    first = write_topics(tmp_path / "a" / "reader_1.jsonl", library_topics())
    second = write_topics(tmp_path / "b" / "reader_1.jsonl", library_topics())
    assert repeated_names([first, second]) == {second: first}
    with pytest.raises(DatasetError, match="expected one file of this name, one person"):
        read_topic_files(tmp_path)


def test_a_folder_without_topics_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"expected a folder with \.jsonl topic files, found none in it"):
        read_topic_files(tmp_path)


def test_files_that_hold_something_else_are_named_where_nothing_is_left(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"list_{number}.jsonl").write_text("[1, 2]\n", "utf-8")
    with pytest.raises(DatasetError) as caught:
        read_topic_files(tmp_path)
    assert caught.value.problem == (
        "expected a folder with .jsonl topic files, found none in it (no topic in the first line of list_0.jsonl, "
        "list_1.jsonl, list_2.jsonl and 2 more); write one topic object a line"
    )


def test_a_folder_below_that_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_topics(tmp_path / "reader_1.jsonl", library_topics())
    closed, hidden = tmp_path / "closed", tmp_path / ".closed"
    write_topics(closed / "reader_2.jsonl", library_topics())
    write_topics(hidden / "reader_3.jsonl", library_topics())
    scandir = os.scandir

    def refusing(path: str) -> object:
        if Path(path) in (closed, hidden):  # not by mode, since root may read everywhere
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    with pytest.raises(DatasetError) as caught:
        find_topic_files(tmp_path)
    assert str(caught.value) == f"{closed}: cannot be read: Permission denied; make it readable, or move it elsewhere"


def test_toolsets_lie_in_or_beside_the_folder_or_above_it_up_to_the_root(tmp_path: Path) -> None:
    root = tmp_path / "root"
    file = write_topics(root / "data" / "en" / "reader_1.jsonl", library_topics())
    beside, inside = root / "data" / "toolsets", root / "data" / "en" / "toolsets"
    for unnamed in (tmp_path, root / "schemas", root / ".cache" / "toolsets"):
        _write_toolsets(unnamed)
    assert toolsets_of(file, root).folder == beside, "named in the message when missing"
    for folder in (root, root / "toolsets", root / "data" / "en", beside, inside):
        _write_toolsets(folder)
        assert toolsets_of(file, root).folder == folder


def _write_toolsets(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tools_en.jsonl").write_text(json.dumps(TOOLS) + "\n", "utf-8")


def test_toolsets_of_a_linked_file_lie_beside_the_link(tmp_path: Path) -> None:
    blob = write_topics(tmp_path / "blobs" / "abc", library_topics())
    link = tmp_path / "snapshot" / "data" / "reader_1.jsonl"
    link.parent.mkdir(parents=True)
    link.symlink_to(blob)
    toolsets = tmp_path / "snapshot" / "toolsets"
    toolsets.mkdir()
    assert toolsets_of(link, tmp_path / "snapshot").folder == toolsets

"""The run directory: what is in it survives, and what does not belong is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmark_adapter.errors import ManifestMismatchError, RunDirectoryError
from benchmark_adapter.replay.environment import Reply, WrittenCall
from benchmark_adapter.replay.turn_result import Failure, RecalledItem, TurnLine
from benchmark_adapter.runs.manifest import Manifest
from benchmark_adapter.runs.run_directory import MANIFEST, METRICS, TURNS, open_run, read_run
from clarifier.decision import Act, Answer, Ask, Hint, Odds, PlanAgain, Reason, Usage
from memory.evidence import Slot
from memory.records import ToolCall
from tests.benchmark_adapter.test_manifest import FIELDS

_MANIFEST = Manifest(**FIELDS)
_ODDS = Odds(p_act=0.5, p_calls=0.25, p_asked=0.75)


def _line(session: str = "ann", turn: int = 0, reply: str = "Done.") -> TurnLine:
    return TurnLine(session=session, turn=turn, label="correct", replies=(Reply(content=reply),), seconds={"turn": 0.5})


def _filled(path: Path, *lines: TurnLine) -> Path:
    with open_run(path, _MANIFEST) as run:
        for line in lines:
            run.append(line)
    return path


# Going on


def test_a_new_directory_has_a_manifest_and_no_turns(tmp_path: Path) -> None:
    with open_run(tmp_path / "deep" / "run", _MANIFEST) as run:
        assert run.lines == ()

    assert Manifest.model_validate_json((run.path / MANIFEST).read_text("utf-8")) == _MANIFEST
    assert (run.path / TURNS).read_bytes() == b""


def test_a_turn_is_on_disk_as_soon_as_it_is_appended(tmp_path: Path) -> None:
    with open_run(tmp_path, _MANIFEST) as run:
        run.append(_line())

        assert json.loads((tmp_path / TURNS).read_bytes()) == _line().model_dump(mode="json")


def test_a_run_goes_on_with_the_turns_that_are_there(tmp_path: Path) -> None:
    _filled(tmp_path, _line(turn=0), _line(turn=1))

    with open_run(tmp_path, _MANIFEST) as run:
        assert run.lines == (_line(turn=0), _line(turn=1))
        assert run.line("ann", 1) == _line(turn=1)
        assert run.line("ann", 2) is None
        assert run.line("bob", 0) is None
        run.append(_line(turn=2))

    assert read_run(tmp_path).lines == (_line(turn=0), _line(turn=1), _line(turn=2))


def test_every_part_of_a_line_survives_being_written(tmp_path: Path) -> None:
    call = ToolCall(id="c1", name="search_books", arguments={"title": "红楼梦", "n": [1, 2.5, None, True]})
    reason = Reason(
        call_id="c1", slot="search_books.title", value="红楼梦", grounds="habit", probability=0.5, turn_ids=("t0000",)
    )
    hint = Hint("settled", Slot("search_books", "title"), ("a",), {"x": [1]}, ("t0000",))
    line = TurnLine(
        session="ann",
        turn=3,
        label="error",
        reason="wrong",
        replies=(
            Reply(calls=(WrittenCall(id="c1", name="search_books", arguments='{"title": "红楼梦"}'),)),
            Reply(content="which\u2028one\r\n?", is_question=True),
            Reply(content=None),
        ),
        decisions=(
            PlanAgain(policy="p", odds=_ODDS, hints=(hint,)),
            Ask(policy="p", odds=_ODDS, question="?", slots=("a.b",), options={"a.b": (1, "x")}),
            Act(policy="p", odds=_ODDS, reasons=(reason,), calls=(call,), held=(call,)),
            Answer(policy="p", odds=_ODDS, reply="Done."),
        ),
        recall=(RecalledItem(kind="state", turn_ids=("t0000",), tokens=3, score=0.123456),),
        usage=Usage(prompt=1, completion=2),
        failure=Failure(type="E", message="m", traceback="t"),
        seconds={"turn": 0.25},
    )
    _filled(tmp_path, line)

    assert read_run(tmp_path).lines == (line,)


def test_a_failure_whose_words_no_file_can_hold_survives_too(tmp_path: Path) -> None:
    failure = Failure.of(ValueError("a lone \ud83d half"))
    line = _line().model_copy(update={"failure": failure})
    _filled(tmp_path, line)

    assert (failure.type, failure.message) == ("ValueError", "a lone \\ud83d half")
    assert failure.traceback == "ValueError: a lone \\ud83d half\n"
    assert read_run(tmp_path).lines == (line,)


def test_a_line_is_kept_as_it_will_be_read(tmp_path: Path) -> None:
    """A model may send half a surrogate pair, which no file can hold."""
    call = ToolCall(id="c1", name="search_books", arguments={"title": "a\ud83d", "weeks": float("nan")})
    line = _line(reply="half \ud83d").model_copy(update={"decisions": (Act(policy="p", odds=_ODDS, calls=(call,)),)})

    with open_run(tmp_path, _MANIFEST) as run:
        run.append(line)
        (kept,) = run.lines

    assert kept.replies[0].content == "half ?"
    assert isinstance(kept.decisions[0], Act)
    assert kept.decisions[0].calls[0].arguments == {"title": "a?", "weeks": "nan"}
    assert read_run(tmp_path).lines == (kept,)


def test_a_scratch_folder_lasts_as_long_as_its_block_and_the_next_process_takes_away_what_is_left(
    tmp_path: Path,
) -> None:
    with open_run(tmp_path, _MANIFEST) as run:
        with run.scratch_folder() as one, run.scratch_folder() as other:
            (one / "file").touch()
            assert one != other
            assert one.parent == other.parent == tmp_path
        assert not one.exists()
    (tmp_path / ".scratch-killed").mkdir()
    (tmp_path / ".scratch-killed" / "chroma.sqlite3").touch()

    with open_run(tmp_path, _MANIFEST):
        assert {entry.name for entry in tmp_path.iterdir()} == {MANIFEST, TURNS, ".lock"}


def test_finishing_puts_the_turns_in_playing_order_and_writes_the_metrics(tmp_path: Path) -> None:
    with open_run(tmp_path, _MANIFEST) as run:
        for line in (_line("bob", 0), _line("ann", 0), _line("bob", 1)):
            run.append(line)
        run.finish([("ann", 0), ("bob", 0), ("bob", 1)], {"n": 3, "exact": {"overall": None}})

    assert read_run(tmp_path).lines == (_line("ann", 0), _line("bob", 0), _line("bob", 1))
    assert json.loads((tmp_path / METRICS).read_text("utf-8")) == {"n": 3, "exact": {"overall": None}}
    assert {entry.name for entry in tmp_path.iterdir()} <= {MANIFEST, TURNS, METRICS, ".lock"}


# After a crash


@pytest.mark.parametrize("cut", [1, 20])
def test_a_last_line_that_was_cut_off_is_dropped_and_played_again(tmp_path: Path, cut: int) -> None:
    _filled(tmp_path, _line(turn=0), _line(turn=1))
    whole = (tmp_path / TURNS).read_bytes()
    (tmp_path / TURNS).write_bytes(whole[:-cut])

    with open_run(tmp_path, _MANIFEST) as run:
        assert run.lines == (_line(turn=0),)
        run.append(_line(turn=1))

    assert (tmp_path / TURNS).read_bytes() == whole


def test_a_turn_that_the_disk_has_no_room_for_leaves_no_half_line(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    with open_run(tmp_path, _MANIFEST) as run:
        run.append(_line(turn=0))
        before = (tmp_path / TURNS).read_bytes()
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 20, limits[1]))
        try:
            with pytest.raises(RunDirectoryError, match="cannot read or write here"):
                run.append(_line(turn=1))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert (run.lines, (tmp_path / TURNS).read_bytes()) == ((_line(turn=0),), before)
        run.append(_line(turn=2))

    assert read_run(tmp_path).lines == (_line(turn=0), _line(turn=2))


def test_reading_a_run_changes_no_file_of_it_since_it_may_be_under_way(tmp_path: Path) -> None:
    _filled(tmp_path, _line(turn=0), _line(turn=1))
    under_way = (tmp_path / TURNS).read_bytes()[:-9]
    (tmp_path / TURNS).write_bytes(under_way)

    assert read_run(tmp_path).lines == (_line(turn=0),)
    assert (tmp_path / TURNS).read_bytes() == under_way


def test_a_directory_whose_process_died_while_it_wrote_the_manifest_can_be_used(tmp_path: Path) -> None:
    (tmp_path / "manifest.json.part").write_text('{"data"')
    (tmp_path / ".lock").touch()

    with open_run(tmp_path, _MANIFEST) as run:
        assert run.lines == ()


@pytest.mark.parametrize("broken", ["{\n", "[]\n", '{"session": "ann"}\n', "\n", "\xff\n"])
def test_a_broken_line_in_the_middle_is_named_and_nothing_is_lost(tmp_path: Path, broken: str) -> None:
    _filled(tmp_path, _line(turn=0), _line(turn=1))
    first, second = (tmp_path / TURNS).read_bytes().splitlines(keepends=True)
    damaged = first + broken.encode("latin-1") + second
    (tmp_path / TURNS).write_bytes(damaged)

    with pytest.raises(RunDirectoryError) as caught, open_run(tmp_path, _MANIFEST):
        pass

    assert str(caught.value).startswith(f"{tmp_path / TURNS}:2: expected a turn of a run, got a line that fails at ")
    assert str(caught.value).endswith("; remove the line")
    assert (tmp_path / TURNS).read_bytes() == damaged


# Refusals


def test_a_run_under_other_conditions_is_refused_with_every_field(tmp_path: Path) -> None:
    _filled(tmp_path, _line())
    other = Manifest(**{**FIELDS, "memory": "full", "budget": None})

    with pytest.raises(ManifestMismatchError) as caught, open_run(tmp_path, other):
        pass

    assert caught.value.differences == {"memory": ("full", "stead"), "budget": (None, 600)}
    assert str(caught.value).startswith(f"{tmp_path}: expected equal manifests, got memory: 'full' against 'stead'; ")
    assert read_run(tmp_path).lines == (_line(),)


def test_the_directory_is_free_again_after_a_refusal(tmp_path: Path) -> None:
    _filled(tmp_path, _line())
    with pytest.raises(ManifestMismatchError), open_run(tmp_path, Manifest(**{**FIELDS, "seed": 1})):
        pass

    with open_run(tmp_path, _MANIFEST) as run:
        assert len(run.lines) == 1


def test_a_folder_of_other_files_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("dear")

    with (
        pytest.raises(RunDirectoryError, match="expected a run directory or an empty one"),
        open_run(tmp_path, _MANIFEST),
    ):
        pass

    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("where", ["file", "file/run"])
def test_a_path_that_cannot_be_a_directory_is_refused(tmp_path: Path, where: str) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(RunDirectoryError, match="cannot read or write here"), open_run(tmp_path / where, _MANIFEST):
        pass


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_write_permission_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(RunDirectoryError, match="Permission denied"), open_run(tmp_path / "run", _MANIFEST):
            pass
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.parametrize(
    ("written", "message"),
    [("{", "Invalid JSON"), ("{}", "data: Field required"), ('{"colour": 1}', "data: Field required")],
)
def test_a_manifest_of_another_version_is_refused(tmp_path: Path, written: str, message: str) -> None:
    _filled(tmp_path, _line())
    (tmp_path / MANIFEST).write_text(written)

    with pytest.raises(RunDirectoryError, match=message) as caught, open_run(tmp_path, _MANIFEST):
        pass

    assert caught.value.path == tmp_path / MANIFEST


def test_a_manifest_that_is_no_utf8_is_refused(tmp_path: Path) -> None:
    _filled(tmp_path, _line())
    (tmp_path / MANIFEST).write_bytes(b'{"data": "\xff"}')
    with pytest.raises(
        RunDirectoryError, match="expected a manifest of this version, got one that fails at the file: Invalid JSON"
    ):
        read_run(tmp_path)


def test_a_link_to_nowhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run").symlink_to("gone")
    with pytest.raises(RunDirectoryError) as caught, open_run(tmp_path / "run", _MANIFEST):
        pass
    assert caught.value.problem == (
        "expected a folder, got a link to gone, which is not there; make it, or remove the link"
    )


def test_a_folder_without_a_run_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(RunDirectoryError, match="start one with `stead-bench run`"):
            read_run(path)


_HOLDS = """
import sys
from benchmark_adapter.runs.manifest import Manifest
from benchmark_adapter.runs.run_directory import open_run
from pathlib import Path
with open_run(Path(sys.argv[1]), Manifest.model_validate_json(sys.argv[2])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_directory_that_another_process_holds_is_refused_until_it_ends(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDS, str(tmp_path), _MANIFEST.model_dump_json()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"

        with pytest.raises(RunDirectoryError, match="another process is running"), open_run(tmp_path, _MANIFEST):
            pass

        holder.stdin.close()
        assert holder.wait(timeout=30) == 0
    with open_run(tmp_path, _MANIFEST) as run:
        assert run.lines == ()

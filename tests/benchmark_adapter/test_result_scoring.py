"""Result files of any harness are scored from the replies in their logs, and refused if they are not of the data."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from benchmark_adapter.cli import app
from benchmark_adapter.data.dataset import build_entry
from benchmark_adapter.data.topics import read_topic_file
from benchmark_adapter.evaluator.session import RequestFailure, play_session
from benchmark_adapter.runs.inference_log import Figures
from benchmark_adapter.runs.official import write_session
from tests.benchmark_adapter.topics import library_topics, write_topics
from tests.shared import shared_path

JsonObject = dict[str, Any]


def _text(content: str | None = "Done.") -> JsonObject:
    return {"content": content, "tool_calls": None}


def _call(name: str, arguments: str) -> JsonObject:
    function = {"name": name, "arguments": arguments}
    return {"content": None, "tool_calls": [{"id": "x", "type": "function", "function": function}]}


_SCRIPT: list[list[JsonObject | RequestFailure]] = [
    [_call("search_books", '{"title":"dune"}'), _text()],
    [_text("Where?"), _call("reserve_book", '{"branch": "Old Mill", "book_id": "B-17"}'), _text()],
    [_text()],
    [
        _call("search_books", '{"title": "Emma"}'),
        _call("reserve_book", '{"book_id": "B-40", "branch": "Station"}'),
        _text(),
    ],
    [_text("All renewed.")],
]
"""The library's turns: right but for a wrong branch in the fourth and a call left out in the last."""


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "no-repository"))  # the commit may change between two runs


def _results(name: str = "ann", *, model: str = "theirs", script: list[Any] | None = None) -> Path:
    """Write the data, and the result file that the reference harness would write of scripted replies."""
    path = write_topics(Path("data") / f"{name}.jsonl", library_topics())
    entry = build_entry([line.raw for line in read_topic_file(path).lines], name=f"utb_{name}")
    replies = [iter(turn) for turn in (_SCRIPT if script is None else script)]

    def answer(index: int, messages: list[Any], tools: list[Any]) -> JsonObject:
        reply = next(replies[index])
        if isinstance(reply, RequestFailure):
            raise reply
        assert isinstance(reply, dict)
        return reply

    session = play_session(entry, answer, model_name=model, similarity="rouge")
    figures = [Figures([0.5] * len(turn.replies), [100] * len(turn.replies), [7]) for turn in session.turns]
    write_session(Path("theirs"), session, model=model, source_file=str(path), figures=figures)
    return Path("theirs", "result", model, f"utb_{name}__{model}_result.jsonl")


def _score(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["score", *map(str, arguments)])


def _metrics(*arguments: str | Path) -> JsonObject:
    result = _score(*arguments, "--json")
    assert result.exit_code == 0, result.output
    metrics: JsonObject = json.loads(result.stdout)
    return metrics


def _message(*arguments: str | Path) -> str:
    result = _score(*arguments)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert isinstance(result.exception, SystemExit)
    return result.stderr.removeprefix("stead-bench: ").rstrip("\n")


def test_labels_come_from_the_replies_and_what_is_not_known_is_null() -> None:
    path = _results()

    metrics = _metrics(path, "--data", "data")

    assert (metrics["run_dir"], metrics["n"], metrics["failed"]) == (str(path), 5, 0)
    assert metrics["exact"] == {
        "overall": pytest.approx((0.5 + 0 + 1) / 3),
        "micro": 0.6,
        "ST": 0.5,
        "MT": 0.0,
        "LOI": 1.0,
        "LOI_recoverable": None,
        "LOI_unrecoverable": 1.0,
        "Chat": 1.0,
        "first_third": 1.0,
        "middle_third": 0.5,
        "last_third": 0.0,
    }
    # Of the values that history has, the branch of the fourth turn and the books of the fifth are wrong or missing.
    assert metrics["slots"]["history"] == {"n": 2, "accuracy": 0.0}
    assert metrics["slots"]["asked"] == {"n": 1, "accuracy": 1.0}
    assert metrics["tokens"] == {"prompt": 1000, "completion": 35, "recall": None}
    assert (metrics["seconds"], metrics["turns_per_second"]) == (5.0, 1.0)
    assert {key for key, value in metrics.items() if value is None} >= {
        "relaxed",
        "ask",
        "expected_cost",
        "calibration",
    }


def test_a_label_in_the_file_counts_for_nothing() -> None:
    path = _results()
    path.write_text(path.read_text("utf-8").replace('"action_name_label": "error"', '"action_name_label": "correct"'))

    assert _metrics(path, "--data", "data")["exact"]["micro"] == 0.6


def test_a_folder_of_several_data_sets_is_scored_as_a_whole_and_shown_as_tables() -> None:
    _results("ann")
    _results("bob", script=[[_text(), _text()]] * 5)

    assert _metrics("theirs", "--data", "data")["exact"]["micro"] == 0.4
    shown = _score("theirs", "--data", "data")
    assert shown.exit_code == 0, shown.output
    assert "10 turns, 0 failed; tokens: 1,600 prompt, 70 completion; " in shown.stdout


def test_a_model_whose_tools_take_another_form_is_judged_as_the_reference_judges_it() -> None:
    path = _results(model="claude-x")

    # It knows no argument then, so that only turns without arguments can be right.
    assert _metrics(path, "--data", "data")["exact"]["micro"] == 0.2


def test_turns_after_the_one_that_ended_the_session_count_as_failed() -> None:
    failure = RequestFailure("APITimeoutError", "Request timed out.")
    path = _results(script=[_SCRIPT[0], [_text("Where?"), failure]])

    metrics = _metrics(path, "--data", "data")

    assert (metrics["n"], metrics["failed"], metrics["exact"]["micro"]) == (5, 4, 0.2)


def test_a_session_that_crashed_counts_as_failed() -> None:
    path = _results()
    line = json.loads(path.read_text("utf-8"))
    line |= {"inference_completed": False, "error_type": "KeyError", "error_message": "'3'"}
    path.write_text(json.dumps(line | {"result": "Error during inference: '3'"}) + "\n")

    metrics = _metrics(path, "--data", "data")

    assert (metrics["n"], metrics["failed"], metrics["exact"]["micro"]) == (5, 5, 0.0)


def test_a_run_of_ours_is_scored_alike_from_its_official_files() -> None:
    write_topics(Path("data") / "ann.jsonl", library_topics())
    ran = CliRunner().invoke(app, ["run", "--planner", "oracle", "--data", "data", "--out", "run", "--json"])
    assert ran.exit_code == 0, ran.output

    of_run = _metrics("run")
    of_files = _metrics("run/official", "--data", "data")
    of_its_own_data = _metrics("run/official", "--data", "run/official/data")

    assert of_files["exact"] == of_run["exact"] == of_its_own_data["exact"]
    assert of_files["slots"] == of_run["slots"]
    assert of_files["n"] == of_run["n"] == 5


def test_official_files_are_written_when_turns_were_played_or_they_are_gone() -> None:
    write_topics(Path("data") / "ann.jsonl", library_topics())
    command = ["run", "--planner", "oracle", "--data", "data", "--out", "run", "--json"]
    names = Path("run", "official", "names.json")

    assert CliRunner().invoke(app, command).exit_code == 0
    before = names.stat().st_ino
    assert CliRunner().invoke(app, command).exit_code == 0
    assert names.stat().st_ino == before  # nothing was played, so nothing was written

    shutil.rmtree("run/official")
    assert CliRunner().invoke(app, command).exit_code == 0
    written = names.read_text()
    turns = Path("run", "turns.jsonl")
    turns.write_bytes(b"".join(turns.read_bytes().splitlines(keepends=True)[:-1]))
    names.write_text("{}")
    assert CliRunner().invoke(app, command).exit_code == 0
    assert names.read_text() == written != "{}"


def test_a_recorded_run_has_its_recorded_accuracy() -> None:
    layout = shared_path("conformance", "layout")

    metrics = _metrics(layout / "result", "--data", layout / "data")

    # 6 of 8 and 5 of 8 turns are correct in the recorded metric files; the last request of the second failed.
    assert (metrics["n"], metrics["failed"], metrics["exact"]["micro"]) == (16, 1, 11 / 16)


# What is refused


def _changed(change: Callable[[JsonObject], object]) -> Callable[[Path], None]:
    def apply(path: Path) -> None:
        line = json.loads(path.read_text("utf-8"))
        change(line)
        path.write_text(json.dumps(line, ensure_ascii=False) + "\n", "utf-8")

    return apply


def _log(line: JsonObject, turn: int) -> JsonObject:
    log: JsonObject = line["result"][turn]["inference_log"]
    return log


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-100]), ":1: expected one JSON value a line, got text that"),
        (lambda path: path.write_bytes(b""), ": expected one result a line, found none; the file was cut"),
        (lambda path: path.write_text("[]\n"), ":1: expected a result; the line: Input should be"),
        (_changed(lambda line: line.pop("result")), ":1: expected a result; result: Field required"),
        (_changed(lambda line: line["result"].pop()), ":1: expected 5 turns of 'ann', got 4 and no failed request"),
        (_changed(lambda line: line["result"].append(line["result"][0])), ":1: expected 5 turns of 'ann', got 6"),
        (_changed(lambda line: line["result"].reverse()), ":1: turn 0 of 'ann': expected the request 'Do you have"),
        (
            _changed(lambda line: _log(line, 2).pop("begin_of_current_task")),
            ":1: turn 2 of 'ann': expected the request",
        ),
        (_changed(lambda line: _log(line, 0).pop("step_0")), ":1: turn 0 of 'ann': expected `step_0.inference_output`"),
        (
            _changed(lambda line: _log(line, 1).update(step_3=_log(line, 1)["step_0"])),
            ":1: turn 1 of 'ann': expected the log to end after 3 replies, where its data end the turn, got 4",
        ),
        (
            _changed(lambda line: _log(line, 2)["step_0"]["inference_output"].update(tool_calls="none")),
            ":1: turn 2 of 'ann', step 0: expected a list of tool calls and a text, got 'none'",
        ),
        (
            _changed(lambda line: _log(line, 2)["step_0"]["inference_output"].update(api_error="late")),
            ":1: turn 2 of 'ann': expected `api_error` with `error_type` and `error_message`, got 'late'",
        ),
        (_changed(lambda line: _log(line, 2).pop("step_0")), ":1: turn 2 of 'ann': expected at least one reply"),
        (
            _changed(lambda line: line.update(dataset_name="utb_eve")),
            ":1: expected results of the data (ann), got data set 'utb_eve'",
        ),
    ],
)
def test_a_damaged_result_is_named_with_file_and_line(damage: Callable[[Path], object], problem: str) -> None:
    path = _results()
    damage(path)

    assert _message(path, "--data", "data").startswith(f"{path}{problem}")


def test_results_of_other_data_of_several_models_or_not_all_there_are_refused() -> None:
    path = _results("ann")
    twice = path.with_name("again_result.jsonl")
    twice.write_bytes(path.read_bytes())
    assert "expected one result of each data set, got a second one of 'utb_ann'" in _message("theirs", "--data", "data")
    twice.unlink()
    assert "expected results of the data (stead_persona01, stead_persona02), got data set 'utb_ann'" in _message(path)
    write_topics(Path("data") / "bob.jsonl", library_topics())
    assert "theirs: expected a result of every data set, found none of bob" in _message("theirs", "--data", "data")
    _results("bob", model="others")
    assert "expected results of one model, got " in _message("theirs", "--data", "data")
    Path("empty").mkdir()
    assert "empty: expected a run directory, a result file or a folder with files" in _message(
        "empty", "--data", "data"
    )

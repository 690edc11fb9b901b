"""The reference layout: a recorded run comes out as it was recorded, and a run of ours can be read by the reference."""

from __future__ import annotations

import json
import re
import tracemalloc
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmark_adapter.data.dataset import EntryTurn, Session, build_entry, load_sessions
from benchmark_adapter.data.jsonl import read_lines
from benchmark_adapter.data.topics import read_topic_file
from benchmark_adapter.errors import RunDirectoryError
from benchmark_adapter.evaluator.history import Message
from benchmark_adapter.evaluator.session import PlayedTurn, RequestFailure, play_session, reference_steps
from benchmark_adapter.evaluator.trajectory import Follower
from benchmark_adapter.evaluator.verdict import verdict
from benchmark_adapter.replay.environment import Reply, WrittenCall
from benchmark_adapter.replay.turn_result import Failure, TurnLine
from benchmark_adapter.runs.inference_log import Figures, LoggedTurn
from benchmark_adapter.runs.manifest import Manifest
from benchmark_adapter.runs.official import keep_official, write_official, write_session
from benchmark_adapter.runs.official_names import dataset_names, model_name
from benchmark_adapter.runs.run_directory import open_run
from clarifier.decision import Usage
from tests.benchmark_adapter.commands import repeated
from tests.benchmark_adapter.test_manifest import FIELDS
from tests.benchmark_adapter.topics import TOOLS, call, final, library_topics, question, write_topics
from tests.shared import shared_path

# A recorded run


def _renamed(text: str) -> str:
    """Return a recorded file with its random ids of past calls as we number them: by first appearance in a request."""
    value = json.loads(text)
    for turn in value.get("result", value.get("results")):
        names: dict[str, str] = {}
        for step in [step for key, step in turn["inference_log"].items() if key.startswith("step_")]:
            for found in re.findall(r"toolu_bdrk_\w+", json.dumps(step)):
                names.setdefault(found, f"history_call_{len(names)}")
        for found, name in names.items():
            turn["inference_log"] = json.loads(json.dumps(turn["inference_log"]).replace(found, name))
    return json.dumps(value)


def _scripted(recorded: Mapping[str, Any]) -> Any:
    """Return the model of a recorded run: it answers each request as recorded, or fails as recorded."""
    logs = [turn["inference_log"] for turn in recorded["result"]]
    outputs = [iter([step["inference_output"] for key, step in log.items() if key.startswith("step_")]) for log in logs]

    def model(index: int, messages: list[Message], tools: list[Any]) -> Mapping[str, Any]:
        output = next(outputs[index])
        if "api_error" in output:
            raise RequestFailure(**output["api_error"])
        return {"content": output["content"], "tool_calls": output["tool_calls"]}

    return model


@pytest.mark.parametrize("name", ["utb_persona21", "utb_persona22"])
def test_a_recorded_run_comes_out_as_it_was_recorded(name: str, tmp_path: Path) -> None:
    layout = shared_path("conformance", "layout")
    result = Path("result", "scripted", f"{name}__scripted_result.jsonl")
    score = Path("score", "scripted", f"{name}__scripted_score.jsonl")
    metric = Path("score", "scripted", f"{name}__scripted_metric.json")
    (recorded,) = [line.value for line in read_lines(layout / result)]
    topics = read_topic_file(layout / "data" / f"{name}.jsonl")
    entry = build_entry([line.raw for line in topics.lines], name=name)

    session = play_session(entry, _scripted(recorded), model_name="scripted", similarity="rouge")
    figures = [
        Figures(turn["latency"], turn["input_token_count"], turn["output_token_count"]) for turn in recorded["result"]
    ]
    write_session(tmp_path, session, model="scripted", source_file=f"data/{name}.jsonl", figures=figures)

    written = {path.relative_to(tmp_path): path.read_text("utf-8") for path in tmp_path.rglob("*.json*")}
    assert written.keys() == {result, score, metric}
    assert written[metric] == (layout / metric).read_text("utf-8")
    for path, is_ascii, end in ((result, False, "\n"), (score, True, "")):
        expected = json.loads(_renamed((layout / path).read_text("utf-8")))
        assert json.loads(written[path]) == expected
        # Key order, spacing, escapes and the end of the file too:
        assert written[path] == json.dumps(expected, ensure_ascii=is_ascii) + end


def test_a_refused_reply_lists_the_recorded_candidates() -> None:
    compared = 0
    for line in read_lines(shared_path("conformance", "trajectory.jsonl.gz")):
        recorded = line.value["official"].get("per_step", [{}])[-1]
        if "n_candidates" not in recorded or "raises" in line.value["official"]:
            continue
        replies = line.value["model_turns"][: recorded["step"] + 1]
        follower = Follower(reference_steps(line.value["answer_list"]))
        for reply in replies:
            follower.reply(reply)
        outcome = verdict(follower, line.value["tools"], similarity="fallback")
        source = EntryTurn("?", line.value["answer_list"], "Chat", [], None, "t", 0, 0, 0)
        log = LoggedTurn(source, PlayedTurn(0, follower, outcome, None, tuple(replies)), [], [], Figures()).as_result()

        answer = log["inference_log"][f"step_{recorded['step']}"]["inference_answer"]

        listed = [tuple(sorted(action["name"] for action in one["action"])) for one in answer.values()]
        wanted = [tuple(names) for names in recorded["candidate_names"]]
        assert list(answer) == [
            f"candidate_{number}_answer_function_list" for number in range(min(recorded["n_candidates"], 64))
        ]
        distinct = list(dict.fromkeys(listed))
        assert distinct == wanted[: len(distinct)]
        compared += 1
    assert compared > 300


# A run of ours


def _called(call_id: str, name: str, **arguments: Any) -> Reply:
    text = json.dumps(arguments, ensure_ascii=False)
    return Reply(calls=(WrittenCall(id=call_id, name=name, arguments=text),))


_DONE = Reply(content="Done.")
_RIGHT: dict[int, tuple[Reply, ...]] = {
    0: (_called("c0", "search_books", title="Dune"), _DONE),
    1: (
        Reply(content="Where?", is_question=True),
        _called("c1", "reserve_book", book_id="B-17", branch="Old Mill"),
        _DONE,
    ),
    2: (_DONE,),
    3: (
        _called("c2", "search_books", title="Emma"),
        _called("c3", "reserve_book", book_id="B-40", branch="Old Mill"),
        _DONE,
    ),
    4: (_called("c4", "renew_loans", book_ids=["B-17", "B-40"], weeks=3), _DONE),
}
"""Right replies to the library's turns."""
_FAILURE = Failure(type="APITimeoutError", message="Request timed out.", traceback="Traceback …")


def _line(turn: int, **fields: Any) -> TurnLine:
    replies = fields.get("replies", _RIGHT[turn % 5])
    given: dict[str, Any] = {
        "replies": replies,
        "seconds": {"turn": 9.0, **{f"reply_{index}": 0.25 + index for index in range(len(replies))}},
        "reply_usage": tuple(Usage(prompt=100, completion=10) for _ in replies),
    }
    return TurnLine(session="ann", turn=turn, label="error", **{**given, **fields})


def _written(
    folder: Path, *lines: TurnLine, topics: list[dict[str, Any]] | None = None, **manifest: Any
) -> tuple[Path, tuple[Session, ...]]:
    """Write the library's turns as a run made them and return the folder `official/`."""
    write_topics(folder / "data" / "ann.jsonl", library_topics() if topics is None else topics)
    sessions = load_sessions(folder / "data")
    made = {line.turn: line for line in lines}
    with open_run(folder / "run", Manifest(**{**FIELDS, "similarity": "fallback", **manifest})) as run:
        for turn in sessions[0].turns:
            run.append(made.get(turn.index) or _line(turn.index))
        return write_official(run, sessions), sessions


_HASH_OF_THE_LIBRARY = "4d9b91967e55980b96caa3a3a6eac1fd6981d99a51a396f7e2c0515e363f601b"
"""SHA-256 of the five digests, in hex, of `_line(0)` to `_line(4)` in canonical JSON without `seconds`."""


def _one(folder: Path, pattern: str) -> Any:
    (path,) = folder.rglob(pattern)
    return json.loads(path.read_text("utf-8"))


def test_every_file_has_its_place_and_names_that_the_reference_takes(tmp_path: Path) -> None:
    official, _ = _written(tmp_path)

    model = "stead-rules-stead-benchmark"
    assert sorted(path.relative_to(official).as_posix() for path in official.rglob("*") if path.is_file()) == [
        "data/utb_ann.jsonl",
        "names.json",
        f"result/{model}/utb_ann__{model}_result.jsonl",
        f"score/{model}/utb_ann__{model}_metric.json",
        f"score/{model}/utb_ann__{model}_score.jsonl",
    ]
    assert json.loads((official / "names.json").read_text("utf-8")) == {
        "model": {"written": model, "planner": "rules", "model": None, "memory": "stead", "policy": "benchmark"},
        "view": "official",
        "datasets": {"utb_ann": "ann"},
        "departures": [],
        "turns": _HASH_OF_THE_LIBRARY,
    }
    assert not (tmp_path / "run" / "official.part").exists()


def test_the_data_are_the_topics_with_their_tools_and_nothing_of_gold(tmp_path: Path) -> None:
    official, _ = _written(tmp_path)

    topics = [line.value for line in read_lines(official / "data" / "utb_ann.jsonl")]

    assert topics == [{key: value for key, value in one.items() if key != "gold"} for one in library_topics()]
    assert [turn.request for turn in load_sessions(official / "data")[0].turns] == [
        request for one in library_topics() for request in one["tasks"]
    ]


def test_a_result_holds_each_request_as_the_reference_harness_sends_it(tmp_path: Path) -> None:
    official, _ = _written(tmp_path)

    line = _one(official, "*_result.jsonl")
    turn = line.pop("result")[1]

    assert line == {
        "id": "utb_ann",
        "model_name": "stead-rules-stead-benchmark",
        "dataset_name": "utb_ann",
        "source_file": "data/utb_ann.jsonl",
        "num_topics_after_dedup": 2,
        "num_turns": 5,
        "inference_completed": True,
        "evaluated_turns": 5,
        **dict.fromkeys(["failed_task_idx", "failed_step", "error_type", "error_message", "api_error"]),
    }
    log = turn.pop("inference_log")
    assert turn == {
        "action_name_label": "correct",
        "is_optimal": True,
        "latency": [0.25, 1.25, 2.25],
        "input_token_count": [100, 100, 100],
        "output_token_count": [10, 10, 10],
    }
    found = '{"books": [{"book_id": "B-17", "title": "Dune", "copies": 2}]}'
    opening = [
        {"role": "system", "content": "Current Date: 2026-03-02 10:00:00"},
        {"role": "user", "content": "Do you have Dune?"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {
                    "type": "function",
                    "function": {"name": "search_books", "arguments": '{"title": "Dune"}'},
                    "id": "history_call_0",
                }
            ],
        },
        {"role": "tool", "content": found, "tool_call_id": "history_call_0"},
        # The reference's words, not those of the run.
        {"role": "assistant", "content": "Yes, two copies."},
        {"role": "user", "content": "Reserve it for me."},
    ]
    made = {
        "id": "c1",
        "type": "function",
        "function": {"name": "reserve_book", "arguments": '{"book_id": "B-17", "branch": "Old Mill"}'},
    }
    asked = [
        {"role": "assistant", "content": "Where?"},
        {"role": "user", "content": "Old Mill, as always from now on."},
    ]
    reserved = [
        {"role": "assistant", "content": None, "tool_calls": [made]},
        {"role": "tool", "content": '{"status": "reserved"}', "tool_call_id": "c1"},
    ]
    steps = [log.pop(f"step_{index}") for index in range(3)]
    assert log == {
        "task_idx": 1,
        "env_info": "2026-03-02 10:00:00",
        "turn_metadata": {
            "topic_id": "topic_1",
            "topic_env_info": "2026-03-02 10:00:00",
            "topic_source_id": "topic_1",
            "topic_index": 0,
            "turn_index_in_topic": 1,
            "is_cross_topic_boundary": False,
        },
        "begin_of_current_task": {"role": "user", "content": "Reserve it for me."},
    }
    assert [step["inference_input"]["messages"] for step in steps] == [
        opening,
        [*opening, *asked],
        [*opening, *asked, *reserved],
    ]
    assert all(step["inference_input"]["tools"] == TOOLS for step in steps)
    assert steps[1]["inference_output"] == {
        "reasoning_content": None,
        "content": None,
        "tool_calls": [made],
        "current_action_name_label": "correct",
    }
    assert steps[0]["inference_answer"] == {
        "candidate_0_answer_function_list": {
            "action": [
                {
                    "arguments": '{"tool_name": "reserve_book", "missing_required_parameters": ["branch"]}',
                    "name": "ask_user_for_required_parameters",
                }
            ],
            "observation": "Which branch?",
            "user_input": "Old Mill, as always from now on.",
        }
    }


def test_the_log_ends_at_the_first_deviation(tmp_path: Path) -> None:
    wrong = (
        _called("c0", "get_opening_hours", branch="Station"),
        Reply(content="Shall I?", after_deviation=True),
    )
    official, _ = _written(tmp_path, _line(0, replies=wrong))

    turn = _one(official, "*_result.jsonl")["result"][0]

    assert (turn["action_name_label"], turn["is_optimal"]) == ("error", False)
    assert [key for key in turn["inference_log"] if key.startswith("step_")] == ["step_0"]
    step = turn["inference_log"]["step_0"]
    assert step["inference_output"]["error_reason"] == "action name not in candidate_answer_function_list"
    assert step["inference_answer"] == {
        "candidate_0_answer_function_list": {"action": [{"arguments": '{"title": "Dune"}', "name": "search_books"}]}
    }
    assert (turn["latency"], turn["input_token_count"]) == ([0.25], [100])


def test_scores_and_metric_are_those_of_the_run(tmp_path: Path) -> None:
    wrong = (_called("c4", "renew_loans", book_ids=["B-17"], weeks=3), _DONE)
    official, _ = _written(tmp_path, _line(4, replies=wrong))

    turns = _one(official, "*_score.jsonl")["results"]
    metric = _one(official, "*_metric.json")

    assert [turn["label"] for turn in turns] == ["correct"] * 4 + ["error"]
    assert (turns[4]["action_name_label"], turns[4]["action_arguments_label"]) == ("correct", "error")
    assert [key for key in turns[4]["inference_log"] if key.startswith("step_")] == ["step_0"]
    assert turns[4]["inference_log"]["step_0"]["inference_output"]["current_action_arguments_check_result"] == [
        "error_match: array length mismatch at 'book_ids'"
    ]
    assert metric["total_info"]["task"] == {"accuracy": 0.8, "correct_count": 4, "total_count": 5}
    assert metric["task_type_info"]["Single-Tool"] == {"accuracy": 0.5, "correct_count": 1, "total_count": 2}
    assert metric["turn_subtype_info"]["Cross-Topic"] == {"accuracy": 1.0, "correct_count": 1, "total_count": 1}
    assert metric["source_file"] == "data/utb_ann.jsonl"


@pytest.mark.parametrize("replies", [_RIGHT[1][:1], _RIGHT[1]])
def test_a_failed_turn_is_written_as_a_failed_request_and_the_later_turns_stay(
    tmp_path: Path, replies: tuple[Reply, ...]
) -> None:
    # Even a failure after the last right reply counts as wrong.
    official, _ = _written(tmp_path, _line(1, replies=replies, failure=_FAILURE, reply_usage=()))

    result, score, metric = (_one(official, name) for name in ("*_result.jsonl", "*_score.jsonl", "*_metric.json"))

    step = min(len(replies), 2)
    summary = {
        "inference_completed": False,
        "evaluated_turns": 5,
        "failed_task_idx": 1,
        "failed_step": step,
        "error_type": "APITimeoutError",
        "error_message": "Request timed out.",
    }
    assert {key: result[key] for key in summary} == {key: score[key] for key in summary} == summary
    turn = result["result"][1]
    assert turn["inference_error"] is True
    assert turn["inference_log"][f"step_{step}"]["inference_output"] == {
        "reasoning_content": None,
        "content": None,
        "tool_calls": None,
        "current_action_name_label": "error",
        "error_reason": "inference exception: APITimeoutError: Request timed out.",
        "api_error": turn["api_error"],
    }
    assert (len(turn["latency"]), turn["input_token_count"]) == (step, [])
    assert [turn["label"] for turn in score["results"]] == ["correct", "error", "correct", "correct", "correct"]
    assert metric["total_info"]["task"] == {"accuracy": 0.8, "correct_count": 4, "total_count": 5}
    assert json.loads((official / "names.json").read_text("utf-8"))["departures"] == [
        {
            "dataset": "utb_ann",
            "turn": 1,
            "kind": "failed_turn_did_not_end_the_session",
            "detail": "APITimeoutError: Request timed out.",
        }
    ]


def test_a_failure_after_the_deviation_leaves_an_ordinary_wrong_turn(tmp_path: Path) -> None:
    official, _ = _written(tmp_path, _line(0, replies=(_called("c0", "renew_loans", weeks=1),), failure=_FAILURE))

    line = _one(official, "*_result.jsonl")

    assert line["inference_completed"] is True
    assert "inference_error" not in line["result"][0]
    assert line["result"][0]["action_name_label"] == "error"


def test_where_the_reference_raises_in_its_argument_check_the_turn_alone_is_wrong(tmp_path: Path) -> None:
    topics = library_topics()
    topics[0]["tools"] = json.loads(json.dumps(TOOLS))
    topics[0]["tools"][0]["function"]["parameters"]["properties"] = {"title": True}  # JSON Schema's "anything"
    official, _ = _written(tmp_path, topics=topics)

    score = _one(official, "*_score.jsonl")

    assert [turn["label"] for turn in score["results"]] == ["error", "correct", "correct", "correct", "correct"]
    log = _one(official, "*_result.jsonl")["result"][0]["inference_log"]
    assert [key for key in log if key.startswith("step_")] == ["step_0"]
    assert log["step_0"]["inference_output"]["current_action_name_label"] == "error"
    assert log["step_0"]["inference_output"]["error_reason"].startswith("the reference evaluator raises TypeError")
    (departure,) = json.loads((official / "names.json").read_text("utf-8"))["departures"]
    assert (departure["turn"], departure["kind"]) == (0, "reference_raises_here")


def test_a_session_whose_history_cannot_be_written_is_a_text_as_in_the_reference(tmp_path: Path) -> None:
    topics = library_topics()
    topics[0]["answer_list"][0] = [
        call("search_books", {"title": "Dune"}, "found"),
        question("search_books", ["branch"], "Which branch?", "Any."),
        final(after=[0, 1]),
    ]
    official, _ = _written(tmp_path, topics=topics)

    assert _one(official, "*_result.jsonl")["result"] == "Error during inference: "
    assert _one(official, "*_score.jsonl")["results"] == []
    assert _one(official, "*_metric.json")["total_info"]["session"]["total_count"] == 1
    departures = json.loads((official / "names.json").read_text("utf-8"))["departures"]
    assert departures[-1]["kind"] == "history_cannot_be_written"


def test_a_turn_without_a_type_leaves_no_metric_as_in_the_reference(tmp_path: Path) -> None:
    topics = library_topics()
    topics[0]["task_types"][1] = None
    official, _ = _written(tmp_path, topics=topics)

    assert list(official.rglob("*_metric.json")) == []
    assert len(_one(official, "*_score.jsonl")["results"]) == 5


def test_half_a_surrogate_pair_survives(tmp_path: Path) -> None:
    topics = library_topics()
    topics[0]["tasks"][0] = "Do you have Dune? \ud83d"
    path = tmp_path / "data" / "ann.jsonl"
    path.parent.mkdir()
    path.write_text("".join(json.dumps(one) + "\n" for one in topics), "utf-8")
    sessions = load_sessions(tmp_path / "data")
    with open_run(tmp_path / "run", Manifest(**FIELDS)) as run:
        for turn in range(5):
            run.append(_line(turn))
        official = write_official(run, sessions)

    log = _one(official, "*_result.jsonl")["result"][0]["inference_log"]
    assert log["begin_of_current_task"]["content"] == "Do you have Dune? \ud83d"
    assert _one(official, "*_score.jsonl")["results"][0]["inference_log"] == log | {
        "step_0": _one(official, "*_score.jsonl")["results"][0]["inference_log"]["step_0"]
    }
    first_topic = next(read_lines(official / "data" / "utb_ann.jsonl")).value
    assert first_topic["tasks"][0] == "Do you have Dune? \ud83d"


def test_writing_again_replaces_the_folder_by_the_same_bytes(tmp_path: Path) -> None:
    official, sessions = _written(tmp_path)
    before = {path: path.read_bytes() for path in official.rglob("*") if path.is_file()}
    (official / "stale.json").write_text("{}")

    with open_run(tmp_path / "run", Manifest(**{**FIELDS, "similarity": "fallback"})) as run:
        write_official(run, sessions)

    assert {path: path.read_bytes() for path in official.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("leftover", ["official.part", "official.old"])
def test_the_folder_is_kept_while_it_is_of_these_turns_whatever_a_killed_process_left(
    tmp_path: Path, leftover: str
) -> None:
    official, sessions = _written(tmp_path)
    (official / "note.txt").write_text("still here")
    (tmp_path / "run" / leftover).mkdir()
    turns = tmp_path / "run" / "turns.jsonl"
    turns.write_text(turns.read_text("utf-8").replace('"turn": 9.0', '"turn": 8.0'), "utf-8")

    with open_run(tmp_path / "run", Manifest(**{**FIELDS, "similarity": "fallback"})) as run:
        assert {line.seconds["turn"] for line in run.lines} == {8.0}
        keep_official(run, sessions)

    assert (official / "note.txt").read_text() == "still here"
    assert not (tmp_path / "run" / leftover).exists()


def _another_turn(run: Path) -> None:
    turns = run / "turns.jsonl"
    lines = turns.read_text("utf-8").splitlines(keepends=True)
    changed = _line(4, failure=Failure(type="ProviderError", message="gone", traceback=""))
    turns.write_text("".join(lines[:-1]) + changed.model_dump_json() + "\n", "utf-8")


@pytest.mark.parametrize(
    "change",
    [
        _another_turn,
        lambda run: (run / "official" / "names.json").unlink(),
        lambda run: (run / "official" / "names.json").write_text('{"turns"'),
        lambda run: (run / "official" / "names.json").write_text('["turns"]'),
        lambda run: (run / "official").rename(run / "official.old"),
    ],
)
def test_a_folder_of_other_turns_or_half_of_one_is_replaced(tmp_path: Path, change: Callable[[Path], object]) -> None:
    official, sessions = _written(tmp_path)
    (official / "stale.txt").write_text("of an earlier try")
    change(tmp_path / "run")

    with open_run(tmp_path / "run", Manifest(**{**FIELDS, "similarity": "fallback"})) as run:
        keep_official(run, sessions)
        kept = {path.name: path.read_bytes() for path in official.rglob("*") if path.is_file()}
        write_official(run, sessions)

    assert kept == {path.name: path.read_bytes() for path in official.rglob("*") if path.is_file()}
    assert sorted(path.name for path in (tmp_path / "run").iterdir() if path.is_dir()) == ["official"]


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    official, sessions = _written(tmp_path)
    (tmp_path / "run" / "official.part").write_text("a file where the folder should be")

    with (
        open_run(tmp_path / "run", Manifest(**{**FIELDS, "similarity": "fallback"})) as run,
        pytest.raises(RunDirectoryError, match="cannot write the files in the reference layout here"),
    ):
        write_official(run, sessions)
    assert official.is_dir()


@pytest.mark.slow
def test_a_long_session_is_written_without_holding_it(tmp_path: Path) -> None:
    topics = repeated(library_topics(), 20)
    write_topics(tmp_path / "data" / "ann.jsonl", topics)
    sessions = load_sessions(tmp_path / "data")
    with open_run(tmp_path / "run", Manifest(**{**FIELDS, "similarity": "fallback"})) as run:
        for turn in sessions[0].turns:
            run.append(_line(turn.index))
        tracemalloc.start()
        official = write_official(run, sessions)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()

    (result,) = official.rglob("*_result.jsonl")
    assert peak < result.stat().st_size / 2


# Names


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("utb_persona21", "utb_persona21"),
        ("persona21", "utb_persona21"),
        ("ann b.", "utb_ann-b"),
        ("../../etc/passwd", "utb_etc-passwd"),
        ("a__b", "a_b"),
        ("用户_1", "用户_1"),
        ("...", "utb_unnamed"),
        pytest.param("x" * 300, "utb_" + "x" * 87 + "-0d4e2ca9", id="long"),
    ],
)
def test_names_of_data_sets_are_safe_and_the_references_stay(name: str, written: str) -> None:
    assert dataset_names([name]) == {name: written}


def test_no_two_data_sets_are_written_alike() -> None:
    assert dataset_names(["utb_ann", "ann", "utb ann", "UTB_Ann"]) == {
        "utb_ann": "utb_ann",
        "ann": "utb_ann-2",
        "utb ann": "utb_utb-ann",
        "UTB_Ann": "UTB_Ann-3",
    }


def test_a_models_name_never_changes_the_form_of_its_tools() -> None:
    assert model_name("chat", "anthropic/claude-x__y", "stead", None) == "stead-chat-anthropic-Claude-x_y-stead"

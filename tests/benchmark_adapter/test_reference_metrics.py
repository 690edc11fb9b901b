"""The reference's metrics, tables and whole sessions, on cases worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from benchmark_adapter.data.dataset import Entry, build_entry
from benchmark_adapter.data.jsonl import read_lines
from benchmark_adapter.data.topics import read_topic_file
from benchmark_adapter.errors import ReferenceCrashError
from benchmark_adapter.evaluator import score_tables
from benchmark_adapter.evaluator.comparison import first_difference
from benchmark_adapter.evaluator.dataset_statistics import combined, file_statistics
from benchmark_adapter.evaluator.history import Message
from benchmark_adapter.evaluator.reference_metrics import profile_metric
from benchmark_adapter.evaluator.score_tables import Profile
from benchmark_adapter.evaluator.session import PlayedSession, RequestFailure, play_session
from tests.benchmark_adapter.topics import call, final, question, topic
from tests.shared import shared_path

CALLS = [call("search_books", {"title": "Dune"}, "b1"), final(after=[0])]
CHAT = [final("Hello.")]
ASK = [question("search_books", ["title"], "Which?", "Dune."), *[call("search_books", {"title": "Dune"}, after=[0])]]


def entry(*turns: tuple[str, str, list[dict[str, Any]]], **fields: Any) -> Entry:
    """Return an entry of one topic with these turns."""
    return build_entry([topic(1, turns, time="2026-03-02 10:00:00", **fields)], name="lib_persona7")


def score(*labels: str, optimal: bool = True, steps: int = 2) -> dict[str, Any]:
    log: dict[str, Any] = {f"step_{index}": {} for index in range(steps)}
    results = [
        {"label": label, "action_name_label": label, "is_optimal": optimal, "inference_log": {"task_idx": index, **log}}
        for index, label in enumerate(labels)
    ]
    return {"inference_completed": True, "source_file": "lib_persona7.jsonl", "results": results}


def cell(correct: int, total: int) -> dict[str, Any]:
    return {"accuracy": correct / total if total else 0.0, "correct_count": correct, "total_count": total}


def test_a_profile_is_counted_by_type_layer_and_subtype() -> None:
    mixed = entry(
        ("a", "Mixed Multi-Tool", CALLS),
        ("b", "Chat", CHAT),
        ("c", "Sequential Multi-Tool", CALLS),
        turn_subtypes=["长期记忆", "Own"],
    )

    metric = profile_metric(mixed, [score("correct", "error", "error")], model_name="m")

    assert (metric["num_turns"], metric["num_scored_turns"], metric["source_file"]) == (3, 3, "lib_persona7.jsonl")
    assert metric["total_info"] == {"task": cell(1, 3), "session": cell(0, 1)}
    assert metric["task_type_info"] == {
        "Single-Tool": cell(0, 0),
        "Multi-Tool": cell(1, 2),
        "Parallel Multi-Tool": cell(0, 0),
        "Sequential Multi-Tool": cell(0, 1),
        "Mixed Multi-Tool": cell(1, 1),
        "Clarify": cell(0, 0),
        "Chat": cell(0, 1),
    }
    assert metric["layer_info"] == {"0": cell(1, 1), "1": cell(0, 1), "2": cell(0, 1), "3": cell(0, 0)}
    assert metric["turn_subtype_info"] == {
        "First Turn": cell(1, 1),
        "Subsequent Turn": cell(0, 2),
        "Coreferential Reference": cell(0, 0),
        "Partial Information": cell(0, 0),
        "Long-Range Dependency": cell(0, 1),
        "Cross-Topic": cell(0, 0),
        "Own": cell(0, 1),
    }
    assert metric["optimal_info"] == {
        "Total": cell(1, 1),
        "Parallel Multi-Tool": cell(0, 0),
        "Mixed Multi-Tool": cell(1, 1),
    }
    whole = {"rate": 1.0, "complete_step": 2, "total_step": 2}
    assert metric["progress_info"] == {
        "Total": {"rate": 1.0, "complete_step": 4, "total_step": 4},
        "Sequential Multi-Tool": whole,
        "Mixed Multi-Tool": whole,
    }


def test_a_type_with_a_blank_after_it_is_a_type_of_its_own() -> None:
    typed = entry(("a", "Multi-Tool ", CALLS), ("b", "Mixed Multi-Tool", CALLS), turn_subtypes=["Own"])

    found = profile_metric(typed, [score("correct", "error")], model_name="m")["task_type_info"]

    assert {name: row["total_count"] for name, row in found.items() if row["total_count"]} == {
        **{"Multi-Tool": 1, "Mixed Multi-Tool": 1, "Multi-Tool ": 1}
    }


def test_a_field_that_no_profile_has_a_mean_of_has_no_row_across_profiles() -> None:
    scored = [{"results": [{"label": "error", "input_token_count": [4, 6], "output_token_count": []}]}]
    rows = score_tables.score_numeric_by_profile([Profile("x_persona1", "m", scored, None, None)])

    across = score_tables.score_numeric_across_profiles(rows)

    assert [(row["key"], row["count"]) for row in rows] == [("input_token_count", 2), ("output_token_count", 0)]
    assert [(row["key"], row["mean"]) for row in across] == [("input_token_count", 5.0)]


def test_an_unscored_profile_has_no_session() -> None:
    metric = profile_metric(entry(("a", "Chat", CHAT)), [], model_name="m")

    assert metric["total_info"] == {"task": cell(0, 0), "session": cell(0, 0)}
    assert metric["inference_completed"] is None


def test_a_session_without_scored_turns_is_wrong() -> None:
    metric = profile_metric(entry(("a", "Chat", CHAT)), [score()], model_name="m")

    assert metric["total_info"] == {"task": cell(0, 0), "session": cell(0, 1)}


def test_a_turn_without_a_type_is_a_crash() -> None:
    untyped = entry(("a", "Chat", CHAT), task_types=[None])

    with pytest.raises(ReferenceCrashError) as info:
        profile_metric(untyped, [score("correct")], model_name="m")
    assert info.value.type_name == "TypeError"


@pytest.mark.parametrize(
    ("turns", "ends"), [(0, (0, 0, 0)), (1, (1, 1, 1)), (2, (1, 2, 2)), (3, (1, 2, 3)), (5, (2, 4, 5)), (7, (3, 5, 7))]
)
def test_the_first_thirds_get_the_rest(turns: int, ends: tuple[int, int, int]) -> None:
    assert score_tables.segments(turns) == [
        ("first_third", 0, ends[0]),
        ("middle_third", ends[0], ends[1]),
        ("last_third", ends[1], ends[2]),
    ]


def profile(name: str, *labels: str, types: list[str] | None = None) -> Profile:
    return Profile(name, "m", [score(*labels)], None, types)


def test_thirds_by_profile_and_across() -> None:
    rows = score_tables.turn_segments_by_profile(
        [profile("x_persona1", "correct", types=["Chat"]), profile("x_persona11", "error", types=["Mixed Multi-Tool"])]
    )

    # Ordered by the names of the score files, where a digit comes before an underscore.
    assert [row["profile"] for row in rows[::15]] == ["11", "1"]
    filled = [(row["profile"], row["segment"], row["task_type"], row["accuracy"]) for row in rows if row["total_count"]]
    assert filled == [
        ("11", "first_third", "task", 0.0),
        ("11", "first_third", "Multi-Tool", 0.0),
        ("1", "first_third", "task", 1.0),
        ("1", "first_third", "Chat", 1.0),
    ]
    across = {(row["segment"], row["task_type"]): row for row in score_tables.turn_segments_across_profiles(rows)}
    assert across["first_third", "task"] == {
        **{"segment": "first_third", "task_type": "task", "profile_count": 2, "mean_accuracy": 0.5, "min": 0.0},
        **{"max": 1.0, "variance_population": 0.25, "median": 0.5},
    }
    assert across["first_third", "Chat"]["mean_accuracy"] == 1.0
    assert across["last_third", "task"]["mean_accuracy"] is None


def test_thirds_without_the_source_file_know_no_types() -> None:
    rows = score_tables.turn_segments(profile("x_persona1", "correct"))

    assert [row["task_type"] for row in rows if row["total_count"]] == ["task"]


def test_the_average_is_a_plain_mean_over_those_that_have_the_field() -> None:
    summary = score_tables.average_summary(
        [
            {"model_name": "m", "source_file": "a", "n": 1, "done": True, "deep": {"x": 1.0}, "note": "same"},
            {"model_name": "m", "source_file": "b", "n": 2, "done": False, "deep": {"x": None, "y": 3}, "note": "same"},
        ],
        dataset_name="set",
        model_name="fallback",
    )

    assert summary == {
        "model_name": "m",
        "dataset_name": "set_summary_average",
        "source_file": None,
        "error_type": None,
        "error_message": None,
        "n": 1.5,
        "done": 0.5,
        "deep": {"x": 1.0, "y": 3.0},
        "note": "same",
    }


def test_describe() -> None:
    assert score_tables.describe([1, 2, 4]) == pytest.approx(
        {
            **{"count": 3, "min": 1.0, "max": 4.0, "mean": 7 / 3, "median": 2.0, "p25": 1.5, "p75": 3.0, "sum": 7.0},
            **{"variance_population": 14 / 9, "variance_sample": 7 / 3},
            **{"stdev_population": (14 / 9) ** 0.5, "stdev_sample": (7 / 3) ** 0.5},
        },
        abs=1e-12,
    )
    assert score_tables.describe([5])["variance_sample"] is None
    assert score_tables.describe([])["mean"] is None


def scripted(*turns: list[Mapping[str, Any] | RequestFailure]) -> Any:
    replies = [iter(turn) for turn in turns]

    def model(index: int, messages: list[Message], tools: list[Any]) -> Mapping[str, Any]:
        reply = next(replies[index])
        if isinstance(reply, RequestFailure):
            raise reply
        return reply

    return model


def text(content: str) -> dict[str, Any]:
    return {"content": content, "tool_calls": None}


def search(arguments: str) -> dict[str, Any]:
    function = {"name": "search_books", "arguments": arguments}
    return {"content": None, "tool_calls": [{"id": "1", "type": "function", "function": function}]}


def play(model: Any, *turns: tuple[str, str, list[dict[str, Any]]]) -> PlayedSession:
    return play_session(entry(*turns), model, model_name="m", similarity="rouge")


def test_a_session_is_played_with_the_reference_as_history() -> None:
    session = play(
        scripted([text("Hi!")], [search('{"title": "Dune"}'), text("Done.")]),
        ("a", "Chat", CHAT),
        ("b", "Single-Tool", CALLS),
    )

    assert session.n_requests == 3
    assert [len(messages) for messages, _ in session.first_requests] == [2, 4]
    assert session.first_requests[1][0][2] == {"role": "assistant", "content": "Hello."}
    assert [result["label"] for result in session.as_score()["results"]] == ["correct", "correct"]


def test_a_failed_request_ends_the_session_after_its_turn() -> None:
    failure = RequestFailure("APITimeoutError", "Request timed out.", status_code=504)
    session = play(scripted([failure], [text("never asked")]), ("a", "Single-Tool", CALLS), ("b", "Chat", CHAT))

    line = session.as_score()
    assert (line["inference_completed"], line["evaluated_turns"], line["failed_task_idx"]) == (False, 1, 0)
    assert line["api_error"]["status_code"] == 504
    (result,) = line["results"]
    assert (result["label"], result["failed_step"], result["error_type"]) == ("error", 0, "APITimeoutError")


def test_a_crash_in_a_turn_leaves_nothing_to_score() -> None:
    # The reference ends without a final answer, so a text after its last step has no place.
    session = play(
        scripted([text("Hi!")], [text("Which?"), search('{"title": "Dune"}'), text("Done.")]),
        ("a", "Chat", CHAT),
        ("b", "Clarify", ASK),
    )

    assert session.crash is not None
    assert session.crash.type_name == "KeyError"
    line = session.as_score()
    assert (line["evaluated_turns"], line["results"], line["error_type"]) == (0, [], "KeyError")
    metric = profile_metric(session.entry, [line], model_name="m")
    assert metric["total_info"] == {"task": cell(0, 0), "session": cell(0, 1)}


@pytest.mark.parametrize("name", ["utb_persona21", "utb_persona22"])
def test_a_recorded_run_has_its_recorded_metric(name: str) -> None:
    layout = shared_path("conformance", "layout")
    file = read_topic_file(layout / "data" / f"{name}.jsonl")
    scores = [line.value for line in read_lines(layout / "score" / "scripted" / f"{name}__scripted_score.jsonl")]
    recorded = json.loads((layout / "score" / "scripted" / f"{name}__scripted_metric.json").read_text("utf-8"))

    metric = profile_metric(
        build_entry([line.raw for line in file.lines], name=name),
        scores,
        model_name="scripted",
        source_file=f"data/{name}.jsonl",
    )

    assert first_difference(metric, recorded) is None


def test_subtypes_that_are_null_or_named_like_a_place_in_the_session() -> None:
    topics = [
        topic(1, [(name, "Chat", CHAT) for name in "abcd"], time=None, turn_subtypes=[None, "First Turn", ""]),
    ]

    found = file_statistics(topics, build_entry(topics, name="lib_persona7")).as_reference()

    assert {name: row["count"] for name, row in found["turn_subtype_distribution"].items()} == {
        **{"": 1, "First Turn": 1, "None": 1, "Subsequent Turn": 3}
    }


def test_statistics_of_a_file() -> None:
    topics = [
        topic(1, [("ab", "Chat", CHAT), ("abcd", "Mixed Multi-Tool", CALLS)], time="2026-03-02 10:00:00 星期一"),
        topic(2, [("abc", "Chat", CHAT)], time="2026-03-01 10:00:00"),
    ]
    counted = file_statistics(topics, build_entry(topics, name="lib_persona7"))
    reference = counted.as_reference()

    assert (reference["persona_id"], reference["num_turns"], reference["dedup_removed_topics"]) == ("7", 3, 0)
    third = 1 / 3
    assert reference["task_type_distribution"] == {
        "Chat": {"count": 2, "rate": 2 * third},
        "Mixed Multi-Tool": {"count": 1, "rate": third},
        "Multi-Tool": {"count": 1, "rate": third},
    }
    assert reference["turn_subtype_distribution"] == {
        "Cross-Topic": {"count": 1, "rate": third},
        "First Turn": {"count": 1, "rate": third},
        "Partial Information": {"count": 1, "rate": third},
        "Subsequent Turn": {"count": 2, "rate": 2 * third},
    }
    assert reference["text_length_stats"]["task_chars"] == {
        **{"count": 3, "min": 2, "max": 4, "mean": 3.0, "median": 3, "p25": 2.5, "p75": 3.5, "sum": 9}
    }
    assert reference["env_time"] == {
        "min": "2026-03-01 10:00:00",
        "max": "2026-03-02 10:00:00",
        "weekday_distribution": {"星期一": {"count": 1, "rate": 1.0}},
    }
    assert reference["answer_action_stats"]["action_name_distribution"] == {
        "prepare_to_answer": {"count": 3, "rate": 0.75},
        "search_books": {"count": 1, "rate": 0.25},
    }
    assert combined([counted])["turns_per_file"]["sum"] == 3

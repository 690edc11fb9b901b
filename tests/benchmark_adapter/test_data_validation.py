from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from benchmark_adapter.cli import app
from benchmark_adapter.data.dataset import load_sessions
from benchmark_adapter.data.source import located
from benchmark_adapter.errors import DatasetError
from benchmark_adapter.inspection.faults import Fault, ValidationReport
from benchmark_adapter.inspection.validation import validate_data
from tests.benchmark_adapter.topics import TOOLS, JsonObject, call, final, library_topics, question, topic, write_topics
from tests.shared import shared_path

Change = Callable[[list[JsonObject]], Any]
Told = tuple[str, str, int | None, int | None, int | None]
"""Severity, kind, line, turn and step of a fault."""


def validate(tmp_path: Path, topics: list[JsonObject]) -> ValidationReport:
    return validate_data(write_topics(tmp_path / "reader_1.jsonl", topics))


def told(report: ValidationReport) -> list[Told]:
    return [(fault.severity, fault.kind, fault.line, fault.turn, fault.step) for fault in report.faults]


def problems(report: ValidationReport) -> list[str]:
    return [fault.problem for fault in report.faults]


def changed(change: Change) -> list[JsonObject]:
    topics: list[JsonObject] = json.loads(json.dumps(library_topics()))
    change(topics)
    return topics


def step(topics: list[JsonObject], topic: int, turn: int, index: int) -> JsonObject:
    found: JsonObject = topics[topic]["answer_list"][turn][index]
    return found


def arguments(topics: list[JsonObject], topic: int, turn: int, index: int) -> JsonObject:
    found: JsonObject = step(topics, topic, turn, index)["action"]["arguments"]
    return found


def test_good_data_have_no_fault(tmp_path: Path) -> None:
    assert validate(tmp_path, library_topics()) == ValidationReport(files=1, topics=2, turns=5, faults=())


@pytest.mark.parametrize(
    ("change", "expected", "problem"),
    [
        (
            lambda t: step(t, 0, 0, 0)["action"].update(name="find_book"),
            [("error", "unknown-tool", 1, 0, 0)],
            "expected a tool of the topic's toolset, got 'find_book'",
        ),
        (
            lambda t: arguments(t, 0, 1, 1).update(branch="Harbor"),
            [("error", "arguments", 1, 1, 1)],
            "reserve_book.branch: 'Harbor' is not one of ['Harbour', 'Old Mill', 'Station']",
        ),
        (
            lambda t: arguments(t, 1, 0, 1).pop("branch"),
            [("error", "gold-slot", 2, 0, None), ("error", "arguments", 2, 0, 1)],
            "reserve_book: 'branch' is a required property",
        ),
        (
            lambda t: arguments(t, 1, 1, 0).update(weeks="three", colour="red"),
            [
                ("warning", "gold-slot", 2, 1, None),
                ("error", "arguments", 2, 1, 0),
                ("error", "arguments", 2, 1, 0),
            ],
            "renew_loans.weeks: 'three' is not of type 'integer'",
        ),
        (
            lambda t: arguments(t, 1, 1, 0)["book_ids"].append(7),
            [("error", "arguments", 2, 1, 0)],
            "renew_loans.book_ids[2]: 7 is not of type 'string'",
        ),
        (
            lambda t: arguments(t, 1, 1, 0).update(weeks=True),
            [("warning", "arguments", 2, 1, 0)],
            "renew_loans.weeks: True is not of type 'integer' (the reference evaluator lets it pass)",
        ),
        (
            lambda t: step(t, 0, 0, 0)["action"].update(arguments='{"title": '),
            [("error", "gold-slot", 1, 0, None), ("error", "arguments", 1, 0, 0)],
            "expected arguments of 'search_books' as JSON, got text that fails: "
            "Expecting value: line 1 column 11 (char 10)",
        ),
        (
            lambda t: step(t, 0, 0, 0).update(observation=None, user_input="Dune, please"),
            [("warning", "no-observation", 1, 0, 0), ("warning", "stray-reply", 1, 0, 0)],
            "the person's reply stands at a call of search_books, where nobody reads it",
        ),
    ],
)
def test_calls(tmp_path: Path, change: Change, expected: list[Told], problem: str) -> None:
    report = validate(tmp_path, changed(change))
    assert told(report) == expected
    assert problem in problems(report)


def test_arguments_may_be_json_text(tmp_path: Path) -> None:
    topics = changed(lambda t: step(t, 0, 0, 0)["action"].update(arguments='{"title": "Dune"}'))
    assert told(validate(tmp_path, topics)) == []


@pytest.mark.parametrize(
    ("change", "expected", "problem"),
    [
        (
            lambda t: step(t, 0, 1, 2).update(dependency_list=[1, 3]),
            [("error", "dependency", 1, 1, 2)],
            "expected dependencies between 0 and 2, got 3",
        ),
        (
            lambda t: step(t, 0, 1, 2).update(dependency_list=[1, -1]),
            [("error", "dependency", 1, 1, 2)],
            "expected dependencies between 0 and 2, got -1",
        ),
        (
            lambda t: step(t, 0, 1, 0).update(dependency_list=[1]),
            [("warning", "dependency-order", 1, 1, 0), ("error", "cycle", 1, 1, 0)],
            "steps 0, 1 wait for each other, so none can be taken and every reply is refused",
        ),
        (
            lambda t: step(t, 0, 2, 0).update(dependency_list=[0]),
            [("error", "cycle", 1, 2, 0)],
            "steps 0 wait for each other, so none can be taken and every reply is refused",
        ),
        (
            lambda t: step(t, 0, 0, 1).update(dependency_list=[0, 0]),
            [("warning", "dependency", 1, 0, 1)],
            "a dependency is listed twice",
        ),
        (
            lambda t: t[0]["answer_list"][0].reverse() or step(t, 0, 0, 0).update(dependency_list=[1]),
            [("warning", "dependency-order", 1, 0, 0)],
            "it depends on step 1, which stands after it",
        ),
        (
            lambda t: step(t, 1, 1, 1).update(dependency_list=[]),
            [("error", "unreachable", 2, 1, 0)],
            "renew_loans: the final answer does not need it",
        ),
        (
            lambda t: step(t, 1, 1, 0).update(dependency_list=[1]) or step(t, 1, 1, 1).update(dependency_list=[]),
            [("warning", "dependency-order", 2, 1, 0), ("error", "unreachable", 2, 1, 0)],
            "renew_loans: comes after the final answer and is never played",
        ),
        (
            lambda t: t[0]["answer_list"][0].pop(),
            [("error", "no-final-answer", 1, 0, None)],
            "the reference has no final answer, so no reply can ever be right",
        ),
        (
            lambda t: t[0]["answer_list"][2].append(final(after=[0])),
            [("error", "final-answer", 1, 2, 1)],
            "the reference has a second final answer",
        ),
        (
            lambda t: t[0]["answer_list"].__setitem__(2, []),
            [("error", "no-steps", 1, 2, None)],
            "expected steps, got none; a text would crash the reference evaluator",
        ),
        (
            lambda t: step(t, 0, 2, 0).update(observation={"text": "You are welcome."}),
            [("warning", "no-text", 1, 2, 0)],
            "expected what the assistant says as text in `observation`, got {'text': 'You are welcome.'}",
        ),
    ],
)
def test_order_and_end_of_a_reference(tmp_path: Path, change: Change, expected: list[Told], problem: str) -> None:
    report = validate(tmp_path, changed(change))
    assert told(report) == expected
    assert problem in problems(report)


@pytest.mark.parametrize(
    ("change", "expected", "problem"),
    [
        (
            lambda t: step(t, 0, 1, 0).update(user_input=" "),
            [("error", "no-reply", 1, 1, 0)],
            "the question has no reply of the person",
        ),
        (
            lambda t: arguments(t, 0, 1, 0).update(missing_required_parameters=["branch", "colour"]),
            [("warning", "gold-slot", 1, 1, None), ("error", "asked-parameter", 1, 1, 0)],
            "the question asks for 'colour', which reserve_book does not take",
        ),
        (
            lambda t: arguments(t, 0, 1, 0).update(tool_name="lend_book"),
            [("error", "unknown-tool", 1, 1, 0)],
            "the question is for 'lend_book', which the topic's toolset does not have",
        ),
        (
            lambda t: arguments(t, 0, 1, 0).update(missing_required_parameters="branch"),
            [("error", "question", 1, 1, 0)],
            "expected `tool_name` and a list `missing_required_parameters`, got "
            "{'tool_name': 'reserve_book', 'missing_required_parameters': 'branch'}",
        ),
        (
            lambda t: step(t, 0, 1, 1).update(dependency_list=[]) or step(t, 0, 1, 2).update(dependency_list=[0, 1]),
            [("error", "parallel-question", 1, 1, 0)],
            "nothing says whether the question comes before or after step 1; the reference evaluator fails when it "
            "writes them into history as one step",
        ),
        (
            lambda t: (
                t[0]["answer_list"][1].insert(1, call("get_opening_hours", {"branch": "Station"}, {"until": "18:00"}))
                or step(t, 0, 1, 2).update(dependency_list=[0])
                or step(t, 0, 1, 3).update(dependency_list=[1, 2])
            ),
            [("warning", "parallel-question", 1, 1, 0)],
            "nothing says whether the question comes before or after step 1; the reference evaluator accepts odd "
            "orders then",
        ),
    ],
)
def test_questions(tmp_path: Path, change: Change, expected: list[Told], problem: str) -> None:
    report = validate(tmp_path, changed(change))
    assert told(report) == expected
    assert problem in problems(report)


def _gold(topics: list[JsonObject], topic: int, turn: int) -> JsonObject:
    block: JsonObject = topics[topic]["gold"][turn]
    return block


@pytest.mark.parametrize(
    ("change", "expected", "problem"),
    [
        (
            lambda t: _gold(t, 1, 0).update(evidence=["topic_1#3", "topic_9#0", "nonsense"]),
            [("error", "evidence", 2, 0, None)] * 3,
            "the evidence 'topic_1#3' is no turn of this file",
        ),
        (
            lambda t: _gold(t, 0, 1).update(evidence=["topic_2#0", "topic_1#1", "topic_1#0"]),
            [("error", "evidence", 1, 1, None)] * 2,
            "the evidence 'topic_2#0' is a later turn",
        ),
        (
            lambda t: _gold(t, 1, 1)["slots"].update(colour="request"),
            [("error", "gold-slot", 2, 1, None)],
            "the slot 'colour' is no argument that this turn gives or asks for",
        ),
        (
            lambda t: _gold(t, 1, 1).update(slots={"renew_loans.book_ids": "history", "weeks": "guessed"}),
            [("error", "gold-source", 2, 1, None)],
            "the slot 'weeks' has the unknown source 'guessed'",
        ),
        (
            lambda t: _gold(t, 1, 1)["slots"].update(weeks="asked"),
            [("error", "gold-source", 2, 1, None)],
            "the slot 'weeks' is marked asked, but the reference asks nothing",
        ),
        (
            lambda t: _gold(t, 1, 1)["slots"].pop("weeks"),
            [("warning", "gold-slot", 2, 1, None)],
            "nothing says where renew_loans.weeks comes from",
        ),
        (
            lambda t: _gold(t, 0, 1).update(recoverable=True),
            [("error", "recoverable", 1, 1, None)],
            "marked recoverable, but the reference asks",
        ),
        (
            lambda t: t[1]["task_types"].__setitem__(1, "澄清") or _gold(t, 1, 1).update(recoverable=False),
            [("error", "recoverable", 2, 1, None)],
            "marked not recoverable, but the reference does not ask",
        ),
        (
            lambda t: _gold(t, 0, 1).update(recoverable=None),
            [("warning", "recoverable", 1, 1, None)],
            "a lack-of-information turn does not say whether it is recoverable",
        ),
        (
            lambda t: _gold(t, 1, 1).update(recoverable=True),
            [("warning", "recoverable", 2, 1, None)],
            "expected `recoverable` null on a Single-Tool turn, got True",
        ),
    ],
)
def test_gold(tmp_path: Path, change: Change, expected: list[Told], problem: str) -> None:
    report = validate(tmp_path, changed(change))
    assert told(report) == expected
    assert problem in problems(report)


@pytest.mark.parametrize(
    ("change", "expected", "problem"),
    [
        (
            lambda t: t[0]["task_types"].pop(),
            [("error", "list-lengths", 1, None, None)],
            "expected one entry per turn in each list, got tasks 3, task_types 2, answer_list 3, gold 3",
        ),
        (
            lambda t: t[0].update(gold=[]),
            [
                ("error", "list-lengths", 1, None, None),
            ],
            "expected one entry per turn in each list, got tasks 3, task_types 3, answer_list 3, gold 0",
        ),
        (
            lambda t: t[0]["turn_subtypes"].pop(),
            [("error", "list-lengths", 1, None, None)],
            "expected a turn subtype for each turn after the first (2), got 1",
        ),
        (
            lambda t: t[0]["turn_subtypes"].append("Partial Information"),
            [("warning", "list-lengths", 1, None, None)],
            "expected a turn subtype for each turn after the first (2), got 3; the last are ignored",
        ),
        (
            lambda t: t[0].update(task_types=["Singel-Tool", "Clarification", None]),
            [("error", "task-type", 1, 0, None), ("error", "task-type", 1, 2, None)],
            "unknown task type 'Singel-Tool': the turn counts in no column but micro",
        ),
        (
            lambda t: t[0].update(turn_subtypes=["Partial", "省略成分"]),
            [("warning", "turn-subtype", 1, 1, None)],
            "unknown turn subtype 'Partial'",
        ),
        (
            lambda t: t[0]["tasks"].__setitem__(2, " "),
            [("warning", "no-request", 1, 2, None)],
            "the person says nothing",
        ),
        (
            lambda t: t[1].update(task_types=["Single-Tool", "Parallel Multi-Tool"]),
            [("warning", "task-type", 2, 0, None), ("warning", "task-type", 2, 1, None)],
            "a Parallel Multi-Tool turn whose reference has 1 tool call",
        ),
        (
            # Without its id no evidence finds it.
            lambda t: t[0].pop("id"),
            [("error", "schema", 1, None, None), *[("error", "evidence", 2, turn, None) for turn in (0, 1)]],
            "expected a field `id`, got none",
        ),
        (
            lambda t: t[0].update(tasks="Do you have Dune?"),
            [("error", "schema", 1, None, None)],
            "field `tasks`: Input should be a valid tuple, got 'Do you have Dune?'",
        ),
        (
            lambda t: step(t, 0, 1, 1)["action"].update(arguments=7) or step(t, 0, 2, 0).pop("action"),
            [("error", "schema", 1, 1, 1), ("error", "schema", 1, 2, 0)],
            "expected a field `answer_list.2.0.action`, got none",
        ),
        (
            lambda t: t[1].update(env_info="Sunday"),
            [("warning", "time", 2, None, None)],
            "expected a time like 2026-03-09 07:36:00 in `env_info`, got 'Sunday'",
        ),
        (
            lambda t: t[1].update(env_info="2026-02-30 09:30:00"),
            [("error", "session", 2, None, None)],
            "expected a date and time that exist in `env_info`, got '2026-02-30 09:30:00'",
        ),
        (
            lambda t: t[1].update(tools="none"),
            [("error", "schema", 2, None, None)],
            "expected a list of tools, got str",
        ),
        (
            lambda t: t[1].pop("tools"),
            [("error", "schema", 2, None, None)],
            "expected `tools`, or `toolset` with a number and `tools_lang` en or zh, got None, 'en'",
        ),
    ],
)
def test_fields_and_labels(tmp_path: Path, change: Change, expected: list[Told], problem: str) -> None:
    report = validate(tmp_path, changed(change))
    assert told(report) == expected
    assert problem in problems(report)


def test_a_broken_step_does_not_hide_what_is_wrong_with_the_others(tmp_path: Path) -> None:
    def change(topics: list[JsonObject]) -> None:
        step(topics, 1, 0, 0).pop("action")
        arguments(topics, 1, 0, 1).update(branch="Nowhere")
        step(topics, 1, 1, 0)["action"].update(name="renew")

    assert told(validate(tmp_path, changed(change))) == [
        ("error", "schema", 2, 0, 0),
        ("error", "arguments", 2, 0, 1),
        ("error", "unknown-tool", 2, 1, 0),
    ]


def test_topics_of_one_time_name_the_kept_and_the_dropped(tmp_path: Path) -> None:
    first, second = library_topics()
    third = topic(3, [("Thanks!", "Chat", [final("You are welcome.")])], time=first["env_info"])
    report = validate(tmp_path, [first, second, third])
    # The draw of the reference evaluator: random.Random(42).choice among the ids of that time in order.
    dropped = [fault for fault in report.faults if fault.kind == "duplicate-time"]
    assert [(one.line, one.topic, one.problem) for one in dropped] == [
        (
            3,
            "topic_3",
            "dropped: it shares the time 2026-03-02 10:00:00 with others, of which the reference evaluator plays only "
            "'topic_1' (seed 42)",
        )
    ]
    assert report.errors == 0


def test_evidence_in_a_topic_that_is_dropped_is_a_warning(tmp_path: Path) -> None:
    first = library_topics()[0]
    earlier = topic(0, [("Hello!", "Chat", [final("Good morning.")])], time=first["env_info"])
    topics = [{**earlier, "id": "topic_3"}, first, changed(lambda t: _gold(t, 1, 1).update(evidence=["topic_3#0"]))[1]]
    report = validate(tmp_path, topics)
    assert [fault.problem for fault in report.faults if fault.kind == "evidence"] == [
        "the evidence 'topic_3#0' stands in a topic that is never played"
    ]


@pytest.mark.parametrize(
    ("change", "expected", "problem"),
    [
        (
            lambda t: step(t, 1, 0, 0).update(observation={"\ud800": 1}),
            ("error", "limits", 2, None, None),
            r"turn 0, step 0, observation: expected keys of whole characters, got '\ud800' with half a surrogate pair",
        ),
        (
            lambda t: t[1].update(tools=[*TOOLS, {"function": {"name": "\ud800"}}]),
            ("error", "tool-name", 2, None, None),
            r"expected a name of whole characters, got '\ud800' with half a surrogate pair",
        ),
        (
            lambda t: t[1].update(tools=[*TOOLS, {"function": {"name": "f", "x": json.loads("[" * 198 + "]" * 198)}}]),
            ("error", "limits", 2, None, None),
            "expected at most 200 levels of objects and lists, got more",
        ),
    ],
)
def test_what_no_run_could_keep(tmp_path: Path, change: Change, expected: Told, problem: str) -> None:
    path = tmp_path / "reader_1.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in changed(change)), "ascii")
    report = validate_data(path)
    assert [one for one in told(report) if one[0] == "error"] == [expected]
    assert problem in problems(report)


def test_ids_must_differ(tmp_path: Path) -> None:
    report = validate(tmp_path, changed(lambda t: t[1].update(id="topic_1")))
    assert ("error", "topic-id", 2, None, None) in told(report)


def test_every_broken_line_is_told_and_the_good_ones_are_looked_at(tmp_path: Path) -> None:
    good = [json.dumps(one).encode() for one in library_topics()]
    path = tmp_path / "reader_1.jsonl"
    path.write_bytes(b"\n".join([b'{"id": ', good[0], b"[1, 2]", b"\xff\xfe", b"", good[1]]))
    report = validate_data(path)
    assert told(report) == [
        ("error", "json", 1, None, None),
        ("error", "json", 3, None, None),
        ("error", "json", 4, None, None),
    ]
    assert problems(report) == [
        "expected one JSON value a line, got text that fails: Expecting value: line 1 column 8 (char 7)",
        "expected a topic object, got list",
        "expected UTF-8, got byte 0: invalid start byte",
    ]
    assert (report.topics, report.turns) == (2, 5)


def test_faults_of_tools_are_told_once_for_each_toolset(tmp_path: Path) -> None:
    broken = [
        *TOOLS,
        {"name": "flat", "parameters": {"type": "object", "properties": {}}},
        {"type": "function", "function": {"description": "nameless"}},
        {"type": "function", "function": {"name": "prepare_to_answer"}},
        TOOLS[0],
        {"type": "function", "function": {"name": "late", "parameters": {"properties": {}, "required": ["day"]}}},
    ]
    report = validate(tmp_path, changed(lambda t: [one.update(tools=broken) for one in t]))
    assert [(fault.severity, fault.kind, fault.line) for fault in report.faults] == [
        ("error", "tool-schema", 1),
        ("error", "tool-schema", 1),
        ("error", "tool-name", 1),
        ("warning", "tool-name", 1),
        ("warning", "tool-schema", 1),
    ]


def test_a_toolset_that_is_not_there(tmp_path: Path) -> None:
    def change(topics: list[JsonObject]) -> None:
        for number, one in enumerate(topics):
            del one["tools"]
            one["toolset"] = number

    topics = changed(change)
    assert told(validate(tmp_path, topics)) == [
        ("error", "toolset", 1, None, None),
        ("error", "toolset", 2, None, None),
    ]
    (tmp_path / "toolsets").mkdir()
    (tmp_path / "toolsets" / "tools_en.jsonl").write_text(json.dumps(TOOLS) + "\n", "utf-8")
    report = validate(tmp_path, topics)
    assert told(report) == [("error", "toolset", 2, None, None)]
    assert problems(report) == ["expected a toolset between 0 and 0 of tools_en.jsonl, got 1"]


def test_file_names_in_a_folder(tmp_path: Path) -> None:
    for name in ("a/reader_1.jsonl", "b/reader_1.jsonl", "reader.jsonl"):
        write_topics(tmp_path / name, library_topics())
    (tmp_path / "empty_1.jsonl").write_text("\n", "utf-8")
    (tmp_path / "notes.jsonl").write_text('{"note": 1}\n', "utf-8")
    (tmp_path / "gone_1.jsonl").symlink_to(tmp_path / "nowhere")
    done: list[tuple[int, int]] = []
    report = validate_data(tmp_path, on_file=lambda *counts: done.append(counts))
    assert sorted((str(fault.path.relative_to(tmp_path)), fault.severity, fault.kind) for fault in report.faults) == [
        ("b/reader_1.jsonl", "error", "file-name"),
        ("empty_1.jsonl", "error", "no-topic"),
        ("gone_1.jsonl", "error", "unreadable"),
        ("notes.jsonl", "warning", "left-out"),
        ("reader.jsonl", "warning", "file-name"),
    ]
    assert done == [(number, 5) for number in range(1, 6)]


def test_the_place_of_a_fault_reads_from_file_to_step() -> None:
    fault = Fault("error", "unknown-tool", "p", "m", Path("x.jsonl"), 3, "topic_1", 0, 2)
    assert fault.place == "x.jsonl:3: topic 'topic_1', turn 0, step 2"
    assert Fault("error", "json", "p", "m", Path("x.jsonl")).place == "x.jsonl"


@pytest.mark.parametrize("make", [lambda path: None, lambda path: path.mkdir()])
def test_nothing_to_look_at_is_an_error_of_its_own(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "data")
    with pytest.raises(DatasetError):
        validate_data(tmp_path / "data")


def test_the_bundled_data_have_no_fault() -> None:
    with located(None) as path:
        report = validate_data(path)
    assert (report.files, report.turns, report.faults) == (2, 67, ())


def test_the_development_data_have_no_error() -> None:
    report = validate_data(shared_path("utb-dev"), toolsets=shared_path("toolsets"))
    assert (report.turns, report.errors) == (90, 0)
    assert {fault.kind for fault in report.faults} == {"file-name"}


def test_the_command_tells_clean_faulty_and_unreadable_apart(tmp_path: Path) -> None:
    good = write_topics(tmp_path / "reader_1.jsonl", library_topics())
    bad = write_topics(tmp_path / "reader_2.jsonl", changed(lambda t: arguments(t, 0, 1, 1).update(branch="Harbor")))
    noted = write_topics(tmp_path / "reader.jsonl", library_topics())
    codes = [
        CliRunner().invoke(app, ["data", "validate", str(path)]).exit_code
        for path in (good, noted, bad, tmp_path / "nowhere.jsonl")
    ]
    assert codes == [0, 0, 1, 2]


def test_the_command_prints_place_problem_and_mend(tmp_path: Path) -> None:
    bad = write_topics(tmp_path / "reader_2.jsonl", changed(lambda t: arguments(t, 0, 1, 1).update(branch="Harbor")))
    assert CliRunner().invoke(app, ["data", "validate", str(bad)]).stdout.splitlines() == [
        f"{bad}:1: topic 'topic_1', turn 1, step 1: error [arguments]",
        "  reserve_book.branch: 'Harbor' is not one of ['Harbour', 'Old Mill', 'Station']",
        "  mend: take one of the listed values",
        "1 file, 2 topics, 5 turns: 1 error, 0 warnings",
    ]


def test_the_command_prints_one_json_object(tmp_path: Path) -> None:
    bad = write_topics(tmp_path / "reader_2.jsonl", changed(lambda t: arguments(t, 0, 1, 1).update(branch="Harbor")))
    done = CliRunner().invoke(app, ["data", "validate", str(bad), "--json"])
    assert json.loads(done.stdout) == {
        "path": str(bad),
        "files": 1,
        "topics": 2,
        "turns": 5,
        "errors": 1,
        "warnings": 0,
        "faults": [
            {
                "severity": "error",
                "kind": "arguments",
                "problem": "reserve_book.branch: 'Harbor' is not one of ['Harbour', 'Old Mill', 'Station']",
                "mend": "take one of the listed values",
                "path": str(bad),
                "line": 1,
                "topic": "topic_1",
                "turn": 1,
                "step": 1,
            }
        ],
    }


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the path of everything inside a JSON value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [path] if path else []
    return found + [below for key, item in inside for below in places(item, (*path, key))]


PLACES = places(library_topics())
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.floats() | st.sampled_from(["", " ", "x", "0", "anyOf", "{}"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "name", "enum"]), inner),
    max_leaves=4,
)


@pytest.mark.slow
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.sampled_from(PLACES), junk=JUNK)
def test_whatever_the_reader_refuses_is_an_error_of_the_report(
    tmp_path: Path, place: tuple[str | int, ...], junk: object
) -> None:
    topics: Any = json.loads(json.dumps(library_topics()))
    holder = topics
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = junk
    path = write_topics(tmp_path / "reader_1.jsonl", topics)
    lines = {fault.line for fault in validate_data(path).faults if fault.severity == "error"}
    assert refused_line(path) in {None, *lines}


def refused_line(path: Path) -> int | None:
    """Return the line at which the reader gives up, `None` if it reads the file."""
    try:
        load_sessions(path)
    except DatasetError as exc:
        return exc.line
    return None


def test_two_questions_in_a_row_are_no_fault(tmp_path: Path) -> None:
    answer = [
        question("reserve_book", ["book_id"], "Which book?", "B-17."),
        question("reserve_book", ["branch"], "Which branch?", "Station.", after=[0]),
        call("reserve_book", {"book_id": "B-17", "branch": "Station"}, {"status": "reserved"}, after=[0, 1]),
        final("Reserved.", after=[2]),
    ]
    assert told(validate(tmp_path, [topic(1, [("Reserve it.", "Clarify", answer)], time="2026-03-02 10:00:00")])) == []

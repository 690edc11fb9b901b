"""Ask-or-act suites: their readers, the scores and the command; dialogues of a few lines, written here."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from benchmark_adapter.cli import app
from benchmark_adapter.errors import BenchmarkError, DatasetError
from benchmark_adapter.labelling.head import Label, shipped_label_head
from benchmark_adapter.suites.decide import Judged, report, scores
from benchmark_adapter.suites.decide_command import fitted_on, recorded
from benchmark_adapter.suites.decide_suites import SUITES, DecideItem, DecideSuite, load_decide_suites, read_call
from benchmark_adapter.suites.decide_table import decide_tables
from clarifier.decision import Situation
from memory.recall import Recall, RecallItem
from memory.records import CallStep, Observation, QuestionStep, ToolCall, Turn
from memory.tools import parse_tool
from tests.shared import shared_path

CD: dict[str, Any] = {
    "name": "cd",
    "description": "Go to a folder.",
    "parameters": {"type": "dict", "properties": {"folder": {"type": "string"}}, "required": ["folder"]},
}
LS: dict[str, Any] = {"name": "ls", "description": "List files.", "parameters": {"type": "dict", "properties": {}}}


def write(path: Path, records: Iterable[Any]) -> None:
    data = "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def item(label: str = "call", **changes: Any) -> dict[str, Any]:
    said = [{"role": "user", "content": "Go to 'docs'"}]
    return {"id": "i1", "messages": said, "tools": [CD], "label": label, "group": "g1", **changes}


def recalled(turn_id: str, request: str, **rest: Any) -> RecallItem:
    turn = Turn(turn_id=turn_id, request=request, **rest)
    return RecallItem(kind="topic", turn_ids=(turn_id,), text=request, tokens=0, turn=turn)


def test_a_request_is_read_as_a_situation(tmp_path: Path) -> None:
    write(tmp_path / "bfcl_single.jsonl.gz", [item("cannot")])

    situation = Situation("Go to 'docs'", (parse_tool(CD),))
    assert load_decide_suites(tmp_path) == (
        DecideSuite(
            "bfcl_single",
            tmp_path / "bfcl_single.jsonl.gz",
            frozenset({"call", "cannot"}),
            (DecideItem("i1", "g1", situation, "cannot"),),
        ),
    )


def test_answers_stay_in_the_turn_and_new_requests_open_one(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "Go there"},
        {"role": "assistant", "content": "Which folder?"},
        {"role": "user", "content": "docs"},
        {"role": "assistant", "tool_call": {"name": "cd", "arguments": {"folder": "docs"}}},
        {"role": "tool", "name": "cd", "content": '{"ok": true}'},
        {"role": "assistant", "content": "Done. Anything else?"},
        {"role": "user", "content": "List it"},
    ]
    write(tmp_path / "api_bank.jsonl", [item(messages=messages)])

    (suite,) = load_decide_suites(tmp_path)

    call = ToolCall(id="m3-0", name="cd", arguments={"folder": "docs"})
    steps = (
        QuestionStep(question="Which folder?", answer="docs"),
        CallStep(calls=(call,), observations=(Observation(content={"ok": True}),)),
    )
    past = recalled("t0", "Go there", steps=steps, reply="Done. Anything else?")
    assert suite.items[0].situation == Situation("List it", (parse_tool(CD),), Recall((past,)))


def test_tools_are_looked_up_and_held_back_ones_left_out(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "Go to docs"},
        {"role": "assistant", "calls": ["cd('docs')", "ls()"]},
        {"role": "user", "content": "And back"},
    ]
    record = item("cannot", messages=messages, tools_ref=["Files"], excluded_functions=["cd"])
    write(tmp_path / "bfcl_multi_turn.jsonl", [{key: record[key] for key in record if key != "tools"}])
    write(tmp_path / "bfcl_multi_turn_tools.jsonl", [{"tools_ref": "Files", "tools": [CD, LS]}])

    (suite,) = load_decide_suites(tmp_path)

    calls = (
        ToolCall(id="m1-0", name="cd", arguments={"folder": "docs"}),
        ToolCall(id="m1-1", name="ls"),
    )
    step = CallStep(calls=calls, observations=(Observation(), Observation()))
    past = Recall((recalled("t0", "Go to docs", steps=(step,)),))
    assert suite.items[0].situation == Situation("And back", (parse_tool(LS),), past)


def test_arguments_without_names_take_the_tools_order() -> None:
    call = read_call("cd('docs', deep=True)", {"cd": parse_tool(CD)}, "c")
    assert call == ToolCall(id="c", name="cd", arguments={"folder": "docs", "deep": True})
    assert read_call("move((1, 2), to=docs)", {}, "c").arguments == {"argument_0": [1, 2], "to": "docs"}


@pytest.mark.parametrize("text", ["cd(", "docs", "", "x = cd()"])
def test_what_is_no_call_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected a call as in Python; got"):
        read_call(text, {}, "c")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"label": "reply"}, ":1: expected a label out of ask, call, cannot; got 'reply'"),
        ({"messages": [{"role": "assistant", "content": "Hi"}]}, ":1: expected `messages` to end with one of role"),
        ({"messages": 3}, ":1: messages: .*; got 3"),
        ({"tools": [{"description": "nameless"}]}, ":1: tools: a tool definition needs a `name`"),
        ({"tools_ref": ["Nowhere"]}, ":1: `tools_ref` names 'Nowhere'"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    write(tmp_path / "when2call.jsonl", [item(**changes)])

    with pytest.raises(DatasetError, match=message):
        load_decide_suites(tmp_path)


def test_an_unknown_suite_and_an_empty_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match="no suite is called 'other'; choose among when2call"):
        load_decide_suites(tmp_path, ["other"])
    with pytest.raises(BenchmarkError, match="found none in"):
        load_decide_suites(tmp_path)
    with pytest.raises(DatasetError, match="expected a file, found none"):
        load_decide_suites(tmp_path, ["when2call"])


def judged(right: Label, chosen: Label, group: str = "g", **probabilities: float) -> Judged:
    return Judged("s", group, right, chosen, probabilities)  # type: ignore[arg-type]  # the keys are labels


FOUR = [
    judged("call", "call", "a", call=0.8, ask=0.2),
    judged("call", "ask", "b", call=0.6, ask=0.4),
    judged("ask", "ask", "c", call=0.5, ask=0.5),
    judged("call", "call", "d", call=1.0, ask=0.0),
]


def test_scores_worked_out_by_hand() -> None:
    found = scores(FOUR)

    # Calls: 2 given, 2 right of 3. Asks: 2 given, 1 right of 1.
    assert found["n"] == 4
    assert found["accuracy"] == 0.75
    assert found["f1"] == pytest.approx({"call": 4 / 5, "ask": 2 / 3})
    assert found["macro_f1"] == pytest.approx((4 / 5 + 2 / 3) / 2)
    assert found["ask"] == pytest.approx({"precision": 0.5, "recall": 1.0, "f1": 2 / 3})
    # Brier: 0.08, 0.32, 0.5 and 0. Always stating ¾ and ¼ gives 1 − (9 + 1)/16 = 0.375.
    assert found["calibration"]["brier"] == pytest.approx(0.9 / 4)
    assert found["calibration"]["brier_skill"] == pytest.approx(1 - 0.225 / 0.375)
    # One bin: stated (0.8 + 0.4 + 0.5 + 1)/4 = 0.675, right 0.75, spread √(0.1875/4); less its bias nothing is left.
    assert found["calibration"]["ece"] == 0.0
    # Right ones stated 0.8, 0.5 and 1, the wrong one 0.4: every pair in order.
    assert found["calibration"]["auroc"] == 1.0
    # The likeliest is call throughout (the tie goes to the earlier label).
    assert found["argmax"] == {"accuracy": 0.75, "macro_f1": pytest.approx(3 / 7), "ask_f1": 0.0}
    assert found["ci95"]["accuracy"][0] <= 0.75 <= found["ci95"]["accuracy"][1]


def test_one_class_alone_leaves_the_others_undefined() -> None:
    found = scores([judged("call", "call", call=1.0, ask=0.0)])

    assert (found["accuracy"], found["macro_f1"], found["ask"]["f1"]) == (1.0, 1.0, None)
    assert (found["calibration"]["brier"], found["calibration"]["brier_skill"]) == (0.0, None)
    assert found["ci95"] == {}  # one group: nothing to draw from


def test_nothing_has_no_scores() -> None:
    found = scores([])

    assert (found["n"], found["accuracy"], found["macro_f1"]) == (0, None, None)
    assert found["calibration"] == {"ece": None, "brier": None, "brier_skill": None, "auroc": None}
    assert report([])["suites"] == {}


def test_pooled_scores_are_over_all_items() -> None:
    found = report([*FOUR, Judged("t", "x", "reply", "reply", {"call": 0.0, "reply": 1.0})])

    assert list(found["suites"]) == ["s", "t"]
    assert (found["pooled"]["n"], found["pooled"]["accuracy"]) == (5, 0.8)
    assert found["pooled"]["macro_f1"] == pytest.approx((4 / 5 + 2 / 3 + 1) / 3)


def test_the_command_measures_a_tiny_suite(tmp_path: Path) -> None:
    asked = [{"role": "user", "content": "Who painted the Mona Lisa?"}]
    write(tmp_path / "bfcl_single.jsonl.gz", [item(), item("cannot", id="i2", group="g2", messages=asked)])

    result = CliRunner().invoke(app, ["decide", str(tmp_path), "--json"])

    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert set(found) == {"suites", "pooled", "fitted_on"}
    assert (set(found["suites"]), found["fitted_on"]) == ({"bfcl_single"}, [])
    row = found["suites"]["bfcl_single"]
    assert (row["n"], row["accuracy"], row["macro_f1"]) == (2, 1.0, 1.0)
    assert row["ask"] == {"precision": None, "recall": None, "f1": None}
    assert {"ece", "brier", "brier_skill"} < set(row["calibration"])
    assert found["pooled"]["n"] == 2


def test_the_command_says_in_one_message_what_is_wrong(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["decide", str(tmp_path), "--suite", "other"])

    assert result.exit_code == 2
    assert result.stderr.startswith("stead-bench: no suite is called 'other'")
    assert len(result.stderr.splitlines()) == 1


def test_cross_validated_figures_are_for_the_files_of_the_fit_alone(tmp_path: Path) -> None:
    write(tmp_path / "bfcl_single.jsonl.gz", [item()])
    result = CliRunner().invoke(app, ["decide", str(tmp_path), "--cross-validated"])
    assert result.exit_code == 2
    assert "bfcl_single here is another file" in result.stderr

    suites = load_decide_suites(tmp_path)
    digest = hashlib.sha256((tmp_path / "bfcl_single.jsonl.gz").read_bytes()).hexdigest()
    row = {"n": 1}
    kept = {"suites": {"bfcl_single": row, "api_bank": {"n": 2}}, "pooled": {"n": 3}}
    provenance = {"data_sha256": {"bfcl_single": digest}, "cross_validated": kept, "leave_one_suite_out": kept}
    head = shipped_label_head().model_copy(update={"provenance": provenance})
    assert fitted_on(head, suites) == ["bfcl_single"]
    assert recorded(head, ["bfcl_single"], ["bfcl_single"]) == {
        "suites": {"bfcl_single": row},
        "pooled": None,
        "leave_one_suite_out": {"bfcl_single": row},
        "fitted_on": ["bfcl_single"],
        "cross_validated": True,
    }


def test_the_recorded_figures_of_the_shared_suites_are_printed() -> None:
    folder = shared_path("data", "ask-or-act")

    result = CliRunner().invoke(app, ["decide", str(folder), "--cross-validated", "--json"])

    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert list(found["suites"]) == list(SUITES)
    assert {name: row["n"] for name, row in found["suites"].items()} == {
        "when2call": 141, "bfcl_single": 774, "bfcl_multi_turn": 634, "api_bank": 437,
    }  # fmt: skip


def test_the_tables_fit_a_terminal_of_80_columns() -> None:
    console = Console(width=80, record=True, file=io.StringIO())

    console.print(decide_tables(report([*FOUR, judged("reply", "reply", reply=1.0)])))

    lines = console.export_text().splitlines()
    assert "…" not in "".join(lines)
    (row,) = [line.split() for line in lines if line.split()[:2] == ["pooled", "5"]]
    assert row[2:4] == [".800", ".822"]  # (4/5 + 2/3 + 1)/3
    assert row[5:] == [".800", ".667", "n/a", "1.000"]

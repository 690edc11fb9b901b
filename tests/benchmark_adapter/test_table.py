"""A run's metrics as tables."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console, Group

from benchmark_adapter.replay.turn_result import RecalledItem
from benchmark_adapter.reports.kept_back import KeptBack, kept_back
from benchmark_adapter.reports.paper import COMPARABLE, NOT_COMPARABLE, paper_tables, standing
from benchmark_adapter.reports.table import run_tables, summary_table
from benchmark_adapter.runs.manifest import Manifest
from benchmark_adapter.scoring.run_metrics import compute_metrics
from clarifier.decision import Act, Ask, Odds, Usage
from memory.records import ToolCall
from tests.benchmark_adapter.test_manifest import FIELDS
from tests.benchmark_adapter.topics import call, final, question, reference_turn, scored

_TIME = {"seconds": 2.5, "turns_per_second": 1.2}


def _metrics() -> dict[str, Any]:
    """Return the metrics of three turns: a right ST, a wrong MT, a right LOI that asks."""
    ask = Ask(policy="p", odds=Odds(p_act=0, p_calls=0, p_asked=1), question="Which?", slots=("reserve_book.branch",))
    asks = question("reserve_book", ["branch"], "Which branch?", "Old Mill.")
    hours = call("get_opening_hours", {"branch": "Station"})
    recalled = RecalledItem(kind="turn", turn_ids=("t0000",), tokens=1234, score=1.0)
    gold = {"slots": {"branch": "history"}}
    turns = [
        scored(
            reference_turn(hours, final(after=[0]), gold=gold),
            is_correct=True,
            right=[(0, "branch")],
            usage=Usage(prompt=5, completion=7),
        ),
        scored(reference_turn(hours, final(after=[0]), task_type="Multi-Tool", gold=gold), is_correct=False),
        scored(
            reference_turn(asks, final(after=[0]), task_type="Clarify", gold=gold),
            is_correct=True,
            decisions=(ask,),
            recall=(recalled,),
        ),
    ]
    return {**compute_metrics(turns), **_TIME}


def _shown(metrics: dict[str, Any], width: int = 80) -> str:
    return _printed(run_tables(metrics, title="oracle planner"), width)


def _summary(metrics: dict[str, Any], width: int = 80) -> str:
    return _printed(summary_table(metrics, title="oracle planner"), width)


def _printed(tables: Group, width: int) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(tables)
    return out.getvalue()


def _row(text: str, first: str) -> list[str]:
    """Return the cells of the first row that begins with `first`."""
    rows = ([cell.strip() for cell in line.strip("│┃").split("│")] for line in text.splitlines())
    return next(row for row in rows if row[0] == first)


def test_the_summary_is_one_table_with_two_rows_of_the_paper_and_what_it_took() -> None:
    text = _summary({**_metrics(), "ci95": {"exact.overall": [0.5, 0.834], "exact.ST": [1.0, 1.0]}})

    rows = [line.strip("│┃ ") for line in text.splitlines() if line.startswith("│")]
    assert [[cell.strip() for cell in row.split("│")] for row in rows] == [
        ["this run", "66.7", "100.0", "0.0", "100.0", "100.0", "0.0", "100.0"],
        ["95 %", "50–83", "100", *["n/a"] * 5],
        # Table 4: GLM-5 has the highest overall; the mean is over the nine models.
        ["paper best", "49.4", "70.6", "38.4", "39.1", "49.4", "52.6", "43.9"],
        ["paper mean", "34.3", "51.3", "25.2", "26.5", "39.6", "37.3", "30.9"],
    ]
    told = " ".join(text.split())
    assert "95 %: bootstrap over topics within persons, so of these persons." in told
    assert "The paper's best of 9 models is GLM-5; official data, not comparable with the bundled set." in told
    assert told.endswith(
        "Questions: 0.33 a turn; right where a turn asks: 100.0 %, where it must ask: 100.0 % (F1 100.0 %) "
        "3 turns, 0 failed; tokens: 1,234 recalled, 5 prompt, 7 completion; 2.5 s in turns (1.2 turns a second) "
        "Every number: --full, or --json"
    )
    assert "95 %" not in _summary({**_metrics(), "ci95": None})


def test_the_summary_has_relaxed_accuracy_and_leaves_out_what_is_not_known() -> None:
    metrics = _metrics()
    unknown = {"relaxed": None, "ask": None, "tokens": {"prompt": 0, "completion": 0, "recall": None}}

    known = _summary({**metrics, "relaxed": dict.fromkeys(metrics["exact"], 0.75)})
    other = _summary({**metrics, **unknown})

    assert _row(known, "relaxed") == ["relaxed", *["75.0"] * 7]
    assert "relaxed" not in other
    assert "Questions" not in other
    assert "3 turns, 0 failed; tokens: n/a; 2.5 s in turns" in " ".join(other.split())


@pytest.mark.parametrize("shown", [summary_table, run_tables])
def test_nothing_is_cut_off_in_a_terminal_of_80_characters(shown: Callable[..., Group]) -> None:
    metrics = _metrics()
    widest = {f"exact.{key}": [0.99, 1.0] for key in metrics["exact"]}
    text = _printed(shown({**metrics, "ci95": {**(metrics["ci95"] or {}), **widest}}, title="oracle planner"), 80)

    assert "…" not in text
    assert max(map(len, text.splitlines())) <= 80
    assert _row(text, "95 %" if shown is summary_table else "95 % to")[1] in ("99–100", "100.0")


def test_a_run_stands_above_the_papers_models() -> None:
    text = _shown(_metrics())

    assert _row(text, "this run") == ["this run", "66.7", "100.0", "0.0", "100.0", "100.0", "0.0", "100.0"]
    models = [model for model in paper_tables().exact if model in text]
    assert models == list(paper_tables().exact)
    assert text.index("this run") < min(text.index(model) for model in models)
    assert "not comparable with the bundled set" in " ".join(text.split())


def test_the_papers_figures_stand_under_the_same_headings() -> None:
    text = _shown(_metrics())
    row = paper_tables().rows("exact")["GLM-5"]

    assert _row(text, "GLM-5") == [
        "GLM-5",
        *(
            f"{100 * row[key]:.1f}"
            for key in ("overall", "ST", "MT", "LOI", "first_third", "middle_third", "last_third")
        ),
    ]


def test_relaxed_accuracy_is_left_out_where_it_was_not_judged() -> None:
    metrics = _metrics()

    text = _shown({**metrics, "relaxed": dict.fromkeys(metrics["exact"], 0.75)})

    assert _row(text[text.index("further parts") :], "relaxed") == ["relaxed", *["75.0"] * 4]
    assert "relaxed" not in _shown({**metrics, "relaxed": None}).casefold()


def test_further_parts_arguments_questions_and_totals_are_shown() -> None:
    text = _shown(_metrics())

    assert _row(text, "exact") == ["exact", "n/a", "100.0", "n/a", "66.7"]
    assert _row(text, "right") == ["right", "n/a", "50.0", "n/a", "n/a", "n/a", "n/a"]
    assert _row(text, "of") == ["of", "0", "2", "0", "0", "0", "0"]
    assert _row(text, "100.0") == ["100.0", "100.0", "100.0", "0.0", "0.0", "100.0", "100.0", "0.33"]
    assert "3 turns, 0 failed; tokens: 1,234 recalled, 5 prompt, 7 completion; 2.5 s in turns (1.2 turns a second)" in (
        " ".join(text.split())
    )


def test_an_empty_run_is_shown_as_undefined_and_without_the_table_of_arguments() -> None:
    text = _shown({**compute_metrics([]), "seconds": 0.0, "turns_per_second": None})

    assert _row(text, "this run") == ["this run", *["n/a"] * 7]
    assert "Arguments" not in text
    assert "0 turns, 0 failed" in text


def _run(relaxed: bool | None = None) -> dict[str, Any]:
    """Return the metrics of four chat turns of two topics, three of them right, all acts of which were wrong."""
    act = Act(
        policy="p", odds=Odds(p_act=1, p_calls=0.75, p_asked=0), calls=(ToolCall(id="c", name="a", arguments={}),)
    )
    turns = [
        scored(
            reference_turn(final(), index=index, topic_id=f"topic_{index % 2}", task_type="Chat"),
            is_correct=index > 0,
            relaxed=relaxed,
            wrong_calls=("search_books",),
            decisions=(act,),
        )
        for index in range(4)
    ]
    return {**compute_metrics(turns), **_TIME}


def test_intervals_stand_below_the_run_and_say_whom_they_are_of() -> None:
    metrics = _run()
    metrics["ci95"] = {**metrics["ci95"], "exact.first_third": [0.25, 0.9]}

    text = _shown(metrics)

    assert _row(text, "95 % from") == ["95 % from", *["n/a"] * 4, "25.0", "100.0", "100.0"]
    assert _row(text, "95 % to") == ["95 % to", *["n/a"] * 4, "90.0", "100.0", "100.0"]
    assert "95 %: bootstrap over topics within persons, so of these persons." in text
    assert "95 %" not in _shown({**metrics, "ci95": None})


def test_relaxed_accuracy_has_a_table_with_the_papers_own() -> None:
    text = _shown(_run(relaxed=True))
    relaxed = text[text.index("Relaxed accuracy (%), oracle planner") :]

    assert _row(relaxed, "this run") == ["this run", *["n/a"] * 4, *["100.0"] * 3]
    assert _row(relaxed, "GLM-5")[1:3] == ["69.7", "87.9"]
    assert "Relaxed" not in _shown(_run())


def test_cost_calibration_and_the_references_rates_are_shown() -> None:
    text = _shown(_run())
    rows = text[text.index("Cost and calibration") :]

    # Each turn made a wrong read; 0.75 was said of calls that never were right.
    assert _row(rows, "this run") == ["this run", "n/a", "2.000", "0.750", "0.562", "n/a", "1.000"]
    assert "whole sessions 0.0 % over persons, 0.0 % over all; optimal paths 0.0 % over persons, n/a over all" in (
        " ".join(text.split())
    )


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, COMPARABLE),
        ({"data": "e" * 64}, "official data, not comparable with the data of this run"),
        ({"view": "extended"}, "official data, not comparable with a run with --view extended"),
        ({"limit": 3}, "all of the official data, not comparable with a run with --limit 3"),
        ({"memory_of": "ann"}, "official data, not comparable with a run with --memory-of"),
        ({"location": {"data": None, "toolsets": None}}, NOT_COMPARABLE),
    ],
)
def test_the_papers_figures_are_comparable_on_the_official_data_and_view_alone(
    changes: dict[str, Any], expected: str
) -> None:
    assert standing(Manifest(**{**FIELDS, **changes}), official_data={FIELDS["data"]}) == expected


@pytest.mark.parametrize("tables", [summary_table, run_tables])
def test_a_figure_on_the_bundled_persons_stands_beside_that_of_kept_back_ones(tables: Callable[..., Group]) -> None:
    beside = kept_back(Manifest(**{**FIELDS, "location": {"data": None, "toolsets": None}}))

    text = _printed(tables(_metrics(), title="rules planner", beside=beside), 80)

    assert "Exact accuracy (%), rules planner, on persons it was made with" in text
    assert _row(text, "kept back") == ["kept back", "7.9", *[""] * 6]
    assert "136 turns" in text


def test_what_other_settings_get_for_kept_back_persons_is_not_known_and_other_data_have_none_beside_them() -> None:
    other = kept_back(Manifest(**{**FIELDS, "location": {"data": None, "toolsets": None}, "memory": "full"}))

    assert other == KeptBack(overall=None, turns=0)
    assert kept_back(Manifest(**{**FIELDS, "location": {"data": "here", "toolsets": None}})) is None
    assert kept_back(None) is None


def test_nothing_is_comparable_as_long_as_the_official_data_are_not_known() -> None:
    assert paper_tables().official_data == ()
    assert "not comparable" in standing(Manifest(**FIELDS))
    assert standing(None) == NOT_COMPARABLE

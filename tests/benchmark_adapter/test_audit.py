"""The audit: what is found in failed turns, how it is counted, and the command that prints it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmark_adapter.data.dataset import ReferenceTurn
from benchmark_adapter.replay.turn_result import Failure, TurnLine
from benchmark_adapter.reports.audit import CATEGORIES, Audit, Finding, audit
from benchmark_adapter.reports.audit_table import audit_json
from benchmark_adapter.runs.run_scoring import JudgedTurn
from benchmark_adapter.scoring.metrics import ScoredTurn
from benchmark_adapter.scoring.relaxed import score_relaxed
from tests.benchmark_adapter.commands import finish
from tests.benchmark_adapter.replies import Do, Question, ask, do, play
from tests.benchmark_adapter.topics import call, final, library_topics, question, reference_turn, write_topics

_DUNE = {"books": [{"book_id": "B-17", "title": "Dune"}]}
_SEARCH = ("search_books", {"title": "Dune"})
_RESERVE = ("reserve_book", {"book_id": "B-17", "branch": "Old Mill"})
_HOURS = ("get_opening_hours", {"branch": "Old Mill"})


def _judged(
    turn: ReferenceTurn,
    *acts: Do | Question | str,
    earlier: tuple[ReferenceTurn, ...] = (),
    failure: Failure | None = None,
    is_relaxed: bool = True,
) -> JudgedTurn:
    played, exact = play(turn, *acts, earlier=earlier)
    line = TurnLine(session=turn.session, turn=turn.index, label=exact.label, replies=played.replies, failure=failure)
    relaxed = score_relaxed(played, exact) if is_relaxed else None
    return JudgedTurn(ScoredTurn(turn, line, exact, relaxed), played)


def _found(turn: ReferenceTurn, *acts: Do | Question | str, **options: Any) -> list[tuple[str, str, str]]:
    (audited,) = audit([_judged(turn, *acts, **options)]).turns
    return [(one.category, one.severity, one.detail) for one in audited.findings]


def _search_then_reserve() -> ReferenceTurn:
    return reference_turn(
        call(*_SEARCH, _DUNE),
        call(*_RESERVE, {"status": "reserved"}, after=[0]),
        final(after=[1]),
        request="Find Dune and reserve it at Old Mill.",
        task_type="Multi-Tool",
    )


def _asks_for_branch() -> ReferenceTurn:
    return reference_turn(
        question("reserve_book", ["branch"], "Which branch?", "Old Mill."),
        call(*_RESERVE, {"status": "reserved"}, after=[0]),
        final(after=[1]),
        request="Reserve B-17.",
        task_type="Clarify",
    )


def test_a_call_before_the_one_it_needs_breaks_the_order() -> None:
    assert _found(_search_then_reserve(), do(_RESERVE), do(_SEARCH), "Done.") == [
        ("order", "major", "reserve_book came without or before search_books")
    ]


def test_a_chain_that_is_broken_off_breaks_the_order_and_leaves_a_tool_out() -> None:
    assert _found(_search_then_reserve(), do(_SEARCH), "Here it is.") == [
        ("order", "major", "broken off before reserve_book"),
        ("tool", "major", "reserve_book was not called"),
    ]


def test_reference_calls_at_another_place_break_the_order() -> None:
    turn = reference_turn(
        call("renew_loans", {"book_ids": ["B-17"], "weeks": 2}, "ok"),
        call("renew_loans", {"book_ids": ["B-40"], "weeks": 3}, "ok"),
        call(*_HOURS, "9 to 5"),
        final(after=[0, 1, 2]),
        request="B-17 for 2 weeks, B-40 for 3; when is Old Mill open?",
    )
    one, other = (("renew_loans", {"book_ids": [book], "weeks": weeks}) for book, weeks in (("B-17", 2), ("B-40", 3)))

    # Two renewals go together or one right after the other (conformance notes, 10): not with the hours between them.
    assert _found(turn, do(one), do(_HOURS), do(other), "Done.") == [
        ("order", "major", "get_opening_hours came where the reference does not have it")
    ]


def test_a_tool_that_is_not_the_references_is_the_wrong_tool() -> None:
    turn = reference_turn(call(*_SEARCH, _DUNE), final(after=[0]), request="Do you have Dune? I am at Old Mill.")

    assert _found(turn, do(_HOURS), "Open.") == [
        ("tool", "major", "get_opening_hours was called, which the reference does not call (again)"),
        ("tool", "major", "search_books was not called"),
    ]


def test_without_what_comes_after_the_deviation_nothing_is_called_left_out() -> None:
    turn = reference_turn(call(*_SEARCH, _DUNE), final(after=[0]), request="Do you have Dune? I am at Old Mill.")

    assert _found(turn, do(_HOURS), is_relaxed=False) == [
        ("tool", "major", "get_opening_hours was called, which the reference does not call (again)")
    ]


@pytest.mark.parametrize(
    ("source", "category"),
    [("history", "constraint"), ("preference", "constraint"), ("request", "argument"), ("derived", "argument")],
)
def test_where_the_expected_value_comes_from_decides_what_is_violated(source: str, category: str) -> None:
    turn = reference_turn(call(*_HOURS, "9 to 5"), final(after=[0]), gold={"slots": {"branch": source}})

    assert _found(turn, do(("get_opening_hours", {"branch": "Station"})), "Open.") == [
        (category, "major", f"get_opening_hours.branch: 'Station', expected 'Old Mill' ({source})")
    ]


def test_a_value_that_stands_nowhere_is_invented_too() -> None:
    before = reference_turn(call("search_books", {"title": "Persuasion"}, {"books": []}), final(after=[0]))
    turn = reference_turn(call(*_SEARCH, _DUNE), final(after=[0]), request="Do you have Dune?")

    assert _found(turn, do(("search_books", {"title": "Ulysses"})), "No.", earlier=(before,)) == [
        ("invented", "major", "search_books.title: 'Ulysses' stands nowhere"),
        ("argument", "major", "search_books.title: 'Ulysses', expected 'Dune' (request)"),
    ]
    assert _found(turn, do(("search_books", {"title": "Persuasion"})), "No.", earlier=(before,)) == [
        ("argument", "major", "search_books.title: 'Persuasion', expected 'Dune' (request)")
    ]


def test_what_breaks_the_schema_is_a_fault_of_format() -> None:
    turn = reference_turn(call(*_HOURS, "9 to 5"), final(after=[0]), request="When is Old Mill open?")

    assert _found(turn, do(("get_opening_hours", {})), "Open.") == [
        ("format", "major", "get_opening_hours: error_schema: required args missing"),
        ("argument", "major", "get_opening_hours.branch: missing, expected 'Old Mill' (request)"),
    ]


def test_what_only_looks_different_is_slight() -> None:
    turn = reference_turn(
        call("search_books", {"title": "2026-03-05"}, _DUNE), final(after=[0]), request="The issue of 2026-03-05."
    )
    judged = _judged(turn, do(("search_books", {"title": "5 March 2026"})), "Done.")

    (audited,) = audit([judged]).turns

    assert audited.severity == "slight"
    assert audited.findings == (
        Finding(
            category="format",
            severity="slight",
            detail="search_books.title: '5 March 2026', expected '2026-03-05' (request)",
        ),
    )
    assert judged.scored.relaxed is not None
    assert judged.scored.relaxed.label == "correct"


def test_questions_are_needless_missing_or_about_the_wrong_thing() -> None:
    settled = reference_turn(call(*_RESERVE, "ok"), final(after=[0]), request="B-17, Old Mill.")
    wrong = ask("Which weeks?", "renew_loans.weeks")

    assert _found(settled, ask("Which branch?", "reserve_book.branch"), do(_RESERVE), "Done.") == [
        ("needless_question", "major", "asked for reserve_book.branch")
    ]
    assert _found(_asks_for_branch(), do(_RESERVE), "Done.") == [
        ("order", "major", "reserve_book came where the reference does not have it"),
        ("missing_question", "major", "did not ask for reserve_book.branch"),
    ]
    assert _found(_asks_for_branch(), do(_HOURS), wrong, do(_RESERVE), "Done.") == [
        ("tool", "major", "get_opening_hours was called, which the reference does not call (again)"),
        ("wrong_question", "major", "asked for renew_loans.weeks instead of reserve_book.branch"),
    ]


def test_a_tool_in_a_chat_turn_is_a_fault_of_its_own() -> None:
    chat = reference_turn(final(), request="Thank you, Old Mill was nice!", task_type="Chat")

    assert _found(chat, do(_HOURS), "Bye.") == [
        ("chat_tool", "major", "get_opening_hours was called where only a reply was due")
    ]


def test_a_failure_is_named() -> None:
    failure = Failure(type="EndpointError", message="no answer", traceback="")

    assert _found(_asks_for_branch(), failure=failure, is_relaxed=False) == [
        ("missing_question", "major", "did not ask for reserve_book.branch"),
        ("failure", "major", "EndpointError: no answer"),
    ]


def test_what_nothing_explains_is_other() -> None:
    turn = reference_turn(call(*_HOURS, "9 to 5"), request="When is Old Mill open?")  # without an end, never right

    assert _found(turn, do(_HOURS), "Done.") == [("other", "major", "the reference evaluator raises KeyError: 1")]


def test_shares_are_of_the_failed_turns_alone() -> None:
    right = _judged(_search_then_reserve(), do(_SEARCH), do(_RESERVE), "Done.")
    broken = _judged(_search_then_reserve(), do(_SEARCH), "Here it is.")
    asked = _judged(
        reference_turn(call(*_RESERVE, "ok"), final(after=[0]), request="B-17, Old Mill."),
        ask("Which branch?", "reserve_book.branch"),
        do(_RESERVE),
        "Done.",
    )

    told = audit_json(audit([right, broken, asked]), examples=1)

    assert (told["n"], told["failed_turns"]) == (3, 2)
    counts = {name: (one["n"], one["share"]) for name, one in told["categories"].items() if one["n"]}
    assert counts == {"order": (1, 0.5), "tool": (1, 0.5), "needless_question": (1, 0.5)}
    assert told["severity"] == {
        "slight": {"n": 0, "share": 0.0, "paper": [0.0, 0.021]},
        "major": {"n": 2, "share": 1.0, "paper": None},
    }
    assert told["relaxed_correct"] == {"n": 1, "share": 0.5}
    assert told["categories"]["order"]["paper"] == [0.821, 0.965]
    assert told["categories"]["tool"]["examples"] == [
        {
            "session": "person1",
            "turn": 0,
            "request": "Find Dune and reserve it at Old Mill.",
            "severity": "major",
            "details": ["reserve_book was not called"],
        }
    ]


def test_an_audit_of_no_failures_has_no_shares() -> None:
    told = audit_json(Audit(0, ()), examples=1)

    assert {one["share"] for one in told["categories"].values()} == {None}
    assert list(told["categories"]) == list(CATEGORIES)
    assert told["relaxed_correct"] == {"n": 0, "share": None}


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("audited")
    write_topics(folder / "data" / "ann.jsonl", library_topics())
    done = finish(folder, "run", "--data", "data", "--memory", "none", "--out", "run")
    assert done.returncode == 0, done.stderr
    return folder


def test_the_command_prints_the_table_beside_the_papers_shares(run_folder: Path) -> None:
    done = finish(run_folder, "audit", "run")

    assert done.returncode == 0, done.stderr
    assert "82.1 to 96.5" in done.stdout
    assert "at most 2.1" in done.stdout
    assert "needless question" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_the_command_prints_one_object_with_as_many_examples_as_asked_for(run_folder: Path) -> None:
    done = finish(run_folder, "audit", "run", "--json", "--examples", "0")

    told = json.loads(done.stdout)
    assert (told["run_dir"], told["n"]) == ("run", 5)
    assert {len(one["examples"]) for one in told["categories"].values()} == {0}
    assert sum(one["n"] for one in told["severity"].values()) == told["failed_turns"]


def test_results_without_their_data_are_one_message_and_exit_status_2(run_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "run").symlink_to(run_folder / "run")  # the data were named relative to the other folder

    for done in (finish(tmp_path, "audit", "run"), finish(tmp_path, "audit", "nowhere")):
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.startswith("stead-bench: ")
        assert len(done.stderr.splitlines()) == 1

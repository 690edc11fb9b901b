"""Playing a data set: what is remembered, what is kept of a turn, going on after a stop."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from agent.seams import Planner
from agent.turn_state import TraceEntry
from benchmark_adapter.data.dataset import ReferenceTurn, Session, load_sessions
from benchmark_adapter.errors import DatasetError
from benchmark_adapter.replay.past import past_turn
from benchmark_adapter.replay.turn_result import TurnLine
from benchmark_adapter.runs.launch import oracles
from benchmark_adapter.runs.manifest import Manifest
from benchmark_adapter.runs.run_directory import open_run
from benchmark_adapter.runs.run_scoring import measure
from benchmark_adapter.runs.runner import Setup, limited, play, playing_order, usage_by_reply
from clarifier.decision import Answer, Decision, Hint, Odds, PlanAgain, Proposal, Situation, Usage
from memory.embedder import Matrix, Vector
from memory.errors import EmbedderError
from memory.evidence import Slot
from memory.records import ToolCall, Turn
from tests.benchmark_adapter.test_manifest import FIELDS
from tests.benchmark_adapter.topics import library_topics, write_topics
from tests.fakes import HashingEmbedder, obey

_MANIFEST = Manifest(**{**FIELDS, "similarity": "fallback"})


def _sessions(folder: Path, *names: str) -> tuple[Session, ...]:
    for name in names or ("ann",):
        write_topics(folder / "data" / f"{name}.jsonl", library_topics())
    return load_sessions(folder / "data")


def _setup(sessions: Sequence[Session], **changes: Any) -> Setup:
    fields: dict[str, Any] = {
        "planner_for": oracles(sessions),
        "decide": obey,
        "strategy": "full",
        "budget": 0,
        "embedder": HashingEmbedder(),
        "similarity": "fallback",
    }
    return Setup(**{**fields, **changes})


def _play(sessions: Sequence[Session], setup: Setup, path: Path, **options: Any) -> tuple[TurnLine, ...]:
    with open_run(path, _MANIFEST) as run:
        play(sessions, setup, run, **options)
        return run.lines


def _timeless(lines: Sequence[TurnLine]) -> list[dict[str, Any]]:
    return [line.model_dump(exclude={"seconds"}) for line in lines]


class Recorder:
    """Keeps every situation by session and turn, and replies at once."""

    name = "recorder"

    def __init__(self) -> None:
        self.seen: dict[tuple[str, int], Situation] = {}
        self.past: dict[tuple[str, int], tuple[Turn, ...]] = {}

    def __call__(self, turn: ReferenceTurn, past: Sequence[Turn]) -> Planner:
        self.past[(turn.session, turn.index)] = tuple(past)
        recorder = self

        class One:
            name = "one"

            def plan(self, situation: Situation) -> Proposal:
                recorder.seen[(turn.session, turn.index)] = situation
                return Proposal(reply="Done.")

        return One()


def test_a_perfect_reader_with_all_history_fails_only_where_it_should_have_asked(tmp_path: Path) -> None:
    sessions = _sessions(tmp_path)

    lines = _play(sessions, _setup(sessions), tmp_path / "run")

    assert [(line.session, line.turn, line.label) for line in lines] == [
        ("ann", 0, "correct"),
        ("ann", 1, "error"),  # whoever obeys the oracle calls without the branch, where the reference asks
        ("ann", 2, "correct"),
        ("ann", 3, "correct"),
        ("ann", 4, "correct"),
    ]
    assert lines[1].reason == "action name not in candidate_answer_function_list"
    assert [reply.calls[0].arguments for reply in lines[3].replies[:2]] == [
        '{"title": "Emma"}',
        '{"book_id": "B-40", "branch": "Old Mill"}',
    ]
    for line in lines:
        assert list(line.seconds) == ["turn", *(f"reply_{index}" for index in range(len(line.replies)))]
        assert min(line.seconds.values()) > 0
        assert sum(line.seconds.values()) - line.seconds["turn"] <= line.seconds["turn"] + 1e-3


def test_without_memory_what_history_says_is_missing(tmp_path: Path) -> None:
    sessions = _sessions(tmp_path)

    lines = _play(sessions, _setup(sessions, strategy="none"), tmp_path / "run")

    assert [line.label for line in lines] == ["correct", "error", "correct", "error", "error"]
    assert lines[4].replies[0].calls[0].arguments == '{"weeks": 3}'
    assert {line.recall_tokens for line in lines} == {0}


def test_memory_holds_the_references_past_and_not_what_the_agent_did(tmp_path: Path) -> None:
    sessions = _sessions(tmp_path)
    recorder = Recorder()  # replies "Done." to everything, which is wrong nearly always

    lines = _play(sessions, _setup(sessions, planner_for=recorder), tmp_path / "run")

    expected = [past_turn(turn) for turn in sessions[0].turns]
    for index, line in enumerate(lines):
        situation = recorder.seen[("ann", index)]
        assert recorder.past[("ann", index)] == tuple(expected[:index])
        assert situation.recall.turns == tuple(expected[:index])
        assert [item.turn_ids for item in line.recall] == [(turn.turn_id,) for turn in expected[:index]]
        assert line.recall_tokens == situation.recall.tokens


def test_the_official_view_shows_the_current_clock_and_no_past_dates_or_topics(tmp_path: Path) -> None:
    sessions = _sessions(tmp_path)
    recorder = Recorder()

    _play(sessions, _setup(sessions, planner_for=recorder), tmp_path / "run")

    situation = recorder.seen[("ann", 4)]
    assert situation.now == datetime(2026, 3, 9, 9, 30)
    assert {(turn.time, turn.topic) for turn in situation.recall.turns} == {(None, None)}
    assert not any("2026" in item.text or "topic_" in item.text for item in situation.recall.items)


def test_the_extended_view_shows_past_dates_and_topics(tmp_path: Path) -> None:
    sessions = _sessions(tmp_path)
    recorder = Recorder()

    _play(sessions, _setup(sessions, planner_for=recorder, view="extended"), tmp_path / "run")

    assert {(turn.time, turn.topic) for turn in recorder.seen[("ann", 4)].recall.turns} == {
        (datetime(2026, 3, 2, 10), "topic_1"),
        (datetime(2026, 3, 9, 9, 30), "topic_2"),
    }


def test_persons_share_no_memory(tmp_path: Path) -> None:
    sessions = _sessions(tmp_path, "ann", "bob")
    recorder = Recorder()

    _play(sessions, _setup(sessions, planner_for=recorder), tmp_path / "run")

    assert recorder.past[("bob", 0)] == ()
    assert recorder.seen[("bob", 0)].recall.items == ()


@pytest.mark.parametrize("strategy", ["none", "full"])
def test_what_follows_a_deviation_changes_nothing_before_it_and_nothing_in_later_turns(
    tmp_path: Path, strategy: str
) -> None:
    sessions = _sessions(tmp_path)
    official = []
    for is_relaxed in (True, False):
        setup = _setup(sessions, strategy=strategy, relaxed=is_relaxed)
        lines = _play(sessions, setup, tmp_path / str(is_relaxed))
        assert any(reply.after_deviation for line in lines for reply in line.replies) is is_relaxed
        official.append(
            [
                {
                    **line.model_dump(exclude={"seconds", "replies", "decisions_after", "usage_after"}),
                    "replies": [reply for reply in line.replies if not reply.after_deviation],
                }
                for line in lines
            ]
        )

    assert official[0] == official[1]


# Failures


class _Fails:
    name = "fails"

    def plan(self, situation: Situation) -> Proposal:
        raise RuntimeError("the endpoint said \ud83d")


def test_a_turn_that_fails_is_recorded_counted_as_wrong_and_the_run_goes_on(tmp_path: Path) -> None:
    sessions = _sessions(tmp_path)
    oracle_for = oracles(sessions)

    def planner_for(turn: ReferenceTurn, past: Sequence[Turn]) -> Planner:
        return _Fails() if turn.index == 2 else oracle_for(turn, past)

    with open_run(tmp_path / "run", _MANIFEST) as run:
        play(sessions, _setup(sessions, planner_for=planner_for), run)
        metrics = measure(run, sessions)

    failed = run.lines[2]
    assert failed.failure is not None
    assert (failed.label, failed.reason) == ("error", "RuntimeError: the endpoint said \\ud83d")
    assert failed.failure.message == "the endpoint said \\ud83d"
    assert failed.failure.traceback.startswith("Traceback (most recent call last)")
    assert [line.label for line in run.lines] == ["correct", "error", "error", "correct", "correct"]
    assert (metrics["n"], metrics["failed"], metrics["exact"]["micro"]) == (5, 1, 0.6)


def test_tools_that_cannot_be_read_are_refused_before_anything_is_played(tmp_path: Path) -> None:
    topics = library_topics()
    topics[1]["tools"] = [*topics[1]["tools"], {"type": "function", "function": {"description": "nameless"}}]

    with pytest.raises(DatasetError, match=r"ann\.jsonl:2: topic '.*', tool \d+: a tool definition needs a `name`"):
        load_sessions(write_topics(tmp_path / "ann.jsonl", topics))


def test_a_memory_that_breaks_ends_the_run_and_keeps_what_is_done(tmp_path: Path) -> None:
    class Breaks(HashingEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> Matrix:
            if any("Lovely" in text for text in texts):
                raise EmbedderError("out of memory")
            return super().embed_documents(texts)

        def embed_query(self, text: str) -> Vector:
            return super().embed_query(text)

    sessions = _sessions(tmp_path)
    with open_run(tmp_path / "run", _MANIFEST) as run:
        with pytest.raises(EmbedderError, match="out of memory"):
            play(sessions, _setup(sessions, embedder=Breaks()), run)
        assert [line.turn for line in run.lines] == [0, 1, 2]


# Going on


def _interrupt_after(n: int) -> Callable[[TurnLine], None]:
    done: list[TurnLine] = []

    def on_turn(line: TurnLine) -> None:
        done.append(line)
        if len(done) == n:
            raise KeyboardInterrupt

    return on_turn


@pytest.mark.parametrize("n", [1, 2, 4])
def test_an_interrupted_run_goes_on_to_the_same_end(tmp_path: Path, n: int) -> None:
    sessions = _sessions(tmp_path)
    whole = _play(sessions, _setup(sessions), tmp_path / "whole")

    with open_run(tmp_path / "run", _MANIFEST) as run:
        with pytest.raises(KeyboardInterrupt):
            play(sessions, _setup(sessions), run, on_turn=_interrupt_after(n))
        assert len(run.lines) == n

    assert _timeless(_play(sessions, _setup(sessions), tmp_path / "run")) == _timeless(whole)


def test_only_open_turns_are_played_and_all_are_told_of(tmp_path: Path) -> None:
    sessions = _sessions(tmp_path)
    _play(limited(sessions, 3), _setup(sessions), tmp_path / "run")
    recorder, told = Recorder(), list[int]()

    _play(
        sessions, _setup(sessions, planner_for=recorder), tmp_path / "run", on_turn=lambda line: told.append(line.turn)
    )

    assert sorted(recorder.seen) == [("ann", 3), ("ann", 4)]
    assert told == [0, 1, 2, 3, 4]
    recorder.seen.clear()
    _play(sessions, _setup(sessions, planner_for=recorder), tmp_path / "run")
    assert recorder.seen == {}


def test_a_gap_in_the_middle_is_played_with_the_past_before_it(tmp_path: Path) -> None:
    sessions = _sessions(tmp_path)
    recorder = Recorder()
    with open_run(tmp_path / "run", _MANIFEST) as run:
        for index in (0, 1, 3, 4):
            run.append(TurnLine(session="ann", turn=index, label="error"))
        play(sessions, _setup(sessions, planner_for=recorder), run)

    assert list(recorder.seen) == [("ann", 2)]
    assert recorder.past[("ann", 2)] == tuple(past_turn(turn) for turn in sessions[0].turns[:2])


def test_two_at_once_make_the_same_files(tmp_path: Path) -> None:
    sessions = _sessions(tmp_path, "ann", "bob", "cid")
    order = list(playing_order(sessions))
    ends = []
    for concurrency in (1, 2):
        path = tmp_path / str(concurrency)
        _play(sessions, _setup(sessions), path, concurrency=concurrency)
        with open_run(path, _MANIFEST) as run:
            run.finish(order, {})
            ends.append(_timeless(run.lines))
            assert [line.key for line in run.lines] == order

    assert ends[0] == ends[1]


def test_two_persons_are_really_played_at_once(tmp_path: Path) -> None:
    sessions = _sessions(tmp_path, "ann", "bob")
    both = threading.Barrier(2, timeout=20)
    oracle_for = oracles(sessions)

    def planner_for(turn: ReferenceTurn, past: Sequence[Turn]) -> Planner:
        if turn.index == 0:
            both.wait()
        return oracle_for(turn, past)

    lines = _play(sessions, _setup(sessions, planner_for=planner_for), tmp_path / "run", concurrency=2)

    assert not any(line.failure for line in lines)


def test_after_a_stop_of_one_person_no_further_turn_of_another_begins(tmp_path: Path) -> None:
    sessions = _sessions(tmp_path, "ann", "bob", "cid")
    with open_run(tmp_path / "run", _MANIFEST) as run:
        with pytest.raises(KeyboardInterrupt):
            play(sessions, _setup(sessions), run, on_turn=_interrupt_after(2))
        assert [line.key for line in run.lines] == [("ann", 0), ("ann", 1)]


# Parts of a data set


def test_a_limit_takes_the_first_turns_of_each_person(tmp_path: Path) -> None:
    sessions = _sessions(tmp_path, "ann", "bob")

    assert list(playing_order(limited(sessions, 2))) == [("ann", 0), ("ann", 1), ("bob", 0), ("bob", 1)]
    assert limited(sessions, None) == sessions
    assert list(playing_order(())) == []


def test_nothing_to_play_is_no_run_at_all(tmp_path: Path) -> None:
    assert _play((), _setup(()), tmp_path / "run") == ()


# After the deviation


class _Wanderer:
    """Calls the wrong tool, then asks, then replies; each plan costs a token."""

    name = "wanderer"

    def plan(self, situation: Situation) -> Proposal:
        cost = Usage(prompt=1)
        if not situation.steps:
            hours = ToolCall(id="1", name="get_opening_hours", arguments={"branch": "Station"})
            return Proposal(calls=(hours,), usage=cost)
        if not situation.question_steps:
            return Proposal(question="Which branch?", question_slots=(Slot("reserve_book", "branch"),), usage=cost)
        return Proposal(reply="Done.", usage=cost)


def test_what_follows_a_deviation_is_kept_apart_and_changes_nothing_official(tmp_path: Path) -> None:
    sessions = limited(_sessions(tmp_path), 1)
    official: list[dict[str, Any]] = []
    for relaxed in (True, False):
        setup = _setup(sessions, planner_for=lambda turn, past: _Wanderer(), relaxed=relaxed)
        manifest = Manifest(**{**FIELDS, "similarity": "fallback", "relaxed": relaxed})
        with open_run(tmp_path / f"run-{relaxed}", manifest) as run:
            play(sessions, setup, run)
            (line,) = run.lines
            metrics = measure(run, sessions)
        assert (metrics.pop("relaxed") is not None) == relaxed
        official.append({key: metrics[key] for key in metrics if key not in ("run_dir", "seconds", "turns_per_second")})
        assert [reply.after_deviation for reply in line.replies] == ([False, True, True] if relaxed else [False])
        assert [one.kind for one in line.decisions] == ["act"]
        assert [one.kind for one in line.decisions_after] == (["ask", "answer"] if relaxed else [])
        assert (line.usage.prompt, line.usage_after.prompt) == ((1, 2) if relaxed else (1, 0))
        assert [reply.slots for reply in line.replies if reply.is_question] == (
            [("reserve_book.branch",)] if relaxed else []
        )

    assert official[0] == official[1]
    assert official[0]["ask"]["questions_per_turn"] == 0
    assert official[0]["tokens"]["prompt"] == 1


def test_a_failure_after_the_deviation_leaves_what_was_official(tmp_path: Path) -> None:
    class Breaking(_Wanderer):
        def plan(self, situation: Situation) -> Proposal:
            if situation.question_steps:
                raise EmbedderError("gone")
            return super().plan(situation)

    sessions = limited(_sessions(tmp_path), 1)

    (line,) = _play(sessions, _setup(sessions, planner_for=lambda turn, past: Breaking()), tmp_path / "run")

    assert line.failure is not None
    assert [one.kind for one in line.decisions] == ["act"]
    assert [one.kind for one in line.decisions_after] == ["ask"]
    assert (line.usage.prompt, line.usage_after.prompt) == (1, 1)


_ODDS = Odds(p_act=0.5, p_calls=0.5, p_asked=0.5)
_REPLY = Answer(policy="benchmark", odds=_ODDS, reply="Done.")
_AGAIN = PlanAgain(policy="benchmark", odds=_ODDS, hints=(Hint("unsupported", Slot("t", "a")),))


@pytest.mark.parametrize(
    ("decisions", "prompts"),
    [
        ([], []),
        ([_REPLY], [1]),
        ([_AGAIN, _AGAIN, _REPLY, _REPLY], [1 + 2 + 3, 4]),
        ([_REPLY, _AGAIN, None], [1, 2 + 3]),  # the planner had nothing to say, and the agent gives up
        ([_REPLY, _AGAIN], [1, 2]),  # it was sent back too often
    ],
)
def test_each_reply_costs_its_own_plan_and_those_that_led_to_none(
    decisions: list[Decision | None], prompts: list[int]
) -> None:
    trace = [
        TraceEntry(steps_before=0, proposal=Proposal(reply="Done.", usage=Usage(prompt=number)), decision=decision)
        for number, decision in enumerate(decisions, start=1)
    ]

    assert [usage.prompt for usage in usage_by_reply(trace)] == prompts

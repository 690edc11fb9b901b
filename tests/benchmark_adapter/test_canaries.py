"""Nothing hidden reaches the agent (DESIGN §4): canaries in every hidden field, looked for in all the agent sees."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from agent.advance import MAX_PLANS
from agent.planners.chat import ChatPlanner
from agent.planners.rules import RulesPlanner
from agent.seams import Decide, Planner
from agent.settings import ChatSettings
from benchmark_adapter.data.dataset import ReferenceTurn, Session, load_sessions
from benchmark_adapter.replay.past import View
from benchmark_adapter.replay.turn_result import TurnLine
from benchmark_adapter.runs.manifest import Manifest
from benchmark_adapter.runs.run_directory import open_run
from benchmark_adapter.runs.runner import Setup, play
from clarifier.clarifier import decide
from clarifier.decision import Decision, Hint, PlanAgain, Proposal, Situation
from clarifier.policy import open_policy
from memory.evidence import Slot
from memory.recall import Recall, Strategy, TurnShelf
from memory.records import QuestionStep, Turn
from memory.strategies import default_budget, open_strategy
from memory.tools import Tool
from tests.benchmark_adapter.test_manifest import FIELDS
from tests.benchmark_adapter.topics import JsonObject, call, final, question, topic, write_topics
from tests.chat_server import ChatServer, calls, says
from tests.fakes import ODDS, HashingEmbedder, obey

_CANARY = re.compile(r"CANARY-[a-z]+(?:-\d+)*")
_DATES = ("2031-05-05", "2031-06-06")


def _observed(turn: int, step: int) -> JsonObject:
    return {"status": "ok", "note": f"CANARY-observation-{turn}-{step}"}


def _planted_topics() -> list[JsonObject]:
    """Return two topics, five turns; every answer has canaries named by turn and step."""
    first: list[tuple[str, str, list[JsonObject]]] = [
        (
            "Search the catalogue for the title Dune.",
            "CANARY-type-0 Single-Tool",
            [
                call("search_books", {"title": "CANARY-argument-0-0"}, _observed(0, 0)),
                final("CANARY-final-0", after=[0]),
            ],
        ),
        (
            "Reserve the book B-17 for pickup.",
            "CANARY-type-1",
            [
                question("reserve_book", ["branch"], "CANARY-question-1?", "Station. CANARY-answer-1"),
                call(
                    "reserve_book",
                    {"book_id": "B-17", "branch": "Station", "large_print": "CANARY-argument-1-1"},
                    _observed(1, 1),
                    after=[0],
                ),
                final("CANARY-final-1", after=[1]),
            ],
        ),
        ("Thank you, that is all.", "CANARY-type-2", [final("CANARY-final-2")]),
    ]
    second: list[tuple[str, str, list[JsonObject]]] = [
        (
            "What are the opening hours of the branch Harbour?",
            "CANARY-type-3",
            [
                call("get_opening_hours", {"branch": "CANARY-argument-3-0"}, _observed(3, 0)),
                final("CANARY-final-3", after=[0]),
            ],
        ),
        (
            "Search the catalogue for the title Emma.",
            "CANARY-type-4",
            [
                call("search_books", {"title": "CANARY-argument-4-0"}, _observed(4, 0)),
                final("CANARY-final-4", after=[0]),
            ],
        ),
    ]
    made = []
    for number, turns in enumerate((first, second)):
        one = topic(number, turns, time=f"{_DATES[number]} 10:00:00")
        one["id"] = f"CANARY-topic-{number}"
        one["turn_subtypes"] = [f"CANARY-subtype-{number}"] * len(one["turn_subtypes"])
        one["note"] = "CANARY-note"
        one["gold"] = [
            {
                "recoverable": True,
                "evidence": [f"CANARY-evidence-{number}#{index}"],
                "slots": {"title": "CANARY-source", "CANARY-slot": "history"},
                "trap": "CANARY-trap",
                "remark": "CANARY-remark",
            }
            for index in range(len(turns))
        ]
        for name in ("tasks", "task_types", "turn_subtypes"):
            one[f"english_{name}"] = [f"CANARY-english-{number}"] * len(one[name])
        one["english_env_info"] = "CANARY-english 2031-07-07 10:00:00"
        one["english_tools"] = [{"type": "function", "function": {"name": "CANARY-english"}}]
        one["english_answer_list"] = [[final("CANARY-english")]] * len(turns)
        for steps in one["answer_list"]:
            for step in steps:
                step["thought"] = "CANARY-thought"
        made.append(one)
    return made


def _without_canaries(value: Any) -> Any:
    """Return the same data with an innocent word for each canary."""
    return json.loads(_CANARY.sub("innocent", json.dumps(value)))


def _sessions(folder: Path, topics: Sequence[JsonObject]) -> tuple[Session, ...]:
    (folder / "data").mkdir(parents=True, exist_ok=True)
    (folder / "data" / "ann.profile.json").write_text(json.dumps({"summary": "CANARY-profile"}), "utf-8")
    write_topics(folder / "data" / "ann.jsonl", topics)
    return load_sessions(folder / "data")


@dataclass
class Watch:
    """Looks at everything an agent is shown, and at the memory's files, before each of its steps."""

    folder: Path
    view: View = "official"
    plans: list[tuple[int, Situation]] = field(default_factory=list)
    recalls: list[tuple[str, datetime | None, int, Recall]] = field(default_factory=list)
    found: list[str] = field(default_factory=list)
    """Canaries that were seen where and when they must not be."""
    seen: set[str] = field(default_factory=set)
    """Canaries that were seen where they may be."""
    files: set[str] = field(default_factory=set)
    """Names of the memory's files that were searched."""
    dates_in_files: set[str] = field(default_factory=set)

    def look(self, turn: int, situation: Situation) -> None:
        self.plans.append((turn, situation))
        may = _past(turn) | _given(turn, situation)
        self.check(f"situation of turn {turn}", repr(situation), may)
        for path in sorted(self.folder.glob("**/.scratch-*/**/*")):
            # Chroma's graph files hold numbers of ours and, between them, whatever lay in the process' memory.
            if path.is_file() and path.suffix != ".bin":
                self.files.add(path.name)
                text = path.read_bytes().decode("latin-1")
                self.check(f"{path.name} at turn {turn}", text, _past(turn))
                self.dates_in_files.update(date for date in _DATES if date in text)

    def check(self, where: str, text: str, may: frozenset[str]) -> None:
        for canary in set(_CANARY.findall(text)):
            if canary in may:
                self.seen.add(canary)
            else:
                self.found.append(f"{canary} in {where}")


def _past(turn: int) -> frozenset[str]:
    """Return the canaries that history holds at a turn: all of the answers before it."""
    return frozenset(
        canary
        for index, steps in enumerate(steps for one in _planted_topics() for steps in one["answer_list"])
        if index < turn
        for canary in _CANARY.findall(json.dumps([{**step, "thought": None} for step in steps]))
    )


def _given(turn: int, situation: Situation) -> frozenset[str]:
    """Return the canaries that the tools and the person gave in this turn so far."""
    steps = [steps for one in _planted_topics() for steps in one["answer_list"]][turn]
    called = {made.name for step in situation.call_steps for made in step.calls}
    given = [step["observation"] for step in steps if step["action"]["name"] in called]
    given += [step["user_input"] for step in steps if situation.question_steps]
    return frozenset(_CANARY.findall(json.dumps(given)))


class Watched:
    """A planner, watched."""

    def __init__(self, planner: Planner, turn: int, watch: Watch) -> None:
        self.name = planner.name
        self._planner, self._turn, self._watch = planner, turn, watch

    def plan(self, situation: Situation) -> Proposal:
        self._watch.look(self._turn, situation)
        return self._planner.plan(situation)


class WatchedStrategy:
    """A strategy whose recalls are kept."""

    def __init__(self, strategy: Strategy, watch: Watch) -> None:
        self.name = strategy.name
        self._strategy, self._watch = strategy, watch

    def observe(self, turn: Turn) -> None:
        self._strategy.observe(turn)

    def recall(self, request: str, tools: Sequence[Tool], now: datetime | None, budget: int) -> Recall:
        recall = self._strategy.recall(request, tools, now, budget)
        self._watch.recalls.append((request, now, budget, recall))
        return recall


@contextmanager
def _watching(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watch]:
    """Watch the recalls, and the memory's files below `folder`."""
    watch = Watch(folder)

    def watched(name: str, shelf: TurnShelf) -> Strategy:
        return WatchedStrategy(open_strategy(name, shelf), watch)

    with monkeypatch.context() as patched:
        patched.setattr("benchmark_adapter.runs.runner.open_strategy", watched)
        yield watch


_DECIDE: Decide = partial(decide, policy=open_policy("benchmark"))


def _play(
    folder: Path,
    topics: Sequence[JsonObject],
    planner: Planner,
    strategy: str,
    monkeypatch: pytest.MonkeyPatch,
    *,
    decide_by: Decide = _DECIDE,
    view: View = "official",
) -> tuple[Watch, tuple[TurnLine, ...]]:
    sessions = _sessions(folder, topics)
    with _watching(folder, monkeypatch) as watch, open_run(folder / "run", Manifest(**FIELDS)) as run:

        def planner_for(turn: ReferenceTurn, past: Sequence[Turn]) -> Planner:
            return Watched(planner, turn.index, watch)

        setup = Setup(planner_for, decide_by, strategy, default_budget(strategy), HashingEmbedder(), view, "fallback")
        play(sessions, setup, run)
    assert not any(line.failure for line in run.lines), [line.reason for line in run.lines]
    return watch, run.lines


def _bytes(lines: Sequence[TurnLine]) -> list[str]:
    return [line.model_dump_json(exclude={"seconds"}) for line in lines]


@pytest.mark.parametrize("strategy", ["stead", "full"])
def test_the_rules_agent_sees_no_canary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, strategy: str) -> None:
    watch, _ = _play(tmp_path, _planted_topics(), RulesPlanner(HashingEmbedder()), strategy, monkeypatch)

    assert watch.found == []
    assert {turn for turn, _ in watch.plans} == {0, 1, 2, 3, 4}
    # The search is not blind: what may be seen is seen, in situations and in the files of log and index.
    assert {"CANARY-argument-0-0", "CANARY-observation-0-0", "CANARY-answer-1", "CANARY-final-2"} <= watch.seen
    assert any(name.endswith(".sqlite") for name in watch.files)
    assert "chroma.sqlite3" in watch.files


_CHAT = [
    calls(("c1", "search_books", {"title": "Dune"})),
    says("Here it is."),
    says("At which branch?"),
    calls(("c1", "reserve_book", {"book_id": "B-17", "branch": "Station"})),
    says("Reserved."),
    says("You are welcome."),
    calls(("c1", "get_opening_hours", {"branch": "Harbour"})),
    says("From nine to five."),
    calls(("c1", "search_books", {"title": "Emma"})),
    says("Here it is."),
]


@pytest.mark.parametrize("strategy", ["stead", "full"])
def test_a_chat_model_is_sent_no_canary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, strategy: str) -> None:
    with ChatServer(*_CHAT) as server:
        settings = ChatSettings(base_url=server.base_url, api_key=SecretStr("key"), model="scripted", max_retries=0)
        with ChatPlanner(settings) as planner:
            watch, lines = _play(tmp_path, _planted_topics(), planner, strategy, monkeypatch, decide_by=obey)

    assert watch.found == []
    assert len(server.requests) == len(watch.plans) == len(_CHAT)
    # The turns went on to their ends, so that every prompt there is has been looked at.
    assert [len(line.replies) for line in lines] == [2, 3, 1, 2, 2]
    for (turn, situation), body in zip(watch.plans, server.requests, strict=True):
        watch.check(f"prompt of turn {turn}", json.dumps(body), _past(turn) | _given(turn, situation))
    assert watch.found == []
    assert {"CANARY-observation-1-1", "CANARY-answer-1", "CANARY-argument-3-0"} <= watch.seen


def test_the_person_is_heard_only_after_the_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer(*_CHAT) as server:
        settings = ChatSettings(base_url=server.base_url, api_key=SecretStr("key"), model="scripted", max_retries=0)
        with ChatPlanner(settings) as planner:
            watch, _ = _play(tmp_path, _planted_topics(), planner, "full", monkeypatch, decide_by=obey)

    before, after, end = (repr(situation.steps) for turn, situation in watch.plans if turn == 1)
    assert "CANARY" not in before
    assert _CANARY.findall(after) == ["CANARY-answer-1"]
    assert set(_CANARY.findall(end)) == {"CANARY-answer-1", "CANARY-observation-1-1"}


@pytest.mark.parametrize("strategy", ["stead", "full"])
def test_the_official_view_reveals_neither_past_dates_nor_topics(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, strategy: str
) -> None:
    watch, _ = _play(tmp_path, _planted_topics(), RulesPlanner(HashingEmbedder()), strategy, monkeypatch)

    for turn, situation in watch.plans:
        assert situation.now == datetime.fromisoformat(f"{_DATES[turn > 2]} 10:00:00")
        assert {(one.time, one.topic) for one in situation.recall.turns} <= {(None, None)}
        assert {piece.time for piece in situation.recall.evidence} <= {None}
        if turn > 2:
            assert _DATES[0] not in repr(situation)
            assert "2031, 5, 5" not in repr(situation)  # as a datetime prints
    assert watch.files
    assert watch.dates_in_files == set()


def test_the_extended_view_reveals_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planner = RulesPlanner(HashingEmbedder())
    watch, _ = _play(tmp_path, _planted_topics(), planner, "full", monkeypatch, view="extended")

    assert {(one.time, one.topic) for one in watch.plans[-1][1].recall.turns} == {
        (datetime(2031, 5, 5, 10), "CANARY-topic-0"),
        (datetime(2031, 6, 6, 10), "CANARY-topic-1"),
    }
    assert watch.dates_in_files == set(_DATES)


def _with_other_hidden_fields(topics: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the same turns with other task types, subtypes, topic ids, gold and twins."""
    changed = copy.deepcopy(list(topics))
    for number, one in enumerate(changed):
        one["id"] = f"z{number}"
        one["task_types"] = ["Multi-Tool"] * len(one["tasks"])
        one["turn_subtypes"] = ["Long-Range Dependency"] * len(one["turn_subtypes"])
        del one["gold"], one["english_tasks"], one["english_answer_list"], one["note"]
    return changed


@pytest.mark.parametrize("strategy", ["stead", "full", "hybrid", "state"])
def test_other_hidden_fields_change_not_a_byte_of_what_the_agent_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, strategy: str
) -> None:
    topics = _planted_topics()
    planner = RulesPlanner(HashingEmbedder())
    watch, lines = _play(tmp_path / "a", topics, planner, strategy, monkeypatch)
    others, other_lines = _play(tmp_path / "b", _with_other_hidden_fields(topics), planner, strategy, monkeypatch)

    assert _bytes(lines) == _bytes(other_lines)
    assert watch.plans == others.plans
    assert watch.recalls == others.recalls


def test_a_later_answer_changes_not_a_byte_of_what_comes_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topics = _planted_topics()
    other = copy.deepcopy(topics)
    other[1]["answer_list"][1] = [
        question("search_books", ["title"], "Which?", "Persuasion."),
        call("search_books", {"title": "Persuasion"}, {"books": []}, after=[0]),
        final("None.", after=[1]),
    ]
    planner = RulesPlanner(HashingEmbedder())
    watch, lines = _play(tmp_path / "a", topics, planner, "stead", monkeypatch)
    others, other_lines = _play(tmp_path / "b", other, planner, "stead", monkeypatch)

    assert _bytes(lines[:4]) == _bytes(other_lines[:4])
    assert watch.recalls == others.recalls
    before = [situation for turn, situation in watch.plans if turn < 4]
    assert before == [situation for turn, situation in others.plans if turn < 4]
    assert watch.plans[len(before)] == others.plans[len(before)]  # the first plan of the turn itself


def test_topic_boundaries_change_not_a_byte_of_what_the_agent_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same turns in two topics or in five; only the seconds of the clock tell the topics apart."""
    two = _planted_topics()
    five = [
        {
            **one,
            "id": f"{one['id']}-{index}",
            "env_info": one["env_info"].replace(":00:00", f":00:0{index}"),
            **{name: [one[name][index]] for name in ("tasks", "task_types", "answer_list", "gold")},
            "turn_subtypes": [],
        }
        for one in two
        for index in range(len(one["tasks"]))
    ]
    planner = RulesPlanner(HashingEmbedder())
    watch, lines = _play(tmp_path / "a", two, planner, "stead", monkeypatch)
    others, other_lines = _play(tmp_path / "b", five, planner, "stead", monkeypatch)

    assert _bytes(lines) == _bytes(other_lines)
    assert [recall for _, _, _, recall in watch.recalls] == [recall for _, _, _, recall in others.recalls]


class _Restless:
    name = "restless"

    def plan(self, situation: Situation) -> Proposal:
        return Proposal(reply="Done.")


def _never_content(situation: Situation, proposal: Proposal) -> Decision:
    return PlanAgain(policy="never", odds=ODDS, hints=(Hint("unsupported", Slot("search_books", "")),))


def test_budgets_and_step_limits_are_the_same_with_and_without_canaries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts, budgets = [], []
    for name, topics in (("a", _planted_topics()), ("b", _without_canaries(_planted_topics()))):
        folder = tmp_path / name
        for number, one in enumerate(topics):
            one["id"] = f"{one['id']}{number}"  # innocent topics need ids of their own
        watch, _ = _play(folder, topics, _Restless(), "stead", monkeypatch, decide_by=_never_content)
        counts.append([sum(turn == index for turn, _ in watch.plans) for index in range(5)])
        budgets.append([budget for _, _, budget, _ in watch.recalls])

    assert counts == [[MAX_PLANS] * 5] * 2
    assert budgets == [[default_budget("stead")] * 5] * 2


def test_the_watch_finds_what_must_not_be_seen(tmp_path: Path) -> None:
    watch = Watch(tmp_path)
    (tmp_path / ".scratch-x").mkdir()
    (tmp_path / ".scratch-x" / "turns.sqlite").write_bytes(b"\x00CANARY-trap\x00CANARY-final-0")
    seen = Situation(
        request="CANARY-gold",
        tools=(),
        steps=(QuestionStep(question="?", answer="CANARY-answer-1"),),
    )

    watch.look(1, seen)

    assert sorted(watch.found) == ["CANARY-gold in situation of turn 1", "CANARY-trap in turns.sqlite at turn 1"]
    assert watch.seen == {"CANARY-answer-1", "CANARY-final-0"}

"""The data set that ships with the package keeps what its format promises."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

import pytest

from benchmark_adapter.data.dataset import DEFAULT_SEED, ReferenceTurn, Session
from benchmark_adapter.data.reference import CLARIFICATION, FINAL_ANSWER
from benchmark_adapter.data.source import data_hash, read_data
from benchmark_adapter.evaluator.arguments import CORRECT, check_schema, functions_by_name
from benchmark_adapter.evaluator.convert import convert_tools
from benchmark_adapter.replay.past import clock_of
from benchmark_adapter.runs.launch import oracles
from benchmark_adapter.runs.manifest import Manifest
from benchmark_adapter.runs.run_directory import open_run
from benchmark_adapter.runs.run_scoring import measure
from benchmark_adapter.runs.runner import Setup, play
from benchmark_adapter.scoring.metrics import SOURCES, group_of
from clarifier.calibration.heads import load_heads
from clarifier.clarifier import decide
from clarifier.policy import open_policy
from memory.language.text import language
from memory.tools import parse_tools
from tests.benchmark_adapter.test_manifest import FIELDS
from tests.fakes import HashingEmbedder

_FLOORS = {"overall": 0.85, "ST": 0.94, "MT": 0.82, "LOI": 0.78, "Chat": 1.0}
"""Of the oracle with all history under the benchmark policy: what was measured, cut to two digits. What is missing is
what the clarifier does not accept from a perfect reader."""


@pytest.fixture(scope="module")
def sessions() -> tuple[Session, ...]:
    return read_data(None, None, DEFAULT_SEED)


@pytest.fixture(scope="module")
def turns(sessions: tuple[Session, ...]) -> list[ReferenceTurn]:
    return [turn for session in sessions for turn in session.turns]


def _where(turn: ReferenceTurn) -> str:
    return f"{turn.session} {turn.topic_id}#{turn.index_in_topic}"


def test_it_has_two_persons_eight_toolsets_forty_turns_and_both_languages(
    sessions: tuple[Session, ...], turns: list[ReferenceTurn]
) -> None:
    assert len(sessions) == 2
    assert all(not session.dropped for session in sessions)
    assert len(turns) >= 40
    assert len({json.dumps(turn.tools, sort_keys=True) for turn in turns}) >= 8
    spoken = {session.name: {language(turn.request) for turn in session.turns} for session in sessions}
    assert sorted(spoken.values(), key=sorted) == [{"en"}, {"zh"}]


def test_every_task_type_and_both_halves_of_lack_of_information_are_there(turns: list[ReferenceTurn]) -> None:
    assert {group_of(turn.task_type) for turn in turns} == {"ST", "MT", "LOI", "Chat"}
    lacking = [turn for turn in turns if group_of(turn.task_type) == "LOI"]
    assert {turn.gold.recoverable for turn in lacking if turn.gold} == {True, False}
    assert {turn.subtype for turn in turns} == {
        None,
        "Cross-Topic",
        "Partial Information",
        "Long-Range Dependency",
    }


def test_every_reference_call_fits_its_schema(turns: list[ReferenceTurn]) -> None:
    faults = [
        (_where(turn), step.action.name, result)
        for turn in turns
        for step in turn.answer
        if step.is_tool_call
        for result in [
            check_schema(
                functions_by_name(convert_tools(turn.tools, "stead")),
                step.action.name,
                json.dumps(step.action.arguments),
            )
        ]
        if result != CORRECT
    ]
    assert faults == []


def test_every_toolset_is_read_by_memory(turns: list[ReferenceTurn]) -> None:
    for turn in turns:
        assert [tool.name for tool in parse_tools(turn.tools)] == [tool["function"]["name"] for tool in turn.tools]


def test_dependencies_are_earlier_and_the_final_answer_comes_last(turns: list[ReferenceTurn]) -> None:
    for turn in turns:
        assert all(at < index for index, step in enumerate(turn.answer) for at in step.dependency_list), _where(turn)
        assert [step.action.name for step in turn.answer].index(FINAL_ANSWER) == len(turn.answer) - 1, _where(turn)
        needed = {at for step in turn.answer for at in step.dependency_list}
        assert needed == set(range(len(turn.answer) - 1)), f"{_where(turn)}: the final answer needs all the rest"


def test_questions_are_answered_and_their_slots_required(turns: list[ReferenceTurn]) -> None:
    for turn in turns:
        tools = {tool.name: tool for tool in parse_tools(turn.tools)}
        for step in turn.answer:
            if step.action.name == CLARIFICATION:
                assert step.user_input, _where(turn)
                assert isinstance(step.action.arguments, dict)
                tool = tools[step.action.arguments["tool_name"]]
                asked = set(step.action.arguments["missing_required_parameters"])
                assert asked, _where(turn)
                assert asked <= {parameter.name for parameter in tool.parameters if parameter.is_required}, _where(turn)
            else:
                assert step.user_input is None, _where(turn)


def test_gold_names_earlier_turns_known_sources_and_real_slots(sessions: tuple[Session, ...]) -> None:
    for session in sessions:
        positions = {f"{turn.topic_id}#{turn.index_in_topic}": turn.index for turn in session.turns}
        for turn in session.turns:
            gold = turn.gold
            assert gold is not None, _where(turn)
            assert all(positions[name] < turn.index for name in gold.evidence), _where(turn)
            assert set(gold.slots.values()) <= set(SOURCES), _where(turn)
            asks = any(step.action.name == CLARIFICATION for step in turn.answer)
            if group_of(turn.task_type) == "LOI":
                assert gold.recoverable is not asks, _where(turn)
            else:
                assert gold.recoverable is None, _where(turn)
                assert not asks, _where(turn)
            for slot in gold.slots:
                tool, _, argument = slot.rpartition(".")
                known = {
                    parameter.name
                    for one in parse_tools(turn.tools)
                    if not tool or one.name == tool
                    for parameter in one.parameters
                }
                assert argument in known, f"{_where(turn)}: {slot}"


def test_times_exist_and_increase_from_topic_to_topic(sessions: tuple[Session, ...]) -> None:
    for session in sessions:
        times = [clock_of(turn.env_info) for turn in session.turns if turn.index_in_topic == 0]
        known = [time for time in times if time is not None]
        assert len(known) == len(times)
        assert known == sorted(set(known))


def test_the_hash_covers_the_content_and_not_the_place(sessions: tuple[Session, ...], tmp_path: Path) -> None:
    assert re.fullmatch("[0-9a-f]{64}", data_hash(sessions))
    assert data_hash(read_data(None, None, DEFAULT_SEED)) == data_hash(sessions)
    assert data_hash(sessions[:1]) != data_hash(sessions)


@pytest.mark.slow
def test_a_perfect_reader_of_all_history_gets_most_turns_right(sessions: tuple[Session, ...], tmp_path: Path) -> None:
    setup = Setup(
        planner_for=oracles(sessions),
        decide=partial(decide, policy=open_policy("benchmark"), heads=load_heads()),
        strategy="full",
        budget=0,
        embedder=HashingEmbedder(),
    )
    with open_run(tmp_path / "run", Manifest(**FIELDS)) as run:
        play(sessions, setup, run)
        metrics = measure(run, sessions)

    assert metrics["failed"] == 0
    assert {key: metrics["exact"][key] >= floor for key, floor in _FLOORS.items()} == dict.fromkeys(_FLOORS, True), (
        metrics["exact"]
    )

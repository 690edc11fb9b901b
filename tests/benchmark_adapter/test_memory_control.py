"""`--memory-of`: persons who remember somebody else's turns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from agent.seams import Planner
from benchmark_adapter.data.dataset import ReferenceTurn, Session, load_sessions
from benchmark_adapter.errors import BenchmarkError, UnknownPersonaError
from benchmark_adapter.replay.memory_control import given_turn, givers
from benchmark_adapter.replay.past import past_turn
from benchmark_adapter.runs.launch import oracles
from benchmark_adapter.runs.manifest import Manifest
from benchmark_adapter.runs.run_directory import open_run
from benchmark_adapter.runs.runner import Setup, play
from clarifier.decision import Proposal, Situation
from memory.records import Turn
from tests.benchmark_adapter.test_manifest import FIELDS
from tests.benchmark_adapter.topics import library_topics, write_topics
from tests.fakes import HashingEmbedder, obey


def _sessions(folder: Path, **topics: int) -> tuple[Session, ...]:
    """Return the sessions of persons with so many of the library's two topics."""
    for name, number in topics.items():
        write_topics(folder / "data" / f"{name}.jsonl", library_topics()[:number])
    return load_sessions(folder / "data")


def test_everybody_is_given_the_personas_turns_and_the_persona_those_of_the_next_file(tmp_path: Path) -> None:
    sessions = _sessions(tmp_path, ann=2, bob=2, cid=2)

    def names(persona: str) -> dict[str, str]:
        return {name: session.name for name, session in givers(sessions, persona).items()}

    assert names("bob") == {"ann": "bob", "bob": "cid", "cid": "bob"}
    assert names("cid") == {"ann": "cid", "bob": "cid", "cid": "ann"}  # after the last comes the first


def test_an_unknown_persona_is_an_error_that_names_those_that_exist(tmp_path: Path) -> None:
    with pytest.raises(UnknownPersonaError, match=r"^expected --memory-of one of ann, bob, got 'eve'$") as caught:
        givers(_sessions(tmp_path, ann=1, bob=1), "eve")

    assert (caught.value.name, caught.value.known) == ("eve", ("ann", "bob"))


def test_one_person_alone_has_nobody_to_be_given(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match="at least two persons, got 'ann' alone"):
        givers(_sessions(tmp_path, ann=1), "ann")


def test_a_given_turn_is_the_givers_under_an_id_of_its_own_until_they_are_used_up(tmp_path: Path) -> None:
    (ann,) = _sessions(tmp_path, ann=1)

    given = given_turn(ann, 1, view="official")

    own = past_turn(ann.turns[1])
    assert given == own.model_copy(update={"turn_id": "other-t0001"})
    assert given_turn(ann, 3, view="official") is None


class _Recorder:
    """Keeps what was recalled by session and turn, and replies at once."""

    name = "recorder"

    def __init__(self) -> None:
        self.requests: dict[tuple[str, int], list[str | None]] = {}

    def __call__(self, turn: ReferenceTurn, past: Sequence[Turn]) -> Planner:
        requests = self.requests

        class One:
            name = "one"

            def plan(self, situation: Situation) -> Proposal:
                recalled = [item.turn for item in situation.recall.items]
                requests[turn.session, turn.index] = [None if one is None else one.request for one in recalled]
                return Proposal(reply="Done.")

        return One()


def test_at_turn_i_a_person_remembers_as_many_turns_of_the_persona(tmp_path: Path) -> None:
    sessions = _sessions(tmp_path, ann=2, bob=1)
    recorder = _Recorder()
    setup = Setup(recorder, obey, "full", 0, HashingEmbedder(), similarity="fallback", givers=givers(sessions, "bob"))

    with open_run(tmp_path / "run", Manifest(**{**FIELDS, "similarity": "fallback"})) as run:
        play(sessions, setup, run)

    ann, bob = ([turn.request for turn in session.turns] for session in sessions)
    assert [recorder.requests["ann", turn] for turn in range(5)] == [bob[:0], bob[:1], bob[:2], bob, bob]
    assert [recorder.requests["bob", turn] for turn in range(3)] == [ann[:0], ann[:1], ann[:2]]


def test_the_oracle_takes_nobody_elses_turns_for_its_evidence(tmp_path: Path) -> None:
    """Both persons have the very same turns, so only whose they are tells them apart."""
    sessions = _sessions(tmp_path, ann=2, bob=2)

    def labels(**options: object) -> list[str]:
        setup = Setup(oracles(sessions), obey, "full", 0, HashingEmbedder(), similarity="fallback", **options)  # type: ignore[arg-type]  # `givers` alone
        path = tmp_path / f"run{len(options)}"
        with open_run(path, Manifest(**{**FIELDS, "similarity": "fallback"})) as run:
            play(sessions, setup, run)
            return [line.label for line in run.lines if line.session == "ann"]

    assert labels() == ["correct", "error", "correct", "correct", "correct"]
    # The branch and the books come from history.
    assert labels(givers=givers(sessions, "bob")) == ["correct", "error", "correct", "error", "error"]

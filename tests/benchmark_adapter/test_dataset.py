"""Sessions: one topic per point in time, order, names."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from benchmark_adapter.data.dataset import DroppedTopic, build_entry, load_sessions
from benchmark_adapter.errors import DatasetError
from tests.benchmark_adapter.test_topics import raw_topic, write


def topic(name: str, time: str | None, *, turns: int = 1, **changes: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "id": name,
        "env_info": time,
        "tasks": [f"{name} turn {turn}" for turn in range(turns)],
        "answer_list": [[] for _ in range(turns)],
        "task_types": ["Chat"] * turns,
        "turn_subtypes": ["Partial Information"] * (turns - 1),
    }
    return raw_topic(**(fields | changes))


def test_topics_are_sorted_by_time() -> None:
    entry = build_entry(
        [topic("b", "now 2026-03-02 09:00:00 Mon"), topic("a", "2026-03-01 09:00:00", turns=2)], name="p_1"
    )

    assert [turn.request for turn in entry.turns] == ["a turn 0", "a turn 1", "b turn 0"]
    assert entry.subtypes == ("Partial Information", "Cross-Topic")
    assert [turn.is_cross_topic for turn in entry.turns] == [False, False, True]
    assert [(turn.topic_index, turn.index_in_topic) for turn in entry.turns] == [(0, 0), (0, 1), (1, 0)]


def test_one_topic_per_time_is_drawn_and_the_rest_is_listed() -> None:
    """Case B42: what the official loader draws with its seed (`verify` has its recordings), and all that it drops."""
    at = "2026-03-01 09:00:00"
    topics = [topic("solo", "2026-03-05 09:00:00"), topic("c", at), topic("a", at), topic("b", at)]
    rng = random.Random(7)
    rng.choice(["solo"])  # a group of one is drawn too
    kept = rng.choice(["a", "b", "c"])

    entry = build_entry(topics, name="p_1", seed=7, lines=[1, 2, 5, 6])

    assert [turn.topic_id for turn in entry.turns] == [kept, "solo"]
    assert entry.dropped == tuple(
        DroppedTopic(name, line, at, kept) for name, line in (("a", 5), ("b", 6), ("c", 2)) if name != kept
    )
    assert (entry.num_topics_original, entry.num_topics) == (4, 2)


def test_topics_without_a_time_are_one_group_at_the_end() -> None:
    entry = build_entry(
        [topic("x", None), topic("y", "2026/03/01"), topic("z", "2026-03-01 09:00:00")], name="p_1", seed=42
    )

    assert entry.turns[0].topic_id == "z"
    assert len(entry.turns) == 2
    assert entry.dropped[0].time is None


def test_names_are_mapped_and_unknown_ones_kept() -> None:
    types = ["单工具", "多工具", "澄清", "闲聊", "Clarification", "Chit-Chat", "Odd", None]
    subtypes = ["指代", "省略成分", "长期记忆", "Long-Term Memory", "Other", None, "Cross-Topic"]
    entry = build_entry(
        [topic("a", "2026-03-01 09:00:00", turns=8, task_types=types, turn_subtypes=subtypes)], name="p_1"
    )

    assert [turn.task_type for turn in entry.turns] == [
        *("Single-Tool", "Multi-Tool", "Clarify", "Chat", "Clarify", "Chat"),
        *("Odd", None),
    ]
    assert entry.subtypes == (
        *("Coreferential Reference", "Partial Information", "Long-Range Dependency", "Long-Range Dependency"),
        *("Other", None, "Cross-Topic"),
    )


@pytest.mark.parametrize(
    ("topics", "exception", "problem"),
    [
        ([topic("a", "2026-13-45 99:00:00")], "ValueError", "expected a date and time that exist in `env_info`"),
        ([topic("a", "2026-03-01 09:00:00", task_types=[])], "ValueError", "of one length, got 1, 1 and 0"),
        ([topic("a", "2026-03-01 09:00:00", turns=2, turn_subtypes=[])], "IndexError", "expected a turn subtype"),
        (
            [topic("a", "2026-03-01 09:00:00"), topic("b", "2026-03-01 09:00:00", id=7)],
            "TypeError",
            "expected topic ids of one type",
        ),
        ([topic("a", "2026-03-01 09:00:00", tasks=5)], "TypeError", "expected a list in 'tasks', got 5"),
        ([topic("a", None, env_info=20260301)], "TypeError", "expected text in `env_info`, got 20260301"),
        ([topic("a", None, task_types=[["Chat"]])], "TypeError", "expected a name of a type or subtype, got ['Chat']"),
        ([topic("a", None, turns=2, turn_subtypes=[{}])], "TypeError", "expected a name of a type or subtype, got {}"),
        ([topic("a", None, turns=2, turn_subtypes=5)], "TypeError", "expected a list in 'turn_subtypes', got 5"),
    ],
)
def test_what_the_reference_trips_over_is_told(topics: list[dict[str, Any]], exception: str, problem: str) -> None:
    with pytest.raises(DatasetError) as info:
        build_entry(topics, name="p_1", lines=[4, 5][: len(topics)])

    assert info.value.reference_exception == exception
    assert problem in info.value.problem
    assert info.value.line == 4


def test_an_empty_profile_is_an_empty_entry() -> None:
    reference = build_entry([], name="p_1").as_reference()

    assert reference["num_turns"] == 0
    assert reference["english_env_info"] is None
    assert reference["english_tools"] == []


def test_a_session_is_typed_and_carries_the_gold(tmp_path: Path) -> None:
    gold = [{"recoverable": None}, {"recoverable": False, "trap": "stale"}]
    later = topic("later", "2026-03-02 09:00:00", turns=2, gold=gold, task_types=["Chat", "澄清"])
    path = write(tmp_path / "persona_5.jsonl", later, topic("first", "2026-03-01 09:00:00"))

    (session,) = load_sessions(path)

    assert session.name == "persona_5"
    assert session.dropped == ()
    last = session.turns[2]
    assert (last.session, last.index, last.request) == ("persona_5", 2, "later turn 1")
    assert (last.task_type, last.subtype, last.topic_id) == ("Clarify", "Partial Information", "later")
    assert (last.topic_index, last.index_in_topic, last.env_info) == (1, 1, "2026-03-02 09:00:00")
    assert last.gold is not None
    assert (last.gold.recoverable, last.gold.trap) == (False, "stale")
    assert [turn.subtype for turn in session.turns] == [None, "Cross-Topic", "Partial Information"]
    assert session.turns[0].gold is None

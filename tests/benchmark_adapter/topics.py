"""Tiny topics of our own, a lending library: builders for reference steps, turns and topic files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmark_adapter.data.dataset import ReferenceTurn
from benchmark_adapter.data.reference import CLARIFICATION, FINAL_ANSWER, ReferenceStep
from benchmark_adapter.data.topics import Gold
from benchmark_adapter.evaluator.verdict import Label
from benchmark_adapter.replay.turn_result import TurnLine
from benchmark_adapter.scoring.exact import ExactScore
from benchmark_adapter.scoring.metrics import ScoredTurn
from benchmark_adapter.scoring.relaxed import RelaxedScore
from benchmark_adapter.scoring.turn_outcome import TurnOutcome

JsonObject = dict[str, Any]


def tool(name: str, description: str, required: Sequence[str] = (), **properties: JsonObject) -> JsonObject:
    """Return a tool schema."""
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


_BRANCH = {"type": "string", "description": "A branch of the library.", "enum": ["Harbour", "Old Mill", "Station"]}
TOOLS: list[JsonObject] = [
    tool("search_books", "Search the catalogue by title.", ["title"], title={"type": "string"}, branch=_BRANCH),
    tool(
        "reserve_book",
        "Reserve a book for pickup at a branch.",
        ["book_id", "branch"],
        book_id={"type": "string", "description": "As the catalogue lists it."},
        branch=_BRANCH,
        large_print={"type": "boolean", "description": "The large-print edition."},
    ),
    tool(
        "renew_loans",
        "Renew loans of books.",
        ["book_ids", "weeks"],
        book_ids={"type": "array", "items": {"type": "string"}},
        weeks={"type": "integer"},
    ),
    tool("get_opening_hours", "Opening hours of a branch.", ["branch"], branch=_BRANCH),
]


def call(name: str, arguments: Any, observation: Any = None, *, after: Iterable[int] = ()) -> JsonObject:
    """Return a reference step that calls a tool."""
    return _step(name, arguments, observation, None, after)


def question(
    tool_name: str, missing: Sequence[str], text: str, answer: str | None, *, after: Iterable[int] = ()
) -> JsonObject:
    """Return a reference step that asks the person."""
    given = {"tool_name": tool_name, "missing_required_parameters": list(missing)}
    return _step(CLARIFICATION, given, text, answer, after)


def final(text: str = "Done.", *, after: Iterable[int] = ()) -> JsonObject:
    """Return the reference step that ends a turn."""
    return _step(FINAL_ANSWER, {"answer_type": "tool"}, text, None, after)


def _step(name: str, arguments: Any, observation: Any, user_input: str | None, after: Iterable[int]) -> JsonObject:
    return {
        "action": {"name": name, "arguments": arguments},
        "observation": observation,
        "user_input": user_input,
        "dependency_list": list(after),
    }


def reference_turn(
    *answer: JsonObject,
    session: str = "person1",
    index: int = 0,
    request: str = "Reserve Dune.",
    task_type: str | None = "Single-Tool",
    gold: Mapping[str, Any] | None = None,
    env_info: str | None = "2026-03-02 10:00:00",
    topic_id: str = "topic_1",
) -> ReferenceTurn:
    """Return a turn to be played with the library's tools."""
    return ReferenceTurn(
        session=session,
        index=index,
        request=request,
        tools=tuple(TOOLS),
        env_info=env_info,
        answer=tuple(ReferenceStep.model_validate(step) for step in answer),
        task_type=task_type,
        subtype=None,
        topic_id=topic_id,
        topic_index=0,
        index_in_topic=index,
        gold=None if gold is None else Gold.model_validate(gold),
    )


def scored(
    reference: ReferenceTurn,
    *,
    is_correct: bool,
    right: Iterable[tuple[int, str]] = (),
    relaxed: bool | None = None,
    wrong_calls: tuple[str, ...] = (),
    calls_are_right: bool = False,
    is_optimal: bool = False,
    steps_in_log: int = 0,
    **line: Any,
) -> ScoredTurn:
    """Return a scored turn with this verdict and outcome; `line` are fields of its `TurnLine`."""
    label: Label = "correct" if is_correct else "error"
    kept = TurnLine(session=reference.session, turn=reference.index, label=label, **line)
    return ScoredTurn(
        reference,
        kept,
        ExactScore(label, None if is_correct else "wrong", frozenset(right)),
        None if relaxed is None else RelaxedScore("correct" if relaxed else "error", None),
        TurnOutcome(wrong_calls, calls_are_right, is_optimal, steps_in_log),
    )


def topic(
    number: int,
    turns: Sequence[tuple[str, str, Sequence[JsonObject]]],
    *,
    time: str,
    gold: Sequence[Mapping[str, Any]] | None = None,
    **fields: Any,
) -> JsonObject:
    """Return a topic of turns, each a request, a task type and its reference."""
    made = {
        "id": f"topic_{number}",
        "env_info": time,
        "tools": TOOLS,
        "tasks": [request for request, _, _ in turns],
        "task_types": [task_type for _, task_type, _ in turns],
        "turn_subtypes": ["Partial Information"] * (len(turns) - 1),
        "answer_list": [list(answer) for _, _, answer in turns],
    }
    return {**made, **({} if gold is None else {"gold": list(gold)}), **fields}


def write_topics(path: Path, topics: Iterable[JsonObject]) -> Path:
    """Write a topic file and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in topics), "utf-8")
    return path


def library_topics() -> list[JsonObject]:
    """Return two topics, five turns, of a person who reserves and renews books; every turn with gold."""
    dune = {"books": [{"book_id": "B-17", "title": "Dune", "copies": 2}]}
    first = topic(
        1,
        [
            (
                "Do you have Dune?",
                "Single-Tool",
                [call("search_books", {"title": "Dune"}, dune), final("Yes, two copies.", after=[0])],
            ),
            (
                "Reserve it for me.",
                "Clarify",
                [
                    question("reserve_book", ["branch"], "Which branch?", "Old Mill, as always from now on."),
                    call("reserve_book", {"book_id": "B-17", "branch": "Old Mill"}, {"status": "reserved"}, after=[0]),
                    final("Reserved at Old Mill.", after=[1]),
                ],
            ),
            ("Lovely, thank you!", "Chat", [final("You are welcome.")]),
        ],
        time="2026-03-02 10:00:00",
        gold=[
            {"recoverable": None, "evidence": [], "slots": {"title": "request"}, "trap": None},
            {
                "recoverable": False,
                "evidence": ["topic_1#0"],
                "slots": {"book_id": "observation", "branch": "asked"},
                "trap": None,
            },
            {"recoverable": None, "evidence": [], "slots": {}, "trap": None},
        ],
    )
    emma = {"books": [{"book_id": "B-40", "title": "Emma", "copies": 1}]}
    second = topic(
        2,
        [
            (
                "Find Emma and reserve it.",
                "Multi-Tool",
                [
                    call("search_books", {"title": "Emma"}, emma),
                    call("reserve_book", {"book_id": "B-40", "branch": "Old Mill"}, {"status": "reserved"}, after=[0]),
                    final("Reserved at Old Mill.", after=[1]),
                ],
            ),
            (
                "Renew both of my books for three weeks.",
                "Single-Tool",
                [
                    call("renew_loans", {"book_ids": ["B-17", "B-40"], "weeks": 3}, {"status": "renewed"}),
                    final("Renewed for three weeks.", after=[0]),
                ],
            ),
        ],
        time="2026-03-09 09:30:00",
        gold=[
            {
                "recoverable": None,
                "evidence": ["topic_1#1"],
                "slots": {"title": "request", "book_id": "observation", "branch": "history"},
                "trap": None,
            },
            {
                "recoverable": None,
                "evidence": ["topic_1#1", "topic_2#0"],
                "slots": {"book_ids": "history", "weeks": "request"},
                "trap": None,
            },
        ],
    )
    return [first, second]

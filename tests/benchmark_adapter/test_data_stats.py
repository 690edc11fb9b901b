from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from benchmark_adapter.cli import app
from benchmark_adapter.data.dataset import load_sessions
from benchmark_adapter.inspection.sequence_distance import edit_distance, normalised_distance
from benchmark_adapter.inspection.stats import (
    DIVERSITY_FORMULA,
    TopicTrajectory,
    candidate_toolsets,
    data_statistics,
    diversity,
    ecosystem,
    paper_statistics,
    trajectories,
)
from tests.benchmark_adapter.topics import TOOLS, JsonObject, call, final, library_topics, question, topic, write_topics
from tests.shared import shared_path

SEQUENCES = st.lists(st.sampled_from("abc"), max_size=6)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("", "", 0),
        ("abc", "", 3),
        ("kitten", "sitting", 3),
        ("flaw", "lawn", 2),
        ("abc", "cab", 2),
    ],
)
def test_edit_distance(left: str, right: str, expected: int) -> None:
    assert edit_distance(left, right) == expected


@given(left=SEQUENCES, right=SEQUENCES, third=SEQUENCES)
def test_edit_distance_is_a_metric(left: Sequence[str], right: Sequence[str], third: Sequence[str]) -> None:
    assert edit_distance(left, right) == edit_distance(right, left)
    assert (edit_distance(left, right) == 0) == (left == right)
    assert edit_distance(left, third) <= edit_distance(left, right) + edit_distance(right, third)


def test_normalised_distance_divides_by_the_longer() -> None:
    assert normalised_distance("ab", "abcd") == 0.5
    assert normalised_distance("", "ab") == 1
    assert normalised_distance("", "") == 0


def second_reader() -> list[JsonObject]:
    """Return one topic of another person: as the first topic of the library, but at another branch."""
    answer = [
        call("search_books", {"title": "Dune"}, {"books": []}),
        question("reserve_book", ["branch"], "Which branch?", "Station.", after=[0]),
        call("reserve_book", {"branch": "Station", "book_id": "B-17"}, {"status": "reserved"}, after=[1]),
        final("Reserved.", after=[2]),
    ]
    return [topic(1, [("Reserve Dune.", "澄清", answer)], time="2026-03-02 10:00:00")]


def two_readers(folder: Path) -> Path:
    write_topics(folder / "reader_1.jsonl", library_topics())
    write_topics(folder / "reader_2.jsonl", second_reader())
    return folder


EXPECTED = {
    "scale": {
        "profiles": 2,
        "toolsets": 1,
        "tools": 4,
        "topics": 3,
        "turns": 6,
        "task_instances": 5,
        "dropped_topics": 0,
    },
    "task_types": {"ST": {"n": 2, "share": 0.4}, "MT": {"n": 1, "share": 0.2}, "LOI": {"n": 2, "share": 0.4}},
    "other_turns": {"Chat": 1, "other": 0},
    "turn_subtypes": {
        "Cross-Topic": {"n": 3, "share": 0.5},
        "Long-Range Dependency": {"n": 0, "share": 0.0},
        "Partial Information": {"n": 3, "share": 0.5},
    },
    # Names: (search, reserve), (search, reserve, renew) and (search, reserve): two of three are distinct; the pairs of
    # different people differ by 0 of 2 and 1 of 3. Calls: all distinct; the branch differs (1 of 2), all (3 of 3).
    "same_toolset_diversity": {
        "tool_sequence_uniqueness_ratio": 2 / 3,
        "exact_trajectory_uniqueness_ratio": 1.0,
        "average_pairwise_sequence_distance": pytest.approx(1 / 6),
        "average_pairwise_exact_trajectory_distance": 0.75,
        "toolsets": 1,
        "topics": 3,
        "pairs": 2,
        "formula": DIVERSITY_FORMULA,
    },
    # Four tools with 2, 3, 2 and 1 arguments.
    "tool_ecosystem": {
        "raw_tool_name_occurrences": 4,
        "candidate_toolset_lines": 1,
        "unique_tool_names_after_grouping": 4,
        "average_tool_names_per_topic": 4.0,
        "average_parameter_slots_per_tool": 2.0,
        "final_toolsets": 1,
    },
}


def test_statistics_of_two_people(tmp_path: Path) -> None:
    assert data_statistics(load_sessions(two_readers(tmp_path)), ()) == EXPECTED


def test_a_trajectory_is_the_calls_of_a_topic_without_questions_and_replies(tmp_path: Path) -> None:
    path = write_topics(tmp_path / "reader_2.jsonl", second_reader())
    assert trajectories(load_sessions(path)) == [
        TopicTrajectory(
            profile="reader_2",
            toolset=frozenset({"search_books", "reserve_book", "renew_loans", "get_opening_hours"}),
            names=("search_books", "reserve_book"),
            calls=(
                ("search_books", '{"title": "Dune"}'),
                ("reserve_book", '{"book_id": "B-17", "branch": "Station"}'),
            ),
        )
    ]


def test_arguments_are_compared_by_value(tmp_path: Path) -> None:
    def calls(arguments: object) -> tuple[tuple[str, str], ...]:
        answer = [call("renew_loans", arguments, {}), final(after=[0])]
        one = topic(1, [("Renew.", "Single-Tool", answer)], time="2026-03-02 10:00:00")
        (found,) = trajectories(load_sessions(write_topics(tmp_path / "reader_1.jsonl", [one])))
        return found.calls

    written = calls({"book_ids": ["B-17"], "weeks": 3})
    assert calls('{"weeks": 3.0, "book_ids": ["B-17"]}') == written
    assert calls({"book_ids": ["B-17"], "weeks": 3.5}) != written


def test_topics_of_one_person_alone_are_not_compared() -> None:
    tools = frozenset({"search_books"})
    topics = [TopicTrajectory("reader_1", tools, (), ()), TopicTrajectory("reader_1", tools, (), ())]
    assert diversity(topics) == {
        "tool_sequence_uniqueness_ratio": None,
        "exact_trajectory_uniqueness_ratio": None,
        "average_pairwise_sequence_distance": None,
        "average_pairwise_exact_trajectory_distance": None,
        "toolsets": 0,
        "topics": 0,
        "pairs": 0,
        "formula": DIVERSITY_FORMULA,
    }


def test_statistics_of_nothing_are_undefined() -> None:
    found = data_statistics((), ())
    assert found["scale"]["turns"] == 0
    assert found["task_types"]["ST"] == {"n": 0, "share": None}
    assert found["tool_ecosystem"]["average_tool_names_per_topic"] is None


def test_dropped_topics_are_counted_and_their_turns_are_not(tmp_path: Path) -> None:
    first, second = library_topics()
    second["env_info"] = first["env_info"]
    found = data_statistics(load_sessions(write_topics(tmp_path / "reader_1.jsonl", [first, second])), ())
    assert (found["scale"]["topics"], found["scale"]["dropped_topics"]) == (1, 1)


def test_a_translated_toolset_is_one_candidate(tmp_path: Path) -> None:
    other = [{"type": "function", "function": {"name": "预订", "parameters": {"type": "object", "properties": {}}}}]
    for name, lines in (("tools_en.jsonl", [TOOLS, TOOLS[:1]]), ("tools_zh.jsonl", [TOOLS, other])):
        (tmp_path / name).write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    assert candidate_toolsets(tmp_path) == (TOOLS, TOOLS[:1], other)
    assert candidate_toolsets(tmp_path / "none") == ()


def test_the_words_of_table_9_give_its_figures_on_the_published_toolsets() -> None:
    found = ecosystem(candidate_toolsets(shared_path("toolsets")))
    paper = dict(paper_statistics()["tool_ecosystem"])
    del paper["final_toolsets"]
    assert {
        **found,
        "average_parameter_slots_per_tool": round(found["average_parameter_slots_per_tool"] or 0, 2),
    } == paper


def test_the_papers_figures_are_those_of_its_tables() -> None:
    tables = json.loads(shared_path("paper", "tables.json").read_text("utf-8"))
    ours = paper_statistics()
    for key, table in (("task_types", "table2_task_types"), ("turn_subtypes", "table2_turn_subtypes")):
        shown = {name: [row["n"], round(100 * row["share"], 2)] for name, row in ours[key].items()}
        assert shown == tables[table]
    percentages = {name: round(100 * value, 2) for name, value in ours["same_toolset_diversity"].items()}
    assert percentages == tables["table3_same_toolset_diversity"]
    assert ours["tool_ecosystem"] == tables["table9_tool_ecosystem"]
    assert ours["scale"] == tables["scale"]


def test_the_command_prints_one_json_object_with_the_official_figures_beside(tmp_path: Path) -> None:
    path = two_readers(tmp_path)
    done = CliRunner().invoke(app, ["data", "stats", str(path), "--json"])
    assert json.loads(done.stdout) == {"path": str(path), **EXPECTED, "official_data": paper_statistics()}


def test_the_command_shows_tables_of_the_bundled_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    done = CliRunner().invoke(app, ["data", "stats"])
    lines = [" ".join(line.replace("│", " ").split()) for line in done.stdout.splitlines()]
    assert done.exit_code == 0
    assert "turns 67 1,065" in lines
    assert "official data" in done.stdout
    assert "Ours, since the paper gives none" in done.stdout


def test_the_command_ends_with_status_2_where_there_are_no_data(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["data", "stats", str(tmp_path / "nowhere")])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(
        f"stead-bench: {tmp_path / 'nowhere'}: nothing is there; expected a folder of persona"
    )
    assert done.stderr.count("\n") == 1

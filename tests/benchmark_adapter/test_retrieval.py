"""Suites for retrieval, what counts as found, and the command; logs of a few turns, written here."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from benchmark_adapter.cli import app
from benchmark_adapter.errors import BenchmarkError, DatasetError
from benchmark_adapter.suites.retrieval import Found, Tally, evaluate, judge, ranked_turns, steps_of
from benchmark_adapter.suites.retrieval_suites import Log, Query, Suite, load_suites, part_of
from memory.recall import Recall, RecallItem
from memory.records import Turn
from memory.strategies import STRATEGIES
from tests.shared import shared_path


def write(path: Path, records: Iterable[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def write_locomo(folder: Path, **question: Any) -> None:
    spoken = [
        {"turn_id": "D1:1", "session": 1, "time": "2023-05-08T13:56", "speaker": "Ann", "text": "Hi Bob."},
        {
            "turn_id": "D1:2",
            "session": 1,
            "time": "2023-05-08T13:56",
            "speaker": "Bob",
            "text": "I got a dog.",
            "image_caption": "a dog",
        },
    ]
    asked = {"qid": "q1", "conv_id": "c1", "question": "What did Bob get?", "category": 4, "evidence": ["D1:2"]}
    write(folder / "locomo" / "conversations.jsonl", [{"conv_id": "c1", "speakers": ["Ann", "Bob"], "turns": spoken}])
    write(
        folder / "locomo" / "questions.jsonl",
        [asked | question, asked | {"qid": "q2", "category": 5}, asked | {"qid": "q3", "evidence": []}],
    )


def write_prefeval(folder: Path) -> None:
    turns = [{"turn_id": "t001", "user": "I never fly."}, {"turn_id": "t002", "user": "Hi", "assistant": "Hello"}]
    write(folder / "prefeval" / "streams.jsonl.gz", [{"user_id": "s1", "turns": turns}])
    write(
        folder / "prefeval" / "questions.jsonl",
        [{"qid": "q", "user_id": "s1", "question": "How do I get to Rome?", "evidence": ["t001"]}],
    )


def write_personalens(folder: Path) -> None:
    paragraphs = [
        {"memory_id": "p1", "text": "The user flies with ＫＬＭ."},
        {"memory_id": "p2", "text": "The user likes an aisle seat."},
    ]
    slots = {"Airline": ["KLM", "SAS"], "Seat": "aisle", "Meal": []}
    task = {"user_id": "u1", "request": "Book a flight.", "situation": {"Device": "phone", "Day": "Monday"}}
    write(folder / "personalens" / "users.jsonl.gz", [{"user_id": "u1", "memories": paragraphs}])
    write(
        folder / "personalens" / "tasks.jsonl",
        [
            task | {"id": "k1", "gold_slots": slots, "gold_memories": ["p1", "p2"]},
            task | {"id": "k2", "gold_slots": {"Meal": []}, "gold_memories": []},
        ],
    )


def test_reads_conversations_with_speaker_time_and_picture(tmp_path: Path) -> None:
    write_locomo(tmp_path)
    [suite] = load_suites(tmp_path)
    assert (suite.name, suite.n) == ("locomo", 1)
    [log] = suite.logs
    assert [(turn.turn_id, turn.request, str(turn.time)) for turn in log.turns] == [
        ("D1:1", "Ann: Hi Bob.", "2023-05-08 13:56:00"),
        ("D1:2", "Bob: I got a dog. [shares a picture: a dog]", "2023-05-08 13:56:00"),
    ]
    assert log.queries == (Query("q1", "What did Bob get?", frozenset({"D1:2"})),)


def test_reads_the_suites_that_are_there_in_their_order(tmp_path: Path) -> None:
    write_personalens(tmp_path)
    write_prefeval(tmp_path)
    prefeval, personalens = load_suites(tmp_path)
    assert [turn.reply for turn in prefeval.logs[0].turns] == [None, "Hello"]
    assert personalens.logs[0].queries == (
        Query("k1", "Book a flight.\nDevice: phone\nDay: Monday", frozenset({"p1", "p2"}), ("klm", "sas", "aisle")),
    )
    assert load_suites(tmp_path, ["prefeval"]) == (prefeval,)


def test_reads_sessions_of_one_person(tmp_path: Path) -> None:
    turns = [{"turn_id": "m1", "session": 1, "role": "user", "text": "I sail."}]
    write(tmp_path / "bfcl-memory" / "streams.jsonl", [{"user_id": "b1", "turns": turns}])
    write(
        tmp_path / "bfcl-memory" / "questions.jsonl",
        [{"qid": "q", "user_id": "b1", "question": "What do I do?", "answers": ["sail"], "evidence": ["m1"]}],
    )
    assert load_suites(tmp_path)[0].logs == (
        Log("b1", (Turn(turn_id="m1", request="I sail."),), (Query("q", "What do I do?", frozenset({"m1"})),)),
    )


def test_says_where_a_line_is_wrong(tmp_path: Path) -> None:
    write_locomo(tmp_path, question=3)
    with pytest.raises(DatasetError, match=r"questions\.jsonl:1: question: .*string; correct or remove the line"):
        load_suites(tmp_path)
    write_locomo(tmp_path, evidence=["D9:9"])
    with pytest.raises(DatasetError, match=r"questions\.jsonl:1: evidence names 'D9:9', and 'c1' has no such turn"):
        load_suites(tmp_path)
    write_locomo(tmp_path, conv_id="c7")
    with pytest.raises(DatasetError, match=r"questions\.jsonl:1: asks 'c7', who has no turns"):
        load_suites(tmp_path)


def test_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="holds one of locomo, prefeval, bfcl-memory, personalens, found none"):
        load_suites(tmp_path)
    write_prefeval(tmp_path)
    (tmp_path / "prefeval" / "questions.jsonl").unlink()
    with pytest.raises(DatasetError, match=r"questions\.jsonl: expected a file, found none"):
        load_suites(tmp_path)
    with pytest.raises(BenchmarkError, match="no suite is called 'prefval'; choose one of locomo"):
        load_suites(tmp_path, ["prefval"])


def test_parts_of_a_suite_are_disjoint_and_make_it_up() -> None:
    suite = Suite("x", tuple(Log(f"user{n}", (), ()) for n in range(40)))
    parts = [part_of([suite], f"{part}/3")[0].logs for part in (1, 2, 3)]
    assert sorted(log.user for part in parts for log in part) == sorted(log.user for log in suite.logs)
    assert all(5 < len(part) < 25 for part in parts)
    assert part_of([suite], "1/1") == (suite,)


@pytest.mark.parametrize("split", ["", "2", "0/2", "3/2", "1/0", "a/b", "-1/2"])
def test_a_split_that_is_none_is_refused(split: str) -> None:
    with pytest.raises(BenchmarkError, match="K/N"):
        part_of([], split)


def test_a_part_into_which_nobody_falls_is_refused() -> None:
    suite = Suite("x", (Log("ann", (), ()),))
    assert part_of([suite], "2/2") == (suite,)
    with pytest.raises(BenchmarkError, match="nobody of 1 falls into part 1/2; take fewer parts or another one"):
        part_of([suite], "1/2")


def made(*texts: str) -> list[Turn]:
    return [Turn(turn_id=str(n), request=text) for n, text in enumerate(texts)]


def test_found_is_the_share_of_gold_turns_and_the_rank_of_the_first() -> None:
    ranking = made(*"abcdefgh")
    assert judge(Query("q", "?", frozenset({"2", "6"})), ranking) == Found(0.5, 1.0, 1 / 3, 1)
    assert judge(Query("q", "?", frozenset({"9"})), ranking) == Found(0.0, 0.0, 0.0, 1)
    assert judge(Query("q", "?", frozenset({"0"})), []) == Found(0.0, 0.0, 0.0, 1)


def test_values_are_found_in_folded_text() -> None:
    query = Query("q", "?", gold_values=("klm", "aisle", "sas"))
    ranking = made("x", "ＫＬＭ or Klm", "x", "x", "x", "the AISLE")
    assert judge(query, ranking) == Found(1 / 3, 2 / 3, (1 / 2 + 1 / 6) / 3, 3)


def test_a_tally_weighs_by_value() -> None:
    tally = Tally([Found(1.0, 1.0, 1.0, 1), Found(0.0, 0.5, 0.25, 3)], seconds=4.0)
    assert tally.as_json() == {
        "n": 2,
        "recall_at_5": 0.25,
        "recall_at_10": 0.625,
        "mrr": 0.4375,
        "queries_per_second": 0.5,
    }
    assert set(Tally().as_json().values()) == {0, None}


def test_turns_are_ranked_by_score_and_state_lines_left_out() -> None:
    turns = made("a", "b", "c")

    def shown(turn: Turn, score: float) -> RecallItem:
        return RecallItem("turn", (turn.turn_id,), turn.request, 1, score=score, turn=turn)

    state = RecallItem("state", ("0",), "x = 1", 2, score=9.0)
    recall = Recall((state, shown(turns[0], 1.0), shown(turns[1], 2.0), shown(turns[2], 1.0)))
    assert ranked_turns(recall, turns) == [turns[1], turns[0], turns[2]]


def test_every_strategy_is_measured_over_a_real_memory() -> None:
    turns = made("I keep bees.", "The bus was late.", "I moved to Ghent.")
    suite = Suite("x", (Log("ann", tuple(turns), (Query("q", "Where did I move to?", frozenset({"2"})),)),))
    steps: list[int] = []
    [row] = evaluate([suite], STRATEGIES, on_step=steps.append).values()
    found = {name: (tally.as_json()["recall_at_5"], tally.as_json()["mrr"]) for name, tally in row.items()}
    assert found == {
        "dense": (1, 1),
        "full": (1, 1 / 3),
        "hybrid": (1, 1),
        "lexical": (1, 1),
        "none": (0, 0),
        "recent": (1, 1),
        "state": (0, 0),
        "stead": (1, 1),
    }
    assert sum(steps) == steps_of([suite], STRATEGIES) == 3 + 8


def invoke(*arguments: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["retrieve", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


def test_the_command_prints_one_json_object(tmp_path: Path) -> None:
    write_locomo(tmp_path)
    write_prefeval(tmp_path)
    status, out, _ = invoke(tmp_path, "--memory", "lexical", "--memory", "none", "--json")
    suites = json.loads(out)["suites"]
    assert (status, list(suites)) == (0, ["locomo", "prefeval"])
    assert list(suites["locomo"]) == ["lexical", "none"]
    figures = suites["locomo"]["lexical"]
    assert figures.pop("queries_per_second") > 0
    # Both turns hold the name, and "Hi Bob." is the shorter one.
    assert figures == {"n": 1, "recall_at_5": 1.0, "recall_at_10": 1.0, "mrr": 0.5}
    assert suites["prefeval"]["none"]["recall_at_10"] == 0


def test_the_command_prints_a_table_a_suite(tmp_path: Path) -> None:
    write_prefeval(tmp_path)
    status, out, _ = invoke(tmp_path, "--memory", "none", "--suite", "prefeval", "--split", "1/1")
    assert status == 0
    assert "prefeval: 1 queries" in out
    assert [cell.strip() for cell in out.splitlines()[-2].split("│")][1:5] == ["none", "0.000", "0.000", "0.000"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "expected a folder that holds one of locomo"),
        (["--suite", "other"], "no suite is called 'other'"),
        (["--split", "2/1"], "a split is K/N"),
        (["--memory", "steed"], "steed"),
        (["--embedder", "other"], "no embedder is called 'other'"),
    ],
)
def test_bad_input_is_one_message_and_status_2(tmp_path: Path, arguments: Sequence[str], said: str) -> None:
    if arguments and arguments[0] != "--suite":
        write_prefeval(tmp_path)
    status, out, err = invoke(tmp_path, *arguments)
    assert (status, out) == (2, "")
    assert err.strip().startswith("stead-bench: ")
    assert said in err


@pytest.mark.slow
def test_stead_finds_what_the_plain_strategies_miss() -> None:
    """Floors well below what is measured (docs/results.md), on a quarter of the people."""
    suites = part_of(load_suites(shared_path("data"), ["prefeval", "bfcl-memory", "personalens"]), "1/4")
    found = {suite: row["stead"].as_json() for suite, row in evaluate(suites, ["stead"]).items()}
    assert found["prefeval"]["recall_at_5"] > 0.8
    assert found["prefeval"]["mrr"] > 0.6
    assert found["personalens"]["recall_at_10"] > 0.75

"""`stead state`, `stead turns` and `stead import`, in process with a deterministic embedder."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from agent.agent import Agent
from agent.cli import app
from agent.commands import data_option
from agent.stewardship.steward import Steward, StewardError, as_value
from clarifier.decision import Proposal
from memory.evidence import Slot
from memory.memory import Memory
from memory.records import CallStep, Observation, Scope, ToolCall, Turn
from memory.state.user_state import fold
from memory.storage.user_memory import UserMemory
from memory.storage.user_settings import UserSettings
from tests.fakes import HashingEmbedder, RecordingExecutor, ScriptedPlanner, ScriptedUser

ZONE = timezone(timedelta(hours=1))
DAY = datetime(2026, 3, 9, 8, tzinfo=ZONE)
SEAT = Slot("book", "seat")


def booked(turn_id: str, request: str, seat: str, *, days: int = 0) -> Turn:
    """Return a turn that booked a seat."""
    call = ToolCall(id="1", name="book", arguments={"seat": seat})
    step = CallStep(calls=(call,), observations=(Observation(content="ok"),))
    return Turn(turn_id=turn_id, request=request, steps=(step,), time=DAY + timedelta(days=days))


TURNS = (
    booked("t1", "The aisle, please", "aisle"),
    booked("t2", "From now on the window", "window", days=1),
    Turn(turn_id="t3", request="My name is Ada", time=DAY + timedelta(days=2)),
)


@pytest.fixture(autouse=True)
def _hashing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_option, "DEFAULT_EMBEDDER", HashingEmbedder())


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a data directory in which Ada is remembered."""
    with Memory.open(tmp_path / "data", embedder=HashingEmbedder()) as memory:
        memory.user(Scope("ada")).remember_all(TURNS)
    return tmp_path / "data"


@pytest.fixture
def ada(tmp_path: Path) -> Iterator[UserMemory]:
    with Memory.open(tmp_path / "own", embedder=HashingEmbedder()) as memory:
        user = memory.user(Scope("ada"))
        user.remember_all(TURNS)
        yield user


def run(*arguments: object, fails: bool = False) -> str:
    """Run `stead` and return what it printed: standard output, or the message with `fails`."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == (2 if fails else 0), result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.stderr if fails else result.stdout


def test_show_names_values_with_their_interval_and_turns(data: Path) -> None:
    shown = run("state", "show", "ada", "--as-of", "t3", "--data", data).splitlines()
    assert shown == [
        "@person.name",
        '  "Ada"  (a fact, you said so on 11 March 2026, since t3, 2026-03-11; said or used in t3)',
        "book.seat",
        '  "window"  (a rule, always, you said so on 10 March 2026, since t2, 2026-03-10; said or used in t2)',
        '  "aisle"  (superseded, since t1, 2026-03-09, until t2; said or used in t1)',
    ]


@pytest.mark.parametrize("moment", ["t1", "0", "2026-03-09T20:00", "2026-03-09T20:00:00+01:00"])
def test_show_as_of_a_turn_a_position_or_a_time(data: Path, moment: str) -> None:
    shown = json.loads(run("state", "show", "ada", "--json", "--as-of", moment, "--data", data))
    (slot,) = shown["slots"]
    (value,) = slot["values"]
    assert (slot["slot"], value["value"], value["status"]) == ("book.seat", "aisle", "current")


def test_show_as_json_gives_everything(data: Path) -> None:
    shown: dict[str, Any] = json.loads(
        run("state", "show", "ada", "--json", "--as-of", "2026-03-11T08:00+01:00", "--data", data)
    )
    seat = next(slot for slot in shown["slots"] if slot["slot"] == "book.seat")
    assert (shown["user"], shown["turns"], shown["is_paused"], shown["retention_days"]) == ("ada", 3, False, {})
    assert seat["values"][1] == {
        "value": "aisle",
        "status": "superseded",
        "is_negated": False,
        "is_rule": False,
        "condition": None,
        "probability": None,
        "since": {"turn": "t1", "time": "2026-03-09T08:00:00+01:00"},
        "until": {"turn": "t2", "time": "2026-03-10T08:00:00+01:00"},
        "evidence": [
            {
                "turn": "t1",
                "time": "2026-03-09T08:00:00+01:00",
                "source": "accepted_call",
                "kind": "plain",
                "echo_of": None,
            }
        ],
    }
    assert seat["values"][0]["probability"] == pytest.approx(0.8 / 1.8)


def test_nothing_known_is_said_so(data: Path) -> None:
    assert run("state", "show", "bob", "--data", data) == "Nothing is believed of bob.\n"
    assert run("turns", "bob", "--data", data) == "No turn of bob is remembered.\n"
    assert run("turns", "ada", "--tenant", "other", "--data", data) == "No turn of ada is remembered.\n"


def test_turns_are_listed_oldest_first(data: Path) -> None:
    assert run("turns", "ada", "--data", data).splitlines() == [
        "t1  2026-03-09 08:00  The aisle, please  [book]",
        "t2  2026-03-10 08:00  From now on the window  [book]",
        "t3  2026-03-11 08:00  My name is Ada",
    ]
    lines = run("turns", "ada", "--json", "--data", data).splitlines()
    assert tuple(Turn.model_validate_json(line) for line in lines) == TURNS


def test_a_correction_is_a_turn_that_holds_and_can_be_forgotten(data: Path) -> None:
    assert run("state", "correct", "ada", "book.seat", "aisle", "--data", data) == (
        'Noted as turn c1: book.seat is "aisle".\n'
    )
    assert run("state", "correct", "ada", "@person.food", "fish", "--not", "--data", data) == (
        'Noted as turn c2: @person.food is not "fish".\n'
    )
    assert '  not "fish"  (holds, since c2' in run("state", "show", "ada", "--data", data)
    with Memory.open(data, embedder=HashingEmbedder()) as memory:
        turns = memory.user(Scope("ada")).turns()
    assert [one.value for one in fold(turns).slots[SEAT].current] == ["aisle"]
    assert run("state", "forget", "ada", "c1", "--data", data) == "Forgotten: 1 turn (c1), with the vectors of 1.\n"
    assert '"window"  (a rule' in run("state", "show", "ada", "--data", data)


def test_a_correction_of_nobody_says_that_nobody_was_known(data: Path) -> None:
    assert run("state", "correct", "ad", "book.seat", "aisle", "--data", data) == (
        'Noted as turn c1: book.seat is "aisle".\n'
        "Nothing was remembered of ad before. `stead state forget ad c1` takes this back.\n"
    )


def test_a_correction_of_a_slot_that_is_not_known_says_which_is(data: Path) -> None:
    assert run("state", "correct", "ada", "book.seet", "aisle", "--data", data) == (
        'Noted as turn c1: book.seet is "aisle".\n'
        "Nothing was known of book.seet before. Did you mean book.seat? `stead state forget ada c1` takes this back.\n"
    )


def test_a_habit_as_of_a_turn_weighs_what_it_weighed_then(data: Path) -> None:
    (slot,) = json.loads(run("state", "show", "ada", "--json", "--as-of", "t1", "--data", data))["slots"]
    assert slot["values"][0]["probability"] == pytest.approx(0.8 / 1.8)


def test_forgetting_a_slot_erases_the_turns_that_speak_for_it(data: Path) -> None:
    erased = run("state", "forget", "ada", "book.seat", "--data", data)
    assert erased == "Forgotten: 2 turns (t1, t2), with the vectors of 2.\n"
    assert run("turns", "ada", "--data", data) == "t3  2026-03-11 08:00  My name is Ada\n"
    assert run("state", "forget", "ada", "--all", "--data", data) == "Forgotten: 1 turn, with the vectors of 1.\n"
    assert run("turns", "ada", "--data", data) == "No turn of ada is remembered.\n"


def test_export_and_import_give_the_same_state(data: Path, tmp_path: Path) -> None:
    file, copy = tmp_path / "ada.jsonl", tmp_path / "copy"
    run("state", "correct", "ada", "book.seat", "aisle", "--data", data)
    run("state", "export", "ada", "--out", file, "--data", data)
    assert file.read_text(encoding="utf-8") == run("state", "export", "ada", "--data", data)
    assert run("import", file, "--data", copy) == (
        "4 turns of 1 user remembered, 0 were known, 0 of 4 lines skipped.\n"
    )
    for directory in (copy, data):
        assert run("import", file, "--data", directory) == (
            "0 turns of 1 user remembered, 4 were known, 0 of 4 lines skipped.\n"
        )
    as_of = ("--json", "--as-of", "2027-01-01")
    assert run("state", "show", "ada", *as_of, "--data", copy) == run("state", "show", "ada", *as_of, "--data", data)


def test_a_pause_remembers_and_uses_nothing_and_ends(ada: UserMemory) -> None:
    steward = Steward(ada)
    steward.pause()
    planner = ScriptedPlanner([Proposal(reply="Hm.")] * 2)
    agent = Agent(ada, planner)
    agent.run("I love window seats", (), executor=RecordingExecutor(), user=ScriptedUser())
    assert planner.seen[0].recall.items == ()
    assert (ada.turns(), agent.turns(), ada.similar(["seat"], 3)) == ((), (), [[]])
    assert steward.turns() == TURNS
    assert str(next(iter(steward.state().slots))) == "book.seat"
    steward.resume()
    assert ada.turns() == TURNS
    agent.run("The window?", (), executor=RecordingExecutor(), user=ScriptedUser())
    assert planner.seen[1].recall.items != ()
    assert [one.turn_id for one in ada.turns()] == ["t1", "t2", "t3", "t4"]


def test_a_pause_outlives_the_process_and_erasure_and_is_one_persons(data: Path) -> None:
    run("state", "pause", "ada", "--data", data)
    assert run("state", "show", "ada", "--data", data).startswith("(paused: nothing new is remembered")
    run("state", "forget", "ada", "--all", "--data", data)
    with Memory.open(data, embedder=HashingEmbedder()) as memory:
        paused, others = memory.user(Scope("ada")), memory.user(Scope("ada", tenant="other"))
        paused.remember_all(TURNS)
        others.remember_all(TURNS)
        assert (paused.kept_turns(), others.turns()) == ((), TURNS)
    assert run("state", "resume", "ada", "--data", data) == "Resumed: 0 turns of ada are used again.\n"


def test_retention_ends_the_use_of_evidence_and_lets_it_be_erased(ada: UserMemory) -> None:
    steward = Steward(ada)
    steward.retain("plain", 1)
    assert ada.settings == UserSettings(retention_days={"plain": 1})
    assert [one.value for one in steward.state().slots[SEAT].candidates] == ["window"]
    steward.retain("plain", 3)
    late = DAY + timedelta(days=3, seconds=1)
    assert [one.value for one in steward.state(now=DAY + timedelta(days=3)).slots[SEAT].candidates] == [
        "window",
        "aisle",
    ]
    assert [one.value for one in steward.state(now=late).slots[SEAT].candidates] == ["window"]
    agent = Agent(ada, ScriptedPlanner([]), clock=lambda: late)
    assert [one.value for one in agent.state().slots[SEAT].candidates] == ["window"]
    assert steward.forget_lapsed(DAY + timedelta(days=400)).turns == 1
    assert [one.turn_id for one in ada.turns()] == ["t2", "t3"]
    steward.retain("standing", 30)
    steward.retain("plain", None)
    assert ada.settings == UserSettings(retention_days={"standing": 30})


def test_retention_is_settled_by_command(data: Path) -> None:
    assert (
        run("state", "retain", "ada", "one_off", "30", "--data", data)
        == "Evidence of kind one_off is used for 30 days.\n"
    )
    assert json.loads(run("state", "show", "ada", "--json", "--data", data))["retention_days"] == {"one_off": 30.0}
    assert run("state", "forget", "ada", "--lapsed", "--data", data) == "Forgotten: 0 turns, with the vectors of 0.\n"
    assert (
        run("state", "retain", "ada", "one_off", "forever", "--data", data)
        == "Evidence of kind one_off is used for ever.\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("state", "show", "ada", "--as-of", "soon"), "'soon' is no turn of `stead turns`"),
        (("state", "show", "ada", "--as-of", "²"), "'²' is no turn of `stead turns`"),
        (("state", "show", "ada", "--as-of", "1" * 5000), "is no turn of `stead turns`"),
        (("state", "show", " "), "a scope needs a user id"),
        (("state", "correct", "ada", "seat", "x"), "a slot is called TOOL.ARGUMENT"),
        (("state", "forget", "ada", "t9"), "'t9' is neither a turn of `stead turns` nor a slot"),
        (("state", "forget", "ada"), "say what to forget"),
        (("state", "forget", "ada", "t1", "--all"), "say what to forget"),
        (("state", "retain", "ada", "plain", "soon"), "a number of days or `forever` was expected, got 'soon'"),
        (("state", "retain", "ada", "plain", "nan"), "days are at least 0, got 'nan'"),
        (("state", "retain", "ada", "plain", "-3"), "days are at least 0, got '-3'"),
        (("state", "retain", "ada", "plan", "3"), "Did you mean 'plain'?"),
        (("state", "correct", "ada", "book.seat", " "), "a value was expected for book.seat, got ' '"),
        (("state", "export", "ada", "--out", "/"), "cannot write '/'"),
        (("import", "/nowhere.jsonl"), "cannot read '/nowhere.jsonl': No such file"),
    ],
)
def test_what_is_wrong_is_one_message_and_exit_status_2(data: Path, arguments: tuple[str, ...], message: str) -> None:
    assert message in run(*arguments, "--data", data, fails=True)


def test_a_directory_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    assert "there is no data directory" in run("turns", "ada", "--data", tmp_path / "none", fails=True)
    assert not (tmp_path / "none").exists()


def test_values_are_read_as_json_where_they_are() -> None:
    assert [as_value(text) for text in ("5", "true", "[1]", '"a"', "aisle", "5 pm")] == [
        5,
        True,
        [1],
        "a",
        "aisle",
        "5 pm",
    ]
    unreadable = ["NaN", "1e999", "1" * 5000, "[" * 100_000]  # as JSON: a name or a number of a person all the same
    assert [as_value(text) for text in unreadable] == unreadable


def test_a_known_slot_goes_before_a_possible_one(ada: UserMemory) -> None:
    call = ToolCall(id="1", name="mcp.book", arguments={"seat": "window"})
    ada.remember(Turn(turn_id="t4", request="Book", steps=(CallStep(calls=(call,), observations=(Observation(),)),)))
    steward = Steward(ada)
    assert steward.slot("mcp.book.seat") == Slot("mcp.book", "seat")
    assert steward.slot("find.filter.price") == Slot("find", "filter.price")
    with pytest.raises(StewardError):
        steward.slot(".x")


def in_log(data: Path, statement: str) -> None:
    with closing(sqlite3.connect(data / "turns.sqlite")) as database:
        database.execute(statement)
        database.commit()


def test_a_damaged_turn_is_named_and_can_be_forgotten(data: Path) -> None:
    in_log(data, "UPDATE turns SET content = '{' WHERE turn_id = 't2'")
    said = run("turns", "ada", "--data", data, fails=True)
    assert "position 1" in said
    assert "Put the turn log back from a backup, or erase turn 't2': `stead state forget USER t2`" in said
    assert run("state", "forget", "ada", "t1", "--data", data, fails=True) == said
    assert run("state", "forget", "ada", "t2", "--data", data) == "Forgotten: 1 turn (t2), with the vectors of 1.\n"
    assert [line.split()[0] for line in run("turns", "ada", "--data", data).splitlines()] == ["t1", "t3"]


@pytest.mark.parametrize("damage", ["{", '{"is_paused": true, "newer": 1}'])
def test_damaged_settings_are_settled_anew(data: Path, damage: str) -> None:
    run("state", "retain", "ada", "plain", 3, "--data", data)
    in_log(data, f"UPDATE user_settings SET content = '{damage}'")
    for command in (["show", "ada"], ["retain", "ada", "plain", 4]):
        said = run("state", *command, "--data", data, fails=True)
        assert said.startswith("stead: what 'ada' has settled cannot be read: it is damaged, or of a newer version (")
        assert "with `stead state pause ada` or `stead state resume ada`" in said
    assert run("state", "resume", "ada", "--data", data) == "Resumed: 3 turns of ada are used again.\n"
    assert json.loads(run("state", "show", "ada", "--json", "--data", data))["retention_days"] == {}


def test_a_directory_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear Ada")
    for command in (["turns", "ada"], ["state", "show", "ada"], ["reindex"]):
        said = run(*command, "--data", tmp_path, fails=True)
        assert said == f"stead: no memory is in {str(tmp_path)!r}; name the directory of `stead chat` with --data\n"
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_position_that_does_not_exist_is_no_moment(data: Path) -> None:
    assert "window" in run("state", "show", "ada", "--as-of", 1, "--data", data)
    for moment in ("3", "99"):
        said = run("state", "show", "ada", "--as-of", moment, "--data", data, fails=True)
        assert said.startswith(f"stead: {moment!r} is no turn of `stead turns`, no position and no time like ")


def test_a_file_of_something_else_is_one_message(data: Path, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Stead\n\nActs in a person's stead.\n", encoding="utf-8")
    assert run("import", tmp_path / "README.md", "--data", data, fails=True) == (
        f"stead: {str(tmp_path / 'README.md')!r} is no JSON Lines file: none of its 2 lines is JSON. "
        "Expected a conversation or an exported turn a line, see `stead import --help`\n"
    )


def test_a_forgotten_turn_comes_back_with_the_file_that_holds_it(data: Path, tmp_path: Path) -> None:
    run("state", "export", "ada", "--out", tmp_path / "ada.jsonl", "--data", data)
    run("state", "forget", "ada", "t1", "--data", data)
    assert run("import", tmp_path / "ada.jsonl", "--data", data) == (
        "1 turn of 1 user remembered, 2 were known, 0 of 3 lines skipped. Turns that were forgotten count as new.\n"
    )


def test_ids_and_days_of_calls_are_left_out_of_what_is_shown_and_rules_are_called_so(data: Path) -> None:
    call = ToolCall(id="1", name="ride", arguments={"trip_id": "IC168", "date": "2026-03-12", "class": "second"})
    ride = Turn(turn_id="t4", request="Book it", steps=(CallStep(calls=(call,), observations=(Observation(),)),))
    rule = Turn(turn_id="t5", request="Going forward, send my receipts to Ann.")
    with Memory.open(data, embedder=HashingEmbedder()) as memory:
        memory.user(Scope("ada")).remember_all((ride, rule))
    shown = run("state", "show", "ada", "--as-of", "t5", "--data", data).splitlines()
    assert shown[:5] == [
        "@person.receipt",
        '  "receipts to Ann"  (a rule, always, you said so, since t5; said or used in t5)',
        "ride.class",
        '  "second"  (once, since t4; said or used in t4)',
        "@person.name",
    ]
    assert shown[-1] == "(and 2 values that are ids and days of calls; --all shows them)"
    everything = run("state", "show", "ada", "--as-of", "t5", "--all", "--data", data).splitlines()
    assert [line for line in everything if line.startswith("ride")] == ["ride.trip_id", "ride.date", "ride.class"]
    assert not everything[-1].startswith("(and")

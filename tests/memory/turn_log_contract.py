"""What every turn log must do, whatever database it is in."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy.engine import URL

from memory.errors import MemoryStoreError, RecordError, ScopeError
from memory.records import CallStep, Observation, QuestionStep, Scope, ToolCall, Turn
from memory.storage.sql_turn_log import SqlTurnLog
from memory.storage.turn_log import LogEntry
from tests.memory.scopes import ALIKE, PARTS, unsayable_scopes

SHANGHAI = timezone(timedelta(hours=8))
ANN = Scope("ann")
FULL_TURN = Turn(
    turn_id="t-1",
    request="帮我订明早去北京的机票 ✈️\nplease",
    steps=(
        CallStep(
            calls=(
                ToolCall(
                    id="c1", name="search", arguments={"to": "北京", "seats": 2, "price": 2.0, "tags": [None, True]}
                ),
            ),
            observations=(Observation(content={"flights": []}),),
        ),
        QuestionStep(question="几点？", answer="九点前", slots=("search.time",)),
        CallStep(calls=(ToolCall(id="c2", name="book"),), observations=(Observation(error="sold out"),)),
    ),
    reply="好的",
    time=datetime(2023, 5, 24, 0, 30, tzinfo=SHANGHAI),
    topic="travel",
)


def turn(turn_id: str, request: str = "hello", **arguments: Any) -> Turn:
    call = CallStep(calls=(ToolCall(id="c", name="f", arguments=arguments),), observations=(Observation(),))
    return Turn(turn_id=turn_id, request=request, steps=(call,))


class TurnLogContract:
    """A backend's test class subclasses this and returns the URL of an empty database from `url`."""

    @pytest.fixture
    def url(self) -> str | URL:
        raise NotImplementedError

    @pytest.fixture
    def log(self, url: str | URL) -> Iterator[SqlTurnLog]:
        with closing(SqlTurnLog(url)) as log:
            yield log

    def test_a_turn_comes_back_as_it_went_in_also_after_reopening(self, url: str | URL) -> None:
        with closing(SqlTurnLog(url)) as log:
            assert log.append(ANN, FULL_TURN) == 0
            assert log.append(ANN, turn("t-2")) == 1
        with closing(SqlTurnLog(url)) as log:
            assert log.turns(ANN) == (FULL_TURN, turn("t-2"))
            assert log.entries(ANN) == (LogEntry(0, FULL_TURN), LogEntry(1, turn("t-2")))
            assert log.entries(ANN, after=0) == (LogEntry(1, turn("t-2")),)
            assert log.entries(ANN, after=1) == ()
            stored = log.turns(ANN)[0]
            assert stored.time is not None
            assert stored.time.utcoffset() == timedelta(hours=8)
            assert [type(value) for value in stored.calls[0].arguments.values()] == [str, int, float, list]
            assert list(stored.calls[0].arguments) == ["to", "seats", "price", "tags"]

    @pytest.mark.parametrize("fold", [0, 1])
    def test_a_time_within_a_change_of_clocks_is_kept(self, log: SqlTurnLog, fold: int) -> None:
        """In that hour a time of the zone equals no time of any other, and JSON keeps the offset alone."""
        twice = datetime(2026, 10, 25, 2, 30, fold=fold, tzinfo=ZoneInfo("Europe/Berlin"))
        log.append(ANN, Turn(turn_id="a", request="x", time=twice))
        assert [stored.time for stored in log.turns(ANN)] == [
            datetime(2026, 10, 25, 2, 30, tzinfo=timezone(timedelta(hours=2 - fold)))
        ]

    def test_the_same_turn_again_changes_nothing(self, log: SqlTurnLog) -> None:
        log.append(ANN, turn("a", x=1, y=2))
        log.append(ANN, turn("b"))
        version = log.version(ANN)
        assert log.append(ANN, turn("a", y=2, x=1)) == 0  # the order of arguments says nothing
        assert log.turns(ANN) == (turn("a", x=1, y=2), turn("b"))
        assert log.version(ANN) == version

    def test_turns_stored_together_are_as_if_stored_one_by_one(self, log: SqlTurnLog) -> None:
        bob = Scope("bob")
        assert log.append_all(ANN, []) == []
        assert log.append_all(ANN, [turn("a"), turn("b")]) == [0, 1]
        assert log.append(ANN, turn("c")) == 2
        assert log.append_all(bob, [turn("c"), turn("c"), turn("d")]) == [0, 0, 1]
        assert log.append_all(ANN, [turn("d"), turn("b"), turn("e")]) == [3, 1, 4]
        assert [(entry.position, entry.turn.turn_id) for entry in log.entries(ANN)] == list(enumerate("abcde"))
        assert log.turns(bob) == (turn("c"), turn("d"))

    @pytest.mark.parametrize("other", [turn("a", x=2), Turn(turn_id="nul \x00", request="x")])
    def test_of_turns_stored_together_those_before_a_refused_one_are(self, log: SqlTurnLog, other: Turn) -> None:
        log.append(ANN, turn("a", x=1))
        with pytest.raises(RecordError):
            log.append_all(ANN, [turn("b"), other, turn("c")])
        assert log.turns(ANN) == (turn("a", x=1), turn("b"))

    def test_another_turn_with_a_known_id_is_refused(self, log: SqlTurnLog) -> None:
        log.append(ANN, turn("a", x=1))
        for other in (turn("a", x=2), turn("a", x=True), turn("a", "hello ", x=1)):
            with pytest.raises(RecordError, match="'a' is in the log with another content"):
                log.append(ANN, other)
        assert log.turns(ANN) == (turn("a", x=1),)

    def test_a_turn_grows_in_its_place_and_readers_take_everything_in_anew(self, log: SqlTurnLog) -> None:
        begun, bob = Turn(turn_id="a", request="hello"), Scope("bob")
        grown = Turn(turn_id="a", request="hello", reply="hi")
        for scope in (ANN, bob):
            log.append(scope, begun)
        log.append(ANN, turn("b"))
        before = log.version(ANN)
        assert log.grow(ANN, grown) == 0
        assert (log.turns(ANN), log.turns(bob)) == ((grown, turn("b")), (begun,))
        after = log.version(ANN)
        assert before is not None
        assert after is not None
        assert not before.only_grew_to(after)
        for other in (begun, Turn(turn_id="a", request="hello", reply="ho"), Turn(turn_id="new", request="x")):
            with pytest.raises(RecordError, match="is not the beginning of a turn that is in the log"):
                log.grow(ANN, other)
        assert (log.turns(ANN), log.version(ANN)) == ((grown, turn("b")), after)
        assert log.append(ANN, turn("c")) == 2

    def test_turn_ids_compare_byte_for_byte(self, log: SqlTurnLog) -> None:
        for turn_id in ALIKE:
            log.append(ANN, turn(turn_id))
        assert log.turns(ANN) == tuple(turn(turn_id) for turn_id in ALIKE)
        assert log.forget(ANN, ["a%", "acme", "ALICE"]) == 3
        assert [left.turn_id for left in log.turns(ANN)] == [i for i in ALIKE if i not in {"a%", "acme", "ALICE"}]

    @pytest.mark.parametrize("part", PARTS)
    def test_scopes_that_look_alike_share_nothing(self, log: SqlTurnLog, part: str) -> None:
        scopes = {name: Scope(**({"user": "u"} | {part: name})) for name in ALIKE}
        for name, scope in scopes.items():
            assert log.append(scope, turn("t", f"secret of {name}")) == 0
        assert log.scopes() == dict.fromkeys(sorted(scopes.values(), key=lambda scope: scope.key), 1)
        for name, scope in scopes.items():
            assert log.turns(scope) == (turn("t", f"secret of {name}"),)
            assert log.entries(scope, after=-1) == (LogEntry(0, turn("t", f"secret of {name}")),)
        assert len({log.version(scope) for scope in scopes.values()}) == len(ALIKE)
        for forgotten in ALIKE:
            gone = scopes.pop(forgotten)
            assert log.forget(gone) == 1
            assert (log.version(gone), log.turns(gone)) == (None, ())
            assert {name: log.turns(scope) for name, scope in scopes.items()} == {
                name: (turn("t", f"secret of {name}"),) for name in scopes
            }
        assert log.scopes() == {}

    def test_scope_parts_do_not_run_together(self, log: SqlTurnLog) -> None:
        log.append(Scope("c", tenant="ab"), turn("t"))
        assert log.turns(Scope("bc", tenant="a")) == ()
        assert log.turns(Scope("ab", tenant="c")) == ()

    @pytest.mark.parametrize("scope", unsayable_scopes())
    def test_what_is_no_scope_is_refused_by_every_verb(self, log: SqlTurnLog, scope: Any) -> None:
        for verb in (log.turns, log.entries, log.version, log.forget, lambda who: log.append(who, turn("t"))):
            with pytest.raises(ScopeError):
                verb(scope)
        assert log.scopes() == {}

    def test_an_id_names_one_turn_exactly(self, log: SqlTurnLog) -> None:
        """Case B35, as far as it applies: there is no adapter to LangGraph's store, and the log is append-only.

        Putting an id again never appends: the same turn changes nothing, another one is refused.
        """
        first, alike = turn("1", x=1), [turn("10"), turn("%"), turn("_"), turn("I"), turn("i"), turn(" 1")]
        positions = [log.append(ANN, item) for item in (first, *alike)]
        assert positions == list(range(7))
        assert [log.append(ANN, item) for item in (first, *alike)] == positions
        with pytest.raises(RecordError, match="another content"):
            log.append(ANN, turn("1", x=2))
        assert log.turns(ANN) == (first, *alike)
        assert log.forget(ANN, ["1"]) == 1
        assert log.turns(ANN) == tuple(alike)
        assert log.forget(ANN, ["%", "_"]) == 2
        assert [item.turn_id for item in log.turns(ANN)] == ["10", "I", "i", " 1"]
        assert log.append(ANN, turn("1", x=2)) == 7
        assert log.turns(ANN)[-1] == turn("1", x=2)

    def test_positions_keep_growing_after_some_turns_were_forgotten(self, log: SqlTurnLog) -> None:
        for turn_id in "abc":
            log.append(ANN, turn(turn_id))
        assert log.forget(ANN, ["a", "c", "unknown", "a"]) == 2
        assert log.append(ANN, turn("d")) == 3
        assert log.entries(ANN) == (LogEntry(1, turn("b")), LogEntry(3, turn("d")))
        assert log.forget(ANN, []) == 0
        assert log.forget(ANN, (str(number) for number in range(2000))) == 0  # type: ignore[arg-type]  # any iterable does
        assert log.forget(ANN) == 2
        assert log.forget(ANN) == 0

    def test_every_change_gives_another_version_and_growth_is_told_from_erasure(self, log: SqlTurnLog) -> None:
        assert log.version(ANN) is None
        log.append(ANN, turn("a"))
        log.append(Scope("bob"), turn("a"))
        first = log.version(ANN)
        log.append(ANN, turn("b"))
        grown = log.version(ANN)
        log.forget(ANN, ["b"])
        log.append(ANN, turn("c"))
        erased = log.version(ANN)
        log.forget(ANN)
        log.append(ANN, turn("a"))
        log.append(ANN, turn("b"))
        renewed = log.version(ANN)
        assert first is not None
        assert grown is not None
        assert erased is not None
        assert renewed is not None
        assert len({first, grown, erased, renewed}) == 4
        assert first.only_grew_to(grown)
        assert not grown.only_grew_to(erased)
        assert not grown.only_grew_to(renewed)

    @pytest.mark.parametrize("value", [float("nan"), float("inf"), "half a pair \ud83d", {"deep": [float("-inf")]}])
    def test_a_turn_that_json_cannot_hold_is_refused(self, log: SqlTurnLog, value: Any) -> None:
        with pytest.raises(RecordError, match="turn 't'"):
            log.append(ANN, turn("t", x=value))
        assert log.turns(ANN) == ()

    def test_a_turn_that_no_reader_of_json_takes_is_refused(self, log: SqlTurnLog) -> None:
        value: Any = "v"
        for _ in range(200):
            value = [value]
        with pytest.raises(RecordError, match=r"turn 't' could not be read back .* nest .* at most 100 deep"):
            log.append(ANN, turn("t", x=value))
        with pytest.raises(RecordError, match="turn 't' would be read back as another one"):
            log.append(ANN, turn("t", x={"\ud800": 1}))
        assert log.turns(ANN) == ()

    @pytest.mark.parametrize("turn_id", ["t\x00", " ", "x" * 513])
    def test_a_turn_id_that_no_database_stores_is_refused(self, log: SqlTurnLog, turn_id: str) -> None:
        with pytest.raises(RecordError, match="no database stores"):
            log.append(ANN, turn(turn_id))
        assert log.turns(ANN) == ()

    def test_the_longest_ids_are_kept(self, log: SqlTurnLog) -> None:
        long = "".join(chr(0x4E00 + number) for number in range(170))
        scope = Scope(long, tenant=long, agent=long)
        log.append(scope, turn(long))
        assert log.turns(scope) == (turn(long),)

    def test_text_of_any_kind_is_kept(self, log: SqlTurnLog) -> None:
        texts = ["", " ", "\x00\x1f", "'; DROP TABLE turns; --", "𝔘𝔫𝔦", "\u2028\ufeff", "x" * 200_000]
        for number, text in enumerate(texts):
            log.append(ANN, turn(str(number), text))
        assert [stored.request for stored in log.turns(ANN)] == texts

    def test_threads_append_without_losing_or_doubling_a_turn(self, url: str | URL) -> None:
        """Twice the same work from logs of their own, as several processes would do it."""
        barrier = threading.Barrier(8, timeout=30)

        def work(worker: int) -> None:
            with closing(SqlTurnLog(url)) as log:
                barrier.wait()
                for number in range(10):
                    log.append(ANN, turn(f"same-{number}"))
                    log.append(ANN, turn(f"own-{worker}-{number}"))

        workers = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        with closing(SqlTurnLog(url)) as log:
            entries = log.entries(ANN)
        assert [entry.position for entry in entries] == list(range(90))
        assert {entry.turn.turn_id for entry in entries} == {f"same-{n}" for n in range(10)} | {
            f"own-{worker}-{n}" for worker in range(8) for n in range(10)
        }

    def test_a_closed_log_is_refused(self, log: SqlTurnLog) -> None:
        log.close()
        for verb in (log.turns, log.version, log.forget, lambda who: log.append(who, turn("t"))):
            with pytest.raises(MemoryStoreError, match="is closed"):
                verb(ANN)

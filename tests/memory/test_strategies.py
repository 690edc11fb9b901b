from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from memory.embedder import Matrix, Vector
from memory.errors import IncompleteStrategyError, UnknownStrategyError
from memory.language.text import tokenise
from memory.ranking.ranker import Ranked
from memory.recall import Hit, Recall, TurnVectors
from memory.records import Turn
from memory.rendering import index_text, render_turn
from memory.state.extraction import extract_all
from memory.strategies import STRATEGIES, default_budget, open_strategy
from memory.strategies._ranking import fuse
from memory.tokens import count_tokens
from memory.tools import Parameter, Tool
from tests.memory.turns import asked, call, turn

IGNORE_BUDGETS = ("full", "none")


class TermEmbedder:
    """The vector of a text is the sum of one random direction a term."""

    fingerprint = "terms"
    dimensions = 64

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed_query(self, text: str) -> Vector:
        self.asked.append(text)
        return vector(text)

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        return np.array([vector(text) for text in texts], dtype=np.float32).reshape(len(texts), 64)


class Shelf:
    """Turns in a list."""

    def __init__(self, turns: Sequence[Turn] = ()) -> None:
        self.log = list(turns)
        self.embedder = TermEmbedder()

    def turns(self) -> tuple[Turn, ...]:
        return tuple(self.log)

    def similar(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        rows = [(turn.turn_id, vector(index_text(turn))) for turn in self.log]
        return [
            sorted((Hit(id_, float(row @ vector(query))) for id_, row in rows), key=lambda hit: -hit.similarity)[:k]
            for query in queries
        ]

    def vectors(self) -> TurnVectors:
        rows = self.embedder.embed_documents([index_text(turn) for turn in self.log])
        return TurnVectors(tuple(turn.turn_id for turn in self.log), rows)


def vector(text: str) -> Vector:
    """Return a unit vector of 64 dimensions that depends on the terms of `text` alone."""
    total = np.zeros(64, dtype=np.float32)
    for term in tokenise(text):
        total += np.random.default_rng(zlib.crc32(term.encode())).standard_normal(64, dtype=np.float32)
    length = float(np.linalg.norm(total))
    return total / np.float32(length) if length else total


def tool(name: str, *required: str, optional: Sequence[str] = ()) -> Tool:
    """Return a tool whose parameters take text."""
    parameters = [
        *(Parameter(name=one, is_required=True) for one in required),
        *(Parameter(name=one) for one in optional),
    ]
    return Tool(name=name, parameters=tuple(parameters), definition={})


FORECAST = tool("getForecast", "city", optional=["format"])
BOOK = tool("bookSeat", "train", "seat")
LOG = [
    turn(
        "t0", "Rain in Ghent?", call("getForecast", returns={"rain_mm": 3}, city="Ghent", format="CSV"), reply="Some."
    ),
    turn("t1", "Seat on IC9, from now on always the window.", call("bookSeat", train="IC9", seat="window")),
    turn("t2", "我对花生过敏", reply="记住了"),
    turn("t3", "An aisle for my wife on IC7.", call("bookSeat", train="IC7", seat="aisle")),
    turn("t4", "Ghent again", asked("Today?", "Yes"), call("getForecast", city="Ghent"), reply="Dry."),
]


def recall(name: str, request: str, tools: Sequence[Tool] = (FORECAST,), budget: int = 600) -> Recall:
    """Recall from `LOG`."""
    return open_strategy(name, Shelf(LOG)).recall(request, tools, None, budget)


def ids(recalled: Recall) -> list[tuple[str, str]]:
    """Return kind and turn of the items that are turns."""
    return [(item.kind, item.turn.turn_id) for item in recalled.items if item.turn is not None]


def test_the_strategies_are_the_modules() -> None:
    assert STRATEGIES == ("dense", "full", "hybrid", "lexical", "none", "recent", "state", "stead")
    assert {name: default_budget(name) for name in STRATEGIES} == {
        **dict.fromkeys(STRATEGIES, 600),
        "stead": 1500,
        **dict.fromkeys(IGNORE_BUDGETS, 0),
    }


@pytest.mark.parametrize("name", ["steed", "", "_registry", "../full", "full.create"])
def test_an_unknown_name_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(UnknownStrategyError, match="choose one of dense, full, hybrid, lexical, none, recent, state"):
        open_strategy(name, Shelf())
    with pytest.raises(UnknownStrategyError):
        default_budget(name)


@pytest.mark.parametrize("missing", ["create", "DEFAULT_BUDGET_TOKENS"])
def test_a_strategy_that_lacks_something_is_told_what(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(f"memory.strategies.full.{missing}")

    with pytest.raises(IncompleteStrategyError, match=f"'full' does not define '{missing}'"):
        default_budget("full")


words = st.sampled_from(["rain", "seat", "always", "Ghent", "window", "过敏", "for my wife", "undo that", "x" * 200])
texts = st.lists(words, min_size=1, max_size=6).map(" ".join)
values = st.sampled_from(["Ghent", "Oslo", "window", "很长的值" * 30])
steps = st.builds(
    lambda city, seat: call("getForecast", returns=["dry"] * 30, city=city, format=seat), values, values
) | (st.builds(lambda seat: call("bookSeat", returns="ok", train="IC9", seat=seat), values))
logs = st.lists(st.tuples(texts, st.lists(steps, max_size=2), texts), max_size=7).map(
    lambda rows: [turn(f"t{n}", said, *made, reply=reply) for n, (said, made, reply) in enumerate(rows)]
)


@pytest.mark.parametrize("name", STRATEGIES)
class TestEveryStrategy:
    def test_has_its_name(self, name: str) -> None:
        assert open_strategy(name, Shelf()).name == name

    def test_recalls_nothing_from_nothing(self, name: str) -> None:
        assert open_strategy(name, Shelf()).recall("Rain?", [FORECAST], None, 600) == Recall()

    def test_shows_what_its_items_say_they_show(self, name: str) -> None:
        known = {piece: None for piece in extract_all(LOG)}
        for item in recall(name, "Rain in Ghent, window seat? 过敏", [FORECAST, BOOK]).items:
            assert item.tokens == count_tokens(item.text)
            assert item.turn_ids
            assert all(piece in known and piece.turn_id in item.turn_ids for piece in item.evidence)
            if item.turn is not None:
                assert item.text == render_turn(item.turn)
                assert item.turn_ids == (item.turn.turn_id,)
                assert item.evidence == tuple(piece for piece in known if piece.turn_id == item.turn.turn_id)

    def test_reads_in_order(self, name: str) -> None:
        kinds = ["state", "exemplar", "turn", "topic"]
        items = recall(name, "Rain in Ghent, window seat? 过敏").items
        order = [(kinds.index(item.kind), item.turn.turn_id if item.turn else "") for item in items]
        assert order == sorted(order)

    def test_is_repeatable(self, name: str) -> None:
        assert recall(name, "Rain?", [FORECAST, BOOK]) == recall(name, "Rain?", [FORECAST, BOOK])

    def test_sees_a_turn_at_once(self, name: str) -> None:
        shelf = Shelf(LOG[:1])
        strategy = open_strategy(name, shelf)
        before = strategy.recall("Rain in Ghent?", [FORECAST], None, 600)
        shelf.log.append(LOG[4])
        strategy.observe(LOG[4])
        after = strategy.recall("Rain in Ghent?", [FORECAST], None, 600)
        assert after == open_strategy(name, Shelf([LOG[0], LOG[4]])).recall("Rain in Ghent?", [FORECAST], None, 600)
        assert (after != before) or name == "none"

    @pytest.mark.parametrize("gone", [0, 1, 3, 4])
    def test_a_deleted_turn_is_as_if_it_had_never_been(self, name: str, gone: int) -> None:
        shelf = Shelf(LOG)
        strategy = open_strategy(name, shelf)
        strategy.recall("Rain in Ghent, window seat?", [FORECAST, BOOK], None, 600)
        del shelf.log[gone]
        never = open_strategy(name, Shelf(shelf.log))
        for request in ("Rain in Ghent, window seat?", "IC9"):
            assert strategy.recall(request, [BOOK, FORECAST], None, 600) == never.recall(
                request, [BOOK, FORECAST], None, 600
            )

    @settings(deadline=None)  # how long a recall takes is measured elsewhere
    @given(log=logs, request=texts, budget=st.sampled_from([0, 1, 10, 23, 24, 60, 150, 600]))
    def test_never_exceeds_its_budget(self, name: str, log: list[Turn], request: str, budget: int) -> None:
        recalled = open_strategy(name, Shelf(log)).recall(request, [FORECAST, BOOK], None, budget)
        assert name in IGNORE_BUDGETS or recalled.tokens <= budget
        shown = [item.turn.turn_id for item in recalled.items if item.turn is not None]
        assert len(shown) == len(set(shown))

    def test_needs_no_tools(self, name: str) -> None:
        assert recall(name, "Rain?", []).tokens >= 0


def test_none_recalls_nothing() -> None:
    assert recall("none", "Rain?") == Recall()


def test_full_recalls_every_turn_whole() -> None:
    recalled = recall("full", "Rain?", budget=1)
    # What is sensitive is for its own task alone, whatever the strategy.
    assert recalled.turns == tuple(
        one.model_copy(update={"request": "…"}) if one.turn_id == "t2" else one for one in LOG
    )
    assert recall("full", "过敏?", budget=1).turns == tuple(LOG)
    assert ids(recalled) == [("turn", "t0"), ("turn", "t1"), ("turn", "t2"), ("turn", "t3"), ("topic", "t4")]
    assert recalled.evidence == extract_all(LOG)


def test_recent_recalls_an_unbroken_run_of_last_turns() -> None:
    assert ids(recall("recent", "?", budget=60)) == [("turn", "t3"), ("topic", "t4")]
    long = [*LOG[:3], turn("t3", "word " * 500), LOG[4]]
    assert ids(open_strategy("recent", Shelf(long)).recall("?", [FORECAST], None, 200)) == [("topic", "t4")]


def test_lexical_recalls_turns_with_the_words() -> None:
    assert ids(recall("lexical", "window")) == [("turn", "t1")]
    assert ids(recall("lexical", "花生过敏怎么办")) == [("turn", "t2")]
    assert recall("lexical", "volcano") == Recall()


def test_dense_recalls_the_nearest_turn_first() -> None:
    best = max(recall("dense", "我对花生过敏").items, key=lambda item: item.score)
    assert best.turn_ids == ("t2",)
    assert ids(recall("dense", "我对花生过敏", budget=24)) == [("turn", "t2")]


def test_fuses_by_reciprocal_rank() -> None:
    one, other = [Ranked(7, 9.0), Ranked(3, 8.0)], [Ranked(3, 0.5), Ranked(5, 0.4)]
    assert fuse([one, other]) == [
        Ranked(3, 1 / 62 + 1 / 61),
        Ranked(7, 1 / 61),
        Ranked(5, 1 / 62),
    ]
    assert fuse([one, other], [0.0, 2.0])[0] == Ranked(3, 2 / 61)
    assert fuse([[Ranked(2, 1.0)], [Ranked(1, 1.0)]]) == [
        Ranked(1, 1 / 61),
        Ranked(2, 1 / 61),
    ]
    assert fuse([]) == []


def test_hybrid_recalls_what_either_ranking_finds() -> None:
    recalled = recall("hybrid", "window")
    assert max(recalled.items, key=lambda item: item.score).turn_ids == ("t1",)
    assert len(recalled.items) == len(LOG)


def test_state_shows_what_may_fill_the_slots_on_offer() -> None:
    recalled = recall("state", "Rain?", [FORECAST, BOOK])
    assert [(item.text, item.turn_ids) for item in recalled.items] == [
        ('bookSeat.seat = "window" (always, 4 turns ago)', ("t1",)),
        ('getForecast.city = "Ghent" (twice, 1 turn ago)', ("t0", "t4")),
        ('bookSeat.train = "IC9" (once, 4 turns ago)', ("t1",)),
        ('getForecast.format = "CSV" (once, 5 turns ago)', ("t0",)),
    ]
    assert [(str(piece.slot), piece.value, piece.kind) for piece in recalled.items[0].evidence] == [
        ("bookSeat.seat", "window", "standing")
    ]


def test_state_shows_a_borrowed_value_under_its_own_name() -> None:
    hotel = tool("findHotel", "location")
    assert [item.text for item in recall("state", "A hotel", [hotel]).items] == [
        'getForecast.city = "Ghent" (twice, 1 turn ago)'
    ]


def test_state_leaves_out_days_and_long_texts() -> None:
    log = [turn("t0", "Write", call("mail", date="2026-03-09", body="word " * 100, birthDate="1980-02-01"))]
    mail = tool("mail", "date", "body", "birthDate")
    recalled = open_strategy("state", Shelf(log)).recall("Write", [mail], None, 600)
    assert [item.text for item in recalled.items] == ['mail.birthDate = "1980-02-01" (once, 1 turn ago)']


def test_stead_recalls_state_exemplars_and_the_topic() -> None:
    recalled = recall("stead", "And tomorrow?")
    assert [item.kind for item in recalled.items if item.turn is None] == ["state", "state"]
    assert ids(recalled)[-1] == ("topic", "t4")
    assert ("exemplar", "t0") in ids(recalled)
    assert ("turn", "t1") in ids(recalled)


def test_stead_asks_the_vectors_about_the_slots_nothing_is_known_about() -> None:
    shelf = Shelf(LOG)
    open_strategy("stead", shelf).recall("Fly me", [tool("bookFlight", "cabin", optional=["meal"]), BOOK], None, 600)
    assert shelf.embedder.asked == ["book flight: cabin", "Fly me"]


def test_stead_keeps_to_its_budget_with_a_long_topic_after_earlier_turns() -> None:
    earlier = [turn(f"e{n}", "A seat", call("bookSeat", seat="window"), reply="Done. " * 30) for n in range(6)]
    topic = [turn(f"t{n}", "Rain?", call("getForecast", city="Ghent"), reply="Dry. " * 60) for n in range(6)]
    recalled = open_strategy("stead", Shelf([*earlier, *topic])).recall("Rain?", [FORECAST], None, 300)
    assert {kind for kind, _ in ids(recalled)} == {"turn", "topic"}
    assert 250 <= recalled.tokens <= 300


def test_stead_prefers_earlier_calls_of_a_tool_on_offer() -> None:
    others = [turn(f"o{n}", f"Seat number {n}", call("bookSeat", seat="window")) for n in range(4)]
    rain, last = (
        turn("rain", "Umbrella?", call("getForecast", city="Ghent")),
        turn("l", "A", call("bookSeat", seat="b")),
    )
    shelf = Shelf([*others, rain, last])
    assert shelf.similar(["Glove"], 1)[0][0].turn_id != "rain"
    recalled = open_strategy("stead", shelf).recall("Glove", [FORECAST], None, 600)
    exemplar, *rest = sorted((item for item in recalled.items if item.turn), key=lambda item: -item.score)
    assert (exemplar.kind, exemplar.turn_ids) == ("exemplar", ("rain",))
    assert {item.kind for item in rest} == {"turn"}


def test_stead_gives_the_topic_what_others_leave() -> None:
    topic = [
        turn(f"t{n}", f"Rain, {n}th time?", call("getForecast", city="Ghent"), reply="Dry. " * 20) for n in range(5)
    ]
    recalled = open_strategy("stead", Shelf(topic)).recall("And now?", [FORECAST], None, 600)
    assert ids(recalled) == [("topic", f"t{n}") for n in range(5)]


def test_stead_keeps_ids_that_a_turn_of_the_topic_found() -> None:
    found: JsonValue = [{"parcel_id": f"P-{n}", "shelf": "B", "note": "left at the desk " * 9} for n in range(4)]
    topic = [turn("t0", "Any parcels for me?", call("listParcels", returns={"parcels": found}), reply="Four. " * 60)]
    topic += [turn(f"t{n}", "And?", call("listParcels"), reply="Nothing new. " * 40) for n in (1, 2)]
    tools = [tool("listParcels"), tool("keepParcel", "parcelId")]
    recalled = open_strategy("stead", Shelf(topic)).recall("Keep the last one", tools, None, 200)
    assert ids(recalled) == [("topic", "t0"), ("topic", "t1"), ("topic", "t2")]
    assert recalled.items[0].text.splitlines()[:2] == [
        "user: Any parcels for me?",
        'call listParcels() -> {"parcels": [{"parcel_id": "P-0"}, {"parcel_id": "P-1"}, {"parcel_id": "P-2"}, '
        '{"parcel_id": "P-3"}]}',
    ]


def test_stead_recalls_a_long_turn_that_holds_what_is_asked_for() -> None:
    long = turn("t0", "The daycare closes at five. " + "We talked about the weather. " * 20)
    recalled = open_strategy("stead", Shelf([long, turn("t1", "Hello")])).recall("Daycare closing time?", [], None, 600)
    assert ("turn", "t0") in ids(recalled)


def test_stead_puts_a_stated_preference_before_a_question_on_the_same_topic() -> None:
    log = [
        turn("t0", "Which hotels in Lisbon have a pool?"),
        turn("t1", "I always avoid hotels with a pool."),
        turn("t2", "Book a hotel with a pool in Lisbon."),
        turn("t3", "我从来不住有泳池的酒店。"),
        turn("t4", "有泳池的酒店有哪些？"),
    ]
    strategy = open_strategy("stead", Shelf(log))
    for request, best in (("Recommend me hotels with a pool", "t1"), ("给我推荐有泳池的酒店", "t3")):
        items = strategy.recall(request, [], None, 600).items
        assert max(items, key=lambda item: item.score).turn_ids == (best,)


def test_state_lines_of_one_name_and_one_evidence_are_one_line() -> None:
    log = [turn("t0", "Rain in Ghent?", call("getForecast", city="Ghent"))]
    tools = [tool("findHotel", "city"), tool("findTrain", "city")]
    assert [item.text for item in open_strategy("state", Shelf(log)).recall("x", tools, None, 600).items] == [
        'getForecast.city = "Ghent" (once, 1 turn ago)'
    ]


def test_state_marks_what_is_superseded_and_what_was_meant_once() -> None:
    log = [
        turn("t0", "A seat", call("bookSeat", seat="window")),
        turn("t1", "Seat, from now on always the aisle.", call("bookSeat", seat="aisle")),
        turn("t2", "Middle seat, just this once.", call("bookSeat", seat="middle")),
    ]
    [item] = open_strategy("state", Shelf(log)).recall("Seat", [tool("bookSeat", "seat")], None, 600).items
    assert item.text == (
        'bookSeat.seat = "aisle" (always, 2 turns ago); "middle" (that once only, 1 turn ago); '
        '"window" (superseded, 3 turns ago)'
    )
    assert [piece.value for piece in item.evidence] == ["aisle"]


def test_stead_shows_the_best_turn_with_the_one_it_answers() -> None:
    log = [
        turn("t0", "Somewhere to eat?", reply="1. The oyster bar. 2. The curry house. " + "Both are near. " * 30),
        turn("t1", "I'd rather take the second, shellfish makes me ill."),
        *(turn(f"o{n}", f"The weather report number {n} says rain. " * 8) for n in range(9)),
    ]
    recalled = open_strategy("stead", Shelf(log)).recall("Does shellfish make me ill?", [], None, 130)
    assert [item.turn_ids[0] for item in recalled.items][:2] == ["t0", "t1"]
    assert "The curry house" in recalled.items[0].text
    assert recalled.tokens <= 130


def test_stead_shows_what_was_said_in_passing_for_the_tools_on_offer() -> None:
    wordy = "Log the run along the river, past the mill and the two bridges and back by the allotments. " * 12
    said = asked("How long?", "Half an hour. School starts early, so I can catch trains from eight now.")
    log = [
        turn("t0", "A train.", call("findTrains", departure="08:15")),
        turn("t1", wordy, said, call("logRun", minutes=30)),
        turn("t2", "Hello"),
    ]
    strategy = open_strategy("stead", Shelf(log))
    recalled = strategy.recall("My usual ride", [tool("findTrains", "departure")], None, 260)
    [remark] = [item for item in recalled.items if item.turn_ids == ("t1",)]
    assert remark.text == "user: …\nanswered: School starts early, so I can catch trains from eight now."
    assert remark.evidence == ()
    assert ids(recalled) == [("exemplar", "t0"), ("turn", "t1"), ("turn", "t2")]


def test_stead_recalls_the_list_that_names_what_the_request_names() -> None:
    beds: JsonValue = [{"bedId": "B-1", "label": "bean row"}, {"bedId": "B-2", "label": "polytunnel"}]
    water = tool("waterBed", "bedId")
    log = [
        turn("t0", "Which beds have I got?", call("listBeds", returns=beds)),
        *(turn(f"w{n}", "Water my beans. " * 5, call("waterBed", bedId="B-1"), reply="Done. " * 9) for n in range(9)),
        turn("x", "Hello", call("other")),
    ]
    recalled = open_strategy("stead", Shelf(log)).recall("Polytunnel too", [tool("listBeds"), water], None, 160)
    assert '{"bedId": "B-2", "label": "polytunnel"}' in "\n".join(item.text for item in recalled.items)


def test_stead_keeps_the_id_that_a_wordy_earlier_call_brought() -> None:
    wordy = "Put me down for Tuesday, and mind the draught by the door, which is no joke at my age. " * 4
    log = [
        turn("t0", wordy, call("bookRoom", returns={"bookingId": "BK-7", "day": "Tuesday"}, day="Tuesday")),
        turn("x", "Hello", call("other")),
    ]
    tools = [tool("bookRoom", "day"), tool("cancelRoom", "bookingId")]
    recalled = open_strategy("stead", Shelf(log)).recall("Cancel it", tools, None, 200)
    [item] = [item for item in recalled.items if item.kind == "exemplar"]
    assert item.text.splitlines()[1] == 'call bookRoom(day="Tuesday") -> {"bookingId": "BK-7"}'
    assert item.text.startswith("user: Put me down for Tuesday")
    assert item.tokens <= 90


def test_stead_shows_of_a_long_topic_the_turn_that_lists_what_is_named() -> None:
    owned: JsonValue = [{"machineId": "M-1", "kind": "freezer"}, {"machineId": "M-2", "kind": "washing machine"}]
    wordy = "It hums and it hums and the guests ask whether we keep bees in the back of the kitchen. " * 6
    log = [
        turn("t0", "What machines have I got?", call("listMachines", returns=owned)),
        *(turn(f"d{n}", wordy, call("diagnose", machineId="M-1", symptom="hums")) for n in range(3)),
    ]
    tools = [tool("listMachines"), tool("diagnose", "machineId", "symptom")]
    recalled = open_strategy("stead", Shelf(log)).recall("Now the washing machine leaks", tools, None, 300)
    assert ids(recalled)[0] == ("topic", "t0")
    assert ids(recalled)[-1] == ("topic", "d2")
    assert '"machineId": "M-2"' in recalled.items[[item.turn_ids for item in recalled.items].index(("t0",))].text


def test_a_state_line_brings_the_newest_evidence_of_a_habit_and_all_of_a_rule() -> None:
    uses = [turn(f"h{number}", "My seat", call("book_seat", seat="aisle")) for number in range(100)]
    (habit,) = open_strategy("state", Shelf(uses)).recall("a seat", [tool("book_seat", "seat")], None, 600).items
    assert habit.text == 'book_seat.seat = "aisle" (usually, 100x, 1 turn ago)'
    assert [piece.turn_id for piece in habit.evidence] == [f"h{number}" for number in range(36, 100)]
    assert habit.turn_ids == tuple(piece.turn_id for piece in habit.evidence)

    ruled = [turn("r", "An aisle seat, from now on always.", call("book_seat", seat="aisle")), *uses]
    (rule,) = open_strategy("state", Shelf(ruled)).recall("a seat", [tool("book_seat", "seat")], None, 600).items
    assert [piece.turn_id for piece in rule.evidence] == ["r", *(f"h{number}" for number in range(36, 100))]


def test_a_short_history_is_recalled_whole_unless_a_budget_is_set() -> None:
    log = [turn(f"t{number}", f"Rain in Ghent on day {number}?", reply="No rain.") for number in range(40)]
    strategy = open_strategy("stead", Shelf(log))
    assert len(strategy.recall("Rain?", [FORECAST], None, default_budget("stead")).turns) == len(log)
    assert len(strategy.recall("Rain?", [FORECAST], None, 600).turns) < len(log)
    longer = [turn(f"t{number}", "Rain in Ghent? " * 20, reply="No rain.") for number in range(80)]
    recalled = open_strategy("stead", Shelf(longer)).recall("Rain?", [FORECAST], None, default_budget("stead"))
    assert recalled.tokens <= default_budget("stead")


def test_results_of_the_topic_have_room_of_their_own_and_replies_stay() -> None:
    url = "https://reports.example/scans/4f1c9a7e2b/verdicts?lang=en&page=2"
    scans = {"scans": [{"id": f"S-{number}", "url": f"{url}&n={number}", "verdict": "Malware"} for number in range(30)]}
    log = [
        turn("t0", "Scan them all", call("scanSites", returns=scans), reply="12 of 30 are malware, 84.20 in all."),
        turn("t1", "And report", call("report", returns={"done": True}), reply="Reported."),
    ]
    tools = [tool("scanSites", "url"), tool("report")]
    recalled = open_strategy("stead", Shelf(log)).recall("Same for S-3", tools, None, 600)
    (first, _) = recalled.items
    assert "12 of 30 are malware, 84.20 in all." in first.text
    assert '"S-3"' in first.text
    assert first.text.count("https://") == first.text.count("lang=en&page=2&n=")
    assert "by name alone" in first.text


def test_an_id_that_was_used_once_is_an_event_and_a_habit_is_not_also_an_exception() -> None:
    log = [
        turn("t0", "Book it", call("bookSeat", train_id="IC-9", seat="aisle")),
        turn("t1", "The aisle, just this once.", call("bookSeat", train_id="IC-8", seat="aisle")),
    ]
    tools = [tool("bookSeat", "train_id", "seat")]
    (line,) = open_strategy("state", Shelf(log)).recall("Seat", tools, None, 600).items
    assert line.text == 'bookSeat.seat = "aisle" (once, 2 turns ago)'

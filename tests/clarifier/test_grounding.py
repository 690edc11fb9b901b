"""Which source grounds a value."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from clarifier.grounding.grounder import Grounding, ground_call
from clarifier.grounding.sources import Sources
from clarifier.settings import Settings
from memory.recall import RecallItem
from memory.records import CallStep, Observation, Turn
from memory.tools import Parameter
from tests.clarifier.samples import (
    BOOK,
    FORECAST,
    NOW,
    SEND_EMAIL,
    asked,
    call,
    evidence,
    made,
    need,
    option,
    past,
    situation,
    state,
    tool,
)


def ground(value: JsonValue, parameter: Parameter, request: str, **rest) -> Grounding:  # type: ignore[no-untyped-def]
    """Ground the only argument of a call."""
    taker = tool("get_thing", "Get a thing.", parameter)
    proposed = call("get_thing", **{parameter.name: value})
    (found,) = ground_call(proposed, taker, Sources(situation(request, taker, **rest)), Settings())
    return found


def seen(found: Grounding) -> tuple[str, float]:
    return found.grounds, found.probability


@pytest.mark.parametrize(
    ("value", "parameter", "request_text"),
    [
        ("Lyon", need("city"), "The weather in lyon, please"),
        ("杭州", need("city"), "看下杭州天气"),
        ("angus@mail.example", need("email"), "Send it to Angus@mail.example."),
        ("08:15", need("time"), "from 8:15 and not sooner"),
        (3, need("days", type="integer"), "three days of it"),
        (18500, need("amount", type="number"), "an invoice of 18,500 kronor"),
        ("second_class", need("seat", enum=("first_class", "second_class")), "Second class will do"),
        ("C", need("units", "Either 'C' (Celsius) or 'F' (Fahrenheit)."), "in Celsius, if you please"),
    ],
)
def test_what_the_request_states_is_certain(value: JsonValue, parameter: Parameter, request_text: str) -> None:
    assert seen(ground(value, parameter, request_text)) == ("request", 1.0)


@pytest.mark.parametrize(
    ("value", "parameter", "request_text"),
    [
        ("2026-03-12", need("date"), "a train on Thursday"),
        ("2026-03-11", need("date"), "明天的天气"),
        ("SEK", need("currency", "Currency code."), "an invoice in Swedish kronor"),
        ("DE", need("country", "Two-letter code of the country."), "Is it a holiday in Germany?"),
        (30, need("expiry", "Minutes until it expires.", type="integer"), "leave it open for half an hour"),
        (2026, need("year", type="integer"), "all holidays"),
        ("2026-03-16", need("end_date"), "from 9 March and the seven days following"),
    ],
)
def test_what_follows_from_the_request_is_derived(value: JsonValue, parameter: Parameter, request_text: str) -> None:
    assert seen(ground(value, parameter, request_text)) == ("derived", 0.95)


@pytest.mark.parametrize(
    ("value", "parameter", "request_text"),
    [
        ("john@example.com", need("email"), "Mail it to John"),
        ("john@example.com", need("email"), "Mail it to myjohn@example.com"),
        ("user_12345", need("user_id"), "Show my budget"),
        ("192.168.1.1", need("ip"), "Look up my address"),
        ("Paris", need("city"), "What is it like outside? Comparisons are odious."),
        (5, need("amount", type="number"), "There are 15 of them"),
        ("2026-03-17", need("date"), "the day the truck got stuck"),
        ("eel", need("name"), "feel free"),
        ("Bergen", need("city"), "Is it raining in Trondheim?"),
        ("Quenby Marsh", need("name"), "Look up somebody for me"),
        ("昆布丘陵", need("city"), "今天冷不冷"),
    ],
)
def test_an_invented_value_has_no_grounds(value: JsonValue, parameter: Parameter, request_text: str) -> None:
    found = ground(value, parameter, request_text)
    assert (seen(found), found.is_missing) == (("none", 0.0), True)


@pytest.mark.parametrize(
    ("value", "parameter", "request_text"),
    [
        ("dermatology", need("specialty"), "My elbow is flaky again. Someone for skin, please."),
        ("药店", need("store_type"), "附近哪家店能抓药？"),
        ("素食", need("diet"), "我不吃肉的，有什么川味的做法？"),
        ("Burlington, VT", need("location"), "near home, that's Burlington, Vermont"),
        ("Phoenix, AZ", need("location"), "我住凤凰城，帮我找找豆腐"),
        ("Tucson, AZ", need("location"), "我妹在图森，她也想看"),
        (-212.4, need("amount", type="number"), "Flour from the mill, 212.40"),
    ],
)
def test_what_was_meant_is_grounded_though_nobody_said_it(
    value: JsonValue, parameter: Parameter, request_text: str
) -> None:
    found = ground(value, parameter, request_text)
    assert (found.grounds, found.is_missing, found.probability >= 0.6) == ("derived", False, True)


def test_a_chinese_number_is_said_whatever_it_counts() -> None:
    assert seen(ground(5, need("limit", type="integer"), "看五样就够")) == ("request", 0.9)
    assert seen(ground(0.5, need("volume", type="number"), "买半个以太")) == ("request", 0.9)
    assert ground(1, need("limit", type="integer"), "看一下").is_missing


@pytest.mark.parametrize(
    ("value", "is_kept"),
    [
        ("part-time", True),  # in words: who read the request may know
        ("2026-03-16", True),
        ("Quenby Marsh", False),  # a name stands somewhere, or it is made up
        ("quenby@nowhere.example", False),
        (412, False),
    ],
)
def test_an_optional_value_that_nothing_speaks_against_is_kept_unless_it_is_an_open_one(
    value: JsonValue, is_kept: bool
) -> None:
    kind = "number" if isinstance(value, int) else "string"
    found = ground(value, Parameter(name="detail", type=kind), "Look for work")
    assert (found.grounds != "none" or not found.is_open) == is_kept


def test_words_in_another_order_ground_a_text_less_than_fully() -> None:
    found = ground("whole milk for the kids", need("query"), "Milk, the whole one, for my kids")
    assert seen(found) == ("request", 0.9)
    assert ground("whole winter tyres", need("query"), "whole milk").grounds == "none"  # one word of three


def test_an_answer_of_this_turn() -> None:
    found = ground("Venlo", need("location"), "the weather there", steps=(asked("Where?", "17 March, Venlo."),))
    assert seen(found) == ("answer", 1.0)


def test_the_only_value_observed_is_surer_than_one_of_several() -> None:
    listing = call("list_trains")
    one = ground("IC-1", need("train_id"), "book it", steps=(made(listing, {"train_id": "IC-1"}),))
    two = ground("IC-1", need("train_id"), "it", steps=(made(listing, [{"train_id": "IC-1"}, {"train_id": "IC-2"}]),))
    assert (one.grounds, one.probability, one.margin) == ("observation", 0.95, 0.95)
    assert (two.grounds, two.probability, round(two.margin, 9)) == ("observation", 0.8, 0.6)


def test_small_numbers_are_observed_by_chance_unless_the_field_is_named_so() -> None:
    listing = call("list_rooms")
    beds = need("beds", type="integer")
    assert ground(2, beds, "book it", steps=(made(listing, {"page": 2}),)).grounds == "none"
    assert ground(2, beds, "book it", steps=(made(listing, {"beds": 2}),)).grounds == "observation"
    assert ground(2870, beds, "book it", steps=(made(listing, {"page": 2870}),)).grounds == "observation"


def test_a_failed_call_observes_nothing() -> None:
    failed = CallStep(calls=(call("x"),), observations=(Observation(content={"train_id": "IC-1"}, error="down"),))
    assert ground("IC-1", need("train_id"), "book it", steps=(failed,)).grounds == "none"


def test_a_referent_of_the_topic_and_a_later_one_that_contests_it() -> None:
    first = Turn(turn_id="a", request="Weather in Lyon", steps=(made(call("get_thing", city="Lyon"), "rain"),))
    later = Turn(turn_id="b", request="And in Bern", steps=(made(call("get_thing", city="Bern"), "sun"),))
    one = past(first, kind="topic")
    alone = ground("Lyon", need("city"), "Again", items=(one,))
    assert (alone.grounds, alone.probability, alone.turn_ids) == ("topic", 0.9, ("a",))
    contested = ground("Lyon", need("city"), "Again", items=(one, past(later, kind="topic")))
    # the person's own words of turn a still name it
    assert (contested.grounds, contested.probability) == ("topic", 0.9)
    bare = first.model_copy(update={"request": "The usual"})
    contested = ground("Lyon", need("city"), "Again", items=(past(bare, kind="topic"), past(later, kind="topic")))
    assert (contested.grounds, contested.probability, round(contested.margin, 9)) == ("topic", 0.6, -0.3)


def test_a_standing_rule_and_a_habit() -> None:
    rule = evidence("get_thing.city", "Lyon", kind="standing", source="request")
    found = ground("Lyon", need("city"), "Weather", items=(state(rule),))
    assert (found.grounds, found.probability, found.turn_ids, found.is_standing) == ("standing", 0.5, ("t0",), True)
    habits = (evidence("get_thing.city", "Lyon", turn=0), evidence("get_thing.city", "Lyon", turn=1))
    found = ground("Lyon", need("city"), "Weather", items=(state(*habits),))
    # the turn after position 1 is 2: 0.8·2^(−2/40) + 0.8·2^(−1/40)
    w = 0.8 * 2 ** (-2 / 40) + 0.8 * 2 ** (-1 / 40)
    assert found.grounds == "habit"
    assert found.probability == pytest.approx(w / (w + 1))
    assert (found.turn_ids, found.evidence_count) == (("t0", "t1"), 2)
    assert found.evidence_age == pytest.approx(1 / 40)


def test_habits_of_another_tool_support_less() -> None:
    piece = evidence("other_tool.city", "Lyon", turn=39, source="request")
    found = ground("Lyon", need("city"), "Weather", items=(state(piece),))
    w = 0.7 * 2 ** (-1 / 40)
    assert found.grounds == "habit"
    assert found.probability == pytest.approx(w / (w + 1))


def test_values_proposed_together_are_no_rivals() -> None:
    taker = tool("get_thing", "Get a thing.", need("city"))
    pieces = [evidence("get_thing.city", city, turn=39, source="request") for city in ("Lyon", "Bern", "Oslo")]
    sources = Sources(situation("My places", taker, items=(state(*pieces),)))
    lyon, bern = call("get_thing", city="Lyon"), call("get_thing", city="Bern")
    (alone,) = ground_call(lyon, taker, sources, Settings())
    (beside,) = ground_call(lyon, taker, sources, Settings(), beside=(bern,))
    w = 2 ** (-1 / 40)
    assert alone.probability == pytest.approx(w / (3 * w + 1))
    assert beside.probability == pytest.approx(w / (2 * w + 1))


def test_what_was_meant_for_once_or_for_others_grounds_nothing() -> None:
    turn = Turn(
        turn_id="t0", request="Take the 07:00 just this once", steps=(made(call("get_thing", time="07:00"), 1),)
    )
    once = evidence("get_thing.time", "07:00", kind="one_off")
    assert ground("07:00", need("time"), "A train", items=(past(turn, once),)).grounds == "none"


def test_a_word_of_a_tool_text_is_an_observation_and_never_a_preference() -> None:
    turn = Turn(turn_id="t0", request="Suggest something", steps=(made(call("tips"), "Try Kitsch by IVE, id TR-77."),))
    topic = ground("Kitsch", need("title"), "Play it", items=(past(turn, kind="topic"),))
    assert topic.grounds == "observation"
    assert ground("Kitsch", need("title"), "Play it", items=(past(turn),)).grounds == "none"
    # identifiers come from tools only, so an earlier topic may give them
    assert seen(ground("TR-77", need("track"), "Play it", items=(past(turn),))) == ("observation", 0.6)


def test_words_of_the_person_in_a_recalled_turn() -> None:
    turn = Turn(turn_id="t0", request="At home it is lactose-free milk or nothing")
    found = ground("lactose-free milk", need("query"), "Search my milk", items=(past(turn),))
    # said once, for no slot: w = 0.4·2^(−1/40)
    w = 0.4 * 2 ** (-1 / 40)
    assert (found.grounds, found.turn_ids) == ("habit", ("t0",))
    assert found.probability == pytest.approx(w / (w + 1))


def test_defaults_constants_and_closed_domains() -> None:
    sources = Sources(situation("Forecast for Lyon", FORECAST))
    city, days, units = ground_call(
        call("get_forecast", city="Lyon", days=5, units="imperial"), FORECAST, sources, Settings()
    )
    assert (seen(city), seen(days), seen(units)) == (("request", 1.0), ("default", 0.9), ("none", 0.5))
    assert (days.is_required, units.is_open) == (False, False)
    assert seen(ground("v2", need("version", enum=("v2",)), "go")) == ("constant", 1.0)


def test_codes_and_days_that_nothing_names_are_likely_at_most() -> None:
    assert seen(ground("NL", need("country", "ISO code of the country"), "a holiday for us?")) == ("derived", 0.6)
    assert ground("XQ", need("country", "ISO code of the country"), "a holiday for us?").grounds == "none"
    assert seen(ground("2026-03-10", need("date", "Defaults to the current date."), "the trains")) == ("derived", 0.6)


def test_a_list_is_as_good_as_its_worst_element_and_fields_have_dotted_slots() -> None:
    countries = need("countries", "ISO codes of countries", type="array")
    assert seen(ground(["DE", "FR"], countries, "Germany and France")) == ("derived", 0.95)
    recipients = need("to", type="array", items={"name": "to", "type": "string"})
    assert seen(ground(["a@x.example", "b@x.example"], recipients, "to a@x.example")) == ("none", 0.0)
    items = need("items", type="array")
    found = ground([{"name": "flour", "grams": 250}], items, "250 grams of flour")
    assert seen(found) == ("request", 1.0)
    assert ground([{"name": "flour", "grams": 300}], items, "250 grams of flour").grounds == "none"
    dates = option("range", "Range of dates", type="object")
    piece = evidence("get_thing.range.from", "yesterday evening", source="request")
    assert ground({"from": "yesterday evening"}, dates, "the same", items=(state(piece),)).grounds == "habit"


def test_missing_required_arguments_come_last_and_blank_ones_are_missing() -> None:
    sources = Sources(situation("Book IC-7", BOOK, SEND_EMAIL))
    train, seat = ground_call(call("book_ticket", train_id="IC-7"), BOOK, sources, Settings())
    assert (train.grounds, seat.grounds, seat.is_missing) == ("request", "missing", True)
    blank = ground_call(call("send_email", recipient=" ", message=None), SEND_EMAIL, sources, Settings())
    assert [(str(one.slot), one.grounds) for one in blank] == [
        ("send_email.recipient", "missing"),
        ("send_email.message", "missing"),
    ]


def test_the_clock_is_that_of_the_turn() -> None:
    assert NOW.isoformat() == "2026-03-10T09:00:00"
    assert ground("2026-03-11", need("date"), "tomorrow").grounds == "derived"
    assert ground("2026-03-31", need("date"), "tomorrow").probability == 0.6  # near the one that is named
    assert ground("2027-03-11", need("date"), "tomorrow").grounds == "none"


KG = need("weight_kg", "Weight of the parcel.", type="number")
RATING = option("min_rating", "Lowest rating, 0 to 5.", type="number")
DATE = need("date", "Day of travel, YYYY-MM-DD.", format="date")
ITEMS = need(
    "items",
    "What is to be taken.",
    type="array",
    items={
        "name": "items",
        "type": "object",
        "properties": [
            {"name": "kind", "enum": ("sofa", "wardrobe", "mattress")},
            {"name": "quantity", "type": "integer"},
        ],
    },
)


@pytest.mark.parametrize(
    ("value", "parameter", "request_text", "expected"),
    [
        (3, KG, "一箱六斤", ("derived", 0.95)),
        (6, KG, "一箱六斤", ("none", 0.0)),  # six, but of another unit
        (6, KG, "6 kg of it", ("request", 1.0)),
        (4.5, RATING, "四星半以下的不要", ("derived", 0.95)),
        (0, option("max_changes", type="integer"), "no changing", ("derived", 0.95)),
        (25, need("threshold", "Per cent full.", type="number"), "below a quarter", ("derived", 0.95)),
        ("23:30", need("after", "HH:MM."), "after half eleven tonight", ("derived", 0.95)),
        ("23:30", need("after", "HH:MM."), "after half eleven", ("derived", 0.6)),
        ([1, 2, 3, 4], need("weekdays", "1 is Monday.", type="array"), "Monday to Thursday", ("request", 1.0)),
        ([1, 2, 3, 5], need("weekdays", "1 is Monday.", type="array"), "Monday to Thursday", ("none", 0.0)),
        (False, option("include_images", type="boolean"), "no images", ("request", 0.9)),
        (True, option("include_images", type="boolean"), "with the images", ("request", 0.9)),
        (False, option("include_images", type="boolean"), "with the images", ("request", 0.7)),
        ("banana", DATE, "banana", ("none", 0.0)),  # said, but no date
        (
            "evening",
            need("time", "When to call.", format="time"),
            "ring me in the evening",
            ("request", 1.0),
        ),  # a part of the day
        ("清晨", need("time", "观鸟的时段。", format="time"), "清晨去看", ("request", 1.0)),
        ("banana", need("time", "When to call.", format="time"), "ring me, banana", ("none", 0.0)),
        ("evening", need("time", "HH:MM.", format="time"), "ring me in the evening", ("none", 0.0)),  # its form is told
        ("tomorrow", DATE, "tomorrow", ("request", 1.0)),
        ("third", need("deck", enum=("low", "top")), "third deck", ("none", 0.0)),  # said, but not on offer
    ],
)
def test_values_said_otherwise(
    value: JsonValue, parameter: Parameter, request_text: str, expected: tuple[str, float]
) -> None:
    assert seen(ground(value, parameter, request_text)) == expected


def test_a_list_of_things_is_grounded_field_by_field() -> None:
    request = "That wardrobe has to go, and the two mattresses"
    wardrobe: JsonValue = {"kind": "wardrobe", "quantity": 1}
    mattresses: JsonValue = {"kind": "mattress", "quantity": 2}
    found = ground([wardrobe, mattresses], ITEMS, request)
    assert seen(found) == ("derived", 0.6)  # one wardrobe goes without saying
    assert seen(ground([mattresses], ITEMS, request)) == ("request", 1.0)
    assert ground([{"kind": "wardrobe", "quantity": 3}], ITEMS, request).is_missing
    assert ground([{"kind": "sofa", "quantity": 1}], ITEMS, request).is_missing


def test_fields_of_a_list_that_was_used_before_speak_for_fields_now() -> None:
    amounts = need("items", type="array", items={"name": "items", "type": "object"})
    rows: JsonValue = [{"goods_id": "A-31", "jin": 20}, {"goods_id": "A-18", "jin": 15}]
    before = evidence("get_thing.items", [{"goods_id": "A-07", "jin": 20}, {"goods_id": "A-01", "jin": 15}], turn=39)
    here = made(call("list_goods"), [{"goods_id": "A-31"}, {"goods_id": "A-18"}])
    found = ground(rows, amounts, "the same amounts", items=(state(before),), steps=(here,))
    w = 0.8 * 2 ** (-1 / 40)
    assert found.grounds == "habit"
    assert found.probability == pytest.approx(w / (2 * w + 1))  # 20 or 15
    other: JsonValue = [{"goods_id": "A-31", "jin": 21}]
    assert ground(other, amounts, "the same amounts", items=(state(before),), steps=(here,)).is_missing


def test_a_rule_said_in_an_aside_grounds_a_number_by_its_unit() -> None:
    skip = option("skip_after_rain_mm", "Millimetres of rain.", type="number")
    turn = Turn(turn_id="t0", request="Hold him a bike. And from now on it's 8 mm before you skip a watering, not 4.")
    w = 0.4 * 2 ** (-1 / 40)
    found = ground(8, skip, "Water the beans", items=(past(turn),))
    assert (found.grounds, found.turn_ids) == ("habit", ("t0",))
    assert found.probability == pytest.approx(w / (w + 1))
    assert ground(4, skip, "Water the beans", items=(past(turn),)).grounds == "none"


def test_what_the_topic_used_for_once_is_no_referent() -> None:
    deck = need("deck", enum=("low", "top"))
    turn = Turn(turn_id="t0", request="The best one, that leg only", steps=(made(call("get_thing", deck="top"), 1),))
    once = evidence("get_thing.deck", "top", kind="one_off")
    assert ground("top", deck, "And back", items=(past(turn, once, kind="topic"),)).is_missing
    plain = evidence("get_thing.deck", "top")
    assert seen(ground("top", deck, "And back", items=(past(turn, plain, kind="topic"),))) == ("topic", 0.9)


def test_a_member_named_now_beats_one_used_before() -> None:
    deck = need("deck", enum=("lower_deck", "upper_deck"))
    turn = Turn(turn_id="t0", request="A bed", steps=(made(call("get_thing", deck="lower_deck"), 1),))
    items = (past(turn, evidence("get_thing.deck", "lower_deck"), kind="topic"),)
    assert ground("lower_deck", deck, "Upper deck this time", items=items).is_missing
    assert seen(ground("upper_deck", deck, "Upper deck this time", items=items)) == ("request", 1.0)
    assert seen(ground("lower_deck", deck, "The same again", items=items)) == ("topic", 0.9)


def test_words_for_what_another_call_takes_say_nothing_of_this_one() -> None:
    listing = need("listing", "Which letters, such as 'Unopened Letters' or 'Answered Letters'.")
    taker = tool("get_thing", "Get a thing.", listing)
    request = "My unopened letters, and what did I reply to since May?"
    unopened, answered = (call("get_thing", listing=f"{kind} Letters") for kind in ("Unopened", "Answered"))
    sources = Sources(situation(request, taker))
    (alone,) = ground_call(answered, taker, sources, Settings())
    (beside,) = ground_call(answered, taker, sources, Settings(), beside=(unopened,))
    later = Sources(situation(request, taker, steps=(made(unopened, ["from Oslo"]),)))
    (after,) = ground_call(answered, taker, later, Settings())
    assert [seen(one) for one in (alone, beside, after)] == [("none", 0.0), ("derived", 0.6), ("derived", 0.6)]


POINT = need("point", "Coordinates, 'latitude,longitude'.", format="coordinates")


def told(number: int, words: str) -> RecallItem:
    return past(Turn(turn_id=f"t{number}", request=words), evidence("other.thing", number, turn=number))


@pytest.mark.parametrize(
    ("words", "request_text"),
    [
        ("The pottery studio is at 52.37,4.90, note it", "How far is the studio from here?"),
        ("Note my allotment (52.37, 4.90)", "Will it rain at the allotment?"),
        ("记住，工作室在 52.37,4.90", "从工作室怎么走？"),
        ("我家：52.37,4.90", "到我家要多久？"),
        ("Remember: work is 52.37,4.90", "How do I get to work?"),
        ("52.37,4.90 is our allotment.", "Will it rain at the allotment?"),
        ("My van's parked at 52.37,4.90", "Take me to the van"),
        ("I live at 52.37,4.90", "How far is it to my home?"),
        ("我现在住在 52.37,4.90", "回家怎么走？"),
        ("52.37,4.90 记成我们仓库", "去仓库要多久？"),
    ],
)
def test_a_name_stands_for_the_address_it_was_given_to(words: str, request_text: str) -> None:
    items = (told(0, words), told(1, "Now to 51.1,4.2"))
    found = ground("52.37,4.90", POINT, request_text, items=items)
    assert (*seen(found), found.turn_ids) == ("habit", 0.9, ("t0",))
    assert ground("51.1,4.2", POINT, request_text, items=items).probability < 0.5


@pytest.mark.parametrize(
    ("earlier", "later", "request_text", "is_meant"),
    [
        ("My flat is at 52.37,4.90", "My new flat is at 51.1,4.2", "From my flat", (False, True)),
        ("My office is at 52.37,4.90", "My aunt's office is at 51.1,4.2", "From the office", (True, False)),
        ("My office is at 52.37,4.90", "My aunt's office is at 51.1,4.2", "From my aunt's office", (False, True)),
        ("我家在 52.37,4.90", "搬家了，新家是 51.1,4.2", "从家出发", (False, True)),
        ("我家在 52.37,4.90", "查 51.1,4.2", "大家都去哪儿", (False, False)),
        ("我家在 52.37,4.90", "查 51.1,4.2", "到她家", (False, False)),
        ("What is 52.37,4.90?", "Thanks, 51.1,4.2 please", "What is it, please, thanks", (False, False)),
    ],
)
def test_whose_name_it_is_and_who_has_it_by_now(
    earlier: str, later: str, request_text: str, is_meant: tuple[bool, bool]
) -> None:
    items = (told(0, earlier), told(1, later))
    found = [ground(point, POINT, request_text, items=items).probability for point in ("52.37,4.90", "51.1,4.2")]
    assert tuple(probability == 0.9 for probability in found) == is_meant


@pytest.mark.parametrize(
    ("first", "now", "is_theirs"),
    [
        ("My sister needs a tenor sax lesson", "The same lesson for my sister, please", True),
        ("Renée wants a tenor sax lesson too", "Renée would like another one", True),
        ("我姐想学次中音萨克斯", "我姐那边再约一次", True),
        ("陈默也要上萨克斯课", "陈默的课再约一节", True),
        ("My sister needs a tenor sax lesson", "The same lesson for my brother, please", False),
        ("My sister needs a tenor sax lesson", "Book me a lesson", False),
        ("My neighbour needs a tenor sax lesson", "My neighbour wants a lesson", False),  # one of several
        ("Renée wants a Tenor lesson", "A Tenor lesson for me", False),  # what the call was about is nobody's name
    ],
)
def test_what_was_for_somebody_counts_again_where_that_very_one_is_named(first: str, now: str, is_theirs: bool) -> None:
    turn = Turn(turn_id="t0", request=first, steps=(made(call("get_thing", teacher="Tenor Tom"), 1),))
    theirs = evidence("get_thing.teacher", "Tenor Tom", kind="other_person")
    own = evidence("get_thing.teacher", "Bea Bass", turn=1)
    found = ground("Tenor Tom", need("teacher"), now, items=(past(turn, theirs), state(own)))
    w = 0.8 * 2 ** (-2 / 40)
    expected = ("habit", pytest.approx(w / (w + 1))) if is_theirs else ("none", 0.0)
    assert seen(found) == expected
    assert ground("Bea Bass", need("teacher"), now, items=(past(turn, theirs), state(own))).grounds == "habit"


@pytest.mark.parametrize(
    ("value", "request_text", "expected"),
    [
        (6, "The same dough, but half of it", ("derived", 0.6)),
        (24, "Double it this week", ("derived", 0.6)),
        (24, "这回加倍", ("derived", 0.6)),
        (6, "面粉减半", ("derived", 0.6)),
        (9, "The same dough, but half of it", ("none", 0.0)),
        (6, "The same dough again", ("none", 0.0)),
        (6, "Dough in half an hour", ("none", 0.0)),
    ],
)
def test_a_share_or_multiple_of_what_it_was_before(value: int, request_text: str, expected: tuple[str, float]) -> None:
    flour = need("flour", "How much flour.", type="number")
    items = (state(evidence("get_thing.flour", 12)),)
    assert seen(ground(value, flour, request_text, items=items)) == expected

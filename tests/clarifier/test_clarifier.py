"""The decision, branch by branch."""

from __future__ import annotations

import pytest

from clarifier.clarifier import decide
from clarifier.decision import Act, Answer, Ask, Decision, Hint, PlanAgain, Proposal, Situation
from clarifier.policy import Policy, open_policy
from clarifier.settings import Settings
from memory.evidence import Slot
from memory.recall import Recall
from memory.records import CallStep, Observation, QuestionStep, ToolCall, Turn
from memory.tools import Tool
from tests.clarifier.samples import (
    BOOK,
    FORECAST,
    PAY,
    SEARCH_TRAINS,
    SEND_EMAIL,
    asked,
    call,
    calls,
    evidence,
    made,
    need,
    past,
    situation,
    state,
    tool,
)

BENCHMARK, PRODUCT = open_policy("benchmark"), open_policy("product")
BOTH = pytest.mark.parametrize("policy", [BENCHMARK, PRODUCT], ids=["benchmark", "product"])
SECOND = (
    evidence("book_ticket.seat_class", "second_class", turn=1),
    evidence("book_ticket.seat_class", "second_class", turn=2),
)


def act(decision: Decision) -> tuple[ToolCall, ...]:
    assert isinstance(decision, Act), decision
    return decision.calls


def ask(decision: Decision) -> Ask:
    assert isinstance(decision, Ask), decision
    return decision


def hints(decision: Decision) -> tuple[Hint, ...]:
    assert isinstance(decision, PlanAgain), decision
    return decision.hints


def reply(decision: Decision) -> str:
    assert isinstance(decision, Answer), decision
    return decision.reply


# Replies and nothing


@BOTH
def test_a_reply_is_the_answer(policy: Policy) -> None:
    decision = decide(situation("hello"), Proposal(reply="Good morning."), policy=policy)
    assert (reply(decision), decision.policy, decision.reasons) == ("Good morning.", policy.name, ())


def test_nothing_proposed_is_admitted_in_the_language_of_the_request() -> None:
    assert reply(decide(situation("hello"), Proposal(), policy=PRODUCT)).startswith("I do not know how to go on")
    assert "换个说法" in reply(decide(situation("你好呀"), Proposal(), policy=PRODUCT))


# Grounded calls


@BOTH
def test_what_the_request_states_is_done(policy: Policy) -> None:
    proposed = call("get_forecast", city="Lyon", days=3)
    decision = decide(situation("Three days of weather for Lyon", FORECAST), calls(proposed), policy=policy)
    assert act(decision) == (proposed,)
    assert [(one.slot, one.value, one.grounds, one.probability, one.turn_ids) for one in decision.reasons] == [
        ("get_forecast.city", "Lyon", "request", 1.0, ()),
        ("get_forecast.days", 3, "request", 1.0, ()),
    ]
    assert decision.odds.p_calls > 0.9


@BOTH
def test_optional_arguments_that_nothing_supports_are_left_out_and_noted(policy: Policy) -> None:
    proposed = call("get_forecast", city="Lyon", days=9, units="metric", colour="red")
    decision = decide(situation("Weather for Lyon", FORECAST), calls(proposed), policy=policy)
    assert act(decision) == (call("get_forecast", city="Lyon"),)
    assert [(one.slot, one.grounds, one.is_required) for one in decision.reasons] == [
        ("get_forecast.city", "request", True),
        ("get_forecast.days", "none", False),
        ("get_forecast.units", "default", False),
        ("get_forecast.colour", "none", False),
    ]


def test_an_optional_choice_that_departs_from_the_default_stays() -> None:
    proposed = call("get_forecast", city="Lyon", units="imperial")
    assert act(decide(situation("Weather for Lyon, in her degrees", FORECAST), calls(proposed), policy=BENCHMARK)) == (
        proposed,
    )


@BOTH
def test_a_tool_without_arguments_is_called(policy: Policy) -> None:
    quote = tool("get_random_quote", "Get a random quote.")
    assert act(decide(situation("A quote", quote), calls(call("get_random_quote")), policy=policy)) == (
        call("get_random_quote"),
    )


# Missing and invented values


@BOTH
def test_every_open_required_slot_is_in_one_question(policy: Policy) -> None:
    decision = ask(decide(situation("Find me a train", SEARCH_TRAINS), calls(call("search_trains")), policy=policy))
    assert decision.slots == ("search_trains.origin", "search_trains.destination")
    assert decision.question == ("Could you tell me the origin and the destination?")
    assert [(one.slot, one.grounds) for one in decision.reasons] == [
        ("search_trains.origin", "missing"),
        ("search_trains.destination", "missing"),
    ]


@BOTH
@pytest.mark.parametrize(
    ("taker", "request_text", "arguments", "slot"),
    [
        (
            SEND_EMAIL,
            "Email the text 'see you' to John",
            {"recipient": "john@example.com", "message": "see you"},
            "recipient",
        ),
        (
            tool("sync_budget", "Sync the budget of a user.", need("user_id", "Unique identifier of the user.")),
            "Sync my budget",
            {"user_id": "user_12345"},
            "user_id",
        ),
        (
            tool("locate_ip", "Locate an IP address.", need("ip", "The IP address.")),
            "Where is my server?",
            {"ip": "192.168.1.1"},
            "ip",
        ),
        (SEARCH_TRAINS, "A train to Bern", {"origin": "Paris", "destination": "Bern"}, "origin"),
    ],
)
def test_an_invented_required_argument_is_asked_for_and_the_tool_not_run(
    policy: Policy, taker: Tool, request_text: str, arguments: dict[str, str], slot: str
) -> None:
    proposed = call(taker.name, **arguments)
    decision = ask(decide(situation(request_text, taker), calls(proposed, confidence=1.0), policy=policy))
    assert decision.slots == (f"{taker.name}.{slot}",)
    (flagged,) = [one for one in decision.reasons if one.grounds == "none"]
    assert (flagged.slot, flagged.value, flagged.probability) == (f"{taker.name}.{slot}", arguments[slot], 0.0)


@BOTH
def test_a_supplier_is_tried_before_the_person(policy: Policy) -> None:
    here = situation("Book the ten o'clock, second class", BOOK, SEARCH_TRAINS)
    proposal = calls(call("book_ticket", seat_class="second_class"))
    wanted = Slot("book_ticket", "train_id")
    (hint,) = hints(decide(here, proposal, policy=policy))
    assert hint == Hint("look_up", wanted, suppliers=("search_trains",))
    again = Situation(request=here.request, tools=here.tools, now=here.now, hints=(hint,))
    assert ask(decide(again, proposal, policy=policy)).slots == (str(wanted),)


@BOTH
def test_reads_beside_an_open_call_run_first(policy: Policy) -> None:
    read = call("get_forecast", city="Bern")
    held = call("search_trains", destination="Bern")
    here = situation("Weather in Bern, and a train to Bern", FORECAST, SEARCH_TRAINS)
    decision = decide(here, calls(held, read), policy=policy)
    assert isinstance(decision, Act)
    assert (decision.calls, decision.held) == ((read,), (held,))
    later = Situation(request=here.request, tools=here.tools, now=here.now, steps=(made(read, "rain"),))
    assert ask(decide(later, calls(held, read), policy=policy)).slots == ("search_trains.origin",)


@BOTH
def test_memory_settles_a_missing_slot_once(policy: Policy) -> None:
    here = situation("Book IC-7", BOOK, items=(state(*SECOND),))
    proposal = calls(call("book_ticket", train_id="IC-7"))
    wanted = Slot("book_ticket", "seat_class")
    (hint,) = hints(decide(here, proposal, policy=policy))
    assert hint == Hint("settled", wanted, value="second_class", turn_ids=("t1", "t2"))
    again = Situation(request=here.request, tools=here.tools, recall=here.recall, now=here.now, hints=(hint,))
    decision = ask(decide(again, proposal, policy=policy))
    assert decision.options == {"book_ticket.seat_class": ("second_class", "first_class")}
    assert decision.question == ("Which seat class: second class or first class?")


def test_a_past_date_settles_nothing() -> None:
    diary = tool("get_diary", "Get the diary of a day.", need("date", "The day.", format="date"))
    pieces = [evidence("get_diary.date", "2026-03-01", turn=turn, source="request") for turn in range(6)]
    decision = decide(situation("My diary", diary, items=(state(*pieces),)), calls(call("get_diary")), policy=BENCHMARK)
    assert ask(decision).options == {}


@pytest.mark.parametrize(
    ("known", "options"),
    [
        (("rent_stall.place Oslo", "rent_stall.place Bern", "plant_seeds.place north bed"), ("Bern", "Oslo")),
        (("plant_seeds.place north bed", "plant_seeds.place south bed"), ()),  # places of one tool's world
        (
            ("plant_seeds.place Oslo", "park_van.place Oslo", "plant_seeds.place Bern", "park_van.place Bern"),
            ("Bern", "Oslo"),
        ),
    ],
)
def test_past_values_of_one_other_tool_are_no_options(known: tuple[str, ...], options: tuple[str, ...]) -> None:
    stall = tool("rent_stall", "Rent a market stall.", need("place", "Where the market is held."))
    pieces = [
        evidence(slot, value, turn=turn) for turn, (slot, _, value) in enumerate(one.partition(" ") for one in known)
    ]
    decision = decide(situation("A stall", stall, items=(state(*pieces),)), calls(call("rent_stall")), policy=BENCHMARK)
    assert ask(decision).options.get("rent_stall.place", ()) == options


# After a question


@BOTH
def test_a_slot_is_asked_once_and_the_turn_ends_honestly(policy: Policy) -> None:
    step = asked("From where?", "Whatever you think.", "search_trains.origin")
    here = situation("A train to Bern", SEARCH_TRAINS, steps=(step,))
    decision = decide(here, calls(call("search_trains", destination="Bern")), policy=policy)
    assert reply(decision) == "I still do not know the origin, so I have not done this. Tell me and I will go on."


@BOTH
def test_an_answer_grounds_the_slot_it_was_asked_for(policy: Policy) -> None:
    step = asked("From where?", "From our own Bern station.", "search_trains.origin")
    proposed = call("search_trains", origin="Bern Central Station", destination="Lyon")
    decision = decide(situation("A train to Lyon", SEARCH_TRAINS, steps=(step,)), calls(proposed), policy=policy)
    assert act(decision) == (proposed,)
    # two words of three: 0.9·⅔
    assert [(one.grounds, round(one.probability, 9)) for one in decision.reasons] == [("answer", 0.6), ("request", 1.0)]


@BOTH
@pytest.mark.parametrize(
    ("answer", "origin", "probability"),
    [
        ("Well, Hauptbahnhof.", "Bern Hauptbahnhof West", 0.8),  # one word of three: read into it
        ("从首尔出发", "Seoul", 0.6),  # another script: nothing can be compared
    ],
)
def test_an_answer_may_put_it_otherwise(policy: Policy, answer: str, origin: str, probability: float) -> None:
    step = asked("From where?", answer, "search_trains.origin")
    proposed = call("search_trains", origin=origin, destination="Lyon")
    decision = decide(situation("A train to Lyon", SEARCH_TRAINS, steps=(step,)), calls(proposed), policy=policy)
    assert act(decision) == (proposed,)
    assert (decision.reasons[0].grounds, decision.reasons[0].probability) == ("answer", probability)


@BOTH
def test_a_name_that_the_answer_does_not_hold_is_invented(policy: Policy) -> None:
    step = asked("From where?", "From the place with the bears.", "search_trains.origin")
    proposed = call("search_trains", origin="Quenby", destination="Lyon")
    decision = decide(situation("A train to Lyon", SEARCH_TRAINS, steps=(step,)), calls(proposed), policy=policy)
    assert reply(decision).startswith("I still do not know the origin")


@BOTH
def test_an_answer_leaves_the_choice_or_makes_it(policy: Policy) -> None:
    proposed = call("book_ticket", train_id="IC-7", seat_class="second_class")
    left = asked("Which class?", "You choose.", "book_ticket.seat_class")
    decision = decide(situation("Book IC-7", BOOK, steps=(left,)), calls(proposed), policy=policy)
    assert act(decision) == (proposed,)
    made_choice = asked("Which class?", "First class for once.", "book_ticket.seat_class")
    decision = decide(situation("Book IC-7", BOOK, steps=(made_choice,)), calls(proposed), policy=policy)
    assert reply(decision).startswith("I still do not know the seat class")


@BOTH
def test_an_answer_does_not_ground_an_invented_address(policy: Policy) -> None:
    step = asked("Which address?", "You choose.", "send_email.recipient")
    proposed = call("send_email", recipient="john@example.com", message="hi")
    decision = decide(situation("Mail John 'hi'", SEND_EMAIL, steps=(step,)), calls(proposed), policy=policy)
    assert reply(decision).startswith("I still do not know")


def test_the_budget_of_questions_is_a_setting() -> None:
    here = situation("A train to Bern", SEARCH_TRAINS, steps=(asked("Which day?", "Today."),))
    proposal = calls(call("search_trains", destination="Bern"))
    assert isinstance(decide(here, proposal, policy=PRODUCT), Answer)
    assert isinstance(decide(here, proposal, policy=PRODUCT, settings=Settings(max_questions=2)), Ask)


# Repeats and unknown tools


@BOTH
def test_a_change_is_not_made_twice_in_a_turn(policy: Policy) -> None:
    proposed = call("book_ticket", train_id="IC-7", seat_class="first_class")
    steps = (made(proposed, {"status": "ok"}), made(call("get_forecast", city="Bern"), "rain"))
    here = situation("Book IC-7, first class", BOOK, FORECAST, steps=steps)
    again = proposed.model_copy(update={"id": "other"})
    assert reply(decide(here, calls(again), policy=policy)).startswith("That is done already")
    assert reply(decide(here, Proposal(calls=(again,), reply="Booked."), policy=policy)) == "Booked."


@BOTH
def test_a_failed_call_may_be_made_again_and_a_read_after_something_else(policy: Policy) -> None:
    proposed = call("get_forecast", city="Bern")
    failed = CallStep(calls=(proposed,), observations=(Observation(error="timeout"),))
    assert act(decide(situation("Weather in Bern", FORECAST, steps=(failed,)), calls(proposed), policy=policy))
    read = made(proposed, "rain")
    assert isinstance(
        decide(situation("Weather in Bern", FORECAST, steps=(read,)), calls(proposed), policy=policy), Answer
    )
    steps = (read, made(call("search_trains", origin="A", destination="Bern"), []))
    assert act(decide(situation("Weather in Bern", FORECAST, steps=steps), calls(proposed), policy=policy))


@BOTH
def test_a_tool_that_is_not_on_offer_is_sent_back_once(policy: Policy) -> None:
    proposal = calls(call("fly", to="Mars"))
    (hint,) = hints(decide(situation("Fly me to Mars", FORECAST), proposal, policy=policy))
    assert hint == Hint("unsupported", Slot("fly", ""))
    again = Situation(request="Fly me to Mars", tools=(FORECAST,), hints=(hint,))
    assert reply(decide(again, proposal, policy=policy)) == "I have no tool that can do this, so I have not done it."


# Proposed questions


@BOTH
def test_a_question_that_memory_settles_becomes_a_plan(policy: Policy) -> None:
    wanted = Slot("book_ticket", "seat_class")
    proposal = Proposal(question="First or second class?", question_slots=(wanted,))
    here = situation("Book IC-7", BOOK, items=(state(*SECOND),))
    (hint,) = hints(decide(here, proposal, policy=policy))
    assert (hint.kind, hint.value) == ("settled", "second_class")
    again = Situation(request="Book IC-7", tools=(BOOK,), recall=here.recall, hints=(hint,))
    assert ask(decide(again, proposal, policy=policy)).slots == (str(wanted),)


@BOTH
def test_a_question_is_asked_where_memory_settles_only_a_part(policy: Policy) -> None:
    slots = (Slot("search_trains", "origin"), Slot("book_ticket", "seat_class"))
    proposal = Proposal(question="From where, and which class?", question_slots=slots)
    decision = decide(situation("A train", BOOK, SEARCH_TRAINS, items=(state(*SECOND),)), proposal, policy=policy)
    # worst first: nothing is known of the origin
    assert ask(decision).slots == ("search_trains.origin", "book_ticket.seat_class")


@BOTH
def test_a_question_without_slots_is_put_as_it_stands_and_never_a_second_time(policy: Policy) -> None:
    proposal = Proposal(question="What do you mean?")
    assert ask(decide(situation("Do it", FORECAST), proposal, policy=policy)).question == "What do you mean?"
    here = situation("Do it", FORECAST, steps=(asked("What do you mean?", "You know."),))
    assert reply(decide(here, proposal, policy=policy)).startswith("I still do not know enough to go on")


# Odds, stakes, consent


def test_a_guess_within_an_enum_is_asked_where_the_call_changes_something() -> None:
    proposed = call("book_ticket", train_id="IC-7", seat_class="second_class")
    decision = ask(decide(situation("Book IC-7", BOOK), calls(proposed), policy=PRODUCT))
    assert decision.slots == ("book_ticket.seat_class",)
    assert decision.options == {"book_ticket.seat_class": ("first_class", "second_class")}


def test_a_choice_is_the_planners_reading_unless_another_is_much_likelier() -> None:
    proposed = call("book_ticket", train_id="IC-7", seat_class="second_class")
    (reason,) = (
        one
        for one in decide(situation("Book IC-7", BOOK), calls(proposed), policy=BENCHMARK).reasons
        if one.slot == "book_ticket.seat_class"
    )
    assert (reason.grounds, reason.probability) == ("derived", 0.6)
    rule = state(evidence("book_ticket.seat_class", "first_class", kind="standing"))
    decision = decide(situation("Book IC-7", BOOK, items=(rule,)), calls(proposed), policy=BENCHMARK)
    assert decision.kind != "act"


@BOTH
def test_what_is_said_of_a_choice_decides_it(policy: Policy) -> None:
    proposed = call("book_ticket", train_id="IC-7", seat_class="second_class")
    # said in any form, or in another script than the enum is in, it is no guess
    for request in ("Book IC-7, in the second", "Book IC-7 second-class", "帮我订IC-7 二等座"):
        assert act(decide(situation(request, BOOK), calls(proposed), policy=policy)) == (proposed,)
    # nor where another member is named and this one is not
    decision = ask(decide(situation("Book IC-7, first class", BOOK), calls(proposed), policy=policy))
    assert decision.slots == ("book_ticket.seat_class",)


def test_what_the_person_has_is_no_hint_for_somebody_elses_request() -> None:
    home = (evidence("get_forecast.city", "Lyon", turn=1), evidence("get_forecast.city", "Lyon", turn=2))
    for request, is_hinted in (("The weather, please", True), ("The weather for my sister, please", False)):
        decision = decide(
            situation(request, FORECAST, items=(state(*home),)), calls(call("get_forecast")), policy=PRODUCT
        )
        assert isinstance(decision, PlanAgain) == is_hinted


def test_a_read_is_made_on_a_single_old_habit() -> None:
    habit = evidence("get_forecast.city", "Lyon", turn=0, source="request")
    newer = evidence("get_forecast.units", "metric", turn=60)
    here = situation("The weather, please", FORECAST, items=(state(habit, newer),))
    decision = decide(here, calls(call("get_forecast", city="Lyon")), policy=PRODUCT)
    # c = 2^(−61/40)/(2^(−61/40) + 1) = 0.258, p_c = σ(−1.3 + 4.5·c + 0.1·ln c) = 0.431 ≥ 0.802 − 1/2
    assert decision.odds.p_calls == pytest.approx(0.431, abs=1e-3)
    assert act(decision) == (call("get_forecast", city="Lyon"),)


def test_payments_are_confirmed_unless_a_rule_covers_them() -> None:
    usual = (evidence("pay_invoice.payer", "Household", turn=1), evidence("pay_invoice.payer", "Household", turn=2))
    proposed = call("pay_invoice", invoice="INV-12", payer="Household")
    here = situation("Pay INV-12", PAY, items=(state(*usual),))
    decision = ask(decide(here, calls(proposed), policy=PRODUCT))
    assert (decision.question, decision.slots) == (
        "Shall I pay an invoice (payer: Household)?",
        ("pay_invoice.payer",),
    )
    assert act(decide(here, calls(proposed), policy=BENCHMARK))
    stated = situation("Pay INV-12 from Household", PAY)
    assert ask(decide(stated, calls(proposed), policy=PRODUCT)).question == (
        "Shall I pay an invoice (number of the invoice: INV-12; payer: Household)?"
    )
    rule = evidence("pay_invoice.payer", "Household", kind="standing", source="request")
    assert act(decide(situation("Pay INV-12", PAY, items=(state(rule),)), calls(proposed), policy=PRODUCT))

    said_yes = asked(decision.question, "Yes.", *decision.slots)
    assert act(
        decide(situation("Pay INV-12", PAY, items=(state(*usual),), steps=(said_yes,)), calls(proposed), policy=PRODUCT)
    )
    for answer in ("No, leave it.", "Never mind.", "不要"):
        said_no = asked(decision.question, answer, *decision.slots)
        refused = situation("Pay INV-12", PAY, items=(state(*usual),), steps=(said_no,))
        assert reply(decide(refused, calls(proposed), policy=PRODUCT)) == "All right, I have not done it."


def test_an_answer_to_another_question_about_the_call_is_consent_unless_it_calls_it_off() -> None:
    usual = (evidence("pay_invoice.payer", "Household", turn=1), evidence("pay_invoice.payer", "Household", turn=2))
    proposed = call("pay_invoice", invoice="INV-12", payer="Household")
    step = asked("Which invoice?", "INV-12", "pay_invoice.invoice")
    here = situation("Pay the invoice", PAY, items=(state(*usual),), steps=(step,))
    assert act(decide(here, calls(proposed), policy=PRODUCT))
    step = asked("Which invoice?", "Forget it, INV-12 can wait", "pay_invoice.invoice")
    here = situation("Pay the invoice", PAY, items=(state(*usual),), steps=(step,))
    assert isinstance(decide(here, calls(proposed), policy=PRODUCT), Answer)


def test_without_a_question_left_grave_calls_are_given_up() -> None:
    usual = (evidence("pay_invoice.payer", "Household", turn=1), evidence("pay_invoice.payer", "Household", turn=2))
    here = situation("Pay INV-12", PAY, items=(state(*usual),), steps=(asked("Anything else?", "No."),))
    proposed = call("pay_invoice", invoice="INV-12", payer="Household")
    assert "not certain enough" in reply(decide(here, calls(proposed), policy=PRODUCT))
    assert act(decide(here, calls(proposed), policy=BENCHMARK))


def test_what_is_taken_from_habit_is_said_in_the_question() -> None:
    here = situation("Book a seat", BOOK, items=(state(*SECOND),))
    decision = ask(decide(here, calls(call("book_ticket", seat_class="second_class")), policy=PRODUCT))
    assert decision.slots == ("book_ticket.train_id",)
    # "seat" stands in the request and is half of what the value says; the habit weighs more
    assert decision.question.endswith("(second class for the seat class, as usual)?")


# What memory settles is not asked


CITY_HABIT = tuple(evidence("get_forecast.city", "Lyon", turn=turn, source="request") for turn in (0, 1))
SEAT_HABIT = tuple(evidence("book_ticket.seat_class", "second_class", turn=turn) for turn in (2, 3))
ORIGIN_HABIT = tuple(evidence("search_trains.origin", "Lyon Part-Dieu", turn=turn) for turn in (4, 5))
SETTLED = (
    ("The weather, please", call("get_forecast", city="Lyon")),
    ("Will it rain?", call("get_forecast", city="Lyon", days=5)),
    ("Book IC-7", call("book_ticket", train_id="IC-7", seat_class="second_class")),
    ("Trains to Bern", call("search_trains", origin="Lyon Part-Dieu", destination="Bern")),
    ("And IC-9 for Noor", call("book_ticket", train_id="IC-9", seat_class="second_class")),
    ("Umbrella today?", call("get_forecast", city="Lyon")),
    ("Trains to Geneva, please", call("search_trains", origin="Lyon Part-Dieu", destination="Geneva")),
    ("Take IC-11", call("book_ticket", train_id="IC-11", seat_class="second_class")),
    ("Coat or no coat?", call("get_forecast", city="Lyon")),
    ("How do I get to Turin", call("search_trains", origin="Lyon Part-Dieu", destination="Turin")),
)


@BOTH
def test_ten_turns_that_memory_settles_have_no_question(policy: Policy) -> None:
    items = (state(*CITY_HABIT, *SEAT_HABIT, *ORIGIN_HABIT),)
    tools = (FORECAST, BOOK, SEARCH_TRAINS)
    questions = 0
    for request, proposed in SETTLED:
        here = situation(request, *tools, items=items)
        questions += isinstance(decide(here, calls(proposed), policy=policy), Ask)
        # a timid planner asks for the slot instead: it is sent back with the value
        unsaid = [name for name in proposed.arguments if name in ("city", "seat_class", "origin")]
        timid = Proposal(question="Which one?", question_slots=tuple(Slot(proposed.name, name) for name in unsaid))
        assert [hint.value for hint in hints(decide(here, timid, policy=policy))] == [proposed.arguments[unsaid[0]]]
    assert questions == 0


@BOTH
def test_a_stubborn_planner_meets_an_end(policy: Policy) -> None:
    """Whatever the planner repeats, a turn asks at most once, never twice for a slot, and ends."""
    stubborn = (
        calls(call("book_ticket")),
        calls(call("search_trains", origin="Atlantis", destination="Utopia")),
        calls(call("send_email", recipient="x@y.example", message="made up from whole cloth")),
        calls(call("get_forecast", city="Atlantis"), call("book_ticket", seat_class="first_class")),
        Proposal(question="Which?", question_slots=(Slot("book_ticket", "train_id"),)),
        calls(call("unknown")),
    )
    for proposal in stubborn:
        here = situation("Do the usual", BOOK, SEARCH_TRAINS, SEND_EMAIL, FORECAST, items=(state(*SECOND),))
        slots: list[str] = []
        for _ in range(12):
            decision = decide(here, proposal, policy=policy)
            if isinstance(decision, Answer):
                break
            if isinstance(decision, PlanAgain):
                here = Situation(
                    request=here.request,
                    tools=here.tools,
                    recall=here.recall,
                    steps=here.steps,
                    now=here.now,
                    hints=(*here.hints, *decision.hints),
                )
                continue
            step: QuestionStep | CallStep
            if isinstance(decision, Ask):
                slots.extend(decision.slots)
                step = asked(decision.question, "Hm.", *decision.slots)
            else:
                step = CallStep(calls=decision.calls, observations=(Observation(content="ok"),) * len(decision.calls))
            here = Situation(
                request=here.request,
                tools=here.tools,
                recall=here.recall,
                steps=(*here.steps, step),
                now=here.now,
                hints=here.hints,
            )
        else:
            pytest.fail(f"no end for {proposal}")
        assert len(here.question_steps) <= 1
        assert len(slots) == len(set(slots))


def test_it_is_pure() -> None:
    here = situation("Book IC-7", BOOK, items=(state(*SECOND),))
    proposal = calls(call("book_ticket", train_id="IC-7", seat_class="second_class"))
    assert decide(here, proposal, policy=PRODUCT) == decide(here, proposal, policy=PRODUCT)
    assert here == situation("Book IC-7", BOOK, items=(state(*SECOND),))


def test_a_recalled_turn_speaks_through_its_evidence() -> None:
    turn = Turn(
        turn_id="t9",
        request="Book IC-3",
        steps=(made(call("book_ticket", train_id="IC-3", seat_class="second_class"), "ok"),),
    )
    here = situation("Book IC-7", BOOK)
    here = Situation(
        request=here.request,
        tools=here.tools,
        recall=Recall(items=(past(turn, evidence("book_ticket.seat_class", "second_class", turn=9)),)),
        now=here.now,
    )
    decision = decide(here, calls(call("book_ticket", train_id="IC-7", seat_class="second_class")), policy=PRODUCT)
    (seat,) = [one for one in decision.reasons if one.slot.endswith("seat_class")]
    # (0.8·2^(−1/40) + ½)/(0.8·2^(−1/40) + 1)
    w = 0.8 * 2 ** (-1 / 40)
    assert (seat.grounds, seat.turn_ids) == ("habit", ("t9",))
    assert seat.probability == pytest.approx((w + 0.5) / (w + 1))

"""Whole turns in which it matters whether to ask: cases B16 and B17, feedback, and what is confirmed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from pydantic import JsonValue

from agent.agent import Agent
from agent.graph import TurnResult
from clarifier.decision import Act, Ask, Proposal
from clarifier.effects import effect_of
from clarifier.policy import Policy, ProductPolicy
from memory.evidence import Slot
from memory.memory import Memory
from memory.records import Scope, ToolCall
from memory.storage.user_memory import UserMemory
from memory.tools import Parameter, Tool
from tests.fakes import HashingEmbedder, RecordingExecutor, ScriptedPlanner, ScriptedUser

NOW = datetime(2026, 3, 10, 9, 0)


def tool(name: str, description: str, *parameters: Parameter) -> Tool:
    return Tool(name=name, description=description, parameters=parameters, definition={})


def need(name: str, description: str = "", **rest: object) -> Parameter:
    return Parameter.model_validate({"name": name, "description": description, "is_required": True, **rest})


def call(name: str, /, **arguments: JsonValue) -> ToolCall:
    return ToolCall(id=f"call-{name}", name=name, arguments=arguments)


@pytest.fixture
def ada(tmp_path: Path) -> Iterator[UserMemory]:
    with Memory.open(tmp_path, embedder=HashingEmbedder()) as memory:
        yield memory.user(Scope("ada"))


class Talk:
    """One person's turns, each with what the planner proposes and what is answered."""

    def __init__(self, memory: UserMemory, *, policy: str | Policy = "product") -> None:
        self.memory = memory
        self.policy = policy
        self.executor = RecordingExecutor()
        self.asked: list[str] = []

    def turn(self, request: str, taker: Tool, *script: Proposal, answers: tuple[str | None, ...] = ()) -> TurnResult:
        user = ScriptedUser(answers)
        agent = Agent(self.memory, ScriptedPlanner(script), policy=self.policy, clock=lambda: NOW)
        result = agent.run(request, (taker,), executor=self.executor, user=user)
        self.asked += user.asked
        return result

    def does(self, request: str, taker: Tool, **arguments: JsonValue) -> TurnResult:
        """A turn whose planner proposes one call, and is done once it was made; to a question the person says yes."""
        made = Proposal(calls=(call(taker.name, **arguments),))
        return self.turn(request, taker, made, made, Proposal(reply="Done."), answers=("Yes",))


INVENTED = {
    "an e-mail address": (
        tool("send_report", "Send the report.", need("email", "The e-mail address.", format="email")),
        "Send the report to John",
        {"email": "john@example.com"},
    ),
    "an id": (
        tool("sync_budget", "Sync a budget.", need("user_id", "Unique identifier of the user.")),
        "Sync my budget",
        {"user_id": "user_12345"},
    ),
    "an ip": (tool("ban_ip", "Block an address.", need("ip", "The IP address.")), "Block him", {"ip": "192.168.1.1"}),
    "a price": (
        tool("set_price", "Set the price of the lamp.", need("price", "Price in euros.", type="number")),
        "Put my lamp up for sale",
        {"price": 49.5},
    ),
    "a field of an object": (
        tool(
            "register_guest",
            "Register a guest.",
            need("guest", "Who comes.", type="object", properties=(need("name", "Name."), need("phone", "Phone."))),
        ),
        "Register Noor for tonight",
        {"guest": {"name": "Noor", "phone": "555-0199"}},
    ),
    "an element of a list": (
        tool("create_list", "Create a shopping list.", need("items", "What to buy.", type="array")),
        "Make me a list with milk and flour",
        {"items": ["milk", "flour", "saffron"]},
    ),
    "Chinese": (
        tool("topUpPhone", "给手机充值。", need("phoneNumber", "要充值的手机号码。")),
        "给我妈充五十块话费",
        {"phoneNumber": "13800001234"},
    ),
}


@pytest.mark.parametrize("policy", ["product", "benchmark"])
@pytest.mark.parametrize(("taker", "request_text", "arguments"), INVENTED.values(), ids=INVENTED)
def test_an_invented_argument_is_flagged_asked_for_and_nothing_runs(
    ada: UserMemory, policy: str, taker: Tool, request_text: str, arguments: dict[str, JsonValue]
) -> None:
    """B16: a required open-domain argument, absent from request and memory, is invented by the model."""
    talk = Talk(ada, policy=policy)
    result = talk.turn(request_text, taker, Proposal(calls=(call(taker.name, **arguments),), confidence=1.0))
    (decision,) = result.decisions
    (name,) = arguments
    slot = f"{taker.name}.{name}"
    assert isinstance(decision, Ask)
    assert decision.slots == (slot,)
    assert [(one.slot, one.value, one.grounds, one.probability) for one in decision.reasons] == [
        (slot, arguments[name], "none", 0.0)
    ]
    assert talk.asked == [decision.question]
    assert talk.executor.calls == []
    assert (result.ending, result.turn.calls) == ("unanswered", ())


SEATS = tool(
    "book_seat",
    "Book a seat.",
    need("train", "The train's number."),
    need("seat_class", "The class.", enum=("first", "second")),
)


def test_what_memory_settles_is_not_asked_in_ten_turns(ada: UserMemory) -> None:
    """B17: ten turns whose slots two consistent evidences settle have no question, though the planner would ask."""
    talk = Talk(ada)
    for number in (1, 2):
        talk.does(f"Book IC-{number}, second class", SEATS, train=f"IC-{number}", seat_class="second")
    timid = Proposal(question="Which class?", question_slots=(Slot("book_seat", "seat_class"),))
    for number in range(3, 13):
        made = Proposal(calls=(call("book_seat", train=f"IC-{number}", seat_class="second"),))
        result = talk.turn(f"Book IC-{number}", SEATS, timid, made, Proposal(reply="Done."))
        assert [decision.kind for decision in result.decisions] == ["plan_again", "act", "answer"]
    assert talk.asked == []
    assert [one.arguments for one in talk.executor.calls] == [
        {"train": f"IC-{number}", "seat_class": "second"} for number in range(1, 13)
    ]


def test_a_slot_is_asked_once_a_turn_and_not_again_after_its_answer(ada: UserMemory) -> None:
    """B17: at most one question a turn, and never the same slot twice after an answer."""
    talk = Talk(ada)
    timid = Proposal(question="Which class?", question_slots=(Slot("book_seat", "seat_class"),))
    result = talk.turn("Book IC-7", SEATS, timid, timid, answers=("hm, let me see", "second"))
    assert len(talk.asked) == 1
    assert [decision.kind for decision in result.decisions] == ["ask", "answer"]
    assert result.reply == "I still do not know the seat class (first or second), so I have not done this. " + (
        "Tell me and I will go on."
    )
    assert talk.executor.calls == []


@pytest.mark.parametrize("feedback", ["Undo that", "No, first class, not second"])
def test_a_correction_changes_the_state_and_the_threshold_at_once(ada: UserMemory, feedback: str) -> None:
    """Of two accepted bookings and one that is taken back the next booking is no longer certain enough."""
    talk = Talk(ada)
    slot = Slot("book_seat", "seat_class")
    for number in (1, 2):
        talk.does(f"Book IC-{number}, second class", SEATS, train=f"IC-{number}", seat_class="second")
    agent = Agent(ada, ScriptedPlanner([]), clock=lambda: NOW)
    before = agent.state().slots[slot]
    assert [(one.value, one.turn_ids) for one in before.current] == [("second", ("t1", "t2"))]
    assert agent.policy() == ProductPolicy()
    if feedback == "Undo that":
        talk.turn(feedback, SEATS, Proposal(reply="Sorry."))
    else:
        talk.does(feedback, SEATS, train="IC-2", seat_class="first")
    after = agent.state().slots[slot]
    assert "t2" not in [turn_id for one in after.current if one.value == "second" for turn_id in one.turn_ids]
    # t1 was accepted (−0.01, held at 0), t2 was taken back: 0.1·(1 − 0.1)
    moved = agent.policy()
    assert isinstance(moved, ProductPolicy)
    assert moved.shift == pytest.approx(0.09)


PAY = tool("pay_bill", "Pay a bill.", need("bill", "Number of the bill."), need("account", "Name of the account."))
WRITE_TO = tool("send_note", "Send a note.", need("text", "The text."), need("to", "Name of the recipient."))
REFILL = tool("order_refill", "Order a refill.", need("drug", "Name of the drug."), need("pharmacy", "The pharmacy."))
GRAVE = {
    "money": (PAY, {"bill": "B-{}", "account": "Household"}, "Pay B-{} from Household", "Pay B-{}"),
    "a message": (WRITE_TO, {"text": "late {}", "to": "Noor"}, "Send a note to Noor: late {}", "Send a note: late {}"),
    "health": (
        tool(
            "renew_prescription", "Renew a prescription.", need("number", "Its number."), need("at", "Pharmacy name.")
        ),
        {"number": "RX-{}", "at": "Apotheek Zuid"},
        "Renew RX-{} at Apotheek Zuid",
        "Renew RX-{}",
    ),
}


@pytest.mark.parametrize(("taker", "arguments", "stated", "left_out"), GRAVE.values(), ids=GRAVE)
def test_grave_calls_are_confirmed(
    ada: UserMemory, taker: Tool, arguments: dict[str, str], stated: str, left_out: str
) -> None:
    """A habit shown twice suffices for a plain write, not for money, messages or health.

    Money and messages are confirmed even where all is said.
    """
    talk = Talk(ada)
    filled = [{name: value.format(number) for name, value in arguments.items()} for number in range(1, 5)]
    for number in (1, 2):
        talk.does(stated.format(number), taker, **filled[number - 1])
    assert len(talk.asked) == (2 if effect_of(taker) in ("pay", "message") else 0)
    talk.asked.clear()
    proposal = Proposal(calls=(call(taker.name, **filled[2]),))
    result = talk.turn(left_out.format(3), taker, proposal, proposal, Proposal(reply="Done."), answers=("Yes",))
    assert [decision.kind for decision in result.decisions] == ["ask", "act", "answer"]
    assert len(talk.asked) == 1
    assert talk.asked[0].startswith("Shall I ")
    refused = Proposal(calls=(call(taker.name, **filled[3]),))
    result = talk.turn(left_out.format(4), taker, refused, refused, answers=("No, leave it",))
    assert result.reply == "All right, I have not done it."
    assert [one.arguments for one in talk.executor.calls] == filled[:3]


def test_a_plain_write_needs_no_confirmation(ada: UserMemory) -> None:
    talk = Talk(ada)
    for number in (1, 2):
        talk.does(f"Book IC-{number}, second class", SEATS, train=f"IC-{number}", seat_class="second")
    result = talk.does("Book IC-3", SEATS, train="IC-3", seat_class="second")
    assert [decision.kind for decision in result.decisions] == ["act", "answer"]


def test_a_standing_rule_of_the_very_case_is_the_consent(ada: UserMemory) -> None:
    talk = Talk(ada)
    request = "Pay B-1 from Household. From now on always pay from Household."
    talk.does(request, PAY, bill="B-1", account="Household")
    talk.asked.clear()
    result = talk.does("Pay B-2", PAY, bill="B-2", account="Household")  # right after it, a referent too
    assert [decision.kind for decision in result.decisions] == ["act", "answer"]
    talk.does("Book IC-1, second class", SEATS, train="IC-1", seat_class="second")
    result = talk.does("Pay B-4", PAY, bill="B-4", account="Household")
    acted = result.decisions[0]
    assert isinstance(acted, Act)
    assert [(one.slot, one.grounds) for one in acted.reasons] == [
        ("pay_bill.bill", "request"),
        ("pay_bill.account", "standing"),
    ]
    other = Proposal(calls=(call("pay_bill", bill="B-3", account="Savings"),))
    assert talk.turn("Pay B-3", PAY, other).decisions[0].kind == "ask"  # no rule is about that account


def test_a_person_has_tools_confirmed_always_or_never(ada: UserMemory) -> None:
    """Overrides by tool are part of a policy, and an agent has a person's own."""
    always = Talk(ada, policy=ProductPolicy(confirms={"book_seat": True}))
    booked = Proposal(calls=(call("book_seat", train="IC-1", seat_class="second"),))
    result = always.turn("Book IC-1, second class", SEATS, booked, booked, Proposal(reply="Done."), answers=("Yes",))
    assert [decision.kind for decision in result.decisions] == ["ask", "act", "answer"]
    assert always.asked == ["Shall I book a seat (train: IC-1; seat class: second)?"]
    usual = Talk(ada)
    for number in (1, 2):
        usual.does(f"Pay B-{number} from Household", PAY, bill=f"B-{number}", account="Household")
    never = Talk(ada, policy=ProductPolicy(confirms={"pay_bill": False}, cost_wrong={"pay": 10.0}))
    result = never.does("Pay B-3", PAY, bill="B-3", account="Household")
    assert [decision.kind for decision in result.decisions] == ["act", "answer"]

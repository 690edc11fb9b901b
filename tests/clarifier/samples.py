"""Tools, evidence and situations that the tests of the clarifier share."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue

from clarifier.decision import Proposal, Situation
from memory.evidence import Evidence, Kind, Slot, Source
from memory.recall import ItemKind, Recall, RecallItem
from memory.records import CallStep, Observation, QuestionStep, Step, ToolCall, Turn
from memory.tools import Parameter, Tool

NOW = datetime(2026, 3, 10, 9, 0)  # a Tuesday


def tool(name: str, description: str, *parameters: Parameter) -> Tool:
    return Tool(name=name, description=description, parameters=parameters, definition={})


def need(name: str, description: str = "", **rest: object) -> Parameter:
    return Parameter.model_validate({"name": name, "description": description, "is_required": True, **rest})


def option(name: str, description: str = "", **rest: object) -> Parameter:
    return Parameter.model_validate({"name": name, "description": description, **rest})


FORECAST = tool(
    "get_forecast",
    "Get the weather forecast of a city.",
    need("city", "Name of the city."),
    option("days", "Number of days, default is 5.", type="integer", default=5),
    option("units", "Units of temperature.", enum=("metric", "imperial"), default="metric"),
)
BOOK = tool(
    "book_ticket",
    "Book a train ticket.",
    need("train_id", "The unique identifier of the train."),
    need("seat_class", "Seat class.", enum=("first_class", "second_class")),
)
SEARCH_TRAINS = tool(
    "search_trains",
    "Search for trains between two stations.",
    need("origin", "Name of the station of departure."),
    need("destination", "Name of the station of arrival."),
)
SEND_EMAIL = tool(
    "send_email",
    "Send an email to a person.",
    need("recipient", "The email address of the recipient.", format="email"),
    need("message", "The text of the message."),
)
PAY = tool(
    "pay_invoice",
    "Pay an invoice from an account.",
    need("invoice", "Number of the invoice."),
    need("payer", "Name of the account that pays."),
)


def call(name: str, /, **arguments: JsonValue) -> ToolCall:
    return ToolCall(id=f"call-{name}", name=name, arguments=arguments)


def calls(*proposed: ToolCall, confidence: float | None = None) -> Proposal:
    return Proposal(calls=proposed, confidence=confidence)


def evidence(
    slot: str,
    value: JsonValue,
    *,
    turn: int = 0,
    source: Source = "accepted_call",
    kind: Kind = "plain",
    time: datetime | None = None,
) -> Evidence:
    name, _, argument = slot.partition(".")
    return Evidence(Slot(name, argument), value, source, kind, f"t{turn}", turn, time)


def state(*pieces: Evidence) -> RecallItem:
    """An item of the user state that carries evidence."""
    turn_ids = tuple(dict.fromkeys(piece.turn_id for piece in pieces))
    return RecallItem("state", turn_ids, "what is known", 4, evidence=pieces)


def past(turn: Turn, *pieces: Evidence, kind: ItemKind = "turn") -> RecallItem:
    """A recalled turn."""
    return RecallItem(kind, (turn.turn_id,), turn.request, 4, turn=turn, evidence=pieces)


def made(proposed: ToolCall, content: JsonValue) -> CallStep:
    return CallStep(calls=(proposed,), observations=(Observation(content=content),))


def asked(question: str, answer: str | None, *slots: str) -> QuestionStep:
    return QuestionStep(question=question, answer=answer, slots=slots)


def situation(
    request: str, *tools: Tool, items: tuple[RecallItem, ...] = (), steps: tuple[Step, ...] = ()
) -> Situation:
    return Situation(request=request, tools=tools, recall=Recall(items=items), steps=steps, now=NOW)

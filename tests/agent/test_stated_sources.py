"""Where a model says that its values come from: what it is asked, what is read, and what it costs."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import JsonValue

from agent.errors import PlannerSettingsError
from agent.planners.chat import ChatPlanner
from agent.planners.prompt import Style, build_messages
from agent.planners.prompt_files import PromptFiles
from agent.planners.stated_sources import FIELD, Statement, read_lines, read_statement
from agent.providers import Profile, find_profile
from agent.settings import ChatSettings
from clarifier.decision import Origin, Proposal, Situation, StatedSource
from memory.tokens import count_tokens
from tests.chat_server import ChatServer, Reply, calls, says
from tests.fakes import make_tool

BOOK = make_tool("book_table", "place", "time")
SITUATION = Situation("a table in Turin at eight", (BOOK,))
LINE = find_profile(None, {}).model_copy(update={"stated_sources": "line"})


def stated(origin: Origin, turn_id: str | None = None, quote: str | None = None) -> StatedSource:
    return StatedSource(origin, turn_id, quote)


READ: tuple[tuple[JsonValue, dict[str, tuple[Origin, str | None, str | None]], int], ...] = (
    ("city=request", {"city": ("request", None, None)}, 0),
    (
        'day=derived "next friday"; seat=known t0012',
        {"day": ("derived", None, "next friday"), "seat": ("known", "t0012", None)},
        0,
    ),
    ("day = Derived “周五” ; to=known(t12)", {"day": ("derived", None, "周五"), "to": ("known", "t12", None)}, 0),
    ('a=request "one; then two"; b=answer', {"a": ("request", None, "one; then two"), "b": ("answer", None, None)}, 0),
    ("a: request; b: conversation turn t3", {"a": ("request", None, None), "b": ("conversation", "t3", None)}, 0),
    (
        {"city": "request", "day": {"source": "derived", "quote": "soon"}},
        {"city": ("request", None, None), "day": ("derived", None, "soon")},
        0,
    ),
    ("city=guess; day=request", {"day": ("request", None, None)}, 1),
    ("because the person said so, I think", {}, 1),
    (7, {}, 1),
    (None, {}, 0),
    ("x" * 5000, {}, 1),
)
"""What a model writes, what is read of it, and how many parts are not."""


@pytest.mark.parametrize(("said", "expected", "faults"), READ)
def test_a_statement_is_read_and_what_cannot_be_is_counted(
    said: JsonValue, expected: dict[str, tuple[Origin, str | None, str | None]], faults: int
) -> None:
    assert read_statement(said) == Statement({name: StatedSource(*source) for name, source in expected.items()}, faults)


def test_what_is_stated_of_no_argument_is_a_fault_and_spelling_is_forgiven() -> None:
    read = read_statement("Place=request; colour=request").of({"place": "Turin"})
    assert read == Statement({"place": stated("request")}, 1)


def test_lines_belong_to_the_calls_in_order_and_leave_the_text() -> None:
    found, text = read_lines("On it.\nsources: a=request\n- Sources: b=known t1\nsources: c=answer", 2)
    assert found == [Statement({"a": stated("request")}), Statement({"b": stated("known", "t1")}, 1)]
    assert text == "On it."


def proposed(reply: Reply, profile: Profile | None = None) -> tuple[Proposal, dict[str, Any]]:
    with ChatServer(reply) as server:
        settings: dict[str, Any] = {"base_url": server.base_url, "api_key": "k", "model": "m"}
        if profile is not None:
            settings["profile"] = profile
        with ChatPlanner(ChatSettings(**settings)) as planner:
            return planner.plan(SITUATION), server.requests[0]


def test_a_field_of_the_call_states_them_and_is_no_argument() -> None:
    said = {"place": "Turin", "time": "20:00", FIELD: 'place=request; time=derived "at eight"; x=request'}
    proposal, sent = proposed(calls(("a", "book_table", said)))
    assert proposal.calls[0].arguments == {"place": "Turin", "time": "20:00"}
    assert proposal.sources == ({"place": stated("request"), "time": stated("derived", quote="at eight")},)
    assert proposal.notes == ("1 stated source could not be read",)
    assert proposal.understands
    offered = {tool["function"]["name"]: tool["function"]["parameters"] for tool in sent["tools"]}
    assert FIELD in offered["book_table"]["properties"]
    assert FIELD not in offered["book_table"]["required"]
    assert FIELD not in offered["ask_user"]["properties"]
    assert f"In `{FIELD}` of every call, say" in sent["messages"][0]["content"]


def test_a_tool_with_an_argument_of_that_name_keeps_it() -> None:
    tool = make_tool("quote", FIELD)
    shown = Style.of(Situation("", (tool,)), find_profile(None, {}), PromptFiles.load())
    assert shown.tools.tools[0] == tool.definition


def test_a_line_beside_the_call_states_them_too() -> None:
    reply = calls(("a", "book_table", {"place": "Turin"}), content="sources: place=request")
    proposal, sent = proposed(reply, LINE)
    assert proposal.sources == ({"place": stated("request")},)
    assert all(FIELD not in tool["function"]["parameters"]["properties"] for tool in sent["tools"])
    assert "begins with `sources:`" in sent["messages"][0]["content"]


def test_an_answer_that_states_nothing_is_as_good_as_before() -> None:
    proposal, _ = proposed(calls(("a", "book_table", {"place": "Turin"})))
    assert (proposal.sources, proposal.notes) == ((), ())
    proposal, _ = proposed(says("Done."))
    assert proposal.reply == "Done."


def test_they_can_be_turned_off_and_a_wrong_form_is_refused() -> None:
    environ = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://localhost/v1", "STEAD_STATED_SOURCES": "off"}
    profile = ChatSettings.from_environ(environ).profile
    shown = Style.of(SITUATION, profile, PromptFiles.load())
    assert FIELD not in str(build_messages(SITUATION, shown)) + str(shown.tools.tools)
    with pytest.raises(PlannerSettingsError, match="field, line, off"):
        ChatSettings.from_environ({**environ, "STEAD_STATED_SOURCES": "yes"})


def test_a_statement_of_three_arguments_costs_at_most_25_tokens() -> None:
    assert count_tokens('city=request; day=derived "next friday"; seat=known t0012') <= 25

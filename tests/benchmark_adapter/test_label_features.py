"""What the label head sees, worked out by hand on dialogues of a line or two."""

from __future__ import annotations

from typing import Any

import pytest

from benchmark_adapter.labelling.features import label_features
from benchmark_adapter.labelling.slot_supply import Supply, slot_kind, supplies
from benchmark_adapter.labelling.talk import Exchange, Talk, talk_of
from benchmark_adapter.labelling.tool_match import Match, clauses_of, matches, pairs_served, unserved
from clarifier.clarifier import decide
from clarifier.decision import Proposal, Situation
from clarifier.policy import open_policy
from memory.recall import Recall, RecallItem
from memory.records import CallStep, Observation, QuestionStep, ToolCall, Turn
from memory.tools import Parameter, Tool, parse_tool


def tool(name: str, description: str = "", optional: tuple[str, ...] = (), **types: str) -> Tool:
    properties = {field: {"type": kind} for field, kind in types.items()}
    required = [field for field in types if field not in optional]
    parameters = {"type": "object", "properties": properties, "required": required}
    return parse_tool({"name": name, "description": description, "parameters": parameters})


def turn(turn_id: str, request: str, **rest: Any) -> RecallItem:
    made = Turn(turn_id=turn_id, request=request, **rest)
    return RecallItem(kind="topic", turn_ids=(turn_id,), text=request, tokens=0, turn=made)


DELETE = tool("delete_bot", "Delete a bot.", bot_id="string")
LIST = tool("list_bots", "List all bots.")
TOKEN = tool("get_user_token", "Get the token.", username="string", password="string")
AGENDA = tool("add_agenda", "Add an agenda item.", token="string", content="string", time="string")


def sources(wanted: Tool, tools: tuple[Tool, ...], request: str, **rest: Any) -> dict[str, str]:
    talk = talk_of(Situation(request, tools, **rest))
    return {one.parameter.name: one.source for one in supplies(wanted, tools, talk)}


@pytest.mark.parametrize(
    ("parameter", "kind"),
    [
        (Parameter(name="bot_id"), "id"),
        (Parameter(name="apiToken"), "secret"),
        (Parameter(name="start_time"), "time"),
        (Parameter(name="travel_date"), "date"),
        (Parameter(name="file_name1"), "file"),
        (Parameter(name="city"), "place"),
        (Parameter(name="amount", type="number"), "number"),
        (Parameter(name="notify", type="boolean"), "flag"),
        (Parameter(name="unit", enum=("C", "F")), "choice"),
        (Parameter(name="tags", type="array"), "list"),
        (Parameter(name="note"), "text"),
    ],
)
def test_kinds_of_values_are_told_by_name_type_and_format(parameter: Parameter, kind: str) -> None:
    assert slot_kind(parameter) == kind


def test_one_value_serves_one_argument_only() -> None:
    copy = tool("copy", source="string", target_file="string")
    both = tool("compare", file_one="string", file_two="string")

    assert sources(both, (both,), "Compare 'a.txt' with 'b.txt'") == {"file_one": "said", "file_two": "said"}
    assert sources(both, (both,), "Compare 'a.txt' with the other") != {"file_one": "said", "file_two": "said"}
    assert slot_kind(copy.parameters[0]) == "file"


def test_a_value_of_the_wrong_kind_does_not_fill_a_slot() -> None:
    when = tool("remind", date="string")

    assert sources(when, (when,), "Remind me of order 8812") == {"date": "none"}
    assert sources(when, (when,), "Remind me on 2024-03-05") == {"date": "said"}


def test_a_label_beside_it_makes_a_word_a_value() -> None:
    request = "My username is foo and my password is bar"

    assert sources(TOKEN, (TOKEN,), request) == {"username": "said", "password": "said"}


def test_a_labelled_value_serves_no_other_slot() -> None:
    account = tool("open_account", account="string", password="string")

    assert sources(account, (account,), 'My password is "abc123"') == {"account": "none", "password": "said"}


def test_a_period_has_two_ends_and_a_day_with_its_time_is_one_value() -> None:
    period = tool("health", start_time="string", end_time="string")
    apart = tool("reserve", date="string", time="string")

    assert sources(period, (period,), "From 2023-03-01 to 2023-03-31") == {"start_time": "said", "end_time": "said"}
    assert sources(period, (period,), "March 5th, 2023 10:00 AM") == {"start_time": "said", "end_time": "none"}
    assert sources(apart, (apart,), "March 5th, 2023 10:00 AM") == {"date": "said", "time": "said"}


def test_a_token_comes_from_the_tool_that_gives_it_out_once_that_one_has_all() -> None:
    tools = (AGENDA, TOKEN)
    request = 'Add "Lunch with Ann" at 2pm'
    told = (QuestionStep(question="Who are you?", answer="username is foo, password is bar"),)

    assert sources(AGENDA, tools, request) == {"token": "none", "content": "said", "time": "said"}
    assert sources(AGENDA, tools, request, steps=told) == {"token": "produced", "content": "earlier", "time": "earlier"}


def test_an_answer_fills_what_was_asked_for() -> None:
    asked = (QuestionStep(question="What is the content of the agenda?", answer="seeing the team"),)

    assert sources(AGENDA, (AGENDA,), "Add it please", steps=asked)["content"] == "answer"


def test_what_tools_returned_and_calls_used_fills_a_slot() -> None:
    call = ToolCall(id="1", name="get_user_token", arguments={"username": "foo"})
    seen = CallStep(calls=(call,), observations=(Observation(content={"token": "z9"}),))
    talk = talk_of(Situation("Go on", (AGENDA,), Recall((turn("t0", "Log me in", steps=(seen,)),))))

    assert (talk.observed, talk.used, talk.called) == (
        frozenset({"token"}),
        frozenset({"username"}),
        ("get_user_token",),
    )
    assert supplies(AGENDA, (AGENDA,), talk)[0] == Supply(AGENDA.parameters[0], "secret", "observed", 0.7)


def test_a_talk_keeps_the_last_message_apart() -> None:
    steps = (QuestionStep(question="Which one?", answer="The red one"), QuestionStep(question="Sure?"))

    assert talk_of(Situation("Sell a car", (), steps=steps)) == Talk(
        last="The red one",
        before=("Sell a car",),
        exchanges=(Exchange("Which one?", "The red one"),),
        observed=frozenset(),
        used=frozenset(),
        called=(),
    )


def test_a_sibling_with_another_deed_fits_worse() -> None:
    # "delete" and "bot" tell; "the" is common. Of `delete_bot` both are its own, of `list_bots` only the bot is.
    assert matches("Delete the bot", (DELETE, LIST), None) == (Match(1.0, 1.0, 1.0, 0.0), Match(0.5, 1.0, 0.0, 0.0))


def test_what_no_tool_does_is_unserved() -> None:
    served = unserved("Delete the bot", (DELETE, LIST), None)
    lost = unserved("Delete the bot", (LIST,), None)

    assert (served.clauses, served.topics, served.words) == (0.0, 0.0, 0.0)
    assert (lost.clauses, lost.topics, lost.topic_share, lost.words) == (1.0, 1.0, 1.0, 0.5)


def test_a_pair_is_served_by_one_tool_for_verb_and_object() -> None:
    assert pairs_served("Delete the bot", (DELETE,)) == (1.0, 1.0)
    assert pairs_served("Delete the bot", (LIST,)) == (0.5, 0.5)  # the bot, not the deed
    assert pairs_served("Remove the bot", (DELETE,)) == (0.85, 0.85)  # another verb of the deed
    assert pairs_served("The bot", (DELETE,)) == (0.5, 0.5)


def test_clauses_have_two_words_at_least() -> None:
    assert clauses_of("Open the door, and then go home. Yes") == ("Open the door", "then go home")
    assert clauses_of("Yes") == ("Yes",)


def features(request: str, tools: tuple[Tool, ...], **rest: Any) -> dict[str, float]:
    situation = Situation(request, tools, **rest)
    proposal = Proposal(reply="Well.")
    return label_features(situation, proposal, decide(situation, proposal, policy=open_policy("benchmark")))


def test_the_features_of_a_request_with_a_value_missing() -> None:
    found = features("Please delete a bot", (DELETE, LIST))

    wanted = {
        "no_tools": 0.0,
        "one_tool": 0.0,
        "best_covered": 1.0,
        "best_deed": 1.0,
        "best_called": 0.0,
        "missing": 1.0,
        "missing_id": 1.0,
        "any_loose": 0.0,
        "all_supplied": 0.0,
        "open_slot_named": 1.0,
        "vague_slot": 1.0,
        "vague_thing_of_tool": 1.0,
        "says_requests": 1.0,
        "says_asks": 0.0,
        "says_orders": 1.0,
        "is_first": 1.0,
        "decides_answer": 1.0,
        "plan_agrees": 0.0,
        "any_missing*has_topic": 0.0,
    }
    assert {name: found[name] for name in wanted} == wanted


def test_the_course_of_a_dialogue_is_seen() -> None:
    call = ToolCall(id="1", name="list_bots")
    made = CallStep(calls=(call,), observations=(Observation(),))
    past = Recall((turn("t0", "Show them", steps=(made,)), turn("t1", "And that one?", reply="Anything else?")))

    found = features("No, thanks", (LIST,), recall=past)

    wanted = {
        "assistant_offers_more": 1.0,
        "assistant_asked": 1.0,
        "last_turn_called": 0.0,
        "last_turn_idle": 1.0,
        "idle_before": 1.0,
        "best_called": 1.0,
        "says_thanks": 1.0,
        "says_denies": 1.0,
        "is_first": 0.0,
    }
    assert {name: found[name] for name in wanted} == wanted


def test_a_tool_that_finds_tools_is_seen_until_it_is_called() -> None:
    finder = tool("ToolSearcher", "Search for tools.", keywords="string")
    step = CallStep(calls=(ToolCall(id="1", name="ToolSearcher"),), observations=(Observation(),))

    assert features("Set an alarm", (finder,))["finder_unused"] == 1.0
    assert features("Set an alarm", (finder,), steps=(step,))["finder_unused"] == 0.0
    assert features("Set an alarm", (LIST,))["finder_unused"] == 0.0


@pytest.mark.parametrize("request_text", ["", "Hi", "列出所有机器人", "a" * 3000])
def test_the_names_of_features_do_not_depend_on_what_is_given(request_text: str) -> None:
    assert list(features(request_text, ())) == list(features("Please delete a bot", (DELETE, LIST)))

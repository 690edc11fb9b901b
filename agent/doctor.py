"""Checks that an endpoint does what the planner `chat` needs of it, and says in words what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches
from typing import NamedTuple

from agent.errors import PlannerError, PlannerRefusedError
from agent.planners.answers import read_answer, with_echo
from agent.planners.chat import ChatPlanner
from agent.planners.failures import explained
from agent.planners.prompt import Style, build_messages
from agent.planners.prompt_costs import block_costs
from agent.planners.requests import build_request, request_options
from agent.settings import NO_KEY, SOURCES_VARIABLE
from clarifier.decision import Proposal, Proposed, Situation
from memory.records import CallStep, Observation
from memory.tools import parse_tool

ECHO = parse_tool(
    {
        "name": "echo",
        "description": "Returns the text it is given.",
        "parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    }
)
ASKED = Situation("Call the tool echo with the text ping, then tell me what it returned.", (ECHO,))


class Check(NamedTuple):
    """One thing that was looked at."""

    name: str
    is_well: bool
    words: str
    """What was found, and where something is wrong, how to mend it."""


def examine(planner: ChatPlanner) -> Iterator[Check]:
    """Yield the checks of an endpoint as they are made, the first that fails last: what follows would fail too.

    They are: the settings, the model among those that the endpoint lists, a tool call, whether the model says where
    its values come from, and a second request that sends the call's result with all that the endpoint wants back. Two
    short answers are paid for.
    """
    yield _settings(planner)
    yield (listed := _listed(planner))
    if not listed.is_well:
        return
    try:
        style = Style.of(ASKED, planner.settings.profile, planner.files, planner.endpoint.model)
        proposal = _called(planner, style)
    except PlannerError as exc:
        yield Check("tool call", False, explained(exc))
        return
    yield (call := _call_check(planner, proposal))
    if not call.is_well:
        return
    if style.states != "off":
        yield _sources_check(style, proposal)
    yield _echo_check(planner, proposal)


def prompt_costs(planner: ChatPlanner) -> dict[str, int]:
    """Return what each block of the prompt costs for a bare request with one tool."""
    return block_costs(ASKED, Style.of(ASKED, planner.settings.profile, planner.files))


def _settings(planner: ChatPlanner) -> Check:
    settings = planner.settings
    profile, request = settings.profile, request_options(settings)
    key = (
        "no key"
        if settings.api_key.get_secret_value() == NO_KEY
        else f"a key from {' or '.join(profile.key_variables)}"
    )
    options = ", ".join(f"{name} {value}" for name, value in request.body.items()) or "no options"
    return Check(
        "settings", True, "; ".join([f"{profile.name} at {settings.base_url} with {key}", options, *request.notes])
    )


def _listed(planner: ChatPlanner) -> Check:
    endpoint, named = planner.endpoint, planner.settings.model
    try:
        listed = endpoint.models()
    except PlannerRefusedError as exc:
        if exc.status in (404, 405):
            return Check("endpoint", True, "it answers, and lists no models")
        return Check("endpoint", False, explained(exc))
    except PlannerError as exc:
        return Check("endpoint", False, explained(exc))
    bare = [model.removeprefix("models/") for model in listed]  # Gemini's way to list them
    if named is None and len(listed) != 1:
        return Check("endpoint", False, f"name a model with --model; it offers {', '.join(bare[:20]) or 'none'}")
    if named is not None and listed and named not in bare:
        near = get_close_matches(named, bare, n=3, cutoff=0.3) or bare[:5]
        return Check(
            "endpoint", False, f"it does not list the model {named!r}; choose one with --model, say {', '.join(near)}"
        )
    return Check("endpoint", True, f"it answers, and offers {named or bare[0]}")


def _called(planner: ChatPlanner, style: Style) -> Proposal:
    tools = () if style.is_text else style.tools.tools
    forced = None if style.is_text else style.tools.sent_name(ECHO.name, style.profile.dialect)
    request = build_request(
        planner.settings, planner.endpoint.model, build_messages(ASKED, style), tools, forced=forced
    )
    answered = planner.endpoint.complete(request.body, seconds_left=planner.settings.turn_timeout_s)
    reading = read_answer(answered.message, ASKED, style, is_cut=answered.finish_reason == "length")
    proposal = with_echo(reading, answered.message, style)
    notes = (*request.notes, *answered.notes, *answered.attempts, *proposal.notes, *reading.faults.values())
    return replace(proposal, notes=notes)


def _call_check(planner: ChatPlanner, proposal: Proposal) -> Check:
    notes = "".join(f"; {note}" for note in proposal.notes)
    if proposal.calls and proposal.calls[0].arguments.get("text"):
        back = ", ".join([*planner.settings.profile.echo_message, *planner.settings.profile.echo_call])
        kept = (
            f", with {back} to send back"
            if proposal.echo
            else f", without {back}, which it may want back"
            if back
            else ""
        )
        return Check("tool call", True, f"echo({proposal.calls[0].arguments['text']!r}){kept}{notes}")
    said = proposal.reply or proposal.question or "nothing"
    return Check(
        "tool call",
        False,
        f"the model made no call of the tool and said {said[:200]!r}. If it writes calls into its text, use a profile "
        f"with text_calls (hammer2.1-7b or toolace-2.5-8b, docs/models.md); on vLLM, start the server with "
        f"--enable-auto-tool-choice and a --tool-call-parser; on llama.cpp, with --jinja{notes}",
    )


def _sources_check(style: Style, proposal: Proposal) -> Check:
    """Whether the model states sources as it is asked to. If not, nothing breaks: it only costs tokens."""
    if (stated := proposal.source(0, "text")) is not None:
        return Check("stated sources", True, f"as a {style.states}: text is of the {stated.origin}")
    other = "line" if style.states == "field" else "field"
    return Check(
        "stated sources",
        True,
        f"it states none as a {style.states}, so they only cost tokens; try {SOURCES_VARIABLE}={other}, or off",
    )


def _echo_check(planner: ChatPlanner, proposal: Proposal) -> Check:
    first = replace(proposal, calls=proposal.calls[:1])
    step = CallStep(calls=first.calls, observations=(Observation(content=first.calls[0].arguments["text"]),))
    try:
        after = planner.plan(replace(ASKED, steps=(step,), proposed=(Proposed(0, first),)))
    except PlannerError as exc:
        return Check("echo", False, f"the result of the call was refused: {explained(exc)}")
    said = after.reply or after.question or (f"a further call of {after.calls[0].name}" if after.calls else "")
    if not said:
        return Check("echo", False, "it answered the result of the call with nothing; a larger max_tokens may help")
    return Check("echo", True, f"it took the result of the call and said {said[:80]!r}")

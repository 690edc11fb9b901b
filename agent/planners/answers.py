"""What an answer of a chat model proposes. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from pydantic import JsonValue

from agent.planners.echo import kept_echo
from agent.planners.prompt import UNCERTAINTY, Style, call_id, offers_ask_tool
from agent.planners.repairs import repair
from agent.planners.stated_sources import FIELD, Statement, fault_notes, read_lines, read_statement
from agent.planners.text_calls import Written, read_leaked_calls, read_written_calls, without_thoughts
from clarifier.decision import Proposal, Situation
from memory.evidence import Slot
from memory.records import ToolCall
from memory.tools import Tool

_HELD = "not run, since another call of this answer cannot be read"
_RETRY = ". Send every call of this answer again, corrected."
_CLOSING_MARKS = " \t\r\n\"'”’」』）)*_"


class RawCall(NamedTuple):
    """A tool call as the endpoint sends it, or as it stands in the text."""

    id: str
    name: str
    """By which the model knows the tool."""
    arguments: str
    """JSON, if all is well."""
    sent: Mapping[str, Any] | None = None
    """The call in the message; `None` for one of the text."""


class Reading(NamedTuple):
    """What one answer of the model comes to."""

    proposal: Proposal
    raw: tuple[RawCall, ...]
    """All its calls, the unreadable ones included."""
    faults: Mapping[str, str]
    """By id of a call that cannot be read: what is wrong with it, for the model to mend."""
    says_no_call: bool = False
    """Whether a model that writes its calls wrote that there are none, and so has not replied yet."""


def read_answer(message: Mapping[str, Any], situation: Situation, style: Style, *, is_cut: bool = False) -> Reading:
    """Return what an answer proposes: calls, a question, or both; a text where there is neither.

    Args:
        message: The assistant's message as JSON.
        situation: What the model was shown.
        style: How it was shown.
        is_cut: Whether the answer ended at its token limit.
    """
    text = without_thoughts(_text(message))
    raw = _raw_calls(message, style)
    notes: tuple[str, ...] = ()
    says_no_call = False
    if style.without_tools:
        text = read_leaked_calls(text, {}).text  # no call is wanted, nor its markup
    elif not raw:
        written = _written(text, situation, style, is_cut=is_cut)
        text, notes, says_no_call = written.text, written.notes, written.is_none
        raw = tuple(
            RawCall(f"call_{number}", call.name, json.dumps(call.arguments, ensure_ascii=False))
            for number, call in enumerate(written.calls, start=1)
        )
    lines: list[Statement] = []
    if style.states == "line":
        lines, text = read_lines(text, len(raw))
    reading = _read_calls(raw, situation, style, lines, is_cut=is_cut)
    proposal = reading.proposal
    if not (proposal.calls or proposal.question or reading.faults):
        said = _text_proposal(text)
        proposal = replace(proposal, question=said.question, reply=said.reply)
    if is_cut:
        notes = (*notes, "the answer ended at its token limit")
    proposal = replace(proposal, notes=(*notes, *proposal.notes))
    return reading._replace(proposal=proposal, says_no_call=says_no_call)


def _written(text: str, situation: Situation, style: Style, *, is_cut: bool) -> Written:
    parameters = {
        sent: [parameter.name for parameter in tool.parameters]
        for sent, tool in _tools_by_sent_name(situation, style).items()
    }
    form = style.profile.text_calls
    if form == "none":
        return read_leaked_calls(text, parameters, is_cut=is_cut)
    return read_written_calls(text, form, parameters, is_cut=is_cut)


def repair_messages(message: Mapping[str, Any], reading: Reading, style: Style) -> list[dict[str, Any]]:
    """Return the answer with a reply to each of its calls, and without faulty arguments, which endpoints refuse."""
    errors = {
        call.id: json.dumps({"error": reading.faults.get(call.id, _HELD) + _RETRY}, ensure_ascii=False)
        for call in reading.raw
    }
    if style.is_text or any(call.sent is None for call in reading.raw):
        said = "\n".join(errors.values())
        return [{"role": "assistant", "content": _text(message) or " "}, {"role": "user", "content": said}]
    tool_calls = [
        {
            **{name: (call.sent or {})[name] for name in style.profile.echo_call if name in (call.sent or {})},
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": "{}" if call.id in reading.faults else call.arguments or "{}"},
        }
        for call in reading.raw
    ]
    said_again = {name: message[name] for name in style.profile.echo_message if message.get(name) is not None}
    answers = [{"role": "tool", "tool_call_id": call.id, "content": errors[call.id]} for call in reading.raw]
    return [{"role": "assistant", "content": "", **said_again, "tool_calls": tool_calls}, *answers]


def mended_text(text: str) -> str:
    """Return `text` with halves of surrogate pairs joined, and lone ones, which nothing can store, replaced."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _read_calls(
    raw: Sequence[RawCall], situation: Situation, style: Style, lines: Sequence[Statement], *, is_cut: bool
) -> Reading:
    faults: dict[str, str] = {}
    calls: list[ToolCall] = []
    notes: list[str] = []
    doubts: list[float] = []
    question: Proposal | None = None
    asks = offers_ask_tool(situation.tools, style.files)
    stated: list[Statement] = []
    unread = iter(lines)
    for call in raw:
        arguments = _object(call.arguments)
        name = style.tools.names.get(call.name, call.name)
        tool = situation.tool(name)
        if arguments is None:
            ended = ", and the answer ended at its token limit" if is_cut else ""
            next(unread, None)
            faults[call.id] = f"the arguments are no JSON object: {call.arguments[:200]!r}{ended}"
            continue
        if style.profile.states_uncertainty and (tool is None or tool.parameter(UNCERTAINTY) is None):
            doubts += _probability(arguments.pop(UNCERTAINTY, None))
        if asks and name == style.files.ask_tool.name:
            question = question or _question(arguments, style)
        elif tool is None:
            next(unread, None)
            offered = ", ".join(sorted(sent for sent, own in style.tools.names.items() if situation.tool(own)))
            faults[call.id] = f"no tool is called {call.name!r}; there are: {offered or 'none'}"
        else:
            said = next(unread, Statement({}))
            if style.states == "field" and tool.parameter(FIELD) is None:
                said = read_statement(arguments.pop(FIELD, None))
            repaired = repair(arguments, tool)
            notes += repaired.notes
            stated.append(said.of(repaired.arguments))
            calls.append(ToolCall(id=call.id, name=name, arguments=repaired.arguments))
    sources = tuple(said.sources for said in stated)
    proposal = replace(
        question or Proposal(),
        calls=tuple(calls),
        sources=sources if any(sources) else (),
        understands=True,
        uncertainty=max(doubts, default=None),
        notes=(*notes, *fault_notes(stated)),
    )
    return Reading(proposal, tuple(raw), faults)


def with_echo(reading: Reading, message: Mapping[str, Any], style: Style) -> Proposal:
    """Return the proposal of an answer with what its endpoint wants back."""
    if not reading.proposal.calls:
        return reading.proposal
    sent = {call.id: call.sent for call in reading.raw}
    calls = [sent.get(call.id) for call in reading.proposal.calls]
    echo = json.dumps(kept_echo(message, calls, style.profile, style.model), ensure_ascii=False)
    return replace(reading.proposal, echo=json.loads(mended_text(echo)))


def _tools_by_sent_name(situation: Situation, style: Style) -> dict[str, Tool]:
    own = {tool.name: tool for tool in situation.tools}
    found = {sent: own[name] for sent, name in style.tools.names.items() if name in own}
    if offers_ask_tool(situation.tools, style.files):
        found[style.files.ask_tool.name] = style.files.ask_tool
    return found


def _raw_calls(message: Mapping[str, Any], style: Style) -> tuple[RawCall, ...]:
    """Return the calls of a message, each with an id of its own."""
    calls: list[RawCall] = []
    used: set[str] = set()
    parts = message.get("tool_calls")
    for number, part in enumerate(parts if isinstance(parts, list) else [], start=1):
        function = part.get("function") if isinstance(part, Mapping) else None
        if not isinstance(function, Mapping) or part.get("type") not in (None, "", "function"):
            continue
        name, given = function.get("name"), function.get("arguments")
        name = name if isinstance(name, str) else ""
        said_id = part.get("id") if isinstance(part.get("id"), str) else ""
        made_id = said_id or call_id(style, name, number - 1)
        if made_id in used:
            made_id = f"{made_id}-{number}"
        used.add(made_id)
        arguments = given if isinstance(given, str) else "" if given is None else json.dumps(given)
        calls.append(RawCall(made_id, name, arguments, part))
    return tuple(calls)


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(str(part.get("text") or "") for part in content if isinstance(part, Mapping))
    refusal = message.get("refusal")
    return content if isinstance(content, str) and content else refusal if isinstance(refusal, str) else ""


def _text_proposal(text: str) -> Proposal:
    said = mended_text(text).strip()
    if said.rstrip(_CLOSING_MARKS).endswith(("?", "？")):
        return Proposal(question=said)
    return Proposal(reply=said or None)


def _question(arguments: Mapping[str, JsonValue], style: Style) -> Proposal | None:
    text, slots = arguments.get("question"), arguments.get("slots")
    if not isinstance(text, str) or not text.strip():
        return None
    named = [slot.rpartition(".") for slot in slots if isinstance(slot, str)] if isinstance(slots, list) else []
    own = style.tools.names
    asked = tuple(
        dict.fromkeys(Slot(own.get(tool, tool), argument) for tool, _, argument in named if tool and argument)
    )
    return Proposal(question=text.strip(), question_slots=asked)


def _probability(value: JsonValue) -> list[float]:
    is_one = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return [float(value)] if is_one else []  # type: ignore[arg-type] # a number, as has been checked


def _object(text: str) -> dict[str, JsonValue] | None:
    """Return the JSON object that `text` is, `None` where it is none; no text at all is an empty one."""

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is no JSON")

    try:
        value = json.loads(text or "{}", parse_constant=refuse)
        if isinstance(value, str):  # some models encode it twice
            value = json.loads(value, parse_constant=refuse)
        if isinstance(value, dict):
            mended: dict[str, JsonValue] = json.loads(mended_text(json.dumps(value, ensure_ascii=False)))
            return mended
    except (ValueError, RecursionError):
        pass
    return None

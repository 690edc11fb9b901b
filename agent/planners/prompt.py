"""What a chat model is shown of a situation: messages and tools. Pure.

What is recalled, observed or said stays data. In the system message every recalled item is one line of JSON with its
opening angle brackets escaped, so it can neither end its block nor start a line; all else travels in the role it
belongs to.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

from pydantic import JsonValue

from agent.dialects.rendering import Rendered, render_tools
from agent.planners.echo import echoed
from agent.planners.prompt_files import PromptFiles
from agent.planners.stated_sources import FIELD, LINE, with_field
from agent.providers import Profile, Sources
from clarifier.decision import Hint, Proposal, Situation
from memory.recall import RecallItem
from memory.records import CallStep, Observation, Step, ToolCall, Turn
from memory.tools import Tool

_ASK_BY_TEXT = "a plain text that ends with a question mark"
UNCERTAINTY = "request_uncertainty"
"""The argument by which a model says how much the request leaves open."""


_FIELD_HELP = "See the rules."
"""It stands in every tool, so it is short; the rules say it once."""
_WHERE: Mapping[Sources, str] = {
    "field": f"In `{FIELD}` of every call,",
    "line": f"Beside your calls write one line for each, in their order, that begins with `{LINE}`; there",
}


class Block(NamedTuple):
    """A part of the system message."""

    name: str
    text: str


@dataclass(frozen=True)
class Style:
    """How a situation is written for one model."""

    profile: Profile
    files: PromptFiles
    tools: Rendered
    """The tools on offer, the reserved one included where it is."""
    model: str | None = None
    """Echoes of another model are left out."""
    without_tools: bool = False
    """Whether a reply in words is all that is wanted."""

    @classmethod
    def of(cls, situation: Situation, profile: Profile, files: PromptFiles, model: str | None = None) -> Style:
        """Return the style with the situation's tools."""
        offered = [*situation.tools, *([files.ask_tool] if offers_ask_tool(situation.tools, files) else [])]
        rendered = render_tools(offered, profile.dialect)
        if profile.states_uncertainty and profile.text_calls == "none":
            rendered = rendered._replace(tools=[_with_uncertainty(tool, files.uncertainty) for tool in rendered.tools])
        if profile.stated_sources == "field" and profile.text_calls == "none":
            own = {tool.name for tool in situation.tools}
            rendered = rendered._replace(
                tools=[
                    with_field(tool, _FIELD_HELP) if rendered.names.get(tool["function"]["name"]) in own else tool
                    for tool in rendered.tools
                ]
            )
        return cls(profile, files, rendered, model)

    @property
    def states(self) -> Sources:
        """How sources are stated; by no model that writes its calls, and where no call is wanted not at all."""
        return "off" if self.is_text or self.without_tools else self.profile.stated_sources

    @property
    def is_text(self) -> bool:
        """Whether the model writes its calls into its text."""
        return self.profile.text_calls != "none"


def offers_ask_tool(tools: Iterable[Tool], files: PromptFiles) -> bool:
    """Return whether the reserved tool is offered, which it is unless a real one has its name."""
    return all(tool.name != files.ask_tool.name for tool in tools)


def build_messages(situation: Situation, style: Style) -> list[dict[str, Any]]:
    """Return the messages of a chat completion: the system message, the running topic, this turn so far."""
    system = "\n".join(block.text for block in system_blocks(situation, style))
    return [{"role": "system", "content": system}, *topic_messages(situation, style), *turn_messages(situation, style)]


def system_blocks(situation: Situation, style: Style) -> list[Block]:
    """Return the parts of the system message in order."""
    files = style.files
    by_tool = offers_ask_tool(situation.tools, files) and not style.without_tools
    ask = f"the tool {files.ask_tool.name}" if by_tool else _ASK_BY_TEXT
    blocks = [Block("rules", files.system.substitute(ask=ask))]
    if style.states != "off" and situation.tools:
        blocks.append(Block("sources", files.sources.substitute(where=_WHERE[style.states])))
    if style.is_text and not style.without_tools:
        written = json.dumps(style.tools.tools, ensure_ascii=False, indent=None)
        form = files.hammer if style.profile.text_calls == "hammer" else files.pythonic
        blocks.append(Block("tools", form.substitute(tools=written)))
    if situation.now is not None:
        clock = f"The clock says {situation.now.isoformat(sep=' ')}, a {situation.now:%A}.\n"
        blocks.append(Block("clock", clock))
    for name, items in recalled(situation).items():
        if items:
            lines = "".join(f"{item_line(item)}\n" for item in items)
            blocks.append(Block(name, f"<{name}>\n{lines}</{name}>\n"))
    if situation.hints:
        hints = "".join(f"- {_hint_line(hint)}\n" for hint in situation.hints)
        blocks.append(Block("hints", f"For your next step:\n{hints}"))
    if style.without_tools:
        blocks.append(Block("plain", f"{files.plain}\n"))
    return blocks


def recalled(situation: Situation) -> Mapping[str, Sequence[RecallItem]]:
    """Return what is recalled by the block that shows it; turns of the running topic are shown as messages."""
    items = situation.recall.items
    # A topic item without its turn cannot be shown as messages.
    as_messages = {id(item) for item in items if item.kind == "topic" and item.turn is not None}
    return {
        "known": [item for item in items if item.kind == "state"],
        "examples": [item for item in items if item.kind == "exemplar"],
        "earlier": [item for item in items if item.kind in ("turn", "topic") and id(item) not in as_messages],
    }


def item_line(item: RecallItem) -> str:
    """Return a recalled item as one line: the turns it stems from, their date where it is known, its text."""
    time = item.turn.time if item.turn is not None else None
    dated: dict[str, JsonValue] = {} if time is None else {"time": f"{time:%Y-%m-%d %H:%M}"}
    return data_line({"turns": list(item.turn_ids), **dated, "text": item.text})


def data_line(value: JsonValue) -> str:
    """Return `value` as one line of JSON, readable in every script, that holds no opening angle bracket.

    That is enough to begin or end no block; the closing one stands in the arrow of every call.
    """
    text = json.dumps(value, ensure_ascii=False)
    # JSON leaves the line separators of Unicode as they are; to a reader of lines they end one.
    for mark in "<\u2028\u2029\x85":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


def topic_messages(situation: Situation, style: Style) -> list[dict[str, Any]]:
    """Return the running topic as messages."""
    ids = count()
    return [message for turn in situation.recall.topic_turns for message in _topic_turn(turn, ids, style)]


def turn_messages(situation: Situation, style: Style) -> list[dict[str, Any]]:
    """Return the request and what came of it so far as messages."""
    before = sum(len(turn.calls) for turn in situation.recall.topic_turns)
    # The proposal that led to a step is the last one made when there were as many steps before it.
    led = {one.steps_before: one.proposal for one in situation.proposed}
    steps = _step_messages(situation.steps, count(before), style, led)
    return [{"role": "user", "content": situation.request}, *steps]


def call_message(
    calls: Sequence[tuple[str, ToolCall]], style: Style, proposal: Proposal | None = None
) -> dict[str, Any]:
    """Return the assistant's message that made `calls`, each with the id it is shown by.

    Args:
        calls: Of one step, in order.
        style: How the model wants to see it.
        proposal: Where the calls come from, with what the endpoint wants back.
    """
    if style.is_text:
        return {"role": "assistant", "content": _written_calls([call for _, call in calls], style)}
    message_echo, call_echoes = echoed(proposal, [call for _, call in calls], style.profile, style.model)
    tool_calls = [
        {
            "id": call_id,
            "type": "function",
            "function": {
                "name": style.tools.sent_name(call.name, style.profile.dialect),
                "arguments": json.dumps(call.arguments, ensure_ascii=False),
            },
            **echo,
        }
        for (call_id, call), echo in zip(calls, call_echoes, strict=True)
    ]
    return {"role": "assistant", "content": "", **message_echo, "tool_calls": tool_calls}


def call_id(style: Style, name: str, index: int) -> str:
    """Return the id that the call number `index` of a conversation is shown by, from 0."""
    shown = style.tools.sent_name(name, style.profile.dialect)
    return style.profile.call_id.format(name=shown, index=index, number=index + 1)


def _hint_line(hint: Hint) -> str:
    slot = data_line(str(hint.slot))
    if hint.kind == "look_up":
        return f"{slot} is not known yet: get it first with {' or '.join(hint.suppliers)}, unless that has been tried."
    if hint.kind == "settled":
        told = f" (turns {', '.join(map(data_line, hint.turn_ids[-3:]))})" if hint.turn_ids else ""
        settled = f"what is known{told} settles it as {data_line(hint.value)}"
        return (
            f"Do not ask for {slot}: {settled}, unless the request, an answer or a result of this turn says otherwise."
        )
    if hint.kind == "invalid":
        return f"The tool does not take the value given for {slot}: {data_line(hint.value)}. Mend it, or ask."
    if hint.kind == "untrue":
        return (
            f"Your reply said {data_line(hint.value)}, but no call or result of this turn bears it out: say what is "
            "so, or make the call if it was ordered."
        )
    return f"The last proposal could not be carried out because of {slot}: propose something else, or reply."


def _topic_turn(turn: Turn, ids: Iterator[int], style: Style) -> Iterator[dict[str, Any]]:
    yield {"role": "user", "content": turn.request}
    yield from _step_messages(turn.steps, ids, style, {})
    if turn.reply is not None:
        yield {"role": "assistant", "content": turn.reply}


def _step_messages(
    steps: Iterable[Step], ids: Iterator[int], style: Style, led: Mapping[int, Proposal]
) -> Iterator[dict[str, Any]]:
    for number, step in enumerate(steps):
        if isinstance(step, CallStep):
            yield from _call_messages(step, ids, style, led.get(number))
        else:
            yield {"role": "assistant", "content": step.question}
            if step.answer is not None:
                yield {"role": "user", "content": step.answer}


def _call_messages(
    step: CallStep, ids: Iterator[int], style: Style, proposal: Proposal | None
) -> Iterator[dict[str, Any]]:
    # Numbered anew, since ids of different turns may collide, and every id must be answered exactly once.
    numbered = [(call_id(style, call.name, next(ids)), call) for call in step.calls]
    yield call_message(numbered, style, proposal)
    for (shown_id, call), observation in zip(numbered, step.observations, strict=True):
        content = observed(observation)
        if style.is_text:  # without ids, a result says whose it is
            content = json.dumps({"name": call.name, "result": content}, ensure_ascii=False)
        yield {"role": "tool", "tool_call_id": shown_id, "content": content}


def _written_calls(calls: Sequence[ToolCall], style: Style) -> str:
    named = [(style.tools.sent_name(call.name, style.profile.dialect), call.arguments) for call in calls]
    if style.profile.text_calls == "hammer":
        return json.dumps([{"name": name, "arguments": given} for name, given in named], ensure_ascii=False)
    written = (f"{name}({', '.join(f'{key}={value!r}' for key, value in given.items())})" for name, given in named)
    return f"[{', '.join(written)}]"


def observed(observation: Observation) -> str:
    """Return what a tool gave back, as text."""
    if observation.error is not None:
        return json.dumps({"error": observation.error}, ensure_ascii=False)
    if isinstance(observation.content, str):
        return observation.content
    return json.dumps(observation.content, ensure_ascii=False)


def _with_uncertainty(tool: dict[str, Any], description: str) -> dict[str, Any]:
    """Return a tool with one more argument, unless it has one of that name."""
    parameters = tool["function"]["parameters"]
    if UNCERTAINTY in parameters["properties"]:
        return tool
    added = {"type": "number", "description": description}
    made = {**parameters, "properties": {**parameters["properties"], UNCERTAINTY: added}}
    if tool["function"].get("strict"):
        made["required"] = [*parameters["required"], UNCERTAINTY]
    return {**tool, "function": {**tool["function"], "parameters": made}}

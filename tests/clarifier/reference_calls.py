"""Every call of a data set's references in the situation it is made in, and calls with one value made up."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from pydantic import JsonValue

from benchmark_adapter.data.dataset import ReferenceTurn, Session
from benchmark_adapter.data.reference import CLARIFICATION, arguments
from benchmark_adapter.replay.past import clock_of, past_turn
from clarifier.decision import Proposal, Situation
from memory.evidence import Evidence
from memory.language.text import language
from memory.language.values.dates import normal_date
from memory.language.values.times import normal_time
from memory.recall import Recall, RecallItem
from memory.records import CallStep, Observation, QuestionStep, Step, ToolCall, Turn
from memory.state.extraction import extract_all
from memory.state.topic import running_topic
from memory.tools import Parameter, Tool, parse_tools


@dataclass(frozen=True)
class ReferenceCall:
    """A call that a reference makes, with all that is known when it does."""

    where: str
    situation: Situation
    call: ToolCall
    tool: Tool

    @property
    def proposal(self) -> Proposal:
        return Proposal(calls=(self.call,))


@dataclass(frozen=True)
class Invention:
    """A call with one required value made up."""

    kind: str
    """What was made up: `text`, `id`, `date`, `time`, `number`, `enum`, `flag`."""
    argument: str
    value: JsonValue
    proposal: Proposal


def reference_calls(sessions: Sequence[Session]) -> Iterator[ReferenceCall]:
    """Yield the calls of all references in order, with all of the past recalled.

    What came before in the turn has happened as in the reference.
    """
    for session in sessions:
        past: list[Turn] = []
        for turn in session.turns:
            tools = parse_tools(turn.tools)
            now = clock_of(turn.env_info)
            recall = _everything(past, tools)
            steps: list[Step] = []
            for index, step in enumerate(turn.answer):
                if step.action.name == CLARIFICATION:
                    steps.append(QuestionStep(question="?", answer=step.user_input, slots=_asked(turn, index)))
                elif step.is_tool_call:
                    call = ToolCall(id=f"call_{index}", name=step.action.name, arguments=arguments(step))
                    situation = Situation(request=turn.request, tools=tools, recall=recall, steps=tuple(steps), now=now)
                    tool = situation.tool(call.name)
                    if tool is not None:
                        yield ReferenceCall(f"{turn.session}#{turn.index}", situation, call, tool)
                    steps.append(CallStep(calls=(call,), observations=(Observation(content=step.observation),)))
            past.append(past_turn(turn))


def inventions(reference: ReferenceCall) -> Iterator[Invention]:
    """Yield the call once for each required argument, with a value of the same kind that nothing can have named."""
    for parameter in reference.tool.required:
        if parameter.name not in reference.call.arguments:
            continue
        value = reference.call.arguments[parameter.name]
        found = _made_up(value, parameter, language(reference.situation.request))
        if found is None:
            continue
        kind, other = found
        changed = {**reference.call.arguments, parameter.name: other}
        call = reference.call.model_copy(update={"arguments": changed})
        yield Invention(kind, parameter.name, other, Proposal(calls=(call,)))


def _everything(past: Sequence[Turn], tools: Sequence[Tool]) -> Recall:
    by_turn: dict[str, list[Evidence]] = defaultdict(list)
    for piece in extract_all(past):
        by_turn[piece.turn_id].append(piece)
    start = running_topic(past, tools)
    return Recall(
        tuple(
            RecallItem(
                kind="topic" if position >= start else "turn",
                turn_ids=(turn.turn_id,),
                text=turn.request,
                tokens=1,
                turn=turn,
                evidence=tuple(by_turn[turn.turn_id]),
            )
            for position, turn in enumerate(past)
        )
    )


def _asked(turn: ReferenceTurn, index: int) -> tuple[str, ...]:
    found = arguments(turn.answer[index])
    missing = found.get("missing_required_parameters") or ()
    return tuple(f"{found.get('tool_name')}.{name}" for name in missing)


def _made_up(value: JsonValue, parameter: Parameter, spoken: str) -> tuple[str, JsonValue] | None:
    """A list is changed in its last element, an object in its last field."""
    if isinstance(value, list) and value:
        inner = parameter.items or Parameter(name=parameter.name, type="any")
        found = _made_up(value[-1], inner, spoken)
        return None if found is None else (found[0], [*value[:-1], found[1]])
    if isinstance(value, dict) and value:
        name = list(value)[-1]
        fields = {field.name: field for field in parameter.properties}
        found = _made_up(value[name], fields.get(name) or Parameter(name=name, type="any"), spoken)
        return None if found is None else (found[0], {**value, name: found[1]})
    if isinstance(value, bool):
        return "flag", not value
    if parameter.enum:
        return next((("enum", other) for other in reversed(parameter.enum) if other != value), None)
    if isinstance(value, (int, float)):
        return "number", value * 7 + 389
    if not isinstance(value, str):
        return None
    if normal_date(value) is not None:
        return "date", (date.fromisoformat(normal_date(value) or "") + timedelta(days=173)).isoformat()
    if (time := normal_time(value)) is not None:
        return "time", f"{(int(time[:2]) + 5) % 24:02d}:{(int(time[3:]) + 13) % 60:02d}"
    if re.search(r"[\d@/]", value):
        return "id", re.sub(r"\d", "7", value) + "9Q" if "@" not in value else "quenby.marsh@nowhere.example"
    return "text", "昆布丘陵" if spoken == "zh" else "Quenby Marsh"

"""Says why a turn went as it did, in plain lines. Pure."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from pydantic import JsonValue

from agent.graph import TurnResult
from clarifier.decision import Act, Answer, Ask, Decision, Grounds, PlanAgain, Reason, Wanted
from memory.records import QuestionStep, ToolCall, Turn

MAX_WORDS = 160
"""Characters of a turn that are quoted."""

_GROUNDS: dict[Grounds, str] = {
    "request": "you said it in this request",
    "answer": "you answered it",
    "topic": "what we were talking about",
    "observation": "a tool returned it",
    "standing": "a standing rule of yours",
    "habit": "a habit of yours",
    "derived": "worked out from your words",
    "default": "the tool's own default",
    "constant": "the only value there is",
    "none": "nothing supports it",
    "missing": "no value is known",
}


def why(result: TurnResult, turns: Sequence[Turn]) -> list[str]:
    """Return the decisions of a turn with the evidence of every argument.

    Args:
        result: The turn.
        turns: All remembered turns, to quote those that spoke for a value.
    """
    by_id = {turn.turn_id: turn for turn in turns}
    lines = [f"Turn {result.turn.turn_id}: {quoted(result.turn.request)}"]
    for decision in result.decisions:
        lines.extend(_decision_lines(decision, by_id))
    return lines


def shown(value: JsonValue) -> str:
    """Return a value as JSON with its real characters."""
    return json.dumps(value, ensure_ascii=False)


def shown_call(call: ToolCall) -> str:
    """Return a call as `name(argument=value, …)`."""
    return f"{call.name}({', '.join(f'{name}={shown(value)}' for name, value in call.arguments.items())})"


def quoted(text: str) -> str:
    """Return the beginning of a text in one line, in quotation marks."""
    line = " ".join(text.split())
    return f"“{line if len(line) <= MAX_WORDS else line[: MAX_WORDS - 1] + '…'}”"


def _decision_lines(decision: Decision, turns: Mapping[str, Turn]) -> Iterator[str]:
    match decision:
        case Act(calls=calls):
            yield f"- made {_listed(call.name for call in calls)}{_odds(decision)}"
            made = {call.id for call in calls}
            yield from _deed_lines(decision, made)
            yield from _reason_lines([reason for reason in decision.reasons if reason.call_id in made], turns)
            if decision.then is not None:
                yield from _decision_lines(decision.then, turns)
        case Ask(question=question, slots=slots):
            yield f"- asked {quoted(question)} for {_listed(slots) or 'no slot in particular'}{_odds(decision)}"
            yield from _deed_lines(decision)
            yield from _reason_lines(decision.reasons, turns)
        case PlanAgain(hints=hints):
            for hint in hints:
                detail = {
                    "look_up": f"look {hint.slot} up with {' or '.join(hint.suppliers)}",
                    "settled": f"{hint.slot} is settled as {shown(hint.value)}{_from(hint.turn_ids)}",
                    "invalid": f"the tool does not take the value for {hint.slot}: {shown(hint.value)}",
                    "untrue": f"nothing bears out {shown(hint.value)}",
                    "unsupported": f"the proposal cannot be carried out because of {hint.slot}",
                }[hint.kind]
                yield f"- planned again: {detail}"
        case Answer(reply=reply):
            yield f"- replied {quoted(reply)}"
            yield from _deed_lines(decision)
            yield from _reason_lines(decision.reasons, turns)


_WANTED: dict[Wanted, str] = {
    "ordered": "you ordered it",
    "ruled": "you laid down a rule",
    "asked": "you asked about it",
    "told": "you told of it",
    "imagined": "you imagined it",
    "deferred": "you put it off",
    "forbidden": "you said not to",
    "called_off": "you called it off",
    "other": "you ordered what undoes it",
    "unsaid": "your words say nothing of it",
}


def _deed_lines(decision: Decision, made: Collection[str] | None = None) -> Iterator[str]:
    """Yield whether each deed is wanted, those of the calls `made` where given."""
    for deed in decision.deeds:
        if made is None or deed.call_id in made:
            yield f"    {deed.tool}  p={deed.probability:.2f}  {deed.wanted}: {_WANTED[deed.wanted]}"


def _reason_lines(reasons: Iterable[Reason], turns: Mapping[str, Turn]) -> Iterator[str]:
    for reason in reasons:
        value = "?" if reason.grounds == "missing" else shown(reason.value)
        stated = f"; the source the planner states is {reason.stated}" if reason.stated else ""
        grounds = f"{reason.grounds}: {_GROUNDS[reason.grounds]}"
        yield f"    {reason.slot} = {value}  p={reason.probability:.2f}  {grounds}{stated}"
        for turn_id in reason.turn_ids:
            yield f"        {turn_id}: {_words(turns[turn_id]) if turn_id in turns else '(not remembered)'}"


def _words(turn: Turn) -> str:
    """Return what the person said in a turn, with its day."""
    answers = [step.answer for step in turn.steps if isinstance(step, QuestionStep) and step.answer]
    said = ", then ".join(quoted(text) for text in (turn.request, *answers))
    return f"{said} ({turn.time:%Y-%m-%d %H:%M})" if turn.time else said


def _odds(decision: Decision) -> str:
    odds = decision.odds
    return (
        f" (policy {decision.policy}: acting is wanted {odds.p_act:.2f}, the calls are right {odds.p_calls:.2f}, "
        f"right after a question {odds.p_asked:.2f})"
    )


def _from(turn_ids: Sequence[str]) -> str:
    return f", from {_listed(turn_ids)}" if turn_ids else ""


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)

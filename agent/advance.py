"""Drives one turn, without doing anything itself.

`advance` takes the state of a turn and what came of the last action, and returns the new state and the next action:

    recall → plan → calibrate ─┬─ execute ─► plan         (ask, where the planner had a question beside its calls)
                               ├─ plan again
                               ├─ ask ─────► plan
                               └─ tell ────► remember → done      (plan, where the person says something back)

It is pure, so a graph, a middleware and an endpoint drive the same turn: each carries out `state.action` and passes on
the event.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from agent.errors import ObservationCountError, UnexpectedEventError
from agent.turn_state import (
    Action,
    Advance,
    Answered,
    AskUser,
    Calibrate,
    Decided,
    Done,
    Ending,
    Event,
    Execute,
    Executed,
    Plan,
    Planned,
    Recalled,
    RecallMemory,
    Remember,
    Remembered,
    Tell,
    Told,
    TraceEntry,
    TurnState,
)
from clarifier.decision import Act, Answer, Ask, Decision, Hint, Proposal
from memory.language.text import Language, language
from memory.language.values.values import canonical_key
from memory.records import CallStep, Observation, QuestionStep, Scope, Step, ToolCall
from memory.storable import storable, storable_text
from memory.tools import Tool

MAX_PLANS = 24
"""Plans of one turn, the same for every turn: a long chain of calls, a question and a few plans sent back fit in."""
LOST = "nothing came back: the turn ended before this call had a result"
"""The error that a call without an observation is remembered with."""

_UNFINISHED: Mapping[Language, str] = {
    "en": "I could not finish this and stop here. Please put it differently, or give it to me in smaller steps.",
    "zh": "抱歉，这件事我没能办完，先停在这里。请换个说法，或分成小步告诉我。",
}


def begin(
    request: str,
    tools: Iterable[Tool],
    *,
    turn_id: str,
    now: datetime | None = None,
    topic: str | None = None,
    scope: Scope | None = None,
    unknown: Iterable[ToolCall] = (),
    notice: str | None = None,
    is_kept: bool = True,
) -> TurnState:
    """Return a turn that waits for its recall.

    Args:
        request: What the person said.
        tools: The tools on offer.
        turn_id: Unique among the turns of the person.
        now: The turn's clock; naive where the zone is unknown, `None` where the time is.
        topic: The topic, where topic boundaries are known.
        scope: Whose turn it is; a driver may refuse to go on with it for anybody else.
        unknown: Calls of earlier turns of which nobody knows whether they were made.
        notice: What the first thing said to the person has to be preceded by.
        is_kept: Whether the turn will be remembered.
    """
    return TurnState(
        turn_id=turn_id,
        request=storable_text(request),
        tools=tuple(tools),
        now=now,
        topic=topic,
        scope=scope,
        unknown=tuple(unknown),
        notice=notice,
        is_kept=is_kept,
    )


def advance(state: TurnState, event: Event) -> Advance:
    """Return where the turn stands once `event` has come of `state.action`, and what to do next.

    Raises:
        UnexpectedEventError: If the event does not answer the pending action.
        ObservationCountError: If there are more observations than outstanding calls, or none at all.
    """
    after = _after(state, event)
    return Advance(after, after.action)


def _after(state: TurnState, event: Event) -> TurnState:
    match state.action, event:
        case RecallMemory(), Recalled(recall):
            return _with(state, Plan(), recall=recall)
        case Plan(), Planned(proposal):
            return _planned(state, _storable(_with_unique_ids(proposal, state.steps)))
        case Calibrate(), Decided(decision):
            trace = (*state.trace[:-1], state.trace[-1].model_copy(update={"decision": decision}))
            return _decided(state.model_copy(update={"trace": trace}), decision)
        case Execute() as action, Executed(observations):
            return _executed(state, action, observations)
        case AskUser() as action, Answered(answer, next_request):
            said = None if answer is None else storable_text(answer)
            step = QuestionStep(question=action.question, answer=said, slots=action.slots)
            noticed = state.model_copy(update={"notice": None, "next_request": next_request})
            return _finish(noticed, "unanswered", step=step) if answer is None else _plan(noticed, step)
        case Tell() as action, Told(answer, failure):
            heard = {"tell_failure": failure} if failure else {"tell_failure": None, "notice": None}
            return _told(state.model_copy(update=heard), action, None if answer is None else storable_text(answer))
        case Remember(), Remembered():
            return _with(state, Done())
    raise UnexpectedEventError(action=state.action.kind, event=type(event).__name__)


def _planned(state: TurnState, proposal: Proposal) -> TurnState:
    entry = TraceEntry(steps_before=len(state.steps), proposal=proposal)
    traced = state.model_copy(update={"trace": (*state.trace, entry)})
    if not _is_empty(proposal):
        return _with(traced, Calibrate(proposal))
    # A planner that proposes nothing is asked once more; twice in a row it has nothing to say.
    if state.trace and _is_empty(state.trace[-1].proposal):
        return _give_up(traced)
    return _plan(traced)


def _decided(state: TurnState, decision: Decision) -> TurnState:
    if isinstance(decision, Act):
        return _with(state, Execute(decision.calls))
    if isinstance(decision, Ask):
        return _with(state, _asking(decision, state.notice))
    if isinstance(decision, Answer):
        return _with(state, Tell(decision.reply, notice=state.notice))
    return _plan(state.model_copy(update={"hints": _merged(state.hints, decision.hints)}))


def _asking(decision: Ask, notice: str | None) -> AskUser:
    return AskUser(decision.question, decision.slots, tuple(decision.options.items()), notice)


def _executed(state: TurnState, action: Execute, observations: Sequence[Observation] | None) -> TurnState:
    if observations is None:
        lost = (Observation(error=LOST),) * len(action.outstanding)
        return _finish(state, "unobserved", step=CallStep(calls=action.calls, observations=(*action.observed, *lost)))
    if not 0 < len(observations) <= len(action.outstanding):
        raise ObservationCountError(expected=len(action.outstanding), got=len(observations))
    observed = (*action.observed, *observations)
    if len(observed) < len(action.calls):
        return _with(state, replace(action, observed=observed))
    step = CallStep(calls=action.calls, observations=observed)
    decided = state.trace[-1].decision if state.trace else None
    if isinstance(decided, Act) and decided.then is not None:
        return _with(state, _asking(decided.then, state.notice), steps=(*state.steps, step))
    return _plan(state, step)


def _told(state: TurnState, action: Tell, answer: str | None) -> TurnState:
    if answer is None:
        return _finish(state, "gave_up" if action.gave_up else "replied", reply=action.reply)
    step = QuestionStep(question=action.reply, answer=answer)
    # Whoever has given up does not start over: what is said back is kept, and the turn is over.
    return _finish(state, "gave_up", step=step) if action.gave_up else _plan(state, step)


def _plan(state: TurnState, *steps: Step) -> TurnState:
    grown = state.model_copy(update={"steps": (*state.steps, *steps)})
    return _give_up(grown) if len(grown.trace) >= MAX_PLANS else _with(grown, Plan())


def _give_up(state: TurnState) -> TurnState:
    return _with(state, Tell(_UNFINISHED[language(state.request)], gave_up=True, notice=state.notice))


def _finish(state: TurnState, ending: Ending, *, step: Step | None = None, reply: str | None = None) -> TurnState:
    steps = (*state.steps, step) if step is not None else state.steps
    return _with(state, Remember(), steps=steps, ending=ending, reply=reply)


def _with(state: TurnState, action: Action, **changes: object) -> TurnState:
    return state.model_copy(update={**changes, "action": action})


def _is_empty(proposal: Proposal) -> bool:
    return not (proposal.calls or proposal.question or proposal.reply)


def _merged(old: Sequence[Hint], new: Sequence[Hint]) -> tuple[Hint, ...]:
    return tuple({(hint.kind, hint.slot, canonical_key(hint.value)): hint for hint in (*old, *new)}.values())


def _storable(proposal: Proposal) -> Proposal:
    """Return `proposal` without what no log takes, such as half an emoji: nothing is done that cannot be told later."""
    calls = []
    for call in proposal.calls:
        arguments = storable(call.arguments)
        mended = {"id": storable_text(call.id), "name": storable_text(call.name), "arguments": arguments.value}
        calls.append(call.model_copy(update=mended) if mended != call.model_dump() or arguments.marks else call)
    texts = {
        name: storable_text(text) for name in ("question", "reply") if (text := getattr(proposal, name)) is not None
    }
    return replace(proposal, calls=tuple(calls), question=texts.get("question"), reply=texts.get("reply"))


def _with_unique_ids(proposal: Proposal, steps: Sequence[Step]) -> Proposal:
    """Return `proposal` with every call id unlike those before it, in the turn and in the proposal.

    Planners number calls from 1 in each answer, or send none; an observation belongs to a call by its id alone.
    """
    used = {call.id for step in steps if isinstance(step, CallStep) for call in step.calls}
    calls: list[ToolCall] = []
    for call in proposal.calls:
        name, count = call.id or "call", 1
        while not name or name in used:
            count += 1
            name = f"{call.id or 'call'}-{count}"
        used.add(name)
        calls.append(call if name == call.id else call.model_copy(update={"id": name}))
    return replace(proposal, calls=tuple(calls))

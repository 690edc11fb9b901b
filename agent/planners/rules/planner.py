"""The planner without a model: tools by words, meaning and habit; arguments by typed reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agent.planners.rules.goals import Goal, calls_of, goals_of
from agent.planners.rules.open_request import resumed
from agent.planners.rules.replies import done_before, report
from agent.planners.rules.speech_acts import permits
from agent.planners.rules.verbs import is_conditional, says_again
from clarifier.decision import Proposal, Situation
from clarifier.effects import effect_of
from clarifier.grounding.beneficiaries import is_for_other, was_for_other
from memory.embedder import Embedder
from memory.language.values.mentions import READ_CHARACTERS
from memory.language.values.values import canonical_key
from memory.records import CallStep, ToolCall


class RulesPlanner:
    """Plans with rules alone.

    It keeps nothing between plans: each plan reads the whole situation, takes away what the turn has done, and proposes
    what is left; a turn ends once nothing is left.

    Args:
        embedder: For the meaning of a request against the tools' descriptions; without one, words decide alone.
    """

    name = "rules"

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder

    def plan(self, situation: Situation) -> Proposal:
        """Return the calls to make next, with what is known of their arguments, or the reply when all is done.

        The `uncertainty` of calls is the probability that the request means other tools, or fewer, or more. Of a
        request it reads the first `READ_CHARACTERS`.
        """
        situation = resumed(replace(situation, request=situation.request[:READ_CHARACTERS]))
        meant = goals_of(situation, self._embedder)
        uncertainty = None if meant.certainty is None else 1 - meant.certainty
        looked_up = _look_ups(situation)
        if looked_up:
            return Proposal(calls=_numbered(looked_up, situation), uncertainty=uncertainty)
        permitted = [goal for goal in meant.calls if permits(goal.tool, situation)]
        goals = _left(permitted, situation)
        fresh = [goal for goal in goals if not _is_done(goal, situation)]
        if fresh:
            ready = _before_the_rest(_first(fresh), situation)
            return Proposal(calls=_numbered(ready, situation), uncertainty=uncertainty)
        if goals and not situation.call_steps:
            return Proposal(reply=done_before([goal.tool for goal in goals], situation.request))
        return Proposal(reply=report(situation))


def _look_ups(situation: Situation) -> list[Goal]:
    """Return a call of the best supplier not called yet for every value that is to be looked up."""
    called = {call.name for step in situation.call_steps for call in step.calls}
    goals: dict[str, Goal] = {}
    for hint in situation.hints:
        if hint.kind != "look_up" or set(hint.suppliers) & called:
            continue
        for name in hint.suppliers:
            tool = situation.tool(name)
            if tool is not None:
                goals.setdefault(name, calls_of(tool, situation)[0])
                break
    return list(goals.values())


def _left(goals: Sequence[Goal], situation: Situation) -> list[Goal]:
    """Return the goals without those the turn has already called for, each call counted once."""
    done = [call for step in situation.call_steps for call in step.calls]
    left: list[Goal] = []
    for goal in goals:
        same = [call for call in done if call.name == goal.tool.name]
        exact = [call for call in same if _key(call) == canonical_key(goal.filled.arguments)]
        taken = (exact or same)[:1]
        if taken:
            done.remove(taken[0])
        else:
            left.append(goal)
    called = {_key(call) + call.name for step in situation.call_steps for call in step.calls}
    return [goal for goal in left if canonical_key(goal.filled.arguments) + goal.tool.name not in called]


def _is_done(goal: Goal, situation: Situation) -> bool:
    """Whether an earlier turn of the topic made the very change, and the request does not ask for it once more.

    What was done for oneself is not done for somebody else, nor the other way round.
    """
    if effect_of(goal.tool) == "read" or not goal.is_ready or says_again(situation.request):
        return False
    key = canonical_key(goal.filled.arguments)
    is_for_another = is_for_other(situation.request)
    return any(
        call.name == goal.tool.name and _key(call) == key and observation.error is None
        for turn in situation.recall.topic_turns
        if was_for_other(turn) == is_for_another
        for step in turn.steps
        if isinstance(step, CallStep)
        for call, observation in zip(step.calls, step.observations, strict=True)
    )


def _key(call: ToolCall) -> str:
    return canonical_key(call.arguments)


def _first(goals: Sequence[Goal]) -> list[Goal]:
    """Return what can be done now: what waits for a value goes after the look-ups that are ready."""
    ready_reads = [goal for goal in goals if goal.is_ready and effect_of(goal.tool) == "read"]
    waiting = [goal for goal in goals if not goal.is_ready]
    return ready_reads if ready_reads and waiting else list(goals)


def _before_the_rest(goals: Sequence[Goal], situation: Situation) -> list[Goal]:
    """Return what a condition rests on: the look-ups before the changes, of look-ups alone the first."""
    if len({goal.tool.name for goal in goals}) < 2 or not is_conditional(situation.request):
        return list(goals)
    reads = [goal for goal in goals if effect_of(goal.tool) == "read"]
    if not reads:
        return list(goals)
    return reads if len(reads) < len(goals) else [goal for goal in reads if goal.tool.name == reads[0].tool.name]


def _numbered(goals: Sequence[Goal], situation: Situation) -> tuple[ToolCall, ...]:
    step = len(situation.steps)
    distinct = {canonical_key(goal.filled.arguments) + goal.tool.name: goal for goal in goals}
    return tuple(
        ToolCall(id=f"rules-{step}-{index}", name=goal.tool.name, arguments=goal.filled.arguments)
        for index, goal in enumerate(distinct.values())
    )

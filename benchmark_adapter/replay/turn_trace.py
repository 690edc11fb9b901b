"""What was planned and decided in a turn, kept as it happens, so that nothing is lost with a turn that fails."""

from __future__ import annotations

from collections.abc import Sequence

from agent.errors import PlannerError
from agent.seams import Decide, Planner
from agent.turn_state import TraceEntry
from benchmark_adapter.replay.environment import ReplayEnvironment, Reply
from clarifier.decision import Act, Decision, PlanAgain, Proposal, Situation, Usage
from memory.recall import Recall


class TurnTrace:
    """Stands between the agent and its planner and clarifier, and writes down what they say.

    Args:
        planner: Who proposes.
        decide: Who decides.
        environment: Is told what was decided.
    """

    def __init__(self, planner: Planner, decide: Decide, environment: ReplayEnvironment) -> None:
        self.name = planner.name
        self.entries: list[TraceEntry] = []
        self.recall = Recall()
        """What the planner was shown."""
        self._planner, self._decide, self._environment = planner, decide, environment

    def plan(self, situation: Situation) -> Proposal:
        """Return what the planner proposes."""
        self.recall = situation.recall
        try:
            proposal = self._planner.plan(situation)
        except PlannerError as exc:  # what the plan has cost is kept with the turn that fails
            lost = Proposal(usage=exc.usage or Usage(), notes=exc.notes, attempts=exc.attempts)
            self.entries.append(TraceEntry(steps_before=len(situation.steps), proposal=lost))
            raise
        self.entries.append(TraceEntry(steps_before=len(situation.steps), proposal=proposal))
        return proposal

    def decide(self, situation: Situation, proposal: Proposal) -> Decision:
        """Return what the clarifier decides."""
        decision = self._decide(situation, proposal)
        self.entries[-1] = self.entries[-1].model_copy(update={"decision": decision})
        self._environment.notice(decision)
        return decision


def split_at_deviation(
    trace: Sequence[TraceEntry], replies: Sequence[Reply]
) -> tuple[Sequence[TraceEntry], Sequence[TraceEntry]]:
    """Return the plans of a turn up to its first deviation, and those after it.

    Every decision but to plan again leads to one reply, or to two where calls are followed by a question; the reply of
    a turn that gave up has none, and is the last.
    """
    if not any(reply.after_deviation for reply in replies):
        return trace, ()
    left = sum(not reply.after_deviation for reply in replies)
    for index, entry in enumerate(trace):
        left -= replies_of(entry.decision)
        if left <= 0:
            return trace[: index + 1], trace[index + 1 :]
    return trace, ()


def replies_of(decision: Decision | None) -> int:
    """Return how many replies a decision leads to."""
    if decision is None or isinstance(decision, PlanAgain):
        return 0
    return 2 if isinstance(decision, Act) and decision.then is not None else 1

"""The agent of one person: their memory, a planner and a policy behind one object."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial

from agent.graph import AgentContext, TurnResult, run_turn
from agent.planners.rules.own_request import is_own_request
from agent.seams import Clock, Planner, ToolExecutor, User
from agent.stewardship.state_view import state_lines
from clarifier.calibration.feedback import after_feedback
from clarifier.calibration.heads import Heads
from clarifier.clarifier import decide
from clarifier.policy import Policy, open_policy
from clarifier.settings import Settings
from memory.evidence import Slot
from memory.records import Turn
from memory.state.user_state import UserState, fold
from memory.storage.user_memory import Forgotten, UserMemory
from memory.strategies import default_budget, open_strategy
from memory.tools import Tool

_NUMBERED = re.compile(r"t(\d+)")


def local_time() -> datetime:
    """Return the time here, with its zone."""
    return datetime.now().astimezone()


class Agent:
    """Runs one person's turns, one at a time, and remembers them.

    What the person corrected or undid makes the policy more careful from the next turn on.

    Args:
        memory: Of the person.
        planner: Proposes the steps.
        strategy: How to remember and recall, by name.
        policy: How to decide between acting and asking, by name, or one with this person's own costs and confirmations.
        clock: Dates the turns.
        budget: Most tokens of recall; by default the strategy's own.
        heads: Of the clarifier; those set by hand where `None`.
        settings: Of the clarifier, such as what tools do where their names mislead; the defaults where `None`.

    Raises:
        UnknownStrategyError: If no strategy has this name.
        UnknownPolicyError: If no policy has this name.
    """

    def __init__(
        self,
        memory: UserMemory,
        planner: Planner,
        *,
        strategy: str = "stead",
        policy: str | Policy = "product",
        clock: Clock = local_time,
        budget: int | None = None,
        heads: Heads | None = None,
        settings: Settings | None = None,
    ) -> None:
        self._memory = memory
        self._planner = planner
        self._strategy = open_strategy(strategy, memory)
        self._strategy_name = strategy
        self._policy = open_policy(policy) if isinstance(policy, str) else policy
        self._settings = settings
        self._heads = heads
        self._clock = clock
        self._budget = default_budget(strategy) if budget is None else budget
        self.last: TurnResult | None = None
        """The last turn that was run, for explaining it."""

    def run(self, request: str, tools: Iterable[Tool], *, executor: ToolExecutor, user: User) -> TurnResult:
        """Run one turn from request to end, and remember it.

        Where the person answers a question with a request of its own, the turn ends unanswered, and the result's
        `next_request` is to be run next.

        Raises:
            PlannerError: If the planner cannot propose; the turn is not remembered then.
            MemoryStoreError: If the turn cannot be stored.
        """
        turns = self._memory.turns()
        policy = self.policy()
        context = AgentContext(
            planner=self._planner,
            memory=self._strategy,
            executor=executor,
            decide=partial(decide, policy=policy, heads=self._heads, settings=self._settings),
            user=user,
            log=self._memory,
            scope=self._memory.scope,
            clock=self._clock,
            budget=self._budget,
            is_own_request=is_own_request,
        )
        self.last = run_turn(request, tools, context, turn_id=_next_id(turns))
        return self.last

    def turns(self) -> tuple[Turn, ...]:
        """Return all that is remembered, oldest first."""
        return self._memory.turns()

    def policy(self) -> Policy:
        """Return the policy of the next turn: what the person corrected or undid has made it more careful."""
        return after_feedback(self._policy, self._memory.turns())

    def state(self) -> UserState:
        """Return what is believed of the person now."""
        return fold(
            self._memory.turns(),
            now=self._clock(),
            retention=self._memory.settings.retention_days,
            extractor=self._memory.extractor,
        )

    def beliefs(self, *, shows_all: bool = False) -> list[str]:
        """Return what is believed of the person now in plain lines, as `stead state show` (or `--all`) has them."""
        return state_lines(self.state(), self._memory.turns(), now=self._clock(), shows_all=shows_all)

    def forget(self) -> Forgotten:
        """Erase everything of the person."""
        return self._forgetting(self._memory.forget())

    def forget_turns(self, turn_ids: Sequence[str]) -> Forgotten:
        """Erase these turns; unknown ids are passed over."""
        return self._forgetting(self._memory.forget_turns(turn_ids))

    def forget_slot(self, slot: Slot) -> Forgotten:
        """Erase every turn that says something about `slot`: its words are where the belief comes from."""
        state = self.state().slots.get(slot)
        turn_ids = [turn_id for candidate in state.candidates for turn_id in candidate.turn_ids] if state else []
        return self.forget_turns(list(dict.fromkeys(turn_ids)))

    def _forgetting(self, forgotten: Forgotten) -> Forgotten:
        # A strategy may keep what it has observed, and the last turn is shown word by word.
        self._strategy = open_strategy(self._strategy_name, self._memory)
        self.last = None
        return forgotten


def _next_id(turns: Iterable[Turn]) -> str:
    """Return `t1`, `t2`, …: one more than the highest there is."""
    numbers = (int(match[1]) for turn in turns if (match := _NUMBERED.fullmatch(turn.turn_id)))
    return f"t{max(numbers, default=0) + 1}"

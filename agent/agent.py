"""The agent of one person: their memory, a planner and a policy behind one object."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial

from agent.graph import AgentContext, TurnResult, run_turn
from agent.memory_speech import MemoryFirst, leaves_no_trace
from agent.planners.rules.own_request import is_own_request
from agent.seams import Clock, Planner, ToolExecutor, User
from agent.stewardship.state_view import state_lines
from clarifier.asking.deeds import cut_off_notice
from clarifier.asking.repeating import answer_to, is_repeat_question
from clarifier.calibration.feedback import after_feedback
from clarifier.calibration.heads import Heads
from clarifier.clarifier import decide
from clarifier.decision import Ask
from clarifier.policy import Policy, open_policy
from clarifier.repeats import is_same_deed
from clarifier.settings import Settings
from memory.errors import MemoryStoreError, TurnRunningError
from memory.evidence import Slot
from memory.journal import JournalEntry, Stage
from memory.records import QuestionStep, Turn
from memory.state.user_state import UserState, fold
from memory.storage.user_memory import Forgotten, UserMemory
from memory.strategies import default_budget, open_strategy
from memory.tools import Tool

_log = logging.getLogger(__name__)

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
        turn_wait_s: Seconds that a turn waits for another one of the person, in whatever thread or process.

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
        turn_wait_s: float = 30.0,
    ) -> None:
        if not turn_wait_s >= 0:
            raise ValueError(f"turn_wait_s is a number of seconds, at least 0; got {turn_wait_s!r}")
        self._turn_wait_s = turn_wait_s
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

        What a turn did is remembered also where it breaks off, and the next one tells the person first; with
        `take_notice` they hear it sooner.

        Raises:
            TurnRunningError: If another turn of the person still runs after `turn_wait_s`; nothing was done then.
            PlannerError: If the planner cannot propose.
            MemoryStoreError: If the turn cannot be stored.
        """
        with self._memory.turn(self._turn_wait_s):
            try:
                result = self._run(request, tools, executor, user)
            except BaseException:
                self._close_quietly()
                raise
            self.last = None if leaves_no_trace(request) else result
            return result

    def _run(self, request: str, tools: Iterable[Tool], executor: ToolExecutor, user: User) -> TurnResult:
        journal, policy, offered = self._memory.journal, self.policy(), tuple(tools)
        entries = journal.entries() if journal is not None else ()
        untold, unknown = _at(entries, "untold"), [entry for entry in entries if entry.is_unknown]
        context = AgentContext(
            planner=MemoryFirst(self._planner, self),
            memory=self._strategy,
            executor=executor,
            decide=partial(decide, policy=policy, heads=self._heads, settings=self._settings),
            user=user,
            log=self._memory,
            scope=self._memory.scope,
            journal=journal,
            effects=self._settings.effects if self._settings is not None else None,
            clock=self._clock,
            budget=self._budget,
            is_own_request=is_own_request,
            remembers=not leaves_no_trace(request),
        )
        result = run_turn(
            request,
            offered,
            context,
            turn_id=_next_id([turn.turn_id for turn in self._memory.kept_turns()] + [one.turn_id for one in entries]),
            unknown=[entry.intent.call for entry in unknown],
            notice=cut_off_notice(untold),
            is_kept=not self.is_paused,
        )
        if journal is not None and result.notice is None:
            journal.told(untold)
            journal.resolve(_settled(unknown, result, offered))
        return result

    def take_notice(self) -> str | None:
        """Return what the person has still to be told of turns that were cut off; it counts as told then.

        `None`: there is nothing, or a turn of the person runs now and tells it.
        """
        journal = self._memory.journal
        try:
            with self._memory.turn(0.0):
                untold = _at(journal.entries(), "untold") if journal is not None else []
                if journal is not None:
                    journal.told(untold)
        except TurnRunningError:
            return None
        return cut_off_notice(untold)

    def _close_quietly(self) -> None:
        try:
            self._memory.close_cut_off()
        except MemoryStoreError as exc:  # the next turn does it; the error that broke this one off says more
            _log.warning("a turn that broke off is not in the log yet: %s", exc)

    def turns(self) -> tuple[Turn, ...]:
        """Return all that is remembered, oldest first."""
        return self._memory.turns()

    def kept_turns(self) -> tuple[Turn, ...]:
        """Return all that is kept, also while the person has paused, oldest first."""
        return self._memory.kept_turns()

    @property
    def is_paused(self) -> bool:
        """Whether the person has paused their memory: nothing is remembered or used."""
        return self._memory.settings.is_paused

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


def _at(entries: Iterable[JournalEntry], stage: Stage) -> list[JournalEntry]:
    return [entry for entry in entries if entry.stage == stage]


def _settled(unknown: Iterable[JournalEntry], result: TurnResult, tools: Sequence[Tool]) -> list[JournalEntry]:
    """Return the entries about which the person was asked in a turn, and said what they want."""
    steps = [step for step in result.turn.steps if isinstance(step, QuestionStep)]
    offered = {tool.name: tool for tool in tools}
    asked = [
        proposed
        for entry in result.trace
        if isinstance(entry.decision, Ask) and is_repeat_question(entry.decision.question)
        if answer_to(entry.decision.question, steps) in ("given", "refused")
        for proposed in entry.proposal.calls
    ]
    return [
        entry
        for entry in unknown
        if (tool := offered.get(entry.intent.call.name)) is not None
        and any(is_same_deed(entry.intent.call, call, tool) for call in asked)
    ]


def _next_id(turn_ids: Iterable[str]) -> str:
    """Return `t1`, `t2`, …: one more than the highest there is."""
    numbers = (int(match[1]) for turn_id in turn_ids if (match := _NUMBERED.fullmatch(turn_id)))
    return f"t{max(numbers, default=0) + 1}"

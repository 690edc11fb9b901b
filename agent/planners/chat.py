"""The planner `chat`: any OpenAI-compatible endpoint."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from agent.errors import PlannerError, PlannerRefusedError
from agent.planners.answers import Reading, read_answer, repair_messages, with_echo
from agent.planners.endpoint import Answered, Endpoint
from agent.planners.prompt import Style, build_messages
from agent.planners.prompt_costs import fitted, prompt_budget
from agent.planners.prompt_files import PromptFiles
from agent.planners.prompt_shares import TOOLS_SHARE, fitting_tools, tools_taken, within_shares
from agent.planners.requests import build_request
from agent.settings import ChatSettings
from clarifier.decision import Proposal, Situation, Usage
from memory.language.values.values import canonical_key

MAX_REPAIRS = 2
"""Times one plan may go back to the model because a call cannot be read."""


class _Spent(NamedTuple):
    """What a plan has cost so far."""

    usage: Usage = Usage()
    notes: tuple[str, ...] = ()
    attempts: tuple[str, ...] = ()
    seconds: float = 0

    def plus(self, answered: Answered) -> _Spent:
        return _Spent(
            self.usage + answered.usage,
            (*self.notes, *answered.notes),
            (*self.attempts, *answered.attempts),
            self.seconds + answered.seconds,
        )


class ChatPlanner:
    """Asks a chat model what to do next.

    Threads may share it. Its client is made at the first plan; `close` (or leaving a `with`) closes the connections.

    Args:
        settings: The endpoint and how it is called.
        sleep: Waits so many seconds between attempts.

    Raises:
        PlannerSettingsError: If the settings name a prompt folder that cannot be used.
    """

    name = "chat"

    def __init__(self, settings: ChatSettings, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self.settings = settings
        self.files = PromptFiles.load(settings.prompt)
        self.endpoint = Endpoint(settings, sleep=sleep)
        self._most_tools = settings.profile.max_tools

    def __enter__(self) -> ChatPlanner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections; a later plan opens them again."""
        self.endpoint.close()

    def plan(self, situation: Situation) -> Proposal:
        """Return what the model proposes; with several samples, what most of its answers propose.

        A call that cannot be read (arguments that are no JSON object, a tool that is not on offer) goes back to the
        model with the reason, MAX_REPAIRS times; after that such calls are left out. Arguments are mended where only
        one mending is possible. What was mended or dropped is in the proposal's notes, what was tried again in its
        attempts. Where the endpoint takes fewer tools than there are, it is offered those that fit best; where it says
        so only by a refusal, it is asked once more with as many as it takes.

        Raises:
            PlannerError: If the endpoint gives no answer; its subclass says why, its `usage` what was spent.
        """
        try:
            return self._plan(situation)
        except PlannerRefusedError as exc:
            most = tools_taken(str(exc), len(situation.tools) + 1) if exc.status in (400, 413, 422) else None
            if most is None or most < 2 or (self._most_tools is not None and most >= self._most_tools):
                raise
            self._most_tools = most
            proposal = self._plan(situation)
            return replace(proposal, attempts=(*exc.attempts, f"the tools were too many: {exc}", *proposal.attempts))

    def _plan(self, situation: Situation) -> Proposal:
        settings = self.settings
        budget = prompt_budget(
            settings.profile,
            prompt_tokens=settings.prompt_tokens,
            max_tokens=settings.max_tokens or settings.profile.max_tokens,
        )
        most = None if self._most_tools is None else self._most_tools - 1  # one place is for the reserved tool
        offered = fitting_tools(situation, most=most, tokens=None if budget is None else int(budget * TOOLS_SHARE))
        left_out: tuple[str, ...] = ()
        if len(offered) < (count := len(situation.tools)):
            left_out = (f"{len(offered)} of {count} tools were offered, those that fit the request best",)
            situation = replace(situation, tools=offered)
        style = Style.of(situation, settings.profile, self.files, self.endpoint.model)
        cut = within_shares(situation, budget)
        shown = fitted(cut.situation, style, budget)
        spent = _Spent(notes=(*style.tools.notes, *left_out, *cut.notes, *shown.notes))
        waited = sum(one.proposal.seconds for one in situation.proposed)
        proposals = []
        for _ in range(settings.samples):
            proposal, spent = self._proposal(shown.situation, style, spent, waited)
            proposals.append(proposal)
        chosen = agreed(proposals) if len(proposals) > 1 else proposals[0]
        notes = tuple(dict.fromkeys((*spent.notes, *chosen.notes)))
        return replace(chosen, usage=spent.usage, notes=notes, attempts=spent.attempts, seconds=spent.seconds)

    def _proposal(self, situation: Situation, style: Style, spent: _Spent, waited: float) -> tuple[Proposal, _Spent]:
        """Return one answer's proposal, and what was spent with it."""
        messages = build_messages(situation, style)
        for attempt in range(MAX_REPAIRS + 1):
            answered, reading, spent = self._answer(messages, situation, style, spent, waited)
            if reading.says_no_call:
                plain = replace(style, without_tools=True)
                messages = build_messages(situation, plain)
                answered, reading, spent = self._answer(messages, situation, plain, spent, waited)
            if not reading.faults or attempt == MAX_REPAIRS:
                break
            spent = spent._replace(notes=(*spent.notes, *(f"sent back: {fault}" for fault in reading.faults.values())))
            messages = [*messages, *repair_messages(answered.message, reading, style)]
        return with_echo(reading, answered.message, style), spent

    def _answer(
        self, messages: Sequence[Mapping[str, Any]], situation: Situation, style: Style, spent: _Spent, waited: float
    ) -> tuple[Answered, Reading, _Spent]:
        tools = () if style.is_text or style.without_tools else style.tools.tools
        request = build_request(self.settings, self.endpoint.model, messages, tools)
        left = self.settings.turn_timeout_s - waited - spent.seconds
        try:
            answered = self.endpoint.complete(request.body, seconds_left=left)
        except PlannerError as exc:
            raise exc.after(spent.usage, spent.notes, spent.attempts) from exc.__cause__
        reading = read_answer(answered.message, situation, style, is_cut=answered.finish_reason == "length")
        spent = spent._replace(notes=(*spent.notes, *request.notes))
        return answered, reading, spent.plus(answered)


def agreed(proposals: Sequence[Proposal]) -> Proposal:
    """Return the proposal that most of `proposals` equal, of equally many the earliest, with their share."""
    keys = [_meaning(proposal) for proposal in proposals]
    key, count = Counter(keys).most_common(1)[0]
    return replace(proposals[keys.index(key)], consistency=count / len(proposals))


def _meaning(proposal: Proposal) -> str:
    """Return one text for all proposals that come to the same: the same calls, or a question, or a reply."""
    calls = sorted(f"{call.name} {canonical_key(call.arguments)}" for call in proposal.calls)
    if calls:
        return "\n".join(calls)
    return "ask" if proposal.question is not None else "reply" if proposal.reply is not None else ""

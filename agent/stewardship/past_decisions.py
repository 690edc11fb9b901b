"""Labels from a product's own log: what a person accepted, corrected or undid, with the signals of then.

The log keeps turns and no signals, so each turn is weighed again as it was: with the recall of the turns before it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence

from clarifier.calibration.feedback import outcomes
from clarifier.calibration.fitting import Labelled
from clarifier.calibration.heads import HeadName
from clarifier.clarifier import decide
from clarifier.decision import Proposal, Situation
from clarifier.policy import ProductPolicy
from memory.embedder import Embedder
from memory.memory import Memory
from memory.records import CallStep, QuestionStep, Scope, Turn
from memory.strategies import default_budget, open_strategy
from memory.tools import Tool

ToolsFor = Callable[[str], Sequence[Tool]]
"""The tools on offer for a request."""


def past_decisions(
    turns: Sequence[Turn], person: str, tools_for: ToolsFor, embedder: Embedder, *, strategy: str = "stead"
) -> Iterator[Labelled]:
    """Yield one labelled decision for each turn whose calls were accepted, corrected or undone, oldest first.

    Its signals are of the turn's last calls that could be made with the tools; `p_calls`: they were accepted;
    `p_asked`, where a question was answered before them: likewise. Whether acting was wanted at all (`p_act`) is in no
    log.

    Args:
        turns: A person's turns, oldest first.
        person: Whose they are.
        tools_for: The tools on offer.
        embedder: For recall.
        strategy: Of memory, by name.
    """
    found = outcomes(turns)
    budget = default_budget(strategy)
    with (
        tempfile.TemporaryDirectory(prefix="stead-calibrate-", ignore_cleanup_errors=True) as folder,
        Memory.open(folder, embedder=embedder) as memory,
    ):
        shelf = memory.user(Scope(person))
        recalling = open_strategy(strategy, shelf)
        for turn, outcome in zip(turns, found, strict=True):
            if outcome is not None:
                tools = tuple(tools_for(turn.request))
                recall = recalling.recall(turn.request, tools, turn.time, budget)
                situation = Situation(turn.request, tools, recall, now=turn.time)
                if signals := _signals(turn, situation):
                    is_right = outcome == "accepted"
                    labels: dict[HeadName, bool] = {"p_calls": is_right}
                    if any(isinstance(step, QuestionStep) and step.answer for step in turn.steps):
                        labels["p_asked"] = is_right
                    yield Labelled(signals, person, labels)
            shelf.remember(turn)
            recalling.observe(turn)


def _signals(turn: Turn, situation: Situation) -> dict[str, float]:
    """Return the signals of the last calls of a turn that can be weighed; empty where none can."""
    for index in range(len(turn.steps) - 1, -1, -1):
        step = turn.steps[index]
        if isinstance(step, CallStep):
            then = Situation(
                situation.request, situation.tools, situation.recall, steps=turn.steps[:index], now=situation.now
            )
            if signals := decide(then, Proposal(calls=step.calls), policy=ProductPolicy()).signals:
                return signals
    return {}

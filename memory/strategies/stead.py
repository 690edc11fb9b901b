"""`stead`: the running topic, the state of the slots on offer, and the earlier turns that speak for those slots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from memory.recall import ItemKind, Recall, RecallItem, Strategy, TurnShelf
from memory.records import Turn
from memory.strategies._history import LEAST_TURN_TOKENS, History, Snapshot
from memory.strategies._ranking import Ranked, WordRanking, fuse, rank_by_vectors
from memory.strategies._state_lines import state_items
from memory.text import split_name
from memory.tools import Parameter, Tool
from memory.topic import running_topic

DEFAULT_BUDGET_TOKENS = 600

TOPIC_SHARE = 0.4
"""Of the budget, for the running topic; what other parts leave is added at the end."""
STATE_SHARE = 0.3
"""Of the budget, for state lines, besides what the topic left."""
MAX_EARLIER_TOKENS = 120
"""Of an earlier turn: its request, calls and some of the results, so that several fit."""
SLOT_WEIGHT = 0.1
"""Of the ranking by one slot query, against 1 for the request's."""
SAME_TOOL_WEIGHT = 1.0
"""Of the ranking of turns that called a tool on offer, newest first."""


class Stead:
    """The default: everything is recalled for the slots that have to be filled."""

    name = "stead"

    def __init__(self, shelf: TurnShelf) -> None:
        self._shelf = shelf
        self._history = History(shelf)
        self._words = WordRanking()

    def observe(self, turn: Turn) -> None:
        """Nothing to prepare: state, index and vectors follow the shelf."""

    def recall(self, request: str, tools: Sequence[Tool], now: datetime | None, budget: int) -> Recall:
        """Return state lines, exemplars, earlier turns and the running topic, within `budget` tokens together."""
        history = self._history.snapshot()
        start = running_topic(history.turns, tools)
        topic_newest_first = [(position, float(position)) for position in reversed(range(start, len(history.turns)))]

        topic = history.take(topic_newest_first, request, tools, int(TOPIC_SHARE * budget), is_unbroken=True)
        state = state_items(history, tools, request, int((TOPIC_SHARE + STATE_SHARE) * budget) - _tokens(topic))
        left = budget - _tokens(state)
        earlier = self._earlier(history, request, tools, start, left - _tokens(topic))
        topic = history.take(topic_newest_first, request, tools, left - _tokens(earlier), is_unbroken=True)
        return history.arrange([*state, *earlier, *topic])

    def _earlier(
        self, history: Snapshot, request: str, tools: Sequence[Tool], end: int, budget: int
    ) -> list[RecallItem]:
        """Return turns before `end` that fit into `budget`: exemplars called a tool on offer, the others did not."""
        offered = {tool.name for tool in tools}
        items: list[RecallItem] = []
        left = budget
        for position, score in self._rank(history, request, tools, end):
            if left < LEAST_TURN_TOKENS:
                break
            is_exemplar = any(call.name in offered for call in history.turns[position].calls)
            kind: ItemKind = "exemplar" if is_exemplar else "turn"
            item = history.item(position, kind, max_tokens=min(left, MAX_EARLIER_TOKENS), wanted=request, score=score)
            if item is not None:
                items.append(item)
                left -= item.tokens
        return items

    def _rank(self, history: Snapshot, request: str, tools: Sequence[Tool], end: int) -> list[Ranked]:
        """Return the turns before `end`, best first, by the request, by the slots to fill and by tools in common."""
        if end == 0:
            return []
        slot_queries = list(dict.fromkeys(_slot_queries(history, tools)))
        by_vectors = rank_by_vectors(self._shelf, history, [request, *slot_queries])
        rankings = [self._words.rank(history, request), *by_vectors, _same_tool(history, tools)]
        weights = [1.0, 1.0, *[SLOT_WEIGHT] * len(slot_queries), SAME_TOOL_WEIGHT]
        return [hit for hit in fuse(rankings, weights) if hit.position < end]


def _slot_queries(history: Snapshot, tools: Sequence[Tool]) -> Iterator[str]:
    """Yield a query for each required argument that the user state knows nothing about; it speaks for the others."""
    for tool in tools:
        for parameter in tool.required:
            state = history.state.lookup(tool, parameter)
            if state is None or not state.current:
                yield slot_query(tool, parameter)


def slot_query(tool: Tool, parameter: Parameter) -> str:
    """Return what a turn about this argument may say. It rests on the schema alone, so its vector can be kept."""
    return f"{' '.join(split_name(tool.name))}: {' '.join(split_name(parameter.name))} {parameter.description}".strip()


def _same_tool(history: Snapshot, tools: Sequence[Tool]) -> list[Ranked]:
    offered = {tool.name for tool in tools}
    return [
        Ranked(position, float(position))
        for position in reversed(range(len(history.turns)))
        if any(call.name in offered for call in history.turns[position].calls)
    ]


def _tokens(items: Sequence[RecallItem]) -> int:
    return sum(item.tokens for item in items)


def create(shelf: TurnShelf) -> Strategy:
    """Return the strategy over `shelf`."""
    return Stead(shelf)

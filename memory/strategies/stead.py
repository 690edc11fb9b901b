"""`stead`: the running topic, the state of the slots on offer, and the earlier turns that speak for those slots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from memory.ranking.ranker import Ranked
from memory.recall import ItemKind, Recall, RecallItem, Strategy, TurnShelf
from memory.records import Turn
from memory.rendering import barest_turn, render_turn, slot_turn
from memory.state.topic import running_topic
from memory.strategies._history import LEAST_TURN_TOKENS, History, Snapshot
from memory.strategies._ranking import Relevance, fuse, rank_by_vectors
from memory.strategies._state_lines import state_items
from memory.text import split_name
from memory.tokens import count_tokens
from memory.tools import Parameter, Tool
from memory.typed.mentions import READ_CHARACTERS

DEFAULT_BUDGET_TOKENS = 600

TOPIC_SHARE = 0.6
"""Of the budget, for what the running topic says of slots; what other parts leave is added at the end."""
STATE_SHARE = 0.3
"""Of the budget, for state lines."""
EARLIER_SHARE = 0.3
"""Of the budget, for other earlier turns, before the topic is given the rest."""
EXEMPLAR_SHARE = 0.75
"""Of the room for earlier turns, for those that called a tool on offer."""
MAX_EARLIER_TURNS = 30
"""Looked at, of each kind: far more than a budget holds."""
MAX_CONTEXT_TOKENS = 60
"""Of the turn before the best one, shown with it."""
MAX_EARLIER_TOKENS = 110
"""Of an earlier turn: its request, calls and some of the results, so that several fit."""
REQUEST_WEIGHT = 2.0
"""Of the ranking by the request."""
SLOT_WEIGHT = 0.1
"""Of the ranking by one slot query."""
SAME_TOOL_WEIGHT = 1.0
"""Of the ranking of turns that called a tool on offer, newest first."""


class Stead:
    """The default: everything is recalled for the slots that have to be filled."""

    name = "stead"

    def __init__(self, shelf: TurnShelf) -> None:
        self._shelf = shelf
        self._history = History(shelf)
        self._relevance = Relevance(shelf)

    def observe(self, turn: Turn) -> None:
        """Prepare what recall will compare requests with; all else follows the shelf."""
        self._relevance.observe(turn)

    def recall(self, request: str, tools: Sequence[Tool], now: datetime | None, budget: int) -> Recall:
        """Return state lines, exemplars, earlier turns and the running topic, within `budget` tokens together."""
        request = request[:READ_CHARACTERS]
        history = self._history.snapshot(now)
        shown = _Shown(history, request, tools)
        start = running_topic(history.turns, tools)
        newest_first = [Ranked(position, float(position)) for position in reversed(range(start, len(history.turns)))]

        topic = shown.topic(newest_first, int(TOPIC_SHARE * budget))
        state = state_items(history, tools, request, min(int(STATE_SHARE * budget), budget - _tokens(topic)))
        left = budget - _tokens(topic) - _tokens(state)
        ranking = self._rank(history, request, tools, start)
        if topic:
            topic = shown.grow(topic, left - _tokens(shown.earlier(ranking, min(left, int(EARLIER_SHARE * budget)))))
        earlier = shown.earlier(ranking, budget - _tokens(topic) - _tokens(state))
        return history.arrange([*state, *earlier, *topic])

    def _rank(self, history: Snapshot, request: str, tools: Sequence[Tool], end: int) -> list[Ranked]:
        """Return the turns before `end`, best first, by the request, by the slots to fill and by tools in common."""
        if end == 0:
            return []
        slot_queries = list(dict.fromkeys(_slot_queries(history, tools)))
        by_slots = rank_by_vectors(self._shelf, history, slot_queries)
        rankings = [self._relevance.rank(history, request), *by_slots, _same_tool(history, tools)]
        weights = [REQUEST_WEIGHT, *[SLOT_WEIGHT] * len(slot_queries), SAME_TOOL_WEIGHT]
        return [hit for hit in fuse(rankings, weights) if hit.position < end]


class _Shown:
    """Turns cut down for one request."""

    def __init__(self, history: Snapshot, request: str, tools: Sequence[Tool]) -> None:
        self._history = history
        self._request = request
        self._exemplars = frozenset(history.moment.calling(tool.name for tool in tools).tolist())
        self._slots = tuple({parameter.name: None for tool in tools for parameter in tool.parameters})

    def topic(self, newest_first: Sequence[Ranked], budget: int) -> list[RecallItem]:
        """Return the last turns of the topic within `budget`, none in between missing, cut to what may fill slots.

        Ids that were found some turns ago are still needed; the wording of replies is not.
        """
        items: list[RecallItem] = []
        for position, score in newest_first:
            least = count_tokens(render_turn(slot_turn(self._turn(position), wanted=self._request, slots=self._slots)))
            item = self._item(position, "topic", score, min(budget, least))
            if item is None:
                break
            items.append(item)
            budget -= item.tokens
        return items

    def earlier(self, ranking: Sequence[Ranked], budget: int) -> list[RecallItem]:
        """Return the turns of `ranking`, best first, that fit into `budget` together; others are passed over.

        Where there are others than exemplars, exemplars take at most `EXEMPLAR_SHARE` of the budget before them. The
        turn that the best of the others answers comes with it.
        """
        exemplars = [hit for hit in ranking if self._is_exemplar(hit.position)][:MAX_EARLIER_TURNS]
        others = [hit for hit in ranking if not self._is_exemplar(hit.position)][:MAX_EARLIER_TURNS]
        items = self._fitted(exemplars, int(EXEMPLAR_SHARE * budget) if others else budget)
        context = self._fitted(self._context(others), min(MAX_CONTEXT_TOKENS, budget - _tokens(items)))
        items += self._fitted(others, budget - _tokens(items) - _tokens(context))
        shown = {item.turn_ids for item in items}
        items += [item for item in context if item.turn_ids not in shown]
        shown.update(item.turn_ids for item in context)
        left_out = [hit for hit in exemplars if (self._turn(hit.position).turn_id,) not in shown]
        return items + self._fitted(left_out, budget - _tokens(items))

    def _context(self, others: Sequence[Ranked]) -> list[Ranked]:
        """Return the turn before the best of `others` where both are talk alone: "the second one" needs the options."""
        if not others or others[0].position == 0 or self._turn(others[0].position).calls:
            return []
        before = others[0].position - 1
        return [] if self._turn(before).calls else [Ranked(before, 0.0)]

    def _fitted(self, ranking: Sequence[Ranked], budget: int) -> list[RecallItem]:
        items: list[RecallItem] = []
        for position, score in ranking:
            if budget < LEAST_TURN_TOKENS:
                break
            kind: ItemKind = "exemplar" if self._is_exemplar(position) else "turn"
            barest = count_tokens(render_turn(barest_turn(self._turn(position))))
            item = self._item(position, kind, score, min(budget, max(barest, MAX_EARLIER_TOKENS)))
            if item is not None:
                items.append(item)
                budget -= item.tokens
        return items

    def _is_exemplar(self, position: int) -> bool:
        """Whether the turn called a tool on offer."""
        return position in self._exemplars

    def grow(self, items: Sequence[RecallItem], budget: int) -> list[RecallItem]:
        """Return `items` with more of their turns, the first ones first, for `budget` tokens more."""
        grown: list[RecallItem] = []
        for item in items:
            more = self._item(self._history.position[item.turn_ids[0]], item.kind, item.score, item.tokens + budget)
            grown.append(more or item)
            budget -= grown[-1].tokens - item.tokens
        return grown

    def _turn(self, position: int) -> Turn:
        return self._history.turns[position]

    def _item(self, position: int, kind: ItemKind, score: float, max_tokens: int) -> RecallItem | None:
        return self._history.item(
            position, kind, max_tokens=max_tokens, wanted=self._request, score=score, slots=self._slots
        )


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
    newest_first = history.moment.calling(tool.name for tool in tools)[::-1]
    return [Ranked(position, float(position)) for position in newest_first.tolist()]


def _tokens(items: Sequence[RecallItem]) -> int:
    return sum(item.tokens for item in items)


def create(shelf: TurnShelf) -> Strategy:
    """Return the strategy over `shelf`."""
    return Stead(shelf)

"""`stead`: the running topic, the state of the slots on offer, and the earlier turns that speak for those slots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from memory.cutting import Purpose, TurnCuts
from memory.evidence import PERSON
from memory.language.text import split_name, tokenise
from memory.language.values.mentions import READ_CHARACTERS
from memory.ranking.lexical import without_function_words
from memory.ranking.ranker import Ranked
from memory.recall import ItemKind, Recall, RecallItem, Strategy, TurnShelf
from memory.records import Turn
from memory.rendering import render_turn
from memory.state.sensitive import is_sensitive_text
from memory.strategies._entries import Entries
from memory.strategies._history import LEAST_TURN_TOKENS, History, Snapshot
from memory.strategies._ranking import Ranking, Relevance, fuse, rank_by_vectors
from memory.strategies._remarks import Remarks, Scored
from memory.strategies._shelved import Shelved
from memory.strategies._state_lines import state_items
from memory.tokens import count_tokens
from memory.tools import Parameter, Tool

DEFAULT_BUDGET_TOKENS = 1_500
"""The budget follows the history where nobody sets another one: see `WHOLE_TOKENS`."""
WHOLE_TOKENS = 2_000
"""A history of at most so many tokens is shown whole: nothing that is cut or chosen is as good as that."""
RESULT_TOKENS_OF_TOPIC = 400
"""For the results of the running topic's calls, beside what was said and called in it."""
TOPIC_SHARE = 0.6
"""Of the budget, for what the running topic says of slots; what other parts leave is added at the end."""
STATE_SHARE = 0.3
"""Of the budget, for state lines."""
EARLIER_SHARE = 0.45
"""Of the budget, for other earlier turns, before the topic is given the rest."""
EXEMPLAR_SHARE = 0.75
"""Of the room for earlier turns, for those that called a tool on offer."""
MAX_EARLIER_TURNS = 30
"""Looked at, of each kind: far more than a budget holds."""
MAX_CONTEXT_TOKENS = 60
"""Of the turn before the best one, shown with it."""
MAX_EARLIER_TOKENS = 90
MAX_EARLIER_SHARE = 0.12
"""The larger of the two, of an earlier turn: its request, calls and some of the results, so that several fit."""
RESULT_TOKENS = 30
"""Of the results of an exemplar, at least, however long its calls are: they may hold the id to use."""
REQUEST_WEIGHT = 2.0
"""Of the ranking by the request."""
SLOT_WEIGHT = 0.1
"""Of the ranking by one slot query."""
SAME_TOOL_WEIGHT = 1.0
"""Of the ranking of turns that called a tool on offer, newest first."""
NAMING_WEIGHT = 1.0
"""Of the ranking of such turns whose results name something in words of the request."""
REMARK_SHARE = 0.2
"""Of the budget, for remarks (`memory.strategies._remarks`)."""
MAX_REMARKS = 3
"""Shown at most, one a turn."""
LEAST_TOPIC_TOKENS = 60
"""Of each turn of a topic that is too long to be shown whole, if that is enough for it; the last turn takes more."""


class Stead:
    """The default: everything is recalled for the slots that have to be filled."""

    name = "stead"

    def __init__(self, shelf: TurnShelf) -> None:
        self._shelf = shelf
        self._history = History(shelf)
        self._relevance = Relevance(shelf)
        self._remarks = Shelved(shelf, Remarks)
        self._entries = Shelved(shelf, Entries)

    def observe(self, turn: Turn) -> None:
        """Prepare what recall will compare requests with; all else follows the shelf."""
        self._relevance.observe(turn)

    def recall(self, request: str, tools: Sequence[Tool], now: datetime | None, budget: int) -> Recall:
        """Return state lines, exemplars, earlier turns and the running topic, within `budget` tokens together.

        At the default budget a short history is recalled whole.
        """
        request = request[:READ_CHARACTERS]
        history = self._history.snapshot(now)
        if budget == DEFAULT_BUDGET_TOKENS and history.has_at_most(WHOLE_TOKENS):
            return history.all(request, tools)
        terms = tokenise(request)
        content = without_function_words(terms)
        with self._entries.get().read(history.turns) as entries:
            named = entries.matches(content)
        shown = _Shown(history, request, tools, named, budget)
        start = history.topic_start(tools)

        topic = shown.topic(start, int(TOPIC_SHARE * budget))
        state = state_items(history, tools, terms, min(int(STATE_SHARE * budget), budget - _tokens(topic)))
        left = budget - _tokens(topic) - _tokens(state)
        ranking = self._rank(history, request, tools, shown.exemplars, named, start)
        with self._remarks.get().read(history.turns) as said:
            remarks = said.rank(content, tools, start, MAX_EARLIER_TURNS)
        if topic:
            reserved = shown.earlier(ranking, remarks, min(left, int(EARLIER_SHARE * budget)))
            topic = shown.grow(topic, left - _tokens(reserved))
        earlier = shown.earlier(ranking, remarks, budget - _tokens(topic) - _tokens(state))
        return history.arrange([*state, *earlier, *topic])

    def _rank(
        self,
        history: Snapshot,
        request: str,
        tools: Sequence[Tool],
        exemplars: NDArray[np.bool_],
        named: Mapping[int, float],
        end: int,
    ) -> Ranking:
        """Return the turns before `end`, best first, by the request, by the slots to fill and by tools in common."""
        if end == 0:
            return Ranking.of(())
        slot_queries = list(dict.fromkeys(_slot_queries(history, tools)))
        by_slots = rank_by_vectors(self._shelf, history, slot_queries)
        same_tool = _newest_first(exemplars)
        naming = [(position, named[position]) for position in same_tool.positions.tolist() if position in named]
        naming.sort(key=lambda hit: (-hit[1], -hit[0]))
        rankings = [self._relevance.rank(history, request), *by_slots, same_tool, Ranking.of(naming)]
        weights = [REQUEST_WEIGHT, *[SLOT_WEIGHT] * len(slot_queries), SAME_TOOL_WEIGHT, NAMING_WEIGHT]
        return fuse(rankings, weights).where(np.arange(len(history.turns)) < end)


class _Shown:
    """Turns cut down for one request."""

    def __init__(
        self,
        history: Snapshot,
        request: str,
        tools: Sequence[Tool],
        named: Mapping[int, float],
        budget: int,
    ) -> None:
        self._named = named
        self._remark_budget = int(REMARK_SHARE * budget)
        self._most_earlier = max(MAX_EARLIER_TOKENS, int(MAX_EARLIER_SHARE * budget))
        self._history = history
        self._request = request
        self.exemplars = history.moment.calling(tool.name for tool in tools)
        """For each turn whether it called a tool on offer."""
        slots = tuple({parameter.name: None for tool in tools for parameter in tool.parameters})
        self._purpose = Purpose(request, slots)

    def topic(self, start: int, budget: int) -> list[RecallItem]:
        """Return the turns from `start` on within `budget`, newest first, cut to what may fill slots.

        What was said and called comes first, with replies, which tell totals and verdicts; then what tools returned, as
        far as it has room of its own. Where not all that was said fits, the last turn comes first, then those whose
        results name what the request does, then the newest.
        """
        newest_first = range(len(self._history.turns) - 1, start - 1, -1)
        named = {position for position in self._named if start <= position < newest_first.start}
        by_name = sorted(named, key=lambda one: (-self._named[one], -one))
        others = (position for position in newest_first[1:] if position not in named)
        order = [*newest_first[:1], *by_name, *others]
        said = {position: self._cuts(position).said_tokens for position in order}
        room = budget - sum(said.values())
        if room < 0:
            return self._topic_in_little_room(order, budget)
        room = min(room, RESULT_TOKENS_OF_TOPIC)
        found: list[RecallItem] = []
        for position in order:
            item = self._item(position, "topic", float(position), said[position] + room)
            assert item is not None  # it has at least the room for what was said
            found.append(item)
            room -= max(0, item.tokens - said[position])
        return sorted(found, key=lambda item: -item.score)

    def _cuts(self, position: int) -> TurnCuts:
        return self._history.cuts(position, "topic", self._purpose)

    def _topic_in_little_room(self, order: Sequence[int], budget: int) -> list[RecallItem]:
        """Return the turns at `order` cut to what may fill slots: the wording of replies is needed least."""
        items: list[RecallItem] = []
        for number, position in enumerate(order):
            if self._history.moment.cards[position].barest_tokens > budget:
                continue
            most = min(budget, self._cuts(position).slots_alone_tokens)
            share = max(budget // (len(order) - number), LEAST_TOPIC_TOKENS) if number else most
            item = self._item(position, "topic", float(position), min(most, share)) or self._item(
                position, "topic", float(position), most
            )
            if item is not None:
                items.append(item)
                budget -= item.tokens
        return sorted(items, key=lambda item: -item.score)

    def earlier(self, ranking: Ranking, remarks: Sequence[Scored], budget: int) -> list[RecallItem]:
        """Return the turns of `ranking`, best first, that fit into `budget` together; others are passed over.

        Where there are others than exemplars, exemplars take at most `EXEMPLAR_SHARE` of the budget before them. The
        turn that the best of the others answers comes with it. Remarks of turns that are not shown have room kept free.
        """
        exemplars = ranking.where(self.exemplars)[:MAX_EARLIER_TURNS]
        others = ranking.where(~self.exemplars)[:MAX_EARLIER_TURNS]
        kept = min(_tokens(self._said(remarks, set(), self._remark_budget)), budget)
        items = self._fitted(exemplars, int(EXEMPLAR_SHARE * (budget - kept)) if others else budget - kept)
        context = self._fitted(self._context(others), min(MAX_CONTEXT_TOKENS, budget - kept - _tokens(items)))
        items += self._fitted(others, budget - kept - _tokens(items) - _tokens(context))
        shown = {item.turn_ids for item in items}
        items += [item for item in context if item.turn_ids not in shown]
        shown.update(item.turn_ids for item in context)
        items += self._said(remarks, shown, min(self._remark_budget, budget - _tokens(items)))
        shown = {item.turn_ids for item in items}
        left_out = [hit for hit in exemplars if (self._turn(hit.position).turn_id,) not in shown]
        return items + self._fitted(left_out, budget - _tokens(items))

    def _said(self, remarks: Sequence[Scored], shown: set[tuple[str, ...]], budget: int) -> list[RecallItem]:
        """Return the best remarks of turns that are no exemplars, each as a turn of which only that is left."""
        items: dict[int, RecallItem] = {}
        for remark, _ in remarks:
            if remark.position in items or self._is_exemplar(remark.position) or len(items) == MAX_REMARKS:
                continue
            if is_sensitive_text(remark.text) and not is_sensitive_text(self._request):
                continue
            turn_ids = (self._turn(remark.position).turn_id,)
            if turn_ids in shown:
                continue
            turn = remark.cut(self._turn(remark.position))
            text = render_turn(turn)
            if (tokens := count_tokens(text)) > budget:
                continue
            said = self._history.moment.evidence[remark.position]
            evidence = tuple(piece for piece in said if piece.slot.tool == PERSON)
            items[remark.position] = RecallItem("turn", turn_ids, text, tokens, score=0.0, turn=turn, evidence=evidence)
            budget -= tokens
        return list(items.values())

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
            card = self._history.moment.cards[position]
            least = card.barest_tokens + RESULT_TOKENS if kind == "exemplar" else card.least_tokens
            most = max(least, self._most_earlier)
            item = self._item(position, kind, score, min(budget, most)) or self._item(
                position, kind, score, min(budget, card.least_tokens)
            )
            if item is not None:
                items.append(item)
                budget -= item.tokens
        return items

    def _is_exemplar(self, position: int) -> bool:
        """Whether the turn called a tool on offer."""
        return bool(self.exemplars[position])

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
        return self._history.item(position, kind, self._purpose, max_tokens=max_tokens, score=score)


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


def _newest_first(exemplars: NDArray[np.bool_]) -> Ranking:
    newest_first = np.flatnonzero(exemplars)[::-1]
    return Ranking(newest_first, newest_first.astype(np.float64))


def _tokens(items: Sequence[RecallItem]) -> int:
    return sum(item.tokens for item in items)


def create(shelf: TurnShelf) -> Strategy:
    """Return the strategy over `shelf`."""
    return Stead(shelf)

"""How much each clause of a request speaks of each tool on offer, in words and in meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agent.planners.rules.segments import Segment, asking_clauses
from agent.planners.rules.tool_text import content_terms, tool_texts
from clarifier.decision import Situation
from memory.embedder import Embedder, Matrix
from memory.language.text import split_name
from memory.language.text_cache import text_cache
from memory.tools import Tool

MEANING_SCALE, OWN_CLAUSE_MARGIN, CLAUSE_LEAST = 10.0, 0.8, 1.0


@dataclass(frozen=True)
class ClauseTable:
    """How much each clause that asks for something speaks of each tool."""

    parts: tuple[Segment, ...]
    words: tuple[tuple[float, ...], ...]
    """Per clause and tool: terms in common, weighed by rarity."""
    meaning: tuple[tuple[float, ...], ...]
    """Per clause and tool: cosine, at least 0; zeros without an embedder."""

    def score(self, clause: int, tool: int) -> float:
        """Return how much a clause speaks of a tool: words, and meaning on the scale of words."""
        return self.words[clause][tool] + MEANING_SCALE * self.meaning[clause][tool]

    def has_own_clause(self, tool: int, others: Sequence[int], *, rivals: Sequence[int] = ()) -> bool:
        """Whether a clause speaks clearly more of `tool` than of any of `others`, and of none of `rivals` as much."""
        return any(
            self.score(clause, tool) - max(self.score(clause, other) for other in others) >= OWN_CLAUSE_MARGIN
            and all(self.score(clause, tool) > self.score(clause, rival) for rival in rivals)
            for clause in range(len(self.parts))
        )

    def first_clause(self, tool: int, picked: Sequence[int]) -> int:
        """Return the first clause that speaks most of `tool` among `picked`; past the end if none does."""
        for clause in range(len(self.parts)):
            scores = {other: self.score(clause, other) for other in picked}
            if scores[tool] >= CLAUSE_LEAST and scores[tool] == max(scores.values()):
                return clause
        return len(self.parts)

    def focus(self, tool: int, picked: Sequence[int]) -> tuple[Segment, ...]:
        """Return the clauses that speak of `tool` rather than of another one picked; empty for a lone tool.

        A clause that speaks of none goes with the one before it.
        """
        if len(picked) < 2:
            return ()
        mine: list[Segment] = []
        owner: int | None = None
        for clause, part in enumerate(self.parts):
            scores = {other: self.score(clause, other) for other in picked}
            best = max(scores, key=lambda other: scores[other])
            owner = best if scores[best] >= CLAUSE_LEAST else owner
            if owner in (tool, None):
                mine.append(part)
        return tuple(mine)


def clause_table(situation: Situation, embedder: Embedder | None) -> ClauseTable:
    """Return how much each asking clause speaks of each tool on offer."""
    tools = situation.tools
    texts = tool_texts(tools)
    parts = asking_clauses(situation.request)
    words = tuple(tuple(texts.overlap(content_terms(part.text), tool) for tool in range(len(tools))) for part in parts)
    if embedder is None or not parts:
        return ClauseTable(parts, words, tuple((0.0,) * len(tools) for _ in parts))
    cosines = embedded(embedder, tuple(part.text for part in parts)) @ tool_vectors(embedder, tools).T
    return ClauseTable(parts, words, tuple(tuple(max(0.0, float(value)) for value in row) for row in cosines))


def tool_vectors(embedder: Embedder, tools: Sequence[Tool]) -> Matrix:
    return embedded(embedder, tuple(f"{' '.join(split_name(tool.name))}. {tool.description}" for tool in tools))


def embedded(embedder: Embedder, texts: tuple[str, ...]) -> Matrix:
    return _kept(embedder.embed_documents, texts)


@text_cache(512)
def _kept(embed: Callable[[Sequence[str]], Matrix], texts: tuple[str, ...]) -> Matrix:
    """Return the vectors of `texts`, kept: a turn is planned several times, a tool set is offered for many turns."""
    return embed(texts)

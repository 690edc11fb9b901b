"""How well tools on offer fit what was said: words, deed, thing and meaning."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from benchmark_adapter.labelling.deeds import COMMON, DEED_STEMS, deeds_in, telling, topics_in
from memory.embedder import Embedder, Matrix
from memory.language.text import split_name, stem, tokenise
from memory.language.text_cache import text_cache
from memory.tools import Tool

_CLAUSE = re.compile(r"[.,;!?:](?=\s|$)|\s(?=(?:and|then|but|after|before)\s)|\n")
_PREAMBLE_END = "Tool description:"
"""Where a family of tools shares a preamble, what a tool says of itself follows this."""


@dataclass(frozen=True)
class Match:
    """How one tool fits a text; all in [0, 1] but `meaning`."""

    covered: float = 0.0
    """Share of the text's telling words that the tool has in its name, description or parameters."""
    thing: float = 0.0
    """Share of the words of the tool's name, verbs left out, that the text has."""
    deed: float = 0.0
    """1 where the text says a deed of the tool's, 0 where it says only others, ½ where either says none."""
    meaning: float = 0.0
    """Cosine of the text, or of its nearest clause, with the tool, in [-1, 1]; 0 without an embedder."""

    @property
    def score(self) -> float:
        """One number to rank tools by; set by hand."""
        return 0.8 * self.covered + 0.7 * self.thing + 0.5 * self.deed + 2.0 * self.meaning


@text_cache(4096)
def clauses_of(text: str) -> tuple[str, ...]:
    """Return the clauses of a text that have at least two words, the text itself where none has."""
    parts = tuple(part.strip() for part in _CLAUSE.split(text) if part and len(part.split()) > 1)
    return parts or (text,)


@dataclass(frozen=True)
class ToolWords:
    """What a tool says of itself, as stems."""

    name: tuple[str, ...]
    text: frozenset[str]
    """Of its name and description."""
    parameters: frozenset[str]
    """Of the names and descriptions of its parameters."""
    deeds: frozenset[str]
    """By its name, else by its description's first words."""
    offered: frozenset[str]
    """The deeds of its name and of its description's first words."""
    topics: frozenset[int]


def gist(tool: Tool) -> str:
    """Return what the description says of this very tool, less the preamble of a family of tools."""
    return tool.description.split(_PREAMBLE_END)[-1].strip()


def words_of(tool: Tool) -> ToolWords:
    """Return a tool's words."""
    parameters = tuple((parameter.name, parameter.description) for parameter in tool.parameters)
    return _words(tool.name, gist(tool), parameters)


@text_cache(4096)
def _words(name: str, description: str, parameters: tuple[tuple[str, str], ...]) -> ToolWords:
    named = tuple(stem(word) for word in split_name(name) if not word.isdigit())
    described = tokenise(description)
    deeds = deeds_in(named)
    return ToolWords(
        name=named,
        text=frozenset((*named, *described)),
        parameters=frozenset(
            term for own, text in parameters for term in (*map(stem, split_name(own)), *tokenise(text))
        ),
        deeds=deeds or deeds_in(described[:6]),
        offered=deeds | deeds_in(described[:8]),
        topics=topics_in(f"{' '.join(split_name(name))}. {description}"),
    )


def matches(text: str, tools: Sequence[Tool], embedder: Embedder | None) -> tuple[Match, ...]:
    """Return how each tool fits a text, in their order."""
    terms = telling(text)
    said = deeds_in(tokenise(text))
    cosines = _cosines(text, tools, embedder)
    return tuple(_match(words_of(tool), terms, said, cosine) for tool, cosine in zip(tools, cosines, strict=True))


def _match(words: ToolWords, terms: Sequence[str], said: frozenset[str], meaning: float) -> Match:
    own = words.text | words.parameters
    things = [term for term in words.name if term not in DEED_STEMS]
    return Match(
        covered=sum(term in own for term in terms) / len(terms) if terms else 0.0,
        thing=sum(term in terms for term in things) / len(things) if things else 0.0,
        deed=0.5 if not words.deeds or not said else float(bool(words.deeds & said)),
        meaning=meaning,
    )


def _cosines(text: str, tools: Sequence[Tool], embedder: Embedder | None) -> list[float]:
    if embedder is None or not tools or not text.strip():
        return [0.0] * len(tools)
    said = tuple(dict.fromkeys((text, *clauses_of(text))))
    table = _kept(embedder.embed_documents, said) @ _tool_vectors(embedder, tools).T
    return [float(value) for value in table.max(axis=0)]


def _tool_vectors(embedder: Embedder, tools: Sequence[Tool]) -> Matrix:
    texts = tuple(f"{' '.join(split_name(tool.name))}. {gist(tool)}" for tool in tools)
    return _kept(embedder.embed_documents, texts)


@text_cache(512)
def _kept(embed: Callable[[Sequence[str]], Matrix], texts: tuple[str, ...]) -> Matrix:
    """Return the vectors of texts, kept: a tool set is offered for many turns."""
    return embed(texts)


class Unserved(NamedTuple):
    """How badly the tools together serve a text."""

    clauses: float
    """Share of its clauses that say deeds of which no tool has any."""
    worst_meaning: float
    """Least over its clauses of the best cosine with a tool; 0 without an embedder."""
    topics: float
    """Number of common deeds and things it speaks of and no tool does."""
    topic_share: float
    """Their share among all it speaks of; 0 where it speaks of none."""
    best_topic_share: float
    """Greatest share of them that one tool speaks of; ½ where the text speaks of none."""
    words: float
    """Share of its telling words that no tool has; ½ where there are none."""


def unserved(text: str, tools: Sequence[Tool], embedder: Embedder | None) -> Unserved:
    """Return how badly `tools` serve a text."""
    words = [words_of(tool) for tool in tools]
    parts = clauses_of(text)
    offered = frozenset(deed for own in words for deed in own.offered)
    deeds = [deeds_in(tokenise(part)) for part in parts]
    said = topics_in(text)
    lost = said - frozenset(topic for own in words for topic in own.topics)
    best = max((len(said & own.topics) for own in words), default=0)
    terms = telling(text)
    worst = 0.0
    if embedder is not None and tools and text.strip():
        table = _kept(embedder.embed_documents, parts) @ _tool_vectors(embedder, tools).T
        worst = float(table.max(axis=1).min())
    return Unserved(
        clauses=sum(bool(mine) and not mine & offered for mine in deeds) / len(parts),
        worst_meaning=worst,
        topics=float(len(lost)),
        topic_share=len(lost) / len(said) if said else 0.0,
        best_topic_share=best / len(said) if said else 0.5,
        words=sum(not any(term in own.text for own in words) for term in terms) / len(terms) if terms else 0.5,
    )


def pairs_served(text: str, tools: Sequence[Tool]) -> tuple[float, float]:
    """Return the least and the mean service of a text's pairs of verb and object, each in [0, 1].

    A tool serves a pair by half with the verb (0.35 with another verb of the deed) and by half with the object, one of
    the two telling words that follow within five. ½ and ½ where there is no pair or no tool.
    """
    words = [words_of(tool) for tool in tools]
    terms = tokenise(text)
    served: list[float] = []
    for place, term in enumerate(terms):
        if term not in DEED_STEMS or not words:
            continue
        deeds = deeds_in([term])
        near = [other for other in terms[place + 1 : place + 6] if other not in COMMON and other not in DEED_STEMS][:2]
        served.append(max(_service(term, deeds, near, own) for own in words))
    return (min(served), sum(served) / len(served)) if served else (0.5, 0.5)


def _service(verb: str, deeds: frozenset[str], objects: Sequence[str], words: ToolWords) -> float:
    of_verb = 1.0 if verb in words.text else 0.7 if deeds & words.deeds else 0.0
    of_object = max((float(term in words.text) for term in objects), default=0.5)
    return 0.5 * of_verb + 0.5 * of_object

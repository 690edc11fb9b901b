"""How likely it is that a stretch of a request is the value of an argument: a logistic score over form and place.

The weights are fitted on public function calls and on the bundled persons (`benchmarks/fit_slots.py`).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue

from agent.planners.rules.kinds import kind_of, role_of
from agent.planners.rules.said_values import said_values
from agent.planners.rules.tool_text import content_terms
from agent.planners.rules.utterance import Said, Text
from memory.errors import CastError
from memory.language.learned.embedding import inputs
from memory.language.learned.tokens import tokens
from memory.language.read import read
from memory.language.reading import Clause
from memory.language.text import split_name, stem
from memory.language.text_cache import text_cache
from memory.language.values.values import canonical_key, cast
from memory.language.values.words import tagged
from memory.tools import Parameter, Tool

Features = dict[str, float]
MOST_WORDS = 6
"""Of a stretch that may be a value."""
MOST_STRETCHES = 160
"""Of a request that are weighed; later ones are left out."""
NEAR = 3
"""Words before and after a stretch that may say what it is the value of."""
_WORD = re.compile(r"[^\W_]+(?:['’.\-/&][^\W_]+)*|[^\w\s]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_LOOSE = ("text", "place", "id")
"""Kinds of which any words may be a value."""


@dataclass(frozen=True)
class Word:
    text: str
    start: int
    end: int

    @property
    def is_mark(self) -> bool:
        return not any(char.isalnum() for char in self.text)


@dataclass(frozen=True)
class Stretch:
    """Words of a request that may be a value."""

    value: JsonValue
    start: int
    end: int
    strength: float = 0.0
    """As the typed readers have it; 0 where only the words stand there."""


@text_cache(256)
def words_of(text: str) -> tuple[Word, ...]:
    """Return the words and marks of `text`; Chinese is cut into words."""
    found: list[Word] = []
    for match in _WORD.finditer(text):
        if not _HAN.search(match.group()):
            found.append(Word(match.group(), match.start(), match.end()))
            continue
        at = match.start()
        for word, _ in tagged(match.group()):
            found.append(Word(word, at, at + len(word)))
            at += len(word)
    return tuple(found)


def stretches(parameter: Parameter, tool: Tool, text: Text) -> list[Stretch]:
    """Return what may be the value of a scalar `parameter`, each value at a place once."""
    found: dict[tuple[str, int], Stretch] = {}
    for said in said_values(parameter, tool, text):
        found.setdefault(
            (canonical_key(said.value), said.start), Stretch(said.value, said.start, said.end, said.strength)
        )
    if kind_of(parameter) in _LOOSE and parameter.type == "string" and not parameter.enum:
        for start, end in _runs(text.text):
            value = text.text[start:end]
            found.setdefault((canonical_key(value), start), Stretch(value, start, end))
    return list(found.values())


@text_cache(256)
def _runs(text: str) -> tuple[tuple[int, int], ...]:
    """Return the places of runs of words without a mark between them."""
    words = words_of(text)
    found = []
    for first, word in enumerate(words):
        if word.is_mark:
            continue
        for last in range(first, min(first + MOST_WORDS, len(words))):
            if words[last].is_mark:
                break
            found.append((word.start, words[last].end))
    return tuple(found[: MOST_STRETCHES * 2])


@text_cache(512)
def _vectors(text: str) -> tuple[NDArray[np.float32], tuple[tuple[int, int], ...]]:
    """Return a vector a token of `text`, and the places of the tokens."""
    own = tokens(text, 200)
    if not own:
        return np.zeros((0, 256), dtype=np.float32), ()
    return inputs(own, 1).vectors[:, :256], tuple((one.start, one.end) for one in own)


def _mean(text: str, start: int = 0, end: int | None = None) -> NDArray[np.float32]:
    vectors, places = _vectors(text)
    last = len(text) if end is None else end
    inside = [at for at, (a, b) in enumerate(places) if a < last and start < b]
    if not inside:
        return np.zeros(256, dtype=np.float32)
    mean = vectors[inside].mean(axis=0)
    return np.asarray(mean / (np.linalg.norm(mean) + 1e-6))


@dataclass(frozen=True)
class _Slot:
    """What a parameter says of itself."""

    kind: str
    role: str
    names: frozenset[str]
    described: frozenset[str]
    vector: NDArray[np.float32]


def _slot(parameter: Parameter) -> _Slot:
    return _slot_of(kind_of(parameter), role_of(parameter) or "no", parameter.name, parameter.description)


@text_cache(1024)
def _slot_of(kind: str, role: str, name: str, description: str) -> _Slot:
    words = " ".join(split_name(name))
    return _Slot(
        kind,
        role,
        frozenset(map(stem, words.casefold().split())),
        frozenset(content_terms(description)),
        _mean(f"{words}. {description}"),
    )


class SlotScorer:
    """Weighs stretches of one text for the parameters of one tool."""

    def __init__(self, tool: Tool, text: Text, weights: Mapping[str, float] | None = None) -> None:
        self._tool, self._text = tool, text
        self._weights = packaged_weights() if weights is None else weights
        self._words = words_of(text.text)
        self._slots = [_slot(parameter) for parameter in tool.parameters]
        self._about = frozenset(content_terms(f"{' '.join(split_name(tool.name))} {tool.description}"))
        self._clauses = read(text.text).clauses

    def said(self, parameter: Parameter) -> list[Said]:
        """Return what the text says for `parameter`, best first, with its probability as strength."""
        scored: list[tuple[float, JsonValue, Stretch]] = []
        for stretch, features in self.weighed(parameter):
            try:
                value = cast(stretch.value, parameter)
            except CastError:
                continue
            scored.append((self._score(features), value, stretch))
        # One of the values, or none of them, whose score is 0.
        most = max((score for score, _, _ in scored), default=0.0)
        whole = math.exp(-max(most, 0.0)) + sum(math.exp(score - max(most, 0.0)) for score, _, _ in scored)
        found = [
            Said(value, stretch.start, stretch.end, math.exp(score - max(most, 0.0)) / whole)
            for score, value, stretch in scored
        ]
        return sorted(found, key=lambda one: -one.strength)

    def _score(self, features: Features) -> float:
        return self._weights.get("*", 0.0) + sum(self._weights.get(name, 0.0) * v for name, v in features.items())

    def weighed(self, parameter: Parameter) -> Iterator[tuple[Stretch, Features]]:
        """Yield what may be the value, each with its features."""
        found = stretches(parameter, self._tool, self._text)
        best = max((one.strength for one in found), default=0.0)
        place = self._tool.parameters.index(parameter)
        slot = self._slots[place]
        alike = [at for at, one in enumerate(self._slots) if one.kind == slot.kind].index(place)
        typed = sorted({one.start for one in found if one.strength})
        for stretch in found:
            order = typed.index(stretch.start) if stretch.strength else -1
            yield stretch, self._features(stretch, parameter, place, best, order == alike)

    def _features(self, one: Stretch, parameter: Parameter, place: int, best: float, is_in_order: bool) -> Features:
        slot, words = self._slots[place], self._words
        kind, need = slot.kind, "must" if parameter.is_required else "may"
        inside = [at for at, word in enumerate(words) if word.start < one.end and one.start < word.end]
        first, last = (inside[0], inside[-1]) if inside else (0, -1)
        ahead = [word.text.casefold() for word in words[max(0, first - NEAR) : first]]
        after = [word.text.casefold() for word in words[last + 1 : last + 1 + NEAR]]
        own = [words[at].text for at in inside]
        lower = [word.casefold() for word in own]
        found: Features = {
            f"bias|{kind}|{need}": 1.0,
            f"ahead={ahead[-1] if ahead else '^'}|{kind}": 1.0,
            f"ahead={ahead[-1] if ahead else '^'}|{slot.role}": 1.0,
            f"after={after[0] if after else '$'}|{kind}": 1.0,
            f"words={min(len(own), 6)}|{kind}": 1.0,
        }
        if len(ahead) > 1:
            found[f"ahead2={ahead[-2]}_{ahead[-1]}|{slot.role}"] = 1.0
        if one.strength:
            found[f"typed|{kind}"] = 1.0
            found[f"strength|{kind}"] = one.strength
            found[f"strength|{need}"] = one.strength
            found["below_best"] = best - one.strength
            found[f"in_order|{kind}"] = float(is_in_order)
        else:
            found["untyped"] = 1.0
            found["typed_elsewhere"] = best
        if lower:
            found[f"first={lower[0]}"] = 1.0
            found[f"last={lower[-1]}"] = 1.0
            capital = [word[0].isupper() or word[0].isdigit() for word in own]
            found[f"capital={'all' if all(capital) else 'first' if capital[0] else 'none'}|{kind}"] = 1.0
            if first > 0 and words[first - 1].text[0].isupper() and capital[0]:
                found["cut_before"] = 1.0
            if last + 1 < len(words) and words[last + 1].text[0].isupper() and capital[-1]:
                found["cut_after"] = 1.0
        stems = [stem(word) for word in (*ahead, *after)]
        near = self._near(stems, slot)
        rest = max((self._near(stems, other) for at, other in enumerate(self._slots) if at != place), default=0.0)
        found |= {"label": near, "label_lead": near - rest}
        mine = set(map(stem, lower))
        found["own_name"] = float(bool(mine & slot.names))
        found["own_text"] = len(mine & slot.described) / max(1, len(mine))
        found["about_tool"] = len(mine & self._about) / max(1, len(mine))
        if kind in _LOOSE:
            vector = _mean(self._text.text, one.start, one.end)
            likeness = [float(vector @ other.vector) for other in self._slots]
            others = [value for at, value in enumerate(likeness) if at != place]
            found[f"like|{kind}"] = likeness[place]
            found["like_lead"] = likeness[place] - max(others, default=likeness[place])
        clause = next((c for c in self._clauses if c.start <= one.start < c.end), None)
        if clause is not None:
            found |= _as_read(clause, one)
        if not self._text.in_focus(one.start):
            found["out_of_focus"] = 1.0
        return found

    @staticmethod
    def _near(stems: Sequence[str], slot: _Slot) -> float:
        return float(len(slot.names & set(stems))) + 0.4 * len(slot.described & set(stems))


def _as_read(clause: Clause, one: Stretch) -> Features:
    """Return how the reader sees a stretch of the clause it stands in."""
    found: Features = {f"deed={clause.deed}": clause.p_deed}
    for span in clause.spans:
        shared = min(span.end, one.end) - max(span.start, one.start)
        if shared > 0:
            whole = max(span.end, one.end) - min(span.start, one.start)
            found[f"span={span.role}"] = span.p * shared / whole
            if (span.start, span.end) == (one.start, one.end):
                found[f"exact={span.role}"] = span.p
    return found


@cache
def packaged_weights() -> Mapping[str, float]:
    """Return the fitted weights by feature."""
    told: dict[str, float] = json.loads(files(__package__).joinpath("slot_weights.json").read_text("utf-8"))
    return told

"""Evidence that a language model finds in the words of a turn, beside what is found without one. It can only add.

Nothing that a model says is taken on trust: an entry is kept only if it has the form asked for, its value stands in the
person's own words, and it tells of nothing sensitive. Whatever else comes is dropped and leaves the rest as it was.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import BaseModel, Field, ValidationError

from memory.evidence import PERSON, Evidence, Kind, Slot
from memory.records import QuestionStep, Turn
from memory.state.completion import Completion
from memory.state.corrections import is_state_correction
from memory.state.sensitive import is_sensitive_slot, is_sensitive_text
from memory.text import normalise

_log = logging.getLogger(__name__)

PROMPT = """\
Below is what a person said to an assistant. List what the person says about themselves that will still matter later:
likes, dislikes, habits, possessions, facts. Leave out requests, guesses, and anything about health, belief, politics,
origin, sexual orientation or money troubles. Answer with a JSON array and nothing else; [] if there is
nothing. An entry:
{{"topic": "what it is about, one or two words in English", "value": "the value, word for word as the person said it",
"kind": "plain" | "standing" (from now on) | "one_off" (just this once) | "hypothetical" | "other_person" | "negated" \
(does not want it)}}

The person said:
{words}
"""
"""What the model is asked; `{words}` are the request and the answers, a line each."""
_ARRAY = re.compile(r"\[.*\]", re.DOTALL)
_MAX_ENTRIES = 20
"""Of one turn."""


class _Entry(BaseModel, frozen=True, extra="ignore"):
    topic: str = Field(min_length=1, max_length=40, pattern=r"^[^.@\n]+$")
    value: str = Field(min_length=1, max_length=120)
    kind: Literal["plain", "standing", "one_off", "hypothetical", "other_person", "negated"] = "plain"


class ModelExtractor:
    """Reads further evidence with a model, each turn once. It is an `Extractor` for `memory.state.user_state.fold`.

    Args:
        completion: The model. Where it fails, the turn adds nothing this time and is asked about again.
    """

    def __init__(self, completion: Completion) -> None:
        self._completion = completion
        self._entries: dict[str, tuple[_Entry, ...]] = {}
        """What was found, by the words it was found in: the same words always say the same."""

    def __call__(self, turns: Sequence[Turn]) -> Iterator[Evidence]:
        """Yield what the model adds for `turns`, oldest first."""
        for position, turn in enumerate(turns):
            if is_state_correction(turn):
                continue
            for entry in self._found(_words(turn)):
                kind: Kind = entry.kind
                slot = Slot(PERSON, normalise(entry.topic))
                yield Evidence(slot, entry.value, "request", kind, turn.turn_id, position, turn.time)

    def _found(self, words: str) -> tuple[_Entry, ...]:
        if words not in self._entries:
            try:
                text = self._completion.complete(PROMPT.format(words=words))
            except Exception:  # of a client of whatever kind; what it would add is optional
                _log.warning("the model that reads further evidence failed; nothing is added", exc_info=True)
                return ()
            self._entries[words] = tuple(_checked(text, words))
        return self._entries[words]


def _words(turn: Turn) -> str:
    answers = [step.answer for step in turn.steps if isinstance(step, QuestionStep) and step.answer]
    return "\n".join([turn.request, *answers])


def _checked(text: str, words: str) -> Iterator[_Entry]:
    """Yield the entries of a model's answer that can be kept."""
    said = normalise(words)
    for raw in _parsed(text)[:_MAX_ENTRIES]:
        try:
            entry = _Entry.model_validate(raw)
        except ValidationError:
            continue
        value = normalise(entry.value)
        tells = is_sensitive_text(value) or is_sensitive_text(entry.topic)
        if value and value in said and not tells and not is_sensitive_slot(Slot(PERSON, entry.topic)):
            yield entry


def _parsed(text: str) -> list[object]:
    match = _ARRAY.search(text)
    if match is None:
        return []
    try:
        parsed = json.loads(match.group())
    except (json.JSONDecodeError, RecursionError):
        return []
    return parsed if isinstance(parsed, list) else []

"""Evidence that a language model finds in the words of a turn, beside what is found without one. It can only add.

Nothing that a model says is taken on trust: an entry is kept only if it has the form asked for, its value stands in the
person's own words, and it tells of nothing sensitive. What is kept comes on top of what the turn says without a model
and closes nothing; whatever else comes is refused, counted, and leaves the rest as it was.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import BaseModel, Field, ValidationError

from memory.evidence import PERSON, Evidence, Slot
from memory.language.text import normalise
from memory.language.values.json_text import json_value
from memory.records import QuestionStep, Turn
from memory.state.completion import Completion
from memory.state.corrections import is_state_correction
from memory.state.sensitive import is_sensitive_slot, is_sensitive_text

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
_REMEMBERED_TEXTS = 4096
"""Whose entries are kept, so that no text is paid for twice in a process."""


class _Entry(BaseModel, frozen=True, extra="ignore"):
    topic: str = Field(min_length=1, max_length=40, pattern=r"^[^.@\n]+$")
    value: str = Field(min_length=1, max_length=120)
    kind: Literal["plain", "standing", "one_off", "hypothetical", "other_person", "negated"] = "plain"


@dataclass(frozen=True)
class Tally:
    """What came of asking a model."""

    asked: int = 0
    """Texts it was asked about."""
    failed: int = 0
    """Of these, those it gave no answer for."""
    kept: int = 0
    """Entries that are evidence."""
    refused: int = 0
    """Entries, and answers without any list, that are none."""


class ModelExtractor:
    """Reads further evidence with a model, each text once. Hand it to `Memory.open`, or to `fold`.

    Args:
        completion: The model. Where it fails, the turn adds nothing this time and is asked about again; the other
            turns of that reading are left for later too, so that a model that is down is waited for once.
        most_at_once: Turns it is asked about in one reading, the newest that it has not read first; a long log is read
            bit by bit. `None`: all of them.
    """

    def __init__(self, completion: Completion, *, most_at_once: int | None = 16) -> None:
        self._completion = completion
        self._most_at_once = most_at_once
        self._entries: OrderedDict[str, tuple[_Entry, ...]] = OrderedDict()
        """What was found, by a hash of the words it was found in: the same words always say the same."""
        self.tally = Tally()
        """What came of it so far."""

    def __call__(self, turns: Sequence[Turn]) -> Iterator[Evidence]:
        """Yield what the model adds for `turns`, oldest first; positions are those in `turns`."""
        said = {position: _words(turn) for position, turn in enumerate(turns) if not is_state_correction(turn)}
        self._read(list(dict.fromkeys(reversed(said.values()))))
        for position, words in said.items():
            turn = turns[position]
            for entry in self._entries.get(_key(words), ()):
                slot = Slot(PERSON, normalise(entry.topic))
                yield Evidence(
                    slot, entry.value, "request", entry.kind, turn.turn_id, position, turn.time, is_added=True
                )

    def _read(self, texts: Sequence[str]) -> None:
        """Ask about those of `texts` that are new, in order, until the model fails."""
        new = [words for words in texts if _key(words) not in self._entries]
        for words in new[: self._most_at_once]:
            self.tally = replace(self.tally, asked=self.tally.asked + 1)
            try:
                text = self._completion.complete(PROMPT.format(words=words))
            except Exception:  # of a client of whatever kind; what it would add is optional
                _log.warning("the model that reads further evidence failed; nothing is added", exc_info=True)
                self.tally = replace(self.tally, failed=self.tally.failed + 1)
                return
            self._entries[_key(words)] = self._checked(text, words)
            if len(self._entries) > _REMEMBERED_TEXTS:
                self._entries.popitem(last=False)

    def _checked(self, text: str, words: str) -> tuple[_Entry, ...]:
        """Return the entries of a model's answer that can be kept; count them and the rest."""
        raw = _parsed(text)
        kept = tuple(_kept(raw[:_MAX_ENTRIES], words)) if raw is not None else ()
        refused = 1 if raw is None else len(raw) - len(kept)
        self.tally = replace(self.tally, kept=self.tally.kept + len(kept), refused=self.tally.refused + refused)
        return kept


def _key(words: str) -> str:
    return hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()


def _words(turn: Turn) -> str:
    answers = [step.answer for step in turn.steps if isinstance(step, QuestionStep) and step.answer]
    return "\n".join([turn.request, *answers])


def _kept(raw: Sequence[object], words: str) -> Iterator[_Entry]:
    said = normalise(words)
    for one in raw:
        try:
            entry = _Entry.model_validate(one)
        except ValidationError:
            continue
        value = normalise(entry.value)
        tells = is_sensitive_text(value) or is_sensitive_text(entry.topic)
        if value and value in said and not tells and not is_sensitive_slot(Slot(PERSON, entry.topic)):
            yield entry


def _parsed(text: str) -> list[object] | None:
    """Return the list in a model's answer, `None` where there is none."""
    match = _ARRAY.search(text)
    if match is None:
        return None
    try:
        parsed: object = json_value(match.group())
    except ValueError:
        return None
    return parsed if isinstance(parsed, list) else None

"""The one entrance: `read` says what a text says, worked out once a text and context.

State, recall, clarifier and planner all come through here. Readings are kept by the process, and any erasure empties
what is kept; texts that come together are read together, which takes a fraction of the time.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from threading import Lock

from memory.language.learned.reader import READ_CHARACTERS, learned_reader
from memory.language.reading import Reading, ReadRequest
from memory.language.text_cache import empty_with_texts

_KEPT = 8_192


class _Kept:
    """The readings of the process, the least recently used going first."""

    def __init__(self) -> None:
        self._held: OrderedDict[tuple[str, str], Reading] = OrderedDict()
        self._lock = Lock()

    def get(self, key: tuple[str, str]) -> Reading | None:
        with self._lock:
            if (found := self._held.get(key)) is not None:
                self._held.move_to_end(key)
            return found

    def put(self, key: tuple[str, str], reading: Reading) -> None:
        with self._lock:
            self._held[key] = reading
            while len(self._held) > _KEPT:
                self._held.popitem(last=False)

    def empty(self) -> None:
        with self._lock:
            self._held.clear()


_KEEPS = _Kept()
empty_with_texts(_KEEPS)


def read(text: str, *, before: str = "") -> Reading:
    """Return what `text` says.

    Args:
        text: What a person said; its first `READ_CHARACTERS` are read.
        before: What the assistant said to them just before, a question or a report; empty: nothing.
    """
    key = (text[:READ_CHARACTERS], before[-READ_CHARACTERS:])
    found = _KEEPS.get(key)
    if found is None:
        found = learned_reader().read_many([ReadRequest(*key)])[0]
        _KEEPS.put(key, found)
    return found


def read_ahead(texts: Iterable[tuple[str, str]]) -> None:
    """Read texts, each with what was said before it, together, so that `read` has them at hand."""
    keys = dict.fromkeys((text[:READ_CHARACTERS], before[-READ_CHARACTERS:]) for text, before in texts)
    missing = [key for key in keys if _KEEPS.get(key) is None]
    if missing:
        readings = learned_reader().read_many([ReadRequest(*key) for key in missing])
        for key, reading in zip(missing, readings, strict=True):
            _KEEPS.put(key, reading)

"""The dialogues of `dialogues.jsonl`: what the user state must make of them.

Halves A, C, E and G were used to mend the readers, B, D, F and H only to measure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from benchmark_adapter.suites.dialogues import Dialogue

FILE = Path(__file__).with_name("dialogues.jsonl")
HALVES = ("A", "B", "C", "D", "E", "F", "G", "H")


class HalvedDialogue(Dialogue, frozen=True):
    """A dialogue of one of the halves."""

    half: str


class Score(NamedTuple):
    """How many dialogues came out right in every expectation."""

    right: int
    total: int


def read() -> list[HalvedDialogue]:
    """Return all dialogues, in order of the file."""
    return [HalvedDialogue.model_validate_json(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def scores(dialogues: Iterable[HalvedDialogue]) -> Mapping[tuple[str, str, str], Score]:
    """Return the score by half, language and kind."""
    found: dict[tuple[str, str, str], Score] = defaultdict(lambda: Score(0, 0))
    for one in dialogues:
        key = (one.half, one.language, one.kind)
        found[key] = Score(found[key].right + (not one.failed()), found[key].total + 1)
    return found


if __name__ == "__main__":
    lines = read()
    for half in HALVES:
        for language in ("en", "zh"):
            cell = [one for one in lines if (one.half, one.language) == (half, language)]
            print(half, language, sum(not one.failed() for one in cell), "of", len(cell))
    for key, score in sorted(scores(lines).items()):
        print(*key, *score)

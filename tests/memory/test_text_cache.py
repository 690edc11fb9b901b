"""What was worked out of texts does not outlive an erasure."""

from __future__ import annotations

from pathlib import Path

from memory import Memory, Scope
from memory.embedder import Vector
from memory.language.text_cache import text_cache
from tests.fakes import HashingEmbedder
from tests.memory.turns import turn


class Counting(HashingEmbedder):
    """Tells what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def embed_query(self, text: str) -> Vector:
        self.asked.append(text)
        return super().embed_query(text)


def test_an_erasure_empties_all_caches_of_texts(tmp_path: Path) -> None:
    read: list[str] = []

    @text_cache(8)
    def length(text: str) -> int:
        read.append(text)
        return len(text)

    embedder = Counting()
    with Memory.open(tmp_path, embedder=embedder) as memory:
        ada = memory.user(Scope("ada"))
        ada.remember(turn("t1", "my locker code is 4711"))
        for _ in range(2):
            assert length("4711") == 4
            assert len(ada.similar(["4711"], 1)[0]) == 1
        assert (read, embedder.asked) == (["4711"], ["4711"])

        memory.erase(Scope("ada"), turn_ids=["t1"])

        assert length("4711") == 4
        ada.remember(turn("t2", "hello"))
        ada.similar(["4711"], 1)
        assert (read, embedder.asked) == (["4711"] * 2, ["4711"] * 2)

"""What strategies read of a real memory besides turns: vectors and where they come from."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from memory import Memory, Scope
from memory.records import Turn
from tests.fakes import HashingEmbedder


def test_every_turn_has_its_vector_in_log_order(tmp_path: Path) -> None:
    turns = [Turn(turn_id=f"t{n}", request=text) for n, text in enumerate(["a seat", "过敏", "the plants"])]
    with Memory.open(tmp_path, embedder=HashingEmbedder()) as memory:
        user = memory.user(Scope("ann"))
        assert user.vectors().rows.shape == (0, user.embedder.dimensions)
        user.remember_all(turns)
        found = user.vectors()
        assert found.turn_ids == ("t0", "t1", "t2")
        assert np.array_equal(found.rows, user.embedder.embed_documents([turn.request for turn in turns]))
        user.forget_turns(["t1"])
        assert user.vectors().turn_ids == ("t0", "t2")
        assert memory.user(Scope("bob")).vectors().turn_ids == ()

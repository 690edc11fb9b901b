"""The file of weights, whole and damaged; the network's shapes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory.language.errors import ReadingError, WeightsError
from memory.language.learned.embedding import DIMENSIONS, SHAPES, clause_vectors, grams, inputs
from memory.language.learned.labels import TAGS, WORDS
from memory.language.learned.network import FIELDS
from memory.language.learned.reader import learned_reader, load_reader
from memory.language.learned.spans import best_path
from memory.language.learned.tokens import tokens
from memory.language.learned.weights import WEIGHTS, save_weights


def test_the_packaged_weights_are_small() -> None:
    assert WEIGHTS.stat().st_size <= 5_000_000


def test_weights_come_back_as_they_were_written(tmp_path: Path) -> None:
    save_weights(learned_reader().network.weights, tmp_path / "again.npz")
    again = load_reader(tmp_path / "again.npz").network.weights
    assert again.keys() == learned_reader().network.weights.keys()
    assert all((again[name] == weight).all() for name, weight in learned_reader().network.weights.items())


def _changed(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], object]:
    def write(path: Path) -> None:
        with np.load(WEIGHTS) as held:
            told: dict[str, Any] = dict(held)
        change(told)
        np.savez(path, **told)

    return write


def _write_array(path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, np.zeros(3))


DAMAGES: dict[str, Callable[[Path], object]] = {
    "missing": lambda path: None,
    "empty": lambda path: path.write_bytes(b""),
    "no archive": lambda path: path.write_text("weights"),
    "cut off": lambda path: path.write_bytes(WEIGHTS.read_bytes()[:1_000_000]),
    "bytes turned": lambda path: path.write_bytes(
        (whole := WEIGHTS.read_bytes())[:3_000_000] + b"\xff" * 1000 + whole[3_001_000:]
    ),
    "an array": _write_array,
    "another form": _changed(lambda told: told.update(format=np.asarray(99))),
    "no form": _changed(lambda told: told.pop("format")),
    "odd form": _changed(lambda told: told.update(format=np.zeros(2))),
    "other labels": _changed(lambda told: told.update(words=told["words"][::-1])),
    "one weight short": _changed(lambda told: told.pop("tag.bias")),
    "another shape": _changed(lambda told: told.update({"join.weight": told["join.weight"][:, :-1]})),
    "not finite": _changed(lambda told: told.update({"tag.bias": told["tag.bias"] * np.float16("nan")})),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_damaged_weights_are_refused_by_name(damage: Callable[[Path], object], tmp_path: Path) -> None:
    path = tmp_path / "odd-weights.npz"
    damage(path)
    with pytest.raises(WeightsError, match=r"odd-weights\.npz") as caught:
        load_reader(path)
    assert isinstance(caught.value, ReadingError)


def test_the_network_gives_probabilities_of_the_shapes_it_says() -> None:
    texts = ["always a window seat", "改成周四吧", "ok"]
    held = [tokens(text, 50) for text in texts]
    given = inputs([(one, 1) for one in held])
    assert [one.vectors.shape for one in given] == [(4, DIMENSIONS), (5, DIMENSIONS), (1, DIMENSIONS)]
    assert [one.shapes.shape for one in given] == [(4, SHAPES), (5, SHAPES), (1, SHAPES)]
    network = learned_reader().network
    states = network.states(given)
    assert [len(one) for one in states] == [4, 5, 1]
    together = np.concatenate(states)
    tags = network.tags(together)
    assert tags.shape == (10, len(TAGS))
    assert tags.sum(axis=1) == pytest.approx(np.ones(10), abs=1e-5)
    beginnings = network.beginnings(together)
    assert ((beginnings >= 0) & (beginnings <= 1)).all()
    vectors = clause_vectors(np.concatenate([one.vectors for one in given]), [(0, 4), (4, 9), (9, 10)])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(3), abs=1e-4)
    rows = [grams([token.text for token in one]) for one in held]
    whole = np.stack([one.mean(axis=0) for one in states])
    judged = network.judged(together, whole, np.asarray([0, 4, 9]), vectors, rows)
    assert {field: found.shape for field, found in judged.items()} == {f: (3, len(WORDS[f])) for f in FIELDS}
    for found in judged.values():
        assert found.sum(axis=1) == pytest.approx(np.ones(3), abs=1e-5)


def test_the_likeliest_path_never_goes_on_with_what_has_not_begun() -> None:
    inside, begin = TAGS.index("I-value"), TAGS.index("B-value")
    tags = np.full((2, len(TAGS)), 0.01, dtype=np.float32)
    tags[0, inside], tags[0, begin], tags[1, inside] = 0.9, 0.4, 0.9
    assert best_path(tags) == [begin, inside]

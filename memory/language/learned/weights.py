"""The file of weights: written by a fit, read once, refused where it is of another version or damaged."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile
from zlib import error as ZlibError

import numpy as np
from numpy.typing import NDArray

from memory.language.errors import WeightsError
from memory.language.learned.embedding import CLAUSE_DIMENSIONS, DIMENSIONS, SHAPES, Inputs
from memory.language.learned.labels import TAGS, WORDS
from memory.language.learned.network import FIELDS, Network
from memory.language.learned.signs import sign_names

WEIGHTS = Path(__file__).with_name("weights.npz")
FORMAT = 1
"""Of the weights file; another one is refused."""


class HeldWeights(NamedTuple):
    """A network with the weights of a file."""

    network: Network
    version: str
    """The first digits of the file's hash."""


def load_weights(path: Path) -> HeldWeights:
    """Return a network with the weights of a file.

    Raises:
        WeightsError: If there are none, or they are of another version, or damaged.
    """
    try:
        data = path.read_bytes()
        with np.load(BytesIO(data), allow_pickle=False) as held:  # of a damaged file it would leave the handle open
            form = int(held["format"])
            told = tuple(str(word) for word in held["words"])
            weights = {name: held[name].astype(np.float32) for name in held.files if name not in ("format", "words")}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, EOFError, BadZipFile, ZlibError) as exc:
        raise WeightsError(f"{path} holds no weights of a reader ({exc}); install the package anew") from exc
    if form != FORMAT or told != _signature():
        raise WeightsError(
            f"{path} is of form {form} and of other labels or signs than this version reads ({FORMAT}); "
            "fit it anew (docs/reading.md) or install the package anew"
        )
    network = Network(weights)
    try:
        _try(network)
    except (KeyError, ValueError, IndexError) as exc:
        raise WeightsError(f"{path} lacks weights, or has odd ones ({exc}); install the package anew") from exc
    return HeldWeights(network, sha256(data).hexdigest()[:8])


def save_weights(weights: Mapping[str, NDArray[np.float32]], path: Path = WEIGHTS) -> None:
    """Write weights as `load_weights` takes them, at half precision."""
    halves = {name: value.astype(np.float16) for name, value in weights.items()}
    np.savez_compressed(path, allow_pickle=False, format=np.asarray(FORMAT), words=np.asarray(_signature()), **halves)


def _signature() -> tuple[str, ...]:
    """What the outputs of the network mean, and the signs among its inputs, in order."""
    return (*TAGS, *(f"{field}={word}" for field in FIELDS for word in WORDS[field]), *sign_names())


def _try(network: Network) -> None:
    """Run the network on a token of nothing.

    Raises:
        KeyError: If a weight is missing.
        ValueError: If one is not of its shape, or no number.
    """
    if odd := [name for name, weight in network.weights.items() if not np.isfinite(weight).all()]:
        raise ValueError(f"not finite: {', '.join(odd)}")
    zeros = [np.zeros((1, size), dtype=np.float32) for size in (DIMENSIONS, SHAPES, CLAUSE_DIMENSIONS)]
    (states,) = network.states([Inputs(zeros[0], zeros[1], np.zeros((1, 3), dtype=np.int64))])
    judged = network.judged(states, states, np.zeros(1, dtype=np.int64), zeros[2], [[0]])
    found = {field: values.shape[1] for field, values in judged.items()}
    found |= {"begin": len(network.beginnings(states)), "tags": network.tags(states).shape[1]}
    wanted = {field: len(WORDS[field]) for field in FIELDS} | {"begin": 1, "tags": len(TAGS)}
    if found != wanted:
        raise ValueError(f"expected outputs of sizes {wanted}, got {found}")

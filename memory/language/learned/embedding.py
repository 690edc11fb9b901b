"""What a token is to the network: the states of the packaged sentence encoder, and what its letters look like.

The encoder (Yang et al. 2020, arXiv 1907.04307) is frozen. Its convolutions over up to five pieces give each token a
vector in its context, English and Chinese in one space, so that words the corpus has never seen lie beside those that
it has; its upper layers make one vector of each clause.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from memory.language.encoder import packaged_encoder
from memory.language.learned.signs import sign_names, signs_of
from memory.language.learned.tokens import Token, is_han
from memory.language.text_cache import text_cache

Floats = NDArray[np.float32]
Whole = NDArray[np.int64]

DIMENSIONS = 1280
"""Of a token's vector: the piece itself, then its neighbourhoods of two, three and five."""
CLAUSE_DIMENSIONS = 512
BUCKETS = 4096
"""Of each table of hashed letters of a token."""
GRAM_BUCKETS = 16_384
"""Of the table of hashed words and letters of a clause."""
LETTER_SHAPES = 16
SHAPES = LETTER_SHAPES + len(sign_names())
_CHUNKS = 17
"""Of the packaged table of pieces, each quantised by itself."""
_ORDERS = ((2, 0), (3, 1), (5, 2))
"""Of the encoder's convolutions: pieces, of which so many to the left."""
_GAP = 2
"""The furthest that a convolution sees to a side."""
_WIDTH = 256
_WORD_BEGIN = "\u2581"
_BEGIN, _END = 1, 2
"""The encoder's pieces for the ends of a text."""


class Inputs(NamedTuple):
    """A sequence of `n` tokens as the network takes it."""

    vectors: Floats
    """Shape `(n, DIMENSIONS)`."""
    shapes: Floats
    """Shape `(n, SHAPES)`, each 0 or 1."""
    hashed: Whole
    """Rows of the tables of whole tokens, beginnings and ends: shape `(n, 3)`, each in `[0, BUCKETS)`."""


def inputs(stretches: Sequence[tuple[Sequence[Token], int]]) -> list[Inputs]:
    """Return stretches of tokens as the network takes them; none sees another.

    Args:
        stretches: At least one token each, with its segment: 0 for what was said before, 1 for the text.
    """
    all_runs = [list(_piece_runs(tokens)) for tokens, _ in stretches]
    pieces = [[_BEGIN, *(piece for run in runs for piece in run.pieces), _END] for runs in all_runs]
    found = []
    for (tokens, segment), runs, states in zip(stretches, all_runs, piece_states(pieces), strict=True):
        vectors = np.empty((len(tokens), DIMENSIONS), dtype=np.float32)
        at = 1  # after the piece for the beginning
        for run in runs:
            for token, (first, past) in zip(range(run.first, run.past), run.places, strict=True):
                vectors[token] = (
                    states[at + first] if past == first + 1 else states[at + first : at + past].mean(axis=0)
                )
            at += len(run.pieces)
        shapes = np.concatenate([[_shape(token.text, segment) for token in tokens], signs_of(tokens)], axis=1)
        hashed = np.asarray([_hashes(token.text) for token in tokens], dtype=np.int64)
        found.append(Inputs(vectors, shapes, hashed))
    return found


class _Run(NamedTuple):
    """Tokens that the encoder cuts into pieces together: one word or sign, or the Han characters of a stretch."""

    first: int
    past: int
    pieces: tuple[int, ...]
    places: tuple[tuple[int, int], ...]
    """Of each token: its first piece and the one past its last."""


def _piece_runs(tokens: Sequence[Token]) -> Iterator[_Run]:
    at = 0
    while at < len(tokens):
        end = at + 1
        if is_han(tokens[at].text):
            while end < len(tokens) and is_han(tokens[end].text) and tokens[end].start == tokens[end - 1].end:
                end += 1
        is_apart = at == 0 or tokens[at].start > tokens[at - 1].end
        yield _Run(at, end, *_cut("".join(token.text for token in tokens[at:end]), end - at, is_apart))
        at = end


@text_cache(32_768)
def _cut(run: str, count: int, is_apart: bool) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
    """Return the pieces of a run of `count` tokens, and where each token's are."""
    tokenizer = packaged_encoder()._tokenizer
    run = run.encode("utf-8", "replace").decode()  # half a surrogate pair, which the encoder refuses, is a "?"
    pieces: list[int] = tokenizer.encode(run, out_type=int, add_bos=False, add_eos=False)
    texts: list[str] = tokenizer.encode(run, out_type=str, add_bos=False, add_eos=False)
    if (count > 1 or not is_apart) and len(texts) > 1 and texts[0] == _WORD_BEGIN:
        pieces, texts = pieces[1:], texts[1:]
    if count == 1:
        return tuple(pieces), ((0, len(pieces)),)
    covered = [at for at, text in enumerate(texts) for _ in text.replace(_WORD_BEGIN, "")]
    covered = (covered + [len(pieces) - 1] * count)[:count]
    return tuple(pieces), tuple((at, at + 1) for at in covered)


def piece_states(texts: Sequence[Sequence[int]]) -> list[Floats]:
    """Return what the encoder's lower layers make of texts in pieces, shape `(pieces, DIMENSIONS)` each."""
    model = packaged_encoder()._model
    ids = np.concatenate([np.asarray(pieces, dtype=np.int64) for pieces in texts])
    chunk = ids % _CHUNKS
    embedded = model.table[ids].astype(np.float32) * model.scale[chunk, None] + model.lo[chunk, None]
    projected = embedded @ model.proj_W + model.proj_b
    projected = _normed(projected, model.ln_g_all, model.ln_b_all, model.eps)
    ends = np.cumsum([len(pieces) for pieces in texts])
    # Where each piece stands once zeros lie around every text, so that no window reaches from one into the next.
    places = np.arange(len(ids)) + _GAP * (1 + np.repeat(np.arange(len(texts)), [len(pieces) for pieces in texts]))
    parts = [embedded]
    for index, (order, left) in enumerate(_ORDERS):
        x = projected[:, index * _WIDTH : (index + 1) * _WIDTH]
        for weight, bias in ((model.w1[index], model.b1[index]), (model.w2[index], model.b2[index])):
            padded = np.zeros((len(ids) + _GAP * (len(texts) + 1), _WIDTH), dtype=np.float32)
            padded[places] = x
            windows = np.concatenate([padded[places + (k - left)] for k in range(order)], axis=1)
            x = x + np.maximum(windows @ weight + bias, 0.0)
        parts.append(x)
    states: Floats = _normed(np.concatenate(parts, axis=1), model.ln_g, model.ln_b, model.eps)
    return np.split(states, ends[:-1])


def clause_vectors(vectors: Floats, clauses: Sequence[tuple[int, int]]) -> Floats:
    """Return what the encoder's upper layers make of stretches of tokens: unit rows, shape `(clauses, 512)`."""
    model: Any = packaged_encoder()._model
    mean = np.stack([vectors[a:b].sum(axis=0) / np.sqrt(b - a) for a, b in clauses]) @ model.cnn_W
    mean += np.asarray([[np.sqrt(b - a)] for a, b in clauses], dtype=np.float32) * model.cnn_b
    first = np.maximum(mean @ model.p1 + np.maximum(mean @ model.d0, 0.0) @ model.d1, 0.0)
    last = np.tanh(first @ model.p3 + np.maximum(first @ model.d2, 0.0) @ model.d3)
    unit: Floats = (last / np.sqrt(np.maximum((last * last).sum(axis=1, keepdims=True), 1e-9))).astype(np.float32)
    return unit


def _normed(x: Floats, gain: Floats, bias: Floats, epsilon: float) -> Floats:
    centred = x - x.mean(axis=1, keepdims=True)
    result: Floats = centred / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + epsilon) * gain + bias
    return result


def grams(words: Sequence[str]) -> list[int]:
    """Return the rows of what a clause is made of: runs of one to three tokens, and of two to four letters."""
    folded = ["^", *(word.casefold() for word in words), "$"]
    found = {" ".join(folded[at : at + size]) for size in (1, 2, 3) for at in range(len(folded) - size + 1)}
    letters = " ".join(folded[1:-1])
    found |= {f"~{letters[at : at + size]}" for size in (3, 4) for at in range(len(letters) - size + 1)}
    return sorted(crc32(gram.encode("utf-8", "replace")) % GRAM_BUCKETS for gram in found)


@text_cache(32_768)
def _hashes(text: str) -> tuple[int, ...]:
    folded = text.casefold()
    parts = (f"={folded}", f"^{folded[:3]}", f"{folded[-3:]}$")
    return tuple(crc32(part.encode("utf-8", "replace")) % BUCKETS for part in parts)


@text_cache(32_768)
def _shape(text: str, segment: int) -> Floats:
    flags = (
        segment == 1,
        text.isdigit(),
        text[:1].isdigit(),
        text[:1].isupper(),
        text.isupper() and len(text) > 1,
        text.isalpha() and text.isascii(),
        is_han(text),
        text in ",，、",
        text in ".。…",
        text in "?？",
        text in "!！",
        text in ":：;；-–—",
        text in "\"'“”‘’「」『』《》",
        len(text) == 1,
        len(text) > 7,
        not text.isalnum(),
    )
    return np.asarray(flags, dtype=np.float32)

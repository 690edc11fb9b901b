"""The forward pass of the reader's network, in NumPy.

Token vectors are projected, joined with shapes and hashed letters, smoothed over three neighbours and read in both
directions by a gated recurrent layer (GRU, Cho et al. 2014, arXiv 1406.1078, in PyTorch's form). From its states come
the beginnings of clauses and the spans, a token each, and the judged fields, a clause each: by attention
over its tokens, from the vector of the clause, and from its words and letters themselves (Cheng et al. 2016,
arXiv 1606.07792).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.language.learned.embedding import Floats, Inputs, Whole

FIELDS = ("act", "time", "polarity", "whom", "back", "deed", "claim")


def sigmoid(x: Floats) -> Floats:
    """Return the logistic function, which does not overflow."""
    result: Floats = 0.5 * (1.0 + np.tanh(0.5 * x))
    return result


def softmax(x: Floats) -> Floats:
    """Return the probabilities that the last axis of logits amounts to."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    result: Floats = powers / powers.sum(axis=-1, keepdims=True)
    return result


@dataclass(frozen=True)
class Network:
    """The weights by name, as PyTorch's `state_dict` has them, each `float32`."""

    weights: Mapping[str, NDArray[np.float32]]

    def states(self, given: Sequence[Inputs]) -> list[Floats]:
        """Return a state a token of each text, shape `(n, d)`; no text sees another."""
        w = self.weights
        lengths = [len(one.shapes) for one in given]
        vectors, shapes, rows = (np.concatenate(parts) for parts in zip(*given, strict=True))
        hashed = [w[f"hashed.{i}.weight"][rows[:, i]] for i in range(rows.shape[1])]
        x = np.concatenate([vectors @ w["project.weight"].T + w["project.bias"], shapes, *hashed], axis=1)
        x = np.tanh(x @ w["join.weight"].T + w["join.bias"])
        smooth = w["smooth.weight"]  # (out, in, 3)
        # A row of zeros lies before and after every text.
        places = np.arange(len(x)) + 1 + np.repeat(np.arange(len(given)), lengths)
        padded = np.zeros((len(x) + len(given) + 1, x.shape[1]), dtype=np.float32)
        padded[places] = x
        near = sum(padded[places + (k - 1)] @ smooth[:, :, k].T for k in range(3)) + w["smooth.bias"]
        x = x + np.maximum(near, 0.0)
        return np.split(
            np.concatenate([x, *(self._run(x, lengths, is_back) for is_back in (False, True))], axis=1),
            np.cumsum(lengths)[:-1],
        )

    def _run(self, x: Floats, lengths: Sequence[int], is_back: bool) -> Floats:
        """Return the states of one direction of the recurrent layer, over all texts side by side."""
        w, direction = self.weights, "_reverse" if is_back else ""
        gates = x @ w[f"run.weight_ih_l0{direction}"].T + w[f"run.bias_ih_l0{direction}"]
        inner, bias = np.ascontiguousarray(w[f"run.weight_hh_l0{direction}"].T), w[f"run.bias_hh_l0{direction}"]
        size = bias.shape[0] // 3
        order = np.argsort(lengths, kind="stable")[::-1]  # the longest first: those still running stand in front
        told_lengths = np.asarray(lengths)[order]
        begins = (np.cumsum(lengths) - lengths)[order]
        state = np.zeros((len(lengths), size), dtype=np.float32)
        found = np.empty((len(x), size), dtype=np.float32)
        for step in range(told_lengths[0]):
            running = int((told_lengths > step).sum())
            rows = begins[:running] + (told_lengths[:running] - 1 - step if is_back else step)
            gate, state = gates[rows], state[:running]
            told = state @ inner + bias
            both = sigmoid(gate[:, : 2 * size] + told[:, : 2 * size])
            new = np.tanh(gate[:, 2 * size :] + both[:, :size] * told[:, 2 * size :])
            state = new + both[:, size:] * (state - new)
            found[rows] = state
        return found

    def beginnings(self, states: Floats) -> Floats:
        """Return the probability a token that a clause begins with it, shape `(n,)`."""
        w = self.weights
        return sigmoid(states @ w["begin.weight"][0] + w["begin.bias"][0])

    def tags(self, states: Floats) -> Floats:
        """Return the probabilities of the span tags a token, shape `(n, tags)`."""
        w = self.weights
        return softmax(np.tanh(states @ w["tag_in.weight"].T + w["tag_in.bias"]) @ w["tag.weight"].T + w["tag.bias"])

    def judged(
        self, states: Floats, whole: Floats, starts: Whole, vectors: Floats, grams: Sequence[Sequence[int]]
    ) -> dict[str, Floats]:
        """Return the probabilities of each field's words a clause, shape `(clauses, words)`.

        Args:
            states: Of the tokens of all clauses, one clause after another, shape `(n, d)`.
            whole: The mean state of the text that a clause stands in, shape `(clauses, d)`.
            starts: The row of `states` that each clause begins with.
            vectors: Of the clauses, from the encoder's upper layers.
            grams: Of the clauses, rows of the table of words and letters.
        """
        w = self.weights
        clause_of = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(states)))
        rest = np.concatenate([np.maximum.reduceat(states, starts), whole, vectors * 3.0], axis=1)
        counts = np.asarray([len(rows) for rows in grams])
        all_rows, first_rows = np.concatenate([np.asarray(rows) for rows in grams]), np.cumsum(counts) - counts
        scale = np.sqrt(counts)[:, None]
        found: dict[str, Floats] = {}
        for field in FIELDS:
            head = f"heads.{field}"
            keys = np.tanh(states @ w[f"{head}.key.weight"].T + w[f"{head}.key.bias"])
            scores = keys @ w[f"{head}.query"]
            powers = np.exp(scores - np.maximum.reduceat(scores, starts)[clause_of])
            sums = np.add.reduceat(powers[:, None] * states, starts)
            pooled = np.concatenate([sums / np.add.reduceat(powers, starts)[:, None], rest], axis=1)
            hidden = np.maximum(pooled @ w[f"{head}.mix.weight"].T + w[f"{head}.mix.bias"], 0.0)
            logits = hidden @ w[f"{head}.out.weight"].T + w[f"{head}.out.bias"]
            logits = logits + np.add.reduceat(w[f"{head}.wide.weight"][all_rows], first_rows) / scale
            found[field] = softmax(logits / w[f"{head}.temperature"])
        return found

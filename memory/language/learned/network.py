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

from memory.language.learned.embedding import Floats, Inputs

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

    def states(self, given: Inputs) -> Floats:
        """Return a state a token, shape `(n, d)`."""
        w = self.weights
        hashed = [w[f"hashed.{i}.weight"][given.hashed[:, i]] for i in range(given.hashed.shape[1])]
        x = np.concatenate([given.vectors @ w["project.weight"].T + w["project.bias"], given.shapes, *hashed], axis=1)
        x = np.tanh(x @ w["join.weight"].T + w["join.bias"])
        smooth = w["smooth.weight"]  # (out, in, 3)
        padded = np.pad(x, ((1, 1), (0, 0)))
        near = sum(padded[k : k + len(x)] @ smooth[:, :, k].T for k in range(3)) + w["smooth.bias"]
        x = x + np.maximum(near, 0.0)
        return np.concatenate([x, self._run(x, ""), self._run(x[::-1], "_reverse")[::-1]], axis=1)

    def _run(self, x: Floats, direction: str) -> Floats:
        """Return the states of one direction of the recurrent layer."""
        w = self.weights
        gates = x @ w[f"run.weight_ih_l0{direction}"].T + w[f"run.bias_ih_l0{direction}"]
        inner, bias = w[f"run.weight_hh_l0{direction}"].T, w[f"run.bias_hh_l0{direction}"]
        size = bias.shape[0] // 3
        state = np.zeros(size, dtype=np.float32)
        found = np.empty((len(x), size), dtype=np.float32)
        for at, gate in enumerate(gates):
            told = state @ inner + bias
            both = sigmoid(gate[: 2 * size] + told[: 2 * size])
            new = np.tanh(gate[2 * size :] + both[:size] * told[2 * size :])
            state = new + both[size:] * (state - new)
            found[at] = state
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
        self, states: Floats, clauses: Sequence[tuple[int, int]], vectors: Floats, grams: Sequence[Sequence[int]]
    ) -> dict[str, Floats]:
        """Return the probabilities of each field's words a clause, shape `(clauses, words)`.

        Args:
            states: Of the tokens.
            clauses: First token and the one past the last, at least one token each.
            vectors: Of the clauses, from the encoder's upper layers.
            grams: Of the clauses, rows of the table of words and letters.
        """
        w = self.weights
        whole = states[clauses[0][0] : clauses[-1][1]].mean(axis=0)
        found: dict[str, Floats] = {}
        for field in FIELDS:
            scores = (
                np.tanh(states @ w[f"heads.{field}.key.weight"].T + w[f"heads.{field}.key.bias"])
                @ w[f"heads.{field}.query"]
            )
            pooled = np.stack(
                [
                    np.concatenate([_pooled(states[a:b], scores[a:b]), whole, vector])
                    for (a, b), vector in zip(clauses, vectors * 3.0, strict=True)
                ]
            )
            hidden = np.maximum(pooled @ w[f"heads.{field}.mix.weight"].T + w[f"heads.{field}.mix.bias"], 0.0)
            logits = hidden @ w[f"heads.{field}.out.weight"].T + w[f"heads.{field}.out.bias"]
            table = w[f"heads.{field}.wide.weight"]
            logits = logits + np.stack([table[list(rows)].sum(axis=0) / np.sqrt(len(rows)) for rows in grams])
            found[field] = softmax(logits / w[f"heads.{field}.temperature"])
        return found


def _pooled(states: Floats, scores: Floats) -> Floats:
    weights = softmax(scores)
    return np.concatenate([weights @ states, states.max(axis=0)])

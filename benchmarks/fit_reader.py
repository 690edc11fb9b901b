"""Fit the learned reader on the corpus: `python -m benchmarks.fit_reader [--leave-out AUTHOR …] [--write]`.

Needs PyTorch (a CPU build is enough: docs/reading.md), which nothing else of the project's does. The figures it prints
are of the authors, and with `--domains` of the domains, that were left out of the fit.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn

from memory.language.corpus.lines import CorpusLine, read_corpus
from memory.language.corpus.notation import labels_of
from memory.language.learned.embedding import (
    BUCKETS,
    CLAUSE_DIMENSIONS,
    DIMENSIONS,
    GRAM_BUCKETS,
    SHAPES,
    Inputs,
    clause_vectors,
    grams,
)
from memory.language.learned.labels import TAGS, WORDS
from memory.language.learned.network import FIELDS
from memory.language.learned.reader import sequence_of
from memory.language.learned.weights import WEIGHTS, save_weights

SIZE, HASHED, STATES = 128, 24, 96


@dataclass(frozen=True)
class Example:
    inputs: Inputs
    skip: int
    begins: np.ndarray
    tags: np.ndarray
    clauses: list[tuple[int, int]]
    labels: dict[str, list[int]]
    second: dict[str, list[int]]
    vectors: np.ndarray
    grams: list[list[int]]


class Head(nn.Module):
    def __init__(self, size: int, words: int) -> None:
        super().__init__()
        self.key = nn.Linear(size, 48)
        self.query = nn.Parameter(torch.randn(48) * 0.1)
        self.mix = nn.Linear(size * 3 + CLAUSE_DIMENSIONS, 96)
        self.out = nn.Linear(96, words)
        self.wide = nn.EmbeddingBag(GRAM_BUCKETS, words, mode="sum")
        nn.init.zeros_(self.wide.weight)
        self.temperature = nn.Parameter(torch.ones(()), requires_grad=False)

    def forward(
        self, pooled: torch.Tensor, ids: torch.Tensor, starts: torch.Tensor, weights: torch.Tensor, drop: nn.Dropout
    ) -> torch.Tensor:
        wide = self.wide(ids, starts, per_sample_weights=weights)
        return (self.out(drop(torch.relu(self.mix(pooled)))) + wide) / self.temperature


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.project = nn.Linear(DIMENSIONS, SIZE)
        self.hashed = nn.ModuleList([nn.Embedding(BUCKETS, HASHED) for _ in range(3)])
        for table in self.hashed:
            nn.init.normal_(table.weight, std=0.05)
        self.join = nn.Linear(SIZE + SHAPES + 3 * HASHED, SIZE)
        self.smooth = nn.Conv1d(SIZE, SIZE, 3, padding=1)
        self.run = nn.GRU(SIZE, STATES, bidirectional=True, batch_first=True)
        size = SIZE + 2 * STATES
        self.begin = nn.Linear(size, 1)
        self.tag_in = nn.Linear(size, 96)
        self.tag = nn.Linear(96, len(TAGS))
        self.heads = nn.ModuleDict({field: Head(size, len(WORDS[field])) for field in FIELDS})
        self.drop, self.drop_in = nn.Dropout(0.45), nn.Dropout(0.2)

    def states(self, one: Sequence[Example]) -> tuple[torch.Tensor, torch.Tensor]:
        lens = [len(e.inputs.shapes) for e in one]
        n = max(lens)
        vec, shp, hsh = (
            torch.zeros(len(one), n, DIMENSIONS),
            torch.zeros(len(one), n, SHAPES),
            torch.zeros(len(one), n, 3, dtype=torch.long),
        )
        mask = torch.zeros(len(one), n, 1)
        for i, e in enumerate(one):
            vec[i, : lens[i]] = torch.from_numpy(e.inputs.vectors)
            shp[i, : lens[i]] = torch.from_numpy(e.inputs.shapes)
            hsh[i, : lens[i]] = torch.from_numpy(e.inputs.hashed)
            mask[i, : lens[i]] = 1
        if self.training:
            keep = (torch.rand(len(one), n, 1) > 0.06).float()
            vec = vec * keep
            keeph = (torch.rand(len(one), n, 3, 1) > 0.25).float()
        else:
            keeph = torch.ones(len(one), n, 3, 1)
        hashed = [self.hashed[i](hsh[:, :, i]) * keeph[:, :, i] for i in range(3)]
        x = torch.cat([self.project(self.drop_in(vec)), shp, *hashed], dim=2)
        x = self.drop(torch.tanh(self.join(x))) * mask
        x = x + torch.relu(self.smooth(x.transpose(1, 2)).transpose(1, 2))
        packed = nn.utils.rnn.pack_padded_sequence(x, torch.tensor(lens), batch_first=True, enforce_sorted=False)
        run, _ = nn.utils.rnn.pad_packed_sequence(self.run(packed)[0], batch_first=True, total_length=n)
        return self.drop(torch.cat([x, run], dim=2)), mask[:, :, 0]

    def judge(self, states: torch.Tensor, batch: Sequence[Example]) -> dict[str, torch.Tensor]:
        n = states.shape[1]
        where = [(i, a, b) for i, e in enumerate(batch) for a, b in e.clauses]
        at = torch.arange(n)
        masks = torch.stack([(at >= a) & (at < b) for _, a, b in where])
        texts = torch.stack([(at >= e.clauses[0][0]) & (at < e.clauses[-1][1]) for e in batch]).float()
        whole = (states * texts[:, :, None]).sum(1) / texts.sum(1, keepdim=True)
        rows = torch.tensor([i for i, _, _ in where])
        held = states[rows]
        highest = held.masked_fill(~masks[:, :, None], -1e4).max(1).values
        vectors = self.drop(torch.from_numpy(np.concatenate([e.vectors for e in batch])) * 3.0)
        grams = [one for e in batch for one in e.grams]
        ids = torch.tensor([row for one in grams for row in one])
        starts = torch.tensor(np.cumsum([0, *(len(one) for one in grams[:-1])]))
        weights = torch.tensor([len(one) ** -0.5 for one in grams for _ in one])
        if self.training:
            weights = weights * (torch.rand(len(weights)) > 0.3).float() * 1.4
        found = {}
        for field in FIELDS:
            head = self.heads[field]
            scores = (torch.tanh(head.key(states)) @ head.query)[rows].masked_fill(~masks, -1e4)
            attended = (torch.softmax(scores, 1)[:, :, None] * held).sum(1)
            pooled = torch.cat([attended, highest, whole[rows], vectors], dim=1)
            found[field] = head(pooled, ids, starts, weights, self.drop)
        return found


def example(line: CorpusLine) -> Example | None:
    sequence = sequence_of(line.reading.text, line.before)
    if sequence is None or not line.reading.clauses:
        return None
    text = sequence.tokens
    begins, tags = np.zeros(len(text), np.float32), np.zeros(len(text), np.int64)
    clauses, labels, second = [], {field: [] for field in FIELDS}, {field: [] for field in FIELDS}
    for number, clause in enumerate(line.reading.clauses):
        inside = [i for i, token in enumerate(text) if clause.start <= token.start < clause.end]
        if not inside:
            continue
        begins[inside[0]] = 1
        clauses.append((sequence.skip + inside[0], sequence.skip + inside[-1] + 1))
        for field in FIELDS:
            labels[field].append(WORDS[field].index(getattr(clause, field)))
        other = labels_of(line.second[number]) if line.second else {}
        if clause.act == "answer" or (line.before and other.get("act") != clause.act):
            other = {}  # the second hand saw no context
        for field in FIELDS:
            second[field].append(WORDS[field].index(other.get(field, getattr(clause, field))))
        for span in clause.spans:
            held = [i for i, token in enumerate(text) if span.start < token.end and token.start < span.end]
            for k, i in enumerate(held):
                tags[i] = TAGS.index(("B-" if k == 0 else "I-") + span.role)
    if not clauses:
        return None
    told = [grams([token.text for token in text[a - sequence.skip : b - sequence.skip]]) for a, b in clauses]
    vectors = clause_vectors(sequence.inputs.vectors, clauses)
    return Example(sequence.inputs, sequence.skip, begins, tags, clauses, labels, second, vectors, told)


def loss_of(model: Model, batch: Sequence[Example]) -> torch.Tensor:
    states, _ = model.states(batch)
    own = torch.cat([states[i, e.skip : e.skip + len(e.begins)] for i, e in enumerate(batch)])
    begins, tags = (
        torch.from_numpy(np.concatenate(found)) for found in ([e.begins for e in batch], [e.tags for e in batch])
    )
    total = 4.0 * nn.functional.binary_cross_entropy_with_logits(model.begin(own)[:, 0], begins, reduction="mean")
    logits = model.tag(torch.tanh(model.tag_in(own)))
    total = total + 4.0 * nn.functional.cross_entropy(logits, tags)
    for field, logit in model.judge(states, batch).items():
        for labels in (e.labels for e in batch), (e.second for e in batch):
            wanted = torch.tensor([label for one in labels for label in one[field]])
            total = total + 0.5 * nn.functional.cross_entropy(logit, wanted, label_smoothing=0.05)
    return total


def fit(examples: list[Example], epochs: int, seed: int) -> Model:
    torch.manual_seed(seed)
    random.seed(seed)
    model = Model()
    wide = [p for name, p in model.named_parameters() if "wide" in name]
    rest = [p for name, p in model.named_parameters() if "wide" not in name and p.requires_grad]
    optimiser = torch.optim.AdamW([{"params": rest, "weight_decay": 0.05}, {"params": wide, "weight_decay": 0.1}])
    size = 32
    steps = epochs * (len(examples) // size + 1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 3e-3, total_steps=steps + 1, pct_start=0.15)
    for epoch in range(epochs):
        model.train()
        order = random.sample(examples, len(examples))
        total = 0.0
        for at in range(0, len(order), size):
            loss = loss_of(model, order[at : at + size])
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 2.0)
            optimiser.step()
            schedule.step()
            total += float(loss.detach())
        print(f"epoch {epoch + 1}: loss {total / (len(order) / size):.3f}", flush=True)
    model.eval()
    return model


def measure(model: Model, examples: Sequence[Example]) -> dict[str, float]:
    right = {field: 0 for field in FIELDS}
    confusion: dict[str, dict[tuple[str, str], int]] = {field: {} for field in FIELDS}
    all_right = clauses = tp = fp = fn = 0
    spans: dict[str, list[int]] = {}
    with torch.no_grad():
        for e in examples:
            states, _ = model.states([e])
            own = states[0, e.skip : e.skip + len(e.begins)]
            begins = (torch.sigmoid(model.begin(own)[:, 0]) > 0.5).numpy()
            tp += int((begins & (e.begins > 0))[1:].sum())
            fp += int((begins & (e.begins == 0))[1:].sum())
            fn += int((~begins & (e.begins > 0))[1:].sum())
            tags = model.tag(torch.tanh(model.tag_in(own))).argmax(1).numpy()
            got, want = _spans(tags), _spans(e.tags)
            for role in {r for r, *_ in got | want}:
                g, w = {s for s in got if s[0] == role}, {s for s in want if s[0] == role}
                cell = spans.setdefault(role, [0, 0, 0])
                cell[0] += len(g & w)
                cell[1] += len(g)
                cell[2] += len(w)
            judged = {field: logit.argmax(1).tolist() for field, logit in model.judge(states, [e]).items()}
            for i in range(len(e.clauses)):
                fine = True
                for field in FIELDS:
                    ok = judged[field][i] == e.labels[field][i]
                    right[field] += ok
                    fine &= ok or field in ("back", "deed", "claim")
                    if not ok:
                        key = (WORDS[field][e.labels[field][i]], WORDS[field][judged[field][i]])
                        confusion[field][key] = confusion[field].get(key, 0) + 1
                all_right += fine
                clauses += 1
    told = {field: round(n / clauses, 3) for field, n in right.items()} | {
        "all": round(all_right / clauses, 3),
        "clauses": clauses,
    }
    told["borders_f1"] = round(2 * tp / max(1, 2 * tp + fp + fn), 3)
    for role, (hit, got_n, want_n) in sorted(spans.items()):
        told[f"span_{role}_f1"] = round(2 * hit / max(1, got_n + want_n), 3)
    for field in FIELDS:
        worst = sorted(confusion[field].items(), key=lambda item: -item[1])[:8]
        print(field, "|", ", ".join(f"{a}→{b} {n}" for (a, b), n in worst))
    return told


def _spans(tags: np.ndarray) -> set[tuple[str, int, int]]:
    found, start, role = set(), 0, ""
    for i, tag in enumerate([*(TAGS[t] for t in tags), "O"]):
        if role and tag != f"I-{role}":
            found.add((role, start, i))
            role = ""
        if tag.startswith("B-") or (tag.startswith("I-") and not role):
            role, start = tag[2:], i
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leave-out", nargs="*", default=[], help="authors to measure on")
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="write the weights that the reader uses")
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    words = parser.parse_args()
    torch.set_num_threads(words.threads)
    lines = read_corpus()
    held = [line for line in lines if line.author in words.leave_out or (not words.leave_out and line.is_set_aside)]
    seen = [line for line in lines if line not in held]
    train = [e for line in seen if (e := example(line)) is not None]
    test = [e for line in held if (e := example(line)) is not None]
    print(len(train), "texts to fit on,", len(test), "left out", flush=True)
    model = fit(train, words.epochs, words.seed)
    if test:
        print(json.dumps(measure(model, test)))
    if words.write:
        save_weights({name: value.detach().numpy() for name, value in model.state_dict().items()}, words.out)


if __name__ == "__main__":
    main()

"""What the corpus holds, and how far two hands agree on its labels: `python -m benchmarks.corpus_agreement`.

The agreement is of the clauses that a second hand labelled without sight of the first labels. That hand saw the words
of the text alone, not what was said before it, so that clauses after something said are counted by themselves as well.
Kappa (Cohen 1960) is the agreement beyond what the frequencies of the labels alone would give.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from memory.language.corpus.lines import read_corpus
from memory.language.corpus.notation import labels_of

FIELDS = ("act", "time", "polarity", "whom", "back")
TOGETHER = ("act", "time", "polarity", "whom")


class Judged(NamedTuple):
    """A clause with the labels of both hands."""

    author: str
    has_before: bool
    first: Mapping[str, str]
    second: Mapping[str, str]


def judged() -> list[Judged]:
    """Return the clauses that two hands have labelled."""
    return [
        Judged(line.author, bool(line.before), clause.model_dump(include=set(FIELDS)), labels_of(labels))
        for line in read_corpus()
        if line.second
        for clause, labels in zip(line.reading.clauses, line.second, strict=True)
    ]


def agreement(clauses: Sequence[Judged], fields: Sequence[str]) -> float:
    """Return the share of clauses whose labels agree in all of `fields`; at least one clause."""
    return sum(all(one.first[f] == one.second[f] for f in fields) for one in clauses) / len(clauses)


def kappa(clauses: Sequence[Judged], field: str) -> float:
    """Return Cohen's kappa of a field; 1 where both hands gave one and the same label throughout."""
    first, second = (
        Counter(told[field] for told in hand) for hand in zip(*((c.first, c.second) for c in clauses), strict=True)
    )
    chance = sum(first[word] * second[word] for word in first) / len(clauses) ** 2
    return 1.0 if chance == 1 else (agreement(clauses, [field]) - chance) / (1 - chance)


def _row(name: str, clauses: Sequence[Judged]) -> str:
    told = (f"{agreement(clauses, [field]):.3f} ({kappa(clauses, field):.2f})" for field in FIELDS)
    return f"| {name} | {len(clauses):,} | {' | '.join(told)} | {agreement(clauses, TOGETHER):.3f} |"


def _rows(clauses: Sequence[Judged]) -> Iterable[str]:
    for author in sorted({one.author for one in clauses}):
        yield _row(author, [one for one in clauses if one.author == author])
    yield _row("all", clauses)
    yield _row("nothing said before", [one for one in clauses if not one.has_before])
    yield _row("something said before", [one for one in clauses if one.has_before])


def counts() -> Iterable[str]:
    """Yield the rows of the data card: by author, and by label."""
    lines = read_corpus()
    yield "| author | texts | clauses | voices | domains | after something said | texts in set-aside domains |"
    yield "| --- |" + " ---: |" * 6
    for author in sorted({line.author for line in lines}):
        own = [line for line in lines if line.author == author]
        voices, domains = len({line.voice for line in own}), len({line.domain for line in own})
        clauses, before = sum(len(line.clauses) for line in own), sum(bool(line.before) for line in own)
        aside = sum(line.is_set_aside for line in own)
        yield f"| {author} | {len(own):,} | {clauses:,} | {voices} | {domains} | {before:,} | {aside:,} |"
    held = [clause for line in lines for clause in line.reading.clauses]
    yield f"| all | {len(lines):,} | {len(held):,} | | {len({line.domain for line in lines})} | | |\n"
    languages = Counter[str]()
    for line in lines:
        languages[line.language] += len(line.clauses)
    for name, found in (
        ("language", languages),
        *((field, Counter(getattr(clause, field) for clause in held)) for field in FIELDS),
        ("spans", Counter(span.role for clause in held for span in clause.spans)),
    ):
        yield f"- {name}: " + ", ".join(f"`{word}` {count:,}" for word, count in found.most_common())


def main() -> None:
    """Print the tables, and what is most often judged otherwise."""
    print("\n".join(counts()), end="\n\n")
    clauses = judged()
    print(f"| | clauses | {' | '.join(FIELDS)} | all but `back` |")
    print("| --- | ---: " + "| ---: " * 6 + "|")
    print("\n".join(_rows(clauses)))
    for field in FIELDS:
        pairs = Counter(
            (one.first[field], one.second[field]) for one in clauses if one.first[field] != one.second[field]
        )
        print(f"{field}: {', '.join(f'{a}→{b} {n}' for (a, b), n in pairs.most_common(6))}")


if __name__ == "__main__":
    main()

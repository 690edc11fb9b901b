"""Faults of the `gold` blocks: what only scorers, audit and oracle read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from benchmark_adapter.data.reference import CLARIFICATION, ReferenceStep
from benchmark_adapter.data.topics import Gold
from benchmark_adapter.inspection.faults import Fault, error, warning
from benchmark_adapter.inspection.reference_validation import call_arguments
from benchmark_adapter.scoring.metrics import SOURCES, group_of


class TurnName(NamedTuple):
    """A turn as evidence names it: `topic id#turn index`."""

    topic: str
    turn: int

    def __str__(self) -> str:
        return f"{self.topic}#{self.turn}"


def gold_faults(
    gold: Gold,
    steps: Sequence[ReferenceStep],
    task_type: str | None,
    here: TurnName,
    order: Mapping[TurnName, int],
    dropped: frozenset[str],
) -> Iterator[Fault]:
    """Yield what is wrong with the gold block of a turn.

    Args:
        gold: The block.
        steps: The turn's reference.
        task_type: In the reference evaluator's words; `None` where it is not known.
        here: The turn.
        order: Every turn of the file to its position in time.
        dropped: Topics that are never played.
    """
    yield from _slot_faults(gold, steps)
    yield from _evidence_faults(gold, here, order, dropped)
    yield from _recoverable_faults(gold, steps, task_type)


def _slot_faults(gold: Gold, steps: Sequence[ReferenceStep]) -> Iterator[Fault]:
    by_tool = call_arguments(steps)
    known = {argument for names in by_tool.values() for argument in names}
    known |= {f"{tool}.{argument}" for tool, names in by_tool.items() for argument in names}
    asks = any(step.action.name == CLARIFICATION for step in steps)
    for slot, source in gold.slots.items():
        if slot not in known:
            yield error(
                "gold-slot",
                f"the slot {slot!r} is no argument that this turn gives or asks for",
                f"take one of {', '.join(sorted(known)) or 'none, the turn has no call'}",
            )
        if source not in SOURCES:
            mend = f"take one of {', '.join(SOURCES)}"
            yield error("gold-source", f"the slot {slot!r} has the unknown source {source!r}", mend)
        elif source == "asked" and not asks:
            mend = "add the question, or correct the source"
            yield error("gold-source", f"the slot {slot!r} is marked asked, but the reference asks nothing", mend)
    for tool, names in by_tool.items():
        for argument in sorted(names):
            if argument not in gold.slots and f"{tool}.{argument}" not in gold.slots:
                mend = "add the slot; without it the value counts as read from the request"
                yield warning("gold-slot", f"nothing says where {tool}.{argument} comes from", mend)


def _evidence_faults(
    gold: Gold, here: TurnName, order: Mapping[TurnName, int], dropped: frozenset[str]
) -> Iterator[Fault]:
    for text in gold.evidence:
        topic, separator, index = text.rpartition("#")
        named = TurnName(topic, int(index)) if separator and index.isdecimal() else None
        if named is None or named not in order:
            yield error(
                "evidence",
                f"the evidence {text!r} is no turn of this file",
                "write topic id#turn index, counted from 0",
            )
        elif order[named] >= order[here]:
            told = "this turn itself" if named == here else "a later turn"
            yield error("evidence", f"the evidence {text!r} is {told}", "name an earlier turn")
        elif topic in dropped:
            mend = "give each topic a time of its own"
            yield warning("evidence", f"the evidence {text!r} stands in a topic that is never played", mend)


def _recoverable_faults(gold: Gold, steps: Sequence[ReferenceStep], task_type: str | None) -> Iterator[Fault]:
    group = group_of(task_type)
    if group is None:
        return
    asks = any(step.action.name == CLARIFICATION for step in steps)
    if group != "LOI":
        if gold.recoverable is not None:
            problem = f"expected `recoverable` null on a {task_type} turn, got {gold.recoverable}"
            yield warning("recoverable", problem, "set it on lack-of-information turns only")
    elif gold.recoverable is None:
        mend = "set it to whether history settles what the request leaves out"
        yield warning("recoverable", "a lack-of-information turn does not say whether it is recoverable", mend)
    elif gold.recoverable and asks:
        yield error("recoverable", "marked recoverable, but the reference asks", "take out the question, or say false")
    elif not gold.recoverable and not asks:
        yield error("recoverable", "marked not recoverable, but the reference does not ask", "add it, or say true")

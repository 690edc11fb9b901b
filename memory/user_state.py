"""The user state: per slot the values a person has used or asked for, as a pure fold over the turn log.

Nothing is kept between folds, so deleting a turn and folding again gives the state as if it had never been, and
folding the first n turns gives the state as of then.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

from pydantic import JsonValue

from memory.evidence import Evidence, Kind, Slot
from memory.extraction import extract_all
from memory.records import Turn
from memory.text import split_name, stem
from memory.tools import Parameter, Tool, ValueType

Status = Literal["current", "superseded", "one_off", "hypothetical", "other_person"]
"""`current`: speaks for its slot now; `superseded`: a newer standing rule closed its interval; the rest never fill."""

_EXCEPTIONS: Mapping[Kind, Status] = MappingProxyType(
    {"one_off": "one_off", "hypothetical": "hypothetical", "other_person": "other_person"}
)

SAME_NAME_SIMILARITY = 0.5
"""Of a slot of another tool whose argument has the same name, against 1 for the slot itself."""
SAME_NOUN_SIMILARITY = 0.25
"""Of a slot of another tool whose argument only ends in the same noun (`travel_date` and `date`)."""

_GENERIC_NOUNS = frozenset(
    stem(noun)
    for noun in (
        *("id", "name", "type", "number", "value", "query", "text", "title", "key", "code", "count", "limit", "page"),
        *("size", "mode", "format", "status", "list", "url", "data", "item", "info", "description", "content"),
        *("option", "level"),
    )
)
"""Nouns, as stems, that mean another thing in every tool: alone they connect only slots of tools on one subject."""
_TOOL_VERBS = frozenset(
    stem(word)
    for word in (
        *("get", "set", "search", "find", "list", "create", "add", "update", "delete", "remove", "check", "retrieve"),
        *(
            "fetch",
            "query",
            "show",
            "make",
            "send",
            "track",
            "calculate",
            "by",
            "for",
            "and",
            "of",
            "all",
            "with",
            "to",
        ),
        *("info", "information", "data", "detail", "details", "result", "results"),
    )
)
"""Words, as stems, of tool names that say what is done, not what about."""
_SYNONYMS = {
    stem(synonym): stem(noun)
    for noun, synonyms in {
        "city": ("location", "place", "town"),
        "email": ("mail", "recipient"),
        "phone": ("telephone", "mobile"),
        "origin": ("departure", "start", "from"),
        "destination": ("arrival", "to"),
        "language": ("lang", "locale"),
        "date": ("day",),
        "people": ("participants", "guests", "persons", "passengers", "travelers", "adults"),
    }.items()
    for synonym in synonyms
}
"""Stems of nouns by the one that stands for them."""
_SENSITIVE_WORDS = frozenset(
    stem(word)
    for word in (
        *(
            "health",
            "medical",
            "diagnosis",
            "disease",
            "illness",
            "symptom",
            "medication",
            "medicine",
            "drug",
            "allergy",
        ),
        *("allergies", "allergen", "prescription", "pregnancy", "disability", "therapy", "treatment", "blood"),
        *(
            "religion",
            "religious",
            "faith",
            "belief",
            "political",
            "politics",
            "party",
            "ethnicity",
            "ethnic",
            "racial",
        ),
        *("nationality", "citizenship", "sexual", "sexuality", "orientation", "debt", "bankruptcy", "insolvency"),
    )
)
"""Stems of words for health, belief, politics, origin, orientation and money troubles (DESIGN §5)."""

_JSON_TYPES: Mapping[ValueType, tuple[type, ...]] = MappingProxyType(
    {
        "string": (str,),
        "integer": (int,),
        "number": (int, float),
        "boolean": (bool,),
        "array": (list,),
        "object": (dict,),
        "any": (object,),
    }
)


@dataclass(frozen=True)
class Candidate:
    """A value for a slot with what speaks for it."""

    value: JsonValue = field(compare=False)
    evidence: tuple[Evidence, ...]
    """Oldest first, never empty, all of the same value and of kinds that either fill or share one kind."""
    status: Status
    until: int | None = None
    """Position of the turn whose rule superseded it; `None` while it is not superseded."""
    similarity: float = 1.0
    """Of the context it was used in to the slot looked up, in (0, 1]; 1 is the very slot."""

    @property
    def since(self) -> int:
        """Position of the turn that first spoke for it."""
        return self.evidence[0].position

    @property
    def last(self) -> int:
        """Position of the turn that last spoke for it."""
        return self.evidence[-1].position

    @property
    def is_standing(self) -> bool:
        """Whether a standing rule is among its evidence; such a candidate does not age."""
        return any(piece.kind == "standing" for piece in self.evidence)

    @property
    def turn_ids(self) -> tuple[str, ...]:
        """The turns that speak for it, oldest first, each once."""
        return tuple(dict.fromkeys(piece.turn_id for piece in self.evidence))


@dataclass(frozen=True)
class SlotState:
    """The candidates of one slot: most similar context first, then current before others, then newest first."""

    slot: Slot
    candidates: tuple[Candidate, ...]

    @property
    def current(self) -> tuple[Candidate, ...]:
        """The candidates that may fill the slot."""
        return tuple(candidate for candidate in self.candidates if candidate.status == "current")


@dataclass(frozen=True)
class UserState:
    """What is known about every slot that any turn spoke for."""

    slots: Mapping[Slot, SlotState]
    """By slot, in order of first mention."""

    def lookup(self, tool: Tool, parameter: Parameter) -> SlotState | None:
        """Return the candidates for an argument of a tool: its own, then those of like slots of other tools.

        Values that the parameter could not take (type, enum) are left out. `None` if nothing is known.
        """
        found: list[Candidate] = []
        for slot, state in self.slots.items():
            similarity = context_similarity(slot, tool, parameter)
            if similarity == 0:
                continue
            found.extend(
                Candidate(candidate.value, candidate.evidence, candidate.status, candidate.until, similarity)
                for candidate in state.candidates
                if accepts(parameter, candidate.value)
            )
        return SlotState(Slot(tool.name, parameter.name), _ordered(found)) if found else None


def fold(turns: Sequence[Turn]) -> UserState:
    """Return the state after `turns`, oldest first."""
    return fold_evidence(extract_all(turns))


def fold_evidence(evidence: Iterable[Evidence]) -> UserState:
    """Return the state that `evidence` amounts to; its order does not matter, positions do."""
    by_slot: dict[Slot, list[Evidence]] = defaultdict(list)
    for piece in sorted(evidence, key=lambda piece: piece.position):
        by_slot[piece.slot].append(piece)
    return UserState({slot: SlotState(slot, _candidates(pieces)) for slot, pieces in by_slot.items()})


def context_similarity(slot: Slot, tool: Tool, parameter: Parameter) -> float:
    """Return how far a value of `slot` speaks for `parameter` of `tool`, in [0, 1]; 1 only for the slot itself.

    What tells of health, belief, politics, origin, orientation or money troubles speaks for no other slot.
    """
    if slot == (tool.name, parameter.name):
        return 1.0
    if slot.tool == tool.name or _is_sensitive(slot):
        return 0.0
    one, other = concept(slot.argument), concept(parameter.name)
    if not one or not other or one[-1] != other[-1]:
        return 0.0
    if one[-1] in _GENERIC_NOUNS and (one != other or (len(one) == 1 and not _are_kin(slot.tool, tool.name))):
        return 0.0
    return SAME_NAME_SIMILARITY if one == other else SAME_NOUN_SIMILARITY


@lru_cache(maxsize=4096)
def _is_sensitive(slot: Slot) -> bool:
    words = {stem(word) for word in (*split_name(slot.tool), *split_name(slot.argument))}
    return not words.isdisjoint(_SENSITIVE_WORDS)


def _are_kin(one: str, other: str) -> bool:
    """Whether two tools have a word of their names in common that says what they are about."""
    return bool(_subjects(one) & _subjects(other))


@lru_cache(maxsize=4096)
def _subjects(tool: str) -> frozenset[str]:
    return frozenset(stem(word) for word in split_name(tool)) - _TOOL_VERBS


@lru_cache(maxsize=4096)
def concept(argument: str) -> tuple[str, ...]:
    """Return the words of an argument name as stems, the noun last; of a dotted path only the last field.

    Nouns that tools use for one thing (`city`, `location`) come out as one.
    """
    words = tuple(stem(word) for word in split_name(argument.rpartition(".")[2]))
    return (*words[:-1], _SYNONYMS.get(words[-1], words[-1])) if words else ()


def accepts(parameter: Parameter, value: JsonValue) -> bool:
    """Whether `value` has the type that `parameter` takes and is in its enum, where it has one."""
    if isinstance(value, bool) and parameter.type not in {"boolean", "any"}:
        return False
    if not isinstance(value, _JSON_TYPES[parameter.type]):
        return False
    return not parameter.enum or parameter.type == "array" or value in parameter.enum


def _candidates(pieces: Sequence[Evidence]) -> tuple[Candidate, ...]:
    """Fold the evidence of one slot, oldest first.

    A standing rule closes the interval of every other value that was current; a value used again after that starts a
    new interval. Plain values stand side by side: which one holds is for the clarifier to weigh.
    """
    open_values: dict[str, list[Evidence]] = {}
    others: dict[tuple[str, str], list[Evidence]] = defaultdict(list)
    done: list[Candidate] = []
    for piece in pieces:
        if not piece.may_fill:
            others[piece.kind, piece.value_key].append(piece)
            continue
        if piece.kind == "standing":
            # Several values in one rule ("always A and B", two calls) do not close one another.
            for key in [key for key, held in open_values.items() if not _is_same_rule(held[-1], piece)]:
                if key != piece.value_key:
                    held = open_values.pop(key)
                    done.append(Candidate(held[0].value, tuple(held), "superseded", until=piece.position))
        open_values.setdefault(piece.value_key, []).append(piece)
    current = [Candidate(held[-1].value, tuple(held), "current") for held in open_values.values()]
    exceptions = [Candidate(held[-1].value, tuple(held), _EXCEPTIONS[held[-1].kind]) for held in others.values()]
    return _ordered([*current, *done, *exceptions])


def _is_same_rule(held: Evidence, piece: Evidence) -> bool:
    return held.kind == "standing" and held.position == piece.position


def _ordered(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    return tuple(
        sorted(
            candidates,
            key=lambda candidate: (
                -candidate.similarity,
                candidate.status != "current",
                -candidate.last,
                -len(candidate.evidence),
                candidate.evidence[-1].value_key,
            ),
        )
    )

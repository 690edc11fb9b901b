"""The dialogues of `dialogues.jsonl`: what the user state must make of them.

A dialogue is a few turns with expectations of the state after them. Halves A, C, E and G were used to mend the
readers, B, D, F and H only to measure. An expectation names values by an exact `slot`, by `said` (text in any slot of
the person), by `lookup` of an argument of a tool on offer, or gives the `count` of current values of a slot.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import BaseModel, JsonValue

from memory.evidence import PERSON, Slot
from memory.language.values.values import equal
from memory.records import CallStep, Observation, QuestionStep, Step, ToolCall, Turn
from memory.state.user_state import Candidate, UserState, fold
from memory.tools import Parameter, Tool

FILE = Path(__file__).with_name("dialogues.jsonl")
Standing = Literal[
    "current",
    "rule",
    "habit",
    "bound",
    "not",
    "off",
    "superseded",
    "expired",
    "one_off",
    "hypothetical",
    "other_person",
]
"""`off`: not current, whatever else; `not`: current as what the person does not want; `bound`: current only under a
condition that holds the text `condition`."""
HALVES = ("A", "B", "C", "D", "E", "F", "G", "H")


class StepLine(BaseModel, frozen=True, extra="forbid"):
    """A call, or a question with its answer."""

    call: str | None = None
    arguments: dict[str, JsonValue] = {}
    returns: JsonValue = None
    error: str | None = None
    ask: str = ""
    answer: str | None = None
    slots: tuple[str, ...] = ()

    def step(self) -> Step:
        """Return the step of a turn."""
        if self.call is None:
            return QuestionStep(question=self.ask, answer=self.answer, slots=self.slots)
        made = ToolCall(id=self.call, name=self.call, arguments=self.arguments)
        return CallStep(calls=(made,), observations=(Observation(content=self.returns, error=self.error),))


class TurnLine(BaseModel, frozen=True, extra="forbid"):
    """A turn; its id is its number, from `t1`."""

    request: str
    steps: tuple[StepLine, ...] = ()
    reply: str | None = None
    time: datetime | None = None


class Expectation(BaseModel, frozen=True, extra="forbid"):
    """What must hold of one value after the dialogue, or `as_of` a number of turns or a time."""

    slot: str | None = None
    said: str | None = None
    lookup: str | None = None
    count: str | None = None
    value: JsonValue = None
    stands: Standing | None = None
    condition: str = ""
    as_of: int | datetime | None = None


class Dialogue(BaseModel, frozen=True, extra="forbid"):
    """A line of the file."""

    id: str
    half: Literal["A", "B", "C", "D", "E", "F", "G", "H"]
    language: Literal["en", "zh"]
    kind: str
    tools: dict[str, dict[str, str | tuple[str, ...]]] = {}
    turns: tuple[TurnLine, ...]
    expect: tuple[Expectation, ...]

    def log(self) -> list[Turn]:
        """Return the turns."""
        return [
            Turn(
                turn_id=f"t{number}",
                request=line.request,
                steps=tuple(step.step() for step in line.steps),
                reply=line.reply,
                time=line.time,
            )
            for number, line in enumerate(self.turns, start=1)
        ]

    def failed(self) -> list[Expectation]:
        """Return the expectations that the state does not meet."""
        return [expectation for expectation in self.expect if not self._holds(expectation)]

    def _holds(self, expectation: Expectation) -> bool:
        as_of = expectation.as_of - 1 if isinstance(expectation.as_of, int) else expectation.as_of
        state = fold(self.log(), as_of=as_of)
        if expectation.count is not None:
            found = _of_slot(state, expectation.count)
            return len({id(one) for one in found if one.status == "current"}) == expectation.value
        if expectation.slot is not None:
            found = [one for one in _of_slot(state, expectation.slot) if equal(one.value, expectation.value)]
        elif expectation.lookup is not None:
            found = [one for one in self._of_lookup(state, expectation.lookup) if equal(one.value, expectation.value)]
        else:
            found = [one for one in _of_person(state) if (expectation.said or "").lower() in str(one.value).lower()]
        return _stands(found, expectation)

    def _of_lookup(self, state: UserState, name: str) -> Iterable[Candidate]:
        tool_name, argument = name.split(".")
        tool = _tool(tool_name, self.tools[tool_name])
        parameter = tool.parameter(argument)
        assert parameter is not None
        found = state.lookup(tool, parameter)
        return found.candidates if found else ()


class Score(NamedTuple):
    """How many dialogues came out right in every expectation."""

    right: int
    total: int


def read() -> list[Dialogue]:
    """Return all dialogues, in order of the file."""
    return [Dialogue.model_validate_json(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def scores(dialogues: Iterable[Dialogue]) -> Mapping[tuple[str, str, str], Score]:
    """Return the score by half, language and kind."""
    found: dict[tuple[str, str, str], Score] = defaultdict(lambda: Score(0, 0))
    for one in dialogues:
        key = (one.half, one.language, one.kind)
        found[key] = Score(found[key].right + (not one.failed()), found[key].total + 1)
    return found


def _tool(name: str, types: Mapping[str, str | tuple[str, ...]]) -> Tool:
    parameters = tuple(
        Parameter(name=argument, type="any", enum=tuple(choices) if isinstance(choices, tuple) else ())
        for argument, choices in types.items()
    )
    return Tool(name=name, parameters=parameters, definition={})


def _of_slot(state: UserState, name: str) -> Iterable[Candidate]:
    tool, _, argument = name.partition(".")
    found = state.slots.get(Slot(tool, argument))
    return found.candidates if found else ()


def _of_person(state: UserState) -> Iterable[Candidate]:
    return [one for slot, found in state.slots.items() if slot.tool == PERSON for one in found.candidates]


def _stands(found: list[Candidate], expectation: Expectation) -> bool:
    stands = expectation.stands
    bound = [one for one in found if one.status == "conditional" and not one.is_negated]
    current = [one for one in found if one.status == "current" and not one.is_negated]
    if stands == "bound":
        return not current and any(expectation.condition in one.condition for one in bound)
    if expectation.said is not None:
        current += bound  # what holds in some context was said, and holds
    if stands == "current":
        return bool(current)
    if stands in ("rule", "habit"):
        return bool(current) and all(one.is_standing == (stands == "rule") for one in current)
    if current:
        return False
    if stands == "not":
        return any(one.status == "current" or (one.status == "conditional" and one.is_negated) for one in found)
    return stands == "off" or any(one.status == stands for one in found)


if __name__ == "__main__":
    lines = read()
    for half in HALVES:
        for language in ("en", "zh"):
            cell = [one for one in lines if (one.half, one.language) == (half, language)]
            print(half, language, sum(not one.failed() for one in cell), "of", len(cell))
    for key, score in sorted(scores(lines).items()):
        print(*key, *score)

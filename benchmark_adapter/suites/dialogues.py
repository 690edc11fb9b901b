"""Dialogues with what is to be believed of the person afterwards, and the judge of what the user state makes of them.

A dialogue is a few turns with expectations of the state after them (docs/state-dialogues.md has the format). An
expectation names values by an exact `slot`, by `said` (text in any slot of the person), by `lookup` of an argument of a
tool on offer, or gives the `count` of current values of a slot.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, Field, JsonValue, ValidationError

from benchmark_adapter.errors import DatasetError, NoDataError
from memory.evidence import PERSON, Slot
from memory.language.values.values import equal
from memory.records import CallStep, Observation, QuestionStep, Step, ToolCall, Turn
from memory.state.user_state import Candidate, UserState, fold
from memory.tools import Parameter, Tool

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
_UNWANTED_IF_BELIEVED = frozenset(
    {"off", "not", "superseded", "expired", "one_off", "hypothetical", "other_person", "habit", "bound"}
)
"""An expectation of these that fails while the value is believed is a false belief; any other failure is a miss."""


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


class Dialogue(BaseModel, frozen=True, extra="ignore"):
    """A line of a file; further keys are the owner's."""

    id: str
    language: str = ""
    kind: str = Field(default="", coerce_numbers_to_str=True)
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
        return [expectation for expectation in self.expect if not self.holds(expectation)]

    def holds(self, expectation: Expectation) -> bool:
        """Say whether the state meets `expectation`."""
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


class Failure(NamedTuple):
    """An expectation that the state does not meet."""

    dialogue: str
    expectation: Expectation
    is_false_belief: bool
    """Whether something is believed that must not be; else something is missing."""


def failures(dialogue: Dialogue) -> Iterator[Failure]:
    """Yield what the state gets wrong in `dialogue`."""
    for expectation in dialogue.failed():
        is_loose = expectation.stands in _UNWANTED_IF_BELIEVED
        is_believed = is_loose and not dialogue.holds(expectation.model_copy(update={"stands": "off"}))
        yield Failure(dialogue.id, expectation, is_believed)


def judged(dialogues: Sequence[Dialogue]) -> dict[str, Any]:
    """Return how many dialogues come out right in every expectation, as `stead-bench state --json` prints it."""
    found = [(one, list(failures(one))) for one in dialogues]
    wrong = [failure for _, failed in found for failure in failed]
    return {
        "right": sum(not failed for _, failed in found),
        "total": len(found),
        "missed": sum(not one.is_false_belief for one in wrong),
        "false": sum(one.is_false_belief for one in wrong),
        "by_kind": _split((one.kind, not failed) for one, failed in found),
        "by_language": _split((one.language, not failed) for one, failed in found),
        "failures": [
            {
                "dialogue": one.dialogue,
                "is": "false" if one.is_false_belief else "missed",
                "expected": one.expectation.model_dump(mode="json", exclude_defaults=True),
            }
            for one in wrong
        ],
    }


def _split(found: Iterable[tuple[str, bool]]) -> dict[str, dict[str, int]]:
    cells: dict[str, dict[str, int]] = {}
    for key, is_right in found:
        cell = cells.setdefault(key, {"right": 0, "total": 0})
        cell["right"] += is_right
        cell["total"] += 1
    return dict(sorted(cells.items()))


def read_dialogues(path: Path) -> list[Dialogue]:
    """Return the dialogues of a file, or of the `.jsonl` files of a folder in order of their names.

    Raises:
        DatasetError: If there are none, or a line is no dialogue.
    """
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not path.exists() or not files:
        raise NoDataError(path)
    found = [dialogue for file in files for dialogue in _lines(file)]
    if not found:
        raise DatasetError(path, None, "holds no dialogue; expected one JSON object a line (docs/state-dialogues.md)")
    return found


def _lines(file: Path) -> Iterator[Dialogue]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as exc:
        raise DatasetError(file, None, f"cannot be read as UTF-8 text ({exc})") from exc
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield Dialogue.model_validate(json.loads(line))
        except (ValidationError, ValueError) as exc:
            raise DatasetError(file, number, f"is no dialogue (docs/state-dialogues.md): {exc}") from exc


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

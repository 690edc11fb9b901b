"""A turn cut down until its text fits a budget."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from pydantic import JsonValue

from memory.records import CallStep, Observation, QuestionStep, Step, ToolCall, Turn
from memory.rendering import render_call, render_json, render_opening, render_outcome
from memory.shortening import Fields, Size, clip, news, shortened
from memory.state.extraction import FAILURE_FIELDS, is_failure
from memory.tokens import count_quarters, count_tokens, whole_tokens

_SIZES = (Size(8, 240, 32), Size(4, 120, 16), Size(4, 120), Size(2, 60, 16), Size(2, 60), Size(1, 30))
_FOCUSED_SIZES = (Size(12, 60), Size(6, 40), Size(3, 30), Size(1, 30))
_ERROR_CHARACTERS = 120
_REPLY_CHARACTERS = (160, 60)
_QUESTION_CHARACTERS = 60
_REQUEST_TOKENS = (40, 25, 15)
_ALL = sys.maxsize


class _Results(NamedTuple):
    """What stays of the results of calls, errors apart."""

    size: Size | None
    """`None`: nothing."""
    is_focused: bool = False
    """Whether only what may fill slots stays."""


class _Shape(NamedTuple):
    """What stays of a turn; the calls and answers always do."""

    results: _Results | None = None
    """`None`: everything as it is."""
    reply: int = _ALL
    """Characters."""
    questions: int = _ALL
    """Characters of each."""
    request: int = _ALL
    """Tokens, about."""


_WHOLE = _Shape()
_NOTHING = _Results(None)
_SAID = _Shape(_NOTHING)
_SHORT = tuple(_Results(size) for size in _SIZES)
_FOCUSED = tuple(_Results(size, is_focused=True) for size in _FOCUSED_SIZES)
_BARE = (_Shape(_NOTHING, 0), _Shape(_NOTHING, 0, _QUESTION_CHARACTERS), _Shape(_NOTHING, 0, 0))

_ALIKE = (
    _WHOLE,
    *(_Shape(results) for results in _SHORT),
    *(_Shape(results, characters) for characters in _REPLY_CHARACTERS for results in (_SHORT[-1], _NOTHING)),
    *_BARE,
)
"""Ever shorter, all fields alike."""
_FOCUSING = (
    _WHOLE,
    *(_Shape(results) for results in (*_SHORT[:-1], *_FOCUSED)),
    *(_Shape(_FOCUSED[1], characters) for characters in _REPLY_CHARACTERS),
    _Shape(_FOCUSED[2], _REPLY_CHARACTERS[-1]),
    _SAID,
)
"""Ever shorter, keeping what may fill slots."""
_KEEPING_REQUEST = (*_FOCUSING, *(_Shape(results, 0) for results in _FOCUSED[1:]), *_BARE)
_CUTTING_REQUEST = (
    *_FOCUSING,
    _Shape(_FOCUSED[1], 0),
    *(_Shape(results, 0, _ALL, tokens) for results, tokens in zip(_FOCUSED[1:], _REQUEST_TOKENS, strict=True)),
    *_BARE,
    _Shape(_NOTHING, 0, 0, _REQUEST_TOKENS[-1]),
)
_SLOTS_ALONE = _Shape(_FOCUSED[1], 0)


def fit_turn(
    turn: Turn, max_tokens: int, *, wanted: str = "", slots: Collection[str] = (), keeps_request: bool = True
) -> Turn | None:
    """Return `turn` cut down until its text has at most `max_tokens` tokens; `None` if even the barest has more.

    Observations shrink first (long lists to the entries that `wanted`, the reply or a call names, then the first ones,
    of the others the ids and names; long texts to their beginning, but never within a value), then the reply, then the
    wording of questions. With `slots` observations shrink to what may fill them and to what tells entries apart,
    without what the call itself says, and so much of them outlasts the reply. The request (see `keeps_request`), the
    calls with their arguments, the answers and the fact of an error always stay, so evidence is the same before and
    after.

    Args:
        turn: The whole turn.
        max_tokens: By `memory.tokens.count_tokens`, at least 0.
        wanted: What the turn is shown for, such as the request at hand.
        slots: Names of the arguments that may have to be filled.
        keeps_request: With `slots`: whether the words of the request are never cut; else its beginning stays, and the
            results that may fill slots outlast the rest.
    """
    cut = TurnCuts(TurnForm(turn), Purpose(wanted, slots), keeps_request=keeps_request).fit(max_tokens)
    return cut.turn if cut is not None else None


class Purpose:
    """What turns are shown for; the arguments are those of `fit_turn`. Make one a recall: it learns field names."""

    def __init__(self, wanted: str = "", slots: Collection[str] = ()) -> None:
        self.wanted = wanted
        self.named = wanted.casefold()
        self.fields = Fields(slots)
        self.has_slots = bool(slots)


class _Outcomes(NamedTuple):
    """What stays of the results of a turn's calls."""

    observations: tuple[Observation, ...]
    texts: tuple[str, ...]
    """How each is put."""
    quarters: int
    """Of tokens, of all texts together."""

    @classmethod
    def of(cls, observations: Iterable[Observation]) -> _Outcomes:
        """Return them with their texts."""
        kept = tuple(observations)
        texts = tuple(map(render_outcome, kept))
        return cls(kept, texts, sum(map(count_quarters, texts)))


class _Asked(NamedTuple):
    """A question with its answer, as text."""

    question: str
    answer: str


class TurnForm:
    """The pieces of text that the forms of a turn are made of, whatever it is shown for."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self._opening = render_opening(turn)
        self._lines: list[str | _Asked] = []
        """Calls without what came of them, and questions."""
        self.results: list[tuple[ToolCall, Observation]] = []
        for step in turn.steps:
            if isinstance(step, QuestionStep):
                answer = "" if step.answer is None else f"answered: {step.answer}"
                self._lines.append(_Asked(step.question, answer))
            else:
                self._lines.extend(f"call {render_call(call)}" for call in step.calls)
                self.results.extend(zip(step.calls, step.observations, strict=True))
        self.has_results = any(one.content is not None or one.error is not None for _, one in self.results)
        self._quarters: dict[tuple[int, int, int], int] = {}
        """Of tokens, of what stays besides results."""

    @cached_property
    def used(self) -> str:
        """All that the calls and the reply say, case-folded: what of a result was taken up is in there."""
        said = (render_json(list(call.arguments.values())) for call, _ in self.results)
        return " ".join([*said, self.turn.reply or ""]).casefold()

    @cached_property
    def errors(self) -> dict[int, Observation]:
        """What stays of each result that says that the tool failed, by its place."""
        return {
            place: Observation(error=clip(one.error, _ERROR_CHARACTERS)) if one.error is not None else _failed(one)
            for place, (_, one) in enumerate(self.results)
            if is_failure(one)
        }

    @cached_property
    def whole_tokens(self) -> int:
        """Of the whole turn."""
        return whole_tokens(self.quarters(_WHOLE) + self.whole_results.quarters)

    @cached_property
    def whole_results(self) -> _Outcomes:
        """The results, uncut."""
        return _Outcomes.of(one for _, one in self.results)

    @cached_property
    def request_tokens(self) -> int:
        """Of the whole request."""
        return count_tokens(self.turn.request)

    @cached_property
    def least_tokens(self) -> int:
        """Of the shortest form that has the whole request."""
        return TurnCuts(self, Purpose()).least_tokens

    @cached_property
    def barest_tokens(self) -> int:
        """Of the shortest form that has the beginning of the request."""
        return TurnCuts(self, Purpose()).barest_tokens

    def request(self, tokens: int) -> str:
        """Return the beginning of the request: so many tokens, about."""
        text = self.turn.request
        return text if tokens >= self.request_tokens else clip(text, int(tokens / self.request_tokens * len(text)))

    def reply(self, characters: int) -> str | None:
        """Return the beginning of the reply."""
        text = self.turn.reply
        return text if characters == _ALL or text is None else clip(text, characters) or None

    def quarters(self, shape: _Shape) -> int:
        """Return the quarters of tokens that the turn takes in this shape without any results."""
        key = (shape.reply, shape.questions, shape.request)
        found = self._quarters.get(key)
        if found is None:
            found = self._quarters[key] = count_quarters(self.text(shape, [""] * len(self.results)))
        return found

    def text(self, shape: _Shape, outcomes: Sequence[str]) -> str:
        """Return the turn as `render_turn` gives it, with these outcomes of its calls."""
        lines = [f"{self._opening}{self.request(shape.request)}"]
        place = 0
        for line in self._lines:
            if isinstance(line, str):
                lines.append(line + outcomes[place])
                place += 1
            else:
                if question := clip(line.question, shape.questions):
                    lines.append(f"asked: {question}")
                if line.answer:
                    lines.append(line.answer)
        if (reply := self.reply(shape.reply)) is not None:
            lines.append(f"reply: {reply}")
        return "\n".join(lines)

    def cut(self, shape: _Shape, observations: Sequence[Observation]) -> Turn:
        """Return the turn in this shape, with these results of its calls."""
        steps: list[Step] = []
        place = 0
        for step in self.turn.steps:
            if isinstance(step, CallStep):
                until = place + len(step.calls)
                steps.append(step.model_copy(update={"observations": tuple(observations[place:until])}))
                place = until
            elif shape.questions == _ALL:
                steps.append(step)
            else:
                steps.append(step.model_copy(update={"question": clip(step.question, shape.questions)}))
        changes = {"request": self.request(shape.request), "steps": tuple(steps), "reply": self.reply(shape.reply)}
        return self.turn.model_copy(update=changes)


class Cut:
    """A turn cut down.

    Args:
        form: Of the whole turn.
        shape: What stays of it.
        outcomes: What stays of the results.
        tokens: Of `text`.
    """

    def __init__(self, form: TurnForm, shape: _Shape, outcomes: _Outcomes, tokens: int) -> None:
        self._form = form
        self._shape = shape
        self._outcomes = outcomes
        self.tokens = tokens

    @cached_property
    def text(self) -> str:
        """As `memory.rendering.render_turn` gives it."""
        return self._form.text(self._shape, self._outcomes.texts)

    @cached_property
    def turn(self) -> Turn:
        """The turn that `text` is of."""
        return self._form.turn if self._shape == _WHOLE else self._form.cut(self._shape, self._outcomes.observations)


class TurnCuts:
    """A turn as it is and ever shorter, for fitting it more than once.

    Args:
        form: Of the whole turn.
        purpose: What it is shown for.
        keeps_request: As of `fit_turn`.
    """

    def __init__(self, form: TurnForm, purpose: Purpose, *, keeps_request: bool = True) -> None:
        self._form = form
        self._purpose = purpose
        focused = _KEEPING_REQUEST if keeps_request else _CUTTING_REQUEST
        self._shapes = focused if purpose.has_slots else _ALIKE
        self._cuts: dict[_Shape, Cut] = {}
        self._outcomes: dict[_Results, _Outcomes] = {}

    def fit(self, max_tokens: int) -> Cut | None:
        """Return the first that has at most `max_tokens` tokens; `None` if even the barest has more."""
        if self.least_tokens > max_tokens:
            return None
        if self._form.whole_tokens <= max_tokens:
            return self.whole
        return next((self._cut(shape) for shape in self._shapes[1:] if self._fits(shape, max_tokens)), None)

    @property
    def least_tokens(self) -> int:
        """Of the shortest."""
        return self._tokens(self._shapes[-1])

    @property
    def barest_tokens(self) -> int:
        """Of the shortest with the beginning of the request only."""
        return self._tokens(_CUTTING_REQUEST[-1])

    @property
    def said_tokens(self) -> int:
        """Of all that was said and called, without what tools returned."""
        return self._tokens(_SAID)

    @property
    def slots_alone_tokens(self) -> int:
        """Without the reply, and of the results what may fill slots."""
        return self._tokens(_SLOTS_ALONE)

    @property
    def whole(self) -> Cut:
        """Nothing cut."""
        return self._cut(_WHOLE)

    def _fits(self, shape: _Shape, max_tokens: int) -> bool:
        """Say whether `shape` fits; what it takes without any results is known at once."""
        return whole_tokens(self._form.quarters(shape)) <= max_tokens and self._tokens(shape) <= max_tokens

    def _tokens(self, shape: _Shape) -> int:
        return whole_tokens(self._form.quarters(shape) + self._outcomes_of(shape.results).quarters)

    def _cut(self, shape: _Shape) -> Cut:
        cut = self._cuts.get(shape)
        if cut is None:
            cut = self._cuts[shape] = Cut(self._form, shape, self._outcomes_of(shape.results), self._tokens(shape))
        return cut

    def _outcomes_of(self, results: _Results | None) -> _Outcomes:
        if results is None or not self._form.has_results:
            return self._form.whole_results
        found = self._outcomes.get(results)
        if found is None:
            shorter = (
                self._form.errors.get(place) or self._shorter(call, one, results)
                for place, (call, one) in enumerate(self._form.results)
            )
            found = self._outcomes[results] = _Outcomes.of(shorter)
        return found

    def _shorter(self, call: ToolCall, whole: Observation, results: _Results) -> Observation:
        # Parts of what was checked when it came in are not checked again: that takes longer than cutting them.
        return Observation.model_construct(content=self._shortened(call, whole.content, results))

    def _shortened(self, call: ToolCall, content: JsonValue, results: _Results) -> JsonValue:
        if results.size is None or content is None:
            return None
        used = self._used
        if results.is_focused:
            return news(call.arguments, content, results.size, used, self._purpose.fields)
        return shortened(content, results.size, used)

    @cached_property
    def _used(self) -> str:
        return f"{self._form.used} {self._purpose.named}"


def _failed(observation: Observation) -> Observation:
    """Return of a result that says that the tool failed the fields that say so."""
    content = observation.content
    assert isinstance(content, dict)  # nothing else says so
    said: JsonValue = {name: content[name] for name in FAILURE_FIELDS if name in content}
    return Observation(content=shortened(said, Size(1, _ERROR_CHARACTERS), ""))

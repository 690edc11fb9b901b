"""What the clarifier reads (a situation and a proposal) and what it returns (a decision with its reasons)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, Field, JsonValue

from memory.evidence import Slot
from memory.recall import Recall
from memory.records import CallStep, QuestionStep, Step, ToolCall
from memory.tools import Tool

Grounds = Literal[
    "request",
    "answer",
    "topic",
    "observation",
    "standing",
    "habit",
    "derived",
    "default",
    "constant",
    "none",
    "missing",
]
"""Where an argument's value comes from; `none`: nothing supports it, `missing`: a required argument without a value."""


Origin = Literal["request", "answer", "conversation", "result", "known", "derived"]
"""Where a planner says that a value comes from: this request, an answer of this turn, the running topic, what a tool
returned in it, what is known of the person, or worked out from any of these."""
Verdict = Literal["verified", "plausible", "contradicted", "refused"]
"""What checking a stated source came to. `verified`: the source is there and the value follows from it by type;
`plausible`: the source is there, and whether the value follows takes understanding; `contradicted`: something in sight
speaks against it; `refused`: there is no such source, or the value would have to stand in it to the letter."""


@dataclass(frozen=True)
class StatedSource:
    """Where a planner says that a value comes from."""

    origin: Origin
    turn_id: str | None = None
    """Of `known` and `conversation`: the turn that tells it."""
    quote: str | None = None
    """Words that stand there."""


class Usage(BaseModel, frozen=True, extra="forbid"):
    """Tokens a planner spent."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0
    """Of `prompt`: read from the endpoint's cache."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            prompt=self.prompt + other.prompt,
            completion=self.completion + other.completion,
            cached=self.cached + other.cached,
        )


@dataclass(frozen=True)
class Hint:
    """What the clarifier tells the planner when it sends it back to plan again."""

    kind: Literal["look_up", "settled", "unsupported", "invalid", "untrue"]
    """`look_up`: get the slot's value with one of `suppliers`; `settled`: use `value`, no question is needed;
    `unsupported`: the proposal could not be carried out as it stood; `invalid`: the tool's schema refuses the proposed
    value, and `value` says why; `untrue`: the reply says what nothing in sight bears out, and `value` quotes it."""
    slot: Slot
    suppliers: tuple[str, ...] = ()
    """Read-only tools on offer that can supply the value, best first."""
    value: JsonValue = None
    turn_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class Situation:
    """All that is known when the next step of a turn is planned and decided."""

    request: str
    tools: tuple[Tool, ...]
    recall: Recall = field(default_factory=Recall)
    steps: tuple[Step, ...] = ()
    """What happened in this turn so far."""
    now: datetime | None = None
    """The turn's clock; naive where the zone is unknown."""
    hints: tuple[Hint, ...] = ()
    unknown: tuple[ToolCall, ...] = ()
    """Calls of earlier turns of which nobody knows whether they were made."""
    is_kept: bool = True
    """Whether the turn will be remembered."""
    proposed: tuple[Proposed, ...] = field(default=(), compare=False)
    """What the planner proposed before in this turn, in order; empty where the driver does not keep it."""

    def tool(self, name: str) -> Tool | None:
        """Return the tool on offer called `name` (of two with one name the last), or `None`."""
        return next((tool for tool in reversed(self.tools) if tool.name == name), None)

    @property
    def call_steps(self) -> tuple[CallStep, ...]:
        """The calls made in this turn."""
        return tuple(step for step in self.steps if isinstance(step, CallStep))

    @property
    def question_steps(self) -> tuple[QuestionStep, ...]:
        """The questions asked in this turn."""
        return tuple(step for step in self.steps if isinstance(step, QuestionStep))

    @property
    def hinted(self) -> frozenset[Slot]:
        """Slots that the planner was sent back for in this turn."""
        return frozenset(hint.slot for hint in self.hints)

    @property
    def asked(self) -> frozenset[str]:
        """Slots (`tool.argument`) already asked for in this turn, answered or not."""
        return frozenset(slot for step in self.question_steps for slot in step.slots)


@dataclass(frozen=True)
class Proposal:
    """What a planner proposes: calls, a question, or a reply. Arguments it could not fill are left out."""

    calls: tuple[ToolCall, ...] = ()
    question: str | None = None
    """Beside calls: asked once they have run."""
    question_slots: tuple[Slot, ...] = ()
    """What the question asks for, where the planner says so."""
    reply: str | None = None
    sources: tuple[dict[str, StatedSource], ...] = ()
    """For each of `calls`, by argument, where the planner says that the value comes from; empty where it says nothing
    of any."""
    understands: bool = field(default=False, compare=False)
    """Whether a reader of words made the proposal, such as a model: patterns that do not see what it saw then speak
    against nothing, and its questions are put as it words them."""
    confidence: float | None = None
    """Planner-stated probability that the proposal is right, in [0, 1]; `None` when not given."""
    uncertainty: float | None = None
    """Planner-stated probability that the request leaves open something that matters, in [0, 1]."""
    consistency: float | None = None
    """Share of the sampled answers that propose the same, in (0, 1]; `None` with one sample."""
    usage: Usage = field(default_factory=Usage)
    echo: dict[str, JsonValue] = field(default_factory=dict)
    """What the model's endpoint wants back, unread, with these calls in the rest of the turn, such as its reasoning."""
    notes: tuple[str, ...] = ()
    """What had to be mended, left out or sent back, in words; the same whenever the model answers the same."""
    attempts: tuple[str, ...] = field(default=(), compare=False)
    """What failed on the way to the endpoint and was tried again, in words; another time it would not."""
    seconds: float = field(default=0, compare=False)
    """Time spent waiting for the model."""

    def source(self, index: int, argument: str) -> StatedSource | None:
        """Return what is stated of an argument of the call number `index`, from 0."""
        return self.sources[index].get(argument) if index < len(self.sources) else None


class Proposed(NamedTuple):
    """A proposal made earlier in the turn."""

    steps_before: int
    """Steps the turn had; the proposal led to the next one, unless a later proposal has the same number."""
    proposal: Proposal


class Reason(BaseModel, frozen=True, extra="forbid"):
    """Why one argument has its value."""

    call_id: str | None
    slot: str
    """`tool.argument`."""
    value: JsonValue = None
    grounds: Grounds
    probability: float = Field(ge=0, le=1)
    """That the value is the right one (DESIGN §6: c_j)."""
    margin: float = Field(default=0, ge=-1, le=1)
    """Over the best other value."""
    turn_ids: tuple[str, ...] = ()
    """The turns whose evidence speaks for it; empty for this turn's own words and observations."""
    is_required: bool = True
    stated: Verdict | None = None
    """What checking the source that the planner states came to; `None` where it states none."""


Wanted = Literal[
    "ordered", "ruled", "asked", "told", "imagined", "deferred", "forbidden", "called_off", "other", "unsaid"
]
"""What the words of a turn mean for a deed (`memory.language.reading.Deed`); `other`: they order what undoes it;
`unsaid`: no words speak of it."""


class Odds(BaseModel, frozen=True, extra="forbid"):
    """The three probabilities a policy weighs (DESIGN §6), each in [0, 1]."""

    p_act: float = Field(ge=0, le=1)
    """That acting now is what is wanted."""
    p_calls: float = Field(ge=0, le=1)
    """That the calls are right, given that acting is."""
    p_asked: float = Field(ge=0, le=1)
    """That the turn comes out right if a question is asked."""


class DeedReason(BaseModel, frozen=True, extra="forbid"):
    """What the person's words of this turn mean for one call that changes something."""

    call_id: str
    tool: str
    wanted: Wanted
    probability: float = Field(ge=0, le=1)


class _Decision(BaseModel, frozen=True, extra="forbid"):
    policy: str
    odds: Odds
    reasons: tuple[Reason, ...] = ()
    deeds: tuple[DeedReason, ...] = ()
    """Whether the calls are wanted at all."""
    signals: dict[str, float] = Field(default_factory=dict)
    """What the odds were worked out from, by feature (`clarifier.calibration.signals`); empty without a call."""


class Ask(_Decision, frozen=True):
    """Ask the person one question."""

    kind: Literal["ask"] = "ask"
    question: str = Field(min_length=1)
    slots: tuple[str, ...] = ()
    """`tool.argument` of every open required slot, worst first."""
    options: dict[str, tuple[JsonValue, ...]] = Field(default_factory=dict)
    """Candidate values by slot, likeliest first."""


class Act(_Decision, frozen=True):
    """Make these calls; held ones wait (they are planned again)."""

    kind: Literal["act"] = "act"
    calls: tuple[ToolCall, ...] = Field(min_length=1)
    held: tuple[ToolCall, ...] = ()
    then: Ask | None = None
    """What is asked once the calls have run, without planning anew."""


class PlanAgain(_Decision, frozen=True):
    """Send the planner back with hints: a value to look up, or one that memory settles."""

    kind: Literal["plan_again"] = "plan_again"
    hints: tuple[Hint, ...] = Field(min_length=1)


class Answer(_Decision, frozen=True):
    """Say the final reply."""

    kind: Literal["answer"] = "answer"
    reply: str


Decision = Annotated[Act | PlanAgain | Ask | Answer, Field(discriminator="kind")]

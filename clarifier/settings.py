"""The constants of the clarifier. All of them are set by hand so far; those that are fitted later are named as such."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from memory.evidence import Source
from memory.language.schema import Effect

_TRUST: Mapping[Source, float] = MappingProxyType(
    {"request": 1.0, "answer": 1.0, "correction": 1.0, "accepted_call": 0.8, "assistant": 0.2, "tool": 0.0}
)


@dataclass(frozen=True)
class PosteriorSettings:
    """The constants of the slot posterior (DESIGN §6)."""

    prior_strength: float = 1.0
    """`a`: weight of the prior, in units of one fresh statement."""
    half_life_turns: float = 40.0
    """`H` where times are unknown. By hand: about a week of an assistant in daily use. Over five persons of some 30
    turns (`benchmarks.fit_half_life`) 20 is worse, and longer ones up to no decay at all cannot be told from it."""
    half_life_days: float = 120.0
    """`H` where times are known: the span of those histories. 60 is worse by 0.045 nats a choice (standard error
    0.017); they do not reach far enough to tell how much longer it might be."""
    trust: Mapping[Source, float] = field(default_factory=lambda: _TRUST)
    """By source: statement 1, confirmed answer 1, accepted call 0.8, assistant text 0.2. Tool text speaks for no
    preference at all (DESIGN §5), hence 0."""

    def __post_init__(self) -> None:
        if min(self.prior_strength, self.half_life_turns, self.half_life_days) <= 0:
            raise ValueError(f"prior strength and half-lives must be positive; got {self!r}")


@dataclass(frozen=True)
class SimilaritySettings:
    """How near the context of a piece of evidence is to the slot at hand, in [0, 1]. By hand; to be fitted."""

    same_argument: float = 0.7
    """The argument has the same name in another tool."""
    related_argument: float = 0.5
    """The names share their head word: `starting_station` and `station`."""
    same_words: float = 0.4
    """The person used the words in another turn, for no slot that is known."""
    enough_own: int = 10
    """Pieces from which on a slot is judged by its own alone: what only ever supports the value in view would tilt a
    close race."""


@dataclass(frozen=True)
class GroundingSettings:
    """Probability that a value is the right one, for grounds where nothing is counted. By hand; to be fitted."""

    topic: float = 0.9
    """A referent of the running topic."""
    topic_contested: float = 0.6
    """A referent of the running topic, where a later turn of it has another value for the slot."""
    observation: float = 0.95
    """The only value an observation has for its field."""
    observation_choice: float = 0.8
    """One of several values for its field: the planner chose."""
    past_observation: float = 0.6
    """An identifier that a tool gave out in an earlier topic."""
    named: float = 0.9
    """An address or the like that the person once gave the name which they use now ("the office")."""
    derived: float = 0.95
    """Worked out from words of the request: a date at the clock, the code of a named country or currency."""
    derived_unnamed: float = 0.6
    """A valid code or today's date, where the request names nothing it is worked out from."""
    verified: float = 0.98
    """The planner states where the value comes from, and it was checked."""
    plausible: float = 0.75
    """The planner states a source that is there, and whether the value follows from it takes understanding; or it
    understands words and gives an optional value that nothing speaks against."""
    default: float = 0.9
    """Equals the default that the schema states."""
    answer_paraphrase: float = 0.8
    """The slot was asked for and answered, and the planner read the value out of an answer that states it otherwise."""
    paraphrase: float = 0.9
    """All its words stand in the source, though not in a row."""
    meant: float = 0.7
    """The source has something of a member of an enum that no other member has; or a flag's name, and it is off."""
    translated: float = 0.6
    """The slot was asked for and answered in another script than the value is in, so that nothing can be compared."""
    share_of_words: float = 0.5
    """A text counts as grounded in a source that holds a larger share of its words than this."""
    share_of_composed: float = 0.35
    """The same for composed text (of `composed_words` words or more): a message is more than what it is made from."""
    composed_words: int = 6


@dataclass(frozen=True)
class MeaningSettings:
    """When what was said means a value that it does not name (`memory.language.likeness`). By hand."""

    like: float = 0.2
    """Least likeness of a value in words to a clause."""
    like_name: float = 0.3
    """The same of a name: two towns are alike, though one is not the other (0.27 at most over twenty such pairs)."""
    least: float = 0.6
    """Probability at `like`, and of a translated name."""
    slope: float = 1.0
    """What one unit of likeness adds."""
    most: float = 0.85
    unseen: float = 0.5
    """Probability of an optional value in words, or of a choice, that nothing speaks for or against: who chose it read
    what was said, and may know more."""
    remembered: float = 0.4
    """Least probability of a value chosen out of several that memory has for the slot."""
    outweighed_by: float = 0.3
    """A choice is doubted where another member is more probable by this much."""


@dataclass(frozen=True)
class Settings:
    """All constants of a decision."""

    max_questions: int = 1
    """Most questions in one turn."""
    settled_at: float = 0.5
    """Least posterior at which memory settles a slot without a question: one standing rule, or two fresh habits."""
    settled_margin: float = 0.2
    """Least distance to the next value for the same."""
    posterior: PosteriorSettings = field(default_factory=PosteriorSettings)
    similarity: SimilaritySettings = field(default_factory=SimilaritySettings)
    grounding: GroundingSettings = field(default_factory=GroundingSettings)
    meaning: MeaningSettings = field(default_factory=MeaningSettings)
    effects: Mapping[str, Effect] = field(default_factory=dict)
    """What tools do, by name, where their name and description mislead."""

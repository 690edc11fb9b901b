"""The sources of support for one scalar, each a search: what it says for the value, or nothing.

The order of sources is that of DESIGN §6: this request, an answer in this turn, a referent of the topic or an
observation, a standing rule, a habit; then what can be worked out, the schema's default, and the only value allowed.
The highest that supports the value decides; support by some of a text's words yields to full support further down.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import JsonValue

from clarifier.decision import Grounds
from clarifier.effects import effect_of
from clarifier.grounding.choices import Speech, speech_for, unclaimed
from clarifier.grounding.derivations import is_listed, worked_out
from clarifier.grounding.matching import Match, contains, fits, is_identifier, match, paraphrases
from clarifier.grounding.meaning import is_wording, may_be_name, meant_by
from clarifier.grounding.measures import speaks_of
from clarifier.grounding.named import named_in
from clarifier.grounding.own_words import hands_over
from clarifier.grounding.recalled import Leaf, leaves
from clarifier.grounding.sources import Sources
from clarifier.grounding.spoken import mentions_in
from clarifier.grounding.witnesses import Remembered, remember
from clarifier.posterior import closed_domain
from clarifier.settings import Settings
from memory.evidence import Slot
from memory.language.text import split_name
from memory.language.values.dates import normal_date
from memory.language.values.values import canonical_key, equal
from memory.tools import Parameter, Tool

FULL = 0.9
"""Support of at least this probability ends the search; weaker support is kept while better is looked for."""
_SMALL = 100
"""Whole numbers below it stand by chance in what was said and seen: they need the field's name, or count less."""


@dataclass(frozen=True)
class Place:
    """Where one argument is grounded."""

    sources: Sources
    settings: Settings
    tool: Tool
    beside: tuple[JsonValue, ...] = ()
    """What other calls of the proposal have for the slot."""
    is_required: bool = False
    """Whether the call cannot do without the whole argument."""

    def counting(self, parameter: Parameter | None) -> Parameter | None:
        """The parameter, without what its description says of units where another argument names the unit."""
        if parameter is None or parameter.type not in ("number", "integer", "any"):
            return parameter
        has_unit = any({"unit", "units"} & set(split_name(other.name)) for other in self.tool.parameters)
        return parameter.model_copy(update={"description": ""}) if has_unit else parameter

    def spoken_for(self, slot: Slot) -> tuple[JsonValue, ...]:
        """What other calls of the proposal and those made in this turn have for `slot`."""
        steps = self.sources.situation.call_steps
        made = (call.arguments for step in steps for call in step.calls if call.name == slot.tool)
        return (*self.beside, *(values[slot.argument] for values in made if slot.argument in values))


@dataclass(frozen=True)
class Support:
    """What one source says for a value."""

    grounds: Grounds
    probability: float
    turn_ids: tuple[str, ...] = ()
    margin: float | None = None
    """`None`: nothing else competes."""
    remembered: Remembered | None = None
    is_open: bool = True
    is_guess: bool = False
    is_outweighed: bool = False
    """Of a guess: another member is much more likely."""
    is_contradicted: bool = False
    """Whether it cannot be a value of the parameter, or what was said in this turn is another."""


def scalar_support(value: JsonValue, slot: Slot, parameter: Parameter | None, place: Place) -> Support:
    if not fits(value, parameter):
        return Support("none", 0.0, is_contradicted=True)
    best: Support | None = None
    if _request(value, slot, parameter, place) is None and _answer(value, slot, parameter, place) is None:
        speech = _speech(value, slot, parameter, place)
        if speech == "other":
            return Support("none", 0.0, is_contradicted=True)
    for search in (
        _request,
        _answer,
        topic_use,
        _topic_words,
        _observation,
        _named,
        habit,
        _past_observation,
        _worked_out,
    ):
        found = search(value, slot, parameter, place)
        if found is None:
            continue
        if found.probability >= FULL:
            return found
        if best is None or found.probability > best.probability:
            best = found
    return best or _meant(value, slot, parameter, place) or fallback(value, slot, parameter, place)


def _speech(value: JsonValue, slot: Slot, parameter: Parameter | None, place: Place) -> Speech:
    """How what the person said in this turn bears on a member of an enum; the last answer that speaks of it decides.

    Words for a member that another call takes say nothing of this one.
    """
    if parameter is None or not parameter.enum:
        return "silent"
    now = place.sources.situation.now
    members = unclaimed(value, parameter.enum, place.spoken_for(slot))
    heard: Speech = "silent"
    for text in (place.sources.own_request, place.sources.answers):
        if not text:
            continue
        found = speech_for(value, members, text, parameter.description, now)
        if found == "silent" and not isinstance(value, str):
            others = (one for one in members if isinstance(one, (int, float)) and one != value)
            is_other = any(speaks_of(other, text, parameter) for other in others)
            found = "other" if is_other else "silent"
        heard = found if found != "silent" else heard
    return heard


def _field(slot: Slot) -> str:
    return slot.argument.rsplit(".", 1)[-1]


def _request(value: JsonValue, slot: Slot, parameter: Parameter | None, place: Place) -> Support | None:
    found = _by_words(value, parameter, place.sources.own_request, "request", place)
    if found is None and isinstance(value, str) and hands_over(place.sources.situation.request, value):
        return Support("request", 1.0)
    return found


def _answer(value: JsonValue, slot: Slot, parameter: Parameter | None, place: Place) -> Support | None:
    return _by_words(value, parameter, place.sources.answers, "answer", place)


def _by_words(
    value: JsonValue, parameter: Parameter | None, text: str, grounds: Grounds, place: Place
) -> Support | None:
    found = match(value, text, place.counting(parameter), place.sources.situation.now, place.settings.grounding)
    if found is None:
        return None
    return Support("derived" if found.how == "derived" else grounds, found.strength)


def topic_use(value: JsonValue, slot: Slot, parameter: Parameter | None, place: Place) -> Support | None:
    """A call of the running topic used the value; contested where a later one used another for the slot."""
    settings = place.settings.grounding
    newest = next((used for used in place.sources.topic_used if used.slot == slot), None)
    is_telling = isinstance(value, str) and not (parameter is not None and parameter.enum)
    for used in place.sources.topic_used:
        if not place.sources.may_recur(used):
            continue
        is_same_argument = used.slot.argument == slot.argument.split(".")[0]
        if not (is_same_argument or is_telling):
            continue
        values: list[JsonValue]
        if "." in slot.argument:
            values = [leaf.value for leaf in leaves(used.value, used.slot.argument) if leaf.key == _field(slot)]
        else:
            values = [used.value, *used.value] if isinstance(used.value, list) else [used.value]
        if any(equal(one, value, parameter) for one in values):
            is_contested = (
                newest is not None and newest.order > used.order and not equal(newest.value, value, parameter)
            )
            if is_contested:
                margin = settings.topic_contested - settings.topic
                return Support("topic", settings.topic_contested, (used.turn_id,), margin)
            return Support("topic", settings.topic, (used.turn_id,))
    return None


def _topic_words(value: JsonValue, slot: Slot, parameter: Parameter | None, place: Place) -> Support | None:
    """The person spoke of the value in the running topic, the latest turn first."""
    settings = place.settings.grounding
    best: Support | None = None
    is_chance = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < _SMALL
    trust = settings.topic_contested if is_chance else settings.topic
    for said in reversed(place.sources.topic_said):
        found: Match | None = match(value, said.text, parameter, place.sources.situation.now, settings)
        if found is not None and (best is None or found.strength * trust > best.probability):
            turn_ids = (said.turn_id,) if said.turn_id is not None else ()
            best = Support("topic", found.strength * trust, turn_ids)
    return best


def _observation(value: JsonValue, slot: Slot, parameter: Parameter | None, place: Place) -> Support | None:
    """A tool returned the value in this turn, or in the running topic."""
    if isinstance(value, bool):
        return None
    if parameter is not None and parameter.enum:
        return _verdict(value, parameter, place)
    turns: tuple[tuple[str | None, tuple[Leaf, ...]], ...] = (
        (None, place.sources.observed),
        *place.sources.topic_observed,
    )
    for turn_id, seen in turns:
        if hit := _find_leaf(value, slot, parameter, seen):
            rivals = {str(leaf.value) for leaf in seen if leaf.key == hit.key and hit.key}
            settings = place.settings.grounding
            probability = settings.observation if len(rivals) <= 1 else settings.observation_choice
            margin = probability if len(rivals) <= 1 else probability - (1 - probability)
            return Support("observation", probability, (turn_id,) if turn_id is not None else (), margin)
    return None


def _verdict(value: JsonValue, parameter: Parameter, place: Place) -> Support | None:
    """A tool returned the very member of the enum in this turn, and no other of them."""
    seen = [leaf.value for leaf in place.sources.observed if isinstance(leaf.value, str)]
    members = [one for one in parameter.enum if any(equal(leaf, one, parameter) for leaf in seen)]
    if len(members) != 1 or not equal(members[0], value, parameter):
        return None
    return Support("observation", place.settings.grounding.observation_choice)


def _named(value: JsonValue, slot: Slot, parameter: Parameter | None, place: Place) -> Support | None:
    """The person once gave the value the name by which they speak of it in this turn."""
    if isinstance(value, bool) or (parameter is not None and parameter.enum):
        return None
    sources = place.sources
    heard = (sources.own_request, sources.answers)
    found = next((one for text in heard if text and (one := named_in(text, str(value), sources.said_before))), None)
    if found is None or found.turn_id is None:
        return None
    about = (piece for piece in sources.of_value(canonical_key(value)) if piece.turn_id == found.turn_id)
    if any(piece.kind in ("hypothetical", "negated") for piece in about):
        return None
    return Support("habit", place.settings.grounding.named, (found.turn_id,))


def habit(value: JsonValue, slot: Slot, parameter: Parameter | None, place: Place) -> Support | None:
    """Long-term memory speaks for the value."""
    memory = remember(value, slot, parameter, place.sources, place.settings, beside=place.beside)
    found = memory.posterior.find(value)
    if found is None or not found.count:
        return None
    return Support(
        "standing" if found.is_standing else "habit",
        found.probability,
        found.turn_ids,
        memory.posterior.margin(value),
        memory,
    )


def _past_observation(value: JsonValue, slot: Slot, parameter: Parameter | None, place: Place) -> Support | None:
    """A tool gave out the identifier in an earlier topic. Other words of tools speak for nothing there."""
    if not is_identifier(value):
        return None
    for turn_id, seen in reversed(place.sources.past_observed):
        if _find_leaf(value, slot, parameter, seen):
            return Support("observation", place.settings.grounding.past_observation, (turn_id,))
    return None


def _worked_out(value: JsonValue, slot: Slot, parameter: Parameter | None, place: Place) -> Support | None:
    """A date, duration, year or code that can be worked out, though no word names it."""
    if parameter is None:
        return None
    sources = place.sources
    probability = worked_out(
        value,
        parameter,
        (sources.own_request, sources.answers, *(said.text for said in sources.topic_said)),
        sources.situation.now,
        lambda: sources.known_days,
        beside=place.spoken_for(slot),
        before=lambda: [said.value for said in sources.of_slot(slot)] + _seen_numbers(value, sources),
        is_recording=effect_of(place.tool, place.settings.effects) != "read",
        settings=place.settings.grounding,
        purpose=f"{' '.join(split_name(place.tool.name))}. {place.tool.description} {parameter.description}",
    )
    return None if probability is None else Support("derived", probability, margin=0.0, is_open=False)


def _meant(value: JsonValue, slot: Slot, parameter: Parameter | None, place: Place) -> Support | None:
    """What was said in this turn or topic means the value, though no word of it says so."""
    if parameter is None or not isinstance(value, str) or parameter.enum or not is_wording(value, parameter):
        return None
    if is_listed(value, parameter):  # others of the list were stated, or it would have been worked out
        return None
    sources, settings = place.sources, place.settings.meaning
    # An answer that shares a word with the value, or nothing that can be compared, is weighed where it was asked for.
    answers = sources.answers if paraphrases(value, sources.answers, parameter) is None else ""
    if probability := meant_by(value, parameter, (sources.own_request, answers), settings):
        return Support("derived", probability, is_open=False)
    before = [said.text for said in sources.topic_said]
    probability = meant_by(value, parameter, before, settings)
    return Support("topic", probability * place.settings.grounding.topic, is_open=False) if probability else None


def _seen_numbers(value: JsonValue, sources: Sources) -> list[JsonValue]:
    """The numbers of this topic that a share or multiple may be taken of; small ones are too many for that."""
    if not isinstance(value, (int, float)) or abs(value) < _SMALL:
        return []
    seen = [leaf.value for _, found in ((None, sources.observed), *sources.topic_observed) for leaf in found]
    used = [leaf.value for one in sources.topic_used for leaf in leaves(one.value)]
    said = [one.value for text in (sources.own_request, sources.answers) for one in mentions_in(text, None)]
    return [one for one in (*seen, *used, *said) if isinstance(one, (int, float)) and not isinstance(one, bool)]


def fallback(value: JsonValue, slot: Slot, parameter: Parameter | None, place: Place) -> Support:
    """Nothing speaks for the value: the schema's default, its only value, a guess within a closed domain, or none."""
    domain = closed_domain(parameter)
    if parameter is not None and parameter.default is not None and equal(value, parameter.default, parameter):
        return Support("default", place.settings.grounding.default, is_open=not domain)
    if len(domain) == 1 and equal(value, domain[0], parameter):
        return Support("constant", 1.0, is_open=False)
    if not domain:
        return _unseen(value, parameter, place)
    posterior = remember(value, slot, parameter, place.sources, place.settings, beside=place.beside).posterior
    margin = posterior.margin(value)
    return Support(
        "none",
        posterior.probability(value),
        margin=margin,
        is_open=posterior.find(value) is None,
        is_guess=not isinstance(value, bool) and _speech(value, slot, parameter, place) != "foreign",
        is_outweighed=margin <= -place.settings.meaning.outweighed_by,
    )


def _unseen(value: JsonValue, parameter: Parameter | None, place: Place) -> Support:
    """Nothing in sight gives the value. One in words that is no name was chosen out of what was said, not made up.

    Of an optional argument nothing stands against it, and no capital tells that Chinese is a name; what a call cannot
    do without is a guess, for the policy to weigh.
    """
    if not isinstance(value, str) or parameter is None:
        return Support("none", 0.0)
    is_wordy = is_wording(value, parameter)
    if place.is_required:
        is_chosen = is_wordy and not may_be_name(value, said=f"{place.sources.own_request} {place.sources.answers}")
        return Support("none", 0.0, is_open=not is_chosen, is_guess=is_chosen)
    if (is_wordy and not (value.isascii() and may_be_name(value))) or normal_date(value) is not None:
        return Support("derived", place.settings.meaning.unseen, margin=0.0, is_open=False)
    return Support("none", 0.0)


def _find_leaf(value: JsonValue, slot: Slot, parameter: Parameter | None, seen: tuple[Leaf, ...]) -> Leaf | None:
    """Return the observed scalar that gives `value`: equal, or a text that holds it in one piece."""
    names = set(split_name(_field(slot)))
    for leaf in seen:
        if isinstance(leaf.value, bool):
            continue
        if isinstance(value, str):
            if equal(leaf.value, value, parameter) or (isinstance(leaf.value, str) and contains(leaf.value, value)):
                return leaf
        elif isinstance(value, (int, float)) and equal(leaf.value, value, parameter):
            is_small = abs(value) < _SMALL and float(value).is_integer()
            if not is_small or names & set(split_name(leaf.key)):
                return leaf
    return None

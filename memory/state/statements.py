"""Reads what a person says of themselves in passing: likes, habits, possessions and facts, without any call.

It becomes evidence for slots that no tool has, `@person.TOPIC`. The topic of a like is what the thing is ("aisle
seats": `seat`), so that an argument of that name can use it; things of one topic stand side by side, and only the
opposite of the same thing ("can't stand Chinese food any more") closes what was said before. Facts of which there is
one at a time (name, employer, home city) do not age, and a newer one closes the older, unless it comes on top ("also").
Sensitive matters are never read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from memory.evidence import FILLING_KINDS, PERSON, Evidence, Kind, Slot, Source
from memory.language.text_cache import text_cache
from memory.language.values.scripts import simplified
from memory.records import QuestionStep, Turn
from memory.state.asides import with_asides
from memory.state.bounds import rule_bound
from memory.state.conditions import Framed, framed, habitual
from memory.state.cues import Clause, clauses, cues_in
from memory.state.fact_forms import FACTS, Fact
from memory.state.habit_forms import HABITS
from memory.state.lasting import LASTING, told_by_grammar
from memory.state.orders import REPLACED, RULE_CUE, is_rule_unsaid, lasts_so, order_of, told_when
from memory.state.pattern_index import PatternIndex
from memory.state.sensitive import is_sensitive_text
from memory.state.statement_forms import ADDITIVE, ATTITUDES, OTHERS, Attitude, Stance
from memory.state.subjects import with_subjects
from memory.state.suggestions import adopted
from memory.state.things import is_short, is_thing, things_in, topic_of, topic_of_fact, trimmed


class _Part(NamedTuple):
    """Words of a clause that tell of one doing."""

    clause: Clause
    words: str
    condition: str = ""
    """The context it is bound to."""
    is_rule: bool = False
    """Whether it orders something that is to last, or to end."""
    is_joined: bool = False
    """Whether "and" or the like stands between its clause and the one before or after it."""


class _Found(NamedTuple):
    topic: str
    value: str
    stance: Stance
    is_fact: bool = False
    is_of_other: bool = False
    is_rule: bool = False


TakenUp = Callable[[str], bool]
"""Says whether a call took up what a clause says."""


def statements(turn: Turn, position: int, is_taken_up: TakenUp) -> Iterator[Evidence]:
    """Yield what the person's words in `turn` say of themselves, request first, then the answers.

    Args:
        turn: The turn.
        position: Of the turn in the user's log.
        is_taken_up: Rules without a call ("from now on window seats") are statements, those that one took up are not.
    """
    yield from _said(turn, position, turn.request, "request", is_taken_up)
    for step in turn.steps:
        if isinstance(step, QuestionStep) and step.answer:
            yield from _said(turn, position, step.answer, "answer", is_taken_up)
            yield from _said(turn, position, adopted(step.question, step.answer), "answer", is_taken_up)


def assents(before: Turn, turn: Turn, position: int) -> Iterator[Evidence]:
    """Yield what the reply of the turn before suggested of the person, where the request of `turn` says yes to it."""
    yield from _said(turn, position, adopted(before.reply or "", turn.request), "answer", lambda _: False)


def _said(turn: Turn, position: int, text: str, source: Source, is_taken_up: TakenUp) -> Iterator[Evidence]:
    if not (parts := clauses(text)):
        return
    told = list(_told(framed(with_subjects(with_asides(parts)))))
    findings = list(_findings(told, is_taken_up))
    if not findings:
        return
    bound = rule_bound(parts, turn.time)
    readable = set(map(id, _apart([part.clause for part in told], parts)))
    for part, found in findings:
        if id(part.clause) in readable or _is_another_matter(part, found):
            condition = "" if found.is_fact or found.topic in ("has", "is") else part.condition
            kind, until = _kind(found, part.clause), None
            if kind == "standing" and not found.is_fact and bound is not None:
                kind, until = (kind, bound.end) if bound.end is not None else ("one_off", None)
            yield Evidence(
                slot=Slot(PERSON, found.topic),
                value=_as_written(found.value, part.clause),
                source=source,
                kind="conditional" if condition and kind in FILLING_KINDS else kind,
                turn_id=turn.turn_id,
                position=position,
                time=turn.time,
                until=until,
                condition=condition,
            )


def _told(clauses_told: Sequence[Framed]) -> Iterator[_Part]:
    """Yield the parts that tell of one doing each; what is done in a context is done as a rule ("Fridays I eat …")."""
    for index, (clause, condition) in enumerate(clauses_told):
        words = list(_split(clause))
        beside = [clause, *(one.clause for one in clauses_told[index + 1 : index + 2])]
        is_rule = bool(condition) or "standing" in clause.cues or is_rule_unsaid(clause.raw)
        is_rule = (is_rule or _is_led(clauses_told, index)) and not lasts_so(clause.raw)
        is_joined = any(one.sentence == clause.sentence and _JOINED.search(one.raw) is not None for one in beside)
        for part in words:
            yield _Part(clause, habitual(part) if condition else part, condition, is_rule, is_joined)


def _is_led(clauses_told: Sequence[Framed], index: int) -> bool:
    """Whether a clause beside it in its sentence says that it is a rule: "going forward, send …", "…，以后都这样"."""
    sentence = clauses_told[index].clause.sentence
    before, after = clauses_told[max(0, index - 1) : index], clauses_told[index + 1 : index + 2]
    return any(one.clause.sentence == sentence and RULE_CUE.match(one.clause.raw) for one in before) or any(
        one.clause.sentence == sentence and lasts_so(one.clause.raw) for one in after
    )


def _apart(told: Iterable[Clause], parts: Sequence[Clause]) -> list[Clause]:
    """Return those of `told` in whose sentence, as it stands in `parts`, nothing is about a sensitive matter."""
    barred = {clause.sentence for clause in parts if is_sensitive_text(clause.raw)}
    readable = []
    for clause in told:
        if _APART.search(clause.text) and not is_sensitive_text(clause.raw):
            barred.discard(clause.sentence)  # what follows is another matter
        if clause.sentence not in barred:
            readable.append(clause)
    return readable


def _is_another_matter(part: _Part, found: _Found) -> bool:
    """Whether what stands in one sentence with a sensitive matter tells nothing of it.

    Facts of which there is one at a time do not, nor, in a further clause, what one has, nor a like that a word joins
    ("…, and I prefer …"); what is avoided, or done for that reason, may well.
    """
    if is_sensitive_text(part.words) or is_sensitive_text(part.condition):
        return False
    if found.is_fact:
        return True
    is_apart = part.is_joined or (found.topic == "has" and not is_sensitive_text(part.clause.raw))
    return is_apart and found.stance == "for" and _SO.search(part.clause.raw) is None


_JOINED = re.compile(r"^(?:and|but|also|anyway)\b|^我?们?(?:另外|还有|而且|不过|但|同时|平时|也|还)", re.IGNORECASE)
_SO = re.compile(
    r"\b(?:so|because|since|therefore|hence|which is why|that's why)\b|所以|因此|因为|于是|由于|只好", re.IGNORECASE
)

_APART = re.compile(r"^(?:and |but )?(?:by the way|btw|besides|separately|apart from that)\b|^(?:另外|对了|顺便|此外)")
_AND_THEN = re.compile(r"\s+and\s+(?=(?:then )?(?:i|we|put|bought|sold|joined|let|got)\b)", re.IGNORECASE)
_AND_ALSO = re.compile(
    r"\s+and\s+(?=(?:(?:much|vastly|strongly|always|usually|generally|really|also|only|would rather) )*"
    r"(?:prefer|enjoy|love|like|avoid|dislike|hate|only|never|can't stand|don't|stopped|quit|gave up)\b)",
    re.IGNORECASE,
)
"""Before a further doing of the same person."""


def _split(clause: Clause) -> Iterator[str]:
    """Yield the parts of a clause that tell of one doing each ("I sold this and bought that")."""
    text = _without_utterances(clause)
    for part in _AND_THEN.split(text) if " and " in text.casefold() else (text,):
        first, *others = _AND_ALSO.split(part)
        yield first
        if others and re.search(r"\b(?:i|we)\b", first, re.IGNORECASE):
            yield from (f"I {other}" for other in others)


def _without_utterances(clause: Clause) -> str:
    """Return what a clause says, simplified, less the quotations that would tell of a person by themselves."""
    text = simplified(clause.raw)
    if _STARTS_HAN.match(text):
        text = _BESIDE_HAN.sub("", text)
    for words in clause.quoted:
        told = Clause(words, 0, cues_in(words), is_for_self=False, is_lone_cue=False, raw=words)
        if next(_findings([_Part(told, words)], lambda _: True), None) is not None:
            text = re.sub(re.escape(words), " ", text, flags=re.IGNORECASE)
    return text


_STARTS_HAN = re.compile(r"[\u3400-\u9fff]")
_BESIDE_HAN = re.compile(r"(?<=[\u3400-\u9fff]) (?=[A-Za-z])|(?<=[A-Za-z]) (?=[\u3400-\u9fff])")
"""Blanks around Latin words in Chinese, as many write them; one before a number begins something else as often."""


def _as_written(value: str, clause: Clause) -> str:
    """Return a value that was read in simplified Chinese in the script it was written in."""
    start = simplified(clause.raw).find(value)
    if start < 0 or len(simplified(clause.raw)) != len(clause.raw):
        return value
    return clause.raw[start : start + len(value)]


_ORDERED: tuple[Fact | Attitude, ...] = (*FACTS, *ATTITUDES, *HABITS, *OTHERS)
_FORMS = PatternIndex([(form.pattern, form) for form in _ORDERED])


def _findings(parts: Sequence[_Part], is_taken_up: TakenUp) -> Iterator[tuple[_Part, _Found]]:
    """Yield what the parts of a text say, each with the clause that it stands in."""
    words = [part.words for part in parts]
    forms, lasting = _FORMS.narrowed(words), LASTING.narrowed(words)
    for part in parts if forms or lasting or any(part.is_rule for part in parts) else ():
        for found in _read(part, forms, lasting, is_taken_up):
            yield part, found


def _read(
    part: _Part, forms: PatternIndex[Fact | Attitude], lasting: PatternIndex[str], is_taken_up: TakenUp
) -> Iterable[_Found]:
    facts: dict[str, _Found] = {}
    for match, form in forms.matches(part.words):
        if isinstance(form, Fact):
            facts.update((found.topic, found) for found in _fact(match, form))
        elif facts:
            break
        elif liked := _attitude(match, form):
            return liked
    if facts:
        return facts.values()
    found = (list(_rule(part)) if part.is_rule else []) or list(_lasting(part, lasting))
    return () if found and is_taken_up(part.clause.raw) else found


def _lasting(part: _Part, forms: PatternIndex[str]) -> Iterator[_Found]:
    """Yield what a clause that no form reads tells by its grammar."""
    for told in told_by_grammar(part.words, forms):
        value = trimmed(told.value)
        if told.is_fact and part.condition:  # a fact is bound to nothing: what was read as a frame is part of it
            value = f"{value} {part.condition}" if value.isascii() else f"{part.condition}{value}"
        if value and is_short(value):
            yield _Found(told.topic or topic_of(value), value, "for", told.is_fact)


def _fact(match: re.Match[str], form: Fact) -> Iterator[_Found]:
    groups = match.groupdict()
    value = trimmed(next((groups[name] for name in ("o", "p", "q", "r", "s", "home") if groups.get(name)), ""))
    topic = form.topic or topic_of_fact(next((groups[name] for name in "tuv" if groups.get(name)), ""))
    if value and topic and is_short(value) and is_thing(value):
        yield _Found(topic, value, "for", is_fact=True)


def _attitude(match: re.Match[str], form: Attitude) -> list[_Found]:
    groups = match.groupdict()
    thing = next((groups[name] for name in "opq" if groups.get(name)), "")
    is_preferred = "prefer" in form.pattern.pattern
    liked = things_in(thing, form.topic, is_preferred=is_preferred)
    found = [_Found(*one, form.stance, is_of_other=form in OTHERS) for one in liked]
    left = next((groups[name] for name in "xy" if groups.get(name)), "")
    gone = things_in(left, form.topic, is_preferred=is_preferred) if left else ()
    return [*found, *(_Found(*one, "against") for one in gone)]


def _rule(part: _Part) -> Iterator[_Found]:
    """Yield what a rule orders ("from now on book me aisle seats", "以后都坐靠窗")."""
    if whole := told_when(part.words, part.condition):
        yield _Found(whole.thing, whole.words, "for", is_rule=True)
        return
    order = order_of(part.words, part.condition)
    if order is None:
        return
    if replaced := REPLACED.search(part.words):
        for thing in things_in(replaced["o"] or replaced["p"]):
            yield _Found(*thing, "against")
    for thing in things_in(order.words):
        topic = topic_of(trimmed(order.thing)) if order.thing else thing.topic
        yield _Found(topic, thing.value, "against" if order.is_against else "for", is_rule=True)


def _kind(found: _Found, clause: Clause) -> Kind:
    if found.is_of_other or ("other_person" in clause.cues and not found.is_fact):
        return "other_person"
    for kind in ("hypothetical", "one_off"):
        if kind in clause.cues:
            return kind
    if found.stance == "against":
        return "negated"
    return (
        "standing"
        if (found.is_fact and not _is_additive(clause.raw)) or found.is_rule or "standing" in clause.cues
        else "plain"
    )


@text_cache(256)  # a clause may tell of many things
def _is_additive(raw: str) -> bool:
    return ADDITIVE.search(raw) is not None

"""Reads what a person says of themselves in passing: likes, habits, possessions and facts, without any call.

It becomes evidence for slots that no tool has, `@person.TOPIC`. The topic of a like is what the thing is ("aisle
seats": `seat`), so that an argument of that name can use it; things of one topic stand side by side, and only the
opposite of the same thing ("can't stand Chinese food any more") closes what was said before. Facts of which there is
one at a time (name, employer, home city) do not age, and a newer one closes the older, unless it comes on top ("also").
Sensitive matters are never read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from memory.evidence import FILLING_KINDS, PERSON, Evidence, Kind, Slot, Source
from memory.records import QuestionStep, Turn
from memory.state.conditions import Framed, framed, habitual
from memory.state.cues import Clause, clauses, cues_in
from memory.state.fact_forms import FACTS, Fact
from memory.state.habit_forms import HABITS
from memory.state.pattern_index import PatternIndex
from memory.state.sensitive import is_sensitive_text
from memory.state.statement_forms import (
    ADDITIVE,
    ATTITUDES,
    DEMAND,
    OTHERS,
    Attitude,
    Stance,
)
from memory.state.subjects import with_subjects
from memory.state.suggestions import adopted
from memory.text import normalise
from memory.typed.scripts import simplified

_MAX_WORDS = 12
"""Of a thing; longer ones are stories."""
_MAX_CHINESE = 12
"""Characters."""
_NOT_A_THING = re.compile(
    r"^(?:it|that|this|them|these|those|you|him|her|me|us|how|what|when|where|why|if|whether|who|so|one|ones|late|out|"
    r"into|up|to (?:see|know|have|be|get|hear|think|say|ask|do|make|go|book|order|try|check)|the (?:look|sound|idea|"
    r"way|thought)|"
    r"your|their|his|having to|being|at|on|in|for|from|with|by|of|not|nothing|anything|"
    r"something|everything)\b|^(?:你|他|她|它|这|那|的|了|过|吗|呢|吧|什么|怎么|哪|谁|[上下](?:班|来|去|课)|[吃喝坐穿用看抽听住玩去走买订选点]$)"
)
_THING_END = re.compile(
    r"\s+(?:(?:more|better|rather) than|because|since|when|if|so|but|although|though|unless|than|over|instead|"
    r"rather than|after|before|until|"
    r"whenever|while|which|where|as|due to|thanks to|for (?:its?|their|the) \w+ (?:benefits?|value|reasons?)|"
    r"(?:in|for) (?:general|life)|(?:and|or) (?:i|we|my|the|you|it|he|she|they|please|then|so|put|bought|sold|"
    r"got|find|started|began)\b|"
    r"or else|from now on|in future)\b.*$|(?:从现在|以后|因为|所以|但是?|不过|的时候|而且).*$",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    r"(?:\s+(?:any ?more|any longer|these days|nowadays|right now|now|at all|either|too|in it|as well|very much|a lot|"
    r"so much|"
    r"(?:the )?most|(?:the )?best|again|already|anyway|"
    r"(?:just |for )?(?:this )?once|please|really|though|lately|always|yesterday|today|last \w+))+$"
    r"|[了啊呀吧呢哦嘛啦]+$|[\s.!?;:'\"]+$",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"^(?:(?:a|an|the|my|our|some|any|all|more|most|lots of|plenty of|only|just|to|too much|eating|drinking|"
    r"using|wearing|watching|reading|listening to|playing|visiting|buying|consuming|taking|"
    r"eat|drink|use|wear|watch|read|(?:any |all )?(?:kinds?|types?|sorts?) of)\s+)+",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(
    r"\s+(?:that|who|involving|containing|than|in|on|at|by|from|with|without|of|for|near|to|about|during|like|under|"
    r"made)\s+"
)


_ANYTHING = re.compile(r"^(?:any|every|some)thing (?:with|containing|made (?:of|with|from)|that has) ", re.IGNORECASE)


class _Thing(NamedTuple):
    topic: str
    value: str


class _Part(NamedTuple):
    """Words of a clause that tell of one doing."""

    clause: Clause
    words: str
    condition: str = ""
    """The context it is bound to."""
    is_joined: bool = False
    """Whether "and" or the like stands between its clause and the one before or after it."""


class _Found(NamedTuple):
    topic: str
    value: str
    stance: Stance
    is_fact: bool = False
    is_of_other: bool = False


def statements(turn: Turn, position: int, *, has_calls: bool) -> Iterator[Evidence]:
    """Yield what the person's words in `turn` say of themselves, request first, then the answers.

    Args:
        turn: The turn.
        position: Of the turn in the user's log.
        has_calls: Whether a call took up what was said; rules without a call ("from now on window seats") are
            statements only where there is none.
    """
    yield from _said(turn, position, turn.request, "request", has_calls)
    for step in turn.steps:
        if isinstance(step, QuestionStep) and step.answer:
            yield from _said(turn, position, step.answer, "answer", has_calls)
            yield from _said(turn, position, adopted(step.question, step.answer), "answer", has_calls)


def assents(before: Turn, turn: Turn, position: int) -> Iterator[Evidence]:
    """Yield what the reply of the turn before suggested of the person, where the request of `turn` says yes to it."""
    yield from _said(turn, position, adopted(before.reply or "", turn.request), "answer", False)


def _said(turn: Turn, position: int, text: str, source: Source, has_calls: bool) -> Iterator[Evidence]:
    if not (parts := clauses(text)):
        return
    told = list(_told(framed(with_subjects(parts))))
    findings = list(_findings(told, has_calls))
    if not findings:
        return
    readable = set(map(id, _apart([part.clause for part in told], parts)))
    for part, found in findings:
        if id(part.clause) in readable or _is_another_matter(part, found):
            condition = "" if found.is_fact or found.topic in ("has", "is") else part.condition
            kind = _kind(found, part.clause)
            said = Evidence(
                slot=Slot(PERSON, found.topic),
                value=_as_written(found.value, part.clause),
                source=source,
                kind="conditional" if condition and kind in FILLING_KINDS else kind,
                turn_id=turn.turn_id,
                position=position,
                time=turn.time,
                condition=condition,
            )
            yield said
            yield from _twins(said)


def _twins(said: Evidence) -> Iterator[Evidence]:
    """Yield the same for the other topics under which the thing may have been spoken of, where it is negated."""
    if said.kind == "negated":
        for topic in dict.fromkeys(("has", "does", _topic(str(said.value)))):
            if topic != said.slot.argument:
                yield replace(said, slot=Slot(PERSON, topic), is_twin=True)


def _told(clauses_told: Sequence[Framed]) -> Iterator[_Part]:
    """Yield the parts that tell of one doing each; what is done in a context is done as a rule ("Fridays I eat …")."""
    for index, (clause, condition) in enumerate(clauses_told):
        words = list(_split(clause))
        beside = [clause, *(one.clause for one in clauses_told[index + 1 : index + 2])]
        is_joined = any(one.sentence == clause.sentence and _JOINED.search(one.raw) is not None for one in beside)
        for part in words:
            yield _Part(clause, habitual(part) if condition else part, condition, is_joined)


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
    for part in _AND_THEN.split(_without_utterances(clause)):
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
        if next(_findings([_Part(told, words)], False), None) is not None:
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


def _findings(parts: Sequence[_Part], has_calls: bool) -> Iterator[tuple[_Part, _Found]]:
    """Yield what the parts of a text say, each with the clause that it stands in."""
    forms = _FORMS.narrowed(part.words for part in parts)
    for part in parts if forms or any("standing" in part.clause.cues for part in parts) else ():
        for found in _read(part, forms, has_calls):
            yield part, found


def _read(part: _Part, forms: PatternIndex[Fact | Attitude], has_calls: bool) -> Iterable[_Found]:
    facts: dict[str, _Found] = {}
    for match, form in forms.matches(part.words):
        if isinstance(form, Fact):
            facts.update((found.topic, found) for found in _fact(match, form))
        elif facts:
            break
        elif liked := _attitude(match, form):
            return liked
    if not facts and "standing" in part.clause.cues and not has_calls:
        return _rule(part)
    return facts.values()


def _fact(match: re.Match[str], form: Fact) -> Iterator[_Found]:
    groups = match.groupdict()
    value = _trimmed(
        _THING_END.sub("", next((groups[name] for name in ("o", "p", "q", "r", "s", "home") if groups.get(name)), ""))
    )
    topic = form.topic or _topic_of_fact(next((groups[name] for name in "tuv" if groups.get(name)), ""))
    if value and topic and _is_short(value) and not _NOT_A_THING.search(normalise(value)):
        yield _Found(topic, value, "for", is_fact=True)


def _attitude(match: re.Match[str], form: Attitude) -> list[_Found]:
    groups = match.groupdict()
    thing = next((groups[name] for name in "opq" if groups.get(name)), "")
    found = [_Found(*one, form.stance, is_of_other=form in OTHERS) for one in _things(thing, form)]
    left = next((groups[name] for name in "xy" if groups.get(name)), "")
    gone = _things(left, form) if left else ()
    return [*found, *(_Found(*one, "against") for one in gone)]


_RULE_CUE = re.compile(
    r"\b(?:from (?:now|here|today) on(?:wards?)?|always|every time|each time|by default|as a rule|going forward|"
    r"henceforth|in future)\b|以后|往后|今后|从今|从现在(?:起|开始)|每次|每回|默认|一律|永远|总是",
    re.IGNORECASE,
)
_STORY = re.compile(
    r"(?:'|(?:am|have|was|were|been|feel|think|forget|remember|wonder|thought|had|get|got)\b)", re.IGNORECASE
)
_ABOUT_OTHER_THINGS = re.compile(r"(?:they|he|she)\b|(?:it|that|there|this)(?:'s| is| are| was)\b", re.IGNORECASE)
_NEVER = re.compile(
    r"^(?:stop \w+ing(?: me)?|never(?: again| ever)?|no more|don't|do not|no|"
    r"(?:千万|绝对)?(?:别再?|不要再?)|不再?|不许)\s*(?=\S)",
    re.IGNORECASE,
)


def _rule(part: _Part) -> Iterator[_Found]:
    """Yield what a rule orders ("from now on book me aisle seats", "以后都坐靠窗")."""
    text = written_rule = _RULE_CUE.sub(" ", part.words).strip()
    text = DEMAND.sub("", text).strip()
    if never := _NEVER.match(text):
        text = DEMAND.sub("", text[never.end() :]).strip()
    if _STORY.match(text) or (_ABOUT_OTHER_THINGS.match(part.words) and "from" not in part.clause.text):
        return  # a story, no order
    if text == written_rule and not never and len(text.split()) > 3:
        return  # no order: a story with "always" in it
    for thing in _things(text, Attitude(_RULE_CUE, "for")):
        yield _Found(thing.topic, thing.value, "against" if never else "for")


def _things(text: str, form: Attitude) -> list[_Thing]:
    value = _trimmed(_THING_END.sub("", " " + _ANYTHING.sub("", text.strip())).strip())
    if "prefer" in form.pattern.pattern:
        value = _trimmed(re.sub(r"(?<=\w)\s+to\s+.*$", "", value)) or value
    parts = re.split(r"\s+(?:and|or)\s+|[和与跟]", value)
    if not all(0 < len(part.split()) <= 2 for part in parts):
        parts = [value]
    things = []
    for part in parts:
        bare = _LEADING.sub("", part).strip()
        if bare and _is_short(bare) and not _NOT_A_THING.search(normalise(part)):
            things.append(_Thing(form.topic or _topic(bare), bare))
    return things


def _topic(thing: str) -> str:
    """Return what a thing is: its head noun, the verb of a doing, what stands after 的."""
    if not thing.isascii() and re.search(r"[\u3400-\u9fff]", thing):
        return thing.rpartition("的")[2] or thing
    words = normalise(_PREPOSITION.split(thing)[0]).split()
    return _singular(words[0] if words[0].endswith("ing") else words[-1].rpartition("-")[2] or words[-1])


def _topic_of_fact(name: str) -> str:
    words = re.sub(r"^(?:usual|preferred|favou?rite|default|regular|go-to)\s+", "", normalise(name))
    return words.replace("'s", "").strip()


def _singular(noun: str) -> str:
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    return noun[:-1] if noun.endswith("s") and not noun.endswith(("ss", "us", "is")) and len(noun) > 3 else noun


def _trimmed(text: str) -> str:
    before = None
    while before != text:
        before, text = text, _TRAILING.sub("", text.strip())
    return text


def _is_short(thing: str) -> bool:
    if re.search(r"[\u3400-\u9fff]", thing):
        return len(thing) <= _MAX_CHINESE
    return len(thing.split()) <= _MAX_WORDS


def _kind(found: _Found, clause: Clause) -> Kind:
    if found.is_of_other or ("other_person" in clause.cues and not found.is_fact):
        return "other_person"
    for kind in ("hypothetical", "one_off"):
        if kind in clause.cues:
            return kind
    if found.stance == "against":
        return "negated"
    is_additive = ADDITIVE.search(clause.raw) is not None
    return "standing" if (found.is_fact and not is_additive) or "standing" in clause.cues else "plain"

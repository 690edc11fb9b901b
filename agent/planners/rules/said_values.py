"""Values for a parameter as a text says them, best first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date

from agent.planners.rules.kinds import kind_of, role_of
from agent.planners.rules.measures import measured
from agent.planners.rules.said_names import labelled, named_values
from agent.planners.rules.said_numbers import numbers
from agent.planners.rules.segments import clauses
from agent.planners.rules.spans import spans_said
from agent.planners.rules.tool_text import content_terms
from agent.planners.rules.utterance import Said, Text, before
from memory.errors import CastError
from memory.language.text import split_name, stem
from memory.language.values.descriptions import described_examples
from memory.language.values.enum_mentions import enum_mention
from memory.language.values.mentions import Mention
from memory.language.values.numbers import parse_number
from memory.language.values.times import normal_time
from memory.language.values.values import cast
from memory.tools import Parameter, Tool

_CJK = re.compile(r"[\u4e00-\u9fff]")


def said_values(parameter: Parameter, tool: Tool, text: Text) -> list[Said]:
    """Return what `text` says for a scalar `parameter` of `tool`, best first; lists and objects are not read here."""
    found = sorted(_read(parameter, tool, text), key=lambda said: -said.strength)
    kept: list[Said] = []
    for said in found:
        try:
            value = cast(said.value, parameter)
        except CastError:
            continue
        if _PHONE.search(parameter.name) and not any(char.isdigit() for char in str(value)):
            continue
        kept.append(Said(value, said.start, said.end, said.strength))
    return kept


_PHONE = re.compile(r"phone|mobile", re.IGNORECASE)


def _read(parameter: Parameter, tool: Tool, text: Text) -> Iterator[Said]:
    kind = kind_of(parameter)
    if kind in ("text", "id") and (examples := described_examples(parameter.description)):
        likened = parameter.model_copy(update={"enum": examples})
        yield from _from_mentions(enum_mention(text.text, likened, partial=text.is_answer), 0.95, text)
    if kind == "enum":
        yield from _allowed(parameter, text)
    elif kind == "boolean":
        yield from _booleans(parameter, text)
    elif kind in ("number", "year"):
        yield from numbers(parameter, text, kind)
    elif kind in ("date", "datetime"):
        yield from _dates(parameter, tool, text)
    elif kind == "time":
        yield from _times(parameter, text)
        yield from _lone_hours(text)
    elif kind in ("url", "email", "ip", "coordinates", "color"):
        yield from _exact(parameter, text, kind)
    elif kind in ("country", "currency", "language"):
        yield from _codes(parameter, text, kind)
    elif kind == "id":
        yield from _ids(parameter, text)
    else:
        yield from named_values(parameter, tool, text, kind)


def _allowed(parameter: Parameter, text: Text) -> Iterator[Said]:
    """Yield the allowed values that are named, as amounts in another unit too."""
    yield from _from_mentions(enum_mention(text.text, parameter, partial=text.is_answer), 1.0, text)
    yield from _telling_words(parameter, text)
    yield from _head_nouns(parameter, text)
    yield from spans_said(parameter, text)
    if parameter.type in ("integer", "number"):
        yield from measured(parameter, text)


def _telling_words(parameter: Parameter, text: Text) -> Iterator[Said]:
    """Yield allowed values of several words by what Chinese calls the first of them: "骑车" for `cycling-regular`."""
    parts = {value: split_name(value) for value in parameter.enum if isinstance(value, str)}
    first = {value: words[0] for value, words in parts.items() if len(words) > 1 and len(words[0]) > 3}
    having = Counter(word for words in parts.values() for word in set(words))
    told = {word: value for value, word in first.items() if having[word] == 1}
    likened = parameter.model_copy(update={"enum": tuple(told)})
    for mention in enum_mention(text.text, likened) if told else ():
        if _CJK.search(mention.text):  # the first word alone is often another ("the second one" for `second_class`)
            yield Said(told[str(mention.value)], mention.start, mention.end, 0.85)


def _exact(parameter: Parameter, text: Text, kind: str) -> Iterator[Said]:
    """Yield what is told by its form; of two the first is where one starts from, a lone one is where one goes to."""
    role = role_of(parameter)
    found = text.of_kind(kind)
    for place, mention in enumerate(found):
        lead = before(text.text, mention)
        is_start = bool(_STARTS.search(lead)) or (place == 0 and len(found) > 1 and not _GOES.search(lead))
        fits = 0.0 if role is None or (role == "from") == is_start else -0.3
        yield from _from_mentions([mention], 1.0 + fits, text)


_STARTS = re.compile(r"(?:\bfrom\s|从)[^，。,.]{0,12}$", re.IGNORECASE)
_GOES = re.compile(r"(?:\bto\s|[到去往绕])[^，。,.]{0,12}$", re.IGNORECASE)


def _head_nouns(parameter: Parameter, text: Text) -> Iterator[Said]:
    """Yield allowed values of several words by their last one, where no other value has it: "the tank" for `low_tank`.

    The words before it tell values of a kind apart ("first class"), so they do not suffice.
    """
    if not parameter.is_required or parameter.enum is None:
        return
    said: dict[str, list[re.Match[str]]] = {}
    for match in re.finditer(r"[a-z]+", text.text.casefold()):
        said.setdefault(stem(match.group()), []).append(match)
    words = {value: split_name(value) for value in parameter.enum if isinstance(value, str)}
    having = Counter(word for parts in words.values() for word in set(map(stem, parts)))
    for value, parts in words.items():
        noun = stem(parts[-1].casefold()) if len(parts) > 1 else ""
        if len(noun) < 4 or having[noun] > 1:
            continue
        for match in said.get(noun, ()):
            yield Said(value, match.start(), match.end(), 0.5)


def _from_mentions(found: list[Mention] | tuple[Mention, ...], strength: float, text: Text) -> Iterator[Said]:
    for mention in found:
        focused = 0.0 if text.in_focus(mention.start) else -0.15
        yield Said(mention.value, mention.start, mention.end, strength + focused)


def _booleans(parameter: Parameter, text: Text) -> Iterator[Said]:
    """A flag is meant where its noun is named: false within a "without", true otherwise."""
    flag_words = [word for word in split_name(parameter.name) if word not in _FLAG_VERBS]
    nouns = {stem(word) for word in flag_words} - _WEAK_NOUNS
    described = set(content_terms(parameter.description)) - _WEAK_NOUNS if _CJK.search(parameter.description) else set()
    cues = [mention for mention in text.mentions if mention.kind in ("yes", "no")]
    for cue in cues:
        if cue.kind == "no" and set(content_terms(str(cue.value))) & (nouns | described):
            yield Said(False, cue.start, cue.start, 1.0)
    for clause in clauses(text.text):
        terms = set(content_terms(clause.text))
        if clause.is_aside or not (nouns & terms or len(described & terms) > 0):
            continue
        place = clause.start
        denied = any(
            cue.kind == "no" and set(content_terms(str(cue.value))) & (nouns | described)
            for cue in cues
            if clause.start <= cue.start < clause.end
        )
        strength = 1.0 if nouns & terms else 0.6
        yield Said(not denied, place, place, strength)


_FLAG_VERBS = frozenset(("include", "includes", "is", "has", "show", "with", "only", "enable", "use", "get", "return"))
_WEAK_NOUNS = frozenset(
    stem(word) for word in ("data", "info", "information", "details", "result", "results", "all", "time")
) | {"", "默认", "false", "true"}


def _dates(parameter: Parameter, tool: Tool, text: Text) -> Iterator[Said]:
    """Dates are told so plainly that the right kind suffices; the ends of a range go to the ends of a pair."""
    role = role_of(parameter)
    names = {other.name for other in tool.parameters}
    has_pair = role is not None and (
        parameter.name not in names  # a field of an object, such as a range of dates
        or any(role_of(other) not in (None, role) and kind_of(other) == kind_of(parameter) for other in tool.parameters)
    )
    for mention in text.of_kind("date", "date_range"):
        strength = 0.85 if text.in_focus(mention.start) else 0.6
        if re.search(r"\b(?:as|like|than)\s$", before(text.text, mention)):
            strength = 0.3  # "as this morning's" compares
        if role != "from" and _ONWARDS.match(text.text, mention.end):
            strength = 0.3  # "from tomorrow on" says since when a rule holds
        if _INTRODUCED.search(before(text.text, mention)):
            strength += 0.05
        if any(char.isdigit() for char in mention.text):
            strength += 0.03  # "Tuesday, the 23rd": the number is the surer of the two
        if isinstance(mention.value, list):
            first, last = (str(day) for day in mention.value)
            is_long = (date.fromisoformat(last) - date.fromisoformat(first)).days > 7
            fits = 0.05 if has_pair else -0.45 if is_long else -0.15
            yield Said(last if role == "to" else first, mention.start, mention.end, strength + fits)
        else:
            strength -= 0.1 if role is not None else 0.0
            if role == "to" and not parameter.is_required and not _UNTIL.search(before(text.text, mention)):
                strength -= 0.3  # one day needs no end
            yield Said(mention.value, mention.start, mention.end, strength)


_UNTIL = re.compile(r"\b(?:by|until|till|before|due)\s(?:the\s)?$|[到至]$", re.IGNORECASE)
_ONWARDS = re.compile(r"\son(?:wards?)?\b(?!\s(?:the|a|my)\b)|起", re.IGNORECASE)
_INTRODUCED = re.compile(
    r"\b(?:from|on|for|to|by|until|starting|coming)\s(?:the\s)?$|(?:改到|改成|到|在|从)$", re.IGNORECASE
)


def _times(parameter: Parameter, text: Text) -> Iterator[Said]:
    """A time after "from", "at" or "after" is more likely one to travel or start at; one beside a purpose is not."""
    for mention in text.of_kind("time"):
        lead = before(text.text, mention).casefold()
        strength = 0.6
        if re.search(r"\b(?:from|after|leaving|departing)\s(?:the\s)?$|从$", lead):
            strength = 1.0
        elif re.search(r"\b(?:meeting|closes?|shuts?|school|until|till|by)\b[^,.;]*$", lead):
            strength = 0.4
        yield Said(
            mention.value, mention.start, mention.end, strength if text.in_focus(mention.start) else strength - 0.2
        )


def _lone_hours(text: Text) -> Iterator[Said]:
    """Yield an answer's clauses that are an hour alone ("Münster, nine.")."""
    for part in clauses(text.text) if text.is_answer else ():
        hour = parse_number(part.text.rstrip(".!"))
        if isinstance(hour, int) and 1 <= hour <= 12:
            yield Said(normal_time(f"{hour} o'clock"), part.start, part.end, 0.9)


def _codes(parameter: Parameter, text: Text, kind: str) -> Iterator[Said]:
    role = role_of(parameter)
    numbered = {m.unit for m in text.mentions if m.kind == "number"}
    for mention in text.of_kind(kind):
        lead = before(text.text, mention).casefold()
        is_target = bool(re.search(r"(?:\bin|\binto|\bto|\bagainst|换成|换算成|转成|兑)\s?(?:my |our |the )?$", lead))
        strength = 0.8
        if role == "to":
            strength = 1.0 if is_target else 0.5 if mention.value in numbered else 0.6
        elif role == "from":
            strength = 0.3 if is_target else 1.0 if mention.value in numbered else 0.8
        yield Said(mention.value, mention.start, mention.end, strength)


def _ids(parameter: Parameter, text: Text) -> Iterator[Said]:
    yield from labelled(parameter, text)
    for mention in text.of_kind("id"):
        yield Said(mention.value, mention.start, mention.end, 0.9)
    words = set(split_name(parameter.name))
    if words & {"symbol", "ticker", "code"} or "symbol" in parameter.description.casefold():
        for mention in text.of_kind("name"):
            if re.fullmatch(r"[A-Z]{1,5}(?:[./][A-Z]{1,4})?", mention.text):
                yield Said(mention.value, mention.start, mention.end, 0.85)
    if parameter.type in ("integer", "number") or text.is_answer or "tail" in words:
        for mention in text.of_kind("number"):
            figures = text.text[mention.start : mention.end]
            if figures.isdecimal():  # nobody writes an id out in words
                yield Said(figures, mention.start, mention.end, 0.5 if not text.is_answer else 0.7)

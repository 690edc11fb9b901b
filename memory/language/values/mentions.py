"""Typed mentions in a text: what a request or answer names, where, and its normal value (English and Chinese)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import JsonValue

from memory.language.text import stem
from memory.language.values.codes import find_codes
from memory.language.values.dates import Dates, read_dates
from memory.language.values.figure_dates import Order
from memory.language.values.money import currency_beside
from memory.language.values.numbers import find_numbers
from memory.language.values.plain import READ_CHARACTERS as READ_CHARACTERS
from memory.language.values.plain import plain
from memory.language.values.taken import Taken
from memory.language.values.times import find_times
from memory.language.values.words import tagged

MentionKind = Literal[
    "date",
    "date_range",
    "time",
    "number",
    "url",
    "email",
    "ip",
    "coordinates",
    "id",
    "color",
    "quoted",
    "name",
    "country",
    "currency",
    "language",
    "yes",
    "no",
    "enum",
]


@dataclass(frozen=True)
class Mention:
    """Something that a text names."""

    kind: MentionKind
    start: int
    end: int
    text: str
    """The words themselves, `text[start:end]` of what was read."""
    value: JsonValue
    """In normal form: YYYY-MM-DD, a list of the first and last day, HH:MM, a number, an ISO code, or text; for the
    cues `yes` and `no` the words they bear on."""
    unit: str | None = None
    """Of a number: the word that follows it (its stem), or the ISO code of a currency."""


def mentions(text: str, now: datetime | None, *, order: Order | None = None) -> tuple[Mention, ...]:
    """Return what the first `READ_CHARACTERS` of `text` name, in order of its place.

    Dates, times, numbers, addresses, ids and quoted text exclude one another (an id's digits are no number). Names,
    countries, currencies, languages and the cues `yes` and `no` may lie over others. What looks like one of them and
    is not surely read is left out; `doubts` tells of it.

    Args:
        text: What was said.
        now: The clock that relative dates count from; `None` leaves those out.
        order: Of day and month in figures, as this person writes them; `None`: unknown.
    """
    text = text[:READ_CHARACTERS]
    taken = Taken()
    dates = read_dates(text, now, order=order)
    exact = [
        mention
        for found in (_written(text), _dated(text, dates), _numbers(text, Taken(dates.unread)))
        for mention in found
        if taken.add(mention.start, mention.end)
    ]
    linked = Taken((one.start, one.end) for one in exact if one.kind in ("url", "email", "id", "date", "time"))
    loose = [one for one in (*_coded(text), *_names(text)) if not linked.overlaps(one.start, one.end)]
    loose.extend(_cues(text))
    return tuple(sorted((*exact, *loose), key=lambda mention: (mention.start, mention.end)))


def overlaps(mention: Mention, others: Iterable[Mention]) -> bool:
    """Say whether `mention` shares a character with any of `others`."""
    return any(other.start < mention.end and mention.start < other.end for other in others)


_WRITTEN: tuple[tuple[MentionKind, re.Pattern[str]], ...] = (
    ("url", re.compile(r"\b(?:https?://|www\.)[^\s\u3000-\u303f\u4e00-\u9fff，；。（）<>\"'“”]+", re.ASCII)),
    ("email", re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.ASCII)),
    ("ip", re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.]*\d)")),
    ("coordinates", re.compile(r"(?<![\d.])-?\d{1,3}\.\d+\s?,\s?-?\d{1,3}\.\d+(?![\d.]*\d)")),
    ("color", re.compile(r"#(?:[0-9a-fA-F]{8}|[0-9a-fA-F]{6}|[0-9a-fA-F]{3})(?![0-9A-Za-z])")),
    (
        "quoted",
        re.compile(r"“([^”]+)”|\"([^\"]+)\"|「([^」]+)」|『([^』]+)』|《([^》]+)》|(?<!\w)['‘]([^'’]{2,60})['’](?!\w)"),
    ),
    (
        "id",
        re.compile(
            r"(?<![A-Za-z0-9_-])(?=[A-Za-z0-9_-]*[A-Za-z])(?:(?=[A-Za-z0-9_-]*\d)[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*"
            r"|[A-Z]{2,}(?:[-_][A-Z]{2,})+|[a-z]+(?:_[a-z0-9]+)+)(?![A-Za-z0-9_-])"
        ),
    ),
)
_NO_ID = re.compile(
    r"\d+(?:st|nd|rd|th|am|pm|k|m|bn|g|kg|mg|km|cm|mm|ml|l|h|hr|min|mins|ms|s|px|d|w|y|gb|mb|fps|x)"
    r"|\d+(?:-[a-z]+)+|(?:mp|covid|omega)-?\d+",
    re.IGNORECASE,
)


def _written(text: str) -> Iterator[Mention]:
    """Yield what is told by its form: addresses, ids, quoted text."""
    taken = Taken()
    for kind, pattern in _WRITTEN:
        for match in pattern.finditer(text):
            words = next((group for group in match.groups() if group), match.group())
            start = match.start() + match.group().index(words)
            if kind == "url":
                words = words.rstrip(".,;:!?)")
            if kind == "id" and _NO_ID.fullmatch(words):
                continue
            if taken.add(start, start + len(words)):
                yield Mention(kind, start, start + len(words), words, words)


def _dated(text: str, dates: Dates) -> Iterator[Mention]:
    for span in dates.spans:
        words = text[span.start : span.end]
        if span.is_range:
            yield Mention("date_range", span.start, span.end, words, [span.iso, span.last.isoformat()])
        else:
            yield Mention("date", span.start, span.end, words, span.iso)
    for time in find_times(text):
        # In "half eleven tonight" the day is a date of its own; the time ends before it.
        end = min((span.start for span in dates.spans if time.start < span.start < time.end), default=time.end)
        yield Mention("time", time.start, end, text[time.start : end].rstrip(), time.value)


_LOOK_BACK = 40
"""Characters before a mention that say how it is meant."""
_UNIT = re.compile(r"[\s-]?(?P<unit>[A-Za-z]+|°[CF]?|%|(?:个(?=人))?[\u4e00-\u9fff])")


# "One" counts before a noun; "the one", "one of them", "one more" do not.
_PRONOUN = re.compile(r"(?:^|[^\w-])one$", re.IGNORECASE)
_NO_NOUN = (
    "of|more|for|from|with|in|on|at|to|is|was|has|will|would|that|which|who|and|or|if|as|i|you|he|she|it|we|they|by"
)
_DETERMINED = re.compile(r"\b(?:the|that|this|which|first|second|last|next|no|any|other|another|each|every)\s$", re.I)
_COUNTS_ONE = re.compile(rf"[\s-](?!(?:{_NO_NOUN})\b)[a-z]+", re.IGNORECASE)


def _numbers(said: str, unread: Taken) -> Iterator[Mention]:
    """Yield the numbers outside of what looks like a date and is not read."""
    text = plain(said)
    beside = currency_beside(text)
    for number in find_numbers(text):
        if unread.overlaps(number.start, number.end):
            continue
        if _PRONOUN.search(text[max(0, number.end - _LOOK_BACK) : number.end]) and not _counts(
            text, number.start, number.end
        ):
            continue
        unit = beside(number.start, number.end)
        if text.endswith("百分之", 0, number.start) or text.startswith("百分之", number.start):
            unit = "%"
        elif unit is None and "块" in text[number.start : number.end]:
            unit = "块"
        following = _UNIT.match(text, number.end)
        if unit is None and following:
            unit = stem(following["unit"].casefold())
        yield Mention("number", number.start, number.end, said[number.start : number.end], number.value, unit)


def _counts(text: str, start: int, end: int) -> bool:
    """Whether "one" at this place is a number."""
    return bool(_COUNTS_ONE.match(text, end)) and not _DETERMINED.search(text[max(0, start - _LOOK_BACK) : start])


def _coded(text: str) -> Iterator[Mention]:
    kinds: tuple[Literal["country", "currency", "language"], ...] = ("country", "currency", "language")
    for kind in kinds:
        for span in find_codes(kind, text):
            yield Mention(kind, span.start, span.end, text[span.start : span.end], span.code)


_WORD = r"[A-ZÀ-Þ][\w'’&-]*(?:\.(?=[A-Z]))?"
_NAME = re.compile(rf"(?<![\w'’]){_WORD}(?:\s(?:(?:of|the|de|la|van|von|der|du)\s)*(?:[A-ZÀ-Þ0-9][\w'’&-]*))*")
_TITLE = re.compile(
    rf"(?<![\w'’])(?:The|A|An|One)\s{_WORD}(?:\s(?:(?:of|the|to|and|for|in|on|with)\s)*(?!(?:The|An?|One)\s){_WORD})*"
)
_LATIN_IN_CHINESE = re.compile(r"[A-Za-z][\w'’&.-]*(?:\s[A-Za-z][\w'’&.-]*)*", re.ASCII)
_CJK = re.compile(r"[\u4e00-\u9fff]")
_ZH_NAME_TAGS = frozenset({"nr", "ns", "nt", "nz"})
"""jieba's tags of persons, places, organisations and other proper nouns."""
_SENTENCE_START = re.compile(r"(?:^|[.!?:;…]['\"”’)]?|\n)\s*$")
# Words that open a sentence in capitals, or "I" anywhere, and name nothing.
_OPENER_WORDS = (
    "a about after all also an and another any anything are as at back be because before book both but by can could "
    "dig do does don't first find for from get give good had has have he her here hers his how i i'd i'll i'm i've if "
    "in is it it's its just keep last later leave let like log look make may me mine more morning my next no not now "
    "of off ok okay on once one only or other our out outbound over pick please pull put quick return right same say "
    "see send set she she's he's should show so some something soon spare still such sure take tell thank thanks that "
    "that's the their them then there there's these they they're this those to too track two up us use was we we'd "
    "we'll we're well were what what's when where which while who why will with without would yes yet you your yours "
    "evening hello hi hey afternoon night tonight today tomorrow yesterday second third add check search start stop "
    "calculate compute convert determine estimate generate create provide retrieve fetch list update delete compare "
    "help plan what's how's who's is was are can "
    "every everything never always nothing nobody somebody lovely great fine aye ah oh hmm enough words very turn"
)
OPENERS = frozenset(_OPENER_WORDS.split())
"""Words in lower case that open a sentence and name nothing."""
_I_WORDS = frozenset(("i", "i'd", "i'll", "i'm", "i've"))


def _names(text: str) -> Iterator[Mention]:
    """Yield runs of capitalised words and titles; in Chinese the proper nouns and the Latin words.

    A single word that opens a sentence is taken for a name only if it is the whole sentence or in capitals.
    """
    if _CJK.search(text):
        yield from _chinese_names(text)
        return
    titles = [match for match in _TITLE.finditer(text) if _is_title(text, match)]
    spans = [match.span() for match in titles]
    taken = Taken(spans)
    for match in _NAME.finditer(text):
        if not taken.overlaps(match.start(), match.end()):
            spans.append(_trimmed(text, match.start(), match.end()))
    for start, end in sorted(spans):
        words = text[start:end]
        if words and words[0].isupper():
            yield Mention("name", start, end, words, words)


def _starts_sentence(text: str, place: int) -> bool:
    """Whether a sentence or a line begins at `place`, after whatever space."""
    before = text[:place].rstrip()
    return _SENTENCE_START.search(before[-3:] + text[len(before) : place]) is not None


def _is_title(text: str, match: re.Match[str]) -> bool:
    """Whether a run that begins with an article is a name: within a sentence, or with two more words in capitals."""
    capitals = sum(word[0].isupper() for word in match.group().split())
    return capitals >= 3 or not _starts_sentence(text, match.start())


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the place of a run of capitals without openers, "I" and the possessive; empty if nothing is left."""
    is_opening = _starts_sentence(text, start)
    words = [(match.group().casefold().replace("’", "'"), match) for match in re.finditer(r"\S+", text[start:end])]
    while words and words[0][0] in (OPENERS if is_opening else _I_WORDS):
        words.pop(0)
    while words and words[-1][0] in _I_WORDS | {"of", "the", "de"}:
        words.pop()
    if not words:
        return start, start
    first, last = start + words[0][1].start(), start + words[-1][1].end()
    name = re.sub(r"['’]s$|['’-]+$", "", text[first:last])
    last = first + len(name)
    is_alone = bool(re.match(r"\s*(?:[.!?]|$)", text[last:]))
    is_dubious = is_opening and first == start and " " not in name and name.isascii() and not name.isupper()
    return (start, start) if is_dubious and not is_alone else (first, last)


def _chinese_names(text: str) -> Iterator[Mention]:
    for match in _LATIN_IN_CHINESE.finditer(text):
        yield Mention("name", match.start(), match.end(), match.group(), match.group())
    position = 0
    for word, tag in tagged(text):
        if tag in _ZH_NAME_TAGS and len(word) > 1:
            yield Mention("name", position, position + len(word), word, word)
        position += len(word)


_CUES: tuple[tuple[Literal["yes", "no"], re.Pattern[str]], ...] = (
    (
        "no",
        re.compile(
            r"\b(?:without|no need (?:for|of)|leave (?:out|off)|skip|spare me|never mind|don['’]t (?:need|want|include)"
            r"|not?|minus|none of)\s(?:the\s|any\s|a\s|your\s|more\s)*(?P<what>[\w-]+(?:\s[\w-]+){0,3})"
            r"|\bun(?P<un>\w+ed)\b",
            re.IGNORECASE,
        ),
    ),
    ("no", re.compile(r"(?:不要|别|不用|不带|不含|不需要|去掉|无需|免)(?P<what>[^，。,.!！?？\s]{1,8})")),
    (
        "yes",
        re.compile(
            r"\b(?:with|including|include|plus|along with|as well as)\s(?:the\s|all\s|any\s|its\s|their\s)*"
            r"(?P<what>[\w-]+(?:\s[\w-]+){0,3})",
            re.IGNORECASE,
        ),
    ),
    ("yes", re.compile(r"(?:带上|包括|包含|附上|加上|含|连)(?P<what>[^，。,.!！?？\s]{1,8})")),
)


def _cues(text: str) -> Iterator[Mention]:
    for kind, pattern in _CUES:
        for match in pattern.finditer(text):
            groups = match.groupdict()
            yield Mention(kind, match.start(), match.end(), match.group(), groups["what"] or groups.get("un") or "")

"""What the ranking reads from a turn alone, and from a query alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import NamedTuple

from memory.language.text import normalise, tokenise
from memory.language.values.mentions import READ_CHARACTERS
from memory.ranking.lexical import content_terms
from memory.ranking.sentences import Sentence, sentences, split_speaker
from memory.records import QuestionStep, Turn
from memory.rendering import index_text

_MAX_STATEMENTS = 8
"""Of a turn, whose vectors are compared with the query."""
CIRCUMSTANCE_WEIGHT = 0.25
"""Of a term outside the main line of a query, against 1: where a device stands says little about what is wanted."""

_MONTHS = (
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)
_DATED = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|last|next|ago|weeks?|weekend|months?|years?|recently|since|morning|evening|"
    rf"night|just|mon|tues|wednes|thurs|fri|satur|sunday|\w{{3,6}}day|{'|'.join(_MONTHS)})\b"
    r"|昨[天晚]|今[天晚]|明[天晚]|前天|后天|上[周个]|下[周个]|[周月年日号]前|刚[才刚]|最近|去年|今年|明年",
    re.IGNORECASE,
)
_ASKS_WHEN = re.compile(
    r"\b(?:when|what (?:date|day|month|year|time)|how long|how many (?:days|weeks|months|years))\b"
    r"|什么时候|何时|哪[天年月]|几[号月点]|多久|多长时间",
    re.IGNORECASE,
)
_DAY = re.compile(
    r"\b(?:(?P<before>\d{1,2})(?:st|nd|rd|th)? (?:of )?)?(?P<month>" + "|".join(_MONTHS) + r")\b"
    r",?(?: (?P<after>\d{1,2})(?:st|nd|rd|th)?\b(?!\d))?,?(?: ?(?P<year>\d{4}))?"
    r"|(?:(?P<year_zh>\d{4}) ?年 ?)?(?P<month_zh>\d{1,2}) ?月(?: ?(?P<day_zh>\d{1,2}) ?[日号])?"
    r"|\b(?P<year_iso>\d{4})-(?P<month_iso>\d{2})(?:-(?P<day_iso>\d{2}))?\b",
    re.IGNORECASE,
)
_MODAL_MAY = re.compile(r"\b(?:in|of|on|since|during|by|until|around|last|this|next) may\b", re.IGNORECASE)


class NamedDay(NamedTuple):
    """A day or month that a query names, as far as it does."""

    year: int | None
    month: int
    day: int | None


@dataclass(frozen=True)
class TurnFeatures:
    """One turn as the ranking sees it."""

    terms: Mapping[str, int]
    """Index terms of all that was said and called, with their counts."""
    speaker: str | None
    """Who speaks, where the request is a line of a chat between people; case-folded."""
    statements: tuple[str, ...]
    """The sentences in which the person says something of themselves."""
    is_one_statement: bool
    """Whether the turn is one of them and nothing else, so that its own vector is that of the statement."""
    stance_share: float
    """Of the sentences, those that take a side, in [0, 1]."""
    asking_share: float
    """Of the sentences, those that ask or request, in [0, 1]."""
    is_dated: bool
    """Whether it says when something was or will be."""
    day: date | None
    """When it was said."""


def read_turn(turn: Turn) -> TurnFeatures:
    """Return the features of `turn`: the person's words are its request (its first pages) and their answers."""
    if len(turn.request) > READ_CHARACTERS:
        turn = turn.model_copy(update={"request": turn.request[:READ_CHARACTERS]})
    speaker, said = split_speaker(turn.request)
    answers = [step.answer for step in turn.steps if isinstance(step, QuestionStep) and step.answer]
    found: tuple[Sentence, ...] = tuple(sentence for text in (said, *answers) for sentence in sentences(text))
    count = len(found) or 1
    return TurnFeatures(
        terms=Counter(tokenise(index_text(turn))),
        speaker=speaker,
        statements=tuple(sentence.text for sentence in found if sentence.kind == "statement")[:_MAX_STATEMENTS],
        is_one_statement=len(found) == 1 and found[0].kind == "statement" and not turn.steps,
        stance_share=sum(sentence.is_stance for sentence in found) / count,
        asking_share=sum(sentence.kind in ("question", "request") for sentence in found) / count,
        is_dated=_DATED.search(said) is not None,
        day=turn.time.date() if turn.time else None,
    )


@dataclass(frozen=True)
class QueryFeatures:
    """A query as the ranking sees it."""

    text: str
    speakers: tuple[str, ...] = ()
    """The known speakers it names, in its order."""

    @cached_property
    def main_line(self) -> str:
        """The longest line: what is wanted, without the circumstances listed below it."""
        return max(self.text.splitlines() or [""], key=len)

    @cached_property
    def term_weights(self) -> Mapping[str, float]:
        """The terms that carry content, without the names of speakers, and how much each counts."""
        names = {term for name in self.speakers for term in tokenise(name)}
        weights = dict.fromkeys(content_terms(self.text), CIRCUMSTANCE_WEIGHT)
        main = content_terms(self.main_line) if self.main_line != self.text else list(weights)
        weights.update(dict.fromkeys(main, 1.0))
        return {term: weight for term, weight in weights.items() if term not in names} or weights

    @cached_property
    def asks_when(self) -> bool:
        """Whether it asks for a time."""
        return _ASKS_WHEN.search(self.main_line) is not None

    @cached_property
    def days(self) -> tuple[NamedDay, ...]:
        """The days and months it names."""
        return named_days(self.main_line)


def read_query(text: str, speakers: Collection[str]) -> QueryFeatures:
    """Return the features of a query to a log in which `speakers` speak."""
    folded = normalise(text)
    places = [(place.start(), name) for name in speakers if (place := _word(name).search(folded))]
    return QueryFeatures(text, tuple(name for _, name in sorted(places)))


def _word(name: str) -> re.Pattern[str]:
    edges = ("", "") if not name.isascii() else (r"\b", r"\b")
    return re.compile(f"{edges[0]}{re.escape(name)}{edges[1]}")


def named_days(text: str) -> tuple[NamedDay, ...]:
    """Return the days and months that `text` names, in order; a bare "may" counts only after a preposition."""
    return tuple(day for match in _DAY.finditer(text) if (day := _named_day(match, text)) is not None)


def _named_day(match: re.Match[str], text: str) -> NamedDay | None:
    part = match.groupdict()
    if name := part["month"]:
        day, year = part["before"] or part["after"], part["year"]
        if name.casefold() == "may" and not (day or year) and not _MODAL_MAY.search(text):
            return None
        month = _MONTHS.index(name.casefold()) + 1
    else:
        month = int(part["month_zh"] or part["month_iso"])
        day, year = part["day_zh"] or part["day_iso"], part["year_zh"] or part["year_iso"]
    if not 1 <= month <= 12:
        return None
    return NamedDay(int(year) if year else None, month, int(day) if day else None)


def nearness_in_time(days: Collection[NamedDay], when: date | datetime | None) -> float:
    """Return how near `when` is to the nearest of `days`, in [0, 1].

    The month named gives 1 where no day is; a day gives 1 on the day and falls to 1/e a week after it or four days
    before it: people tell of a thing after it happened. A year that is not named is any year.
    """
    if when is None:
        return 0.0
    return max((_nearness(named, when) for named in days), default=0.0)


def _nearness(named: NamedDay, when: date | datetime) -> float:
    year = named.year or when.year
    if named.day is None:
        return float((year, named.month) == (when.year, when.month))
    try:
        day = date(year, named.month, named.day)
    except ValueError:  # the 31st of a shorter month
        return 0.0
    later = (date(when.year, when.month, when.day) - day).days
    return float(2.718281828459045 ** -(later / 7 if later >= 0 else -later / 4))

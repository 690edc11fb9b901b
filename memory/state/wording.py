"""How the values of a turn's calls are meant, read from what the person said in that turn."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from pydantic import JsonValue

from memory.evidence import Kind
from memory.language.text import fold_accents, normalise, split_name, stem
from memory.language.text_cache import text_cache
from memory.language.values.numbers import finite, parse_number
from memory.language.values.scripts import simplified
from memory.records import QuestionStep, ToolCall, Turn
from memory.state.contrasts import contrasted, spread
from memory.state.cues import Clause, clause_texts, clauses, cues_in
from memory.state.statement_forms import ADDITIVE

_WEAK_WORDS = frozenset(
    stem(word)
    for word in (
        *("id", "name", "type", "number", "value", "list", "time", "day", "end"),
        *("is", "include", "the", "of", "to", "from", "for"),
    )
)
"""Words of argument names, as stems, that say too little to link a clause with a slot ("this time")."""
_CHINESE_NAMES: dict[str, tuple[str, ...]] = {
    "account": ("账户", "账号", "帐户"),
    "address": ("地址",),
    "amount": ("金额",),
    "category": ("类目", "分类", "类别"),
    "city": ("城市",),
    "count": ("数量", "条数"),
    "currency": ("币种", "货币"),
    "date": ("日期",),
    "format": ("格式",),
    "language": ("语言",),
    "memo": ("备注",),
    "platform": ("平台",),
    "price": ("价格", "价位"),
    "seat": ("座位", "座席", "席别"),
    "time": ("时间",),
    "unit": ("单位",),
}
"""What Chinese speakers call the things that arguments are named after."""


class Wording(NamedTuple):
    """What the person said in a turn, and the calls it led to."""

    clauses: tuple[Clause, ...]
    calls: tuple[ToolCall, ...]

    @classmethod
    def of(cls, turn: Turn) -> Wording:
        said: list[tuple[str, tuple[str, ...]]] = [(turn.request, ())]
        said += [(step.answer, step.slots) for step in turn.steps if isinstance(step, QuestionStep) and step.answer]
        parts: list[Clause] = []
        for text, slots in said:
            offset = parts[-1].sentence + 1 if parts else 0
            found = clauses(text)
            if offset or slots:
                found = tuple(replace(one, sentence=one.sentence + offset, slots=slots) for one in found)
            parts.extend(found)
        is_naming = partial(_names_any, turn.calls)
        return cls(spread(contrasted(parts, is_naming), is_naming), turn.calls)

    def about(self, value: JsonValue) -> Sequence[Clause]:
        """Return the clauses of the sentences that name `value`; all where none does."""
        sentences = {clause.sentence for clause in self.clauses if is_mentioned(value, clause.text)}
        return [clause for clause in self.clauses if clause.sentence in sentences] or self.clauses

    def is_added(self, value: JsonValue) -> bool:
        """Whether a clause that names `value` says that it comes on top of others ("HR too", 也加上)."""
        return any(ADDITIVE.search(clause.own) and is_mentioned(value, clause.own) for clause in self.clauses)

    def kind(self, call: ToolCall, argument: str, value: JsonValue) -> Kind:
        """Return how `value` is meant; the first of other person, hypothetical, one-off and standing that applies.

        A value that only a quotation names is somebody else's, unless it is a plain phrase or title (`_is_quoted`).

        A cue speaks for the values and slots of its own clause. A value that no clause mentions (an id, a switch)
        takes the one-off cue of the turn, and the standing one of a clause that names no value of any call where it is
        the only such value, or the only slot that was asked for. A rule in an answer is about the slots asked for.
        """
        if not any(clause.cues or clause.quoted or clause.reported for clause in self.clauses):
            return "plain"
        stating = [clause for clause in self.clauses if is_mentioned(value, clause.own)]
        if not stating and self._is_quoted(call, argument, value):
            return "other_person"
        mentioning = stating or [clause for clause in self.clauses if is_mentioned(value, clause.text)]
        if self._is_for_other(call) and not any(clause.is_for_self for clause in mentioning):
            return "other_person"
        if mentioning and all("hypothetical" in clause.cues for clause in mentioning):
            return "hypothetical"
        relevant = [*mentioning, *(clause for clause in self.clauses if names_slot(argument, clause.own))]
        if any("one_off" in clause.cues for clause in relevant) or (not mentioning and self._has("one_off")):
            return "one_off"
        slot = f"{call.name}.{argument}"
        if any("standing" in clause.cues and _is_about(clause, slot) for clause in relevant):
            return "standing"
        return "standing" if not mentioning and self._is_ruled(call, argument) else "plain"

    def _is_quoted(self, call: ToolCall, argument: str, value: JsonValue) -> bool:
        """Whether `value`, which no own words name, is quoted as somebody else's.

        It is where it is said to be somebody's, where it is a part of a quoted order or rule, or where another call
        has a value for the same argument that the person's own words name.
        """
        if any(is_mentioned(value, words) for clause in self.clauses for words in clause.reported):
            return True
        quotations = [words for clause in self.clauses for words in clause.quoted if is_mentioned(value, words)]
        if not quotations:
            return False
        if not any(value_text(value) == words or not cues_in(words) for words in quotations):
            return True
        others = [one.arguments[argument] for one in self.calls if one.name == call.name and argument in one.arguments]
        return any(is_mentioned(other, clause.own) for other in others for clause in self.clauses)

    def _has(self, kind: Kind) -> bool:
        return any(kind in clause.cues for clause in self.clauses)

    def _is_ruled(self, call: ToolCall, argument: str) -> bool:
        """Whether a rule that names no value of any call means this argument, whose value nobody names either."""
        slot = f"{call.name}.{argument}"
        bare = [
            clause
            for clause in self.clauses
            if "standing" in clause.cues and not _names_any(self.calls, clause) and _is_about(clause, slot)
        ]
        return any(clause.slots == (slot,) for clause in bare) or (bool(bare) and self._unmentioned(call) == [argument])

    def _is_for_other(self, call: ToolCall) -> bool:
        """Whether `call` was made for somebody else: the turn says so and, of several like calls, means this one."""
        cued = [clause for clause in self.clauses if "other_person" in clause.cues]
        if not cued or sum(other.name == call.name for other in self.calls) == 1:
            return bool(cued)
        return any(is_mentioned(value, clause.text) for clause in cued for value in call.arguments.values())

    def _unmentioned(self, call: ToolCall) -> list[str]:
        """Return the arguments that no clause mentions; dates do not count, since no rule is about one."""
        return [
            name
            for name, value in call.arguments.items()
            if not is_calendar_date(value) and not any(is_mentioned(value, clause.text) for clause in self.clauses)
        ]


def _is_about(clause: Clause, slot: str) -> bool:
    """Whether a rule in `clause` may be about `slot`: an answer's is only about what was asked for."""
    return not clause.slots or slot in clause.slots


def _names_any(calls: Sequence[ToolCall], clause: Clause) -> bool:
    return any(is_mentioned(value, clause.text) for call in calls for value in call.arguments.values())


def names_slot(argument: str, clause: str) -> bool:
    words, chinese = _names_of(argument)
    return not words.isdisjoint(_stems(clause)) or any(name in clause for name in chinese)


@text_cache(4096)
def _names_of(argument: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return what an argument may be called: English words as stems, and Chinese names."""
    words = split_name(argument)
    chinese = tuple(name for word in words for name in _CHINESE_NAMES.get(word, ()))
    return frozenset(map(stem, words)) - _WEAK_WORDS, chinese


@text_cache(1024)
def _stems(clause: str) -> frozenset[str]:
    return frozenset(map(stem, re.findall(r"[a-z]+", clause)))


_ENGLISH_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve"
_NUMBER_WORDS = {word: number for number, word in enumerate(_ENGLISH_NUMBERS.split())} | {
    "fifteen": 15,
    "twenty": 20,
    "thirty": 30,
}
_HAN_NUMBERS = {char: number for number, char in enumerate("零一二三四五六七八九十")} | {"两": 2}
_ISO_DATE = re.compile(r"\d{4}-\d{2}-(\d{2})")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::\d{2})?")
_MAGNITUDE = re.compile(r"(?<![\w.:-])\d+(?:\.\d+)?k\b|\d+(?:\.\d+)?[千万亿]|[零一二两三四五六七八九十百千万]{2,}")
"""Numbers that are not their digits ("50k", 五万)."""
_QUANTITY = re.compile(r"(\d+(?:\.\d+)?) ?[a-z]+")


def is_calendar_date(value: JsonValue) -> bool:
    """Whether `value` is one day of one year, YYYY-MM-DD: an occasion, which no habit is about."""
    return isinstance(value, str) and _ISO_DATE.fullmatch(value) is not None


def is_said(value: JsonValue, text: str) -> bool:
    """Whether one clause of `text` names `value`."""
    return any(is_mentioned(value, clause) for clause in clause_texts(text))


def is_mentioned(value: JsonValue, clause: str) -> bool:
    """Whether `clause` (in normal form) names `value` as people do: literally, as a number word, a day or an hour.

    Switches are never named; lists and objects are where all their parts are, empty ones are not.
    """
    if isinstance(value, list | dict):
        parts = list(value.values()) if isinstance(value, dict) else value
        return bool(parts) and all(is_mentioned(part, clause) for part in parts)
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, int | float):
        return finite(value) in _numbers(clause)
    return _is_text_mentioned(value_text(value), _folded(clause))


def is_named_in(value: JsonValue, text: str) -> bool:
    """Whether `text`, as it was written, names `value` as `is_mentioned` has it."""
    return is_mentioned(value, _plain(text))


def value_text(value: JsonValue) -> str:
    """Return a text as people would say it, in normal form; empty for anything else."""
    return _plain(value) if isinstance(value, str) else ""


_folded = text_cache(1024)(fold_accents)


@text_cache(4096)
def _plain(value: str) -> str:
    return fold_accents(simplified(normalise(value.replace("_", " "))))


@text_cache(4096)  # a turn asks for its kinds, its echoes and its neighbours
def _is_text_mentioned(text: str, clause: str) -> bool:
    if not text:
        return False
    if _holds(text, clause):
        return True
    if date := _ISO_DATE.fullmatch(text):
        return float(date[1]) in _numbers(clause)
    if clock := _CLOCK.fullmatch(text):
        hour, minute = int(clock[1]), int(clock[2])
        if minute:
            return re.search(rf"(?<!\d)0?(?:{hour}|{hour % 12})[:.点]{minute:02}(?!\d)", clause) is not None
        return bool({float(hour), float(hour % 12 or 12)} & _numbers(clause))
    if quantity := _QUANTITY.fullmatch(text):
        return finite(quantity[1]) in _numbers(clause)
    return False


_IN_WORD = frozenset(string.ascii_lowercase + string.digits)


def _holds(text: str, clause: str) -> bool:
    """Whether `text` stands in `clause`, in plain letters as whole words."""
    at = clause.find(text)
    if text.isascii():
        while at >= 0 and (clause[at - 1 : at] in _IN_WORD or clause[at + len(text) :][:1] in _IN_WORD):
            at = clause.find(text, at + 1)
    return at >= 0


@text_cache(1024)
def _numbers(clause: str) -> frozenset[float]:
    """Return the numbers that `clause` names in digits or words."""
    figures = map(finite, re.findall(r"(?<![\w.:-])\d+(?:\.\d+)?(?![\d-]|:\d)", _spaced(clause)))
    magnitudes = map(parse_number, _MAGNITUDE.findall(clause))
    digits = {float(number) for number in (*figures, *magnitudes) if number is not None}
    words = {float(_NUMBER_WORDS[word]) for word in re.findall(r"[a-z]+", clause) if word in _NUMBER_WORDS}
    han = {float(_HAN_NUMBERS[char]) for char in re.findall(r"[零一二两三四五六七八九十]", clause)}
    return frozenset(digits | words | han)


def _spaced(clause: str) -> str:
    """Return `clause` with Chinese characters as spaces, so that digits between them stand alone."""
    return re.sub(r"[\u3400-\u9fff]", " ", clause)

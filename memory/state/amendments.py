"""Changes of a rule or fact that do not say it again: "make that eight instead", "raise the budget to 60", 改成周五吧.

Of what was said before only the quantity is new: a number, a time of day or a day of the week. It takes the place of
the one that was there, so that the rest of what was said still holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from memory.evidence import PERSON, Evidence
from memory.language.values.mentions import READ_CHARACTERS
from memory.language.values.scripts import simplified
from memory.records import Turn
from memory.state.cues import Clause, clauses
from memory.state.refusals import thing_terms

_TURNS = 3
"""Turns before one that "it" may point back to."""
_KEPT_TURNS = 16
"""Turns before one of which a rule may be changed that is named."""

_SMALL = (
    r"(?:a dozen|half an?|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:one|two|three|four|five|"
    r"six|seven|eight|nine))?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|"
    r"eigh|nine)teen)"
)
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:周|星期|礼拜)[一二三四五六日天末]"
_CLOCK = (
    r"\d{1,2}:\d{2}(?: ?[ap]\.?m\b\.?)?|\d{1,2} ?[ap]\.?m\b\.?|\d{1,2} o'clock"
    r"|[\d一二两三四五六七八九十]{1,3}点(?:半|一刻|三刻|[\d一二三四五六七八九十]{1,3}分?)?"
)
_NUMBER = rf"\d[\d,]*(?:\.\d+)?|\b{_SMALL}\b|[一二两三四五六七八九十百千万]{{1,8}}(?![下样些直起般定])"
_QUANTITY = re.compile(rf"(?P<day>\b{_DAY})|(?P<clock>{_CLOCK})|(?P<number>{_NUMBER})", re.IGNORECASE)
_UNIT = re.compile(r" ?(?P<unit>[a-z%€$£°]+|[\u3400-\u9fff])", re.IGNORECASE)
_NO_UNIT = frozenset(
    re.findall(
        r"\S+",
        "from instead please now on at for a every each in and then though too per going 吧 了 好 就 以 呢 啊 都 后",
    )
)
"""What follows a number and is no unit of it."""

_LEAD = (
    r"(?:(?:hm+|ok|okay|oh|no|and|but|so|then|actually|well|just|please|let's|i'd rather|i'd like to|we should|can you|"
    r"could you|i want to|better|you can|for|(?:starting|from|as of) (?:next |this )?\w+(?: on(?:wards)?)?)\b,? )*"
)
_VERB = (
    r"(?:make|change|switch|set|turn|bump|raise|lower|increase|reduce|decrease|drop|cut|push|move|bring|put|"
    r"extend|shorten)"
)
_AMENDS = re.compile(
    rf"^{_LEAD}(?:make (?:it|that|this|them|those) |{_VERB} (?:it|that|this|them|those)(?: back| up| down| over)? to "
    rf"|{_VERB} (?:the|my|our) (?P<what>[\w' -]{{2,40}}?)(?: back| up| down| over)? to |(?:it's|it is|that's) "
    r"(?=.* now$))(?P<new>.+)$"
    r"|^(?:那|那就|就|还是|再|请|算了|(?:从[^，。\s]{1,5}(?:起|开始)|以后|往后|今后)(?:都|就)*|把(?P<it>[^，。\s]{1,8}?))*"
    r"(?P<it_zh>(?!.*[我你他她])[^，。\s\d]{0,6}?)(?:给我)?(?:(?<=都)[设调定开](?=[\d一二两三四五六七八九十百])|(?:改|换|调|设|提|降|涨|加|减|升|推迟|提前|放宽|延长|缩短)(?:高|低|多|少|大|小)?"
    r"(?:成|到|为|至))(?P<new_zh>[^，。\s]{1,10})$",
    re.IGNORECASE,
)
_BARE = re.compile(
    rf"^{_LEAD}(?P<new>(?:at )?(?:{_DAY}|{_CLOCK}|{_NUMBER})(?: [\w-]+){{0,2}}?)(?: instead| please)*"
    r"(?: from (?:now|here|today) on(?:wards?)?| going forward)?$"
    r"|^(?:还是)(?P<new_zh>[^，。\s]{1,6}?)[吧好]$",
    re.IGNORECASE,
)
"""A quantity alone: it changes something where the clause before says that something is to be changed."""
_RETHOUGHT = re.compile(
    r"^(?:(?:hm+|oh|no|sorry|actually|wait|ok|okay|well)\b,? ?)*(?:scratch that|on second thoughts?|change of plans?|"
    r"i changed my mind|no|wait|actually|hm+|sorry|make that)$|^(?:想了想|算了|等等|不对|我改主意了|改主意了|不)$",
    re.IGNORECASE,
)
_ONCE = re.compile(
    r"\b(?:today|tonight|tomorrow|this|(?<!from )(?<!starting )next|once|should|if|would|what|how|why)\b"
    r"|今[天晚早次]|明[天晚早]|后天|[这下本]个?(?:周|星期|月|次|回)(?!起|开始|以后)|[吗么]$|要不要|是不是|如果|要是"
)
"""What says that a change is of one time, or is none."""


class _Quantity(NamedTuple):
    kind: str
    start: int
    end: int
    unit: str


class _Said(NamedTuple):
    """What a turn before told."""

    position: int
    kinds: frozenset[str]
    """Of the quantities its request named."""
    pieces: tuple[Evidence, ...]
    """The rules and facts of the person in it."""


class Amendments:
    """Adds to the evidence of each turn of a log what it makes of rules and facts that were told before."""

    def __init__(self) -> None:
        self._said: tuple[_Said, ...] = ()
        self._before: tuple[_Said, ...] = ()

    def apply(self, turn: Turn, pieces: Iterable[Evidence]) -> tuple[Evidence, ...]:
        """Return the evidence of `turn`, the next one, with the rules and facts that it changes in their new form."""
        self._before = self._said
        request = turn.request[:READ_CHARACTERS]
        told = tuple(pieces)
        position = self._said[-1].position + 1 if self._said else 0
        changed = list(self._amended(turn, request, position))
        words = [new for new, _ in changed]  # a form may have read them too: "raise the step goal to 10,000"
        told = tuple(
            piece for piece in told if not (_may_change(piece) and any(new in str(piece.value) for new in words))
        )
        told = tuple(dict.fromkeys((*told, *(piece for _, piece in changed))))
        held = tuple(piece for piece in told if _may_change(piece))
        said = _Said(position, frozenset(one.kind for one in _quantities(simplified(request))), held)
        self._said = (*self._said[-_KEPT_TURNS:], said)
        return told

    def take_back(self) -> None:
        """Be as before the last `apply`; it can be done once."""
        self._said = self._before

    def _amended(self, turn: Turn, request: str, position: int) -> Iterator[tuple[str, Evidence]]:
        """Yield the words of each new quantity, and what it changes in its new form."""
        if not any(one.pieces for one in self._said) or not _QUANTITY.search(simplified(request)):
            return
        for what, new in _changes(clauses(request)):
            quantity = next(iter(_quantities(new)), None)
            if quantity is None:
                continue
            for piece in self._meant(what, quantity.kind):
                value = _put(new, quantity, str(piece.value))
                if value is not None and value != piece.value:
                    changed = replace(piece, value=value, source="request", turn_id=turn.turn_id, position=position)
                    changed = replace(changed, time=turn.time, echo_of=None, is_said=True, is_added=False)
                    yield new[quantity.start : quantity.end], changed
                    break

    def _meant(self, what: str, kind: str) -> Iterator[Evidence]:
        """Yield what may be changed, newest first: what is named, or what had the last quantity of this kind."""
        terms = thing_terms(what)
        for said in reversed(self._said):
            if terms:
                named = (one for one in said.pieces if terms <= thing_terms(f"{one.slot.argument} {one.value}"))
                yield from named
            elif kind in said.kinds and self._said[-1].position - said.position < _TURNS:
                yield from said.pieces
                return


def _may_change(piece: Evidence) -> bool:
    is_rule = piece.kind == "standing" or bool(piece.condition)
    return piece.slot.tool == PERSON and is_rule and not piece.is_twin and isinstance(piece.value, str)


def _changes(parts: Sequence[Clause]) -> Iterator[tuple[str, str]]:
    """Yield what is changed (empty where it is not named) and to what, in simplified Chinese."""
    once = {part.sentence for part in parts if {"one_off", "hypothetical", "today"} & part.signs or _is_once(part)}
    for index, part in enumerate(parts):
        if part.sentence in once or "other_person" in part.cues:
            continue
        words = re.sub("[吧了啊呀哦]+$", "", simplified(part.raw)) or part.raw
        if match := _AMENDS.match(words):
            yield match["what"] or match["it"] or match["it_zh"] or "", match["new"] or match["new_zh"]
        elif index and _RETHOUGHT.match(simplified(parts[index - 1].raw)) and (match := _BARE.match(words)):
            yield "", match["new"] or match["new_zh"]


def _is_once(part: Clause) -> bool:
    return _ONCE.search(part.text) is not None


def is_of_one_time(request: str) -> bool:
    """Whether `request` speaks of one time ("tomorrow make that nine"), or asks."""
    return any(map(_is_once, clauses(request)))


def _quantities(text: str) -> list[_Quantity]:
    """Return the quantities that `text` names, in order."""
    found = []
    for match in _QUANTITY.finditer(text):
        unit = _UNIT.match(text, match.end())
        name = unit["unit"].casefold() if unit and match.lastgroup == "number" else ""
        found.append(_Quantity(match.lastgroup or "", match.start(), match.end(), "" if name in _NO_UNIT else name))
    return found


def _put(new: str, quantity: _Quantity, old: str) -> str | None:
    """Return `old` with its quantity of that kind replaced; `None` where it has none, or several, of the same unit."""
    fitting = [one for one in _quantities(old) if one.kind == quantity.kind]
    if quantity.unit:
        fitting = [one for one in fitting if one.unit == quantity.unit or not one.unit]
    if len(fitting) != 1:
        return None
    return f"{old[: fitting[0].start]}{new[quantity.start : quantity.end]}{old[fitting[0].end :]}"

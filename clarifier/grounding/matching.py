"""Whether a text supports a value: literally, by a typed mention, by what it amounts to, or by its words.

Boundaries are kept: `son` is not supported by `person`, nor 5 by `15`. Nothing here knows where the text comes from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from datetime import datetime
from typing import Literal, NamedTuple

from pydantic import JsonValue

from clarifier.grounding.choices import glosses, speech_for
from clarifier.grounding.codes import is_looked_up
from clarifier.grounding.measures import is_other_unit, measured
from clarifier.grounding.spoken import IS_CJK, holds, mentions_in, normalised, terms
from clarifier.settings import GroundingSettings
from memory.language.text import split_name, stem
from memory.language.values.amounts import amounts
from memory.language.values.dates import normal_date
from memory.language.values.day_parts import is_part_of_day
from memory.language.values.descriptions import described_format
from memory.language.values.han_numbers import numerals
from memory.language.values.times import normal_time
from memory.language.values.values import equal
from memory.tools import Parameter

_IDENTIFIER = re.compile(r"^(?=\S+$)(?:.*[@/\\#=]|.*\d.*[^\W\d]|.*[^\W\d].*\d|.*\w[_:]\w|.*\w\.\w{2,})", re.DOTALL)
_WORKED_OUT = frozenset({"date", "date_range", "country", "currency", "language"})
"""Kinds of mentions whose value is not in the words themselves."""
_BARE_HOUR = re.compile(
    r"(?!noon|mid)(?:[a-z]+\s)?(?:\d{1,2}|[a-z]+)(?:\s?o['’]?clock)?|(?:\d{1,2}|[一二三四五六七八九十两]{1,3})点钟?",
    re.IGNORECASE,
)
"""A time of day that is a bare number ("at 8", "八点"): which half of the day is meant was worked out."""
_LITERAL_FORMATS = ("email", "url", "uuid", "ip", "ipv4", "ipv6", "phone")
_EMPTY_WORDS_TEXT = (
    "a an the of to for in on at by and or with is are be my your our their this that it its i me we you whether "
    "include included including show get data information value if default"
)
_EMPTY_WORDS = frozenset(_EMPTY_WORDS_TEXT.split())
_HAS_DIGIT = re.compile(r"\d")
_MOMENTS_TEXT = "now today tomorrow yesterday tonight noon midnight 现在 今天 明天 昨天 后天 前天 中午 午夜"
_MOMENTS = frozenset(_MOMENTS_TEXT.split())
_FORMS: dict[str, Callable[[str], bool]] = {
    "date": lambda text: bool(_HAS_DIGIT.search(text)) or text in _MOMENTS,
    "datetime": lambda text: bool(_HAS_DIGIT.search(text)) or text in _MOMENTS,
    "time": lambda text: bool(_HAS_DIGIT.search(text)) or text in _MOMENTS,
    "email": lambda text: re.fullmatch(r"\S+@\S+", text) is not None,
    "url": lambda text: re.fullmatch(r"\S*[./:]\S*", text) is not None,
    "ip": lambda text: re.fullmatch(r"[\da-f.:]+", text) is not None,
}
"""By format, whether a normal text can be such a value at all."""


_MAY_HOLD_MOMENTS = re.compile(
    r"date|day|time|when|hour|period|deadline|text|message|note|query|keyword|title|content|subject|body|comment"
    r"|日|时|天|期|内容|消息|文本|关键|标题|备注|说明",
    re.IGNORECASE,
)
"""Names and descriptions of texts that "tomorrow" may be: no town and no person is called so."""
_ALTERNATIVE = re.compile(r"\bor\b|或", re.IGNORECASE)
"""Descriptions that allow another shape than the format's ("an email address or a phone number")."""


class Match(NamedTuple):
    """How far a text supports a value."""

    strength: float
    """In (0, 1]; 1 where the text states the value."""
    how: Literal["stated", "derived", "words"]
    """`derived`: worked out from the words (a date at the clock, a code from a name); `words`: not in one piece."""


def match(
    value: JsonValue, text: str, parameter: Parameter | None, now: datetime | None, settings: GroundingSettings
) -> Match | None:
    """Return how `text` supports the scalar `value` of `parameter`, `None` where it does not.

    A value that cannot be one of the parameter's (a word for a date) is supported by nothing.
    """
    if not text or value is None or isinstance(value, (list, dict)) or not fits(value, parameter):
        return None
    if isinstance(value, bool):
        return _match_flag(value, text, parameter, now, settings)
    if isinstance(value, (int, float)):
        return _match_number(value, text, parameter, now, settings)
    if parameter is not None and parameter.enum:
        return _match_member(value, text, parameter, now, settings)
    return _match_text(value, text, parameter, now, settings)


def fits(value: JsonValue, parameter: Parameter | None) -> bool:
    """Say whether `value` can be one of the parameter's at all: of its type, in its enum, shaped as its format."""
    if parameter is None or parameter.type == "any":
        return True
    if parameter.enum:
        return any(equal(value, allowed, parameter) for allowed in parameter.enum)
    if parameter.type in ("integer", "number") and isinstance(value, str):
        return _HAS_DIGIT.search(value) is not None
    if isinstance(value, str) and not parameter.format and normalised(value) in _MOMENTS:
        return _MAY_HOLD_MOMENTS.search(f"{parameter.name} {parameter.description}") is not None
    form = _FORMS.get(parameter.format or "") if not _ALTERNATIVE.search(parameter.description) else None
    if form is None or not isinstance(value, str) or form(normalised(value)):
        return True
    return parameter.format == "time" and not _tells_format(parameter) and is_part_of_day(value)


def _tells_format(parameter: Parameter) -> bool:
    """Whether more than a parameter's name says which form its values have."""
    is_named = described_format(parameter.name, "", parameter.type) == parameter.format
    return not is_named or described_format("", parameter.description, parameter.type) == parameter.format


def is_identifier(value: JsonValue) -> bool:
    """Say whether a value is an id, address, url or code: something that is either right to the letter or wrong."""
    if not isinstance(value, str) or _IDENTIFIER.match(value.strip()) is None:
        return False
    return normal_date(value) is None and normal_time(value) is None


def must_be_literal(value: JsonValue, parameter: Parameter | None) -> bool:
    """Say whether a value is right to the letter or wrong, by its own form or by what its parameter takes."""
    takes_literals = parameter is not None and (is_looked_up(parameter) or parameter.format in _LITERAL_FORMATS)
    return takes_literals or is_identifier(value)


def paraphrases(value: JsonValue, answer: str, parameter: Parameter | None) -> Literal["words", "script"] | None:
    """Return how `answer` may put the text `value` in other words, `None` where it cannot.

    `words`: they share a telling word; `script`: they are in different scripts, so that nothing can be compared.
    Numbers, dates, times and what has to be literal have no other words.
    """
    if not answer or not isinstance(value, str) or not fits(value, parameter) or must_be_literal(value, parameter):
        return None
    if not any(char.isalpha() for char in value) or normal_date(value) or normal_time(value):
        return None
    if (terms(normalised(value)) - _EMPTY_WORDS) & terms(normalised(answer)):
        return "words"
    return "script" if (IS_CJK.search(value) is None) != (IS_CJK.search(answer) is None) else None


def contains(text: str, value: str) -> bool:
    """Say whether `text` holds `value` in one piece, case and width aside, not cut out of a longer word."""
    return holds(normalised(text), normalised(value))


def _match_text(
    value: str, text: str, parameter: Parameter | None, now: datetime | None, settings: GroundingSettings
) -> Match | None:
    wanted, source = normalised(value), normalised(text)
    if not wanted:
        return None
    if holds(source, wanted) or ("_" in wanted and holds(source, wanted.replace("_", " "))):
        return Match(1.0, "stated")
    if found := _match_mention(value, text, parameter, now, settings):
        return found
    if is_identifier(value):
        return None
    if parameter is not None and any(holds(source, gloss) for gloss in glosses(value, parameter)):
        return Match(1.0, "stated")
    if normal_date(value) is not None:
        return None
    if must_be_literal(value, parameter):
        return None
    if is_place_within(value) and holds(source, normalised(value.partition(",")[0])):
        return Match(settings.derived, "derived")
    return _match_words(wanted, source, settings)


_WITHIN = re.compile(r"[^\W\d_]+(?:[ .'-]+[^\W\d_]+){0,2}(?:, ?[A-Z][\w. ]{1,30}){1,2}")


def is_place_within(value: str) -> bool:
    """Say whether a value is a name with what it lies in: "Burlington, VT". The first part alone is said as a rule."""
    return value[:1].isupper() and _WITHIN.fullmatch(value.strip()) is not None


def _match_mention(
    value: str | float,
    text: str,
    parameter: Parameter | None,
    now: datetime | None,
    settings: GroundingSettings,
    *,
    except_at: Collection[int] = (),
) -> Match | None:
    for one in mentions_in(text, now):
        if one.start in except_at:
            continue
        named = one.value if isinstance(one.value, list) else [one.value]
        if any(equal(item, value, parameter) for item in named):
            is_derived = one.kind in _WORKED_OUT or (one.kind == "time" and _BARE_HOUR.fullmatch(one.text) is not None)
            return Match(settings.derived, "derived") if is_derived else Match(1.0, "stated")
    return None


def _match_number(
    value: float, text: str, parameter: Parameter | None, now: datetime | None, settings: GroundingSettings
) -> Match | None:
    """A number is stated where the text has it, in the parameter's unit if it has one that is known.

    Nobody says the sign of what they spent: which way an amount goes was worked out.
    """
    if value < 0 and (spent := _match_number(-value, text, parameter, now, settings)):
        return Match(min(spent.strength, settings.derived), "derived")
    others = {one.start for one in amounts(text) if is_other_unit(one.unit, parameter)}
    if found := _match_mention(value, text, parameter, now, settings, except_at=others):
        return found
    if parameter is not None and measured(value, text, parameter):
        return Match(settings.derived, "derived")
    return Match(settings.paraphrase, "words") if not others and value in numerals(text) else None


def _match_member(
    value: str, text: str, parameter: Parameter, now: datetime | None, settings: GroundingSettings
) -> Match | None:
    """A member of the enum is stated, or meant by what no other member has."""
    speech = speech_for(value, parameter.enum, text, parameter.description, now)
    if speech == "stated":
        return Match(1.0, "stated")
    if speech != "other" and (found := _match_mention(value, text, parameter, now, settings)):
        return found
    return Match(settings.meant, "words") if speech == "meant" else None


def _match_flag(
    value: bool, text: str, parameter: Parameter | None, now: datetime | None, settings: GroundingSettings
) -> Match | None:
    """A flag is spoken of where a telling word of its name stands in the text: turned down, it is off.

    Said without a word that turns it down it is on; off is then less likely, though the planner may have read it so.
    """
    if parameter is None:
        return None
    telling = {stem(word) for word in split_name(parameter.name) if word not in _EMPTY_WORDS and len(word) > 2}
    if not _speaks(telling, text):
        return None
    refused = " ".join(str(one.value) for one in mentions_in(text, now) if one.kind == "no")
    if refused and _speaks(telling, refused):
        return None if value else Match(settings.paraphrase, "words")
    return Match(settings.paraphrase if value else settings.meant, "words")


def _speaks(telling: set[str], text: str) -> bool:
    words = terms(normalised(text))
    return bool(telling & words) or any(len(one) > 4 and one in word for one in telling for word in words)


def _match_words(wanted: str, source: str, settings: GroundingSettings) -> Match | None:
    needed = terms(wanted) - _EMPTY_WORDS
    if not needed:
        return None
    share = len(needed & terms(source)) / len(needed)
    is_composed = len(needed) >= settings.composed_words
    if share <= (settings.share_of_composed if is_composed else settings.share_of_words):
        return None
    return Match(share * settings.paraphrase, "words")

"""How slots, tools and values are called when talking to a person, in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from pydantic import JsonValue

from clarifier.grounding.chinese_names import chinese_name
from memory.language.schema import verb_effect
from memory.language.text import Language, split_name, stem
from memory.language.values.units import is_unit
from memory.tools import Parameter, Tool

_HAN = re.compile(r"[\u4e00-\u9fff]")
_IDENTIFIER = re.compile(r"\b[a-z0-9]+(?:_[a-z0-9]+)+\b|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b", re.ASCII)
_SNAKE = re.compile(r"^[A-Za-z]+(?:_[A-Za-z]+)+$")
_CUT = re.compile(
    r"[,.;:(（，。；：]|\bsuch as\b|\be\.g\b|\bfor example\b|\bwhether\b|\bin the format\b|\bdefault|\bthat\b|\bwhich\b"
    r"|\bas (?:written|returned|shown|given|on)\b|\b(?:must|should|can|may) be\b|例如|格式|默认|可选|支持|如'"
)
_LEAD = re.compile(r"^(?:the|a|an|required|optional|desired|specified|specify|indicates)\s+", re.IGNORECASE)
_VAGUE_TEXT = "id name type value query text data input content param parameter count number title format code"
_VAGUE = frozenset(_VAGUE_TEXT.split())
_ODD_TEXT = (
    "to from by of for at in on after before since until till with via per within near up max min most least q k n x y "
    "ref val arg opt kind what mode first last as is no num lim amt"
)
_ODD = frozenset(_ODD_TEXT.split())
"""Words that tell nothing alone, nor at the end of a name."""
_ADDRESSED = (
    (re.compile(r"\bthe user's\b"), "your"),
    (re.compile(r"\bthe user is\b"), "you are"),
    (re.compile(r"\bthe user wants\b"), "you want"),
    (re.compile(r"\bthe user\b"), "you"),
    (re.compile("用户(?=想|要|希望|所在|当前)"), "您"),
)
_MAX_WORDS = 9
_MAX_HAN = 14

_UNTOLD: Mapping[str, str] = MappingProxyType({"date": "date", "time": "time", "datetime": "date and time"})
"""What is said for an odd name that no description explains, by format."""
_UNTOLD_CHINESE: Mapping[str, str] = MappingProxyType({"date": "日期", "time": "时间", "datetime": "日期和时间"})
_BOUNDS: Mapping[str, str] = MappingProxyType(
    {"max": "highest", "maximum": "highest", "min": "lowest", "minimum": "lowest"}
)
_ENGLISH: Mapping[str, str] = MappingProxyType(
    {"desc": "description", "id": "identifier", "qty": "quantity", "lang": "language", "num": "number"}
)
_ABBREVIATIONS = frozenset(["id", "url", "ip", "iban", "isbn", "sms", "api"])


def slot_phrase(parameter: Parameter, language: Language) -> str:
    """Return what a person calls a slot, without an article: its name where that tells enough, else its description.

    Never a tool's name nor an identifier of the schema.
    """
    words = split_name(parameter.name)
    described = head(parameter.description, language)
    is_odd = not words or words[-1] in _ODD or len("".join(words)) <= 2
    if language == "zh":
        known = described or chinese_name(words)
        return known or (_UNTOLD_CHINESE.get(parameter.format or "", "具体信息") if is_odd else _spelled(words))
    if described and (is_odd or words[0] in _BOUNDS or (len(words) == 1 and _explains(described, words[0]))):
        return described
    return _UNTOLD.get(parameter.format or "", "details") if is_odd and len(words) < 2 else _spelled(words)


def says_nothing(parameter: Parameter, language: Language) -> bool:
    """Say whether neither name nor description tells what is wanted: a bare `query`, an odd `after`."""
    words = split_name(parameter.name)
    is_bare = len(words) < 2 and (not words or words[-1] in _ODD | _VAGUE or len(words[0]) <= 2)
    return is_bare and not parameter.enum and not head(parameter.description, language)


def _explains(described: str, word: str) -> bool:
    """Whether a description says more than a name of one word: it names the same thing, or the word says nothing."""
    return word in _VAGUE or is_unit(word) or stem(word) in {stem(one.casefold()) for one in described.split()}


def purpose(tool: Tool, language: Language) -> str:
    """Return what a tool is for, as "book Dutch train tickets"; empty where its description does not say so simply."""
    clause = re.split(r"[,.;:(（，。；：]|\bfrom\b|\bbased on\b|\busing\b", tool.description.strip())[0].strip()
    is_chinese = _HAN.search(clause) is not None
    if not clause or is_chinese != (language == "zh") or _IDENTIFIER.search(clause):
        return ""
    if is_chinese:
        return clause if len(clause) <= _MAX_HAN else ""
    words = clause.split()
    if not 2 <= len(words) <= 2 * _MAX_WORDS or words[0].endswith("s") or not verb_effect(words[0].casefold()):
        return ""
    return " ".join([words[0][0].lower() + words[0][1:], *words[1:]])


def value_phrase(value: JsonValue, language: Language) -> str:
    """Return a value as it is read out: lists with commas, flags as yes and no, `second_class` in two words."""
    if isinstance(value, bool):
        return {"en": ("no", "yes"), "zh": ("否", "是")}[language][value]
    if isinstance(value, list):
        return ("、" if language == "zh" else ", ").join(value_phrase(item, language) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{' '.join(split_name(name))} {value_phrase(item, language)}" for name, item in value.items())
    if isinstance(value, str):
        return " ".join(split_name(value)) if _SNAKE.match(value) else value
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def joined(parts: list[str], language: Language, *, word: str | None = None) -> str:
    """Return parts as one list: `a, b and c`, `a、b和c`."""
    link = word or ("和" if language == "zh" else "and")
    if len(parts) < 2:
        return "".join(parts)
    if language == "zh":
        return "、".join(parts[:-1]) + link + parts[-1]
    return ", ".join(parts[:-1]) + f" {link} " + parts[-1]


def head(description: str, language: Language) -> str:
    """Return the phrase a description opens with, without an article.

    Empty where it is too long, in the other language, or names an identifier.
    """
    text = _CUT.split(description.strip(), maxsplit=1)[0].strip().strip("'\"")
    while (shorter := _LEAD.sub("", text)) != text:
        text = shorter
    text = _addressed(text).removesuffix("的")
    is_chinese = _HAN.search(text) is not None
    if not text or _IDENTIFIER.search(text) or is_chinese != (language == "zh"):
        return ""
    if is_chinese:
        return _short(text)
    if len(text.split()) > _MAX_WORDS:
        return ""
    return text[0].lower() + text[1:] if text[1:2].islower() else text


def _addressed(text: str) -> str:
    """Return a phrase of a schema that speaks of "the user" as it is said to that person."""
    for of_user, to_them in _ADDRESSED:
        text = of_user.sub(to_them, text)
    return text


def _short(text: str) -> str:
    """Return a Chinese phrase, where it is long its noun alone; empty where that is long too."""
    if len(text) <= _MAX_HAN:
        return text
    noun = text.rpartition("的")[2]
    return noun if 2 <= len(noun) <= _MAX_HAN else ""


def _spelled(words: tuple[str, ...]) -> str:
    words = (_BOUNDS.get(words[0], words[0]), *words[1:]) if words else words
    return " ".join(
        word.upper() if word in _ABBREVIATIONS and len(words) > 1 else _ENGLISH.get(word, word) for word in words
    )

"""Which parameters take codes of countries, currencies or languages, and which take identifiers that tools give out."""

from __future__ import annotations

import re

from pydantic import JsonValue

from memory.language.text import normalise, split_name
from memory.language.text_cache import text_cache
from memory.language.values.codes import CodeKind, code_of
from memory.tools import Parameter

_CODE = re.compile(r"^[A-Za-z]{2,3}$")
_KINDS: tuple[tuple[CodeKind, re.Pattern[str]], ...] = (
    ("currency", re.compile("currency|currencies|货币|币种")),
    ("country", re.compile("country|countries|国家|国别")),
    ("language", re.compile("language|lang$|语言")),
)

KIND_WORDS_TEXT = "id ids identifier uid uuid url urls uri link href price fare cost code key ref reference"
KIND_WORDS = frozenset(KIND_WORDS_TEXT.split())
_KIND_IN_TEXT = re.compile(
    r"\b(?:unique )?(?:identifier|id|url|web address|price)\b|唯一标识|编号|(?<![a-z])ID(?![a-z])|网址|链接|价格|代码",
    re.IGNORECASE,
)


def is_code(value: JsonValue, parameter: Parameter) -> bool:
    """Say whether `value` is a valid code of the kind `parameter` takes."""
    kind = code_kind(parameter)
    return (
        kind is not None
        and isinstance(value, str)
        and _CODE.match(value) is not None
        and (code_of(kind, value) or "").casefold() == value.casefold()
    )


@text_cache(1024)
def code_kind(parameter: Parameter) -> CodeKind | None:
    """Return which codes a parameter takes, by its name, else its description; `None`: none of them."""
    for text in (" ".join(split_name(parameter.name)), normalise(parameter.description)):
        for kind, pattern in _KINDS:
            if pattern.search(text):
                return kind
    return None


def is_looked_up(parameter: Parameter) -> bool:
    """Say whether the value is one that tools give out: an identifier, a url, a code, a price.

    Codes of countries and currencies are common knowledge, what is chosen from an enum is the person's choice.
    """
    if parameter.enum or parameter.type == "boolean" or code_kind(parameter) is not None:
        return False
    if parameter.format == "url" or KIND_WORDS & set(split_name(parameter.name)):
        return True
    return parameter.type in ("string", "integer", "any") and _KIND_IN_TEXT.search(parameter.description) is not None

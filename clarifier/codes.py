"""Which parameters take codes of countries, currencies or languages, and whether a value is one."""

from __future__ import annotations

import re
from functools import lru_cache

from pydantic import JsonValue

from memory.codes import CodeKind, code_of
from memory.text import normalise, split_name
from memory.tools import Parameter

_CODE = re.compile(r"^[A-Za-z]{2,3}$")
_KINDS: tuple[tuple[CodeKind, re.Pattern[str]], ...] = (
    ("currency", re.compile("currency|currencies|货币|币种")),
    ("country", re.compile("country|countries|国家|国别")),
    ("language", re.compile("language|lang$|语言")),
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


@lru_cache(maxsize=1024)
def code_kind(parameter: Parameter) -> CodeKind | None:
    """Return which codes a parameter takes, by its name, else its description; `None`: none of them."""
    for text in (" ".join(split_name(parameter.name)), normalise(parameter.description)):
        for kind, pattern in _KINDS:
            if pattern.search(text):
                return kind
    return None

"""What a parameter's description says in words: its allowed values, its default, its format (English and Chinese)."""

from __future__ import annotations

import re

from pydantic import JsonValue

from memory.language.values.numbers import parse_number

_QUOTED = re.compile(r"""['"‘“「](?P<value>[^'"’”」]{1,40})['"’”」]""")
_ENUM_CUE = re.compile(
    r"\beither\b|\b(?:optional|available|possible|allowed|valid|supported|accepted)\s(?:\w+\s)?"
    r"(?:values?|formats?|options?|types?|units?)\b(?:\s(?:are|is|include|includes|including))?:?"
    r"|\bvalues?\s(?:are|can be|must be|is one of|include|includes)\b|\boptions?\s(?:are|include)\b"
    r"|\b(?:can|must|should) be (?=['\"‘“])|\bone of\b:?|\bchoose (?:from|between)\b"
    r"|可选值(?:有|为|包括|是)?[::]?|可选项?(?:为|有|包括)[::]?|取值(?:为|有|包括)?[::]?|可以?是(?=['\"‘“「])"
    r"|可选\s*(?=['\"‘“「])|\bsupports?\s(?=['\"‘“])|支持(?:的格式)?(?:有|为|包括)?(?=['\"‘“「])|枚举值?[::]?",
    re.IGNORECASE,
)
_OPEN = re.compile(r"\betc\b|\bsuch as\b|\be\.g\b|\bfor example\b|等|如\s*(?=['\"‘“「])|例如|比如", re.IGNORECASE)
_END = re.compile(r"[.;。；](?:\s|$)|[。；]|[,，]?\s*(?:\b(?:with|and)?\s?(?:the\s)?default|默认|缺省)", re.IGNORECASE)
_SEPARATOR = re.compile(r"\s*(?:,|，|、|/|\bor\b|\band\b|或者?|和)\s*", re.IGNORECASE)
_PLAIN_OPTIONS = re.compile(r"[\w-]+(?:\s*(?:,|，|、|/|\bor\b|\band\b|或者?|和)+\s*[\w-]+)+", re.IGNORECASE)
_LISTED = re.compile(
    rf"[,，:：、]\s*(?P<list>(?:{_QUOTED.pattern.replace('(?P<value>', '(?:')}[,，、]?\s*(?:or|and|或|和)?\s*){{2,}})"
)
_UNDERSCORED = re.compile(r"(?<!\w)([a-z]+(?:_[a-z]+)+)\s*(?:or|或|/)\s*([a-z]+(?:_[a-z]+)+)(?!\w)")


def described_enum(description: str, kind: str) -> tuple[JsonValue, ...]:
    """Return the allowed values that `description` lists in full, typed as `kind`; open lists ("such as") give none."""
    if kind in ("boolean", "object"):
        return ()
    for cue in _ENUM_CUE.finditer(description):
        rest = description[cue.end() :]
        end = _END.search(rest)
        segment = rest[: end.start()] if end else rest
        if _OPEN.search(segment) or _OPEN.search(description[max(0, cue.start() - 12) : cue.start()]):
            continue
        values = [match["value"].strip() for match in _QUOTED.finditer(segment)] or _plain_options(segment)
        if len(values) > 1:
            return _typed_all(values, kind)
    pair = _UNDERSCORED.search(description)
    if pair:
        return _typed_all([pair.group(1), pair.group(2)], kind)
    listed = _LISTED.search(description)
    if listed and not _OPEN.search(description):
        return _typed_all([match["value"].strip() for match in _QUOTED.finditer(listed["list"])], kind)
    return ()


_EXAMPLE_CUE = re.compile(r"\b(?:such as|e\.g\.,?|for example,?|like)\s?|(?:例如|比如|如)[:：]?\s*", re.IGNORECASE)


def described_examples(description: str) -> tuple[str, ...]:
    """Return the values that `description` names as examples of an open list ("such as 'SMA', 'EMA', etc.")."""
    for cue in _EXAMPLE_CUE.finditer(description):
        segment = re.split(
            r"[.;。；](?:\s|$)|等|\betc\b|[,，]?\s*(?:and\s)?(?:the\s)?default|默认", description[cue.end() :]
        )[0]
        values = [match["value"].strip() for match in _QUOTED.finditer(segment)]
        values = values or [
            part for part in _SEPARATOR.split(segment.strip(" ,")) if re.fullmatch(r"[\w-]+(?: [\w-]+)?", part)
        ]
        if len(values) > 1 or (values and _QUOTED.search(segment)):
            return tuple(dict.fromkeys(values))
    return ()


def _plain_options(segment: str) -> list[str]:
    """Return options that stand without quotes, each one word ("minute, hour, day")."""
    segment = re.sub(r"[((][^))]*[))]", "", segment).strip(" :：")
    match = _PLAIN_OPTIONS.match(segment)
    if match is None or len(segment) - match.end() > 2:
        return []
    return [option for option in _SEPARATOR.split(match.group()) if option]


def _typed_all(values: list[str], kind: str) -> tuple[JsonValue, ...]:
    typed = tuple(dict.fromkeys(_typed(value, kind) for value in values))
    if kind in ("integer", "number") and not all(isinstance(value, int | float) for value in typed):
        return ()
    return typed


def _typed(value: str, kind: str) -> str | int | float:
    number = parse_number(value) if kind in ("integer", "number") else None
    return value if number is None else number


_DEFAULT = re.compile(
    r"\b(?:by default,?\s(?:it\s)?(?:is|returns|the)?|default(?:s|ing)?(?:\s(?:value|values))?"
    r"(?:\s(?:is|of|being|to|are|as)|:)(?:\sset to)?|the default is)\s*"
    r"|默认(?:值|情况下)?(?:为|是|返回|使用)?[::]?\s*|缺省(?:值)?(?:为|是)?\s*",
    re.IGNORECASE,
)
_EMPTY = re.compile(r"(?:empty|none|null|blank|空|无|不限)\b|^空|^无", re.IGNORECASE)


def described_default(description: str, kind: str) -> JsonValue:
    """Return the default that `description` states, typed as `kind` ("the current date" stays text), or `None`."""
    cue = _DEFAULT.search(description)
    if cue is None:
        return None
    rest = description[cue.end() :].lstrip()
    if re.match(r"空|无(?:$|[,，。])", rest) or _EMPTY.match(rest):
        return None
    quoted = _QUOTED.match(rest)
    text = (
        quoted["value"]
        if quoted
        else re.split(r"[,，;；。(()]|\.(?:\s|$)|\s(?:for|representing|which|if)\s|表示|即", rest)[0]
    )
    text = text.strip().removeprefix("the ").strip()
    if not text:
        return None
    if kind == "boolean":
        word = re.match(r"true|false|是|否|yes|no", text, re.IGNORECASE)
        return None if word is None else word.group().casefold() in ("true", "yes", "是")
    if kind in ("integer", "number"):
        figure = re.match(r"-?\d+(?:,\d{3})*(?:\.\d+)?", rest)
        return None if figure is None else parse_number(figure.group())
    return None if kind in ("array", "object") else text


_FORMATS: tuple[tuple[str, str], ...] = (
    (r"(?<!\w)Y{4}[-/]?M{2}[-/]?D{2}[T ]H{2}|\bdate and time\b|\bdatetime\b|日期和?时间|ISO ?8601", "datetime"),
    (r"(?<!\w)Y{4}[-/]MM(?![-/]?D)", "month"),
    (r"(?<!\w)Y{4}[-/]?M{2}[-/]?D{2}|年-月-日", "date"),
    (r"(?<!\w)H{2}:MM", "time"),
    (r"longitude\s*,\s*latitude|latitude\s*,\s*longitude|经度[,，]\s*纬度|纬度[,，]\s*经度", "coordinates"),
    (r"\be-?mail address|邮箱地址|电子邮件地址", "email"),
    (r"\bURL\b|\bweb(?:site)? (?:address|link)\b|网址", "url"),
    (r"\bcountry codes?\b|ISO codes? (?:of|for) (?:the )?(?:specified )?countr|国家代码|ISO国家", "country_code"),
    (r"\bcurrenc(?:y|ies)\b|\bISO 4217\b|币种|货币", "currency_code"),
    (r"\blanguage codes?\b|语言代码", "language_code"),
    (r"\bhex(?:adecimal)?\b|十六进制", "hex_color"),
    (r"\bIP(?:v4)? address|IP地址", "ip"),
)  # fmt: skip
_NAMED_FORMATS: tuple[tuple[str, str], ...] = (
    (r"date_?time|timestamp", "datetime"),
    (r"(?:^|_)date$|Date$|^date|(?:^|_)day$", "date"),
    (r"(?:^|_)time$|Time$|^time$", "time"),
    (r"(?:^|_)ur[li]$|U[rR][lLiI]$", "url"),
    (r"e_?mail(?:_?address)?$|Email$", "email"),
)


def described_format(name: str, description: str, kind: str) -> str | None:
    """Return the format of a text parameter as its description, else its name, tells it, or `None`.

    One of `date`, `time`, `datetime`, `month`, `coordinates`, `email`, `url`, `country_code`, `currency_code`,
    `language_code`, `hex_color`, `ip`.
    """
    if kind != "string":
        return None
    for pattern, format_name in _FORMATS:
        if re.search(pattern, description, re.IGNORECASE if pattern.startswith((r"\b", r"lon")) else 0):
            return format_name
    named = next((found for pattern, found in _NAMED_FORMATS if re.search(pattern, name)), None)
    return None if named in _MOMENTS and _takes_words(description) else named


_MOMENTS = ("date", "time", "datetime")
_WORDS = re.compile(r"(?!s |[YMDHSTZymdhs]+$)[^\W\d_]+(?:[ -][^\W\d_]+)?")
"""A word or two, not a pattern of letters for digits, nor what lies between two apostrophes."""
_MOMENT_WORDS = re.compile(
    r"\b(?:now|today|tomorrow|yesterday|current|this|last|next|noon|midnight)\b|[今明昨当]", re.I
)


def _takes_words(description: str) -> bool:
    """Whether a description quotes a value in words that are no date nor time ("by default 'all'")."""
    quoted = (match["value"] for match in _QUOTED.finditer(description))
    return any(_WORDS.fullmatch(value) and not _MOMENT_WORDS.search(value) for value in quoted)

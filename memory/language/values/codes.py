"""ISO codes of countries, currencies and languages by their names in English and Chinese (from babel's CLDR data)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, NamedTuple

from babel import Locale
from babel.core import get_global
from babel.numbers import get_currency_name, get_territory_currencies

from memory.language.tongue import tongue
from memory.language.values.plain import plain
from memory.language.values.unsure import unsure_on_error

CodeKind = Literal["country", "currency", "language"]

# CLDR has no words for the people of a country.
_PEOPLE_CODES = (
    "american:US british:GB english:GB scottish:GB welsh:GB canadian:CA mexican:MX brazilian:BR argentine:AR "
    "chilean:CL colombian:CO peruvian:PE french:FR german:DE italian:IT spanish:ES portuguese:PT dutch:NL "
    "belgian:BE swiss:CH austrian:AT polish:PL czech:CZ slovak:SK hungarian:HU romanian:RO bulgarian:BG "
    "greek:GR turkish:TR russian:RU ukrainian:UA swedish:SE norwegian:NO danish:DK finnish:FI icelandic:IS "
    "irish:IE chinese:CN japanese:JP korean:KR taiwanese:TW indian:IN pakistani:PK bangladeshi:BD thai:TH "
    "vietnamese:VN indonesian:ID malaysian:MY singaporean:SG filipino:PH australian:AU egyptian:EG "
    "moroccan:MA nigerian:NG kenyan:KE israeli:IL saudi:SA emirati:AE qatari:QA iranian:IR iraqi:IQ "
    "lithuanian:LT latvian:LV estonian:EE croatian:HR serbian:RS slovenian:SI cuban:CU jamaican:JM"
)
_PEOPLES = MappingProxyType(dict(pair.split(":") for pair in _PEOPLE_CODES.split()))
_SHORT_COUNTRIES = {"usa": "US", "u.s.": "US", "the states": "US", "uk": "GB", "u.k.": "GB", "britain": "GB",
                    "england": "GB", "scotland": "GB", "wales": "GB", "holland": "NL", "uae": "AE", "turkey": "TR",
                    "英国": "GB", "香港": "HK", "澳门": "MO", "台湾": "TW"}  # fmt: skip
_SHORT_CURRENCIES = {"dollar": "USD", "dollars": "USD", "bucks": "USD", "pound": "GBP", "pounds": "GBP",
                     "quid": "GBP", "sterling": "GBP", "euro": "EUR", "euros": "EUR", "yen": "JPY", "renminbi": "CNY",
                     "rmb": "CNY", "yuan": "CNY", "kronor": "SEK", "kroner": "NOK", "rupees": "INR",
                     "美金": "USD", "美刀": "USD", "日币": "JPY", "韩币": "KRW", "港币": "HKD", "泰铢": "THB",
                     "人民币": "CNY", "€": "EUR", "£": "GBP", "$": "USD", "US$": "USD", "C$": "CAD", "A$": "AUD",
                     "AU$": "AUD", "NZ$": "NZD",
                     "S$": "SGD", "NT$": "TWD", "R$": "BRL", "CA$": "CAD", "CN¥": "CNY", "JP¥": "JPY",
                     "HK$": "HKD", "₹": "INR", "₩": "KRW", "zł": "PLN", "₽": "RUB", "₺": "TRY", "฿": "THB"}  # fmt: skip
_MONEY_WORD = re.compile(r"(?P<people>[A-Za-z]+)\s(?:money|currency|dollars?|pounds?|francs?|kron[aeo]r?|pesos?)\b")
_BESIDE_FIGURES = re.compile(
    r"(?<=\d)\s?(?P<after>[A-Za-z]{3})(?![A-Za-z])|(?<![A-Za-z])(?P<before>[A-Za-z]{3})(?=\s?\d)"
)
_HAN = re.compile(r"[\u4e00-\u9fff]")


class CodeSpan(NamedTuple):
    """A country, currency or language named in a text."""

    start: int
    end: int
    code: str


def code_of(kind: CodeKind, name: str) -> str | None:
    """Return the ISO code that `name` stands for (a code stands for itself), or `None`."""
    name = " ".join(plain(name).split()).removeprefix("the ")
    code = name.upper() if kind != "language" else name.lower()
    return code if code in _codes(kind) else _names(kind).get(name.casefold())


def currency_of(country: str) -> str | None:
    """Return the legal tender of a country (ISO alpha-2), or `None` if it is unknown."""
    return next(iter(get_territory_currencies(country.upper())), None)


def find_codes(kind: CodeKind, text: str) -> tuple[CodeSpan, ...]:
    """Return what of `kind` is named in `text`, in order, the longest name at each place.

    English country and language names count in capitals only; a city counts for its country where it names a time
    zone; a currency also as its symbol, its code (in small letters beside figures), or as a people's money ("Canadian
    dollars"). "¥" alone is two currencies: it is read in a Chinese text only.
    """
    return _find_codes(text, kind)


def _no_codes(text: str) -> tuple[CodeSpan, ...]:
    return ()


@unsure_on_error(_no_codes)
def _find_codes(text: str, kind: CodeKind) -> tuple[CodeSpan, ...]:
    text = plain(text)
    found: list[CodeSpan] = []
    for span in sorted(_candidates(kind, text), key=lambda span: (span.start, -span.end)):
        if not found or span.start >= found[-1].end:
            found.append(span)
    return tuple(found)


def _candidates(kind: CodeKind, text: str) -> Iterator[CodeSpan]:
    names = _names(kind)
    for match in _named(kind, text):
        word = match.group()
        if kind != "currency" and word[0].isascii() and not word[0].isupper():
            continue
        if (code := names.get(word.casefold())) is not None:
            yield CodeSpan(match.start(), match.end(), code)
    if kind != "language":
        for match in re.finditer(r"(?<![A-Za-z])(?:[A-Z]{2}|[A-Z]{3})(?![A-Za-z])", text):
            if match.group() in _codes(kind) and (kind == "currency" or match.group() in ("US", "UK")):
                yield CodeSpan(match.start(), match.end(), match.group())
    if kind == "currency":
        yield from _money(text)


def _money(text: str) -> Iterator[CodeSpan]:
    """Yield the currencies that are told by what stands beside them."""
    for match in _BESIDE_FIGURES.finditer(text):
        code = (match["before"] or match["after"]).upper()
        if code in _codes("currency") and code.casefold() not in tongue("en").words_not_codes:
            yield CodeSpan(*match.span("before" if match["before"] else "after"), code)
    for match in re.finditer("¥", text) if _HAN.search(text) else ():
        yield CodeSpan(match.start(), match.end(), "CNY")
    for match in _MONEY_WORD.finditer(text):
        country = _PEOPLES.get(match["people"].casefold())
        if country and (tender := currency_of(country)):
            yield CodeSpan(match.start(), match.end(), tender)


def _named(kind: CodeKind, text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of the names of `kind`, held against the text only where a word begins one of them."""
    pattern, openings = _pattern(kind), _openings(kind)
    done = 0
    for place in _OPENING.finditer(text):
        if place.start() < done or place.group().casefold() not in openings:
            continue
        if match := pattern.match(text, place.start()):
            done = match.end()
            yield match


_OPENING = re.compile(r"[A-Za-z]+|[^A-Za-z\s]")
"""The first word of a name as far as it is in plain letters, or its first sign: 人 of 人民币."""


@lru_cache(maxsize=8)
def _openings(kind: CodeKind) -> frozenset[str]:
    return frozenset(opening.group().casefold() for name in _names(kind) if (opening := _OPENING.match(name)))


@lru_cache(maxsize=8)
def _pattern(kind: CodeKind) -> re.Pattern[str]:
    words = sorted(_names(kind), key=len, reverse=True)
    ascii_words = "|".join(re.escape(word) for word in words if word[0].isascii() and word[0].isalnum())
    others = "|".join(re.escape(word) for word in words if not (word[0].isascii() and word[0].isalnum()))
    return re.compile(rf"(?<![A-Za-z])(?:{ascii_words})(?![A-Za-z])|(?:{others})", re.IGNORECASE)


@lru_cache(maxsize=8)
def _codes(kind: CodeKind) -> frozenset[str]:
    locale = Locale("en")
    territories, languages = map(str, locale.territories), map(str, locale.languages)
    if kind == "country":
        return frozenset(code for code in territories if len(code) == 2 and code.isalpha())
    if kind == "currency":
        return frozenset(code for code in map(str, locale.currencies) if code not in ("XTS", "XXX"))
    return frozenset(code for code in languages if len(code) == 2)


@lru_cache(maxsize=8)
def _names(kind: CodeKind) -> Mapping[str, str]:
    names: dict[str, str] = {}
    for language in ("zh", "en"):
        locale = Locale(language)
        if kind == "currency":
            names |= _currency_names(locale)
            continue
        listed: Mapping[str, str] = locale.territories if kind == "country" else locale.languages
        names |= {name.casefold(): code for code, name in listed.items() if code in _codes(kind)}
        if kind == "country":
            for name, code in _cities(locale):
                names.setdefault(name, code)
    if kind == "country":
        names = {**_PEOPLES, **names, **_SHORT_COUNTRIES}
    elif kind == "currency":
        names |= _SHORT_CURRENCIES
    named = {name.casefold(): code for name, code in names.items() if len(name) > 1 or not name.isalnum()}
    return MappingProxyType(named)


def _currency_names(locale: Locale) -> dict[str, str]:
    """Return full names in singular and plural, and the noun alone where one currency in use has it."""
    tender = {
        str(entry[0]) for entries in get_global("territory_currencies").values() for entry in entries if not entry[2]
    }
    names: dict[str, str] = {}
    nouns: dict[str, set[str]] = {}
    for code in sorted(tender & _codes("currency")):
        forms = {get_currency_name(code, count, locale) for count in (None, 1, 2)}
        for form in forms:
            names[form.casefold()] = code
            if form.isascii() and " " in form:
                nouns.setdefault(form.casefold().split()[-1], set()).add(code)
    unique = {noun: min(codes) for noun, codes in nouns.items() if len(codes) == 1 and noun.isalpha() and len(noun) > 2}
    for ambiguous in ("won", "real", "rand", "pound", "pounds"):
        unique.pop(ambiguous, None)
    return unique | names


def _cities(locale: Locale) -> Iterator[tuple[str, str]]:
    for zone, country in get_global("zone_territories").items():  # "Europe/Amsterdam": "NL"
        if "/" in zone and len(country) == 2 and country.isalpha():
            city = locale.time_zones.get(zone, {}).get("city")
            if city or locale.language == "en":
                yield (city or zone.split("/")[-1].replace("_", " ")).casefold(), country

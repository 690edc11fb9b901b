"""What stands in quotation marks, or is told as somebody's words: quoting is not instructing (DESIGN §5)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from memory.language.text_cache import text_cache
from memory.state.pattern_index import PatternIndex

MASK = "\ufffc"
"""Stands for each character of a quotation in a masked text."""

_MARKED = re.compile(
    r"(?:(?<![A-Za-z0-9])[\"＂”]|“)(?P<double>[^\"＂“”]+)[\"＂“”]"
    r"|‘(?P<single>(?:[^‘’]|’(?=[A-Za-z]))+)’(?![A-Za-z])|「(?P<corner>[^「」]+)」|『(?P<white>[^『』]+)』"
)
_VERB = (
    r"(?:says?|said|wrote|writes|reads|stated|replied|replies|insists?|insisted|announced|suggest(?:s|ed)|"
    r"recommend(?:s|ed)|mention(?:s|ed)|(?:told|tells) (?:me|us))"
)
_VERB_ZH = r"(?:说道?|写着|写道|写|表示|提到|通知|回复|建议|告诉我们?|喊|讲)"
_NOT_OWN = r"(?<!\bi )(?<!\bwe )(?<!\bi have )(?<!\bi've )(?<!\bthat )(?<!\bwhich )(?<!\bto )"
_NOT_OWN_ZH = r"(?<!(?<![跟对和向给])我)(?<!(?<![跟对和向给])我们)(?<![想要])"
_SAYS = (
    rf"(?:\b{_NOT_OWN}{_VERB}\b(?: (?:to|me|us|that|there|clearly|again)\b)*"
    rf"|(?:[她他]们?)?(?:[刚又还都]|[跟对和向]我们?)*{_NOT_OWN_ZH}{_VERB_ZH}[过了]?)"
)
_BEFORE = re.compile(rf"(?P<says>{_SAYS})\s*[,:，：]?\s*$", re.IGNORECASE)
_AFTER = re.compile(
    rf"\s*[,，]?\s*(?P<says>{_VERB}\s+(?!i\b)(?:(?:my|our|the|his|her|their)\s+)?\w+"
    rf"|(?!(?:i|we|and|then|that)\b)(?:(?:my|our|the|his|her|their)\s+)?\w+\s+{_VERB}"
    rf"|(?!我)[\u3400-\u9fff]{{1,4}}{_VERB_ZH}的?)(?=\s*(?:[.,!;。，！；\n]|$))",
    re.IGNORECASE,
)
_TOLD = re.compile(
    rf"(?P<says>{_SAYS})\s{{0,3}}(?:[:：]|[,，]?\s{{0,3}}[\"“「『])\s{{0,3}}(?P<told>\S.*?)(?=[.!?](?:\s|$)|[。！？\n]|$)",
    re.IGNORECASE,
)
_COMPOSED = re.compile(
    r"\b(?:write|post|leave|draft|compose|send|text|email|tweet|reply|answer)\b[^.!?\n]*?\b(?:saying|that (?:says|"
    r"reads)|to say)"
    r"(?: that)? (?P<told>(?:i|we|my|our)\b.*?)(?=[.!?](?:\s|$)|\n|$)"
    r"|(?:发|写|留|回)[^。！？\n说]{0,16}?(?:就|里面?|内容|跟\S{1,4}|告诉\S{1,4})?(?:说|写上?)(?P<told_zh>我.*?)(?=[。！？\n]|$)"
    r"|\b(?:proofread|translate|rewrite|rephrase|correct|polish|summari[sz]e|edit)\b[^.!?\n:]{0,40}:\s*(?P<text>\S.*)$"
    r"|(?:翻译|翻成|润色|校对|修改|改改|改写|改一下|总结|缩写)[^。！？\n:：]{0,16}[:：]\s*(?P<text_zh>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
"""Words of a text that is to be written or worked on: they are nobody's rules or likes."""
_TELLING = PatternIndex([(_TOLD, "told"), (_COMPOSED, "composed")])
_NEAR = 60
"""Characters before and after a quotation that are searched for who says it."""


class Quotation(NamedTuple):
    """Words of a text that are quoted."""

    start: int
    end: int
    """Of the quotation in the text, marks and all."""
    words: str
    says: tuple[int, int] | None
    """Where the words stand by which somebody else is said to have said it; `None`: a title, a phrase, a thing read."""


@text_cache(64)
def quotations(text: str) -> tuple[Quotation, ...]:
    """Return the quotations in `text` in order: what stands in quotation marks, and speech told after "says:".

    Told speech without marks, or without a closing one, goes up to the end of its sentence. The person's own ("I said:
    the aisle") is none, nor is a text that is one quotation and nothing else.
    """
    marked = list(_marked(text))
    told: list[Quotation] = []
    for pattern, _ in _TELLING.possible(text):
        shown = masked(text, [*marked, *told])
        read = [_unmarked(text, match) for match in pattern.finditer(shown)]
        told += [one for one in read if one.says is None or shown[one.start] != MASK]
    found: list[Quotation] = []
    for one in sorted([*marked, *told], key=lambda one: (one.start, -one.end)):
        if not found or one.start >= found[-1].end:
            found.append(one)
    return tuple(found) if re.search(r"\w", masked(text, found)) else ()


def _unmarked(text: str, match: re.Match[str]) -> Quotation:
    """Return what a text quotes without marks."""
    spans = {name: match.span(name) for name, words in match.groupdict().items() if words is not None}
    says = spans.pop("says", None)
    (span,) = spans.values()
    return Quotation(*span, text[slice(*span)], says)


def _marked(text: str) -> Iterator[Quotation]:
    for match in _MARKED.finditer(text):
        words = next(group for group in match.groups() if group is not None)
        offset = max(0, match.start() - _NEAR)
        says = None
        if before := _BEFORE.search(text[offset : match.start()]):
            says = (offset + before.start("says"), offset + before.end("says"))
        elif after := _AFTER.match(text, match.end(), match.end() + _NEAR):
            says = after.span("says")
        yield Quotation(match.start(), match.end(), words, says)


def masked(text: str, found: Sequence[Quotation]) -> str:
    """Return `text`, as long as it is, with the quotations masked; one that ends a sentence still ends it."""
    return _covered(text, [(one.start, one.end, _cover(one)) for one in found])


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return `text`, as long as it is, with blanks at `spans`."""
    return _covered(text, sorted((start, end, " " * (end - start)) for start, end in spans))


def _cover(one: Quotation) -> str:
    is_sentence = one.end - one.start > len(one.words) and one.words.rstrip()[-1:] in tuple(".!?。！？")
    return MASK * (one.end - one.start - 1) + ("." if is_sentence else MASK)


def _covered(text: str, covers: Iterable[tuple[int, int, str]]) -> str:
    parts: list[str] = []
    at = 0
    for start, end, cover in covers:
        parts += [text[at:start], cover[max(0, at - start) :]]
        at = max(at, end)
    return "".join([*parts, text[at:]])

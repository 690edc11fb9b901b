"""What the person gave a name: after "the studio is at 52.37,4.90" a later "the studio" stands for those coordinates.

Only values that nobody says twice are read so: coordinates, addresses, telephone numbers. Of several with one name the
newest has it: whoever moves house has one home.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from clarifier.grounding.recalled import Said
from clarifier.grounding.spoken import mentions_in
from memory.language.text import stem
from memory.language.text_cache import text_cache
from memory.language.values.words import tagged

_KINDS = frozenset({"coordinates", "email", "url", "ip", "number"})
"""Of mentions. No ids: the next order is another one."""
_LITERAL = re.compile(r"[\d@]|\w\.\w")
_LEAST_DIGITS = 7
"""Of a number that is nobody's to say twice: one to call, no amount."""
_BEFORE = 48
"""Characters before a value in which its name stands."""
_SENTENCE = re.compile(r"[.!?;](?:\s|$)|[。！？；\n]")
_THING = r"(?:e-?mail address|address|e-?mail|coordinates?|location|number|id|code|account|phone|link|url|page)"
_NOUN = r"(?:(?!(?:is|are)\b)[a-z-]+\s){0,2}?(?!(?:is|are)\b)[a-z-]+"
_IS = r"(?:['’]s|\s(?:is|are|sits|lies))(?:\s(?:now|[a-z]+ed))*(?:\s(?:at|on|under|in))?:?"
_NAMED = re.compile(
    rf"(?:\b(?P<who>[\w-]+)['’]s\s{_THING}|\b(?:my|our|the|(?P<pronoun>his|her|their)|(?P<whose>[\w-]+)['’]s)\s"
    rf"(?P<words>{_NOUN}?)(?:\s{_THING})?)(?:\s?[,:(=]|,?{_IS}|\s\(?at)\s?$",
    re.IGNORECASE,
)
_BARE_NAME = re.compile(
    rf"(?:^|[,;:.]\s|\band\s)(?!(?:{_THING}|it|this|that|here|there|now|what|which|where|who|how)\b)(?P<words>[a-z-]+)(?:\s?[:=]|{_IS})\s?$",
    re.IGNORECASE,
)
_LIVES = re.compile(r"\b(?:i|we)(?:\snow)?\slive\s(?:at|on|in)\s?$|我们?(?:现在|就)?住在?\s?$", re.IGNORECASE)
_AFTER = re.compile(
    rf"\)?(?:\s(?:is|was)|,\s(?:that|which) is|\s?=)\s(?:my|our|the)\s(?P<en>{_NOUN})(?=\s*(?:[,.;:!?)]|$))"
    r"|[）)]?\s?(?:就?是|记[成为作])(?:我们?|咱们?)的?(?P<zh>[\u4e00-\u9fff]{1,6}?)(?=[，。；！？]|$)",
    re.IGNORECASE,
)
_LINK_ZH = re.compile(
    r"(?:[\s:：(（「“]|坐标|地址|位置|邮箱|邮件|电话|号码?|编号|账号|链接|网址|现在|就|都|搬到了?|[在是为叫的])+$"
)
_NAMING_ZH = re.compile(r"[:：(（在是为叫]")
_OWN_ZH = re.compile(r"^(?:我们?|咱们?|俺)(?=.)|^[新老](?=.$)")
_WORD_ZH = "我咱们回到在从去离往"
"""What a name of one character follows where it is a word of its own: 我家, 回家; not 大家, nor 她家."""
_HAN = re.compile(r"[\u4e00-\u9fff]")


class _Binding(NamedTuple):
    words: tuple[str, ...]
    """Of the name, the thing itself last, before it whose or what kind of thing it is."""
    kind: str
    value: str


def named_in(request: str, value: str, said: Sequence[Said]) -> Said | None:
    """Return the words that gave `value` the name by which `request` speaks of it; `None` where there are none.

    Where another value of the kind has that name by now, or has more of the name that the request uses, that one is
    meant.

    Args:
        request: What the person wants now.
        value: As it is proposed.
        said: The person's words before, oldest first.
    """
    wanted = _bare(value)
    if not _LITERAL.search(wanted):
        return None
    own = [one for words in said if wanted in _bare(words.text) for one in _bindings(words.text)]
    if all(_fit(one.words, request) is None for one in own if one.value == wanted):
        return None
    meant: dict[tuple[str, str], tuple[int, str, Said]] = {}
    for words in said:
        for one in _bindings(words.text):
            score = _fit(one.words, request)
            place = (one.kind, one.words[-1])
            if score is not None and (place not in meant or score >= meant[place][0]):
                meant[place] = (score, one.value, words)
    return next((words for _, found, words in meant.values() if found == wanted), None)


@text_cache(4096)
def _bindings(text: str) -> tuple[_Binding, ...]:
    return tuple(_read(text))


def _read(text: str) -> Iterator[_Binding]:
    for one in mentions_in(text, None):
        if one.kind not in _KINDS or (one.kind == "number" and len(re.findall(r"\d", one.text)) < _LEAST_DIGITS):
            continue
        before = text[max(0, one.start - _BEFORE) : one.start]
        before = _SENTENCE.split(before)[-1]
        is_chinese = _HAN.search(before[-8:]) is not None
        words = (_chinese_name if is_chinese else _english_name)(before) or _name_behind(text[one.end :][:_BEFORE])
        if words:
            yield _Binding(words, one.kind, _bare(one.text))


def _english_name(before: str) -> tuple[str, ...]:
    if _LIVES.search(before):
        return (stem("home"),)
    found = _NAMED.search(before)
    if found is None:
        bare = _BARE_NAME.search(before)
        return (stem(bare["words"].casefold()),) if bare else ()
    if found["who"]:
        return (stem(found["who"].casefold()),)
    owner = found["pronoun"] or found["whose"]
    words = [*filter(None, [owner]), *found["words"].split()]
    return tuple(stem(word.casefold()) for word in words if word.casefold() != "new")


def _name_behind(after: str) -> tuple[str, ...]:
    found = _AFTER.match(after)
    if found is None:
        return ()
    return (found["zh"],) if found["zh"] else tuple(stem(word) for word in found["en"].casefold().split())


def _chinese_name(before: str) -> tuple[str, ...]:
    if _LIVES.search(before):
        return ("家",)
    link = _LINK_ZH.search(before)
    if link is None or not _NAMING_ZH.search(link.group()):
        return ()
    words = [(word, tag) for word, tag in tagged(before[: link.start()]) if word.strip() and word != "的"]
    last, tag = words[-1] if words else ("", "")
    is_new = words[-2:-1] in ([("新", "a")], [("老", "a")])
    thing = _OWN_ZH.sub("", _OWN_ZH.sub("", last))
    if not _HAN.search(thing) or not (tag.startswith("n") or is_new or thing != last):
        return ()
    return (*(word for word, tag in words[-2:-1] if tag.startswith("nr")), thing)


def _fit(name: tuple[str, ...], request: str) -> int | None:
    """Return how well a request that speaks of the thing fits its name: words of it that it has less those it lacks."""
    held = [_speaks_of(word, request) for word in name]
    return sum(held) - held.count(False) if held[-1] else None


def _speaks_of(word: str, request: str) -> bool:
    if not _HAN.search(word):
        return word in {stem(one) for one in re.findall(r"[a-z0-9-]+", request.casefold())}
    if len(word) > 1:
        return word in request
    return re.search(rf"(?:^|[^\u4e00-\u9fff]|[{_WORD_ZH}]){word}", request) is not None


@text_cache(8192)
def _bare(value: str) -> str:
    return re.sub(r"\s+", "", value).casefold()

"""The phrases of a Chinese clause, by the word classes of jieba.

They are those of ICTCLAS: n* nouns and names, s places, f sides, t times, uj 的, v verbs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agent.planners.rules.phrase import LATIN_RUN, Phrase, Role
from agent.planners.rules.segments import Segment
from memory.language.values.words import tagged

_NOUNS = ("n", "s", "eng", "vn", "an", "j", "l", "i")
_PERSON_VERBS = ("d", "v", "p")
_COUNTED = frozenset("个只条首本张家位件份部种次回段点些下遍批笔趟间块杯双套一二两三四五六七八九十几多百千万")
"""What counts things before they are named, and the numerals."""
_CLASSES = frozenset(("类", "系列"))
_THERE = frozenset(("有", "是", "没有"))
_PLACES = re.compile(r"(?:城市|地点|位置|地区|地方|国家)$")


@dataclass(frozen=True)
class _Word:
    text: str
    tag: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def is_noun(self) -> bool:
        return self.tag.startswith(_NOUNS) and self.tag != "nx"


def _words_of(clause: Segment, request: str) -> list[_Word]:
    """Return the words of a clause with their classes, a run of Latin words as one.

    The whole request is tagged, as reading its names has done already.
    """
    latin = [m.span() for m in LATIN_RUN.finditer(clause.text)]
    found: list[_Word] = [_Word(clause.text[a:b], "eng", a) for a, b in latin]
    place = -clause.start
    for word, tag in tagged(request):
        is_inside = place >= 0 and place + len(word) <= len(clause.text)
        if is_inside and word.strip() and not any(a < place + len(word) and place < b for a, b in latin):
            found.append(_Word(word, tag, place))
        place += len(word)
    return sorted(found, key=lambda word: word.start)


def chinese_phrases(clause: Segment, request: str) -> Iterator[Phrase]:
    """Yield the phrases of a clause of `request`; where one has parts ("柏林的岗位"), the parts after the whole."""
    words = _words_of(clause, request)
    index = 0
    while index < len(words):
        if not _opens(words, index):
            index += 1
            continue
        last = index
        while last + 1 < len(words) and _goes_on(words, last + 1):
            last += 1
        while words[last].tag in ("uj", "m", "q") and last > index:
            last -= 1
        yield from _parts(words, index, last, clause)
        index = last + 1


def _opens(words: list[_Word], index: int) -> bool:
    word = words[index]
    following = words[index + 1] if index + 1 < len(words) else None
    if word.tag == "m" and following is not None and following.tag == "n" and word.text[-1] not in _COUNTED:
        return True  # a name that begins with a numeral: "三角龙"
    return word.is_noun and word.text not in _COUNTED


def _goes_on(words: list[_Word], index: int) -> bool:
    word, before = words[index], words[index - 1]
    if word.tag == "uj":
        return index + 1 < len(words) and (words[index + 1].is_noun or words[index + 1].tag == "v")
    if before.tag == "uj":
        is_verb_noun = word.tag == "v" and (index + 1 == len(words) or words[index + 1].tag in ("y", "uj"))
        return word.is_noun or is_verb_noun
    is_one_script = (word.tag == "eng") == (before.tag == "eng")
    return (word.is_noun and is_one_script) or word.text in _CLASSES


def _role(words: list[_Word], first: int, last: int) -> Role:
    """Return how a clause speaks of its words from `first` to `last`, by the verb before them, counts left out."""
    before = words[first - 1] if first else None
    if before is not None and before.tag in ("m", "q", "r", "mq", "y", "ul") and before.text not in _PERSONS:
        before = words[first - 2] if first > 1 else None
    if first == 0 and last + 1 == len(words):
        return "alone"
    if before is not None and before.tag[:1] in ("v", "z", "p"):
        return "sought" if before.text[0] in "查搜找看" else "object"
    return "subject" if first == 0 or last + 1 < len(words) else "other"


_PERSONS = frozenset(("我", "他", "她", "你"))


def _parts(words: list[_Word], first: int, last: int, clause: Segment) -> Iterator[Phrase]:
    """Yield a phrase and, where 的 stands within, its parts."""
    role = _role(words, first, last)
    cuts = [place for place in range(first, last + 1) if words[place].tag == "uj"]
    ends = [*(place - 1 for place in cuts), last]
    starts = [first, *(place + 1 for place in cuts)]
    whole = [(first, last)] if cuts else []
    for start, end in [*whole, *zip(starts, ends, strict=True)]:
        if start <= end:
            yield _phrase(words, start, end, clause, role, is_whole=(start, end) in whole)


def _phrase(words: list[_Word], start: int, end: int, clause: Segment, role: Role, *, is_whole: bool) -> Phrase:
    """Return the words from `start` to `end` as a phrase, up to a word for a class ("设计类岗位" gives 设计)."""
    following = words[end + 1] if end + 1 < len(words) else None
    last = next((place for place in range(start, end) if words[place + 1].text in _CLASSES), end)
    text = clause.text[words[start].start : words[last].end]
    tags = {words[place].tag for place in range(start, last + 1)}
    is_sided = following is not None and following.tag == "f"
    is_person = tags == {"nr"} and start == 0 and following is not None and following.tag in _PERSON_VERBS
    does = following is not None and following.tag == "v" and following.text not in _THERE
    is_place = is_sided or (bool(tags & {"ns", "s"}) and not does)
    return Phrase(
        text,
        clause.start + words[start].start,
        "subject" if is_person else role,
        is_place=is_place and not is_person and not _PLACES.search(text),
        is_sided=is_sided,
        is_whole=is_whole,
        is_latin=tags == {"eng"},
    )

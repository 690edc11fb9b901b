"""Names, titles, places and labelled words as values for a text parameter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from agent.planners.rules.dictation import dictated
from agent.planners.rules.kinds import role_of
from agent.planners.rules.said_words import common_words, is_part, is_subject
from agent.planners.rules.segments import asking_sentences, clauses, sentences
from agent.planners.rules.tool_text import content_terms
from agent.planners.rules.utterance import LOOK_AROUND, Said, Text
from memory.language.text import split_name
from memory.language.values.mentions import Mention
from memory.tools import Parameter, Tool

_CJK = re.compile(r"[\u4e00-\u9fff]")


_LABEL_JOIN = (
    r"(?:,?\sthat['’]?s)?(?:\s(?:is|was|called|named|number|no\.?|by the name of))*\s?(?:[:：]|就?是|叫|用|写|填)?\s?"
)


def labelled(parameter: Parameter, text: Text) -> Iterator[Said]:
    """Yield what follows the parameter's own noun: "customer number HB-20417", "备注猫粮", "类目记像素"."""
    nouns = {word for word in split_name(parameter.name) if len(word) > 2 and word not in _NO_LABEL}
    for noun in (one for one in nouns if one in text.text):
        for pattern in _label_patterns(noun):
            for match in pattern.finditer(text.text):
                yield Said(match["value"].strip('"“”'), match.start("value"), match.end("value"), 1.0)
    for noun in _zh_nouns(parameter.description):
        for match in re.finditer(
            rf"{noun}(?:就?是|写|记|为|叫|：|:)?\s?(?P<value>{_LATIN}|[^\s，。,.!！?？；;、]{{1,12}})", text.text
        ):
            if not re.match(r"[的了呢吗吧啊还也都]|多少|什么|啥", match["value"]):
                yield Said(match["value"], match.start("value"), match.end("value"), 1.0)


_LATIN = r"[A-Za-zÀ-ɏ][\wÀ-ɏ'’-]*(?:\s[A-Za-zÀ-ɏ][\wÀ-ɏ'’-]*)*"
_NO_LABEL = frozenset(
    ("name", "type", "data", "info", "include", "show", "get", "the", "start", "end", "format", "value", "list", "time",
     "date", "number")
)  # fmt: skip


@lru_cache(1024)
def _label_patterns(noun: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what finds the value after a noun, and before it: "go.example, that's our own domain"."""
    value = r"(?P<value>[A-Z0-9][\w-]*(?:\s[A-Z][\w-]*)*|[\"“][^\"”]+[\"”])"
    return (
        re.compile(rf"\b{noun}s?\b{_LABEL_JOIN}{value}"),
        re.compile(rf"(?P<value>[\w.@-]*\w),\s(?:that['’]s|which is)\s(?:\w+\s){{0,3}}{noun}\b"),
    )


@lru_cache(1024)
def _zh_nouns(description: str) -> tuple[str, ...]:
    """Return the Chinese nouns a description opens with: "交易的备注信息" gives 备注."""
    head = re.split(r"[，。,（(：:；]", description)[0]
    words = re.findall(
        r"备注|类目|类别|标题|歌手|歌名|作者|书名|城市|收件人|手机尾号|尾号|关键词|卡号|姓名|地址|电话", head
    )
    return tuple(words[-1:])


def named_values(parameter: Parameter, tool: Tool, text: Text, kind: str) -> Iterator[Said]:
    yield from labelled(parameter, text)
    yield from dictated(parameter, text, is_listed=parameter.name not in _scalars(tool))
    yield from _paired(parameter, text)
    is_titled = bool(_TITLED & {word.casefold() for word in split_name(parameter.name)})
    for mention in text.of_kind("quoted"):
        yield Said(mention.value, mention.start, mention.end, 0.95 if is_titled else 0.6)
    if kind == "place":
        for match in (_IN_REGION_ZH if _CJK.search(text.text) else _IN_REGION).finditer(text.text):
            yield Said(match.group(), match.start(), match.end(), 0.9)
        for mention in text.of_kind("coordinates"):
            yield Said(mention.value, mention.start, mention.end, 0.9)
    about = set(content_terms(f"{' '.join(split_name(tool.name))} {tool.description} {parameter.description}"))
    parts = sentences(text.text)
    is_end = role_of(parameter) is not None  # the ends of a journey are told by `_paired`
    for mention in text.of_kind("name"):
        if not is_part(text, mention):
            yield from _name(mention, kind, about, text, is_lone=len(parts) == 1 or text.is_answer, is_end=is_end)
    if kind == "text" and parameter.is_required and not text.is_answer and _CJK.search(text.text):
        yield from _chinese_opening(about, text)
    if not text.is_answer:
        yield from common_words(parameter, tool, kind, about, text)


def _scalars(tool: Tool) -> frozenset[str]:
    return frozenset(parameter.name for parameter in tool.parameters if parameter.type != "array")


_IN_REGION = re.compile(r"(?<![^\W_])[A-Z][\w.'’-]+(?:\s[A-Z][\w.'’-]+){0,2},\s?[A-Z]{2}(?![^\W_])")
_IN_REGION_ZH = re.compile(r"(?<![^\W_])[A-Z][\w.'’-]+(?:\s[A-Z][\w.'’-]+){0,2},\s?[A-Z][A-Za-z]+(?:\s[A-Z][a-z]+)?")
"""A town with the letters of its state or country: "Austin, TX"."""
_TITLED = frozenset(
    ("title", "name", "query", "keyword", "keywords", "text", "message", "content", "word", "phrase", "song", "book",
     "movie", "film", "q", "search", "term", "topic", "artist", "author", "sentence", "quote", "item", "product",
     "memo", "subject")
)  # fmt: skip


def _name(mention: Mention, kind: str, about: set[str], text: Text, *, is_lone: bool, is_end: bool) -> Iterator[Said]:
    """Yield a name as a value: likelier in a sentence that speaks of the tool, less so beside a possessive."""
    words = mention.text
    before, after = text.text[max(0, mention.start - LOOK_AROUND) : mention.start].casefold(), text.text[mention.end :]
    sentence = next((part for part in sentences(text.text) if part.start <= mention.start < part.end), None)
    near = len(about & set(content_terms(sentence.text))) if sentence else 0
    strength = 0.5 if near or is_lone else 0.35
    strength += min(0.2, 0.1 * near) + (0.12 if " " in words and kind != "place" else 0.0)
    if kind == "place":
        if re.search(r"\b(?:in|at|for|off|near|around|to)\s(?:the\s)?$|[在去到]$", before):
            strength += 0.35 if near and not is_end else 0.15
        if _CJK.search(text.text) and not _CJK.search(words):
            return  # Latin words within Chinese are seldom places
        if re.match(r",\s[A-Z]", after) and (region := re.match(r",\s(?P<name>[A-Z][\w ]*?)(?=[,.;!?]|$)", after)):
            yield Said(words + region.group(), mention.start, mention.end + region.end(), strength + 0.1)
    elif _is_place_like(mention, text) and not text.is_answer:
        return
    if re.match(r"['’]s\b", after):
        strength -= 0.3
    if set(content_terms(words)) and set(content_terms(words)) <= about:
        strength -= 0.3  # a word for the thing rather than its name
    in_passing = " " not in words and not any(
        part.start <= mention.start < part.end for part in asking_sentences(text.text)
    )
    strength -= 0.2 * (is_subject(text, mention) + (not text.in_focus(mention.start)) + in_passing)
    yield Said(mention.value, mention.start, mention.end, strength)


def _chinese_opening(about: set[str], text: Text) -> Iterator[Said]:
    """Yield the clauses that are a name alone: short, and without a word that tells of the tool or of doing."""
    for part in clauses(text.text):
        is_name = 2 <= len(part.text) <= 10 and _CJK.search(part.text) and not _ZH_FUNCTION.search(part.text)
        if is_name and not set(content_terms(part.text)) & about and not part.is_aside:
            yield Said(part.text, part.start, part.end, 0.58)


_ZH_FUNCTION = re.compile(
    r"[一二三四五六七八九十两百我你他她它们这那哪啥吗呢吧啊了呀嘛着过给把被想要看查来去做用说买记发改弄整搞先再还就也都很太不没别]|\d|多少|怎么|什么|随便|今天|明天"
)


def _is_place_like(mention: Mention, text: Text) -> bool:
    return any(m.kind == "country" and m.start < mention.end and mention.start < m.end for m in text.mentions)


_PAIR = re.compile(r"\s(?:to|→|->)\s$|(?<=[\u4e00-\u9fff])[到至去飞](?=[\u4e00-\u9fff])")


def _paired(parameter: Parameter, text: Text) -> Iterator[Said]:
    """Yield the ends of "X to Y" and "从X到Y" for parameters that are one end of a journey."""
    role = role_of(parameter)
    if role is None:
        return
    names = [mention for mention in text.mentions if mention.kind == "name"]
    if role == "to" and len({mention.text for mention in names}) == 1:
        yield Said(names[0].value, names[0].start, names[0].end, 0.75)  # a lone place is rather where one goes
    for first, second in pairwise(names):
        between = text.text[first.end : second.start]
        if re.fullmatch(r"\s?(?:to|→|->|–|到|至)\s?", between):
            mention = first if role == "from" else second
            yield Said(mention.value, mention.start, mention.end, 1.0)
    for mention in names:
        before = text.text[max(0, mention.start - LOOK_AROUND) : mention.start].casefold()
        if role == "from" and re.search(r"\b(?:from|leaving|departing)\s$|从$", before):
            yield Said(mention.value, mention.start, mention.end, 0.95)
        if role == "to" and re.search(r"\bto\s$|[到去]$", before):
            yield Said(mention.value, mention.start, mention.end, 0.95)

"""Sentences of what a person said, and what kind each is (English and Chinese)."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

SentenceKind = Literal["question", "request", "statement", "other"]
"""`statement`: something the person says of themselves; `request`: something to be done for them."""


class Sentence(NamedTuple):
    """One sentence of a text."""

    text: str
    kind: SentenceKind
    is_stance: bool
    """Whether it is a statement that takes a side: a liking, a rule, a habit, a choice."""


_SPEAKER = re.compile(r"([^\W\d_][\w'-]{0,20}(?: [^\W\d_][\w'-]{0,20})?)[:：](?: +|(?<=：))(?=\S)")
_END = re.compile(r"(?<=[.!?…])[\"')\]”’]*\s+|(?<=[。！？；])[”’」』]*|\n+")
_SHORTEST = 12
"""Characters; a shorter sentence ("Hi!", "Thanks.") is read together with the one after it."""
_QUOTES = " \t\"'“”‘’「」『』"

_QUESTION = re.compile(
    r"^(?!(?:what|when|where|how) (?:i|i'm|we|my|our)\b)(?:what|which|who|whom|whose|where|when|why|how|can|could|"
    r"would|will|do|does|did|is|are|was|were|should|may|have (?:you|i|we)|has|any)\b"
    r"|(?:吗|呢|么)[？?。]?$|什么|怎么|怎样|如何|哪|几点|多少|为什么|是不是|有没有|能不能|可不可以",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"^(?:(?:hi|hello|hey|ok|okay|sure|yes|and|also|then|so|now)[ ,!.]+)*"
    r"(?:please|kindly|find|give|show|book|reserve|get|tell|list|search|help|check|create|add|delete|remove|update|set|"
    r"send|make|recommend|suggest|provide|calculate|compute|play|record|schedule|cancel|order|buy|look|translate|"
    r"generate|convert|retrieve|determine|fetch|let me know|explain|describe|compare|identify|plan|solve|predict|open|"
    r"turn (?:on|off|up|down)|start|stop|remind|write|read|call|pay|transfer|register|track|"
    r"i (?:want|need|wish) (?:you )?to\b|i(?:'d| would) like (?:you )?to\b|i(?:'m| am) looking (?:for|to)\b)\b"
    r"|\bplease\b|^(?:请|帮|替我|给我|麻烦|查|找|搜|订|预[订定约]|买|设|播放|打开|关[掉闭]|取消|推荐|告诉|看看|提醒|发|我[想要]要?[你订买查找看])|帮我|帮忙",
    re.IGNORECASE,
)
_SELF = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our|ours)\b|[我咱俺]|本人", re.IGNORECASE)
_STANCE = re.compile(
    r"\b(?:prefer\w*|favou?rites?|dislik\w+|hate[sd]?|detest\w*|loath\w+|avoid\w*|refus\w+|allerg\w+|intoleran\w+|"
    r"aversion|averse|phobi\w+|strict(?:ly)?|never|always|only|usually|tend to|rather|love|enjoy|(?:fan|fond) of|"
    r"not a fan|into|believe|values?|appreciate|uncomfortable|sensitiv\w+|can(?:'t|not) (?:stand|eat|tolerate|have)|"
    r"(?:do not|don't|does not|doesn't) (?:\w+ )?(?:like|enjoy|want|eat|drink|wear|use|watch|read|buy|consume|own|"
    r"drive|trust|support|believe|care|appeal|align|fit|work)|won't|follow an?|adhere|stick to|committed to|opposed|"
    r"against|go with|vegan|vegetarian|kosher|halal)\b"
    r"|喜欢|讨厌|厌恶|热爱|过敏|忌口|不[吃喝用坐买看穿要想]|从不|从来|总是|一直|一向|每次|习惯|偏[好爱]|更[喜爱想]|宁[愿可]|"
    r"受不了|素食|清真|避免|最[爱好怕]|就[要选用]|只[吃喝用坐买看穿要选]",
    re.IGNORECASE,
)


def split_speaker(text: str) -> tuple[str | None, str]:
    """Return who a line of a chat log says is speaking (`Ann: hello`), case-folded, and the rest of `text`."""
    match = _SPEAKER.match(text)
    return (match.group(1).casefold(), text[match.end() :]) if match else (None, text)


def sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of `text` in order; none where it is blank. Very short ones join the next."""
    parts: list[str] = []
    for raw in _END.split(text):
        part = raw.strip()
        if part and parts and len(parts[-1]) < _SHORTEST:
            parts[-1] = f"{parts[-1]} {part}"
        elif part:
            parts.append(part)
    return tuple(_read(part) for part in parts)


def says_first_person(text: str) -> bool:
    """Whether `text` speaks of its speaker."""
    return _SELF.search(text) is not None


def _read(part: str) -> Sentence:
    bare = part.strip(_QUOTES)
    kind = _kind(bare)
    return Sentence(part, kind, kind == "statement" and _STANCE.search(bare) is not None)


def _kind(bare: str) -> SentenceKind:
    if bare.endswith(("?", "？")) or _QUESTION.search(bare):
        return "question"
    if _REQUEST.search(bare):
        return "request"
    return "statement" if _SELF.search(bare) else "other"

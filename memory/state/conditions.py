"""The context that a rule or habit is bound to: "for work trips I fly business", 出差的时候我都住全季.

A frame stands before what it frames, in a clause of its own or not, or after it. Only what comes again frames a rule:
"when I'm travelling", "on Fridays", "at restaurants"; a frame of one time ("when I go next week") is none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from memory.language.text import normalise, split_name, stem
from memory.language.text_cache import text_cache
from memory.language.values.scripts import simplified
from memory.state.cues import Clause
from memory.state.pattern_index import Form, PatternIndex

_WHEN = r"(?:when(?:ever)?|(?:every|each|any) ?time|if|during|while (?=\w+ing\b))"
_MAIN = (
    r"(?:i|we|i'm|i'll|i'd|please|always|never|just|only|let's|don't|book|order|use|get|give|take|choose|pick|send|put|"
    r"set|make|add|call|find|show|remind|play|turn|keep|leave|deliver|pay)\b(?!')"
)
_DAY = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days|week(?:day|end|night)s|(?:public |school )?holidays)"
_PART = r"(?:mornings?|afternoons?|evenings?|nights?)"
_SEASON = r"(?:summer|winter|spring|autumn|fall)"
_MEAL = r"(?:breakfast|lunch|dinner|supper|brunch|work|school|bedtime|dark|noon|midnight|sunset)"
_RECURRING = (
    rf"(?:(?:on|every|at) (?:\w+ )?{_DAY}(?: {_PART})?|on (?:mon|tues|wednes|thurs|fri|satur|sun)day {_PART}"
    rf"|in (?:the )?(?:{_SEASON}|{_PART})(?: months)?|at night|(?:before|after|during|for|at|over) {_MEAL}"
    r"|(?:before|after|until|from) (?:\d{1,2}(?::\d\d)?(?: ?[ap]\.?m\.?| o'?clock)?|\w+ o'?clock))"
)
"""What comes again, wherever it stands."""
_NO_ARTICLE = r"(?!(?:the|this|that|these|those|my|our|your|his|her|their|now|me|us|some|all|most) )"
_KIND_OF = (
    rf"(?:for|on|at|in|during|with|within) {_NO_ARTICLE}(?:[\w-]+ ){{0,3}}?[\w-]*[a-rt-z]s"
    r"(?: (?:with|within|to|in|of|over|under|from) [\w -]+?)?"
)
"""Things of a kind ("for trips within Scandinavia"): only they have no article."""
_OCCASION = r"(?:trip|flight|journey|ride|drive|meeting|stay|occasion|visit|run|event)s"
_OPENING = (
    rf"^(?:and |but |so |also )?(?:(?P<when>{_WHEN} .+?) (?={_MAIN})"
    rf"|(?P<recurring>{_RECURRING}),? (?={_MAIN})|(?P<kind>{_KIND_OF}),? (?={_MAIN}))"
)
"""A frame before the subject, or the order, that it frames."""
_WHOLE = rf"^(?:and |but |so |also |(?:but )?only )?(?P<whole>{_WHEN} .+|{_RECURRING}|{_KIND_OF})$"
"""A clause that is a frame and nothing else."""
_CLOSING = (
    rf"(?<=\w) (?:but )?(?:only )?(?P<after>{_WHEN} (?:i|we|it|it's|i'm|we're|there|the|my|our|some\w+|\w+ing)\b.+"
    rf"|(?:on|during) {_NO_ARTICLE}(?:[\w-]+ ){{0,2}}{_OCCASION})$"
)
_CLOSING_TIME = (
    rf"^(?!.*\b(?:prefers?|likes?|loves?|enjoys?|hates?|fan of)\b).*\w (?:but )?(?:only )?(?P<recurs>{_RECURRING})$"
)
"""A time says when something is done, but belongs to a thing that is liked ("meetings in the afternoon")."""
_TIME_ZH = (
    r"(?:每?(?:周|星期|礼拜)[一二三四五六日末天](?:到(?:周|星期)?[一二三四五六日天])?|工作日|节假日|[春夏秋冬][天季]里?|"
    r"(?:刮风|大风|下)?[雨雪雾]天|[阴晴热冷]天|凌晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|半夜|睡前|饭前|饭后|早餐|"
    r"午餐|晚餐|早饭|午饭|晚饭)+"
)
_MAIN_ZH = r"(?=我|咱|都|就|一律|一般|通常|总|请|要|只|才|[别不]|习惯|每次|以后|给|帮)"
_OPENING_ZH = (
    r"^(?:不过|但是?|而且|另外|还有|以后|平时|一般|我们?)?(?:"
    r"(?P<when_zh>[^，。]{1,16}?(?:的时[候侯]|的话|的日子|的场合|期间))(?:里|内)?"
    rf"|(?P<at_zh>[^，。我]{{2,10}}?时){_MAIN_ZH}"
    rf"|(?P<once_zh>(?:每逢|逢|每到|一到|每当|凡是|但凡|只要|遇到|碰到|赶上)[^，。]{{1,10}}?)(?:时|{_MAIN_ZH}|$)"
    rf"|(?P<time_zh>{_TIME_ZH})(?:{_MAIN_ZH}|$))"
)
_INNER_ZH = (
    rf"^(?:我们?)(?:一般|通常|平时|总是|都|只)?(?P<inner_zh>{_TIME_ZH})"
    r"(?=一般|通常|总|都|只|就|才|要|习惯|从来?不|[吃喝坐去])"
    r"|^我(?P<doing_zh>上下?班|上学|回家|出门|出差|旅[行游]|睡觉|开会|健身|加班)(?=[坐骑开走喝吃穿听看用住]|一定|都|一般|要|喜欢|习惯|只)"
)
_FRAMES = PatternIndex(
    [
        (Form(pattern, re.IGNORECASE), place)
        for pattern, place in (
            (_OPENING, "open"),
            (_OPENING_ZH, "open"),
            (_WHOLE, "whole"),
            (_CLOSING, "close"),
            (_CLOSING_TIME, "close"),
            (_INNER_ZH, "inner"),
        )
    ]
)
_ONCE = re.compile(
    r"\b(?:next|this|tomorrow|tonight|today|yesterday|last|ago|was|were|had|did|used|went|got|possible|needed|necessary|"
    r"available|you|in (?:fact|theory|general|terms|this|that)|as|ever|it'?s (?:ok|okay|fine|not)|not|so|any|question|"
    r"\d{4})\b|[今明昨后前]天|[这那上下]个?[次周月年]|有时候|小时候|[如要]|以前|后来|可以|方便|需要|(?<!每)当时|"
    r"同时|到时|有事|没有?(?:特别|特殊|另外|别的)?(?:说|交代|要求|指定)"
)
"""What says that a frame is of one time, of the past, or of nothing in particular ("if possible")."""
_JOIN = re.compile(r"^(?:and|but|so|also|only)\s+", re.IGNORECASE)
_WISH = re.compile(r"^((?:and |but |so )?(?:i|we)) (?:want|need|would like) ", re.IGNORECASE)
_DOES = re.compile(
    r"^((?:and |but |so )?(?:i|we)) (?!(?:\w{2,}ly|always|never|only|just|tend|prefer|like|love|hate|enjoy|don't|do|"
    r"can|can't|am|was|were|have|will|would|might|may|also|still)\b)(?=\w+)",
    re.IGNORECASE,
)
_DOES_ZH = re.compile(r"^我们?(?=[吃喝坐住用穿看听点订选买走])")
_ACTS = frozenset(
    map(stem, ("book", "order", "buy", "reserve", "use", "make", "send", "pay", "search", "find", "get", "take"))
)
"""What tools are for: it says no more than the name of one."""
_ACT_ZH = re.compile(
    r"^(?:每逢|每当|凡是|但凡|只要)?(?:要|再|帮我|给我)?(?:预?[订定约]|[买叫点寄发查搜开存付转写建记]|下单|购买|设置?|安排)"
    r"[^，。]{0,4}?(?:的时[候侯]|的话|时)?$"
)
_SMALL = frozenset(
    re.findall(
        r"\S+",
        "i i'm we we're my our the a an to for in on at of with is are it and or when whenever if while during every "
        "each any time after before from until am pm me us it's there within only",
    )
)
"""Words that say nothing of a context."""
_MARKERS_ZH = re.compile(r"的时[候侯]|的话|的日子|的场合|期间|每逢|一到|每到|凡是|但凡|只要|遇到|碰到|赶上")


class Framed(NamedTuple):
    """A clause without its frame."""

    clause: Clause
    condition: str
    """The frame in the person's words; empty where there is none."""


def framed(parts: Sequence[Clause]) -> list[Framed]:
    """Return the clauses of a text, each without the frame it stands in; one that is all frame is left out.

    A frame in a clause of its own frames the next clause of its sentence, or the one before where it ends the sentence.
    """
    frames = _FRAMES.narrowed(simplified(clause.raw) for clause in parts)
    if not frames:
        return [Framed(clause, "") for clause in parts]
    found: list[Framed] = []
    waiting = ""
    for index, clause in enumerate(parts):
        words, own = _split(clause.raw, frames)
        if not words:
            if index + 1 < len(parts) and parts[index + 1].sentence == clause.sentence:
                waiting = own
            elif found and found[-1].clause.sentence == clause.sentence and not found[-1].condition:
                found[-1] = found[-1]._replace(condition=own)
            continue
        condition = ", ".join(filter(None, (waiting, own)))
        found.append(Framed(replace(clause, raw=words) if own else clause, condition))
        waiting = ""
    return found


def condition_of(parts: Sequence[Clause], tool: str) -> str:
    """Return what the rules in `parts` are bound to, empty where one of them holds always.

    A frame that says no more than what `tool` does ("when I book flights", 订酒店的时候) is none.
    """
    found = [one.condition for one in framed(parts) if "standing" in one.clause.cues]
    return found[0] if found and "" not in found and _says_more(found[0], tool) else ""


def habitual(words: str) -> str:
    """Return what is said of one context as what is usual there: in a frame "I eat fish" and 我吃鱼 tell a habit."""
    return _DOES_ZH.sub("我一般", _DOES.sub(r"\1 usually ", _WISH.sub(r"\1 prefer ", words)))


def is_met(condition: str, told: Collection[str]) -> bool:
    """Whether a text with the terms `told` (`memory.language.text.tokenise`) speaks of what a rule is bound to.

    It does with more than half of its words, of a condition in Chinese with half of its pairs of characters.
    """
    wanted = _terms(condition)
    shared = 2 * sum(term in told for term in wanted)
    return bool(wanted) and (shared > len(wanted) if condition.isascii() else shared >= len(wanted))


def _split(raw: str, frames: PatternIndex[str]) -> tuple[str, str]:
    """Return the words of a clause without its frames, and these; no words where it is nothing else."""
    text, conditions = raw, list[str]()
    for pattern, place in frames.possible(simplified(raw)):
        shown = simplified(text)
        match = pattern.search(shown)
        if match is None or len(shown) != len(text):
            continue
        start, end = next(span for name in match.groupdict() if (span := match.span(name))[0] >= 0)
        condition = text[start:end].strip(" ,")
        if _ONCE.search(normalise(condition)) or (place == "whole" and conditions):
            continue
        if place == "whole":
            return "", condition
        conditions.append(condition)
        text = _without(text, start, end, place)
    return text, ", ".join(conditions)


def _without(text: str, start: int, end: int, place: str) -> str:
    before, after = text[:start], text[end:]
    if place == "close":
        return before.strip()
    return f"{before if place == 'inner' else _JOIN.sub('', before)}{after.lstrip(' ,')}".strip()


def _says_more(condition: str, tool: str) -> bool:
    if not condition.isascii():
        return _ACT_ZH.search(simplified(condition)) is None
    words = set(map(stem, re.findall(r"[a-z']+", normalise(condition))))
    return bool(words - _ACTS - set(map(stem, _SMALL)) - set(map(stem, split_name(tool))))


@text_cache(1024)
def _terms(text: str) -> frozenset[str]:
    plain = simplified(normalise(text))
    words = {stem(word.removesuffix("'s")) for word in re.findall(r"[a-z0-9']+", plain) if word not in _SMALL}
    runs = re.findall(r"[\u3400-\u9fff]+", _MARKERS_ZH.sub(" ", plain))
    return frozenset(words.union(run[at : at + 2] for run in runs for at in range(max(1, len(run) - 1))))

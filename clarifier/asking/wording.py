"""How one slot is asked for: as a clause of a longer question, or as a short question of its own (English, Chinese)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from clarifier.grounding.codes import is_looked_up
from clarifier.grounding.phrases import head, joined, slot_phrase
from memory.language.text import Language, split_name
from memory.tools import Parameter, Tool

Shape = Literal["noun", "clause", "count", "thing", "own", "flag", "choice"]
"""What kind of words a slot is asked for in.

`noun`: the travel date; `clause`: where the crew finds it; `count`: how many guests; `thing`: which train (an
identifier that tools give out, which nobody is asked for); `own`: your card number;
`flag`: whether to include pictures; `choice`: gift, yes or no.
"""
_CLAUSE = re.compile(r"(?:which|what|who|whom|whose|where|when|how)\b", re.IGNORECASE)
_CLAUSE_CHINESE = re.compile("多少|几|哪|谁|什么|怎么")
_COUNT = re.compile(r"(?:total |maximum |minimum )?(?:number|count) of (?P<things>[\w\s-]+)", re.IGNORECASE)
_AFTER_NOUN = re.compile(r"\s+(?:to|for|in|per|on|that|which|returned|requested|of the|you|as)\b.*", re.IGNORECASE)
_WHETHER = re.compile(r"\bwhether (?:or not )?(?P<what>(?:to )?[^,.;:(]+)", re.IGNORECASE)
_WHETHER_CHINESE = re.compile(r"(?P<what>是否[^，。；（(]+)")
_IDENTIFIERS = frozenset(("id", "ids", "identifier", "uid", "uuid"))
_OWN_TEXT = "user customer member client account card device patient student passport licence license policy"
_OWN = frozenset(_OWN_TEXT.split())
"""Words of things whose identifier a person has at hand."""
_FLAG_VERBS_TEXT = "include show send enable use add keep allow sort return get notify skip share"
_FLAG_VERBS = frozenset(_FLAG_VERBS_TEXT.split())
_CONTENT = re.compile(r"(?:(?:text|content|body) of the )?(message|note|comment|caption|text|body|content)")
_PLACES = ("地", "地点", "城市", "站", "车站", "地址", "位置", "机场", "国家", "柜点", "门店", "分馆")
_PEOPLE = ("人", "者", "姓名", "名字")

_SHORT = {
    "origin": "Where from?",
    "destination": "Where to?",
    "recipient": "Who is it for?",
    "place": "Which place?",
    "location": "Where?",
    "city": "Which city?",
    "city name": "Which city?",
    "date": "Which day?",
    "time": "What time?",
    "date and time": "When?",
    "amount": "How much?",
    "location where you are located": "Where are you?",
}
"""Questions for what a noun alone says, as short as a person would ask."""


@dataclass(frozen=True)
class Wish:
    """What is asked for, in words."""

    shape: Shape
    words: str
    is_plural: bool = False

    def within(self, language: Language) -> str:
        """Return it as part of a question for several things: `the travel date`, `which train you mean`."""
        if language == "zh":
            return {"thing": f"是哪个{self.words}", "own": f"您的{self.words}"}.get(self.shape, self.words)
        return {
            "noun": f"the {self.words}",
            "count": f"how many {self.words}",
            "thing": f"which {self.words} you mean",
            "own": f"your {self.words}",
            "flag": f"whether {self.words}",
            "choice": f"{self.words} (yes or no)",
        }.get(self.shape, self.words)

    def question(self, options: str, language: Language) -> str:
        """Return it as a question of its own, with the options at its end if there are any."""
        return self._in_chinese(options) if language == "zh" else self._in_english(options)

    def _in_english(self, options: str) -> str:
        tail = f": {options}?" if options else "?"
        match self.shape:
            case "count":
                return f"How many {self.words}{tail}"
            case "thing":
                return f"Which {self.words}{tail}" if options else f"Which {self.words} do you mean?"
            case "own":
                return f"What is your {self.words}{tail}"
            case "flag":
                if self.words.startswith("to "):
                    return f"Shall I {self.words.removeprefix('to ')}{tail}"
                return f"Could you tell me whether {self.words}{tail}"
            case "choice":
                return f"{self.words[:1].upper()}{self.words[1:]}, yes or no?"
            case "clause":
                return f"Could you tell me {self.words}{tail}"
        if options:
            return f"Which {self.words}{tail}"
        if told := _CONTENT.fullmatch(self.words):
            return f"What should the {told[1]} say?"
        return _SHORT.get(self.words, f"What {'are' if self.is_plural else 'is'} the {self.words}?")

    def _in_chinese(self, options: str) -> str:
        tail = f"，{options}？" if options else "？"
        match self.shape:
            case "thing":
                return f"是哪个{self.words}{tail}"
            case "own":
                return f"您的{self.words}是多少{tail}"
            case "clause" | "flag":
                return f"{self.words}{tail}"
            case "choice":
                return f"要不要{self.words}？"
        if options:
            return f"{self.words}要哪个{tail}"
        if self.words.endswith(("日期", "日子")):
            return f"{self.words}是哪天？"
        if self.words.endswith("时间"):
            return f"{self.words}是几点？"
        if self.words.endswith(_PLACES):
            return f"{self.words}是哪里？"
        if self.words.endswith(_PEOPLE):
            return f"{self.words}是谁？"
        is_amount = self.words.endswith(("数", "数量", "金额", "价格", "重量", "时长", "号", "编号", "电话", "号码"))
        return f"{self.words}是{'多少' if is_amount else '什么'}？"


def wish_for(parameter: Parameter, tool: Tool | None, language: Language) -> Wish:
    """Return how a person is asked for `parameter` of `tool`."""
    described = parameter.description.strip()
    if parameter.type == "boolean":
        return _flag(parameter, described, language)
    if thing := _thing(parameter, tool, language):
        return thing
    words = head(described, language)
    clause = _CLAUSE_CHINESE.search(words) if language == "zh" else _CLAUSE.match(words)
    if clause and not (language == "en" and words.casefold().startswith("how many ")):
        return Wish("clause", words[0].lower() + words[1:])
    if language == "en" and words and (things := _counted(words)):
        return Wish("count", things)
    noun = slot_phrase(parameter, language)
    is_plural = noun == "details" or (parameter.type == "array" and _AFTER_NOUN.sub("", noun).endswith("s"))
    return Wish("noun", noun, is_plural)


def either(spoken: Sequence[str], language: Language, *, is_closed: bool) -> str:
    """Return options as they are read out; where others are allowed it says so."""
    if language == "zh":
        return joined(list(spoken), language, word="还是") if is_closed else f"{'、'.join(spoken)}，还是别的"
    return joined(list(spoken) if is_closed else [*spoken, "something else"], language, word="or")


def among_more(spoken: Sequence[str], unnamed: int, language: Language) -> str:
    """Return the first options of a longer list as they are read out, with how many more there are."""
    if language == "zh":
        return f"{'、'.join(spoken)}，还是另外{unnamed}个里的一个"
    rest = "the other one" if unnamed == 1 else f"one of {unnamed} others"
    return joined([*spoken, rest], language, word="or")


def _counted(words: str) -> str:
    if words.casefold().startswith("how many "):
        return words[9:]
    found = _COUNT.match(words)
    return _AFTER_NOUN.sub("", found["things"]).strip() if found else ""


def _flag(parameter: Parameter, described: str, language: Language) -> Wish:
    words = split_name(parameter.name)
    if found := (_WHETHER_CHINESE if language == "zh" else _WHETHER).search(described):
        return Wish("flag", found["what"].strip())
    if language == "en" and words and words[0] in _FLAG_VERBS:
        return Wish("flag", f"to {' '.join(words)}")
    bare = words[1:] if words[:1] in (("is",), ("has",), ("with",)) else words
    return Wish("choice", slot_phrase(parameter, language) if language == "zh" else " ".join(bare or words))


def _thing(parameter: Parameter, tool: Tool | None, language: Language) -> Wish | None:
    """An identifier: of something that tools list, or of the person's own."""
    words = split_name(parameter.name)
    if not is_looked_up(parameter) or not _IDENTIFIERS & set(words):
        return None
    bare = [word for word in words if word not in _IDENTIFIERS]
    if _OWN & set(bare):
        words_for_own = slot_phrase(parameter, language)
        return Wish("own", re.sub("(?:的)?唯一(?:标识|编号)符?", "编号", words_for_own))
    if language == "zh":
        found = re.search(r"([\u4e00-\u9fff]{1,6}?)(?:的)?(?:唯一)?(?:标识|编号|ID|id)", parameter.description)
        return Wish("thing", found[1]) if found else None
    bare = bare or list(split_name(tool.name))[1:] if tool is not None else bare
    return Wish("thing", " ".join(bare)) if bare else None

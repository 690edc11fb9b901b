"""What a question suggests of a person, in their own mouth: "You like tea, right?" and "yes" say "I like tea".

Only questions to be answered with yes or no; one that offers a choice, or asks leave for one time, suggests nothing.
"""

from __future__ import annotations

import re

from memory.language.text import normalise
from memory.state.cues import cues_in, written
from memory.state.statement_forms import DO_YOU, DO_YOU_ZH, YES

_NO = re.compile(
    r"^(?:no|nope|nah|not really|never)\b(?! (?:problem|worries|need|wait))"
    r"|^(?:不[是了]?|没有?|不对|不太)(?:$|[，。,！!])",
    re.IGNORECASE,
)
_LONGEST = 300
"""Characters of a question; longer ones ask for no yes or no."""
_QUESTION = re.compile(r"[^.!?。！？\n]+[?？]")
_CHOICE = re.compile(r"\bor\b|还是|或者|哪|什么|几", re.IGNORECASE)
_DO = re.compile(r"\b(?:do|don't|so) you (?:still |also |usually (?=\w))*(?P<does>[^,?]+)", re.IGNORECASE)
_TAG = re.compile(
    r"^\W*(?:(?:and|so|ah|oh|ok|okay|i see|then)\b\W*)*you(?P<rest>(?:'re| are|'ve| have)? [^,?]+), (?:right|correct|"
    r"yes|no|true|(?:is|isn't) (?:that|it)(?: right)?|(?:do|don't|are|aren't|have|haven't) you)\W*$",
    re.IGNORECASE,
)
_ARE = re.compile(
    r"^\W*(?:(?:and|so)\b\W*)*(?:are|aren't) you (?P<am>(?!sure|ok|okay|ready|there|done|looking|going|free)[^,?]+)",
    re.IGNORECASE,
)
_SHALL = re.compile(
    r"\b(?:shall|should|can|may) i (?P<rule>[^?]+)|\b(?:want|like) me to (?P<order>[^?]+)", re.IGNORECASE
)
_YOURS = re.compile(r"^\W*(?:(?:and|so)\b\W*)*is (?P<value>[^,?]+?) your (?P<name>[^,?]+)", re.IGNORECASE)
_TAIL_ZH = re.compile(r"(?:[，,]?(?:对不对|对[吧吗]|是[吧吗]|可以吗|好吗|行吗|没错吧)|[吗吧么嘛])[？?]$")
_ASIDE_ZH = re.compile(r"是不是|是否|^(?:那|所以|对了)[，,]?")
_OFFER_ZH = re.compile(r"要不要|需要|想不想|要[订买点]|^要|帮您(?:订|买|点)")
_RULE_ZH = re.compile(
    r"(?:要不要|需不需要|是否|要我|需要|可以)(?P<rule>[^，。？?！]*?[帮给替为][您你][^，。？?！]+?)(?:吗|么|呢)?[？?]"
)
_LIKES_ZH = re.compile(r"^我(?P<often>平时|一般)?(?=喜欢|爱|吃|喝|坐|用|看)")


def adopted(question: str, answer: str) -> str:
    """Return what `question` suggests as the person would say it, after a no its opposite; empty if it is none."""
    said = answer.strip()
    is_yes, is_no = YES.search(said) is not None, _NO.search(said) is not None
    asked = [one.strip() for one in _QUESTION.findall(written(question)) if len(one) <= _LONGEST]
    if not asked or not (is_yes or is_no):
        return ""
    if is_yes and (match := next(filter(None, map(DO_YOU.search, asked)), None)):
        return f"I {match['v']} {match['o']}"
    suggested = "" if _CHOICE.search(asked[-1]) else _suggested(asked[-1])
    if is_yes:
        match = None if suggested else next(filter(None, map(DO_YOU_ZH.search, asked)), None)
        return f"我{match['v']}{match['o']}" if match else suggested
    return _opposite(suggested)


def _suggested(question: str) -> str:
    if (match := _RULE_ZH.search(question)) and "standing" in cues_in(normalise(match["rule"])):
        return re.sub("[您你]", "我", match["rule"])
    if tail := _TAIL_ZH.search(question):
        told = _ASIDE_ZH.sub("", re.sub("[您你]", "我", question[: tail.start()]))
        return "" if _OFFER_ZH.search(question) else told
    if match := _TAG.search(question):
        return f"I{match['rest']}"
    if match := _DO.search(question):
        return f"I {match['does']}"
    if match := _ARE.search(question):
        return f"I'm {match['am']}"
    if match := _YOURS.search(question):
        return f"my {match['name']} is {match['value']}"
    if (match := _SHALL.search(question)) and "standing" in cues_in(normalise(match["rule"] or match["order"])):
        return match["rule"] or match["order"]
    return ""


def _opposite(suggested: str) -> str:
    """Return the opposite of a like or a doing; empty for anything else."""
    if suggested.startswith("I "):
        return f"I don't {suggested[2:]}"
    return _LIKES_ZH.sub("我不", suggested) if _LIKES_ZH.match(suggested) else ""

"""What people say of themselves in an aside, put as a clause of its own that says so.

"As a nurse on nights I need …" says "I'm a nurse on nights", "my flat, which is on Mill Street, …" says where the flat
is, "my bike (a Brompton)" what it is; 作为一个程序员，我… and 我这种吃素的人 likewise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memory.language.values.scripts import simplified
from memory.state.cues import RELATION, Clause

_MAX_CHARACTERS = 240
"""Of a clause; longer ones are stories."""
_NO_PERSON = (
    r"(?!\w*(?:reminder|starter|matter|number|order|letter|offer|dinner|answer|present|component|center|counter|filler|"
    r"computer|printer|newcomer|factor|supper|paper|buffer|container|indicator|moment|percent|statement|agent|server|"
    r"rather|user|whether|other|another|customer|either)\b)"
)
_PERSON = (
    rf"(?:{_NO_PERSON}[a-z]+(?:ian|ist|er|or|eer|ant|ent|ee)|nurse|chef|coach|vegan|cook|pilot|mum|mom|dad|guide|athlete|"
    r"[a-z]+(?:wom[ae]n|m[ae]n)|freelance|night owl|veteran|widow|amputee|beginner)"
)
_AS = re.compile(
    rf"^(?:and |but |so )?as (?P<o>an? (?:[a-z][\w-]* ){{0,3}}?{_PERSON}"
    r"(?: (?:on|of|in|at|with|for|from|who) (?:[\w'-]+ ?){1,4}?)?)"
    r"(?:,? (?=(?:i|we|i'm|i'd|i'll|i've|my)\b)(?P<rest>.+))?$",
    re.IGNORECASE,
)
_BEING = re.compile(
    r"^(?:and |but |so )?(?:being|what with being|with me being) (?P<o>(?:an? )?[\w-]+(?: [\w'-]+){0,4}?)"
    r"(?:,? (?=(?:i|we|i'm|i'd|i'll|i've|my)\b)(?P<rest>.+))?$",
    re.IGNORECASE,
)
_DOING = {
    "living": "live",
    "having": "have",
    "working": "work",
    "sharing": "share",
    "owning": "own",
    "commuting": "commute",
    "studying": "study",
    "raising": "raise",
    "keeping": "keep",
}
_PARTICIPLE = re.compile(
    rf"^(?:and |but |so )?(?P<verb>{'|'.join(_DOING)}) "
    r"(?P<o>(?!(?:\w+ed|been|had|seen|done|gone|got|lost|said|heard|to|it|that|this|fun|trouble|on)\b)[^?]{2,60})$",
    re.IGNORECASE,
)
_SUBJECT = re.compile(r"^(?:i|we|i'm|i'd|i'll|i've|we'd|we'll)\b", re.IGNORECASE)
_I = re.compile(r"\b(?:i|i'm|i'd|i'll|i've|my|me|we)\b", re.IGNORECASE)
_WHICH = re.compile(r"^which(?: is|'s| are) (?P<o>[^?]{2,60})$", re.IGNORECASE)
_OWN = re.compile(rf"\b(?P<thing>(?:my|our) (?!(?:\w+ )?{RELATION}\b)[\w'-]+(?: [\w'-]+)?)$", re.IGNORECASE)
_APPOSED = re.compile(
    rf"\b(?P<thing>(?:my|our) (?!(?:\w+ )?{RELATION}\b)[\w'-]+(?: [\w'-]+)?) "
    r"\((?:it's |it is )?(?P<o>[^()?]{2,40})\)",
    re.IGNORECASE,
)
_AS_ZH = re.compile(
    r"^(?:身为|作为)(?P<o>一?[个名位]?(?!回报|补偿|礼物|奖励|参考|备用|交换)[^，。\s我]{2,8}?)(?:的?话)?$"
)
_SUCH_ZH = re.compile(r"^(?:像|对于?)?我们?这(?:种|样|类)的?(?P<o>[^，。\s我]{2,6}?)的(?:人|体质)?(?P<rest>.*)$")
_CHANGED_ZH = re.compile(
    r"^(?:(?:早就?|已经|现在|如今|最近|后来|再也)+(?:不再?|改|换成?|开始|又)|不再|不(?=[吃喝坐骑抽]))+[吃喝坐骑开抽穿住玩养学爱喜]"
    r"[^，。\s我你他她它这那]{1,10}了$"
)
"""A change that begins a text, without a subject: 现在改喝美式了. Later ones may follow from what was said before."""


def with_asides(parts: Sequence[Clause]) -> list[Clause]:
    """Return the clauses of a text with its asides put as clauses that say who or what they are about."""
    found: list[Clause] = []
    for index, clause in enumerate(parts):
        after = [one for one in parts[index + 1 : index + 4] if one.sentence == clause.sentence]
        before = parts[index - 1] if index and parts[index - 1].sentence == clause.sentence else None
        asides = [replace(clause, raw=words) for words in _asides(clause, before, after)]
        if index == 0 and _CHANGED_ZH.match(simplified(clause.raw)):
            asides = [replace(clause, raw=f"我{clause.raw}")]
        found.extend(asides or [clause])
    return found


def _asides(clause: Clause, before: Clause | None, after: Sequence[Clause]) -> Iterator[str]:
    """Yield what `clause` says, in the words of clauses of their own; nothing where it holds no aside."""
    raw = clause.raw
    if len(raw) > _MAX_CHARACTERS:
        return
    if (match := _AS.match(raw) or _BEING.match(raw)) and (match["rest"] or _tells_of_self(after)):
        yield f"I'm {match['o'].strip()}"
        if match["rest"]:
            yield match["rest"]
    elif (match := _PARTICIPLE.match(raw)) and after and _SUBJECT.match(after[0].raw):
        yield f"I {_DOING[match['verb'].casefold()]} {match['o']}"
    elif before is not None and (match := _WHICH.match(raw)) and (own := _OWN.search(before.raw)):
        yield f"{own['thing']} is {match['o']}"
    elif "(" in raw and (match := _APPOSED.search(raw)):
        yield f"{raw[: match.start()]}{match['thing']}{raw[match.end() :]}"
        yield f"{match['thing']} is {match['o']}"
    elif (match := _AS_ZH.match(simplified(raw))) and any("我" in one.raw for one in after):
        yield f"我是{match['o']}"
    elif match := _SUCH_ZH.match(simplified(raw)):
        yield f"我{match['o']}"


def _tells_of_self(after: Sequence[Clause]) -> bool:
    return any(_I.search(one.raw) for one in after)

"""Who a clause is about where it does not say so itself: subjects that carry over, and what others are said to say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memory.language.text import normalise
from memory.language.values.scripts import simplified
from memory.state.cues import RELATION_ZH, Clause, cues_in
from memory.state.pattern_index import PatternIndex

_REPORTED = re.compile(
    r"(?P<who>\b(?:i|we|you)\b(?:'ve|'d| have| had| already| just| once| always)*|(?<!\S)\S{1,40}(?: (?:\w{1,20}ly|"
    r"just|"
    r"always|also|never|once|"
    r"keeps?|kept|has|had|have))*) (?:says?|said|saying|told|tells?|telling|claims?|claimed|insists?|insisted|"
    r"reckons?|thinks?|thought|"
    r"suggests?|suggested|recommends?|recommended|advises?|advised|reminds?|reminded|ask(?:s|ed)|wants?|warns?|warned|"
    r"writes?|wrote|reads)\b(?= (?:that |me |us |to )*(?:i|we|to|that|you|it)\b).*$"
    r"|\b(?:according to|in the words of)\b.*$",
    re.IGNORECASE,
)
"""Words of somebody by a verb of saying and whom it is about; `who` is the last word before the verb, with adverbs."""
_REPORTED_ZH = re.compile(
    rf"(?:(?:{RELATION_ZH}|[他她]们?|有人|别人|人家|大家|医生|大夫|老师|教练|专家|广告|网上|书[里上]|新闻|说明书?)[^，。我]{{0,6}}?"
    r"(?:[跟对和向](?:我|我们))?[^，。我]{0,4}?(?:说|讲|念叨|叮嘱|嘱咐|建议|提醒|劝|要求|告诉|让|叫)"
    r"|(?:据|按|照)[^，。]{1,8}?(?:说|讲|的说法)).*$"
)
_OTHERS_ZH = re.compile(rf"{RELATION_ZH}|[他她它]们?")
_SELF_ZH = re.compile(r"^(?:[^，。我你他她]{0,5})(?:我们?|咱们?|俺)(?!的?(?:\S{0,2}" + RELATION_ZH + r"))")
_ELLIPTIC_ZH = re.compile(
    r"^(?:但是?|不过|而且|并且|然后|所以|可是?|后来|平时|现在|最近|如今|已经|刚|又|也|还|都|就|更|最|特别|很|挺|比较|非常|一般|通常|总是|"
    r"从来?|是(?=[住在搬]))*(?:不再|再也不|不|没|在|住|搬|改|换|骑|开|养|有|做|当|爱|喜欢|偏爱|反感|讨厌|受不了|习惯|戒|吃|喝|坐|穿|用|看|听|学|练|会|"
    r"调到|跳槽|家住)"
)
"""A Chinese clause without a subject that goes on to tell of likes, habits and facts."""
_LIST = re.compile(
    r"^(?:(?:and |or )?[\w'-]+(?: [\w'-]+){0,3}"
    r"|[\w'-]+(?: [\w'-]+){0,2} (?:and|or) (?:a bit of )?[\w'-]+(?: [\w'-]+){0,2})$"
)
_LIST_HEAD = re.compile(
    r"^(?P<head>(?:and |but )?(?:i|we) (?:\w+ly |also |always |don't |never |can't |do not )*(?:like|love|enjoy|prefer|"
    r"hate|dislike|adore|avoid|stand|eat|drink|play|speak|collect|grow|watch|read|have|own) "
    r"(?:eating |drinking |playing )?)"
    r"(?P<first>[\w' -]+)$",
    re.IGNORECASE,
)
_NO_NOUN = re.compile(
    r"\b(?:i|we|you|he|she|it|they|like|my|so|but|because|which|who|that|please|too|thanks|is|are|was|be|can|could|would|will|"
    r"not|no|yes|if|when|at|in|on|for|with|to|from|by)\b",
    re.IGNORECASE,
)
_LIST_ZH = re.compile(
    r"^[^，。\s我你他她不没也还都就很在了的]{1,6}(?:[和跟与][^，。\s我你他她不没也还都就很在了的]{1,6})?$"
)
_LIST_HEAD_ZH = re.compile(
    r"^(?P<head>我们?[^，。\s]{0,4}?(?:不?(?:喜欢|爱)(?:吃|喝|看|听|玩)?|讨厌|不?(?:吃|喝)|会说|会讲|养了?|收藏))(?P<first>[^，。\s]{1,6})$"
)
_USED_TO = re.compile(
    r"\b(?:i|we) (?:used to|once) (?P<verb>\w+)(?: (?P<at>at|in|for|with|by|on))? (?P<old>[^,;]+)", re.IGNORECASE
)
_BUT_NOW = re.compile(
    r"^(?:but |and )?(?:now|nowadays|these days)(?:,)? (?:(?:i'm|i am|we're|it's|it is|i) )?(?:(?:at|in|for|with|by|"
    r"on) )?"
    r"(?P<new>(?!i\b|we\b|the\b)[^,;]+)",
    re.IGNORECASE,
)
_USED_TO_ZH = re.compile(
    r"(?:我们?)?(?:以前|原来|从前|过去|之前)(?:我们?)?(?:都|是|一直)?(?P<verb>住?在|喝|吃|坐|用|穿|住)(?P<old>[^，。]+?)(?P<tail>上班|工作|任职)?$"
)
_BUT_NOW_ZH = re.compile(
    r"^(?:但是?|不过)?(?:现在|如今)(?:我们?)?(?:是|改|换(?:成|到)?|都)*(?:(?P<verb>[喝吃坐用穿骑开])|住?在|住|去|搬[到去来])?(?P<new>[^，。]+?)(?:了)?$"
)

_HEARSAY = PatternIndex([(_REPORTED, "en"), (_REPORTED_ZH, "zh")])
_CARRIED_OVER = PatternIndex(
    [
        (_USED_TO, "verb"),
        (_USED_TO_ZH, "verb"),
        (_SELF_ZH, "subject"),
        (_LIST_HEAD, "head"),
    ]
)
"""What a clause must hold for a later one of its sentence to be completed."""


def with_subjects(parts: Sequence[Clause]) -> list[Clause]:
    """Return the clauses of a text with the subject, or the verb, that they leave out put in, and without hearsay.

    "I used to work at A, now I'm with B" ends in "I work with B"; 我戒了糖，也不再吃甜品了 in 我也不再吃甜品了.
    """
    hearsay = _HEARSAY.narrowed(simplified(clause.raw) for clause in parts)
    told = [_without_hearsay(clause, hearsay) for clause in parts] if hearsay else list(parts)
    if not _CARRIED_OVER.narrowed(simplified(clause.raw) for clause in told):
        return told
    return [_completed(clause, told[max(0, index - _NEAR) : index]) for index, clause in enumerate(told)]


_NEAR = 12
"""Clauses before one that it can take its subject from; a sentence of more is no sentence."""


def _completed(clause: Clause, before: Sequence[Clause]) -> Clause:
    same = [simplified(one.raw) for one in before if one.sentence == clause.sentence]
    if not same:
        return clause
    words = simplified(clause.raw)
    if (old := _USED_TO.search(same[-1])) and (new := _BUT_NOW.search(words)):
        return replace(clause, raw=" ".join(filter(None, ("I", old["verb"], old["at"], new["new"]))))
    if (old := _USED_TO_ZH.search(same[-1])) and (new := _BUT_NOW_ZH.search(words)):
        value = new["new"].removesuffix(old["tail"] or "\n")
        return replace(clause, raw=f"我{new['verb'] or old['verb']}{value}{old['tail'] or ''}")
    if listed := _listed(words, same):
        return replace(clause, raw=listed)
    subject = next((one for one in reversed(same) if _OTHERS_ZH.search(one) or _SELF_ZH.search(one)), "")
    is_own = _SELF_ZH.search(subject) is not None and _OTHERS_ZH.search(subject) is None
    if is_own and "我" not in words and not _OTHERS_ZH.search(words) and _ELLIPTIC_ZH.search(words):
        return replace(clause, raw=f"我{clause.raw.removeprefix('是')}")
    return clause


def _listed(words: str, before: Sequence[str]) -> str | None:
    """Return a further thing of a list with the words that the list began with ("I play tennis, golf and darts")."""
    if _LIST_ZH.match(words) and (head := _LIST_HEAD_ZH.match(before[-1])):
        return f"{head['head']}{words}"
    if _LIST.match(words) and not _NO_NOUN.search(words):
        for earlier in reversed(before):
            if head := _LIST_HEAD.match(earlier):
                return f"{head['head']}{re.sub(r'^(?:and|or) ', '', words)}"
            if not _LIST.match(earlier):
                return None
    return None


def _without_hearsay(clause: Clause, hearsay: PatternIndex[str]) -> Clause:
    own = _own_part(clause.raw, hearsay)
    return clause if own == clause.raw else replace(clause, raw=own, cues=cues_in(normalise(own)))


def _own_part(raw: str, hearsay: PatternIndex[str]) -> str:
    """Return what of a clause the person says themselves: what stands before "he told me that …" and the like."""
    for match, language in hearsay.matches(simplified(raw)):
        if language == "zh" or not re.match(r"(?:i|we)\b", match["who"] or "", re.IGNORECASE):
            return raw[: match.start()]
    return raw

"""What each clause of a request does: orders, asks, sets a rule, tells a fact or waves it off; and what may follow.

Whatever is not clearly something else counts as an order, so that indirect ones ("we're out of milk") stay orders. What
memory reads of the person out of a clause is a fact; what it hears as lasting is a rule. Without an order nothing is
changed: a question, or a report of what was done, may only be looked up, and rules, facts and dismissals call nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from agent.planners.rules.segments import Segment, clauses, named, sentences
from agent.planners.rules.verbs import deeds_of, deeds_said, is_greeting, is_thanks
from clarifier.decision import Situation
from clarifier.effects import effect_of
from clarifier.grounding.replies import calls_off
from memory.language.text import normalise
from memory.language.text_cache import text_cache
from memory.language.values.scripts import simplified
from memory.records import Turn
from memory.state.cues import RELATION, RELATION_ZH, cues_in, is_correction
from memory.state.extraction import extract
from memory.state.orders import RULE_CUE, is_rule_unsaid, lasts_so
from memory.state.sensitive import is_sensitive_text
from memory.tools import Tool

Act = Literal["order", "question", "rule", "fact", "dismissal"]

_LEAD = re.compile(
    r"^(?:(?:and|but|so|then|now|well|oh|ok(?:ay)?|hey|hi|right|wait|sorry|no|yes|also|actually|by the way|btw|fyi|just"
    r"|um+|hm+|thanks?|thank you)\b[,\s]*"
    r"|(?:那么?|对了|另外|还有|不过|等等|等一下|不对|不是|请问|顺便问?一?下?|哦|嗯|诶|啊)[，\s]*)+",
    re.IGNORECASE,
)
_TELL = re.compile(
    r"^(?:(?:please|can you|could you|would you) )*(?:(?:tell|remind|show) (?:me|us)"
    r"|i(?:'d| would) (?:like|love) to know|i(?:'m| am)? (?:wonder(?:ing)?|want to know|curious)|do you know)"
    r" (?=(?:what|which|who|when|where|why"
    r"|how|if|whether)\b)|^(?:请|能不能|可以|你|麻烦你?)*(?:告诉我|跟我说|我?想(?:知道|问)|说说|讲讲|[帮给]我[看查说](?:看|查|一?下|说)?)",
    re.IGNORECASE,
)
"""Before a question that is put indirectly."""
_POLITE = re.compile(
    r"\b(?:please|pls|could you|can you|would you|will you|can't you|won't you|why don't (?:you|we)|why not|how about"
    r"|what about|any chance|shall we|let's|let me|i'd like|i would like|(?:i|we) (?:also |really |still |just )*"
    r"(?:need|want)|i'll (?:have|take)|would love|may i have|(?:can|could|may|might) (?:i|we) (?:please |also |just )*"
    r"(?!.*\brefund)(?!cancel|delete|remove|return|undo|still|even|ever)\w+"
    r"|(?:is|are) there (?:a|an|any)\b(?!.*\b(?:cancel|delet|remov|refund|penalt|fee|charge)\w*)"
    r"|(?:don't|do not) (?:need|want)\b.*\b(?:any ?more|after all)|no longer (?:need|want))"
    r"|帮|麻烦|劳驾|给我|替我|请(?!问|假|客)|我(?:还|也)?(?:想|要)(?!知道|问)|(?:能不能|可不可以)(?!取消|退|删|改)|要不|[行好可]以?[吗吧不]?[？?]?$|怎么样[？?]?$",
    re.IGNORECASE,
)
"""Words by which a question or a statement is a wish."""
_QUESTION = re.compile(
    r"^(?:what|which|who|whom|whose|when|where|why|how|did|do|does|have|has|had|is|are|was|were|am|can|could|may|might"
    r"|must|should|would|will)(?:n't|'s|'d|'re|'ve)?\b(?= \w)",
    re.IGNORECASE,
)
_INVERTED = re.compile(
    r"^(?:what|which|who|when|where|why|how)\b.*\b(?:did|do|does|have|has|had|was|were|will|would|can|could|is|are)"
    r" (?:you|i|we|it|they|my|our|the)\b",
    re.IGNORECASE,
)
"""A question without its mark."""
_DONE = r"(?:cancel+ed|booked|reserved|ordered|changed|deleted|removed|sent|moved|bought)"
_DEED_DONE = re.compile(rf"\b{_DONE}\b", re.IGNORECASE)
_REPORT = re.compile(
    rf"^(?:you|i|we|they|someone|my|our|the|it)\b(?!.*\b(?:to|needs?|wants?|please) )"
    rf".*\b(?:was|were|got|been|you(?:'ve| have)?|i(?:'ve| have)?|we(?:'ve| have)?)"
    rf"(?: (?:just|already|only))? {_DONE}\b"
    rf"|^(?:you|i|we|they)(?:'ve| have)?(?: (?:just|already|only))? {_DONE}\b(?! (?:house|home|to|away|in)\b)"
    r"|^(?:i|we) (?:didn't|did not|never|haven't) (?:ask|tell|want|say|mean|told|said|asked|wanted|meant)\b"
    r"|^我(?:又|可|都)?没有?(?:让|叫|说|要)"
    r"|^[你我](?:们|已经|刚才?|之前|又|就)*(?:把.{1,12})?(?:取消|退|订|改|删|买)[^吧]*了$",
    re.IGNORECASE,
)
"""What tells that a deed was done."""
_SETTLED = re.compile(
    rf"^(?:i|we|(?:my|our) {RELATION}|he|she|they)(?: (?:just|now|recently|currently|still|also|no longer|have|has))*"
    r"(?:'ve|'s)? ?(?:lives?|moved(?! it| the| my| that)|works?) (?:house |home |back )?"
    r"(?:to|in|at|near|for|from|with)\b"
    rf"|^(?:my|our) {RELATION} (?:is|are) (?:an? )?(?!at|in|on|coming|\w+ing\b)\w+(?: \w+)?$"
    r"|^[我他她](?:们|现在|如今|上个?[周月]|去年|今年|最近|刚刚?"
    r"|已经|早就?|不再)*(?:住在|搬到|搬去|搬来|搬家|在\S{1,8}(?:上班|工作)$)",
    re.IGNORECASE,
)
"""What tells where and how somebody lives, and memory may not read."""
_ORDERED_HAVE = re.compile(r"^(?:do|have) (?:it|that|this|the|a|an|my|me|them|some|one|both|same)\b", re.IGNORECASE)
"""Orders that begin like questions."""
_QUESTION_ZH = re.compile(
    r"^(?!.*(?:都(?:行|可以|好|成)|随便|无所谓))"
    r".*(?:什么|怎么|为啥|啥|咋|多少|哪|谁|几(?=[个点号次天张])|[吗么呢][？?]?$|了没有?|是不是|有没有|能否|是否|能不能|可不可以)"
)
_USUAL = re.compile(
    r"\b(?:as|like|same as) (?:always|usual|ever|every time)\b"
    r"|我们?(?:每次|一直|总是|平时)[^，。]{1,8}的|(?:像|跟|和|照)?(?:以前|往常|平时|每次|一直)?(?:一样|那样)|照旧|老样子",
    re.IGNORECASE,
)
"""What points back at how it always was, and sets no rule."""
_AS_I_DO = re.compile(
    r"(?P<order>.+\w) (?:that |which |as |like |what |where )?(?:i|we) (?:always|usually|normally)\b", re.IGNORECASE
)
"""An order of what is as it always was: "book the train I always take"."""
_FRAME = re.compile(
    r"^(?:when(?:ever)?|if|(?:every|each|any) ?time|on|for|in|at)\b.*$|.*(?:时候?|的话|时)$", re.IGNORECASE
)
"""What says when a rule holds, and orders nothing itself."""
_AMOUNT = re.compile(r"\d|\b(?:an?|one|two|three|four|five|six|ten|another|some)\b|[一二两三四五六七八九十]")
_WAIVED = re.compile(
    r"(?:it|that)(?:'s| is) (?:all )?(?:fine|ok(?:ay)?|good|alright|nothing)|no (?:worries|problem|matter)|don't worry"
    r"|没(?:事|什么|关系)(?:了|的)?|不(?:要紧|用了|急)",
    re.IGNORECASE,
)
_GIVEN_UP = re.compile(r"(?:那|就|还是|先|我|，|\s)*不(?:订|买|约|去|办|点|租)(?:了|啦)[吧啊]?[。！]?")
_SUPPOSED = re.compile(r"(?:if|in case|unless|when)\b|如果|要是|假如|万一", re.IGNORECASE)
"""How a clause begins that only says on what another one rests."""
_NEXT_TIME = re.compile(r"\bnext time\b|下[次回](?!列|开|航|班)")
_FRAGMENT = re.compile(
    r"^(?:and |with |no |in |at |near |by |for |on |to |或|和|还有|也|加|要|不)?(?:\S+ ?){1,4}$", re.IGNORECASE
)
_SUBJECT = re.compile(rf"(?:(?:and|but|so) )?(?:i|we|my|our|he|she|they)\b|我|[他她]|{RELATION_ZH}", re.IGNORECASE)
_JOINED = re.compile(r"(?:and|or|not) |[和或不]", re.IGNORECASE)
_PICK = re.compile(
    r"(?:(?:ok(?:ay)?|then|so|well|yes|right|please|just|i'll (?:take|have)|take|make it|let's (?:take|have|go with)"
    r"|go (?:with|for)|give me)[,\s]+)*(?:the |that |number )(?:very )?(?:\w+est|first|second|third|fourth|fifth|last"
    r"|next|other|most \w+|least \w+|one|two|three)(?: (?:one|option|of (?:them|those)|\w+))?"
    r"(?:[,\s]+(?:please|then|thanks))*"
    r"|(?:那|就|嗯|好|行|要|选|，|\s)*(?:最\S{1,3}?的?(?:那[个趟家班种款])?|第[一二三四五六\d][个趟家班种款]?|[这那][一]?[个趟家班种款])(?:吧|就行|好了|的)*",
    re.IGNORECASE,
)
"""A choice of one of several that says no deed."""
_BRIEF = 16
"""Characters of a clause that can say no more than that something was wrong."""
_DOING = frozenset(("book", "create", "change", "cancel", "send"))
_UNDOING = frozenset(("cancel", "change"))


def permits(tool: Tool, situation: Situation) -> bool:
    """Whether the request, by how it is meant, may lead to a call of `tool`."""
    acts = acts_of(situation.request)
    if "order" not in acts:
        return "question" in acts and effect_of(tool) == "read"
    mine = deeds_of(tool) & _UNDOING
    if mine and _PICK.fullmatch(_plain(situation.request)):
        topic = situation.recall.topic_turns
        return bool(topic) and bool(mine & deeds_said(topic[-1].request))
    return True


@text_cache(512)
def acts_of(text: str) -> tuple[Act, ...]:
    """Return what the clauses of `text` do, those left out that only greet or thank; an order where nothing is left."""
    found: list[Act] = []
    for sentence in sentences(text):
        inner = [
            one for one in clauses(text) if sentence.start <= one.start < sentence.end and not _says_nothing(one.text)
        ]
        is_asked = text[sentence.end : sentence.end + 1] in ("?", "？")
        # What is told across clauses is told by all of them; what one tells alone, by it and those with a subject.
        is_told, is_told_alone = _told(sentence.text), any(_told(one.text) for one in inner)
        acts = [
            _act(one, is_asked and one is inner[-1], is_told and (not is_told_alone or bool(_SUBJECT.match(one.text))))
            for one in inner
        ]
        found += ["dismissal"] * len(acts) if _is_dismissal(sentence.text) else _together(acts, inner)
    return tuple(found) or (("dismissal",) if calls_off(text) else ("order",))


def _says_nothing(text: str) -> bool:
    """Whether a clause only greets, thanks, opens ("wait") or says that something was wrong (我说错了)."""
    said = _plain(text)
    is_wrong = is_correction(text) and not deeds_said(text) and not named(text, None) and len(said) < _BRIEF
    return is_greeting(text) or is_thanks(text) or is_wrong or not _LEAD.sub("", said)


def _together(acts: list[Act], inner: Sequence[Segment]) -> list[Act]:
    """Return the acts of the clauses of one sentence as they bear on each other.

    A rule takes in what is no sentence of its own after it ("always oat milk, and medium"), and the order that its
    frame stands before or after ("whenever I travel, book …", "book …, from now on"), unless that is of one day.
    What a clause rests on goes with it ("if I cancel, do I …?").
    """
    told = list(acts)
    for place in range(len(told) - 1):
        if told[place] == "order" and _SUPPOSED.match(_LEAD.sub("", _plain(inner[place].text))):
            told[place] = told[place + 1]
    for place in range(1, len(told)):
        before, clause = inner[place - 1], inner[place]
        if told[place - 1] == "dismissal" and _WAIVED.fullmatch(_plain(clause.text)):
            told[place] = "dismissal"
        if told[place] in ("order", "fact") and _is_taken_in(clause, before, told[place - 1]):
            told[place] = told[place - 1]
        if told[place] == "rule" and told[place - 1] == "order" and _is_frame(clause) and not _names_a_day(before):
            told[place - 1] = "rule"
    return told


def _is_taken_in(clause: Segment, before: Segment, act: Act) -> bool:
    """Whether a clause is part of the rule or fact `before`."""
    if act == "rule":
        return not _names_a_day(clause) and (_is_fragment(clause) or _is_frame(before))
    is_run_on = clause.start == before.end + 1 and before.text.isascii()  # no mark between: "12 Via Roma"
    return act == "fact" and _is_fragment(clause) and (is_run_on or bool(_JOINED.match(clause.text)))


def _act(clause: Segment, is_asked: bool, is_whole_told: bool) -> Act:
    said = _plain(clause.text)
    bare = _LEAD.sub("", said) or said
    if (inner := _TELL.sub("", bare)) != bare and (_QUESTION.match(inner) or _QUESTION_ZH.search(inner)):
        return "question"
    if _is_dismissal(bare):
        return "dismissal"
    if _sets_rule(bare) and not _names_a_day(clause):
        return "rule"
    if _POLITE.search(bare) or _USUAL.search(bare):
        return "order"
    is_undoing = is_asked and bool(deeds_said(bare) & _UNDOING or _DEED_DONE.search(bare))
    if is_undoing or _INVERTED.match(bare) or _REPORT.match(bare):
        return "question"
    is_open = _QUESTION.match(bare) and not _ORDERED_HAVE.match(bare)
    if (is_open and (is_asked or deeds_said(bare))) or _QUESTION_ZH.search(bare):
        return "question"
    if not is_asked and _SETTLED.match(bare):
        return "fact"
    if is_asked or deeds_said(bare) & _DOING:
        return "order"
    is_part_of_fact = is_whole_told and not (_is_fragment(clause) and _AMOUNT.search(bare))
    return "fact" if is_part_of_fact or _told(clause.text) else "order"


def _plain(text: str) -> str:
    return simplified(normalise(text)).strip(" .!。！?？")


def _is_dismissal(text: str) -> bool:
    return (calls_off(text) and not deeds_said(text) & _DOING) or _GIVEN_UP.fullmatch(text) is not None


def _sets_rule(said: str) -> bool:
    plain = _USUAL.sub("", said)
    if (ordered := _AS_I_DO.match(plain)) and deeds_said(ordered["order"]) & _DOING:
        plain = ordered["order"]
    return "standing" in cues_in(plain) or bool(_NEXT_TIME.search(plain)) or is_rule_unsaid(plain) or lasts_so(plain)


def _names_a_day(clause: Segment) -> bool:
    return any(one.kind in ("date", "datetime") for one in named(RULE_CUE.sub("", clause.text), None))


def _is_frame(clause: Segment) -> bool:
    """Whether a clause only says when a rule holds: "whenever I travel", "from now on", 以后."""
    said = _LEAD.sub("", _plain(clause.text))
    return bool(_FRAME.fullmatch(said)) or len(RULE_CUE.sub("", said).strip(" ,，")) < 2


def _is_fragment(clause: Segment) -> bool:
    return bool(_FRAGMENT.fullmatch(clause.text)) and not deeds_said(clause.text)


@text_cache(512)
def _told(text: str) -> bool:
    """Whether memory reads something of a person out of `text`, or it tells of a matter too private to be kept."""
    is_own = re.match(r"(?:i|we|my|our)\b|我", _LEAD.sub("", normalise(text))) is not None
    return (is_own and is_sensitive_text(text)) or is_kept(text)


@text_cache(512)
def is_kept(text: str) -> bool:
    """Whether memory reads something of a person out of `text`."""
    return bool(extract(Turn(turn_id="now", request=text), 0))

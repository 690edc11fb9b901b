"""What a rule orders that is given without a call: "from now on send my receipts to Ann", 空调以后都设26度.

Of orders whose verb says nothing (book, use, give me) the thing is the value, of others the whole order; the topic is
what the thing is, so that a newer order of the same thing closes the older one.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from memory.state.statement_forms import DEMAND

RULE_CUE = re.compile(
    r"\b(?:from (?:now|here|today) on(?:wards?)?|always|every (?:single )?time|each time|by default|as a rule|"
    r"going forward|henceforth|in (?:the )?future|until further notice|all (?:of )?this (?:week|month|year)|"
    r"for the (?:next|coming) (?:\w+ )?(?:day|week|month)s?|"
    r"(?:until|till) (?:the )?(?:end of )?(?:the )?\w+(?: \d+\w*)?)\b"
    r"|以后|往后|今后|从今(?:往后|以后)?|从(?:现在|[今明]天|[这下]个?[周月])(?:起|开始)|每次|每回|默认|永远|总是|记住"
    r"|(?:接下来|未来|这)(?:的?[一二两三四五六七八九十几\d]*)个?(?:天|周|星期|月)(?:里|内|之内)?"
    r"|[到至][^，。\s到至]{1,6}?(?:之前|为止|以前)",
    re.IGNORECASE,
)
"""Words that say that something is a rule; they are no part of what it orders."""
REPLACED = re.compile(
    r"\b(?:instead of|rather than|and not|no longer) (?P<o>(?!\w+ing\b)[^,;]+?)(?: from now on)?$"
    r"|(?:而不是|不再[是用发要]?)(?P<p>[^，。\s]+?)了?$",
    re.IGNORECASE,
)
"""What an order puts something else in the place of."""
_VERBS = frozenset(
    re.findall(
        r"\w+",
        "add adjust alert answer apply arrange ask assign avoid block bring call cancel cc bcc change charge check "
        "close collect confirm convert copy decline deliver dim display double drop email exclude file filter find "
        "forward group hide hold ignore include keep leave limit list lock log lower mail mark message mute notify "
        "offer open order pack park pay place play post print raise read remind remove reply request ring round run "
        "save schedule search select serve set ship skip sort split start stick store switch sync tag tell text tip "
        "track transfer translate turn type update upgrade upload wait wake warn water write",
    )
)
"""What assistants are told to do: the first words of orders whose cue is in another clause, or at their end."""

_LEAD = re.compile(
    r"^(?:(?:ok|okay|right|oh|hey|hi|well|please|pls|and|but|so|then|just|also|actually|let's|remember|note|"
    r"(?:can|could|would|will) you|you (?:can|should|must|may|could|need to|have to)|"
    r"i(?:'d like| would like| want| need) you to|make sure (?:that |you |to )?|be sure to|"
    r"(?:don't forget|remember) to|那就?|还是|请|麻烦你?|能不能|可不可以|你(?:就|要|得|可以)?|记得|要)"
    r"(?=[\s,]|[^a-z])[\s,]*)+",
    re.IGNORECASE,
)
_NEVER = re.compile(
    r"^(?:(?:(?:stop|quit) \w+ing(?: me)?|never(?: again| ever)?|no (?:more|longer)|no need to|"
    r"don't ever|do not ever|don't|do not|no)\b|"
    r"(?:千万|绝对)?(?:别再?|不要再?|不用再?|不必再?)|不再?|不许)\s*(?=\S)",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"^(?:(?:stop|quit) \w+ing|no (?:longer|need to)) \S"
    r"|^(?:don't|do not|never) (?!mind|worry|forget)\w+ .*\b(?:any ?more|again|any longer)$"
    r"|^(?:别再?|不要再?|不用再?|不必再?).+了$",
    re.IGNORECASE,
)
"""An order that ends a rule, and needs no cue."""
_SO = re.compile(
    r"^(?:and )?(?:from (?:now|here|today) on(?:wards?)?|going forward|in future|permanently)$"
    r"|^(?:以后|往后|今后|长期|一直)(?:都|就|也|全|一律)*(?:是|这样|这么|如此|照?按?这个?)*(?:来|办|做|执行)?[吧了哈啊]?$",
    re.IGNORECASE,
)
_LASTS = re.compile(
    r"^(?:wake|remind|text|e?mail|notify|alert|call|send|show|tell|ping|warn|give) (?:me|us)\b.* (?:every|each) "
    r"(?:\w+ )?(?:\w*day|morning|afternoon|evening|night|week|month|hour)s?\b"
    r"|^(?:keep|cap|limit) (?:my|our|the) [^,]+ (?:at|to|under|below|within|above) .*\d"
    rf"|^(?:never|(?:do not|don't) ever) (?:{'|'.join(sorted(_VERBS))}|go|spend|book|buy|use|show|suggest|"
    r"recommend)\b"
    r"|^[^，。\s我]{0,6}?(?:超过|低于|高于|少于|多于|不到|不足)[^，。\s我]{1,10}?(?:就|先|都|要)+(?:问|提醒|通知|告诉|叫)(?:一下)?我"
    r"|^每(?:天|日|晚|周|个?星期|个?月|年)[^，。\s]{0,8}?(?:提醒|叫|通知|告诉|[发推]送?给)(?:一下)?我",
    re.IGNORECASE,
)
_TODAY = re.compile(r"\b(?:today|tonight|tomorrow|this week|for now)\b|今[天晚]|明天", re.IGNORECASE)
_EXCEPT = re.compile(
    r",? \b(?:except|apart from|other than|unless|save for|but not)\b.*$"
    r"|(?:除了|除)[^，。\s]{1,8}(?:之外|以外|外)?[，,]?",
    re.IGNORECASE,
)
"""What a rule does not hold for."""
_TELL_ME = re.compile(
    r"^(?:please )?(?P<verb>warn|alert|notify|remind|tell|wake|call|text|email|ping) (?:me|us)$", re.IGNORECASE
)
_TELL_ME_ZH = re.compile(r"^(?:每次|都|就|要|请)*(?P<verb>提醒|通知|告诉)(?:一下|一声)?我(?:一下|一声)?[吧哦]?$")
_EACH = re.compile(r"(?:whenever|(?:every|each|any) ?time)\b", re.IGNORECASE)
_FRAMED = re.compile(r"^(?:when(?:ever)?|if|for|on|at|in|after|before|during)\b", re.IGNORECASE)
_ORDER = re.compile(
    r"^(?!(?:i|we|you|he|she|it|they|this|that|these|those|there|here|the|an?|my|our|your|his|her|their|its|what|when|"
    r"where|who|which|why|how|if|is|are|was|were|am|be|been|have|has|had|do|does|did|not|no|all|some|many|most|people|"
    r"every\w*|some\w+|no\w{3,}|to|for|in|on|at|with|from|of|by|than|as|and|or|but|so|because|thanks?|thank|sorry|"
    r"good|great|happy|glad|nice|love|feel|think|forget|remember|wonder|get|got|\w+ed|\w+ly|\w+ing)\b)"
    r"(?P<verb>[a-z]+)(?: (?:me|us|it|them)(?= \S))?"
    r"(?P<rest>(?! (?:it|that|this|what|how|why|when|where|if|me|you|us|them|so|which|who|please)\b)(?: \S+)+)$",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"^(?:(?:and|but|so|because|oh|well|yes|no|also) )*"
    r"(?:(?:it|that|there|this|they|he|she|you|do|does|did|is|are)\b(?! from)|"
    r"(?:i|we)(?!(?: (?:want|need|would like|prefer|will have|will take)|'d like|'ll have|'ll take)\b)\b)",
    re.IGNORECASE,
)
"""A clause that tells or asks something."""
_ASKING = re.compile(r"^(?:(?:and|but|so) )?(?:can|could|would|will|should|wh\w+|how)\b", re.IGNORECASE)
_FINE = re.compile(
    r"^(?P<thing>(?!(?:it|that|this|i|we|you)\b)\S+(?: \S+){0,3}?) (?:will do|(?:is|are|would be) "
    r"(?:fine|ok|okay|enough|good)) (?:for me )?from now on$",
    re.IGNORECASE,
)
"""What is good enough from then on."""
_TOLD = re.compile(
    r"'|(?:am|have|was|were|been|feel|think|forget|remember|wonder|thought|had|get|got|know)\b", re.IGNORECASE
)
_PREPOSITIONAL = re.compile(r"(?:at|in|on|to|from|by|with|for|before|after)\b", re.IGNORECASE)
_STORY = re.compile(
    r"(?:i|we|it|that|there|he|she|they|happy|glad|good|great|nice|love|fun|sorry|and|but|please|pls|thanks?|ok|okay|"
    r"me)\b|'",
    re.IGNORECASE,
)

_HAN = re.compile(r"[\u3400-\u9fff]")
_ZH_ORDER = re.compile(
    r"^(?:我们?的?)?(?P<thing>[^，。\s我他她它这那]{0,8}?)\s*"
    r"(?P<mark>(?:都|就|一律|全部?|统统|请|改(?=[成用为到])|[给帮替为]我)+)(?P<rest>[^，。]+)$"
)
"""What it is about, what marks the order, and what is ordered."""
_ZH_PLAIN = re.compile(
    r"^(?P<thing>[^，。\s我他她它这那]{2,6}?)"
    r"(?P<rest>(?:发|送|定|设|选|用|放|叫|加|寄|开|调|提醒|推送?|安排|改[成用为到])[^，。]+)$"
)
"""The same without a mark, with one of a few verbs."""
_ZH_LIMIT = re.compile(
    r"^(?P<thing>[^，。\s我他她它这那]{1,8}?)(?:都|就)*(?:最多|至多|至少|不超过|(?:别|不要|不能)超过|控制在|限制在|保持在)"
    r"[\d一二两三四五六七八九十百千万半][^，。\s]*$"
)
_ZH_END = re.compile(r"(?:吧|了|就行|就好|即可|就可以|好了|哈|啊|呀|哦|[给帮替]我)+$")
_ZH_VERB = re.compile(
    r"^(?:成|为|到|推送?|发送?|送到?|加上?|叫|播放?|设[定成为]?|调[到成]?|开|关|寄到?|安排[在到]?|改[成用为到]?)"
)
_ZH_WHEN = re.compile(r"(?:每\w{1,2}?|[早晚中上下]\w|凌晨|半夜|睡前|饭[前后]|周\w|工作日)+")
_ZH_TO_ME = re.compile(r"[提告叫通]\w{0,2}我")
_ZH_GIVE = re.compile(r"^(?:再|改)?(?:发|寄|送|交|抄送|转[发交])给?(?!你|他|她|它|我)[^，。\s]{1,8}$")
_ZH_AMOUNT = re.compile(
    r"(?<![第\d一二三四五六七八九十])[\d一二三四五六七八九十百千两半.]+(?P<unit>度|点半?|块钱?|元|分钟?|小时|天|次|个|杯|份|公斤|斤|米|公里|折)$"
)
_ZH_TALK = re.compile(r"^(?:再说|有机会|我|他|她|它|这|那)")


class Order(NamedTuple):
    """A rule as it was given."""

    words: str
    """What is ordered, less the words that order."""
    thing: str
    """Of it, what the topic is taken from; empty: all."""
    is_against: bool


def lasts_so(words: str) -> bool:
    """Whether `words`, a clause, says of the one before it that it is a rule: 以后都这样, "from now on"."""
    return _SO.match(words) is not None


def is_rule_unsaid(words: str) -> bool:
    """Whether `words`, a clause, orders by its verb something that is to last, without a cue of a rule.

    What ends a rule does ("stop adding fries"), what comes again ("wake me at 7 every day", 每晚十点提醒我), a level
    that is to be kept, and what is never to be.
    """
    bare = _LEAD.sub("", words).strip()
    return ends_rule(words) or (_LASTS.match(bare) is not None and _TODAY.search(bare) is None)


def ends_rule(words: str) -> bool:
    """Whether `words`, a clause, orders that something is done no more ("stop adding fries", 别再推新闻了)."""
    return _ENDED.match(_LEAD.sub("", words).strip()) is not None


def order_of(words: str, condition: str = "") -> Order | None:
    """Return what `words`, a clause of a rule that is bound to `condition`, orders; `None` where it tells a story."""
    if (general := _EXCEPT.sub("", words).strip()) and RULE_CUE.sub("", general).strip(" ,"):
        words = general
    cue = RULE_CUE.search(words)
    text = _LEAD.sub("", RULE_CUE.sub(" ", words).strip(" ,")).strip(" ,")
    is_against = False
    if never := _NEVER.match(text):
        is_against, text = True, text[never.end() :].strip()
    if _HAN.search(text):
        return _chinese(text, is_against, is_framed=bool(condition))
    if fine := _FINE.match(words):
        return Order(fine["thing"], "", False)
    if _TELLING.match(" ".join(RULE_CUE.sub(" ", words).split())) or (cue is None and _ASKING.match(words)):
        return None
    bare = DEMAND.sub("", text).strip()
    if bare != text:
        return Order(bare, "", is_against) if not _TOLD.match(bare) else None
    return _english(words, text, cue, is_against)


def told_when(words: str, condition: str) -> Order | None:
    """Return an order to be told of something whenever it is so: its `condition` is what it orders."""
    if condition and (bare := _TELL_ME_ZH.match(words)):
        return Order(f"{condition}{words}", bare["verb"], False)
    bare = _TELL_ME.match(words)
    if bare is None or not _EACH.match(condition):
        return None
    return Order(f"{words} {condition}", bare["verb"].casefold(), False)


def _english(words: str, text: str, cue: re.Match[str] | None, is_against: bool) -> Order | None:
    before = _LEAD.sub("", words[: cue.start()]).strip(" ,") if cue is not None else ""
    if cue is not None and before and words[cue.end() :].strip():
        if not _FRAMED.match(before):
            return None  # "the train always comes late": but for a frame nothing stands before the cue of an order
        text = _LEAD.sub("", words[cue.end() :].strip()).strip()
    order = _ORDER.match(text)
    if order and (is_against or (cue is not None and not before) or order["verb"].lower() in _VERBS):
        rest = order["rest"].strip()
        topic = order["verb"] if _PREPOSITIONAL.match(rest) else rest
        return Order(f"{order['verb']}{order['rest']}", topic, is_against)
    is_thing = is_against or (cue is not None and len(text.split()) <= 3)
    return Order(text, "", is_against) if is_thing and not _STORY.match(text) else None


def _chinese(text: str, is_against: bool, *, is_framed: bool) -> Order | None:
    if not is_against and (limit := _ZH_LIMIT.match(text)):
        return Order(_ZH_END.sub("", text), limit["thing"], False)
    if found := _ZH_ORDER.match(text) or _ZH_PLAIN.match(text):
        rest = found["rest"]
        if never := _NEVER.match(rest):
            is_against, rest = True, rest[never.end() :]
        rest = _ZH_END.sub("", rest)
        bare = DEMAND.sub("", _ZH_VERB.sub("", rest)).strip() or rest
        amount, is_about = _ZH_AMOUNT.search(rest), found["thing"] and not _ZH_WHEN.fullmatch(found["thing"])
        words = f"{found['thing']}{rest}" if found["thing"] and not is_against else bare
        return Order(words, found["thing"] if is_about else amount["unit"] if amount else bare, is_against)
    bare = _ZH_END.sub("", DEMAND.sub("", text).strip())
    if _ZH_TALK.search(text) or not (
        is_against or is_framed or bare != text or _ZH_TO_ME.search(text) or _ZH_GIVE.match(text)
    ):
        return None
    amount = _ZH_AMOUNT.search(text)
    return Order(text, amount["unit"], False) if amount and not is_against else Order(bare or text, "", is_against)

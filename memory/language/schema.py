"""What a tool's schema says of itself, read off its name and description (English and Chinese)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from memory.language.text import split_name
from memory.language.text_cache import text_cache

Effect = Literal["read", "write", "pay", "message"]
"""`read`: changes nothing; `write`: changes something; `pay`: moves money; `message`: reaches others."""

_VERB_TEXTS: Mapping[Effect, str] = {
    "pay": (
        "pay buy purchase order checkout transfer withdraw deposit donate trade bid recharge refund tip topup sell "
        "invest remit"
    ),
    "message": ("send notify post publish tweet share invite forward message reply broadcast sms"),
    "write": (
        "create update delete remove add set modify edit insert cancel book reserve submit upload import sync save "
        "store schedule register enable disable manage apply move rename merge mark rate execute run login logout "
        "authenticate authentication subscribe unsubscribe place put write change reset assign start stop pause "
        "resume install uninstall block approve reject archive complete close open log record join leave follow "
        "unfollow like clear erase grant revoke connect disconnect customize synchronize"
    ),
    "read": (
        "get search find list query retrieve fetch show read lookup look check view convert calculate compute "
        "estimate generate filter translate analyze analyse compare detect identify classify extract summarize parse "
        "validate verify geocode reverse locate track stream echo recommend suggest plan describe count is has "
        "explore discover access obtain download browse preview rank random predict provide return determine "
        "categorize autocomplete enrich monitor scan refine normalize process shorten batch"
    ),
}
_VERBS = {effect: frozenset(text.split()) for effect, text in _VERB_TEXTS.items()}
_NOUN_TEXT = (
    "order purchase checkout transfer deposit trade bid refund tip message post tweet broadcast sms book store "
    "schedule register rate log record"
)
_NOUNS_TOO = frozenset(_NOUN_TEXT.split())
"""Verbs that open a name as the noun it is about, too: `order_history`, `book_search`."""
_TOLD_TEXT = (
    "history status info information details list lists search lookup query count report reports summary overview "
    "statistics stats results availability price prices quote estimate forecast balance catalog menu options "
    "recommendations suggestions reviews ratings"
)
_TOLD = frozenset(_TOLD_TEXT.split())
"""Last words of names that ask for something to be told of the noun before them."""
_MAKING = frozenset({"place", "create", "submit", "make"})
"""Verbs that are to pay where what is made is an order or a payment."""
_CHINESE: tuple[tuple[Effect, re.Pattern[str]], ...] = (
    ("pay", re.compile("支付|付款|购买|下单|订购|转账|提现|充值|捐赠|买入|卖出")),
    ("message", re.compile("发送|发布|群发|通知|邀请|转发|发消息|发邮件")),
    (
        "write",
        re.compile(
            "创建|新建|更新|删除|添加|修改|设置|取消|预订|预约|提交|上传|导入|同步|保存|存储|登录|注册|申请|记录"
        ),
    ),
    (
        "read",
        re.compile("获取|检索|查询|搜索|查找|查看|列出|返回|计算|检查|提供|访问|生成|探索|翻译|转换|估算|识别|分析"),
    ),
)
_CHARACTERS_OF_A_HEAD = 6
"""Of a Chinese description, as 该工具用于 takes."""
_SENTENCE_END = re.compile(r"[。；]|\.\s")


@text_cache(1024)
def tool_effect(name: str, description: str = "") -> Effect:
    """Return what a tool does, by its name and its description, which may be empty.

    The first word of the name decides where it is a verb and nothing else. Where it may be the noun that the tool is
    about, the description's first verb decides, then the other words of the name, then the word itself. A name that
    opens with no verb is read in the same order. A tool that tells nothing is held to be a `write`: the cautious side.
    """
    words = split_name(name.rpartition(".")[2]) or split_name(name)
    opening = verb_effect(words[0]) if words else None
    if opening is not None:
        opening = _with_order(opening, words)
        if words[0] in _MAKING and _of_description(description) == "pay":
            return "pay"
        if words[0] not in _NOUNS_TOO or _does(words[0], description):
            return opening
    is_noun = opening is not None and len(words) > 1
    told: Effect | None = "read" if is_noun and words[-1] in _TOLD else None
    # Far into a Chinese sentence a verb is of something else: "在查到的餐厅订位，返回编号" books.
    described = _of_description(description, None if opening is None else _CHARACTERS_OF_A_HEAD)
    found = described or _of_further_words(words) or told or opening
    if found is not None:
        return found
    order: tuple[Effect, ...] = ("pay", "write", "message", "read")
    return next((effect for effect in order if _VERBS[effect] & set(words)), "write")


def verb_effect(word: str) -> Effect | None:
    """Return what an English verb in lower case does, `None` where it is not known as one."""
    stems = {word, word.removesuffix("s"), word.removesuffix("es")}
    return next((effect for effect, verbs in _VERBS.items() if stems & verbs), None)


def _does(verb: str, description: str) -> bool:
    """Say whether a word is the deed of a description: at its head, or a further one ("find and book a table")."""
    deed = rf"(?:^|\b(?:and|or|then|to) ){re.escape(verb)}\b(?! (?:{'|'.join(_TOLD_TEXT.split())})\b)"
    return re.search(deed, _first_sentence(description).casefold()) is not None


def _of_further_words(words: tuple[str, ...]) -> Effect | None:
    """Return what the verbs behind the first word of a name say, the last before the others: `user_list_update`."""
    verbs = [word for word in words[1:] if word not in _NOUNS_TOO and verb_effect(word)]
    if not verbs:
        return None
    last = verb_effect(words[-1]) if words[-1] in verbs else None
    return last if last not in (None, "read") else verb_effect(verbs[0])


def _with_order(effect: Effect, words: tuple[str, ...]) -> Effect:
    """To place, create or submit an order or payment is to pay."""
    is_order = effect == "write" and words[0].removesuffix("s") in _MAKING
    return "pay" if is_order and {"order", "payment", "transfer"} & set(words[1:]) else effect


def _of_description(description: str, most_before: int | None = None) -> Effect | None:
    """Return what the verb at the head of an English description says, or the first one of a Chinese description.

    Args:
        description: As in the schema.
        most_before: Characters that may stand before a Chinese verb; `None`: any number.
    """
    sentence = _first_sentence(description)
    words = tuple(word.strip(",.;:()").casefold() for word in sentence.split())
    if words and words[0] in _NOUNS_TOO and words[1:2] and words[1] in _TOLD:
        return "read"
    if words and (found := verb_effect(words[0])):
        return _with_order(found, words)
    places = [(match.start(), effect) for effect, pattern in _CHINESE if (match := pattern.search(sentence))]
    first, effect = min(places, default=(0, None))
    return effect if most_before is None or first <= most_before else None


def _first_sentence(description: str) -> str:
    return _SENTENCE_END.split(description.strip(), maxsplit=1)[0]

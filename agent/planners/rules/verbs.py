"""What people say when they want something done, by the verbs that tools are named with (English and Chinese)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memory.language.text import normalise, split_name
from memory.state.sensitive import is_sensitive_text
from memory.tools import Tool

_DEEDS: dict[str, tuple[str, str]] = {
    # deed: (words of tool names and descriptions, words of people)
    "book": (
        r"book|reserve|order|buy|purchase|place|hire|rent|预订|预定|订|购买|下单|租",
        r"\bbook|reserv|\border\b|\bbuy\b|\btake a seat\b|\bget (?:me|us)\b.*\b(?:tickets?|down|in|seats?)\b"
        r"|\bget (?:me|us) on(?:to)?\b|put me down|purchase|\bhire\b|\brent\b|订|约上|约一|下单|给我送|租|买",
    ),
    "create": (
        r"create|add|log|track|record|insert|register|new|make|schedule|set|创建|添加|记录|新增|新建|设置",
        r"\blog\b|\badd\b|\bcreate\b|\brecord\b|\bput\b|\bmake\b|\bschedule\b|\bset\b|set up|track"
        r"|记一笔|记上|记下|记账|新建|加一|建一?个|整个|设个|打上",
    ),
    "change": (
        r"update|change|modify|edit|move|renew|extend|adjust|修改|更新|变更|调整|改",
        r"\bchange\b|\bupdate\b|\bcorrect\b|\bmove it\b|\brenew\b|\bextend\b|\binstead\b|改(?!主意)|手滑|续|换成|再放",
    ),
    "cancel": (
        r"cancel|delete|remove|stop|clear|取消|删除|移除",
        r"\bcancel\b|\bdelete\b|\bremove\b|\bstop that\b|\bget rid\b|取消|删|退",
    ),
    "send": (
        r"send|post|mail|message|notify|share|login|发送|寄|通知|分享",
        r"\bsend\b|\b(?:mail|text) (?:it|me|her|him|them)\b|\bshare\b|\bnotify\b|\btell them\b|发给|发送|寄|通知",
    ),
    "convert": (
        r"convert|translate|转换|换算|翻译",
        r"\bconvert\b|\btranslate\b|\bin (?:euros?|dollars|pounds|yen)\b|\binto\b|换算|换成|翻译|转成",
    ),
    "sync": (r"sync|同步", r"\bsync|同步|推上去"),
    "check": (
        r"check|verify|validate|scan|检查|验证|扫描|检测",
        r"\bcheck\b|\bsafe\b|\bhow full\b|\bis it\b|验|干净|安全|查一?下",
    ),
    "recommend": (
        r"recommend|suggest|similar|recommand|推荐|相似",
        r"\brecommend|\bsuggest|of that sort|something like|one more|similar|推荐|类似",
    ),
    "random": (r"random|随机", r"\brandom\b|\bany will do\b|\bsurprise me\b|随机|随便|啥.{0,2}都行"),
    "history": (
        r"histor\w*|past|历史",
        r"\bhistor|\bback then\b|\bthat day\b|\bwhat was it\b|\btruly was\b|历史|以前|那时",
    ),
    "forecast": (
        r"forecast|future|预报|预测",
        r"\bforecast\b|\boutlook\b|\btomorrow\b|\bdays?\b.*\bahead\b|周末|明天|后天|预报",
    ),
    "current": (
        r"current\w*|real\s?time|realtime|now|实时|当前|即时",
        r"(?<!from )\bnow\b|\bat the moment\b|现在|此刻|眼下|实时",
    ),
    "detail": (
        r"details?|information|info|详情|详细|信息",
        r"\bdetails?\b|\bparticulars\b|\bwork it out\b|\btell me about\b|\brundown\b|细说|详细|展开|细节|讲讲",
    ),
}
_NAMED = {deed: re.compile(names, re.IGNORECASE) for deed, (names, _) in _DEEDS.items()}
_SAID = {deed: re.compile(words, re.IGNORECASE) for deed, (_, words) in _DEEDS.items()}

_CHAT = re.compile(
    r"\bwhat do you (?:think|reckon|make of)\b|\bdo you (?:think|reckon|agree|believe|like)\b"
    r"|^(?:am|was|are|were) (?:i|we)\b"
    r"|[.!?] (?:am|was|were) (?:i|we)\b|\b(?:take|be on|pick) (?:my|a) side\b"
    r"|\bsettle (?:it|this|an?|the)\b|\bcheer me up\b"
    r"|\btell me (?:a joke|something funny)\b|^(?:thanks?|thank you|good ?night|cheers)\b[^,?]*$"
    r"|[骂夸哄陪逗]我|聊聊|聊两句|讲个笑话|安慰|你(?:说|觉得)(?:我|呢|是不是)|我是不是|评评理|谢谢|谢了|晚安|早安",
    re.IGNORECASE,
)


_GREETING = (
    r"hi|hello|hey|hi there|hello there|hey there|greetings|good (?:morning|afternoon|evening|day)|howdy"
    r"|你好[啊呀]?|您好|嗨|哈喽|哈啰|早|早上好|早安|上午好|下午好|晚上好|大家好|在吗|在不在"
)
_THANKS = (
    r"thanks?|thanks? (?:a lot|a bunch|so much|very much|again|for (?:that|this|everything|the help|your help))"
    r"|thank you(?: (?:so much|very much|again|for (?:that|this|everything|the help|your help)))?|many thanks|cheers|ta"
    r"|ok(?:ay)?|great|perfect|lovely|nice|good|wonderful|that'?s (?:all|great|perfect|it)|bye|goodbye|good ?night"
    r"|(?:多谢|谢谢|谢了|感谢)(?:你|您|啦|了)?|非常感谢|好的?|好嘞|行|可以了|没事了|就这样|再见|拜拜|晚安|辛苦了?"
)
_ABILITY = (
    r"(?:so )?what can you (?:do|help (?:me |us )?with)(?: for (?:me|us))?|what (?:else )?do you do|help|help me"
    r"|how can you help(?: me)?|what are you able to do|who are you|what(?:'s| is) this"
    r"|你(?:都)?(?:能|会|可以)(?:做|干|帮我做|帮我干|帮我|帮)?(?:些)?(?:什么|啥)(?:呢|呀|啊)?|你有(?:什么|啥)(?:功能|用|本事)|你是谁|帮助"
)
_KNOWLEDGE = (
    r"(?:so |and )?what (?:else )?(?:do you|have you) (?:know|remember|noted?|learned|learnt|stored?|got)"
    r" (?:about|of|on) me|(?:tell me )?what you (?:know|remember) (?:about|of) me"
    r"|你(?:都)?(?:知道|了解|记得|记住了?)(?:关于)?我的?(?:些)?(?:什么|啥|哪些(?:事|偏好|信息)?)(?:呢|呀|啊)?"
    r"|你对我(?:都)?(?:知道|了解|记得)(?:些)?(?:什么|啥|多少|哪些)(?:呢|呀|啊)?"
)
_PIECE = re.compile(r"[.,;!?~。，！？；～…\s]+")


def _is_only(text: str, wording: str) -> bool:
    """Whether `text` is made up of the wording, said once or several times, and the marks between."""
    return bool(re.fullmatch(rf"(?:(?:{wording})(?: |$))+", _unmarked(text)))


def _unmarked(text: str) -> str:
    """Return the normal form without marks at its ends."""
    return _PIECE.sub(" ", normalise(text)).strip() or "-"


def is_greeting(text: str) -> bool:
    """Whether `text` is a greeting and nothing more."""
    return _is_only(text, _GREETING)


def asks_what_can_be_done(text: str) -> bool:
    """Whether `text` asks what the agent can do, be it after a greeting."""
    return not is_greeting(text) and _is_only(text, rf"{_GREETING}|{_ABILITY}")


def asks_what_is_known(text: str) -> bool:
    """Whether `text` asks what the agent knows of the person, and nothing more."""
    return _is_only(text, _KNOWLEDGE)


def is_thanks(text: str) -> bool:
    """Whether `text` thanks, agrees or takes leave, and nothing more."""
    return _is_only(text, rf"{_THANKS}|{_GREETING}") and not is_greeting(text)


_STATED = re.compile(
    r"^(?:(?:and|but|so|also|by the way|btw|fyi|actually|i(?:'ve| have)? changed my mind|from now on|in future)[,: ]+"
    r"|(?:对了|另外|顺便说一?[下句]|我改主意了)[，,：: ]*)*(?:"
    r"(?:i|we)(?:'m| am)? (?:always|usually|never|normally|generally|prefer|like|love|hate"
    r"|(?:a )?(?:vegetarian|vegan)|(?:don'?t|do not) (?:like|eat|drink)|(?:am|are) (?:a )?(?:vegetarian|vegan))\b"
    r"|my (?:favou?rite|usual|preferred)\b"
    r"|[\u4e00-\u9fff]{0,4}?我们?(?:一直|总是|从来|一般|通常|每次|都|平时|向来|习惯|喜欢|不喜欢|偏好|讨厌|从不|不吃|吃素|爱)"
    r"|(?:以后|今后|往后)我?都(?:坐|吃|喝|住|走)|我的(?:习惯|偏好))"
)


def is_bare_statement(text: str) -> bool:
    """Whether every sentence of `text` only says how the person is or likes things, and asks for nothing."""
    if re.search(r"[?？吗呢]", text) or deeds_said(text) - {"create"}:
        return False
    parts = [part for part in map(str.strip, re.split(r"[.!;\n。！；]+", normalise(text))) if part]
    return bool(parts) and all(_STATED.match(part) and not _WANTS.search(part) for part in parts)


def is_confidence(text: str) -> bool:
    """Whether `text` only tells of the speaker's health, belief, origin, money or the like, and asks for nothing."""
    said = normalise(text)
    if not is_sensitive_text(said) or re.search(r"[?？吗呢]|\d", said) or deeds_said(text) or _WANTS.search(said):
        return False
    return bool(re.match(r"(?:(?:and|but|so|also|by the way|btw|fyi)[,: ]+|对了[，, ]?)*(?:i|we|my|our)\b|我", said))


_WANTS = re.compile(
    r"\b(?:please|(?<!always )(?<!usually )want|need|show|find|get me|give|would like|i'd like|look|ones?|that|this"
    r"|the (?:first|second|third|last|other))\b|帮|给我|查|看看|找|要一|请|第[一二三四五]|[这那][个趟家些]"
)
"""Wishes, and words for a thing in sight: with them a statement is rather a choice."""


def says_again(text: str) -> bool:
    """Whether `text` asks for something to be done once more."""
    return bool(_AGAIN.search(normalise(text)))


_AGAIN = re.compile(
    r"\b(?:again|another|once more|one more|twice|second (?:one|time)|repeat|redo|as well|too)\b"
    r"|[再又]|重新|另外?一|多一"
)


def deeds_of(tool: Tool) -> frozenset[str]:
    """Return the deeds that the name of `tool` tells; where it tells none, its description's first words."""
    words = " ".join(split_name(tool.name))
    found = frozenset(deed for deed, pattern in _NAMED.items() if re.search(rf"\b(?:{pattern.pattern})\b", words))
    return found or frozenset(deed for deed, pattern in _NAMED.items() if pattern.match(tool.description))


def deeds_said(text: str) -> frozenset[str]:
    """Return the deeds that `text` asks for, in clauses that do not forbid them."""
    return _deeds(part for part in map(normalise, _CLAUSE.split(text)) if not _FORBIDDEN.search(part))


def deeds_forbidden(text: str) -> frozenset[str]:
    """Return the deeds that `text` wants left undone and does not ask for elsewhere."""
    return _deeds(part for part in map(normalise, _CLAUSE.split(text)) if _FORBIDDEN.search(part)) - deeds_said(text)


def _deeds(parts: Iterable[str]) -> frozenset[str]:
    told = list(parts)
    return frozenset(deed for deed, pattern in _SAID.items() if any(pattern.search(part) for part in told))


_CLAUSE = re.compile(r"[.,;!?](?=\s|$)|[，。！？；\n]")
_FORBIDDEN = re.compile(r"\b(?:don['’]t|do not|no need to|never)\b|先莫|[莫别]|不要|不用", re.IGNORECASE)


def is_conditional(text: str) -> bool:
    """Whether `text` makes something depend on how something else turns out ("book it if there is a seat")."""
    return bool(_CONDITION.search(normalise(text)))


_CONDITION = re.compile(
    r"\bif (?!i |you |we |it were\b|it was\b|possible\b|so\b)|要是|如果|有就|没有?就|就(?:直接|接着)"
)


def is_small_talk(text: str) -> bool:
    """Whether `text` asks for an opinion, comfort or banter rather than for something to be done."""
    return bool(_CHAT.search(normalise(text)))

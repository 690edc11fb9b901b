"""What a tool does to the world, read off its name and description (English and Chinese)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from memory.language.text import split_name
from memory.language.text_cache import text_cache
from memory.tools import Tool

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
        "unfollow like clear erase grant revoke connect disconnect customize"
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
_SENSITIVE = re.compile(
    r"\b(?:health|medical|medicine|medication|prescription|doctor|patient|diagnos\w+|insurance|bank\w*|loan|credit|"
    r"account balance|invest\w*|stock|tax|legal|law\w*|contract|visa|court|emergency|police|alarm|"
    r"safety)\b"
    r"|健康|医疗|医院|药|处方|诊断|保险|银行|贷款|信用卡|投资|股票|税|法律|合同|签证|法院|报警|紧急|安全",
    re.IGNORECASE,
)


def effect_of(tool: Tool, overrides: Mapping[str, Effect] | None = None) -> Effect:
    """Return what `tool` does: what `overrides` say of its name, else what name and description tell.

    The first word of the name decides where it is a known verb, then the description's first verb, then any verb of
    the name. A tool that tells nothing is held to be a `write`: the cautious side.
    """
    if overrides and tool.name in overrides:
        return overrides[tool.name]
    return _effect(tool.name, tool.description)


def is_read_only(tool: Tool, overrides: Mapping[str, Effect] | None = None) -> bool:
    """Say whether calling `tool` changes nothing."""
    return effect_of(tool, overrides) == "read"


def is_sensitive(tool: Tool) -> bool:
    """Say whether a tool acts in health, finance, law or safety."""
    return _SENSITIVE.search(f"{' '.join(split_name(tool.name))}. {tool.description}") is not None


@text_cache(1024)
def _effect(name: str, description: str) -> Effect:
    words = split_name(name)
    if words and (found := effect_of_verb(words[0])):
        return _with_order(found, words)
    if found := _of_description(description):
        return found
    order: tuple[Effect, ...] = ("pay", "write", "message", "read")
    return next((effect for effect in order if _VERBS[effect] & set(words)), "write")


def _with_order(effect: Effect, words: tuple[str, ...]) -> Effect:
    """To place, create or submit an order or payment is to pay."""
    is_order = effect == "write" and words[0] in {"place", "create", "submit", "make"}
    return "pay" if is_order and {"order", "payment", "transfer"} & set(words[1:]) else effect


def effect_of_verb(word: str) -> Effect | None:
    """Return what an English verb in lower case does, `None` where it is not known as one."""
    stems = {word, word.removesuffix("s"), word.removesuffix("es")}
    return next((effect for effect, verbs in _VERBS.items() if stems & verbs), None)


def _of_description(description: str) -> Effect | None:
    first = description.strip()[:60].split()
    if first and (found := effect_of_verb(first[0].strip(",.;:").casefold())):
        return found
    places = [
        (match.start(), effect)
        for effect, pattern in _CHINESE
        if (match := pattern.search(re.split("[。；]", description)[0]))
    ]
    return min(places)[1] if places else None

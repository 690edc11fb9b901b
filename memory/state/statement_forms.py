"""The forms in which people say something lasting of themselves, English and Chinese.

Each form captures what is said in the group `o`. Forms are searched in one clause, as it was written.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from memory.state.cues import RELATION, RELATION_ZH
from memory.state.pattern_index import Form

Stance = Literal["for", "against"]


class Attitude(NamedTuple):
    """A form that says what somebody likes, does as a rule, has or does no more."""

    pattern: Form
    stance: Stance
    topic: str | None = None
    """`None`: what the thing is ("aisle seats": seat)."""


def form(pattern: str) -> Form:
    """Return a form: a pattern without case, searched in one clause."""
    return Form(pattern, re.IGNORECASE)


# A form stands at the beginning of a clause or after one of these: "the one I like" and "if I work at" say nothing.
START = (
    r"(?:^[\"“'(]*(?:(?:oh|hi|hey|hello|well|yes|no|sure|thanks|thank you|please|by the way|btw|also|lately|these days|"
    r"nowadays|at home|turns out|it turns out|to be honest|tbh|i must say|i have to say|i guess|guess|lol|haha|hm+|"
    r"ok|okay|"
    r"ah|um|ugh|in fact|for the record|\w+ly|in theory|usually|as a rule|remember|note|fyi) )*|\b(?:and|but|so|"
    r"because|since|as|that|know|think|said|remember|mind|"
    r"honestly|personally|actually|now|way|then) )"
)
_ADVERBS = (
    r"(?:(?:really|strongly|strictly|vastly|deeply|intensely|generally|typically|usually|always|try to|tend to|firmly|"
    r"absolutely|also|just|do|still|actually|much|especially|particularly|truly|simply|personally|quite|"
    r"rather|definitely|very much|even|both|kind of|sort of|so|super|totally|very|pretty|completely|more|now|"
    r"finally|recently|have|am|'ve|'m|currently|have always|"
    r"always|(?!fly|only|apply|rely|reply|supply)\w{2,}ly) )*"
)
SELF = rf"{START}(?:i|we)(?='| )(?:'ve|'m)? ?{_ADVERBS}"
HABIT = r"(?:usually|always|normally|generally|mostly|typically|tend to|only(?: ever)?|almost always|as a rule) "
DOING = (
    r"(?:eat|drink|fly(?: with)?|travel with|go with|take|wear|use|watch|read|order|buy|sit in|sit on|stay in|"
    r"stay at|travel|go for|pick|choose|book|"
    r"listen to|smoke|drive)"
)
_ONGOING = r"(?:don't|do not|never|no longer|can't|cannot|hardly(?: ever)?|rarely|seldom) "
_LIKES = r"(?:loves?|likes?|enjoys?|prefers?|adores?|favou?rs?)"
_FOND = (
    r"(?:(?:big |huge )?into|(?:crazy|mad|passionate|nuts) about|(?:obsessed|in love) with|(?:hooked|big|sold) on|"
    r"addicted to|fond of|keen on|partial to)"
)
_HATES = (
    r"(?:hates?|dislikes?|detests?|loathes?|despises?|(?:can't|cannot|can not|couldn't) (?:stand|bear|abide)|avoids?|"
    r"(?:don't|do not|doesn't|does not|no longer|never) (?:really |much |even )*(?:liked?s?|enjoy(?:s|ed)?|"
    r"care[ds]? for|"
    r"wants? any more)|"
    r"(?:not|never) (?:that |so |really |very |too |particularly |much )*(?:a (?:big |great )?fan of|keen on|fond of|"
    r"into|interested in|comfortable with)|gone off|"
    r"prefers? not to \w+|refuses? to \w+|(?:afraid|scared|terrified|wary) of|uncomfortable with|"
    r"(?:an? )?(?:\w+[ -]){0,3}(?:aversion to|dislike (?:of|for)|distaste for|hatred (?:of|for)|fear of|phobia of)|"
    r"no interest in|(?:sick|tired|fed up) (?:of|with)|(?:lost interest in|went off|swore off|cut out|quit|done with)"
    r"(?: \w+ing(?= \w))?|stopped (?!using)\w+ing)"
)
OBJECT = r" (?P<o>.+)"
ZH_SELF = (
    r"(?:^|[，。、\s])(?:不过|说实话|老实说|说真的|讲真的?|你也?知道的?|比起[^，。\s我]{1,6}|[^，。、\s我他她它你谁说讲问告让叫给跟和与对替帮要如假若比把被除为前曾过]{0,6})?"
    r"(?:我(?:这个?人)?|我们家?|我家|俺|本人|咱们?)(?:自己|除了[^，。\s]{1,8}?|周末|早上|晚上|中午|出差|旅行|出门|在家|其实|真的|真心|真|就|也|还|还是|一直|一向|从小|平时|现在|如今|最近|近来|早就?|早已|已经|越来越|每[天日周晚年月]|天天|经常|常常?|"
    r"特别|最|很|非常|超级?|更|比较|个人|挺|蛮|好|倒是?|都|一般|通常|往往|基本上?|完全|实在|确实|可|是)*"
)
"""The speaker as the subject, after a lead-in that names nobody and is no "if"."""

_ZH_LIKES = (
    r"(?:喜欢|爱好?|偏爱|偏好|偏向于?|倾向于?|钟爱|钟情于?|热爱|热衷于?|习惯|迷上?了?|痴迷于?|沉迷于?|着迷于?|离不开)"
)
_ZH_HATES = (
    r"(?:再也)?(?:不(?:再|太|怎么|大)?(?:喜欢|爱|想再)|讨厌|受不了|接受不了|烦|痛恨|恨|"
    r"反感|厌恶|嫌弃|抗拒|吃不惯|喝不惯|坐不惯)"
)
_ZH_NEVER = r"(?:从来?|再也|都|已经)?不(?:太?能|会|再|怎么)?(?=[吃喝坐穿用看抽骑])"
ZH_DOING = r"(?:吃|喝|坐|穿|用|看|抽|骑|听|住|玩|去|走|买|订|选|点)?"
ZH_OBJECT = r"(?P<o>(?:[^，。！？\s]|(?<=[a-z]) (?=[a-z]))+)"
ZH_NUMBER = r"[一二两三四五六七八九十几\d]*"
ZH_CLASSIFIER = r"[个本台辆张部双件款套只条栋间把头匹口位名块架艘座所株棵盆家]"
ZH_COUNT = rf"(?:了|过)?(?:{ZH_NUMBER}{ZH_CLASSIFIER}|一些|点)?"

_ZH_MOODS = r"(?:一点|完全|都|早就?|已经|真的|实在|再也|也|还|很|挺|特别|非常|蛮)*"

ATTITUDES: tuple[Attitude, ...] = (
    Attitude(
        form(
            rf"(?:{START}(?:i|we) (?:don't|do not|can't) \w+ anything|\bnothing (?:(?:i|we) \w+)?) ?"
            r"(?:more|better) than (?P<o>.+)|\bnothing beats (?P<p>.+)"
        ),
        "for",
    ),
    Attitude(
        form(
            rf"{SELF}(?:of )?an? (?:big |huge |great |massive |real )*(?P<o>.+?) (?:lover|fan|enthusiast|addict|"
            rf"junkie|nut)$"
        ),
        "for",
    ),
    Attitude(
        form(rf"{START}(?:i|we)(?:'m| am|'re| are) more of an? (?P<o>.+?) (?:person|guy|girl|people|drinker)\b"),
        "for",
    ),
    Attitude(
        form(
            r"^(?P<o>(?!it|that|this|what)\S+(?: \S+){0,3}?) (?:is|are) (?:still )?my (?:absolute )?(?:favou?rite|"
            r"go-to)\b"
        ),
        "for",
    ),
    Attitude(form(rf"{SELF}{_HATES}{OBJECT}"), "against"),
    Attitude(form(rf"{SELF}{_ONGOING}(?:ever )?{DOING}{OBJECT}"), "against"),
    Attitude(
        form(
            rf"{SELF}(?:{_LIKES}|{_FOND}|(?:a (?:big|huge|great) )?(?:a )?fan of|"
            r"an? (?:\w+[ -]){0,3}(?:preference for|passion for|love (?:of|for)|soft spot for|fondness for))"
            rf"{OBJECT}"
        ),
        "for",
    ),
    Attitude(form(rf"{START}(?:i|we) {HABIT}{DOING}{OBJECT}"), "for"),
    Attitude(form(rf"{START}(?:i|we) {HABIT}(?:get|have){OBJECT}"), "for"),
    Attitude(form(rf"{SELF}(?:run|runs|manage|own|speak|play|teach|study|collect|coach|use){OBJECT}"), "for", "does"),
    Attitude(
        form(rf"(?:{SELF}|^|\band (?:then )?)(?:bought|acquired|purchased|signed up for|joined|subscribed to){OBJECT}"),
        "for",
        "has",
    ),
    Attitude(
        form(
            rf"(?:{SELF}|^|\band (?:then )?)(?:sold|got rid of|stopped using|unsubscribed from|given up|gave up)"
            rf"{OBJECT}"
        ),
        "against",
        "has",
    ),
    Attitude(
        form(
            rf"(?:{SELF}|^|\band (?:then )?)put (?:the lot|it all|everything|all of it|my \w+|the (?:money|rest))"
            rf" in(?:to)?{OBJECT}"
        ),
        "for",
        "has",
    ),
    Attitude(
        form(
            r"\b(?:it's|it is|make it|give me|for me) (?P<o>.+?)(?: (?:in|on|at|for) (?:my|me|our|us)\b.*?)"
            r"? or (?:nothing|not at all)\b|\bnothing but (?P<p>.+)"
        ),
        "for",
    ),
    Attitude(form(rf"(?:{SELF}|^|\band (?:then )?)let (?P<o>.+?) go\b"), "against", "has"),
    Attitude(form(rf"{ZH_SELF}{_ZH_HATES}{ZH_DOING}{ZH_OBJECT}"), "against"),
    Attitude(form(rf"{ZH_SELF}{_ZH_NEVER}{ZH_DOING}{ZH_OBJECT}"), "against"),
    Attitude(form(r"没有?(?:什么|啥)?比(?P<o>[^，。]+?)(?:更|还)(?:让我|令我|能|好|棒|[^，。]{0,4}的)"), "for"),
    Attitude(
        form(
            rf"(?:^|{ZH_SELF})(?:最近|现在|如今|早就)?对(?P<o>[^，。\s我你他她]+?){_ZH_MOODS}"
            r"(?:没有?(?:什么|啥)?(?:兴趣|感觉|好感)|不感兴趣|无感|提不起兴趣|腻了|厌了)"
        ),
        "against",
    ),
    Attitude(
        form(rf"{ZH_SELF}对(?P<o>[^，。\s我你他她]+?){_ZH_MOODS}(?:感兴趣|有兴趣|着迷|上瘾|情有独钟|入迷)"), "for"
    ),
    Attitude(form(rf"(?:^|{ZH_SELF})(?:也|刚)*戒掉?了(?P<o>[^，。\s]{{1,8}})"), "against"),
    Attitude(
        form(
            rf"^(?P<o>[^，。\s我你他她]{{1,8}}?)我(?:早就?|已经|真的|实在|也|再也)*{_ZH_HATES}(?:吃|喝|坐|穿|用|看|抽|听)?[了的]?$"
        ),
        "against",
    ),
    Attitude(
        form(
            r"^(?P<o>[^，。\s我你他她]{1,8}?)我(?:早就?|已经|从来?|也|都|再也)*不(?:再)?(?:吃|喝|坐|穿|用|看|抽|听)了?$"
        ),
        "against",
    ),
    Attitude(
        form(
            rf"^(?P<o>[^，。\s我你他她不没]{{1,8}}?)我?(?:也|还|都|最|很|特别|挺|超)+{_ZH_LIKES}(?:吃|喝|坐|穿|用|看|听|玩)?的?$"
        ),
        "for",
    ),
    Attitude(form(r"(?:^|\s|我)把(?P<o>[^，。\s]+?)(?:卖|退|扔|戒|注销|取消)(?:掉)?了"), "against", "has"),
    Attitude(form(r"^(?!.*把)(?:我)?(?P<o>[^我\s，。]{1,8}?)戒了$"), "against"),
    Attitude(form(rf"{ZH_SELF}{_ZH_LIKES}{ZH_DOING}{ZH_OBJECT}"), "for"),
    Attitude(
        form(
            rf"{ZH_SELF}(?:一般|通常|总是|总|从来|向来|一直|一向|永远|每次|只|基本|平时|都)(?:都|只|在家|在外面|出门)*[吃喝坐穿用看抽听住玩去走买订选点]{ZH_OBJECT}"
        ),
        "for",
    ),
    Attitude(form(rf"{ZH_SELF}(?:会说|会讲|养|开着?|在?学|收藏|在?练){ZH_COUNT}{ZH_OBJECT}"), "for", "does"),
    Attitude(
        form(rf"(?:^|我)(?:刚刚?|又|还|已经|今天|昨天)*(?:买|入手|办|订阅|加入)了{ZH_COUNT}{ZH_OBJECT}"),
        "for",
        "has",
    ),
)
"""What the person says of themselves; the first form that fits a clause counts, then those of `habit_forms`."""

_SUBJECT = rf"(?:(?:my|our|her|his) (?:\w+ )?{RELATION}|he|she|they|(?-i:[A-Z][a-z]+))"
OTHERS: tuple[Attitude, ...] = (
    Attitude(form(rf"\b{_SUBJECT} (?:really |also |just |always |absolutely )*{_HATES}{OBJECT}"), "against"),
    Attitude(
        form(
            rf"\b{_SUBJECT} ?(?:really |also |just |always |absolutely )*(?:{_LIKES}|(?:is|are|'s|"
            rf"'re) (?:\w+ )?{_FOND})"
            rf"{OBJECT}"
        ),
        "for",
    ),
    Attitude(
        form(rf"(?:{RELATION_ZH}|[他她]们?)(?:也|就|都|很|特别|最|真的?)*{_ZH_HATES}{ZH_DOING}{ZH_OBJECT}"),
        "against",
    ),
    Attitude(
        form(rf"(?:{RELATION_ZH}|[他她]们?)(?:也|就|都|很|特别|最|真的?)*{_ZH_LIKES}{ZH_DOING}{ZH_OBJECT}"), "for"
    ),
)
"""What they say of somebody else."""

DO_YOU = form(
    r"\b(?:do you|you) (?<!would you )(?P<v>(?:usually |still |always |generally )?(?:like|love|enjoy|prefer|hate|"
    r"dislike|eat|drink|"
    r"take|fly)) "
    r"(?P<o>[^?,.]+)\?"
)
"""A question that suggests what the person likes."""
DO_YOU_ZH = form(
    r"[你您](?P<v>(?:是不是|还|一般|平时)*(?:喜欢|爱|讨厌|习惯)(?:吃|喝|坐|用|看|住)?)(?P<o>[^，。？?]+?)(?:吗|吧|么|嘛)"
    r"[？?]"
)
YES = form(
    r"^(?:yes|yeah|yep|yup|sure|right|correct|exactly|indeed|i do|of course|absolutely|ok(?:ay)?|是|对|嗯|好|没错|"
    r"当然|可以|行)\b"
    r"|^(?:是的?|对的?|嗯|好的?|没错|当然|可以|行)"
)
"""An answer that adopts what was suggested."""
ADDITIVE = form(
    r"\b(?:as well|additionally|in addition|second|another)\b|(?<=\w )\balso\b|\btoo$|"
    r"[也还](?!是|行|可以|好|不错)|另外|同时|兼"
)
"""Words that say that something comes on top."""
DEMAND = form(
    r"^(?:(?:please|and|but|so|then|ok|okay|just|you can|could you|can you|remember to|i want|i'd like|i would like|"
    r"prefer|i'll have|i'll take|i need|let's|do|make (?:it|that|them)|give me|get me|put me (?:in|on|down for)|put|"
    r"show me|send|book(?: me)?(?: in| on| into)?|reserve|use|take|choose|pick|buy|order|go (?:for|with)|"
    r"stick (?:to|with)|to|it's|"
    r"it is|that's|we|i|want|me|sit(?: me)? (?:in|on)|only|all|请|都|就|给我|帮我|要|用|坐|订|买|选|走|点|住|放|一律|"
    r"全|我|只|按)"
    r"(?=\s|[^a-z])\s*)+"
)
"""The words before the thing in a rule that orders it ("from now on book me …")."""

"""The forms in which people say something lasting of themselves, English and Chinese (names: German and French too).

Each form captures what is said in the group `o`. Forms are searched in one clause, as it was written.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from memory.state.cues import RELATION, RELATION_ZH

Stance = Literal["for", "against"]


class Attitude(NamedTuple):
    """A form that says what somebody likes, does as a rule, has or does no more."""

    pattern: re.Pattern[str]
    stance: Stance
    topic: str | None = None
    """`None`: what the thing is ("aisle seats": seat)."""


class Fact(NamedTuple):
    """A form that says something of which there is one at a time."""

    pattern: re.Pattern[str]
    topic: str | None = None
    """`None`: the group `t` names it."""


def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


# A form stands at the beginning of a clause or after one of these: "the one I like" and "if I work at" say nothing.
_START = (
    r"(?:^[\"“'(]*(?:(?:oh|hi|hey|hello|well|yes|no|sure|thanks|thank you|please|by the way|btw|also|lately|these days|"
    r"nowadays|at home|"
    r"in theory|usually|as a rule|remember|note|fyi) )*|\b(?:and|but|so|because|since|as|that|know|think|said|remember|"
    r"honestly|personally|actually|now|way|then) )"
)
_ADVERBS = (
    r"(?:(?:really|strongly|strictly|vastly|deeply|intensely|generally|typically|usually|always|try to|tend to|firmly|"
    r"absolutely|also|just|do|still|actually|much|especially|particularly|truly|simply|personally|quite|"
    r"rather|definitely|very much|even|both|kind of|sort of|now|finally|recently|have|am|'ve|'m|currently|have always|"
    r"always) )*"
)
_SELF = rf"{_START}(?:i|we)(?='| )(?:'ve|'m)? ?{_ADVERBS}"
_HABIT = r"(?:usually|always|normally|generally|mostly|typically|tend to|only(?: ever)?|almost always|as a rule) "
_DOING = (
    r"(?:eat|drink|fly|take|wear|use|watch|read|order|buy|sit in|sit on|stay in|stay at|travel|go for|pick|choose|book|"
    r"listen to|smoke|drive)"
)
_ONGOING = r"(?:don't|do not|never|no longer|can't|cannot) "
_LIKES = r"(?:loves?|likes?|enjoys?|prefers?|adores?|favou?rs?)"
_HATES = (
    r"(?:hates?|dislikes?|detests?|loathes?|despises?|(?:can't|cannot|can not|couldn't) (?:stand|bear|abide)|avoids?|"
    r"(?:don't|do not|doesn't|does not|no longer|never) (?:really |much |even )*(?:likes?|enjoys?|care for|"
    r"wants? any more)|"
    r"(?:not|never) (?:a (?:big |great )?fan of|keen on|fond of|into|interested in|comfortable with)|gone off|"
    r"prefers? not to \w+|refuses? to \w+|(?:afraid|scared|terrified|wary) of|uncomfortable with|"
    r"(?:an? )?(?:\w+[ -]){0,3}(?:aversion to|dislike (?:of|for)|distaste for|hatred (?:of|for)|fear of|phobia of)|"
    r"no interest in|(?:sick|tired|fed up) (?:of|with))"
)
_OBJECT = r" (?P<o>.+)"
_ZH_SELF = (
    r"(?:^|[，。、\s])(?:我们?|俺|咱们?)(?:自己|其实|真的|真|就|也|还|还是|一直|一向|从小|平时|现在|特别|最|很|非常|"
    r"超|更|比较|个人)*"
)

_ZH_LIKES = r"(?:喜欢|爱|偏爱|偏好|钟爱|热爱|习惯)"
_ZH_HATES = r"(?:再也)?(?:不(?:再|太|怎么|大)?(?:喜欢|爱|想再)|讨厌|受不了|接受不了|烦|痛恨|恨)"
_ZH_NEVER = r"(?:从来?|再也|都|已经)?不(?:能|会|再)?(?=[吃喝坐穿用看抽])"
_ZH_DOING = r"(?:吃|喝|坐|穿|用|看|抽|听|住|玩|去|走|买|订|选|点)?"
_ZH_OBJECT = r"(?P<o>[^，。！？\s]+)"
_ZH_COUNT = r"(?:了|过)?(?:一?[个本台辆张部双件款套只条]|一些|点)?"

ATTITUDES: tuple[Attitude, ...] = (
    Attitude(_form(rf"{_SELF}{_HATES}{_OBJECT}"), "against"),
    Attitude(_form(rf"{_SELF}{_ONGOING}(?:ever )?{_DOING}{_OBJECT}"), "against"),
    Attitude(
        _form(
            rf"{_SELF}(?:{_LIKES}|(?:a (?:big|huge|great) )?(?:a )?fan of|fond of|keen on|partial to|"
            r"an? (?:\w+[ -]){0,3}(?:preference for|passion for|love (?:of|for)|soft spot for|fondness for))"
            rf"{_OBJECT}"
        ),
        "for",
    ),
    Attitude(_form(rf"{_START}(?:i|we) {_HABIT}{_DOING}{_OBJECT}"), "for"),
    Attitude(_form(rf"{_START}(?:i|we) {_HABIT}(?:get|have){_OBJECT}"), "for"),
    Attitude(
        _form(rf"{_SELF}(?:run|runs|manage|own|speak|play|teach|study|collect|coach|use){_OBJECT}"), "for", "does"
    ),
    Attitude(
        _form(
            rf"(?:{_SELF}|^|\band (?:then )?)(?:bought|acquired|purchased|signed up for|joined|subscribed to){_OBJECT}"
        ),
        "for",
        "has",
    ),
    Attitude(
        _form(
            rf"(?:{_SELF}|^|\band (?:then )?)(?:sold|got rid of|stopped using|unsubscribed from|given up|gave up)"
            rf"{_OBJECT}"
        ),
        "against",
        "has",
    ),
    Attitude(
        _form(
            rf"(?:{_SELF}|^|\band (?:then )?)put (?:the lot|it all|everything|all of it|my \w+|the (?:money|rest))"
            rf" in(?:to)?{_OBJECT}"
        ),
        "for",
        "has",
    ),
    Attitude(
        _form(
            r"\b(?:it's|it is|make it|give me|for me) (?P<o>.+?)(?: (?:in|on|at|for) (?:my|me|our|us)\b.*?)"
            r"? or (?:nothing|not at all)\b|\bnothing but (?P<p>.+)"
        ),
        "for",
    ),
    Attitude(_form(rf"(?:{_SELF}|^|\band (?:then )?)let (?P<o>.+?) go\b"), "against", "has"),
    Attitude(_form(rf"{_ZH_SELF}{_ZH_HATES}{_ZH_DOING}{_ZH_OBJECT}"), "against"),
    Attitude(_form(rf"{_ZH_SELF}{_ZH_NEVER}{_ZH_DOING}{_ZH_OBJECT}"), "against"),
    Attitude(_form(r"(?:^|\s|我)把(?P<o>[^，。\s]+?)(?:卖|退|扔|戒|注销|取消)(?:掉)?了"), "against", "has"),
    Attitude(_form(r"^(?!.*把)(?:我)?(?P<o>[^我\s，。]{1,8}?)戒了$"), "against"),
    Attitude(_form(rf"{_ZH_SELF}{_ZH_LIKES}{_ZH_DOING}{_ZH_OBJECT}"), "for"),
    Attitude(
        _form(
            rf"{_ZH_SELF}(?:一般|通常|总是|从来都|向来|只|基本)(?:都|只)?[吃喝坐穿用看抽听住玩去走买订选点]{_ZH_OBJECT}"
        ),
        "for",
    ),
    Attitude(_form(rf"{_ZH_SELF}(?:会说|会讲|养|开着?|在?学|收藏|在?练){_ZH_COUNT}{_ZH_OBJECT}"), "for", "does"),
    Attitude(
        _form(rf"(?:^|我)(?:刚刚?|又|还|已经|今天|昨天)*(?:买|入手|办|订阅|加入)了{_ZH_COUNT}{_ZH_OBJECT}"),
        "for",
        "has",
    ),
)
"""What the person says of themselves; the first form that fits a clause counts."""

_SUBJECT = rf"(?:(?:my|our|her|his) (?:\w+ )?{RELATION}|he|she|they|(?-i:[A-Z][a-z]+))"
OTHERS: tuple[Attitude, ...] = (
    Attitude(_form(rf"\b{_SUBJECT} (?:really |also |just |always |absolutely )*{_HATES}{_OBJECT}"), "against"),
    Attitude(_form(rf"\b{_SUBJECT} (?:really |also |just |always |absolutely )*{_LIKES}{_OBJECT}"), "for"),
    Attitude(
        _form(rf"(?:{RELATION_ZH}|[他她]们?)(?:也|就|都|很|特别|最|真的?)*{_ZH_HATES}{_ZH_DOING}{_ZH_OBJECT}"),
        "against",
    ),
    Attitude(
        _form(rf"(?:{RELATION_ZH}|[他她]们?)(?:也|就|都|很|特别|最|真的?)*{_ZH_LIKES}{_ZH_DOING}{_ZH_OBJECT}"), "for"
    ),
)
"""What they say of somebody else."""

_NAME = r"(?P<o>\S+(?: (?-i:[A-Z])\S*)*)"
_PLACE = r"(?P<o>.+)"
_STABLE = (
    r"(?:\w+ )?(?:size|budget|bank|airline|gym|mother tongue|language|employer|company|e-?mail(?: address)?|postcode|"
    r"(?:phone|mobile)(?: number)?|(?:home |postal )?address|zip code|height|time zone|currency|membership number|"
    r"(?:dog|cat|pet)'s name|birthday|hometown|home city|home airport)"
)
FACTS: tuple[Fact, ...] = (
    Fact(_form(rf"\bmy (?:full |first |real )?name(?:'s| is) {_NAME}"), "name"),
    Fact(_form(rf"\b(?:i am|i'm) called {_NAME}|\bcall me (?P<p>(?-i:[A-Z])\S*)"), "name"),
    Fact(_form(rf"\b(?:mein name ist|ich hei(?:ß|ss)e|je m'appelle) {_NAME}"), "name"),
    Fact(
        _form(
            r"我的?(?:名字|姓名)(?:叫做?|是)(?P<o>[^，。！？\s]+)|(?:^|[，。\s])我叫(?:做)"
            r"?(?P<p>[^，。！？\s了个辆他她你]+)"
        ),
        "name",
    ),
    Fact(
        _form(
            r"(?:^|[，。\s])(?:以后|就|请)?叫我(?P<o>(?!起床|一声|下|来|去|的)[^，。！？\s]+?)(?:就好|就行|就可以|吧)?$"
        ),
        "name",
    ),
    Fact(
        _form(
            rf"{_START}i(?:'m| am)? (?:now |currently |still |also )*(?:work|working|employed) (?:at|for|by) (?!home|"
            rf"night|weekends?|myself|the moment|a living)(?P<o>.+)"
        ),
        "employer",
    ),
    Fact(_form(rf"{_START}i (?:now |currently |still |also )*work as (?P<o>.+)"), "job"),
    Fact(
        _form(
            r"我(?:现在|目前|还|也)*在(?P<o>[^，。\s]+?)(?:上班|工作|任职|打工|就职)|我(?:就职于|任职于)(?P<p>[^，。\s]+)"
        ),
        "employer",
    ),
    Fact(
        _form(
            rf"{_START}(?:i|we)(?:'ve| have|'m|'re| am| are)? (?:now |currently |just |still |also |have )*(?:live in|"
            rf"living in|based in|moved to) (?!an? |my |the |fear)(?P<o>.+)"
        ),
        "home city",
    ),
    Fact(
        _form(
            r"(?:我|我们|我家)(?:现在|目前|已经|刚|家)*(?:住在|住|搬到|搬去|定居在?|在)(?P<o>[^，。\s]{2,8}?)(?:了|住)$|"
            r"(?:我|我家|我们)(?:现在|目前|家)*(?:住在|定居在?)(?P<p>[^，。\s]{2,8})$"
        ),
        "home city",
    ),
    Fact(_form(r"\bi was born on (?P<o>.+)|我(?:的)?生日是?(?P<p>[^，。\s]*\d[^，。\s]*)"), "birthday"),
    Fact(
        _form(
            rf"\bmy (?P<t>(?:usual|preferred|favou?rite|default|regular|go-to) [\w' -]+?|{_STABLE})"
            r"(?: is|:) (?P<o>.+)"
        ),
        None,
    ),
    Fact(
        _form(
            r"我(?:最)?(?:喜欢|常用|常去|习惯|爱用)的(?P<t>[^，。\s是]+)是(?P<o>[^，。\s]+)|我的(?P<u>邮箱|手机号|电话|"
            r"地址|尺码|鞋码|预算|母语|会员号)是(?P<p>[^，。\s]+)"
        ),
        None,
    ),
)

DO_YOU = _form(
    r"\b(?:do you|you) (?P<v>(?:usually |still |always |generally )?(?:like|love|enjoy|prefer|hate|dislike|eat|drink|"
    r"take|fly)) "
    r"(?P<o>[^?,.]+)\?"
)
"""A question that suggests what the person likes."""
DO_YOU_ZH = _form(
    r"你(?P<v>(?:是不是|还|一般|平时)*(?:喜欢|爱|讨厌|习惯)(?:吃|喝|坐|用|看|住)?)(?P<o>[^，。？?]+?)(?:吗|吧|么|嘛)"
    r"[？?]"
)
YES = _form(
    r"^(?:yes|yeah|yep|yup|sure|right|correct|exactly|indeed|i do|of course|absolutely|ok(?:ay)?|是|对|嗯|好|没错|"
    r"当然|可以|行)\b"
    r"|^(?:是的?|对的?|嗯|好的?|没错|当然|可以|行)"
)
"""An answer that adopts what was suggested."""
ADDITIVE = _form(r"\b(?:also|too|as well|additionally|second|another)\b|[也还]|另外|同时|兼")
"""Words that say that something comes on top."""
DEMAND = _form(
    r"^(?:(?:please|and|but|so|then|ok|okay|just|you can|could you|can you|remember to|i want|i'd like|i would like|"
    r"i'll have|i'll take|i need|let's|do|make (?:it|that|them)|give me|get me|put me (?:in|on|down for)|put|show me|"
    r"send|book(?: me)?(?: in| on| into)?|reserve|use|take|choose|pick|buy|order|go (?:for|with)|stick (?:to|with)|"
    r"to|it's|"
    r"it is|that's|we|i|want|me|sit(?: me)? (?:in|on)|only|all|请|都|就|给我|帮我|要|用|坐|订|买|选|走|点|住|放|一律|"
    r"全|我|只|按)"
    r"(?=\s|[^a-z])\s*)+"
)
"""The words before the thing in a rule that orders it ("from now on book me …")."""

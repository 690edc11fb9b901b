"""The forms in which people tell what they do, have, are and change, English and Chinese.

What is told in the simple present is done as a rule where the verb is one of doing: that holds of any verb with a word
for how often, and of a few without one.
"""

from __future__ import annotations

from memory.state.cues import RELATION, RELATION_ZH
from memory.state.statement_forms import (
    OBJECT,
    SELF,
    START,
    ZH_CLASSIFIER,
    ZH_NUMBER,
    ZH_SELF,
    Attitude,
    form,
)

_I = rf"{START}(?:i|we)"
_COUNTED = r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|\d+|several|a couple of|a pair of) "
_LIGHT = (
    r"(?!.*\b(?:(?:question|idea|problem|issue|meeting|appointment|call|request|favou?r|look|feeling|doubt|chance|moment|"
    r"second|minute|hour|headache|reservation|booking|flight|deadline|plan|thing|bit|time|complaint|suggestion|day|week|"
    r"pic|picture|photo|screenshot|surprise|shot|blast|talk|chat|experience|story|"
    r"month|year)s?|few|lot|today|tomorrow|tonight|next|this|that|to)\b)"
)
"""What one has without owning it."""
_VERB = (
    r"(?!(?:am|have|had|was|were|been|feel|felt|think|thought|forgot|forget|remember|wonder|care|expect|miss|try|"
    r"tried|worry|look|start|stop|get|got|be|do|did|don't|can|can't|could|will|would|won't|should|must|may|might|want|need|say|said|hear|heard|see|saw|know|knew|understand|"
    r"believe|hope|wish|mean|agree|guess|went|came|made|took|told|left|found|gave|lost|paid|sent|spent|met|used|like|"
    r"love|prefer|hate|just|also|never|only|always|really|still|now|already|almost|nearly|\w+ed)\b)\w+"
)
"""A verb of doing, in the present."""
_OFTEN = (
    r"(?:every (?:other )?\w+(?: \w+)?|(?:once|twice|\w+ times) (?:a|per|every) \w+|daily|weekly|monthly|most \w+s|"
    r"often|regularly|now|these days|nowadays)"
)
_PRESENT = r"(?:eat|drink|wear|drive|ride|smoke|cycle|commute|work from|live with|take|watch|read|play|cook|grow|sing)"
_NOT_YET = r"(?!.*\b(?:today|tomorrow|tonight|next|later|soon|this (?:week|evening|afternoon|morning|time))\b)"
_ZH_ACT = r"[吃喝坐穿用看抽听住玩去走买订选点骑开养碰闻做打爬跑游]"
_ZH_LIGHT = (
    r"(?!(?:小|大|新|急|好)?(?:问题|会|事|想法|建议|疑问|请求|需求|要求|朋友|同事|同学|约|航班|快递|包裹|活动|面试|主意|计划|"
    r"预感|感觉|人|地方|东西|毛病|时间|空|办法|意见|关系|兴趣|必要|什么|啥|机会|印象))"
)
"""What one has without owning it."""
_ZH_LATER = r"(?:现在|最近|如今|已经|早就?|也|都|再也|基本|完全|真的?|实在)*"

HABITS: tuple[Attitude, ...] = (
    Attitude(
        form(
            rf"{SELF}(?:(?:switched|swapped|converted) (?:over )?(?:from (?P<x>.+?) )?|"
            r"(?:changed|moved|gone) (?:over )?from (?P<y>.+?) )to "
            r"(?P<o>(?!the (?:other|next)|bed|sleep|see|buy|get)[^,;]+)$"
        ),
        "for",
        "has",
    ),
    Attitude(
        form(
            rf"{SELF}(?:(?:traded|swapped)(?: in)?|(?:gave|sold)(?= .+ for an? )) "
            r"(?:the |my |our )?(?P<x>.+?)(?: in)? for (?P<o>.+)"
        ),
        "for",
        "has",
    ),
    Attitude(
        form(
            rf"{SELF}(?:taken up|took up|(?:started|begun|began)(?! (?:a few|the|in|at|last|when|as|with|my|our|"
            r"looking|getting|caring|thinking|to (?:get|feel|think|see))\b)|got into|come round to|warmed to)"
            rf"{OBJECT}"
        ),
        "for",
    ),
    Attitude(
        form(rf"{_I} {_NOT_YET}(?P<o>(?:commute|cycle|travel|go|get) (?:to work |around )?(?:by|on) .+)"), "for", "does"
    ),
    Attitude(
        form(
            rf"{SELF}(?:learning|studying|training for|teaching myself|know how to)"
            rf"(?! an? (?:ton|lot|bit)|(?: so)? (?:much|that|how)){OBJECT}"
        ),
        "for",
        "does",
    ),
    Attitude(form(rf"{_I} (?P<o>{_VERB}(?: [^,;]+?)?)(?: now)? instead of (?P<x>.+)"), "for", "does"),
    Attitude(
        form(rf"{_I} (?:usually|normally|generally|typically|mostly|tend to) (?P<o>{_VERB}(?: .+)?)"), "for", "does"
    ),
    Attitude(
        form(
            rf"{_I} (?:don't|do not|no longer) (?!mind|care|see|look|work|fit|come|go|make|give|let|take){_VERB} "
            r"(?P<o>.+)"
        ),
        "against",
    ),
    Attitude(
        form(
            r"^(?:my|our) (?P<o>[\w-]+(?: [\w-]+)??) (?:has |have |was |got |is )*"
            r"(?:died|passed away|stolen|gone|broke down|totalled)\b"
        ),
        "against",
        "has",
    ),
    Attitude(form(rf"{_I} (?P<o>{_VERB}(?: [^,;]+?)?) {_OFTEN}$"), "for", "does"),
    Attitude(
        form(rf"{_I} (?:never|don't ever|hardly ever|rarely|seldom) (?!said|told)(?:{_VERB}) (?P<o>.+)"), "against"
    ),
    Attitude(
        form(
            rf"{_I} (?:don't|do not) (?:want|need) (?P<o>.+?) (?:any ?more|any longer)$"
            rf"|{_I} no longer (?:want|need|use|eat|drink|take) (?P<p>.+)$"
        ),
        "against",
    ),
    Attitude(form(rf"{_I}(?:'d| would) rather not \w+ (?P<o>.+)"), "against"),
    Attitude(
        form(
            r"^(?:definitely |absolutely )?no (?:more )?(?P<o>\S+(?: \S+){0,3}?)(?: for me\b.*| please)$"
            r"|^no more (?P<p>(?!of|than|questions?)\S+(?: \S+){0,4})$"
        ),
        "against",
    ),
    Attitude(
        form(rf"{_I} (?:don't|do not|no longer) (?:have|own)(?: got)? (?P<o>{_LIGHT}(?:any|an?) .+)"), "against", "has"
    ),
    Attitude(form(rf"{_I}(?:'ve| have) never (?:owned|had|wanted) (?P<o>{_LIGHT}.+)"), "against", "has"),
    Attitude(
        form(
            rf"{_I}(?:'ve| have| own| keep)(?: also| still| now| just)*(?: got)? (?P<o>{_LIGHT}{_COUNTED}.+)"
            rf"|{_I}(?: just| recently| finally| also)+ got (?P<p>{_LIGHT}{_COUNTED}.+)|{_I} drive (?P<q>an? .+)"
        ),
        "for",
        "has",
    ),
    Attitude(
        form(rf"{_I} {_NOT_YET}{_PRESENT} (?P<o>(?!it|that|this|these|those|them|care|place|part|note)\b.+)"), "for"
    ),
    Attitude(
        form(
            rf"{_I}(?:'m| am)(?: also| now| still| actually)* an? "
            rf"(?P<o>(?!bit|little|fan|lot|few|big fan|huge fan|{RELATION})"
            r"[\w-]+(?: [\w-]+){0,3}?)(?: now| too| as well| by \w+| person)?$"
        ),
        "for",
        "is",
    ),
    Attitude(
        form(
            r"^(?P<o>(?!it|that|this|what)\S+(?: \S+){0,3}?) (?:is|are)(?:n't| not) (?:really )?(?:for me|my "
            r"(?:thing|cup of tea))\b"
        ),
        "against",
    ),
    Attitude(
        form(
            r"^(?:otherwise|else|at other times) (?P<o>.+?) (?:is|are) (?:just |perfectly )?(?:fine|ok|okay|enough|"
            r"good|alright)$|^(?:平时|其他时候|其余时间|否则|不然)(?P<p>[^，。\s我]{1,8}?)(?:就行|就好|就可以|就够了?)$"
        ),
        "for",
    ),
    Attitude(
        form(
            rf"(?:^|[，。\s])(?:我们?家?里?|咱们?家?|家里?)(?:现在|还|也|一共|总共)*(?:有|养了?){ZH_NUMBER}{ZH_CLASSIFIER}"
            rf"(?P<o>{_ZH_LIGHT}[^，。！？\s]+)"
        ),
        "for",
        "has",
    ),
    Attitude(
        form(
            rf"^(?:我们?家?|咱们?家?|家里)(?:现在|也|还)*没有?(?:{ZH_NUMBER}{ZH_CLASSIFIER})?(?P<o>{_ZH_LIGHT}[^，。！？\s了]{{1,6}})$"
        ),
        "against",
        "has",
    ),
    Attitude(
        form(
            r"^(?P<o>[^，。\s我你他她把]{1,8}?)(?:已经|都|早就?|刚|上个?[月周]|去年|昨天|前几天|被)*(?:卖|退|扔|戒|注销|取消|偷|丢|报废|送人|停)(?:掉)?了$"
        ),
        "against",
        "has",
    ),
    Attitude(
        form(
            rf"(?:^|我)(?:刚刚?|又|还|已经|今天|昨天)*(?:换|换成|换上|改开|改骑)了?{ZH_NUMBER}{ZH_CLASSIFIER}(?P<o>[^，。！？\s]+)"
        ),
        "for",
        "has",
    ),
    Attitude(form(rf"{ZH_SELF}开(?:的是)?{ZH_NUMBER}{ZH_CLASSIFIER}(?P<o>[^，。！？\s]+)"), "for", "has"),
    Attitude(form(rf"{ZH_SELF}(?:有点|特别)?(?:害?怕)(?:{_ZH_ACT})?(?P<o>[^，。！？\s]{{1,8}})"), "against"),
    Attitude(
        form(rf"{ZH_SELF}(?:可|才|并|绝对|千万)?不(?:想|要|愿意?|肯)(?:再)?(?:{_ZH_ACT})?(?P<o>[^，。！？\s]{{1,10}})"),
        "against",
    ),
    Attitude(
        form(
            rf"^(?P<o>[^，。\s我你他她不没]{{1,8}}?)(?:我|咱们?)?{_ZH_LATER}(?:从来?|是|[一半][口点次]都|{_ZH_ACT}都)*不(?:太|怎么|大)?(?:想|能|会|爱|再|敢|愿意?)*"
            rf"{_ZH_ACT}(?:了|的)?$"
        ),
        "against",
    ),
    Attitude(
        form(rf"^{_ZH_LATER}不(?:(?:怎么|再|太)(?:爱|喜欢|想|能)?|爱|喜欢){_ZH_ACT}(?P<o>[^，。！？\s]{{1,8}})了$"),
        "against",
    ),
    Attitude(
        form(
            rf"{ZH_SELF}(?:又|重新)?(?:开始|改成?)(?:爱|学|喜欢)?{_ZH_ACT}(?P<o>[^，。！？\s]{{1,8}}?)了?$|我?爱上了?(?P<p>[^，。！？\s]{{1,8}}?)了?$"
        ),
        "for",
    ),
    Attitude(
        form(
            rf"{ZH_SELF}{_ZH_ACT}不(?:了|惯|来)(?P<o>[^，。！？\s了]{{1,8}})"
            rf"|^(?P<p>[^，。\s我你他她不没]{{1,8}}?)(?:我)?(?:[一半][口点次]都)?{_ZH_ACT}不(?:了|惯|来)了?$"
        ),
        "against",
    ),
    Attitude(
        form(
            r"^(?:请|千万|以后|也|都)*(?:别|不要)(?:再)?(?:[给帮替]我)?(?:推荐|推送|安排|订|选|买|点|放|加|发|排|坐|约|用)(?P<o>[^，。！？\s了]{1,8})$"
            r"|^(?P<p>[^，。\s我你他她不没]{1,8}?)(?:就|都)?(?:别|不要)(?:再)?(?:[给帮替]我)?(?:推荐|推送|安排|订|选|买|点|放|加|发|排|约|用)了?$"
        ),
        "against",
    ),
    Attitude(
        form(
            rf"^{_ZH_LIGHT}(?P<o>[^，。\s我你他她不没今明这那哎哦啊可也还]{{1,8}}?)(?:我)?(?:就算了|就免了|不行|免了|免谈)$"
        ),
        "against",
    ),
    Attitude(form(rf"{ZH_SELF}(?P<v>{_ZH_ACT})(?P<o>[^，。\s不]{{1,6}})不(?P=v)(?P<x>[^，。\s]{{1,6}})"), "for"),
    Attitude(form(rf"{ZH_SELF}(?:一般|通常|平时|基本)都?是(?P<o>[^，。\s]{{2,10}})$"), "for"),
    Attitude(form(rf"{ZH_SELF}(?:一定|必须|非得?)(?:要|得)(?P<o>[^，。\s]{{2,8}})$"), "for", "does"),
    Attitude(form(rf"{ZH_SELF}{_ZH_ACT}(?P<o>[^，。！？\s]{{1,8}}?)就(?:行|好|可以|够)了?$"), "for"),
    Attitude(form(rf"{ZH_SELF}(?:兼职|懂)(?:做|当|点|一点|一些)?(?P<o>[^，。\s]{{2,8}})$"), "for", "does"),
    Attitude(form(rf"{ZH_SELF}会(?P<o>[弹拉打做修开游唱跳画写织编拍]{{1}}[^，。！？\s了]{{1,6}})$"), "for", "does"),
    Attitude(
        form(
            rf"{ZH_SELF}不会(?P<o>(?:开|游|说|讲|弹|骑|做|唱|画|打|滑|跳|写|修)(?!到|出|去|来|得|错|完)[^，。！？\s的了]{{1,6}})$"
        ),
        "against",
        "does",
    ),
    Attitude(form(rf"{ZH_SELF}是(?:一?[名个位])(?P<o>[^，。！？\s的]{{2,8}})$"), "for", "is"),
)
_OWN_THING = rf"(?!(?:\w+ )?{RELATION}\b)"
_OWN_THING_ZH = rf"(?!{RELATION_ZH})"
NAMED_THINGS = (
    rf"\b(?:my|our) (?P<t>{_OWN_THING}\w+) (?:is|are) (?:called|named) (?P<o>(?-i:[A-Z])\S*)"
    rf"|\b(?:my|our) (?P<v>{_OWN_THING}{_LIGHT}\w+) is an? (?P<q>(?-i:[A-Z])\S*(?: \S+)?)$"
    rf"|^我们?家?的?(?P<u>{_OWN_THING_ZH}[^，。\s我是叫]{{1,4}})叫(?P<p>[^，。\s]{{1,6}})$"
)
"""What somebody's thing is called: a fact of it."""

"""What a clause tells of its speaker by its grammar alone, where no form reads it: what is so, and what they do.

"My rent goes out on the 28th" and 我每个月的伙食费预算是1500元 are of a thing of one's own in the present tense;
"I cook on an induction hob" and 我上班坐地铁 of what is done. The past, plans, wishes, moods and what passes are left
out, and so is what is said of others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memory.state.cues import RELATION, RELATION_ZH
from memory.state.pattern_index import Form, PatternIndex

_MAX_CHARACTERS = 240
"""Of a clause; longer ones are stories."""

_IRREGULAR = (
    "was were been had did done went gone got gotten came come saw seen knew known thought took taken gave given found "
    "told felt became left put meant kept let began begun heard ran brought wrote written sat stood lost paid met set "
    "learnt led understood spoke spoken spent grew grown won taught bought caught chose chosen built drew drawn drove "
    "driven broke broken ate eaten drank drunk fell fallen flew flown forgot forgotten froze frozen hid hidden held "
    "hung hurt laid lay lain lent lit made rode ridden rang rose said sold sent shot shown sang sung sank slept slid "
    "stole stuck swam swept threw thrown tore torn woke woken wore worn dealt dug fought fed bet bit bled blew bent "
    "burnt cut hit quit split spread struck swore"
)
_NO_DEEDS = (
    "am are be do don't didn't can can't cannot could couldn't will won't would wouldn't should must may might shall "
    "gotta wanna even once then have having want need wish hope think feel guess suppose believe mean know see hear "
    "wonder remember forget understand agree doubt expect assume bet swear promise appreciate apologise apologize ask "
    "tell say call notice miss suggest recommend reckon leave arrive land depart fly return get come go meet start "
    "finish look try find lose make take give pay send spend keep just already almost nearly only really never always "
    "also still now no usually too both all order book like love hate prefer enjoy"
)
"""First words after "I" that tell of no habit: helping verbs, minds and wishes, plans (motion), adverbs, and what other
forms read."""
_MATTERS = (
    "question idea problem issue meeting appointment call request favour favor look feeling doubt chance moment minute "
    "headache reservation booking flight deadline plan thing point guess hope bad fault mistake turn apology pleasure "
    "order delivery parcel package ticket trip life day mind way one"
)
"""What one has or speaks of without its being lasting."""
_MOODS = (
    "been gone ready broken dead down over done wrong missing lost full empty fine ok okay good great bad awful "
    "terrible tired late early to about so too what why how because delayed cancelled stuck due dying"
)


def _any(words: str) -> str:
    return "|".join(words.split())


_PAST = rf"(?:{_any(_IRREGULAR)}|\w+ed)"
_LEAD = (
    r"(?:^(?:as (?!soon|long|far|well|if|for)|seeing as )?"
    r"|\b(?:and|but|so|because|since|that|though|although|whereas|mind) )"
    r"(?:(?:oh|well|yes|no|also|still|actually|honestly|personally|basically|at the moment|at present|right now|"
    r"currently|for now|as it happens|normally|usually|generally|mostly|nowadays|these days|by the way|btw|fyi|"
    r"remember|note) )*"
    r"(?:(?:as of|from|starting|since|effective) (?:next |this |last )?\w+(?: on(?:wards)?)? )?"
)
_LASTS = (
    r"(?!.*\b(?:today|tonight|tomorrow|yesterday|next|soon|later|ago|just|this|that|these|those|it|you|your|he|she|him|"
    r"her|they|them|last|now|about to|going to|gonna|not sure|here|there)\b)"
)
"""Nothing follows that passes, or points at something else."""
_MATTER = rf"(?:{_any(_MATTERS)})s?"
_NOUN = (
    rf"(?P<t>(?!(?:[\w'-]+ )?{RELATION}\b)(?!(?:\w+ )?{_MATTER}\b)[\w'-]+(?: (?!is\b|are\b|and\b)[\w'-]+){{0,2}}?)"
    r"(?: (?:for|of|in|at|on|with) (?:the |my |our |an? )?[\w-]+(?: (?!is\b|are\b)[\w-]+)?)?"
)
_IS = r"(?:'s| is| are|,? (?:should|must|needs? to|ha(?:s|ve) to) (?:always )?be)"
_AMOUNT = r"(?=.*(?:[\d]|\b(?:half|an hour|one|two|three|four|five|six|ten|twenty|thirty|fifty|a hundred)\b))"
_HABIT_VERB = (
    r"(?P<v>(?!(?:was|has|does|needs|hurts|keeps|says|always|is|aches|gets|feels|looks)\b)\w+[^s\W]s|has|have)"
)
_NO_COMPLEMENT = rf"(?:been|just|not|no|to|ha[sv]e|will|would|can|could|need|are|is|{_PAST})\b"
_NOTHING_OWNED = (
    r"(?:to|been|no|not|never|already|any|the|some|enough|more|much|many|ever|always|finally|even|great|"
    rf"a (?:few|lot|bit|couple|question|great)|{_PAST})"
)

_ZH_NUMBER = r"[\d一二两三四五六七八九十百千万半]"
_ZH_LEAD = (
    r"^(?:另外|对了|顺便说|其实|不过|但是?|而且|因为|由于|平时|一般|反正|所以|现在|目前|主要是?|"
    r"毕竟|既然|正好|刚好|鉴于|考虑到)*"
)
_ZH_WE = r"(?:我们?家?|咱们?家?)"
_ZH_LASTS = (
    r"(?!.*(?:以前|过去|之前|曾经?|原来|从前|[今明昨前后]天|今[早晚]|明[早晚]|刚[刚才]?|正在|在[找想看做等忙]|打算|准备|"
    r"计划|想要?|希望|觉得|感觉|需要|得[去要]|等[下会]|马上|一会|待会|上次|这[个次些家款种]|那[个次些家款种]|你|您|他|她|它|吗|呢|"
    r"什么|怎么|哪|几(?!乎)|多少|谁|是不是|能不能|可不可以|可以|[^周星期每]了$|过$|了[吗吧]|下[周个次]|忘|怕|问|要是|如果))"
)
_ZH_OFTEN = r"(?:现在|如今|一般|通常|平时|都|也|还|每[天周月年晚次]|周末|自己|一个人|经常|老|总)*"
_ZH_OCCASION = (
    r"(?:上班|上学|出门|回家|喝[^，。\s]{1,4}|吃[^，。\s]{1,4}|晚上|早上|中午|周[一二三四五六日末]|"
    r"[\d一二三四五六七八九十]{1,3}点半?)?"
)

LASTING = PatternIndex(
    [
        (Form(pattern, re.IGNORECASE), kind)
        for pattern, kind in (
            (
                rf"{_LEAD}(?:(?:my|our) {_NOUN}|the (?P<u>[\w-]+(?: [\w-]+)?) (?:here|at home|in (?:my|our) \w+))"
                rf"{_IS} {_LASTS}(?!(?:\w+ing|{_any(_MOODS)})\b)(?P<o>\S.*)$",
                "own",
            ),
            (rf"{_LEAD}{_LASTS}(?:my|our) {_NOUN} (?P<o>{_HABIT_VERB} (?!{_NO_COMPLEMENT})\S.*)$", "own"),
            (
                rf"{_LEAD}(?:i|we)(?:'d| would) (?:\w+ )?(?:take|pick|choose|have|eat|drink|go for|watch) "
                r"(?P<o>.+?) over .+$",
                "like",
            ),
            (
                rf"{_LEAD}{_LASTS.replace('|it|', '|')}(?:i|we) (?P<o>(?:have|take|eat|drink) (?:it|mine) \S.*)$",
                "does",
            ),
            (
                rf"{_LEAD}{_LASTS}(?:i|we) (?P<o>(?:can't|cannot|won't|will not|don't|do not|never)(?: ever| want to)? "
                rf"[a-z]+ (?:for )?(?:more|less|longer|further|over|above|beyond) {_AMOUNT}.+"
                r"|(?:only |usually |normally )?(?:spend|pay|budget|allow) (?:at most|no more than|up to|a maximum of|"
                rf"about|around) {_AMOUNT}.+|(?:try to )?(?:stay|keep|stick) (?:under|below|within|to) {_AMOUNT}.+"
                r"|(?:get off|finish|start|leave) (?:work|school|my shift)\b.+)$",
                "does",
            ),
            (
                rf"{_LEAD}{_LASTS}(?:i|we)(?: only)?(?:'ve| have)(?: only)?(?: got)? (?P<o>(?:about |at most |only )?"
                r"(?:half an|an|\d+|two|three|five|ten|fifteen|twenty|thirty|forty)[ -](?:minute|hour|euro|dollar|"
                r"pound|day|week)s?(?: at most| max)?"
                r"(?: (?:for|between|before|after|on|off|a|per|each|every) (?!now\b).+|"
                r"(?<=most)|(?<=max)))$",
                "has",
            ),
            (
                r"^(?:and |but |so )?the (?:most|least|maximum) (?:i|we)(?:'ll|'d| can| would| will)? "
                r"(?P<t>[a-z][\w ]{1,30}?) is (?P<o>.+)$",
                "own",
            ),
            (
                rf"{_LEAD}{_LASTS}(?:i'm|i am|we're|we are) (?P<o>(?:on|in) (?:the|an?) (?:[\w-]+ ){{1,2}}?"
                r"(?:floor|basement|attic|studio|bungalow)\b.*)$",
                "is",
            ),
            (
                rf"{_LEAD}{_LASTS}(?:i'm|i am) (?P<o>(?:in|on|part of|a member of) (?:the|an?|our) (?:[\w-]+ ){{0,3}}?"
                r"(?:club|choir|team|band|group|society|board|committee|orchestra|union|council|league|crew|squad))"
                r"(?: too| as well)?$",
                "is",
            ),
            (
                rf"{_LEAD}{_LASTS}(?:(?:i'm|i am) (?P<o>\d[\d.,]*\b.*|[\w-]+-(?:handed|sighted|eyed|haired|free)\b.*)"
                rf"|(?:we're|we are) (?P<p>an? (?!(?:bit|little|few|lot)\b)[\w -]+))$",
                "is",
            ),
            (
                r"^(?:and |but |so )?with (?P<o>(?:two|three|four|five|my|our|an?|\d+) [\w-]+(?: [\w-]+)?),? "
                r"(?=i\b|we\b)",
                "has",
            ),
            (
                rf"{_LEAD}{_LASTS}(?:i|we)(?:'ve| have) (?:got )?(?!(?:\w+ ){{0,2}}{_MATTER}\b)"
                rf"(?P<o>(?!{_NOTHING_OWNED}\b)(?:[\w-]+ )+?[\w-]+.*)$",
                "has",
            ),
            (
                rf"{_LEAD}{_LASTS}(?:i|we) (?!(?:{_PAST}|{_any(_NO_DEEDS)}|'\w+|\w+ly)\b)"
                r"(?P<o>[a-z]+ (?!(?:to|if|whether|what|how|so)\b)\S.*)$",
                "does",
            ),
            (
                rf"{_ZH_LEAD}{_ZH_LASTS}(?:我们?|咱们?)家?(?:[^，。\s的]{{0,6}}的|家)?(?P<t>(?!{RELATION_ZH}|现在)"
                r"[^，。\s我的是]{1,6}?)(?:一般|通常|都|现在|还|也)?(?:是|为|在)(?!不|我)(?P<o>[^，。！？\s]{1,14})$",
                "own",
            ),
            (
                rf"{_ZH_LEAD}{_ZH_LASTS}{_ZH_WE}的?(?:每个?[天日月周年])?(?:[买租订吃住穿][^，。\s我\d]{{1,3}}?的?)?"
                rf"(?P<t>(?!{RELATION_ZH}|{_ZH_NUMBER}|只|有|是|要|想|在|买|订|每)[^，。\s我\d]{{2,4}}?)"
                rf"(?:一般|大概|差不多|最多|平均|基本|都|也|就|不超过|控制在|只有)*(?P<o>{_ZH_NUMBER}+[^，。\s]{{0,6}})$",
                "own",
            ),
            (
                rf"{_ZH_LEAD}{_ZH_LASTS}[^，。\s\d]{{0,8}}?(?P<t>预算|上限|限额|额度|开销)(?:一般|大概|差不多|最多|控制在|不超过|是|为|在)*"
                rf"(?P<o>(?:每个?[天日月周年次人])?{_ZH_NUMBER}+[^，。\s]{{0,6}})$",
                "own",
            ),
            (
                rf"{_ZH_LEAD}{_ZH_LASTS}我们?(?P<o>(?:最多|顶多|至多)[^，。\s]{{1,8}}?{_ZH_NUMBER}[^，。\s]{{0,5}})$",
                "does",
            ),
            (
                rf"{_ZH_LEAD}{_ZH_LASTS}{_ZH_WE}{_ZH_OFTEN}(?P<o>在家(?:办公|上班|工作|带孩子)|上(?:[夜白早晚中大]班|网课|[小中大]学))$",
                "does",
            ),
            (
                rf"{_ZH_LEAD}{_ZH_LASTS}我们?(?:每个?[天日周月晚])?只有(?P<o>{_ZH_NUMBER}+(?:个?小时|分钟|块|元)[^，。\s]{{0,5}})$",
                "has",
            ),
            (rf"{_ZH_LEAD}{_ZH_WE}(?:一共|总共)?(?P<o>{_ZH_NUMBER}+(?:口人|个人|个孩子|个娃))$", "has"),
            (
                rf"{_ZH_LEAD}{_ZH_LASTS}(?:我|我们|咱)是(?!不|我|说|因为|在|要|第一|真|很|个|从|按|看|用|来)"
                r"(?P<o>[^，。！？\s的]{2,10})$",
                "is",
            ),
            (
                rf"{_ZH_LEAD}{_ZH_LASTS}{_ZH_WE}{_ZH_OFTEN}(?P<o>{_ZH_OCCASION}(?:都|就|也|才)?"
                r"[吃喝坐穿用骑开养种教做加放听跑练打住睡起](?![到完好了过下着来去]|什么)[^，。！？\s]{1,10})$",
                "does",
            ),
            (r"^(?P<o>[^，。\s我你]{1,6})我(?:也|还|都)*(?:会|懂)(?:一?点儿?|些|说|写|弹)?$", "does"),
            (r"^(?:有|另|还有)?一(?:只|个|条|匹)(?:叫|是)(?P<o>[^，。\s]{1,6})$", "has"),
        )
    ]
)
"""What clauses tell: of a thing of one's own (`t` names it), a like, or what the person has, is or does (in `o`, `p`,
`q`)."""
_FURTHER = re.compile(
    r"(?<=\w) (?:so|because|since|which|but|although|though|and (?:i|we|it|he|she|they|my|the))\b.*$", re.IGNORECASE
)
"""Where another matter begins."""


class Lasting(NamedTuple):
    """Something that a clause tells."""

    topic: str
    """What it is of; empty where that is what the thing itself is."""
    value: str
    is_fact: bool
    """Whether there is one at a time."""


def told_by_grammar(words: str, forms: PatternIndex[str] = LASTING) -> Iterator[Lasting]:
    """Yield what `words`, a clause in simplified Chinese, tells: one thing, or nothing."""
    if len(words) > _MAX_CHARACTERS:
        return
    for match, kind in forms.matches(_FURTHER.sub("", words)):
        groups = match.groupdict()
        value = next(groups[name] for name in "opq" if groups.get(name)).strip()
        if kind == "own":
            thing = groups.get("t") or groups.get("u") or ""
            topic = " ".join(filter(None, (thing.strip(), groups.get("v"))))
            yield Lasting(topic.casefold(), value, is_fact=True)
        else:
            yield Lasting("" if kind == "like" else kind, value, is_fact=False)
        return

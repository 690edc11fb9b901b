"""What the wording around a value says about how it is meant: clauses and the cues in them, English and Chinese."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from memory.evidence import Kind
from memory.language.text import normalise
from memory.language.text_cache import text_cache
from memory.language.values.scripts import simplified
from memory.state.pattern_index import Form, PatternIndex
from memory.state.quotations import MASK, Quotation, blanked, masked, quotations
from memory.state.spelling import mended

RELATION = (
    r"(?:wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?|mother|mum|mom|father|dad|parents?|brother|sister|son|"
    r"daughter|kids?|child|aunt|uncle|cousin|niece|nephew|gran(?:dmother|dfather|dma|dpa|ny)?|[a-z]+-in-law|friend|"
    r"colleague|co-?worker|boss|manager|assistant|neighbou?r|flatmate|roommate|housemate|client)s?"
)
RELATION_ZH = (
    r"(?:妹|姐|哥|弟|妈|爸|妻子|丈夫|太太|老婆|老公|媳妇|爱人|对象|女朋友|男朋友|女友|男友|闺蜜|室友|舍友|同事|朋友|同学|老板|领导|客户|"
    r"经理|主管|导师|奶奶|爷爷|外婆|外公|姥姥|姥爷|阿姨|叔叔|舅舅|姑姑|表[哥姐弟妹]|堂[哥姐弟妹]|嫂子|儿子|女儿|孩子|爸妈|父母|家人|邻居)"
)

_CUES: dict[Kind, tuple[str, ...]] = {
    "one_off": (
        r"\b(?:(?:just|only) )?this once\b",
        r"\bfor (?:just |only )?once\b",
        r"\b(?:just|only) once\b",
        r"\b(?:just|only) (?:for )?(?:today|tonight|tomorrow|this (?:time|week|trip|one))\b|\b(?:just|only) for now\b",
        r"\b(?:today|tonight|this time|(?:this|that) (?:leg|trip|one|day|week)) only\b",
        r"\bjust (?:this|that) (?:time|day|trip|leg)\b",
        r"\b(?:as an exception|exceptionally|one[- ]off|one[- ]time|for a change)\b",
        r"(?:n't|\bnot|\bnever|\bwithout) (?:\w+ )?mak(?:e|ing) (?:it |this |that )?a habit\b",
        r"\b(?:temporarily|for (?:now|the (?:moment|time being)))\b",
        r"^while (?:i'm|i am|we're|we are)\b|\b(?:usually|normally|always)\b.{1,80}\bbut\b.{1,60}\b(?:today|tonight|"
        r"tomorrow|this (?:one|time|trip|order|week(?:end)?)|that one)\b",
        r"\b(?:is|are|'s|'re) (?:visiting|in town|coming (?:over|round)|staying with (?:me|us))\b",
        r"这一?[次回趟]|[就只仅](?:此|限|是|有|这)*一[次回趟]|[就只仅](?:限|有|是)?(?:今[天晚儿]|明天|这(?:一?天|周末?|个(?:周末|星期|月)))",
        r"今[天晚儿](?:就|只)|这笔|这单|破例|例外|下不为例|难得|偶尔|临时|暂时|这段时间|这[一二两三几]天|这阵子|来(?:我家|家里)?(?:玩|做客|串门)",
        rf"{RELATION_ZH}们?(?:要|都)?来(?:了|住)",
    ),
    "standing": (
        r"\bfrom (?:now|here|today) on(?:wards?)?\b",
        r"\b(?:always|every time|each time|whenever|by default|as a rule|going forward|henceforth|never again)\b",
        r"\b(?:as|make|set|be) (?:\S+ ){0,4}?(?:the|my|our) (?:new )?(?:rule|default|standard)\b|\bin future\b",
        r"\b(?:until|unless) i (?:say|tell|ask)\b|\buntil further notice\b",
        r"^(?:starting|beginning|as of|effective) (?:today|now|tomorrow|next \w+|this \w+)\b",
        r"^(?:please )?(?:remember|keep in mind)(?:$| that\b| this\b)|记住",
        r"(?:[从打自]\S{1,6}|[这下]个?[月周]|今[天儿]|明天)起(?!床|飞|来|点|码)",
        r"^(?:please )?stop (?:book|order|us|send|buy|pick|add|play|show|suggest|recommend)+ing\b",
        r"^(?:please )?never (?:ever )?(?=(?:book|order|use|put|send|buy|pick|choose|reserve|add|play|show|suggest)\b)",
        r"^(?:and |but |so |please )*(?:until|till|for the (?:next|coming)|all (?:of )?this (?:week|month|year))\b",
        r"\bstick (?:to|with)\b.*\bfrom\b",
        r"以后(?:都|就|只|一律|全|请|要|别|不|再|用|走|按|我)|^以后|往后|今后|从今|从现在(?:起|开始)|每次|每回|每一次",
        r"(?<!not )(?<!n't )\bmake (?:it |this |that )?a habit\b|长期(?:都|这样|如此|用|走|按|放|寄|发|有效)",
        r"\b(?:permanently|at all times)\b|\bfor good$|\bfrom next (?:week|month|year|term)\b",
        r"\bfrom (?:tomorrow|\w+day|(?:the )?\w+ of \w+|january|february|march|april|may|june|july|august|september|"
        r"october|november|december) on(?:wards?)?\b",
        r"\b(?:every|all) (?:(?:my|our|the) )?(?!the|of)\w+ (?:should|must|has to|have to|goes?|needs? to|"
        r"(?:are|is) to)\b",
        r"所有[^，。我]{1,8}都(?=[存发放寄用走按选记给交送抄])|只要[^，。]{1,10}就(?=[选走用坐订发存点买叫按给寄放])|[定立]个?规矩|规矩是|以后还是|"
        r"从(?:今天|明天|下个?[周月]\S{0,3}|[一二三四五六七八九十\d]+月\S{0,4})开始",
        r"一直都|总是|永远|一律|默认|统统|老规矩是|[啥么]都(?:走|用|按|选|要|记|坐|住|买|放|发|算)",
        r"凡是|但凡|每当|每逢|没(?:有)?(?:特别|特殊|另外)?(?:说明?|交代|要求)的?(?:话|时|就)|除非我(?:说|另)",
        r"(?:(?:千万|绝对)(?:别|不要)再?|(?:别|不要)再)(?:[给帮替让]我)?(?=[订选点买坐住用放加推发])",
        r"^(?:[到至]|接下来|未来|这(?:几|[一二两三四五六七八九十\d]+)?个?(?:天|周|星期|月)|[^，。]{1,8}?(?:之前|以前|为止))"
        r"[^，。]{0,8}?(?:都|一直|一律)(?![行能可有])",
    ),
    "hypothetical": (
        r"\bif it (?:were|was) up to\b",
        r"\bif (?:i|we|he|she|they|it) (?:ever|were|had|could)\b",
        r"\bwould\b.{1,80}\bif (?:i|we) (?:\w+ed|flew|went|took|bought|paid|drove|got|chose|did|ate|drank)\b",
        r"^(?:and |but |so |ok |okay )?(?:let's |lets )?say (?:i|we) (?:had|were|was|got|took|went|did|flew|bought|"
        r"drove|ate|paid|chose|\w+ed)\b|^(?:what|how much) would (?:it|that|this) (?:cost|be|come to)\b",
        r"^(?:and |but |so |then )?(?:i|we|he|she|they)(?:'d| would)\b(?! (?:\w+ly |just |also |very much )*"
        r"(?:like|love|appreciate|prefer|rather|want|need|require|be (?:glad|grateful|happy|thankful)))",
        r"^(?:suppose|supposing|imagine (?:i|we|if))\b",
        r"\b(?:in another life|what if|in theory|hypothetically|some ?day)\b",
        r"(?<!只)要是|假如|假设|倘若|换作|要不是|如果.*的话|如果.*会|哪天要|万一|设想|比方说我|比如说?我",
    ),
    "other_person": (
        r"\bnot for me\b",
        r"\bon behalf of\b",
        rf"\bfor (?:my|our|his|her|their|a|\w+'s) (?:\w+ )?{RELATION}\b",
        r"\bfor (?:him|her)(?=$|[^\w']| (?:to|and|please|too|as|this|that|on|in|at|by)\b)",
        rf"\b(?:my|our|\w+'s) {RELATION}(?:'s \w+)?(?: \w+ \w+)? "
        r"(?:wants?|needs?|asks?|asked|wonders?|prefers?|would like|is (?:asking|looking|after)|got|has|wrote)\b",
        r"\b(?:he|she) (?:wants|needs|asks|asked|prefers|wonders|says|said|would like)\b",
        r"\bthey (?:want|ask|asked|prefer|wonder|say|said)\b",
        r"\b(?:he|she)(?:'s| is) (?:asking|looking|wondering|after)\b",
        r"\bhelp(?:ing)? (?:him|her|them)\b",
        r"(?<!what )(?<!as )\b(?:he|she) (?:only |usually |always |really )*(?:takes|drinks|eats|likes|loves|hates|"
        r"can't|doesn't|uses|"
        r"wears)(?= \w)",
        rf"(?<![和跟与陪同带对向])(?<![和跟与陪同带对向]我)(?:我|我们|俺)?{RELATION_ZH}(?:要|想|说|问|让|那边|需要|托|把|喜欢|爱)",
        rf"[帮给替](?:我|我们|她|他|一?个)?的?{RELATION_ZH}",
        r"(?<![和跟与陪同带其吉排利])[她他](?!们?一起|妈的)",
        rf"\b(?:book|reserve|order|buy|get|find|hire|rent) (?:my|our|the) {RELATION} (?=(?:an?|the|some|one|two|\d)\b)",
        r"[帮替](?!我|咱|自己|大家|人|你)[\u4e00-\u9fff]{2,3}?(?:再|先)?(?=[订买约租])",
        r"[帮替](?:小|老|阿)[\u4e00-\u9fff](?!时|朋友)|[帮替给][\u4e00-\u9fff]{1,2}(?:阿姨|叔叔|大爷|大妈|老师|经理)",
        r"不是我(?:自己)?(?:用|要|的)|替(?:人|别人)|[帮给]别人",
    ),
}
_OWN = r"(?<!not )\bfor (?:me|myself|us|ourselves)\b|\bmy own\b|我自己|我本人|给我(?:自己)?(?:的|$)"
_CORRECTIONS = (
    r"^actually\b|\bactually$|\b(?:i mean|i meant|correction|oops|typo|my mistake|instead|"
    r"(?:it|that|this) should(?:'ve| have)? be(?:en)?|(?:got|was|is|that's) (?:it |that )?wrong)\b"
    r"|\b(?:make|change) (?:it|that|this)\b|^no (?:not|i|it|make|rather|wait)\b",
    r"^(?:oh )?(?:no|wait|oops|whoops|hang on|hold on|scratch that|sorry)$|^oh (?:no|wait)\b|^wrong \w+",
    r"^not (?!bad|yet|now|sure|really)(?:(?:that|the|those|this|on|at|to|for|in) )?[\w:]+$"
    r"|^(?:that's|that is|it's) (?:too|not)\b|\bi should(?:'ve| have)? sa(?:y|id)\b",
    r"不对|^不是$|我(?:说|指|要)的是|我是说|改成|改为|改到|换成|说错|打错|写错|记错|错了|手滑|搞错|弄错|应该是|更正|纠正|只改",
    r"^(?:哦|噢|啊|哎呀?|诶|呃)?不$|^[哦噢啊哎诶呃]不(?!错|用|是)|^(?:等等|等一下|打住|慢着|且慢)",
    r"[发订定打写选点买加记填寄]错|^不是(?!说|吧|吗|很|特别)[^，。]{1,8}$",
)
_UNDO = (
    r"\b(?:undo|revert|roll (?:it|that) back|scrap (?:it|that)|take (?:it|that) back|cancel (?:it|that|this|the)|"
    r"forget (?:it|that)|never ?mind(?: (?:it|that))?$)\b|撤销|撤回|取消|退掉|作废|当我没说|不要了"
)
_CIRCUMSTANCES = (
    r"\b(?:i|we)(?:'ve| have) (?!been|always|never|lived|worked|moved|decided|got|had|changed)"
    r"\w+(?:ed|en|ost|urt|oke)\b",
    r"\b(?:i'm|we're|i am|we are) (?!going|looking|trying|thinking|learning|living|working|using|planning|hoping|"
    r"having)\w+ing\b",
    r"\bin a (?:rush|hurry)\b|\bit(?:'s| is) (?:my|our) \w+$",
    r"\b(?:my|the|our) \w+(?: \w+){0,2}?(?: is| are| has|'s) (?:been )?"
    r"(?:\w+ed|broken|shut|down|out|full|off|gone|dead)\b",
    r"^(?!.*(?:毕业|结婚|升职|离职|退休|[搬换改好够行算知懂错别不再请可订买点吃喝坐住去来到要想给把用选发寄说问看听记腻厌烦戒爱怕]))"
    r"[^，。我]{1,8}了$",
    r"^今[天晚儿](?!晚上|早上|中午|下午|上午|[一二三四五六七八九十\d])[^，。]{2,6}$",
)
"""What is so just now, and why something is ordered otherwise."""
_TODAY = r"\b(?:today|tonight|tomorrow|this time)\b|今[天晚儿]|明天"
Sign = Kind | Literal["own", "undo", "correction", "usual", "but", "today", "circumstance"]
_SIGNS: tuple[tuple[Sign, tuple[str, ...]], ...] = (
    *_CUES.items(),
    ("own", (_OWN,)),
    ("undo", (_UNDO,)),
    ("correction", _CORRECTIONS),
    ("usual", (r"\b(?:usually|normally|most days)\b|平时|一般|通常|平常",)),
    ("but", (r"\b(?:but|though|however)\b|不过|可是|但",)),
    ("today", (_TODAY,)),
    ("circumstance", _CIRCUMSTANCES),
)
_INDEX = PatternIndex([(Form(pattern), sign) for sign, patterns in _SIGNS for pattern in patterns])
_HAN = r"[\u3400-\u9fff]"
_AFTER_HAN = "|".join(f"(?<={_HAN}" + r"\d" * digits + ")" for digits in range(6))
_SENTENCE_END = re.compile(rf"[.!?](?=\s|$)|[。！？\n]|(?:{_AFTER_HAN})\s+(?={_HAN})")
"""Blanks around Latin words and numbers are how many write them in Chinese; one after 猫粮139 ends what was said."""
_CLAUSE_END = re.compile(r"[,;:](?=\s|$)|[，；：、]|\s[-–—]\s|—")


@dataclass(frozen=True)
class Clause:
    """A part of a sentence, in normal form and simplified Chinese, with what its wording says."""

    text: str
    sentence: int
    """Number of the sentence within the text, from 0."""
    cues: frozenset[Kind]
    is_for_self: bool
    """Whether it says that it is for the speaker."""
    is_lone_cue: bool
    """Whether it says little else than an exception or a rule ("just this once")."""
    raw: str = ""
    """As it was written, in one width."""
    slots: tuple[str, ...] = ()
    """Of an answer: the slots it was asked for, as `tool.argument`; empty where it is none or they are unknown."""
    own: str = ""
    """`text` with its quotations masked: the person's own words, which alone have cues."""
    quoted: tuple[str, ...] = ()
    """The quotations that nobody is said to have said, in normal form; they stand in `text` too."""
    reported: tuple[str, ...] = ()
    """What somebody else is said to have said, in normal form; it stands in neither `text` nor `raw`."""
    signs: frozenset[Sign] = frozenset()
    """What else its wording says: that it puts right or takes back what was just before, what is usual, of today."""


@text_cache(64)  # the parts of one turn are asked for more than once
def clauses(text: str) -> tuple[Clause, ...]:
    """Return the clauses of `text` in order. A space between Chinese words ends a sentence, as people type it.

    A quotation is never split, and has no cues.
    """
    found = quotations(text)
    bare = masked(text, found)
    shown = blanked(text, [(one.start, one.end) for one in found if one.says])
    own = blanked(bare, [one.says for one in found if one.says]) if _has_own_clause(bare) else bare
    places = [
        (number, start, end)
        for number, sentence in enumerate(_spans(_SENTENCE_END, bare, 0, len(bare)))
        for start, end in _spans(_CLAUSE_END, bare, *sentence)
        if bare[start:end].strip()
    ]
    said = [_plain(own[start:end]) for _, start, end in places]
    texts = said if shown == own else [_plain(shown[start:end]) for _, start, end in places]
    index = _INDEX.narrowed(said)
    return tuple(
        _clause(
            number,
            whole,
            words,
            shown[start:end],
            found[bisect_left(found, (start,)) : bisect_left(found, (end,))],
            _signs(words, index),
        )
        for (number, start, end), whole, words in zip(places, texts, said, strict=True)
    )


def _clause(number: int, whole: str, words: str, raw: str, found: Sequence[Quotation], signs: _Signs) -> Clause:
    return Clause(
        whole,
        number,
        _cues(signs),
        "own" in signs,
        _is_lone_cue(words, signs),
        written(raw),
        own=words,
        quoted=tuple(_plain(one.words) for one in found if not one.says),
        reported=tuple(_plain(one.words) for one in found if one.says),
        signs=frozenset(signs),
    )


def _has_own_clause(bare: str) -> bool:
    """Whether a text has a clause without any quotation; else who is quoted is whom it is for ("she says: …")."""
    return any(
        MASK not in bare[start:end] and bare[start:end].strip()
        for sentence in _spans(_SENTENCE_END, bare, 0, len(bare))
        for start, end in _spans(_CLAUSE_END, bare, *sentence)
    )


def _spans(ends: re.Pattern[str], text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of `text` between `start` and `end` that stand between `ends`."""
    for match in ends.finditer(text, start, end):
        yield start, match.start()
        start = match.end()
    yield start, end


def _plain(text: str) -> str:
    return simplified(normalise(text))


def written(text: str) -> str:
    """Return `text` in one width, with one kind of apostrophe and blank, and words that forms turn on spelt right."""
    return mended(" ".join(unicodedata.normalize("NFKC", text).replace("’", "'").split()))


def clause_texts(text: str) -> Iterator[str]:
    """Yield the clauses of `text` in normal form and simplified Chinese, without reading their cues."""
    for sentence in _SENTENCE_END.split(text):
        yield from _parts(sentence)


def _parts(sentence: str) -> Iterator[str]:
    return (part for raw in _CLAUSE_END.split(sentence) if (part := simplified(normalise(raw))))


def cues_in(text: str) -> frozenset[Kind]:
    """Return the kinds that `text` (in normal form) has a cue for."""
    return _cues(_signs(simplified(text), _INDEX))


_Signs = dict[Sign, int]
"""What the wording of a text says, with the length of the longest words that say it."""


def _signs(text: str, index: PatternIndex[Sign]) -> _Signs:
    found: _Signs = {}
    for match, sign in index.matches(text):
        found[sign] = max(found.get(sign, 0), match.end() - match.start())
    return found


def _cues(signs: _Signs) -> frozenset[Kind]:
    return frozenset(kind for kind in _CUES if kind in signs)


def _is_lone_cue(text: str, signs: _Signs) -> bool:
    longest = max(signs.get("one_off", 0), signs.get("standing", 0))
    return ("one_off" in signs or "standing" in signs) and 3 * longest >= 2 * len(text)


def is_correction(text: str) -> bool:
    """Whether `text` puts right something said or done just before."""
    return any("correction" in clause.signs for clause in clauses(text))


def is_undo(text: str) -> bool:
    """Whether `text` takes back something done just before."""
    return any("undo" in clause.signs for clause in clauses(text))

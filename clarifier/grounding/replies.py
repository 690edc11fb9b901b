"""Answers that give nothing: the person leaves it open, or calls the whole thing off."""

from __future__ import annotations

import re

_OPEN = re.compile(
    r"(?:(?:oh|um+|hm+|well|sorry|honestly)[,.\s]+)*"
    r"(?:i(?:['’]m| am)? ?(?:(?:really )?(?:do not|don['’]?t|didn['’]?t|haven['’]?t|not|no) )?"
    r"(?:know|care|mind|remember|sure|decided|dunno|idea|certain)(?: yet| that| it)?|idk|dunno"
    r"|no (?:idea|clue|preference)|not sure(?: yet)?|whatever(?: you (?:like|think|want))?|anything(?: is fine| goes)?"
    r"|any(?: of (?:them|those))?"
    r"|(?:it )?(?:does not|doesn['’]?t) matter|you (?:choose|decide|pick)|up to you|your (?:choice|call)|surprise me"
    r"|either(?: is fine)?|all the same(?: to me)?|no matter|skip(?: it| that)?|none of your business)"
    r"(?:[,.\s]+(?:really|sorry|please|you (?:choose|decide|pick)|up to you|to be honest))*[\s.!?…]*"
    r"|(?:我|嗯|呃|这个|那个|，|\s)*(?:随便(?:吧|你|啦|都行)?|都(?:行|可以|好|成)|无所谓|不知道|不晓得|不清楚|不记得|"
    r"没想好|还没(?:想好|定)|记不得|你(?:来)?(?:定|决定|选|看着办)|看着办|随意|哪个都(?:行|可以))(?:了|吧|呢|啊|呀|啦|的|，|\s)*[。！…]*",
    re.IGNORECASE,
)
_OFF = re.compile(
    r"(?:(?:no|oh|ok(?:ay)?|actually|well|please|then)[,.\s]+)*"
    r"(?:cancel(?: (?:it|that|this|everything))?|never ?mind|forget (?:it|that|about it)|stop(?: it| that)?|drop it"
    r"|leave it(?: then)?|don['’]?t bother|not (?:now|any ?more)|no thanks?(?: you)?)"
    r"(?:[,.\s]+(?:then|please|thanks?|thank you|for now|i(?:['’]ve| have)? changed my mind|it['’]?s fine))*[\s.!]*"
    r"|(?:那|还是|唉|哎|，|\s)*(?:算了(?:算了)?|不用了|不弄了|不办了|不要了|取消(?:吧|了)?|别(?:弄|办|管)了|当我没说)"
    r"(?:吧|了|啊|，|\s|谢谢|不(?:办|弄|要|用)了)*[。！]*",
    re.IGNORECASE,
)


_ASKS_BACK = re.compile(
    r"(?:why|what|how|who|where|when|do you|did you|can you|could you|are you|is (?:it|that|this))\b[^?]*\?+"
    r"|(?:你?为什么|为啥|干嘛|什么|怎么|啥|谁|哪|你(?:问|是|能))[^?？]*[?？]+",
    re.IGNORECASE,
)


def leaves_open(answer: str) -> bool:
    """Say whether an answer gives no value ("whatever", "I don't know", "why do you ask?", "随便"), and so no name."""
    said = answer.strip()
    return _OPEN.fullmatch(said) is not None or _ASKS_BACK.fullmatch(said) is not None


def calls_off(answer: str) -> bool:
    """Say whether an answer calls the whole thing off ("forget it", "算了")."""
    return _OFF.fullmatch(answer.strip()) is not None

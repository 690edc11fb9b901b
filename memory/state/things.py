"""What a phrase is of: the things named in it, trimmed to what they are, and the topic of each."""

from __future__ import annotations

import re
from typing import NamedTuple

from memory.language.text import normalise

_MAX_WORDS = 12
"""Of a thing; longer ones are stories."""
_MAX_CHINESE = 16
"""Characters."""
_NOT_A_THING = re.compile(
    r"^(?:it|that|this|them|these|those|you|him|her|me|us|how|what|when|where|why|if|whether|who|so|one|ones|late|out|"
    r"into|up|to (?:see|know|have|be|get|hear|think|say|ask|do|make|go|book|order|try|check)|the (?:look|sound|idea|"
    r"way|thought)|"
    r"your|their|his|having to|being|at|on|in|for|from|with|by|of|not|nothing|anything|"
    r"something|everything)\b|^(?:你|他|她|它|这|那|的|了|过(?!道|期|敏|滤)|吗|呢|吧|什么|怎么|哪|谁|[上下](?:班|来|去|课)|[吃喝坐穿用看抽听住玩去走买订选点]$)"
)
_NO_AMOUNT = (
    r"(?! (?:about |around )?(?:[\d$€£]|noon|midnight|(?:half|quarter|an? hour|one|two|three|four|five|six|seven|eight|"
    r"nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|a hundred)\b))"
)
"""A limit belongs to the thing: "meetings before ten", "more than 15 pounds"."""
_THING_END = re.compile(
    rf"\s+(?:(?:(?:more|better|rather) than|than|over|after|before|until){_NO_AMOUNT}|because|since|when|if|so|but|"
    r"although|though|unless|instead|"
    r"whenever|while|which|where|as|due to|thanks to|for (?:its?|their|the) \w+ (?:benefits?|value|reasons?)|"
    r"(?:in|for) (?:general|life)|(?:i|we)(?: (?:need|want|would|must|prefer)|'d|'ll)|"
    r"(?:and|or) (?:i|we|my|the|you|it|he|she|they|please|then|so|put|bought|sold|"
    r"got|find|started|began)\b|"
    r"or else|from now on|in future)\b.*$|(?:从现在|以后|因为|所以|但是?|不过|的时候|而且).*$",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    r"(?:\s+(?:any ?more|any longer|these days|nowadays|right now|now|at all|either|too|in it|as well|very much|a lot|"
    r"so much|"
    r"(?<!at )(?:the )?most|(?:the )?best|again|already|anyway|"
    r"(?:just |for )?(?:this )?once|please|really|though|lately|always|yesterday|today|last \w+))+$"
    r"|[了啊呀吧呢哦嘛啦]+$|[\s.!?;:'\"]+$",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"^(?:(?:a|an|the|my|our|some|any|all|more|most|lots of|plenty of|only|just|to|too much|eating|drinking|"
    r"using|wearing|watching|reading|listening to|playing|visiting|buying|consuming|taking|"
    r"eat|drink|use|wear|watch|read|(?:any |all )?(?:kinds?|types?|sorts?) of)\s+)+",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(
    r"\s+(?:that|who|involving|containing|than|up|down|off|out|in|on|at|by|from|with|without|of|for|near|to|about|"
    r"during|like|under|made)\s+"
)
_ANYTHING = re.compile(r"^(?:any|every|some)thing (?:with|containing|made (?:of|with|from)|that has) ", re.IGNORECASE)


class Thing(NamedTuple):
    """Something a person likes, has or does."""

    topic: str
    """What it is ("aisle seats": seat)."""
    value: str


def things_in(text: str, topic: str | None = None, *, is_preferred: bool = False) -> list[Thing]:
    """Return the things that `text` names, none where it names nothing in particular.

    Args:
        text: What somebody is said to like, have or do.
        topic: Of all of them; `None`: what each is.
        is_preferred: Whether "to" begins what is liked less ("tea to coffee").
    """
    value = trimmed(f" {_ANYTHING.sub('', text.strip())}")
    if is_preferred:
        value = re.sub(r"^to (?:have|get|receive|keep) (?=\w)", "", value)
        value = trimmed(re.sub(r"(?<=\w)\s+to\s+.*$", "", value)) or value
    parts = re.split(r"\s+(?:and|or)\s+|[和与跟]", value)
    if not all(0 < len(part.split()) <= 2 for part in parts):
        parts = [value]
    things = []
    for part in parts:
        bare = _LEADING.sub("", part).strip()
        if bare and is_thing(part) and is_short(bare):
            things.append(Thing(topic or topic_of(bare), bare))
    return things


def topic_of(thing: str) -> str:
    """Return what a thing is: its head noun, the verb of a doing, what stands after 的."""
    if not thing.isascii() and re.search(r"[\u3400-\u9fff]", thing):
        return thing.rpartition("的")[2] or thing
    words = normalise(_PREPOSITION.split(thing)[0]).split()
    if not words:
        return thing
    return _singular(words[0] if words[0].endswith("ing") else words[-1].rpartition("-")[2] or words[-1])


def topic_of_fact(name: str) -> str:
    """Return the topic of a fact that names it: "my usual airline" is of the airline."""
    words = re.sub(r"^(?:usual|preferred|favou?rite|default|regular|go-to)\s+", "", normalise(name))
    return words.replace("'s", "").strip()


def _singular(noun: str) -> str:
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    return noun[:-1] if noun.endswith("s") and not noun.endswith(("ss", "us", "is")) and len(noun) > 3 else noun


def trimmed(text: str) -> str:
    """Return a thing without what goes on after it ("because …") and words that say nothing of it."""
    before, text = None, _THING_END.sub("", text)
    while before != text:
        before, text = text, _TRAILING.sub("", text.strip())
    return text


def is_thing(text: str) -> bool:
    """Whether it names something."""
    return _NOT_A_THING.search(normalise(text)) is None


def is_short(thing: str) -> bool:
    """Whether it is a thing and no story."""
    if re.search(r"[\u3400-\u9fff]", thing):
        return len(thing) <= _MAX_CHINESE
    return len(thing.split()) <= _MAX_WORDS

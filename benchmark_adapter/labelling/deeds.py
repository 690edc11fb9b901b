"""Deeds and things that people and tools speak of, as word lists (English)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from memory.language.text import stem, tokenise
from memory.language.text_cache import text_cache

_DEED_TEXTS: Mapping[str, str] = {
    "find": "find search look lookup get fetch retrieve show list display view see check query read tell know give "
    "locate identify browse discover explore what which who where when print cat ls",
    "make": "create add make new set schedule register open generate draft write touch mkdir start craft log record "
    "insert initiate compose build",
    "change": "change update modify edit adjust alter rename revise amend reschedule set",
    "remove": "delete remove cancel erase clear rm drop discard close revoke unsubscribe",
    "send": "send message post tweet share notify email text publish forward reply comment mention retweet",
    "buy": "buy purchase order book reserve pay rent hire transfer request checkout",
    "play": "play listen watch stream pause resume",
    "work_out": "calculate compute convert estimate solve sum average mean round multiply divide subtract add square "
    "logarithm percentage area predict forecast count tally",
    "copy": "copy duplicate backup cp clone replicate",
    "move": "move transfer relocate mv shift",
    "go": "go navigate open enter cd switch change",
    "compare": "compare diff difference contrast comparison differ",
    "sort": "sort order arrange rank organize",
    "translate": "translate translation language",
    "sign_in": "login log authenticate sign credential logging",
    "run": "run execute launch start stop turn activate lock unlock",
    "fix": "resolve fix repair solve",
}
DEEDS: Mapping[str, frozenset[str]] = {
    deed: frozenset(stem(word) for word in text.split()) for deed, text in _DEED_TEXTS.items()
}
"""Stems by deed: verbs that mean the same to tools."""
DEED_STEMS: frozenset[str] = frozenset().union(*DEEDS.values())
_TOPIC_TEXTS = (
    "copy|cop(?:y|ies|ied|ying)|duplicate|back ?up|replicate|cp",
    "move|moving|relocate|transfer|shift|mv|rename|renaming",
    "delete|deleting|remove|removing|erase|get rid|discard|rm|rmdir|clear",
    "cancel|cancell?ing|annul|call off|revoke",
    "create|creating|make a|craft|mkdir|touch|generate|set up|draft|new",
    "write|writing|jot|put|append|echo|fill|record|log|note|capture|populate",
    r"sort|sorting|alphabeti\w+|arrange|organi[sz]e|rank",
    r"compare|comparing|comparison|diff|differences?|contrast|discrepanc\w+",
    "count|counting|tally|number of|how many|wc",
    r"tail|last (?:\w+ )?lines?|end of",
    "grep|occurrences?|pattern|mentions? of|contains?|lines that",
    "cat|contents?|read|look inside|what's in",
    "size|disk usage|du|storage",
    "directory|folder|cd|navigate|go (?:in)?to|enter",
    "tweets?|post|posting|share on|publish",
    "comment|comments|commenting|reply",
    "retweet|retweeting|repost|boost|amplify",
    "follow|unfollow|following",
    "mention|mentioning|tag|tagging",
    "message|messages|text|send|sending|inform|notify|brief|dm|email|mail",
    "contacts?|add (?:him|her|them)",
    "log ?in|logging in|sign in|authenticate|login|password|credentials?",
    "tickets?|complaint|issue|support",
    "resolve|resolving|resolved|close|fix",
    "priority|edit|update|modify|revise|adjust|change",
    "buy|buying|purchase|purchasing|acquire|order",
    "sell|selling|shares",
    "watch ?list|watch|track|monitor",
    "stocks?|ticker|symbol|sector",
    "fund|deposit|capital|add money|top up|withdraw|inject",
    "account|balance|profile",
    "transactions?|history",
    r"book|booking|reserve|reserv\w+|secure|ticket",
    "flight|fly|airport|airports",
    "insurance|coverage|insure",
    "invoice|receipt|bill",
    "exchange|convert|currency|conversion",
    "budget|limit|afford",
    "passport|verify|traveler|identity|nationality",
    "customer support|contact support|customer service",
    "engine|start the|ignition|start",
    r"doors?|lock|unlock\w*",
    "tires?|pressure",
    "fuel|gas|tank|refuel|gallons?|liters?|litres?",
    "brake|brakes|pedal",
    "cruise|speed",
    "headlights?|lights?|lamp",
    r"climate|temperature|air condition\w*|heat\w*|fan",
    r"distance|how far|miles|kilomet\w+",
    "zip ?code|postal|city",
    "nearest|shop|nearby",
    "status|display|show",
    r"mean|average|standard deviation|sum|percentage|round|square|logarithm|divide|multiply|subtract|max\w*|min\w*",
    "weather|forecast|rain",
    "play|listen|song|music",
    "restaurant|eat|dine|table|food|meal",
    "hotel|house|stay|room|accommodation",
    "movie|film|cinema|showtimes?",
    "bus|train|ride|taxi|cab|car",
    "pay|payment|money",
    r"alarm|remind\w*|timer|wake",
    "calendar|schedule|agenda|meeting|appointment|event",
    "translate|translation",
    "recipe|cook|ingredients?",
    "news|article|headlines?",
    "search|find|look for|look up",
    "calculate|compute|solve|equation|formula",
    "image|picture|photo|draw",
    "video|youtube|stream",
    "health|doctor|symptoms?|disease|patient",
    "server|deploy|instance|cluster|database|query|sql",
    "version|release|project|repository|commit",
    "password|token|key|secret",
)
_TOPICS = tuple(re.compile(rf"\b(?:{text})\b", re.IGNORECASE) for text in _TOPIC_TEXTS)
"""Finer: common deeds with their things, in the many words that people have for them."""
_COMMON_WORDS = (
    "a an the of for and or to in on by with from is are be was were it its this that these those which what who whom "
    "whose when where how why i me my we our us you your he she him her they them their can could would will shall "
    "should may might must do does did have has had not no yes please help want like need let get give show tell find "
    "know see look make some any all one two there here just also so if as at about up out into then now today "
    "tomorrow hi hello hey thank thanks sure okay ok provide information detail specific certain something someone "
    "file folder directory document good great best more new"
)
COMMON = frozenset(stem(word) for word in _COMMON_WORDS.split())
"""Stems that carry no value."""


def deeds_in(terms: Sequence[str]) -> frozenset[str]:
    """Return the deeds that some of the stems name."""
    return frozenset(deed for deed, words in DEEDS.items() if words & set(terms))


@text_cache(8192)
def topics_in(text: str) -> frozenset[int]:
    """Return which of the common deeds and things a text speaks of, by number."""
    return frozenset(index for index, pattern in enumerate(_TOPICS) if pattern.search(text))


def telling(text: str) -> tuple[str, ...]:
    """Return the stems of a text that carry meaning, each once, in order."""
    return tuple(term for term in dict.fromkeys(tokenise(text)) if term not in COMMON and not term.isdigit())

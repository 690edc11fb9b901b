"""The phrases of an English clause: closed classes of words end one, what is left is nouns, adjectives and verbs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agent.planners.rules.phrase import Phrase, Role, Span
from agent.planners.rules.segments import Segment

_WORD = re.compile(r"[A-Za-zÀ-ɏ][0-9A-Za-zÀ-ɏ_'’&+-]*|\d[0-9A-Za-z.-]*")
_CLOSED_WORDS = (
    "a an the this that these those my your his her its our their some any no every each another other one ones "
    "i me you he him she it we us they them who whom what which whose when where why how there here then now "
    "and or but so if than as because while of in on at by for from with without to into onto about over under "
    "after before between during since until till off out up down through around near against per via "
    "is are was were be been being am do does did done have has had having can could will would shall should may "
    "might must let lets let's not n't don't doesn't didn't won't can't i'd i'll i'm i've he's she's it's that's "
    "what's there's they're we're you're we'll you'll please just only also too again still even yet already very "
    "more most less least much many few lot lots all both either neither same such else instead too quite really "
    "yes no ok okay oh hm well right anyway though however maybe perhaps soon later today tomorrow tonight "
    "yesterday morning afternoon evening night week weekend month year time day once twice thanks thank "
    "want wants wanted need needs like likes fancy love find search look looking get give show tell send make put "
    "check see try play go goes come comes take bring keep know think something anything nothing everything "
    "pay add book order near live just text somebody anybody someone anyone everyone thing things way kind sort bit "
    "how's who's"
)
_CLOSED = frozenset(_CLOSED_WORDS.split())
_WISHED = re.compile(
    r"\b(?:want|wants|wanted|need|needs|like|fancy|find|finds|search|look for|looking for|look up|play|hear|try|give me"
    r"|get me|show me|find me|send me|bring me|about|called|named|for|of|on)\s"
    r"(?:(?:the|a|an|some|any|more|me|us|my|him|her|them)\s)*$",
    re.IGNORECASE,
)
_SOUGHT = re.compile(
    r"\b(?:search(?: for)?|find|look(?:ing)? (?:for|up)|look)\s(?:(?:the|a|an|some|any|me|us|for|up)\s)*$",
    re.IGNORECASE,
)
_SUBJECTS = re.compile(r"\b(?:i|you|he|she|we|they|it|to)\s$", re.IGNORECASE)


def english_phrases(clause: Segment, taken: Sequence[Span]) -> Iterator[Phrase]:
    """Yield the phrases of a clause; `taken`: places of what is told by its form."""
    text = clause.text
    words = list(_WORD.finditer(text))
    runs: list[list[re.Match[str]]] = [[]]
    for word in words:
        if word.group().casefold().replace("’", "'") in _CLOSED or _is_taken(word, clause, taken):
            runs.append([])
        elif runs[-1] and text[runs[-1][-1].end() : word.start()].strip():
            runs.append([word])
        else:
            runs[-1].append(word)
    for run in filter(None, runs):
        start, end = run[0].start(), run[-1].end()
        before = text[:start]
        if _SUBJECTS.search(before) and run[0].group()[0].islower():
            role: Role = "other"  # what somebody does
        elif _SOUGHT.search(before):
            role = "sought"
        elif _WISHED.search(before):
            role = "object"
        elif all(start <= word.start() < end or _is_taken(word, clause, taken) for word in words):
            role = "alone"
        else:
            role = "other" if before.strip() else "subject"
        yield Phrase(text[start:end], clause.start + start, role)


def _is_taken(word: re.Match[str], clause: Segment, taken: Sequence[Span]) -> bool:
    start, end = clause.start + word.start(), clause.start + word.end()
    return any(a < end and start < b for a, b in taken)

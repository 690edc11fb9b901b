"""What the wording of a message, and the course of the dialogue, tell of how it is meant (English)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from benchmark_adapter.labelling.talk import Talk
from clarifier.decision import Situation

Features = dict[str, float]


def _patterns(texts: Mapping[str, str]) -> dict[str, re.Pattern[str]]:
    return {name: re.compile(text, re.IGNORECASE) for name, text in texts.items()}


_ORDER = (
    "find|get|show|list|add|create|make|set|delete|remove|send|book|buy|play|check|search|retrieve|fetch|update|change|"
    "cancel|open|run|give|tell|calculate|convert|move|copy|go|display|compare|post|write|order|turn|start|stop"
)
_THING = (
    "file|folder|directory|document|item|message|word|term|name|user|person|contact|friend|place|city|location|product|"
    "order|ticket|event|account|date|time|number|song|movie|book"
)
_SAID = _patterns(
    {
        "asks": r"\?\s*$",
        "opens_with_wh": r"^\W*(?:what|who|whom|whose|which|when|where|why|how)\b",
        "how_to": r"\bhow (?:to|do|does|can|could|should|would|many|much|long)\b",
        "orders": rf"^\W*(?:(?:please|kindly|now|then|next|also|and|finally|lastly) )*(?:{_ORDER})\b",
        "requests": r"\b(?:can|could|would|will) you\b|\bi(?:'d| would) like\b|\bi (?:want|need)\b|\bhelp me\b"
        r"|\bplease\b",
        "thanks": r"\bthank(?:s| you)\b|\bthat(?:'s| is) all\b|\bbye\b|\bno,? (?:that|thank|i'm)\b",
        "agrees": r"^\W*(?:yes|yeah|yep|sure|ok|okay|correct|right)\b",
        "denies": r"^\W*(?:no|nope|not)\b",
        "writes": r"\b(?:code|script|program|regex|sql|function that|python|javascript|essay|poem|story|joke)\b",
        "opinion": r"\b(?:should i|do you think|recommend|suggest|best|better|favou?rite|why)\b",
        "vague": r"\b(?:some|certain|specific|particular|any|several|few|various) \w+"
        r"|\b(?:someone|somebody|something|somewhere)\b",
        "vague_thing": rf"\b(?:a|an|another) (?:{_THING})\b(?! (?:called|named|titled))",
        "points_back": r"\b(?:it|this|that|them|these|those|the same|there|him|her|again|above|previous|earlier)\b"
        r"|\blast\b",
        "gives_label": r"\b(?:is|are|=|named|called|titled)\b",
        "mine": r"\b(?:my|mine|our|me)\b",
        "several": r"\b(?:then|after that|afterwards|next|also|as well|finally|subsequently)\b",
    }
)
_REPLIED = _patterns(
    {
        "offers_more": r"\b(?:anything|something) else\b|\belse (?:i|you)\b",
        "asked": r"\?|\bplease (?:provide|tell|give|specify|confirm)\b|\bi (?:also |still )?need\b",
        "asked_whether": r"\b(?:do|would|should|shall|is|are|can|may) (?:you|i|that|this|it)\b[^?]*\?",
        "asked_for_several": r"\band (?:your|the|a)\b|,.*\band\b",
        "asked_last": r"\b(?:finally|lastly|last)\b",
    }
)
_NAME = re.compile(r"(?<!^)(?<![.!?]\s)\b[A-Z][a-z]+")


def wording(text: str) -> Features:
    """Return what the last message's wording shows, by name."""
    words = text.split()
    found = {f"says_{name}": float(bool(pattern.search(text))) for name, pattern in _SAID.items()}
    return {
        **found,
        "log_words": math.log1p(len(words)),
        "is_short": float(len(words) <= 4),
        "has_digits": float(any(char.isdigit() for char in text)),
        "has_quotes": float("'" in text or '"' in text),
        "not_ascii": sum(not char.isascii() for char in text) / max(len(text), 1),
        "has_capitals": float(bool(_NAME.search(text))),
    }


def course(situation: Situation, talk: Talk) -> Features:
    """Return where in the dialogue the last message stands, by name.

    An idle turn is one of the topic that ended without a call.
    """
    turns = situation.recall.topic_turns
    last_reply = (turns[-1].reply or "") if turns else ""
    replied = talk.exchanges[-1].question if talk.exchanges else last_reply
    found = {f"assistant_{name}": float(bool(pattern.search(replied))) for name, pattern in _REPLIED.items()}
    return {
        **found,
        "assistant_silent": float(bool(turns) and not replied),
        "log_turns": math.log1p(len(turns)),
        "has_topic": float(bool(turns)),
        "is_first": float(not turns and not talk.exchanges),
        "exchanges": float(min(len(talk.exchanges), 4)),
        "in_exchange": float(bool(talk.exchanges)),
        "log_calls": math.log1p(len(talk.called)),
        "called_this_turn": float(bool(situation.call_steps)),
        "last_turn_called": float(bool(turns) and bool(turns[-1].calls)),
        "last_turn_idle": float(bool(turns) and not turns[-1].calls),
        "idle_before": float(any(not turn.calls for turn in turns)),
    }

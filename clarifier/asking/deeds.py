"""Telling a person what calls did, or may have done, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from clarifier.grounding.phrases import joined, purpose, slot_phrase, value_phrase
from memory.journal import JournalEntry, is_unknown
from memory.language.text import Language, language, split_name
from memory.records import Observation, ToolCall
from memory.tools import Tool


def deed_words(call: ToolCall, tool: Tool | None, spoken: Language) -> str:
    """Return what a call does as "book a table (date: Friday; people: 4)"; its values stay as they are."""
    aim = (purpose(tool, spoken) if tool is not None else "") or " ".join(split_name(call.name))
    colon = "：" if spoken == "zh" else ": "
    details = []
    for name, value in call.arguments.items():
        parameter = tool.parameter(name) if tool is not None else None
        label = slot_phrase(parameter, spoken) if parameter is not None else " ".join(split_name(name))
        details.append(f"{label}{colon}{value_phrase(value, spoken)}")
    if not details:
        return aim
    return f"{aim}（{'；'.join(details)}）" if spoken == "zh" else f"{aim} ({'; '.join(details)})"


def cut_off_notice(entries: Sequence[JournalEntry]) -> str | None:
    """Return what a person is told of turns that were cut off, in the language of each; `None`: there is nothing."""
    requests = dict.fromkeys(entry.intent.turn.request for entry in entries)
    parts = [_notice(request, [one for one in entries if one.intent.turn.request == request]) for request in requests]
    return "\n".join(parts) or None


class Deed(NamedTuple):
    """What a call does, and what came of it."""

    words: str
    observation: Observation | None
    """`None`: nobody knows."""


def account(deeds: Sequence[Deed], spoken: Language) -> str:
    """Return what was done, what was not, and what nobody knows of, in sentences; empty without deeds."""
    unknown = [deed.words for deed in deeds if deed.observation is None or is_unknown(deed.observation)]
    known = [(deed.words, deed.observation.error) for deed in deeds if deed.observation and deed.words not in unknown]
    done = [words for words, error in known if error is None]
    failed = [words for words, error in known if error is not None and words not in done]
    said = [
        sentence.format("；".join(words) if spoken == "zh" else joined(list(dict.fromkeys(words)), spoken))
        for sentence, words in zip(_ACCOUNT[spoken], (done, failed, unknown), strict=True)
        if words
    ]
    return ("" if spoken == "zh" else " ").join(said)


_ACCOUNT: Mapping[Language, tuple[str, str, str]] = {
    "en": ("I did this: {}.", "This did not work: {}.", "I do not know whether this was done: {}."),
    "zh": ("已经办好：{}。", "没有办成：{}。", "不确定是否办成：{}。"),
}


def _notice(request: str, entries: Sequence[JournalEntry]) -> str:
    spoken = language(request)
    said = account([Deed(entry.intent.words, entry.observation) for entry in entries], spoken)
    if spoken == "zh":
        return f"“{request}”这件事我在告诉您之前中断了。{said}"
    return f"I was cut off at “{request}” before I could tell you. {said}"

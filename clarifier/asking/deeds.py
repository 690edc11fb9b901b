"""Telling a person what calls did, or may have done, in words."""

from __future__ import annotations

from collections.abc import Sequence

from clarifier.grounding.phrases import joined, purpose, slot_phrase, value_phrase
from memory.journal import JournalEntry
from memory.language.text import Language, language, split_name
from memory.records import ToolCall
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


def repeat_question(words: str, spoken: Language) -> str:
    """Return the question that stands before a call of which nobody knows whether it was made already."""
    if spoken == "zh":
        return f"上次中断了，我不确定这件事是否已经办成：{words}。要现在（再）办一次吗？"
    return f"I was cut off earlier and do not know whether this was done: {words}. Shall I do it now?"


def _notice(request: str, entries: Sequence[JournalEntry]) -> str:
    spoken = language(request)
    known = [entry for entry in entries if not entry.is_unknown]
    done = [one.intent.words for one in known if one.observation is not None and one.observation.error is None]
    failed = [one.intent.words for one in known if one.observation is not None and one.observation.error is not None]
    unknown = [entry.intent.words for entry in entries if entry.is_unknown]
    if spoken == "zh":
        said = [f"“{request}”这件事我在告诉您之前中断了。"]
        said += [f"已经办好：{'；'.join(done)}。"] * bool(done)
        said += [f"没有办成：{'；'.join(failed)}。"] * bool(failed)
        said += [f"不确定是否办成：{'；'.join(unknown)}。"] * bool(unknown)
        return "".join(said)
    said = [f"I was cut off at “{request}” before I could tell you."]
    said += [f"I did this: {joined(done, spoken)}."] * bool(done)
    said += [f"This did not work: {joined(failed, spoken)}."] * bool(failed)
    said += [f"I do not know whether this was done: {joined(unknown, spoken)}."] * bool(unknown)
    return " ".join(said)

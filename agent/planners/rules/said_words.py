"""Common words as values for a text parameter: what is looked for, where, and words beside the parameter's own noun."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pydantic import JsonValue

from agent.planners.rules.dictation import takes_any_words, takes_names, takes_sentences
from agent.planners.rules.phrase import Phrase
from agent.planners.rules.phrases import has_chinese, is_mixed, phrases
from agent.planners.rules.segments import asking_sentences, is_asking, sentences
from agent.planners.rules.tool_text import content_terms
from agent.planners.rules.utterance import Said, Text
from memory.language.text import split_name, stem
from memory.language.values.mentions import Mention
from memory.tools import Parameter, Tool

LEAST_SHARED = 3
"""Letters from the beginning that a word and the parameter's name have in common where it speaks of it ("rare")."""
BESIDE = 4
"""Characters between the parameter's noun and the words that it introduces."""


def is_part(text: Text, mention: Mention) -> bool:
    """Whether a name is only a part of words in Latin letters within Chinese ("Andrés did it again")."""
    return any(
        phrase.is_latin
        and phrase.start <= mention.start
        and mention.end <= phrase.end
        and mention.end - mention.start < len(phrase.text)
        for phrase in (phrases(text.text, text.now) if mention.text.isascii() else ())
    )


def is_subject(text: Text, mention: Mention) -> bool:
    """Whether a name is that of somebody who does something rather than what is spoken of."""
    return any(
        phrase.start == mention.start and phrase.role == "subject" and not phrase.is_place
        for phrase in phrases(text.text, text.now)
        if has_chinese(text.text) and not phrase.is_latin
    )


def in_common_words(value: JsonValue, text: Text) -> bool:
    """Whether a value is words of the text that no form tells to be a value, so that any tool could take them."""
    if not isinstance(value, str) or any(value == one.value for one in text.mentions if one.kind in ("name", "quoted")):
        return False
    return any(phrase.text == value and not phrase.is_latin for phrase in phrases(text.text, text.now))


def common_words(parameter: Parameter, tool: Tool, kind: str, about: set[str], text: Text) -> Iterator[Said]:
    """Yield the phrases that may be the value: surest what the parameter's noun introduces, then what is sought."""
    is_chinese = has_chinese(text.text)
    if not is_chinese and not (takes_any_words(parameter) and parameter.is_required):
        return
    asking = asking_sentences(text.text)
    for phrase in phrases(text.text, text.now):
        terms = set(content_terms(phrase.text))
        if not terms or terms <= about:
            continue  # a word for the thing rather than its name
        if is_chinese and kind != "place" and not phrase.is_whole and _is_introduced(phrase, parameter, text.text):
            yield Said(phrase.text, phrase.start, phrase.end, 0.95)
            continue
        strength = _in_chinese(phrase, parameter, kind, text) if is_chinese else _ROLES[phrase.role]
        if phrase.is_latin and kind == "text":
            strength += _by_form(phrase, parameter) + 0.15 * _is_spoken_of(phrase, parameter, tool, text.text)
        if is_chinese and takes_names(parameter) and _CALLED.search(text.text[: phrase.start]):
            strength = 0.95
        strength -= 0.15 * (bool(terms & about) and not phrase.is_whole)
        strength -= 0.1 * (not any(part.start <= phrase.start < part.end for part in asking))
        strength -= 0.2 * (not text.in_focus(phrase.start))
        yield Said(phrase.text, phrase.start, phrase.end, strength)


_CALLED = re.compile(r"(?:叫做?|名为|取名|起名|命名[为成]?|名字[是为]?|标题[是为]?)\s?$")


_ROLES = {"sought": 0.6, "object": 0.55, "alone": 0.5, "subject": 0.3, "other": 0.3}


def _in_chinese(phrase: Phrase, parameter: Parameter, kind: str, text: Text) -> float:
    """Return how surely a Chinese phrase is meant: Latin words for what is sought, places by their class."""
    strength = _ROLES[phrase.role]
    sentence = next((part for part in sentences(text.text) if part.start <= phrase.start < part.end), None)
    if sentence is not None and is_asking(text.text[sentence.start : sentence.end + 1]):
        strength += 0.02
    if kind == "place":
        strength += 0.05 * phrase.is_sided + (0.0 if phrase.is_place or phrase.role == "alone" else -0.15)
        strength = max(strength, 0.55) if phrase.is_place else strength
        return strength - 0.1 * phrase.is_latin - 0.1 * phrase.is_whole
    if phrase.is_latin and is_mixed(text.text):
        if phrase.is_whole:
            return 0.6 if takes_sentences(parameter) else 0.2
        return strength + 0.05
    if phrase.is_latin and (parameter.is_required or takes_any_words(parameter)):
        return 0.7 if parameter.is_required else 0.85  # nobody writes Latin letters there but for a value
    return strength + 0.05 * phrase.is_whole


def _by_form(phrase: Phrase, parameter: Parameter) -> float:
    """Return what the form of Latin words adds: names begin with capitals, and what is written has several words."""
    words = phrase.text.split()
    if takes_sentences(parameter):
        return 0.05 * min(len(words), 4) - 0.1
    if takes_names(parameter):
        return 0.05 if all(word[0].isupper() for word in words) else -0.05
    return 0.0


def _is_spoken_of(phrase: Phrase, parameter: Parameter, tool: Tool, text: str) -> bool:
    """Whether the Chinese words beside a phrase are of this parameter's description and of no other's of the tool."""
    around = _CJK_RUN.findall(text[max(0, phrase.start - NEAR) : phrase.start])[-1:]
    after = _CJK_RUN.match(text[phrase.end : phrase.end + NEAR].lstrip())
    beside = _pairs("".join(around)) | _pairs(after.group() if after else "")
    others: set[str] = set().union(*(_pairs(one.description) for one in tool.parameters if one.name != parameter.name))
    return bool(beside & _pairs(parameter.description) - others - _pairs(tool.description))


NEAR = 8
"""Characters on each side of a phrase that tell what it is."""
_CJK_RUN = re.compile(r"[\u4e00-\u9fff]+")


def _pairs(text: str) -> set[str]:
    return {text[at : at + 2] for at in range(len(text) - 1) if _CJK_RUN.fullmatch(text[at : at + 2])}


def _is_introduced(phrase: Phrase, parameter: Parameter, text: str) -> bool:
    """Whether the noun of a parameter stands beside a phrase ("时间填 night", "technology 类的"), or its own name does.

    The noun is the last word of what the description opens with.
    """
    head = re.split(r"[，。,（(：:；]", parameter.description)[0]
    noun = "".join(re.findall(r"[\u4e00-\u9fff]", head))[-2:]
    if len(noun) == 2:
        before = text[max(0, phrase.start - len(noun) - BESIDE) : phrase.start]
        place = before.rfind(noun)
        if place >= 0 and not re.search(r"[，。！？,.!?]", before[place:]):
            return True
        if re.match(rf"\s?[{noun}]", text[phrase.end :]) and phrase.text[-1] not in noun:
            return True
    return phrase.is_latin and any(
        _shares_beginning(phrase.text.casefold(), word.casefold()) for word in split_name(parameter.name)
    )


def _shares_beginning(one: str, other: str) -> bool:
    return one[:LEAST_SHARED] == other[:LEAST_SHARED] and len(stem(one)) >= LEAST_SHARED and len(one) <= len(other)

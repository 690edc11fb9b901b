"""Words in Latin letters within a Chinese request that no argument has, for the only one that can take them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from agent.planners.rules.dictation import takes_names
from agent.planners.rules.kinds import kind_of
from agent.planners.rules.phrase import Phrase
from agent.planners.rules.phrases import has_chinese, is_mixed, phrases
from agent.planners.rules.tool_text import content_terms
from agent.planners.rules.utterance import Text
from memory.language.text import split_name
from memory.tools import Parameter, Tool


def left_words(
    tool: Tool, text: Text, assigned: Mapping[str, JsonValue], taken: Sequence[tuple[int, int]]
) -> dict[str, JsonValue]:
    """Return, for words in Latin letters within Chinese that are left, the only open argument that can take them."""
    if not has_chinese(text.text) or text.is_answer or is_mixed(text.text):
        return {}
    used = [str(leaf) for value in assigned.values() for leaf in (value if isinstance(value, list) else [value])]
    about = set(content_terms(f"{' '.join(split_name(tool.name))} {tool.description}"))
    left = [
        phrase
        for phrase in phrases(text.text, text.now)
        if phrase.is_latin
        and text.in_focus(phrase.start)
        and not any(start < phrase.end and phrase.start < end for start, end in taken)
        and not any(phrase.text in value for value in used)
        and not set(content_terms(phrase.text)) <= about
    ]
    if not left:
        return {}
    open_ones = [one for one in tool.parameters if one.name not in assigned and _takes(one, left)]
    if len(open_ones) != 1 or (len(left) > 1 and open_ones[0].type != "array"):
        return {}
    words: list[JsonValue] = [phrase.text for phrase in left]
    return {open_ones[0].name: words if open_ones[0].type == "array" else words[0]}


def _takes(parameter: Parameter, words: Sequence[Phrase]) -> bool:
    """Whether a parameter takes words of such a form."""
    if parameter.type == "array":
        return parameter.items is None or (parameter.items.type == "string" and not parameter.items.enum)
    if kind_of(parameter) != "text" or _BY_CODE.search(f"{parameter.name} {parameter.description}"):
        return False
    return not takes_names(parameter) or all(word[0].isupper() for word in words[0].text.split())


_BY_CODE = re.compile(r"\b(?:url|link|code|upc|file|path|token|id)\b|图片|链接|编号|代码", re.IGNORECASE)
"""What is never said in words."""

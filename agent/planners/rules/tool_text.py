"""What a tool says of itself, as index terms, weighed by how well they tell it from the other tools on offer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memory.language.text import split_name, stem, tokenise
from memory.language.text_cache import text_cache
from memory.tools import Parameter, Tool

NAME_WEIGHT, DESCRIPTION_WEIGHT, PARAMETER_WEIGHT, PARAMETER_TEXT_WEIGHT = 1.5, 1.0, 0.8, 0.4
"""Of a term by the place where it stands; a term counts once, at its best place."""
_STOP_WORDS = (
    "a an the of for and or to in on by with from is are be it its this that which whether include includes including "
    "such as get set list default value values format query retrieve specific specified information data return "
    "returned result results user one two i me my you we us our your he she they them what how when where do does did "
    "have has had can could would will not no so if at up out about all any some there here please just want like know "
    "see look need let give show tell more than then into over only"
)
_ZH_STOP_WORDS = (
    "的 了 是 我 你 在 有 和 与 或 及 等 默认 默认为 为 值 格式 返回 获取 查询 信息 指定 是否 包括 包含 需要 用户 名称 "
    "一个 两个 这个 那个"
)
_STOP = frozenset(stem(word) for word in _STOP_WORDS.split()) | frozenset(_ZH_STOP_WORDS.split())


@dataclass(frozen=True)
class ToolTexts:
    """The terms of the tools on offer."""

    terms: tuple[Mapping[str, float], ...]
    """Per tool: its terms with the weight of the place."""
    rarity: Mapping[str, float]
    """Per term: how well it tells tools apart, 0 where every tool has it."""

    def overlap(self, words: Sequence[str], tool: int) -> float:
        """Return the weight of the terms that `words` and the tool have in common, each once."""
        mine = self.terms[tool]
        return sum(mine[word] * self.rarity[word] for word in dict.fromkeys(words) if word in mine)


def tool_texts(tools: Sequence[Tool]) -> ToolTexts:
    """Return the terms of `tools`."""
    terms = tuple(_terms(tool.name, tool.description, tool.parameters) for tool in tools)
    counts = Counter(term for mine in terms for term in mine)
    rarity = {
        term: math.log(1 + len(tools) / count) - math.log(2) * (count == len(tools) > 1)
        for term, count in counts.items()
    }
    return ToolTexts(terms, rarity)


@text_cache(4096)
def content_terms(text: str) -> tuple[str, ...]:
    """Return the index terms of `text` that carry meaning."""
    return tuple(term for term in tokenise(text) if term not in _STOP)


def _terms(name: str, description: str, parameters: Sequence[Parameter]) -> Mapping[str, float]:
    weighed: dict[str, float] = {}

    def add(words: Sequence[str], weight: float) -> None:
        for word in words:
            if word not in _STOP:
                weighed[word] = max(weight, weighed.get(word, 0))

    add([stem(word) for word in split_name(name)], NAME_WEIGHT)
    add(content_terms(description), DESCRIPTION_WEIGHT)
    for parameter in parameters:
        add([stem(word) for word in split_name(parameter.name)], PARAMETER_WEIGHT)
        add(content_terms(parameter.description), PARAMETER_TEXT_WEIGHT)
        add(_terms_of_values(tuple(map(str, _allowed(parameter)))), PARAMETER_WEIGHT)
    return weighed


@lru_cache(maxsize=1024)
def _terms_of_values(values: tuple[str, ...]) -> tuple[str, ...]:
    # Of a schema and of no person, so it is kept: a long list would cost every turn more than all else.
    return tuple(dict.fromkeys(term for value in values for term in content_terms(value)))


def _allowed(parameter: Parameter) -> Sequence[object]:
    return parameter.enum or (parameter.items.enum if parameter.items is not None else ())

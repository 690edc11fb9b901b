"""Which tools on offer can supply a missing value, so that the person need not be asked."""

from __future__ import annotations

import re

from clarifier.decision import Situation
from clarifier.effects import is_read_only
from clarifier.grounding.codes import KIND_WORDS, is_looked_up
from clarifier.settings import Settings
from memory.evidence import Slot
from memory.language.text import normalise, split_name, stem
from memory.tools import Parameter, Tool

_PERSONAL_TEXT = (
    "user users customer member client owner device app application employee patient student passenger phone mobile "
    "email mail passport password pin token api session login biometric"
)
_PERSONAL = frozenset(_PERSONAL_TEXT.split())
"""Only the person knows these of themselves, unless a tool is there to list just them."""
_FINDERS = ("search", "list", "find", "query", "browse", "lookup")
_GENERIC_TEXT = "get the a an of to for in and or with by data info information details detail item items"
_GENERIC = frozenset(_GENERIC_TEXT.split())
_CHINESE_ENTITY = re.compile(r"([\u4e00-\u9fff]{2,6}?)(?:的)?(?:唯一)?(?:标识|编号|ID|id|网址|链接|价格|代码)")


def suppliers(slot: Slot, parameter: Parameter, situation: Situation, settings: Settings) -> tuple[str, ...]:
    """Return the read-only tools on offer that can supply a value for `slot`, best first.

    None where only the person can know it.

    A supplier speaks of the thing whose identifier, url, code or price is missing, in its name (better) or its
    description, does not need that value itself, and was called neither in this turn nor in the running topic, where
    its results are in sight. What searches or lists comes before what fetches.
    """
    if not is_looked_up(parameter):
        return ()
    own = situation.tool(slot.tool)
    entity = _entity(parameter, own)
    if not entity and not _chinese_entity(parameter):
        return ()
    called = {call.name for step in situation.call_steps for call in step.calls}
    called |= {call.name for turn in situation.recall.topic_turns for call in turn.calls}
    ranked: list[tuple[tuple[int, int], str]] = []
    for order, tool in enumerate(situation.tools):
        if tool.name == slot.tool or tool.name in called or not is_read_only(tool, settings.effects):
            continue
        if _needs_the_same(tool, parameter, entity):
            continue
        strength = _strength(tool, parameter, entity)
        if strength is None:
            continue
        is_finder = tool.name.casefold().startswith(_FINDERS)
        ranked.append(((strength - (2 if is_finder else 0), order), tool.name))
    return tuple(dict.fromkeys(name for _, name in sorted(ranked)))


def _entity(parameter: Parameter, tool: Tool | None) -> frozenset[str]:
    """Stems of the words for the thing meant: `transaction_id` gives transaction, a bare `id` what its tool does."""
    words = [word for word in split_name(parameter.name) if word not in KIND_WORDS | {"number", "name"}]
    if not words and tool is not None:
        words = list(split_name(tool.name))[1:]
    return frozenset(stem(word) for word in words if word not in _GENERIC)


def _chinese_entity(parameter: Parameter) -> str:
    """The last two characters before "ID" or the like in a Chinese description: `交易所属的账户ID` gives 账户."""
    found = _CHINESE_ENTITY.findall(parameter.description)
    return found[-1].removesuffix("的")[-2:] if found else ""


def _strength(tool: Tool, parameter: Parameter, entity: frozenset[str]) -> int | None:
    """1 where the name speaks of the thing, 2 where only the description does, `None` where neither."""
    name = {stem(word) for word in split_name(tool.name)}
    if entity & name and not _is_personal(entity):
        return 1
    if _is_personal(entity):
        is_listing = entity & name and tool.name.casefold().startswith(
            (*_FINDERS, "getcurrent", "get_current", "getmy")
        )
        return 1 if is_listing else None
    described = {stem(word) for word in re.findall(r"[^\W\d_]+", normalise(tool.description))}
    chinese = _chinese_entity(parameter)
    if (entity and entity <= described) or (chinese and chinese in tool.description):
        return 2
    return None


def _is_personal(entity: frozenset[str]) -> bool:
    return bool(entity & {stem(word) for word in _PERSONAL})


def _needs_the_same(tool: Tool, parameter: Parameter, entity: frozenset[str]) -> bool:
    """Whether the tool itself needs the value, or another identifier of the same thing."""
    for needed in tool.required:
        if needed.name == parameter.name:
            return True
        words = {stem(word) for word in split_name(needed.name)}
        if entity & words and (is_looked_up(needed) or "number" in words):
            return True
    return False

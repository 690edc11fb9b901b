"""Which arguments a call cannot do without, though the schema leaves them optional."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from clarifier.effects import effect_of
from clarifier.grounding.choices import speech_for
from memory.language.schema import Effect
from memory.language.text import split_name
from memory.language.text_cache import text_cache
from memory.language.values.descriptions import described_examples
from memory.tools import Parameter, Tool

_ADDRESS_TEXT = (
    "to recipient recipients receiver receivers addressee email emails mail phone mobile address contact contacts room "
    "channel chat group user username member attendees"
)
_ADDRESS = frozenset(_ADDRESS_TEXT.split())
"""Words of the arguments that say whom a message goes to."""
_SENDING_TEXT = "send email mail text sms notify forward invite message"
_SENDING = frozenset(_SENDING_TEXT.split())
_WHEN = re.compile(
    r"(?<!not )\b(?:required|needed|mandatory)\s(?:only\s)?(?:when|if|for|in case of)\s(?P<en>[^.;。]+)"
    r"|(?P<zh>[^，。；,.;不]{1,24})时(?:才)?(?:必填|必需|必须(?:提供|填写|给出)|需要(?:提供|填写)?)(?=[。，；,.;]|$)",
    re.IGNORECASE,
)


def needed(tool: Tool, arguments: Mapping[str, JsonValue], effects: Mapping[str, Effect]) -> tuple[Parameter, ...]:
    """Return the parameters that a call with `arguments` must have, in schema order.

    Besides what the schema requires: what a description requires for a value that another argument has ("required only
    when updating"), and the one argument by which a message can reach anybody.
    """
    others = {*_conditional(tool, arguments), *_addressee(tool, effects)}
    return tuple(one for one in tool.parameters if one.is_required or one.name in others)


def _conditional(tool: Tool, arguments: Mapping[str, JsonValue]) -> Iterator[str]:
    for one in tool.parameters:
        when = "" if one.is_required else _condition(one.description)
        if when and any(
            _names(when, tool.parameter(name), value) for name, value in arguments.items() if name != one.name
        ):
            yield one.name


@text_cache(1024)
def _condition(description: str) -> str:
    """When an argument is required by its description; empty where it does not say."""
    found = _WHEN.search(description)
    return (found["en"] or found["zh"]) if found else ""


def _names(when: str, parameter: Parameter | None, value: JsonValue) -> bool:
    """Whether a condition names the value that another argument has."""
    if parameter is None or not isinstance(value, str):
        return False
    members = parameter.enum or described_examples(parameter.description)
    return value in members and speech_for(value, members, when, parameter.description, None) == "stated"


def _addressee(tool: Tool, effects: Mapping[str, Effect]) -> list[str]:
    """The argument without which nobody gets the message; none where the tool has several, or a default."""
    if effect_of(tool, effects) != "message" or _SENDING.isdisjoint(split_name(tool.name)[:1]):
        return []
    found = [one for one in tool.parameters if is_address(one)]
    return [one.name for one in found] if len(found) == 1 and found[0].default is None else []


def is_address(parameter: Parameter) -> bool:
    """Say whether an argument says whom a message goes to."""
    return parameter.format == "email" or not _ADDRESS.isdisjoint(split_name(parameter.name))

"""What a tool does to the world, and whether it acts where care is due."""

from __future__ import annotations

import re
from collections.abc import Mapping

from memory.language.schema import Effect, tool_effect
from memory.language.text import split_name
from memory.tools import Tool

_SENSITIVE = re.compile(
    r"\b(?:health|medical|medicine|medication|prescription|doctor|patient|diagnos\w+|insurance|bank\w*|loan|credit|"
    r"account balance|invest\w*|stock|tax|legal|law\w*|contract|visa|court|emergency|police|alarm|"
    r"safety)\b"
    r"|健康|医疗|医院|药|处方|诊断|保险|银行|贷款|信用卡|投资|股票|税|法律|合同|签证|法院|报警|紧急|安全",
    re.IGNORECASE,
)


def effect_of(tool: Tool, overrides: Mapping[str, Effect] | None = None) -> Effect:
    """Return what `tool` does: what `overrides` say of its name, else what name and description tell."""
    if overrides and tool.name in overrides:
        return overrides[tool.name]
    return tool_effect(tool.name, tool.description)


def is_read_only(tool: Tool, overrides: Mapping[str, Effect] | None = None) -> bool:
    """Say whether calling `tool` changes nothing."""
    return effect_of(tool, overrides) == "read"


def is_sensitive(tool: Tool) -> bool:
    """Say whether a tool acts in health, finance, law or safety."""
    return _SENSITIVE.search(f"{' '.join(split_name(tool.name))}. {tool.description}") is not None

"""The words of a prompt, read from a folder."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

from agent.errors import PlannerSettingsError
from memory.errors import ToolSchemaError
from memory.tools import Tool, parse_tool

BUNDLED = Path(__file__).parent / "prompts"
_FIELDS = {
    "system.md": ("ask",),
    "ask_user.json": (),
    "hammer.md": ("tools",),
    "pythonic.md": ("tools",),
    "plain.md": (),
    "uncertainty.md": (),
    "sources.md": ("where",),
}
"""The files of a folder, with the `$name` that each may hold."""


@dataclass(frozen=True)
class PromptFiles:
    """The words of a prompt."""

    system: Template
    """What the model is to do; `$ask` stands for the way it asks."""
    ask_tool: Tool
    """The reserved tool for questions."""
    hammer: Template
    """How to write calls as a JSON list; `$tools` stands for the tools."""
    pythonic: Template
    """How to write calls as `[f(a=1)]`."""
    plain: str
    """What a model that wrote `[]` is told, to have it reply."""
    uncertainty: str
    """Describes the argument by which a model says how much the request leaves open."""
    sources: Template
    """How to state where each value comes from; `$where` stands for the place that it is stated in."""
    hash: str
    """12 hex digits that change with any of the files."""

    @classmethod
    def load(cls, folder: Path | None = None) -> PromptFiles:
        """Return the words in a folder, the bundled ones for `None`.

        Raises:
            PlannerSettingsError: If a file is missing or malformed.
        """
        return _bundled() if folder is None else _load(folder)


@cache
def _bundled() -> PromptFiles:
    return _load(BUNDLED)


def _load(folder: Path) -> PromptFiles:
    texts: dict[str, str] = {}
    missing = [name for name in _FIELDS if not (folder / name).is_file()]
    if missing:
        raise PlannerSettingsError(
            f"the prompt folder {folder} has no {', '.join(missing)}; begin with a copy of {BUNDLED} and change that"
        )
    for name, fields in _FIELDS.items():
        try:
            texts[name] = (folder / name).read_text(encoding="utf-8")
            if name.endswith(".md"):
                Template(texts[name]).substitute(dict.fromkeys(fields, ""))
        except (OSError, UnicodeDecodeError) as exc:
            raise PlannerSettingsError(f"the prompt file {folder / name} cannot be read: {exc}") from exc
        except (KeyError, ValueError) as exc:
            allowed = " or ".join(f"${field}" for field in fields) or "no $name"
            raise PlannerSettingsError(
                f"the prompt file {folder / name} may hold {allowed}, and a plain $ as $$; found {exc}"
            ) from exc
    joined = "".join(f"{name}\0{text}\0" for name, text in sorted(texts.items()))
    return PromptFiles(
        system=Template(texts["system.md"]),
        ask_tool=_ask_tool(folder / "ask_user.json", texts["ask_user.json"]),
        hammer=Template(texts["hammer.md"]),
        pythonic=Template(texts["pythonic.md"]),
        plain=texts["plain.md"].strip(),
        uncertainty=texts["uncertainty.md"].strip(),
        sources=Template(texts["sources.md"]),
        hash=hashlib.sha256(joined.encode()).hexdigest()[:12],
    )


def _ask_tool(path: Path, text: str) -> Tool:
    try:
        definition: Any = json.loads(text)
        tool = parse_tool(definition)
    except (ValueError, ToolSchemaError) as exc:
        raise PlannerSettingsError(f"the prompt file {path} is no definition of a tool: {exc}") from exc
    if {"question", "slots"} - {parameter.name for parameter in tool.parameters}:
        raise PlannerSettingsError(f"the tool in the prompt file {path} needs the arguments `question` and `slots`")
    return tool

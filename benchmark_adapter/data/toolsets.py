"""Toolsets: lists of tool schemas that topics point to by number instead of carrying them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from benchmark_adapter.data.jsonl import Line, read_lines
from benchmark_adapter.errors import DatasetError

Language = Literal["en", "zh"]

TOOLSET_FILES = ("tools_en.jsonl", "tools_zh.jsonl")


class Toolsets:
    """A folder with `tools_en.jsonl` and `tools_zh.jsonl`, one toolset a line; read at the first use.

    Args:
        folder: The folder; it need not exist until a toolset is asked for.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def beside(cls, topic_file: Path) -> Toolsets:
        """Return the toolsets in the folder of a topic file, else those beside that folder."""
        # Not resolved: a topic file may be a link into a cache, and its toolsets lie beside the link.
        folder = topic_file.absolute().parent
        inside = folder / "toolsets"
        return cls(inside if inside.is_dir() else folder.parent / "toolsets")

    @cached_property
    def _english(self) -> tuple[Line, ...]:
        return tuple(read_lines(self._file("en")))

    @cached_property
    def _chinese(self) -> tuple[Line, ...]:
        return tuple(read_lines(self._file("zh")))

    def _file(self, language: Language) -> Path:
        return self.folder / f"tools_{language}.jsonl"

    def tools(self, topic_file: Path, line: int, number: int, language: Language) -> list[dict[str, Any]]:
        """Return a toolset by its 0-based number, for the topic at a line of a file.

        Raises:
            DatasetError: At that line if the folder or number is missing; at the toolset's line if it is not a list
                of tools.
        """
        if not self.folder.is_dir():
            raise DatasetError(
                topic_file,
                line,
                f"toolset {number} needs a toolsets folder, and {self.folder} is none; name it with --toolsets",
            )
        lines = self._chinese if language == "zh" else self._english
        if not 0 <= number < len(lines):
            raise DatasetError(
                topic_file,
                line,
                f"expected a toolset between 0 and {len(lines) - 1} of {self._file(language).name}, got {number}",
            )
        return self._checked(language, lines[number])

    def every(self) -> tuple[list[dict[str, Any]], ...]:
        """Return all toolsets, the English before those Chinese ones that do not just translate the same line.

        Raises:
            DatasetError: If there is neither file, or a line is not a list of tools.
        """
        has_chinese = self._file("zh").exists()
        english: list[list[dict[str, Any]]] = []
        if self._file("en").exists() or not has_chinese:
            english = [self._checked("en", line) for line in self._english]
        chinese = [self._checked("zh", line) for line in self._chinese] if has_chinese else []
        known = dict(enumerate(map(tool_names, english)))
        return (*english, *(tools for number, tools in enumerate(chinese) if tool_names(tools) != known.get(number)))

    def _checked(self, language: Language, line: Line) -> list[dict[str, Any]]:
        tools = line.value
        if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
            raise DatasetError(
                self._file(language), line.number, f"expected a list of tools, got {type(tools).__name__}"
            )
        return tools


def tool_names(tools: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the names of the tools that have one in the usual place, `function.name`."""
    functions = (tool.get("function") for tool in tools)
    return frozenset(
        function["name"]
        for function in functions
        if isinstance(function, Mapping) and isinstance(function.get("name"), str)
    )

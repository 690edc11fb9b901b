"""Snippets print what stands below them, and the commands that README and pages show are there."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from agent.cli import app as stead
from benchmark_adapter.cli import app as stead_bench
from tests.shared import ROOT


@pytest.mark.slow
@pytest.mark.parametrize("name", ["README.md", "docs/user-state.md"])
def test_the_snippet_prints_the_output_that_stands_below_it(name: str) -> None:
    page = (ROOT / name).read_text("utf-8")
    snippet, output = re.search(r"```python\n(.*?)```.*?```text\n(.*?)```", page, re.DOTALL).groups()  # type: ignore[union-attr]  # each page has both
    done = subprocess.run(
        [sys.executable, "-c", snippet], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert (done.stdout, done.returncode) == (output, 0), done.stderr


def test_the_readme_links_to_pages_that_exist() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    missing = [target for target in re.findall(r"\]\(([^)#:]+)\)", readme) if not (ROOT / target).exists()]
    assert missing == []


def _shown_commands() -> Iterator[tuple[str, str]]:
    """Yield the commands of `stead` and `stead-bench` in code of the README and the pages, with where they stand."""
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        text = page.read_text("utf-8")
        blocks = re.findall(r"```(?:sh|text)?\n(.*?)```", text, re.DOTALL)
        spans = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
        for line in (line for code in (*blocks, *spans) for line in code.splitlines()):
            if found := re.match(r"(?:\.venv/bin/)?(stead(?:-bench)? +[^#]+)", line):
                yield page.name, found[1].strip()


def _fault(shown: str) -> str | None:
    """Return what a shown command names that is not there."""
    program, *words = re.sub(r"[\[\]]", " ", shown).split()
    command: Any = typer.main.get_command({"stead": stead, "stead-bench": stead_bench}[program])
    while hasattr(command, "commands") and words and not words[0].startswith("-"):
        name, *words = words
        if name not in command.commands:
            return f"{shown}: no command {name}"
        command = command.commands[name]
    known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    return next((f"{shown}: no option {word}" for word in words if word.startswith("--") and word not in known), None)


def test_every_command_that_the_pages_show_exists_with_its_options() -> None:
    shown = list(_shown_commands())
    assert len(shown) > 40
    assert [(page, fault) for page, one in shown if (fault := _fault(one))] == []

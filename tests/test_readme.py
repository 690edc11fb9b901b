"""The README's snippet runs and prints what the README says."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.shared import ROOT


@pytest.mark.slow
def test_the_snippet_prints_the_output_that_stands_below_it() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    snippet, output = re.search(r"```python\n(.*?)```.*?```text\n(.*?)```", readme, re.DOTALL).groups()  # type: ignore[union-attr]  # the README has both
    done = subprocess.run(
        [sys.executable, "-c", snippet], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert (done.stdout, done.returncode) == (output, 0), done.stderr


def test_the_readme_links_to_pages_that_exist() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    missing = [target for target in re.findall(r"\]\(([^)#:]+)\)", readme) if not (ROOT / target).exists()]
    assert missing == []

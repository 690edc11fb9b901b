"""The example of docs/reading.md gives what stands below it, whatever the probabilities."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.shared import ROOT


def _without_probabilities(text: str) -> str:
    return re.sub(r"p: \d\.\d\d", "p: …", text)


def test_the_example_is_read_as_the_page_says() -> None:
    page = (ROOT / "docs" / "reading.md").read_text("utf-8")
    found = re.search(r"```python\n(.*?)```.*?```text\n(.*?)```", page, re.DOTALL)
    assert found is not None
    done = subprocess.run(
        [sys.executable, "-c", found[1]], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    assert _without_probabilities(done.stdout) == _without_probabilities(found[2])


def test_the_page_names_every_word_of_the_glossary_and_links_to_pages_that_exist() -> None:
    from memory.language.learned.labels import WORDS

    page = (ROOT / "docs" / "reading.md").read_text("utf-8")
    assert [word for words in WORDS.values() for word in words if f"`{word}`" not in page] == []
    targets = re.findall(r"\]\(([^)#:]+)\)", page)
    assert [target for target in targets if not (ROOT / "docs" / target).exists()] == []

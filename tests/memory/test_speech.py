"""Speaking of memory, and replies that claim a deed: a row of `speech.jsonl` a sentence."""

from __future__ import annotations

import json
from pathlib import Path

from memory.language.speech import claimed_deeds, memory_speech

ROWS = [json.loads(line) for line in Path(__file__).with_name("speech.jsonl").read_text(encoding="utf-8").splitlines()]


def test_what_is_said_of_memory_is_told_from_all_else() -> None:
    wrong = {
        row["said"]: found
        for row in ROWS
        if "said" in row
        if (found := speech.act if (speech := memory_speech(row["said"])) else None) != row["act"]
    }
    assert wrong == {}


def test_a_reply_that_says_that_something_was_done_is_told_from_an_offer_a_denial_and_a_quotation() -> None:
    wrong = [row for row in ROWS if "reply" in row and bool(claimed_deeds(row["reply"])) != row["claims"]]
    assert wrong == []

"""Reading calls that models write into their text: random texts, and time by length: `python -m benchmarks.text_calls`.

Both readers see every text, whole and as cut off. Texts are pieces of the grammar in random order, half of them valid
calls with a few characters changed. Growth is that of patterns made to be slow, each repeated to the length: the time
of each is the least processor time of three, so that a busy machine adds little.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from statistics import median

from agent.planners.text_calls import read_leaked_calls, read_written_calls, without_thoughts

TOOLS = {"book": ["city", "nights"], "weather.get": ["city"], "find-table": ["place", "class"]}
PIECES = (
    "[", "]", "(", ")", "{", "}", "'", '"', "\\", ",", "=", ":", ";", "book", "weather.get", "city", "nights", "-5",
    "1.", "1e9", "true", "None", "（", "）", "【", "】", "“", "”", "，", "：", "'''", "```", "\n", " ", "<tool_call>",
    "</tool_call>", "<think>", "</think>", '"name"', '"arguments"', "<function=", "<parameter=", "<arg_key>",
    "<|tool_calls_section_begin|>", "<|tool_call_begin|>", "[TOOL_CALLS]", "\\u12", "\ud800", "９", "都灵", "Ben's",
)  # fmt: skip
VALID = (
    "[book(city='Rome', nights=2), weather.get(city=\"L'Aquila\")]",
    '[{"name": "book", "arguments": {"city": "Rome", "nights": -2, "tags": ["a", {"b": null}]}}]',
    '<tool_call>{"name": "book", "arguments": {"city": "Rome"}}</tool_call>',
    "<think>Rome?</think>Sure:\n```python\n[find-table(place='x', class=[True, None, 1.5])]\n```",
    "［book（city＝“罗马”，nights＝２）］",
)
PATTERNS = (
    "[book(", "[", "(", "{", "'", '"a" ', "[{", "<tool_call>", "<think>", "</think>", "[book(city='", "book(", " ",
    "\\", "<think></think>", '{"name":', "9", "[book(city=1),", "city=", "```", "<tool_call><arg_key>", "Ben's ", "{[",
    "［（", "<tool_call><function=a><parameter=", "<|tool_call_begin|>",
    '[{"name":"book","arguments":{"city":"Rome"}},',
)  # fmt: skip


def texts(rng: Random) -> Iterator[str]:
    """Yield random texts for ever."""
    while True:
        yield "".join(rng.choices(PIECES, k=rng.randrange(1, 60)))
        marks = list(rng.choice(VALID))
        for _ in range(rng.randrange(4)):
            marks[rng.randrange(len(marks))] = rng.choice(PIECES)
        yield "".join(marks)


def read_all(text: str) -> int:
    """Read a text in every way; return how many calls that found."""
    said = without_thoughts(text)
    found = 0
    for is_cut in (False, True):
        for form in ("hammer", "pythonic"):
            found += len(read_written_calls(said, form, TOOLS, is_cut=is_cut).calls)
        found += len(read_leaked_calls(said, TOOLS, is_cut=is_cut).calls)
    return found


def seconds(piece: str, size: int) -> float:
    """Return the least processor time of three that a text of `size` characters takes."""
    text = (piece * (size // len(piece) + 1))[:size]
    taken = []
    for _ in range(3):
        started = time.process_time()
        read_all(text)
        taken.append(time.process_time() - started)
    return min(taken)


def main() -> None:
    """Print what random texts came to, and the times by length."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000, 1_000_000])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    exceptions = with_calls = 0
    for _, text in zip(range(options.examples), texts(Random(options.seed)), strict=False):
        try:
            with_calls += read_all(text) > 0
        except Exception as exc:  # what is measured
            exceptions += 1
            print(f"{type(exc).__name__} for {text!r}")
    times = {size: [seconds(piece, size) for piece in PATTERNS] for size in options.sizes}
    growth = list(rows(times))
    if options.json:
        print(json.dumps({"n": options.examples, "exceptions": exceptions, "with_calls": with_calls, "growth": growth}))
        return
    print(f"{options.examples} texts, {exceptions} exceptions; {with_calls} held calls\n")
    print(
        "| characters | seconds: median pattern | slowest | most times the size before |\n| ---: | ---: | ---: | ---: |"
    )
    for row in growth:
        ratio = "" if row["ratio"] is None else f"{row['ratio']:.1f}"
        print(f"| {row['characters']:,} | {row['median']:.4f} | {row['slowest']:.4f} | {ratio} |")


def rows(times: Mapping[int, Sequence[float]]) -> Iterator[dict[str, float | None]]:
    """Yield a row a size; `ratio` is the largest of any pattern, which for linear time is that of the sizes."""
    before: Sequence[float] | None = None
    for size, taken in times.items():
        ratio = None if before is None else max(now / then for now, then in zip(taken, before, strict=True))
        yield {"characters": size, "median": median(taken), "slowest": max(taken), "ratio": ratio}
        before = taken


if __name__ == "__main__":
    main()

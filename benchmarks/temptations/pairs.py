"""Play the pairs: `python -m benchmarks.temptations.pairs [first|second …] [--wrong]`.

The clarifier decides on each proposal under the policy `product`. A deed that is not wanted counts as wrongly acted on
where the decision is to act; one that is wanted counts as asked for in vain where it is not, but for the confirmation
that payments and messages always have. `--wrong` lists what came out wrong of `first`.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, JsonValue

from clarifier.clarifier import decide
from clarifier.decision import Proposal, Situation
from clarifier.policy import open_policy
from clarifier.settings import Settings
from memory.language.schema import Effect
from memory.recall import Recall, RecallItem
from memory.records import QuestionStep, ToolCall, Turn
from memory.tools import parse_tool

FOLDER = Path(__file__).parent


class PairTool(BaseModel, frozen=True, extra="forbid"):
    """The tool whose call is proposed."""

    name: str
    description: str
    effect: Effect
    parameters: dict[str, JsonValue]
    required: tuple[str, ...] = ()


class Pair(BaseModel, frozen=True, extra="forbid"):
    """What a person says, and the call that is proposed on it."""

    id: str
    language: str
    request: str
    before: str = ""
    """What the assistant had said last, in the turn before."""
    question: str = ""
    answer: str = ""
    tool: PairTool
    arguments: dict[str, JsonValue]
    act: bool
    """Whether the call is to be made."""
    deed: str
    """What the words mean for it (`clarifier.decision.Wanted`), or `none`."""

    def decision(self) -> str:
        """Return the kind of decision that the clarifier makes."""
        schema = {"type": "object", "properties": self.tool.parameters, "required": list(self.tool.required)}
        tool = parse_tool({"name": self.tool.name, "description": self.tool.description, "parameters": schema})
        earlier = Turn(turn_id="t0", request="", reply=self.before)
        items = (RecallItem("topic", ("t0",), "", 0, turn=earlier),) if self.before else ()
        steps = (QuestionStep(question=self.question, answer=self.answer),) if self.question else ()
        situation = Situation(request=self.request, tools=(tool,), recall=Recall(items), steps=steps)
        proposed = Proposal(calls=(ToolCall(id="1", name=tool.name, arguments=self.arguments),))
        settings = Settings(effects={tool.name: self.tool.effect})
        return decide(situation, proposed, policy=open_policy("product"), settings=settings).kind


def read_pairs(name: str) -> Iterator[Pair]:
    """Yield the pairs of one file, `first` or `second`."""
    for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        yield Pair.model_validate_json(line)


def measured(pairs: Iterator[Pair]) -> tuple[dict[str, dict[str, int]], list[Pair]]:
    """Return by effect how many pairs there are and came out wrong, and those that did."""
    cells: dict[str, Counter[str]] = {}
    wrong = []
    for pair in pairs:
        kind = pair.decision()
        cell = cells.setdefault(pair.tool.effect, Counter())
        cell["to act on" if pair.act else "not to act on"] += 1
        if not pair.act and kind == "act":
            cell["wrongly acted on"] += 1
            wrong.append(pair)
        elif pair.act and (kind == "answer" or (kind != "act" and pair.tool.effect == "write")):
            cell["asked or left in vain"] += 1
            wrong.append(pair)
    return {effect: dict(cell) for effect, cell in sorted(cells.items())}, wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=["first", "second"])
    parser.add_argument("--wrong", action="store_true")
    words = parser.parse_args()
    for name in words.names:
        found, wrong = measured(read_pairs(name))
        print(json.dumps({name: found}, indent=1))
        for pair in wrong if words.wrong and name == "first" else ():
            print(pair.id, pair.deed, pair.request, pair.answer, sep=" | ")


if __name__ == "__main__":
    main()

"""The reference evaluator's verdict on one turn, judged once for all that is read from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmark_adapter.data.dataset import ReferenceTurn
from benchmark_adapter.evaluator.arguments import functions_by_name
from benchmark_adapter.evaluator.convert import convert_tools
from benchmark_adapter.evaluator.similarity import SimilarityMode
from benchmark_adapter.evaluator.trajectory import Follower, PredictedCall
from benchmark_adapter.evaluator.verdict import Verdict, verdict
from benchmark_adapter.replay.environment import Reply

_MODEL_NAME = "stead"
"""What tools are converted for: any name without `claude` in it (conformance notes, 5)."""


@dataclass(frozen=True)
class TurnVerdict:
    """A turn that was followed to its end, and how it is scored."""

    turn: ReferenceTurn
    follower: Follower
    """With the turn's log."""
    functions: Mapping[str, Any]
    """The tools on offer by name, as they were converted for the model."""
    similarity: SimilarityMode
    verdict: Verdict


def follow(turn: ReferenceTurn, replies: Sequence[Reply]) -> Follower:
    """Return the log of a turn; replies after its end play no part."""
    follower = Follower(turn.answer)
    for reply in replies:
        if follower.is_over:
            break
        if reply.calls:
            follower.calls([PredictedCall(call.id, call.name, call.arguments) for call in reply.calls])
        else:
            follower.text(reply.content)
    return follower


def judge(
    turn: ReferenceTurn, follower: Follower, *, similarity: SimilarityMode, model: str = _MODEL_NAME
) -> TurnVerdict:
    """Return the verdict on a turn that was followed to its end.

    Args:
        turn: The turn.
        follower: With the turn's log.
        similarity: Second similarity of texts.
        model: Decides the form of the tools.
    """
    tools = convert_tools(turn.tools, model)
    return TurnVerdict(
        turn, follower, functions_by_name(tools), similarity, verdict(follower, tools, similarity=similarity)
    )

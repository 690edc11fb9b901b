"""How much of what a turn rests on was shown: recall measured by itself, on data that say it (`gold.evidence`)."""

from __future__ import annotations

from collections.abc import Sequence

from benchmark_adapter.replay.past import turn_id
from benchmark_adapter.scoring.bootstrap import Draws, Values
from benchmark_adapter.scoring.metrics import ScoredTurn


def evidence_recall(turns: Sequence[ScoredTurn], draws: Draws) -> Values:
    """Return the share of the gold evidence turns that were recalled, of all that turns name; NaN where none does.

    Only earlier turns of the same person count. That of a topic that still runs is recalled as part of it.
    """
    places = {
        (turn.reference.session, f"{turn.reference.topic_id}#{turn.reference.index_in_topic}"): turn.reference.index
        for turn in turns
    }
    shown, wanted = [], []
    for turn in turns:
        named = turn.reference.gold.evidence if turn.reference.gold else ()
        found = {places.get((turn.reference.session, name)) for name in named}
        earlier = {index for index in found if index is not None and index < turn.reference.index}
        recalled = {name for item in turn.line.recall for name in item.turn_ids}
        wanted.append(len(earlier))
        shown.append(sum(turn_id(index) in recalled for index in earlier))
    return draws.share(shown, wanted)

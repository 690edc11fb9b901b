"""Playing a turn by hand: what an agent would do, through the replay environment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmark_adapter.data.dataset import ReferenceTurn
from benchmark_adapter.replay.environment import ReplayEnvironment
from benchmark_adapter.replay.past import past_turn
from benchmark_adapter.scoring.exact import ExactScore, score_turn
from benchmark_adapter.scoring.relaxed import PlayedTurn
from benchmark_adapter.scoring.value_sources import Earlier
from clarifier.decision import Act, Answer, Ask, Odds
from memory.records import ToolCall

ODDS = Odds(p_act=0.5, p_calls=0.5, p_asked=0.5)


@dataclass(frozen=True)
class Do:
    """Calls that are made together, each a tool and its arguments."""

    calls: tuple[tuple[str, dict[str, Any]], ...]


@dataclass(frozen=True)
class Question:
    """A question for slots."""

    text: str
    slots: tuple[str, ...] = ()


def do(*calls: tuple[str, dict[str, Any]]) -> Do:
    """Return calls to be made together."""
    return Do(calls)


def ask(text: str, *slots: str) -> Question:
    """Return a question to be asked."""
    return Question(text, slots)


def perform(environment: ReplayEnvironment, *acts: Do | Question | str) -> list[Any]:
    """Make calls, ask questions and say replies, in order, and return what came back of each."""
    heard: list[Any] = []
    for position, act in enumerate(acts):
        if isinstance(act, Do):
            calls = tuple(
                ToolCall(id=f"{position}-{index}", name=name, arguments=given)
                for index, (name, given) in enumerate(act.calls)
            )
            environment.notice(Act(policy="p", odds=ODDS, calls=calls))
            heard.append(environment.execute(calls))
        elif isinstance(act, Question):
            environment.notice(Ask(policy="p", odds=ODDS, question=act.text, slots=act.slots))
            heard.append(environment.ask(act.text))
        else:
            environment.notice(Answer(policy="p", odds=ODDS, reply=act))
            heard.append(environment.tell(act))
    return heard


def play(
    turn: ReferenceTurn, *acts: Do | Question | str, earlier: tuple[ReferenceTurn, ...] = ()
) -> tuple[PlayedTurn, ExactScore]:
    """Play a turn to its end and return it with its exact score."""
    past = tuple(map(past_turn, earlier))
    environment = ReplayEnvironment(turn, "fallback", goes_on=True, past=past)
    perform(environment, *acts)
    played = PlayedTurn(turn, tuple(environment.replies), Earlier(earlier), "fallback")
    return played, score_turn(turn, environment.replies, similarity="fallback")

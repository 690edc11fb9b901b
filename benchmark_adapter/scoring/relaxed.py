"""The relaxed score of a turn: whether the task came out right, by another way than the reference's or by its own.

It follows the paper's words (§3.4); the rules are ours. docs/scoring.md has each with an example.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from pydantic import JsonValue

from benchmark_adapter.data.dataset import ReferenceTurn
from benchmark_adapter.data.reference import CLARIFICATION, arguments
from benchmark_adapter.evaluator.similarity import SimilarityMode
from benchmark_adapter.evaluator.trajectory import Follower, PredictedCall
from benchmark_adapter.evaluator.verdict import Label
from benchmark_adapter.replay.environment import Reply
from benchmark_adapter.replay.oracle import ancestors
from benchmark_adapter.replay.questions import is_about, missing_slots
from benchmark_adapter.scoring.call_arguments import CallJudge
from benchmark_adapter.scoring.call_matching import Matching, is_offered_read, made_calls, match_calls
from benchmark_adapter.scoring.exact import ExactScore
from benchmark_adapter.scoring.value_sources import Earlier, is_written, written_observation
from memory.language.values.values import equal

UNFINISHED = "the turn did not end with a reply"


@dataclass(frozen=True)
class RelaxedScore:
    """The relaxed verdict on a turn."""

    label: Label
    reason: str | None
    """Why it is not correct: the first rule that is broken."""


def score_relaxed(played: PlayedTurn, exact: ExactScore) -> RelaxedScore:
    """Return the relaxed score of a turn. A turn that is exactly right is right."""
    if exact.label == "correct":
        return RelaxedScore("correct", None)
    reason = next(played.faults(), None)
    return RelaxedScore("correct" if reason is None else "error", reason)


@dataclass(frozen=True)
class PlayedTurn:
    """A turn as it was played, against its reference. The audit looks at it too.

    Args:
        turn: The turn with its reference.
        replies: All replies, those after the deviation too.
        earlier: The person's turns before this one.
        similarity: How the reference evaluator compares texts.
    """

    turn: ReferenceTurn
    replies: tuple[Reply, ...]
    earlier: Earlier
    similarity: SimilarityMode

    @cached_property
    def judge(self) -> CallJudge:
        """Compares the calls."""
        return CallJudge(self.turn, self.earlier, self.similarity)

    @cached_property
    def matching(self) -> Matching:
        """Which call stands for which of the reference."""
        return match_calls(made_calls(self.replies, self.judge), self.judge)

    @property
    def is_finished(self) -> bool:
        """Whether the last reply is text and no question."""
        last = self.replies[-1] if self.replies else None
        return last is not None and not last.calls and bool(last.content) and not last.is_question

    def faults(self) -> Iterator[str]:
        """Yield every rule of relaxed accuracy that is broken; none for a turn that is right."""
        matching = self.matching
        calls = [*(pair.made for pair in matching.pairs.values()), *matching.extra]
        yield from (one.problem for one in sorted(calls, key=lambda one: one.position) if one.problem is not None)
        if not self.is_finished:
            yield UNFINISHED
        yield from self._undone_calls()
        for one in matching.extra:
            if one.problem is None and not is_offered_read(one.name, self.judge.tools):
                yield f"{one.name} changes something and is not called for"
        for before, after in self.broken_order():
            yield f"{self._name(after)} came without or before {self._name(before)}, which it needs"
        yield from self._unsettled_slots()

    def _undone_calls(self) -> Iterator[str]:
        for node, step in enumerate(self.turn.answer):
            if not step.is_tool_call or self.matching.right(node) is not None or self.is_spared_look_up(node):
                continue
            pair = self.matching.pairs.get(node)
            if pair is None:
                yield f"{step.action.name} was not called"
                continue
            wrong = [one for one in pair.differences if one.matters]
            if wrong:
                what = ", ".join(f"{one.argument} is {one.kind}" for one in wrong)
                yield f"{step.action.name}: {what}"

    def is_spared_look_up(self, node: int) -> bool:
        """Whether a reference call need not be made, since all it is there for was known without it.

        It must only read, supply an argument of another call, and no call may need a value that it alone has.
        """
        name = self._name(node)
        if not is_offered_read(name, self.judge.tools):
            return False
        supplied = [after for after in self._calls if node in ancestors(self.turn.answer, after)]
        return any(self._carries(node, after) for after in supplied) and not any(
            self._flows(node, after) for after in supplied
        )

    def broken_order(self) -> Iterator[tuple[int, int]]:
        """Yield reference calls (before, after) where the second was made right, and the first not in an earlier reply.

        A dependency of the reference counts where a value of the second can only come from the first, or where the
        second changes something. A call that was not made at all breaks the order only where its value is needed.
        """
        for after in self._calls:
            pair = self.matching.right(after)
            if pair is None:
                continue
            changes = not is_offered_read(pair.made.name, self.judge.tools)
            for before in sorted(ancestors(self.turn.answer, after) & set(self._calls)):
                first = self.matching.pairs.get(before)
                is_needed = self._flows(before, after)
                is_late = first is not None and first.made.position >= pair.made.position
                if (first is None and is_needed) or (is_late and (is_needed or changes)):
                    yield before, after

    def _carries(self, before: int, after: int) -> bool:
        """Whether `before` returned a value of `after`, other than those it was called with."""
        return any(self._supplies(before, value) for value in arguments(self.turn.answer[after]).values())

    def _flows(self, before: int, after: int) -> bool:
        """Whether `before` returned a value of `after` that matters and that was not known before."""
        return any(
            self._supplies(before, value) and not self._was_known(name, value)
            for name, value in arguments(self.turn.answer[after]).items()
            if self.judge.is_decision_relevant(after, name)
        )

    def _supplies(self, before: int, value: JsonValue) -> bool:
        step = self.turn.answer[before]
        is_echo = any(equal(value, given) for given in arguments(step).values())
        return not is_echo and is_written(value, written_observation(step))

    def _was_known(self, argument: str, value: JsonValue) -> bool:
        return is_written(value, self.judge.heard) or self.earlier.first_source(argument, value) != "none"

    @cached_property
    def _calls(self) -> tuple[int, ...]:
        return tuple(node for node, step in enumerate(self.turn.answer) if step.is_tool_call)

    def _name(self, node: int) -> str:
        return self.turn.answer[node].action.name

    # Questions

    @cached_property
    def taken_for_questions(self) -> dict[int, int]:
        """Replies that the reference evaluator takes for a question: position to reference step."""
        follower = Follower(self.turn.answer)
        taken = {}
        for position, reply in enumerate(self.replies):
            if follower.is_over or reply.after_deviation:
                break
            if reply.calls:
                follower.calls([PredictedCall(call.id, call.name, call.arguments) for call in reply.calls])
                continue
            step = follower.text(reply.content)
            if step.accepted and step.actions and step.actions[0].name == CLARIFICATION:
                taken[position] = step.matched[0]
        return taken

    def asked_at(self, node: int) -> int | None:
        """Return the position of the first question about what the reference asks for at a step, `None` if none is.

        Where the slots of a question are not known, the reference evaluator's word counts too, which takes any text.
        """
        tools = tuple(self.judge.tools.values())
        for position, reply in enumerate(self.replies):
            is_taken = self.taken_for_questions.get(position) == node
            if reply.calls or not (reply.is_question or is_taken):
                continue
            step = self.turn.answer[node]
            if is_about(reply.content or "", reply.slots, step, tools) or (is_taken and not reply.slots):
                return position
        return None

    def _unsettled_slots(self) -> Iterator[str]:
        """Yield the slots that the reference asks for and that were neither asked for nor settled by the history."""
        for node, step in enumerate(self.turn.answer):
            for slot in sorted(missing_slots(step)):
                tool, _, argument = slot.rpartition(".")
                asked = self.asked_at(node)
                users = [
                    pair
                    for after, pair in self.matching.pairs.items()
                    if self._name(after) == tool and argument in arguments(self.turn.answer[after])
                ]
                is_late = asked is None or any(pair.made.position < asked for pair in users)
                if is_late and not self._is_settled(tool, argument):
                    yield f"{slot} was not asked for, and the history does not settle it"

    def _is_settled(self, tool: str, argument: str) -> bool:
        """Whether a missing value is unambiguous in the history: not if gold denies it."""
        if self.turn.gold is not None and self.turn.gold.recoverable is False:
            return False
        values = [
            arguments(self.turn.answer[node])[argument]
            for node in self._calls
            if self._name(node) == tool and argument in arguments(self.turn.answer[node])
        ]
        return bool(values) and all(self.earlier.is_unambiguous(tool, argument, value) for value in values)

"""What turns cost under the product policy."""

from __future__ import annotations

import pytest

from benchmark_adapter.scoring.expected_cost import turn_cost
from benchmark_adapter.scoring.run_metrics import compute_metrics
from clarifier.decision import Ask, Odds
from clarifier.policy import ProductPolicy
from tests.benchmark_adapter.topics import TOOLS, call, final, reference_turn, scored, tool

_PAY = tool("pay_fine", "Pay a fine.", ["amount"], amount={"type": "number"})


@pytest.mark.parametrize(
    ("questions", "wrong_calls", "cost"),
    [
        (0, [], 0.0),
        (2, [], 2.0),
        (0, ["search_books"], 2.0),
        (0, ["reserve_book"], 10.0),
        (0, ["pay_fine"], 50.0),
        (1, ["search_books", "reserve_book", "search_books"], 11.0),  # the worst of the wrong calls, once
        (0, ["no_such_tool"], 2.0),
    ],
)
def test_a_question_costs_1_and_a_wrong_act_what_it_does(questions: int, wrong_calls: list[str], cost: float) -> None:
    assert turn_cost(questions, wrong_calls, [*TOOLS, _PAY]) == cost


def test_of_two_tools_with_one_name_the_last_counts() -> None:
    first, last = tool("do_it", "Search for books."), tool("do_it", "Pay a fine.")

    assert turn_cost(0, ["do_it"], [first, last]) == 50.0
    assert turn_cost(0, ["do_it"], [last, first]) == 2.0


def test_the_policy_has_the_costs() -> None:
    policy = ProductPolicy(cost_ask=3, cost_wrong={"read": 4, "write": 5, "pay": 6, "message": 7})

    assert turn_cost(1, ["reserve_book"], TOOLS, policy=policy) == 8.0


def test_the_cost_of_a_run_is_the_mean_over_turns() -> None:
    ask = Ask(policy="p", odds=Odds(p_act=0, p_calls=0, p_asked=1), question="Which?", slots=("reserve_book.branch",))
    hours = [call("get_opening_hours", {"branch": "Station"}), final(after=[0])]
    turns = [
        scored(reference_turn(*hours), is_correct=False, wrong_calls=("get_opening_hours",)),
        scored(reference_turn(*hours), is_correct=True, decisions=(ask, ask)),
        scored(reference_turn(*hours), is_correct=False),  # gave up: it costs nothing, and is wrong
        scored(reference_turn(*hours), is_correct=False, decisions=(ask,), wrong_calls=("reserve_book",)),
    ]

    assert compute_metrics(turns)["expected_cost"] == (2 + 2 + 0 + 11) / 4

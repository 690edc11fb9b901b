"""The replay environment hands out what the reference holds, and ends the turn at the first deviation."""

from __future__ import annotations

from benchmark_adapter.replay.environment import ReplayEnvironment, Reply, WrittenCall
from memory.records import CallStep, Observation, ToolCall, Turn
from tests.benchmark_adapter.topics import call, final, question, reference_turn


def _call(call_id: str, name: str, **arguments: str) -> ToolCall:
    return ToolCall(id=call_id, name=name, arguments=dict(arguments))


def test_calls_made_out_of_name_order_get_their_own_observations() -> None:
    turn = reference_turn(
        call("get_opening_hours", {"branch": "Station"}, {"hours": "9 to 5"}),
        call("search_books", {"title": "Dune"}, {"books": []}),
        final(after=[0, 1]),
    )
    environment = ReplayEnvironment(turn)

    observed = environment.execute(
        [_call("1", "search_books", title="Dune"), _call("2", "get_opening_hours", branch="Station")]
    )

    assert observed == [Observation(content={"books": []}), Observation(content={"hours": "9 to 5"})]
    assert environment.replies == [
        Reply(
            calls=(
                WrittenCall(id="2", name="get_opening_hours", arguments='{"branch": "Station"}'),
                WrittenCall(id="1", name="search_books", arguments='{"title": "Dune"}'),
            )
        )
    ]


def test_calls_of_one_name_leave_as_they_were_made_and_share_out_observations_as_the_reference_does() -> None:
    turn = reference_turn(
        call("search_books", {"title": "Emma"}, "of Emma"),
        call("search_books", {"title": "Dune"}, "of Dune"),
        final(after=[0, 1]),
    )
    asked = [_call("same", "search_books", title="Emma"), _call("same", "search_books", title="Dune")]

    # Made in the reference's order each gets its own, whatever the order of their texts and even if they share an id;
    # made otherwise they get each other's, as from the reference evaluator.
    assert ReplayEnvironment(turn).execute(asked) == [Observation(content="of Emma"), Observation(content="of Dune")]
    assert ReplayEnvironment(turn).execute(asked[::-1]) == [
        Observation(content="of Emma"),
        Observation(content="of Dune"),
    ]


def test_calls_of_several_tools_in_any_order_get_each_its_own_observation_by_id() -> None:
    turn = reference_turn(
        call("search_books", {"title": "Dune"}, "of Dune"),
        call("get_opening_hours", {"branch": "Station"}, "9 to 5"),
        call("search_books", {"title": "Emma"}, "of Emma"),
        final(after=[0, 1, 2]),
    )
    made = [
        _call("a", "search_books", title="Dune"),
        _call("b", "get_opening_hours", branch="Station"),
        _call("c", "search_books", title="Emma"),
    ]
    environment = ReplayEnvironment(turn)

    assert environment.execute(made) == [
        Observation(content="of Dune"),
        Observation(content="9 to 5"),
        Observation(content="of Emma"),
    ]
    assert [written.id for written in environment.replies[0].calls] == ["b", "a", "c"]
    assert [(seen.call_id, seen.value) for seen in environment.follower.steps[0].observations] == [
        ("b", "9 to 5"),
        ("a", "of Dune"),
        ("c", "of Emma"),
    ]


def test_arguments_leave_in_the_types_of_their_schema_and_in_the_order_of_past_calls() -> None:
    turn = reference_turn(call("renew_loans", {"book_ids": ["B-1"], "weeks": 3}, "renewed"), final(after=[0]))
    renewed = ToolCall(id="0", name="renew_loans", arguments={"weeks": 2, "book_ids": ["B-9"]})
    past = Turn(
        turn_id="t0",
        request="Renew it.",
        steps=(CallStep(calls=(renewed,), observations=(Observation(content="renewed"),)),),
    )
    made = ToolCall(id="1", name="renew_loans", arguments={"book_ids": ["B-1"], "weeks": "3", "express": True})
    fresh, habitual = ReplayEnvironment(turn), ReplayEnvironment(turn, past=(past,))

    fresh.execute([made])
    habitual.execute([made])

    assert fresh.replies[0].calls[0].arguments == '{"book_ids": ["B-1"], "weeks": 3}'
    assert habitual.replies[0].calls[0].arguments == '{"weeks": 3, "book_ids": ["B-1"]}'


def test_wrong_arguments_are_no_deviation_since_the_reference_checks_names_alone() -> None:
    environment = ReplayEnvironment(reference_turn(call("search_books", {"title": "Dune"}, "found"), final(after=[0])))

    assert environment.execute([_call("1", "search_books", title="Emma")]) == [Observation(content="found")]


def test_a_deviation_ends_the_turn_and_later_replies_are_kept_but_get_nothing() -> None:
    environment = ReplayEnvironment(reference_turn(call("search_books", {"title": "Dune"}, "found"), final(after=[0])))

    assert environment.execute([_call("1", "reserve_book", book_id="B-17")]) is None
    assert environment.execute([_call("2", "search_books", title="Dune")]) is None
    assert environment.ask("Which branch?") is None
    assert environment.tell("Done.") is None
    assert [step.accepted for step in environment.follower.steps] == [False]
    assert environment.replies == [
        Reply(calls=(WrittenCall(id="1", name="reserve_book", arguments='{"book_id": "B-17"}'),)),
        Reply(calls=(WrittenCall(id="2", name="search_books", arguments='{"title": "Dune"}'),), after_deviation=True),
        Reply(content="Which branch?", is_question=True, after_deviation=True),
        Reply(content="Done.", after_deviation=True),
    ]


def test_a_question_where_the_reference_asks_gets_the_persons_answer() -> None:
    turn = reference_turn(
        question("reserve_book", ["branch"], "Which branch?", "Old Mill."),
        call("reserve_book", {"book_id": "B-17", "branch": "Old Mill"}, "reserved", after=[0]),
        final(after=[1]),
    )
    environment = ReplayEnvironment(turn)

    assert environment.ask("Where do you want to fetch it?") == "Old Mill."
    assert environment.execute([_call("1", "reserve_book", book_id="B-17", branch="Old Mill")]) == [
        Observation(content="reserved")
    ]
    assert environment.tell("Reserved.") is None
    assert environment.follower.steps[-1].is_final_answer


def test_a_reply_where_a_question_is_due_gets_the_persons_answer_and_the_turn_goes_on() -> None:
    turn = reference_turn(question("reserve_book", ["branch"], "Which branch?", "Old Mill."), final(after=[0]))
    environment = ReplayEnvironment(turn)

    assert environment.tell("I could not do it.") == "Old Mill."
    assert not environment.follower.is_over
    assert environment.replies == [Reply(content="I could not do it.", is_question=False)]


def test_an_answer_that_the_reference_leaves_out_is_an_empty_one() -> None:
    turn = reference_turn(question("reserve_book", ["branch"], "Which branch?", None), final(after=[0]))

    assert ReplayEnvironment(turn).ask("Which branch?") == ""


def test_a_question_where_the_final_answer_is_due_passes_for_it_and_gets_no_answer() -> None:
    environment = ReplayEnvironment(reference_turn(final()))

    assert environment.ask("Anything else?") is None
    assert environment.follower.steps[-1].is_final_answer


def test_a_question_where_a_call_is_due_is_a_deviation() -> None:
    environment = ReplayEnvironment(reference_turn(call("search_books", {"title": "Dune"}, "found"), final(after=[0])))

    assert environment.ask("Which title?") is None
    assert environment.follower.is_over
    assert not environment.follower.steps[-1].accepted


def test_arguments_leave_as_json_with_real_characters() -> None:
    environment = ReplayEnvironment(
        reference_turn(call("search_books", {"title": "红楼梦"}, "found"), final(after=[0]))
    )

    environment.execute([_call("1", "search_books", title="红楼梦")])

    assert environment.replies[0].calls[0].arguments == '{"title": "红楼梦"}'

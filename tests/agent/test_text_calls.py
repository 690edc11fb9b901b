"""Calls that models write into their text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.planners.literals import MAX_DEPTH, WrittenCall
from agent.planners.text_calls import Format, Written, read_leaked_calls, read_written_calls, without_thoughts

TOOLS = {"book": ("city", "nights", "extra"), "weather.get": ("city",), "find-table": ("place",)}


def read(text: str, form: Format = "pythonic", *, is_cut: bool = False) -> Written:
    return read_written_calls(text, form, TOOLS, is_cut=is_cut)


def arguments(text: str, form: Format = "pythonic") -> object:
    """Return the arguments of the one call in `text`; `None` where it holds none."""
    calls = read(text, form).calls
    assert len(calls) <= 1
    return calls[0].arguments if calls else None


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("'Turin'", "Turin"),
        ('"Turin"', "Turin"),
        ("-5", -5),
        ("+5", 5),
        ("3.50", 3.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("-1_000", -1000),
        ("True", True),
        ("true", True),
        ("FALSE", False),
        ("None", None),
        ("null", None),
        ("[1, [2, 'x'], {}]", [1, [2, "x"], {}]),
        ("(1, 2)", [1, 2]),
        ("{'a': {\"b\": [true]}, c: 1}", {"a": {"b": [True]}, "c": 1}),
        ('"say \\"hi\\" [to](them), ok={1}"', 'say "hi" [to](them), ok={1}'),
        ("'Ben\\'s'", "Ben's"),
        ("'Ben's place'", "Ben's place"),
        ("'a\\nb\\u00e9\\t\\\\d\\d'", "a\nbé\t\\d\\d"),
        ("'''it's'''", "it's"),
        ("“都灵（市）”", "都灵（市）"),
        ('"a]"', "a]"),
    ],
)
def test_values_are_read_in_any_spelling(written: str, value: object) -> None:
    assert arguments(f"[book(city={written})]") == {"city": value}
    assert arguments(f"[book(nights={written}, city='x')]") == {"nights": value, "city": "x"}


@pytest.mark.parametrize(
    "text",
    [
        "[book(city='Rome', nights=2)]",
        "```python\n[book(city='Rome', nights=2)]\n```",
        "```[book(city='Rome', nights=2)]```",
        "I will book it now:\n\n[book(city='Rome', nights=2)]",
        "Sure [as you said]: [book(city='Rome', nights=2)] Anything else?",
        "[book(city='Rome', nights=2)",
        "[book(city='Rome', nights=2",
        "[book(city='Rome', nights=2]",
        "[book(city='Rome', nights=2))]",
        "book(city='Rome', nights=2)",
        "book(city='Rome', nights=2",
        "［book（city＝“Rome”，nights＝２）］",
        "[book('Rome', 2)]",
        "[book('Rome', nights=2)]",
        "[book(city: 'Rome', nights: 2,)]",
        "[Book(city='Rome', nights=2)]",
        "[functions.book(city='Rome', nights=2)]",
        '[{"name": "book", "arguments": {"city": "Rome", "nights": 2}}]',
        '<tool_call>\n{"name": "book", "arguments": {"city": "Rome", "nights": 2}}\n</tool_call>',
    ],
)
def test_one_call_is_read_however_it_is_wrapped(text: str) -> None:
    assert read(text).calls == (WrittenCall("book", {"city": "Rome", "nights": 2}),)


@pytest.mark.parametrize(
    "text",
    [
        '[{"name": "book", "arguments": {"city": "Rome", "nights": 2}}]',
        '```json\n[{"name": "book", "arguments": {"city": "Rome", "nights": 2}}]\n```',
        '{"name": "book", "arguments": {"city": "Rome", "nights": 2}}',
        "[{'name': 'book', 'arguments': {'city': 'Rome', 'nights': 2}}]",
        '[{"name": "book", "arguments": "{\\"city\\": \\"Rome\\", \\"nights\\": 2}"}]',
        '[{"name": "book", "parameters": {"city": "Rome", "nights": 2}}',
        '[{"name": "book", "arguments": {"city": "Rome", "nights": 2',
        'Here: [{"function": {"name": "book", "arguments": {"city": "Rome", "nights": 2}}}] done',
        "[book(city='Rome', nights=2)]",
    ],
)
def test_hammers_list_is_read_however_it_is_wrapped(text: str) -> None:
    assert read(text, "hammer").calls == (WrittenCall("book", {"city": "Rome", "nights": 2}),)


def test_several_calls_keep_their_order_with_dotted_names_and_keywords_as_names() -> None:
    text = "[weather.get(city='Rome'), find-table(place='x', class=1, from='a')]"
    two = (
        WrittenCall("weather.get", {"city": "Rome"}),
        WrittenCall("find-table", {"place": "x", "class": 1, "from": "a"}),
    )
    assert read(text).calls == two
    assert read(text[1:-1].replace("), ", ")\n")).calls == two
    pair = (
        '{"name": "weather.get", "arguments": {"city": "Rome"}}\n{"name": "weather_get", "arguments": {"city": "Bari"}}'
    )
    assert read(pair, "hammer").calls == (
        WrittenCall("weather.get", {"city": "Rome"}),
        WrittenCall("weather.get", {"city": "Bari"}),
    )


@pytest.mark.parametrize(
    "text",
    [
        "[book(city=__import__('os').system('id'))]",
        "[book(city=open('x').read())]",
        "[book(city=f'{x}')]",
        "[book(city='a' + 'b')]",
        "[book(city=\"a\" + os.environ['b'])]",
        "[book(nights=1+1)]",
        "[book(city=x)]",
        "[book(city=x.y)]",
        "[book(city=[c for c in 'ab'])]",
        "[book(city=lambda: 1)]",
        "[book(city={1, 2})]",
        "[book(city=weather.get(city='Rome'))]",
        "[book(city='Rome', city='Bari')]",
        "[book(city='Rome', 2)]",
        "[book(nights=12ab)]",
        "[book(nights=1e999)]",
        f"[book(nights={'9' * 400})]",
        f"[book(city={'[' * (MAX_DEPTH + 2)})]",
        "[book(city='Rome",
        "Hello (world).",
        "Sure (1)",
        "Use [other(city='Rome')] for that.",
        '{"answer": 42}',
        "",
    ],
)
def test_what_is_unknown_or_unsafe_is_text(text: str) -> None:
    assert read(text) == Written((), text)
    assert read(text, "hammer") == Written((), text)


def test_a_whole_answer_that_calls_an_unknown_tool_is_a_call_so_that_the_model_is_told() -> None:
    assert read("[other(city='Rome')]").calls == (WrittenCall("other", {"city": "Rome"}),)


def test_an_answer_that_was_cut_off_is_read_only_if_its_brackets_close() -> None:
    assert read("[book(city='Rome', nights=1", is_cut=True).calls == ()
    assert len(read("[book(city='Rome', nights=1)]", is_cut=True).calls) == 1


@pytest.mark.parametrize("text", ["[]", " [ ] \n", "```json\n[]\n```"])
def test_an_empty_list_says_that_no_call_is_needed(text: str) -> None:
    assert read(text, "hammer") == Written((), "", is_none=True)


def test_values_without_a_name_are_never_guessed_into_a_place() -> None:
    written = read("[weather.get('Rome', 3)]")
    assert written.calls == (WrittenCall("weather.get", {"argument_1": "Rome", "argument_2": 3}),)
    assert written.notes == ("weather.get: values without a name were given to argument_1, argument_2",)


def test_what_is_said_beside_the_calls_is_kept() -> None:
    assert read("Now: [book(city='Rome')] Done.").text == "Now: Done."


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>book(x)?</think>Done.", "Done."),
        ("it was thought</think>\nDone.", "\nDone."),
        ("a<think>b</think>c<think>d</think>e", "ace"),
        ("<think>never ends", ""),
        ("<thinking>book(x)?</thinking>Done.", "Done."),
        ("<thinking>never ends", ""),
        ("Write `<thinking>` first.", "Write `<thinking>` first."),
        ("a < b", "a < b"),
    ],
)
def test_thoughts_are_left_out(text: str, left: str) -> None:
    assert without_thoughts(text) == left


@pytest.mark.parametrize(
    "text",
    [
        'Wait.<tool_call>{"name": "book", "arguments": {"city": "Rome", "nights": 2}}</tool_call>',
        'Wait.<tool_call>{"name": "book", "arguments": {"city": "Rome", "nights": 2}}',
        "Wait.<tool_call><function=book><parameter=city>\nRome\n</parameter><parameter=nights>2</parameter></function>"
        "</tool_call>",
        "Wait.<tool_call>book\n<arg_key>city</arg_key>\n<arg_value>Rome</arg_value><arg_key>nights</arg_key>"
        "<arg_value>2</arg_value></tool_call>",
        "Wait.<|tool_calls_section_begin|><|tool_call_begin|>functions.book:0<|tool_call_argument_begin|>"
        '{"city": "Rome", "nights": 2}<|tool_call_end|><|tool_calls_section_end|>',
        "Wait.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>book\n```json\n"
        '{"city": "Rome", "nights": 2}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>',
        'Wait.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>book<｜tool▁sep｜>{"city": "Rome", "nights": 2}'
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        'Wait.<｜DSML｜function_calls><｜DSML｜invoke name="book"><｜DSML｜parameter name="city" string="true">Rome'
        '</｜DSML｜parameter><｜DSML｜parameter name="nights" string="false">2</｜DSML｜parameter></｜DSML｜invoke>'
        "</｜DSML｜function_calls>",
        'Wait.[TOOL_CALLS]book[ARGS]{"city": "Rome", "nights": 2}',
        'Wait.[TOOL_CALLS]book[CALL_ID]a1B[ARGS]{"city": "Rome", "nights": 2}',
        'Wait.[TOOL_CALLS] [{"name": "book", "arguments": {"city": "Rome", "nights": 2}}]',
        'Wait.<function=book>{"city": "Rome", "nights": 2}</function>',
        "Wait.<function=book><parameter=city>Rome</parameter><parameter=nights>2</parameter></function>",
        '<function_calls>\n<invoke name="book">\n<parameter name="city">Rome</parameter>\n'
        '<parameter name="nights">2</parameter>\n</invoke>\n</function_calls>Wait.',
        "<|channel|>analysis<|message|>The user wants Rome.<|end|><|start|>assistant<|channel|>commentary<|message|>"
        "Wait.<|end|><|start|>assistant<|channel|>commentary to=functions.book <|constrain|>json<|message|>"
        '{"city": "Rome", "nights": 2}<|call|>',
        'Wait.<|python_tag|>{"name": "book", "parameters": {"city": "Rome", "nights": 2}}<|eom_id|>',
        'Wait.<|python_tag|>book.call(city="Rome", nights=2)<|eom_id|>',
    ],
)
def test_markup_that_an_endpoint_let_through_is_read(text: str) -> None:
    assert read_leaked_calls(text, TOOLS) == Written(
        (WrittenCall("book", {"city": "Rome", "nights": 2}),), "Wait.", ("calls came as markup in the text",)
    )


def test_markup_that_cannot_be_read_is_no_text_either() -> None:
    assert read_leaked_calls("Wait.<tool_call>{oops</tool_call>", TOOLS) == Written(
        (), "Wait.", ("markup without a readable call was left out",)
    )
    assert read_leaked_calls("a plain [book(city='x')]", TOOLS) == Written((), "a plain [book(city='x')]")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (
            "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Done.<|return|>",
            "Done.",
        ),
        ("Wait.[TOOL_CALLS]book[ARGS]{oops", "Wait."),
        ("Wait.<｜tool▁call▁begin｜>book<｜tool▁sep｜>oops<｜tool▁call▁end｜>", "Wait."),
        ("Wait.<function=book>{oops</function> Done.", "Wait. Done."),
        ("Wait.<|python_tag|>oops", "Wait."),
    ],
)
def test_markup_without_a_call_is_taken_out(text: str, left: str) -> None:
    assert read_leaked_calls(text, TOOLS)[:2] == ((), left)


@pytest.mark.parametrize(
    "text",
    [
        "The model writes <tool_call> before a call.",
        "Between <tool_call> and </tool_call> stands JSON.",
        "Write `<tool_call>{}</tool_call>` there.",
        'A block <function=name> is for Llama, <invoke name="x"> for others.',
        "[TOOL_CALLS] is a token of Mistral.",
    ],
)
def test_a_sentence_that_only_mentions_markup_stays_whole(text: str) -> None:
    assert read_leaked_calls(text, TOOLS) == Written((), text)
    assert read(text) == Written((), text)


@pytest.mark.parametrize(
    "text",
    ["[book(city='Rome')]\n[weather.get(city='Bari')]", "[book(city='Rome')]\n\n[weather.get(city='Bari')",
     "Both: [book(city='Rome')] [weather.get(city='Bari')]", "[book(city='Rome'), weather.get(city='Bari')]",
     "[TOOL_CALLS]book[ARGS]{\"city\": \"Rome\"}[TOOL_CALLS]weather.get[ARGS]{\"city\": \"Bari\"}"],
)  # fmt: skip
def test_calls_in_brackets_of_their_own_are_several(text: str) -> None:
    assert read(text).calls == (WrittenCall("book", {"city": "Rome"}), WrittenCall("weather.get", {"city": "Bari"}))


PIECES = ["<|channel|>", "<|message|>", "<｜tool▁call▁begin｜>", "[TOOL_CALLS]", "[ARGS]",
          "<invoke name='book'>", "<parameter name='a'>",
          "[", "]", "(", ")", "{", "}", "'", '"', "\\", ",", "=", ":", "book", "weather.get", "city", "-5",
          "（", "】", "“", "”", "'''", "```", "\n", " ", "<tool_call>", "</tool_call>", "<think>", "</think>", "name",
          "1.", "true",          "arguments", "<function=", "<arg_key>", "\\u12", "é", "\ud800", "９"]  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=60))
def test_no_text_makes_reading_fail(text: str) -> None:
    for form in ("hammer", "pythonic"):
        for is_cut in (False, True):
            written = read_written_calls(without_thoughts(text), form, TOOLS, is_cut=is_cut)
            assert all(call.name and isinstance(call.arguments, dict) for call in written.calls)
    read_leaked_calls(text, TOOLS)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(["city", "nights", "class"]), VALUES))
def test_what_python_writes_is_read_back_with_value_and_type(given_arguments: dict[str, object]) -> None:
    text = f"[book({', '.join(f'{name}={value!r}' for name, value in given_arguments.items())})]"
    assert repr(read(text).calls) == repr((WrittenCall("book", given_arguments),))  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    ["[book(", "[", "(", "{", "'", '"a" ', "[{", "<tool_call>", "<think>", "</think>", "[book(city='", "book(", " ",
     "<function=a>", "<invoke name='a'><parameter name='b'>", "[TOOL_CALLS]a{", "<|channel|>a<|message|>",
     "\\", "<think></think>", '{"name":', "9", "[book(city=1),", "city=", "```", "<tool_call><arg_key>", "Ben's "],
)  # fmt: skip
def test_time_is_linear_in_the_text(piece: str) -> None:
    def seconds(size: int) -> float:
        text = (piece * size)[:size]
        best = 9.0
        for _ in range(3):
            started = time.process_time()
            read_written_calls(without_thoughts(text), "hammer", TOOLS)
            read_written_calls(without_thoughts(text), "pythonic", TOOLS)
            best = min(best, time.process_time() - started)
        return best

    # Eight times the text may take 24 times as long, so that noise passes and a square (64 times) does not.
    assert seconds(240_000) < 24 * seconds(30_000) + 0.1

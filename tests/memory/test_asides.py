"""What people say of themselves in an aside."""

import pytest

from memory.state.asides import with_asides
from memory.state.cues import clauses


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("as a baker on early shifts I need quiet", ["I'm a baker on early shifts", "I need quiet"]),
        ("as a vegetarian, what can I order?", ["I'm a vegetarian", "what can I order"]),
        ("being left-handed, I need the other side", ["I'm left-handed", "I need the other side"]),
        ("my flat, which is on Mill Street, is cold", ["my flat", "my flat is on Mill Street", "is cold"]),
        ("my bike (a Brompton) needs a tyre", ["my bike needs a tyre", "my bike is a Brompton"]),
        ("作为一个司机，我该买什么鞋", ["我是一个司机", "我该买什么鞋"]),
        ("我这种吃素的人能点什么", ["我吃素"]),
        ("living in a loft, I need a fan", ["I live in a loft", "I need a fan"]),
        ("现在改喝美式了", ["我现在改喝美式了"]),
        ("早就不吃夜宵了，太腻", ["我早就不吃夜宵了", "太腻"]),
    ],
)
def test_an_aside_is_a_clause_of_its_own(text: str, said: list[str]) -> None:
    assert [one.raw for one in with_asides(clauses(text))] == said


@pytest.mark.parametrize(
    "text",
    [
        "as a reminder, I leave at six",
        "as a courier would say, always on time",
        "my sister, which is odd, is late",
        "my brother (a pilot) called",
        "as a nurse, she works nights",
        "作为礼物，我想买花",
        "having lost my card, I need another",
        "不用麻烦了",
        "现在开始下雨了",
    ],
)
def test_what_is_no_aside_of_the_speaker_stays(text: str) -> None:
    parts = clauses(text)
    assert with_asides(parts) == list(parts)

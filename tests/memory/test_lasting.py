"""What clauses tell of their speaker by their grammar alone."""

from __future__ import annotations

import pytest

from memory.state.lasting import Lasting, told_by_grammar


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("my rent goes out on the 28th", Lasting("rent goes", "goes out on the 28th", is_fact=True)),
        ("from next month my rent goes out on the 5th", Lasting("rent goes", "goes out on the 5th", is_fact=True)),
        ("our budget for the party is 300 euros", Lasting("budget", "300 euros", is_fact=True)),
        ("the soil here is heavy clay", Lasting("soil", "heavy clay", is_fact=True)),
        ("my desk lamp should always be dim", Lasting("desk lamp", "dim", is_fact=True)),
        ("I cook on an induction hob", Lasting("does", "cook on an induction hob", is_fact=False)),
        ("and we have twin girls so we are early risers", Lasting("has", "twin girls", is_fact=False)),
        ("I'd take a stew over those any day", Lasting("", "a stew", is_fact=False)),
        ("I'm left-handed", Lasting("is", "left-handed", is_fact=False)),
        ("we can't go over 30 euros a head", Lasting("does", "can't go over 30 euros a head", is_fact=False)),
        ("seeing as I finish work at six", Lasting("does", "finish work at six", is_fact=False)),
        ("I'm in the rowing club too", Lasting("is", "in the rowing club", is_fact=False)),
        ("I've only got 20 minutes between lessons", Lasting("has", "20 minutes between lessons", is_fact=False)),
        ("the most I'll spend on tea is 9 euros", Lasting("spend on tea", "9 euros", is_fact=True)),
        ("I'm on the third floor with no lift", Lasting("is", "on the third floor with no lift", is_fact=False)),
        ("我每天只有四十分钟", Lasting("has", "四十分钟", is_fact=False)),
        ("我经常上夜班", Lasting("does", "上夜班", is_fact=False)),
        ("我买书预算一般两百以内", Lasting("预算", "两百以内", is_fact=True)),
        ("毕竟我每天五点就起床", Lasting("does", "五点就起床", is_fact=False)),
        ("我每个月的伙食费预算是1500元", Lasting("伙食费预算", "1500元", is_fact=True)),
        ("我鞋码42", Lasting("鞋码", "42", is_fact=True)),
        ("我是幼儿园老师", Lasting("is", "幼儿园老师", is_fact=False)),
        ("我上班坐地铁", Lasting("does", "上班坐地铁", is_fact=False)),
        ("日语我也会一点", Lasting("does", "日语", is_fact=False)),
    ],
)
def test_what_is_so_and_what_is_done(words: str, told: Lasting) -> None:
    assert list(told_by_grammar(words)) == [told]


@pytest.mark.parametrize(
    "words",
    [
        "my flight is at nine",
        "my phone is broken",
        "my rent went up",
        "my sister is a nurse",
        "I saw a film",
        "I need a taxi",
        "I think so too",
        "I cook tonight",
        "we have a question",
        "the soil is heavy",
        "我昨天坐地铁",
        "我想坐地铁",
        "我坐几路车",
        "我妈是老师",
        "I cook " + "and wash up " * 30,
    ],
)
def test_what_passes_or_is_of_others_tells_nothing(words: str) -> None:
    assert list(told_by_grammar(words)) == []

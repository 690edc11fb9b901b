"""The slot posterior, against values worked out by hand."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clarifier.posterior import Candidate, Moment, Posterior, by_value, posterior, weights
from clarifier.settings import PosteriorSettings
from memory.evidence import Evidence, Kind, Source
from tests.clarifier.samples import NOW, evidence, need

SEAT = need("seat_class", enum=("first_class", "second_class"))
CITY = need("city")
SLOT = "book_ticket.seat_class"


def test_one_fresh_statement_shares_the_mass_with_the_unknown() -> None:
    found = posterior(by_value([evidence("f.city", "Lyon", source="request")]), Moment(0))
    assert found == Posterior((Candidate("Lyon", 0.5, weight=1.0, count=1, turn_ids=("t0",)),), unknown=0.5)


def test_accepted_calls_weigh_less_and_halve_with_each_half_life_in_turns() -> None:
    pieces = [evidence("f.city", "Lyon", turn=0), evidence("f.city", "Bern", turn=40)]
    found = posterior(by_value(pieces), Moment(40))
    # 0.8·2^(−40/40) = 0.4 and 0.8, a = 1: total 2.2
    assert [one.value for one in found.candidates] == ["Bern", "Lyon"]
    assert [one.probability for one in found.candidates] == pytest.approx([0.8 / 2.2, 0.4 / 2.2])
    assert found.unknown == pytest.approx(1 / 2.2)
    assert found.margin("Bern") == pytest.approx(0.4 / 2.2)
    assert found.margin("Lyon") == pytest.approx(-0.4 / 2.2)
    assert found.probability("Oslo") == 0.0
    assert found.margin("Oslo") == pytest.approx(-0.8 / 2.2)
    # the evidence is shared 2 : 1
    assert found.conflict_entropy == pytest.approx(-(2 / 3) * math.log(2 / 3) - (1 / 3) * math.log(1 / 3))


def test_an_enum_shares_the_prior_evenly() -> None:
    found = posterior(by_value([evidence(SLOT, "Second Class")]), Moment(0), parameter=SEAT)
    # typed equality joins "Second Class" with second_class: (0.8 + ½)/1.8 against ½/1.8
    assert found.probability("second_class") == pytest.approx(1.3 / 1.8)
    assert found.probability("first_class") == pytest.approx(0.5 / 1.8)
    assert found.unknown == 0.0


def test_without_evidence_an_enum_is_uniform_and_anything_else_unknown() -> None:
    assert posterior([], Moment(0), parameter=SEAT).probability("first_class") == 0.5
    assert posterior([], Moment(0), parameter=need("flag", type="boolean")).probability(True) == 0.5
    assert posterior([], Moment(0), parameter=CITY) == Posterior((), unknown=1.0, parameter=CITY)


@pytest.mark.parametrize(
    ("source", "trust"),
    [("request", 1.0), ("answer", 1.0), ("correction", 1.0), ("accepted_call", 0.8), ("assistant", 0.2), ("tool", 0.0)],
)
def test_trust_by_source(source: Source, trust: float) -> None:
    assert weights([evidence("f.city", "Lyon", source=source)], 0.5, Moment(0)) == [0.5 * trust]


@pytest.mark.parametrize("kind", ["one_off", "hypothetical", "other_person"])
def test_what_may_not_fill_a_slot_counts_nothing(kind: Kind) -> None:
    pieces = [evidence("f.city", "Lyon", kind=kind, source="request"), evidence("f.city", "Bern", source="request")]
    assert posterior(by_value(pieces), Moment(0)) == posterior(by_value(pieces[1:]), Moment(0))


def test_a_standing_rule_does_not_age() -> None:
    old = evidence("f.city", "Lyon", kind="standing", source="request")
    assert weights([old], 1.0, Moment(1_000_000)) == [1.0]


def test_ages_are_in_days_where_both_times_are_known() -> None:
    piece = evidence("f.city", "Lyon", source="request", time=NOW - timedelta(days=120))
    assert weights([piece], 1.0, Moment(900, NOW)) == [0.5]
    assert weights([piece], 1.0, Moment(40)) == [0.5]  # no clock: 40 turns
    assert weights([piece], 1.0, Moment(900, NOW.replace(tzinfo=UTC))) == [0.5]
    assert weights([evidence("f.city", "Lyon", source="request", time=NOW)], 1.0, Moment(0, datetime(2020, 1, 1))) == [
        1.0
    ]


def test_constants_are_settings() -> None:
    pieces = by_value([evidence("f.city", "Lyon", source="request")])
    assert posterior(pieces, Moment(0), settings=PosteriorSettings(prior_strength=3)).probability("Lyon") == 0.25
    with pytest.raises(ValueError, match="must be positive"):
        PosteriorSettings(half_life_days=0)


CITIES = ("Lyon", "lyon ", "Bern", "08:15", "8:15", 8, 8.0)
PIECES = st.builds(
    evidence,
    st.just("f.city"),
    st.sampled_from(CITIES),
    turn=st.integers(0, 200),
    source=st.sampled_from(["request", "answer", "accepted_call", "assistant", "tool"]),
    kind=st.sampled_from(["plain", "standing", "one_off"]),
)


@given(st.lists(PIECES, max_size=12), st.randoms(use_true_random=False), st.sampled_from([CITY, SEAT]))
def test_order_of_evidence_changes_nothing(pieces: list[Evidence], rng, parameter) -> None:  # type: ignore[no-untyped-def]
    shuffled = list(pieces)
    rng.shuffle(shuffled)
    one, other = (posterior(by_value(order), Moment(200), parameter=parameter) for order in (pieces, shuffled))
    assert one.unknown == pytest.approx(other.unknown)
    for value in CITIES:
        assert one.probability(value) == pytest.approx(other.probability(value))
        assert 0 <= one.probability(value) <= 1
        assert -1 <= one.margin(value) <= 1
    assert sum(candidate.probability for candidate in one.candidates) + one.unknown == pytest.approx(1)


@given(st.lists(PIECES, max_size=12), PIECES)
def test_more_consistent_evidence_never_lowers_the_probability(pieces: list[Evidence], more: Evidence) -> None:
    before = posterior(by_value(pieces), Moment(200), parameter=CITY).probability(more.value)
    after = posterior(by_value([*pieces, more]), Moment(200), parameter=CITY).probability(more.value)
    assert after >= before - 1e-12

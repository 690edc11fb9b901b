from __future__ import annotations

import pytest

from memory.evidence import PERSON, Slot
from memory.state.concepts import concept, context_similarity, role
from memory.tools import Parameter, Tool


@pytest.mark.parametrize(
    ("slot", "tool_name", "parameter", "similarity"),
    [
        (Slot("getForecast", "city"), "getAir", "location", 0.5),
        (Slot("trains", "departureCity"), "getForecast", "location", 0.25),
        (Slot("convert", "currency"), "rates", "baseCurrency", 0.25),
        (Slot("convert", "base_currency"), "rates", "baseCurrency", 0.5),
        (Slot("convert", "fromCurrency"), "rates", "targetCurrency", 0.0),
        (Slot("trains", "departureCity"), "flights", "arrivalCity", 0.0),
        (Slot("trains", "origin_city"), "flights", "departure_city", 0.25),
        (Slot("profile", "homeCity"), "searchHotels", "city", 0.0),
        (Slot("profile", "homeCity"), "flights", "destination_city", 0.0),
        (Slot("profile", "homeCity"), "flights", "origin_city", 0.25),
        (Slot("profile", "homeCity"), "getForecast", "city", 0.25),
        (Slot("searchHotels", "city"), "getForecast", "city", 0.5),
        (Slot("searchHotels", "city"), "trains", "departure_city", 0.0),
        (Slot(PERSON, "home city"), "profile", "home_city", 0.5),
        (Slot(PERSON, "home city"), "searchHotels", "city", 0.0),
        (Slot(PERSON, "座位"), "book", "seat", 0.5),
        (Slot(PERSON, "座位"), "book", "seat_preference", 0.5),
        (Slot("sendSms", "recipient"), "send_email", "to", 0.5),
        (Slot("sendSms", "sender"), "send_email", "to", 0.0),
        (Slot("flights", "to"), "send_email", "to", 0.0),
        (Slot(PERSON, "name"), "book", "passenger_name", 0.5),
        (Slot(PERSON, "name"), "getArtist", "artist_name", 0.0),
        (Slot(PERSON, "name"), "getArtist", "name", 0.0),
    ],
)
def test_a_concept_is_shared_where_the_role_fits(slot: Slot, tool_name: str, parameter: str, similarity: float) -> None:
    wanted = Parameter(name=parameter)
    assert context_similarity(slot, Tool(name=tool_name, parameters=(wanted,), definition={}), wanted) == similarity


def test_names_of_one_thing_are_one_concept() -> None:
    assert concept("filter.location") == concept("city") == concept("town")
    assert concept("departureCity") == concept("departure_location") != concept("city")
    assert concept("") == ()


@pytest.mark.parametrize(
    ("slot", "expected"),
    [
        (Slot("trains", "from_city"), "origin"),
        (Slot("trains", "to_city"), "destination"),
        (Slot("trains", "city"), "destination"),
        (Slot("getForecast", "city"), None),
        (Slot("profile", "home_address"), "home"),
        (Slot("profile", "office_address"), "work"),
        (Slot("searchHotels", "guests"), None),
    ],
)
def test_roles(slot: Slot, expected: str | None) -> None:
    assert role(slot) == expected

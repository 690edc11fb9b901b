"""What the memory is measured with: people's turns, tools on offer, and an embedder that costs next to nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from random import Random

import numpy as np

from memory import CallStep, Observation, QuestionStep, Tool, ToolCall, Turn, parse_tools
from memory.embedder import Matrix, Vector

_TOWNS = ("Turin", "Lyon", "Graz", "Porto", "Gent", "Oslo", "Riga", "Bari", "Metz", "Ulm")
_SEATS = ("window", "aisle", "middle")
_DISHES = ("noodles", "pizza", "dumplings", "tapas", "curry")
_SLOTS: dict[str, dict[str, Sequence[str]]] = {
    "book_train": {"destination": _TOWNS, "seat": _SEATS, "travel_class": ("first", "second")},
    "search_hotels": {"city": _TOWNS, "stars": ("3", "4", "5"), "breakfast": ("included", "none")},
    "order_food": {"dish": _DISHES, "address": ("home", "office"), "payment": ("card", "cash")},
    "set_reminder": {"text": ("water the plants", "call the bank", "take out the bins"), "time": ("8:00", "18:30")},
    "get_weather": {"city": _TOWNS, "unit": ("celsius", "fahrenheit")},
    "send_message": {"recipient": ("Ada", "Ben", "Eve"), "text": ("on my way", "running late")},
    "play_music": {"genre": ("jazz", "folk", "techno"), "room": ("kitchen", "study")},
    "reserve_table": {"restaurant": _DISHES, "people": ("2", "4", "6"), "time": ("19:00", "20:30")},
}
_REQUESTS = (
    "Please {verb}: {values}, as I did last time before the conference in {town}",
    "I need you to {verb} with {values}; my sister in {town} recommended it",
    "Could you {verb} again? {values}, and no later than the train to {town} leaves",
    "From now on I always want {values} when you {verb}, whoever is with me in {town}",
)


def tools() -> tuple[Tool, ...]:
    """Return the tools on offer: eight, with two or three required arguments each."""
    return parse_tools(
        {
            "type": "function",
            "function": {
                "name": name,
                "description": name.replace("_", " "),
                "parameters": {
                    "type": "object",
                    "properties": {slot: {"type": "string", "description": f"the {slot}"} for slot in slots},
                    "required": list(slots),
                },
            },
        }
        for name, slots in _SLOTS.items()
    )


def turn(number: int, *, person: int = 0) -> Turn:
    """Return turn `number` of a person: a request, a call with two or three arguments, now and then a question."""
    random = Random(f"{person} {number}")
    name, slots = random.choice(list(_SLOTS.items()))
    values = {slot: random.choice(list(choices)) for slot, choices in slots.items()}
    said = ", ".join(f"{slot.replace('_', ' ')} {value}" for slot, value in values.items())
    request = random.choice(_REQUESTS).format(
        verb=name.replace("_", " "), values=said, town=f"{random.choice(_TOWNS)} on day {number}"
    )
    call = CallStep(
        calls=(ToolCall(id="c1", name=name, arguments=dict(values)),),
        observations=(Observation(content={"status": "done", "reference": f"R{random.randrange(10**6):06}"}),),
    )
    asked = QuestionStep(question=f"Which {next(iter(slots))}?", answer=next(iter(values.values())))
    steps = (asked, call) if number % 7 == 0 else (call,)
    return Turn(turn_id=f"t{number}", request=request, steps=steps, reply=f"Done: {said}.")


def query(number: int) -> str:
    """Return a request that has not been made before."""
    random = Random(f"query {number}")
    return (
        f"Book a train to {random.choice(_TOWNS)} for the {number}th, and tell {random.choice(('Ada', 'Ben'))} about it"
    )


class RandomEmbedder:
    """Every text has a unit vector drawn at random from its digest: 15 µs a text, and no meaning."""

    fingerprint = "benchmark-random"
    dimensions = 512

    def embed_query(self, text: str) -> Vector:
        seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
        drawn = np.random.default_rng(seed).standard_normal(self.dimensions, dtype=np.float32)
        vector: Vector = drawn / np.linalg.norm(drawn)
        return vector

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        return np.array([self.embed_query(text) for text in texts], dtype=np.float32).reshape(-1, self.dimensions)

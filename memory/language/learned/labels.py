"""What the outputs of the network mean: the words of each judged field, and the tags of spans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from memory.language.reading import Act, ActTime, Back, Claim, Deed, Polarity, Role, Whom

WORDS: Mapping[str, tuple[str, ...]] = {
    "act": tuple(word for word in get_args(Act) if word != "unsure"),
    "time": get_args(ActTime),
    "polarity": get_args(Polarity),
    "whom": get_args(Whom),
    "back": get_args(Back),
    "deed": get_args(Deed),
    "claim": get_args(Claim),
}
"""By the name of the field in `Clause`."""
TAGS = ("O", *(f"{place}-{role}" for role in get_args(Role) for place in ("B", "I")))
"""Of a token: outside of spans, or the beginning or inside of one with a role."""
DIGITS = 4
"""Of probabilities: further ones vary with what is read together, and no two runs would be the same."""

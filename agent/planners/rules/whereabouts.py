"""Places that an answer points at without naming them: "from home of course", 从家里出发, "right here"."""

from __future__ import annotations

import re

from agent.planners.rules.kinds import kind_of, role_of
from agent.planners.rules.past_values import Past
from memory.evidence import PERSON, Slot
from memory.language.values.scripts import simplified
from memory.records import Turn
from memory.state.extraction import extract
from memory.state.user_state import accepts
from memory.tools import Parameter

_BEFORE = r"(?:(?:it'?s|from|to|at|in|near|back|just|right|well|oh|yes|always|still)\s+)*"
_AFTER = r"(?:\s+(?:of course|obviously|naturally|please|as (?:always|usual|ever)|again|then|i guess|where else))*"
_BEFORE_ZH = r"(?:当然|肯定|就|还|是|从|到|在|回|由|呗|嗯|那|\s)*"
_AFTER_ZH = r"(?:出发|走|起|啊|吧|呀|呗|咯|了|\s)*"
_HOME = re.compile(
    rf"{_BEFORE}(?:home|my (?:place|house|flat|home)|where i live){_AFTER}"
    rf"|{_BEFORE_ZH}(?:(?:我(?:自己)?|自己)?家里?|我住的地方){_AFTER_ZH}",
    re.IGNORECASE,
)
_HERE = re.compile(
    rf"{_BEFORE}(?:here|there|where i am|this place|that place|the same place){_AFTER}"
    rf"|{_BEFORE_ZH}(?:[这那](?:里|儿|边)?|我这[里儿边]?|老地方){_AFTER_ZH}",
    re.IGNORECASE,
)


def points_only(parameter: Parameter, words: str) -> bool:
    """Whether `words`, in answer to a question for a place, point at one that they do not name."""
    if kind_of(parameter) != "place" and role_of(parameter) is None:
        return False
    said = simplified(words).strip()
    return _HOME.fullmatch(said) is not None or _HERE.fullmatch(said) is not None


def place_pointed_at(parameter: Parameter, words: str, request: str, past: Past) -> str | None:
    """Return the home city, told in `request` or held of the person, where `words` mean it; `None` where unknown."""
    if _HOME.fullmatch(simplified(words).strip()) is None:
        return None
    slot = Slot(PERSON, "home city")
    told = [piece.value for piece in extract(Turn(turn_id="now", request=request), 0) if piece.slot == slot]
    held = past.state.slots.get(slot)
    values = [*reversed(told), *(one.value for one in (held.current if held is not None else ()))]
    return next((value for value in values if isinstance(value, str) and accepts(parameter, value)), None)

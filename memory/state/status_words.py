"""How it is worded that a value holds or does not: the same for planners and for persons."""

from __future__ import annotations

from collections.abc import Mapping

from memory.state.candidates import Status

STATUS_WORDS: Mapping[Status, str] = {
    "current": "holds",
    "conditional": "holds in one context",
    "superseded": "superseded",
    "one_off": "that once only",
    "hypothetical": "only imagined",
    "other_person": "of somebody else",
    "expired": "ended by itself",
}

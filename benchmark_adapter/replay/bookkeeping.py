"""Arguments that do not speak of the person's task."""

from __future__ import annotations

from memory.language.text import split_name

_BOOKKEEPING = frozenset(
    {
        ("page",),
        ("page", "size"),
        ("page", "number"),
        ("page", "index"),
        ("page", "no"),
        ("page", "num"),
        ("per", "page"),
        ("page", "token"),
        ("cursor",),
        ("offset",),
        ("limit",),
        ("result", "limit"),
        ("max", "results"),
        ("num", "results"),
        ("request", "id"),
        ("client", "request", "id"),
        ("trace", "id"),
        ("correlation", "id"),
        ("idempotency", "key"),
        ("nonce",),
        ("callback",),
        ("timeout",),
        ("format",),
        ("output", "format"),
        ("response", "format"),
        ("return", "format"),
        ("encoding",),
        ("charset",),
        ("pretty",),
        ("pretty", "print"),
        ("verbose",),
    }
)
"""Arguments that do not speak of the person's task (the paper's appendix C.3: request ids, page sizes, formats)."""


def is_bookkeeping(argument: str) -> bool:
    """Whether an argument's name is one of request ids, pages and formats."""
    return split_name(argument) in _BOOKKEEPING

"""Names of choices that are misspelt: which one may have been meant."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Any

import typer
from typer.core import TyperGroup


class SuggestingGroup(TyperGroup):
    """Commands that name the choice which an option's value is spelt most like."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as exc:
            exc.message = suggested(exc.message)
            raise


def suggested(message: str) -> str:
    """Return what is wrong with a value, with the choice that is spelt most like it, if one is."""
    message = message.removeprefix("Value error, ")  # as newer releases of typer put it
    given, *choices = re.findall(r"'([^']*)'", message) if " is not one of " in message else [""]
    near = get_close_matches(given, choices, 1)
    return f"{message} Did you mean {near[0]!r}?" if near else message

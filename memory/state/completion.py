"""The seam to a language model, for the parts of memory that may use one."""

from __future__ import annotations

from typing import Protocol


class Completion(Protocol):
    """Completes a prompt."""

    def complete(self, prompt: str) -> str:
        """Return the model's text for `prompt`; raise whatever its client raises where it cannot."""
        ...

"""The shared data that is not distributed with the project: `$STEAD_SHARED`, by default `../shared`.

Tests that read it skip with a reason where it is absent; with `STEAD_REQUIRE_SHARED=1` they fail instead.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def shared_path(*parts: str) -> Path:
    """Return the path of a part of the shared data, or skip (or fail) the test that asks for it."""
    root = Path(os.environ.get("STEAD_SHARED", ROOT.parent / "shared"))
    path = root.joinpath(*parts)
    if not path.exists():
        reason = f"{'/'.join(parts) or 'the shared data'} is not distributed and was not found; set STEAD_SHARED"
        if os.environ.get("STEAD_REQUIRE_SHARED") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return path

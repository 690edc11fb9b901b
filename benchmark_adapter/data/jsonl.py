"""JSON lines: one value a line, UTF-8, with the file and line of whatever is wrong."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmark_adapter.errors import DatasetError

if TYPE_CHECKING:
    from pydantic import ValidationError


class Line(NamedTuple):
    """A line of a file and the JSON value in it."""

    number: int
    """1-based; blank lines are counted and left out."""
    value: Any


def read_lines(path: Path) -> Iterator[Line]:
    """Yield the values of a `.jsonl` or `.jsonl.gz` file in order; blank lines are skipped.

    The locale plays no part, and only a line feed ends a line (JSON text may hold other separators raw).

    Raises:
        DatasetError: If the file is missing or unreadable, or a line is not UTF-8 or not JSON.
    """
    for outcome in read_outcomes(path):
        if isinstance(outcome, DatasetError):
            raise outcome
        yield outcome


def read_outcomes(path: Path) -> Iterator[Line | DatasetError]:
    """Yield every line as `read_lines` does, and what is wrong with a broken one in its place.

    Raises:
        DatasetError: If the file is missing or unreadable.
    """
    for number, raw in enumerate(_read_bytes(path).split(b"\n"), start=1):
        try:
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            if text.strip():
                yield Line(number, json.loads(text))
        except UnicodeDecodeError as exc:
            yield DatasetError(path, number, f"expected UTF-8, got byte {exc.start}: {exc.reason}; re-encode it")
        except (ValueError, RecursionError) as exc:
            yield DatasetError(path, number, f"expected one JSON value a line, got text that fails: {exc}")


def storable(value: Any) -> Any:
    """Return a JSON value as every reader of files can hold it.

    Halves of surrogate pairs become `?`, numbers that are not finite become text: Python reads both from JSON, and
    strict readers refuse them.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, list | tuple):
        return [storable(item) for item in value]
    if isinstance(value, dict):
        return {storable(key): storable(item) for key, item in value.items()}
    return value


def first_problem(error: ValidationError, whole: str = "the line") -> str:
    """Return where a value of a file is not as it should be first, `whole` where as a whole, and in which way."""
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc'])) or whole}: {first['msg']}"


def _read_bytes(path: Path) -> bytes:
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if path.suffix == ".gz" else data
    except FileNotFoundError as exc:
        raise DatasetError(path, None, "expected a file, found none; check the path") from exc
    except (OSError, EOFError) as exc:
        raise DatasetError(path, None, f"cannot be read: {exc}") from exc

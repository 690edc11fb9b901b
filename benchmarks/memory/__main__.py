"""How fast the memory is, and how that grows with it.

    python -m benchmarks.memory [--part NAME …] [--turns 100000] [--users 1000] [--embedder use] [--json]
                                [--plot growth.png] [--log-url postgresql://HOST/DB | --postgres]

Beside each figure stands what it cannot be better than: a write that the disk confirms, the embedder alone, Chroma
alone, a scan in NumPy, an interpreter with the same standard modules. Several runs in one process, medians of them.
`grow` and `recall` use an embedder that draws vectors at random and costs 15 µs a text, so that what is measured is the
memory; the others use the real one. All of it takes some minutes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.progress import Progress, TaskID

from benchmarks.memory import growing, starting, writing
from benchmarks.memory.plotting import plot
from benchmarks.memory.timing import Figures, machine, resident_mib

PARTS = ("import", "start", "acknowledge", "postgres", "index", "follow", "recall", "grow", "erase")


def main() -> None:
    """Measure the parts that are asked for and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", action="append", choices=PARTS, help="measure this only; may be given several times")
    parser.add_argument("--turns", type=int, default=100_000, help="of all users together, for `grow`")
    parser.add_argument("--users", type=int, default=1_000)
    parser.add_argument("--embedder", default="use", help="of the parts that are not about growth")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--plot", type=Path, metavar="FILE.png", help="draw how cost grows (needs matplotlib)")
    parser.add_argument("--log-url", help="of an empty PostgreSQL database, for `postgres`")
    parser.add_argument("--postgres", action="store_true", help="start a PostgreSQL server of its own for `postgres`")
    options = parser.parse_args()
    parts = [part for part in PARTS if part in (options.part or PARTS)]
    if "postgres" in parts and not (options.log_url or options.postgres):
        parts.remove("postgres")
    console = Console(stderr=True)
    figures: Figures = {"machine_before": machine()}
    with Progress(console=console, transient=True) as progress:
        whole = progress.add_task("parts", total=len(parts))
        for part in parts:
            progress.update(whole, description=part)
            figures[part] = _measured(part, options, progress)
            progress.advance(whole)
    figures["machine_after"] = {**machine(), "resident_mib": resident_mib()}
    if options.plot:
        plot(figures, options.plot)
    print(json.dumps(figures) if options.json else "\n".join(_lines(figures)))


def _measured(part: str, options: argparse.Namespace, progress: Progress) -> Figures:
    """Return the figures of one part, measured in a folder of its own."""
    with ExitStack() as closing:
        folder = Path(closing.enter_context(TemporaryDirectory(prefix="stead-memory-")))
        simple: dict[str, Callable[[], Figures]] = {
            "import": starting.importing,
            "start": lambda: starting.first_recall(folder, embedder=options.embedder),
            "acknowledge": lambda: writing.acknowledging(folder, embedder=options.embedder),
            "index": lambda: writing.indexing(folder, embedder=options.embedder),
            "follow": lambda: writing.following(folder, embedder=options.embedder),
            "recall": lambda: growing.recall_by_length(folder),
            "erase": lambda: writing.erasing(folder),
            "postgres": lambda: writing.postgres(options.log_url or _new_database(closing)),
        }
        if part in simple:
            return simple[part]()
        task: TaskID = progress.add_task("turns", total=options.turns)
        grown = growing.ingestion(
            folder,
            turns=options.turns,
            users=options.users,
            advance=lambda count: progress.advance(task, count),
            tell=progress.console.print,
        )
        progress.remove_task(task)
        return {**grown, "recall": growing.recall_among_many(folder, users=options.users)}


def _new_database(closing: ExitStack) -> str:
    from tests.postgres_server import running_server

    return closing.enter_context(running_server()).new_database()


def _lines(figures: Figures, indent: str = "") -> list[str]:
    """Return the figures as lines to read: what holds numbers alone on one line."""
    lines = []
    for name, value in figures.items():
        if isinstance(value, dict) and any(isinstance(inner, dict) for inner in value.values()):
            lines += [f"{indent}{name}", *_lines(value, indent + "  ")]
        elif isinstance(value, dict):
            lines.append(f"{indent}{name:34} " + "  ".join(f"{key} {inner}" for key, inner in value.items()))
        else:
            lines.append(f"{indent}{name:34} {value}")
    return lines


if __name__ == "__main__":
    main()

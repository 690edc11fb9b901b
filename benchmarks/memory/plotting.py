"""A picture of how cost grows with the memory."""

from __future__ import annotations

from pathlib import Path

from benchmarks.memory.timing import Figures


def plot(figures: Figures, path: Path) -> None:
    """Draw what a turn costs on the way to the last one, and what recall costs by the length of a history.

    Raises:
        ImportError: If matplotlib is not installed.
    """
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, (writing, recalling) = pyplot.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    if grown := figures.get("grow"):
        step = grown["turns"] // len(grown["ms_a_turn"])
        turns = [step * (number + 1) for number in range(len(grown["ms_a_turn"]))]
        for name, label in (
            ("ms_a_turn", "log and index, wall"),
            ("processor_ms_a_turn", "log and index, processor"),
            ("acknowledged_p50_ms", "acknowledged, median"),
        ):
            writing.plot(turns, grown[name], marker="o", label=label)
        writing.set(title="What a turn costs", xlabel="turns in the memory", ylabel="ms", ylim=(0, None))
        writing.legend()
    if recall := figures.get("recall"):
        lengths = [int(length) for length in recall]
        for name, label in (
            ("after_a_turn_ms", "after a new turn"),
            ("unchanged_ms", "on an unchanged log"),
            ("state_ms", "strategy `state`"),
            ("similar_ms", "search by vector"),
            ("numpy_scan_ms", "bare scan"),
        ):
            recalling.plot(lengths, [recall[str(length)][name]["p95"] for length in lengths], marker="o", label=label)
        recalling.set(title="Recall, 95th percentile", xlabel="turns of the person", ylabel="ms")
        recalling.set(xscale="log", yscale="log")
        recalling.legend()
    figure.savefig(path, dpi=150)
    pyplot.close(figure)

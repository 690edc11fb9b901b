"""The reference layout: a recorded run comes out as it was recorded, and a run of ours can be read by the reference."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmark_adapter.dataset import build_entry
from benchmark_adapter.history import Message
from benchmark_adapter.inference_log import Figures
from benchmark_adapter.jsonl import read_lines
from benchmark_adapter.official import write_session
from benchmark_adapter.reference_session import RequestFailure, play_session
from benchmark_adapter.topics import read_topic_file
from tests.shared import shared_path

# A recorded run


def _renamed(text: str) -> str:
    """Return a recorded file with its random ids of past calls as we number them: by first appearance in a request."""
    value = json.loads(text)
    for turn in value.get("result", value.get("results")):
        names: dict[str, str] = {}
        for step in [step for key, step in turn["inference_log"].items() if key.startswith("step_")]:
            for found in re.findall(r"toolu_bdrk_\w+", json.dumps(step)):
                names.setdefault(found, f"history_call_{len(names)}")
        for found, name in names.items():
            turn["inference_log"] = json.loads(json.dumps(turn["inference_log"]).replace(found, name))
    return json.dumps(value)


def _scripted(recorded: Mapping[str, Any]) -> Any:
    """Return the model of a recorded run: it answers each request as recorded, or fails as recorded."""
    logs = [turn["inference_log"] for turn in recorded["result"]]
    outputs = [iter([step["inference_output"] for key, step in log.items() if key.startswith("step_")]) for log in logs]

    def model(index: int, messages: list[Message], tools: list[Any]) -> Mapping[str, Any]:
        output = next(outputs[index])
        if "api_error" in output:
            raise RequestFailure(**output["api_error"])
        return {"content": output["content"], "tool_calls": output["tool_calls"]}

    return model


@pytest.mark.parametrize("name", ["utb_persona21", "utb_persona22"])
def test_a_recorded_run_comes_out_as_it_was_recorded(name: str, tmp_path: Path) -> None:
    layout = shared_path("conformance", "layout")
    result = Path("result", "scripted", f"{name}__scripted_result.jsonl")
    score = Path("score", "scripted", f"{name}__scripted_score.jsonl")
    metric = Path("score", "scripted", f"{name}__scripted_metric.json")
    (recorded,) = [line.value for line in read_lines(layout / result)]
    topics = read_topic_file(layout / "data" / f"{name}.jsonl")
    entry = build_entry([line.raw for line in topics.lines], name=name)

    session = play_session(entry, _scripted(recorded), model_name="scripted", similarity="rouge")
    figures = [
        Figures(turn["latency"], turn["input_token_count"], turn["output_token_count"]) for turn in recorded["result"]
    ]
    write_session(tmp_path, session, model="scripted", source_file=f"data/{name}.jsonl", figures=figures)

    written = {path.relative_to(tmp_path): path.read_text("utf-8") for path in tmp_path.rglob("*.json*")}
    assert written.keys() == {result, score, metric}
    assert written[metric] == (layout / metric).read_text("utf-8")
    for path, is_ascii, end in ((result, False, "\n"), (score, True, "")):
        expected = json.loads(_renamed((layout / path).read_text("utf-8")))
        assert json.loads(written[path]) == expected
        # Key order, spacing, escapes and the end of the file too:
        assert written[path] == json.dumps(expected, ensure_ascii=is_ascii) + end

"""`stead-bench run` with an endpoint: what goes wrong on the way, resuming, the manifest, bad input (case B15)."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from agent.errors import PlannerRefusedError
from benchmark_adapter.replay.environment import ReplayEnvironment
from benchmark_adapter.replay.turn_trace import TurnTrace
from clarifier.decision import Proposal, Situation, Usage
from tests.benchmark_adapter.commands import finish, start, timeless_files, turns_done
from tests.benchmark_adapter.topics import final, library_topics, reference_turn, write_topics
from tests.fakes import obey
from tests.provider_server import ProviderServer

PRICED = '[local]\nlike = "openai-compatible"\nprices = { prompt = 1000, cached = 100, completion = 10000 }\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_topics(tmp_path / "topics" / "ann.jsonl", library_topics())
    (tmp_path / "mine.toml").write_text(PRICED)
    return tmp_path


def arguments(server: ProviderServer, *more: str) -> list[str]:
    return [
        "run", "--data", "topics", "--provider", "mine.toml:local", "--model", "m", "--base-url", server.base_url,
        "--no-relaxed", *more,
    ]  # fmt: skip


def json_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_run_with_failures_that_is_killed_makes_the_files_of_one_without(folder: Path) -> None:
    troubles: dict[int, dict[str, Any]] = {
        0: {"status": 429, "headers": {"Retry-After": "0.1"}},
        2: {"status": 500},
        4: {"body": '{"choices": ['},
        6: {"cut": True},
        8: {"delay_s": 3},
    }
    with ProviderServer("plain", troubles=troubles) as server:
        with start(folder, *arguments(server, "--out", "killed")) as process:
            try:
                deadline = time.monotonic() + 100
                while turns_done(folder / "killed") < 3:
                    assert process.poll() is None, process.communicate()
                    assert time.monotonic() < deadline
                    time.sleep(0.002)
                process.send_signal(signal.SIGKILL)
            finally:
                process.kill()
        with (folder / "killed" / "turns.jsonl").open("a") as lines:
            lines.write('{"session": "ann", "tu')
        done = turns_done(folder / "killed")
        before = len(server.log)
        assert 3 <= done < 5

        resumed = json_of(finish(folder, *arguments(server, "--out", "killed", "--json")))
        between = len(server.log)
        again = json_of(finish(folder, *arguments(server, "--out", "killed", "--json")))
        assert len(server.log) == between
        whole = json_of(finish(folder, *arguments(server, "--out", "whole", "--json")))
        needed = len(server.log) - between
        other = finish(folder, *arguments(server, "--out", "killed", "--samples", "2"))

    assert timeless_files(folder / "killed") == timeless_files(folder / "whole")
    assert again["tokens"] == resumed["tokens"] == whole["tokens"]
    # What was done before is not asked for again.
    assert between - before < needed
    assert other.returncode == 2
    assert "samples: 2 against 1" in other.stderr


def test_a_run_says_in_its_manifest_how_it_asked_and_what_it_cost(folder: Path) -> None:
    with ProviderServer("plain") as server:
        metrics = json_of(
            finish(folder, *arguments(server, "--limit", "1", "--samples", "2", "--out", "run", "--json"))
        )
        n = len(server.log)
    manifest = json.loads((folder / "run" / "manifest.json").read_text("utf-8"))
    assert (manifest["planner"], manifest["provider"], manifest["model"], manifest["samples"]) == (
        "chat",
        "local",
        "m",
        2,
    )
    assert manifest["prices"] == {"prompt": 1000.0, "completion": 10000.0, "cached": 100.0}
    assert manifest["request"] == {"options": {}, "notes": []}
    assert (n, metrics["tokens"]["prompt"], metrics["tokens"]["completion"]) == (n, 100 * n, 10 * n)
    assert metrics["cost_usd"] == pytest.approx(n * (60 * 1000 + 40 * 100 + 10 * 10000) / 1e6)


def test_what_a_failing_plan_has_cost_is_kept_with_its_turn() -> None:
    class Failing:
        name = "failing"

        def plan(self, situation: Situation) -> Proposal:
            raise PlannerRefusedError("no", status=400).after(Usage(prompt=7, completion=3), ["tried"])

    trace = TurnTrace(Failing(), obey, ReplayEnvironment(reference_turn(final()), "fallback", goes_on=False))
    with pytest.raises(PlannerRefusedError):
        trace.plan(Situation("hi", ()))
    (entry,) = trace.entries
    assert entry.proposal == Proposal(usage=Usage(prompt=7, completion=3), notes=("tried",))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--provider", "kimi"], "the provider 'kimi-k2.6' needs MOONSHOT_API_KEY in the environment"),
        (["--provider", "nobody"], "no provider is called 'nobody'; choose one of openai-compatible, kimi-k2.6"),
        (["--provider", "gone.toml:x"], "the provider file gone.toml cannot be read: No such file"),
        (["--provider", "watt", "--prompt", "topics"], "the prompt folder topics has no system.md, ask_user.json"),
        (["--planner", "rules", "--samples", "3"], "--provider, --prompt and --samples belong to --planner chat"),
        (
            ["--provider", "watt", "--model", "m", "--base-url", "nowhere"],
            "'nowhere' is no address (http://…) and no region of watt",
        ),
    ],
)
def test_bad_input_is_one_message_before_anything_is_spent(folder: Path, given: list[str], words: str) -> None:
    done = finish(folder, "run", "--data", "topics", *given, "--out", "run")
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.startswith("stead-bench: ")
    assert len(done.stderr.splitlines()) == 1
    assert not (folder / "run").exists()

"""What is wrong with an endpoint's settings is one message and status 2, in the chat and in a run, before it costs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agent.cli import app as stead
from agent.errors import PlannerError, PlannerRateLimitError, PlannerRefusedError, PlannerTimeoutError
from agent.planners.failures import ends_everything
from agent.planners.prompt_files import BUNDLED
from benchmark_adapter.cli import app as bench
from benchmark_adapter.runs.launch import RunOptions, prepare
from tests.benchmark_adapter.topics import library_topics, write_topics
from tests.provider_server import ProviderServer


@pytest.fixture(scope="module")
def server() -> Iterator[ProviderServer]:
    with ProviderServer("plain", key="right") as started:
        yield started


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "MOONSHOT_API_KEY", "STEAD_PROVIDERS", "STEAD_MODEL"):
        monkeypatch.delenv(name, raising=False)
    write_topics(tmp_path / "topics" / "ann.jsonl", library_topics())
    (tmp_path / "bad.toml").write_text("[x\n")
    shutil.copytree(BUNDLED, tmp_path / "prompts")
    (tmp_path / "prompts" / "plain.md").unlink()
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "no-repository"))  # a commit may come between two runs
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ended(command: str, *given: str, **environ: str) -> tuple[int, str]:
    """Return the status and the last line of a chat in which something is said, or of a run."""
    if command == "chat":
        result = CliRunner().invoke(stead, ["chat", *given], env=environ, input="hello\n")
    else:
        result = CliRunner().invoke(bench, ["run", "--data", "topics", "--out", "run", *given], env=environ)
    return result.exit_code, result.stderr.splitlines()[-1]


WRONG = {
    "no key": (["--provider", "kimi"], {}, "the provider 'kimi-k2.6' needs MOONSHOT_API_KEY in the environment"),
    "no provider": (["--provider", "nobody"], {}, "no provider is called 'nobody'; choose one of openai-compatible"),
    "malformed file": (["--provider", "watt"], {"STEAD_PROVIDERS": "bad.toml"}, "the provider file bad.toml is no"),
    "malformed variable": (["--provider", "watt"], {"STEAD_TEMPERATURE": "hot"}, "cannot be set up: STEAD_TEMPERATURE"),
    "nobody there": (["--provider", "watt", "--base-url", "http://127.0.0.1:9/v1"], {}, "nothing works at that"),
    "wrong key": (["--provider", "watt", "--base-url", "URL"], {"OPENAI_API_KEY": "wrong"}, "the key is not taken"),
    "wrong model": (
        ["--provider", "watt", "--base-url", "URL", "--model", "nobody"],
        {"OPENAI_API_KEY": "right"},
        "there is no such model or path; check --model",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.parametrize("command", ["chat", "run"])
def test_what_is_wrong_is_said_once_with_status_2(
    command: str, case: str, server: ProviderServer, folder: Path
) -> None:
    given, environ, words = WRONG[case]
    before = len(server.log)
    status, said = ended(command, *[server.base_url if one == "URL" else one for one in given], **environ)
    assert (status, words in said) == (2, True), said
    assert said.startswith("stead: " if command == "chat" else "stead-bench: ")
    # Only a model that is not there is found out by asking it, which costs nothing, once, and is no failed turn.
    assert len(server.log) - before == (1 if case == "wrong model" else 0)
    lines = folder / "run" / "turns.jsonl"
    assert not lines.exists() or lines.read_text() == ""


def test_a_prompt_folder_without_a_file_is_said_by_a_run(folder: Path) -> None:
    assert ended("run", "--provider", "watt", "--prompt", "prompts") == (
        2,
        f"stead-bench: the prompt folder prompts has no plain.md; begin with a copy of {BUNDLED} and change that",
    )


def test_a_run_that_is_done_needs_no_endpoint_to_be_shown_again(folder: Path) -> None:
    with ProviderServer("plain") as server:
        given = ["--provider", "watt", "--base-url", server.base_url, "--model", "m", "--no-relaxed", "--limit", "1"]
        first = CliRunner().invoke(bench, ["run", "--data", "topics", "--out", "run", *given, "--json"])
    again = CliRunner().invoke(bench, ["run", "--data", "topics", "--out", "run", *given, "--json"])
    assert (first.exit_code, again.exit_code, again.stdout) == (0, 0, first.stdout)


def test_what_is_not_sent_as_asked_stands_in_the_manifest_and_what_was_mended_with_its_turn(folder: Path) -> None:
    """Case B28."""
    with ProviderServer("top_k", troubles={1: {"status": 500}}) as server:
        given = ["--provider", "watt", "--base-url", server.base_url, "--model", "m", "--no-relaxed", "--limit", "2"]
        result = CliRunner().invoke(
            bench, ["run", "--data", "topics", "--out", "run", *given], env={"STEAD_TEMPERATURE": "0"}
        )
    assert result.exit_code == 0
    lines = [json.loads(line) for line in (folder / "run" / "turns.jsonl").read_text("utf-8").splitlines()]
    # Not that a request failed: another time it would not, and lines are the same whenever a run is repeated.
    assert [line["notes"] for line in lines] == [["temperature is left out, since the endpoint refused it"]] * 2
    manifest = json.loads((folder / "run" / "manifest.json").read_text("utf-8"))
    assert manifest["request"] == {"options": {"temperature": 0.0}, "notes": []}
    with ProviderServer("kimi") as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOONSHOT_API_KEY", "k")
        patch.setenv("STEAD_TEMPERATURE", "0")
        options = RunOptions(data=Path("topics"), planner="chat", provider="kimi", model="m", base_url=server.base_url)
        asked = prepare(options).manifest.request
    assert asked == {
        "options": {"temperature": 1.0, "max_tokens": 32768},
        "notes": ["the temperature 0 is sent as 1, since the endpoint takes no other"],
    }


@pytest.mark.parametrize(
    ("error", "ends"),
    [
        (PlannerRefusedError("no", status=401), True),
        (PlannerRefusedError("no", status=402), True),
        (PlannerRefusedError("no", status=404), True),
        (PlannerRefusedError("your country is not supported", status=403), True),
        (PlannerRefusedError("the input was flagged by moderation", status=403), False),
        (PlannerRefusedError("Model Not Exist", status=400), True),
        (PlannerRefusedError("no such thing", status=400, parameter="model"), True),
        (PlannerRefusedError("'temperature' does not support 0 with this model", status=400), False),
        (PlannerRefusedError("maximum context length of this model exceeded", status=400), False),
        (PlannerRateLimitError("You exceeded your current quota"), True),
        (PlannerRateLimitError("slow down"), False),
        (PlannerTimeoutError("late"), False),
    ],
)
def test_what_would_fail_every_further_request_is_told_from_what_fails_one(error: PlannerError, ends: bool) -> None:
    assert ends_everything(error) is ends

"""The command `stead doctor`."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from agent.cli import app
from tests.chat_server import ChatServer, calls, fails, says
from tests.provider_server import ProviderServer

KEYS = ("MOONSHOT", "OPENAI", "DASHSCOPE", "DEEPSEEK", "GEMINI", "GOOGLE", "ZAI", "ZHIPUAI")


@pytest.fixture(autouse=True)
def _no_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.delenv(f"{name}_API_KEY", raising=False)
        monkeypatch.delenv(f"{name}_BASE_URL", raising=False)
    monkeypatch.delenv("STEAD_PROVIDERS", raising=False)
    monkeypatch.delenv("STEAD_MODEL", raising=False)


def run(*arguments: str, **environ: str) -> tuple[int, list[str]]:
    result = CliRunner().invoke(app, ["doctor", *arguments], env=environ)
    return result.exit_code, (result.stdout + result.stderr).splitlines()


@pytest.mark.parametrize(
    ("provider", "house", "variable"),
    [
        ("kimi-k2.6", "kimi", "MOONSHOT_API_KEY"),
        ("gpt-5.4", "gpt", "OPENAI_API_KEY"),
        ("qwen3.6-plus", "qwen", "DASHSCOPE_API_KEY"),
        ("deepseek-v4-pro", "deepseek", "DEEPSEEK_API_KEY"),
        ("gemini-3.5-flash", "gemini", "GEMINI_API_KEY"),
        ("glm-5", "glm", "ZAI_API_KEY"),
        ("openai-compatible", "plain", "OPENAI_API_KEY"),
        ("hammer2.1-7b", "text", "OPENAI_API_KEY"),
        ("toolace-2.5-8b", "text", "OPENAI_API_KEY"),
        ("watt-tool-8b", "text", "OPENAI_API_KEY"),
    ],
)
def test_all_is_well_at_every_provider_and_a_forced_call_is_no_problem(
    provider: str, house: str, variable: str
) -> None:
    """Case B27: each house refuses a forced choice as its provider does."""
    with ProviderServer(house, form="hammer" if "hammer" in provider else "pythonic") as server:
        status, lines = run("--provider", provider, "--base-url", server.base_url, "--model", "m", **{variable: "k"})
        log = server.log
    sources = [] if house == "text" else ["well   stated sources"]
    assert [line.partition(": ")[0] for line in lines[: 4 + len(sources)]] == [
        "well   settings", "well   endpoint", "well   tool call", *sources, "well   echo",
    ]  # fmt: skip
    assert status == 0
    if house == "text":  # the call, `[]`, and the reply that it is then asked for
        assert [(entry["status"], "tools" in entry["body"]) for entry in log] == [(200, False)] * 3
        return
    assert [entry["status"] for entry in log] == [200, 200]
    forces = house in ("gpt", "gemini", "plain")
    assert ("tool_choice" in log[0]["body"]) == forces
    offered = [tool["function"]["name"] for tool in log[0]["body"]["tools"]]
    assert offered == (["echo", "ask_user"] if forces else ["echo"])
    assert ("a call of 'echo' cannot be forced here, so it is the only tool offered" in lines[2]) != forces


def test_what_is_missing_is_one_message_and_status_2() -> None:
    status, lines = run("--provider", "kimi-k2.6")
    assert status == 2
    assert lines == [
        "stead: the provider 'kimi-k2.6' needs MOONSHOT_API_KEY in the environment; set it to a key of Kimi K2.6 "
        "(Moonshot) and run again, or check with `stead doctor --provider kimi-k2.6`. Its addresses: global "
        "(https://api.moonshot.ai/v1), cn (https://api.moonshot.cn/v1)"
    ]
    status, lines = run("--provider", "kimmi")
    assert status == 2
    assert lines[0].startswith(
        "stead: no provider is called 'kimmi'; choose one of openai-compatible, kimi-k2.6, gpt-5.4"
    )


def test_a_wrong_key_a_wrong_model_and_a_wrong_address_are_told_apart() -> None:
    with ProviderServer("plain") as server:
        status, lines = run("--base-url", server.base_url, "--model", "n", OPENAI_API_KEY="k")
    assert status == 1
    assert lines[1] == "WRONG  endpoint: it does not list the model 'n'; choose one with --model, say m"
    status, lines = run("--base-url", server.base_url, OPENAI_API_KEY="k")
    assert status == 1
    assert lines[1].startswith("WRONG  endpoint: nothing works at that address; is the server running")
    with ChatServer(fails(401, "bad key")) as refusing:
        status, lines = run("--base-url", refusing.base_url, "--model", "scripted", OPENAI_API_KEY="k")
    assert status == 1
    assert lines[2].startswith("WRONG  tool call: the key is not taken; check that it is of this provider")


def test_a_model_that_calls_nothing_and_one_that_takes_no_result_are_told_apart() -> None:
    with ChatServer(says("[echo(text='ping')]")) as server:
        status, lines = run("--base-url", server.base_url, OPENAI_API_KEY="k")
    assert (status, len(lines)) == (1, 3)
    assert lines[2].startswith("WRONG  tool call: the model made no call of the tool and said \"[echo(text='ping')]\"")
    with ChatServer(calls(("a", "echo", {"text": "ping"})), fails(400, "no results, please")) as server:
        status, lines = run("--base-url", server.base_url, OPENAI_API_KEY="k")
    assert status == 1
    assert lines[3].startswith("well   stated sources: it states none as a field, so they only cost tokens; try STEAD_")
    assert lines[4].startswith("WRONG  echo: the result of the call was refused:")
    assert "no results, please" in lines[4]


def test_a_model_on_this_machine_needs_no_key() -> None:
    with ProviderServer("text", form="pythonic") as server:
        status, lines = run("--provider", "watt", "--base-url", server.base_url, "--model", "m")
    assert status == 0
    assert lines[0].startswith("well   settings: watt-tool-8b at http://127.0.0.1")
    assert "with no key" in lines[0]

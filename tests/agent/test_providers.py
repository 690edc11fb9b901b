"""Profiles as data, settings from the environment, and the requests that follow from both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from agent.errors import PlannerSettingsError
from agent.planners.requests import build_request, can_force, request_options
from agent.providers import Prices, find_profile, load_profiles
from agent.settings import ChatSettings, is_local
from clarifier.decision import Usage

NINE = {
    "kimi-k2.6": ("kimi-k2.6", "MOONSHOT_API_KEY", "https://api.moonshot.ai/v1"),
    "gpt-5.4": ("gpt-5.4", "OPENAI_API_KEY", "https://api.openai.com/v1"),
    "qwen3.6-plus": ("qwen3.6-plus", "DASHSCOPE_API_KEY", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1"),
    "deepseek-v4-pro": ("deepseek-v4-pro", "DEEPSEEK_API_KEY", "https://api.deepseek.com"),
    "gemini-3.5-flash": (
        "gemini-3.5-flash",
        "GEMINI_API_KEY",
        "https://generativelanguage.googleapis.com/v1beta/openai",
    ),
    "glm-5": ("glm-5", "ZAI_API_KEY", "https://api.z.ai/api/paas/v4"),
    "hammer2.1-7b": ("MadeAgents/Hammer2.1-7b", "OPENAI_API_KEY", "http://localhost:8000/v1"),
    "toolace-2.5-8b": ("Team-ACE/ToolACE-2.5-Llama-3.1-8B", "OPENAI_API_KEY", "http://localhost:8000/v1"),
    "watt-tool-8b": ("watt-ai/watt-tool-8B", "OPENAI_API_KEY", "http://localhost:8000/v1"),
}
TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {}}}}
    for name in ("a", "b")
]


def settings(profile: str, **changes: Any) -> ChatSettings:
    chosen = {
        "base_url": "http://localhost/v1",
        "api_key": SecretStr("k"),
        "profile": find_profile(profile, {}),
        **changes,
    }
    return ChatSettings(**chosen)


def test_the_papers_nine_and_one_for_everything_else_are_there() -> None:
    profiles = load_profiles()
    assert list(profiles) == ["openai-compatible", *NINE]
    for name, (model, variable, url) in NINE.items():
        chosen = ChatSettings.from_environ({variable: "key"}, provider=name)
        assert (chosen.model, chosen.base_url, chosen.api_key.get_secret_value()) == (model, url, "key")


def test_a_provider_is_found_by_its_short_name_whatever_the_case() -> None:
    found = [find_profile(name, {}).name for name in ("Kimi", "openai", "DASHSCOPE", "watt", "GLM-5")]
    assert found == ["kimi-k2.6", "gpt-5.4", "qwen3.6-plus", "watt-tool-8b", "glm-5"]
    assert find_profile(None, {}).name == "openai-compatible"


def test_an_address_may_be_named_by_its_region_by_a_variable_or_in_full() -> None:
    environ = {"MOONSHOT_API_KEY": "k", "MOONSHOT_BASE_URL": "cn"}
    assert ChatSettings.from_environ(environ, provider="kimi").base_url == "https://api.moonshot.cn/v1"
    named = ChatSettings.from_environ(environ, provider="kimi", base_url="global")
    assert named.base_url == "https://api.moonshot.ai/v1"
    assert ChatSettings.from_environ(environ, provider="kimi", base_url="http://gw/v1").base_url == "http://gw/v1"


def test_a_server_of_ones_own_needs_no_key_and_any_other_does() -> None:
    assert ChatSettings.from_environ({}, provider="hammer").api_key.get_secret_value() == "none"
    with pytest.raises(PlannerSettingsError, match="needs OPENAI_API_KEY"):
        ChatSettings.from_environ({}, provider="hammer", base_url="https://example.com/v1")
    addresses = ("http://10.0.0.3:8000/v1", "http://[::1]/v1", "http://box:1/v1", "http://8.8.8.8/v1")
    assert [is_local(url) for url in addresses] == [True, True, True, False]


def test_what_is_asked_of_a_model_may_be_set_by_variables() -> None:
    environ = {"MOONSHOT_API_KEY": "k", "STEAD_TEMPERATURE": "0", "STEAD_THINKING": "false", "STEAD_MAX_TOKENS": "900",
               "STEAD_STREAM": "1", "STEAD_TIMEOUT_S": "5", "STEAD_MAX_RETRIES": "0"}  # fmt: skip
    chosen = ChatSettings.from_environ(environ, provider="kimi")
    assert (chosen.temperature, chosen.thinking, chosen.timeout_s, chosen.max_retries) == (0.0, False, 5.0, 0)
    assert request_options(chosen) == (
        {
            "thinking": {"type": "disabled"},
            "temperature": 0.6,
            "max_tokens": 900,
            "stream": True,
            "stream_options": {"include_usage": True},
        },
        ("the temperature 0 is sent as 0.6, since the endpoint takes no other",),
    )
    with pytest.raises(PlannerSettingsError, match=r"STEAD_TIMEOUT_S: Input should be greater than 0, got '-1'"):
        ChatSettings.from_environ({**environ, "STEAD_TIMEOUT_S": "-1"}, provider="kimi")


def test_a_profile_of_ones_own_is_read_from_a_file_and_may_be_like_another(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('["kimi-next"]\nlike = "kimi-k2.6"\nmodel = "kimi-k9"\nprices = { prompt = 1, completion = 2 }\n')
    for name, environ in (("kimi-next", {"STEAD_PROVIDERS": str(path)}), (f"{path}:kimi-next", {})):
        profile = find_profile(name, environ)
        assert (profile.model, profile.dialect, profile.max_tokens) == ("kimi-k9", "moonshot", 32768)
        assert profile.prices == Prices(prompt=1, completion=2)
        assert profile.aliases == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[x\n", r"is no TOML"),
        ("x = 1\n", r"holds 'x' outside a table"),
        ("[x]\n", r"profile 'x' .* cannot be used: key_variables: Field required"),
        ('[x]\nkey_variables = ["K"]\ntemprature = 1\n', r"temprature: Extra inputs are not permitted, got 1"),
        ('[x]\nkey_variables = ["K"]\ndialect = "xml"\n', r"dialect: Input should be 'openai', .* got 'xml'"),
        ('[x]\nlike = "nobody"\n', r"is like 'nobody', which is none of openai-compatible, kimi-k2\.6"),
        ('[kimi-k2.7]\nlike = "glm-5"\n', r"A name with a dot needs quotes"),
    ],
)
def test_a_malformed_file_is_named_with_what_is_wrong(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(PlannerSettingsError, match=words) as caught:
        find_profile("x", {"STEAD_PROVIDERS": str(path)})
    assert str(path) in str(caught.value)
    with pytest.raises(PlannerSettingsError, match=r"gone\.toml cannot be read: No such file"):
        find_profile("x", {"STEAD_PROVIDERS": str(tmp_path / "gone.toml")})


@pytest.mark.parametrize(
    ("profile", "thinking", "temperature"),
    [
        ("kimi-k2.6", None, 1.0),
        ("kimi-k2.6", False, 0.6),
        ("gpt-5.4", None, None),
        ("qwen3.6-plus", None, 0.0),
        ("deepseek-v4-pro", None, None),
        ("deepseek-v4-pro", False, 0.0),
        ("gemini-3.5-flash", None, 0.0),
        ("glm-5", None, 0.0),
        ("hammer2.1-7b", None, 0.0),
        ("toolace-2.5-8b", None, 0.0),
        ("watt-tool-8b", None, 0.0),
    ],
)
def test_a_temperature_of_0_is_sent_fixed_or_left_out(
    profile: str, thinking: bool | None, temperature: float | None
) -> None:
    """Case B28."""
    request = request_options(settings(profile, temperature=0.0, thinking=thinking))
    assert request.body.get("temperature") == temperature
    assert any("temperature 0" in note for note in request.notes) == (temperature != 0.0)


@pytest.mark.parametrize(
    ("profile", "thinking", "forces"),
    [
        ("openai-compatible", None, True),
        ("gpt-5.4", None, True),
        ("gemini-3.5-flash", None, True),
        ("kimi-k2.6", None, False),
        ("kimi-k2.6", False, True),
        ("qwen3.6-plus", None, False),
        ("qwen3.6-plus", False, True),
        ("deepseek-v4-pro", True, False),
        ("deepseek-v4-pro", False, True),
        ("glm-5", None, False),
        ("glm-5", False, False),
    ],
)
def test_a_forced_call_is_sent_as_such_or_as_the_only_tool(profile: str, thinking: bool | None, forces: bool) -> None:
    """Case B27."""
    chosen = settings(profile, thinking=thinking)
    request = build_request(chosen, "m", [], TOOLS, forced="b")
    assert can_force(chosen.profile, chosen.is_thinking) == forces
    if forces:
        assert request.body["tool_choice"] == {"type": "function", "function": {"name": "b"}}
        assert (request.body["tools"], request.notes) == (TOOLS, ())
    else:
        assert "tool_choice" not in request.body
        assert request.body["tools"] == TOOLS[1:]
        assert request.notes == ("a call of 'b' cannot be forced here, so it is the only tool offered",)


def test_an_effort_is_not_sent_together_with_tools() -> None:
    gpt = find_profile("gpt-5.4", {}).model_copy(update={"extra_body": {"reasoning_effort": "high"}})
    chosen = settings("gpt-5.4", max_tokens=900).model_copy(update={"profile": gpt})
    assert build_request(chosen, "m", [], TOOLS).body == {
        "model": "m", "messages": [], "tools": TOOLS, "max_completion_tokens": 900,
    }  # fmt: skip
    assert build_request(chosen, "m", []).body["reasoning_effort"] == "high"


def test_thinking_is_switched_in_the_providers_words_and_streams_where_it_must() -> None:
    qwen = settings("qwen3.6-plus", thinking=True)
    assert request_options(qwen).body == {
        "enable_thinking": True, "stream": True, "stream_options": {"include_usage": True},
    }  # fmt: skip
    assert request_options(settings("qwen3.6-plus", thinking=False)).body == {"enable_thinking": False}
    assert request_options(settings("kimi-k2.6", thinking=False)).body == {
        "thinking": {"type": "disabled"}, "max_tokens": 32768,
    }  # fmt: skip


def test_a_price_counts_cached_tokens_apart() -> None:
    usage = Usage(prompt=1_000_000, completion=100_000, cached=400_000)
    assert Prices(prompt=2, completion=10, cached=0.5).cost(usage) == pytest.approx(0.6 * 2 + 0.4 * 0.5 + 1)
    assert Prices(prompt=2, completion=10).cost(usage) == pytest.approx(3)

"""What a planner behind an endpoint needs to know."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from pathlib import Path
from typing import get_args
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, SecretStr, ValidationError

from agent.errors import PlannerSettingsError
from agent.providers import DEFAULT_PROVIDER, Profile, Sources, find_profile

KEY_VARIABLE = "OPENAI_API_KEY"
URL_VARIABLE = "OPENAI_BASE_URL"
MODEL_VARIABLE = "STEAD_MODEL"
VARIABLES: Mapping[str, str] = {
    field: f"STEAD_{field.upper()}"
    for field in ("temperature", "max_tokens", "prompt_tokens", "thinking", "stream", "timeout_s", "turn_timeout_s",
                  "max_retries", "run_retries", "max_wait_s")
}  # fmt: skip
"""By field of the settings: the variable that holds it, for every provider."""
SOURCES_VARIABLE = "STEAD_STATED_SOURCES"
"""Says how a model is asked where its values come from, in place of what the profile says."""
NO_KEY = "none"
"""What is sent to a server of one's own that asks for no key."""


class ChatSettings(BaseModel, frozen=True, extra="forbid"):
    """An OpenAI-compatible endpoint and how it is called."""

    base_url: str = Field(pattern=r"^https?://")
    api_key: SecretStr
    model: str | None = Field(default=None, min_length=1)
    """`None`: the only one the endpoint lists."""
    profile: Profile = Field(default_factory=lambda: find_profile(DEFAULT_PROVIDER, {}))
    """How the endpoint wants to be spoken to."""
    timeout_s: float = Field(default=120, gt=0)
    """For one attempt."""
    turn_timeout_s: float = Field(default=600, gt=0)
    """Most time spent waiting for the model within one turn."""
    max_retries: int = Field(default=3, ge=0)
    """Further attempts of one request on a timeout, a lost connection, 408, 409, 429 and 5xx."""
    run_retries: int = Field(default=200, ge=0)
    """Further attempts of all requests together, so that a broken endpoint cannot keep a run busy for days."""
    max_wait_s: float = Field(default=60, ge=0)
    """Longest wait between two attempts; an endpoint that wants more (Retry-After) ends the request."""
    temperature: float | None = Field(default=None, ge=0)
    """`None`: not sent, the endpoint's own. The profile decides what becomes of it."""
    max_tokens: int | None = Field(default=None, gt=0)
    """Of one answer; `None`: the profile's."""
    thinking: bool | None = None
    """Whether the model is told to think; `None`: its default, and nothing is sent."""
    stream: bool | None = None
    """Whether answers are streamed; `None`: where the profile demands it."""
    samples: int = Field(default=1, ge=1, le=64)
    """Answers asked for each plan; the one most agree on is proposed."""
    prompt: Path | None = None
    """A folder of prompt files; `None`: the bundled ones."""
    prompt_tokens: int | None = Field(default=None, gt=0)
    """Most tokens of a request; recall is cut to fit. `None`: the profile's window less the answer's limit."""

    @property
    def is_thinking(self) -> bool:
        """Whether the model thinks before it answers."""
        return self.profile.thinking.default if self.thinking is None else self.thinking

    @property
    def is_streaming(self) -> bool:
        """Whether answers are streamed."""
        return self.demands_stream or bool(self.stream)

    @property
    def demands_stream(self) -> bool:
        """Whether the endpoint answers in no other way."""
        return self.profile.stream == "always" or (self.profile.stream == "always-while-thinking" and self.is_thinking)

    @classmethod
    def from_environ(
        cls,
        environ: Mapping[str, str],
        *,
        provider: str | None = None,
        model: str | None = None,
        base_url: str | None = None,
        prompt: Path | None = None,
        samples: int = 1,
    ) -> ChatSettings:
        """Return the settings that a provider's profile, its variables and those of `VARIABLES` name.

        Args:
            environ: The environment, say `os.environ`.
            provider: A profile (docs/models.md); `None`: any OpenAI-compatible endpoint, named by OPENAI_BASE_URL.
            model: Goes before the profile's, and before STEAD_MODEL where the profile reads that.
            base_url: An address, or a region of the profile; goes before the profile's variable and default.
            prompt: A folder of prompt files.
            samples: Answers asked for each plan.

        Raises:
            PlannerSettingsError: If the provider does not exist, or key or address is missing or wrong.
        """
        profile = _as_asked(find_profile(provider, environ), environ)
        named = model or (environ.get(profile.model_variable) if profile.model_variable else None) or profile.model
        address = _address(profile, base_url or (environ.get(profile.url_variable) if profile.url_variable else None))
        key = next((environ[name] for name in profile.key_variables if environ.get(name)), None)
        if key is None and provider is not None and profile.key_is_optional and address and is_local(address):
            key = NO_KEY
        if missing := _missing(profile, key, address):
            raise PlannerSettingsError(missing)
        try:
            return cls.model_validate(
                {"base_url": address, "api_key": key, "model": named, "profile": profile, "prompt": prompt,
                 "samples": samples,
                 **{field: environ[name] for field, name in VARIABLES.items() if environ.get(name)}}
            )  # fmt: skip
        except ValidationError as exc:
            found = [(str(error["loc"][0]), error) for error in exc.errors()]
            problems = "; ".join(
                f"{VARIABLES.get(name, name)}: {error['msg'].removeprefix('Value error, ')}, got {error['input']!r}"
                for name, error in found
            )
            raise PlannerSettingsError(f"the planner `chat` cannot be set up: {problems}") from exc


def _as_asked(profile: Profile, environ: Mapping[str, str]) -> Profile:
    """Return the profile with the form of stated sources that the environment asks for."""
    form = environ.get(SOURCES_VARIABLE)
    if not form:
        return profile
    if form not in get_args(Sources):
        allowed = ", ".join(get_args(Sources))
        raise PlannerSettingsError(f"{SOURCES_VARIABLE} must be one of {allowed}; got {form!r}")
    return profile.model_copy(update={"stated_sources": form})


def is_local(url: str) -> bool:
    """Return whether an address is of this machine or of a private network."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return host == "localhost" or host.endswith((".local", ".internal")) or (bool(host) and "." not in host)


def _address(profile: Profile, named: str | None) -> str | None:
    if not named:
        return profile.base_url
    if profile.base_urls and named not in profile.base_urls and not named.startswith(("http://", "https://")):
        regions = ", ".join(profile.base_urls)
        raise PlannerSettingsError(f"{named!r} is no address (http://…) and no region of {profile.name}: {regions}")
    return profile.base_urls.get(named, named)


def _missing(profile: Profile, key: str | None, address: str | None) -> str | None:
    """Return what is missing and how to mend it, `None` where nothing is."""
    absent = [] if key else [" or ".join(profile.key_variables)]
    if not address:
        absent.append(profile.url_variable or "--base-url")
    if not absent:
        return None
    if profile.name == DEFAULT_PROVIDER:
        return (
            f"the planner `chat` needs {' and '.join(absent)} in the environment: {KEY_VARIABLE} is the key, "
            f"{URL_VARIABLE} an OpenAI-compatible endpoint such as http://localhost:8000/v1 (a local one takes any "
            f"key), or a provider that has an address of its own, such as --provider kimi-k2.6. The planner `rules` "
            f"needs none of them"
        )
    regions = ", ".join(f"{region} ({url})" for region, url in profile.base_urls.items())
    return (
        f"the provider {profile.name!r} needs {' and '.join(absent)} in the environment; set it to a key of "
        f"{profile.title or profile.name} and run again, or check with `stead doctor --provider {profile.name}`"
        + (f". Its addresses: {regions}" if regions else "")
    )

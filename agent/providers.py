"""Profiles of model families, read from data: how an endpoint wants to be spoken to."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, Field, JsonValue, ValidationError

from agent.errors import PlannerSettingsError

if TYPE_CHECKING:
    from clarifier.decision import Usage

BUNDLED = Path(__file__).parent / "providers.toml"
PROVIDERS_VARIABLE = "STEAD_PROVIDERS"
"""Names a file with further profiles."""
DEFAULT_PROVIDER = "openai-compatible"

Dialect = Literal["openai", "openai-strict", "moonshot", "gemini", "glm", "hammer", "pythonic"]
ToolChoice = Literal["free", "auto-while-thinking", "auto"]
TextCalls = Literal["none", "hammer", "pythonic"]
Sources = Literal["field", "line", "off"]


class Temperature(BaseModel, frozen=True, extra="forbid"):
    """What the endpoint does with a temperature."""

    mode: Literal["free", "fixed", "own", "ignored-while-thinking"] = "free"
    """`fixed`: one value a mode is taken; `own`: none but the default; `ignored-while-thinking`: it has no effect."""
    thinking: float | None = None
    """Of `fixed`: the value it takes while thinking."""
    plain: float | None = None
    """Of `fixed`: the value it takes otherwise."""
    most: float = Field(default=2.0, ge=0)
    """The highest it takes."""


class Thinking(BaseModel, frozen=True, extra="forbid"):
    """How thinking is switched."""

    default: bool
    """Whether the model thinks unless told otherwise."""
    on: dict[str, JsonValue] = Field(default_factory=dict)
    """What the body of a request says to have it think."""
    off: dict[str, JsonValue] = Field(default_factory=dict)


class Prices(BaseModel, frozen=True, extra="forbid"):
    """US dollars per million tokens."""

    prompt: float = Field(ge=0)
    completion: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)
    """Of prompt tokens read from the cache; `None`: as others."""

    def cost(self, usage: Usage) -> float:
        """Return what `usage` costs, in US dollars."""
        cached = self.prompt if self.cached is None else self.cached
        fresh = (usage.prompt - usage.cached) * self.prompt
        return (fresh + usage.cached * cached + usage.completion * self.completion) / 1e6


class Profile(BaseModel, frozen=True, extra="forbid"):
    """How one family of models wants to be spoken to."""

    name: str = Field(min_length=1)
    title: str = ""
    aliases: tuple[str, ...] = ()
    """Shorter names."""
    model: str | None = None
    """The model's id; `None`: the user's, else the only one the endpoint lists."""
    model_variable: str | None = None
    """The variable that names the model."""
    base_urls: dict[str, str] = Field(default_factory=dict)
    """By region, the default first; empty: the user must name one."""
    url_variable: str | None = None
    """The variable that names another address."""
    key_variables: tuple[str, ...] = Field(min_length=1)
    """Variables that may hold the key, the first that is set goes."""
    key_is_optional: bool = False
    """Whether a server that is named or local may do without a key."""
    temperature: Temperature = Temperature()
    token_limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    max_tokens: int | None = Field(default=None, gt=0)
    """The limit of one answer where the user sets none; `None`: not sent."""
    tool_choice: ToolChoice = "free"
    """Whether a call can be forced."""
    parallel_tool_calls: Literal["unsent", "on", "off"] = "unsent"
    """What is said of several calls in one answer."""
    stream: Literal["never", "always", "always-while-thinking"] = "never"
    """When the answer is streamed where the user does not say; the last two because the endpoint demands it."""
    dialect: Dialect = "openai"
    """How tool schemas are rendered."""
    text_calls: TextCalls = "none"
    """How the model writes calls into its text; `none`: it has tool calls of its own."""
    echo_message: tuple[str, ...] = ()
    """Fields of an assistant message with calls that are sent back unchanged within the turn."""
    echo_call: tuple[str, ...] = ()
    """Fields of a call that are sent back unchanged within the turn."""
    placeholders: dict[str, JsonValue] = Field(default_factory=dict)
    """Stand for fields of `echo_message` that nobody has: of earlier turns, or of another model."""
    call_placeholders: dict[str, JsonValue] = Field(default_factory=dict)
    """The same for `echo_call`."""
    call_id: str = "call_{number}"
    """The ids that calls are shown with: `{number}` counts from 1, `{index}` from 0, `{name}` is the tool's."""
    thinking: Thinking = Thinking(default=False)
    refused_with_tools: tuple[str, ...] = ()
    """Options of `extra_body` that are left out when tools are sent."""
    extra_body: dict[str, JsonValue] = Field(default_factory=dict)
    """Further fields of every request."""
    states_uncertainty: bool = False
    """Whether the model is asked, in the same call, how much the request leaves open."""
    stated_sources: Sources = "off"
    """How the model is asked where each value of a call comes from: by an argument of the call, by a line beside it, or
    not at all."""
    context_tokens: int | None = Field(default=None, gt=0)
    """The window of the model; what is recalled is cut so that the request fits."""
    max_tools: int | None = Field(default=None, gt=1)
    """Most tools of a request; of more, the fitting ones are offered. `None`: unknown, and learnt from a refusal."""
    prices: Prices | None = None
    """`None`: unknown."""

    @property
    def base_url(self) -> str | None:
        """The address of the default region."""
        return next(iter(self.base_urls.values()), None)


def load_profiles(*paths: Path) -> dict[str, Profile]:
    """Return the bundled profiles and those of `paths` by name; of two with one name the later goes.

    Raises:
        PlannerSettingsError: If a file cannot be read or a profile is malformed.
    """
    profiles = dict(_bundled())
    for path in paths:
        profiles.update(_read(path, profiles))
    return profiles


def find_profile(name: str | None, environ: Mapping[str, str]) -> Profile:
    """Return the profile called `name`, the general one for `None`.

    Args:
        name: A profile, or `FILE.toml:NAME` for one of a file of the user's own.
        environ: Its STEAD_PROVIDERS names a file with further profiles.

    Raises:
        PlannerSettingsError: If there is no such profile, or a file is malformed.
    """
    file, _, inner = (name or "").rpartition(":")
    paths = [Path(environ[PROVIDERS_VARIABLE])] if environ.get(PROVIDERS_VARIABLE) else []
    if file.endswith(".toml"):
        paths, name = [*paths, Path(file)], inner
    profiles = load_profiles(*paths)
    wanted = (name or DEFAULT_PROVIDER).casefold()
    found = profiles.get(wanted) or next((one for one in profiles.values() if wanted in one.aliases), None)
    if found is None:
        raise PlannerSettingsError(
            f"no provider is called {name!r}; choose one of {', '.join(profiles)}, or describe your own in a file that "
            f"{PROVIDERS_VARIABLE} names (docs/models.md)"
        )
    return found


@cache
def _bundled() -> Mapping[str, Profile]:
    return _read(BUNDLED, {})


def _read(path: Path, known: Mapping[str, Profile]) -> dict[str, Profile]:
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as exc:
        raise PlannerSettingsError(f"the provider file {path} cannot be read: {exc.strerror or exc}") from exc
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise PlannerSettingsError(f"the provider file {path} is no TOML: {exc}") from exc
    profiles: dict[str, Profile] = {}
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise PlannerSettingsError(
                f"the provider file {path} holds {name!r} outside a table; begin each profile with a line [NAME]"
            )
        profiles[name] = _profile(path, name, table, {**known, **profiles})
    return profiles


def _profile(path: Path, name: str, table: Mapping[str, Any], known: Mapping[str, Profile]) -> Profile:
    fields = dict(table)
    base: dict[str, Any] = {}
    if (like := fields.pop("like", None)) is not None:
        if like not in known:
            raise PlannerSettingsError(
                f"profile {name!r} in {path} is like {like!r}, which is none of {', '.join(known) or 'the profiles'}; "
                f"a profile must stand after the one it is like"
            )
        base = known[like].model_dump(exclude_unset=True, exclude={"aliases"})
    try:
        return Profile.model_validate({**base, **fields, "name": name})
    except ValidationError as exc:
        problems = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}, got {e['input']!r}" for e in exc.errors())
        raise PlannerSettingsError(
            f'profile {name!r} in {path} cannot be used: {problems}. A name with a dot needs quotes: ["my-model-1.0"]'
        ) from exc

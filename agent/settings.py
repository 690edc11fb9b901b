"""What a planner behind an endpoint needs to know."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, Field, SecretStr, ValidationError

from agent.errors import PlannerSettingsError

KEY_VARIABLE = "OPENAI_API_KEY"
URL_VARIABLE = "OPENAI_BASE_URL"
MODEL_VARIABLE = "STEAD_MODEL"


class ChatSettings(BaseModel, frozen=True, extra="forbid"):
    """An OpenAI-compatible endpoint and how it is called."""

    base_url: str = Field(pattern=r"^https?://")
    api_key: SecretStr
    model: str | None = Field(default=None, min_length=1)
    """`None`: the only one the endpoint lists."""
    timeout_s: float = Field(default=60, gt=0)
    """For one attempt."""
    max_retries: int = Field(default=2, ge=0)
    """Further attempts on a timeout, 408, 409, 429 and 5xx, with the SDK's back-off, which honours Retry-After."""
    temperature: float | None = Field(default=None, ge=0)
    """`None`: not sent, the endpoint's own."""
    max_tokens: int | None = Field(default=None, gt=0)
    """Of one answer; `None`: not sent."""

    @classmethod
    def from_environ(
        cls, environ: Mapping[str, str], *, model: str | None = None, base_url: str | None = None
    ) -> ChatSettings:
        """Return the settings that OPENAI_API_KEY, OPENAI_BASE_URL and STEAD_MODEL name.

        Args:
            environ: The environment, say `os.environ`.
            model: Goes before STEAD_MODEL.
            base_url: Goes before OPENAI_BASE_URL.

        Raises:
            PlannerSettingsError: If the key or the URL is missing or wrong; the message names it.
        """
        given = {
            KEY_VARIABLE: environ.get(KEY_VARIABLE),
            URL_VARIABLE: base_url or environ.get(URL_VARIABLE),
        }
        if missing := [name for name, value in given.items() if not value]:
            raise PlannerSettingsError(
                f"the planner `chat` needs {' and '.join(missing)} in the environment: {KEY_VARIABLE} is the key, "
                f"{URL_VARIABLE} an OpenAI-compatible endpoint such as http://localhost:8000/v1 (a local one takes any "
                f"key). The planner `rules` needs none of them"
            )
        try:
            return cls(
                base_url=given[URL_VARIABLE],
                api_key=given[KEY_VARIABLE],
                model=model or environ.get(MODEL_VARIABLE) or None,
            )
        except ValidationError as exc:
            problems = "; ".join(f"{error['loc'][0]}: {error['msg']}, got {error['input']!r}" for error in exc.errors())
            raise PlannerSettingsError(f"the planner `chat` cannot be set up: {problems}") from exc

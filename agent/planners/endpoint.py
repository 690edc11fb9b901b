"""Sends requests to one endpoint: retries within bounds, options it refuses, streams, deadlines, what it all cost."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx2

from agent.errors import (
    PlannerError,
    PlannerOutputError,
    PlannerRateLimitError,
    PlannerRefusedError,
    PlannerSettingsError,
    PlannerTimeoutError,
    PlannerUnavailableError,
)
from agent.planners.failures import explained, is_passing, translated
from agent.planners.streaming import StreamError, assemble
from agent.settings import MODEL_VARIABLE, ChatSettings
from clarifier.decision import Usage

if TYPE_CHECKING:
    from openai import OpenAI

FIRST_WAIT_S = 0.5
"""Before the second attempt; doubled for each further one."""
MAX_BODY_BYTES = 32_000_000
"""Of one answer; no answer of a model comes near."""
MAX_DROPPED = 4
"""Options that one request may lose, so that an endpoint that refuses everything ends it."""
_ESSENTIAL = frozenset({"model", "messages", "tools", "stream"})
_RENAMED = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}


class Answered(NamedTuple):
    """What came of a request."""

    message: Mapping[str, Any]
    """The assistant's message as JSON."""
    finish_reason: str | None
    usage: Usage
    """Of all attempts that reported it."""
    notes: tuple[str, ...]
    """What was left out, since the endpoint refuses it."""
    attempts: tuple[str, ...]
    """What failed on the way."""
    seconds: float
    """From the first attempt to the answer, waits included."""


@dataclass
class _Account:
    """What one request has cost so far."""

    usage: Usage = field(default_factory=Usage)
    attempts: list[str] = field(default_factory=list)


class Endpoint:
    """One endpoint with its client. Threads may share it; `close` ends its connections.

    Args:
        settings: Where it is and how it is called.
        sleep: Waits so many seconds.
    """

    def __init__(self, settings: ChatSettings, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self.settings = settings
        self._sleep = sleep
        self._client: OpenAI | None = None
        self._model = settings.model
        self._lock = threading.Lock()
        self._retries_left = settings.run_retries
        self._refused: dict[str, str] = {}
        """Options that the endpoint refused once, with what is sent instead: another name, or nothing."""

    def close(self) -> None:
        """Close the connections; a later request opens them again."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    @property
    def model(self) -> str:
        """The model's id; asks the endpoint for its only one where the settings name none.

        Raises:
            PlannerSettingsError: If the endpoint lists none or several.
            PlannerError: If it gives no list.
        """
        if self._model is None:
            listed = self.models()
            if len(listed) != 1:
                raise PlannerSettingsError(
                    f"{self.settings.base_url} offers {', '.join(listed[:20]) or 'no model'}; "
                    f"name one in {MODEL_VARIABLE} or with --model"
                )
            self._model = listed[0]
        return self._model

    def models(self) -> list[str]:
        """Return the ids of the models that the endpoint lists, sorted.

        Raises:
            PlannerError: If it gives no list.
        """
        with translated(self.where, self.settings.timeout_s):
            return sorted(model.id for model in self._opened().models.list())

    def check(self) -> None:
        """Make sure, at no cost, that somebody answers at the address and takes the key.

        Whether the model is there is left to the first request: not every endpoint lists all that it takes.

        Raises:
            PlannerSettingsError: If not.
        """
        try:
            self.models()
        except PlannerError as exc:
            is_absent = isinstance(exc, PlannerUnavailableError) and exc.status is None
            if is_absent or (isinstance(exc, PlannerRefusedError) and exc.status == 401):
                raise PlannerSettingsError(explained(exc)) from exc

    @property
    def where(self) -> str:
        """Model and address, for messages."""
        return f"{self._model!r} at {self.settings.base_url}" if self._model else self.settings.base_url

    def complete(self, body: Mapping[str, Any], *, seconds_left: float) -> Answered:
        """Return the answer to a request.

        A passing failure is tried again, `max_retries` times and as long as the run's budget lasts, after the wait the
        endpoint asks for. An option that a 400 names is left out once, and in all later requests. A stream that breaks
        is asked for once more without streaming.

        Args:
            body: The request as JSON.
            seconds_left: Most time this may take.

        Raises:
            PlannerError: If there is no answer; with what was spent, left out and tried.
        """
        started = time.monotonic()
        account = _Account()
        asked, body = body, self._without_refused(body)
        retries = dropped = 0
        while True:
            left = seconds_left - (time.monotonic() - started)
            try:
                completion = self._attempt(body, left)
                break
            except StreamError as exc:
                account.usage += read_usage(exc.usage)
                account.attempts.append(f"the stream failed: {exc}")
                if body.get("stream") and not self.settings.demands_stream:
                    body = {k: v for k, v in body.items() if k not in ("stream", "stream_options")}
                    continue
                error: PlannerError = PlannerOutputError(f"{self.where} broke off its stream: {exc}")
            except PlannerRefusedError as exc:
                option = refused_option(body, exc) if dropped < MAX_DROPPED else None
                if option is not None:
                    self._remember_refused(option, exc)
                    body = self._without_refused(body)
                    dropped += 1
                    account.attempts.append(f"{option} was refused: {exc}")
                    continue
                error = exc
            except PlannerError as exc:
                error = exc
            left = seconds_left - (time.monotonic() - started)
            wait = self._wait_s(error, retries, left)
            if wait is None:
                raise error.after(account.usage, self._left_out(asked, body), account.attempts)
            retries += 1
            account.attempts.append(f"attempt {retries} failed, {wait:g} s later the next: {error}")
            self._sleep(wait)
        choice = completion["choices"][0]
        return Answered(
            choice["message"],
            choice.get("finish_reason"),
            account.usage + read_usage(completion.get("usage")),
            tuple(self._left_out(asked, body)),
            tuple(account.attempts),
            time.monotonic() - started,
        )

    def _wait_s(self, error: PlannerError, retries: int, seconds_left: float) -> float | None:
        """Return how long to wait before the next attempt, `None` where there is none."""
        if not is_passing(error) or retries >= self.settings.max_retries:
            return None
        asked = error.retry_after_s if isinstance(error, PlannerRateLimitError | PlannerUnavailableError) else None
        wait = min(FIRST_WAIT_S * 2**retries, self.settings.max_wait_s) if asked is None else asked
        if wait > self.settings.max_wait_s or wait >= seconds_left:
            return None
        with self._lock:
            if self._retries_left <= 0:
                return None
            self._retries_left -= 1
        return wait

    def _attempt(self, body: Mapping[str, Any], seconds_left: float) -> Mapping[str, Any]:
        timeout = min(self.settings.timeout_s, seconds_left)
        if timeout <= 0:
            raise PlannerTimeoutError(f"{self.where} took all the {self.settings.turn_timeout_s:g} s of the turn")
        deadline = time.monotonic() + timeout
        rest = {key: value for key, value in body.items() if key not in ("model", "messages")}
        with translated(self.where, timeout):
            client = self._opened().with_options(timeout=timeout)
            sent = client.chat.completions.with_streaming_response.create(
                model=body["model"], messages=body["messages"], extra_body=rest
            )
            with sent as response:
                parts = _within(response.iter_bytes(), deadline)
                if "event-stream" in response.headers.get("content-type", ""):
                    return checked(_assembled(parts), self.where)
                text = b"".join(parts).decode("utf-8", "replace")
                return checked(_json(text, response.headers.get("content-type", "")), self.where)

    def _without_refused(self, body: Mapping[str, Any]) -> dict[str, Any]:
        made = dict(body)
        for option, instead in list(self._refused.items()):
            value = made.pop(option, None)
            if value is not None and instead:
                made[instead] = value
        return made

    def _remember_refused(self, option: str, error: PlannerRefusedError) -> None:
        """Have an option left out of all further requests, or sent by the name that the refusal gives for it."""
        other = _RENAMED.get(option, "")
        is_named = bool(other) and re.search(rf"\b{other}\b", str(error)) is not None
        with self._lock:
            for known, instead in self._refused.items():
                if instead == option:  # it stood for another one; neither name is taken
                    self._refused[known] = ""
            self._refused[option] = other if is_named and other not in self._refused else ""

    def _left_out(self, asked: Mapping[str, Any], sent: Mapping[str, Any]) -> Iterator[str]:
        """Yield what became of the options that the endpoint refuses."""
        for option, instead in list(self._refused.items()):
            if option in asked and option not in sent:
                became = f"sent as {instead}" if instead else "left out"
                yield f"{option} is {became}, since the endpoint refused it"

    def _opened(self) -> OpenAI:
        from openai import OpenAI

        with self._lock:
            if self._client is None:
                self._client = OpenAI(
                    base_url=self.settings.base_url,
                    api_key=self.settings.api_key.get_secret_value(),
                    timeout=self.settings.timeout_s,
                    max_retries=0,
                )
            return self._client


def refused_option(body: Mapping[str, Any], error: PlannerRefusedError) -> str | None:
    """Return the one option of a request that a 400 is about, `None` where it is about none or several."""
    if error.status not in (400, 422):
        return None
    options = [key for key in body if key not in _ESSENTIAL]
    if error.parameter in options:
        return error.parameter
    if error.parameter and error.parameter.partition(".")[0].partition("[")[0] in _ESSENTIAL:
        return None
    named = [key for key in options if re.search(rf"(?<![\w.]){re.escape(key)}(?![\w.]*\w)", str(error))]
    return named[0] if len(named) == 1 else None


def read_usage(usage: Any) -> Usage:
    """Return the tokens that an endpoint reports, 0 where it does not."""
    if not isinstance(usage, Mapping):
        return Usage()
    details = usage.get("prompt_tokens_details")
    places = (details.get("cached_tokens") if isinstance(details, Mapping) else None,
              usage.get("prompt_cache_hit_tokens"), usage.get("cached_tokens"))  # fmt: skip
    cached = next((_count(place) for place in places if place), 0)
    return Usage(
        prompt=_count(usage.get("prompt_tokens")), completion=_count(usage.get("completion_tokens")), cached=cached
    )


def checked(completion: Any, where: str) -> Mapping[str, Any]:
    """Return a chat completion that has a message.

    Raises:
        PlannerOutputError: If it has none.
    """
    choices = completion.get("choices") if isinstance(completion, Mapping) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, Mapping) or not isinstance(choice.get("message"), Mapping):
        raise PlannerOutputError(f"{where} answered no chat completion but {str(completion)[:200]!r}")
    return completion  # type: ignore[no-any-return] # a Mapping, as has been checked


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _within(parts: Iterator[bytes], deadline: float) -> Iterator[bytes]:
    """Yield the parts of a body until it is too late or too much; the client's timeout begins anew with each part."""
    size = 0
    for part in parts:
        size += len(part)
        if time.monotonic() > deadline:
            raise httpx2.ReadTimeout("the answer goes on for too long")
        if size > MAX_BODY_BYTES:
            raise ValueError(f"an answer of more than {MAX_BODY_BYTES} bytes")
        yield part


def _json(text: str, content_type: str) -> Any:
    """Return the JSON value of a body; a body that is not announced as JSON and is none, as text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        if "json" in content_type:
            raise ValueError(f"no JSON: {text[:200]!r}") from None
        return text


def _assembled(parts: Iterator[bytes]) -> Mapping[str, Any]:
    try:
        return assemble(_events(parts))
    except httpx2.TransportError as exc:
        if isinstance(exc, httpx2.TimeoutException):
            raise
        raise StreamError(f"the connection was lost: {exc}") from exc


def _events(parts: Iterator[bytes]) -> Iterator[str]:
    """Yield the data of server-sent events (HTML standard, section 9.2.6) up to `[DONE]`."""
    lines: list[str] = []
    for line in _lines(parts):
        if line:
            name, _, value = line.partition(":")
            lines += [value.removeprefix(" ")] if name == "data" else []
        elif lines:
            data, lines = "\n".join(lines), []
            if data.strip() == "[DONE]":
                return
            yield data
    if lines and "".join(lines).strip() != "[DONE]":
        yield "\n".join(lines)


def _lines(parts: Iterator[bytes]) -> Iterator[str]:
    rest = b""
    for part in parts:
        *lines, rest = (rest + part).replace(b"\r\n", b"\n").split(b"\n")
        yield from (line.decode("utf-8", "replace") for line in lines)
    if rest:
        yield rest.decode("utf-8", "replace")

"""What a failed request is to us: which error, whether it may pass, and how long to wait."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2

from agent.errors import (
    PlannerError,
    PlannerOutputError,
    PlannerRateLimitError,
    PlannerRefusedError,
    PlannerTimeoutError,
    PlannerUnavailableError,
)

_OUT_OF_MONEY = ("insufficient_quota", "insufficient balance", "exceeded your current quota", "billing")
"""A 429 or 402 that says so does not pass by waiting."""
_NO_SUCH_MODEL = re.compile(
    r"\bmodel\b.{0,80}(?:not exist|not found|不存在)|(?:unknown|invalid|no such) model|模型不存在", re.IGNORECASE
)
_MODERATED = re.compile("moderat|flagged", re.IGNORECASE)
"""A 403 that says so is about one request."""


@contextmanager
def translated(where: str, timeout_s: float) -> Iterator[None]:
    """Turn what the SDK and its transport raise into our errors, with what the endpoint said.

    Args:
        where: Model and address.
        timeout_s: What one attempt was given.
    """
    import openai

    try:
        yield
    except (openai.APITimeoutError, httpx2.TimeoutException) as exc:
        raise PlannerTimeoutError(f"{where} gave no answer within {timeout_s:g} s") from exc
    except openai.APIStatusError as exc:
        raise _of_status(exc, where) from exc
    except (openai.APIConnectionError, httpx2.TransportError) as exc:
        raise PlannerUnavailableError(f"{where} cannot be reached: {exc}") from exc
    except openai.OpenAIError as exc:
        raise PlannerOutputError(f"{where} answered something unreadable: {exc}") from exc
    except ValueError as exc:
        from agent.planners.streaming import StreamError

        if isinstance(exc, StreamError):
            raise
        raise PlannerOutputError(f"{where} answered something unreadable: {exc}") from exc


def is_passing(error: PlannerError) -> bool:
    """Return whether the same request may succeed later."""
    if isinstance(error, PlannerRefusedError):
        return error.status in (408, 409)
    if isinstance(error, PlannerRateLimitError):
        return not _is_out_of_money(error)
    return isinstance(error, PlannerTimeoutError | PlannerUnavailableError | PlannerOutputError)


def ends_everything(error: PlannerError) -> bool:
    """Return whether every further request would fail alike: by its key, its account, its model or its address."""
    if isinstance(error, PlannerRateLimitError):
        return _is_out_of_money(error)
    if not isinstance(error, PlannerRefusedError):
        return False
    if error.status == 403:
        return not _MODERATED.search(str(error))
    is_of_model = error.parameter == "model" or bool(_NO_SUCH_MODEL.search(str(error)))
    return error.status in (401, 402, 404) or is_of_model


def explained(error: PlannerError) -> str:
    """Return what an error means for whoever set the endpoint up, and what the endpoint said."""
    if isinstance(error, PlannerRefusedError) and error.status in (401, 403):
        return f"the key is not taken; check that it is of this provider and of this region ({error})"
    if isinstance(error, PlannerRefusedError) and error.status == 402:
        return f"the account has no money left ({error})"
    if isinstance(error, PlannerRefusedError) and ends_everything(error):
        return f"there is no such model or path; check --model, and that --base-url ends as the provider says ({error})"
    if isinstance(error, PlannerRateLimitError):
        return f"the account's limit is used up for now ({error})"
    if isinstance(error, PlannerTimeoutError):
        return f"it took too long; is the model loaded? ({error})"
    if isinstance(error, PlannerUnavailableError):
        return f"nothing works at that address; is the server running, and is the address right? ({error})"
    return str(error)


def retry_after_s(headers: Mapping[str, str], *, now: datetime) -> float | None:
    """Return the wait that an answer asks for, in seconds; `None` where it asks for none.

    Args:
        headers: Of the answer; `retry-after-ms` goes before `Retry-After` (seconds or a date, RFC 9110).
        now: With a zone.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    asked = headers.get("retry-after")
    seconds = _number(asked)
    if seconds is not None or not asked:
        return seconds
    try:
        when = parsedate_to_datetime(asked)
    except ValueError:
        return None
    return max((when.replace(tzinfo=when.tzinfo or UTC) - now).total_seconds(), 0)


def _of_status(exc: Any, where: str) -> PlannerError:
    status = int(exc.status_code)
    wait = retry_after_s(exc.response.headers, now=datetime.now(UTC))
    if status == 429:
        return PlannerRateLimitError(f"{where} refuses for now: {exc}", retry_after_s=wait)
    if status >= 500:
        return PlannerUnavailableError(f"{where} fails: {exc}", retry_after_s=wait, status=status)
    body = exc.body if isinstance(exc.body, Mapping) else {}
    parameter = body.get("param")
    return PlannerRefusedError(
        f"{where} refuses the request: {exc}",
        status=status,
        parameter=parameter if isinstance(parameter, str) else None,
    )


def _is_out_of_money(error: PlannerRateLimitError) -> bool:
    return any(words in str(error).lower() for words in _OUT_OF_MONEY)


def _number(text: str | None) -> float | None:
    try:
        number = float(text) if text else None
    except ValueError:
        return None
    return number if number is not None and 0 <= number < float("inf") else None

"""What an endpoint wants back within a turn (reasoning, signatures): kept from its answer, and sent with the calls.

It is kept unread and byte for byte, and only for the model it came from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import JsonValue

from agent.providers import Profile
from clarifier.decision import Proposal
from memory.records import ToolCall

Fields = dict[str, Any]


def kept_echo(
    message: Mapping[str, Any], calls: Sequence[Mapping[str, Any] | None], profile: Profile, model: str | None
) -> dict[str, JsonValue]:
    """Return what of an answer must go back; empty where nothing must.

    Args:
        message: The assistant's message as JSON.
        calls: The message's call behind each proposed one, in the proposal's order; `None` where there is none.
        profile: Says which fields go back.
        model: The model's id.
    """
    fields = _chosen(message, profile.echo_message)
    by_call = [_chosen(call or {}, profile.echo_call) for call in calls]
    if not fields and not any(by_call):
        return {}
    return {"model": _whose(profile, model), "message": fields, "calls": list[JsonValue](by_call)}


def echoed(
    proposal: Proposal | None, calls: Sequence[ToolCall], profile: Profile, model: str | None
) -> tuple[Fields, list[Fields]]:
    """Return the fields that go back with a message and with each of its calls.

    Args:
        proposal: Where the calls come from; `None` where that is not known.
        calls: Those that are shown, in order.
        profile: Of the model that is asked now.
        model: Its id; what another one said is not for it.
    """
    echo = proposal.echo if proposal is not None else {}
    if echo.get("model") != _whose(profile, model):
        echo = {}
    said, by_call = echo.get("message"), echo.get("calls")
    own: dict[str, Fields] = {}
    if proposal is not None and isinstance(by_call, list):
        own = {
            call.id: fields for call, fields in zip(proposal.calls, by_call, strict=False) if isinstance(fields, dict)
        }
    # Only the first call of a message has a signature where they were proposed together.
    has_none = not any(own.get(call.id) for call in calls)
    placeholders = [profile.call_placeholders if has_none and not number else {} for number in range(len(calls))]
    return (
        {**profile.placeholders, **(said if isinstance(said, dict) else {})},
        [{**placeholder, **own.get(call.id, {})} for placeholder, call in zip(placeholders, calls, strict=True)],
    )


def _chosen(fields: Mapping[str, Any], names: Sequence[str]) -> dict[str, JsonValue]:
    return {name: fields[name] for name in names if fields.get(name) is not None}


def _whose(profile: Profile, model: str | None) -> str:
    return f"{profile.name}/{model or profile.model or ''}"

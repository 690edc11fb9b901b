"""The body of a request, as a profile wants it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from agent.providers import Profile
from agent.settings import ChatSettings


class Request(NamedTuple):
    """What is sent."""

    body: dict[str, Any]
    notes: tuple[str, ...]
    """What was asked for and is not sent, and why."""


def build_request(
    settings: ChatSettings,
    model: str,
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]] = (),
    *,
    forced: str | None = None,
) -> Request:
    """Return the request for one answer.

    Args:
        settings: With the profile.
        model: The model's id.
        messages: The conversation.
        tools: In the profile's dialect; none for a model that writes its calls into its text.
        forced: The name of a tool that must be called. An endpoint that refuses this is offered that tool alone.
    """
    profile = settings.profile
    body: dict[str, Any] = {"model": model, "messages": list(messages)}
    if tools:
        body["tools"] = list(tools)
        if profile.parallel_tool_calls != "unsent":
            body["parallel_tool_calls"] = profile.parallel_tool_calls == "on"
    options, notes = request_options(settings, has_tools=bool(tools))
    body.update(options)
    if forced is not None and tools:
        if can_force(profile, settings.is_thinking):
            body["tool_choice"] = {"type": "function", "function": {"name": forced}}
        else:
            body["tools"] = [tool for tool in tools if tool["function"]["name"] == forced]
            notes = (*notes, f"a call of {forced!r} cannot be forced here, so it is the only tool offered")
    return Request(body, notes)


def request_options(settings: ChatSettings, *, has_tools: bool = True) -> Request:
    """Return the options of every request, without model, messages and tools; a manifest records them."""
    profile, notes = settings.profile, []
    options: dict[str, Any] = dict(profile.extra_body)
    if settings.thinking is not None:
        options.update(profile.thinking.on if settings.thinking else profile.thinking.off)
    for name in profile.refused_with_tools if has_tools else ():
        if options.pop(name, None) is not None:
            notes.append(f"{name} is not sent, since the endpoint refuses it together with tools")
    temperature = _temperature(settings)
    if temperature is not None:
        options["temperature"] = temperature
    if settings.temperature is not None and temperature != settings.temperature:
        sent = "not sent" if temperature is None else f"sent as {temperature:g}"
        notes.append(f"the temperature {settings.temperature:g} is {sent}, since the endpoint takes no other")
    if (limit := settings.max_tokens or profile.max_tokens) is not None:
        options[profile.token_limit] = limit
    if settings.is_streaming:
        options["stream"] = True
        options["stream_options"] = {"include_usage": True}
    return Request(options, tuple(notes))


def can_force(profile: Profile, is_thinking: bool) -> bool:
    """Return whether the endpoint takes a `tool_choice` that demands a call."""
    return profile.tool_choice == "free" or (profile.tool_choice == "auto-while-thinking" and not is_thinking)


def _temperature(settings: ChatSettings) -> float | None:
    if settings.temperature is None:
        return None
    rule, is_thinking = settings.profile.temperature, settings.is_thinking
    if rule.mode == "fixed":
        return rule.thinking if is_thinking else rule.plain
    if rule.mode == "own" or (rule.mode == "ignored-while-thinking" and is_thinking):
        return None
    return min(settings.temperature, rule.most)

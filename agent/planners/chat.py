"""The planner `chat`: any OpenAI-compatible endpoint with tool calling."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import JsonValue

from agent.errors import (
    PlannerOutputError,
    PlannerRateLimitError,
    PlannerRefusedError,
    PlannerSettingsError,
    PlannerTimeoutError,
    PlannerUnavailableError,
)
from agent.planners.prompt import ASK_TOOL, build_messages, offers_ask_tool, tool_definitions
from agent.settings import MODEL_VARIABLE, ChatSettings
from clarifier.decision import Proposal, Situation, Usage
from memory.evidence import Slot
from memory.records import ToolCall

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types.chat import ChatCompletion, ChatCompletionMessage

MAX_REPAIRS = 2
"""Times one plan may go back to the model because a call cannot be read."""
_THOUGHTS = re.compile(r"\A\s*<think>.*?(</think>|\Z)", re.DOTALL)
_HELD = "not run, since another call of this answer cannot be read"
_RETRY = ". Send every call of this answer again, corrected."
_CLOSING_MARKS = " \t\r\n\"'”’」』）)*_"


class RawCall(NamedTuple):
    """A tool call as the endpoint sends it."""

    id: str
    name: str
    arguments: str
    """JSON, if all is well."""


class Reading(NamedTuple):
    """What one answer of the model comes to."""

    proposal: Proposal
    faults: dict[str, str]
    """By id of a call that cannot be read: what is wrong with it, for the model to mend."""


class ChatPlanner:
    """Asks a chat model what to do next.

    Threads may share it. Its client is made at the first plan; `close` (or leaving a `with`) closes the connections.
    """

    name = "chat"

    def __init__(self, settings: ChatSettings) -> None:
        self.settings = settings
        self._client: OpenAI | None = None
        self._model = settings.model
        self._lock = threading.Lock()

    def __enter__(self) -> ChatPlanner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections; a later plan opens them again."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def plan(self, situation: Situation) -> Proposal:
        """Return what the model proposes.

        A call that cannot be read (arguments that are no JSON object, a tool that is not on offer) goes back to the
        model with the reason, MAX_REPAIRS times; after that such calls are left out.

        Raises:
            PlannerError: If the endpoint gives no answer; its subclass says why.
        """
        messages, tools = build_messages(situation), tool_definitions(situation.tools)
        spent = Usage()
        for attempt in range(MAX_REPAIRS + 1):
            completion = self._complete(messages, tools)
            spent += _usage(completion)
            message = completion.choices[0].message
            raw = _raw_calls(message)
            reading = read_answer(raw, message.content or message.refusal or "", situation)
            if not reading.faults or attempt == MAX_REPAIRS:
                break
            messages = [*messages, *_repair_messages(raw, reading.faults)]
        return replace(reading.proposal, usage=spent)

    @property
    def model(self) -> str:
        """The model's id; asks the endpoint for its only one where the settings name none.

        Raises:
            PlannerSettingsError: If the endpoint lists none or several.
            PlannerError: If it gives no list.
        """
        if self._model is None:
            with self._translated():
                listed = sorted(model.id for model in self._opened().models.list())
            if len(listed) != 1:
                raise PlannerSettingsError(
                    f"{self.settings.base_url} offers {', '.join(listed[:20]) or 'no model'}; "
                    f"name one in {MODEL_VARIABLE} or with --model"
                )
            self._model = listed[0]
        return self._model

    def _complete(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> ChatCompletion:
        from openai.types.chat import ChatCompletion

        settings = self.settings
        request: dict[str, Any] = {"model": self.model, "messages": messages, "tools": tools}
        if settings.temperature is not None:
            request["temperature"] = settings.temperature
        if settings.max_tokens is not None:
            request["max_tokens"] = settings.max_tokens
        with self._translated():
            completion: Any = self._opened().chat.completions.create(**request)
        # The SDK builds its types without checking them.
        if (
            not isinstance(completion, ChatCompletion)
            or not completion.choices
            or completion.choices[0].message is None
        ):
            raise PlannerOutputError(f"{self._where} answered no chat completion but {str(completion)[:200]!r}")
        return completion

    @property
    def _where(self) -> str:
        return f"{self._model!r} at {self.settings.base_url}" if self._model else self.settings.base_url

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn what the SDK raises into our errors, with what it said."""
        import openai

        settings = self.settings
        try:
            yield
        except openai.APITimeoutError as exc:
            raise PlannerTimeoutError(
                f"{self._where} gave no answer within {settings.timeout_s:g} s, {settings.max_retries + 1} times"
            ) from exc
        except openai.RateLimitError as exc:
            wait = exc.response.headers.get("retry-after", "")
            seconds = float(wait) if wait.replace(".", "", 1).isdigit() else None
            raise PlannerRateLimitError(f"{self._where} refuses for now: {exc}", retry_after_s=seconds) from exc
        except openai.APIStatusError as exc:
            if exc.status_code >= 500:
                raise PlannerUnavailableError(f"{self._where} fails: {exc}") from exc
            raise PlannerRefusedError(f"{self._where} refuses the request: {exc}", status=exc.status_code) from exc
        except openai.APIConnectionError as exc:
            raise PlannerUnavailableError(f"{self._where} cannot be reached: {exc}") from exc
        except (openai.OpenAIError, ValueError) as exc:  # ValueError: a body that is announced as JSON and is none
            raise PlannerOutputError(f"{self._where} answered something unreadable: {exc}") from exc

    def _opened(self) -> OpenAI:
        from openai import OpenAI

        with self._lock:
            if self._client is None:
                self._client = OpenAI(
                    base_url=self.settings.base_url,
                    api_key=self.settings.api_key.get_secret_value(),
                    timeout=self.settings.timeout_s,
                    max_retries=self.settings.max_retries,
                )
            return self._client


def read_answer(raw: Sequence[RawCall], text: str, situation: Situation) -> Reading:
    """Return what an answer proposes: calls go before a question, and a question before a reply.

    Args:
        raw: Its tool calls.
        text: Its text; one that ends with a question mark is a question.
        situation: What the model was shown.
    """
    faults: dict[str, str] = {}
    calls: list[ToolCall] = []
    question: Proposal | None = None
    for call in raw:
        arguments = _object(call.arguments)
        if arguments is None:
            faults[call.id] = f"the arguments are no JSON object: {call.arguments[:200]!r}"
        elif call.name == ASK_TOOL and offers_ask_tool(situation.tools):
            question = question or _question(arguments)
        elif situation.tool(call.name) is None:
            known = ", ".join(sorted({tool.name for tool in situation.tools}))
            faults[call.id] = f"no tool is called {call.name!r}; there are: {known or 'none'}"
        else:
            # A value that a model does not know it sends as null or as nothing.
            filled = {name: value for name, value in arguments.items() if value is not None and value != ""}
            calls.append(ToolCall(id=call.id, name=call.name, arguments=filled))
    if calls:
        return Reading(Proposal(calls=tuple(calls)), faults)
    return Reading(question or _text_proposal(text if not raw else ""), faults)


def _text_proposal(text: str) -> Proposal:
    said = _mended(_THOUGHTS.sub("", text)).strip()
    if said.rstrip(_CLOSING_MARKS).endswith(("?", "？")):
        return Proposal(question=said)
    return Proposal(reply=said or None)


def _question(arguments: dict[str, JsonValue]) -> Proposal | None:
    text, slots = arguments.get("question"), arguments.get("slots")
    if not isinstance(text, str) or not text.strip():
        return None
    named = [slot.partition(".") for slot in slots if isinstance(slot, str)] if isinstance(slots, list) else []
    asked = tuple(dict.fromkeys(Slot(tool, argument) for tool, _, argument in named if tool and argument))
    return Proposal(question=text.strip(), question_slots=asked)


def _object(text: str) -> dict[str, JsonValue] | None:
    """Return the JSON object that `text` is, `None` where it is none; no text at all is an empty one."""

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is no JSON")

    try:
        value = json.loads(text or "{}", parse_constant=refuse)
        if isinstance(value, dict):
            mended: dict[str, JsonValue] = json.loads(_mended(json.dumps(value, ensure_ascii=False)))
            return mended
    except (ValueError, RecursionError):
        pass
    return None


def _mended(text: str) -> str:
    """Return `text` with halves of surrogate pairs joined, and lone ones, which nothing can store, replaced."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _raw_calls(message: ChatCompletionMessage) -> list[RawCall]:
    """Return the calls of a message, each with an id of its own."""
    calls: list[RawCall] = []
    used: set[str] = set()
    for number, call in enumerate(message.tool_calls or (), start=1):
        if call.type != "function" or call.function is None:
            continue
        call_id = call.id if call.id and call.id not in used else f"{call.id or 'call'}-{number}"
        used.add(call_id)
        calls.append(RawCall(call_id, call.function.name or "", call.function.arguments or ""))
    return calls


def _repair_messages(raw: Sequence[RawCall], faults: dict[str, str]) -> list[dict[str, Any]]:
    """Return the answer with an answer to each of its ids, and without the faulty arguments, which endpoints refuse."""
    tool_calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": "{}" if call.id in faults else call.arguments or "{}"},
        }
        for call in raw
    ]
    answers = [
        {
            "role": "tool",
            "tool_call_id": call.id,
            "content": json.dumps({"error": faults.get(call.id, _HELD) + _RETRY}, ensure_ascii=False),
        }
        for call in raw
    ]
    return [{"role": "assistant", "content": "", "tool_calls": tool_calls}, *answers]


def _usage(completion: ChatCompletion) -> Usage:
    usage = completion.usage
    if usage is None:
        return Usage()
    return Usage(prompt=usage.prompt_tokens or 0, completion=usage.completion_tokens or 0)

"""A server process that speaks the chat API with one provider's refusals, and a model that makes a loop of three steps.

The rules of a house are written down here from the providers' documentation and from errors that users reported, apart
from the profiles they test. `python -m tests.provider_server '{"house": "kimi"}'` prints its port and serves.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.request import urlopen

from tests.schema_rules import faults
from tests.shared import ROOT

STEPS: list[list[tuple[str, dict[str, Any]]]] = [
    [("find_table", {"place": "Turin"})],
    [("weather", {"place": "Turin"}), ("calendar", {"day": "2026-03-09"}), ("weather", {"place": "Asti"})],
    [("book_table", {"table_id": "T7", "time": "20:00"})],
]
"""The calls of each step; after the last the model replies."""
REPLY = "Booked: “T7” at 20:00."
_BODY = {
    "model", "messages", "tools", "temperature", "max_tokens", "max_completion_tokens", "stream", "stream_options",
    "tool_choice",
}  # fmt: skip
_MESSAGE = {"role", "content", "tool_calls", "tool_call_id"}
_THINKERS = ("kimi", "deepseek", "glm", "qwen")
_SCHEMAS = {"kimi": "moonshot", "gemini": "gemini"}


def reasoning(step: int) -> str:
    """Return what the model thinks before a step, with all that is easily lost on the way."""
    return f" step {step}: \u2028 “why”\t\\n <think> 思考 \n\n"


def signature(step: int) -> str:
    """Return the signature of a step's first call."""
    return f"sig+{step}/=="


class Refused(Exception):
    """A 400, with the option it names."""

    def __init__(self, message: str, parameter: str | None = None) -> None:
        self.parameter = parameter
        super().__init__(message)


def check(house: str, body: Mapping[str, Any]) -> None:
    """Raise Refused where the provider refuses a request."""
    _check_history(body["messages"])
    _check_options(house, body)
    for tool in body.get("tools", ()):
        function = tool["function"]
        if not re.fullmatch("[a-zA-Z_][a-zA-Z0-9_-]{0,63}", function["name"]):
            raise Refused(f"Invalid name {function['name']!r}", "tools[0].function.name")
        if found := faults(_SCHEMAS.get(house, "openai"), function["parameters"]):
            raise Refused(f"tools.function.parameters is not a valid schema, details: <{found}>")
    _check_echo(house, body)


def _check_history(messages: list[dict[str, Any]]) -> None:
    """Every call is answered exactly once, before anything else is said."""
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "tool" and (message["tool_call_id"] in waiting or _is_text(messages)):
            waiting = [one for one in waiting if one != message["tool_call_id"]]
            continue
        if waiting or message["role"] == "tool":
            raise Refused(f"tool_call_ids did not have response messages: {waiting or message}")
        for call in message.get("tool_calls") or ():
            if not isinstance(json.loads(call["function"]["arguments"]), dict) or call["id"] in waiting:
                raise Refused(f"invalid call {call}")
            waiting.append(call["id"])
    if waiting:
        raise Refused(f"tool_call_ids did not have response messages: {waiting}")


def _is_text(messages: list[dict[str, Any]]) -> bool:
    return not any(message.get("tool_calls") for message in messages)


def _is_thinking(house: str, body: Mapping[str, Any]) -> bool:
    if house == "qwen":
        return bool(body.get("enable_thinking", True))
    return house in _THINKERS and body.get("thinking", {}).get("type") != "disabled"


def _check_options(house: str, body: Mapping[str, Any]) -> None:
    is_thinking = _is_thinking(house, body)
    temperature, choice = body.get("temperature"), body.get("tool_choice", "auto")
    if house == "kimi" and temperature not in (None, 1.0 if is_thinking else 0.6):
        raise Refused(f"invalid temperature: only {1 if is_thinking else 0.6} is allowed for this model")
    if house == "gpt" and temperature not in (None, 1):
        raise Refused("Unsupported value: 'temperature' does not support 0 with this model.", "temperature")
    if house == "gpt" and "max_tokens" in body:
        raise Refused("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "max_tokens")
    if house == "gpt" and body.get("tools") and body.get("reasoning_effort"):
        raise Refused("Function tools with reasoning_effort are not supported for gpt-5.4", "reasoning_effort")
    if house == "glm" and temperature is not None and temperature > 1:
        raise Refused("temperature must be within [0, 1]")
    if choice != "auto" and (house == "glm" or (house in _THINKERS and is_thinking)):
        raise Refused("The tool_choice parameter does not support being set to required or object in thinking mode")
    if house == "qwen" and is_thinking and not body.get("stream"):
        raise Refused("parameter.enable_thinking must be set to false for non-streaming calls")
    if house == "top_k" and "temperature" in body:
        raise Refused("Unrecognized request argument supplied: temperature")
    if house == "text" and body.get("tools"):
        raise Refused('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set')


def _check_echo(house: str, body: Mapping[str, Any]) -> None:
    messages = body["messages"]
    last_request = max(index for index, message in enumerate(messages) if message["role"] == "user")
    made = 0
    for index, message in enumerate(messages):
        if house == "plain" and (extra := sorted(set(message) - _MESSAGE)):
            raise Refused(f"Extra inputs are not permitted: messages[{index}].{extra[0]}")
        if not message.get("tool_calls"):
            continue
        is_own = index > last_request
        if house in ("kimi", "deepseek", "glm") and _is_thinking(house, body):
            said = message.get("reasoning_content")
            if (house != "glm" and not said) or (is_own and said != reasoning(made)):
                raise Refused(f"reasoning_content is missing in assistant tool call message at index {index}")
        if house == "gemini":
            signed = message["tool_calls"][0].get("extra_content", {}).get("google", {}).get("thought_signature")
            expected = signature(made) if is_own else "skip_thought_signature_validator"
            if signed != expected:
                raise Refused("Function call is missing a thought_signature in functionCall parts.")
        if house == "plain" and any(set(call) - {"id", "type", "function"} for call in message["tool_calls"]):
            raise Refused("Extra inputs are not permitted: tool_calls")
        made += is_own
    if house == "plain" and (extra := sorted(set(body) - _BODY)):
        raise Refused(f"Extra inputs are not permitted: {extra[0]}")


def answer(house: str, body: Mapping[str, Any], form: str) -> dict[str, Any]:
    """Return the assistant's message for a request."""
    last = max(index for index, message in enumerate(body["messages"]) if message["role"] == "user")
    since = body["messages"][last + 1 :]
    if house == "text":
        return _written(since, body["messages"][0]["content"], form)
    if isinstance(choice := body.get("tool_choice"), dict):
        return _calling(house, 0, [(choice["function"]["name"], {"text": "ping"})])
    offered = {tool["function"]["name"] for tool in body.get("tools", ())}
    step = sum(bool(message.get("tool_calls")) for message in since)
    if step >= len(STEPS) or not offered & {name for name, _ in STEPS[step]}:
        only = sorted(offered - {"ask_user"})
        if step == 0 and len(only) == 1:
            return _calling(house, 0, [(only[0], {"text": "ping"})])
        return {"role": "assistant", "content": REPLY}
    return _calling(house, step, STEPS[step])


def _calling(house: str, step: int, calls: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    made: list[dict[str, Any]] = []
    for number, (name, given) in enumerate(calls):
        function = {"name": name, "arguments": json.dumps(given, ensure_ascii=False)}
        made.append({"id": f"{name}:{number}", "type": "function", "function": function})
    if house == "gemini":
        made[0]["extra_content"] = {"google": {"thought_signature": signature(step)}}
    thought = {"reasoning_content": reasoning(step)} if house in _THINKERS or house == "plain" else {}
    return {"role": "assistant", "content": "", **thought, "tool_calls": made}


def _written(since: list[dict[str, Any]], system: str, form: str) -> dict[str, Any]:
    step = sum(message["role"] == "assistant" for message in since)
    if "No tool is needed now" in system:
        return {"role": "assistant", "content": REPLY}
    steps = STEPS if f'"{STEPS[0][0][0]}"' in system else [[("echo", {"text": "ping"})]]
    if step >= len(steps):
        return {"role": "assistant", "content": "[]"}
    if form == "hammer":
        listed = [{"name": name, "arguments": given} for name, given in steps[step]]
        return {"role": "assistant", "content": f"```json\n{json.dumps(listed)}\n```"}
    calls = ", ".join(f"{name}({', '.join(f'{k}={v!r}' for k, v in given.items())})" for name, given in steps[step])
    return {"role": "assistant", "content": f"[{calls}]"}


def chunks(message: Mapping[str, Any], quirk: str) -> Iterator[Any]:
    """Yield a message in the chunks of a provider with a quirk."""
    yield {"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}
    for name in ("reasoning_content", "content"):
        text = message.get(name) or ""
        yield from ({"choices": [{"index": 0, "delta": {name: text[at : at + 5]}}]} for at in range(0, len(text), 5))
    for number, call in enumerate(message.get("tool_calls") or ()):
        yield from (
            {"choices": [{"index": 0, "delta": {"tool_calls": [part]}}]} for part in _parts(call, number, quirk)
        )
    if quirk == "cut":
        return
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    yield {"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}


def _parts(call: Mapping[str, Any], number: int, quirk: str) -> Iterator[dict[str, Any]]:
    function, index = call["function"], {"index": number}
    arguments = function["arguments"]
    extra = {key: value for key, value in call.items() if key not in ("id", "type", "function")}
    if quirk == "no index":
        index = {}
    elif quirk == "text index":
        index = {"index": str(number)}  # type: ignore[dict-item] # which is the quirk
    elif quirk in ("whole", "object"):  # every call at once, all under one index
        given = json.loads(arguments) if quirk == "object" else arguments
        yield {**extra, "index": 0, "id": call["id"], "function": {"name": function["name"], "arguments": given}}
        return
    elif quirk == "garbled":
        arguments = arguments[:-1]
    elif quirk == "repeated":
        for end in (3, 9, len(arguments)):
            part = {"name": function["name"], "arguments": arguments[:end]}
            yield {**index, **extra, "id": call["id"], "function": part}
        return
    yield {
        **index,
        **extra,
        "id": call["id"],
        "type": "function",
        "function": {"name": function["name"], "arguments": ""},
    }
    for at in range(0, len(arguments), 4):
        yield {**index, "function": {"arguments": arguments[at : at + 4]}}


class ProviderServer:
    """The server process while it is entered.

    Args:
        house: Whose refusals: kimi, gpt, qwen, deepseek, gemini, glm, plain, text, or top_k.
        form: Of a house `text`: hammer or pythonic.
        quirk: How its streams look.
        troubles: What goes wrong, by the number of the request from 0: `status` with `headers`, `delay_s`, `cut`,
            or `body`.
        key: The only one it takes; `None`: any.
    """

    def __init__(
        self,
        house: str,
        *,
        form: str = "",
        quirk: str = "",
        troubles: Mapping[int, Mapping[str, Any]] | None = None,
        key: str | None = None,
    ) -> None:
        given = {str(number): trouble for number, trouble in (troubles or {}).items()}
        self._options = {"house": house, "form": form, "quirk": quirk, "troubles": given, "key": key}
        self._process: subprocess.Popen[str] | None = None
        self.base_url = ""

    def __enter__(self) -> ProviderServer:
        command = [sys.executable, "-m", "tests.provider_server", json.dumps(self._options)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert self._process.stdout is not None
        self.base_url = f"http://127.0.0.1:{int(self._process.stdout.readline())}/v1"
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()

    @property
    def log(self) -> list[dict[str, Any]]:
        """Every request in order: `body`, `status`, and `error` where it was refused."""
        with urlopen(f"{self.base_url}/log") as response:
            found: list[dict[str, Any]] = json.load(response)
        return found


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.options = options
        self.log: list[dict[str, Any]] = []
        self.lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        if self.path.endswith("/log"):
            self._send(200, self.server.log)
        elif not self._knows_key():
            self._send(401, {"error": {"message": "Incorrect API key provided"}})
        else:
            listed = {"object": "list", "data": [{"id": "m", "object": "model", "created": 0, "owned_by": "test"}]}
            self._send(200, listed)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        entry = {"body": body, "status": 200, "key": self.headers.get("Authorization")}
        with self.server.lock:
            trouble = self.server.options["troubles"].get(str(len(self.server.log)), {})
            self.server.log.append(entry)
        time.sleep(trouble.get("delay_s", 0))
        if not self._knows_key() or body["model"] != "m":
            entry["status"] = 404 if self._knows_key() else 401
            self._send(entry["status"], {"error": {"message": f"no such key, or no model {body['model']}"}})
        elif status := trouble.get("status"):
            entry["status"] = status
            self._send(status, {"error": {"message": f"trouble {status}"}}, trouble.get("headers", {}))
        elif "body" in trouble:
            self._send(200, trouble["body"])
        elif trouble.get("cut"):
            self._cut()
        else:
            self._answer(body, entry)

    def _knows_key(self) -> bool:
        return self.server.options["key"] in (None, str(self.headers.get("Authorization")).removeprefix("Bearer "))

    def _answer(self, body: Mapping[str, Any], entry: dict[str, Any]) -> None:
        options = self.server.options
        try:
            check(options["house"], body)
        except Refused as exc:
            entry.update(status=400, error=str(exc))
            self._send(400, {"error": {"message": str(exc), "param": exc.parameter, "type": "invalid_request_error"}})
            return
        message = answer(options["house"], body, options["form"])
        if body.get("stream"):
            lines = [f"data: {json.dumps(one, ensure_ascii=False)}\n\n" for one in chunks(message, options["quirk"])]
            self._send(200, ": keep-alive\n\n" + "".join(lines) + "data: [DONE]\n\n", kind="text/event-stream")
            return
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 40}}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        self._send(200, {"id": "1", "object": "chat.completion", "choices": [choice], "usage": usage})

    def _cut(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b'{"choices": [')
        self.close_connection = True

    def _send(
        self, status: int, value: Any, headers: Mapping[str, str] | None = None, *, kind: str = "application/json"
    ) -> None:
        data = (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).encode()
        try:
            self.send_response(status)
            for name, text in {**(headers or {}), "Content-Type": kind, "Content-Length": str(len(data))}.items():
                self.send_header(name, text)
            self.end_headers()
            self.wfile.write(data)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client did not wait

    def log_message(self, format: str, *args: object) -> None:
        pass


def serve(options: Mapping[str, Any]) -> None:
    """Print the port and serve until the process is killed."""
    server = _Server(options)
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    serve(json.loads(sys.argv[1]))

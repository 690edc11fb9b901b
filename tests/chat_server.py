"""A real OpenAI-compatible server on loopback that answers from a script and keeps what it was sent."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """One HTTP answer."""

    body: str
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0
    content_type: str = "application/json"


def says(text: str, *, prompt: int = 10, completion: int = 5) -> Reply:
    """Answer with plain text."""
    return _completion({"role": "assistant", "content": text}, prompt, completion)


def calls(
    *named: tuple[str, str, str | Mapping[str, Any]], prompt: int = 10, completion: int = 5, content: str | None = None
) -> Reply:
    """Answer with tool calls, each an id, a name and its arguments (text is sent as it is), and a text beside them."""
    made = [
        {
            "id": call_id,
            "type": "function",
            "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)},
        }
        for call_id, name, given in named
    ]
    return _completion({"role": "assistant", "content": content, "tool_calls": made}, prompt, completion)


def fails(status: int, message: str, **headers: str) -> Reply:
    """Answer with an error; an underscore in a header's name stands for a hyphen."""
    body = json.dumps({"error": {"message": message, "type": "scripted", "code": None}})
    return Reply(body, status, {name.replace("_", "-"): value for name, value in headers.items()})


def _completion(message: Mapping[str, Any], prompt: int, completion: int) -> Reply:
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion},
    }
    return Reply(json.dumps(body, ensure_ascii=False))


class ChatServer:
    """Serves a script while it is entered; past its end it answers 500."""

    def __init__(self, *script: Reply, models: Sequence[str] = ("scripted",)) -> None:
        self.requests: list[dict[str, Any]] = []
        """The JSON bodies it was sent, in order."""
        self.keys: list[str] = []
        """The Authorization headers, in order."""
        self._script: Sequence[Reply] = script
        self._models = tuple(models)
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> ChatServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _next(self, body: dict[str, Any], key: str) -> Reply:
        with self._lock:
            self.requests.append(body)
            self.keys.append(key)
            number = len(self.requests)
        return self._script[number - 1] if number <= len(self._script) else fails(500, "the script is over")

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if self.path != "/v1/chat/completions":
                    reply = fails(404, f"no such path: {self.path}")
                else:
                    reply = server._next(body, self.headers.get("Authorization", ""))
                self._send(reply)

            def do_GET(self) -> None:
                listed = [{"id": name, "object": "model", "created": 0, "owned_by": "test"} for name in server._models]
                self._send(Reply(json.dumps({"object": "list", "data": listed})))

            def _send(self, reply: Reply) -> None:
                time.sleep(reply.delay_s)
                data = reply.body.encode()
                try:
                    self.send_response(reply.status)
                    for name, value in reply.headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Type", reply.content_type)
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True  # the client's timeout was shorter than the script's delay

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler

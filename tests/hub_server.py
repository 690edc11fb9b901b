"""A real server on loopback with the part of the Hugging Face hub's file API that a download uses."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

_REVISION = re.compile(r"/api/datasets/(?P<name>[^/]+/[^/]+)/revision/(?P<revision>[^/]+)")
_TREE = re.compile(r"/api/datasets/(?P<name>[^/]+/[^/]+)/tree/(?P<revision>[^/]+)")
_FILE = re.compile(r"/datasets/(?P<name>[^/]+/[^/]+)/resolve/(?P<revision>[^/]+)/(?P<path>.+)")


class Request(NamedTuple):
    """What the server was asked for."""

    method: str
    path: str
    """Without the query."""
    range: str | None
    user_agent: str


class HubServer:
    """Serves one data set at one commit while it is entered.

    Args:
        name: `OWNER/NAME`.
        files: Path in the data set to content.
        commit: 40 hex digits.
        revisions: Names that stand for the commit, besides itself.
        breaks: Files whose next whole download breaks off after that many bytes.
        fails: Files whose every download is answered with that status.
    """

    def __init__(
        self,
        name: str,
        files: Mapping[str, bytes],
        *,
        commit: str = "a" * 40,
        revisions: tuple[str, ...] = ("v1", "main"),
        breaks: Mapping[str, int] | None = None,
        fails: Mapping[str, int] | None = None,
    ) -> None:
        self.name = name
        self.files = dict(files)
        self.commit = commit
        self.revisions = frozenset({commit, *revisions})
        self.breaks = dict(breaks or {})
        self.fails = dict(fails or {})
        self.requests: list[Request] = []
        self._http = _Http(self)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    def downloads(self) -> list[tuple[str, str | None]]:
        """Return path and byte range of every file that was asked for, by path and then in order."""
        asked = [(match["path"], one.range) for one in self.requests if (match := _FILE.fullmatch(one.path))]
        gets = [pair for pair, one in zip(asked, self._file_requests(), strict=True) if one.method == "GET"]
        return sorted(gets, key=lambda pair: pair[0])

    def __enter__(self) -> HubServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _file_requests(self) -> list[Request]:
        return [one for one in self.requests if _FILE.fullmatch(one.path)]


class _Http(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, hub: HubServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.hub = hub


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def hub(self) -> HubServer:
        assert isinstance(self.server, _Http)
        return self.server.hub

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        path = unquote(urlsplit(self.path).path)
        agent = self.headers.get("User-Agent", "")
        self.hub.requests.append(Request(self.command, path, self.headers.get("Range"), agent))
        match = _REVISION.fullmatch(path) or _TREE.fullmatch(path) or _FILE.fullmatch(path)
        if match is None or match["name"] != self.hub.name:
            self._send(404, b"{}", {"X-Error-Code": "RepoNotFound", "X-Error-Message": "Repository not found"})
        elif match["revision"] not in self.hub.revisions:
            self._send(404, b"{}", {"X-Error-Code": "RevisionNotFound", "X-Error-Message": "Invalid rev id"})
        elif match.re is _REVISION:
            self._send_json({"_id": "1", "id": self.hub.name, "sha": self.hub.commit, "siblings": []})
        elif match.re is _TREE:
            self._send_json([self._entry(name) for name in self.hub.files])
        elif match["path"] not in self.hub.files:
            self._send(404, b"", {"X-Error-Code": "EntryNotFound"})
        else:
            self._send_file(match["path"], self.hub.files[match["path"]])

    def _entry(self, name: str) -> dict[str, object]:
        content = self.hub.files[name]
        return {"type": "file", "path": name, "size": len(content), "oid": hashlib.sha1(content).hexdigest()}

    def _send_file(self, name: str, content: bytes) -> None:
        headers = {"ETag": f'"{hashlib.sha1(content).hexdigest()}"', "X-Repo-Commit": self.hub.commit}
        if self.command == "GET" and name in self.hub.fails:
            self._send(self.hub.fails[name], b"", {})
        elif asked := re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range") or ""):
            start = int(asked[1])
            span = f"bytes {start}-{len(content) - 1}/{len(content)}"
            self._send(206, content[start:], {**headers, "Content-Range": span})
        elif self.command == "GET" and name in self.hub.breaks:
            self._send(200, content, headers, most=self.hub.breaks.pop(name))
        else:
            self._send(200, content, headers)

    def _send_json(self, value: object) -> None:
        self._send(200, json.dumps(value).encode(), {"Content-Type": "application/json"})

    def _send(self, status: int, body: bytes, headers: Mapping[str, str], most: int | None = None) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body[:most])
        if most is not None:
            self.wfile.flush()
            self.close_connection = True

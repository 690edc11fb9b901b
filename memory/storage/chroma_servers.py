"""Chroma servers, which several processes use at once."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from memory.errors import IndexUnreachableError, MemoryStoreError
from memory.storage.index_header import REINDEX_HINT, IndexHeader

if TYPE_CHECKING:
    import httpx
    from chromadb.api import ClientAPI

_TIMEOUT_S = 30.0
"""For one request; writing a thousand vectors takes a second or two."""
_CONNECT_TIMEOUT_S = 5.0
_SERVER_ERROR = 500
"""HTTP status from which on it is the server, or what stands before it, that has failed."""
_HEADER = "stead-index"
"""The collection whose metadata hold the header; it has no records."""


class ChromaServers:
    """A `ChromaStore` on servers (`chroma run`), each named by its URL, for instance `http://vectors-1:8000`.

    What is deleted is out of reach at once; its bytes stay in a server's files as `residue` says.

    Args:
        urls: The same ones in the same order for every process, since collections are dealt out to them by number.
        mending: Go by the header that is left where a server lost its own: the index is about to be rebuilt.

    Raises:
        MemoryStoreError: If a URL is not one.
    """

    is_shared = True
    hint = "see that every server runs and is reached by its URL"
    residue: str | None = (
        "Chroma servers keep deleted vectors (no text, no id) in their files until `stead reindex --from-scratch` and "
        "then, with the server stopped, `chroma vacuum`"
    )

    def __init__(self, urls: Sequence[str], *, mending: bool = False) -> None:
        if not urls or isinstance(urls, str):
            raise MemoryStoreError(f"Chroma servers are named by a sequence of URLs; got {urls!r}")
        self._places = [_place(url) for url in urls]
        self.servers = len(urls)
        self.name = ", ".join(f"{host}:{port}" for host, port, _ in self._places)
        self._is_mending = mending
        self._clients: list[ClientAPI] = []
        self._connecting = threading.Lock()

    def header(self) -> IndexHeader | None:
        found = [self._stored(client, place) for place, client in enumerate(self.clients())]
        if self._is_mending:
            return next(filter(None, found), None)
        if None in found:
            if any(found):
                raise MemoryStoreError(
                    f"some of the Chroma servers {self.name} hold an index and others none; name the same ones in the "
                    f"same order, or {REINDEX_HINT}"
                )
            return None
        if len(set(found)) > 1:
            raise MemoryStoreError(f"the Chroma servers {self.name} hold parts of different indexes; {REINDEX_HINT}")
        return found[0]

    def write_header(self, header: IndexHeader) -> IndexHeader:
        for place, client in enumerate(self.clients()):
            # Of several processes that create the index at once the first one wins, and all go by what is there then.
            client.get_or_create_collection(_HEADER, embedding_function=None, metadata=_metadata(header, place))
        found = self.header()
        assert found is not None
        return found

    def replace_header(self, header: IndexHeader) -> None:
        for place, client in enumerate(self.clients()):
            collection = client.get_or_create_collection(_HEADER, embedding_function=None)
            collection.modify(metadata=_metadata(header, place))

    def clients(self) -> Sequence[ClientAPI]:
        with self._connecting:
            if not self._clients:
                with ExitStack() as connected:
                    clients = []
                    for place in self._places:
                        clients.append(_client(*place))
                        connected.callback(_close, clients[-1])
                    self._clients = clients
                    connected.pop_all()
            return self._clients

    def renew(self) -> None:
        pass  # an HTTP client connects again by itself

    def has_room(self) -> bool:
        return True

    def at_work(self, name: str) -> AbstractContextManager[None]:
        return nullcontext()  # a server is not killed with its clients

    def will_erase(self, names: Collection[str]) -> None:
        pass

    def rewrite(self, names: Collection[str]) -> None:
        pass

    def scrub(self) -> None:
        pass

    def close(self) -> None:
        with self._connecting:
            for client in self._clients:
                _close(client)
            self._clients = []

    def _stored(self, client: ClientAPI, place: int) -> IndexHeader | None:
        from chromadb.errors import NotFoundError

        try:
            metadata: Any = client.get_collection(_HEADER, embedding_function=None).metadata or {}
        except NotFoundError:
            return None
        try:
            header = IndexHeader.model_validate_json(metadata.get("header", ""))
        except ValidationError as exc:
            raise MemoryStoreError(f"the collection {_HEADER!r} on {self.name} holds no header: {exc}") from exc
        if metadata.get("place") != place:
            raise MemoryStoreError(
                f"the Chroma server number {place + 1} of {self.name} holds part {metadata.get('place', -1) + 1} of "
                "the index; name the servers in the order in which the index was created"
            )
        return header


def _metadata(header: IndexHeader, place: int) -> dict[str, str | int]:
    return {"header": header.model_dump_json(), "place": place}


def _place(url: str) -> tuple[str, int, bool]:
    """Return host, port, and whether the connection is encrypted."""
    try:
        parts = urlsplit(url)
        has_more = parts.username or parts.path.strip("/") or parts.query
        if parts.scheme in ("http", "https") and parts.hostname and not has_more:
            is_encrypted = parts.scheme == "https"
            return parts.hostname, parts.port or (443 if is_encrypted else 8000), is_encrypted
    except ValueError:
        pass
    raise MemoryStoreError(
        "a Chroma server is named by a URL such as http://vectors-1:8000, without a path or password"
    )


def _client(host: str, port: int, is_encrypted: bool) -> ClientAPI:
    import chromadb
    import httpx
    from chromadb.config import Settings

    name = f"the Chroma server at {host}:{port}"
    timeout = httpx.Timeout(_TIMEOUT_S, connect=_CONNECT_TIMEOUT_S)
    try:  # first, since Chroma would wait for ever for a server that says nothing
        url = f"{'https' if is_encrypted else 'http'}://{f'[{host}]' if ':' in host else host}:{port}"
        is_up = httpx.get(f"{url}/api/v2/heartbeat", timeout=timeout).status_code < _SERVER_ERROR
    except httpx.HTTPError as exc:
        raise IndexUnreachableError(f"cannot connect to {name}: {exc}; {ChromaServers.hint}") from exc
    if not is_up:
        raise IndexUnreachableError(f"{name} is out of order; {ChromaServers.hint}")
    try:
        client = chromadb.HttpClient(host, port, is_encrypted, settings=Settings(anonymized_telemetry=False))
    except ValueError as exc:
        raise MemoryStoreError(f"cannot use {name}: {exc}; {ChromaServers.hint}") from exc
    for session in _sessions(client):
        session.timeout = timeout  # as above
    return client


def _close(client: ClientAPI) -> None:
    """Close a client with its connections, which Chroma leaves to the garbage collector."""
    client.close()  # type: ignore[attr-defined]  # declared as the base class, which cannot be closed
    for session in _sessions(client):
        session.close()


def _sessions(client: Any) -> tuple[httpx.Client, httpx.Client]:
    """Return the HTTP clients beneath a client of Chroma: its own, and that of the one it makes for its checks."""
    return client._server._session, client._admin_client._server._session  # nothing public gives them

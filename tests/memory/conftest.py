"""Servers that several tests of storage share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import chroma_processes
from tests.chroma_processes import ChromaProcess
from tests.postgres_server import PostgresServer, running_server


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Return a PostgreSQL server that runs as long as the tests do."""
    with running_server() as server:
        yield server


@pytest.fixture(scope="session")
def two_chroma_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[ChromaProcess]]:
    """Return two Chroma servers that run as long as the tests do; `chroma_servers` empties them first."""
    with chroma_processes.running(tmp_path_factory.mktemp("chroma-servers"), 2) as servers:
        yield servers


@pytest.fixture
def chroma_servers(two_chroma_servers: list[ChromaProcess]) -> list[ChromaProcess]:
    """Return two empty Chroma servers."""
    for server in two_chroma_servers:
        server.empty()
    return two_chroma_servers

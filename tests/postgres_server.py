"""A throwaway PostgreSQL server: a cluster of its own in a temporary folder, reached over a unix socket alone."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.services import required_module, required_program

_BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name), reverse=True)
_SERVER_USER = "postgres"
"""Whom the server runs as where root runs the tests: it refuses root."""


class PostgresServer:
    """A running server; `new_database` gives the URL of an empty database."""

    def __init__(self, psql: str, socket_folder: Path) -> None:
        self._psql = psql
        self._socket_folder = socket_folder
        self._numbers = itertools.count()

    @property
    def folder(self) -> Path:
        """Where the cluster's files are."""
        return self._socket_folder / "data"

    def run(self, statement: str, *, database: str = "postgres") -> str:
        """Run SQL as the superuser and return what it prints."""
        command = [self._psql, "-h", str(self._socket_folder), "-U", _SERVER_USER, "-d", database, "-qAtc", statement]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout

    def new_database(self, *, encoding: str = "UTF8") -> str:
        """Return the SQLAlchemy URL of a new, empty database."""
        name = f"stead_{next(self._numbers)}"
        self.run(f"CREATE DATABASE {name} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0")
        return f"postgresql://{_SERVER_USER}@/{name}?host={self._socket_folder}"


@contextmanager
def running_server() -> Iterator[PostgresServer]:
    """Run a server of its own; skip (or fail) where PostgreSQL or its driver is not installed."""
    required_module("psycopg", installed_by="pip install 'stead[postgres]'")
    hint = "apt-get install postgresql"
    initdb, pg_ctl, psql = (
        required_program(name, folders=_BINARIES, installed_by=hint) for name in ("initdb", "pg_ctl", "psql")
    )
    with TemporaryDirectory(prefix="stead-pg-", dir="/tmp") as folder:  # the path of a socket has at most 107 bytes
        root, data = Path(folder), Path(folder) / "data"
        if os.geteuid() == 0:
            shutil.chown(root, pwd.getpwnam(_SERVER_USER).pw_uid)
        _as_server_user([initdb, "-D", str(data), "-U", _SERVER_USER, "-A", "trust", "-E", "UTF8", "--locale=C", "-N"])
        options = f"-c listen_addresses='' -c unix_socket_directories={root}"
        log = str(root / "log")
        _as_server_user([pg_ctl, "-D", str(data), "-w", "-t", "60", "-l", log, "-o", options, "start"])
        try:
            yield PostgresServer(psql, root)
        finally:
            _as_server_user([pg_ctl, "-D", str(data), "-m", "immediate", "stop"])


def _as_server_user(command: list[str]) -> None:
    user = _SERVER_USER if os.geteuid() == 0 else None
    # Not through pipes: the server would inherit them, and reading to their end would wait for it.
    done = subprocess.run(
        command, user=user, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=120, check=False
    )
    if done.returncode:
        pytest.fail(f"{' '.join(command)} ended with status {done.returncode}")

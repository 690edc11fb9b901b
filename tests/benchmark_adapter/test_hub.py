from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from benchmark_adapter.data.hub import HubDataset, fetch, parse_hub_name
from benchmark_adapter.data.source import located, read_data
from benchmark_adapter.errors import HubError
from tests.benchmark_adapter.topics import library_topics
from tests.hub_server import HubServer

NAME = "somebody/personas"
COMMIT = "a" * 40
TOPICS = "".join(json.dumps(topic) + "\n" for topic in library_topics()).encode()
LAYOUT = {
    "README.md": b"# Personas\n",
    "data/english/reader_1.jsonl": TOPICS,
    "data/tools_en.jsonl": b"[]\n",
    "notes/results.jsonl": b'{"id": 1, "score": 0.5}\n',
}


def dataset(revision: str = "v1") -> HubDataset:
    return HubDataset(NAME, revision)


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@pytest.fixture(autouse=True)
def _no_account(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep tokens of whoever runs the tests out of the requests."""
    from huggingface_hub import constants

    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.delenv("HUGGING_FACE_HUB_TOKEN", raising=False)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "no-token"))


def test_a_name_is_told_from_a_path() -> None:
    assert parse_hub_name("hf:somebody/personas@v1") == HubDataset("somebody/personas", "v1")
    assert parse_hub_name("data/personas") is None


@pytest.mark.parametrize("text", ["hf:somebody/personas", "hf:somebody/personas@"])
def test_a_revision_is_required_and_the_message_says_why(text: str) -> None:
    with pytest.raises(HubError) as caught:
        parse_hub_name(text)
    assert str(caught.value) == (
        f"{text}: expected a revision, since data on the hub may change under a name and numbers with them; "
        "write hf:somebody/personas@REVISION with a commit (best), a tag or a branch"
    )


def test_a_name_is_required() -> None:
    with pytest.raises(HubError, match=r"expected hf:OWNER/NAME@REVISION, got no name"):
        parse_hub_name("hf:@v1")


def test_only_jsonl_files_are_fetched_and_no_telemetry_is_sent(tmp_path: Path) -> None:
    with HubServer(NAME, LAYOUT) as hub:
        folder = fetch(dataset(), endpoint=hub.endpoint, cache_dir=tmp_path)
    assert files_in(folder) == {name: content for name, content in LAYOUT.items() if name.endswith(".jsonl")}
    assert folder.name == COMMIT
    assert {part.split("/")[0] for one in hub.requests for part in one.user_agent.split("; ")} == {
        "stead",
        "hf_hub",
        "python",
    }


@pytest.mark.parametrize(
    ("chunk", "resumed"),
    [
        (500, "bytes=1000-"),
        # What has not filled a chunk is not kept, so a small file starts over.
        (10_000_000, None),
    ],
)
def test_a_download_that_breaks_off_is_taken_up_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int, resumed: str | None
) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", chunk)
    name = "data/english/reader_1.jsonl"
    with HubServer(NAME, LAYOUT, breaks={name: 1200}) as hub:
        folder = fetch(dataset(), endpoint=hub.endpoint, cache_dir=tmp_path)
    assert (folder / name).read_bytes() == TOPICS
    assert hub.downloads() == [
        (name, None),
        (name, resumed),
        ("data/tools_en.jsonl", None),
        ("notes/results.jsonl", None),
    ]


def test_files_that_are_complete_are_kept_when_another_fails(tmp_path: Path) -> None:
    name = "notes/results.jsonl"
    with HubServer(NAME, LAYOUT, fails={name: 403}) as hub:
        with pytest.raises(HubError, match=r"cannot be fetched: .*403 Forbidden.*the same command goes on from there"):
            fetch(dataset(), endpoint=hub.endpoint, cache_dir=tmp_path)
        hub.fails.clear()
        already = {path for path, _ in hub.downloads() if path != name}
        hub.requests.clear()
        folder = fetch(dataset(), endpoint=hub.endpoint, cache_dir=tmp_path)
        assert (folder / name).read_bytes() == LAYOUT[name]
        assert already.isdisjoint(path for path, _ in hub.downloads())
        assert (name, None) in hub.downloads()


def test_the_second_run_needs_no_hub(tmp_path: Path) -> None:
    with HubServer(NAME, LAYOUT) as hub:
        first = fetch(dataset(), endpoint=hub.endpoint, cache_dir=tmp_path)
        endpoint = hub.endpoint
    assert fetch(dataset(), endpoint=endpoint, cache_dir=tmp_path) == first
    assert fetch(dataset(COMMIT), endpoint=endpoint, cache_dir=tmp_path) == first


def test_a_snapshot_that_is_not_complete_is_not_used_without_the_hub(tmp_path: Path) -> None:
    with HubServer(NAME, LAYOUT, fails={"notes/results.jsonl": 403}) as hub:
        endpoint = hub.endpoint
        with pytest.raises(HubError):
            fetch(dataset(), endpoint=endpoint, cache_dir=tmp_path)
    with pytest.raises(HubError, match="cannot be fetched"):
        fetch(dataset(), endpoint=endpoint, cache_dir=tmp_path)


def test_an_unreachable_hub_is_one_message_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(HubError) as caught:
        fetch(dataset(), endpoint=f"http://127.0.0.1:{free_port()}", cache_dir=tmp_path / "cache")
    assert str(caught.value) == (
        "hf:somebody/personas@v1: cannot be fetched: ConnectError: [Errno 111] Connection refused; what is complete is "
        "kept, the same command goes on from there; a local copy works too: give its folder as a path"
    )
    assert list(tmp_path.iterdir()) == []


def test_unknown_names_and_revisions_are_told_apart(tmp_path: Path) -> None:
    with HubServer(NAME, LAYOUT) as hub:
        with pytest.raises(HubError, match="the hub has no such data set, or hides it"):
            fetch(HubDataset("somebody/else", "v1"), endpoint=hub.endpoint, cache_dir=tmp_path)
        with pytest.raises(HubError, match=r"has no revision 'v9'; take a commit or tag of its page"):
            fetch(dataset("v9"), endpoint=hub.endpoint, cache_dir=tmp_path)
        with pytest.raises(HubError, match="expected a name like OWNER/NAME"):
            fetch(HubDataset("a/b/c", "v1"), endpoint=hub.endpoint, cache_dir=tmp_path)


def test_without_the_library_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(HubError, match=r"needs the package 'huggingface_hub'.*pip install 'stead\[hub\]'"):
        fetch(dataset())


def test_topics_are_found_anywhere_in_a_snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with HubServer(NAME, LAYOUT) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        (session,) = read_data(Path("hf:somebody/personas@v1"), None, 42)
        with located(Path("hf:somebody/personas@v1")) as folder:
            pass
    assert (session.name, len(session.turns)) == ("reader_1", 5)
    assert read_data(folder, None, 42) == (session,), "the snapshot's folder is a local copy"


def run_command(*arguments: str, endpoint: str, home: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "HF_ENDPOINT": endpoint, "HF_HOME": str(home), "PYTHONPATH": str(Path.cwd()), "HF_TOKEN": ""}
    command = [sys.executable, "-m", "benchmark_adapter", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=env, check=False, timeout=120)


@pytest.mark.slow
def test_the_commands_take_a_hub_name_online_and_then_offline(tmp_path: Path) -> None:
    name = "hf:somebody/personas@v1"
    with HubServer(NAME, LAYOUT) as hub:
        online = run_command("data", "stats", name, "--json", endpoint=hub.endpoint, home=tmp_path / "home")
        endpoint = hub.endpoint
    offline = run_command("data", "stats", name, "--json", endpoint=endpoint, home=tmp_path / "home")
    assert (online.returncode, offline.returncode) == (0, 0), online.stderr + offline.stderr
    assert json.loads(online.stdout) == json.loads(offline.stdout)
    assert json.loads(online.stdout)["scale"]["turns"] == 5


@pytest.mark.slow
def test_run_ends_with_status_2_and_writes_nothing_when_the_hub_is_out_of_reach(tmp_path: Path) -> None:
    endpoint = f"http://127.0.0.1:{free_port()}"
    out, home = tmp_path / "run", tmp_path / "home"
    done = run_command("run", "--data", "hf:somebody/personas@v1", "--out", str(out), endpoint=endpoint, home=home)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("stead-bench: hf:somebody/personas@v1: cannot be fetched: ConnectError")
    assert done.stderr.count("\n") == 1
    assert not out.exists()
    assert files_in(home) == {} if home.exists() else True

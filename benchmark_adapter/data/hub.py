"""Data sets on the Hugging Face hub: from `hf:OWNER/NAME@REVISION` to a folder in the hub's own cache."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from benchmark_adapter.errors import HubError
from benchmark_adapter.provenance import package_versions

PREFIX = "hf:"
"""What a data argument that names a hub data set starts with."""
FILES = "*.jsonl"
"""All that is fetched, from any folder of the data set."""


@dataclass(frozen=True)
class HubDataset:
    """A data set at a revision."""

    repo_id: str
    """`OWNER/NAME`."""
    revision: str
    """A commit, which never changes, or a tag or branch, which may."""

    def __str__(self) -> str:
        return f"{PREFIX}{self.repo_id}@{self.revision}"


def parse_hub_name(text: str) -> HubDataset | None:
    """Return the data set that a data argument names, or `None` for one that is a path.

    Raises:
        HubError: If it begins with `hf:` but names no data set or no revision.
    """
    if not text.startswith(PREFIX):
        return None
    repo_id, _, revision = text.removeprefix(PREFIX).partition("@")
    if not repo_id:
        raise HubError(text, "expected hf:OWNER/NAME@REVISION, got no name")
    if not revision:
        raise HubError(
            text,
            f"expected a revision, since data on the hub may change under a name and numbers with them; "
            f"write {PREFIX}{repo_id}@REVISION with a commit (best), a tag or a branch",
        )
    return HubDataset(repo_id, revision)


def fetch(dataset: HubDataset, *, endpoint: str | None = None, cache_dir: Path | None = None) -> Path:
    """Return the folder with the data set's `.jsonl` files, downloading those that are not in the cache yet.

    A download that breaks off is taken up again (the library keeps full chunks of 10 MB of the file); files that are
    complete are kept for the next call, also when others fail. A complete snapshot in the cache is used when the hub
    is out of reach. No telemetry is sent.

    Args:
        dataset: What to fetch.
        endpoint: The hub's address; `None`: `HF_ENDPOINT`, else the public hub.
        cache_dir: `None`: the hub library's own (`HF_HUB_CACHE`, `HF_HOME`).

    Raises:
        HubError: If the library is missing, the name or revision does not exist, or the hub cannot be reached.
    """
    try:
        import httpx2
        from huggingface_hub import constants, errors, snapshot_download
    except ModuleNotFoundError as exc:
        raise HubError(
            str(dataset), f"needs the package {exc.name!r}, which is not installed; pip install 'stead[hub]'"
        ) from exc
    constants.HF_HUB_DISABLE_TELEMETRY = True
    try:
        folder = snapshot_download(
            dataset.repo_id,
            repo_type="dataset",
            revision=dataset.revision,
            allow_patterns=FILES,
            endpoint=endpoint or os.environ.get("HF_ENDPOINT") or None,
            cache_dir=cache_dir,
            library_name="stead",
            library_version=package_versions(("stead",))["stead"],
        )
    except errors.HFValidationError as exc:
        raise HubError(str(dataset), f"expected a name like OWNER/NAME: {_first_line(exc)}") from exc
    except errors.GatedRepoError as exc:
        raise HubError(
            str(dataset), "its owner grants access one by one; ask on its page, then run `hf auth login`"
        ) from exc
    except errors.RevisionNotFoundError as exc:
        raise HubError(str(dataset), f"has no revision {dataset.revision!r}; take a commit or tag of its page") from exc
    except errors.RepositoryNotFoundError as exc:
        raise HubError(
            str(dataset), "the hub has no such data set, or hides it; check the name, or run `hf auth login`"
        ) from exc
    except (OSError, httpx2.HTTPError) as exc:
        raise HubError(
            str(dataset),
            f"cannot be fetched: {_first_line(exc)}; what is complete is kept, the same command goes on from there; "
            "a local copy works too: give its folder as a path",
        ) from exc
    return Path(folder)


def _first_line(exc: BaseException) -> str:
    """Return what went wrong in one line; the cause says more than the library's advice where there is one."""
    told = exc.__cause__ or exc
    return f"{type(told).__name__}: {next(iter(str(told).splitlines()), '')}".rstrip(": ")

"""The manifest: what a run was made with."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from benchmark_adapter.errors import ManifestMismatchError
from benchmark_adapter.provenance import digest, package_versions, python_version, source_commit, source_hash
from benchmark_adapter.runs.manifest import Manifest

FIELDS: dict[str, Any] = {
    "data": "d" * 64,
    "planner": "rules",
    "memory": "stead",
    "budget": 600,
    "embedder": "use-512",
    "policy": "benchmark",
    "heads": "e" * 64,
    "python": "CPython 3.11",
    "packages": {"numpy": "2.0"},
    "commit": "abc",
    "location": {"data": "here", "toolsets": None},
}


def test_the_digest_is_that_of_canonical_json() -> None:
    expected = hashlib.sha256(b'{"a":[1,null],"b":"\\u00e9"}').hexdigest()

    assert digest({"b": "é", "a": [1, None]}) == expected
    assert digest({"a": [1, None], "b": "é"}) == expected


def test_the_hash_follows_every_field_but_the_location_and_what_was_dropped() -> None:
    manifest = Manifest(**FIELDS)
    changes: dict[str, Any] = {
        "format_version": 2,
        "data": "other",
        "scorer": "0",
        "similarity": "fallback",
        "planner": "chat",
        "model": "m",
        "base_url": "http://localhost:1/v1",
        "provider": "glm-5",
        "profile": "other",
        "request": {"options": {"temperature": 0.0}, "notes": []},
        "prices": {"prompt": 1.0, "completion": 2.0, "cached": None},
        "samples": 2,
        "memory": "full",
        "memory_of": "ann",
        "budget": None,
        "embedder": "other",
        "policy": "product",
        "heads": "other",
        "prompt": "p",
        "view": "extended",
        "token_counter": "other",
        "seed": 1,
        "limit": 3,
        "stated_sources": True,
        "relaxed": False,
        "python": "CPython 3.12",
        "packages": {"numpy": "2.1"},
        "commit": None,
        "code": "c" * 64,
    }

    assert changes.keys() == Manifest.model_fields.keys() - {"location", "dropped", "heads_saw"}
    hashes = {Manifest(**{**FIELDS, key: value}).sha256 for key, value in changes.items()}
    assert len(hashes | {manifest.sha256}) == len(changes) + 1
    assert Manifest(**{**FIELDS, "location": {"data": "there", "toolsets": "t"}}).sha256 == manifest.sha256
    assert Manifest(**{**FIELDS, "dropped": [{"session": "ann", "topic": "t1"}]}).sha256 == manifest.sha256
    assert Manifest(**{**FIELDS, "heads_saw": ["ann"]}).sha256 == manifest.sha256


def test_equal_manifests_may_lie_in_different_places() -> None:
    Manifest(**FIELDS).require_equal(Manifest(**{**FIELDS, "location": {"data": "there", "toolsets": None}}))


def test_a_mismatch_names_every_field_with_both_values() -> None:
    mine, theirs = Manifest(**FIELDS), Manifest(**{**FIELDS, "memory": "full", "budget": None, "seed": 7})

    with pytest.raises(ManifestMismatchError) as caught:
        mine.require_equal(theirs)

    assert caught.value.differences == {"memory": ("stead", "full"), "budget": (600, None), "seed": (42, 7)}
    assert str(caught.value) == (
        "expected equal manifests, got memory: 'stead' against 'full'; budget: 600 against None; seed: 42 against 7; "
        "use another run directory or equal settings"
    )


def test_the_title_says_what_played() -> None:
    manifest = Manifest(**FIELDS)
    control = Manifest(**{**FIELDS, "memory_of": "ann"})

    assert (manifest.title, manifest.memory_name) == ("rules planner, stead memory, benchmark policy", "stead")
    assert (control.title, control.memory_name) == (
        "rules planner, stead memory of ann, benchmark policy",
        "stead of ann",
    )


def test_it_survives_being_written() -> None:
    manifest = Manifest(**FIELDS)

    assert Manifest.model_validate_json(manifest.model_dump_json()) == manifest


def test_unknown_and_missing_fields_are_refused() -> None:
    with pytest.raises(ValidationError, match="colour"):
        Manifest(**{**FIELDS, "colour": "red"})
    with pytest.raises(ValidationError, match="planner"):
        Manifest(**{key: value for key, value in FIELDS.items() if key != "planner"})


def test_packages_have_their_version_or_are_absent() -> None:
    versions = package_versions(["pydantic", "no-such-package-anywhere"])

    assert versions["no-such-package-anywhere"] == "absent"
    assert versions["pydantic"].startswith("2.")


def test_the_python_version_has_no_patch_level() -> None:
    implementation, _, version = python_version().partition(" ")

    assert implementation
    assert version.count(".") == 1


def test_a_commit_is_40_hex_digits_with_or_without_dirt() -> None:
    commit = source_commit()

    if commit is not None:
        assert len(commit.removesuffix("+dirty")) == 40
        assert set(commit.removesuffix("+dirty")) <= set("0123456789abcdef")


def test_there_is_no_commit_where_git_finds_no_repository(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "none"))

    assert source_commit() is None


def test_there_is_no_commit_without_git(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert source_commit() is None


def test_the_hash_of_the_source_follows_every_file_that_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    strategy = tmp_path / "memory" / "strategies" / "mine.py"
    strategy.parent.mkdir(parents=True)
    monkeypatch.setattr("benchmark_adapter.provenance._ROOT", tmp_path)
    found = []
    for text in ("N = 1", "N = 2", "N = 1"):
        strategy.write_text(text)
        source_hash.cache_clear()
        found.append(source_hash())
    source_hash.cache_clear()

    assert found[0] == found[2] != found[1]

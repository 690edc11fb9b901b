"""Exceptions of the benchmark adapter.

    BenchmarkError
    ├── DatasetError            a topic file, a toolsets folder, a result file or a vector is not as it should be
    │   └── NoDataError         nothing is where data are said to lie
    ├── HubError                a data set on the Hugging Face hub cannot be had
    ├── ReferenceGraphError     the dependencies of a reference trajectory name a step that does not exist
    ├── UnknownPersonaError     `--memory-of` names nobody in the data
    ├── MissingExtraError       something was asked for that needs an optional package
    ├── MalformedCallError      a tool call of the model lacks a field every call has
    ├── ReferenceCrashError     the reference evaluator would have raised here; carries the type it would have raised
    ├── RunDirectoryError       a run directory cannot be read, written or resumed
    └── ManifestMismatchError   two runs (or a run and its settings) were not made under the same conditions

Every message says what was expected, what came, and how to mend it; the facts are attributes too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path


class BenchmarkError(Exception):
    """Root of everything this package raises on purpose."""


class DatasetError(BenchmarkError):
    """A file of topics, tools, results or vectors cannot be used; prints as `file:line: what is wrong`.

    Attributes:
        path: The file or folder at fault.
        line: 1-based line in it, or None where the fault is not in one line.
        problem: What was expected, what came, how to mend it.
        reference_exception: Name of the exception type the reference evaluator raises on the same input, or None
            where it accepts the input or was not asked.
    """

    def __init__(
        self, path: Path | str, line: int | None, problem: str, *, reference_exception: str | None = None
    ) -> None:
        self.path = Path(path)
        self.line = line
        self.problem = problem
        self.reference_exception = reference_exception
        super().__init__(f"{path}:{line}: {problem}" if line is not None else f"{path}: {problem}")


class NoDataError(DatasetError):
    """Nothing is where data are said to lie."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            path,
            None,
            "nothing is there; expected a folder of persona files (.jsonl, one topic object a line), one such file, or "
            "hf:OWNER/NAME@REVISION; `stead-bench run` without --data plays the personas that come with the package",
        )


class HubError(BenchmarkError):
    """A data set on the Hugging Face hub cannot be had.

    Attributes:
        dataset: As it was named.
        problem: What was expected, what came, how to mend it.
    """

    def __init__(self, dataset: str, problem: str) -> None:
        self.dataset = dataset
        self.problem = problem
        super().__init__(f"{dataset}: {problem}")


class UnknownPersonaError(BenchmarkError):
    """A person was named who is not in the data.

    Attributes:
        name: As it was given.
        known: The names that exist, in file order.
    """

    def __init__(self, name: str, known: Sequence[str]) -> None:
        self.name = name
        self.known = tuple(known)
        super().__init__(f"expected --memory-of one of {', '.join(self.known) or 'nobody'}, got {name!r}")


class MissingExtraError(BenchmarkError):
    """An optional package is needed and not installed.

    Attributes:
        package: Its name.
        extra: The extra of this project that brings it.
    """

    def __init__(self, package: str, extra: str) -> None:
        self.package = package
        self.extra = extra
        super().__init__(f"this needs the package {package!r}, which is not installed; pip install 'stead[{extra}]'")


class ReferenceGraphError(BenchmarkError):
    """A step of a reference trajectory depends on a step that is not in the list.

    Attributes:
        node: Index of the step at fault.
        dependency: The index it names.
        size: Number of steps in the list.
    """

    def __init__(self, *, node: int, dependency: int, size: int) -> None:
        self.node = node
        self.dependency = dependency
        self.size = size
        super().__init__(
            f"step {node} depends on step {dependency!r}, but the reference has steps 0 to {size - 1}; "
            "correct its dependency_list"
        )


class MalformedCallError(BenchmarkError):
    """A tool call of a reply is not an object with `id` and `function`: {`name`, `arguments`}.

    Attributes:
        detail: The missing key, quoted, or what else was wrong; the reference log shows it in this form.
    """

    def __init__(self, detail: str) -> None:
        self.detail = detail
        super().__init__(
            "expected a tool call {'id', 'type', 'function': {'name', 'arguments'}}, "
            f"got one that fails at {detail}; have the provider adapter complete it"
        )


class ReferenceCrashError(BenchmarkError):
    """The reference evaluator raises on this input, so no outcome of its own exists.

    Attributes:
        type_name: The exception type it raises, for instance `KeyError`.
        detail: The exception's text, which may be empty.
        explanation: Why, where its text does not say.
    """

    def __init__(self, type_name: str, detail: str, explanation: str | None = None) -> None:
        self.type_name = type_name
        self.detail = detail
        self.explanation = explanation
        super().__init__(f"the reference evaluator raises {type_name} here: {explanation or detail}")


class RunDirectoryError(BenchmarkError):
    """A run directory is missing, incomplete, locked or damaged.

    Attributes:
        path: The directory or the file in it.
        problem: What was expected, what came, how to mend it.
    """

    def __init__(self, path: Path | str, problem: str) -> None:
        self.path = Path(path)
        self.problem = problem
        super().__init__(f"{path}: {problem}")


class ManifestMismatchError(BenchmarkError):
    """Results made under different conditions were about to be mixed or compared.

    Attributes:
        differences: Manifest field to its two values, the expected one first.
        path: The run directory, where there is one.
    """

    def __init__(self, differences: Mapping[str, tuple[object, object]], *, path: Path | None = None) -> None:
        self.differences = dict(differences)
        self.path = path
        listed = "; ".join(f"{key}: {left!r} against {right!r}" for key, (left, right) in self.differences.items())
        where = f"{path}: " if path else ""
        super().__init__(f"{where}expected equal manifests, got {listed}; use another run directory or equal settings")

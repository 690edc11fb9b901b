"""What can go wrong in `memory`.

MemoryStoreError
├── ScopeError              a user scope that names nobody, or that no store keeps as it is
├── RecordError             a turn or a stored record that cannot be read
│   ├── NoJsonError             a line of text that is no JSON at all
│   ├── UnreadableTurnError     a turn in the log
│   └── UnreadableSettingsError what a person has settled
├── ToolSchemaError         a tool definition that is not one
├── CastError               a value that does not fit its parameter
├── EmbedderError           an embedder that is missing or gives something else than it promised
├── EmbedderMismatchError   an index written with another embedder
├── IndexUnreachableError   a Chroma server that does not answer
├── ErasureError            an erasure that some store did not complete (in `memory.storage.erasure`)
├── TurnLogMissingError     a data directory whose turn log is gone or empty
├── DataVersionError        a data directory of another version
├── DirectoryLockedError    a data directory that another process holds
├── TurnRunningError        a person another turn of whom still runs
├── UnknownStrategyError    a strategy name that does not exist
└── IncompleteStrategyError a strategy's module that lacks what every strategy has
"""

from __future__ import annotations

from collections.abc import Iterable


class MemoryStoreError(Exception):
    """The root of everything `memory` raises on purpose."""


class ScopeError(MemoryStoreError, ValueError):
    """A user scope that names nobody: an empty or blank part, or one that is not text."""


class RecordError(MemoryStoreError, ValueError):
    """A turn or a stored record that cannot be read."""


class NoJsonError(RecordError):
    """A line that is no JSON, or no text."""


class UnreadableTurnError(RecordError):
    """A turn in the log that cannot be read; nothing of its person is read until it is mended or erased.

    Args:
        turn_id: Its id.
        reason: Where it is, and what is wrong with it.
    """

    def __init__(self, turn_id: str, reason: str) -> None:
        self.turn_id = turn_id
        super().__init__(
            f"{reason}. Put the turn log back from a backup, or erase turn {turn_id!r}: `stead state forget USER "
            f"{turn_id}` (in Python: memory.erase(scope, turn_ids=[{turn_id!r}]))"
        )


class UnreadableSettingsError(RecordError):
    """What a person has settled, which cannot be read; nothing of the person is used until they settle it anew.

    Args:
        user: The person.
        reason: What is wrong.
    """

    def __init__(self, user: str, reason: str) -> None:
        self.user = user
        super().__init__(
            f"what {user!r} has settled cannot be read: it is damaged, or of a newer version ({reason}). Settle it "
            f"anew with `stead state pause {user}` or `stead state resume {user}` (in Python: the method settle), and "
            "say again how long evidence is used"
        )


class ToolSchemaError(MemoryStoreError, ValueError):
    """A tool definition that does not follow the function-tool format."""


class CastError(MemoryStoreError, ValueError):
    """A value that is not of its parameter's type and cannot be turned into it with certainty.

    Args:
        value: What came.
        parameter: The parameter's name.
        expected: Its type, or its allowed values.
    """

    def __init__(self, value: object, parameter: str, expected: str) -> None:
        self.value = value
        self.parameter = parameter
        self.expected = expected
        super().__init__(f"{parameter!r} takes {expected}; got {value!r}. Give it in that type, or leave it out")


class EmbedderError(MemoryStoreError):
    """An embedder that cannot be loaded, or that returns another shape than it promised."""


class EmbedderMismatchError(MemoryStoreError):
    """An index written with another embedder than the one that opens it.

    Args:
        stored: Fingerprint found in the directory.
        given: Fingerprint of the embedder at hand.
    """

    def __init__(self, *, stored: str, given: str) -> None:
        self.stored = stored
        self.given = given
        super().__init__(
            f"the index was written with embedder {stored!r} and is opened with {given!r}; "
            "vectors of two embedders cannot be compared. Open it with the first one, or rebuild the index from the "
            "turn log for the second with `stead reindex --data DIR --embedder NAME` (in Python: "
            "Memory.open(…, reindexing=True) and its method reindex())"
        )


class IndexUnreachableError(MemoryStoreError):
    """A Chroma server that does not answer; it may later."""


class TurnLogMissingError(MemoryStoreError):
    """A data directory whose turn log was made and is gone or empty now.

    Args:
        log: Where it was.
        header: The file that says that it was made.
    """

    def __init__(self, log: str, header: str) -> None:
        self.log = log
        self.header = header
        super().__init__(
            f"the turn log {log!r} was made, and holds nothing now, not even its tables: every turn in it is lost to "
            f"this directory. Put the file back from a backup; or, to begin anew with no turns, delete {header!r}"
        )


class DataVersionError(MemoryStoreError):
    """A data directory written by another, newer version of the project."""


class DirectoryLockedError(MemoryStoreError):
    """A data directory that another process holds.

    Args:
        path: The directory.
        waited_s: Seconds waited before giving up.
        holder: Who holds it.
    """

    def __init__(self, path: str, waited_s: float, *, holder: str = "another process") -> None:
        self.path = path
        self.waited_s = waited_s
        self.holder = holder
        super().__init__(
            f"{path!r} is in use by {holder} and was still so after {waited_s:g} s; "
            "close it there, or give each user of a directory one of its own"
        )


class TurnRunningError(MemoryStoreError):
    """A person another turn of whom still runs; of the refused one nothing was done.

    Args:
        user: The person.
        waited_s: Seconds waited before giving up; 0 where the running turn itself asked for another.
    """

    def __init__(self, user: str, waited_s: float) -> None:
        self.user = user
        self.waited_s = waited_s
        super().__init__(
            f"a turn of {user!r} was running and was still so after {waited_s:g} s; nothing of this one was done. "
            "Run it when that one is over, or let it wait longer (turn_wait_s)"
        )


class UnknownStrategyError(MemoryStoreError, ValueError):
    """A strategy name that does not exist."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(sorted(known))
        super().__init__(f"no memory strategy is called {name!r}; choose one of {', '.join(self.known)}")


class IncompleteStrategyError(MemoryStoreError):
    """A strategy's module that lacks what every strategy has.

    Args:
        name: The strategy.
        missing: The name that its module does not define.
        path: The module's file.
    """

    def __init__(self, name: str, missing: str, path: str) -> None:
        self.name = name
        self.missing = missing
        super().__init__(
            f"memory strategy {name!r} does not define {missing!r}; add `create(shelf)`, which returns the strategy, "
            f"and `DEFAULT_BUDGET_TOKENS`, the tokens of a recall (0 where it ignores budgets), to {path}"
        )

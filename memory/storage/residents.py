"""Which users' turns, vectors and what was read of them stay in memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Protocol

MAX_USERS = 1024
MAX_TURNS = 100_000
"""Of all users together; one user alone may have more."""


class Resident(Protocol):
    """A user who may be in memory."""

    @property
    def turns_in_memory(self) -> int:
        """How many turns are held."""
        ...

    def release(self) -> None:
        """Hold nothing in memory; the next use reads it again."""
        ...


class Residents:
    """The users in memory; where there is no more room, the least recently used goes first. Safe to share by threads.

    Args:
        max_users: Most at a time.
        max_turns: Most turns of all together.
    """

    def __init__(self, *, max_users: int = MAX_USERS, max_turns: int = MAX_TURNS) -> None:
        self._max_users = max_users
        self._max_turns = max_turns
        self._users: OrderedDict[Resident, None] = OrderedDict()
        self._changing = threading.Lock()

    def use(self, user: Resident) -> None:
        """Note that `user` is used, and release others for whom there is no more room; hold no lock of a user."""
        released: list[Resident] = []
        with self._changing:
            is_new = user not in self._users
            self._users[user] = None
            self._users.move_to_end(user)
            if is_new:
                held = sum(one.turns_in_memory for one in self._users)
                while len(self._users) > 1 and (len(self._users) > self._max_users or held > self._max_turns):
                    oldest, _ = self._users.popitem(last=False)
                    held -= oldest.turns_in_memory
                    released.append(oldest)
        for one in released:
            one.release()

    def clear(self) -> None:
        """Let go of everyone."""
        with self._changing:
            self._users.clear()

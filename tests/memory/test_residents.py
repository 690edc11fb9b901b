"""Who stays in memory."""

from __future__ import annotations

from dataclasses import dataclass, field

from memory.storage.residents import Residents


@dataclass(eq=False)
class User:
    name: str
    turns_in_memory: int
    released: list[str] = field(default_factory=list)

    def release(self) -> None:
        self.released.append(self.name)
        self.turns_in_memory = 0


def test_the_least_recently_used_goes_where_there_are_too_many_users() -> None:
    residents, users = Residents(max_users=2), [User(name, 1) for name in "abc"]
    for place in (0, 1, 0, 2):
        residents.use(users[place])
    assert [user.released for user in users] == [[], ["b"], []]


def test_turns_of_all_together_are_bounded_but_one_may_have_more() -> None:
    residents, users = Residents(max_turns=10), [User("a", 6), User("b", 4), User("c", 1), User("d", 99)]
    for user in users[:3]:
        residents.use(user)
    assert [user.released for user in users] == [["a"], [], [], []]
    residents.use(users[3])
    assert [user.released for user in users] == [["a"], ["b"], ["c"], []]
    residents.use(users[0])
    assert [user.released for user in users] == [["a"], ["b"], ["c"], ["d"]]


def test_who_was_let_go_is_counted_when_used_again() -> None:
    residents, users = Residents(max_users=1), [User("a", 1), User("b", 1)]
    for place in (0, 1, 0):
        residents.use(users[place])
    assert [user.released for user in users] == [["a"], ["b"]]
    residents.clear()
    residents.use(users[1])
    assert [user.released for user in users] == [["a"], ["b"]]

"""What an argument is about, whatever a tool calls it, and how far one slot speaks for another."""

from __future__ import annotations

from memory.evidence import PERSON, Slot
from memory.language.text import split_name, stem
from memory.language.text_cache import text_cache
from memory.state.sensitive import is_sensitive_slot
from memory.tools import Parameter, Tool

SAME_NAME_SIMILARITY = 0.5
"""Of a slot of another tool whose argument has the same name, against 1 for the slot itself."""
SAME_NOUN_SIMILARITY = 0.25
"""Of a slot of another tool whose argument only ends in the same noun (`travel_date` and `date`)."""


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words.split())


_GENERIC_NOUNS = _stems(
    "id name type number value query text title key code count limit page size mode format status list url data item "
    "info description content option level"
)
"""Nouns, as stems, that mean another thing in every tool: alone they connect only slots of tools on one subject."""
_TOOL_VERBS = _stems(
    "get set search find list create add update delete remove check retrieve fetch query show make send track "
    "calculate by for and of all with to info information data detail details result results"
)
"""Words, as stems, of tool names that say what is done, not what about."""
_SYNONYMS = {
    stem(synonym): stem(noun)
    for noun, synonyms in {
        "city": "location place town 城市",
        "email": "mail recipient 邮箱",
        "phone": "telephone mobile 电话 手机号",
        "origin": "departure start from",
        "destination": "arrival to",
        "language": "lang locale 语言",
        "date": "day 日期",
        "people": "participants guests persons passengers travelers adults",
        "seat": "seating 座位 座席 席别 位置",
        "currency": "币种 货币",
        "address": "地址",
        "food": "cuisine 菜系 口味",
        "name": "名字 姓名",
    }.items()
    for synonym in synonyms.split()
}
"""Stems of nouns by the one that stands for them."""

_CHOICES = _stems("preference preferred choice selection")
"""Last words of argument names that only say that there is a choice: `seat_preference` is about a seat."""
_MESSAGES = _stems("message mail email sms text letter chat 消息 邮件 短信")
"""Words of tools whose `to` is a person, no place."""

_ROLES = {
    word: role
    for role, words in {
        "origin": "from origin departure depart departing start starting source base",
        "destination": "to destination dest arrival arrive arriving end target travel trip visit visiting return",
        "home": "home residence residential living hometown",
        "work": "work office company business employer",
    }.items()
    for word in _stems(words)
}
"""Which of several like things an argument means, by a word of its name."""
_ROLE_NOUNS = _stems("city country airport station address location place town currency point port language time date")
"""Nouns of which one call may take several, told apart by role."""
_ABROAD = _stems(
    "hotel hostel flight airline trip travel train tour vacation holiday booking accommodation airbnb 酒店 机票"
)
"""Words of tools that are about somewhere else than home."""
_NAME = stem("name")
_OWN_NAMES = frozenset(
    (word, _NAME)
    for word in _stems(
        "full passenger guest user customer traveler traveller buyer sender my account holder contact first"
    )
)
"""Whose name an argument may ask for that is the person's own, as concepts."""


def context_similarity(slot: Slot, tool: Tool, parameter: Parameter) -> float:
    """Return how far a value of `slot` speaks for `parameter` of `tool`, in [0, 1]; 1 only for the slot itself.

    Arguments of one tool never speak for each other, nor do those with different roles (origin, destination, home,
    work). What tells of health, belief, politics, origin, orientation or money troubles speaks for no other slot.
    """
    if slot == (tool.name, parameter.name):
        return 1.0
    if slot.tool == tool.name or is_sensitive_slot(slot):
        return 0.0
    one, other = meant(slot), meant(Slot(tool.name, parameter.name))
    if slot.tool == PERSON and one == (_NAME,) and other in _OWN_NAMES:
        return SAME_NAME_SIMILARITY
    if not one or not other or one[-1] != other[-1] or _have_other_roles(slot, Slot(tool.name, parameter.name)):
        return 0.0
    if one[-1] in _GENERIC_NOUNS and (one != other or (len(one) == 1 and not _are_kin(slot.tool, tool.name))):
        return 0.0
    return SAME_NAME_SIMILARITY if one == other else SAME_NOUN_SIMILARITY


@text_cache(4096)
def concept(argument: str) -> tuple[str, ...]:
    """Return the words of an argument name as stems, the noun last; of a dotted path only the last field.

    Nouns that tools use for one thing (`city`, `location`) come out as one.
    """
    words = tuple(stem(word) for word in split_name(argument.rpartition(".")[2]))
    while len(words) > 1 and words[-1] in _CHOICES:
        words = words[:-1]
    return (*words[:-1], _SYNONYMS.get(words[-1], words[-1])) if words else ()


def meant(slot: Slot) -> tuple[str, ...]:
    """Return the concept of the argument, that of a recipient where a message goes `to` somebody."""
    found = concept(slot.argument)
    is_message = found in (("destination",), ("origin",)) and not _MESSAGES.isdisjoint(map(stem, split_name(slot.tool)))
    return ({"destination": "email", "origin": "sender"}[found[0]],) if is_message else found


@text_cache(4096)
def role(slot: Slot) -> str | None:
    """Return which of several like things `slot` means: `origin`, `destination`, `home` or `work`; `None`: any."""
    words = [stem(word) for word in split_name(slot.argument.rpartition(".")[2])]
    named = [_ROLES[word] for word in words if word in _ROLES]
    if named:
        return named[0]
    is_place = bool(words) and concept(slot.argument)[-1] in _ROLE_NOUNS
    is_abroad = not _ABROAD.isdisjoint(stem(word) for word in split_name(slot.tool))
    return "destination" if is_place and is_abroad else None


def _have_other_roles(one: Slot, other: Slot) -> bool:
    if concept(one.argument)[-1] not in _ROLE_NOUNS:
        return False
    roles = {role(one), role(other)}
    # People set out from home.
    return None not in roles and len(roles) > 1 and roles != {"home", "origin"}


def _are_kin(one: str, other: str) -> bool:
    """Whether two tools have a word of their names in common that says what they are about."""
    return bool(_subjects(one) & _subjects(other))


@text_cache(4096)
def _subjects(tool: str) -> frozenset[str]:
    return frozenset(stem(word) for word in split_name(tool)) - _TOOL_VERBS

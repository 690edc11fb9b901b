"""Speaking of memory, and saying that something was done: two kinds of speech that are read by words of `speech.toml`.

The first is what a person says; the reader of clauses has its word in it. The second is what a reply says.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple

from pydantic import BaseModel

from memory.language.read import read
from memory.language.text import Language, language, normalise, tokenise
from memory.language.values.scripts import simplified

MemoryAct = Literal["remember", "forget", "forget_all", "known", "done"]
"""To keep what is said; to drop something, or all; to say what is kept of the person, or what was done for them."""


class MemorySpeech(NamedTuple):
    """What a text wants of memory itself."""

    act: MemoryAct
    about: str
    """The words after those of the act; empty where there are none."""


class DeedClaim(NamedTuple):
    """A sentence that says that something was done."""

    sentence: str
    kinds: tuple[str, ...]
    """What the deed may be, of the kinds in `speech.toml`; empty: it does not say."""
    is_earlier: bool
    """Whether it speaks of what was done before."""
    is_own: bool
    """Whether it says who did it, or that it is done; "the table is booked" may be of what a tool returned."""


AnswerKind = Literal["value", "yes", "no", "thanks", "off", "asks", "orders", "tells", "either"]
"""What is said to a question: what it may ask for; a bare yes or no; a courtesy; that all is called off; a question, an
order or a report of its own; two values without a choice."""


class _Words(BaseModel, frozen=True, extra="forbid"):
    before: tuple[str, ...]
    forget: tuple[str, ...]
    forget_mine: tuple[str, ...]
    everything: tuple[str, ...]
    known: tuple[str, ...]
    remember: tuple[str, ...]
    other: tuple[str, ...]
    asks_done: tuple[str, ...]
    not_done: tuple[str, ...]
    have: tuple[str, ...]
    state: tuple[str, ...]
    done: tuple[str, ...]
    earlier: tuple[str, ...]
    pointers: frozenset[str]
    yes: tuple[str, ...]
    no: tuple[str, ...]
    thanks: tuple[str, ...]
    no_but_yes: tuple[str, ...]
    beside: tuple[str, ...]
    alternatives: tuple[str, ...]
    deeds: dict[str, tuple[str, ...]]


_SURE_OF_MEMORY = 0.3
"""Least probability at which the reader's word that a clause speaks of memory counts beside the words."""
_SURE_OF_ORDER = 0.8
"""The same for an order behind it: "aisle seats" alone is half one."""
_SURE_OF_REFUSAL, _SURE_OF_QUESTION, _SURE_OF_OWN_ORDER, _SURE_OF_REPORT = 0.5, 0.6, 0.9, 0.75
"""Of what is said to a question: least probabilities at which it is no value."""
_LEAST_REPORT = 0.5
"""Of a report that is not read as an answer either."""
_SURE_OF_NO, _SURE_OF_BARE_ORDER = 0.5, 0.95
_PART = re.compile(r"[,.;!?，。；！？\s]*[,.;!?，。；！？]+\s*")
_JOINT = re.compile(r"[,.;，。；]|\band\b|\bthen\b|然后|并且")
_SENTENCE = re.compile(r"[^.!?。！？\n;；]+[.!?。！？\n;；]*")
_FIRST_PERSON = frozenset(("i", "my", "me", "we", "our"))
_QUOTED = re.compile(r"[“\"「『][^”\"」』]*[”\"」』]")


def memory_speech(text: str) -> MemorySpeech | None:
    """Return what `text` wants of memory itself; `None` where it wants something else, or something else as well."""
    spoken = language(text)
    words = _words(spoken)
    said = _plain(text)
    opening = _behind(said, words.before)
    clauses = read(text).clauses
    if any(said.startswith(one) or opening.startswith(one) for one in words.other) or not clauses:
        return None
    if any(clause.act in ("order", "ask") and clause.p_act >= 0.5 for clause in clauses[1:]):
        return None
    is_memory = clauses[0].act == "memory" and clauses[0].p_act >= _SURE_OF_MEMORY
    if is_memory or clauses[0].act in ("refuse", "order", "unsure"):
        is_mine = _opens(opening, words.forget_mine) is not None
        head = _opens(opening, words.forget)
        if head is not None and _is_only(opening, head, words):
            return MemorySpeech("forget_all", "")
        if head is not None and (is_mine or (is_memory and _has(opening, words.forget[:1] + words.forget[4:]))):
            about = opening[len(head) :].strip(" :：，,.。!！")
            return MemorySpeech("forget", about) if about else None
    if _has(said, words.known):
        return MemorySpeech("known", "")
    if any(_opens(said, (f"{opener}",)) for opener in words.asks_done) and (spoken == "zh" or _names_deed(said, words)):
        return MemorySpeech("done", "")
    if is_memory and (head := _opens(opening, words.remember)) is not None:
        about = text.strip()[text.strip().casefold().find(head) + len(head) :].strip(" :：，,")
        about = re.sub(r"^that\s+", "", about, flags=re.IGNORECASE)
        is_asked = about.endswith(("?", "？", "吗"))
        return MemorySpeech("remember", about) if about and not is_asked and not _orders_too(about) else None
    return None


def _orders_too(about: str) -> bool:
    """Whether what is to be remembered has an order behind it: "remember that …, and book …"."""
    further = [part for part in _JOINT.split(about)[1:] if part.strip()]
    return any(
        clause.act in ("order", "ask") and clause.p_act >= _SURE_OF_ORDER
        for part in further
        for clause in read(part).clauses[:1]
    )


def answer_kind(said: str, question: str) -> AnswerKind:
    """Return what is said to a question; `value` for whatever is not clearly something else.

    Who asks with the question which values it may be has to look for them first: "is Friday all right?" has one.
    """
    tongues = [_words(tongue) for tongue in ("en", "zh")]
    parts = [part for one in _PART.split(_plain(said)) if (part := one.strip(" ~"))]
    kinds = {kind for part in parts for kind in [_bare(part, tongues)]}
    if kinds and kinds <= {"yes", "no", "thanks"}:
        return "no" if "no" in kinds else "yes" if "yes" in kinds else "thanks"
    beside = read(said, before=question).clauses
    if not parts or not beside:
        return "thanks"
    if all(one.act == "refuse" for one in beside) and beside[0].p_act >= _SURE_OF_REFUSAL:
        return "off"
    if any(_opens(part, words.beside) for part in parts[:2] for words in tongues):
        return "tells"
    lead = read(said).clauses[0]
    if lead.act == "ask" and lead.p_act >= _SURE_OF_QUESTION:
        return "asks"
    if lead.act == "order" and lead.p_act >= (_SURE_OF_OWN_ORDER if lead.spans else _SURE_OF_BARE_ORDER):
        return "orders"
    is_report = lead.act == "tell" and lead.p_act >= (_LEAST_REPORT if beside[0].deed != "ordered" else _SURE_OF_REPORT)
    if is_report and not (lead.spans or beside[0].of("value")):
        return "tells"
    if len(parts) == 1 and any(one in parts[0] for words in tongues for one in words.alternatives):
        return "either"
    return "value"


def opening_of(said: str) -> str:
    """Return what stands before the first mark."""
    return next((part for one in _PART.split(said.strip()) if (part := one.strip())), "")


def says_no(answer: str, question: str) -> bool:
    """Say whether an answer to "shall I?" begins with a no, or is read as one, whatever it says besides."""
    said = _plain(answer)
    tongues = [_words(tongue) for tongue in ("en", "zh")]
    if any(_opens(said, words.no_but_yes) is not None for words in tongues):
        return False
    if any(_opens(said, words.no) is not None for words in tongues):
        return True
    first = read(answer, before=question).clauses[:1]
    return any(one.deed in ("forbidden", "deferred", "called_off") and one.p_deed >= _SURE_OF_NO for one in first)


def _bare(part: str, tongues: Sequence[_Words]) -> str:
    for kind in ("yes", "no", "thanks"):
        if any(part in getattr(words, kind) for words in tongues):
            return kind
    return "value"


def content_of(about: str) -> frozenset[str]:
    """Return the index terms of what a person speaks about, without those that only point."""
    pointers = {term for one in _words(language(about)).pointers for term in tokenise(one)}
    return frozenset(tokenise(about)) - pointers - _FIRST_PERSON - {"my", "that", "i"}


def claimed_deeds(reply: str) -> list[DeedClaim]:
    """Return the sentences of a reply that say that something was done; what is denied, offered or asked says none."""
    found = []
    for sentence in _sentences(_QUOTED.sub("“”", reply)):
        words = _words(language(sentence))
        said = _plain(sentence, keeps_end=True)
        if said.endswith(("?", "？")) or _has(said, words.not_done):
            continue
        own, stated = (_kinds_claimed(said, words, leads) for leads in (words.have, words.state))
        is_done = _opens(said, words.done) is not None
        if own or stated or is_done:
            is_own = bool(own) or is_done
            found.append(DeedClaim(sentence.strip(), own or stated, _has(said, words.earlier), is_own))
    return found


def deed_words_of(kind: str) -> frozenset[str]:
    """Return the words of a kind of deed in every tongue, for finding it in a tool's name or description."""
    return frozenset(word for tongue in ("en", "zh") for word in _words(tongue).deeds.get(kind, ()))


def _kinds_claimed(said: str, words: _Words, leads: Sequence[str]) -> tuple[str, ...]:
    return tuple(kind for kind, deeds in words.deeds.items() if any(_claims(said, deed, leads) for deed in deeds))


def _claims(said: str, deed: str, leads: Sequence[str]) -> bool:
    """Whether a deed's word stands behind one of `leads`, which say that it was done."""
    lead = "|".join(map(re.escape, leads))
    if not deed.isascii():
        return ("了" in said or "已" in said) and re.search(rf"(?:{lead})[^，。：；]{{0,8}}{deed}", said) is not None
    if not deed.endswith(("ed", "sent", "paid", "bought")):
        return False
    return re.search(rf"(?:\b(?:{lead})(?: \w+ly)? |^){deed}\b", said) is not None


def _sentences(text: str) -> Iterator[str]:
    return (found.group() for found in _SENTENCE.finditer(text))


def _names_deed(said: str, words: _Words) -> bool:
    return _has(said, [deed for deeds in words.deeds.values() for deed in deeds])


def _is_only(opening: str, head: str, words: _Words) -> bool:
    """Whether nothing but "everything" comes after the head: "forget everything", not "delete everything in A"."""
    rest = opening[len(head) :].strip(" .!。！")
    return any(rest == one or rest.startswith((f"{one} about", f"{one} you", f"{one}关于")) for one in words.everything)


def _plain(text: str, *, keeps_end: bool = False) -> str:
    said = simplified(normalise(text)).casefold().replace("’", "'").strip()
    return said if keeps_end else said.strip(" .!。！?？")


def _behind(said: str, leads: Sequence[str]) -> str:
    while (lead := _opens(said, leads)) is not None:
        said = said[len(lead) :].lstrip(" ,，:")
    return said


def _opens(said: str, phrases: Iterable[str]) -> str | None:
    """Return the longest of `phrases` that `said` opens with, whole words of it."""
    found = [one for one in phrases if said.startswith(one) and _is_bounded(said, 0, one)]
    return max(found, key=len, default=None)


def _has(said: str, phrases: Iterable[str]) -> bool:
    return any(_is_bounded(said, found.start(), one) for one in phrases for found in re.finditer(re.escape(one), said))


def _is_bounded(said: str, start: int, phrase: str) -> bool:
    if not phrase.isascii():
        return True
    end = start + len(phrase)
    after, before = said[end : end + 1], said[start - 1 : start] if start else ""
    is_suffix = phrase.startswith(("n't", "'"))
    return not (after.isalnum() and after.isascii()) and (is_suffix or not (before.isalnum() or before == "'"))


@cache
def _words(tongue: Language) -> _Words:
    text = files("memory.language").joinpath("tongues", "speech.toml").read_text(encoding="utf-8")
    return _Words.model_validate(tomllib.loads(text)[tongue])

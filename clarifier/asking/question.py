"""The question to the person: which slots, in which order, with which options, in which words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from clarifier.asking.wording import Wish, among_more, either, wish_for
from clarifier.grounding.grounder import Grounding
from clarifier.grounding.listed import Listed
from clarifier.grounding.matching import is_identifier
from clarifier.grounding.phrases import joined, purpose, says_nothing, slot_phrase, value_phrase
from clarifier.posterior import Posterior
from memory.evidence import Slot
from memory.language.text import Language, split_name
from memory.language.values.dates import normal_date
from memory.language.values.values import canonical_key
from memory.tools import Parameter, Tool

MAX_OPTIONS = 4
COST_OF_REPEAT = 1.0
"""Taken from the worth of a slot that was asked before: no slot is worth as much, so it comes after all others."""


class OpenSlot(NamedTuple):
    """A slot that the question is to settle."""

    slot: Slot
    parameter: Parameter
    posterior: Posterior
    """What memory knows of it."""
    is_repeat: bool = False
    """Whether it was asked in this turn already."""
    listed: tuple[Listed, ...] = ()
    """What tools have listed that it may be."""
    choices: frozenset[str] | None = None
    """Canonical forms of the past values that may be offered; `None`: all of them."""

    @property
    def worth(self) -> float:
        """Expected value of perfect information, less the cost of asking again.

        In units of a wrong call: with the best value of probability p the call is wrong with 1 − p, with the answer
        it is right, so EVPI = 1 − max_v P_j(v).
        """
        best = self.posterior.best
        return 1 - (best.probability if best else 0.0) - (COST_OF_REPEAT if self.is_repeat else 0.0)


class Question(NamedTuple):
    """A question with what it asks for."""

    text: str
    slots: tuple[str, ...]
    options: dict[str, tuple[JsonValue, ...]]


def ask_for(
    slots: Sequence[OpenSlot], tools: Mapping[str, Tool], language: Language, *, assumed: Sequence[Grounding] = ()
) -> Question:
    """Return one question for all `slots`, worst first (ties keep their order).

    Args:
        slots: At least one.
        tools: The tools by name, for what they are about.
        language: Of the request.
        assumed: Values taken from habit that the person should hear of.
    """
    ordered = sorted(slots, key=lambda one: -one.worth)
    options = {str(one.slot): found for one in ordered if (found := options_for(one))}
    wishes: dict[str, tuple[Wish, str]] = {}
    for one in ordered:
        wish = wish_for(one.parameter, tools.get(one.slot.tool), language)
        wishes.setdefault(wish.within(language), (wish, _read_out(one, options.get(str(one.slot), ()), language)))
    text = _wording(list(wishes.values()), language)
    if len(ordered) == 1 and (aim := _aim(ordered[0], tools, language)):
        text = f"要{aim}，{text}" if language == "zh" else f"To {aim}, {text[0].lower()}{text[1:]}"
    if taken := _assumptions(assumed, language):
        text = f"{text[:-1]}{taken}{text[-1]}"
    return Question(text, tuple(dict.fromkeys(str(one.slot) for one in ordered)), options)


def confirm(calls: Sequence[tuple[Tool, Sequence[Grounding]]], language: Language) -> Question:
    """Return the question whether to make these calls, with the values that the person did not say in this turn."""
    aims = [purpose(tool, language) or " ".join(split_name(tool.name)) for tool, _ in calls]
    details: list[str] = []
    slots: list[str] = []
    for _, groundings in calls:
        for one in groundings:
            slots.append(str(one.slot))
            if one.parameter is not None:
                colon = "：" if language == "zh" else ": "
                details.append(f"{slot_phrase(one.parameter, language)}{colon}{value_phrase(one.value, language)}")
    facts = ("；" if language == "zh" else "; ").join(dict.fromkeys(details))
    aim = joined(list(dict.fromkeys(aims)), language)
    if language == "zh":
        text = f"我准备{aim}（{facts}），可以吗？" if facts else f"我准备{aim}，可以吗？"
    else:
        text = f"Shall I {aim} ({facts})?" if facts else f"Shall I {aim}?"
    return Question(text, tuple(dict.fromkeys(slots)), {})


def still_missing(slots: Sequence[OpenSlot], tools: Mapping[str, Tool], language: Language) -> str:
    """Return the honest reply of a turn that ends without the call, with what it needs and may choose from."""
    wishes: dict[str, tuple[Wish, str]] = {}
    for one in slots:
        wish = wish_for(one.parameter, tools.get(one.slot.tool), language)
        wishes.setdefault(wish.within(language), (wish, _read_out(one, options_for(one), language)))
    named = joined(_bracketed(list(wishes.values()), language), language)
    if language == "zh":
        return f"我还不知道{named or '必要的信息'}，所以这一步没有做。告诉我之后我再继续。"
    return f"I still do not know {named or 'enough to go on'}, so I have not done this. Tell me and I will go on."


def options_for(one: OpenSlot) -> tuple[JsonValue, ...]:
    """Return two to four candidates, likeliest first; none where there are fewer than two.

    What tools have listed in sight comes first, by its name; of more than four things the first four. Past dates and
    identifiers are not among the rest: nobody chooses those by sight. Nor is a longer enum read out.
    """
    if len(one.listed) >= 2:
        return tuple(thing.value for thing in one.listed[:MAX_OPTIONS])
    candidates = [
        candidate
        for candidate in one.posterior.candidates
        if candidate.count and (one.choices is None or canonical_key(candidate.value) in one.choices)
    ]
    if len(one.parameter.enum) <= MAX_OPTIONS and one.parameter.type != "boolean":
        candidates.extend(
            candidate
            for candidate in one.posterior.candidates
            if not candidate.count and candidate.value in one.parameter.enum
        )
    values = [candidate.value for candidate in candidates if _is_readable(candidate.value)]
    return tuple(values[:MAX_OPTIONS]) if len(values) >= 2 else ()


def _is_readable(value: JsonValue) -> bool:
    if isinstance(value, str):
        return normal_date(value) is None and (not is_identifier(value) or ("_" in value and value.isascii()))
    return not isinstance(value, (bool, list, dict))


def _read_out(one: OpenSlot, options: tuple[JsonValue, ...], language: Language) -> str:
    """The options in words; empty without any."""
    if not options:
        return ""
    names = {canonical_key(thing.value): thing.name for thing in one.listed}
    spoken = [names.get(canonical_key(value)) or value_phrase(value, language) for value in options]
    if unnamed := len(names) - len(options) if names else 0:
        return among_more(spoken, unnamed, language)
    allowed = one.parameter.enum
    is_closed = bool(names) or (bool(allowed) and len(allowed) == len(options))
    return either(spoken, language, is_closed=is_closed)


def _bracketed(wishes: Sequence[tuple[Wish, str]], language: Language) -> list[str]:
    """What is wanted, each with its options in brackets."""
    form = "（{}）" if language == "zh" else " ({})"
    return [wish.within(language) + (form.format(options) if options else "") for wish, options in wishes]


def _wording(wishes: list[tuple[Wish, str]], language: Language) -> str:
    if len(wishes) == 1:
        wish, options = wishes[0]
        return wish.question(options, language)
    wanted = joined(_bracketed(wishes, language), language)
    return f"请告诉我{wanted}，好吗？" if language == "zh" else f"Could you tell me {wanted}?"


def _aim(one: OpenSlot, tools: Mapping[str, Tool], language: Language) -> str:
    """What the value is for, where the parameter itself says nothing of it."""
    tool = tools.get(one.slot.tool)
    return purpose(tool, language) if tool is not None and says_nothing(one.parameter, language) else ""


def _assumptions(assumed: Sequence[Grounding], language: Language) -> str:
    """What is taken from habit, in brackets."""
    spoken = {
        slot_phrase(one.parameter, language): value_phrase(one.value, language)
        for one in assumed
        if one.parameter is not None
    }
    if not spoken:
        return ""
    if language == "zh":
        return f"（{'、'.join(f'{phrase}照旧用{value}' for phrase, value in spoken.items())}）"
    return f" ({joined([f'{value} for the {phrase}' for phrase, value in spoken.items()], language)}, as usual)"

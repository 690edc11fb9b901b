"""The final words of a turn: what the tools returned, or a plain answer where no tool fits."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from agent.planners.rules.entries import leaves
from agent.planners.rules.results import told
from agent.planners.rules.speech_acts import acts_of, is_kept
from agent.planners.rules.verbs import (
    asks_what_can_be_done,
    asks_what_is_known,
    deeds_of,
    deeds_said,
    is_bare_statement,
    is_confidence,
    is_greeting,
    is_thanks,
)
from clarifier.decision import Situation
from clarifier.effects import effect_of
from clarifier.grounding.phrases import purpose
from memory.evidence import PERSON
from memory.language.text import Language, language, normalise, split_name
from memory.records import Observation, ToolCall
from memory.state.sensitive import is_sensitive_text
from memory.state.user_state import fold_evidence
from memory.tools import Tool

MAX_TOOLS = 8
"""Tools that a greeting tells of; the rest is counted."""

_DONE_NOW: dict[Language, str] = {"en": "Done", "zh": "办好了"}
_FOUND_NOTHING: dict[Language, str] = {"en": "Nothing found.", "zh": "没有查到。"}
_FAILED: dict[Language, str] = {"en": "That did not work: {error}", "zh": "没有成功：{error}"}
_FAILED_AIM: dict[Language, str] = {"en": "I could not {aim}: {error}", "zh": "没能{aim}：{error}"}
_CHAT: dict[Language, str] = {
    "en": "I hear you. There is nothing I need to look up or do for that, but say so if you would like something done.",
    "zh": "听到了。这事不用我查什么或办什么，需要的话再跟我说。",
}


_DONE: dict[Language, str] = {
    "en": "That is done already in this conversation ({tools}). Say “again” if you want it once more.",
    "zh": "这件事刚才已经办过了（{tools}）。要再办一次的话，请说“再”。",
}
_NOTED: dict[Language, str] = {
    "en": "Noted. Nothing needs doing for that now.",
    "zh": "记住了，现在没有什么要办的。",
}
_ONLY_ASKED: dict[Language, str] = {
    "en": "I take that as a question, so I have changed nothing, and no tool here answers it. Tell me outright what "
    "to do if you would like something done.",
    "zh": "这句我当作提问，所以什么都没有改动，这里也没有工具能回答。要办事的话，请直接说要办什么。",
}
_LEFT: dict[Language, str] = {"en": "All right, I leave it at that.", "zh": "好，那就先这样。"}
_PRIVATE: dict[Language, str] = {
    "en": "What tells of health, belief, money and the like I draw nothing from for later; I go by it only in the task "
    "that you state it for. Say it together with what you would like done.",
    "zh": "健康、信仰、钱财这类私事我不会留作以后的依据，只在你为某件事说明时才用。要办事时一起说，我就按它来办。",
}
_WELCOME: dict[Language, str] = {"en": "You're welcome.", "zh": "不客气。"}
_GREETED: dict[Language, str] = {"en": "Hello.", "zh": "你好。"}
_ABLE: dict[Language, str] = {"en": "I can {tools}.", "zh": "我能做这些：{tools}。"}
_KNOWN: dict[Language, str] = {
    "en": "Of what you told me, this bears on what I do here: {facts}.",
    "zh": "你说过的事里，和我能办的有关的是：{facts}。",
}
_UNKNOWN: dict[Language, str] = {
    "en": "I know nothing of you yet that bears on what I do here.",
    "zh": "和我能办的事有关的，我还不知道你什么。",
}
_UNABLE: dict[Language, str] = {"en": "No tools are on offer here.", "zh": "这里没有可用的工具。"}


def done_before(tools: Sequence[Tool], request: str) -> str:
    """Return the reply where all that is asked for was done before, in the language of `request`."""
    tongue = language(request)
    return _DONE[tongue].format(tools=_named(tools, tongue))


def small_talk(situation: Situation) -> str:
    """Return one line to what asks for nothing; to a greeting, and when asked, it tells what the tools can do."""
    request, tongue = situation.request, language(situation.request)
    if is_greeting(request) or asks_what_can_be_done(request):
        told = _ABLE[tongue].format(tools=_named(situation.tools, tongue)) if situation.tools else _UNABLE[tongue]
        lead = _GREETED[tongue] if is_greeting(request) else ""
        return f"{lead} {told}".strip() if tongue == "en" else lead + told
    if asks_what_is_known(request):
        facts = _facts(situation)
        return (
            _KNOWN[tongue].format(facts=("; " if tongue == "en" else "；").join(facts)) if facts else _UNKNOWN[tongue]
        )
    if is_thanks(request) and re.search(r"\bthank|\bcheers\b|谢", request, re.IGNORECASE):
        return _WELCOME[tongue]
    acts = acts_of(request)
    changing = [deeds_of(tool) for tool in situation.tools if effect_of(tool) != "read"]
    if "order" not in acts and "question" in acts and deeds_said(request) & set().union(*changing):
        return _ONLY_ASKED[tongue]
    if set(acts) == {"dismissal"}:
        return _LEFT[tongue]
    if "order" not in acts or is_confidence(request) or is_bare_statement(request):
        parts = [_NOTED[tongue]] * is_kept(request) + [_PRIVATE[tongue]] * is_sensitive_text(request)
        return (" " if tongue == "en" else "").join(parts) or _CHAT[tongue]
    return _CHAT[tongue]


def _facts(situation: Situation) -> list[str]:
    """Return what the recalled evidence holds of the person by their own word or as a rule, "seat: aisle" each."""
    facts: list[str] = []
    for slot, held in fold_evidence(situation.recall.evidence).slots.items():
        lead = " ".join(split_name(slot.argument)).casefold() if slot.argument.isascii() else slot.argument
        for one in (*held.current, *held.unwanted):
            words = _plain(one.value)
            if slot.tool == PERSON or one.is_standing:
                denied = _NOT[language(situation.request)] if one.is_negated else ""
                facts.append(denied + words if words == lead else f"{lead}: {denied}{words}")
    # A value in the form that an argument takes ("window", "second_class") says nothing beside the person's words.
    by_words = {normalise(fact.replace("_", " ")): fact for fact in reversed(facts)}
    inner = {words for words in by_words for other in by_words if words in other and words != other}
    return [fact for words, fact in reversed(by_words.items()) if words not in inner]


_NOT: dict[Language, str] = {"en": "not ", "zh": "不要"}


def _plain(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _named(tools: Sequence[Tool], tongue: Language) -> str:
    """Return what tools do, by their names, in Chinese by their descriptions where those are Chinese."""
    words = list(dict.fromkeys(_does(tool, tongue) for tool in tools))
    shown, rest = words[:MAX_TOOLS], len(words) - MAX_TOOLS
    if tongue == "zh":
        return "、".join(shown) + (f"等{len(words)}项" if rest > 0 else "")
    if rest > 0:
        return ", ".join(shown) + f" and {rest} more"
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else "".join(shown)


def _does(tool: Tool, tongue: Language) -> str:
    described = re.split(r"[，。；（,.(]", tool.description)[0]
    if tongue == "zh" and re.search(r"[\u4e00-\u9fff]", described):
        return re.sub(r"[A-Za-z]+(?:_[A-Za-z]+)+(?:(?:查到|找到|返回)的)?", "", described)  # names of other tools
    return " ".join(split_name(tool.name))


def report(situation: Situation) -> str:
    """Return what the calls of this turn brought, in the language of the request; small talk where there were none."""
    tongue = language(situation.request)
    made = _without_lists_used(
        [pair for step in situation.call_steps for pair in zip(step.calls, step.observations, strict=True)], situation
    )
    if not made:
        return small_talk(situation)
    lines = dict.fromkeys(_line(call, observation, situation, tongue) for call, observation in made)
    if len(lines) == 1:
        return next(iter(lines))
    apart = [_apart(call, [other for other, _ in made]) for call, _ in made]
    colon = ": " if tongue == "en" else "："
    parts = [
        f"{mark}{colon if mark else ''}{_line(call, observation, situation, tongue)}"
        for mark, (call, observation) in zip(apart, made, strict=True)
    ]
    return "\n".join(dict.fromkeys(parts))


def _without_lists_used(
    made: Sequence[tuple[ToolCall, Observation]], situation: Situation
) -> list[tuple[ToolCall, Observation]]:
    """Return the calls with, of a list from which a change that was made took its thing, that thing alone."""
    taken = [
        leaf
        for call, observation in made
        if observation.error is None and (tool := situation.tool(call.name)) is not None and effect_of(tool) != "read"
        for leaf in leaves(call.arguments)
        if isinstance(leaf, str)
    ]
    left: list[tuple[ToolCall, Observation]] = []
    for call, observation in made:
        content = observation.content
        used = (
            [item for item in content if isinstance(item, dict) and any(leaf in taken for leaf in _ids(item))]
            if isinstance(content, list)
            else []
        )
        left.append((call, observation.model_copy(update={"content": used[0]}) if len(used) == 1 else observation))
    return left


def _ids(item: Mapping[str, JsonValue]) -> list[JsonValue]:
    return [value for key, value in item.items() if split_name(key.casefold())[-1:] == ("id",)]


def _line(call: ToolCall, observation: Observation, situation: Situation, tongue: Language) -> str:
    """Return what one call brought; of a change, that it is made."""
    if observation.error is not None:
        aim = purpose(tool, tongue) if (tool := situation.tool(call.name)) is not None else ""
        return (_FAILED_AIM if aim else _FAILED)[tongue].format(aim=aim, error=observation.error)
    words = told(observation.content, call, tongue)
    words = words if isinstance(observation.content, str) else words[:1].upper() + words[1:]
    tool = situation.tool(call.name)
    if tool is not None and effect_of(tool) == "read":
        return words or _FOUND_NOTHING[tongue]
    return _DONE_NOW[tongue] + (f"{': ' if tongue == 'en' else '：'}{words}" if words else "")


def _apart(call: ToolCall, others: Sequence[ToolCall]) -> str:
    """Return what tells a call from the others of its tool, the argument that differs; empty where the words do."""
    same = [other for other in others if other.name == call.name]
    names = [
        name for name, value in call.arguments.items() if any(other.arguments.get(name) != value for other in same)
    ]
    if len(names) == 1 and isinstance(call.arguments[names[0]], str):
        return str(call.arguments[names[0]])
    return ""

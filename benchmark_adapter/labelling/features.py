"""What the label head sees: typed features, pure functions of dialogue, tools, proposal and decision."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from benchmark_adapter.labelling.cues import Features, course, wording
from benchmark_adapter.labelling.deeds import telling
from benchmark_adapter.labelling.slot_supply import (
    SlotKind,
    Source,
    Supply,
    assigned,
    label_stems,
    named_values,
    supplies,
)
from benchmark_adapter.labelling.talk import Talk, talk_of
from benchmark_adapter.labelling.tool_match import Match, matches, pairs_served, unserved, words_of
from clarifier.decision import Decision, Proposal, Situation
from clarifier.effects import effect_of
from memory.embedder import Embedder
from memory.language.text import split_name, stem, tokenise
from memory.tools import Tool

_FIT = ("covered", "thing", "deed", "meaning")
_NEAR = 0.35
"""Tools whose score is less than this below the best's are candidates as well."""
_OF_LAST = 0.3
"""What the last message weighs against the whole turn when tools are ranked within an exchange."""
_FINDS_TOOLS = re.compile(
    r"(?:tool|api|function)s?_?(?:search|find|look)|(?:search|find|look)\w*?_?(?:tool|api|function)", re.I
)
"""Of names of tools that look for other tools, which comes before anything else."""
_VAGUE_NOUN = re.compile(
    r"\b(?:an?|another|some|any|certain|specific|particular|several|few|different|various|one of (?:the|my|our)|my|our)"
    r" ((?!(?:lot|bit|little|few|moment|way)\b)\w+)(?: (\w+))?(?! (?:called|named|titled))",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Candidate:
    """A tool on offer with how it fits and how its required arguments come by their values."""

    tool: Tool
    match: Match
    supplies: tuple[Supply, ...]

    @property
    def missing(self) -> tuple[Supply, ...]:
        """The required arguments that nothing but loose words speaks for."""
        return tuple(one for one in self.supplies if one.is_missing)


def label_features(
    situation: Situation, proposal: Proposal, decision: Decision, embedder: Embedder | None = None
) -> Features:
    """Return the features by name; the names do not depend on what is given.

    Args:
        situation: The dialogue so far and the tools on offer.
        proposal: What the planner would do.
        decision: What the clarifier makes of it, with its reasons.
        embedder: For meaning; the features of meaning are 0 without one.
    """
    talk = talk_of(situation)
    last = matches(talk.last, situation.tools, embedder)
    task = matches(situation.request, situation.tools, embedder) if talk.before else last
    ranked = ranking(situation.tools, talk, last, task)
    found = {
        **_fit(talk, situation.tools, last, task, ranked),
        **_service(talk, situation.tools, ranked, embedder),
        **_slots(ranked),
        **_vagueness(talk, ranked),
        **wording(talk.last),
        **course(situation, talk),
        **_plan(proposal, decision, ranked),
    }
    return {**found, **_together(found)}


def ranking(tools: Sequence[Tool], talk: Talk, last: Sequence[Match], task: Sequence[Match]) -> tuple[Candidate, ...]:
    """Return the tools with their arguments, best first; ties keep the order on offer."""
    weight = _OF_LAST if talk.before else 0.0
    order = sorted(range(len(tools)), key=lambda i: (-task[i].score - weight * last[i].score, i))
    return tuple(Candidate(tools[i], task[i], supplies(tools[i], tools, talk)) for i in order)


def _fit(
    talk: Talk, tools: Sequence[Tool], last: Sequence[Match], task: Sequence[Match], ranked: Sequence[Candidate]
) -> Features:
    """Return how well the best tool fits, and by how much better than the next."""
    best = ranked[0].match if ranked else Match()
    second = ranked[1].match if len(ranked) > 1 else best
    found = {f"last_{key}": max((getattr(one, key) for one in last), default=0.0) for key in _FIT}
    found.update({f"task_{key}": max((getattr(one, key) for one in task), default=0.0) for key in _FIT})
    found.update({f"best_{key}": getattr(best, key) for key in _FIT})
    return {
        **found,
        "no_tools": float(not tools),
        "one_tool": float(len(tools) == 1),
        "log_tools": math.log1p(len(tools)),
        "best_score": best.score,
        "best_deed_wrong": float(bool(ranked) and best.deed == 0),
        "best_reads": float(bool(ranked) and effect_of(ranked[0].tool) == "read"),
        "finder_unused": float(any(_FINDS_TOOLS.search(one.name) and one.name not in talk.called for one in tools)),
        "best_called": float(bool(ranked) and ranked[0].tool.name in talk.called),
        "margin": best.score - second.score,
        "margin_meaning": best.meaning - second.meaning,
    }


def _service(talk: Talk, tools: Sequence[Tool], ranked: Sequence[Candidate], embedder: Embedder | None) -> Features:
    """Return what of the last message no tool serves, and what the best tool does not."""
    whole = unserved(talk.last, tools, embedder)
    by_best = unserved(talk.last, [ranked[0].tool] if ranked else [], None)
    least, mean = pairs_served(talk.last, tools)
    own = words_of(ranked[0].tool).text if ranked else frozenset()
    terms = telling(talk.last)
    return {
        "unserved_clauses": whole.clauses,
        "worst_clause_meaning": whole.worst_meaning,
        "unserved_topics": min(whole.topics, 4.0),
        "unserved_topic_share": whole.topic_share,
        "best_topic_share": whole.best_topic_share,
        "unserved_words": whole.words,
        "unserved_topic_share_by_best": by_best.topic_share,
        "least_pair": least,
        "mean_pair": mean,
        "first_word_unserved": float(bool(terms) and terms[0] not in own),
        "log_telling": math.log1p(len(terms)),
        "log_unserved_by_best": math.log1p(sum(term not in own for term in terms)),
    }


def _slots(ranked: Sequence[Candidate]) -> Features:
    """Return how the best tool's required arguments come by their values, and whether a near tool is complete."""
    slots = ranked[0].supplies if ranked else ()
    none = [one for one in slots if one.source == "none"]
    loose = [one for one in slots if one.source == "loose"]
    n = max(len(slots), 1)
    near = _near(ranked)
    found = {f"missing_{kind}": float(any(one.kind == kind for one in none)) for kind in get_args(SlotKind)}
    found.update({f"loose_{kind}": float(any(one.kind == kind for one in loose)) for kind in get_args(SlotKind)})
    found.update(
        {f"share_{name}": sum(one.source == name for one in slots) / n for name in get_args(Source) if name != "none"}
    )
    return {
        **found,
        "log_required": math.log1p(len(slots)),
        "none_required": float(bool(ranked) and not slots),
        "missing": float(min(len(none), 4)),
        "any_missing": float(bool(none)),
        "loose": float(min(len(loose), 3)),
        "any_loose": float(bool(loose)),
        "share_open": (len(none) + len(loose)) / n,
        "least_strength": min((one.strength for one in slots), default=1.0),
        "all_supplied": float(bool(ranked) and not ranked[0].missing),
        "log_near": math.log1p(len(near)),
        "near_complete": float(any(not one.missing for one in near)),
        "near_least_missing": float(min((len(one.missing) for one in near), default=0)),
    }


def _near(ranked: Sequence[Candidate]) -> tuple[Candidate, ...]:
    return tuple(one for one in ranked if one.match.score > ranked[0].match.score - _NEAR)


def _vagueness(talk: Talk, ranked: Sequence[Candidate]) -> Features:
    """Return whether the last message speaks of what is to be given without giving it: "a file", "some folder"."""
    nouns = frozenset(
        stem(word.casefold()) for found in _VAGUE_NOUN.finditer(talk.last) for word in found.groups() if word
    )
    open_labels = [label_stems(one.parameter.name) for one in (ranked[0].missing if ranked else ())]
    near_labels = [label_stems(p.name) for one in _near(ranked)[:3] for p in one.tool.parameters]
    terms = frozenset(tokenise(talk.last))
    optional = [p for p in ranked[0].tool.parameters if not p.is_required] if ranked else []
    given = assigned(optional, talk.last)
    named = [p for p in optional if p.name not in given and label_stems(p.name) & terms]
    of_tool = {stem(word) for word in split_name(ranked[0].tool.name)} if ranked else set()
    return {
        "open_slot_named": float(any(labels & terms for labels in open_labels)),
        "vague_slot": float(any(labels & nouns for labels in near_labels)),
        "vague_open_slot": float(any(labels & nouns for labels in open_labels)),
        "vague_thing_of_tool": float(bool(nouns & of_tool)),
        "optional_named": float(min(len(named), 2)),
        "optional_given": float(min(len(given), 3)),
        "log_values": math.log1p(len(named_values(talk.last))),
    }


def _plan(proposal: Proposal, decision: Decision, ranked: Sequence[Candidate]) -> Features:
    """Return what planner and clarifier make of it."""
    required = [reason for reason in decision.reasons if reason.is_required]
    is_same = bool(proposal.calls) and bool(ranked) and proposal.calls[0].name == ranked[0].tool.name
    found = {f"decides_{kind}": float(decision.kind == kind) for kind in ("act", "plan_again", "ask", "answer")}
    return {
        **found,
        "log_calls_planned": math.log1p(len(proposal.calls)),
        "plan_least_c": min((reason.probability for reason in required), default=1.0),
        "plan_missing": float(min(sum(reason.grounds == "missing" for reason in required), 4)),
        "plan_ungrounded": float(min(sum(reason.grounds == "none" for reason in required), 4)),
        "p_act": decision.odds.p_act,
        "p_calls": decision.odds.p_calls,
        "plan_agrees": float(is_same),
    }


_PAIRS = (
    ("best_score", "all_supplied"),
    ("best_score", "any_missing"),
    ("best_called", "all_supplied"),
    ("any_missing", "in_exchange"),
    ("any_missing", "assistant_asked"),
    ("log_values", "any_missing"),
    ("best_meaning", "one_tool"),
    ("best_meaning", "margin_meaning"),
    ("share_open", "in_exchange"),
    ("all_supplied", "in_exchange"),
    ("any_missing", "says_points_back"),
    ("any_missing", "has_topic"),
    ("any_loose", "says_vague"),
    ("says_asks", "says_opens_with_wh"),
    ("plan_agrees", "all_supplied"),
    ("decides_act", "best_score"),
    ("unserved_topic_share", "best_meaning"),
)


def _together(found: Features) -> Features:
    """Return products of features that say more together than either does alone."""
    return {f"{one}*{other}": found[one] * found[other] for one, other in _PAIRS}

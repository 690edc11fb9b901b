"""From the options of `stead-bench run` to a finished run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from agent.planners.chat import ChatPlanner
from agent.planners.requests import request_options
from agent.settings import ChatSettings
from benchmark_adapter.data.dataset import DEFAULT_SEED, ReferenceTurn, Session
from benchmark_adapter.data.source import data_hash, read_data
from benchmark_adapter.errors import BenchmarkError
from benchmark_adapter.provenance import digest, package_versions, python_version, source_commit, source_hash
from benchmark_adapter.replay.memory_control import givers
from benchmark_adapter.replay.oracle import MissingGoldError, OraclePlanner
from benchmark_adapter.replay.past import View
from benchmark_adapter.replay.turn_result import TurnLine
from benchmark_adapter.runs.manifest import Manifest, PlannerName, Similarity
from benchmark_adapter.runs.official import keep_official
from benchmark_adapter.runs.run_directory import METRICS, RunDirectory, open_run
from benchmark_adapter.runs.run_scoring import Finished, measure
from benchmark_adapter.runs.runner import PlannerFor, Setup, limited, play, playing_order
from clarifier.calibration.heads import Heads, default_heads, load_heads
from clarifier.clarifier import decide
from clarifier.policy import open_policy
from memory.embedder import Embedder
from memory.embedders import open_embedder
from memory.records import Turn
from memory.strategies import default_budget


@dataclass(frozen=True)
class RunOptions:
    """What `stead-bench run` is told."""

    data: Path | None = None
    """A topic file or a folder of them; `None`: the bundled personas."""
    toolsets: Path | None = None
    """Where toolset numbers point to; `None`: a folder `toolsets` in or beside the data."""
    planner: PlannerName = "rules"
    memory: str = "stead"
    memory_of: str | None = None
    """Whose turns everybody is given in place of their own, who is given those of the next person."""
    budget: int | None = None
    """Tokens of recall; `None`: the strategy's own."""
    embedder: str = "use"
    policy: str = "benchmark"
    heads: str | None = None
    """Calibration heads: of the package by name, or a file; `None`: those fitted with this planner, else those
    set by hand."""
    view: View = "official"
    similarity: Similarity = "rouge"
    model: str | None = None
    base_url: str | None = None
    provider: str | None = None
    """The profile of the endpoint; `None`: any OpenAI-compatible one."""
    prompt: Path | None = None
    """A folder of prompt files; `None`: the bundled ones."""
    samples: int = 1
    """Answers asked for each plan."""
    stated_sources: bool = False
    """Whether the oracle says where each value comes from."""
    seed: int = DEFAULT_SEED
    limit: int | None = None
    relaxed: bool = True
    """Whether turns go on after their first deviation, for relaxed scoring."""
    concurrency: int = 1
    out: Path | None = None
    """The run directory; `None`: `runs/` and 12 digits of the manifest's hash."""


@dataclass(frozen=True)
class Launch:
    """A run that is ready to start: everything that can be wrong with its options has been checked."""

    sessions: tuple[Session, ...]
    manifest: Manifest
    setup: Setup
    path: Path
    concurrency: int
    chat: ChatPlanner | None = None
    """The planner of an endpoint, whose connections are closed when all is played."""
    warnings: tuple[str, ...] = ()
    """Of heads named by hand that were fitted with another planner or strategy."""

    @property
    def n(self) -> int:
        """Turns in all."""
        return sum(len(session.turns) for session in self.sessions)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know before the run: every topic that is not played, heads that may not fit."""
        dropped = tuple(
            f"{one['session']}: topic {one['topic']!r} (line {one['line']}) is not played: of the topics at "
            f"{one['time'] or 'no readable time'} the reference evaluator keeps one, here {one['kept']!r}"
            for one in self.manifest.dropped
        )
        return (*dropped, *self.warnings)

    def open(self) -> AbstractContextManager[RunDirectory]:
        """Open the run directory, made if it is not there, and hold it until the block ends.

        Raises:
            RunDirectoryError: If the run directory cannot be used.
            ManifestMismatchError: If it holds another run.
        """
        return open_run(self.path, self.manifest)

    def finish(self, run: RunDirectory, on_turn: Callable[[TurnLine], None] = lambda line: None) -> Finished:
        """Play what is left to play, score it all, and write the metrics and the files in the reference layout."""
        with self.chat or nullcontext():
            play(self.sessions, self.setup, run, concurrency=self.concurrency, on_turn=on_turn)
        metrics = measure(run, self.sessions)
        run.finish(playing_order(self.sessions), metrics)
        keep_official(run, self.sessions)
        return Finished(run, metrics)


def prepare(options: RunOptions) -> Launch:
    """Read the data and set up planner, memory and clarifier.

    Raises:
        BenchmarkError: If data or options cannot be used.
        AgentError: If the planner cannot be set up.
        MemoryStoreError: If the strategy or the embedder does not exist.
    """
    if options.limit is not None and options.limit < 1:
        raise BenchmarkError(f"expected --limit of at least 1 turn, got {options.limit}; leave it out for all turns")
    every = read_data(options.data, options.toolsets, options.seed)
    embedder = open_embedder(options.embedder)
    own_budget = default_budget(options.memory)
    budget = own_budget if options.budget is None or not own_budget else options.budget
    heads = load_heads(options.heads or default_heads(options.planner))
    policy = open_policy(options.policy)
    if options.stated_sources and options.planner != "oracle":
        raise BenchmarkError(
            f"--stated-sources belongs to --planner oracle, not to --planner {options.planner}; for a model its "
            f"profile says how it states them (docs/models.md)"
        )
    chat = _chat_planner(options)
    planner_for = _planner_for(options, embedder, every) if chat is None else (lambda turn, past: chat)
    manifest = Manifest(
        data=data_hash(every),
        similarity=options.similarity,
        planner=options.planner,
        **_endpoint_fields(chat),
        memory=options.memory,
        memory_of=options.memory_of,
        budget=budget if own_budget else None,
        embedder=embedder.fingerprint,
        policy=options.policy,
        heads=digest(heads.model_dump(mode="json")),
        view=options.view,
        seed=options.seed,
        limit=options.limit,
        stated_sources=options.stated_sources,
        relaxed=options.relaxed,
        python=python_version(),
        packages=package_versions(),
        commit=source_commit(),
        code=source_hash(),
        dropped=tuple(dropped_topics(every)),
        heads_saw=_seen(heads, every),
        location={
            "data": str(options.data) if options.data else None,
            "toolsets": str(options.toolsets) if options.toolsets else None,
        },
    )
    setup = Setup(
        planner_for=planner_for,
        decide=partial(decide, policy=policy, heads=heads),
        strategy=options.memory,
        budget=budget,
        embedder=embedder,
        view=options.view,
        similarity=options.similarity,
        relaxed=options.relaxed,
        givers={} if options.memory_of is None else givers(every, options.memory_of),
    )
    path = options.out or Path("runs") / manifest.sha256[:12]
    # Default heads fit the planner, and are the same for every strategy on purpose.
    misfit = heads.misfit(planner=options.planner, strategy=options.memory) if options.heads else None
    if chat is not None and not (path / METRICS).exists():  # a finished run needs no endpoint
        chat.endpoint.check()
    return Launch(
        limited(every, options.limit), manifest, setup, path, options.concurrency, chat, (misfit,) if misfit else ()
    )


def _seen(heads: Heads, sessions: Sequence[Session]) -> tuple[str, ...]:
    """Return the persons whom the heads were fitted on."""
    return () if heads.fit is None else tuple(one.name for one in sessions if one.name in heads.fit.persons)


def dropped_topics(sessions: Sequence[Session]) -> Iterator[dict[str, str | int | None]]:
    """Yield the topics that are not played, since another of their point in time was drawn."""
    for session in sessions:
        for one in session.dropped:
            yield {
                "session": session.name,
                "topic": one.topic_id,
                "line": one.line,
                "time": one.time,
                "kept": one.kept_topic_id,
            }


def _chat_planner(options: RunOptions) -> ChatPlanner | None:
    """Return the planner of an endpoint where one is meant."""
    if options.planner != "chat":
        if options.provider or options.prompt or options.samples != 1:
            raise BenchmarkError(
                f"--provider, --prompt and --samples belong to --planner chat, not to --planner {options.planner}"
            )
        return None
    return ChatPlanner(
        ChatSettings.from_environ(
            os.environ,
            provider=options.provider,
            model=options.model,
            base_url=options.base_url,
            prompt=options.prompt,
            samples=options.samples,
        )
    )


def _endpoint_fields(chat: ChatPlanner | None) -> dict[str, Any]:
    """Return what a manifest says of an endpoint: nothing where there is none."""
    if chat is None:
        return {}
    settings = chat.settings
    profile, request = settings.profile, request_options(settings)
    return {
        "model": chat.endpoint.model,
        "base_url": settings.base_url,
        "provider": profile.name,
        "profile": digest(profile.model_dump(mode="json")),
        "request": {"options": request.body, "notes": list(request.notes)},
        "prices": profile.prices.model_dump(mode="json") if profile.prices else None,
        "samples": settings.samples,
        "prompt": chat.files.hash,
    }


def _planner_for(options: RunOptions, embedder: Embedder, sessions: Sequence[Session]) -> PlannerFor:
    """Return who gives the planner of a turn."""
    if options.planner == "oracle":
        return oracles(sessions, states_sources=options.stated_sources)
    from agent.planners.rules import RulesPlanner

    rules = RulesPlanner(embedder)
    return lambda turn, past: rules


def oracles(sessions: Sequence[Session], *, states_sources: bool = False) -> PlannerFor:
    """Return who gives the oracle of a turn, with the past turns that its gold evidence names.

    Args:
        sessions: Whom it plays for.
        states_sources: Whether it says where each value comes from.

    Raises:
        MissingGoldError: If a turn has no gold block.
    """
    positions = {
        (session.name, f"{turn.topic_id}#{turn.index_in_topic}"): turn.index
        for session in sessions
        for turn in session.turns
    }
    for turn in (turn for session in sessions for turn in session.turns):
        if turn.gold is None:
            raise MissingGoldError(turn)

    def oracle_for(turn: ReferenceTurn, past: Sequence[Turn]) -> OraclePlanner:
        named = turn.gold.evidence if turn.gold else ()
        found = [positions.get((turn.session, name)) for name in named]
        known = [past[index] for index in found if index is not None and index < len(past)]
        return OraclePlanner(turn, known, states_sources=states_sources)

    return oracle_for

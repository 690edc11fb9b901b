"""The folder `official/` of a run: data, results, scores and metrics in the layout of the reference evaluator.

It reads and scores these files to the same numbers. They depart from what its own run would leave in two ways, which
`names.json` lists: data sets are written under names that it accepts, and a turn that ended in an error of ours or
the endpoint's is followed by the later turns. The reference ends the session there and counts them nowhere
(conformance notes, 6); here the turn is written as the reference writes a failed request, and counts as wrong.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TextIO

from benchmark_adapter.data.dataset import Entry, Session, build_entry
from benchmark_adapter.data.reference import ReferenceStep
from benchmark_adapter.data.topics import TopicFile
from benchmark_adapter.errors import ReferenceCrashError, RunDirectoryError
from benchmark_adapter.evaluator.convert import convert_tools
from benchmark_adapter.evaluator.history import history_messages, session_messages
from benchmark_adapter.evaluator.reference_metrics import Metric, profile_metric
from benchmark_adapter.evaluator.session import PlayedSession, PlayedTurn, RequestFailure, reference_steps
from benchmark_adapter.evaluator.similarity import SimilarityMode
from benchmark_adapter.evaluator.trajectory import Crash, Follower
from benchmark_adapter.evaluator.verdict import verdict
from benchmark_adapter.provenance import digest
from benchmark_adapter.replay.environment import Reply
from benchmark_adapter.replay.turn_result import TurnLine
from benchmark_adapter.runs.inference_log import Figures, JsonObject, LoggedTurn
from benchmark_adapter.runs.manifest import Manifest
from benchmark_adapter.runs.official_names import dataset_names, file_name, model_name
from benchmark_adapter.runs.run_directory import RunDirectory

OFFICIAL = "official"
NAMES = "names.json"
PAST_CALLS = "history_call_"
"""Begins the ids of past calls, so that no call of a model has the same."""
LONE = "backslashreplace"
"""How half a surrogate pair, which UTF-8 cannot hold, is written: as its escape in JSON."""
_OURS_ALONE = frozenset({"gold", "toolset", "tools_lang"})
"""Fields of a topic that are not in the reference's format: answers, and where tools are found."""


def keep_official(run: RunDirectory, sessions: Sequence[Session]) -> None:
    """Write the folder of a run, unless the one that is there was written of these very turns.

    Args:
        run: With a line for every turn.
        sessions: As they were played.

    Raises:
        RunDirectoryError: If it cannot be written.
    """
    folder = run.path / OFFICIAL
    try:
        written_of = json.loads((folder / NAMES).read_bytes())["turns"]
    except (OSError, ValueError, KeyError, TypeError):
        written_of = None
    if written_of == turns_hash(run):
        _clear_leftovers(folder)
    else:
        write_official(run, sessions)


def turns_hash(run: RunDirectory) -> str:
    """Return the SHA-256 of the turns of a run but for what clocks said, so that a repeated run has the same."""
    whole = hashlib.sha256()
    for line in run.lines:
        whole.update(digest(line.model_dump(mode="json", exclude={"seconds"})).encode())
    return whole.hexdigest()


def _clear_leftovers(folder: Path) -> tuple[Path, Path]:
    """Delete what a killed process left of writing or replacing the folder, and return the two places for it."""
    partial, old = (folder.with_name(f"{folder.name}.{ending}") for ending in ("part", "old"))
    for leftover in (partial, old):
        shutil.rmtree(leftover, ignore_errors=True)
    return partial, old


def write_official(run: RunDirectory, sessions: Sequence[Session]) -> Path:
    """Write the folder of a run whose turns are all there, as a whole or not at all, and return it.

    Args:
        run: With a line for every turn.
        sessions: As they were played.

    Raises:
        RunDirectoryError: If it cannot be written.
    """
    folder = run.path / OFFICIAL
    model = official_model(run.manifest)
    names = dataset_names([session.name for session in sessions])
    try:
        partial, old = _clear_leftovers(folder)
        departures = []
        for session in sessions:
            departures += _write_played(partial, session, run, names[session.name], model)
        listed = {
            "model": {"written": model, **_parts(run.manifest)},
            "view": run.manifest.view,
            "datasets": {written: name for name, written in names.items()},
            "departures": departures,
            "turns": turns_hash(run),
        }
        (partial / NAMES).write_text(json.dumps(listed, ensure_ascii=False, indent=2) + "\n", "utf-8", LONE)
        if folder.exists():
            folder.replace(old)  # a folder that is there is whole, however this process ends
        partial.replace(folder)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as exc:
        problem = f"cannot write the files in the reference layout here ({exc.strerror or exc}); the run itself is kept"
        raise RunDirectoryError(exc.filename or folder, problem) from exc
    return folder


def official_model(manifest: Manifest) -> str:
    """Return the name that a run's results are written under: it says what played."""
    return model_name(*_parts(manifest).values())


def _parts(manifest: Manifest) -> dict[str, str | None]:
    return {
        "planner": manifest.planner,
        "model": manifest.model,
        "memory": manifest.memory_name,
        "policy": manifest.policy,
    }


def _write_played(folder: Path, session: Session, run: RunDirectory, name: str, model: str) -> list[JsonObject]:
    """Write the files of one session and return how they depart from the reference's own."""
    assert session.file is not None, "a session that is played was read from a file"
    write_topics(folder / "data" / file_name(f"{name}.jsonl"), session.file)
    lines = [line for turn in session.turns if (line := run.line(session.name, turn.index)) is not None]
    entry = build_entry([line.raw for line in session.file.lines], name=name, seed=run.manifest.seed)
    played = played_session(entry, lines, model=model, similarity=run.manifest.similarity)
    departures = [
        {"dataset": name, "turn": turn.index, "kind": kind, "detail": detail}
        for turn in played.turns
        for kind, detail in _turn_departures(turn)
    ]
    try:
        session_messages(session.turns, len(session.turns) - 1)
    except ReferenceCrashError as exc:
        played.crash = Crash("inference", exc.type_name, exc.detail)
        departures.append({"dataset": name, "turn": None, "kind": "history_cannot_be_written", "detail": str(exc)})
    figures = [_figures(line, len(turn.replies)) for line, turn in zip(lines, played.turns, strict=True)]
    write_session(folder, played, model=model, source_file=f"data/{name}.jsonl", figures=figures)
    return departures


def _turn_departures(turn: PlayedTurn) -> Iterator[tuple[str, str]]:
    if turn.failure is not None:
        yield "failed_turn_did_not_end_the_session", f"{turn.failure.error_type}: {turn.failure.error_message}"
    if turn.verdict.crash is not None:
        yield "reference_raises_here", turn.verdict.crash.reason


def write_topics(path: Path, file: TopicFile) -> None:
    """Write the topics of a file as the reference evaluator reads them: tools in place, nothing of `gold`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", errors=LONE, newline="\n") as lines:
        for line in file.lines:
            topic = {key: value for key, value in line.raw.items() if key not in _OURS_ALONE}
            lines.write(json.dumps(topic, ensure_ascii=False) + "\n")


def played_session(entry: Entry, lines: Sequence[TurnLine], *, model: str, similarity: SimilarityMode) -> PlayedSession:
    """Return a session as the reference evaluator follows it, from the replies of a run.

    Args:
        entry: The processed entry.
        lines: Of its first turns, in order.
        model: Decides the form of the tools.
        similarity: Second similarity of texts.
    """
    session = PlayedSession(entry)
    for line in lines:
        turn = entry.turns[line.turn]
        answer = reference_steps(turn.answer)
        follower, replies = _followed(answer, line.official_replies)
        if line.failure is not None and follower.steps and follower.steps[-1].is_final_answer:
            # It failed after its last reply, and counts as wrong: as if that reply had not come.
            follower, replies = _followed(answer, line.official_replies[: len(replies) - 1])
        failure = None
        if line.failure is not None and not follower.is_over:
            failure = RequestFailure(line.failure.type, line.failure.message)
            follower.failed(failure.error_type, failure.error_message)
        tools = convert_tools(turn.tools or [], model)
        outcome = verdict(follower, tools, similarity=similarity)
        session.turns.append(PlayedTurn(line.turn, follower, outcome, failure, tuple(replies)))
    return session


def _followed(answer: Sequence[ReferenceStep], replies: Sequence[Reply]) -> tuple[Follower, list[JsonObject]]:
    """Return what is made of replies, and as many of them as play a part."""
    follower, messages = Follower(answer), []
    for reply in replies:
        if follower.is_over:
            break
        messages.append(as_message(reply))
        follower.reply(messages[-1])
    return follower, messages


def as_message(reply: Reply) -> JsonObject:
    """Return a reply as an assistant message."""
    if not reply.calls:
        return {"content": reply.content, "tool_calls": None}
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in reply.calls
    ]
    return {"content": None, "tool_calls": calls}


def _figures(line: TurnLine, replies: int) -> Figures:
    """Return what the first replies of a turn took; nothing of tokens where that is not known by reply."""
    usage = line.reply_usage[:replies]
    return Figures(
        latency=[line.seconds[key] for index in range(replies) if (key := f"reply_{index}") in line.seconds],
        prompt=[one.prompt for one in usage],
        completion=[one.completion for one in usage],
    )


def write_session(
    folder: Path, session: PlayedSession, *, model: str, source_file: str, figures: Sequence[Figures]
) -> Metric | None:
    """Write result, score and metric of one session below a folder; one turn at a time is held.

    Args:
        folder: Where `result/` and `score/` are, or are made.
        session: Played; its entry has the name it is written under.
        model: As it stands in the files and their names.
        source_file: The topic file, as the files name it.
        figures: Of each turn.

    Returns:
        The metric; None where the reference evaluator has none, since a turn has no task type.
    """
    entry = session.entry
    stem = file_name(f"{entry.name}__{model}")
    results, scores = (folder / kind / file_name(model) for kind in ("result", "score"))
    for made in (results, scores):
        made.mkdir(parents=True, exist_ok=True)
    header: JsonObject = {
        "id": entry.name,
        "model_name": model,
        "dataset_name": entry.name,
        "source_file": source_file,
    }
    summary = session.summary()
    sizes = {"num_topics_after_dedup": entry.num_topics, "num_turns": len(entry.turns)}
    with (
        (results / f"{stem}_result.jsonl").open("w", encoding="utf-8", errors=LONE, newline="\n") as result_file,
        (scores / f"{stem}_score.jsonl").open("w", encoding="ascii", newline="\n") as score_file,
    ):
        if session.crash is not None:
            text = f"Error during inference: {session.crash.detail}"
            result_file.write(json.dumps(header | sizes | summary | {"result": text}, ensure_ascii=False) + "\n")
            score_file.write(json.dumps(header | summary | {"results": []}))
            tallied = []
        else:
            result_file.write(_opened(header | sizes | summary, "result", ensure_ascii=False))
            score_file.write(_opened(header | summary, "results", ensure_ascii=True))
            tallied = _write_turns(result_file, score_file, logged_turns(session, model, figures))
            result_file.write("]}\n")
            score_file.write("]}")
    try:
        metric = profile_metric(entry, [{**summary, "results": tallied}], model_name=model, source_file=source_file)
    except ReferenceCrashError:
        return None
    (scores / f"{stem}_metric.json").write_text(json.dumps(metric, indent=4), "ascii", newline="")
    return metric


def _write_turns(results: TextIO, scores: TextIO, turns: Iterable[LoggedTurn]) -> list[JsonObject]:
    """Write the entries of turns as they come, and return of their scores what a metric counts."""
    tallied: list[JsonObject] = []
    for index, turn in enumerate(turns):
        comma = ", " if index else ""
        results.write(comma + json.dumps(turn.as_result(), ensure_ascii=False))
        scored = turn.as_score()
        scores.write(comma + json.dumps(scored))
        steps: JsonObject = {key: {} for key in scored["inference_log"]}
        tallied.append({"label": scored["label"], "is_optimal": scored["is_optimal"], "inference_log": steps})
    return tallied


def logged_turns(session: PlayedSession, model: str, figures: Sequence[Figures]) -> Iterator[LoggedTurn]:
    """Yield the turns of a session with their requests, which hold the reference of all earlier turns.

    Raises:
        ReferenceCrashError: If an earlier turn cannot be written as messages.
    """
    turns = session.entry.turns
    earlier = [(turn.request, reference_steps(turn.answer)) for turn in turns]
    for played, took in zip(session.turns, figures, strict=True):
        source = turns[played.index]
        yield LoggedTurn(
            source=source,
            played=played,
            opening=history_messages(
                earlier[: played.index], request=source.request, env_info=source.env_info, id_prefix=PAST_CALLS
            ),
            tools=convert_tools(source.tools or [], model),
            figures=took,
        )


def _opened(header: JsonObject, key: str, *, ensure_ascii: bool) -> str:
    """Return the beginning of a JSON object up to the first element of a list under `key`."""
    return json.dumps(header | {key: []}, ensure_ascii=ensure_ascii)[:-2]

"""Result files in the layout of the reference evaluator, whoever's harness wrote them, followed against the data.

Labels are found again from the replies in the logs. Whatever does not fit the data, another turn, a log that goes on
where the turn is over, a file that was cut, is an error with file and line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from benchmark_adapter.data.dataset import ReferenceTurn, Session
from benchmark_adapter.data.jsonl import first_problem, read_lines
from benchmark_adapter.errors import DatasetError
from benchmark_adapter.evaluator.trajectory import Follower
from benchmark_adapter.replay.turn_result import Failure
from benchmark_adapter.runs.inference_log import step_key
from benchmark_adapter.runs.official_names import dataset_names
from clarifier.decision import Usage

RESULT_ENDING = "_result.jsonl"
NOT_PLAYED = "NotPlayed"
"""Type of the failure of turns after the one that ended their session."""


class _ApiError(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    error_type: str
    error_message: str


class _LoggedTurn(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    inference_log: dict[str, Any]
    latency: tuple[float, ...] = ()
    input_token_count: tuple[int | None, ...] = ()
    output_token_count: tuple[int | None, ...] = ()


class _ResultLine(BaseModel):
    """One session of a result file; a text instead of turns where the whole session crashed."""

    model_config = ConfigDict(frozen=True, extra="ignore", protected_namespaces=())

    dataset_name: str
    model_name: str
    inference_completed: bool = True
    error_type: str | None = None
    error_message: str | None = None
    result: tuple[_LoggedTurn, ...] | str


@dataclass(frozen=True)
class FollowedTurn:
    """A turn of the data with the log of it."""

    turn: ReferenceTurn
    follower: Follower
    failure: Failure | None
    """What ended it, or kept it from being played."""
    model: str
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0


class _Place(NamedTuple):
    path: Path
    line: int

    def error(self, problem: str) -> DatasetError:
        return DatasetError(self.path, self.line, problem)


def find_result_files(path: Path) -> tuple[Path, ...]:
    """Return a result file, or those in a folder and anywhere below it, by name.

    Raises:
        DatasetError: If there is none.
    """
    files = (path,) if path.is_file() else tuple(sorted(path.rglob(f"*{RESULT_ENDING}")))
    if not files:
        problem = f"expected a run directory, a result file or a folder with files `*{RESULT_ENDING}`, found none"
        raise DatasetError(path, None, f"{problem}; check the path")
    return files


def follow_results(path: Path, sessions: Sequence[Session]) -> list[FollowedTurn]:
    """Return every turn of a data set with the log of it, in playing order.

    A session that a failed request ended has no log of its later turns; these failed too, so that every model is
    judged on all turns. (The reference evaluator leaves them out of every count.)

    Args:
        path: As for `find_result_files`; all of one model.
        sessions: The data that the results are of.

    Raises:
        DatasetError: If a file is damaged, its results are not those of the data, of several models, or not all there.
    """
    written = dataset_names([session.name for session in sessions])
    known = {name: session for session in sessions for name in (session.name, written[session.name])}
    found: dict[str, list[FollowedTurn]] = {}
    models: dict[str, _Place] = {}
    for place, result in _result_lines(find_result_files(path)):
        models.setdefault(result.model_name, place)
        session = known.get(result.dataset_name)
        if session is None:
            names = ", ".join(session.name for session in sessions[:6])
            problem = f"expected results of the data ({names}), got data set {result.dataset_name!r}"
            raise place.error(f"{problem}; give the data it was made with as --data")
        if session.name in found:
            raise place.error(f"expected one result of each data set, got a second one of {result.dataset_name!r}")
        if len(models) > 1:
            raise place.error(f"expected results of one model, got {' and '.join(models)}; give the folder of one")
        found[session.name] = _followed(place, result, session)
    missing = [session.name for session in sessions if session.name not in found]
    if missing:
        problem = f"expected a result of every data set, found none of {', '.join(missing)}"
        raise DatasetError(path, None, f"{problem}; give the data of these results alone as --data")
    return [turn for session in sessions for turn in found[session.name]]


def _result_lines(paths: Sequence[Path]) -> Iterator[tuple[_Place, _ResultLine]]:
    for path in paths:
        lines = 0
        for line, value in read_lines(path):
            lines += 1
            try:
                yield _Place(path, line), _ResultLine.model_validate(value)
            except ValidationError as exc:
                raise DatasetError(path, line, f"expected a result; {first_problem(exc)}") from exc
        if not lines:
            raise DatasetError(path, None, "expected one result a line, found none; the file was cut or never written")


def _followed(place: _Place, result: _ResultLine, session: Session) -> list[FollowedTurn]:
    logged = result.result
    if isinstance(logged, str):
        failure = Failure(type=result.error_type or "Error", message=result.error_message or logged, traceback="")
        return [_unplayed(turn, failure, result.model_name) for turn in session.turns]
    if len(logged) > len(session.turns):
        raise place.error(f"expected {len(session.turns)} turns of {session.name!r}, got {len(logged)}")
    turns = [
        _followed_turn(place, turn, one, result.model_name) for turn, one in zip(session.turns, logged, strict=False)
    ]
    rest = session.turns[len(logged) :]
    if rest:
        if result.inference_completed or not turns or turns[-1].failure is None:
            problem = (
                f"expected {len(session.turns)} turns of {session.name!r}, got {len(logged)} and no failed request"
            )
            raise place.error(f"{problem} that ended the session; the result was cut, or is of other data")
        ended = Failure(type=NOT_PLAYED, message=f"turn {turns[-1].turn.index} ended the session", traceback="")
        turns += [_unplayed(turn, ended, result.model_name) for turn in rest]
    return turns


def _unplayed(turn: ReferenceTurn, failure: Failure, model: str) -> FollowedTurn:
    return FollowedTurn(turn, Follower(turn.answer), failure, model)


def _followed_turn(place: _Place, turn: ReferenceTurn, logged: _LoggedTurn, model: str) -> FollowedTurn:
    log = logged.inference_log
    here = f"turn {turn.index} of {turn.session!r}"
    opening = log.get("begin_of_current_task")
    request = opening.get("content") if isinstance(opening, Mapping) else None
    if request != turn.request or log.get("task_idx") != turn.index:
        got = f"turn {log.get('task_idx')!r} with {request!r:.60}"
        raise place.error(f"{here}: expected the request {turn.request!r:.60}, got {got}; these are not its data")
    follower = Follower(turn.answer)
    failure: Failure | None = None
    n_steps = sum(key.startswith("step_") for key in log)
    for index in range(n_steps):
        output = _output(place, log, index, here)
        if follower.is_over:
            problem = (
                f"{here}: expected the log to end after {index} replies, where its data end the turn, got {n_steps}"
            )
            raise place.error(f"{problem}; these are not its data")
        if "api_error" in output:
            failure = _failure(place, output["api_error"], here)
            follower.failed(failure.type, failure.message)
        else:
            follower.reply(output)
    if not follower.steps and follower.crash is None:
        raise place.error(f"{here}: expected at least one reply in the log, found none; the result was cut")
    prompt, completion = (
        sum(count or 0 for count in one) for one in (logged.input_token_count, logged.output_token_count)
    )
    usage = Usage(prompt=prompt, completion=completion)
    return FollowedTurn(turn, follower, failure, model, usage, sum(logged.latency))


def _output(place: _Place, log: Mapping[str, Any], index: int, here: str) -> Mapping[str, Any]:
    step = log.get(step_key(index))
    output = step.get("inference_output") if isinstance(step, Mapping) else None
    if not isinstance(output, Mapping):
        raise place.error(f"{here}: expected `{step_key(index)}.inference_output`, found none; the result was cut")
    calls, content = output.get("tool_calls"), output.get("content")
    if not isinstance(calls, list | None) or not isinstance(content, str | None):
        problem = (
            f"{here}, step {index}: expected a list of tool calls and a text, got {calls!r:.40} and {content!r:.40}"
        )
        raise place.error(problem)
    return output


def _failure(place: _Place, error: Any, here: str) -> Failure:
    try:
        kept = _ApiError.model_validate(error)
    except ValidationError as exc:
        problem = f"{here}: expected `api_error` with `error_type` and `error_message`, got {error!r:.80}"
        raise place.error(problem) from exc
    return Failure(type=kept.error_type, message=kept.error_message, traceback="")

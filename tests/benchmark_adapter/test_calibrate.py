"""`stead-bench calibrate`: what it fits, what it writes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from benchmark_adapter.calibration.calibrate import Calibration, Plan, Pool, calibrate, read_pool, write_heads
from benchmark_adapter.calibration.labels import DecisionPoint
from benchmark_adapter.cli import app
from benchmark_adapter.errors import BenchmarkError
from benchmark_adapter.runs.manifest import Manifest
from clarifier.calibration.certificates import Certificate
from clarifier.calibration.heads import Heads, load_heads
from clarifier.decision import Act, Ask, Odds
from memory.records import ToolCall
from tests.benchmark_adapter.topics import final, library_topics, reference_turn, scored, write_topics

_ODDS = Odds(p_act=0.5, p_calls=0.5, p_asked=0.5)
_MANIFEST = Manifest(
    data="d" * 64,
    planner="rules",
    memory="stead",
    budget=600,
    embedder="use",
    policy="benchmark",
    heads="h" * 64,
    python="CPython 3.11",
    packages={},
    commit=None,
    location={"data": None, "toolsets": None},
)


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def pool(persons: int = 4, rounds: int = 30) -> Pool:
    """Decisions of persons: a sure act is right nine times in ten, an unsure one never; every third asks."""
    points = []
    for person in range(persons):
        for index in range(rounds):
            is_sure, asks = index % 2 == 0, index % 3 == 0
            signals = {"min_c": 0.9 if is_sure else 0.2, "min_c_required": 0.2 if asks else 0.9}
            turn = scored(
                reference_turn(final(), session=f"person{person}", index=index), is_correct=(index // 3) % 4 != 0
            )
            calls = (ToolCall(id="c", name="reserve_book"),)
            decision: Act | Ask = Act(policy="p", odds=_ODDS, signals=signals, calls=calls)
            if asks:
                decision = Ask(policy="p", odds=_ODDS, signals=signals, question="?")
            right = None if asks else is_sure and index % 20 != 2
            points.append(DecisionPoint(turn, decision, not asks, asks, right))
    return Pool(tuple(points), _MANIFEST, "d" * 64)


def test_heads_are_fitted_and_scored_leaving_persons_out() -> None:
    calibration = calibrate(pool(), Plan())
    fit = calibration.heads.fit
    assert fit is not None
    assert fit.persons == ("person0", "person1", "person2", "person3")
    assert {name: (one.n, one.positive) for name, one in fit.scores.items()} == {
        "p_act": (120, 80),
        "p_calls": (80, 32),
        "p_asked": (40, 28),
    }
    assert fit.scores["p_act"].auroc == 1.0
    assert (calibration.heads.planner, calibration.heads.strategy) == ("rules", "stead")
    assert list(calibration.ablations) == ["none", "stated", "posterior", "fusion", "best"]
    assert calibration.ablations["fusion"] == fit.scores
    assert calibration.hand_set["p_calls"].n == 80
    assert calibration.certificates == ()


def test_certificates_come_from_persons_set_aside() -> None:
    calibration = calibrate(pool(persons=8), Plan(set_aside=("person6", "person7"), alpha=0.2))
    assert calibration.heads.fit is not None
    assert "person6" not in calibration.heads.fit.persons
    joint, selective, joint_of_persons, selective_of_persons = calibration.certificates
    assert isinstance(joint, Certificate)
    # 40 calls of two persons, of which 20 are sure and 4 of these wrong: (4 + 1)/41 = 0.12 keeps 0.2, all 24 do not
    assert (joint.n, joint.act_share, joint.error_of_acting) == (40, 0.5, 0.6)
    assert "0% may act" in str(selective)  # 4 wrong of 20 do not prove at most 20 %
    for refused in (joint_of_persons, selective_of_persons):
        assert "persons without a single error, got 2" in str(refused)


def test_a_person_set_aside_has_to_be_there() -> None:
    with pytest.raises(BenchmarkError, match="expected persons out of person0, person1, person2, person3, got nobody"):
        calibrate(pool(), Plan(set_aside=("nobody",)))


def test_only_intercepts_are_refitted_on_a_base(tmp_path: Path) -> None:
    calibration = calibrate(pool(), Plan(base="hand_set"))
    assert calibration.heads.p_calls.weights == load_heads().p_calls.weights
    assert calibration.ablations == {}
    write_heads(tmp_path / "heads.json", calibration.heads)
    assert load_heads(tmp_path / "heads.json") == calibration.heads
    assert [path.name for path in tmp_path.iterdir()] == ["heads.json"]


def test_json_names_everything() -> None:
    calibration: Calibration = calibrate(pool(), Plan())
    written = calibration.as_json()
    assert list(written) == [
        "planner",
        "strategy",
        "provenance",
        "data",
        "split",
        "persons",
        "heads",
        "ablations",
        "hand_set",
        "certificates",
    ]
    assert written["data"] == "d" * 64
    assert set(written["heads"]["p_act"]) == {"n", "positive", "brier", "ece", "auroc"}
    json.dumps(written, allow_nan=False)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    data = write_topics(folder / "data" / "person1.jsonl", library_topics())
    played = invoke("run", "--data", str(data), "--planner", "oracle", "--no-relaxed", "--out", str(folder / "run"))
    assert played.exit_code == 0, played.output
    return folder / "run"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{run}"], "expected for p_act (whether to act) at least 15 labels"),
        (["{run}", "{run}"], "expected persons of its own, got person1 again"),
        (["{folder}"], "expected a run directory with manifest.json"),
        (["{run}", "--base", "{folder}/none.json"], "expected a JSON file, or one of the names hand_set, persona"),
        (["{run}", "--base", "{folder}/old.json"], "expected format version 1 or 2, got 0"),
        (["{run}", "--certify-on", "ann"], "expected persons out of person1, got ann"),
    ],
)
def test_bad_input_is_one_message_and_writes_nothing(
    run: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "old.json").write_text('{"version": 0}')
    given = [one.format(run=run, folder=tmp_path) for one in arguments]
    result = invoke("calibrate", *given, "--out", str(tmp_path / "heads.json"))
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert result.stdout == ""
    assert [path.name for path in tmp_path.iterdir()] == ["old.json"]


def test_decisions_of_a_run_are_read_with_their_signals(run: Path) -> None:
    read = read_pool([run])
    assert read.persons == ("person1",)
    assert read.manifest.planner == "oracle"
    assert all(point.decision.signals for point in read.points)
    assert {kind: sum(p.decision.kind == kind for p in read.points) for kind in ("act", "ask")} == {"act": 5, "ask": 1}
    assert sum(bool(point.calls_are_right) for point in read.points) == 5  # search, reserve; search, reserve; renew


def test_default_heads_that_know_the_persons_are_told_beside_the_calibration_figures_alone(tmp_path: Path) -> None:
    result = invoke("run", "--memory", "none", "--limit", "1", "--no-relaxed", "--full", "--out", str(tmp_path / "run"))
    assert result.exit_code == 0
    assert "heads" not in result.stderr
    assert (
        "The heads were fitted on stead_persona01, stead_persona02: the calibration figures flatter them;"
        in " ".join(result.stdout.split())
    )


def test_a_run_takes_heads_and_says_when_they_do_not_fit(tmp_path: Path) -> None:
    data = write_topics(tmp_path / "data" / "person1.jsonl", library_topics())
    heads: Heads = load_heads().model_copy(update={"planner": "rules", "strategy": "stead"})
    write_heads(tmp_path / "heads.json", heads)
    options = ["run", "--data", str(data), "--planner", "oracle", "--no-relaxed", "--json"]
    result = invoke(*options, "--heads", str(tmp_path / "heads.json"), "--out", str(tmp_path / "run"))
    assert result.exit_code == 0
    assert "the heads were fitted with planner 'rules', not 'oracle'" in result.stderr
    assert result.stderr.count("the heads were fitted") == 1
    again = invoke(*options, "--out", str(tmp_path / "run"))
    assert again.exit_code == 2
    assert "expected equal manifests, got heads:" in again.stderr
    missing = invoke(*options, "--heads", "mood", "--out", str(tmp_path / "other"))
    assert missing.exit_code == 2
    assert "'mood' cannot be used" in missing.stderr
    assert not (tmp_path / "other").exists()

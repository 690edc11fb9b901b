"""`report.html`: what it shows, by hand, and that nothing in it comes from elsewhere or runs."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from benchmark_adapter.cli import app
from benchmark_adapter.reports.report import reliability_chart
from benchmark_adapter.reports.report_data import (
    Bin,
    Confusion,
    confusion,
    forecasts,
    hardest_source,
    reliability,
    risk_coverage,
    sureness,
)
from benchmark_adapter.reports.svg import UnitChart
from benchmark_adapter.scoring.calibration_metrics import Forecasts
from benchmark_adapter.scoring.metrics import ScoredTurn
from clarifier.decision import Act, Answer, Ask, Odds
from memory.records import ToolCall
from tests.benchmark_adapter.topics import call, final, library_topics, question, reference_turn, scored, write_topics

_ODDS = Odds(p_act=0.8, p_calls=0.5, p_asked=0.6)
_ACT = Act(policy="p", odds=_ODDS, calls=(ToolCall(id="c", name="search_books"),))
_ASK = Ask(policy="p", odds=_ODDS, signals={"min_c": 0.5}, question="Which?", slots=("reserve_book.branch",))
_HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)> & \"'"


def test_reliability_by_hand() -> None:
    # Twenty forecasts make two bins of ten.
    of = Forecasts.of([0.2] * 10 + [0.9] * 10, [True] * 3 + [False] * 7 + [True] * 8 + [False] * 2)
    low, high = reliability(of)
    assert low == pytest.approx(Bin(0.2, 0.3, 10))
    assert high == pytest.approx(Bin(0.9, 0.8, 10))
    assert reliability(Forecasts.of([], [])) == []


def test_risk_by_coverage_by_hand() -> None:
    of = Forecasts.of([0.9, 0.8, 0.8, 0.1], [True, False, True, False])
    assert risk_coverage(of) == [(0.25, 0.0), (0.75, 1 / 3), (1.0, 0.5)]
    assert risk_coverage(Forecasts.of([], [])) == []


def test_forecasts_are_of_turns_that_acted() -> None:
    answer = [call("search_books", {"title": "Dune"}), final(after=[0])]
    acted = scored(reference_turn(*answer), is_correct=True, calls_are_right=True, decisions=(_ACT,))
    asked = scored(reference_turn(*answer), is_correct=False, decisions=(_ASK,))
    of = forecasts([acted, asked])
    assert (of.probability.tolist(), of.is_right.tolist()) == ([0.5], [1.0])


def _turn(source: str | None, *, asks: bool = False, asked: bool = False) -> ScoredTurn:
    answer = [question("search_books", ["title"], "Which?", "Dune")] if asks else []
    answer += [call("search_books", {"title": "Dune"})] if source else []
    gold: dict[str, Any] = {
        "recoverable": None,
        "evidence": [],
        "slots": {"title": source} if source else {},
        "trap": None,
    }
    decisions = (_ASK,) if asked else (_ACT,)
    return scored(reference_turn(*answer, final(), gold=gold), is_correct=False, decisions=decisions)


def test_acting_against_asking_by_source() -> None:
    turns = [
        _turn("asked", asks=True),
        _turn("asked", asks=True, asked=True),
        _turn("history"),
        _turn("history", asked=True),
        _turn("history"),
        _turn("request"),
        _turn(None),
    ]
    assert confusion(turns) == [
        Confusion("asked", 0, 0, 1, 1),
        Confusion("history", 2, 1, 0, 0),
        Confusion("request", 1, 0, 0, 0),
        Confusion("no argument", 1, 0, 0, 0),
    ]
    assert hardest_source(turns[2]) == "history"


def test_how_sure_a_decision_was() -> None:
    assert sureness(_ACT) == pytest.approx(0.4)  # 0.8·0.5
    assert sureness(_ASK) == pytest.approx(0.12)  # 0.2·0.6
    assert sureness(Answer(policy="p", odds=_ODDS, signals={"min_c": 1}, reply="No.")) == pytest.approx(0.2)
    assert sureness(Answer(policy="p", odds=_ODDS, reply="No.")) == 0.0


def test_a_chart_without_points_says_so() -> None:
    assert "no turn acted" in reliability_chart([]).render()
    drawn = UnitChart("x", "y", _HOSTILE)
    drawn.dot((0.5, 0.25), radius=3, label=_HOSTILE)
    text = drawn.render()
    assert "<script" not in text
    # the frame is 404 by 296 units from (56, 16): half of it right, a quarter up
    assert '<circle cx="258.0" cy="238.0" r="3.0"' in text


class _Tags(HTMLParser):
    """Collects what a browser would see."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [f"{name}={value}" for name, value in attrs if name in ("src", "href") or name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_the_report_of_a_run_is_whole_and_inert(tmp_path: Path) -> None:
    first, second = library_topics()
    first["tasks"][0] = f"Do you have {_HOSTILE}?"
    first["answer_list"][0][0]["action"]["arguments"] = {"title": _HOSTILE}
    first["answer_list"][0][1]["observation"] = _HOSTILE
    data = write_topics(tmp_path / "data" / "person1.jsonl", [first, second])
    runner = CliRunner()
    options = ["--data", str(data), "--planner", "rules", "--memory", "none", "--no-relaxed", "--json"]
    assert runner.invoke(app, ["run", *options, "--out", str(tmp_path / "run")]).exit_code == 0
    result = runner.invoke(app, ["report", str(tmp_path / "run"), "--json"])
    assert result.exit_code == 0, result.output
    path = tmp_path / "run" / "report.html"
    assert json.loads(result.stdout) == {"reports": [str(path)]}
    page = _Tags()
    page.feed(path.read_text("utf-8"))
    assert page.links == []
    assert {"script", "img", "link", "iframe"}.isdisjoint(page.tags)
    assert page.tags.count("svg") == 2
    assert any(_HOSTILE in words for words in page.words)  # shown, as text
    assert "rules planner, none memory, benchmark policy" in page.words


def test_no_run_no_report(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["report", str(tmp_path)])
    assert result.exit_code == 2
    assert "expected a run directory with manifest.json" in result.stderr
    assert list(tmp_path.iterdir()) == []

"""The label head: probabilities, costs and its file."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from benchmark_adapter.labelling.features import label_features
from benchmark_adapter.labelling.head import LabelHead, Weights, load_label_head, setting_of, shipped_label_head
from clarifier.clarifier import decide
from clarifier.decision import Proposal, Situation
from clarifier.errors import HeadFormatError
from clarifier.policy import open_policy

HEAD = LabelHead(
    version=1,
    features=("missing",),
    mean=(1.0,),
    scale=(2.0,),
    shared=Weights(by_label={"call": (-1.0, 0.0), "ask": (1.0, 0.0), "cannot": (0.0, 0.0)}),
    settings={"call+ask": Weights(by_label={"ask": (0.0, math.log(2))})},
    costs={"call+ask": {"ask": 3.0}},
)


def test_probabilities_are_a_softmax_over_the_open_labels() -> None:
    # z = (3 − 1)/2 = 1, so the scores are −1, 1 and 0.
    total = math.exp(-1) + math.exp(1) + 1
    assert HEAD.probabilities({"missing": 3.0}, ["cannot", "call", "ask"], 1) == pytest.approx(
        {"call": math.exp(-1) / total, "ask": math.exp(1) / total, "cannot": 1 / total}
    )


def test_no_feature_counts_for_more_than_five_standard_deviations() -> None:
    total = math.exp(-5) + math.exp(5)
    expected = {"call": math.exp(-5) / total, "ask": math.exp(5) / total}

    head = HEAD.model_copy(update={"settings": {}})
    assert head.probabilities({"missing": 1e9}, ["call", "ask"], 1) == pytest.approx(expected)


def test_a_setting_departs_from_what_all_share() -> None:
    # z = 0: only the departure of the intercept is left, log 2 for asking.
    assert HEAD.probabilities({"missing": 1.0}, ["call", "ask"], 1) == pytest.approx({"call": 1 / 3, "ask": 2 / 3})
    assert HEAD.probabilities({"missing": 1.0}, ["call", "ask"], 13) == pytest.approx({"call": 0.5, "ask": 0.5})


def test_an_absent_feature_counts_as_its_mean() -> None:
    assert HEAD.probabilities({}, ["call", "cannot"], 1) == {"call": 0.5, "cannot": 0.5}


def test_costs_decide_and_ties_go_to_the_earlier_label() -> None:
    assert HEAD.choose({"call": 0.7, "ask": 0.3}, 1) == "ask"  # 3·0.3 > 0.7
    assert HEAD.choose({"call": 0.8, "ask": 0.2}, 1) == "call"
    assert HEAD.choose({"cannot": 0.5, "call": 0.5}, 1) == "call"


def test_no_open_label_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one open label"):
        HEAD.probabilities({}, [], 1)


def test_a_setting_is_named_by_its_labels_and_the_size_of_the_tool_set() -> None:
    assert setting_of(["cannot", "call"], 12) == "call+cannot"
    assert setting_of(["reply", "ask", "call"], 13) == "call+ask+reply many"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "format version 1, got 2"),
        ({"mean": []}, "as many means and scales"),
        ({"scale": [0.0]}, "must be positive"),
        ({"shared": {"by_label": {"call": [1.0]}}}, "weights of 2 numbers"),
        ({"unknown": 1}, "expected the fields of the format"),
    ],
)
def test_a_file_that_is_no_head_is_refused(tmp_path: Path, change: dict[str, object], message: str) -> None:
    path = tmp_path / "head.json"
    path.write_text(json.dumps({**json.loads(HEAD.model_dump_json()), **change}))

    with pytest.raises(HeadFormatError, match=message):
        load_label_head(path)


def test_a_file_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HeadFormatError, match="expected a JSON file"):
        load_label_head(tmp_path / "none.json")


def test_the_shipped_head_knows_the_features_and_says_where_it_comes_from() -> None:
    head = shipped_label_head()
    situation, proposal = Situation("Hi", ()), Proposal(reply="Hi.")
    found = label_features(situation, proposal, decide(situation, proposal, policy=open_policy("benchmark")))

    assert head.features == tuple(found)
    assert set(head.provenance) == {
        "data_sha256", "planner", "embedder", "n", "split", "ridge", "gamma", "brier", "ece", "auroc",
        "cross_validated", "leave_one_suite_out",
    }  # fmt: skip

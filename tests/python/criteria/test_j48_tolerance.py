"""Numbers that J48 holds equal: thresholds that reach 1e-6 further, against Weka 3.6.14 and against
a slow walk."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fasttree
from fasttree import FastTreeClassifier, from_bytes, presets
from fasttree.datasets import load

from ..estimators.test_c45 import halves, with_flags

GOLDEN = json.loads(
    (Path(__file__).resolve().parents[2] / "golden" / "j48_tolerance.json").read_text(
        encoding="utf-8"
    )
)
UNPRUNED = {**presets.C45, "pruning": None}


@pytest.mark.parametrize("entry", GOLDEN["columns"], ids=lambda e: e["name"])
def test_one_column_parts_where_j48_parts_it(entry):
    X = np.array(entry["x"])[:, None]
    model = FastTreeClassifier(**UNPRUNED).fit(X, entry["y"])
    assert f"<= {entry['shown']}:" in model.to_text(style="j48")
    asked = np.arange(-3, 60)[:, None] * 1e-7
    assert int((model.predict(asked) == "x").sum()) == entry["left"]


@pytest.mark.parametrize("entry", GOLDEN["sets"], ids=lambda e: e["name"])
def test_sets_of_nearly_equal_numbers_give_j48s_trees(entry, tmp_path):
    path = tmp_path / "set.arff"
    path.write_text(entry["arff"], encoding="utf-8")
    table = load(path)
    for told in entry["trees"]:
        params = with_flags(told["flags"])
        model = FastTreeClassifier(**params).fit(table)
        right = round(model.score(table) * len(table))
        assert (model.get_n_leaves(), model.n_nodes_, right) == (
            told["leaves"],
            told["size"],
            told["right"],
        )
        grown_on, asked = halves(table)
        proba = FastTreeClassifier(**params).fit(grown_on).predict_proba(asked)
        np.testing.assert_allclose(proba, told["proba"], atol=2e-6, err_msg=told["flags"])


@pytest.mark.parametrize("order", ["shuffled", "ascending", "descending"])
def test_the_threshold_is_what_a_scan_of_all_rows_keeps(order):
    """Clusters of hundreds of values that are all nearly equal to the next."""
    rng = np.random.default_rng(8)
    for _ in range(40):
        n, y = int(rng.integers(20, 400)), []
        x = rng.integers(0, 3, n) + rng.integers(0, int(rng.choice([3, 12, 60, 900])), n) * 1e-7
        x = {"shuffled": x, "ascending": np.sort(x), "descending": np.sort(x)[::-1]}[order]
        y = (x >= 1).astype(int) + (x >= 2)
        tree = FastTreeClassifier(**UNPRUNED).fit(x[:, None], y).tree_
        for t, reach in zip(
            *(a[tree.n_children > 0].tolist() for a in (tree.threshold, tree.reach)), strict=True
        ):
            middle = x[x <= reach].max() / 2 + x[x > reach].min() / 2
            kept = -math.inf
            for value in x:
                if value - kept > 1e-6 and value - middle < 1e-6:
                    kept = value
            assert t == kept


def slow_leaf(model: FastTreeClassifier, row: np.ndarray, tolerance: float = 1e-6) -> int:
    """The leaf by J48's comparison with the thresholds that are shown."""
    tree, node = model.tree_, 0
    while tree.n_children[node]:
        x, t = float(row[tree.feature[node]]), float(tree.threshold[node])
        node = int(tree.children_of(node)[0 if x <= t or x - t < tolerance else 1])
    return node


NUMBERS = st.one_of(
    st.integers(-60, 60).map(lambda k: k * 1e-7),
    st.integers(-9, 9).map(lambda k: k * 1e-6),
    st.integers(-3, 3).map(float),
    st.tuples(st.integers(-2, 2), st.integers(0, 12)).map(lambda v: v[0] + v[1] * 1e-7),
    st.sampled_from([-0.0, 5e-324, -1e-310, 1e-22, 1e9, 1e9 + 1e-6, 1e15, -1e30]),
)


@st.composite
def rows(draw: Any) -> tuple[np.ndarray, list[int], np.ndarray]:
    """Training numbers, classes, and numbers to ask about."""
    n, p = draw(st.integers(4, 30)), draw(st.integers(1, 3))
    column = st.lists(NUMBERS, min_size=2 * n, max_size=2 * n)
    cells = np.array([draw(column) for _ in range(p)]).T
    return cells[:n], [draw(st.integers(0, 2)) for _ in range(n)], cells


@given(rows())
def test_prediction_is_the_tolerant_comparison(case):
    X, y, asked = case
    model = FastTreeClassifier(**{**UNPRUNED, "min_samples_leaf": 1}).fit(X, y)
    leaves = [slow_leaf(model, row) for row in asked]
    assert model.apply(asked).tolist() == leaves
    assert model.apply(asked.astype(np.float32)).tolist() == [
        slow_leaf(model, row) for row in asked.astype(np.float32).astype(float)
    ]
    path = model.decision_path(asked).toarray()
    assert all(path[i, leaf] for i, leaf in enumerate(leaves))
    np.testing.assert_array_equal(from_bytes(model.to_bytes()).apply(asked), leaves)
    tree = model.tree_
    for node in np.flatnonzero(tree.n_children > 0):
        t, last = float(tree.threshold[node]), float(tree.reach[node])
        after = math.nextafter(last, math.inf)
        assert (last <= t or last - t < 1e-6) and not (after <= t or after - t < 1e-6)


@pytest.mark.parametrize("pruning", ["error_based", "reduced_error", None])
@pytest.mark.parametrize("criterion", ["c45", "gini"])
@settings(max_examples=30)
@given(case=rows())
def test_counts_are_those_of_the_rows_that_arrive(pruning, criterion, case):
    """Whatever lies between two values of a node, also where they are closer than the tolerance."""
    X, y, _ = case
    how = (
        {"criterion": presets.C45["criterion"]} if criterion == "c45" else {"criterion": criterion}
    )
    model = fasttree.fit(X, y, thresholds="training_value", pruning=pruning, **how)
    reached = model.decision_path(X).toarray().astype(bool)
    held_out = pruning == "reduced_error"
    rows_of = np.array([reached[:, node].sum() for node in range(model.n_nodes_)])
    if held_out:
        assert (model.tree_.n_node_samples <= rows_of).all()
    else:
        np.testing.assert_array_equal(model.tree_.n_node_samples, rows_of)
    inner = model.tree_.n_children > 0
    assert np.isin(model.tree_.threshold[inner], X + 0.0).all()
    assert (model.tree_.reach[inner] >= model.tree_.threshold[inner]).all()


def test_people_read_the_threshold_and_programs_the_reach():
    X = np.array([0.2, 0.2, 0.6, 0.6, 1.0, 1.4, 1.5, 1.8])[:, None]
    model = FastTreeClassifier(**UNPRUNED).fit(X, list("aaaabbbb"))
    reach = float(model.tree_.reach[0])
    assert (float(model.tree_.threshold[0]), model.trace_[0].threshold) == (0.6, 0.6)
    assert reach == pytest.approx(0.600001, abs=1e-9) and reach - 0.6 < 1e-6
    for text in (model.to_text(), model.to_text(style="j48"), model.to_dot()):
        assert "<= 0.6" in text and "0.60000" not in text
    assert "≤ 0.6<" in model.to_svg()
    (low, high) = (rule.conditions[0] for rule in model.to_rules())
    assert (low.upper, high.lower) == (reach, reach)
    assert [low.to_text(), high.to_text()] == ["x0 <= 0.6", "x0 > 0.6"]
    assert (
        repr(reach) in model.to_sql()
        and repr(reach) in model.to_python()
        and repr(reach) in model.to_c()
    )
    assert [c["threshold"] for c in model.explain(0, X, list("aaaabbbb")) if c["chosen"]] == [0.6]


def test_redundant_tests_that_merge_keep_their_reach():
    X = np.array([0.0, 1.0, 2.0, 3.0])[:, None]
    model = fasttree.fit(X, [0, 0, 1, 1], thresholds="training_value", merge_redundant="class")
    assert model.apply([[1.0 + 9e-7], [1.0 + 1.1e-6]]).tolist() == [1, 2]

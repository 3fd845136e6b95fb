"""`presets.C45` against J48 of Weka 3.6.14: recorded trees, and the rules one by one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fasttree
from fasttree import FastTreeClassifier, Table, presets
from fasttree.criteria import GainRatio
from fasttree.pruning import ErrorBased, ReducedError

GOLDEN = json.loads(
    (Path(__file__).resolve().parents[2] / "golden" / "j48_trees.json").read_text(encoding="utf-8")
)
NAN = np.nan


def with_flags(flags: str) -> dict[str, Any]:
    """J48's flags as parameters."""
    words = flags.split()
    value = dict(zip(words, [*words[1:], ""], strict=False))
    params = dict(presets.C45)
    confidence = float(value["-C"]) if "-C" in value else 0.25
    params["pruning"] = ErrorBased(confidence=confidence, subtree_raising="-S" not in value)
    if "-U" in value:
        params["pruning"] = None
    if "-R" in value:
        params["pruning"] = ReducedError(folds=3, random_state=None)
    if "-M" in value:
        params["min_samples_leaf"] = int(value["-M"])
    if "-B" in value:
        params["nominal_splits"] = "one_vs_rest"
    return params


def halves(table: Table) -> tuple[Table, Table]:
    """Two thirds to grow on, every third row to ask about."""
    rows = np.arange(len(table))
    return table.take(rows[rows % 3 != 2]), table.take(rows[rows % 3 == 2])


@pytest.mark.parametrize("name", GOLDEN["trees"])
@pytest.mark.filterwarnings("ignore:nominal columns")
def test_trees_are_j48s(name, request):
    if name in ("iris", "weather-numeric", "contact-lenses"):
        table = getattr(fasttree.datasets, "load_" + name.replace("-", "_"))()
    else:
        table = fasttree.datasets.load(request.getfixturevalue("uci") / f"{name}.arff")
    for entry in GOLDEN["trees"][name]:
        params = with_flags(entry["flags"])
        model = FastTreeClassifier(**params).fit(table)
        right = round(model.score(table) * len(table))
        told = (model.get_n_leaves(), model.n_nodes_, right)
        assert told == (entry["leaves"], entry["size"], entry["right"]), entry["flags"]
        grown_on, asked = halves(table)
        part = FastTreeClassifier(**params).fit(grown_on)
        proba = part.predict_proba(asked)[:200]
        np.testing.assert_allclose(
            proba.mean(axis=0), entry["mean"], atol=2e-6, err_msg=entry["flags"]
        )
        np.testing.assert_allclose((proba**2).sum(axis=1).mean(), entry["square"], atol=2e-6)


# -- the rules ------------------------------------------------------------------------------------


def rule(**params: Any) -> dict[str, Any]:
    """C4.5 unpruned."""
    return {**presets.C45, "pruning": None, **params}


def cuts(model: FastTreeClassifier) -> Iterator[tuple[int, float]]:
    tree = model.tree_
    return ((int(f), float(t)) for f, t in zip(tree.feature, tree.threshold, strict=True) if f >= 0)


def test_the_cut_is_the_one_with_the_largest_gain_not_ratio():
    X = np.arange(40.0)[:, None]
    y = np.r_[np.zeros(3), np.ones(15), np.zeros(2), np.ones(20)].astype(int)
    c45 = FastTreeClassifier(**rule(min_samples_leaf=1, max_depth=1)).fit(X, y)
    gain = fasttree.fit(X, y, max_depth=1, thresholds="value")
    assert list(cuts(c45)) == list(cuts(gain)) == [(0, 2.0)]
    assert list(
        cuts(fasttree.fit(X[::-1], 1 - y[::-1], criterion=GainRatio(mdl_penalty=True), max_depth=1))
    ) == [(0, 2.5)]


def test_the_penalty_is_taken_from_the_gain():
    X, y = np.arange(8.0)[:, None], [0, 0, 0, 0, 1, 1, 1, 1]
    model = FastTreeClassifier(**rule(min_samples_leaf=1)).fit(X, y)
    assert model.tree_.score[0] == pytest.approx(1 - np.log2(7) / 8)
    assert model.tree_.threshold[0] == 3.0
    # A gain that the number of cuts eats up is no gain.
    noise = [0, 1, 0, 1, 0, 1, 0, 1]
    assert FastTreeClassifier(**rule(min_samples_leaf=1)).fit(X, noise).get_n_leaves() == 1
    assert fasttree.fit(X, noise, criterion="gain_ratio").get_n_leaves() == 8


def test_both_sides_hold_a_tenth_of_the_rows_a_class_but_no_more_than_25():
    X, y = np.arange(200.0)[:, None], (np.arange(200) < 6).astype(int)
    # 0.1 * 200 / 2 = 10 rows: the pure cut after six is not allowed.
    assert next(cuts(FastTreeClassifier(**rule(max_depth=1)).fit(X, y))) == (0, 9.0)
    X, y = np.arange(2000.0)[:, None], (np.arange(2000) < 15).astype(int)
    assert next(cuts(FastTreeClassifier(**rule(max_depth=1)).fit(X, y))) == (0, 24.0)
    # -M above 25 counts where it is more than a tenth.
    X, y = np.arange(200.0)[:, None], (np.arange(200) < 30).astype(int)
    assert next(cuts(FastTreeClassifier(**rule(max_depth=1, min_samples_leaf=40)).fit(X, y))) == (
        0,
        39.0,
    )


def test_a_nominal_feature_needs_two_branches_with_enough_rows():
    table = Table([[v] for v in "aaaabbbc"], [0, 0, 0, 0, 1, 1, 1, 0])
    model = FastTreeClassifier(**rule(min_samples_leaf=3)).fit(table)
    assert model.get_n_leaves() == 3  # the branch with one row does not matter
    assert FastTreeClassifier(**rule(min_samples_leaf=4)).fit(table).get_n_leaves() == 1
    assert fasttree.fit(table, criterion="gain_ratio", min_samples_leaf=3).get_n_leaves() == 1


def test_values_that_are_close_are_not_cut_apart():
    X = np.array([[0.0], [5e-6], [1e-5], [1.5e-5], [3e-5], [4e-5]])
    y = [0, 0, 0, 1, 1, 1]
    model = FastTreeClassifier(**rule(min_samples_leaf=1)).fit(X, y)
    assert list(cuts(model))[:1] == [(0, 1.5e-5)]
    assert fasttree.fit(X, y, criterion="gain_ratio").get_n_leaves() == 2
    # Between rows that part ways at another split a distance appears where there was none.
    Z = np.column_stack([np.r_[X[:, 0], X[:, 0]], np.r_[np.zeros(6), np.ones(6)]])
    assert FastTreeClassifier(**rule(min_samples_leaf=1)).fit(Z, y * 2).get_n_leaves() >= 2


def test_the_ratio_counts_missing_rows_as_a_branch_and_scales_the_gain():
    X = [["a"], ["a"], ["a"], ["b"], ["b"], ["b"], [None], [None]]
    y = [0, 0, 0, 1, 1, 1, 0, 1]
    model = FastTreeClassifier(**rule()).fit(Table(X, y))
    split = -2 * 3 / 8 * np.log2(3 / 8) - 2 / 8 * np.log2(2 / 8)
    assert model.tree_.score[0] == pytest.approx(6 / 8 / split)
    np.testing.assert_allclose(model.tree_.value[1:], [[3.5, 0.5], [0.5, 3.5]])


def test_what_saves_no_training_error_is_taken_back():
    X = [["a", "u"], ["a", "u"], ["a", "v"], ["b", "u"], ["b", "v"], ["b", "v"]] * 2
    y = [0, 0, 0, 0, 0, 1] * 2
    table = Table(X, y)
    unpruned = FastTreeClassifier(**rule()).fit(table)
    assert unpruned.get_n_leaves() == 1
    assert [c.action for c in unpruned.prune_report_] == ["leaf"]
    free = {k: v for k, v in rule().items() if k not in ("criterion", "min_samples_leaf")}
    assert (
        FastTreeClassifier(criterion=GainRatio(guard="j48"), **free).fit(table).get_n_leaves() > 1
    )


@pytest.mark.filterwarnings("ignore:nominal columns")
def test_many_valued_features_do_not_count_in_the_mean():
    """An identifier with a high gain would otherwise lift the mean above all others."""
    rng = np.random.default_rng(0)
    n = 60
    y = rng.integers(0, 2, n)
    flag = np.where(rng.random(n) < 0.85, y, 1 - y)
    names = [f"r{i // 2}" for i in range(n)]
    X = [[f, v] for f, v in zip(flag.astype(str), names, strict=True)]
    model = FastTreeClassifier(**rule()).fit(Table(X, y))
    assert model.tree_.feature[0] == 0


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"missing": "branch"}, "missing='branch' with mdl_penalty=True.*'fractional'"),
        ({"evaluation": "global"}, "mdl_penalty=True with evaluation='global'.*mdl_penalty=False"),
        ({"ties": "random"}, "ties other than 'first' with mdl_penalty=True.*ties='first'"),
    ],
)
def test_what_the_rule_cannot_serve_is_refused(how, words):
    with pytest.raises(ValueError, match=words):
        fasttree.fit([[1.0], [2.0]], [0, 1], criterion=GainRatio(mdl_penalty=True), **how)


def test_j48s_folds_are_its_own():
    with pytest.raises(ValueError, match="random_state=None"):
        ReducedError(fraction=0.2, random_state=None).to_config()
    iris = fasttree.datasets.load_iris()
    held = ReducedError(folds=5, random_state=None)
    model = FastTreeClassifier(**rule(pruning=held)).fit(iris)
    assert model.tree_.n_node_samples[0] == 120
    assert model.tree_.value[0].tolist() == [40, 40, 40]


def test_threads_and_the_order_of_rows_change_nothing():
    rng = np.random.default_rng(3)
    X = np.round(rng.normal(size=(9000, 4)), 3)
    y = (X[:, 0] + rng.normal(size=9000) > 0).astype(int)
    X[rng.random(X.shape) < 0.1] = NAN
    one = FastTreeClassifier(**rule()).fit(X, y)
    two = FastTreeClassifier(**rule(), n_jobs=2).fit(X, y)
    assert one.to_bytes() == two.to_bytes()
    order = rng.permutation(9000)
    other = FastTreeClassifier(**rule()).fit(X[order], y[order])
    np.testing.assert_array_equal(one.tree_.value, other.tree_.value)
    np.testing.assert_array_equal(one.tree_.threshold, other.tree_.threshold)


@pytest.mark.parametrize("missing", ["mode", "fractional"])
def test_candidates_of_a_node_are_those_of_growth(missing):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 3))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    X[::7, 0] = np.nan
    model = FastTreeClassifier(
        criterion=GainRatio(mdl_penalty=True), missing=missing, trace="candidates"
    ).fit(X, y)
    assert [row["chosen"] for row in model.explain(0)].count(True) == 1
    assert model.explain(0, X, y) == model.explain(0)

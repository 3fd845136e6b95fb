"""RReliefF: against Weka's weights, loops written from the paper, laws, trees and shares."""

from __future__ import annotations

import csv
import json

import numpy as np
import pandas as pd
import pytest

import fasttree
from fasttree import FastForestRegressor, FastTreeRegressor, score_features
from fasttree.criteria import RReliefF
from fasttree.distributed import pairs

from ..tools import neighbours_oracle as oracle

WEKA = ("airquality_na", "boston", "cartest", "friedman1", "mpg")
RUNS = {
    "RReliefF_K10": {},
    "RReliefF_K10_W": {"rank": 2.0},
    "RReliefF_K5": {"k": 5},
}


def reference(published, case):
    """A case of Weka's: features, numbers, and the runs."""
    folder = published / "regression"
    found = json.loads((folder / f"weka_{case}.json").read_text(encoding="utf-8"))
    with (folder / found["data"]).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    frame = pd.DataFrame()
    for name in found["predictors"]:
        cells = [row[name] or None for row in rows]
        kind = found["columns"][name]
        if kind["type"] == "numeric":
            frame[name] = np.array([np.nan if c is None else float(c) for c in cells])
        else:
            frame[name] = pd.Categorical(cells, categories=kind["levels"])
    return frame, np.array([float(row[found["target"]]) for row in rows]), found["runs"]


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("case", WEKA)
def test_weights_are_wekas_to_the_printed_digit(published, case, run):
    X, y, runs = reference(published, case)
    scores = score_features(
        X, y, criterion=RReliefF(variant="weka", **RUNS[run]), task="regression", n_jobs=2
    )
    found = dict(zip(X.columns, scores, strict=True))
    if (case, run) == ("mpg", "RReliefF_K10_W"):
        # Many cars are alike, and which of them has the lower rank is an accident of Weka's sort.
        assert list(found.values()) == pytest.approx(list(runs[run]["weights"].values()), abs=0.02)
        return
    for name, weight in runs[run]["weights"].items():
        assert found[name] == pytest.approx(weight, rel=0, abs=1e-10), name
    for name, printed in runs[run]["weights_printed"].items():
        digits = len(f"{printed:f}".rstrip("0").partition(".")[2])
        assert abs(found[name] - printed) <= 0.51 * 10.0**-digits, name


@pytest.mark.parametrize("run", ["RReliefF_K10", "RReliefF_K5"])
@pytest.mark.parametrize("case", ["boston", "cartest", "friedman1"])
def test_the_papers_reading_is_wekas_where_no_cell_is_missing_and_no_row_tied(published, case, run):
    X, y, runs = reference(published, case)
    for ties in ("share", "first"):
        criterion = RReliefF(neighbour_ties=ties, **RUNS[run])
        scores = score_features(X, y, criterion=criterion, task="regression")
        assert scores == pytest.approx([runs[run]["weights"][name] for name in X], abs=1e-10)


def mixed(seed, rows=36, gaps=True, few=False):
    """Nominal and numeric columns, some with missing cells; numbers as the target."""
    rng = np.random.default_rng(seed)
    columns = [[f"v{v}" for v in rng.integers(2 + k % 3, size=rows)] for k in range(4)]
    columns += [rng.normal(size=rows).tolist() for _ in range(2)]
    for k in (3, 5) if gaps else ():
        columns[k] = [None if rng.random() < 0.2 else c for c in columns[k]]
    y = rng.integers(3, size=rows).astype(float) if few else rng.normal(size=rows)
    X = np.empty((rows, len(columns)), dtype=object)
    for j, column in enumerate(columns):
        X[:, j] = column
    return X, y, columns


@pytest.mark.parametrize("options", [{}, {"k": 3}, {"k": 4, "rank": 2.0}, {"k": 100}], ids=str)
@pytest.mark.parametrize("few", [False, True])
def test_scores_are_those_of_the_paper(options, few):
    for seed in range(2):
        X, y, columns = mixed(seed, few=few)
        weights = [1 + (i % 5 == 0) for i in range(len(y))] if seed % 2 else None
        truth = oracle.Rows(columns, y.tolist(), weights, is_number=True)
        expected = oracle.scores(truth, "rrelieff", **options)
        found = score_features(
            X, y, criterion=RReliefF(**options), sample_weight=weights, task="regression", n_jobs=2
        )
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_ties_by_row_number_are_the_papers():
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(3, size=(40, 6)), rng.normal(size=40)
        truth = oracle.Rows(X.T.astype(str).tolist(), y.tolist(), is_number=True)
        found = score_features(
            X,
            y,
            criterion=RReliefF(k=4, neighbour_ties="first"),
            task="regression",
            categorical_features="all",
        )
        expected = oracle.scores(truth, "rrelieff", k=4, neighbour_ties="first")
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_order_threads_and_units_change_nothing():
    X, y, _ = mixed(3, rows=80)
    scores = score_features(X, y, criterion="rrelieff", task="regression")
    order = np.random.default_rng(0).permutation(len(y))
    again = score_features(X[order], y[order], criterion="rrelieff", task="regression")
    assert np.array_equal(again, scores)
    for threads in (2, 3):
        found = score_features(X, y, criterion="rrelieff", task="regression", n_jobs=threads)
        assert np.array_equal(found, scores)
    for other in (4 * y - 3, -y):
        found = score_features(X, other, criterion="rrelieff", task="regression")
        assert found == pytest.approx(scores, abs=1e-9)


def test_weights_are_copies():
    X, y, _ = mixed(5, rows=60)
    weights = np.random.default_rng(1).integers(3, size=60)
    copies = np.repeat(np.arange(60), weights)
    weighed = score_features(X, y, criterion="rrelieff", task="regression", sample_weight=weights)
    copied = score_features(X[copies], y[copies], criterion="rrelieff", task="regression")
    assert weighed == pytest.approx(copied, abs=1e-9)


def test_interactions_are_seen():
    rng = np.random.default_rng(2)
    X = rng.integers(2, size=(400, 6))
    y = (X[:, 1] ^ X[:, 4]) + 0.1 * rng.normal(size=400)
    near = score_features(X, y, criterion="rrelieff", task="regression", categorical_features="all")
    assert set(np.argsort(-near)[:2].tolist()) == {1, 4}
    tree = FastTreeRegressor(criterion="rrelieff", max_depth=2, categorical_features="all")
    assert tree.fit(X, y).score(X, y) > 0.9
    alone = FastTreeRegressor(max_depth=1, categorical_features="all").fit(X, y)
    assert alone.score(X, y) < 0.1


def test_a_target_that_no_neighbour_shares_or_all_do():
    X = np.array([["a"], ["a"], ["b"], ["b"]], dtype=object)
    one = RReliefF(k=1, neighbour_ties="first")
    # each row has its like beside it: nothing is known of rows that differ in the target
    same = score_features(X, [0.0, 0.0, 1.0, 1.0], criterion=one, task="regression")
    assert same.tolist() == [0.0]
    # each has its opposite beside it: nothing is known of rows that agree
    other = score_features(X, [0.0, 1.0, 0.0, 1.0], criterion=one, task="regression")
    assert other.tolist() == [0.0]
    near = RReliefF(k=3)
    assert score_features(X, [0.0, 0.0, 1.0, 1.0], criterion=near, task="regression")[0] > 0.5
    assert score_features(X, np.ones(4), criterion=near, task="regression")[0] < 0


def test_trees_split_by_it():
    X, y, _ = mixed(4, rows=120)
    y = y + (X[:, 0] == "v1") * 2.0
    tree = FastTreeRegressor(criterion="rrelieff").fit(X, y)
    root = score_features(X, y, criterion="rrelieff", task="regression")
    assert tree.tree_.feature[0] == np.nanargmax(root)
    assert tree.tree_.score[0] == pytest.approx(np.nanmax(root), rel=1e-12)
    leaves = tree.apply(X)
    for leaf in np.unique(leaves):
        assert tree.tree_.value[leaf] == pytest.approx(y[leaves == leaf].mean())
    assert FastTreeRegressor(criterion="rrelieff", n_jobs=2).fit(X, y).to_bytes() == tree.to_bytes()
    assert fasttree.from_bytes(tree.to_bytes()).predict(X).tolist() == tree.predict(X).tolist()
    assert fasttree.fit(X, y, criterion="rrelieff").to_bytes() == tree.to_bytes()
    forest = FastForestRegressor(5, criterion="rrelieff", random_state=0).fit(X, y)
    assert forest.score(X, y) > 0.2


def test_a_cluster_finds_the_same_bits():
    class Backwards:
        workers = 3

        def run(self, work, units, shared):
            for place in range(len(units))[::-1]:
                key, argument = units[place]
                yield place, work(shared[key], argument)

    X, y, _ = mixed(6, rows=90)
    table = fasttree.Table(X, y, task="regression")
    whole = score_features(table, criterion="rrelieff")
    for shares in (1, 3, 7):
        found = pairs.neighbour_scores(
            table,
            None,
            criterion="rrelieff",
            sample_weight=None,
            params={},
            backend=Backwards(),
            n_shares=shares,
        )
        assert np.array_equal(found, whole)


def test_what_cannot_be_is_refused():
    X, y, _ = mixed(7)
    weka = RReliefF(variant="weka")
    with pytest.raises(ValueError, match="weights of rows"):
        score_features(X, y, criterion=weka, task="regression", sample_weight=np.arange(36) + 1)
    with pytest.raises(ValueError, match="neighbour_ties"):
        score_features(
            X, y, criterion=RReliefF(variant="weka", neighbour_ties="first"), task="regression"
        )
    with pytest.raises(ValueError, match="rank"):
        score_features(X, y, criterion=RReliefF(rank=0.0), task="regression")
    with pytest.raises(ValueError, match="rrelieff"):
        fasttree.FastTreeClassifier(criterion="rrelieff").fit(X, (y > 0).astype(int))
    with pytest.raises(ValueError, match="relieff"):
        FastTreeRegressor(criterion="relieff").fit(X, y)
    assert fasttree.criteria.is_on_number(RReliefF()) and RReliefF().info["target"] == "number"


def test_classes_of_a_number_are_split_by_relieff():
    X, y, _ = mixed(8, rows=60)
    grown = FastTreeRegressor(criterion="relieff", target_bins=2, max_depth=1).fit(X, y)
    classes = y > np.sort(y)[29]
    classed = fasttree.fit(X, classes, criterion="relieff", max_depth=1)
    assert grown.tree_.feature[0] == classed.tree_.feature[0]
    assert grown.tree_.score[0] == pytest.approx(classed.tree_.score[0], rel=1e-12)

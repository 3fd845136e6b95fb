"""Whole trees against the slow truth of ``tests/oracle/tree_oracle.py``: every node, number and
tie.

The oracle is given the core's own value of each table, because ties are decided by the last bit;
that these values are what the formulas say is the business of test_criteria_formulas and of
`test_chosen_splits_are_the_best_by_the_formulas`.
"""

from __future__ import annotations

import numpy as np
import pytest

import fasttree
from fasttree import _engine, criteria
from fasttree.table import Column, Table

from ..tools import criteria_oracle, tree_oracle

NAMES = [info["name"] for info in fasttree.list_criteria() if info["evidence"] == "table"]


def evaluator(criterion, n_classes, occurring):
    """(score, distance) of tables by the core, for the oracle."""
    made = criteria.make(criterion)
    options = made.options(range(n_classes), 10_000)

    def evaluate(tables):
        out = [None] * len(tables)
        by_size = {}
        for i, table in enumerate(tables):
            by_size.setdefault(len(table), []).append(i)
        for places in by_size.values():
            block = np.array([tables[i] for i in places], dtype=float)
            scores, distances = _engine.core.score_tables(
                made.name, options, block, None, occurring
            )
            for i, s, d in zip(places, scores.tolist(), distances.tolist(), strict=True):
                out[i] = (s, d)
        return out

    return evaluate


def make_columns(rng, n, kinds, missing=0.0, grid=6):
    """Random oracle columns: "n" numeric with ties, "c" nominal with a level that never occurs."""
    columns = []
    for kind in kinds:
        gone = rng.random(n) < missing
        if kind == "n":
            values = np.where(gone, np.nan, rng.integers(0, grid, n) * 0.5 - 1.0)
            columns.append(("numeric", values.tolist()))
        else:
            levels = int(rng.integers(2, 5))
            codes = np.where(gone, -1, rng.integers(0, max(1, levels - int(rng.integers(0, 2))), n))
            columns.append(("nominal", codes.tolist(), levels))
    return columns


def make_table(columns, y, n_classes):
    """The same rows as a Table."""
    made = []
    for j, column in enumerate(columns):
        if column[0] == "numeric":
            made.append(Column(f"f{j}", "numeric", np.array(column[1], dtype=float)))
        else:
            levels = tuple(f"v{v}" for v in range(column[2]))
            made.append(Column(f"f{j}", "nominal", np.array(column[1], dtype=np.int32), levels))
    target = Column(
        "class", "nominal", np.array(y, dtype=np.int32), tuple(f"k{c}" for c in range(n_classes))
    )
    return Table.from_columns(made, target)


def labels(rng, columns, n, n_classes):
    """Classes that depend on the columns and on noise, so that trees are deep but not senseless."""
    signal = sum(
        np.nan_to_num(np.array(c[1], dtype=float)) * w
        for c, w in zip(columns, [2, 1, 3, 1], strict=False)
    )
    return (
        (np.floor(signal) + (rng.random(n) < 0.25) * rng.integers(0, n_classes, n)).astype(int)
        % n_classes
    ).tolist()


def sizes(nodes, weights):
    """`n_node_samples`: rows, of whole weights copies."""
    copies = weights is not None and all(float(x).is_integer() for x in weights)
    return [sum(node.counts) if copies else len(node.rows) for node in nodes]


def assert_same_tree(model, nodes, weights=None):
    tree = model.tree_
    number = {id(n): i for i, n in enumerate(nodes)}
    assert tree.node_count == len(nodes)
    expected = {
        "feature": [n.feature for n in nodes],
        "threshold": [n.threshold for n in nodes],
        "n_children": [len(n.children) for n in nodes],
        "parent": [-1 if n.parent is None else number[id(n.parent)] for n in nodes],
        "branch": [n.branch for n in nodes],
        "depth": [n.depth for n in nodes],
        "label": [n.label for n in nodes],
        "missing_branch": [n.missing_branch for n in nodes],
        "n_node_samples": sizes(nodes, weights),
        "value": [n.counts for n in nodes],
        "score": [n.score for n in nodes],
        "distance": [n.distance for n in nodes],
        "step": [n.step for n in nodes],
    }
    for name, values in expected.items():
        np.testing.assert_array_equal(getattr(tree, name), np.array(values), err_msg=name)
    assert [tuple(tree.levels_of(i)) for i in range(len(nodes))] == [n.levels for n in nodes]
    children = [number[id(c)] for n in nodes for c in n.children]
    np.testing.assert_array_equal(
        np.concatenate([tree.children_of(i) for i in range(len(nodes))]), children
    )


def check(
    seed, criterion, kinds, n=40, n_classes=3, missing=0.0, weights=None, how=None, guard=None
):
    """Grow one random tree both ways and compare; returns the number of nodes."""
    rng = np.random.default_rng(seed)
    how = how or {}
    taken = {"missing": "branch", **how}
    columns = make_columns(rng, n, kinds, missing)
    y = labels(rng, columns, n, n_classes)
    w = None if weights is None else rng.choice(weights, n).tolist()
    positive = {one for one in w or () if one > 0}
    if len(positive) == 1 and min(positive) % 1 != 0:  # equal weights, which are none
        w = [float(one > 0) for one in w]
    rows = [i for i in range(n) if w is None or w[i] > 0]
    occurring = [c in {y[i] for i in rows} for c in range(n_classes)]
    whole = w is None or all(float(x).is_integer() for x in w)
    nodes = tree_oracle.grow(
        columns,
        y,
        n_classes,
        evaluator(criterion, n_classes, occurring),
        weights=w,
        copies=whole,
        guard=guard,
        extensive=criteria.make(criterion).info["extensive"],
        needs_gain=criteria.make(criterion).info["stops_without_gain"],
        gains=lambda tables: [s for s, _ in evaluator("info_gain", n_classes, occurring)(tables)],
        **how,
    )
    table = make_table(columns, y, n_classes)
    for n_jobs in (None, 2):
        model = fasttree.fit(table, criterion=criterion, sample_weight=w, n_jobs=n_jobs, **taken)
        assert_same_tree(model, nodes, w)
    reached = [tree_oracle.leaf_of(nodes, columns, r) for r in range(n)]
    np.testing.assert_array_equal(model.apply(table), reached)
    return len(nodes)


ON = {"min_score": -np.inf}
"""Growth goes on where a criterion says that nothing is gained."""


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kinds", ["cccc", "nnn", "ncnc"])
def test_every_criterion(name, kinds):
    sizes = [check(seed, name, kinds, n_classes=2 + seed % 3, how=ON) for seed in range(3)]
    assert max(sizes) > 10


@pytest.mark.parametrize("name", NAMES)
def test_every_criterion_with_missing_values(name):
    assert (
        max(
            check(seed, name, "ncnc", missing=0.2, n_classes=2 + seed % 2, how=ON)
            for seed in range(10, 13)
        )
        > 10
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_criterion_with_integer_weights(name):
    assert (
        max(
            check(seed, name, "ncn", weights=[0, 1, 2, 5], n_classes=2 + seed % 2, how=ON)
            for seed in range(20, 22)
        )
        > 10
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_criterion_with_real_weights(name):
    # Multiples of 1/8: their sums are exact in any order.
    assert (
        max(
            check(s, name, "ncn", weights=[0.0, 0.125, 0.5, 1.75], n_classes=2 + s % 2, how=ON)
            for s in range(30, 32)
        )
        > 10
    )


OPTIONS = [
    criteria.FMeasure(beta=2.0),
    criteria.FMeasure(variant="change"),
    criteria.FMeasureMax(beta=0.5),
    criteria.FMeasureMax(positive=0),
    criteria.Accuracy(assignment="matching"),
    criteria.Accuracy(assignment="identity"),
    criteria.Jaccard(assignment="identity"),
    criteria.Jaccard(size="sqrt"),
    criteria.Jaccard(size=np.sqrt),
]


@pytest.mark.parametrize("criterion", OPTIONS, ids=repr)
def test_options_of_criteria(criterion):
    if getattr(criterion, "positive", None) == 0:
        criterion = criteria.FMeasureMax(positive="k0")
    made = (
        criterion
        if getattr(criterion, "positive", None) is None
        else criteria.FMeasureMax(positive=0)
    )
    rng = np.random.default_rng(5)
    columns = make_columns(rng, 60, "ncn")
    y = labels(rng, columns, 60, 3)
    nodes = tree_oracle.grow(columns, y, 3, evaluator(made, 3, [True] * 3))
    assert len(nodes) > 10
    assert_same_tree(
        fasttree.fit(make_table(columns, y, 3), criterion=criterion, missing="branch"), nodes
    )


@pytest.mark.parametrize("guard", ["average", "j48", "chen2013"])
@pytest.mark.parametrize("kinds", ["cccc", "ncnc"])
def test_guards_of_gain_ratio(guard, kinds):
    made = criteria.GainRatio(guard=guard)
    assert (
        max(check(seed, made, kinds, guard=guard, missing=0.1 * (seed % 2)) for seed in range(6))
        > 10
    )


STOPS = {
    "max_depth": [1, 3],
    "min_samples_split": [7, 30],
    "min_samples_leaf": [2, 7],
    "min_weight_fraction_leaf": [0.05, 0.2],
    "min_score": [1e-6, 0.1],
    "no_distance_decay": [True, "strict"],
    "max_leaf_nodes": [2, 5, 11],
    "min_impurity_decrease": [0.004, 0.05],
    "empty_branch": ["unclassified"],
    "ties": ["row", "even"],
    "thresholds": ["value"],
}


@pytest.mark.parametrize("name", ["info_gain", "gini", "gain_ratio", "accuracy", "jaccard", "chi2"])
@pytest.mark.parametrize(("stop", "value"), [(s, v) for s, vs in STOPS.items() for v in vs])
def test_every_stop(name, stop, value):
    for seed, weights in [(40, None), (41, [0, 1, 3]), (42, [0.25, 1.5])]:
        missing = 0.15 if seed == 41 else 0.0
        check(
            seed,
            name,
            "ncnc",
            missing=missing,
            weights=weights,
            how={stop: value},
            n_classes=2 + seed % 2,
        )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("order", ["improvement", "distance"])
@pytest.mark.parametrize("limit", [3, 9])
def test_best_first(name, order, limit):
    how = {"max_leaf_nodes": limit, "leaf_order": order, "empty_branch": "unclassified", **ON}
    cases = [(50, "ncnc", None), (51, "cccc", None), (52, "nnc", [0.5, 2.25])]
    assert max(check(s, name, kinds, n=50, weights=w, how=how) for s, kinds, w in cases) > 1


@pytest.mark.parametrize("seed", range(25))
def test_many_settings_at_once(seed):
    rng = np.random.default_rng(1000 + seed)
    how = {
        name: values[int(rng.integers(len(values)))]
        for name, values in STOPS.items()
        if rng.random() < 0.35
    }
    if how.get("min_score") == 0.1:
        how["min_score"] = 0.01
    name = NAMES[int(rng.integers(len(NAMES)))]
    weights = [None, [1, 2], [0, 1, 1, 4], [0.5, 2.25]][int(rng.integers(4))]
    kinds = "".join(rng.choice(["n", "c"], int(rng.integers(1, 5))))
    check(
        seed,
        name,
        kinds,
        n=70,
        missing=[0.0, 0.2][seed % 2],
        weights=weights,
        how=how,
        n_classes=2 + seed % 3,
    )


@pytest.mark.parametrize("name", NAMES)
def test_chosen_splits_are_the_best_by_the_formulas(name):
    """Each split of a tree has the largest score of all candidates by the papers' formulas, and
    says which score it has."""
    rng = np.random.default_rng(60)
    columns = make_columns(rng, 50, "ncn")
    y = labels(rng, columns, 50, 2)
    model = fasttree.fit(make_table(columns, y, 2), criterion=name, **ON)

    def evaluate(tables):
        return [criteria_oracle.evaluate(name, t, declared=len(t)) for t in tables]

    grower = tree_oracle.Grower(columns, y, 2, evaluate)
    path = model.decision_path(make_table(columns, y, 2)).toarray()
    tree, looked = model.tree_, 0
    for node in np.flatnonzero(tree.n_children > 0):
        found = grower.candidates(np.flatnonzero(path[:, node]).tolist())
        best = max(c.score for c in found)
        scale = max(1.0, abs(best))
        assert abs(tree.score[node] - best) < 1e-11 * scale
        t = None if np.isnan(tree.threshold[node]) else tree.threshold[node]
        (own,) = [c for c in found if (c.feature, c.threshold) == (tree.feature[node], t)]
        assert abs(own.score - best) < 1e-11 * scale
        assert abs(own.distance - tree.distance[node]) < 1e-11 * max(1.0, abs(own.distance))
        looked += 1
    assert looked > 3


def test_random_ties_are_among_the_best_and_follow_the_seed():
    rng = np.random.default_rng(7)
    X = rng.integers(0, 3, (40, 6)).astype(float)
    X = np.hstack([X, X])
    y = rng.integers(0, 2, 40)
    seen = set()
    for seed in range(12):
        model = fasttree.fit(X, y, criterion="gini", ties="random", random_state=seed)
        again = fasttree.fit(X, y, criterion="gini", ties="random", random_state=seed, n_jobs=2)
        assert model.tree_.feature.tolist() == again.tree_.feature.tolist()
        best = max(model.explain(0, X, y), key=lambda c: c["score"])["score"]
        assert model.tree_.score[0] == best
        seen.add((int(model.tree_.feature[0]), float(model.tree_.threshold[0])))
    assert len(seen) > 1


def test_max_features_looks_at_some_and_goes_on_until_a_split_is_valid():
    rng = np.random.default_rng(8)
    X = np.hstack([np.zeros((60, 5)), rng.normal(size=(60, 1))])
    y = (X[:, 5] > 0).astype(int)
    for seed in range(5):
        model = fasttree.fit(X, y, max_features=1, random_state=seed)
        assert model.score(X, y) == 1.0
    X = rng.normal(size=(60, 6))
    roots = {
        int(fasttree.fit(X, y, max_features=1, random_state=s).tree_.feature[0]) for s in range(20)
    }
    assert len(roots) > 2


def test_equal_scores_of_candidates_keep_the_order_of_features_and_thresholds():
    X = np.tile(np.random.default_rng(0).integers(0, 3, size=(60, 1)), 4)
    rows = fasttree.fit(X, X[:, 0] > 0).explain(0, X, X[:, 0] > 0)
    keys = [(-row["score"], row["feature"], row["threshold"]) for row in rows]
    assert keys == sorted(keys) and len(keys) == 8

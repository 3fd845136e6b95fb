"""Pairs of rows over many columns: streamed scores, trees without counts by distance, and the
refusal of counts that are too large."""

import numpy as np
import pytest

import fasttree
from fasttree import Table, pair_counts, score_features
from fasttree.criteria import ContextualMerit, PairFunction, Pi, Relief

from ..tools import run_script


def wide(rows, columns, seed=0, values=3):
    """Bytes, and the XOR of two columns."""
    X = np.random.default_rng(seed).integers(values, size=(rows, columns), dtype=np.uint8)
    return X, (X[:, 3] == 0) ^ (X[:, 7] == 0)


def taken(X, y, rows=slice(None)):
    return Table(X[rows], y[rows], categorical_features="all")


@pytest.mark.filterwarnings("ignore:nominal columns")
def test_a_relief_tree_on_many_columns_has_the_scores_of_its_counts():
    X, y = wide(170, 90)
    X[:, 11] = np.arange(170) // 2  # many values
    y = y ^ (np.random.default_rng(8).random(170) < 0.3)
    table = taken(X, y)
    counts = pair_counts(table)
    radius = counts._core.default_radius()
    assert 1 < radius < 90
    for n_jobs in (1, 2):
        assert np.array_equal(
            score_features(table, criterion="relief", n_jobs=n_jobs), counts.score("relief")
        )
    tree = fasttree.fit(table, criterion="relief", n_jobs=1)
    assert tree.to_bytes() == fasttree.fit(table, criterion="relief", n_jobs=2).to_bytes()
    told = fasttree.fit(table, criterion=Relief(radius=radius))
    for array in ("feature", "score", "value", "children"):
        assert np.array_equal(getattr(tree.tree_, array), getattr(told.tree_, array))
    # every node that was split, by counts of its rows
    path = np.asarray(tree.decision_path(X).todense()).astype(bool)
    split = np.flatnonzero(tree.tree_.n_children > 0)
    assert len(split) > 5
    for node in split:
        scores = pair_counts(taken(X, y, path[:, node])).score("relief", alpha=radius)
        varies = (X[path[:, node]] != X[path[:, node]][0]).any(axis=0)
        assert tree.tree_.score[node] == scores[varies].max()
        assert max(c["score"] for c in tree.explain(int(node), X, y)) == tree.tree_.score[node]


def test_weights_of_relief_are_copies_or_have_no_scale():
    for columns in (9, 80):
        X, y = wide(150, columns, seed=3)
        weights = np.random.default_rng(1).integers(0, 4, 150)
        copies = np.repeat(np.arange(150), weights)
        once = score_features(taken(X, y), criterion="relief")
        weighed = score_features(taken(X, y), criterion="relief", sample_weight=weights)
        assert np.array_equal(weighed, score_features(taken(X, y, copies), criterion="relief"))
        for unit in (0.37, 1e-3, 2.5e4 + 0.5):
            alike = score_features(
                taken(X, y), criterion="relief", sample_weight=np.full(150, unit)
            )
            assert np.any(once != 0) and np.array_equal(alike, once)


def test_a_column_of_more_values_than_a_byte_holds():
    X, y = wide(600, 70, seed=5)
    labelled = np.array([[str(v) for v in row] for row in X], dtype=object)
    labelled[:, 5] = [f"row {i // 2}" for i in range(600)]
    table = Table(labelled, y)
    assert np.array_equal(
        score_features(table, criterion="relief"), pair_counts(table).score("relief")
    )


def test_streamed_scores_are_those_of_the_counts():
    X, y = wide(140, 110, seed=2)
    X[:, 20] = 1
    counts = pair_counts(taken(X, y))
    for criterion, told in [
        (Pi(weighted=False), ("pi_unweighted", {})),
        (
            Pi(weighted=False, theta=(1, 0.5, 0, 1), alpha=0.3),
            ("pi_unweighted", {"theta": (1, 0.5, 0, 1), "alpha": 0.3}),
        ),
        (Relief(), ("relief", {})),
    ]:
        name, how = told
        if name == "pi_unweighted":
            setting = {"theta": (1.0, 1.0, 1.0, 1.0), "alpha": 0.1} | how
            expected = counts._core.score(
                name, setting["theta"], setting["alpha"], "exponential", 0.0
            )
        else:
            expected = counts.score(name)
        got = score_features(X, y, criterion=criterion, categorical_features="all", n_jobs=2)
        assert np.isnan(got[20]) and np.isfinite(np.delete(got, 20)).all()
        np.testing.assert_allclose(
            np.delete(got, 20), np.delete(expected, 20), rtol=1e-10, atol=1e-8
        )


@pytest.mark.parametrize(
    "criterion", [Pi(), ContextualMerit(), Relief(radius=40), Pi(precision="fixed")], ids=repr
)
def test_weights_over_many_bytes_are_copies_of_rows(criterion):
    X, y = wide(120, 75, seed=4)
    weights = np.random.default_rng(2).integers(0, 3, 120)
    copies = np.repeat(np.arange(120), weights)
    weighed = score_features(
        X, y, criterion=criterion, categorical_features="all", sample_weight=weights
    )
    copied = score_features(X[copies], y[copies], criterion=criterion, categorical_features="all")
    np.testing.assert_allclose(weighed, copied, rtol=1e-6)
    balanced = score_features(
        X, y, criterion=criterion, categorical_features="all", class_weight={False: 2, True: 1}
    )
    doubled = np.flatnonzero(np.concatenate([~y, np.ones(120, bool)])) % 120
    expected = score_features(
        X[doubled], y[doubled], criterion=criterion, categorical_features="all"
    )
    # pairs of rows that are no copies have weights of 16 bits
    np.testing.assert_allclose(balanced, expected, rtol=2e-5)


def test_counts_that_would_fill_the_memory_are_refused_with_what_to_do():
    X, y = wide(50, 4000, seed=6)
    table = taken(X, y)
    size = (
        "counts of pairs by distance take 2.9 GB for 4000 columns with 12000 values and 2 classes"
    )
    for refused in (
        lambda: fasttree.fit(table, criterion="pi"),
        lambda: fasttree.fit(table, criterion="contextual_merit"),
        lambda: fasttree.fit(
            table, criterion=PairFunction(lambda root, r, tables: r[..., 3].sum(axis=(1, 2)))
        ),
        lambda: pair_counts(table),
        lambda: score_features(table, criterion="pi", sample_weight=np.arange(50.0)),
        lambda: fasttree.estimate_features(table, criterion="pi", method="rows", sample=40),
    ):
        with pytest.raises(ValueError, match=size + ".*precision='fixed'"):
            refused()
    for criterion in (
        Pi(precision="fixed", alpha=0.002),
        ContextualMerit(precision="fixed"),
        "relief",
    ):
        tree = fasttree.fit(table, criterion=criterion, max_depth=1)
        assert tree.get_n_leaves() == 3
        scores = score_features(table, criterion=criterion, sample_weight=np.arange(50.0))
        assert np.isfinite(scores).all()


def test_trees_without_counts_take_memory_by_the_column():
    code = """
import resource
import numpy as np, fasttree
from fasttree.criteria import Pi
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
def grow(columns):
    X = np.random.default_rng(0).integers(3, size=(200, columns), dtype=np.uint8)
    y = (X[:, 3] == 0) ^ (X[:, 7] == 0)
    for criterion in ("relief", Pi(precision="fixed", alpha=5 / (2 / 3 * columns))):
        fasttree.fit(X, y, criterion=criterion, categorical_features="all", max_depth=2, n_jobs=1)
grow(100)
before = peak()
grow(4000)
print(peak() - before)
"""
    # counts by distance: 3 GB
    assert float(run_script(code).stdout) < 250


def test_functions_of_matrices_in_fixed_point():
    X, y = wide(160, 12, seed=9)
    seen = []

    def keep(root, r, tables):
        seen.append((root, r, tables))
        return r[..., 3].sum(axis=(1, 2)) - r[..., 2].sum(axis=(1, 2))

    weights = np.random.default_rng(3).integers(1, 4, 160)
    for setting in (
        {},
        {"theta": (1, 0.5, 0.2, 1), "alpha": 1.5},
        {"decay": "power", "at_zero": 0.5},
    ):
        for w in (None, weights, weights * 0.3):
            seen.clear()
            exact, fixed = (PairFunction(keep, **setting, precision=p) for p in ("exact", "fixed"))
            a, b = (
                score_features(taken(X, y), criterion=c, sample_weight=w) for c in (exact, fixed)
            )
            np.testing.assert_allclose(a, b, rtol=1e-5)
            for mine, other in zip(*seen, strict=True):
                np.testing.assert_allclose(mine, other, rtol=1e-5, atol=1e-9)
    trees = [
        fasttree.fit(X, y, criterion=PairFunction(keep, precision=p)) for p in ("exact", "fixed")
    ]
    assert np.array_equal(trees[0].tree_.feature, trees[1].tree_.feature)
    with pytest.raises(
        ValueError, match="PairFunction: precision='half' is not known; use 'exact', 'fixed'"
    ):
        fasttree.fit(X, y, criterion=PairFunction(keep, precision="half"))
    assert "precision='fixed'" in repr(PairFunction(keep, precision="fixed"))

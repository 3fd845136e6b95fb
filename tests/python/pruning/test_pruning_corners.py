"""Every pruning where there is next to nothing to prune: no rows, one row, one leaf, one class, no
known cell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fasttree
from fasttree import FastTreeClassifier, Table
from fasttree.pruning import (
    MDL,
    PRUNED_CLASSES,
    CostComplexity,
    ErrorBased,
    MEstimate,
    Pessimistic,
    ReducedError,
    make,
)

from ..tools import pruning_oracle as oracle
from .test_pruning import Case

NAN = float("nan")
METHODS: list[Any] = [
    Pessimistic(),
    ErrorBased(),
    ErrorBased(subtree_raising=False),
    ReducedError(),
    ReducedError(fraction=0.3),
    ReducedError(random_state=None),
    CostComplexity(0.01),
    CostComplexity("cv", folds=2),
    MEstimate(),
    MDL(),
]
METHODS += [make(name) for name in PRUNED_CLASSES if name not in {m.name for m in METHODS}]
EIGHT = np.arange(8.0)[:, None]
TRAINING: dict[str, tuple[Any, Any]] = {
    "one row": ([[1.0, 2.0]], ["a"]),
    "constant columns": (np.ones((8, 2)), [0, 1] * 4),
    "one class": (EIGHT, ["only"] * 8),
    "one class of two declared": (Table(EIGHT, ["a"] * 8, levels={"class": ["a", "b"]}), None),
    "all missing": (np.full((8, 2), NAN), [0, 1, 0, 1, 1, 1, 0, 0]),
    "all missing, nominal": (
        Table(
            {"a": [None] * 8, "b": [NAN] * 8},
            [0, 1] * 4,
            levels={"a": ["x", "y"]},
            categorical_features=["a"],
        ),
        None,
    ),
}


@pytest.mark.parametrize("method", METHODS, ids=repr)
@pytest.mark.parametrize("name", TRAINING)
def test_what_has_one_leaf_keeps_it(name, method):
    X, y = TRAINING[name]
    for missing in ("auto", "branch", "mode"):
        grown = fasttree.fit(X, y, missing=missing)
        fitted = fasttree.fit(X, y, missing=missing, pruning=method, merge_redundant="class")
        assert (grown.n_nodes_, fitted.n_nodes_, len(fitted.prune_report_)) == (1, 1, 0)
        assert fitted.prune_report_.to_frame().empty
        if not isinstance(method, ReducedError):  # which keeps the counts of the rows it grew on
            np.testing.assert_array_equal(fitted.tree_.value, grown.tree_.value)
        np.testing.assert_allclose(fitted.predict_proba(X).sum(axis=1), 1.0)
        if isinstance(method, CostComplexity) and method.ccp_alpha == "cv":
            assert fitted.ccp_path_.leaves.tolist() == [1] and fitted.ccp_path_.chosen == 0
        else:
            pruned = grown.prune(method, X, y, merge_redundant="class")
            assert (pruned.n_nodes_, len(pruned.prune_report_)) == (1, 0)
            np.testing.assert_array_equal(pruned.tree_.value, grown.tree_.value)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_no_rows_and_no_weight_are_refused(method):
    with pytest.raises(ValueError, match=r"0 sample\(s\) \(shape=\(0, 2\)\)"):
        fasttree.fit(np.zeros((0, 2)), [], pruning=method)
    with pytest.raises(ValueError, match="all sample weights are zero"):
        fasttree.fit(EIGHT, [0, 1] * 4, sample_weight=np.zeros(8), pruning=method)
    if method.needs_rows is not None:
        grown = fasttree.fit(EIGHT, [0, 1] * 4)
        with pytest.raises(ValueError, match=r"0 sample\(s\) \(shape=\(0, 1\)\)"):
            grown.prune(method, np.zeros((0, 1)), [])
        with pytest.raises(ValueError, match="all sample weights are zero"):
            grown.prune(method, EIGHT, [0, 1] * 4, np.zeros(8))


@pytest.mark.parametrize("method", METHODS, ids=repr)
@pytest.mark.parametrize("empty", ["parent", "unclassified"])
@pytest.mark.parametrize("missing", ["branch", "fractional"])
def test_branches_without_rows_stay_harmless(method, empty, missing):
    levels = {"c": ["t", "u", "v", "w", "x"], "d": ["p", "q"]}
    table = Table(
        {"c": ["u", "v", "u", "v", "w", "u"] * 3, "d": ["p"] * 18},
        [0, 1, 0, 1, 1, 1] * 3,
        levels=levels,
    )
    model = fasttree.fit(
        table, empty_branch=empty, missing=missing, pruning=method, merge_redundant="class"
    )
    tree = model.tree_
    assert np.isfinite(model.predict_proba(table)).all()
    for node in np.flatnonzero(tree.n_children > 0):
        np.testing.assert_allclose(
            tree.value[tree.children_of(int(node))].sum(axis=0), tree.value[node]
        )


def held_out(case: Case, which: str) -> Case:
    """Rows that judge: `which` of another random set."""
    judge = Case(77, n=40)
    judge.y = judge.y % (case.y.max() + 1)
    kept = {
        "one row": [3],
        "one class": np.flatnonzero(judge.y == 1),
        "all missing": np.arange(40),
        "all": np.arange(40),
    }
    rows = kept[which]
    judge.frame, judge.codes, judge.y = (
        judge.frame.iloc[rows].copy(),
        judge.codes[rows],
        judge.y[rows],
    )
    if which == "all missing":
        judge.codes[:] = NAN
        judge.frame.loc[:, ["a", "b"]] = NAN
        for name in ("c", "d"):
            judge.frame[name] = judge.frame[name].where(np.zeros(len(judge.y), bool))
    return judge


@pytest.mark.parametrize("which", ["one row", "one class", "all missing", "all"])
def test_few_rows_held_out_judge_as_the_oracle_says(which):
    for seed in range(4):
        case = Case(seed)
        judge = held_out(case, which)
        grown = case.grown(criterion="gini")
        pruned = judge.pruned(grown, ReducedError())
        truth = oracle.reduced_error(case.nested(grown), judge.codes, judge.y, judge.w)
        assert oracle.shape_of(case.nested(pruned)) == oracle.shape_of(truth)
        assert pruned.n_nodes_ < grown.n_nodes_  # no rows, no errors: a leaf is as good
        assert judge.pruned(pruned, ReducedError()).to_bytes() == pruned.to_bytes()


def parts_wrong(model: FastTreeClassifier, y: np.ndarray) -> float:
    """Weight that rows without any value put into leaves of another class: a leaf gets its share of
    the training weight."""
    tree = model.tree_
    leaves = np.flatnonzero(tree.n_children == 0)
    share = tree.weighted_n_node_samples[leaves] / tree.weighted_n_node_samples[0]
    wrong = tree.label[leaves][:, None] != np.searchsorted(model.classes_, y)[None, :]
    return float((share[:, None] * wrong).sum())


@pytest.mark.parametrize("classes", [[0, 1, 1, 1, 1], [0, 0, 1, 1, 2, 2], [2]])
def test_rows_in_parts_without_any_value_judge_too(classes):
    y = np.array(classes)
    for seed in range(6):
        case = Case(seed, missing=False)
        grown = case.grown(criterion="gini", missing="fractional")
        empty = case.frame.iloc[: len(y)].copy()
        empty.loc[:, ["a", "b"]] = NAN
        for name in ("c", "d"):
            empty[name] = empty[name].where(np.zeros(len(y), bool))
        pruned = grown.prune(ReducedError(), empty, y)
        assert parts_wrong(pruned, y) <= parts_wrong(grown, y) + 1e-9
        assert pruned.prune(ReducedError(), empty, y).to_bytes() == pruned.to_bytes()


def test_a_class_that_the_tree_has_not_cannot_judge():
    grown = fasttree.fit(EIGHT, [0, 1] * 4)
    with pytest.raises(ValueError, match="7, which is not a class of the model"):
        grown.prune(ReducedError(), EIGHT, [0, 1, 7, 0, 1, 0, 1, 0])


@pytest.mark.parametrize("missing", ["branch", "mode", "fractional"])
def test_raising_knows_rows_that_are_not_the_trees(missing):
    """The same classes do not make them the training rows."""
    case = Case(3)
    grown = case.grown(criterion="gini", missing=missing)
    other = case.frame.sample(frac=1.0, random_state=0)
    with pytest.raises(
        ValueError, match="rows that the tree was grown on: their class counts in leaf"
    ):
        grown.prune("error_based", other, case.y)
    with pytest.raises(
        ValueError, match="rows that the tree was grown on: their class counts in the tree"
    ):
        grown.prune("error_based", case.frame.iloc[1:], case.y[1:])
    assert case.pruned(grown, "error_based").n_nodes_ <= grown.n_nodes_

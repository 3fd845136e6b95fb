"""Bad input of every kind: what is refused, in which words, and what is not refused."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

import fasttree
from fasttree import FastTreeClassifier, _engine, criteria, model_selection

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))
Y = RNG.integers(0, 2, 30)
NAMED = pd.DataFrame(X, columns=["a", "b", "c"])


def infinite(value):
    out = X.copy()
    out[3, 1] = value
    return out


def mixed():
    out = X.astype(object)
    out[4, 2] = "red"
    return out


REFUSED_BY_FIT = {
    "0 rows": (np.empty((0, 3)), [], ValueError, r"0 sample\(s\) .*shape=\(0, 3\).* minimum of 1"),
    "0 columns": (
        np.empty((3, 0)),
        [0, 1, 0],
        ValueError,
        r"0 feature\(s\) .*shape=\(3, 0\).* "
        r"minimum of 1",
    ),
    "0 rows in a frame": (NAMED.iloc[:0], [], ValueError, r"0 sample\(s\)"),
    "y too short": (X, Y[:-1], ValueError, "X has 30 rows and y has 29"),
    "y too long": (X.tolist(), [*Y, 1], ValueError, "X has 30 rows and y has 31"),
    "no y": (X, None, ValueError, "requires y to be passed, but the target y is None"),
    "NaN in y": (X, np.where(np.arange(30) == 7, np.nan, 1.0), ValueError, "y contains NaN: row 7"),
    "None in y": (X, ["a", None, *["b"] * 28], ValueError, "y contains NaN: row 1"),
    "mixed y": (X, [1, "a"] * 15, TypeError, "'a'"),
    "two columns of y": (X, np.zeros((30, 2)), ValueError, "1d array"),
    "inf": (infinite(np.inf), Y, ValueError, "column 'x1', row 3: the value inf is infinity"),
    "-inf in float32": (
        infinite(-np.inf).astype(np.float32),
        Y,
        ValueError,
        "column 'x1', row 3.*-inf",
    ),
    "inf in a frame": (
        pd.DataFrame(infinite(np.inf), columns=list("abc")),
        Y,
        ValueError,
        "column 'b', row 3",
    ),
    "inf in a list": (infinite(np.inf).tolist(), Y, ValueError, "column 'x1', row 3"),
    "complex": (X + 1j, Y, ValueError, "Complex data not supported"),
    "sparse": (scipy.sparse.csr_matrix(X), Y, TypeError, "[Ss]parse data.*toarray"),
    "sparse array": (scipy.sparse.csc_array(X), Y, TypeError, "[Ss]parse data.*toarray"),
    "dates in a frame": (
        pd.DataFrame({"day": pd.date_range("2020", periods=30)}),
        Y,
        TypeError,
        "'day' holds (dates|Date values)",
    ),
    "dates in Polars": (
        pl.DataFrame({"day": [datetime.date(2020, 1, 1)] * 30}),
        Y,
        TypeError,
        "'day' holds (dates|Date values)",
    ),
    "dates in an array": (
        np.full((30, 1), "2020-01-01", "M8[D]"),
        Y,
        TypeError,
        "'x0' holds dates",
    ),
    "spans of time": (np.full((30, 1), 5, "m8[D]"), Y, TypeError, "'x0' holds dates or times"),
    "mixed objects": (
        mixed(),
        Y,
        TypeError,
        r"column 'x2', row 4: 'red' \(str\) is mixed with "
        r".* \(float, row 0\)",
    ),
    "lists in cells": (pd.DataFrame({"a": [[1]] * 30}), Y, TypeError, "'a'"),
    "duplicate columns": (
        NAMED.set_axis(["a", "b", "a"], axis=1),
        Y,
        ValueError,
        "'a' names the columns",
    ),
    "1-D X": (
        X[:, 0],
        Y,
        ValueError,
        "Expected 2D array, got 1D array instead(.|\n)*Reshape your data",
    ),
    "3-D X": (X.reshape(30, 3, 1), Y, ValueError, "3"),
    "a number": (3.0, Y, (ValueError, TypeError), "Expected 2D array|scalar"),
    "rows of different lengths": ([[1.0], [1.0, 2.0]], [0, 1], ValueError, "row 1"),
    "65,537 levels": (
        np.arange(65_537).astype(str)[:, None],
        np.arange(65_537) % 2,
        ValueError,
        "'x0' has 65,537 levels",
    ),
}


@pytest.mark.parametrize("case", REFUSED_BY_FIT)
def test_refused_by_fit(case):
    data, labels, kind, words = REFUSED_BY_FIT[case]
    with pytest.raises(kind, match=words):
        fasttree.fit(data, labels, columns="as_given")


REFUSED_AS_A_NUMBER = {
    "text": (["1.5", "high", *["2"] * 28], {}, "row 1 of the target 'y' is 'high'"),
    "no number": ([1.5, None, *[2.0] * 28], {}, "row 1 of the target 'y' has no number"),
    "infinity": ([1.5, -np.inf, *[2.0] * 28], {}, "Row 1 of the target 'y' is -inf"),
    "too large": (
        [1.5, 1e300, *[2.0] * 28],
        {},
        r"row 1 of the target 'y' is 1e\+300, and squares of it",
    ),
    "negative": ([1.5, -1.0, *[2.0] * 28], {"criterion": "poisson"}, "row 1 is -1"),
    "all 0": ([0.0] * 30, {"criterion": "poisson"}, "is 0 in all rows"),
    "classes": (Y, {"criterion": "gini"}, "gini.*numeric target.*squared_error"),
}


@pytest.mark.parametrize("case", REFUSED_AS_A_NUMBER)
@pytest.mark.filterwarnings("ignore:the target is 0 in all")
def test_refused_by_fit_as_a_number(case):
    numbers, how, words = REFUSED_AS_A_NUMBER[case]
    with pytest.raises(ValueError, match=words):
        fasttree.FastTreeRegressor(**how).fit(X, numbers)


def test_continuous_y_is_refused_as_classes():
    with pytest.raises(ValueError, match="Unknown label type: .*FastTreeRegressor"):
        fasttree.fit(X, X[:, 0], task="classification")


def test_a_constant_number_is_a_leaf():
    with pytest.warns(UserWarning, match=r"the target is 1e\+20 in all 30 rows"):
        model = fasttree.FastTreeRegressor().fit(X, np.full(30, 1e20))
    assert (model.n_nodes_, model.predict(X[:1]).tolist()) == (1, [1e20])


@pytest.mark.parametrize(
    "case", ["inf", "complex", "sparse", "dates in a frame", "mixed objects", "1-D X"]
)
def test_refused_by_predict_in_the_same_words(case):
    data, _, kind, words = REFUSED_BY_FIT[case]
    model = fasttree.fit(X, Y) if case != "dates in a frame" else fasttree.fit(X[:, :1], Y)
    for method in (model.predict, model.predict_proba, model.apply, model.decision_path):
        with pytest.raises((kind, ValueError), match=words.replace("dates", "")):
            method(data)


@pytest.mark.filterwarnings("ignore:nominal columns")
def test_levels_just_below_the_limit():
    codes = np.arange(65_536)
    words = np.char.mod("%05d", codes)[:, None]
    model = fasttree.fit(words, codes % 2, nominal_splits="multiway")
    assert (model.get_n_leaves(), model.score(words, codes % 2)) == (65_536, 1.0)
    with_gap = words.astype(object)
    with_gap = np.vstack([with_gap, [[None]]])
    with pytest.raises(ValueError, match="column 'x0' would have 65537 branches"):
        fasttree.fit(with_gap, [*(codes % 2), 1], nominal_splits="multiway")
    with pytest.raises(ValueError, match="n_bins=100000 must be a whole number from 1 to 65535"):
        fasttree.fit(X, Y, discretize="equal_width", n_bins=100_000)


BAD_WEIGHTS = {
    "negative": ([1.0] * 5 + [-1.0] + [1.0] * 24, "sample_weight of row 5 is -1"),
    "NaN": ([1.0] * 29 + [np.nan], "sample_weight of row 29 is NaN"),
    "infinite": ([np.inf] + [1.0] * 29, "sample_weight of row 0 is inf"),
    "all zero": ([0.0] * 30, "all sample weights are zero"),
    "too short": ([1.0] * 29, r"sample_weight.shape == \(29,\), expected \(30,\)"),
    "two columns": (np.ones((30, 2)), "Sample weights must be 1D array or scalar"),
    "a sum beyond all numbers": (
        [1e308] * 29 + [9e307],
        "the sum of the sample weights is inf.*multiply them by a constant",
    ),
}


@pytest.mark.parametrize("case", BAD_WEIGHTS)
def test_bad_weights(case):
    weights, words = BAD_WEIGHTS[case]
    for call in (
        lambda: fasttree.fit(X, Y, sample_weight=weights),
        lambda: fasttree.score_features(X, Y, criterion="gini", sample_weight=weights),
        lambda: fasttree.fit(X, Y, criterion=lambda t: t[:, 0, 0], sample_weight=weights),
    ):
        with pytest.raises(ValueError, match=words):
            call()


BAD_PARAMETERS = {
    "criterion": [
        ("info_gian", ValueError, "did you mean 'info_gain'"),
        (3, TypeError, "criterion=3"),
        ("zzz", ValueError, "known: accuracy, "),
    ],
    "evaluation": [("globl", ValueError, "evaluation='globl'.*'local'")],
    "ties": [
        ("last", ValueError, "ties='last' is not known; use 'first', 'row', 'random', 'even'")
    ],
    "nominal_splits": [("binary", ValueError, "nominal_splits='binary'.*'multiway'")],
    "categorical_features": [
        ([9], ValueError, "index 9"),
        (["colour"], ValueError, "colour"),
        ([True], ValueError, "mask"),
    ],
    "discretize": [
        ("widths", ValueError, "discretize='widths'.*'equal_width'"),
        (5, ValueError, "discretize=5"),
    ],
    "max_depth": [
        (0, ValueError, "max_depth=0 must be at least 1"),
        (2.5, ValueError, "whole number"),
        (True, ValueError, "whole number"),
    ],
    "splitter": [("worst", ValueError, "splitter='worst'")],
    "leaf_order": [("best", ValueError, "leaf_order='best'")],
    "min_impurity_decrease": [
        (-0.1, ValueError, "min_impurity_decrease=-0.1"),
        (float("nan"), ValueError, "min_impurity_decrease=nan"),
        (float("inf"), ValueError, "min_impurity_decrease=inf"),
    ],
    "max_leaf_nodes": [(1, ValueError, "max_leaf_nodes=1 must be at least 2")],
    "min_samples_split": [
        (1, ValueError, "min_samples_split=1 must be at least 2"),
        (1.5, ValueError, r"\[0, 1\]"),
        ("a", ValueError, "min_samples_split='a'"),
    ],
    "min_samples_leaf": [
        (0, ValueError, "min_samples_leaf=0 must be at least 1"),
        (-0.1, ValueError, r"\[0, 1\]"),
    ],
    "min_weight_fraction_leaf": [
        (0.6, ValueError, r"\[0, 0.5\]"),
        (np.nan, ValueError, "min_weight_fraction_leaf=nan"),
    ],
    "max_features": [
        (4, ValueError, "between 1 and the number of features, 3"),
        ("all", ValueError, "'sqrt', 'log2'"),
        (0, ValueError, "max_features=0"),
    ],
    "min_score": [("high", ValueError, "min_score='high'"), (np.nan, ValueError, "min_score=nan")],
    "no_distance_decay": [
        ("yes", ValueError, "no_distance_decay='yes'.*'strict'"),
        (1, ValueError, "no_distance_decay=1"),
    ],
    "empty_branch": [("none", ValueError, "empty_branch='none'.*'parent', 'unclassified'")],
    "missing": [("mean", ValueError, "missing='mean'")],
    "handle_unknown": [("ignore", ValueError, "handle_unknown='ignore'.*'missing', 'error'")],
    "thresholds": [("upper", ValueError, "thresholds='upper'.*'midpoint', 'value'")],
    "leaf_smoothing": [("kneser", ValueError, "leaf_smoothing='kneser'.*'laplace'")],
    "class_weight": [("heavy", ValueError, "class_weight")],
    "random_state": [
        (-1, ValueError, "random_state=-1 must be None, a whole number >= 0"),
        ("x", ValueError, "random_state='x'"),
    ],
    "trace": [("all", ValueError, "trace='all'.*None, 'steps', 'candidates'")],
    "pruning": [("magic", ValueError, "pruning='magic'")],
    "n_jobs": [(0, ValueError, "n_jobs")],
}


@pytest.mark.parametrize(
    ("name", "value", "kind", "words"), [(n, *c) for n, cs in BAD_PARAMETERS.items() for c in cs]
)
def test_bad_parameters_are_named_when_fitted(name, value, kind, words):
    how = {name: value}
    if name == "random_state":
        how["ties"] = "random"
    estimator = FastTreeClassifier(**how)  # scikit-learn: constructors check nothing
    with pytest.raises(kind, match=words):
        estimator.fit(X, Y)


def test_misspelt_parameters_and_options():
    with pytest.raises(TypeError, match="max_dept"):
        fasttree.fit(X, Y, max_dept=3)
    with pytest.raises(TypeError, match="bta"):
        criteria.FMeasure(bta=2.0)
    with pytest.raises(ValueError, match="did you mean 'beta'"):
        criteria.FMeasure().set_params(bet=2.0)
    with pytest.raises(ValueError, match=r"beta|-1"):
        fasttree.fit(X, Y, criterion=criteria.FMeasure(beta=-1.0))
    with pytest.raises(ValueError, match="assignment|closest"):
        fasttree.fit(X, Y, criterion=criteria.Accuracy(assignment="closest"))
    with pytest.raises(ValueError, match=r"positive='x' is not a class; classes are \[0, 1\]"):
        fasttree.fit(X, Y, criterion=criteria.FMeasureMax(positive="x"))
    with pytest.raises(ValueError, match="concave"):
        fasttree.fit(X, Y, criterion=criteria.Jaccard(size=np.square))
    with pytest.raises(AttributeError, match="InfoGian"):
        criteria.InfoGian  # noqa: B018


def test_more_folds_than_rows():
    with pytest.raises(ValueError, match="31 folds need at least 31 rows, there are 30"):
        model_selection.cross_validate(X, Y, criterion="gini", cv=31)
    with pytest.raises(ValueError, match="folds"):
        model_selection.cross_validate(X, Y, criterion="gini", cv="1x40")


# -- after the fit --------------------------------------------------------------------------------


def test_score_refuses_labels_of_another_length():
    model = fasttree.fit(X, Y)
    for labels in (Y[:1], Y[:4], [*Y, 0]):
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            model.score(X, labels)
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            model.staged_score(X, labels)
    with pytest.raises(ValueError, match="requires y"):
        model.score(X)


def test_the_core_explains_rows_of_the_model_alone():
    table = fasttree.Table(X, Y)
    model, data, n = fasttree.fit(table, max_depth=2)._model, _engine.dataset_of(table), len(Y)
    every = np.ones(n)
    assert model.explain(data, {}, every)
    outside = [np.full(n, value) for value in (-0.1, 1.5, np.nan, np.inf)]
    for fractions in outside:
        with pytest.raises(ValueError, match="of row 0 is outside 0 to 1"):
            model.explain(data, {}, fractions)
    with pytest.raises(ValueError, match="no training rows with a positive weight"):
        model.explain(data, {}, np.zeros(n))
    with pytest.raises(ValueError, match="3 fractions or weights for"):
        model.explain(data, {}, np.ones(3))
    with pytest.raises(ValueError, match="3 fractions or weights for"):
        model.explain(data, {}, every, np.ones(3))
    with pytest.raises(ValueError, match="sample_weight of row . is -1"):
        model.explain(data, {}, every, -every)
    with pytest.raises(ValueError, match="class_weight"):
        model.explain(data, '{"class_weight": [1.0], "min_weight_fraction_leaf": 0.1}', every)
    others = [fasttree.Table(X[:, :1], Y), fasttree.Table(X.astype(str), Y)]
    others.append(fasttree.Table(X, [f"{i % 5}" for i in range(n)]))
    for other in others:
        with pytest.raises(ValueError, match="other columns or classes than the model"):
            model.explain(_engine.dataset_of(other), {}, every)


def test_unfitted_and_out_of_range():
    from sklearn.exceptions import NotFittedError

    for method in ("predict", "predict_proba", "apply", "decision_path"):
        with pytest.raises(NotFittedError):
            getattr(FastTreeClassifier(), method)(X)
    for method in ("to_text", "to_dot", "to_bytes", "get_depth", "get_n_leaves", "explain"):
        with pytest.raises(NotFittedError):
            getattr(FastTreeClassifier(), method)()
    model = fasttree.fit(X, Y, max_depth=2)
    with pytest.raises(ValueError, match="node=99 does not exist; the tree has nodes 0 to"):
        model.explain(99)
    with pytest.raises(ValueError, match="no candidates in the trace: give X and y"):
        model.explain(0)
    leaf = int(np.flatnonzero(model.tree_.n_children == 0)[0])
    with pytest.raises(ValueError, match="is a leaf: .*; give X and y"):
        model.explain(leaf)
    with pytest.raises(ValueError, match="step=-1 must not be negative"):
        model.cut(-1)
    with pytest.raises(AttributeError, match="trace=None"):
        fasttree.fit(X, Y, trace=None).trace_  # noqa: B018
    with pytest.raises(ValueError, match="'no' is not a class|which is not a class"):
        model.explain(0, X, ["no"] * 30)
    with pytest.raises(ValueError, match="do not pass y beside it"):
        fasttree.fit(fasttree.Table(X, Y), Y)
    with pytest.raises(ValueError, match="requires y to be passed"):
        fasttree.fit(fasttree.Table(X))

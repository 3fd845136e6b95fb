"""Data that can be learned from, but hardly as was meant: each warning comes once, names what it
is about, and says what to do."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

import fasttree
from fasttree import bayesian_networks, datasets, model_selection, naive_bayes, pruning
from fasttree._checks.data_warnings import DataWarning

NONE = np.full((12, 2), np.nan)
HALF = np.column_stack([np.arange(12.0), np.full(12, np.nan)])
Y = np.arange(12) % 2

LEARNERS = {
    "tree": fasttree.FastTreeClassifier(),
    "pairs": fasttree.FastTreeClassifier(criterion="pi"),
    "forest": fasttree.FastForestClassifier(5, random_state=0),
    "optimal": fasttree.OptimalTreeClassifier(max_depth=1),
    "naive Bayes": naive_bayes.NaiveBayes(),
    "TAN": naive_bayes.TAN(),
    "AODE": naive_bayes.AODE(),
    "CaMML": bayesian_networks.CaMML(n_steps=50, n_chains=1, random_state=0),
}


def said(call):
    """Texts of the data warnings of a call, those at the caller's line alone."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    ours = [w for w in found if issubclass(w.category, DataWarning)]
    assert all(w.filename == __file__ for w in ours), [w.filename for w in ours]
    return [str(w.message) for w in ours]


@pytest.mark.parametrize("learner", LEARNERS)
def test_one_class_is_said_once(learner):
    kind = LEARNERS[learner]
    (text,) = said(lambda: kind.fit(np.arange(24.0).reshape(12, 2), ["yes"] * 12))
    assert text.startswith("all 12 rows are of the class 'yes'") and "another target" in text


NUMBERS = np.arange(40)
FEATURES = np.random.default_rng(1).random((40, 2))


@pytest.mark.parametrize(
    "y", [NUMBERS, NUMBERS.astype(float), NUMBERS.tolist(), NUMBERS.astype(object), NUMBERS // 1.9]
)
@pytest.mark.parametrize("learner", ["tree", "forest", "naive Bayes"])
def test_many_numbers_as_classes_are_said_once(learner, y):
    (text,) = said(lambda: LEARNERS[learner].fit(FEATURES, y))
    n = len(set(y))
    assert text.startswith(f"{n} values in 40 rows of the target: is this a regression problem?")
    assert "FastTreeRegressor" in text and "task='regression'" in text


def test_many_numbers_are_said_by_a_cross_validation_once():
    how = {"estimators": {"tree": fasttree.FastTreeClassifier()}, "cv": "1x2"}
    texts = said(lambda: model_selection.cross_validate(FEATURES, NUMBERS, **how))
    assert sum("regression problem" in text for text in texts) == 1


def test_a_hundred_numbers_with_few_rows_each_are_said():
    X, y = load_diabetes(return_X_y=True)
    (text,) = said(lambda: fasttree.fit(X, y, max_depth=2))
    assert text.startswith("214 values in 442 rows of the target")


def test_other_targets_are_not_taken_for_numbers():
    pd = pytest.importorskip("pandas")
    X = FEATURES
    for y in (NUMBERS // 2, NUMBERS.astype(str), pd.Categorical(NUMBERS), NUMBERS > 3):
        assert said(lambda: fasttree.fit(X, y)) == []
    assert said(lambda: fasttree.fit(X[:19], NUMBERS[:19])) == []
    assert said(lambda: fasttree.fit(X, NUMBERS, task="regression")) == []
    declared = fasttree.Table(X, NUMBERS, levels={"class": range(40)})
    assert said(lambda: fasttree.fit(declared)) == []


@pytest.mark.parametrize("learner", sorted(set(LEARNERS) - {"optimal"}))
def test_columns_without_a_value_are_named_once(learner):
    kind = LEARNERS[learner]
    (text,) = said(lambda: kind.fit(HALF, Y))
    assert text.startswith("columns without a value in any row: 'x1';") and "leave them out" in text
    (text,) = said(lambda: kind.fit(NONE, Y))
    assert text.startswith("no cell of the features has a value") and "read it again" in text


def test_nominal_columns_without_a_value():
    table = fasttree.Table({"a": [None] * 4, "b": ["u", "v"] * 2}, [0, 1, 0, 1])
    (text,) = said(lambda: fasttree.fit(table))
    assert "'a'" in text and "'b'" not in text


def test_many_columns_are_named_twenty_at_most():
    X = np.column_stack([np.arange(12.0), *[np.full(12, np.nan)] * 24])
    (text,) = said(lambda: fasttree.fit(X, Y))
    assert "'x20' and 4 others" in text and "'x21'" not in text


RARE = np.array(["a"] * 20 + ["b"] * 8 + ["c"])
ROWS = np.random.default_rng(0).random((29, 2))


@pytest.mark.parametrize(
    ("call", "folds"),
    [
        (lambda: model_selection.cross_validate(ROWS, RARE, cv="2x10"), 10),
        (lambda: model_selection.cross_validate(ROWS, RARE, ["gini", "mdl"], cv=9), 9),
        (lambda: model_selection.cross_validate(ROWS, RARE, cv="weka"), 10),
        (
            lambda: model_selection.cross_validate(
                ROWS,
                RARE,
                estimators={"tree": fasttree.FastTreeClassifier(class_weight="balanced")},
            ),
            10,
        ),
        (lambda: model_selection.compare({"set": (ROWS, RARE)}, ["gini", "mdl"], cv="3x10"), 10),
        (lambda: fasttree.sweep(ROWS, RARE, alpha=(0.0, 1.0), cv="2x10"), 10),
        (lambda: fasttree.advise(ROWS, RARE, cv="1x10", progress=False), 10),
        (
            lambda: fasttree.fit(
                ROWS, RARE, criterion="gini", pruning=pruning.CostComplexity("cv", folds=10)
            ),
            10,
        ),
    ],
)
def test_classes_with_fewer_rows_than_folds_are_named_once(call, folds):
    (text,) = said(call)
    assert text.removeprefix("set: ").startswith(
        f"classes with fewer rows than the {folds} folds: 'b' (8 rows), 'c' (1 "
    )
    assert "use fewer folds" in text


def test_a_cross_validation_says_once_what_its_fits_would_say():
    how = {"estimators": {"bayes": naive_bayes.NaiveBayes()}, "cv": "2x3"}
    (text,) = said(lambda: model_selection.cross_validate(HALF, Y, **how))
    assert "'x1'" in text
    (text,) = said(lambda: model_selection.cross_validate(HALF, Y, ["gini", "info_gain"], cv="2x3"))
    assert "'x1'" in text


def test_ordinary_data_are_not_warned_of():
    iris = datasets.load_iris()
    assert said(lambda: fasttree.fit(iris)) == []
    assert said(lambda: model_selection.cross_validate(iris, cv="2x10")) == []
    assert said(lambda: model_selection.learning_curve(iris, criterion=["gini"], n_repeats=2)) == []

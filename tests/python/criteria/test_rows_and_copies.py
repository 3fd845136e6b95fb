"""Laws 7 and 8 over all parameters: the order of the rows, threads and names change nothing, and a
whole weight is that many copies of a row. For a number see
``laws/test_random_configurations.py``."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

import fasttree
from fasttree import criteria, presets, pruning, score_features
from fasttree.naive_bayes import AODE, TAN, NaiveBayes

from ..tools import thinned, without_idle

CRITERIA = [i["name"] for i in fasttree.list_criteria() if i["target"] == "classes"]
PRUNINGS = [
    None,
    "pessimistic",
    "error_based",
    "mdl",
    "m_estimate",
    "cost_complexity",
    pruning.ErrorBased(subtree_raising=False),
    pruning.ReducedError(folds=2, random_state=3),
    pruning.ReducedError(fraction=0.3, random_state=1),
    pruning.CostComplexity("cv"),
]
ROWS = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
SHAPE = ("parent", "branch", "feature", "threshold", "n_children", "missing_branch", "label")


@st.composite
def parameters(draw):
    """A configuration; most parameters are at their default, so that combinations are served."""

    def pick(default, *others):
        return draw(st.sampled_from([default] * 3 + list(others)))

    if draw(st.integers(0, 9)) == 0:
        preset = draw(
            st.sampled_from([presets.C45, presets.CART, presets.ID3, presets.VILALTA2001])
        )
        return {**preset, "class_weight": pick(None, "balanced")}
    how = {
        "criterion": draw(st.sampled_from(CRITERIA)),
        "evaluation": pick("local", "global", "glocal"),
        "labels": pick("majority", "all", "distinct"),
        "nominal_splits": pick("multiway", "subset", "one_vs_rest"),
        "discretize": pick("auto", None, "equal_width", "equal_frequency", "mdlp"),
        "n_bins": pick(10, 3),
        "threshold_search": pick("exact", "histogram"),
        "max_bins": pick(255, 3),
        "thresholds": pick("midpoint", "value", "training_value"),
        "max_depth": pick(None, 1, 2),
        "max_leaf_nodes": pick(None, 2, 4),
        "min_samples_split": pick(2, 4, 8, 0.4),
        "min_samples_leaf": pick(1, 2, 4, 0.2),
        "min_weight_fraction_leaf": pick(0.0, 0.1),
        "min_score": pick(None, 0.05),
        "no_distance_decay": pick(False, True, "strict"),
        "empty_branch": pick("parent", "unclassified"),
        "missing": pick("auto", "fractional", "mode", "branch"),
        "pruning": pick(*PRUNINGS),
        "merge_redundant": pick(None, "class", "distribution"),
        "cost_matrix": pick(None, [[0.0, 1.0], [3.0, 0.0]]),
        "priors": pick(None, "equal", [0.3, 0.7]),
        "class_weight": pick(None, "balanced", {0: 1.0, 1: 2.5}),
        "leaf_smoothing": pick(None, "laplace", "m_estimate"),
        "random_state": 0,
    }
    return without_idle(how)


@st.composite
def data(draw, classes=2):
    """Rows with numbers and codes, some cells missing; both classes occur."""
    n = draw(st.integers(3, 14))
    cell = st.integers(0, 3)
    rows = draw(st.lists(st.tuples(cell, cell, cell), min_size=n, max_size=n))
    X = np.array(rows, dtype=float)
    if draw(st.integers(0, 3)) == 0:
        gone = draw(st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=n, max_size=n))
        X[np.array(gone) == 0] = np.nan
    y = np.array(draw(st.lists(st.integers(0, classes - 1), min_size=n, max_size=n)))
    y[:classes] = range(classes)
    nominal = draw(st.sampled_from([None, [0], [0, 1], "all"]))
    return X, y, nominal


def fitted(X, y, nominal, weights, how, n_jobs=None):
    """A tree, or nothing where the combination is refused."""
    try:
        return fasttree.fit(
            X, y, sample_weight=weights, categorical_features=nominal, n_jobs=n_jobs, **how
        )
    except (ValueError, NotImplementedError) as error:
        return str(error)


def is_same(one, other, X):
    if isinstance(one, str) or isinstance(other, str):
        assert isinstance(one, str) and isinstance(other, str), (one, other)
        return False
    for part in SHAPE:
        mine, theirs = getattr(one.tree_, part), getattr(other.tree_, part)
        assert np.array_equal(mine, theirs, equal_nan=mine.dtype.kind == "f"), part
    assert np.allclose(one.tree_.value, other.tree_.value, rtol=1e-12, atol=0)
    assert np.allclose(one.tree_.score, other.tree_.score, rtol=1e-9, atol=1e-9)
    assert np.allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-12, atol=1e-15)
    assert one.predict(X).tolist() == other.predict(X).tolist()
    return True


@ROWS
@given(rows=data(), how=parameters(), weights=st.data())
@pytest.mark.filterwarnings("ignore:column 'x[0-9]' holds")
def test_a_whole_weight_is_so_many_copies(rows, how, weights):
    X, y, nominal = rows
    w = np.array(weights.draw(st.lists(st.integers(0, 4), min_size=len(y), max_size=len(y))))
    w[:2] += 1
    copies = np.repeat(np.arange(len(y)), w)
    one = fitted(X, y, nominal, w, how)
    if not is_same(one, fitted(X[copies], y[copies], nominal, None, how), X):
        reject()


@ROWS
@given(rows=data(), how=parameters(), more=st.data())
def test_the_order_of_the_rows_changes_nothing(rows, how, more):
    X, y, nominal = rows
    n = len(y)
    w = more.draw(
        st.one_of(
            st.none(),
            st.lists(st.integers(1, 3), min_size=n, max_size=n),
            st.lists(st.sampled_from([0.1, 0.3, 1.0, 1 / 3]), min_size=n, max_size=n),
        )
    )
    if isinstance(how.get("pruning"), pruning.CostComplexity):
        reject()  # folds of rows go by their order
    order = np.array(more.draw(st.permutations(range(n))))
    one = fitted(X, y, nominal, w, how)
    other = fitted(X[order], y[order], nominal, None if w is None else np.array(w)[order], how)
    if isinstance(one, str) and isinstance(other, str):
        reject()  # messages name rows
    is_same(one, other, X)


@ROWS
@given(rows=data(), how=parameters())
def test_threads_and_names_change_nothing(rows, how):
    X, y, nominal = rows
    one = fitted(X, y, nominal, None, how)
    if isinstance(one, str):
        reject()
    assert fitted(X, y, nominal, None, how, n_jobs=3).to_bytes() == one.to_bytes()
    if how.get("class_weight") not in (None, "balanced"):
        return
    renamed = np.array(["early", "late"])[y]
    other = fitted(X, renamed, nominal, None, how)
    for part in (*SHAPE, "value", "score", "distance"):
        mine, theirs = getattr(one.tree_, part), getattr(other.tree_, part)
        assert np.array_equal(mine, theirs, equal_nan=mine.dtype.kind == "f"), part


@pytest.mark.parametrize("name", thinned(CRITERIA, 3))
@settings(max_examples=15, deadline=None)
@given(rows=data(classes=3), more=st.data())
def test_scores_of_features(name, rows, more):
    X, y, nominal = rows
    n = len(y)
    options = {
        "criterion": name,
        "categorical_features": nominal,
        "class_weight": more.draw(st.sampled_from([None, "balanced"])),
        "missing": more.draw(st.sampled_from(["auto", "branch", "mode"])),
    }
    order = np.array(more.draw(st.permutations(range(n))))
    real = np.array(
        more.draw(st.lists(st.sampled_from([0.1, 0.3, 1.0, 1 / 3, 7.7]), min_size=n, max_size=n))
    )
    plain = score_features(X, y, sample_weight=real, **options)
    moved = score_features(X[order], y[order], sample_weight=real[order], **options)
    assert np.array_equal(plain, moved, equal_nan=True)
    w = np.array(more.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    w[:3] += 1
    copies = np.repeat(np.arange(n), w)
    weighed = score_features(X, y, sample_weight=w, **options)
    copied = score_features(X[copies], y[copies], **options)
    assert np.allclose(weighed, copied, rtol=1e-11, atol=1e-11, equal_nan=True)


@pytest.mark.parametrize(
    "model",
    [NaiveBayes(), NaiveBayes(distribution="weka"), TAN(), AODE()],
    ids=lambda m: repr(m),
)
@settings(max_examples=30, deadline=None)
@given(rows=data(), more=st.data())
@pytest.mark.filterwarnings("ignore:column 'x[0-9]' holds")
def test_bayes(model, rows, more):
    X, y, nominal = rows
    n = len(y)
    X = X * more.draw(st.sampled_from([1.0, 0.1, 1e-3, 7.3]))
    model.set_params(categorical_features=nominal)
    w = np.array(more.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
    w[:2] += 1
    copies = np.repeat(np.arange(n), w)
    weighed = model.fit(X, y, sample_weight=w).predict_proba(X)
    assert np.array_equal(model.fit(X[copies], y[copies]).predict_proba(X), weighed)
    real = np.array(
        more.draw(st.lists(st.sampled_from([0.1, 0.3, 1.0, 1 / 3, 7.7]), min_size=n, max_size=n))
    )
    order = np.array(more.draw(st.permutations(range(n))))
    plain = model.fit(X, y, sample_weight=real).predict_proba(X)
    moved = model.fit(X[order], y[order], sample_weight=real[order]).predict_proba(X)
    assert np.array_equal(plain, moved)
    model.set_params(n_jobs=3)
    again = model.fit(X, y, sample_weight=real).predict_proba(X)
    model.set_params(n_jobs=None)
    assert np.array_equal(again, plain)


REPRODUCERS = [
    (
        [[2, 2], [0, 3], [0, 2], [1, 3]],
        [0, 1, 0, 0],
        [3, 1, 3, 2],
        {"class_weight": "balanced", "min_samples_split": 8},
    ),
    ([[0, 4], [1, 0], [2, 2], [2, 0]], [1, 0, 1, 0], [3, 3, 1, 3], {"pruning": "mdl"}),
    (
        [[0, 0], [0, 0], [1, 0], [1, 1]],
        [0, 1, 0, 1],
        [1, 3, 2, 2],
        {"criterion": "minimal_tree_size"},
    ),
]


@pytest.mark.parametrize(("X", "y", "w", "how"), REPRODUCERS, ids=["split", "mdl", "sizes"])
def test_copies_that_were_none(X, y, w, how):
    X, y = np.array(X, dtype=float), np.array(y)
    copied = fitted(np.repeat(X, w, axis=0), np.repeat(y, w), None, None, how)
    assert is_same(fitted(X, y, None, w, how), copied, X)


def test_criteria_with_options_are_copies_too():
    X = np.array([[0.0, 1], [1, 2], [2, 0], [0, 0], [1, 1], [2, 2]])
    y, w = np.array([0, 1, 1, 0, 1, 0]), np.array([1, 3, 2, 1, 2, 4])
    for criterion in (
        criteria.ReliefF(k=3),
        criteria.GainRatio(guard="average"),
        criteria.Pi(alpha=0.5),
        criteria.Jaccard(size="sqrt"),
    ):
        how = {"criterion": criterion, "class_weight": "balanced", "min_samples_leaf": 3}
        copied = fitted(np.repeat(X, w, axis=0), np.repeat(y, w), None, None, how)
        assert is_same(fitted(X, y, None, w, how), copied, X)

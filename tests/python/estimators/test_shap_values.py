"""Shapley values: their definition on small trees, additivity on any, the shap package's on binary
ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, make_classification

import fasttree
from fasttree import (
    FastForestClassifier,
    FastForestRegressor,
    FastTreeClassifier,
    FastTreeRegressor,
)

from ...oracle.shap_oracle import shapley
from ..tools import run_script, without_idle

COLOURS = ["red", "green", "blue", "grey"]


def mixed(seed, n, missing):
    """Rows of two numbers and two words, with holes."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.integers(0, 6, n) / 2,
            "b": rng.normal(size=n).round(1),
            "c": rng.choice(COLOURS, n),
            "d": rng.choice(["no", "yes"], n),
        }
    )
    y = (frame.a > 1).to_numpy().astype(int) + ((frame.c == "red") & (frame.d == "yes"))
    y = np.where(rng.random(n) < 0.2, rng.integers(0, 3, n), y)
    y[:3] = [0, 1, 2]
    if missing:
        for name in frame:
            frame.loc[rng.random(n) < 0.15, name] = None
    return frame, y


def additive(model, X, tolerance=1e-9):
    values = model.shap_values(X)
    of_classes = (len(model.classes_),) if hasattr(model, "classes_") else ()
    width = len(X.columns if hasattr(X, "columns") else X[0])
    assert values.shape == (len(X), width, *of_classes)
    predicted = model.predict_proba(X) if of_classes else model.predict(X)
    assert np.abs(values.sum(axis=1) + model.expected_value - predicted).max() <= tolerance
    return values


@st.composite
def ways(draw):
    pick = lambda *values: draw(st.sampled_from(values))  # noqa: E731
    return {
        "criterion": pick("info_gain", "gini", "hellinger"),
        "nominal_splits": pick("multiway", "subset", "one_vs_rest"),
        "missing": pick("auto", "branch", "mode"),
        "leaf_smoothing": pick(None, "laplace", "m_estimate"),
        "empty_branch": pick("parent", "unclassified"),
        "discretize": pick(None, "equal_width"),
        "n_bins": 3,
        "max_depth": pick(None, 3),
    }


@settings(max_examples=40, deadline=None)
@given(ways(), st.integers(0, 10**6), st.booleans())
def test_values_are_those_of_the_definition(how, seed, missing):
    X, y = mixed(seed, 25, missing)
    model = fasttree.fit(X, y, **without_idle(how))
    rows, _ = mixed(seed + 1, 3, True)
    values = additive(model, rows)
    cells = rows.astype(object).where(rows.notna(), None).to_numpy().tolist()
    for row, found in zip(cells, values, strict=True):
        exact, base = shapley(model, row)
        assert np.abs(found - exact).max() < 1e-12
        assert np.abs(model.expected_value - base).max() < 1e-12


@settings(max_examples=25, deadline=None)
@given(
    st.fixed_dictionaries(
        {
            "criterion": st.sampled_from(["squared_error", "standard_deviation"]),
            "nominal_splits": st.sampled_from(["multiway", "subset", "one_vs_rest"]),
            "missing": st.sampled_from(["fractional", "branch", "mode"]),
            "max_depth": st.sampled_from([None, 3]),
        }
    ),
    st.integers(0, 10**6),
    st.booleans(),
)
def test_values_of_numbers_are_those_of_the_definition(how, seed, missing):
    X, y = mixed(seed, 25, missing)
    amounts = y + np.random.default_rng(seed).normal(size=len(y))
    model = FastTreeRegressor(**how).fit(X, amounts)
    assert type(model.expected_value) is float
    rows, _ = mixed(seed + 1, 3, True)
    values = additive(model, rows)
    cells = rows.astype(object).where(rows.notna(), None).to_numpy().tolist()
    for row, found in zip(cells, values, strict=True):
        exact, base = shapley(model, row)
        assert np.abs(found - exact[:, 0]).max() < 1e-12
        assert abs(model.expected_value - base[0]) < 1e-12


@pytest.mark.parametrize("missing", ["fractional", "branch"])
def test_a_forest_of_numbers_is_the_mean_of_its_trees(missing):
    X, y = mixed(3, 120, True)
    forest = FastForestRegressor(7, random_state=0, missing=missing).fit(X, y + 0.5)
    values = additive(forest, X)
    trees = np.mean([tree.shap_values(X) for tree in forest.estimators_], axis=0)
    assert np.abs(values - trees).max() < 1e-13
    bases = np.mean([tree.expected_value for tree in forest.estimators_])
    assert abs(forest.expected_value - bases) < 1e-13


@pytest.mark.parametrize("how", [{}, {"nominal_splits": "subset"}, {"missing": "branch"}], ids=str)
def test_a_forest_is_the_mean_of_its_trees(how):
    X, y = mixed(3, 120, True)
    forest = FastForestClassifier(n_estimators=7, random_state=0, **how).fit(X, y)
    values = additive(forest, X)
    trees = np.mean([tree.shap_values(X) for tree in forest.estimators_], axis=0)
    assert np.abs(values - trees).max() < 1e-13
    bases = np.mean([tree.expected_value for tree in forest.estimators_], axis=0)
    assert np.abs(forest.expected_value - bases).max() < 1e-14


def test_many_features_on_a_path_take_several_passes():
    """Chains of 1 to 40 features: 1 to 20 points of the quadrature, in lanes of 2, 4 and 8."""
    for p in (1, 2, 3, 4, 5, 8, 9, 16, 17, 24, 25, 33, 40):
        X = np.triu(np.ones((p + 1, p)))
        model = fasttree.fit(X, np.arange(p + 1) % 3 if p > 1 else [0, 1], criterion="gini")
        values = additive(model, X, 1e-12)
        # What a chain's last tests add to its first rows is computed by another order of sums.
        again = fasttree.from_bytes(model.to_bytes()).shap_values(X)
        assert np.array_equal(values, again)


def test_a_long_chain_of_one_feature_is_one_player():
    X = np.arange(3000.0)[:, None]
    model = fasttree.fit(X, np.arange(3000) % 2)
    values = model.shap_values(X[:50])
    assert np.abs(values[:, 0] + model.expected_value - model.predict_proba(X[:50])).max() < 1e-9


def test_threads_change_nothing_and_progress_is_told():
    X, y = make_classification(400, 12, n_informative=6, random_state=1)
    forest = FastForestClassifier(n_estimators=30, random_state=0).fit(X, y)
    told = []
    one = forest.shap_values(X, n_jobs=1, progress=lambda *at: told.append(at))
    assert told and told[-1] == (400, 400)
    assert np.array_equal(one, forest.shap_values(X, n_jobs=3))
    assert np.array_equal(one[7:9], forest.shap_values(X[7:9]))
    assert np.array_equal(one, forest.shap_values(np.asfortranarray(X)))


def test_rows_are_read_as_in_predict():
    X, y = load_iris(return_X_y=True)
    model = fasttree.fit(X, y)
    with pytest.raises(ValueError, match="3 features"):
        model.shap_values(X[:, :3])
    with pytest.raises(ValueError, match="infin"):
        model.shap_values(np.where(X > 7, np.inf, X))
    with pytest.raises(ValueError, match="n_jobs"):
        model.shap_values(X, n_jobs=0)
    gone = np.full((1, 4), np.nan)
    assert np.abs(model.shap_values(gone)).max() < 1e-15  # every test is answered by shares
    assert fasttree.fit(X, np.zeros(150)).shap_values(X).shape == (150, 4, 1)
    leaf = FastTreeClassifier(max_depth=1, min_samples_leaf=80).fit(X, y)
    assert not leaf.shap_values(X).any()


def test_a_forest_that_abstains_is_refused():
    X, y = mixed(5, 40, False)
    how = {"criterion": "gini", "empty_branch": "unclassified", "missing": "branch"}
    forest = FastForestClassifier(n_estimators=20, random_state=0, **how).fit(X, y)
    with pytest.raises(ValueError, match="empty_branch"):
        forest.shap_values(X)
    for tree in forest.estimators_[:3]:
        additive(tree, X)


def test_values_are_those_of_the_shap_package():
    shap = pytest.importorskip("shap", reason="compares with the shap package")
    X, y = make_classification(300, 10, n_informative=6, n_classes=3, random_state=0)
    X = X.astype(np.float32).astype(float)
    tree = fasttree.fit(X, y, criterion="gini")
    forest = FastForestClassifier(n_estimators=15, criterion="gini", random_state=0).fit(X, y)
    for model in (tree, forest):
        explainer = shap.TreeExplainer(
            model.to_sklearn(), feature_perturbation="tree_path_dependent"
        )
        theirs = explainer.shap_values(X[:80])
        assert np.abs(model.shap_values(X[:80]) - theirs).max() < 1e-9
        assert np.abs(model.expected_value - explainer.expected_value).max() < 1e-9


def test_values_of_numbers_are_those_of_the_shap_package():
    shap = pytest.importorskip("shap", reason="compares with the shap package")
    X, y = make_classification(200, 6, n_informative=5, n_redundant=0, random_state=0)
    X = X.astype(np.float32).astype(float)
    numbers = X[:, 0] * X[:, 1] + y
    tree = FastTreeRegressor(max_depth=6).fit(X, numbers)
    forest = FastForestRegressor(9, random_state=0).fit(X, numbers)
    for model in (tree, forest):
        explainer = shap.TreeExplainer(
            model.to_sklearn(X), feature_perturbation="tree_path_dependent"
        )
        theirs = explainer.shap_values(X[:80])
        assert theirs.shape == (80, 6)
        assert np.abs(model.shap_values(X[:80]) - theirs).max() < 1e-6
        assert abs(model.expected_value - np.ravel(explainer.expected_value)[0]) < 1e-6
        told = model.shap_explanation(X[:5])
        assert told.values.shape == (5, 6) and told.base_values.shape == (5,)


def test_an_explanation_is_drawn_by_the_shap_package():
    pytest.importorskip("shap", reason="draws with the shap package")
    script = """
import matplotlib; matplotlib.use("Agg")
import fasttree, shap
from sklearn.datasets import load_iris
X, y = load_iris(return_X_y=True)
told = fasttree.fit(X, y).shap_explanation(X)
shap.plots.beeswarm(told[..., 1], show=False)
shap.plots.waterfall(told[0, :, 1], show=False)
print(told.shape, told.base_values.shape, told.feature_names[0])
"""
    done = run_script(script)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["(150,", "4,", "3)", "(150,", "3)", "x0"]


def test_without_the_shap_package_the_error_says_what_to_do(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "shap", None)
    model = fasttree.fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ImportError, match="pip install shap"):
        model.shap_explanation([[0.0]])

"""Monotonic and interaction constraints: properties of predictions and paths, and refusals."""

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import fasttree
from fasttree import (
    FastForestClassifier,
    FastForestRegressor,
    FastTreeClassifier,
    FastTreeRegressor,
)
from fasttree._checks.data_warnings import DataWarning

SIGNS = [1, -1, 0, 0]


def data(seed, n=250, gaps=False, weights=None):
    """Numbers, two of them with an effect that bends, and a target of either kind."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 4)).round(random.integers(1, 4))
    y = np.sin(2 * X[:, 0]) - np.cos(X[:, 1] * 2) + X[:, 2] * X[:, 3] + random.normal(size=n)
    if gaps:
        X = np.where(random.random(X.shape) < 0.15, np.nan, X)
    w = {None: None, "whole": random.integers(1, 4, n), "real": random.random(n) + 0.1}[weights]
    return X, y, w


def values(model, X):
    return model.predict_proba(X)[:, 1] if hasattr(model, "predict_proba") else model.predict(X)


def check_monotonic(model, X, signs=SIGNS):
    """Move each constrained column over its values in each row, all else unchanged."""
    rows = X[~np.isnan(X).any(axis=1)][:25]
    for feature, sign in enumerate(signs):
        if sign:
            grid = np.unique(X[~np.isnan(X[:, feature]), feature])
            cells = np.repeat(rows, len(grid), axis=0)
            cells[:, feature] = np.tile(grid, len(rows))
            steps = np.diff(values(model, cells).reshape(len(rows), len(grid)), axis=1)
            assert np.all(sign * steps >= 0), (feature, (sign * steps).min())


FORMS = [
    {},
    {"missing": "branch"},
    {"missing": "mode", "min_samples_leaf": 5},
    {"threshold_search": "histogram", "max_bins": 20, "missing": "branch"},
    {"max_leaf_nodes": 15},
    {"max_features": 2, "random_state": 1},
    {"ties": "row", "thresholds": "training_value"},
    {"splitter": "random", "random_state": 1},
    {"pruning": "error_based"},
    {"ccp_alpha": 0.002},
    {"pruning": "reduced_error"},
]


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("criterion", ["gini", "info_gain", "hellinger", "mdl"])
def test_probabilities_are_monotonic(form, criterion):
    for seed, weights in enumerate([None, "whole", "real"]):
        X, y, w = data(seed, gaps=seed == 1, weights=weights)
        model = FastTreeClassifier(criterion=criterion, monotonic_cst=SIGNS, **form)
        model.fit(X, y > 0, w)
        check_monotonic(model, X)


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("criterion", ["squared_error", "poisson", "standard_deviation"])
def test_numbers_are_monotonic(form, criterion):
    if form.get("pruning") == "error_based":
        pytest.skip("error-based pruning is for classes")
    for seed, weights in enumerate([None, "whole", "real"]):
        X, y, w = data(seed, gaps=seed == 1, weights=weights)
        model = FastTreeRegressor(criterion=criterion, monotonic_cst=SIGNS, **form)
        model.fit(X, np.exp(y), w)
        check_monotonic(model, X)
        assert not form.get("max_leaf_nodes") or model.get_n_leaves() <= form["max_leaf_nodes"]


@pytest.mark.parametrize("kind", [FastForestClassifier, FastForestRegressor])
def test_forests_are_monotonic_and_the_same_on_any_number_of_threads(kind):
    X, y, _ = data(3, n=900)
    y = y > 0 if kind is FastForestClassifier else y
    one = kind(8, monotonic_cst=SIGNS, random_state=0, n_jobs=1).fit(X, y)
    check_monotonic(one, X)
    two = kind(8, monotonic_cst=SIGNS, random_state=0, n_jobs=2).fit(X, y)
    assert np.array_equal(values(one, X), values(two, X))


def test_threads_share_a_tree():
    random = np.random.default_rng(0)
    X = random.normal(size=(6000, 4))
    y = np.sin(2 * X[:, 0]) - X[:, 1] ** 2 + random.normal(size=6000)
    models = [FastTreeRegressor(monotonic_cst=SIGNS, n_jobs=n).fit(X, y) for n in (1, 2, 8)]
    check_monotonic(models[0], X)
    assert models[0].to_bytes() == models[1].to_bytes() == models[2].to_bytes()


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_trees_are_scikit_learns(depth):
    """Where each column has a sign: scikit-learn clips the values below splits on the others."""
    signs = [1, -1, 1, -1]
    for seed in range(5):
        X, y, _ = data(seed, n=400)
        ours = FastTreeClassifier(criterion="gini", monotonic_cst=signs, max_depth=depth)
        theirs = DecisionTreeClassifier(monotonic_cst=signs, max_depth=depth, random_state=0)
        p, q = (values(m.fit(X, y > 0), X) for m in (ours, theirs))
        assert np.mean(np.isclose(p, q)) > 0.95
        ours = FastTreeRegressor(monotonic_cst=signs, max_depth=depth)
        theirs = DecisionTreeRegressor(monotonic_cst=signs, max_depth=depth, random_state=0)
        p, q = (m.fit(X, y).predict(X) for m in (ours, theirs))
        assert np.mean(np.isclose(p, q)) > 0.95


@pytest.mark.parametrize("splits", ["auto", "multiway", "subset", "one_vs_rest"])
@pytest.mark.parametrize("bins", ["equal_width", "equal_frequency", "mdlp"])
@pytest.mark.parametrize(
    "kind", [FastTreeClassifier, FastTreeRegressor, FastForestClassifier, FastForestRegressor]
)
def test_bins_are_monotonic_or_refused(kind, bins, splits):
    few = {"n_estimators": 3, "random_state": 0} if "Forest" in kind.__name__ else {}
    is_number = "Regressor" in kind.__name__
    if is_number and bins == "mdlp":
        return
    for seed in range(6):
        X, y, _ = data(seed, n=80)
        words = {"monotonic_cst": SIGNS, "discretize": bins, "nominal_splits": splits, **few}
        model, y = kind(**words), y if is_number else y > 0
        if splits in ("auto", "multiway"):
            with pytest.raises(ValueError, match="monotonic_cst with discretize.*nominal_splits"):
                model.fit(X, y)
        else:
            check_monotonic(model.fit(X, y), X)
    # Without a sign there is nothing to keep.
    kind(**{**words, "monotonic_cst": [0, 0, 0, 0]}).fit(X, y)


def test_a_constraint_that_holds_anyway_changes_nothing():
    X = np.arange(40.0)[:, None]
    y = np.repeat([0, 1], 20)
    free = FastTreeClassifier().fit(X, y)
    assert FastTreeClassifier(monotonic_cst=[1]).fit(X, y).to_text() == free.to_text()
    assert FastTreeClassifier(monotonic_cst=[-1]).fit(X, y).get_n_leaves() == 1


def paths(model):
    """The features that each path to a leaf tests."""
    tree = model.tree_
    for leaf in np.flatnonzero(tree.n_children == 0):
        found, node = set(), leaf
        while node > 0:
            node = tree.parent[node]
            found.add(int(tree.feature[node]))
        yield found


@pytest.mark.parametrize("form", FORMS[:8], ids=str)
def test_a_path_tests_features_of_one_group(form):
    X, y, _ = data(5, n=400, gaps=True)
    y = y > 0
    groups = [{0, 1}, {1, 2}, {3}]
    model = FastTreeClassifier(interaction_cst=[[0, 1], [1, 2]], **form).fit(X, y)
    found = list(paths(model))
    assert all(any(path <= group for group in groups) for path in found)
    assert model.get_n_leaves() > 5
    alone = FastTreeClassifier(interaction_cst="no_interactions", **form).fit(X, y)
    assert all(len(path) <= 1 for path in paths(alone))
    pairs = FastTreeClassifier(interaction_cst="pairwise", **form).fit(X, y)
    assert all(len(path) <= 2 for path in paths(pairs))


def test_nominal_columns_keep_the_bounds_and_the_groups():
    random = np.random.default_rng(2)
    X = pd.DataFrame({"dose": random.normal(size=500), "site": random.choice(list("abcdef"), 500)})
    y = np.sin(3 * X["dose"]) + X["site"].map(dict(zip("abcdef", range(6), strict=True)))
    y = y.to_numpy() + random.normal(size=500)
    for splits in ("multiway", "subset", "one_vs_rest"):
        model = FastTreeRegressor(monotonic_cst={"dose": 1}, nominal_splits=splits).fit(X, y)
        grid = np.sort(X["dose"].to_numpy())
        for site in "abcdef":
            predicted = model.predict(pd.DataFrame({"dose": grid, "site": site}))
            assert np.all(np.diff(predicted) >= 0)
    model = FastTreeRegressor(interaction_cst=[["dose"], ["site"]]).fit(X, y)
    assert all(len(path) <= 1 for path in paths(model))
    assert model.tree_.feature[0] == 1


def test_dates_are_constrained_as_their_parts():
    random = np.random.default_rng(3)
    days = pd.date_range("2020-01-01", periods=400)
    X = pd.DataFrame({"when": days, "x": random.normal(size=400)})
    y = X["when"].dt.month + X["x"] ** 2 + random.normal(size=400)
    with pytest.warns(DataWarning, match="year, month and weekday stand for"):
        model = FastTreeRegressor(monotonic_cst=[0, 1], interaction_cst="no_interactions")
        model.fit(X, y.to_numpy())
    found = list(paths(model))
    assert all(path <= {1} or path <= {2, 3, 4} for path in found)
    assert any(len(path) > 1 for path in found)


def test_explain_counts_what_a_constraint_forbids():
    X, y, _ = data(0, n=400)
    free = FastTreeClassifier(max_depth=1).fit(X, y > 0)
    left, right = free.tree_.value[1:] / free.tree_.value[1:].sum(axis=1, keepdims=True)
    signs = [0, 0, 0, 0]
    signs[free.tree_.feature[0]] = 1 if right[1] < left[1] else -1
    bound = FastTreeClassifier(max_depth=1, monotonic_cst=signs).fit(X, y > 0)
    listed = bound.explain(0, X, y > 0)
    above = sum(row["score"] > bound.tree_.score[0] for row in listed)
    assert f"monotonic_cst forbids {above} candidates of higher score" in str(listed)
    assert "forbids" not in str(free.explain(0, X, y > 0))


def test_a_stored_model_keeps_its_constraints():
    X, y, _ = data(0)
    model = FastTreeClassifier(monotonic_cst=SIGNS, interaction_cst="pairwise").fit(X, y > 0)
    loaded = fasttree.from_bytes(model.to_bytes())
    assert loaded.get_params()["monotonic_cst"] == SIGNS
    assert loaded.get_params()["interaction_cst"] == "pairwise"
    pruned = loaded.prune("error_based", X, y > 0)
    check_monotonic(pruned, X)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"monotonic_cst": [1, 0]}, "monotonic_cst has 2 values, there are 4 columns"),
        ({"monotonic_cst": [2, 0, 0, 0]}, "monotonic_cst: 2 for column 'x0' must be 1"),
        ({"monotonic_cst": {"x9": 1}}, "monotonic_cst:.*x9"),
        ({"monotonic_cst": "up"}, "monotonic_cst='up' must hold"),
        ({"monotonic_cst": SIGNS, "evaluation": "global"}, "monotonic_cst"),
        ({"monotonic_cst": SIGNS, "criterion": "relief"}, "monotonic_cst with criterion='relief'"),
        ({"monotonic_cst": SIGNS, "leaf_smoothing": "laplace"}, "with leaf_smoothing"),
        ({"monotonic_cst": SIGNS, "discretize": "mdlp"}, "monotonic_cst with discretize"),
        ({"monotonic_cst": SIGNS, "criterion": np.sum}, "monotonic_cst with criterion="),
        ({"interaction_cst": "all"}, "interaction_cst='all' is not known"),
        ({"interaction_cst": [[0, 7]]}, "interaction_cst: 7 is no column"),
        ({"interaction_cst": [0, 1]}, "interaction_cst=\\[0, 1\\] must be a list of groups"),
        ({"interaction_cst": "pairwise", "evaluation": "glocal"}, "interaction_cst"),
    ],
)
def test_what_cannot_be_kept_is_refused(how, says):
    X, y, _ = data(1)
    with pytest.raises(ValueError, match=says):
        FastTreeClassifier(**how).fit(X, y > 0)


def test_three_classes_and_nominal_columns_are_refused_by_name():
    X, y, _ = data(1)
    with pytest.raises(ValueError, match="monotonic_cst with 3 classes"):
        FastTreeClassifier(monotonic_cst=SIGNS).fit(X, np.digitize(y, [-1, 1]))
    frame = pd.DataFrame({"site": list("ab") * 20, "x": np.arange(40.0)})
    with pytest.raises(ValueError, match="'site'.*is for numeric columns"):
        FastTreeClassifier(monotonic_cst={"site": 1}).fit(frame, [0, 1] * 20)

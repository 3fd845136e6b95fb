"""A model and its reloaded copy agree in every public attribute and in everything they print."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fasttree
from fasttree import presets
from fasttree.exports import FORMATS

METHODS = ("get_depth", "get_n_leaves")


def values(part):
    """What a part of a model is, comparable: arrays as lists, objects by what they print."""
    if isinstance(part, np.ndarray):
        return [part.dtype.kind, part.shape, [repr(v) for v in part.ravel().tolist()]]
    if isinstance(part, (list, tuple)):
        return [values(one) for one in part]
    return repr(part)


def public(model):
    """Every public attribute that is no method, and what every method without arguments says."""
    found = {}
    for name in dir(model):
        if name.startswith("_") or name in ("estimators_", "route_"):  # a route is not saved
            continue
        try:
            part = getattr(model, name)
        except (AttributeError, ValueError):
            continue
        if name == "tree_":
            for array in dir(part):
                if not array.startswith("_"):
                    one = getattr(part, array)
                    found[f"tree_.{array}"] = None if callable(one) else values(one)
        elif not callable(part):
            found[name] = values(part)
    for name in METHODS:
        if hasattr(model, name):
            found[name] = values(getattr(model, name)())
    forest = hasattr(model, "estimators_")
    for name, one in FORMATS.items():
        if not forest or (one.forests and name != "text"):  # a forest prints its sizes
            found[f"format {name}"] = shown(one, model)
    return found


def shown(one, model):
    """What a format writes, or how it refuses the model."""
    try:
        return one.show(model)
    except ValueError as error:
        return f"refused: {error}"


def same(model, X):
    copy = fasttree.from_bytes(model.to_bytes())
    # an account of pruning and a path of prices are told by the fit, not kept in the file
    told = ("prune_report_", "ccp_path_", "progress", "n_jobs")
    mine, theirs = public(model), public(copy)
    for name, part in mine.items():
        if name not in told and not name.startswith("oob_"):
            assert theirs[name] == part, name
    assert np.array_equal(model.predict_proba(X), copy.predict_proba(X))
    assert np.array_equal(model.apply(X), copy.apply(X))
    for one, other in zip(
        getattr(model, "estimators_", []), getattr(copy, "estimators_", []), strict=True
    ):
        assert {k: v for k, v in public(one).items() if k.startswith("tree_.")} == {
            k: v for k, v in public(other).items() if k.startswith("tree_.")
        }


@st.composite
def settings_of_trees(draw):
    pick = lambda *values: draw(st.sampled_from(values))  # noqa: E731
    if pick(0, 0, 1):
        leaf = pick(1, 2)
        return {**presets.C45, "min_samples_leaf": leaf, "trace": pick("steps", "candidates")}
    return {
        "criterion": pick("info_gain", "gini", "gain_ratio", "jaccard", "hellinger"),
        "pruning": pick(None, "error_based", "pessimistic", "reduced_error", "mdl", "m_estimate"),
        "merge_redundant": pick(None, "class", "distribution"),
        "nominal_splits": pick("multiway", "subset", "one_vs_rest"),
        "missing": pick("auto", "branch", "mode"),
        "leaf_smoothing": pick(None, "laplace", "m_estimate"),
        "empty_branch": pick("parent", "unclassified"),
        "max_leaf_nodes": pick(None, 4),
        "max_depth": pick(None, 3),
        "discretize": pick(None, "equal_width"),
        "trace": pick("steps", "candidates", None),
        "random_state": 0,
    }


@settings(max_examples=60, deadline=None)
@given(st.data(), settings_of_trees(), st.integers(0, 10**6))
def test_a_tree_is_its_reloaded_copy(data, how, seed):
    rng = np.random.default_rng(seed)
    n = data.draw(st.integers(4, 40))
    X = rng.integers(0, data.draw(st.integers(2, 6)), (n, 3)).astype(float)
    X[:, 2] += 0.5 * rng.random(n).round(1)
    if data.draw(st.booleans()):
        X[rng.random(X.shape) < 0.1] = np.nan
    nominal = data.draw(st.sampled_from([None, [0], [0, 1]]))
    y = ((X[:, 0] > 2) ^ (rng.random(n) < 0.25)).astype(int)
    same(fasttree.fit(X, y, categorical_features=nominal, **how), X)


@pytest.mark.parametrize("leaf", [1, 2])
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_raised_trees_are_their_reloaded_copies(leaf, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 30))
    X, y = rng.integers(0, 4, (n, 2)), rng.integers(0, 2, n)
    model = fasttree.fit(X, y, **{**presets.C45, "min_samples_leaf": leaf})
    same(model, X)
    parents = model.tree_.parent.tolist()
    depths = [0] * len(parents)
    for node, parent in enumerate(parents[1:], 1):
        depths[node] = depths[parent] + 1
    assert model.tree_.depth.tolist() == depths and model.get_depth() == max(depths)


def test_raising_at_the_root_leaves_its_depth():
    X, y = [[2, 3], [1, 3], [0, 3], [3, 0], [2, 3], [2, 3]], [0, 0, 1, 0, 1, 0]
    model = fasttree.fit(X, y, **{**presets.C45, "min_samples_leaf": 1})
    assert model.get_depth() == fasttree.from_bytes(model.to_bytes()).get_depth() == 1


def test_a_forest_is_its_reloaded_copy():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)).round(1), rng.integers(0, 3, 60)
    same(fasttree.FastForestClassifier(n_estimators=5, random_state=0).fit(X, y), X)

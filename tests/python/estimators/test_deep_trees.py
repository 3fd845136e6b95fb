"""A tree of more than 200 levels says why it is so deep, once, and what helps."""

from __future__ import annotations

import ast
import re
import warnings

import numpy as np
import pandas as pd
import pyarrow
import pytest

import fasttree


def one_off(tables, context=None):
    """A criterion that likes splits of one row."""
    return -np.asarray(tables).sum(axis=-1).min(axis=-1).astype(float)


def caught(X, y, **params):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        model = fasttree.fit(X, y, **params)
    return model, [str(w.message) for w in found if "the tree" in str(w.message)]


def test_a_criterion_that_splits_off_rows_is_named_once():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 150, (600, 3)).astype(float), np.arange(600) % 2
    model, said = caught(X, y, criterion=one_off)
    assert model.get_depth() > 200
    assert len(said) == 1 and "criterion=" in said[0] and "max_depth" in said[0]
    assert f"{model.get_depth()} levels" in said[0]
    limited, said = caught(X, y, criterion=one_off, max_depth=200)
    assert limited.get_depth() == 200 and not said


def test_an_identifier_is_named():
    X = np.column_stack([np.zeros(500), np.arange(500.0)])
    y = np.arange(500) % 2
    model, said = caught(X, y, criterion=one_off)
    assert model.get_depth() > 200 and len(said) == 1
    assert "identifier" in said[0] and "'x1'" in said[0]


@pytest.mark.parametrize("criterion", ["info_gain", "gini"])
def test_ordinary_trees_say_nothing(criterion):
    rng = np.random.default_rng(1)
    assert caught(rng.normal(size=(800, 3)), rng.integers(0, 2, 800), criterion=criterion)[1] == []


def test_a_deep_tree_of_batches_says_so():
    """Each split takes one row from the end of alternating classes."""
    rows = {"x": np.arange(600.0), "y": np.arange(600) % 2}
    batches = pyarrow.table(rows).to_batches(max_chunksize=200)
    model, said = caught(batches, "y", threshold_search="histogram", max_bins=1000)
    assert model.get_depth() == 599
    assert len(said) == 1 and "criterion='info_gain'" in said[0]


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("most", [2, 4])
def test_a_split_with_more_branches_than_leaves_are_allowed_is_named(task, most):
    level = np.arange(100) % 5
    X = {"town": np.array(list("abcde"))[level].tolist(), "x": (np.arange(100) % 7).tolist()}
    y = level / 2 if task == "regression" else np.where(level < 2, "p", "q")
    model, said = caught(X, y, max_leaf_nodes=most)
    assert model.get_n_leaves() == 1 and len(said) == 1
    assert f"max_leaf_nodes={most}, and the best split has 5 branches" in said[0]
    assert "nominal_splits='subset'" in said[0]
    for other in ({"max_leaf_nodes": 5}, {"max_leaf_nodes": most, "nominal_splits": "subset"}):
        model, said = caught(X, y, **other)
        assert model.get_n_leaves() > 1 and not said


@pytest.mark.parametrize(
    "criterion", ["relieff", "multisurf", "pi", "contextual_merit", "relief", "chi2"]
)
@pytest.mark.parametrize("hole", [False, True])
def test_a_split_into_more_bins_than_leaves_are_allowed_is_named_with_what_helps(criterion, hole):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(80, 2)), np.arange(80) % 2
    x[:, 0] += 3 * y
    x[:8, 0] = np.nan if hole else x[:8, 0]
    own = {"criterion": criterion, "max_leaf_nodes": 4, "leaf_order": "distance"}
    if criterion == "chi2":
        own["discretize"] = "equal_frequency"
    model, said = caught(x, y, **own)
    assert model.get_n_leaves() == 1 and len(said) == 1
    helps = re.search(r"set (\w+)=(\S+), or allow (\d+) leaves", said[0])
    name, value, n_leaves = helps.groups()
    assert name == ("nominal_splits" if criterion == "chi2" else "n_bins")
    for other in ({name: ast.literal_eval(value)}, {"max_leaf_nodes": int(n_leaves)}):
        model, said = caught(x, y, **{**own, **other})
        assert model.get_n_leaves() > 1 and not said


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_tree_that_splits_of_many_levels_stop_early_says_so(task):
    rng = np.random.default_rng(0)
    town, size = rng.integers(0, 15, 900), rng.normal(size=900)
    y = 3 * (size > 0) + (town % 3 == 0)
    X = pd.DataFrame({"town": [f"town {code}" for code in town], "size": size})
    y = y * 1.0 if task == "regression" else [f"class {value}" for value in y]
    own = {"task": task, "nominal_splits": "multiway"}
    with pytest.warns(UserWarning, match="has 2 leaves") as said:
        fasttree.fit(X, y, max_leaf_nodes=12, **own)
    assert len(said) == 1 and "a split has 15 branches" in str(said[0].message)
    assert "set nominal_splits='subset', or allow 16 leaves" in str(said[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fasttree.fit(X, y, max_leaf_nodes=16, **own).get_n_leaves() == 16
        assert fasttree.fit(X, y, max_leaf_nodes=3, **own).get_n_leaves() == 2
        own["nominal_splits"] = "subset"
        assert fasttree.fit(X, y, max_leaf_nodes=12, **own).get_n_leaves() > 2


@pytest.mark.parametrize("journal", [None, "runs.jsonl"])
def test_a_comparison_names_the_set_and_the_method_whose_trees_are_one_leaf(tmp_path, journal):
    trees = {
        name: fasttree.FastTreeClassifier(criterion=name, max_leaf_nodes=2)
        for name in ("relieff", "info_gain")
    }
    with pytest.warns(UserWarning, match="one leaf") as said:
        fasttree.model_selection.compare(
            ["weather", "iris"],
            estimators=trees,
            cv="1x3",
            random_state=0,
            journal=journal and tmp_path / journal,
        )
    heads = [str(one.message).partition(": the tree")[0] for one in said]
    assert heads == ["weather: info_gain", "iris: relieff"]

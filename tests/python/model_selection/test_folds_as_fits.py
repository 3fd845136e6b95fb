"""Recorded reference: `cross_validate` on frames equals fits by hand on the parts."""

import contextlib

import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest

import fasttree
from fasttree import FastTreeClassifier, FastTreeRegressor
from fasttree.model_selection import cross_validate
from tests.python import tools


def frame_of(rng, n):
    """Texts with rare levels, declared levels, truths, numbers and missing cells."""
    levels = [f"l{i}" for i in range(int(rng.integers(3, 14)))]
    columns = {
        "rare": rng.choice(levels, n, p=rng.dirichlet(np.ones(len(levels)))),
        "few": rng.choice(["a", "b", None], n, p=[0.6, 0.3, 0.1]),
        "declared": pd.Categorical(rng.choice(["u", "v"], n), ["v", "u", "w", "never"]),
        "truth": rng.random(n) < 0.1,
        "x": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n).round(1)),
    }
    kept = rng.permutation(list(columns))[: int(rng.integers(2, 6))]
    return pd.DataFrame({name: columns[name] for name in kept})


def taken(frame, rows, library):
    if library == "polars":
        return frame[rows.tolist()]
    return frame.take(rows) if library == "pyarrow" else frame.iloc[rows]


CRITERIA = ["gini", "info_gain", "gain_ratio", "mdl", "hellinger", "chi2", "relieff"]


def own(tables):
    """An own function, which takes the slow way."""
    return tables.max(axis=2).sum(axis=1) / tables.sum(axis=(1, 2))


@pytest.mark.parametrize("seed", tools.thinned(range(300), 20))
@pytest.mark.filterwarnings("ignore")
def test_cross_validation_equals_fits_by_hand(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(24, 70))
    frame = frame_of(rng, n)
    library = ["pandas", "polars", "pyarrow"][seed % 3]
    X = frame
    if library == "polars":
        X = polars.from_pandas(frame)
    elif library == "pyarrow":
        X = pyarrow.Table.from_pandas(frame, preserve_index=False)
    is_number = rng.random() < 0.25
    kind = FastTreeRegressor if is_number else FastTreeClassifier
    y = rng.normal(size=n) if is_number else rng.permutation(np.arange(n) % 2)
    criterion = "squared_error" if is_number else [*CRITERIA, own][int(rng.integers(8))]
    options = {
        "nominal_splits": str(rng.choice(["auto", "multiway", "subset"])),
        "missing": str(rng.choice(["branch", "auto", "mode"])),
        "min_samples_leaf": int(rng.integers(1, 4)),
    }
    if criterion == "relieff":
        options["nominal_splits"] = "multiway"
    tests = np.array_split(rng.permutation(n), 4)
    folds = [(np.setdiff1d(np.arange(n), test), np.sort(test)) for test in tests]
    found = cross_validate(X, y, [criterion], cv=folds, **options)
    (scores,) = found.values()
    at = 0
    for number, (train, test) in enumerate(folds):
        tree = kind(criterion=criterion, random_state=0, **options)
        tree.fit(taken(X, train, library), y[train])
        predicted = tree.predict(taken(X, test, library))
        assert scores["leaves"][number] == tree.get_n_leaves()
        own_part = scores.predictions[at : at + len(test)]
        at += len(test)
        if is_number:
            assert np.allclose(own_part, predicted, rtol=1e-9, atol=1e-12)
        else:
            assert np.array_equal(np.array(found.classes)[own_part], predicted)


def test_declared_levels_of_a_table_stay_declared():
    X = pd.DataFrame({"c": ["a", "b", "c"] * 4 + ["d"], "x": np.arange(13.0)})
    y = np.array([0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1])
    folds = [(np.arange(12), np.array([12]))]
    table = fasttree.Table(X, y)
    (declared,) = cross_validate(table, ["gini"], cv=folds, nominal_splits="multiway").values()
    tree = FastTreeClassifier(criterion="gini", nominal_splits="multiway", random_state=0)
    tree.fit(table.take(np.arange(12)))
    assert declared["leaves"][0] == tree.get_n_leaves()
    assert declared.predictions[0] == tree.predict(table.take([12]))[0]


@pytest.mark.parametrize("gap", ["unseen level", "missing level", "missing number"])
def test_cells_are_filled_only_where_a_training_row_lacks_one(gap):
    """Under ``missing="mode"`` a test row without a value decides nothing of the fold's model."""
    # The most frequent level, and the mean, are in the lighter branch.
    c = np.array(["a"] * 5 + ["b"] * 4 + ["c"] * 4 + ["a"], dtype=object)
    x = np.array([1.0] * 4 + [100.0] + [0.0] * 8 + [0.0])
    if gap == "missing number":
        x[-1] = np.nan
    else:
        c[-1] = "z" if gap == "unseen level" else None
    X = pd.DataFrame({"c": c}) if "level" in gap else pd.DataFrame({"x": x})
    y = np.array([0] * 5 + [1] * 9)
    folds = [(np.arange(13), np.array([13]))]
    found = cross_validate(X, y, ["gini"], cv=folds, missing="mode", nominal_splits="subset")
    (scores,) = found.values()
    options = {"missing": "mode", "nominal_splits": "subset", "random_state": 0}
    tree = FastTreeClassifier(criterion="gini", **options)
    tree.fit(X.iloc[:13], y[:13])
    with pytest.warns() if gap == "unseen level" else contextlib.nullcontext():
        assert scores.predictions[0] == tree.predict(X.iloc[13:])[0]

"""Means with a standard error over groups: against a jackknife, and in `evaluate`."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import fasttree
from fasttree.metrics import MeanOverGroups


def test_the_error_of_groups_of_one_row_is_that_of_a_mean():
    values = np.random.default_rng(0).normal(size=50)
    found = MeanOverGroups.of(values, list(range(50)))
    assert found.standard_error == pytest.approx(values.std(ddof=1) / np.sqrt(50))
    assert found.mean == pytest.approx(values.mean()) and len(found.groups) == 50


def test_groups_of_several_sizes_agree_with_the_jackknife():
    rng = np.random.default_rng(1)
    groups = rng.integers(0, 60, 900)
    values = rng.normal(size=60)[groups] + rng.normal(size=900) / 5
    found = MeanOverGroups.of(values, groups.tolist())
    without = np.array([values[groups != g].mean() for g in range(60)])
    jackknife = np.sqrt(59 / 60 * np.sum((without - without.mean()) ** 2))
    assert found.standard_error == pytest.approx(jackknife, rel=0.05)
    assert found.standard_error > 2 * values.std() / np.sqrt(900)  # rows are not independent
    assert found.groups[7] == (int((groups == 7).sum()), pytest.approx(values[groups == 7].mean()))


def test_one_group_has_no_error_and_wrong_lengths_are_refused():
    assert np.isnan(MeanOverGroups.of([1.0, 0.0], ["a", "a"]).standard_error)
    with pytest.raises(ValueError, match="groups has 1 values for 2 rows"):
        MeanOverGroups.of([1.0, 0.0], ["a"])


@pytest.mark.parametrize("form", ["column", "array", "Table"])
@pytest.mark.parametrize("kind", [fasttree.FastTreeClassifier, fasttree.FastTreeRegressor])
def test_evaluate_takes_groups(kind, form):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"x": rng.normal(size=120), "site": np.repeat(["p", "q", "r"], 40)})
    y = (frame["x"] > 0.2).astype(int) if kind is fasttree.FastTreeClassifier else frame["x"] ** 2
    model = kind(max_depth=1).fit(frame[["x"]], y)
    X, groups = frame, "site"
    if form == "array":
        X, groups = frame[["x"]], frame["site"].to_numpy()
    elif form == "Table":
        task = "regression" if kind is fasttree.FastTreeRegressor else "classification"
        X = fasttree.Table(frame, y, task=task)
    found = model.evaluate(X, None if form == "Table" else y, groups=groups)
    wanted = model.evaluate(frame[["x"]], y)
    over = found.over_groups
    assert list(over.groups) == ["p", "q", "r"] and wanted.over_groups is None
    measure = "accuracy" if kind is fasttree.FastTreeClassifier else "mean_absolute_error"
    assert over.mean == pytest.approx(getattr(wanted, measure)) and "over 3 groups" in str(found)
    assert found.to_dict()["over_groups"]["groups"]["p"][0] == 40
    assert "over_groups" not in wanted.to_dict()


def test_a_column_of_groups_that_the_model_knows_stays():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"x": rng.normal(size=90), "site": np.repeat([1, 2, 3], 30)})
    y = np.where(frame["site"] > 1, "a", "b")
    model = fasttree.fit(frame, y, columns="as_given")
    assert model.evaluate(frame, y, groups="site").accuracy == 1.0
    with pytest.raises(ValueError, match="groups='sit' is not a column of X"):
        model.evaluate(frame, y, groups="sit")
    with pytest.raises(ValueError, match=r"row 4 \(counted from 0\) has no group"):
        model.evaluate(frame, y, groups=[*"abcd", None, *"e" * 85])
    with pytest.raises(ValueError, match="groups has 1 value, there are 90 rows"):
        model.evaluate(frame, y, groups=[1])

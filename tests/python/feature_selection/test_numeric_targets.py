"""Scores of features for a target that is a number: those of the root of a tree on one feature."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

import fasttree
from fasttree import FastTreeRegressor, Table, score_features
from fasttree.criteria import evidence_of, names

X, Y = load_diabetes(return_X_y=True)
GROUP = np.array(["low", "mid", "high", "top"])[np.digitize(Y, [80, 150, 220])]


def columns():
    """Numbers, a column with gaps, and a nominal one."""
    rng = np.random.default_rng(0)
    gaps = np.where(rng.random(len(Y)) < 0.2, np.nan, X[:, 8])
    noisy = np.where(rng.random(len(Y)) < 0.5, GROUP, rng.permutation(GROUP))
    return {"bmi": X[:, 2], "sex": X[:, 1], "gaps": gaps, "group": noisy.tolist()}


@pytest.mark.parametrize(
    "criterion", [n for n in names("regression") if evidence_of(n) != "neighbours"]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_score_is_that_of_a_stump_on_the_feature(criterion, weighted):
    frame = columns()
    table = Table(frame, Y, task="regression")
    weights = np.random.default_rng(1).integers(0, 3, len(Y)) if weighted else None
    for words in ({}, {"min_samples_leaf": 60}):
        found = score_features(table, criterion=criterion, sample_weight=weights, **words)
        assert found.shape == (4,)
        for name, score in zip(frame, found, strict=True):
            one = Table({name: frame[name]}, Y, task="regression")
            stump = FastTreeRegressor(
                criterion=criterion, max_depth=1, nominal_splits="multiway", **words
            ).fit(one, sample_weight=weights)
            assert score == pytest.approx(stump.tree_.score[0], rel=1e-12)


def test_the_score_of_squared_error_is_the_reduction_of_the_variance():
    cut = 0.0
    left = X[:, 2] <= cut
    parts = [Y[left], Y[~left]]
    within = sum(len(part) * part.var() for part in parts) / len(Y)
    (score,) = score_features(left[:, None].astype(float), Y, criterion="squared_error")
    assert score == pytest.approx(Y.var() - within, rel=1e-10)


def test_the_task_is_found_out_or_named(tmp_path):
    table = Table(X, Y, task="regression")
    expected = score_features(table, criterion="squared_error")
    assert np.array_equal(score_features(X, Y, criterion="squared_error"), expected)
    assert np.array_equal(score_features(X, Y, criterion="friedman_mse"), expected)
    whole = score_features(X, Y.astype(int), criterion="squared_error")
    assert np.array_equal(whole, expected)  # the criterion is one on numbers
    frame = {f"x{j}": X[:, j] for j in range(10)} | {"y": Y + 0.25}
    named = score_features(frame, "y", criterion="absolute_error", task="regression")
    assert np.array_equal(named, score_features(X, Y + 0.25, criterion="absolute_error"))
    path = tmp_path / "a.csv"
    lines = [",".join(map(repr, [*row, y])) for row, y in zip(X.tolist(), Y.tolist(), strict=True)]
    path.write_text(",".join([*(f"x{j}" for j in range(10)), "y"]) + "\n" + "\n".join(lines))
    assert np.array_equal(score_features(path, "y", criterion="squared_error"), expected)
    bins = score_features(X, Y, criterion="gini", target_bins="equal_width")
    assert bins.argmax() == expected.argmax()


def test_what_does_not_go_together_is_refused():
    with pytest.raises(ValueError, match="continuous.*FastTreeRegressor"):
        score_features(X, Y + 0.5, criterion="gini")
    with pytest.raises(TypeError, match="leaf_smoothing.*is not a parameter of FastTreeRegressor"):
        score_features(X, Y, criterion="squared_error", leaf_smoothing="laplace")
    with pytest.raises(ValueError, match="max_depth=3 cannot act on scores of features"):
        score_features(X, Y, criterion="squared_error", max_depth=3)
    with pytest.raises(ValueError, match="row 3 of the target 'y' has no number"):
        score_features(X[:5], [1.5, 2, 3, np.nan, 4], criterion="squared_error", task="regression")
    study = fasttree.datasets.make_genotypes(30, 4, random_state=0)
    with pytest.raises(ValueError, match="genotypes: variants are scored for classes"):
        score_features(study, criterion="squared_error")
    with pytest.raises(ValueError, match="task='number' is not known"):
        score_features(X, Y, criterion="gini", task="number")

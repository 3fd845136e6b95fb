"""A prediction is the class with the largest probability, the first of equals, however leaves are
smoothed; cost matrices, labels that global growth chose and unclassified branches aside."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fasttree

SMOOTHINGS = [None, "laplace", "m_estimate"]


def agrees(model, X):
    p, labels = model.predict_proba(X), model.predict(X)
    answered = p.sum(axis=1) > 0
    assert labels[answered].tolist() == model.classes_[p[answered].argmax(axis=1)].tolist()


@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=4, max_size=25),
    how=st.fixed_dictionaries(
        {
            "leaf_smoothing": st.sampled_from(SMOOTHINGS),
            "criterion": st.sampled_from(["info_gain", "gini", "gain_ratio"]),
            "pruning": st.sampled_from([None, "error_based", "mdl", "pessimistic"]),
            "merge_redundant": st.sampled_from([None, "class"]),
            "max_depth": st.sampled_from([None, 1, 2]),
            "missing": st.sampled_from(["auto", "branch", "mode"]),
            "class_weight": st.sampled_from([None, "balanced"]),
            "evaluation": st.sampled_from(["local", "global"]),
        }
    ),
    weights=st.sampled_from([None, "whole", "real"]),
    gaps=st.booleans(),
)
def test_of_trees(rows, how, weights, gaps):
    rng = np.random.default_rng(len(rows))
    X = np.array(rows, dtype=float)[:, :2]
    y = np.array(rows)[:, 2]
    if gaps:
        X[rng.random(X.shape) < 0.2] = np.nan
    w = {None: None, "whole": rng.integers(1, 4, len(y)), "real": rng.random(len(y)) + 0.1}[weights]
    if how["evaluation"] == "global" and how["criterion"] == "gain_ratio":
        how["criterion"] = "gini"
    model = fasttree.fit(X, y, sample_weight=w, trace="steps", **how)
    agrees(model, X)
    agrees(fasttree.from_bytes(model.to_bytes()), X)
    if how["pruning"] is None and how["merge_redundant"] is None and model.trace_:
        agrees(model.cut(len(model.trace_) // 2), X)


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_of_forests(smoothing):
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 4, (80, 3)).astype(float), rng.integers(0, 3, 80)
    model = fasttree.FastForestClassifier(
        n_estimators=7, leaf_smoothing=smoothing, max_depth=3, random_state=0
    ).fit(X, y)
    agrees(model, X)
    for tree in model.estimators_:
        agrees(tree, X)


def test_an_m_estimate_may_put_another_class_in_front():
    X, y = [[0.0]] * 4 + [[1.0]] * 2, [0, 0, 1, 1, 1, 1]
    model = fasttree.fit(X, y, leaf_smoothing="m_estimate")
    assert model.predict_proba([[0.0]]).tolist() == [[pytest.approx(4 / 9), pytest.approx(5 / 9)]]
    assert model.predict([[0.0]]).tolist() == [1]
    assert fasttree.fit(X, y).predict([[0.0]]).tolist() == [0]

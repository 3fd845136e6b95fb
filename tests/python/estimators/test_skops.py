"""Estimators in skops files: audited types, and a model that the checked loader reads."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline

import fasttree
from fasttree import (
    FastForestClassifier,
    FastForestRegressor,
    FastTreeClassifier,
    FastTreeRegressor,
    criteria,
    naive_bayes,
    pruning,
)
from fasttree.discretize import MDLP, EqualWidth, ReplaceMissing
from fasttree.feature_selection import CriterionSelector, TuRF

X, Y = load_iris(return_X_y=True)
NAMES = load_iris().target_names[Y]
FRAME = pd.DataFrame(X, columns=list("abcd"))

MODELS = [
    FastTreeClassifier(),
    FastTreeClassifier(criterion=criteria.FMeasure(beta=2.0), pruning=pruning.ErrorBased(0.1)),
    FastTreeClassifier(trace="candidates", max_depth=2, discretize=EqualWidth(4)),
    FastForestClassifier(n_estimators=3, oob_score=True, bootstrap=True, random_state=0),
    fasttree.OptimalTreeClassifier(max_depth=1),
    naive_bayes.NaiveBayes(),
    naive_bayes.AODE(),
]


def ids(model):
    return type(model).__name__


@pytest.mark.filterwarnings("ignore:.*rows were in the sample")
@pytest.mark.parametrize("model", MODELS, ids=ids)
@pytest.mark.parametrize("rows", [X, FRAME], ids=["array", "frame"])
def test_fitted_models(model, rows):
    io = pytest.importorskip("skops.io", reason="reads and writes skops files")
    model.fit(rows, NAMES)
    data = io.dumps(model)
    untrusted = io.get_untrusted_types(data=data)
    assert untrusted and all(name.startswith("fasttree.") for name in untrusted), untrusted
    with pytest.raises(Exception, match="fasttree"):
        io.loads(data, trusted=[])
    other = io.loads(data, trusted=untrusted)
    assert np.array_equal(other.predict_proba(rows), model.predict_proba(rows))
    assert repr(other) == repr(model)
    assert other.predict(rows).tolist() == model.predict(rows).tolist()
    if hasattr(model, "trace_"):
        assert [s.candidates for s in other.trace_] == [s.candidates for s in model.trace_]
    assert hasattr(other, "feature_names_in_") == hasattr(model, "feature_names_in_")
    assert np.array_equal(other.fit(rows, NAMES).predict_proba(rows), model.predict_proba(rows))


def test_transformers_in_a_pipeline():
    io = pytest.importorskip("skops.io", reason="reads and writes skops files")
    made = make_pipeline(
        ReplaceMissing(), MDLP(), CriterionSelector("gini", k=3), TuRF(keep=2), FastTreeClassifier()
    ).fit(FRAME, NAMES)
    data = io.dumps(made)
    untrusted = io.get_untrusted_types(data=data)
    assert all(name.startswith("fasttree.") for name in untrusted), untrusted
    other = io.loads(data, trusted=untrusted)
    assert other.predict(FRAME).tolist() == made.predict(FRAME).tolist()
    unfitted = FastTreeClassifier(max_depth=3)
    data = io.dumps(unfitted)
    assert repr(io.loads(data, trusted=io.get_untrusted_types(data=data))) == repr(unfitted)


REGRESSORS = [
    FastTreeRegressor(max_depth=3),
    FastTreeRegressor(criterion=criteria.Quantile(q=0.9), missing="mode"),
    FastTreeRegressor(criterion="gini", target_bins=4, trace="candidates", max_depth=2),
    FastForestRegressor(n_estimators=3, oob_score=True, bootstrap=True, random_state=0),
]


@pytest.mark.filterwarnings("ignore:.*rows were in the sample")
@pytest.mark.parametrize("model", REGRESSORS, ids=ids)
def test_fitted_regressors_come_back(model, tmp_path):
    """By skops, pickle, bytes and a file; `clone` gives one that grows the same."""
    io = pytest.importorskip("skops.io", reason="reads and writes skops files")
    rows = FRAME[["a", "b", "c"]].assign(kind=NAMES)
    rows.loc[::7, "a"] = np.nan
    rows.loc[::9, "kind"] = None
    model = clone(model).fit(rows, X[:, 3])
    data = io.dumps(model)
    untrusted = io.get_untrusted_types(data=data)
    assert untrusted and all(name.startswith("fasttree.") for name in untrusted), untrusted
    path = tmp_path / "model.json"
    model.save(path)
    others = {
        "skops": io.loads(data, trusted=untrusted),
        "pickle": pickle.loads(pickle.dumps(model)),
        "bytes": fasttree.from_bytes(model.to_bytes()),
        "file": fasttree.load_model(path),
        "clone": clone(model).fit(rows, X[:, 3]),
    }
    for how, other in others.items():
        assert type(other) is type(model) and repr(other) == repr(model), how
        assert np.array_equal(other.predict(rows), model.predict(rows)), how
        assert np.array_equal(other.shap_values(rows), model.shap_values(rows)), how
        if how not in ("bytes", "file"):  # which hold no training targets
            quantiles = model.predict_quantiles(rows)
            assert np.array_equal(other.predict_quantiles(rows), quantiles), how
        if isinstance(model, FastTreeRegressor):
            assert other.to_svg() == model.to_svg(), how
            assert other.to_python() == model.to_python(), how


@pytest.mark.parametrize("model", [MODELS[0], MODELS[3], MODELS[5]], ids=ids)
@pytest.mark.filterwarnings("ignore:.*rows were in the sample")
def test_the_state_holds_bytes_that_are_checked(model):
    model.fit(X, Y)
    state = model.__getstate__()
    assert isinstance(state["_model"], bytes)
    data = state["_model"]
    assert data == model._model.to_bytes()
    for damaged in (data[:-20], data.replace(b"1", b"2", 1), b"", b"{}"):
        if damaged and not hasattr(model, "tree_") and not hasattr(model, "estimators_"):
            continue  # the core's Bayes model is checked as a document, without a checksum
        with pytest.raises(ValueError):
            type(model).__new__(type(model)).__setstate__({**state, "_model": damaged})
    other = type(model).__new__(type(model))
    other.__setstate__(state)
    assert np.array_equal(other.predict_proba(X), model.predict_proba(X))
    assert isinstance(state["_model"], bytes)  # the state given is not changed
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))

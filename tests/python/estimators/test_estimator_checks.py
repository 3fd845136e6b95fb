"""scikit-learn's own checks for every criterion, and its tools around the estimator."""

from __future__ import annotations

import pickle
import warnings

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

import fasttree
from fasttree import FastTreeClassifier, criteria

from ..tools import setting_id

NAMES = [info["name"] for info in fasttree.list_criteria()]


def gini_by_numpy(tables):
    n = tables.sum(axis=(1, 2))
    sizes = np.maximum(tables.sum(axis=2), 1)
    return ((tables**2).sum(axis=2) / sizes).sum(axis=1) / n


SETTINGS = [
    *[{"criterion": name} for name in NAMES],
    {"criterion": gini_by_numpy},
    {"criterion": criteria.GainRatio(guard="j48")},
    {"max_leaf_nodes": 8},
    {"nominal_splits": "subset", "ccp_alpha": 0.01},
    {"nominal_splits": "one_vs_rest", "priors": "equal"},
    {"missing": "mode"},
    {"missing": "error"},
    {"discretize": "equal_width"},
    {"discretize": "mdlp", "empty_branch": "parent"},
    {"ties": "random", "random_state": 3},
    {"max_features": "sqrt", "random_state": 3},
    {"leaf_smoothing": "laplace", "trace": None},
    {"trace": "candidates"},
    {"n_jobs": 2, "min_samples_leaf": 2},
]


@pytest.mark.parametrize("setting", SETTINGS, ids=setting_id)
def test_check_estimator(setting):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(FastTreeClassifier(**setting), on_skip=None)
    passed = [r["check_name"] for r in results if r["status"] == "passed"]
    assert not [r for r in results if r["status"] in ("failed", "xfail")]
    assert len(passed) > 45
    # Only the array API, which needs an environment variable, may be skipped.
    assert {r["check_name"] for r in results if r["status"] == "skipped"} <= {
        "check_array_api_input"
    }


IRIS = load_iris(return_X_y=True)


@pytest.mark.parametrize("name", NAMES)
def test_every_criterion_learns(name):
    X, y = IRIS
    scores = cross_val_score(FastTreeClassifier(criterion=name, min_samples_leaf=3), X, y, cv=5)
    assert scores.mean() > 0.6
    tree = FastTreeClassifier(criterion=name).fit(X, y)
    # Where a criterion bins, rows of two classes may share all their bins.
    assert tree.score(X, y) >= (1.0 if criteria.evidence_of(name) == "table" else 0.97)


def test_gini_is_as_good_as_scikit_learns():
    X, y = load_breast_cancer(return_X_y=True)
    ours = FastTreeClassifier(criterion="gini", max_depth=4).fit(X, y)
    theirs = DecisionTreeClassifier(criterion="gini", max_depth=4, random_state=0).fit(X, y)
    assert abs(ours.score(X, y) - theirs.score(X, y)) < 0.01
    assert ours.tree_.feature[0] == theirs.tree_.feature[0]
    # scikit-learn rounds the data to single precision.
    assert ours.tree_.threshold[0] == pytest.approx(theirs.tree_.threshold[0], rel=1e-6)
    assert ours.feature_importances_.argmax() == theirs.feature_importances_.argmax()


def test_pipeline_and_grid_search_over_the_options_of_a_criterion():
    X, y = load_breast_cancer(return_X_y=True)
    pipeline = make_pipeline(
        StandardScaler(), FastTreeClassifier(criterion=criteria.FMeasure(), max_depth=4)
    )
    grid = {
        "fasttreeclassifier__criterion__beta": [0.25, 1.0, 4.0],
        "fasttreeclassifier__min_samples_leaf": [1, 10],
    }
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert len(search.cv_results_["params"]) == 6
    best = search.best_estimator_[-1]
    assert best.criterion.beta == search.best_params_["fasttreeclassifier__criterion__beta"]
    assert search.best_score_ > 0.8
    # The options reach the trees: different beta, different trees.
    trees = {
        FastTreeClassifier(criterion=criteria.FMeasure(beta=b), max_depth=4).fit(X, y).to_text()
        for b in (0.25, 4.0)
    }
    assert len(trees) == 2


def test_grid_search_over_criteria():
    X, y = IRIS
    grid = {
        "criterion": [
            "gini",
            criteria.FMeasure(beta=2.0),
            criteria.GainRatio(guard="average"),
            gini_by_numpy,
        ]
    }
    search = GridSearchCV(FastTreeClassifier(max_depth=3), grid, cv=3, n_jobs=2).fit(X, y)
    assert min(search.cv_results_["mean_test_score"]) > 0.8


def test_calibration_and_ensembles():
    X, y = load_breast_cancer(return_X_y=True)
    tree = FastTreeClassifier(max_depth=4)
    calibrated = CalibratedClassifierCV(tree, cv=3).fit(X, y)
    assert np.allclose(calibrated.predict_proba(X).sum(axis=1), 1)
    assert BaggingClassifier(tree, n_estimators=5, random_state=0).fit(X, y).score(X, y) > 0.95
    assert AdaBoostClassifier(tree, n_estimators=5).fit(X, y).score(X, y) > 0.98
    importance = permutation_importance(tree.fit(X, y), X, y, n_repeats=2, random_state=0)
    assert importance.importances_mean.max() > 0.01


def test_string_labels_and_cross_val_predict():
    X, y = IRIS
    names = load_iris().target_names[y]
    tree = FastTreeClassifier(max_depth=3)
    predicted = cross_val_predict(tree, X, names, cv=3)
    assert (predicted == names).mean() > 0.9
    assert tree.fit(X, names).classes_.tolist() == ["setosa", "versicolor", "virginica"]


def test_clone_and_parameters():
    tree = FastTreeClassifier(criterion=criteria.FMeasure(beta=3.0), max_depth=2, missing="mode")
    copy = clone(tree)
    assert copy.get_params() == tree.get_params()
    assert copy.criterion is not tree.criterion
    copy.set_params(criterion__beta=0.5, max_depth=5)
    assert (copy.criterion.beta, tree.criterion.beta, copy.max_depth) == (0.5, 3.0, 5)
    with pytest.raises(ValueError, match="max_dept"):
        tree.set_params(max_dept=3)
    assert eval(
        repr(tree),
        {**vars(criteria), "FMeasure": criteria.FMeasure, "FastTreeClassifier": FastTreeClassifier},
    )


@pytest.mark.parametrize("criterion", ["gini", criteria.FMeasure(beta=2.0), gini_by_numpy])
def test_pickle_and_joblib(criterion, tmp_path):
    X, y = IRIS
    tree = FastTreeClassifier(criterion=criterion, trace="candidates").fit(X, y)
    joblib.dump(tree, tmp_path / "tree.joblib")
    for other in (pickle.loads(pickle.dumps(tree)), joblib.load(tmp_path / "tree.joblib")):
        assert other.to_bytes() == tree.to_bytes()
        assert np.array_equal(other.predict_proba(X), tree.predict_proba(X))
        assert other.trace_[0].candidates == tree.trace_[0].candidates
        assert clone(other).fit(X, y).to_bytes() == tree.to_bytes()
    unfitted = FastTreeClassifier(criterion=criterion, max_depth=7)
    assert pickle.loads(pickle.dumps(unfitted)).get_params() == unfitted.get_params()


def test_refitting_forgets_the_first_fit():
    X, y = IRIS
    tree = FastTreeClassifier().fit(X, y)
    first = tree.to_bytes()
    assert tree.trace_ and tree.tree_.node_count > 3
    tree.fit(X[:100, :2], y[:100])
    assert (tree.n_features_in_, tree.classes_.tolist(), tree.tree_.value.shape[1]) == (
        2,
        [0, 1],
        2,
    )
    assert len(tree.trace_) == (tree.tree_.n_children > 0).sum()
    assert tree.fit(X, y).to_bytes() == first


def test_metadata_and_sample_weight_in_cross_validation():
    import sklearn

    X, y = IRIS
    with sklearn.config_context(enable_metadata_routing=True):
        tree = (
            FastTreeClassifier(max_depth=2)
            .set_fit_request(sample_weight=True)
            .set_score_request(sample_weight=True)
        )
        scores = cross_val_score(tree, X, y, params={"sample_weight": np.arange(150) % 3})
    assert len(scores) == 5

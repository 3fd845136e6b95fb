"""scikit-learn's own checks for every criterion, and its tools around the estimator."""

from __future__ import annotations

import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    RandomForestRegressor,
)
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

import fasttree
from fasttree import (
    FastForestClassifier,
    FastForestRegressor,
    FastTreeClassifier,
    FastTreeRegressor,
    criteria,
)

from ..tools import setting_id

EVERY = [info["name"] for info in fasttree.list_criteria()]
ON_NUMBERS = [name for name in EVERY if criteria.is_on_number(criteria.make(name))]
NAMES = [name for name in EVERY if name not in ON_NUMBERS]


def gini_by_numpy(tables):
    n = tables.sum(axis=(1, 2))
    sizes = np.maximum(tables.sum(axis=2), 1)
    return ((tables**2).sum(axis=2) / sizes).sum(axis=1) / n


SETTINGS = [
    *[{"criterion": name, "min_score": -np.inf} for name in NAMES],
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


NUMBER_SETTINGS = [
    *[{"criterion": name} for name in ON_NUMBERS],
    {"criterion": criteria.Quantile(q=0.2)},
    {"criterion": "standard_deviation", "max_leaf_nodes": 8},
    {"criterion": "gini", "target_bins": "equal_width"},
    {"nominal_splits": "subset", "ccp_alpha": 0.01},
    {"pruning": "reduced_error"},
    {"missing": "mode"},
    {"missing": "error"},
    {"missing": "fractional"},
    {"discretize": "equal_width"},
    {"ties": "random", "splitter": "random", "random_state": 3},
    {"threshold_search": "histogram", "max_bins": 20},
    {"n_jobs": 2, "min_samples_leaf": 2},
]
ESTIMATORS = [
    *[(FastTreeClassifier, setting) for setting in SETTINGS],
    *[(FastTreeRegressor, setting) for setting in NUMBER_SETTINGS],
    *[
        (FastForestRegressor, {"n_estimators": 5, **setting})
        for setting in (
            {},
            {"criterion": "poisson"},
            {"criterion": "absolute_error", "oob_score": True, "n_estimators": 20},
            {"criterion": "info_gain", "target_bins": 4},
            {"bootstrap": False, "splitter": "random"},
            {"missing": "mode", "max_samples": 0.7, "discretize": "equal_frequency"},
            {"warm_start": True, "n_jobs": 2},
        )
    ],
    *[
        (FastForestClassifier, {"n_estimators": 7, **setting})
        for setting in (
            {},
            {"criterion": "gini", "oob_score": True, "n_jobs": 2},
            {"criterion": gini_by_numpy, "n_estimators": 2},
            {"evaluation": "global", "n_estimators": 3},
            {"bootstrap": False, "missing": "error"},
            {"missing": "mode", "max_samples": 0.7, "discretize": "mdlp"},
        )
    ],
]


@pytest.mark.parametrize(
    ("kind", "setting"),
    ESTIMATORS,
    ids=[f"{kind.__name__}-{setting_id(setting)}" for kind, setting in ESTIMATORS],
)
def test_check_estimator(kind, setting):
    # As scikit-learn's forests: a bootstrap draws rows, whatever they weigh.
    drawn = {
        f"check_sample_weight_equivalence_on_{cells}_data": "rows are drawn, not copies"
        for cells in ("dense", "sparse")
        if getattr(kind(**setting), "bootstrap", False)
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(kind(**setting), on_skip=None, expected_failed_checks=drawn)
    passed = [r["check_name"] for r in results if r["status"] == "passed"]
    failed = {r["check_name"] for r in results if r["status"] in ("failed", "xfail")}
    assert failed <= drawn.keys()
    assert len(passed) > 45
    # Only the array API, which needs an environment variable, may be skipped.
    assert {r["check_name"] for r in results if r["status"] == "skipped"} <= {
        "check_array_api_input"
    }


IRIS = load_iris(return_X_y=True)


@pytest.mark.parametrize("name", NAMES)
def test_every_criterion_learns(name):
    X, y = IRIS
    scores = cross_val_score(
        FastTreeClassifier(criterion=name, min_samples_leaf=3, min_score=-np.inf), X, y, cv=5
    )
    assert scores.mean() > 0.6
    tree = FastTreeClassifier(criterion=name, min_score=-np.inf).fit(X, y)
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
    search = GridSearchCV(FastTreeClassifier(max_depth=3), grid, cv=3).fit(X, y)
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


# -- regression -----------------------------------------------------------------------------------

NUMBERS = load_diabetes(return_X_y=True)


@pytest.mark.parametrize("name", criteria.names("regression"))
def test_every_criterion_on_numbers_learns(name):
    X, y = NUMBERS
    # The branches of bins, one for each, are small; growth is limited by depth there.
    small = {"max_depth": 1} if name == "rrelieff" else {"min_samples_leaf": 20}
    scores = cross_val_score(FastTreeRegressor(criterion=name, **small), X, y, cv=5)
    assert scores.mean() > 0.2
    if name != "rrelieff":  # rows in one bin of every column are not told apart
        assert FastTreeRegressor(criterion=name).fit(X, y).score(X, y) == pytest.approx(1.0)


def test_a_forest_is_as_good_as_scikit_learns():
    X, y = NUMBERS
    words = {"n_estimators": 60, "max_features": 0.5, "oob_score": True, "random_state": 0}
    ours = FastForestRegressor(**words).fit(X, y)
    theirs = RandomForestRegressor(**words).fit(X, y)
    assert ours.oob_score_ == pytest.approx(theirs.oob_score_, abs=0.03)
    assert np.corrcoef(ours.oob_prediction_, theirs.oob_prediction_)[0, 1] > 0.9
    assert np.corrcoef(ours.feature_importances_, theirs.feature_importances_)[0, 1] > 0.95


def test_pipelines_grids_and_ensembles_of_regressors():
    X, y = NUMBERS
    pipeline = make_pipeline(StandardScaler(), FastTreeRegressor(criterion=criteria.Quantile()))
    grid = {
        "fasttreeregressor__criterion__q": [0.3, 0.5],
        "fasttreeregressor__max_depth": [2, 3],
    }
    search = GridSearchCV(pipeline, grid, cv=3, n_jobs=2, scoring="neg_mean_absolute_error")
    search.fit(X, y)
    assert search.best_params_["fasttreeregressor__criterion__q"] == 0.5
    trees = [tree.fit(X, y) for tree in (FastTreeRegressor(max_depth=4) for _ in range(2))]
    assert trees[0].to_bytes() == trees[1].to_bytes()
    assert BaggingRegressor(trees[0], n_estimators=5, random_state=0).fit(X, y).score(X, y) > 0.5
    assert AdaBoostRegressor(trees[0], n_estimators=5, random_state=0).fit(X, y).score(X, y) > 0.5
    found = permutation_importance(trees[0], X, y, n_repeats=2, random_state=0)
    assert found.importances_mean.argmax() in (2, 8)  # body mass, triglycerides
    logs = TransformedTargetRegressor(trees[0], func=np.log, inverse_func=np.exp)
    assert logs.fit(X, y).score(X, y) > 0.4
    two = MultiOutputRegressor(trees[0]).fit(X, np.column_stack([y, -y])).predict(X)
    assert np.allclose(two[:, 0], -two[:, 1])


@pytest.mark.parametrize("kind", [FastTreeRegressor, FastForestRegressor])
def test_clones_parameters_and_pickles_of_regressors(kind, tmp_path):
    X, y = NUMBERS
    model = kind(criterion=criteria.Quantile(q=0.8), max_depth=3, random_state=1)
    other = clone(model).set_params(criterion__q=0.5, max_depth=5)
    assert (model.criterion.q, other.criterion.q, other.max_depth) == (0.8, 0.5, 5)
    with pytest.raises(ValueError, match="max_dept"):
        model.set_params(max_dept=3)
    names = {"Quantile": criteria.Quantile, kind.__name__: kind}
    assert repr(eval(repr(model), names)) == repr(model)
    model.fit(X, y)
    joblib.dump(model, tmp_path / "model.joblib")
    for again in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "model.joblib")):
        assert again.to_bytes() == model.to_bytes()
        assert np.array_equal(again.predict(X), model.predict(X))
        assert clone(again).fit(X, y).to_bytes() == model.to_bytes()


@pytest.mark.parametrize("kind", [FastTreeRegressor, FastForestRegressor])
def test_frames_of_pandas_and_polars_for_regressors(kind):
    polars = pytest.importorskip("polars", reason="polars is not installed")
    X, y = NUMBERS
    names = load_diabetes().feature_names
    frame = pd.DataFrame(X, columns=names)
    by_array = kind(max_depth=4, random_state=0).fit(X, y)
    assert not hasattr(by_array, "feature_names_in_")
    expected = by_array.predict(X)
    for rows, numbers in (
        (frame, pd.Series(y, name="progress")),
        (frame.assign(progress=y), "progress"),
        (polars.from_pandas(frame), polars.Series("progress", y)),
        (polars.from_pandas(frame.assign(progress=y)), "progress"),
    ):
        model = kind(max_depth=4, random_state=0).fit(rows, numbers)
        assert model.feature_names_in_.tolist() == names
        assert np.array_equal(model.predict(frame[names[::-1]]), expected)
        assert np.array_equal(model.predict(polars.from_pandas(frame)), expected)
        assert np.array_equal(model.predict_quantiles(frame), by_array.predict_quantiles(X))


def test_tags_say_which_targets_are_taken():
    assert FastTreeRegressor(criterion="poisson").__sklearn_tags__().target_tags.positive_only
    for model in (FastTreeRegressor(), FastForestRegressor(criterion="absolute_error")):
        assert is_regressor(model)
        assert not model.__sklearn_tags__().target_tags.positive_only

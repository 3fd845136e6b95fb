"""Habits of a scikit-learn user with one estimator: data, parameters, pictures, refusals."""

# ruff: noqa: E402
from __future__ import annotations

import io
import warnings

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibrationDisplay
from sklearn.inspection import PartialDependenceDisplay, partial_dependence, permutation_importance
from sklearn.metrics import (
    ConfusionMatrixDisplay,
    RocCurveDisplay,
    classification_report,
)
from sklearn.utils.validation import check_is_fitted

import fasttree
from fasttree import FastForestClassifier, FastTreeClassifier

from .habits_tools import COLOUR, FRAME, IRIS, LABEL, MIXED, RNG, SIZE, N, X, Y, habit, refused

# -- data -----------------------------------------------------------------------------------------


@habit
def arrays_of_float32_and_integers():
    for data in (X.astype(np.float32), (10 * X).astype(np.int64), np.asfortranarray(X)):
        assert FastTreeClassifier().fit(data, Y).score(data, Y) > 0.95


@habit
def pandas_frame_with_every_dtype():
    assert FastTreeClassifier().fit(FRAME, LABEL).score(FRAME, LABEL) == 1.0


@habit
def polars_frame_with_every_dtype():
    frame = pl.from_pandas(FRAME)
    model = FastTreeClassifier().fit(frame, pl.Series(LABEL))
    assert model.score(frame, LABEL) == 1.0


@habit
def pandas_strings_without_encoding():
    model = FastTreeClassifier().fit(FRAME[["colour"]], COLOUR)
    assert model.predict(pd.DataFrame({"colour": ["red"]})).tolist() == ["red"]


@habit
def pandas_string_dtype_and_arrow():
    frame = FRAME.astype({"colour": "string"})
    assert FastTreeClassifier().fit(frame, LABEL).score(frame, LABEL) == 1.0


@habit
def polars_enum():
    kinds = pl.Enum(["blue", "green", "red"])
    frame = pl.DataFrame({"c": pl.Series(COLOUR.tolist(), dtype=kinds), "s": SIZE})
    assert FastTreeClassifier().fit(frame, LABEL).score(frame, LABEL) == 1.0


@habit
def missing_values_of_all_kinds():
    frame = FRAME.assign(size=FRAME["size"].mask(RNG.random(N) < 0.1))
    frame["colour"] = frame["colour"].where(RNG.random(N) > 0.1, None)
    frame["count"] = frame["count"].astype("Int64").mask(RNG.random(N) < 0.1)
    assert FastTreeClassifier().fit(frame, LABEL).score(frame, LABEL) > 0.8


@habit
def list_of_lists():
    assert FastTreeClassifier().fit([[0, "a"], [1, "b"]], [0, 1]).predict([[1, "b"]]).tolist() == [
        1
    ]


@habit
def dict_of_columns():
    assert FastTreeClassifier().fit({"a": [0, 1, 2], "b": [1, 1, 0]}, [0, 1, 1]).n_features_in_ == 2


@habit
def target_by_column_name():
    model = fasttree.fit(MIXED, "label")
    assert list(model.feature_names_in_) == list(FRAME.columns)
    assert fasttree.fit(IRIS, "target").score(IRIS.drop(columns="target"), IRIS["target"]) == 1.0


@habit
def columns_named_as_attributes_are():
    words = ["target", "target_column", "y", "X", "name", "levels", "block", "dtype", "shape"]
    words += ["columns", "feature_names", "sample_weight", "classes", "take", "index", "names"]
    for label in words:
        frame = pd.DataFrame({w: SIZE if w != label else LABEL for w in words})
        assert fasttree.fit(frame, label, max_depth=1).classes_.tolist() == ["no", "yes"]
        assert fasttree.fit(frame.drop(columns=label), LABEL, max_depth=1).n_features_in_ == 15


@habit
def target_as_series_frame_and_column_vector():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for y in (pd.Series(Y), pd.DataFrame({"t": Y}), Y.reshape(-1, 1)):
            assert FastTreeClassifier().fit(X, y).score(X, Y) > 0.95


@habit
def targets_of_strings_booleans_categories_and_floats():
    for y in (LABEL, LABEL == "yes", pd.Categorical(LABEL), (LABEL == "yes").astype(float)):
        model = FastTreeClassifier().fit(FRAME, y)
        assert len(model.classes_) == 2 and model.score(FRAME, y) == 1.0


@habit
def columns_in_another_order_at_predict():
    model = FastTreeClassifier().fit(FRAME, LABEL)
    assert model.score(FRAME[FRAME.columns[::-1]], LABEL) == 1.0


@habit
def a_pandas_index_is_ignored():
    frame = FRAME.set_index(pd.Index(RNG.permutation(N)))
    assert FastTreeClassifier().fit(frame, LABEL).score(frame, LABEL) == 1.0


@habit
def named_data_sets():
    assert fasttree.fit("iris").score("iris") == 1.0


# -- the estimator --------------------------------------------------------------------------------


@habit
def criteria_by_scikit_learns_names():
    from sklearn.tree import DecisionTreeClassifier

    for name in ("gini", "entropy"):
        ours = FastTreeClassifier(criterion=name, max_depth=1).fit(X, Y)
        theirs = DecisionTreeClassifier(criterion=name, max_depth=1).fit(X, Y)
        assert ours.tree_.score[0] == pytest.approx(
            theirs.tree_.impurity[0]
            - np.average(
                theirs.tree_.impurity[1:], weights=theirs.tree_.weighted_n_node_samples[1:]
            )
        )


@habit
def get_and_set_params():
    model = FastTreeClassifier().set_params(max_depth=2, criterion="gini")
    assert model.get_params()["max_depth"] == 2 and FastTreeClassifier(**model.get_params())


@habit
def clone_keeps_parameters():
    assert clone(FastTreeClassifier(max_depth=2)).max_depth == 2


@habit
def repr_names_what_differs():
    assert repr(FastTreeClassifier(max_depth=2)) == "FastTreeClassifier(max_depth=2)"


@habit
def fitted_attributes():
    model = FastTreeClassifier().fit(FRAME, LABEL)
    assert model.classes_.tolist() == ["no", "yes"] and model.n_features_in_ == 5
    assert model.feature_importances_.sum() == pytest.approx(1) and is_classifier(model)


@habit
def check_is_fitted_speaks():
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        check_is_fitted(FastTreeClassifier())
    with pytest.raises(NotFittedError, match="fit"):
        FastTreeClassifier().predict(X)


@habit
def predict_proba_and_log_proba():
    model = FastTreeClassifier(max_depth=2).fit(X, Y)
    assert np.allclose(model.predict_proba(X).sum(axis=1), 1)
    assert np.allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))


@habit
def apply_and_decision_path():
    model = FastTreeClassifier(max_depth=2).fit(X, Y)
    assert model.decision_path(X).shape == (150, model.n_nodes_) and len(model.apply(X)) == 150


@habit
def sample_and_class_weights():
    model = FastTreeClassifier(class_weight="balanced").fit(X, Y, sample_weight=np.ones(150))
    assert model.score(X, Y, sample_weight=np.ones(150)) > 0.95


@habit
def random_state_as_generator():
    FastTreeClassifier(max_features="sqrt", random_state=np.random.RandomState(0)).fit(X, Y)


@habit
def cost_complexity_pruning_path():
    path = FastTreeClassifier(criterion="gini").cost_complexity_pruning_path(X, Y)
    assert len(path.ccp_alphas) == len(path.impurities)


@habit
def ccp_alpha_prunes():
    from sklearn.tree import DecisionTreeClassifier

    for alpha in (0.01, 0.02, 0.1):
        theirs = DecisionTreeClassifier(ccp_alpha=alpha, random_state=0).fit(X, Y)
        ours = FastTreeClassifier(criterion="gini", ccp_alpha=alpha).fit(X, Y)
        assert ours.get_n_leaves() == theirs.get_n_leaves()


@habit
def get_depth_and_leaves():
    model = FastTreeClassifier(max_leaf_nodes=4).fit(X, Y)
    assert (model.get_n_leaves(), model.get_depth()) == (4, 3)


@habit
def refitting_forgets():
    model = FastTreeClassifier().fit(X, Y)
    assert model.fit(FRAME, LABEL).n_features_in_ == 5


@habit
def progress_true():
    FastTreeClassifier(progress=True).fit(X, Y)
    FastForestClassifier(3, progress="auto").fit(X, Y)


# -- explaining and keeping -----------------------------------------------------------------------


@habit
def permutation_importances():
    found = permutation_importance(
        FastTreeClassifier().fit(FRAME, LABEL), FRAME, LABEL, n_repeats=2, random_state=0
    )
    assert found.importances_mean[0] > 0.1


@habit
def partial_dependence_with_strings():
    model = FastTreeClassifier().fit(FRAME, LABEL)
    found = partial_dependence(model, FRAME, ["colour"], categorical_features=["colour"])
    assert found["average"].shape[1] == 3


@habit
def displays():
    import matplotlib.pyplot as plt

    model = FastTreeClassifier(max_depth=2).fit(X[:100], Y[:100])
    RocCurveDisplay.from_estimator(model, X[:100], Y[:100])
    ConfusionMatrixDisplay.from_estimator(model, X[:100], Y[:100])
    CalibrationDisplay.from_estimator(model, X[:100], Y[:100])
    PartialDependenceDisplay.from_estimator(model, X[:100], [0])
    plt.close("all")


@habit
def a_classification_report():
    assert "accuracy" in classification_report(Y, FastTreeClassifier().fit(X, Y).predict(X))


@habit
def pickle_and_joblib(tmp=None):
    import pickle

    import joblib

    model = FastTreeClassifier().fit(FRAME, LABEL)
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    for again in (pickle.loads(pickle.dumps(model)), joblib.load(file)):
        assert again.predict(FRAME).tolist() == model.predict(FRAME).tolist()


@habit
def deepcopy():
    import copy

    model = copy.deepcopy(FastTreeClassifier().fit(X, Y))
    assert model.score(X, Y) == 1.0


@habit
def plot_and_pyplot():
    import matplotlib.pyplot as plt

    plt.close("all")
    ax = FastTreeClassifier().fit(X, Y).plot()
    assert plt.gca() is ax and ax.texts
    plt.close("all")


@habit
def a_fitted_tree_in_a_notebook():
    model = FastTreeClassifier().fit(X, Y)
    assert "<svg" in model._repr_mimebundle_()["text/html"] and "leaves" in str(model)


@habit
def export_text():
    assert FastTreeClassifier().fit(X, Y).to_text().count("\n") == 16


@habit
def show_versions():
    import contextlib

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        fasttree.show_versions()
    assert "scikit-learn" in out.getvalue() and "fasttree" in out.getvalue()


@habit
def forest_like_random_forest():
    forest = FastForestClassifier(10, oob_score=True, random_state=0).fit(FRAME, LABEL)
    assert forest.oob_score_ > 0.7 and len(forest.estimators_) == 10


@habit
def forest_warm_start():
    forest = FastForestClassifier(5, random_state=0, warm_start=True).fit(X, Y)
    first = forest.estimators_[0].to_text()
    forest.set_params(n_estimators=9).fit(X, Y)
    assert len(forest.estimators_) == 9 and forest.estimators_[0].to_text() == first
    whole = FastForestClassifier(9, random_state=0).fit(X, Y)
    assert np.array_equal(forest.predict_proba(X), whole.predict_proba(X))


# -- refused, with what to do ---------------------------------------------------------------------


@refused("toarray")
def a_sparse_matrix():
    from scipy.sparse import csr_matrix

    FastTreeClassifier().fit(csr_matrix(X), Y)


@refused("FastTreeRegressor.*discretise")
def a_regression_target():
    FastTreeClassifier().fit(X, X[:, 0])


@refused("one tree per column|MultiOutputClassifier")
def several_outputs():
    FastTreeClassifier().fit(X, np.column_stack([Y, Y]))


@refused("parts|numbers|drop")
def a_column_of_dates():
    FastTreeClassifier(columns="as_given").fit(FRAME.assign(day=pd.Timestamp("2024-01-01")), LABEL)


@refused("infinity|inf")
def infinite_numbers():
    FastTreeClassifier().fit(np.where(X > 7, np.inf, X), Y)


@refused("no class label")
def missing_labels():
    FastTreeClassifier().fit(X, np.where(Y == 0, np.nan, Y))


@refused("monotonic_cst with 3 classes.*two classes.*one class against the rest")
def monotonic_constraints():
    fasttree.fit(X, Y, monotonic_cst=[1, 0, 0, 0])


@refused("did you mean 'max_depth'")
def a_misspelt_parameter():
    fasttree.fit(X, Y, max_deph=3)


@refused("did you mean 'entropy'")
def a_misspelt_criterion():
    fasttree.fit(X, Y, criterion="entropi")


@refused("FastTreeRegressor|task='regression'")
def a_criterion_of_regression():
    FastTreeClassifier(criterion="squared_error").fit(X, Y)


@refused("names of|feature names")
def a_frame_with_another_column():
    FastTreeClassifier().fit(FRAME, LABEL).predict(FRAME.assign(more=1))


@refused("expecting 4 features")
def an_array_of_another_width():
    FastTreeClassifier().fit(X, Y).predict(X[:, :2])


@refused("min_impurity_split|min_impurity_decrease|min_score")
def a_parameter_that_scikit_learn_has_dropped():
    fasttree.fit(X, Y, min_impurity_split=0.1)


@habit
def random_splits():
    assert fasttree.fit(X, Y, splitter="random", random_state=0).score(X, Y) == 1.0

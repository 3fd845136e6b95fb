"""Habits of a scikit-learn user with several: pipelines, ensembles, searches, curves."""

# ruff: noqa: E402
from __future__ import annotations

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.feature_selection import RFECV, SelectFromModel
from sklearn.metrics import (
    accuracy_score,
    make_scorer,
)
from sklearn.model_selection import (
    GridSearchCV,
    RandomizedSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    train_test_split,
    validation_curve,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

import fasttree
from fasttree import FastTreeClassifier

from .habits_tools import FRAME, LABEL, MIXED, X, Y, habit

# -- composition ----------------------------------------------------------------------------------


@habit
def pipeline_with_a_scaler():
    assert make_pipeline(StandardScaler(), FastTreeClassifier()).fit(X, Y).score(X, Y) > 0.95


@habit
def pipeline_repr_in_a_notebook():
    assert (
        "FastTreeClassifier" in make_pipeline(StandardScaler(), FastTreeClassifier())._repr_html_()
    )


@habit
def column_transformer():
    encode = ColumnTransformer(
        [("n", OneHotEncoder(), make_column_selector(dtype_include=object))],
        remainder="passthrough",
    )
    frame = FRAME.drop(columns="grade").astype({"colour": object})
    assert (
        Pipeline([("e", encode), ("t", FastTreeClassifier())]).fit(frame, LABEL).score(frame, LABEL)
        > 0.9
    )


@habit
def set_output_pandas_upstream():
    encode = ColumnTransformer([("o", OrdinalEncoder(), ["colour"])], remainder="passthrough")
    pipe = make_pipeline(encode.set_output(transform="pandas"), FastTreeClassifier())
    pipe.fit(FRAME[["size", "colour"]], LABEL)
    assert list(pipe[-1].feature_names_in_) == ["o__colour", "remainder__size"]


@habit
def select_from_model():
    chosen = SelectFromModel(FastTreeClassifier(criterion="gini")).fit(X, Y)
    assert 1 <= chosen.get_support().sum() <= 2


@habit
def recursive_elimination():
    assert RFECV(FastTreeClassifier(criterion="gini", max_depth=3), cv=3).fit(X, Y).n_features_ >= 1


@habit
def bagging():
    assert BaggingClassifier(FastTreeClassifier(), 5, random_state=0).fit(X, Y).score(X, Y) > 0.95


@habit
def adaboost():
    assert (
        AdaBoostClassifier(FastTreeClassifier(max_depth=1), n_estimators=10).fit(X, Y).score(X, Y)
        > 0.9
    )


@habit
def voting_and_stacking():
    trees = [("a", FastTreeClassifier(max_depth=1)), ("b", FastTreeClassifier())]
    assert VotingClassifier(trees, voting="soft").fit(X, Y).score(X, Y) > 0.9
    assert StackingClassifier(trees, cv=3).fit(X, Y).score(X, Y) > 0.9


@habit
def one_vs_rest():
    assert OneVsRestClassifier(FastTreeClassifier()).fit(X, Y).score(X, Y) > 0.95


@habit
def calibration():
    model = CalibratedClassifierCV(FastTreeClassifier(max_depth=2), cv=3).fit(X, Y)
    assert model.predict_proba(X).shape == (150, 3)


# -- choosing -------------------------------------------------------------------------------------


@habit
def train_and_test():
    a, b, c, d = train_test_split(FRAME, LABEL, random_state=0, stratify=LABEL)
    assert FastTreeClassifier().fit(a, c).score(b, d) > 0.8


@habit
def cross_val_score_with_strings():
    assert cross_val_score(FastTreeClassifier(), FRAME, LABEL, cv=3).mean() > 0.8


@habit
def cross_val_predict_proba():
    found = cross_val_predict(FastTreeClassifier(), X, Y, cv=3, method="predict_proba")
    assert found.shape == (150, 3)


@habit
def cross_validate_several_metrics_in_processes():
    found = cross_validate(
        FastTreeClassifier(), X, Y, cv=3, scoring=("accuracy", "f1_macro"), n_jobs=2
    )
    assert found["test_f1_macro"].mean() > 0.9


@habit
def grid_search_over_criteria():
    grid = {"criterion": ["gini", "info_gain", fasttree.criteria.FMeasure()], "max_depth": [1, 3]}
    found = GridSearchCV(FastTreeClassifier(), grid, cv=3).fit(X, Y)
    assert found.best_params_["max_depth"] == 3


@habit
def grid_search_in_a_pipeline():
    pipe = make_pipeline(StandardScaler(), FastTreeClassifier())
    grid = {"fasttreeclassifier__pruning": [None, "error_based"]}
    assert GridSearchCV(pipe, grid, cv=3).fit(X, Y).best_score_ > 0.9


@habit
def grid_search_into_a_criterion():
    base = FastTreeClassifier(criterion=fasttree.criteria.FMeasure())
    assert GridSearchCV(base, {"criterion__beta": [0.5, 2.0]}, cv=3).fit(X, Y).best_score_ > 0.8


@habit
def randomized_search():
    found = RandomizedSearchCV(
        FastTreeClassifier(), {"max_depth": [1, 2, 3, None]}, n_iter=2, cv=3, random_state=0
    )
    assert found.fit(X, Y).best_score_ > 0.5


@habit
def curves():
    sizes, *_ = learning_curve(FastTreeClassifier(), X, Y, cv=3, shuffle=True, random_state=0)
    assert len(sizes) == 5
    validation_curve(FastTreeClassifier(), X, Y, param_name="max_depth", param_range=[1, 2], cv=3)


@habit
def a_splitter_of_scikit_learn_in_ours():
    found = fasttree.model_selection.cross_validate(
        X, Y, ["gini"], cv=StratifiedKFold(3, shuffle=True, random_state=0)
    )
    assert found.mean("gini", "accuracy") > 0.9


@habit
def a_scorer_of_scikit_learn_in_ours():
    found = fasttree.model_selection.cross_validate(
        "iris", ["gini"], cv="1x3", scoring={"acc": make_scorer(accuracy_score)}
    )
    assert found.mean("gini", "acc") > 0.9


@habit
def other_classifiers_beside_ours():
    from sklearn.naive_bayes import GaussianNB

    found = fasttree.model_selection.cross_validate(
        X, Y, ["gini"], estimators={"nb": GaussianNB()}, cv="1x3"
    )
    assert found.methods == ("gini", "nb")


@habit
def one_order_of_arguments():
    selection = fasttree.model_selection
    assert selection.compare(X, Y, ["gini", "mdl"], cv="1x3").methods == ("gini", "mdl")
    assert selection.compare("iris", ["gini"], cv="1x3").datasets == ("iris",)
    assert selection.cross_validate(MIXED, "label", ["gini"], cv="1x3").methods == ("gini",)
    assert selection.learning_curve("iris", ["gini"], n_repeats=2).methods == ("gini",)
    assert len(fasttree.sweep("monks-1", "pi", alpha=[0.1], cv="1x3")) == 1


@habit
def metadata_routing_of_weights():
    import sklearn

    with sklearn.config_context(enable_metadata_routing=True):
        tree = FastTreeClassifier().set_fit_request(sample_weight=True)
        tree.set_score_request(sample_weight=False)
        found = cross_validate(tree, X, Y, cv=3, params={"sample_weight": np.ones(150)})
    assert found["test_score"].mean() > 0.9

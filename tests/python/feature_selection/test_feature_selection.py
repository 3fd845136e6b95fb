"""Selectors, discretisers and the imputer as scikit-learn transformers."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris, make_classification
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import check_estimator

import fasttree
from fasttree import FastTreeClassifier, criteria
from fasttree.discretize import MDLP, EqualFrequency, EqualWidth, ReplaceMissing
from fasttree.feature_selection import CriterionSelector, TuRF

X, Y = load_iris(return_X_y=True)
FRAME = pd.DataFrame(X, columns=list("abcd"))
WEATHER = fasttree.datasets.load_weather()

TRANSFORMERS = [
    EqualWidth(3),
    EqualFrequency(),
    MDLP(),
    ReplaceMissing(),
    CriterionSelector("gini", k=2),
    CriterionSelector("multisurf"),
    CriterionSelector("pi", share=0.5),
    TuRF(keep=2),
]
ids = [type(t).__name__ + str(i) for i, t in enumerate(TRANSFORMERS)]


@pytest.mark.parametrize("transformer", TRANSFORMERS, ids=ids)
def test_check_estimator(transformer):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(clone(transformer), on_skip=None)
    assert not [r for r in results if r["status"] in ("failed", "xfail")]
    assert sum(r["status"] == "passed" for r in results) > 45


CHECKS = [
    "check_set_output_transform",
    "check_set_output_transform_pandas",
    "check_set_output_transform_polars",
    "check_global_output_transform_pandas",
    "check_global_set_output_transform_polars",
    "check_get_feature_names_out_error",
    "check_transformer_get_feature_names_out",
    "check_transformer_get_feature_names_out_pandas",
    "check_n_features_in_after_fitting",
]


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("transformer", TRANSFORMERS, ids=ids)
def test_checks_of_names_and_containers(transformer, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        getattr(estimator_checks, check)(type(transformer).__name__, clone(transformer))


@pytest.mark.parametrize("transformer", TRANSFORMERS[4::3], ids=ids[4::3])
def test_selectors_want_columns_in_order(transformer):
    check = estimator_checks.check_dataframe_column_names_consistency
    check(type(transformer).__name__, clone(transformer))


@pytest.mark.parametrize("transformer", TRANSFORMERS, ids=ids)
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_what_comes_out_is_of_the_kind_that_goes_in(transformer):
    made = clone(transformer).fit(FRAME, Y)
    names = made.get_feature_names_out().tolist()
    assert made.feature_names_in_.tolist() == list("abcd")
    for kind, rows in ((pd.DataFrame, FRAME), (pl.DataFrame, pl.from_pandas(FRAME))):
        found = made.transform(rows)
        assert isinstance(found, kind) and list(found.columns) == names
    assert made.transform(fasttree.Table(FRAME)).feature_names == names
    assert made.transform(X).shape == (150, len(names))
    for how, kind in (("pandas", pd.DataFrame), ("polars", pl.DataFrame)):
        found = clone(made).set_output(transform=how).fit(X, Y).transform(X)
        assert isinstance(found, kind) and found.shape == (150, len(names))
    again = pickle.loads(pickle.dumps(made))
    assert again.transform(FRAME).equals(made.transform(FRAME))


def test_set_output_refuses_what_it_does_not_know():
    with pytest.raises(ValueError, match="transform='arrow'"):
        EqualWidth().set_output(transform="arrow")
    assert EqualWidth().set_output() == EqualWidth()


@pytest.mark.parametrize("criterion", [info["name"] for info in fasttree.list_criteria()])
def test_any_criterion_selects_as_it_scores(criterion):
    scores = fasttree.score_features(X, Y, criterion=criterion)
    made = CriterionSelector(criterion, k=2).fit(X, Y)
    assert np.array_equal(made.scores_, scores, equal_nan=True)
    best = np.argsort(-np.nan_to_num(scores, nan=-np.inf), kind="stable")[:2]
    assert made.get_support(indices=True).tolist() == sorted(best.tolist())
    assert np.array_equal(made.transform(X), X[:, sorted(best.tolist())])


def test_rules_and_their_domains():
    scores = fasttree.score_features(X, Y, criterion="info_gain")
    chosen = lambda **rule: CriterionSelector("info_gain", **rule).fit(X, Y).get_support().tolist()  # noqa: E731
    assert chosen() == (scores > 0).tolist()
    assert chosen(threshold=scores[2]) == (scores >= scores[2]).tolist()
    assert chosen(share=0.5) == chosen(k=2)
    assert chosen(share=0.01) == chosen(k=1)
    assert chosen(k=3, threshold=0.9) == (scores >= 0.9).tolist()
    assert chosen(k=99) == [True] * 4
    with_constant = np.column_stack([np.zeros(150), X])
    assert not CriterionSelector("gini", k=5).fit(with_constant, Y).support_[0]
    for rule, words in (
        ({"k": 0}, "k=0"),
        ({"k": 1.5}, "k=1.5"),
        ({"share": 0}, r"share=0 must be a number in \(0, 1\]"),
        ({"share": 1.1}, "share=1.1"),
        ({"threshold": "high"}, "threshold='high'"),
        ({"threshold": float("nan")}, "threshold=nan"),
    ):
        with pytest.raises(ValueError, match=words):
            chosen(**rule)
    with pytest.raises(ValueError, match="requires y"):
        CriterionSelector("gini").fit(X)
    with pytest.raises(ValueError, match="share"):
        TuRF(share=1.0).fit(X, Y)


def test_neighbours_find_what_tables_cannot():
    table = fasttree.datasets.make_parity(2, 18, 300, random_state=0)
    for selector in (CriterionSelector("multisurf", k=2), TuRF(keep=2), TuRF("surf", keep=2)):
        assert selector.fit(table).get_support(indices=True).tolist() == [0, 1]
        assert selector.transform(table).feature_names == table.feature_names[:2]
    found = fasttree.turf(table, keep=2)
    made = TuRF(keep=2).fit(table)
    assert np.array_equal(made.scores_, found.scores) and np.array_equal(made.rounds_, found.rounds)
    assert np.array_equal(made.ranking_, found.ranking)


def test_weights_and_a_function_of_tables():
    def gini(tables):
        sizes = np.maximum(tables.sum(axis=2), 1)
        return ((tables**2).sum(axis=2) / sizes).sum(axis=1) / tables.sum(axis=(1, 2))

    assert CriterionSelector(gini, k=2).fit(X, Y).get_support(indices=True).tolist() == [2, 3]
    weights = np.where(Y == 0, 0, 1)
    made = CriterionSelector("gini", k=1).fit(X, Y, sample_weight=weights)
    part = CriterionSelector("gini", k=1).fit(X[Y > 0], Y[Y > 0])
    assert np.allclose(made.scores_, part.scores_)


def test_words_in_frames_keep_their_levels():
    rows = WEATHER.to_frame()
    y = rows.pop(WEATHER.target)
    made = make_pipeline(CriterionSelector("info_gain", k=2), FastTreeClassifier())
    assert made.fit(rows, y).score(rows, y) >= 0.7
    assert made[0].transform(rows).columns.tolist() == ["outlook", "humidity"]
    assert made[1].feature_names_in_.tolist() == ["outlook", "humidity"]
    array = make_pipeline(CriterionSelector("info_gain", k=2), FastTreeClassifier())
    assert (
        array.fit(rows.to_numpy(), y).predict(rows.to_numpy()).tolist()
        == made.predict(rows).tolist()
    )
    with pytest.raises(ValueError, match="feature names"):
        made[0].transform(rows.rename(columns={"windy": "wind"}))
    with pytest.raises(ValueError, match="expecting 4 features"):
        made[0].transform(fasttree.Table(rows[["windy"]]))


def test_in_a_grid_search():
    data, y = make_classification(150, 12, n_informative=3, n_redundant=0, random_state=0)
    pipeline = make_pipeline(
        ReplaceMissing(), CriterionSelector(criteria.ReliefF(k=5)), FastTreeClassifier(max_depth=3)
    )
    grid = {
        "criterionselector__k": [1, 4],
        "criterionselector__criterion__k": [3, 10],
        "criterionselector__criterion": [criteria.ReliefF()],
    }
    search = GridSearchCV(pipeline, grid, cv=3).fit(data, y)
    assert search.best_params_["criterionselector__k"] == 4 and search.best_score_ > 0.7
    scores = cross_val_score(
        make_pipeline(MDLP(), TuRF(keep=3), FastTreeClassifier()), data, y, cv=3
    )
    assert scores.mean() > 0.6


def test_in_a_column_transformer():
    both = ColumnTransformer(
        [
            ("bins", EqualFrequency(4), ["a", "b"]),
            ("best", CriterionSelector("gini", k=1), ["c", "d"]),
            ("filled", ReplaceMissing(), ["d"]),
        ]
    )
    found = both.fit_transform(FRAME, Y)
    assert found.shape == (150, 4)
    names = both.get_feature_names_out().tolist()
    assert names[:2] == ["bins__a", "bins__b"] and names[2].startswith("best__")
    frame = both.set_output(transform="pandas").fit_transform(FRAME, Y)
    assert frame.columns.tolist() == names
    assert isinstance(frame.iloc[:, 0].dtype, pd.CategoricalDtype)
    assert make_pipeline(both, FastTreeClassifier()).fit(FRAME, Y).score(FRAME, Y) > 0.95

"""NaiveBayes, TAN and AODE: against direct formulas, scikit-learn, and the laws of counts."""

from __future__ import annotations

import itertools
import json
import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.utils.estimator_checks import check_estimator

import fasttree
from fasttree import Table
from fasttree.model_selection import cross_validate
from fasttree.naive_bayes import AODE, TAN, NaiveBayes

from ..tools import _load

oracle = _load("bayes_oracle")
LEARNERS = [
    NaiveBayes(),
    NaiveBayes(distribution="discretized"),
    TAN(),
    TAN(structure="wrapper"),
    TAN(missing="mode"),
    AODE(),
    AODE(frequency_limit=30, smoothing="m_estimate"),
]


def ids(model):
    return repr(model)


def random_rows(seed, n=60, arities=(2, 3, 4, 2), k=3, missing=0.0):
    """Codes that depend on the class and on each other, as lists; None is missing."""
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    X = np.empty((n, len(arities)), dtype=int)
    for j, v in enumerate(arities):
        copied = y if j % 2 == 0 else X[:, j - 1]
        X[:, j] = np.where(rng.random(n) < 0.5, copied % v, rng.integers(v, size=n))
    gone = rng.random(X.shape) < missing
    rows = [
        [None if g else int(x) for x, g in zip(r, m, strict=True)]
        for r, m in zip(X, gone, strict=True)
    ]
    return rows, y.tolist()


def table_of(rows, y=None, arities=(2, 3, 4, 2), k=3):
    columns = {
        f"f{j}": pd.Categorical([r[j] for r in rows], categories=range(v))
        for j, v in enumerate(arities)
    }
    levels = None if y is None else {"class": range(k)}
    return Table(pd.DataFrame(columns), y, levels=levels)


ARITIES = (2, 3, 4, 2)
TEST_ROWS = [list(r) for r in itertools.product(range(2), range(3), range(4), range(2))][::5]
WITH_GAPS = [*TEST_ROWS, [None, 1, 2, 0], [1, None, None, 1], [0, 2, None, None], [None] * 4]


# -- direct formulas ------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize(
    ("alpha", "smoothing"), [(1.0, "laplace"), (0.3, "laplace"), (2.0, "m_estimate")]
)
def test_formulas_in_plain_python(missing, alpha, smoothing):
    rows, y = random_rows(1, missing=missing)
    train, test = table_of(rows, y), table_of(WITH_GAPS)
    naive = NaiveBayes(alpha=alpha, smoothing=smoothing).fit(train).predict_proba(test)
    expected = [oracle.naive_bayes(rows, y, 3, ARITIES, r, alpha, smoothing) for r in WITH_GAPS]
    np.testing.assert_allclose(naive, expected, rtol=1e-11)
    for limit in (1, 20, 1000):
        model = AODE(frequency_limit=limit, alpha=alpha, smoothing=smoothing).fit(train)
        expected = [oracle.aode(rows, y, 3, ARITIES, r, limit, alpha, smoothing) for r in WITH_GAPS]
        np.testing.assert_allclose(model.predict_proba(test), expected, rtol=1e-11)
    tan = TAN(alpha=alpha, smoothing=smoothing).fit(train)
    expected = [
        oracle.tan(rows, y, 3, ARITIES, tan.parents_, r, alpha, smoothing) for r in WITH_GAPS
    ]
    np.testing.assert_allclose(tan.predict_proba(test), expected, rtol=1e-11)


@pytest.mark.parametrize("seed", range(5))
def test_chow_liu_finds_the_best_of_all_trees(seed):
    rows, y = random_rows(seed, missing=0.1)
    model = TAN().fit(table_of(rows, y))
    weights = {
        (i, j): oracle.conditional_mutual_information(rows, y, 3, ARITIES, i, j)
        for i, j in itertools.combinations(range(4), 2)
    }
    for i, j, weight in model.edges_:
        assert weight == pytest.approx(weights[i, j], rel=1e-12)
    assert sum(e[2] for e in model.edges_) == pytest.approx(
        oracle.best_tree_weight(weights, 4), rel=1e-12
    )
    assert [e[2] for e in model.edges_] == sorted((e[2] for e in model.edges_), reverse=True)
    assert model.parents_.count(None) == 1
    assert model.parents_[model.edges_[0][0]] is None
    assert {tuple(sorted((j, p))) for j, p in enumerate(model.parents_) if p is not None} == {
        e[:2] for e in model.edges_
    }


def test_root_of_the_tree():
    rows, y = random_rows(3)
    train = table_of(rows, y)
    for j, name in enumerate(train.feature_names):
        by_name, by_index = TAN(root=name).fit(train), TAN(root=j).fit(train)
        assert by_name.parents_ == by_index.parents_
        assert by_name.parents_[j] is None
    with pytest.raises(ValueError, match="root: 'nobody' is not a column"):
        TAN(root="nobody").fit(train)
    with pytest.raises(ValueError, match="its own roots"):
        TAN(root=0, structure="wrapper").fit(train)


@pytest.mark.parametrize("seed", range(6))
def test_wrapper_search_in_plain_python(seed):
    rows, y = random_rows(seed, n=40)
    model = TAN(structure="wrapper").fit(table_of(rows, y))
    assert model.parents_ == oracle.super_parent(rows, y, 3, ARITIES)


def test_the_wrapper_finds_exclusive_or_and_says_when_nothing_helps():
    X = np.array(list(itertools.product([0, 1], repeat=3)) * 6)
    y = X[:, 0] ^ X[:, 1]
    model = TAN(structure="wrapper", categorical_features="all").fit(X, y)
    assert model.parents_[2] is None
    assert sorted(map(str, model.parents_[:2])) in (["0", "None"], ["1", "None"])
    assert model.score(X, y) == 1.0
    assert NaiveBayes(categorical_features="all").fit(X, y).score(X, y) < 0.8
    assert (
        TAN(structure="wrapper", categorical_features="all").fit(X, X[:, 2]).parents_ == [None] * 3
    )


# -- scikit-learn ---------------------------------------------------------------------------------


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_gaussian_is_scikit_learns(load):
    X, y = load(return_X_y=True)
    for var_smoothing in (1e-9, 1e-3):
        ours = NaiveBayes(var_smoothing=var_smoothing).fit(X, y)
        theirs = GaussianNB(var_smoothing=var_smoothing).fit(X, y)
        np.testing.assert_allclose(ours.theta_, theirs.theta_, rtol=1e-12)
        np.testing.assert_allclose(ours.var_, theirs.var_, rtol=1e-10)
        assert ours.epsilon_ == pytest.approx(theirs.epsilon_, rel=1e-12)
        np.testing.assert_allclose(
            ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-9
        )
        np.testing.assert_allclose(
            ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-7, atol=1e-300
        )
        assert np.array_equal(ours.predict(X), theirs.predict(X))
    priors = np.full(len(np.unique(y)), 1 / len(np.unique(y)))
    ours, theirs = NaiveBayes(priors=priors).fit(X, y), GaussianNB(priors=priors).fit(X, y)
    np.testing.assert_allclose(
        ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-7, atol=1e-300
    )


@pytest.mark.parametrize("alpha", [1.0, 0.25])
def test_nominal_is_scikit_learns(alpha):
    rows, y = random_rows(8, n=300)
    X = np.array(rows)
    w = np.random.default_rng(0).integers(1, 4, size=300)
    for weights in (None, w):
        ours = NaiveBayes(alpha=alpha, categorical_features="all").fit(X, y, weights)
        theirs = CategoricalNB(alpha=alpha).fit(X, y, weights)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-11)


def test_mixed_is_the_product_of_both():
    X, y = load_iris(return_X_y=True)
    label = np.array(["abc"[int(v) % 3] for v in X[:, 1] * 10])
    frame = pd.DataFrame({"length": X[:, 0], "label": label, "width": X[:, 3]})
    mixed = NaiveBayes().fit(frame, y)
    numeric = NaiveBayes().fit(frame[["length", "width"]], y)
    nominal = NaiveBayes().fit(frame[["label"]], y)
    prior = np.log(np.bincount(y) / len(y))
    both = numeric.predict_joint_log_proba(frame[["length", "width"]])
    both = both + nominal.predict_joint_log_proba(frame[["label"]]) - prior
    np.testing.assert_allclose(mixed.predict_joint_log_proba(frame), both, rtol=1e-12)
    # One column binned, the other normal.
    part = NaiveBayes(distribution={"width": "discretized"}).fit(frame, y)
    assert list(part.cuts_) == ["width"]
    assert np.isnan(part.theta_[:, 2]).all() and not np.isnan(part.theta_[:, 0]).any()
    assert part.feature_count_["width"].sum() == 150
    with pytest.raises(ValueError, match="'label', which is nominal"):
        NaiveBayes(distribution={"label": "gaussian"}).fit(frame, y)


@pytest.mark.parametrize("model", LEARNERS, ids=ids)
def test_check_estimator(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(model, on_skip=None)
    assert not [r for r in results if r["status"] in ("failed", "xfail")]
    assert len([r for r in results if r["status"] == "passed"]) > 45
    assert {r["check_name"] for r in results if r["status"] == "skipped"} <= {
        "check_array_api_input"
    }


# -- laws -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", LEARNERS, ids=ids)
def test_a_prediction_is_the_largest_probability(model):
    X, y = mixed_table(5, 300)
    model.fit(X, y)
    p = model.predict_proba(X)
    assert model.predict(X).tolist() == model.classes_[p.argmax(axis=1)].tolist()


@pytest.mark.parametrize("distance", [1e3, 1e20, 1e100, 1e155, 1e200, 1.7e308])
def test_far_away_some_class_is_nearest(distance):
    X = [[0.0], [1.0], [5.0], [9.0]]
    model = NaiveBayes(var_smoothing=0.0).fit(X, [0, 0, 1, 1])
    for sign in (1, -1):
        p = model.predict_proba([[sign * distance]])
        np.testing.assert_allclose(p.sum(), 1.0)
        # the wider class wins far away
        assert p[0].tolist() == [0.0, 1.0]
        assert model.predict([[sign * distance]]).tolist() == [1]
        assert np.isfinite(model.predict_joint_log_proba([[sign * distance]])).any()
    alike = NaiveBayes(var_smoothing=0.0).fit([[0.0], [2.0], [0.0], [2.0]], [0, 0, 1, 1])
    assert alike.predict_proba([[distance]]).tolist() == [[0.5, 0.5]]


def mixed_table(seed=0, n=200):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=n) + y,
            "b": rng.normal(size=n) * (1 + y),
            "c": pd.Categorical(
                np.where(rng.random(n) < 0.5, y, rng.integers(4, size=n)), categories=range(5)
            ),
            "d": pd.Categorical(rng.integers(2, size=n), categories=range(2)),
        }
    )
    frame.loc[rng.random(n) < 0.1, "a"] = np.nan
    frame.loc[rng.random(n) < 0.1, "c"] = np.nan
    return frame, y


@pytest.mark.parametrize("model", LEARNERS, ids=ids)
def test_probabilities_sum_to_one(model):
    X, y = mixed_table()
    p = model.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    assert p.min() >= 0
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), p, rtol=1e-10, atol=1e-300)
    assert np.array_equal(model.classes_[p.argmax(axis=1)], model.predict(X))


@pytest.mark.parametrize("model", LEARNERS, ids=ids)
def test_weights_are_copies(model):
    X, y = mixed_table(1)
    w = np.random.default_rng(2).integers(0, 4, size=len(y))
    weighted = clone(model).fit(X, y, w)
    copied = clone(model).fit(X.loc[np.repeat(X.index, w)], np.repeat(y, w))
    np.testing.assert_allclose(
        weighted.predict_proba(X), copied.predict_proba(X), rtol=1e-9, atol=1e-12
    )
    assert np.array_equal(weighted.class_count_, copied.class_count_)
    if isinstance(model, TAN):
        assert weighted.parents_ == copied.parents_


@pytest.mark.parametrize("model", LEARNERS, ids=ids)
def test_neither_row_order_nor_threads_matter_to_the_bit(model):
    X, y = mixed_table(3, 3000)
    order = np.random.default_rng(4).permutation(len(y))
    first = clone(model).fit(X, y).predict_joint_log_proba(X)
    again = clone(model).fit(X.iloc[order], y[order]).predict_joint_log_proba(X)
    threads = clone(model).set_params(n_jobs=3).fit(X, y).predict_joint_log_proba(X)
    assert np.array_equal(first, again)
    assert np.array_equal(first, threads)


def test_threads_matter_to_nothing_in_long_calls():
    rng = np.random.default_rng(0)
    y = rng.integers(5, size=20_000)
    X = rng.integers(6, size=(20_000, 10))
    X[:, 3] = (X[:, 2] + y) % 6
    for model in (AODE(categorical_features="all"), TAN(categorical_features="all"), NaiveBayes()):
        one = clone(model).fit(X, y)
        many = clone(model).set_params(n_jobs=4).fit(X, y)
        assert np.array_equal(one.predict_joint_log_proba(X), many.predict_joint_log_proba(X))


# -- missing, unknown, declared, refused ----------------------------------------------------------


@pytest.mark.parametrize("model", LEARNERS, ids=ids)
def test_unseen_levels_are_missing_with_a_warning(model):
    X, y = mixed_table()
    model = clone(model).fit(X, y)
    strange = X.assign(c=pd.Categorical([7] * len(X)))
    gone = X.assign(c=pd.Categorical([None] * len(X), categories=range(5)))
    with pytest.warns(UserWarning, match="column 'c' holds 1 level"):
        found = model.predict_proba(strange)
    assert np.array_equal(found, model.predict_proba(gone))
    with pytest.raises(ValueError, match="handle_unknown='missing'"):
        clone(model).set_params(handle_unknown="error").fit(X, y).predict(strange)


def test_mode_fills_what_is_missing():
    X, y = mixed_table()
    filled = X.copy()
    filled["c"] = filled["c"].fillna(filled["c"].mode()[0])
    model = TAN(missing="mode").fit(X[["c", "d"]], y)
    other = TAN().fit(filled[["c", "d"]], y)
    assert np.array_equal(
        model.predict_proba(X[["c", "d"]]), other.predict_proba(filled[["c", "d"]])
    )


@pytest.mark.parametrize("model", LEARNERS, ids=ids)
def test_declared_classes_without_rows(model):
    X, y = mixed_table()
    table = Table(X, y, levels={"class": range(4)})
    model = clone(model).fit(table)
    p = model.predict_proba(table)
    assert p.shape == (200, 4)
    assert model.classes_.tolist() == [0, 1, 2, 3]
    assert model.class_prior_ == pytest.approx((np.bincount(y, minlength=4) + 0.5) / 202)
    assert np.all(p[:, 3] == 0) if isinstance(model, NaiveBayes) else np.all(p[:, 3] > 0)
    assert model.score(table) > 0.4


def test_refusals_name_what_is_wrong():
    X, y = mixed_table()
    cases = [
        (NaiveBayes(distribution="normal"), "distribution='normal'"),
        (NaiveBayes(distribution={"z": "gaussian"}), "column 'z'"),
        (NaiveBayes(priors=[0.5, 0.5]), "priors"),
        (NaiveBayes(priors=[0.5, 0.5, 0.5]), "sum to 1"),
        (NaiveBayes(var_smoothing=-1), "var_smoothing"),
        (NaiveBayes(alpha=0), "alpha=0"),
        (TAN(structure="k2"), "structure='k2'"),
        (TAN(missing="error"), "missing='error'"),
        (AODE(discretize=None), "column 'a' is numeric"),
        (AODE(discretize="chi"), "discretize='chi'"),
        (AODE(smoothing="none"), "smoothing='none'"),
        (AODE(frequency_limit=-1), "frequency_limit"),
    ]
    for model, words in cases:
        with pytest.raises(ValueError, match=words):
            model.fit(X, y)
    with pytest.raises(ValueError, match="variance 0 in class"):
        NaiveBayes(var_smoothing=0).fit([[1.0], [1.0], [2.0]], [0, 0, 1])
    wide = pd.DataFrame({n: pd.Categorical(range(20_000)) for n in "ab"})
    with pytest.raises(ValueError, match="tables of pairs"):
        AODE().fit(wide, np.arange(20_000) % 2)


def test_columns_that_say_nothing():
    X = pd.DataFrame({"a": [np.nan] * 6, "b": [1.0] * 6, "c": [0.0, 0.1, 0.2, 5.0, 5.1, 5.2]})
    y = [0, 0, 0, 1, 1, 1]
    for model in LEARNERS:
        assert np.isfinite(clone(model).fit(X, y).predict_proba(X)).all()
    assert NaiveBayes().fit(X, y).score(X, y) == 1.0


# -- tools around them ----------------------------------------------------------------------------


@pytest.mark.parametrize("model", LEARNERS, ids=ids)
def test_pickle_joblib_and_clone(model, tmp_path):
    X, y = mixed_table()
    fitted = clone(model).fit(X, y)
    joblib.dump(fitted, tmp_path / "model")
    for other in (pickle.loads(pickle.dumps(fitted)), joblib.load(tmp_path / "model")):
        assert np.array_equal(other.predict_proba(X), fitted.predict_proba(X))
        assert other.get_params() == fitted.get_params()


def test_a_broken_pickle_is_refused():
    from fasttree import _engine

    X, y = mixed_table()
    for model in (NaiveBayes(), TAN(), AODE()):
        state = json.loads(model.fit(X, y)._model.to_bytes())
        state["class_counts"].append(1.0)
        with pytest.raises(ValueError, match="not a valid fasttree model"):
            _engine.bayes_model_from_bytes(json.dumps(state).encode())
    state = json.loads(TAN().fit(X, y)._model.to_bytes())
    state["kind"]["tan"]["parents"] = [1, 2, 3, 0]
    with pytest.raises(ValueError, match="not a valid fasttree model"):
        _engine.bayes_model_from_bytes(json.dumps(state).encode())


def test_in_cross_validation_with_trees():
    estimators = {"nb": NaiveBayes(), "tan": TAN(), "aode": AODE()}
    table = fasttree.datasets.load_weather()
    found = cross_validate(
        table, criterion=["gini"], estimators=estimators, cv="5x2", random_state=0
    )
    assert found.methods == ("gini", "nb", "tan", "aode")
    iris = fasttree.datasets.load_iris()
    found = cross_validate(
        iris,
        criterion=None,
        estimators=estimators,
        cv="5x10",
        random_state=0,
        scoring=["accuracy", "bayesian_information_reward"],
    )
    assert found["aode"]["accuracy"].mean() > 0.9
    assert found["nb"]["accuracy"].mean() > 0.9
    assert found["tan"]["accuracy"].mean() > 0.9


def test_grid_search():
    X, y = mixed_table()
    search = GridSearchCV(
        TAN(), {"alpha": [0.1, 0.5, 1.0], "structure": ["chow_liu", "wrapper"]}, cv=3
    ).fit(X, y)
    assert len(search.cv_results_["params"]) == 6
    assert search.best_score_ > 0.4


def test_many_rows_and_classes_are_told_apart():
    rng = np.random.default_rng(0)
    y = rng.integers(26, size=20_000)
    X = (rng.integers(16, size=(20_000, 16)) + y[:, None] * rng.integers(2, size=16)) % 16
    found = []
    for model in (
        NaiveBayes(categorical_features="all"),
        TAN(categorical_features="all"),
        AODE(categorical_features="all"),
    ):
        found.append(model.fit(X.astype(np.uint8), y).score(X.astype(np.uint8), y))
    # The class shows in how features go together, more than in each alone.
    assert 2 / 26 < found[0] < found[1] < found[2]

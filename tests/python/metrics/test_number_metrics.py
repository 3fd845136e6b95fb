"""Metrics of numbers: against scikit-learn and SciPy, a tree that Weka printed, and bad input."""

import csv
import math
import pickle

import numpy as np
import pytest
import sklearn.metrics
from scipy.stats import pearsonr
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score

import fasttree
from fasttree import FastForestRegressor, FastTreeRegressor, Table, metrics
from fasttree.metrics import METRICS, RegressionEvaluation

X, Y = load_diabetes(return_X_y=True)
NUMBERS = [metric for metric in METRICS.values() if metric.task == "regression"]


def test_the_registry_tells_metrics_of_numbers_apart():
    assert [metric.name for metric in NUMBERS] == [
        "r2_score",
        "root_mean_squared_error",
        "mean_absolute_error",
        "median_absolute_error",
        "mean_pinball_loss",
        "mean_poisson_deviance",
    ]
    assert {metric.task for metric in METRICS.values() if metric.needs == "tree"} == {None}
    assert METRICS["log_loss"].task == "classification"
    rows = {row["name"]: row for row in metrics.list_metrics()}
    assert rows["r2_score"]["task"] == "regression" and rows["leaves"]["task"] is None
    assert [metric.name for metric in NUMBERS if metric.greater_is_better] == ["r2_score"]
    for short, name in (("r2", "r2_score"), ("rmse", "root_mean_squared_error")):
        assert metrics.get_metric(short).name == name
    assert metrics.get_metric("mae") is METRICS["mean_absolute_error"]


@pytest.mark.parametrize("metric", NUMBERS, ids=lambda metric: metric.name)
@pytest.mark.parametrize("weighted", [False, True])
def test_values_are_those_of_scikit_learn(metric, weighted):
    draws = np.random.default_rng(1)
    theirs = getattr(sklearn.metrics, metric.name)
    for n in (2, 7, 200):
        y, predicted = draws.poisson(3.0, n), draws.gamma(3.0, 1.0, n)
        weights = draws.gamma(1.0, 1.0, n) if weighted else None
        found = metric.function(y, predicted, sample_weight=weights)
        assert found == pytest.approx(theirs(y, predicted, sample_weight=weights), rel=1e-12)
        if not weighted:
            own = metric.from_rows(y.astype(float), predicted)
            assert own == pytest.approx(found, rel=1e-12, abs=1e-12)
    # Lists, columns and series of one column are the same numbers.
    assert metric.function([1, 2, 4], [[1.5], [2.0], [3.0]]) == pytest.approx(
        theirs([1, 2, 4], [1.5, 2.0, 3.0])
    )


@pytest.mark.parametrize("quantile", [0.05, 0.5, 0.9])
def test_pinball_loss_is_least_at_its_quantile(quantile):
    y = np.random.default_rng(0).exponential(size=501)
    at = np.quantile(y, quantile)

    def loss(value):
        return metrics.mean_pinball_loss(y, np.full(len(y), value), quantile=quantile)

    theirs = sklearn.metrics.mean_pinball_loss(y, np.full(len(y), at), alpha=quantile)
    assert loss(at) == pytest.approx(theirs, rel=1e-12)
    assert loss(at) < min(loss(at - 0.1), loss(at + 0.1))
    own = METRICS["mean_pinball_loss"].from_rows(y, np.full(len(y), at), quantile=quantile)
    assert own == pytest.approx(theirs, rel=1e-12)


def test_poisson_deviance_is_the_full_one_and_has_limits_at_zero():
    y, rate = np.array([0.0, 1.0, 4.0]), np.array([0.5, 2.0, 3.0])
    half = np.mean([0.5, math.log(1 / 2) - 1 + 2, 4 * math.log(4 / 3) - 4 + 3])
    assert metrics.mean_poisson_deviance(y, rate) == pytest.approx(2 * half, rel=1e-14)
    assert metrics.mean_poisson_deviance([0, 0], [0, 1]) == 1.0
    assert metrics.mean_poisson_deviance([0, 2], [0, 0]) == math.inf
    # Twice the impurity of the criterion of that name.
    counts = np.random.default_rng(0).poisson(2.0, 60)
    tree = FastTreeRegressor(criterion="poisson", max_depth=1).fit(X[:60], counts)
    alone = metrics.mean_poisson_deviance(counts, np.full(60, counts.mean()))
    assert tree.tree_.impurity[0] == pytest.approx(alone / 2, rel=1e-9)


def test_r2_of_constant_numbers_and_of_one_row():
    for function in (metrics.r2_score, METRICS["r2_score"].from_rows):
        same = np.full(3, 2.0)
        assert function(same, same) == 1.0 and function(same, same + 1) == 0.0
    assert math.isnan(METRICS["r2_score"].from_rows(np.ones(1), np.ones(1)))
    assert math.isnan(RegressionEvaluation([1.0], [2.0]).r2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: metrics.r2_score([1, None], [1, 2]), "y_true: row 1 is nan"),
        (lambda: metrics.r2_score([1, 2], [1, np.inf]), "y_pred: row 1 is inf"),
        (lambda: metrics.r2_score([1, 2, 3], [1, 2]), "y_pred has 2 rows but y_true has 3"),
        (lambda: metrics.r2_score([], []), "no rows"),
        (lambda: metrics.r2_score(np.ones((2, 2)), [1, 2]), r"got shape \(2, 2\)"),
        (lambda: metrics.mean_pinball_loss([1], [1], quantile=1), "quantile=1"),
        (lambda: metrics.mean_poisson_deviance([1, -2], [1, 1]), "y_true of row 1 is -2"),
        (lambda: metrics.mean_poisson_deviance([1, 2], [-1, 1]), "y_pred of row 0 is -1"),
        (
            lambda: metrics.mean_absolute_error([1, 2], [1, 1], sample_weight=[0, 0]),
            "all weights are zero",
        ),
        (lambda: metrics.mean_absolute_error([1, 2], [1, 1], sample_weight=[1]), "sample_weight"),
        (lambda: RegressionEvaluation([1, 2], [1, 2], mean=np.nan), "mean: row 0 is nan"),
        (lambda: FastTreeRegressor().fit(X, Y).evaluate(X), "requires y"),
    ],
)
def test_bad_input_says_what_and_where(call, words):
    with pytest.raises(ValueError, match=words):
        call()
    with pytest.raises(ValueError, match="could not convert|numbers"):
        metrics.mean_absolute_error(["a"], [1.0])


def test_scorers_serve_scikit_learn():
    for short, name in (
        ("r2", "r2"),
        ("rmse", "neg_root_mean_squared_error"),
        ("mae", "neg_mean_absolute_error"),
        ("medae", "neg_median_absolute_error"),
        ("poisson_deviance", "neg_mean_poisson_deviance"),
    ):
        for model in (FastTreeRegressor(max_depth=3), Ridge()):
            ours = cross_val_score(model, X, Y, cv=3, scoring=metrics.scorer(short))
            theirs = cross_val_score(model, X, Y, cv=3, scoring=name)
            np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    search = GridSearchCV(
        FastTreeRegressor(), {"max_depth": [1, 2, 12]}, scoring=metrics.scorer("mae"), cv=3
    ).fit(X, Y)
    assert search.best_params_ == {"max_depth": 2} and search.best_score_ < 0
    model = FastTreeRegressor(criterion="quantile", max_depth=2).fit(X, Y)
    scorer = pickle.loads(pickle.dumps(metrics.scorer("pinball", quantile=0.9)))
    weights = np.arange(len(Y))
    assert scorer(model, X, Y, sample_weight=weights) == -sklearn.metrics.mean_pinball_loss(
        Y, model.predict(X), alpha=0.9, sample_weight=weights
    )


def test_evaluation_agrees_with_scipy_and_scikit_learn():
    draws = np.random.default_rng(3)
    y, predicted = draws.normal(size=90), draws.normal(size=90)
    found = RegressionEvaluation(y, predicted)
    assert found.correlation == pytest.approx(pearsonr(y, predicted).statistic, rel=1e-12)
    assert found.root_relative_squared_error == pytest.approx(math.sqrt(1 - found.r2), rel=1e-12)
    always = np.full(90, y.mean())
    share = sklearn.metrics.mean_absolute_error(y, predicted) / np.abs(y - always).mean()
    assert found.relative_absolute_error == pytest.approx(share, rel=1e-12)
    assert found.to_dict()["median_absolute_error"] == np.median(np.abs(y - predicted))
    # Compared with another mean; that of a training set, say.
    other = RegressionEvaluation(y, predicted, mean=1.0)
    assert other.relative_absolute_error == pytest.approx(
        np.abs(y - predicted).sum() / np.abs(y - 1.0).sum(), rel=1e-12
    )
    # A constant has no correlation, and no error of the mean to compare with.
    flat = RegressionEvaluation([2.0, 2.0], [1.0, 3.0])
    assert math.isnan(flat.correlation) and math.isnan(flat.relative_absolute_error)
    lines = [line.split(maxsplit=1) for line in str(flat).replace("error", "").splitlines()]
    assert "Correlation coefficient       -\n" in str(flat) and "%" not in str(flat)
    assert ["R2", "0.0000 (the observed numbers are all equal)"] in lines


def test_evaluation_prints_what_weka_printed(published):
    """REPTree of depth 3 without pruning on Boston: its leaves predict the means of their rows."""
    folder = published / "regression"
    if not folder.is_dir():
        pytest.skip("no reference results of regression trees")
    with open(folder / "data" / "boston.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    y, rm, lstat, dis, crim = (
        np.array([float(row[name]) for row in rows])
        for name in ("medv", "rm", "lstat", "dis", "crim")
    )
    low = rm < 6.94
    leaves = [
        low & (lstat < 14.4) & (dis < 1.38),
        low & (lstat < 14.4) & (dis >= 1.38),
        low & (lstat >= 14.4) & (crim < 6.99),
        low & (lstat >= 14.4) & (crim >= 6.99),
        ~low & (rm < 7.44),
        ~low & (rm >= 7.44),
    ]
    assert [int(leaf.sum()) for leaf in leaves] == [5, 250, 101, 74, 46, 30]  # as printed
    predicted = np.select(leaves, [y[leaf].mean() for leaf in leaves])
    lines = str(RegressionEvaluation(y, predicted)).splitlines()
    printed = {line[:30].strip(): line[30:].strip() for line in lines}
    text = (folder / "weka_boston.txt").read_text(encoding="utf-8")
    weka = text.split("##### REPTree_noprune_depth3")[1].split("#####")[0]
    names = {
        "Correlation coefficient": "Correlation coefficient",
        "Mean absolute error": "Mean absolute error",
        "Root mean squared error": "Root mean squared error",
        "Relative absolute error": "Relative absolute error",
        "Root relative squared error": "Root relative squared error",
        "Total Number of Instances": "Rows",
    }
    found = {line[:36].strip(): line[36:].strip() for line in weka.splitlines()}
    for theirs, ours in names.items():
        assert printed[ours].split() == found[theirs].split(), theirs


@pytest.mark.parametrize(
    "model", [FastTreeRegressor(max_depth=3), FastForestRegressor(n_estimators=3)]
)
def test_fitted_regressors_are_evaluated(model):
    model.fit(X[:300], Y[:300])
    found = model.evaluate(X[300:], Y[300:])
    assert found.n_rows == 142 and found.r2 == model.score(X[300:], Y[300:])
    np.testing.assert_array_equal(found.predicted, model.predict(X[300:]))
    table = Table(X[300:], Y[300:], task="regression")
    assert model.evaluate(table).to_dict() == found.to_dict()
    assert repr(found).startswith("RegressionEvaluation: 142 rows, R2 ")
    assert "Root relative squared error" in found._repr_html_()
    assert fasttree.metrics.r2_score(Y[300:], model.predict(X[300:])) == found.r2

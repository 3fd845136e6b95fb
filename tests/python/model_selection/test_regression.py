"""cross_validate, compare, learning_curve and sweep of a number: against scikit-learn on the same
folds, and against sums written out."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_diabetes, load_iris
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, RepeatedKFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor

import fasttree
from fasttree import FastForestRegressor, FastTreeRegressor, Table, criteria, metrics
from fasttree.model_selection import (
    JavaRandom,
    WekaKFold,
    compare,
    cross_validate,
    learning_curve,
    sweep,
)
from fasttree.model_selection.arguments import Request
from fasttree.model_selection.units import Unit, run_unit
from fasttree.model_selection.validation import prepare_validation

from ..tools import function_calls

X, Y = load_diabetes(return_X_y=True)
X, Y = X[:160], Y[:160]
COUNTS = np.random.default_rng(0).poisson(2.0 + 20 * np.abs(X[:, 2]))
ERRORS = ("r2", "rmse", "mae", "medae", "pinball_loss")


def mixed_table():
    """Numbers with gaps, a nominal column, and a number to predict."""
    frame = {
        "bmi": np.where(np.arange(160) % 7 == 0, np.nan, X[:, 2]),
        "bp": X[:, 3],
        "sex": np.where(X[:, 1] > 0, "m", "f"),
    }
    return frame, Table(frame, Y, task="regression")


METHODS = {
    "squared_error": {"criterion": "squared_error"},
    "absolute_error": {"criterion": "absolute_error", "max_leaf_nodes": 6},
    "quantile": {"criterion": criteria.Quantile(0.8), "max_depth": 3},
    "standard_deviation": {"criterion": "standard_deviation", "min_samples_leaf": 5},
    "bins": {"criterion": "gini", "target_bins": 4, "max_depth": 4},
    "shares": {"min_samples_leaf": 0.05},
}


@pytest.mark.parametrize("name", list(METHODS))
def test_predictions_are_those_of_cross_val_predict(name):
    """The core's one call, and clones where it has none, against scikit-learn's loop."""
    cv = RepeatedKFold(n_splits=5, n_repeats=1, random_state=3)
    model = FastTreeRegressor(**METHODS[name])
    settings = dict(METHODS[name])
    criterion = settings.pop("criterion", "squared_error")
    found = cross_validate(
        X,
        Y,
        {name: criterion},
        cv="1x5",
        random_state=3,
        scoring=ERRORS,
        task="regression",
        **settings,
    )
    expected = cross_val_predict(model, X, Y, cv=cv)
    np.testing.assert_array_equal(found[name].predictions, expected[found.folds.test_rows])
    np.testing.assert_array_equal(found.true_numbers, Y[found.folds.test_rows])
    assert found.metrics == ERRORS and found.task == "regression" and found.classes == ()
    for metric in ERRORS:
        for fold, (_, test) in enumerate(found.folds.pairs):
            value = metrics.get_metric(metric).function(Y[test], expected[test])
            assert found[name][metric][fold] == pytest.approx(value, rel=1e-12)


def test_scores_are_those_of_cross_val_score():
    cv = RepeatedKFold(n_splits=4, n_repeats=2, random_state=0)
    others = {
        "ridge": Ridge(),
        "cart": DecisionTreeRegressor(max_depth=2),
        "forest": FastForestRegressor(n_estimators=3, random_state=0),
    }
    found = cross_validate(X, Y, "squared_error", estimators=others, cv="2x4", max_depth=2)
    assert list(found) == ["squared_error", *others] and found.metrics == ("r2", "rmse", "mae")
    models = {"squared_error": FastTreeRegressor(max_depth=2), **others}
    for name, model in models.items():
        for metric, theirs in (("r2", "r2"), ("mae", "neg_mean_absolute_error")):
            sign = 1 if metric == "r2" else -1
            scores = cross_val_score(model, X, Y, cv=cv, scoring=theirs)
            np.testing.assert_allclose(found[name][metric], sign * scores, rtol=1e-12)
    # Our tree and scikit-learn's are the same, their sizes too.
    np.testing.assert_allclose(found["squared_error"]["rmse"], found["cart"]["rmse"], rtol=1e-9)
    np.testing.assert_array_equal(found["squared_error"]["leaves"], found["cart"]["leaves"])
    # A scorer of scikit-learn needs fitted estimators, and says the same.
    slow = cross_validate(
        X, Y, "squared_error", cv="2x4", scoring=["r2", "neg_max_error"], max_depth=2
    )
    np.testing.assert_array_equal(slow["squared_error"]["r2"], found["squared_error"]["r2"])
    assert (slow["squared_error"]["neg_max_error"] < 0).all()


def test_plain_configurations_take_one_call_into_the_core(monkeypatch):
    calls = []
    real = fasttree._engine.cross_validate
    monkeypatch.setattr(
        fasttree._engine, "cross_validate", lambda *a, **k: calls.append(len(a[1])) or real(*a, **k)
    )
    one = cross_validate(X, Y, ["squared_error", "absolute_error"], cv="2x5", max_depth=2)
    assert calls == [2]
    two = cross_validate(X, Y, ["squared_error", "absolute_error"], cv="2x5", max_depth=2, n_jobs=2)
    for name in one:
        np.testing.assert_array_equal(one[name].predictions, two[name].predictions)
    table = Table(X, Y, task="regression")
    config = {"criterion": ["squared_error"], "cv": "5x10", "max_leaf_nodes": 8}
    few = function_calls(lambda: cross_validate(table, **config, scoring="mae"))
    many = function_calls(lambda: cross_validate(table, **config))
    assert many - few < 50 * 60  # two more metrics on 50 folds


def test_tables_with_gaps_names_and_weights():
    frame, table = mixed_table()
    table.sample_weight = np.random.default_rng(1).integers(1, 4, 160).astype(float)
    code = make_column_transformer((OneHotEncoder(), ["sex"]), remainder="drop")
    found = cross_validate(
        table,
        ["squared_error"],
        estimators={
            "line": make_pipeline(code, Ridge()),
            "codes": DecisionTreeRegressor(max_depth=2),
        },
        cv="1x4",
        max_depth=3,
    )
    for fold, (train, test) in enumerate(found.folds.pairs):
        model = FastTreeRegressor(max_depth=3).fit(
            table.take(train), sample_weight=table.sample_weight[train]
        )
        start = found.folds.starts[fold]
        np.testing.assert_array_equal(
            model.predict(table.take(test)),
            found["squared_error"].predictions[start : start + len(test)],
        )
    assert np.isfinite(found.matrix("rmse")).all()
    refitted = found.refit("squared_error")
    assert isinstance(refitted, FastTreeRegressor) and refitted.get_depth() == 3


# -- folds ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("cv", ["2x5", 5])
def test_folds_are_shuffled_and_not_stratified(cv):
    n_repeats = 2 if cv == "2x5" else 1
    found = cross_validate(X, Y, estimators=DummyRegressor(), cv=cv, random_state=7).folds
    theirs = RepeatedKFold(n_splits=5, n_repeats=n_repeats, random_state=7).split(X)
    assert (found.n_repeats, found.n_splits) == (n_repeats, 5)
    for (train, test), (own_train, own_test) in zip(theirs, found.pairs, strict=True):
        np.testing.assert_array_equal(train, own_train)
        np.testing.assert_array_equal(test, own_test)
    # A generator is a seed, too, and so is a large number.
    for seed in (np.random.default_rng(1), 2**40 + 1):
        assert cross_validate(X, Y, estimators=DummyRegressor(), cv=cv, random_state=seed)
    own = KFold(4)
    given = cross_validate(X, Y, estimators=DummyRegressor(), cv=own).folds
    np.testing.assert_array_equal(given.test_rows, np.arange(160))


def test_weka_folds_of_a_numeric_class():
    """Weka shuffles from the last row down, then cuts into blocks."""
    n, k, seed = 23, 4, 2
    order, draws = list(range(n)), JavaRandom(seed)
    for last in range(n - 1, 0, -1):
        other = int(draws.next_ints(np.array([last + 1]))[0])
        order[last], order[other] = order[other], order[last]
    folds = list(WekaKFold(n_splits=k, n_repeats=1, seeds=[seed]).split(np.zeros((n, 1))))
    assert [len(test) for _, test in folds] == [6, 6, 6, 5]
    assert [row for _, test in folds for row in test] == order
    assert all(sorted([*train, *test]) == list(range(n)) for train, test in folds)
    found = cross_validate(X, Y, estimators=DummyRegressor(), cv="weka").folds
    assert len(found.pairs) == 100 and found.partition_rows(160)


# -- the task -------------------------------------------------------------------------------------

WHOLE = np.round(Y / 100).astype(int)


@pytest.mark.parametrize(
    ("options", "task"),
    [
        ({"y": Y + 0.5}, "regression"),
        ({"y": WHOLE}, "classification"),
        ({"y": WHOLE, "criterion": "gini"}, "classification"),
        ({"y": WHOLE, "criterion": ["gini", "squared_error"], "on_error": "skip"}, "regression"),
        ({"y": WHOLE, "criterion": "gini", "target_bins": 3}, "regression"),
        ({"y": WHOLE, "estimators": Ridge()}, "regression"),
        ({"y": WHOLE, "estimators": [make_pipeline(OneHotEncoder(), Ridge())]}, "regression"),
        ({"y": WHOLE, "scoring": "mae", "estimators": None}, "regression"),
        ({"y": WHOLE, "task": "regression"}, "regression"),
        ({"y": WHOLE, "scoring": "leaves"}, "classification"),
    ],
)
def test_the_task_follows_from_the_call(options, task):
    options = {"max_depth": 2, "cv": "1x2", **options}
    if options.get("estimators"):
        options.pop("max_depth")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert cross_validate(X[:, :3].round(1), options.pop("y"), **options).task == task


def test_the_task_of_a_table_is_its_own():
    table = Table(X, WHOLE)
    assert cross_validate(table, cv="1x2", max_depth=1).task == "classification"
    found = cross_validate(table, cv="1x2", max_depth=1, task="regression")
    assert found.task == "regression" and found.true_numbers.dtype == float
    found = cross_validate(table.as_regression(), cv="1x2", max_depth=1)
    assert found.methods == ("squared_error",)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"estimators": {"LR": LogisticRegression()}}, TypeError, "'LR' is a classifier"),
        (
            {"estimators": {"R": Ridge()}, "task": "classification", "y": WHOLE},
            TypeError,
            "'R' is a regressor, and task='classification' needs classifiers",
        ),
        ({"scoring": "accuracy"}, ValueError, "'accuracy' is a metric of classification"),
        (
            {"scoring": ["r2"], "y": WHOLE, "task": "classification"},
            ValueError,
            "'r2' is a metric of regression, and the task is classification",
        ),
        ({"criterion": "gini"}, ValueError, "target_bins"),
        ({"task": "ranking"}, ValueError, "task='ranking'"),
        ({"y": [*Y[:-1], np.nan]}, ValueError, "row 159 of the target"),
        ({"y": [*Y[:-1], np.inf]}, ValueError, "Row 159 of the target"),
        ({"y": Y[:-1]}, ValueError, "160"),
        ({"y": ["a"] * 160, "task": "regression"}, ValueError, "which is not a number"),
        ({"y": Y - 400.5, "scoring": "poisson_deviance"}, ValueError, "y_true of row 0 is -"),
        ({"cv": "1x200"}, ValueError, "200"),
    ],
)
def test_bad_input_says_what_is_wrong(options, error, words):
    call = {"y": Y + 0.5, "cv": "1x3", "task": None, **options}
    with pytest.raises(error, match=words):
        cross_validate(X, **call)


class Broken(DummyRegressor):
    """Predicts no number for its first row."""

    def predict(self, X):
        found = super().predict(X)
        found[0] = np.nan
        return found


def test_a_prediction_that_is_no_number_names_its_method_and_may_be_left_out():
    methods = {"broken": Broken(), "mean": DummyRegressor()}
    with pytest.raises(ValueError, match="predictions of broken: row 0 is nan"):
        cross_validate(X, Y, estimators=methods, cv="1x3")
    found = cross_validate(X, Y, estimators=methods, cv="1x3", on_error="skip")
    assert found.methods == ("mean",) and "broken does not apply" in found.to_text()


# -- results --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def result():
    return cross_validate(
        Table(X, Y, task="regression", name="diabetes"),
        ["squared_error", "absolute_error"],
        estimators={"mean": DummyRegressor()},
        cv="3x5",
        max_leaf_nodes=5,
    )


def test_results_are_mappings_and_frames(result):
    frame = result.to_frame()
    assert frame["method"].tolist() == ["squared_error", "absolute_error", "mean"]
    assert frame["rmse_mean"][0] == pytest.approx(result["squared_error"]["rmse"].mean())
    assert result.mean("mean", "mae") == pytest.approx(np.mean(result["mean"]["mae"]))
    folds = result.to_frame(folds=True)
    assert len(folds) == 45 and "unclassified" not in folds.columns
    text = result.to_text()
    assert text.startswith("diabetes: 3 methods, 15 folds (3x5)") and "rmse" in text
    # The best is the smallest error and the largest R2.
    for metric, best in (("r2", np.max), ("rmse", np.min)):
        means = [result.mean(method, metric) for method in result]
        row = text.splitlines()[4 + int(np.argmax(np.array(means) == best(means)))]
        assert "!" in row
    assert result.document()["task"] == "regression"
    with pytest.raises(AttributeError, match="see true_numbers"):
        result.true_codes  # noqa: B018
    with pytest.raises(ValueError, match="no classes"):
        result.to_text(per_class=True)
    again = pickle.loads(pickle.dumps(result))
    np.testing.assert_array_equal(again.true_numbers, result.true_numbers)
    of_classes = cross_validate("iris", cv="1x2")
    with pytest.raises(AttributeError, match="see true_codes"):
        of_classes.true_numbers  # noqa: B018


def corrected_t(a, b, ratio):
    """Nadeau and Bengio (2003), written out."""
    d = np.asarray(a) - np.asarray(b)
    t = d.mean() / np.sqrt((1 / len(d) + ratio) * d.var(ddof=1))
    return t, 2 * stats.t.sf(abs(t), len(d) - 1)


@pytest.mark.parametrize("metric", ["r2", "rmse", "mae"])
def test_corrected_t_test_of_errors(result, metric):
    for found, other in zip(result.against_first(metric), ("absolute_error", "mean"), strict=True):
        t, p = corrected_t(result["squared_error"][metric], result[other][metric], 1 / 4)
        assert found.statistic == pytest.approx(t, rel=1e-12)
        assert found.p_value == pytest.approx(p, rel=1e-10)
        assert found.greater_is_better == (metric == "r2")
        assert ("(smaller is better)" in found.sentence) == (metric != "r2")


SETS = {
    name: (X[rows], Y[rows])
    for name, rows in (("a", slice(0, 80)), ("b", slice(40, 120)), ("c", slice(80, 160)))
}


@pytest.fixture(scope="module")
def comparison():
    return compare(
        SETS,
        ["squared_error"],
        estimators={"ridge": Ridge(0.1), "zero": DummyRegressor(strategy="constant", constant=0.0)},
        cv="3x4",
        max_leaf_nodes=4,
        scoring=("rmse", "r2"),
    )


def test_smaller_errors_win(comparison):
    assert comparison.metric == "rmse" and not comparison.greater_is_better
    assert comparison.marks[:, 2].tolist() == ["*"] * 3  # always saying 0 is worse
    assert comparison.wins_ties_losses[2].tolist() == [0, 0, 3]
    assert comparison.with_metric("rmse", baseline="zero").marks[:, 1].tolist() == ["v"] * 3
    np.testing.assert_array_equal(
        comparison.best, comparison.means == comparison.means.min(axis=1, keepdims=True)
    )
    for place, name in enumerate(SETS):
        one = comparison[name]
        _, p = corrected_t(one["squared_error"]["rmse"], one["zero"]["rmse"], 1 / 3)
        assert comparison.p_values[place, 0, 2] == pytest.approx(p, rel=1e-10)
        test = comparison.pair_test(name, "squared_error", "zero")
        assert test.mean_difference < 0 and "(smaller is better)" in test.sentence
        posterior = comparison.bayesian_test(name, "squared_error", "zero", rope=1.0)
        assert posterior.left > 0.95 and "(smaller is better)" in posterior.sentence
    assert "rmse, smaller is better" in comparison.to_text()
    # The posterior speaks of better and worse, whatever the metric's direction.
    assert (comparison.posterior(rope=1.0)[:, 2, 0] > 0.95).all()
    assert (comparison.with_metric("r2").posterior()[:, 2, 0] > 0.95).all()


def test_friedman_ranks_the_smallest_error_first(comparison):
    found = comparison.friedman()
    ranks = stats.rankdata(comparison.means, axis=1).mean(axis=0)
    np.testing.assert_allclose(found.mean_ranks, ranks)
    statistic = stats.friedmanchisquare(*comparison.means.T).statistic
    assert found.statistic == pytest.approx(statistic, rel=1e-12)
    assert comparison.with_metric("r2").friedman().mean_ranks[2] == 3.0


def test_sets_of_two_tasks_are_not_compared():
    with pytest.raises(ValueError, match="'number' is a number and that of 'classes' is classes"):
        compare({"number": (X, Y + 0.5), "classes": load_iris(return_X_y=True)}, cv="1x2")
    found = compare(X, WHOLE, ["squared_error"], cv="1x3", task="regression", max_depth=1)
    assert found.metric == "r2"


def test_results_are_written_in_every_form(result, comparison):
    for one in (result, comparison):
        page = one.to_html()
        assert "Observed by predicted" in page and "<h3>Classes</h3>" not in page
        assert "task=&#39;regression&#39;" in page
        assert "rmse" in one.to_markdown() and "rmse" in one.to_latex() and "rmse" in one.to_csv()
    assert "Comparison of regressors" in comparison.to_html()
    assert "a number from " in result.to_html()


def test_learning_curves_draw_rows_without_regard_to_the_number():
    found = learning_curve(X, Y, "squared_error", train_sizes=(0.5, 1.0), n_repeats=8, max_depth=2)
    assert found.result.metrics == ("r2", "rmse", "mae")
    tests = {tuple(test) for _, test in found.result.folds.pairs}
    assert len(tests) == 8
    # Stratified by the sorted number every test set would be spread over it.
    lows = [np.isin(test, np.argsort(Y)[:80]).sum() for test in tests]
    assert len(set(lows)) > 2
    assert "rmse" in found.to_text()


def test_a_sweep_needs_classes_of_the_number():
    found = sweep(X[:60], Y[:60], alpha=[0.1, 1.0], cv="1x2", target_bins=2, max_depth=1)
    assert found.result.metrics[0] == "r2" and found.best["r2"] == found.map().max()
    by_error = sweep(
        X[:60], Y[:60], alpha=[0.1, 1.0], cv="1x2", target_bins=2, max_depth=1, scoring="rmse"
    )
    assert by_error.best["rmse"] == by_error.map().min()
    with pytest.raises(ValueError, match="target_bins"):
        sweep(X[:60], Y[:60] + 0.5, alpha=[0.1], cv="1x2")


# -- journals -------------------------------------------------------------------------------------


def test_a_journal_continues_a_regression(tmp_path, monkeypatch):
    path = tmp_path / "run.journal"
    call = {
        "criterion": ["squared_error", "absolute_error"],
        "estimators": {"ridge": Ridge(), "trees": RandomForestRegressor(3, random_state=0)},
        "cv": "2x3",
        "max_depth": 2,
    }
    whole = cross_validate(X, Y, **call)
    first = cross_validate(X, Y, **call, journal=path)
    monkeypatch.setattr("fasttree.model_selection.units.fit_methods", None)  # nothing is run again
    again = cross_validate(X, Y, **call, journal=path)
    for name in whole:
        for one in (first, again):
            np.testing.assert_array_equal(one[name].predictions, whole[name].predictions)
            np.testing.assert_array_equal(one[name]["rmse"], whole[name]["rmse"])
    with pytest.raises(ValueError, match="other settings"):
        cross_validate(X, Y + 1, **call, journal=path)


def test_units_of_a_regression_run_in_another_process():
    """What a cluster does: the task is sent, and the outcome of each unit comes back."""
    methods, folds = (["squared_error"], {"ridge": Ridge()}), {"cv": "2x3", "random_state": 0}
    request = Request(*methods, params={"max_depth": 2})
    run = prepare_validation(X, Y, request, n_jobs=1, keep_proba=True, **folds)
    task = pickle.loads(pickle.dumps(run.task))
    whole = cross_validate(X, Y, methods[0], estimators=methods[1], max_depth=2, **folds)
    for place, scores in enumerate(whole.values()):
        outcome = pickle.loads(pickle.dumps(run_unit(task, Unit((place,), 3, 6))))
        np.testing.assert_array_equal(outcome.outputs.predictions[0], scores.predictions[160:])


def test_poisson_counts_are_scored_by_their_deviance():
    found = cross_validate(
        X,
        COUNTS,
        "poisson",
        estimators=DummyRegressor(),
        cv="1x4",
        max_leaf_nodes=3,
        scoring=("poisson_deviance", "r2"),
    )
    assert found.task == "regression"
    for fold, (train, test) in enumerate(found.folds.pairs):
        mean = np.full(len(test), COUNTS[train].mean())
        expected = metrics.mean_poisson_deviance(COUNTS[test], mean)
        assert found["DummyRegressor()"]["poisson_deviance"][fold] == pytest.approx(expected)


def exposed_frame(n=120):
    """Counts of a frame with nominal and numeric columns, and the months they were seen over."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"age": rng.integers(18, 80, n), "car": rng.choice(list("abc"), n)})
    frame["months"] = rng.uniform(1, 24, n).round(1)
    frame["claims"] = rng.poisson(frame["months"] * (0.05 + 0.3 * (frame["age"] < 40)))
    return frame


def named_and_given(frame):
    """The rows of a frame of counts in each form, and the exposures as `exposure=` takes them."""
    X, y, months = frame[["age", "car"]], frame["claims"], frame["months"]
    table = Table(frame, target="claims", task="regression")
    yield "array", X, y, months.to_numpy()
    yield "list", X, y, months.tolist()
    yield "series", X, y, months
    yield "column of a frame", frame, "claims", "months"
    yield "column of a mapping", {n: frame[n].tolist() for n in frame}, "claims", "months"
    yield "column beside y", frame.drop(columns="claims"), y, "months"
    yield "column of a table", table, None, "months"
    yield "column of arrow", pa.table(frame), "claims", "months"


PARAMS = {"criterion": "poisson", "max_depth": 2, "min_samples_leaf": 3}


@pytest.mark.parametrize("form", range(8))
def test_exposure_is_everywhere(form):
    frame = exposed_frame()
    X, y = frame[["age", "car"]], frame["claims"].to_numpy()
    months = frame["months"].to_numpy()
    _, rows, target, exposure = list(named_and_given(frame))[form]
    tree = FastTreeRegressor(**PARAMS).fit(X, y, exposure=months)
    assert tree.feature_names_in_.tolist() == ["age", "car"]
    for fitted in (
        fasttree.fit(rows, target, exposure=exposure, **PARAMS),
        FastTreeRegressor(**PARAMS).fit(rows, target, exposure=exposure),
    ):
        assert fitted.to_text() == tree.to_text()
    # Folds: every tree is that of its rows, and predicts rates.
    folds = KFold(4, shuffle=True, random_state=0)
    found = cross_validate(rows, target, exposure=exposure, cv=folds, **PARAMS)
    errors = []
    for train, test in folds.split(X):
        part = FastTreeRegressor(**PARAMS).fit(X.iloc[train], y[train], exposure=months[train])
        errors.append(np.abs(part.predict(X.iloc[test]) - y[test] / months[test]).mean())
    assert found["poisson"]["mae"] == pytest.approx(errors, rel=1e-12)
    if target is not None:
        rows = Table.from_any(rows, target, task="regression")
    compared = compare({"a": rows}, ["poisson"], exposure=exposure, cv=folds, max_depth=2)
    again = cross_validate(X, y, "poisson", exposure=months, cv=folds, max_depth=2)
    assert compared.results["a"]["poisson"]["mae"].tolist() == again["poisson"]["mae"].tolist()


def test_advice_on_rates_is_a_tree_of_rates():
    frame = exposed_frame()
    by_name = fasttree.advise(frame, "claims", exposure="months", work="quick", progress=None)
    assert by_name.model.criterion == "poisson"
    rates = frame["claims"] / frame["months"]
    mean = np.average(rates, weights=frame["months"])
    assert by_name.to_dict()["mean"] == pytest.approx(mean)
    space = {"frame": frame}
    exec(by_name.code, space)
    assert space["model"].criterion == "poisson"
    assert space["model"].predict(frame[["age", "car"]]).mean() < 0.5 * frame["claims"].mean()


def test_calibration_of_rates_is_that_of_counts_by_exposure():
    frame = exposed_frame()
    X, y, months = frame[["age", "car"]], frame["claims"], frame["months"]
    tree = FastTreeRegressor(**PARAMS).fit(X[:60], y[:60], exposure=months[:60])
    by_rate = tree.calibrate(X[60:], y[60:] / months[60:]).predict_interval(X)
    by_count = tree.calibrate(X[60:], y[60:], exposure=months[60:]).predict_interval(X)
    assert by_rate.tolist() == by_count.tolist()
    with pytest.raises(ValueError, match="rows that the model was fitted on"):
        tree.calibrate(X[:60], y[:60], exposure=months[:60])


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_exposure_without_rates_is_refused_alike(criterion):
    frame = exposed_frame()
    for call in (fasttree.fit, cross_validate):
        with pytest.raises(ValueError, match="exposure .*only .*rates") as raised:
            call(frame, "claims", criterion=criterion, exposure=frame["months"].to_numpy())
        assert "array" not in str(raised.value)
    with pytest.raises(TypeError) as raised:
        fasttree.fit(frame, "claims", exposures=frame["months"].to_numpy())
    assert "exposures=" in str(raised.value) and len(str(raised.value)) < 1500

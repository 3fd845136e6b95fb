"""cross_validate and compare: against scikit-learn, against a stand-in engine, and against sums
written out."""

import sys

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from fasttree import FastTreeClassifier, metrics
from fasttree.model_selection import (
    StratifiedRepeatedKFold,
    compare,
    cross_validate,
    learning_curve,
)
from fasttree.table import Table

from ..tools import function_calls

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]


class Shy(ClassifierMixin, BaseEstimator):
    """Answers like a nearest neighbour, but None where the first feature is above a limit."""

    def __init__(self, limit=6.0):
        self.limit = limit

    def fit(self, X, y):
        self.inner_ = KNeighborsClassifier(1).fit(X, y)
        self.classes_ = self.inner_.classes_
        return self

    def predict(self, X):
        out = self.inner_.predict(X).astype(object)
        out[X[:, 0] > self.limit] = None
        return out

    def predict_proba(self, X):
        out = self.inner_.predict_proba(X)
        out[X[:, 0] > self.limit] = 0.0
        return out


@pytest.fixture
def engine(monkeypatch):
    """A stand-in for the Rust engine and the estimator: scikit-learn's trees behind the same
    interface."""
    calls = []

    class FastTreeClassifier(ClassifierMixin, BaseEstimator):
        discretize = "auto"

        def __init__(self, criterion="info_gain", max_depth=None, random_state=None):
            self.criterion, self.max_depth, self.random_state = criterion, max_depth, random_state

        def fit(self, X, y=None):
            name = self.criterion if isinstance(self.criterion, str) else "gini"
            self.inner_ = _tree(name, self.max_depth).fit(X.X, X.y)
            self.classes_ = self.inner_.classes_
            return self

        def predict(self, X):
            return self.inner_.predict(X.X)

        def predict_proba(self, X):
            return self.inner_.predict_proba(X.X)

        def get_n_leaves(self):
            return self.inner_.get_n_leaves()

    FastTreeClassifier.__module__ = "fasttree.estimators"

    def _tree(criterion, max_depth):
        name = {"info_gain": "entropy", "gini": "gini"}[criterion]
        return DecisionTreeClassifier(criterion=name, max_depth=max_depth, random_state=0)

    def config_for(estimator, table):
        if estimator.max_depth == 99 or callable(estimator.criterion):
            return None
        return {"criterion": estimator.criterion, "max_depth": estimator.max_depth}

    def run(table, configs, folds, *, n_jobs=None, progress=None, proba=False, **options):
        calls.append(len(configs) * len(folds))
        total = sum(len(test) for _, test in folds)
        out = {
            "predictions": np.empty((len(configs), total), np.int32),
            "proba": np.empty((len(configs), total, len(table.classes))),
            **{
                name: np.zeros((len(configs), len(folds)), np.int64)
                for name in ("leaves", "empty_leaves", "nodes", "depth")
            },
        }
        for i, config in enumerate(configs):
            at = 0
            for j, (train, test) in enumerate(folds):
                tree = _tree(**config).fit(table.X[train], table.y_codes[train])
                out["predictions"][i, at : at + len(test)] = tree.predict(table.X[test])
                out["proba"][i, at : at + len(test)] = tree.predict_proba(table.X[test])
                out["leaves"][i, j], out["nodes"][i, j] = tree.get_n_leaves(), tree.tree_.node_count
                out["depth"][i, j] = tree.get_depth()
                at += len(test)
                if progress:
                    progress(i * len(folds) + j + 1, len(configs) * len(folds))
        return out

    import fasttree
    from fasttree.estimators import tree

    for module in (fasttree.estimators, tree):
        monkeypatch.setattr(module, "FastTreeClassifier", FastTreeClassifier)
    monkeypatch.setattr(tree, "config_for", config_for)
    monkeypatch.setattr(fasttree._engine, "cross_validate", run)
    return calls


def test_any_classifier_scores_as_in_scikit_learn():
    cv = StratifiedRepeatedKFold(5, 2, random_state=3)
    models = {
        "NB": GaussianNB(),
        "tree": DecisionTreeClassifier(random_state=0),
        "knn": KNeighborsClassifier(3),
    }
    result = cross_validate(
        X,
        NAMES,
        estimators=models,
        cv=cv,
        scoring=("accuracy", "log_loss", "auc", "f1_macro", "leaves"),
    )
    assert list(result) == ["NB", "tree", "knn"] and result.metrics[3] == "f1_macro"
    for name, model in models.items():
        np.testing.assert_allclose(
            result[name]["accuracy"], cross_val_score(model, X, NAMES, cv=cv), atol=1e-15
        )
        np.testing.assert_allclose(
            result[name]["f1_macro"], cross_val_score(model, X, NAMES, cv=cv, scoring="f1_macro")
        )
        auc = cross_val_score(model, X, NAMES, cv=cv, scoring="roc_auc_ovr")
        np.testing.assert_allclose(result[name]["auc"], auc, atol=1e-12)
    expected = cross_val_score(models["NB"], X, NAMES, cv=cv, scoring="neg_log_loss")
    np.testing.assert_allclose(result["NB"]["log_loss"], -expected)
    leaves = [
        DecisionTreeClassifier(random_state=0).fit(X[train], NAMES[train]).get_n_leaves()
        for train, _ in cv.split(X, NAMES)
    ]
    assert result["tree"]["leaves"].tolist() == leaves
    assert np.isnan(result["NB"]["leaves"]).all()


def test_rewards_use_the_prior_of_each_training_fold():
    cv = [(np.arange(30, 150), np.arange(30)), (np.arange(0, 110), np.arange(110, 150))]
    result = cross_validate(
        X,
        Y,
        estimators={"knn": KNeighborsClassifier(30)},
        cv=cv,
        scoring={"bir": metrics.scorer("bayesian_information_reward", clip=0.01)},
    )
    for fold, (train, test) in enumerate(cv):
        model = KNeighborsClassifier(30).fit(X[train], Y[train])
        prior = metrics.class_prior(np.bincount(Y[train], minlength=3))
        proba = np.zeros((len(test), 3))
        proba[:, model.classes_] = model.predict_proba(X[test])
        expected = metrics.bayesian_information_reward(
            Y[test], proba, prior=prior, classes=[0, 1, 2], clip=0.01
        )
        assert result["knn"]["bir"][fold] == pytest.approx(expected, abs=1e-12)


def test_an_answer_none_is_an_error_and_its_share_is_reported():
    result = cross_validate(
        X,
        NAMES,
        estimators={"shy": Shy(), "bold": Shy(100.0)},
        cv="2x5",
        scoring=("accuracy", "f_beta"),
    )
    rows, n = result.folds, len(result.folds.pairs)
    for fold in range(n):
        test = rows.pairs[fold][1]
        assert result["shy"]["unclassified"][fold] == (X[test, 0] > 6.0).mean()
    assert (result["bold"]["unclassified"] == 0).all()
    right = result["bold"].predictions == result.true_codes
    shown = X[rows.test_rows, 0] <= 6.0
    sums = np.add.reduceat((right & shown).astype(int), rows.starts)
    np.testing.assert_array_equal(result["shy"]["accuracy"], sums / rows.test_sizes)
    assert (result["shy"].predictions == -1).sum() == (~shown).sum()
    assert "unclassified" in result.to_text()


SCORABLE = [
    metric
    for metric in metrics.METRICS.values()
    if metric.scorable and metric.task == "classification"
]


@pytest.mark.parametrize("metric", SCORABLE, ids=lambda metric: metric.name)
def test_array_form_equals_the_public_function_on_every_fold(metric):
    """The form that scores all folds at once against the function on labels, unclassified rows
    included."""
    y = np.where(Y == 2, "yes", "no") if metric.name == "good_information_reward" else NAMES
    classes = sorted(set(y))
    result = cross_validate(
        X,
        y,
        estimators={"shy": Shy(), "NB": GaussianNB()},
        cv="2x4",
        scoring=[metric, "auc"][: 1 + (metric.name != "auc")],
    )
    for name, scores in result.items():
        for fold, (train, test) in enumerate(result.folds.pairs):
            rows = slice(result.folds.starts[fold], result.folds.starts[fold] + len(test))
            options = {"classes": classes}
            if metric.uses_prior:
                counts = [(y[train] == label).sum() for label in classes]
                options["prior"] = metrics.class_prior(counts)
            if metric.needs == "labels":
                given = np.array(
                    [None if code < 0 else classes[code] for code in scores.predictions[rows]],
                    dtype=object,
                )
            else:
                given = scores.proba[rows]
            expected = metric.function(y[test], given, **options)
            assert scores[metric.name][fold] == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_options_name_classes_by_their_labels():
    scoring = {
        "f2": metrics.scorer("f_beta", beta=2, positive="setosa"),
        "cost": metrics.scorer("expected_cost", cost_matrix=[[0, 9, 9], [1, 0, 1], [1, 1, 0]]),
    }
    result = cross_validate(
        X, NAMES, estimators={"one": KNeighborsClassifier(90)}, cv="1x3", scoring=scoring
    )
    for fold, (train, test) in enumerate(result.folds.pairs):
        guess = KNeighborsClassifier(90).fit(X[train], NAMES[train]).predict(X[test])
        assert result["one"]["f2"][fold] == metrics.f_beta(
            NAMES[test], guess, beta=2, positive="setosa"
        )
        assert result["one"]["cost"][fold] == metrics.expected_cost(
            NAMES[test], guess, cost_matrix=scoring["cost"].options["cost_matrix"]
        )


def test_ranking_scores_without_probabilities():
    data = load_breast_cancer()
    ridge = {"ridge": RidgeClassifier()}
    result = cross_validate(data.data, data.target, estimators=ridge, cv="1x5", scoring="auc")
    cv = StratifiedRepeatedKFold(5, 1, random_state=0)
    expected = cross_val_score(RidgeClassifier(), data.data, data.target, cv=cv, scoring="roc_auc")
    np.testing.assert_allclose(result["ridge"]["auc"], expected)
    with pytest.raises(ValueError, match="ridge has no predict_proba"):
        cross_validate(data.data, data.target, estimators=ridge, cv="1x5", scoring="log_loss")


def test_threads_change_nothing_and_classes_missing_from_a_fold_are_allowed():
    folds = [(np.arange(0, 100), np.arange(100, 150)), (np.arange(20, 150), np.arange(0, 20))]
    one = cross_validate(
        X, NAMES, estimators=[GaussianNB()], cv=folds, scoring=("accuracy", "brier")
    )
    two = cross_validate(
        X, NAMES, estimators=[GaussianNB()], cv=folds, scoring=("accuracy", "brier"), n_jobs=2
    )
    for metric in ("accuracy", "brier"):
        np.testing.assert_array_equal(one["GaussianNB()"][metric], two["GaussianNB()"][metric])
    assert one["GaussianNB()"]["accuracy"][0] == 0.0


def test_criteria_run_in_one_call_and_share_folds_with_estimators(engine):
    result = cross_validate(
        X,
        NAMES,
        criterion=["info_gain", "gini"],
        estimators={"NB": GaussianNB()},
        cv="2x5",
        max_depth=2,
    )
    assert engine == [20]
    assert list(result) == ["info_gain", "gini", "NB"]
    cv = StratifiedRepeatedKFold(5, 2, random_state=0)
    for name, criterion in (("info_gain", "entropy"), ("gini", "gini")):
        model = DecisionTreeClassifier(criterion=criterion, max_depth=2, random_state=0)
        np.testing.assert_array_equal(
            result[name]["accuracy"], cross_val_score(model, X, NAMES, cv=cv)
        )
    np.testing.assert_array_equal(
        result["NB"]["accuracy"], cross_val_score(GaussianNB(), X, NAMES, cv=cv)
    )
    assert (result["gini"]["leaves"] <= 4).all() and (result["gini"]["depth"] == 2).all()
    frame = result.to_frame()
    assert frame["method"].tolist() == ["info_gain", "gini", "NB"]
    assert frame["accuracy_mean"][1] == result["gini"]["accuracy"].mean()
    assert len(result.to_frame(folds=True)) == 30


def test_slow_and_fast_ways_agree(engine):
    def by_hand(tables):
        return tables

    fast = cross_validate(
        Table(X, NAMES), criterion=["gini"], cv="1x5", scoring=("accuracy", "log_loss", "leaves")
    )
    assert engine == [5]
    for slow in (
        cross_validate(
            Table(X, NAMES),
            criterion={"gini": by_hand},
            cv="1x5",
            scoring=("accuracy", "log_loss", "leaves"),
        ),
        cross_validate(
            Table(X, NAMES),
            criterion="gini",
            cv="1x5",
            scoring=("accuracy", "log_loss", "leaves"),
            max_depth=99,
        ),
    ):
        for metric in ("accuracy", "log_loss", "leaves"):
            np.testing.assert_array_equal(fast["gini"][metric], slow["gini"][metric])
    assert engine == [5]
    scored = cross_validate(
        Table(X, NAMES),
        criterion="gini",
        cv="1x5",
        scoring={"sizes": lambda est, X, y: est.get_n_leaves()},
    )
    assert engine == [5] and scored["gini"]["sizes"].tolist() == fast["gini"]["leaves"].tolist()


PER_FOLD = {
    "balanced": {"class_weight": "balanced"},
    "dict": {"class_weight": {0: 1.0, 1: 3.0, 2: 0.5}},
    "priors": {"priors": [0.2, 0.3, 0.5]},
    "shares": {"min_samples_split": 0.21, "min_samples_leaf": 0.07},
    "callable": {"criterion": lambda tables: -tables.min(axis=2).sum(axis=1)},
}


@pytest.mark.parametrize("settings", PER_FOLD.values(), ids=PER_FOLD)
@pytest.mark.parametrize("on_interrupt", ["raise", "return"])
def test_what_depends_on_the_training_rows_is_that_of_each_fold(settings, on_interrupt):
    tree = FastTreeClassifier(**{"criterion": "gini", **settings})
    trees = {"gini": FastTreeClassifier(criterion="gini"), "own": tree}
    table = Table(X[::2], Y[::2])
    result = cross_validate(
        table, estimators=trees, cv="2x3", scoring="log_loss", on_interrupt=on_interrupt
    )
    for name, one in trees.items():
        fitted = [
            (clone(one).fit(table.take(train)), table.take(test))
            for train, test in result.folds.pairs
        ]
        codes = np.concatenate([model.predict(rows) for model, rows in fitted])
        proba = np.concatenate([model.predict_proba(rows) for model, rows in fitted])
        np.testing.assert_array_equal(result[name].predictions, codes)
        np.testing.assert_array_equal(result[name].proba, proba)
        assert result[name]["leaves"].tolist() == [m.get_n_leaves() for m, _ in fitted]


def test_a_training_set_costs_a_few_dozen_calls_outside_the_engine(engine, monkeypatch):
    import fasttree

    table = Table(X, Y)
    prediction = np.tile(np.zeros(750, np.int32), (4, 1))
    sizes = np.ones((4, 50), np.int64)
    answer = {
        "predictions": prediction,
        "leaves": sizes,
        "empty_leaves": sizes,
        "nodes": sizes,
        "depth": sizes,
    }
    monkeypatch.setattr(fasttree._engine, "cross_validate", lambda *args, **kw: answer)
    call = lambda: cross_validate(table, criterion=["gini", "info_gain"] * 2, cv="5x10")  # noqa: E731
    assert function_calls(call) < 200 * 40


def test_repeated_names_stay_apart(engine):
    result = cross_validate(X, Y, criterion=["gini", "gini"], cv="1x3")
    assert list(result) == ["gini", "gini (2)"]


def test_both_standard_deviations():
    result = cross_validate(X, Y, estimators={"NB": GaussianNB()}, cv="5x10")
    values = result["NB"]["accuracy"]
    assert result.sd("NB", "accuracy") == pytest.approx(np.std(values, ddof=1))
    means = [values[10 * r : 10 * r + 10].mean() for r in range(5)]
    np.testing.assert_allclose(result.repeat_means("NB", "accuracy"), means)
    assert result.sd("NB", "accuracy", of="repeats") == pytest.approx(np.std(means, ddof=1))
    assert result.mean("NB", "accuracy") == pytest.approx(np.mean(means))


def test_progress_counts_every_fit(engine):
    seen = []
    cross_validate(
        X,
        Y,
        criterion=["gini", "info_gain"],
        estimators=[GaussianNB()],
        cv="1x5",
        progress=lambda done, total: seen.append((done, total)),
    )
    assert [done for done, _ in seen] == list(range(1, 16)) and {total for _, total in seen} == {15}


def test_progress_bar_is_silent_off_a_terminal(capsys):
    cross_validate(X, Y, estimators=[GaussianNB()], cv="1x3", progress=True)
    assert capsys.readouterr().err == ""


def test_progress_bar_on_a_terminal(monkeypatch):
    import io

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    cross_validate(X, Y, estimators=[GaussianNB()], cv="1x3", progress=True)
    assert "3/3" in screen.getvalue()
    assert screen.getvalue().endswith("\x1b[2K")  # the bar is gone when the call ends


def test_frames_and_nominal_tables_reach_estimators_in_a_useful_form():
    import pandas as pd
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    colour = pd.Categorical(np.array(["red", "green", "blue"])[(Y + np.arange(150) // 40) % 3])
    frame = pd.DataFrame({"colour": colour, "size": X[:, 0]})
    pipeline = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["colour"]), remainder="passthrough"),
        KNeighborsClassifier(),
    )
    direct = cross_validate(frame, Y, estimators={"p": pipeline}, cv="1x4")
    tabled = cross_validate(
        Table(frame, Y),
        estimators={"p": pipeline, "codes": DecisionTreeClassifier(random_state=0)},
        cv="1x4",
    )
    np.testing.assert_array_equal(direct["p"]["accuracy"], tabled["p"]["accuracy"])
    assert tabled["codes"]["accuracy"].mean() > 0.5


def test_learning_curve_shapes_and_growth():
    curve = learning_curve(
        X, Y, estimators={"NB": GaussianNB()}, train_sizes=(3, 0.2, 1.0), n_repeats=20
    )
    assert curve.train_sizes == [3, 27, 135]
    values = curve.values("NB", "accuracy")
    assert values.shape == (20, 3)
    assert values[:, 2].mean() > values[:, 0].mean()
    assert [row["n_train"] for row in curve.records()] == curve.train_sizes
    with pytest.raises(TypeError, match="cv='1x3' is not a parameter of learning_curve.*n_repeats"):
        learning_curve(X, Y, ["gini"], cv="1x3")
    assert len(curve.to_frame()) == 3


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: cross_validate(X[:8], Y[:8], estimators=[GaussianNB()]),
            ValueError,
            "10 folds need at least 10 rows, there are 8",
        ),
        (
            lambda: cross_validate(X, Y, estimators=[GaussianNB()], scoring="acuracy"),
            ValueError,
            "unknown metric 'acuracy'",
        ),
        (
            lambda: cross_validate(X, Y, estimators=[GaussianNB()], scoring=[]),
            ValueError,
            "scoring is empty",
        ),
        (
            lambda: cross_validate(
                X, Y, estimators=[GaussianNB()], scoring=["accuracy", "accuracy"]
            ),
            ValueError,
            "twice",
        ),
        (
            lambda: cross_validate(X, Y, estimators=[GaussianNB()], cv="5 by 10"),
            ValueError,
            "cv='5 by 10'",
        ),
        (
            lambda: cross_validate(X, Y[:10], estimators=[GaussianNB()]),
            ValueError,
            "150 rows but y has 10",
        ),
        (
            lambda: cross_validate(X, Y, estimators=[GaussianNB()], max_depth=3),
            TypeError,
            "unexpected arguments max_depth",
        ),
        (lambda: cross_validate(X, Y, estimators=[GaussianNB]), TypeError, "give an instance"),
        (lambda: cross_validate(X, Y, estimators=[]), ValueError, "estimators is empty"),
        (
            lambda: cross_validate(Table(X), estimators=[GaussianNB()]),
            ValueError,
            "requires y to be passed",
        ),
        (lambda: compare([], estimators=[GaussianNB()]), ValueError, "tables is empty"),
        (lambda: compare([3], estimators=[GaussianNB()]), TypeError, "entry 0 is a int"),
        (lambda: compare([X], estimators=[GaussianNB()]), TypeError, "entry 0 is a ndarray"),
        (
            lambda: compare({"a": (X, Y)}, estimators=[GaussianNB()], baseline="x", cv="1x3"),
            ValueError,
            "baseline='x'",
        ),
        (
            lambda: compare({"a": (X, Y)}, estimators=[GaussianNB()], test="x", cv="1x3"),
            ValueError,
            "test='x'",
        ),
        (
            lambda: compare({"a": (X, Y)}, estimators=[GaussianNB()], alpha=2, cv="1x3"),
            ValueError,
            "alpha=2",
        ),
    ],
)
def test_bad_calls_say_what_to_do(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)


def test_missing_keys_name_what_there_is():
    result = cross_validate(X, Y, estimators={"NB": GaussianNB()}, cv="1x3")
    with pytest.raises(KeyError, match="there are 'NB'"):
        result["nb"]
    with pytest.raises(KeyError, match="accuracy"):
        result["NB"]["acc"]


def test_import_stays_light():
    import subprocess

    code = (
        "import sys; import fasttree, fasttree.metrics, fasttree.model_selection, "
        "fasttree.reports; "
        "print([m for m in ('sklearn', 'scipy', 'pandas', 'matplotlib') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"

"""`columns`: models of frames and files know every column that was given, and read some."""

from __future__ import annotations

import pickle
import sqlite3

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict

import fasttree
from fasttree import (
    FastForestClassifier,
    FastForestRegressor,
    FastTreeClassifier,
    FastTreeRegressor,
    OptimalTreeClassifier,
)
from fasttree._checks.data_warnings import DataWarning
from fasttree.feature_selection import CriterionSelector, TuRF
from fasttree.model_selection import compare, cross_validate, learning_curve

N = 400
USED = ["a", "town"]


def frame(seed=0, n=N):
    """An identifier, days of two kinds, a constant, and two columns in use."""
    rng = np.random.default_rng(seed)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 1500, n), "D")
    return pd.DataFrame(
        {
            "id": [f"row {rng.integers(1 << 40)}" for _ in range(n)],
            "when": days,
            "a": rng.integers(-200, 200, n) / 64,
            "since": days[rng.permutation(n)].strftime("%d.%m.%Y"),
            "town": rng.choice(["x", "y", "z"], n),
            "same": 1.0,
        }
    )


def labels(X):
    weekend = X["when"].dt.dayofweek > 4
    return np.where(weekend ^ (X["a"] > 0.25), "p", "q")


def by_hand(X):
    """The columns that a fit makes, made with pandas."""
    found = X[USED].copy()
    since = pd.to_datetime(X["since"], format="%d.%m.%Y")
    for name, days in (("when", X["when"]), ("since", since)):
        found[f"{name} (year)"] = days.dt.year
        found[f"{name} (month)"] = days.dt.month
        found[f"{name} (weekday)"] = days.dt.dayofweek + 1
    return found


def forms(X):
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    yield X
    yield X[X.columns[::-1]]
    yield X.drop(columns=["id", "same"])
    yield pl.from_pandas(X)
    yield pa.Table.from_pandas(X)
    yield {name: X[name].to_list() for name in X}
    yield X.to_numpy(dtype=object)
    yield X.to_numpy(dtype=object).tolist()
    yield by_hand(X)
    yield fasttree.Table(by_hand(X))
    yield fasttree.Table(X, unused={"id": "an identifier"}, dates=["when", "since"])


LEARNERS = [
    FastTreeClassifier(max_depth=5),
    FastTreeClassifier(criterion="gini", missing="branch", pruning="error_based"),
    FastTreeClassifier(discretize="equal_frequency", nominal_splits="multiway"),
    FastForestClassifier(4, max_features=None, bootstrap=False),
    FastTreeRegressor(max_depth=4),
    FastForestRegressor(3, max_features=None, bootstrap=False),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_a_fit_on_a_frame_is_the_fit_on_the_columns_made_by_hand(learner):
    X, new = frame(0), frame(1)
    y = X["a"] + X["when"].dt.month if learner._task == "regression" else labels(X)
    model = clone(learner).fit(X, y)
    plain = clone(learner).fit(by_hand(X), y)
    assert list(model.feature_names_in_) == list(X.columns) and model.n_features_in_ == 6
    wanted = plain.predict(by_hand(new)).tolist()
    for rows in forms(new):
        assert model.predict(rows).tolist() == wanted
    # Importances: what is not used has none, and a date has those of its parts.
    of_plain = dict(zip(plain.feature_names_in_, plain.feature_importances_, strict=True))
    for name, share in zip(model.feature_names_in_, model.feature_importances_, strict=True):
        parts = [v for n, v in of_plain.items() if n == name or n.startswith(f"{name} (")]
        assert share == pytest.approx(sum(parts))
    if hasattr(model, "tree_"):
        assert model.to_text() == plain.to_text()
        names = model._schema.names
        assert names[:6] == list(X.columns) and names[6:] == list(by_hand(X).columns[2:])
    values, of_hand = model.shap_values(new[:9]), plain.shap_values(by_hand(new)[:9])
    assert values.shape[:2] == (9, 6)
    assert values.sum(axis=1) == pytest.approx(of_hand.sum(axis=1))
    assert not values[:, [0, 5]].any()


def test_files_of_models_and_pickles_keep_what_is_made_of_the_columns(tmp_path):
    X, new = frame(0), frame(1)
    for kind in (FastTreeClassifier(), FastForestClassifier(3, random_state=0)):
        model = kind.fit(X, labels(X))
        model.save(tmp_path / "m.json")
        for again in (
            fasttree.load_model(tmp_path / "m.json"),
            pickle.loads(pickle.dumps(model)),
            fasttree.from_bytes(model.to_bytes()),
        ):
            assert again.predict(new).tolist() == model.predict(new).tolist()
            assert list(again.feature_names_in_) == list(X.columns)
            assert again.n_features_in_ == 6 and again.columns == "auto"
            dates = {name: str(one) for name, one in again._schema.dates.items()}
            assert dates == {"when": "ymd", "since": "dmy"}
    model = FastTreeClassifier(columns={"same": "as_given"}).fit(X, labels(X))
    assert fasttree.from_bytes(model.to_bytes()).columns == {"same": "as_given"}


def test_skops_keeps_it():
    sio = pytest.importorskip("skops.io")
    X, new = frame(0), frame(1)
    model = FastTreeClassifier(max_depth=4).fit(X, labels(X))
    data = sio.dumps(model)
    again = sio.loads(data, trusted=sio.get_untrusted_types(data=data))
    assert again.predict(new).tolist() == model.predict(new).tolist()


def test_exports_answer_as_the_model():
    X, new = frame(0), frame(1)
    model = FastTreeClassifier(max_depth=4, missing="branch").fit(X, labels(X))
    wanted = model.predict(new).tolist()
    made = by_hand(new)
    program: dict = {}
    exec(model.to_python(), program)
    assert program["UNUSED"] == ("id", "when", "since", "same")
    assert [program["predict"](row) for row in made.to_dict("records")] == wanted
    with sqlite3.connect(":memory:") as base:
        new.assign(since=pd.to_datetime(new["since"], dayfirst=True)).to_sql("t", base, index=False)
        assert [
            a for (a,) in base.execute(f"SELECT {model.to_sql(dialect='sqlite')} FROM t")
        ] == wanted
    assert "when (weekday)" in model.to_text() and "when (weekday)" in model.to_svg()
    assert '"when (weekday)"' in model.to_c()
    assert model.to_sklearn().predict(new).tolist() == wanted
    numbers = new.drop(columns="town")
    model = fasttree.fit(X.drop(columns="town"), labels(X))
    assert model.to_sklearn().predict(numbers).tolist() == model.predict(numbers).tolist()
    model = FastTreeClassifier(max_depth=4).fit(X, labels(X))
    assert model.explore(new, labels(new)).document["kept"]
    assert {row["feature"] for row in model.explain(0, new, labels(new))} == set(made.columns)
    assert model.decision_rule(new.iloc[0]).startswith(wanted[0])
    pruned = model.prune("reduced_error", new, labels(new))
    assert pruned.n_features_in_ == 6 and pruned.predict(new) is not None


def test_onnx_asks_for_the_columns_in_use():
    runtime = pytest.importorskip("onnxruntime")
    X, new = frame(0), frame(1)
    model = FastTreeClassifier(max_depth=4, missing="branch").fit(X, labels(X))
    session = runtime.InferenceSession(model.to_onnx().SerializeToString())
    made = by_hand(new)
    assert {one.name for one in session.get_inputs()} == set(made.columns)
    cells = {
        name: made[name].to_numpy()[:, None].astype(object if name == "town" else np.float32)
        for name in made
    }
    assert session.run(["label"], cells)[0].tolist() == model.predict(new).tolist()


def test_a_column_that_is_needed_is_missed_by_its_own_name():
    X = frame()
    model = FastTreeClassifier().fit(X, labels(X))
    with pytest.raises(ValueError, match="yet now missing:\n- when$"):
        model.predict(X[USED])
    with pytest.raises(ValueError, match="unseen at fit time:\n- other"):
        model.predict(X.assign(other=1))
    with pytest.raises(ValueError, match="X has 5 features, but FastTreeClassifier is expecting 6"):
        model.predict(X.to_numpy(dtype=object)[:, :5])
    odd = X.astype({"when": object})
    odd.loc[3, "when"] = None
    odd.loc[4, "since"] = "later"
    assert model.predict(odd).shape == (N,)


@pytest.mark.parametrize(
    "call",
    [
        lambda X, y: fasttree.fit(X, y),
        lambda X, y: FastForestClassifier(2).fit(X, y),
        lambda X, y: OptimalTreeClassifier(max_depth=1, columns="auto").fit(X[:60], y[:60]),
        lambda X, y: fasttree.minimal_tree(X[:60], y[:60], errors="minimise", max_nodes=3),
        lambda X, y: fasttree.score_features(X, y, criterion="gini"),
        lambda X, y: cross_validate(X, y, ["gini", "info_gain"], cv="2x3"),
        lambda X, y: cross_validate(X, y, estimators=FastForestClassifier(2), cv="1x3"),
        lambda X, y: compare({"a": (X, y)}, ["gini", "info_gain"], cv="1x3"),
        lambda X, y: learning_curve(X, y, ["gini"], n_repeats=2),
    ],
)
def test_each_call_says_once_what_it_does_at_the_callers_line(call, recwarn):
    X = frame()
    call(X, labels(X))
    (one,) = [w for w in recwarn if issubclass(w.category, DataWarning)]
    assert one.filename == __file__
    said = str(one.message)
    assert said.removeprefix("a: ").startswith("columns left out: 'id' (an identifier: ")
    # No Table holds the dates of 'since' as they are, so that nothing offers to use all columns.
    assert "stand for the dates 'when', 'since'; columns={'id': 'as_given'} uses 'id'" in said


def test_scores_are_those_of_the_given_columns():
    X = frame()
    y = labels(X)
    scores = fasttree.score_features(X, y, criterion="gini")
    hand = dict(
        zip(by_hand(X), fasttree.score_features(by_hand(X), y, criterion="gini"), strict=True)
    )
    assert np.isnan(scores[[0, 5]]).all() and scores.shape == (6,)
    assert scores[2] == hand["a"] and scores[4] == hand["town"]
    for place, name in ((1, "when"), (3, "since")):
        assert scores[place] == max(v for n, v in hand.items() if n.startswith(f"{name} ("))


@pytest.mark.parametrize(
    "selector", [CriterionSelector("gini", k=5), TuRF(keep=5), TuRF("multisurf", keep=2)], ids=str
)
def test_selectors_leave_the_same_columns_out(selector):
    X = frame()
    y = labels(X)
    chosen = selector.fit(X, y).get_feature_names_out().tolist()
    assert {"id", "same"}.isdisjoint(chosen) and "a" in chosen
    assert selector.scores_.shape == (6,) and np.isnan(selector.scores_[[0, 5]]).all()
    assert selector.n_features_in_ == 6 and list(selector.transform(X).columns) == chosen
    plain = clone(selector).fit(by_hand(X), y)
    score_of = dict(zip(plain.feature_names_in_, plain.scores_, strict=True))
    if isinstance(selector, CriterionSelector):
        assert selector.scores_[2] == score_of["a"]
        parts = [v for n, v in score_of.items() if n.startswith("when (")]
        assert selector.scores_[1] == max(parts)
    kept = clone(selector).set_params(columns={"id": "as_given"}).fit(X, y)
    assert not np.isnan(kept.scores_[0])


def test_folds_are_fitted_as_if_each_were_all_there_is():
    X = frame()
    X["drifts"] = [*["c"] * 200, *[f"level {i}" for i in range(200)]]  # an identifier in one fold
    y = labels(X)
    halves = [(np.arange(200), np.arange(200, N)), (np.arange(200, N), np.arange(200))]
    trees = {
        "tree": FastTreeClassifier(max_depth=4),
        "given": FastTreeClassifier(max_depth=4, columns={"drifts": "as_given"}),
        "forest": FastForestClassifier(3, random_state=0),
        "balanced": FastTreeClassifier(class_weight="balanced", max_depth=3),
    }
    found = cross_validate(X, y, estimators=trees, cv=halves, keep_proba=True)
    for name, tree in trees.items():
        for fold, (train, test) in enumerate(halves):
            model = clone(tree).fit(X.iloc[train], y[train])
            right = np.mean(model.predict(X.iloc[test]) == y[test])
            assert found[name]["accuracy"][fold] == pytest.approx(right)
            if name == "tree":
                assert found[name]["leaves"][fold] == model.get_n_leaves()
    with_criterion = cross_validate(X, y, ["info_gain"], cv=halves, max_depth=4)
    assert with_criterion["info_gain"]["accuracy"].tolist() == found["tree"]["accuracy"].tolist()
    with pytest.raises(TypeError, match="'when' holds .*dates or times|datetime"):
        cross_validate(X, y, ["info_gain"], cv=halves, columns="as_given")


def test_the_folds_of_scikit_learn_agree():
    X = frame().drop(columns="when")
    y = labels(frame())
    folds = [(np.arange(200), np.arange(200, N)), (np.arange(200, N), np.arange(200))]
    tree = FastTreeClassifier(max_depth=4)
    theirs = cross_val_predict(tree, X, y, cv=folds)
    ours = cross_validate(X, y, estimators={"tree": tree}, cv=folds)
    right = [np.mean(theirs[test] == y[test]) for _, test in folds]
    assert ours["tree"]["accuracy"] == pytest.approx(right)


def test_frames_without_names_are_screened_and_answered_by_position():
    X = frame()[["id", "a", "town", "since"]]
    y = labels(frame())
    model = FastTreeClassifier().fit(X.set_axis(range(4), axis=1), y)
    assert not hasattr(model, "feature_names_in_") and model.n_features_in_ == 4
    assert [why is None for why in model._schema.unused] == [False, True, True, False]
    wanted = model.predict(X.set_axis(range(4), axis=1)).tolist()
    assert model.predict(X.to_numpy(dtype=object)).tolist() == wanted
    assert model.predict(X).tolist() == wanted


def test_names_that_occur_twice_are_refused_as_ever():
    X = frame()[["a", "town"]]
    with pytest.raises(ValueError, match="duplicate column names: 'a'"):
        fasttree.fit(pd.concat([X, X], axis=1), labels(frame()))


def test_exposure_and_intervals_read_the_same_columns():
    X = frame()
    counts = np.random.default_rng(0).integers(0, 4, N)
    rates = FastTreeRegressor(criterion="poisson", max_depth=2)
    tree = rates.fit(X, counts, exposure=np.ones(N))
    assert tree.n_features_in_ == 6 and tree._schema.unused[0] is not None
    tree = FastTreeRegressor(max_depth=2).fit(X[:200], X["a"][:200])
    assert tree.calibrate(X[200:], X["a"][200:]).predict_interval(X[:2]).shape == (2, 2)
    with pytest.raises(ValueError, match="calibrate got the rows that the model was fitted on"):
        tree.calibrate(X[:200], X["a"][:200])

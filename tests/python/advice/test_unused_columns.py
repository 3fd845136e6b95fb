"""Columns that a model keeps a place for but never reads: of any form of the rows, in training and
prediction, and through files."""

import datetime
import pickle

import numpy as np
import pandas as pd
import pytest

import fasttree
from fasttree import FastForestClassifier, FastTreeClassifier, Table
from fasttree.cli import main

pytestmark = pytest.mark.usefixtures("quick_advice")

N = 60
REASONS = {"id": "an identifier", "when": "dates", "same": "one value"}


def frame(seed: int = 0) -> pd.DataFrame:
    """Rows whose unused columns are text, dates and a constant, among columns in use."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "id": [f"row {rng.integers(1 << 40)}" for _ in range(N)],
            "a": rng.normal(size=N).round(2),
            "when": [datetime.date(2024, 1, 1) + datetime.timedelta(days=i) for i in range(N)],
            "town": rng.choice(["x", "y", "z"], size=N),
            "same": 1.0,
        }
    )


def labels(X: pd.DataFrame) -> np.ndarray:
    return np.where((X["a"] > 0) ^ (X["town"] == "x"), "p", "q")


def forms(X: pd.DataFrame):
    """The rows of X as every kind of frame and mapping, in several orders and without columns."""
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    yield X
    yield X[X.columns[::-1]]
    yield X.drop(columns=["when"])
    yield X[["town", "a"]]
    yield {name: X[name].to_list() for name in X.columns[::-1]}
    yield pl.from_pandas(X)
    yield pa.table({name: X[name].to_list() for name in X})
    yield Table(X[["a", "town", "same"]])
    yield Table(X, unused=REASONS)


LEARNERS = [
    FastTreeClassifier(),
    FastTreeClassifier(missing="error", pruning="error_based"),
    FastTreeClassifier(discretize="equal_width", nominal_splits="multiway"),
    FastTreeClassifier(missing="fractional"),
    FastForestClassifier(4, random_state=0),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_every_form_of_the_rows_is_answered_as_without_the_unused_columns(learner):
    X, new = frame(0), frame(1)
    new.loc[:5, "same"] = np.nan
    model = learner.fit(Table(X, labels(X), unused=REASONS))
    plain = type(learner)(**learner.get_params()).fit(X[["a", "town"]], labels(X))
    assert list(model.feature_names_in_) == list(X.columns) and model.n_features_in_ == 5
    wanted = plain.predict(new[["a", "town"]])
    if isinstance(learner, FastTreeClassifier):
        assert model.to_text() == plain.to_text()
        for rows in forms(new):
            assert model.predict(rows).tolist() == wanted.tolist()
        rows = new.to_numpy(dtype=object)
        assert model.predict(rows).tolist() == wanted.tolist()
        assert model.feature_importances_[[0, 2, 4]].tolist() == [0.0, 0.0, 0.0]
    else:
        wanted = model.predict(new)
        for rows in forms(new):
            assert model.predict(rows).tolist() == wanted.tolist()


def test_files_and_pickles_keep_what_is_unused(tmp_path):
    X, new = frame(0), frame(1)
    model = FastTreeClassifier().fit(Table(X, labels(X), unused=REASONS))
    wanted = model.predict(new).tolist()
    model.save(tmp_path / "m.json")
    for again in (fasttree.load_model(tmp_path / "m.json"), pickle.loads(pickle.dumps(model))):
        assert again.predict(new).tolist() == wanted
        assert again.predict(new[["town", "a"]]).tolist() == wanted
        assert again._schema.unused == ["an identifier", None, "dates", None, "one value"]
    plain = FastTreeClassifier().fit(X[["a", "town"]], labels(X))
    assert b"unused" not in plain.to_bytes()


def test_a_column_in_use_is_still_missed_and_a_strange_one_refused():
    X = frame()
    model = FastTreeClassifier().fit(Table(X, labels(X), unused=REASONS))
    with pytest.raises(ValueError, match="yet now missing:\n- town$"):
        model.predict(X[["a", "same"]])
    with pytest.raises(ValueError, match="unseen at fit time:\n- other"):
        model.predict(X.assign(other=1))
    with pytest.raises(ValueError, match="5 features|expecting 5"):
        model.predict(X[["a", "town"]].to_numpy(dtype=object))
    with pytest.raises(ValueError, match="unused: no column is named 'sames'; did you mean 'same'"):
        Table(X, unused={"sames": "one value", "when": "dates"})
    with pytest.raises(TypeError, match="unused"):
        Table(X, unused=["when"])


def test_arrays_are_read_by_position():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = (X[:, 1] > 0).astype(int)
    model = FastTreeClassifier().fit(Table(X, y, unused={"x0": "chance"}))
    X[:, 0] = np.inf  # never read
    assert model.predict(X).tolist() == y.tolist()
    assert model.predict(X.tolist()).tolist() == y.tolist()
    assert model.predict(pd.DataFrame(X, columns=list("abc"))).tolist() == y.tolist()


def test_a_table_keeps_what_is_unused():
    X = frame()
    table = Table(X, labels(X), unused=REASONS)
    roles = {row["name"]: row["role"] for row in table.describe()}
    assert [name for name, role in roles.items() if role == "unused"] == list(REASONS)
    for other in (table.take([0, 1, 5]), pickle.loads(pickle.dumps(table)), table.head()):
        assert other.unused == REASONS
    assert table.drop("id").unused == {"when": "dates", "same": "one value"}
    recast = Table.from_any(table, categorical_features="all")
    assert recast.unused == REASONS and recast.column("id").kind == "numeric"


def test_an_advised_model_takes_the_frame_that_advise_was_given(tmp_path):
    X = frame()
    X["label"] = labels(X)
    for given in (X, pytest.importorskip("polars").from_pandas(X)):
        found = fasttree.advise(given, "label", time_limit=None, progress=False, drop=["same"])
        assert [name for name, _ in found.left_out] == ["id"] and found.dates == ["when"]
        rows = given.drop(columns="label") if given is X else given.drop("label")
        wanted = found.model.predict(X[["a", "when", "town"]]).tolist()
        assert found.model.predict(rows).tolist() == wanted
        assert found.model.predict(X[["id", "when", "town", "a"]]).tolist() == wanted
    X.to_csv(tmp_path / "rows.csv", index=False)
    path = str(tmp_path / "rows.csv")
    found = fasttree.advise(path, "label", time_limit=None, progress=False, drop=["same"])
    assert found.model.predict(X.drop(columns="label")).tolist() == wanted
    found.model.save(tmp_path / "m.json")
    assert main(["predict", str(tmp_path / "m.json"), path, "-o", str(tmp_path / "out.csv")]) == 0
    assert pd.read_csv(tmp_path / "out.csv")["prediction"].tolist() == wanted
    table = fasttree.datasets.load(path, target="label")
    assert fasttree.advise(table, time_limit=None, progress=False).model.predict(table).shape == (
        N,
    )


@pytest.mark.parametrize("form", ["pandas", "polars", "csv", "parquet", "Table", "X, y"])
@pytest.mark.parametrize("more", [{}, {"drop": ["same", "ship"]}, {"time": "when"}], ids=str)
def test_the_code_of_an_advice_takes_new_rows_with_and_without_what_is_left_out(
    form, more, tmp_path
):
    new = frame(1).assign(ship=pd.date_range("2020-01-01", periods=N).strftime("%d.%m.%Y"))
    X = frame().assign(ship=new["ship"], label=labels(frame()))
    path, y = str(tmp_path / f"rows.{form}"), ["label"]
    if form == "Table":
        time = {"time": X["when"].to_list()} if more.get("time") else {}
        X, y, more = Table(X.drop(columns="when"), target="label"), [], {**more, **time}
    elif form == "polars":
        X = pytest.importorskip("polars").from_pandas(X)
    elif form == "X, y":
        X, y = X.drop(columns="label"), [X["label"]]
    elif form == "csv":
        X.to_csv(path, index=False)
    elif form == "parquet":
        pytest.importorskip("pyarrow")
        X.to_parquet(path)
    rows = path if form in ("csv", "parquet") else X
    found = fasttree.advise(rows, *y, work="quick", progress=False, **more)
    assert found.left_out and found.params
    space = {"frame": X, "table": X, "X": X, "y": y[0] if y else None}
    exec(found.code, space)
    assert space["model"].to_text() == found.model.to_text()
    if form == "Table":
        new = new.drop(columns="when")
    for some in (new, new[new.columns[::-1]], new.drop(columns=["id", "same"])):
        assert space["model"].predict(some).tolist() == found.model.predict(some).tolist()


def test_an_advised_model_answers_arrays_with_a_constant_column():
    rng = np.random.default_rng(3)
    X = np.column_stack([np.full(80, 7.0), rng.normal(size=(80, 2)), np.arange(80)])
    y = np.where(X[:, 1] > 0, 1, 0)
    found = fasttree.advise(X, y, time_limit=None, progress=False)
    assert [name for name, _ in found.left_out] == ["x0", "x3"]
    assert np.mean(found.model.predict(X) == y) > 0.9


def test_advise_refuses_to_drop_what_is_not_there():
    X = frame()
    with pytest.raises(ValueError, match="drop: no column is named 'sane'; did you mean 'same'"):
        fasttree.advise(X, labels(X), time_limit=None, progress=False, drop=["sane"])

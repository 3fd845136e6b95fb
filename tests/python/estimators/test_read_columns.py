"""A model asks new rows for the columns that its tests read, and takes the target where it is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fasttree
from fasttree import FastForestClassifier, FastForestRegressor, FastTreeClassifier, _engine
from fasttree.estimators.new_rows import encode_rows
from fasttree.table import Table

N = 80


def rows() -> pd.DataFrame:
    """Columns of all kinds; the target depends on three of them."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "noise": rng.normal(size=N),
            "size": rng.normal(size=N),
            "text": rng.choice(["low", "mid", "high"], N),
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(N), "D"),
            "kind": rng.choice(["x", "y", "z"], N),
            "flat": rng.normal(size=N),
        }
    )
    late = frame["when"].dt.month > 2
    frame["deny"] = np.where((frame["size"] > 0) ^ (frame["kind"] == "x") ^ late, "no", "yes")
    frame["price"] = frame["size"].round(1) + 3.0 * (frame["kind"] == "x") + 2.0 * late
    return frame


ROWS = rows()
READ = ["size", "when", "kind"]
MODELS = {
    "classes": fasttree.fit(ROWS.drop(columns="price"), "deny", max_depth=4),
    "numbers": fasttree.fit(ROWS.drop(columns="deny"), "price", task="regression", max_depth=4),
    "leaf": FastTreeClassifier(min_samples_leaf=N).fit(ROWS.drop(columns="price"), "deny"),
    "forest": FastForestClassifier(3, random_state=0, max_depth=1, criterion="gini").fit(
        ROWS.drop(columns="price"), "deny"
    ),
    "forest of numbers": FastForestRegressor(3, random_state=0, max_depth=2).fit(
        ROWS.drop(columns="deny"), "price"
    ),
}
FORMS = {
    "pandas": lambda frame: frame,
    "polars": lambda frame: pl.from_pandas(frame),
    "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "mapping": lambda frame: {name: frame[name].tolist() for name in frame},
    "records": lambda frame: frame.astype({"when": str} if "when" in frame else {}).to_records(
        index=False
    ),
}


def read_by(model) -> list[str]:
    """The columns that some test of a model reads."""
    trees = getattr(model, "estimators_", [model])
    tested = {int(f) for tree in trees for f in tree.tree_.feature[tree.tree_.n_children > 0]}
    names = {model._schema.names[f].removesuffix(")").split(" (")[0] for f in tested}
    return [name for name in ROWS if name in names]


def answers(model, X) -> list[np.ndarray]:
    found = [model.predict(X), model.apply(X), model.shap_values(X)]
    return [*found, model.predict_proba(X)] if hasattr(model, "predict_proba") else found


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", MODELS)
def test_only_the_columns_that_are_read_are_needed(name, form):
    model, make = MODELS[name], FORMS[form]
    features = [column for column in ROWS if column not in ("deny", "price")]
    read = read_by(model) or ["flat"]
    assert len(read) < len(features)
    whole = answers(model, make(ROWS[features]))
    for columns in (
        read,
        read[::-1],
        [*read, model._schema.target],
        [*features[::-1], "noise"][:6],
    ):
        for expected, found in zip(whole, answers(model, make(ROWS[columns])), strict=True):
            assert np.array_equal(expected, found)
    assert fasttree.from_bytes(model.to_bytes())._schema.tested == model._schema.tested
    # A column that is read must be there; a name that neither features nor target have is refused.
    for gone in read_by(model):
        rest = ROWS[[column for column in features if column != gone]]
        with pytest.raises(ValueError, match=f"now missing:\n- {gone}"):
            model.predict(make(rest))
    with pytest.raises(ValueError, match="unseen at fit time:\n- other"):
        model.predict(make(ROWS[read].assign(other=1.0)))


@pytest.mark.parametrize("name", MODELS)
def test_cells_that_are_not_read_may_be_anything(name):
    model = MODELS[name]
    read = read_by(model)
    spoiled = ROWS.drop(columns=["deny", "price"]).copy()
    for column in spoiled.columns.difference(read):
        spoiled[column] = [object() for _ in range(N)]
    expected = model.predict(ROWS.drop(columns=["deny", "price"]))
    assert np.array_equal(model.predict(spoiled), expected)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", MODELS)
def test_the_target_is_taken_from_a_frame_that_has_it(name, form):
    model = MODELS[name]
    target = model._schema.target
    frame = ROWS.drop(columns="price" if target == "deny" else "deny")
    X, y = frame.drop(columns=target), frame[target]
    given = FORMS[form](frame)
    assert (
        model.score(given)
        == model.score(X, y)
        == model.score(given, y)
        == model.score(frame, target)
    )
    assert str(model.evaluate(given)) == str(model.evaluate(X, y))
    assert np.array_equal(model.predict(given), model.predict(X))
    with pytest.raises(ValueError, match="requires y"):
        model.score(X)


def test_rows_without_names_keep_all_columns():
    X = np.random.default_rng(0).normal(size=(60, 5))
    model = fasttree.fit(X, (X[:, 3] > 0).astype(int))
    expected = model.predict(X)
    for same in (
        X,
        X.tolist(),
        pd.DataFrame(X),
        Table(X),
        pa.table(list(X.T), names=list("abcde")),
    ):
        assert np.array_equal(model.predict(same), expected)
    with pytest.raises(ValueError, match="expecting 5 features"):
        model.predict(X[:, 3:4])


def test_blocks_grow_with_the_columns_that_are_read():
    """The core compares the borrows of one base array pair by pair."""
    p = 500
    X = pd.DataFrame(
        np.random.default_rng(0).normal(size=(40, p)), columns=[f"c{j}" for j in range(p)]
    )
    y = (X["c7"] + X["c300"] > 0).astype(int).to_numpy()
    model = fasttree.fit(X, y, columns="as_given")
    used = len(model._schema.tested)
    for given in (
        X,
        Table(X),
        pd.DataFrame(X.to_numpy()),
        X[[f"c{j}" for j in model._schema.tested]],
    ):
        schema = model._schema
        if not isinstance(given, Table) and given.columns[0] == 0:
            schema = fasttree.fit(X.to_numpy(), y)._schema
        blocks, n = encode_rows(schema, given)
        assert n == 40 and sum(block.shape[1] for block in blocks) == p
        assert len(blocks) <= 2 * used + 1
    bases = [block.base for block in _engine.blocks_of(Table(X).columns)]
    assert len({id(base) for base in bases}) == p


def test_the_command_asks_for_the_same(ftree, tmp_path):
    frame = ROWS.drop(columns=["price", "when"])
    rows, part, model = tmp_path / "rows.csv", tmp_path / "part.csv", tmp_path / "m.json"
    frame.to_csv(rows, index=False)
    assert ftree("fit", rows, "-t", "deny", "-p", "max_depth=2", "-m", model)[0] == 0
    read = read_by(fasttree.load(model))
    assert 0 < len(read) < 5
    whole = ftree("predict", model, rows)[1]
    for columns in (read, [*read, "deny"], ["flat", *(name for name in read if name != "flat")]):
        frame[columns].to_csv(part, index=False)
        code, said, _ = ftree("predict", model, part)
        assert (code, said) == (0, whole)
    frame[read[1:] + ["text"]].to_csv(part, index=False)
    assert "now missing" in ftree("predict", model, part)[2]


def test_the_index_of_a_file_that_pandas_wrote_is_no_column_of_a_frame(tmp_path):
    frame = pd.DataFrame({"a": np.arange(40) % 9, "k": list("xyzy") * 10, "y": list("pqqp") * 10})
    frame.to_csv(tmp_path / "f.csv")
    model = fasttree.fit(tmp_path / "f.csv", "y")
    again = pd.read_csv(tmp_path / "f.csv")
    assert "Unnamed: 0" in again
    assert np.array_equal(model.predict(again), model.predict(frame))
    assert model.score(again.drop(columns="y"), again["y"]) == model.evaluate(again).accuracy
    with pytest.raises(ValueError, match="unseen at fit time"):
        model.predict(again.rename(columns={"Unnamed: 0": "b"}))


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_file_is_read_without_the_columns_that_the_model_does_not_have(task, tmp_path):
    """Also columns of dates, of which a file has year, month and weekday; groups stay."""
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 60))
    y = np.round(3 * x + z, 2) if task == "regression" else np.where(x > 0, "p", "q")
    days = pd.date_range("2020-01-01", periods=60).strftime("%Y-%m-%d")
    site = [f"site {i % 4}" for i in range(60)]
    frame = pd.DataFrame({"day": days, "x": x, "site": site, "z": z, "y": y})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    rows, file = frame.drop(columns=["day", "site"]), tmp_path / "rows.csv"
    fasttree.fit(rows, "y", max_depth=3).save(tmp_path / "model.json")
    model = fasttree.load_model(tmp_path / "model.json")
    assert model.predict(file).tolist() == model.predict(rows[["x", "z"]]).tolist()
    assert model.score(file) == model.score(rows)
    assert list(model.explain(0, file)) == list(model.explain(0, rows))
    assert model.explore(file).document["rows"] == model.explore(rows).document["rows"]
    assert str(model.stability(file, repeats=3)) == str(model.stability(rows, repeats=3))
    by_site = model.evaluate(file, groups="site")
    assert str(by_site) == str(model.evaluate(rows, groups=site))
    frame.head(1).to_csv(tmp_path / "one.csv", index=False)
    assert model.decision_rule(tmp_path / "one.csv") == model.decision_rule(rows.head(1))
    frame.drop(columns="x").to_csv(file, index=False)
    with pytest.raises(ValueError, match="yet now missing:\n- x"):
        model.predict(file)

"""What is made of the columns of frames and files, and what of arrays, lists and Tables."""

from __future__ import annotations

import datetime
import re
import warnings

import numpy as np
import pandas as pd
import pytest

import fasttree
from fasttree import Table
from fasttree._checks.data_warnings import DataWarning
from fasttree._checks.words import speaking
from fasttree.cli.shell import SHELL
from fasttree.datasets import load
from fasttree.datasets.inputs import resolve_names
from fasttree.table.data_checks.findings import (
    apply_and_warn,
    inspect,
    kept_columns,
    treatments_by_fold,
)
from fasttree.table.data_checks.frames import screened_table, unscreened_table
from fasttree.table.number_texts import formatted_numbers

N = 200


def frame(n=N, seed=0):
    """Each kind of column that is not used as it is, among four that are."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "key": [f"K{i:04}" for i in rng.permutation(n)],
            "number": rng.permutation(n) + 1000,
            "customer_id": rng.integers(0, 10 * n, n),
            "note": [f"called {i} times, paid late" for i in rng.permutation(n)],
            "country": "DE",
            "price": rng.normal(size=n),
            "code": [f"{c:03}" for c in rng.integers(0, 9, n)],
            "count": rng.integers(0, 50, n),
            "town": rng.choice(["x", "y", "z"], n),
        }
    )


LEFT_OUT = {
    "key": "an identifier: 200 levels in 200 rows",
    "number": "an identifier: a different whole number in every row",
    "customer_id": "an identifier by its name",
    "note": "free text: 200 levels in 200 rows",
    "country": "one value, 'DE', in all rows",
}


def forms(X):
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    yield X
    yield pl.from_pandas(X)
    yield pa.Table.from_pandas(X)
    yield {name: X[name].to_list() for name in X}
    yield {name: X[name].to_numpy() for name in X}


def test_every_kind_of_frame_is_screened_alike():
    X = frame()
    for rows in forms(X):
        with pytest.warns(DataWarning, match="columns left out") as caught:
            table = apply_and_warn(unscreened_table(rows))
        assert list(table.unused) == list(LEFT_OUT) and table.feature_names == list(X.columns)
        assert all(table.unused[name].startswith(why) for name, why in LEFT_OUT.items())
        assert len(caught) == 1 and "columns='as_given'" in str(caught[0].message)
        assert table.as_given and apply_and_warn(table) is table


@pytest.mark.parametrize(
    "rows",
    [
        np.column_stack([np.arange(100.0), np.ones(100)]),
        [[i, 1, f"K{i}"] for i in range(100)],
        np.array([[i, 1, f"K{i}"] for i in range(100)], dtype=object),
        Table({"id": range(100), "key": [f"K{i}" for i in range(100)]}),
        np.arange(200, dtype=np.uint8).reshape(100, 2),
    ],
    ids=["floats", "lists", "objects", "Table", "codes"],
)
def test_arrays_lists_and_tables_are_taken_as_given(rows, recwarn):
    table = screened_table(rows, None, "auto")
    assert not table.unused and table.as_given
    assert not [w for w in recwarn if "columns left out" in str(w.message)]


def test_measurements_and_small_frames_are_not_taken_for_identifiers():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"length": rng.normal(size=500), "income": rng.permutation(10**6)[:500]})
    X["rounded"] = np.round(rng.normal(0, 1e6, 500))
    assert not apply_and_warn(unscreened_table(X)).unused
    small = frame(49).drop(columns="country")
    assert not apply_and_warn(unscreened_table(small)).unused
    assert set(apply_and_warn(unscreened_table(frame(50))).unused) == set(LEFT_OUT)


def test_columns_that_no_table_can_hold_are_left_out():
    pl = pytest.importorskip("polars")
    n = 70_000
    X = pd.DataFrame({"key": [f"K{i}" for i in range(n)], "a": np.arange(n) % 7})
    X["clock"] = [datetime.time(i % 24) for i in range(n)]
    X["wait"] = pd.to_timedelta(np.arange(n), "s")
    for rows in (X, pl.from_pandas(X.drop(columns="clock"))):
        with pytest.warns(DataWarning, match="'key' .70,000 different texts."):
            table = apply_and_warn(unscreened_table(rows))
        assert set(table.unused) == {"key", "clock", "wait"} & set(rows.columns)
        assert all("times or durations" in table.unused[n] for n in table.unused if n != "key")
    with pytest.raises(ValueError, match="at most 65,536"):
        screened_table(X[["key", "a"]], None, "as_given")


def test_times_of_more_kinds_than_a_table_holds_are_dates_all_the_same():
    times = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(70_000) * 601, "s")
    X = pd.DataFrame({"at": times.strftime("%d/%m/%Y %H:%M:%S"), "a": np.arange(70_000) % 7})
    table = apply_and_warn(unscreened_table(X))
    assert table.dates == {"at": "dmy"} and (table.column("at (year)").values == times.year).all()
    assert (table.column("at (weekday)").values == times.dayofweek + 1).all()
    tree = fasttree.fit(X, times.dayofweek > 4)
    assert tree.score(X, times.dayofweek > 4) == 1.0 and tree.get_n_leaves() == 2


def test_what_cannot_be_used_as_it_is_is_refused():
    X = pd.DataFrame({"key": [f"K{i}" for i in range(70_000)], "a": np.arange(70_000) % 7})
    X["day"] = pd.Timestamp("2024-01-01")
    for name in ("key", "day"):
        with pytest.raises(ValueError, match=f"columns=.'{name}': 'as_given'.*'{name}' is none"):
            screened_table(X, None, {name: "as_given"})


def test_nothing_is_left_out_where_nothing_would_be_left():
    X = pd.DataFrame({"key": [f"K{i}" for i in range(60)], "n": np.arange(60)})
    with pytest.warns(DataWarning, match="no column would be left without 'key' .*, 'n' "):
        assert not apply_and_warn(unscreened_table(X)).unused
    with pytest.warns(DataWarning, match="stand for the dates 'day'"):
        X["day"] = pd.Timestamp("2024-01-01")
        assert set(apply_and_warn(unscreened_table(X)).unused) == {"key", "n", "day"}


def test_names_that_are_taken_keep_dates_out():
    X = pd.DataFrame({"day": [f"2024-01-{1 + i % 28:02}" for i in range(60)], "day (year)": 2024})
    X["a"] = np.arange(60) % 7
    assert "is a column already" in apply_and_warn(unscreened_table(X)).unused["day"]


def test_the_words_of_columns():
    with pytest.raises(ValueError, match="columns='all' is not known; use 'auto', 'as_given'"):
        kept_columns("all")
    with pytest.raises(ValueError, match=r"columns\['a'\]='keep' is not known"):
        kept_columns({"a": "keep"})
    X = frame()
    table = screened_table(X, None, {"number": "as_given", "town": "auto"})
    assert set(table.unused) == set(LEFT_OUT) - {"number"}
    assert not screened_table(X, None, "as_given").unused
    with pytest.raises(ValueError, match="columns: no column is named 'numbr'"):
        screened_table(X, None, {"numbr": "as_given"})
    for kind in (fasttree.FastTreeClassifier, fasttree.FastForestRegressor):
        with pytest.raises(ValueError, match="columns=1 is not known"):
            kind(columns=1).fit([[1.0], [2.0]], [0, 1])


def test_files_are_screened_and_bundled_sets_are_not(tmp_path):
    X = frame().assign(y=np.arange(N) % 2)
    X.to_csv(tmp_path / "a.csv", index=False)
    table = screened_table(*resolve_names(tmp_path / "a.csv", "y", as_given=False), "auto")
    assert set(table.unused) == set(LEFT_OUT)
    assert table.column("code").levels[:2] == ("000", "001")
    assert not screened_table(*resolve_names(tmp_path / "a.csv", "y"), "as_given").unused
    assert load("weather", as_given=False).as_given
    assert not screened_table(*resolve_names("weather", None, as_given=False), "auto").unused
    found = load(tmp_path / "a.csv", "y", as_given=False)
    assert not found.as_given and not found.unused and found.origin.endswith("as_given=False)")
    assert load(tmp_path / "a.csv", "y").as_given
    assert fasttree.fit(found).to_text() == fasttree.fit(tmp_path / "a.csv", "y").to_text()


def test_a_table_keeps_that_it_is_to_be_screened():
    table = unscreened_table(frame(), np.arange(N) % 2)
    for other in (table.take([0, 1]), table.drop("town"), Table.from_any(table, None)):
        assert not other.as_given
    assert not Table.from_any(table, categorical_features="all").as_given
    assert apply_and_warn(table).take([0, 1]).as_given


def test_each_fold_is_looked_at_by_its_own_rows():
    n = 400
    X = frame(n).drop(columns=["note", "customer_id"])
    X["half"] = ["same"] * (n // 2) + [f"L{i}" for i in range(n // 2)]
    table = unscreened_table(X)
    first, last = np.arange(n // 2), np.arange(n // 2, n)
    found = treatments_by_fold(table, "auto", [first, last, first[::-1]])
    # "number" counts up over all rows, not over a part of them; constants need no mention.
    assert [(list(reasons), folds) for reasons, folds in found] == [
        (["key"], [0, 2]),
        (["key", "half"], [1]),
    ]
    assert treatments_by_fold(table, "as_given", [first, last]) == [({}, [0, 1])]


DRESSED = {
    "numbers with a currency sign": ["{}.50 €", "${}.25", "-$ {}", "USD {}", "{} EUR", "(£{})"],
    "numbers with a percent sign": ["{}%", "{},5 %"],
    "numbers with a unit": ["{}.5 kg", "{}km/h", "{} m²", "{}°C"],
    "numbers in brackets": ["({})"],
    "numbers with apostrophes or blanks": ["1'{:03}", "12 {:03}"],
    "times or durations": ["{}:30", "1:{:02}:09", "2 days {:02}:09:11"],
}


@pytest.mark.parametrize(("what", "form"), [(w, f) for w, some in DRESSED.items() for f in some])
def test_numbers_in_another_dress_are_treated_alike_in_all_forms(tmp_path, what, form):
    cells = [form.format(i % 100 if "02" not in form else i % 60) for i in range(N)]
    cells = cells if what == "times or durations" else [form.format(i) for i in range(N)]
    rows = pd.DataFrame({"a": cells, "z": np.arange(N) % 7, "y": ["p", "q"] * (N // 2)})
    rows.to_csv(tmp_path / "a.csv", index=False)
    rows.to_parquet(tmp_path / "a.parquet")
    is_read = what.endswith("sign") and "(" not in form
    told = "sign are read as numbers: 'a' \\(" if is_read else f"'a' \\({what}"
    trees = set()
    for source in (rows, tmp_path / "a.parquet", tmp_path / "a.csv"):
        with pytest.warns(UserWarning, match=told):
            tree = fasttree.fit(source, "y", max_depth=2)
        trees.add(tree.to_text())
        assert tree.apply(rows).tolist() == tree.apply(tmp_path / "a.csv").tolist()
    assert len(trees) == 1
    if is_read and "5" in form:  # else an identifier
        with pytest.raises(ValueError, match="column 'a' has numbers with the sign '₽', but with"):
            tree.predict(rows.assign(a="12 ₽"))


MEANT = {
    "{}.50 €": lambda i: i + 0.5,
    "{},5 %": lambda i: i + 0.5,
    "1,{:03}.5 kg": lambda i: 1000.5 + i,
    "(£{})": lambda i: -i,
    "-$ {}": lambda i: -i,
    "USD {}": lambda i: i,
    "−{} €": lambda i: -i,
    "{} kr.": lambda i: i,
    "Rs. 1,{:03}.0": lambda i: 1000 + i,
    "{}.5-": lambda i: -i - 0.5,
    "−{}": lambda i: -i,
    "~{}": lambda i: i,
    "1,0{}.0[12]": lambda i: 1000 + i,
    "{}*": lambda i: i,
    "{}.5K": lambda i: 1000 * i + 500,
    "${}.5M": lambda i: 1e6 * i + 500000,
    "{},5 Mio €": lambda i: 1e6 * i + 500000,
    "{} billion": lambda i: i * 1e9,
    "({}.5)": lambda i: -i - 0.5,
    "12,34,5{}.0 €": lambda i: 1234500 + i,
    "12 {:03}": lambda i: 12000 + i,
    "{} m²": lambda i: i,
    "{}:30": lambda i: i + 0.5,
    "2 days {:02}:30:00": lambda i: 48.5 + i,
}


@pytest.mark.parametrize("form", MEANT)
def test_the_remedy_for_numbers_in_another_dress_makes_them(form):
    """In Python the code of the message runs; in the shell its example is a number."""
    wanted = [MEANT[form](i) for i in range(10, 24)]
    cells = [form.format(i) for i in range(10, 24)]
    _, remedy = formatted_numbers(cells)
    made = eval(remedy[remedy.index("pandas.") :], {"pandas": pd, "column": pd.Series(cells)})
    assert made.tolist() == wanted
    with speaking(SHELL):
        remedy = formatted_numbers(cells)[1]
    if ":" not in form:
        assert float(remedy.split()[-1].replace(",", ".")) == wanted[0]


@pytest.mark.parametrize("form", ["1.{:03} €", "{}e3 kg", "5'{}\""])
def test_no_code_is_named_that_would_make_other_numbers(form):
    remedy = formatted_numbers([form.format(i) for i in range(60)])[1]
    assert remedy == "write them as numbers alone" or remedy.startswith("read the file with")
    assert ("decimal=','" in remedy and "decimal='.'" in remedy) == ("€" in form)
    assert (
        "in one unit" in formatted_numbers([f"{i} {'kg' if i % 2 else 'g'}" for i in range(60)])[1]
    )


UNREADABLE = {
    "stamp": (pd.date_range("2024-01-01", periods=N), "dates"),
    "wait": (pd.to_timedelta(range(N), unit="h"), "times or durations"),
    "clock": ([datetime.time(i % 24, i % 60) for i in range(N)], "times or durations"),
    "key": (np.arange(N) + 2**60, "whole numbers beyond 2"),
    "list": ([[i, i] for i in range(N)], "lists or structs"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_no_table_holds_is_left_out_of_frames_and_files_alike(tmp_path, name):
    import polars as pl

    cells, words = UNREADABLE[name]
    rows = pd.DataFrame({name: cells, "z": np.arange(N) % 7, "y": ["p", "q"] * (N // 2)})
    rows.to_parquet(tmp_path / "a.parquet")
    sources = [rows, tmp_path / "a.parquet", pl.read_parquet(tmp_path / "a.parquet")]
    if name == "key":
        rows.to_csv(tmp_path / "a.csv", index=False)
        sources.append(tmp_path / "a.csv")
    leaves = set()
    for source in sources:
        with pytest.warns(DataWarning, match=words) as said:
            leaves.add(fasttree.fit(source, "y").get_n_leaves())
        # What the line offers works: these columns can't be used as they are.
        offered = re.findall(
            r"columns=('as_given'|\{.*?\})", " ".join(str(w.message) for w in said)
        )
        assert offered == []
        with pytest.raises((TypeError, ValueError), match=name):
            fasttree.fit(source, "y", columns="as_given")
    assert len(leaves) == 1


@pytest.mark.parametrize("other", [np.float32, np.float64, np.uint64, np.int64])
def test_long_whole_numbers_beside_others_never_become_equal(other):
    X = pd.DataFrame({"key": np.arange(N) + 2**60, "z": (np.arange(N) % 7).astype(other)})
    y = ["p", "q"] * (N // 2)
    with pytest.raises(ValueError, match="column 'key', row 1: float64 has no 11529"):
        Table(X, y)
    levels = Table(X, y, categorical_features=["key"]).column("key").levels
    assert levels == tuple(range(2**60, 2**60 + N))
    assert Table(X.assign(key=X.key * 0), y).block is not None


TARGETS = {
    "prices": (np.arange(N) * 7 % 191 + 100, "regression"),
    "few": (np.arange(N) % 20 * 10, "classification"),
    "codes": (np.arange(N) % 25 + 1, "classification"),
    "codes with a gap": (np.arange(N) % 25 + 1 + (np.arange(N) % 25 > 5), "regression"),
    "rare codes": (np.arange(N) % 60, "regression"),
    "fractions": (np.arange(N) / 7, "regression"),
    "text": (np.array(["p", "q"] * (N // 2)), "classification"),
}


@pytest.mark.parametrize("kind", ["int64", "float64"])
@pytest.mark.parametrize("name", TARGETS)
def test_the_task_of_a_target_is_that_of_its_file(tmp_path, name, kind):
    cells, task = TARGETS[name]
    if name == "text" or (name == "fractions" and kind == "int64"):
        kind = cells.dtype
    rows = pd.DataFrame({"x": np.arange(N) * 1.5 % 7, "y": np.asarray(cells).astype(kind)})
    rows.to_csv(tmp_path / "a.csv", index=False)
    rows.to_parquet(tmp_path / "a.parquet")
    declared = "regression" if kind == "float64" else task
    for source, wanted in (
        (rows, task),
        (tmp_path / "a.csv", task),
        (tmp_path / "a.parquet", declared),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert fasttree.fit(source, "y", max_depth=1)._task == wanted
            cv = fasttree.model_selection.cross_validate(source, "y", cv=2, max_depth=1)
            assert cv.task == wanted
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name != "fractions":
            for classes in ({"task": "classification"}, {"criterion": "gini"}):
                path = tmp_path / "a.parquet"
                assert fasttree.fit(path, "y", max_depth=1, **classes)._task == "classification"


def test_new_rows_of_a_file_need_no_target(tmp_path):
    rows = pd.DataFrame({"u": [1.5, 2] * 30, "x": range(60), "y": list("pq") * 30})
    model = fasttree.fit(rows, "y", columns="as_given")
    wanted = model.predict(rows[["u", "x"]]).tolist()
    for new, index in ((rows, False), (rows, True), (rows[["u", "x"]], False)):
        new.to_csv(tmp_path / "new.csv", index=index)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert model.predict(tmp_path / "new.csv").tolist() == wanted


@pytest.mark.parametrize("target", ["kind", "size"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_model_is_evaluated_on_a_file_by_the_column_of_its_target(tmp_path, target, suffix):
    rng, path = np.random.default_rng(0), tmp_path / f"a.{suffix}"
    rows = pd.DataFrame({"kind": rng.choice(["p", "q"], N), "size": rng.random(N).round(3)})
    rows = rows.assign(u=rng.random(N).round(2), last=rng.choice(["a", "b", "c"], N))
    rows.to_csv(path, index=False) if suffix == "csv" else rows.to_parquet(path)
    for source in (rows, path):
        model = fasttree.fit(source, target, max_depth=2)
        assert model.score(path) == model.score(rows)
        assert str(model.evaluate(path)) == str(model.evaluate(rows))
        own = rows.drop(columns=target)
        assert model.explain(0, path) == model.explain(0, own, rows[target])
        pruned = [model.prune("reduced_error", *given) for given in ((path,), (own, rows[target]))]
        assert pruned[0].to_text() == pruned[1].to_text()
        assert model.to_sklearn(path).predict(own).tolist() == model.predict(own).tolist()


@pytest.mark.parametrize("target", ["kind", "size"])
def test_rows_without_a_target_are_left_out_of_files_aloud(tmp_path, target):
    """Of a frame they are refused, with code that leaves them out."""
    frame = pd.DataFrame({"kind": ["p", "q"] * 30, "size": np.arange(60) + 0.5, "u": range(60)})
    frame.loc[[4, 7], target] = None
    frame.to_csv(tmp_path / "a.csv", index=False)
    what = "class" if target == "kind" else "number"
    with pytest.warns(DataWarning, match=f"2 of 60 rows have no {what} and are left out, first"):
        model = fasttree.fit(tmp_path / "a.csv", target)
    with pytest.raises(ValueError, match=f"row 4 of the target '{target}' has no") as refused:
        fasttree.fit(frame, target)
    remedy = re.search(r"frame\.dropna\(.*?\)", str(refused.value))[0]
    again = fasttree.fit(eval(remedy, {"frame": frame}), target)
    assert again.get_n_leaves() == model.get_n_leaves()


def test_an_identifier_is_not_the_label_of_rows_that_have_a_class_each():
    rows = pd.DataFrame({"vin": np.arange(N) * 7, "y": [f"${i}.50" for i in range(N)]})
    assert inspect(Table(rows, target="y")).of("labels") == []


@pytest.mark.parametrize("left_out", ["key", "day", None])
def test_one_row_is_refused_as_what_it_is(left_out):
    rows = pd.DataFrame({"z": np.arange(N) % 7, "y": ["p", "q"] * (N // 2)})
    rows["key"] = [f"K{i}" for i in range(N)]
    rows["day"] = pd.date_range("2024-01-01", periods=N).strftime("%Y-%m-%d")
    X = rows.drop(columns=[name for name in ("key", "day", "y") if name != left_out])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fasttree.fit(X, rows["y"])
        one = X.iloc[0]
        for row in (one, one.tolist(), one.to_numpy(), rows.iloc[0]):
            with pytest.raises(ValueError, match="Expected 2D array, got 1D array instead"):
                model.predict(row)
        assert model.predict([one.tolist()]).tolist() == model.predict(X.iloc[[0]]).tolist()

"""Discretisers and the imputer: cut points against the oracle and Weka's, and the laws of every
binning."""

from __future__ import annotations

import json
import math
import pickle
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fasttree.datasets import load
from fasttree.discretize import (
    MDLP,
    EqualFrequency,
    EqualWidth,
    ReplaceMissing,
    interval_labels,
)
from fasttree.table import Table

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests"))

from oracle import discretize_oracle as oracle  # noqa: E402

GOLDEN = json.loads((ROOT / "tests" / "golden" / "discretize.json").read_text(encoding="utf-8"))
OBJECTS = [EqualWidth(4), EqualFrequency(4), MDLP()]
ALL = [*OBJECTS, ReplaceMissing()]
NAN = float("nan")

cells = st.tuples(
    st.one_of(st.integers(0, 30).map(lambda i: i / 4), st.just(NAN)),
    st.integers(0, 2),
    st.integers(0, 3),
)
rows_of_cells = st.lists(cells, min_size=1, max_size=80)
relaxed = settings(max_examples=80, deadline=None)


def fitted(discretizer, values, labels, weights=None):
    """Cut points of one column; the class occurs as given, so at least one row must be there."""
    X = np.array(values, dtype=float).reshape(-1, 1)
    return discretizer.fit(X, np.array(labels), weights).cuts_["x0"].tolist()


def columns(rows):
    return tuple(list(column) for column in zip(*rows, strict=True))


# -- cut points -----------------------------------------------------------------------------------


@relaxed
@given(rows_of_cells, st.integers(1, 12))
def test_cut_points_are_the_oracles(rows, n_bins):
    values, labels, _ = columns(rows)
    assert fitted(EqualWidth(n_bins), values, labels) == oracle.equal_width(values, n_bins)
    assert fitted(EqualFrequency(n_bins), values, labels) == oracle.equal_frequency(values, n_bins)
    assert fitted(MDLP(), values, labels) == oracle.mdlp(values, labels)


@relaxed
@given(rows_of_cells)
def test_a_weight_is_that_many_copies(rows):
    values, labels, weights = columns(rows)
    assume(any(weights))
    copied, copied_labels = oracle.copies(values, weights), oracle.copies(labels, weights)
    for discretizer in OBJECTS:
        assert fitted(discretizer, values, labels, weights) == fitted(
            discretizer, copied, copied_labels
        )


@relaxed
@given(rows_of_cells, st.randoms(use_true_random=False))
def test_row_order_is_irrelevant(rows, random):
    shuffled = rows.copy()
    random.shuffle(shuffled)
    values, labels, weights = columns(rows)
    again, labels_again, weights_again = columns(shuffled)
    for discretizer in OBJECTS:
        assert fitted(discretizer, values, labels) == fitted(discretizer, again, labels_again)
        if any(weights):
            thirds, thirds_again = (np.array(w) / 3 for w in (weights, weights_again))
            cuts = fitted(discretizer, values, labels, thirds)
            assert cuts == fitted(discretizer, again, labels_again, thirds_again)


@relaxed
@given(rows_of_cells, st.lists(st.floats(-50, 50), min_size=1, max_size=20))
def test_bins_partition_the_line(rows, probes):
    values, labels, _ = columns(rows)
    probes = [*probes, *values, NAN, -1e300, 1e300]
    for discretizer in OBJECTS:
        cuts = fitted(discretizer, values, labels)
        assert cuts == sorted(set(cuts))
        got = discretizer.transform(np.array(probes).reshape(-1, 1)).ravel()
        assert got.dtype == np.float64
        for probe, code in zip(probes, got, strict=True):
            assert np.isnan(code) if np.isnan(probe) else code == oracle.bin_of(probe, cuts)
        assert (got[-2], got[-1]) == (0, len(cuts))


@relaxed
@given(st.integers(1, 200), st.integers(1, 20))
def test_equal_frequency_is_balanced(n, n_bins):
    X = np.arange(n, dtype=float).reshape(-1, 1)
    counts = np.bincount(EqualFrequency(n_bins).fit_transform(X).ravel().astype(int))
    assert len(counts) == min(n, n_bins)
    assert counts.max() - counts.min() <= 1


@pytest.mark.parametrize("dataset", sorted(GOLDEN["cuts"]))
def test_wekas_cut_points(uci, dataset):
    table = load(uci / f"{dataset}.arff").drop_missing_target()
    discretizers = {
        "mdlp": MDLP(),
        "equal_frequency_10": EqualFrequency(10),
        "equal_frequency_7": EqualFrequency(7),
        "equal_width_10": EqualWidth(10),
    }
    for name, printed in GOLDEN["cuts"][dataset].items():
        cuts = discretizers[name].fit(table).cuts_
        assert cuts.keys() == printed.keys()
        for column, expected in printed.items():
            assert cuts[column].tolist() == pytest.approx(expected, abs=6e-7), (name, column)


def test_goldens_are_not_empty():
    sizes = [
        len(v)
        for sets in GOLDEN["cuts"].values()
        for columns in sets.values()
        for v in columns.values()
    ]
    assert sum(sizes) > 1000 and any(
        len(c) > 5 for s in GOLDEN["cuts"].values() for c in s["mdlp"].values()
    )


# -- what goes in comes out -----------------------------------------------------------------------


def mixed_table():
    return Table(
        {
            "size": [1.0, 2.0, NAN, 8.0, 9.0, 10.0],
            "colour": ["red", None, "blue", "red", "red", "blue"],
        },
        ["no", "no", "no", "yes", "yes", "yes"],
        name="mixed",
        levels={"class": ["yes", "no"], "colour": ["blue", "green", "red"]},
    )


def test_a_table_gives_a_table_with_all_bins_declared():
    table = mixed_table()
    binned = EqualWidth(3).fit_transform(table)
    size, colour = binned.columns
    assert size.kind == "nominal" and size.levels == ("(-inf-4]", "(4-7]", "(7-inf)")
    assert size.values.tolist() == [0, 0, -1, 2, 2, 2]
    assert colour is table.columns[1]
    assert (binned.classes, binned.y.tolist(), binned.name) == (
        table.classes,
        table.y.tolist(),
        "mixed",
    )
    assert binned.feature_names == table.feature_names
    assert MDLP().fit_transform(table).columns[0].levels == ("(-inf-5]", "(5-inf)")
    useless = Table({"a": [1.0, 1.0]}, [0, 1])
    assert EqualWidth().fit_transform(useless).columns[0].levels == ("All",)


def test_arrays_and_lists_give_bin_numbers():
    X = [[1.0, "red"], [None, "blue"], [9.0, None]]
    got = EqualWidth(2).fit_transform(X)
    assert got.dtype == object and got[:, 0].tolist()[::2] == [0.0, 1.0] and np.isnan(got[1, 0])
    assert got[:, 1].tolist() == ["red", "blue", None]
    single = EqualWidth(2).fit_transform(np.array([[1, 5], [9, 5]], dtype=np.int32))
    assert single.dtype == np.float64 and single.tolist() == [[0, 0], [1, 0]]


def frames():
    data = {
        "size": [1.0, 2.0, None, 8.0, 9.0, 10.0],
        "colour": ["red", None, "blue", "red", "red", "blue"],
    }
    dictionary = pa.array(data["colour"]).dictionary_encode()
    return {
        "pandas": pd.DataFrame(data, index=list("uvwxyz")),
        "pandas-category": pd.DataFrame(data).astype({"colour": "category"}),
        "polars": pl.DataFrame(data),
        "polars-enum": pl.DataFrame(
            data, schema_overrides={"colour": pl.Enum(["blue", "green", "red"])}
        ),
        "arrow": pa.table(data),
        "arrow-dictionary": pa.table({"size": data["size"], "colour": dictionary}),
    }


@pytest.mark.parametrize("kind", sorted(frames()))
@pytest.mark.parametrize("discretizer", OBJECTS, ids=repr)
def test_frames_keep_their_library(kind, discretizer):
    frame, y = frames()[kind], ["no", "no", "no", "yes", "yes", "yes"]
    got = discretizer.fit_transform(frame, y)
    assert type(got) is type(frame)
    expected = discretizer.transform(Table(frame))
    binned = Table(got)
    assert binned.equals(expected)
    if kind.startswith("pandas"):
        assert list(got.index) == list(frame.index) and got["size"].cat.ordered
        assert frame["size"].dtype == np.float64


@pytest.mark.parametrize("kind", sorted(frames()))
def test_frames_are_filled_in_their_own_types(kind):
    frame = frames()[kind]
    got = ReplaceMissing().fit_transform(frame)
    assert type(got) is type(frame)
    table = Table(got)
    assert table.columns[0].values.tolist() == [1.0, 2.0, 6.0, 8.0, 9.0, 10.0]
    assert table.columns[1].labels().tolist() == ["red", "red", "blue", "red", "red", "blue"]
    if kind in ("pandas", "pandas-category"):
        assert got["colour"].dtype == frame["colour"].dtype
    if kind in ("polars", "polars-enum"):
        assert got["colour"].dtype == frame["colour"].dtype


def test_columns_are_found_by_name():
    train = pd.DataFrame({"a": [0.0, 10.0], "b": [0.0, 1.0]})
    discretizer = EqualWidth(2).fit(train)
    assert discretizer.transform(train[["b", "a"]])["a"].cat.codes.tolist() == [0, 1]
    assert (
        discretizer.get_feature_names_out().tolist() == ["a", "b"]
        and discretizer.n_features_in_ == 2
    )
    assert discretizer.transform(np.array([[6.0, 0.4]])).tolist() == [[1.0, 0.0]]


# -- labels ---------------------------------------------------------------------------------------


def test_labels_are_wekas_and_distinct():
    assert interval_labels([-1.5, 0.0, 2.25]) == (
        "(-inf--1.5]",
        "(-1.5-0]",
        "(0-2.25]",
        "(2.25-inf)",
    )
    assert interval_labels([1 / 3, 2 / 3]) == (
        "(-inf-0.333333]",
        "(0.333333-0.666667]",
        "(0.666667-inf)",
    )
    for cuts in (
        [1e-9, 2e-9],
        [1e300, 2e300],
        [1.0, np.nextafter(1.0, 2)],
        [3.0, 3.0, 3.0, 4.0],
        [-1e-12, 0.0],
    ):
        labels = interval_labels(cuts)
        assert len(set(labels)) == len(labels) == len(cuts) + 1


def test_a_range_of_a_few_ulps_still_declares_its_bins():
    table = Table({"a": [1e16, 1e16 + 4]}, [0, 1])
    assert len(EqualWidth(10).fit_transform(table).columns[0].levels) == 10


# -- imputation -----------------------------------------------------------------------------------


def test_replacements_are_wekas():
    golden = GOLDEN["replace_missing"]
    data = {k: [NAN if v is None and k in "ad" else v for v in golden[k]["in"]] for k in "abcd"}
    table = Table(
        data, list("pqppp"), levels={"b": golden["b"]["levels"], "c": golden["c"]["levels"]}
    )
    filled = ReplaceMissing().fit_transform(table)
    for name in "abcd":
        assert filled.column(name).labels().tolist() == golden[name]["out"], name
    assert filled.column("b").levels == ("x", "y", "z") and filled.y.tolist() == table.y.tolist()


def test_the_mean_is_a_running_sum_in_row_order():
    values = [1e16, *[1.0] * 200, -1e16]
    total = 0.0
    for v in values:
        total += v
    assert len({total, math.fsum(values), float(np.sum(values))}) == 3
    means = ReplaceMissing().fit(np.array(values).reshape(-1, 1)).means_
    assert means == {"x0": total / len(values)}
    assert ReplaceMissing().fit(np.full((3, 1), 1.7e308)).means_["x0"] == pytest.approx(1.7e308)


@relaxed
@given(
    st.lists(
        st.tuples(st.one_of(st.none(), st.sampled_from("abc")), st.integers(0, 3)),
        min_size=1,
        max_size=30,
    )
)
def test_the_mode_is_the_first_of_the_most_frequent(rows):
    labels, weights = columns(rows)
    assume(any(weights))
    table = Table({"x": np.array(labels, dtype=object)}, levels={"x": ["c", "a", "b"]})
    counts = {level: sum(w for v, w in rows if v == level) for level in ["c", "a", "b"]}
    assert ReplaceMissing().fit(table, sample_weight=weights).modes_ == {
        "x": max(counts, key=counts.get)
    }


def test_weights_and_zero_weights_move_the_mean():
    X = np.array([[1.0], [5.0], [NAN], [100.0]])
    assert ReplaceMissing().fit(X, sample_weight=[3, 1, 7, 0]).means_ == {"x0": 2.0}


# -- objects --------------------------------------------------------------------------------------


@pytest.mark.parametrize("thing", ALL, ids=repr)
def test_objects_are_described_by_their_parameters(thing):
    from sklearn.base import clone

    assert eval(repr(thing)) == thing and hash(eval(repr(thing))) == hash(thing)
    copy = clone(thing)
    assert copy == thing and copy is not thing and not hasattr(copy, "n_features_in_")
    assert (
        copy.set_params(scope="all") is copy
        and copy != thing
        and copy.get_params()["scope"] == "all"
    )
    assert thing.get_params()["scope"] == "fold" and thing != "fold"
    with pytest.raises(ValueError, match="did you mean 'scope'"):
        copy.set_params(scop="all")


@pytest.mark.parametrize("thing", ALL, ids=repr)
def test_scope_does_not_change_fit_and_pickles_keep_it(thing):
    from sklearn.base import clone

    table = mixed_table()
    here = clone(thing).fit(table).transform(table)
    everywhere = clone(thing).set_params(scope="all").fit(table)
    again = pickle.loads(pickle.dumps(everywhere))
    assert again == everywhere and again.transform(table).equals(here)


def test_configurations():
    assert EqualFrequency(np.int64(7)).to_config() == {"method": "equal_frequency", "n_bins": 7}
    assert json.loads(json.dumps(MDLP().to_config())) == {"method": "mdlp"}


def test_in_a_pipeline_and_a_grid_search():
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    y = (X[:, 0] > 0.3).astype(int)
    pipe = make_pipeline(ReplaceMissing(), EqualFrequency(), DecisionTreeClassifier(random_state=0))
    search = GridSearchCV(pipe, {"equalfrequency__n_bins": [2, 12]}, cv=3).fit(X, y)
    assert search.best_params_ == {"equalfrequency__n_bins": 12} and search.best_score_ > 0.8
    assert make_pipeline(MDLP(), DecisionTreeClassifier()).fit(X, y).score(X, y) > 0.9


# -- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_bins", [0, -1, 65_536, 2.5, True, "10", None])
@pytest.mark.parametrize("kind", [EqualWidth, EqualFrequency])
def test_bad_numbers_of_bins(kind, n_bins):
    with pytest.raises(ValueError, match="n_bins=.* must be a whole number from 1 to 65535"):
        kind(n_bins).fit([[1.0]])


def test_refusals_name_what_is_wrong():
    from sklearn.exceptions import NotFittedError

    X = np.array([[1.0], [2.0]])
    with pytest.raises(ValueError, match="scope='test' is not known"):
        EqualWidth(scope="test").fit(X)
    with pytest.raises(ValueError, match="MDLP requires y"):
        MDLP().fit(X)
    with pytest.raises(NotFittedError, match="EqualWidth instance is not fitted"):
        EqualWidth().transform(X)
    with pytest.raises(ValueError, match="2 features, but EqualWidth is expecting 1"):
        EqualWidth().fit(X).transform(np.ones((2, 2)))
    with pytest.raises(ValueError, match="infinity"):
        EqualWidth().fit([[1.0], [float("inf")]])
    for thing in ALL:
        with pytest.raises(ValueError, match="row 1 is -1"):
            thing.fit(X, [0, 1], [1.0, -1.0])
        with pytest.raises(ValueError, match=r"shape \(3,\) but there are 2 rows"):
            thing.fit(X, [0, 1], [1.0, 1.0, 1.0])
    for thing in OBJECTS:
        with pytest.raises(ValueError, match="all weights are zero"):
            thing.fit(X, [0, 1], [0.0, 0.0])
    fitted = EqualWidth().fit(pd.DataFrame({"a": [1.0]}))
    with pytest.raises(ValueError, match="column 'b' was not there, column 'a' is missing"):
        fitted.transform(pd.DataFrame({"b": [1.0]}))
    for thing in (fitted, ReplaceMissing().fit(pd.DataFrame({"a": [1.0]}))):
        with pytest.raises(ValueError, match="column 'a' was numeric in fit but is nominal now"):
            thing.transform(pd.DataFrame({"a": ["x"]}))

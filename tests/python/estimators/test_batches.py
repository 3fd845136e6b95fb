"""Fits on batches of rows: the bytes of a fit on all rows together, and errors that name the
part."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import fasttree
from fasttree.estimators.batches import fitting, passes, reading

from ..distributed.parts_tools import (
    estimator_for,
    on_one_machine,
    random_parts,
    random_rows,
    random_settings,
)
from ..tools import thinned

pa = pytest.importorskip("pyarrow", reason="batches of Arrow need pyarrow")
pd = pytest.importorskip("pandas", reason="the random rows are data frames")


pytestmark = pytest.mark.filterwarnings("ignore:nominal columns:UserWarning")


def batches(parts):
    return lambda: iter(parts)


TASKS = ("classification", "regression")


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("seed", thinned(range(160), 4))
def test_a_tree_on_batches_has_the_bytes_of_one_on_all_rows(seed, task):
    rows = random_rows(seed, task)
    params, weighted = random_settings(seed, rows), seed % 3 == 0
    expected = on_one_machine(rows, params, weighted)
    parts = [p if weighted else p.drop(columns="w") for p in random_parts(seed, rows)]
    tree = estimator_for(rows)(**params)
    tree.fit(batches(parts), "y", "w" if weighted else None)
    assert tree.to_bytes() == expected.to_bytes(), params
    if task == "classification":
        assert tree.classes_.tolist() == expected.classes_.tolist()
        assert tree.classes_.dtype == expected.classes_.dtype


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("seed", range(8))
def test_a_forest_on_batches_has_the_bytes_of_one_on_all_rows(seed, task):
    rows = random_rows(seed, task)
    params = random_settings(seed, rows) | {"n_estimators": 5, "bootstrap": seed % 4 != 0}
    if params["bootstrap"]:
        params["max_samples"] = (None, 0.4, 17)[seed % 3]
    for name in ("pruning", "max_features"):
        params.pop(name, None)
    weighted = seed % 2 == 0
    parts = [p if weighted else p.drop(columns="w") for p in random_parts(seed, rows)]
    expected = on_one_machine(rows, params, weighted, forest=True)
    forest = estimator_for(rows, forest=True)(**params)
    forest.fit(batches(parts), "y", "w" if weighted else None)
    assert forest.to_bytes() == expected.to_bytes()
    assert forest.route_ == "codes of bins: rows came in batches or partitions"


def test_what_reads_the_rows_again_is_refused_on_codes(monkeypatch):
    made, coded_rows = [], fitting.coded_rows

    def kept(*arguments):
        made.append(coded_rows(*arguments))
        return made[-1]

    monkeypatch.setattr(fitting, "coded_rows", kept)
    rows = random_rows(0).drop(columns="w")
    codes = fasttree.FastTreeClassifier(threshold_search="histogram", missing="branch")
    codes.fit(batches([rows]), "y")
    assert len(made[0]) == len(rows)
    refused = pytest.raises(ValueError, match="only codes are left: fit a tree or a forest")
    with refused:
        made[0].score_features({})
    with refused:
        codes._model.explain(made[0], {}, np.ones(len(rows)))


def many_rows(n=150_000):
    """More rows than a sample holds: a column of many values, one of few, one of nearly one."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=n)
    rare = np.where(rng.random(n) < 0.03, rng.normal(size=n), 0.0)
    y = (x + rare + rng.normal(size=n) > 0).astype(int)
    return pa.table({"x": x, "few": rng.integers(0, 9, n), "rare": rare, "y": y})


def test_more_rows_than_a_sample_and_a_column_that_has_to_be_counted(tmp_path, monkeypatch):
    import pyarrow.parquet as pq

    rows = many_rows()
    expected = fasttree.fit(
        rows.to_pandas(), "y", threshold_search="histogram", max_depth=6, criterion="gini"
    )
    counted = []
    own = passes.core.value_cuts

    class Watched:
        def __getattr__(self, name):
            return getattr(fasttree._engine.core, name)

        def value_cuts(self, *args):
            counted.append(1)
            return own(*args)

    monkeypatch.setattr(passes, "core", Watched())
    (tmp_path / "rows").mkdir()
    for i in range(3):
        pq.write_table(
            rows.slice(i * 50_000, 50_000), tmp_path / "rows" / f"{i}.parquet", row_group_size=9_000
        )
    pq.write_table(rows, tmp_path / "all.parquet")
    import pyarrow.dataset

    sources = [
        tmp_path / "rows",
        str(tmp_path / "all.parquet"),
        pyarrow.dataset.dataset(tmp_path / "rows"),
        rows.to_batches(max_chunksize=40_000),
    ]
    for source in sources:
        found = fasttree.fit(
            source, "y", threshold_search="histogram", max_depth=6, criterion="gini"
        )
        assert found.to_bytes() == expected.to_bytes()
    assert len(counted) == len(sources)


def test_levels_that_differ_between_batches_are_joined_and_sorted():
    one = pa.table({"c": pa.array(["b", "a"]).dictionary_encode(), "y": ["no", "yes"]})
    two = pa.table({"c": pa.array(["z", None]).dictionary_encode(), "y": ["maybe", "no"]})
    tree = fasttree.fit([one, two], "y", threshold_search="histogram", missing="branch")
    assert tree.classes_.tolist() == ["maybe", "no", "yes"]
    assert tree._schema.levels == [("a", "b", "z")]
    whole = fasttree.fit(
        pa.concat_tables([one, two], promote_options="default").unify_dictionaries().to_pandas(),
        "y", threshold_search="histogram", missing="branch",
    )  # fmt: skip
    assert tree.predict(one.drop_columns("y")).tolist() == ["no", "yes"]
    assert whole.get_n_leaves() == tree.get_n_leaves()


X = pa.table({"a": [1.0, 2.0, 3.0], "y": [0, 1, 1]})


@pytest.mark.parametrize(
    ("source", "words", "error", "message"),
    [
        (iter([X]), {}, TypeError, "can be read once"),
        (lambda: [], {}, ValueError, "no rows with a positive weight"),
        (lambda: [X.slice(0, 0)], {}, ValueError, "no rows with a positive weight"),
        ([X], {"y": "label"}, ValueError, "no column 'label'|'label'"),
        ([X], {"y": None}, ValueError, "y must be the name of a column"),
        ([X], {"sample_weight": [1, 2, 3]}, ValueError, "sample_weight must be the name"),
        ([X, pa.table({"a": ["u", "v"], "y": [0, 1]})], {}, ValueError,
         "column 'a' is numeric in batch 0 but nominal in batch 1"),
        ([X, pa.table({"b": [1.0], "y": [0]})], {}, ValueError, "batch 1 has the columns b"),
        ([X, pa.table({"a": [float("inf")], "y": [0]})], {}, ValueError, "batch 1: .*infinity"),
        ([X, pa.table({"a": [1.0], "y": [0.5]})], {}, ValueError, "batch 1: .*continuous"),
        ([X, pa.table({"a": [1.0], "y": pa.array([None], pa.int64())})], {}, ValueError,
         "batch 1: .*no class label"),
        ([pa.table({"a": [1.0, 2.0], "w": [1.0, 0.5], "y": [0, 1]})], {"sample_weight": "w"},
         ValueError, "row 1 is 0.5: .*whole weights"),
        ([X], {"threshold_search": "exact"}, ValueError, "threshold_search='histogram'"),
        ([X], {"evaluation": "global"}, ValueError, "evaluation='local'"),
        ([X], {"criterion": "pi", "discretize": None}, ValueError, "histogram"),
        ([X], {"criterion": lambda tables: tables[:, 0, 0]}, ValueError, "a function as criterion"),
        ([X], {"ties": "row"}, ValueError, "ties='first'"),
        ([X], {"splitter": "random"}, ValueError, "splitter='best'"),
        ([X], {"class_weight": "balanced"}, ValueError, "class_weight"),
        ([X], {"pruning": "reduced_error"}, ValueError, "held out"),
        ([X], {"pruning": "error_based"}, ValueError, "subtree_raising=False"),
        ([X], {"trace": "candidates"}, ValueError, "trace='candidates'"),
        ([pa.table({"a": [1.0, None], "y": [0, 1]})], {}, ValueError, "missing='branch' or 'mode'"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_by_name(source, words, error, message):
    words = {"y": "y", "threshold_search": "histogram", **words}
    with pytest.raises(error, match=message):
        fasttree.fit(source, words.pop("y"), **words)


N = pa.table({"a": [1.0, 2.0, 3.0], "y": [0.5, 1.0, 7.0]})


@pytest.mark.parametrize(
    ("source", "words", "message"),
    [
        ([N, pa.table({"a": [1.0], "y": [float("nan")]})], {}, "batch 1: .*no number"),
        ([N, pa.table({"a": [1.0], "y": [float("inf")]})], {}, "batch 1: .*infinity"),
        ([N, pa.table({"a": [1.0], "y": [1e300]})], {},
         r"batch 1: row 0 of the target 'y' is 1e\+300"),
        ([N, pa.table({"a": [1.0], "y": ["much"]})], {}, "batch 1: .*much"),
        ([pa.table({"a": [1.0, 2.0], "y": [0.0, 1e-200]})], {}, "target .y. has a range of 1e-200"),
        ([N], {"criterion": "absolute_error"}, "on the order of a number"),
        ([N], {"criterion": "poisson"}, "poisson"),
        ([N], {"criterion": "gini", "target_bins": 3}, "target_bins"),
        ([N], {"criterion": "rrelieff"}, "discretize"),
        ([N], {"pruning": "reduced_error"}, "held out"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_of_numbers_is_refused_by_name(source, words, message):
    with pytest.raises(ValueError, match=message):
        fasttree.fit(source, "y", task="regression", threshold_search="histogram", **words)


@pytest.mark.parametrize("kind", ["FastTreeRegressor", "FastForestRegressor"])
def test_numbers_off_the_grid_differ_from_rows_in_memory_by_its_rounding(kind):
    rng = np.random.default_rng(8)
    rows = pd.DataFrame(rng.normal(size=(500, 3)), columns=list("abc"))
    rows["y"] = rows["a"] + rng.normal(size=500)
    how = {"threshold_search": "histogram", "missing": "branch", "random_state": 0}
    how |= {"n_estimators": 3} if "Forest" in kind else {}
    whole = getattr(fasttree, kind)(**how).fit(rows[list("abc")], rows["y"])
    batches = [
        pa.Table.from_pandas(part, preserve_index=False) for part in (rows[:200], rows[200:])
    ]
    parts = getattr(fasttree, kind)(**how).fit(batches, "y")
    trees = zip(getattr(whole, "estimators_", [whole]), getattr(parts, "estimators_", [parts]))
    for one, other in trees:
        for name in ("feature", "threshold", "n_node_samples"):
            assert np.array_equal(getattr(one.tree_, name), getattr(other.tree_, name), True)
        assert np.abs(one.tree_.value - other.tree_.value).max() <= 2.0**-40 * np.ptp(rows["y"])


@pytest.mark.parametrize(
    ("y", "warns"),
    [
        ([0.25, 0.5, 1e12], True),
        ([-1e9, *[0.1] * 20, 1e9], True),
        ([1.0, 2.0, 1e10], False),
        ([1e9 + 1e-3, 1e9], False),
        ([0.0, 0.0, 0.1], False),
        ([-3e5, 0.1, 2.5e6], False),
    ],
)
def test_a_range_that_is_too_wide_for_one_grid_is_named(y, warns):
    parts = [pa.table({"a": np.arange(len(y)), "y": y}), pa.table({"a": [1, 2], "y": y[:2]})]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        fasttree.fit(parts, "y", task="regression", threshold_search="histogram")
    assert any("whole multiples of" in str(one.message) for one in said) == warns


def test_quantiles_of_a_fit_on_batches_are_refused_and_not_those_of_an_earlier_fit():
    tree = fasttree.FastTreeRegressor(threshold_search="histogram", missing="branch")
    tree.fit(N.to_pandas(), "y").predict_quantiles([[1.0]])
    tree.fit([N], "y")
    with pytest.raises(ValueError, match="does not have"):
        tree.predict_quantiles([[1.0]])


def test_a_forest_refuses_what_asks_for_rows():
    for words in ({"oob_score": True}, {"warm_start": True}, {"pruning": "mdl"}):
        forest = fasttree.FastForestClassifier(threshold_search="histogram", **words)
        with pytest.raises(ValueError, match="rows in batches"):
            forest.fit([X], "y")


@pytest.mark.parametrize(("first", "then"), [([X, X], [X]), ([X], [X, X])])
def test_a_source_that_changes_between_passes_is_an_error(first, then):
    calls = []

    def source():
        calls.append(1)
        return first if len(calls) == 1 else then

    with pytest.raises(ValueError, match="the same rows each time"):
        fasttree.fit(source, "y", threshold_search="histogram")


def test_a_parquet_file_without_histograms_is_read_whole(tmp_path):
    import pyarrow.parquet as pq

    pq.write_table(X, tmp_path / "x.parquet")
    assert fasttree.fit(tmp_path / "x.parquet", "y").get_n_leaves() == 2
    with pytest.raises(FileNotFoundError):
        fasttree.fit(tmp_path / "none.parquet", "y", threshold_search="histogram")


def test_a_folder_without_parquet_is_no_source_of_batches(tmp_path):
    from fasttree.datasets.errors import DataFileError

    with pytest.raises(DataFileError):
        fasttree.fit(str(tmp_path), "y", threshold_search="histogram")


@pytest.mark.parametrize(
    "error",
    [
        ValueError("x"),
        TypeError("x"),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "x"),
        UnicodeEncodeError("utf-8", "\udcff", 0, 1, "x"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_of_a_batch_names_it_whatever_its_type_takes(monkeypatch, error):
    def failing(*args, **options):
        raise error

    monkeypatch.setattr(reading, "Table", failing)
    family = TypeError if isinstance(error, TypeError) else ValueError
    with pytest.raises(family, match=r"^batch 0: .*x$"):
        fasttree.FastTreeClassifier().fit(batches([pd.DataFrame({"x": [1.0], "y": ["a"]})]), "y")

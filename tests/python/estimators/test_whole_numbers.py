"""Whole numbers that no double holds are refused wherever they come from; all others are exact."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fasttree
from fasttree import Table
from fasttree.table.exact_integers import float_of_integers, is_inexact

LARGE = 2**53


def sources(cells):
    """One column of whole numbers in every form that a user may have it in."""
    unsigned = min(cells) >= 0
    yield "array", np.array(cells, dtype=np.int64 if max(cells) < 2**63 else np.uint64)[:, None]
    if unsigned:
        yield "unsigned", np.array(cells, dtype=np.uint64)[:, None]
    yield "list", [[c] for c in cells]
    yield "list with a real", [[c] for c in [*cells, 0.5]][:-1] + [[0.5]]
    yield "object", np.array(cells, dtype=object)[:, None]
    if max(cells) < 2**63:
        yield "pandas", pd.DataFrame({"a": np.array(cells, dtype=np.int64)})
        yield "nullable", pd.DataFrame({"a": pd.array([*cells, None], dtype="Int64")})
        yield (
            "arrow in pandas",
            pd.DataFrame({"a": pd.array([*cells, None], dtype="int64[pyarrow]")}),
        )
        yield "polars", pl.DataFrame({"a": cells})
        yield "polars with gaps", pl.DataFrame({"a": [*cells, None]})
        yield "arrow", pa.table({"a": cells})
        yield "masked", np.ma.array(np.array(cells, dtype=np.int64)[:, None], mask=False)


def numbers_of(X):
    table = Table(X)
    assert table.columns[0].kind == "numeric"
    return table.columns[0].values


@pytest.mark.parametrize(
    "cells", [[1, LARGE + 1], [LARGE, LARGE + 1], [-LARGE - 1, 3], [2**62 + 1, 0]]
)
def test_what_would_be_rounded_is_refused(cells):
    row = next(i for i, c in enumerate(cells) if is_inexact(c))
    for name, X in sources(cells):
        with pytest.raises(ValueError, match=f"row {row}: float64 has no {cells[row]}"):
            numbers_of(X)
        with pytest.raises(ValueError, match="float64 (has no|does not tell)"):
            fasttree.fit(X, list(range(len(X))))
        model = fasttree.fit([[0.0], [1.0]], [0, 1])
        with pytest.raises(ValueError, match="float64 has no"):
            model.predict(X)
        assert name


@pytest.mark.parametrize("cells", [[LARGE, -LARGE], [2**60, 2**53 + 2], [2**62, -(2**62)], [0, 7]])
def test_what_doubles_hold_is_exact(cells):
    for name, X in sources(cells):
        assert numbers_of(X)[: len(cells)].tolist() == cells, name


FILES = {
    "csv": ("a,class\n", "{},{}\n"),
    "tsv": ("a\tclass\n", "{}\t{}\n"),
    "arff": ("@relation r\n@attribute a numeric\n@attribute class {x,y}\n@data\n", "{},{}\n"),
    "tab": ("a\tclass\nc\td\n\tclass\n", "{}\t{}\n"),
    "data": ("", "{},{}.\n"),
}


def loaded(folder, kind, cells):
    head, line = FILES[kind]
    if kind == "data":
        (folder / "n.names").write_text("x, y.\na: continuous.\n")
    rows = "".join(line.format(cell, "xy"[i % 2]) for i, cell in enumerate(cells))
    (folder / f"n.{kind}").write_text(head + rows)
    return fasttree.datasets.load(folder / f"n.{kind}").columns[0]


@pytest.mark.parametrize("kind", FILES)
@settings(max_examples=40)
@given(st.lists(st.integers(-(2**70), 2**70) | st.integers(-20, 20), min_size=1, max_size=6))
def test_files_are_exact_or_refused(tmp_path_factory, kind, cells):
    folder = tmp_path_factory.mktemp("whole")
    bad = [i for i, c in enumerate(cells) if int(float(c)) != c]
    if bad:
        line = FILES[kind][0].count("\n") + bad[0] + 1
        words = f"line {line}, column 'a': '{cells[bad[0]]}' is a whole number that float64"
        with pytest.raises(fasttree.datasets.DataFileError, match=words):
            loaded(folder, kind, cells)
    else:
        assert loaded(folder, kind, cells).values.tolist() == cells


@pytest.mark.parametrize("kind", ["csv", "tsv", "arff", "tab", "data"])
def test_reals_in_files_are_rounded(tmp_path, kind):
    cells = ["9007199254740993.5", "+0009007199254740992", "12345678901234567890e-3", "0.1"]
    assert loaded(tmp_path, kind, cells).values.tolist() == [float(c) for c in cells]


def test_rows_that_differ_do_not_merge():
    X = np.array([[LARGE], [LARGE + 1]] * 2, dtype=np.int64)
    with pytest.raises(ValueError, match="column 'x0', row 1: float64 has no 9007199254740993"):
        fasttree.fit(X, [0, 1, 0, 1])
    for cells in (X, X.astype(np.uint64), pd.DataFrame({"x0": X[:, 0]}, dtype="Int64")):
        model = fasttree.fit(cells, [0, 1, 0, 1], categorical_features="all")
        assert model.predict(cells).tolist() == [0, 1, 0, 1]


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=8))
def test_signed_arrays_by_arithmetic(cells):
    check(np.array(cells, dtype=np.int64), cells)


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=8))
def test_unsigned_arrays_by_arithmetic(cells):
    check(np.array(cells, dtype=np.uint64), cells)


def check(values, cells):
    bad = [i for i, c in enumerate(cells) if int(float(c)) != c]
    assert [is_inexact(c) for c in cells] == [i in bad for i in range(len(cells))]
    if bad:
        with pytest.raises(ValueError, match=f"column 'a', row {bad[0]}:"):
            float_of_integers(values, lambda _: "a")
    else:
        assert [int(v) for v in float_of_integers(values, lambda _: "a")] == cells


@pytest.mark.parametrize(
    "kind",
    [
        list,
        np.array,
        lambda cells: np.array(cells, dtype=np.uint64),
        lambda cells: np.array(cells, dtype=object),
        pd.Series,
        lambda cells: pd.Series(cells, dtype="Int64"),
        lambda cells: pd.Series(cells, dtype="uint64[pyarrow]"),
        pl.Series,
        pa.array,
        lambda cells: [str(cell) for cell in cells],
    ],
    ids=[
        "list",
        "int64",
        "uint64",
        "object",
        "Series",
        "Int64",
        "pyarrow",
        "polars",
        "arrow",
        "text",
    ],
)
def test_targets_that_differ_do_not_merge(kind):
    with pytest.raises(ValueError, match="row 1.*float64 has no 9007199254740993"):
        fasttree.FastTreeRegressor().fit([[0], [1]], kind([LARGE, LARGE + 1]))
    model = fasttree.FastTreeRegressor().fit([[0], [1]], kind([LARGE, LARGE + 2]))
    assert model.predict([[0], [1]]).tolist() == [LARGE, LARGE + 2]

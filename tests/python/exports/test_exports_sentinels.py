"""Numbers that a file gave as missing (`missing={"age": [999]}`) are missing in programs, too."""

from __future__ import annotations

import ctypes
import shutil
import sqlite3
import subprocess

import numpy as np
import pytest

import fasttree

NAMES = ["age", "income", 'quo"te */']


def rows_and_file(tmp_path):
    """Rows with 999 and -9, the same rows with NaN, and a file of them."""
    rng = np.random.default_rng(0)
    X = np.round(rng.uniform(0, 100, (80, 3)), 1)
    y = np.where(X[:, 0] + X[:, 1] / 4 + X[:, 2] / 2 > 80, "yes", "no")
    X[::5, 0], X[1::7, 0], X[2::9, 2], X[3::11, 1] = 999, -9, 999, 999
    known = X.copy()
    known[np.isin(X[:, 0], [999, -9]), 0] = np.nan
    known[X[:, 2] == 999, 2] = np.nan
    file = tmp_path / "rows.csv"
    head = 'age,income,"quo""te */",class'
    lines = (",".join([*map(str, row), label]) for row, label in zip(X, y, strict=True))
    file.write_text("\n".join([head, *lines]))
    return X, known, file


@pytest.fixture(params=["branch", "mode", "fractional"])
def fitted(request, tmp_path):
    X, known, file = rows_and_file(tmp_path)
    table = fasttree.datasets.load(file, missing={"age": [999, -9], NAMES[2]: [999]})
    model = fasttree.fit(table, criterion="gini", missing=request.param)
    expected = model.predict(known).tolist()
    # A program that takes 999 as a number answers otherwise: the test can fail.
    assert model.predict(X).tolist() != expected
    return model, X, known, expected


def test_python(fitted):
    model, X, known, expected = fitted
    module: dict = {}
    exec(model.to_python(), module)
    assert [module["predict"](row) for row in X.tolist()] == expected
    assert [module["predict_proba"](row) for row in X.tolist()] == model.predict_proba(
        known
    ).tolist()
    assert "age: 999 and -9 mean missing" in model.to_python()


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_c(fitted, tmp_path):
    model, X, _, expected = fitted
    source, library = tmp_path / "t.c", tmp_path / "t.so"
    source.write_text(model.to_c(name="t"))
    options = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run(["cc", *options, str(source), "-o", str(library)], check=True)
    tree = ctypes.CDLL(str(library))
    found = [tree.t_predict((ctypes.c_double * 3)(*row)) for row in X.tolist()]
    assert [model.classes_.tolist()[code] for code in found] == expected


def test_sql(fitted):
    model, X, _, expected = fitted
    base = sqlite3.connect(":memory:")
    quoted = [name.replace('"', '""') for name in NAMES]
    base.execute("CREATE TABLE t ({})".format(", ".join(f'"{name}" REAL' for name in quoted)))
    base.executemany("INSERT INTO t VALUES (?, ?, ?)", X.tolist())
    assert [row[-1] for row in base.execute(model.to_sql(table="t"))] == expected
    assert 'NULLIF(NULLIF("age", 999.0), -9.0)' in model.to_sql()


@pytest.mark.parametrize("inputs", ["tensor", "columns"])
def test_onnx(fitted, inputs):
    onnxruntime = pytest.importorskip("onnxruntime")
    model, X, _, expected = fitted
    proto = model.to_onnx(inputs=inputs, dtype="float64")
    session = onnxruntime.InferenceSession(proto.SerializeToString())
    given = {"X": X} if inputs == "tensor" else {n: X[:, [j]] for j, n in enumerate(NAMES)}
    assert session.run(["label"], given)[0].tolist() == expected


def test_forest(tmp_path):
    X, known, file = rows_and_file(tmp_path)
    table = fasttree.datasets.load(file, missing={"age": [999, -9], NAMES[2]: [999]})
    forest = fasttree.FastForestClassifier(5, random_state=0).fit(table)
    expected = forest.predict(known).tolist()
    assert forest.predict(X).tolist() != expected
    module: dict = {}
    exec(forest.to_python(), module)
    assert [module["predict"](row) for row in X.tolist()] == expected


def test_dates_and_levels_have_none(tmp_path):
    # 9 is a month, and a level that the model does not know is missing anyway.
    file = tmp_path / "days.csv"
    lines = [
        f"2023-{1 + i % 12:02}-{1 + i % 28:02},{'u' if i % 3 else '9'},{i % 12 > 5}"
        for i in range(60)
    ]
    file.write_text("\n".join(["day,group,late", *lines]))
    sql = fasttree.fit(fasttree.datasets.load(file, missing=[9]).with_dates(["day"])).to_sql()
    assert 'EXTRACT(MONTH FROM CAST("day" AS DATE)) <= 6' in sql and "NULLIF" not in sql

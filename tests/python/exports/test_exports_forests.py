"""Forests as Python, C and SQL answer what `predict` and `predict_proba` answer."""

from __future__ import annotations

import ctypes
import math
import shutil
import sqlite3
import subprocess

import numpy as np
import pytest

import fasttree

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def rows(number, **words):
    """60 rows of a number and a nominal column with missing cells, and a forest of 5 trees."""
    random = np.random.default_rng(3)
    names = ['it\'s "x"', "kind"]
    cells = [
        [None if random.random() < 0.1 else float(v), None if random.random() < 0.1 else str(k)]
        for v, k in zip(
            random.normal(size=60).round(2), random.choice(list("abc"), 60), strict=True
        )
    ]
    signal = np.array([(x or 0.0) + (k == "a") for x, k in cells])
    y = signal + 0.3 * random.normal(size=60)
    options = {"feature_names": names, "target": "y"}
    if number:
        table = fasttree.Table(cells, y, task="regression", **options)
        forest = fasttree.FastForestRegressor(5, random_state=0, **words)
    else:
        table = fasttree.Table(cells, np.digitize(y, [0.0, 1.0]).astype(str), **options)
        forest = fasttree.FastForestClassifier(5, random_state=0, **words)
    return forest.fit(table), table, names, cells


WORDS = [{"missing": "branch"}, {"missing": "fractional"}]
EMPTY = {"empty_branch": "unclassified", "discretize": "equal_width", "n_bins": 6}
CASES = [
    *((number, words) for number in (False, True) for words in WORDS),
    *((False, {**words, **EMPTY}) for words in WORDS),  # trees that predict nothing for some rows
]


@pytest.mark.parametrize(("number", "words"), CASES)
def test_python_answers_as_the_forest(number, words):
    forest, table, names, cells = rows(number, **words)
    module: dict = {}
    exec(forest.to_python(), module)
    expected = forest.predict(table)
    found = [module["predict"](row) for row in cells]
    assert found == (pytest.approx(expected.tolist(), abs=1e-12) if number else expected.tolist())
    assert module["FEATURES"] == tuple(names)
    mapped = dict(zip(names, cells[0], strict=True))
    assert module["predict"](mapped) == module["predict"](cells[0])
    if not number:
        found = [module["predict_proba"](row) for row in cells]
        np.testing.assert_allclose(found, forest.predict_proba(table), atol=1e-12)


@pytest.mark.skipif(COMPILER is None, reason="no C compiler (cc, gcc or clang) is installed")
@pytest.mark.parametrize(("number", "words"), CASES)
def test_c_answers_as_the_forest(number, words, tmp_path):
    forest, table, _, cells = rows(number, **words)
    source, library = tmp_path / "f.c", tmp_path / "f.so"
    source.write_text(forest.to_c(name="wood"), encoding="ascii")
    flags = ["-std=c99", "-O0", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    done = subprocess.run(
        [COMPILER, *flags, source, "-o", library], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    wood = ctypes.CDLL(str(library))
    wood.wood_predict.restype = ctypes.c_double if number else ctypes.c_int
    for place, (value, kind) in enumerate(cells):
        code = math.nan if kind is None else wood.wood_code(1, kind.encode())
        x = (ctypes.c_double * 2)(math.nan if value is None else value, code)
        answer = forest.predict(table.take([place]))[0]
        if number:
            assert wood.wood_predict(x) == pytest.approx(answer, abs=1e-12)
            continue
        p = (ctypes.c_double * len(forest.classes_))()
        wood.wood_predict_proba(x, p)
        expected = forest.predict_proba(table.take([place]))[0]
        assert list(p) == pytest.approx(expected.tolist(), abs=1e-12)
        code = wood.wood_predict(x)
        assert (None if code < 0 else forest.classes_[code]) == answer


@pytest.mark.parametrize(("number", "words"), CASES)
def test_sql_answers_as_the_forest(number, words):
    forest, table, names, cells = rows(number, **words)
    base = sqlite3.connect(":memory:")
    columns = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    base.execute(f"CREATE TABLE rows ({columns})")
    base.executemany("INSERT INTO rows VALUES (?, ?)", cells)
    found = [row[-1] for row in base.execute(forest.to_sql(table="rows"))]
    expected = forest.predict(table).tolist()
    assert found == (pytest.approx(expected, abs=1e-12) if number else expected)
    if not number:
        shares = [row[2:] for row in base.execute(forest.to_sql(table="rows", output="proba"))]
        np.testing.assert_allclose(shares, forest.predict_proba(table), atol=1e-12)
    with pytest.raises(ValueError, match="is not known of a forest"):
        forest.to_sql(output="leaf")

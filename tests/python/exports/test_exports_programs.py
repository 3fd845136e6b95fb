"""Trees as Python and C: run, they answer what `predict` and `predict_proba` answer, whatever names
and values hold."""

from __future__ import annotations

import ctypes
import itertools
import math
import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import fasttree

from .exports_tools import MERGED, Case, cases

QUIET = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


def python_of(model) -> dict:
    module: dict = {}
    exec(compile(model.to_python(), "tree.py", "exec"), module)
    return module


def proba_of(case: Case) -> list:
    """Probabilities of the rows; None where a number is predicted."""
    return list(case.proba()) if hasattr(case.model, "classes_") else [None] * len(case.rows)


def check_python(case: Case) -> None:
    module = python_of(case.model)
    for row, label, p, leaf in zip(
        case.rows, case.predict(), proba_of(case), case.leaves(), strict=True
    ):
        listed = [row[name] for name in case.names]
        for given_ in (row, listed, [math.nan if v is None else v for v in listed]):
            assert module["predict"](given_) == label
            if p is not None:
                assert module["predict_proba"](given_) == p.tolist()
            assert module["leaf"](given_) in (leaf, None)
        if -2 not in case.model.tree_.missing_branch:
            assert module["leaf"](row) == leaf


@QUIET
@given(cases() | cases(**MERGED))
def test_python_predicts_what_the_tree_predicts(case):
    check_python(case)


@QUIET
@given(cases(numbers=True))
def test_python_predicts_the_number_of_the_tree(case):
    check_python(case)


COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
needs_compiler = pytest.mark.skipif(
    COMPILER is None, reason="no C compiler (cc, gcc or clang) is installed"
)
NUMBERS = itertools.count()


def check_c(case: Case, folder) -> None:
    stem = folder / f"tree{next(NUMBERS)}"
    source, library = stem.with_suffix(".c"), stem.with_suffix(".so")
    source.write_text(case.model.to_c(name="mine"), encoding="ascii")
    flags = ["-std=c99", "-O0", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    done = subprocess.run(
        [COMPILER, *flags, source, "-o", library], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    tree = ctypes.CDLL(str(library))
    levels = case.model._schema.levels
    for row, label, p, leaf in zip(
        case.rows, case.predict(), proba_of(case), case.leaves(), strict=True
    ):
        x = (ctypes.c_double * len(case.names))()
        for j, name in enumerate(case.names):
            value = row[name]
            if levels[j]:
                text = str(value).encode()
                x[j] = math.nan if value is None else tree.mine_code(j, text)
                if value in levels[j]:
                    assert x[j] == levels[j].index(value)
            else:
                x[j] = math.nan if value is None else value
        if p is None:
            tree.mine_predict.restype = ctypes.c_double
            assert tree.mine_predict(x) == label
        else:
            out = (ctypes.c_double * len(p))()
            tree.mine_predict_proba(x, out)
            assert list(out) == p.tolist()
            code = tree.mine_predict(x)
            assert (None if code < 0 else case.model.classes_.tolist()[code]) == label
        assert tree.mine_leaf(x) in (leaf, -1)
        if -2 not in case.model.tree_.missing_branch:
            assert tree.mine_leaf(x) == leaf


@needs_compiler
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=cases() | cases(**MERGED))
def test_c_predicts_what_the_tree_predicts(case, tmp_path_factory):
    check_c(case, tmp_path_factory.mktemp("c"))


@needs_compiler
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=cases(numbers=True))
def test_c_predicts_the_number_of_the_tree(case, tmp_path_factory):
    check_c(case, tmp_path_factory.mktemp("c"))


def chain_case(n: int) -> Case:
    x = np.arange(float(n))[:, None]
    chain = fasttree.fit(x, np.arange(n) % 2, criterion=lambda tables: -tables[:, 0].sum(axis=1))
    assert chain.get_depth() > n - 10
    rows = [{"x0": float(v)} for v in range(-1, n + 1, 37)] + [{"x0": None}]
    return Case(
        chain,
        ["x0"],
        ["number"],
        rows,
        fasttree.Table([[math.nan if r["x0"] is None else r["x0"]] for r in rows]),
    )


def wide_case() -> Case:
    names = [f"level {i}" for i in range(300)]
    table = fasttree.Table([[n] for n in names], [i % 7 for i in range(300)])
    model = fasttree.fit(table, nominal_splits="multiway")
    rows = [{"x0": n} for n in [*names[::11], None, "else"]]
    values = np.array([r["x0"] for r in rows], dtype=object)[:, None]
    return Case(model, ["x0"], ["text"], rows, fasttree.Table(values))


@pytest.mark.filterwarnings("ignore:nominal columns")
def test_deep_and_wide_trees_become_tables():
    for case in (chain_case(2000), wide_case()):
        assert "FEATURE = " in case.model.to_python()
        check_python(case)


@needs_compiler
@pytest.mark.filterwarnings("ignore:nominal columns")
def test_deep_and_wide_trees_compile(tmp_path):
    for case in (chain_case(2000), wide_case()):
        check_c(case, tmp_path)


def test_small_trees_are_readable():
    model = fasttree.fit(
        fasttree.datasets.load_iris(), criterion="gini", max_depth=2, missing="mode"
    )
    source = model.to_python()
    assert "if x2 <= 2.45:\n        return 0  # 'setosa'" in source.replace(
        "not x2 > 2.45", "x2 <= 2.45"
    )
    assert "FEATURE = " not in source
    assert 'return 0; /* "setosa" */' in model.to_c()


def test_missing_column_is_an_error_and_not_a_missing_value():
    module = python_of(fasttree.fit([[0.0], [1.0]], [0, 1]))
    with pytest.raises(KeyError):
        module["predict"]({"X0": 1.0})


def test_names_of_c_are_checked():
    model = fasttree.fit([[0.0], [1.0]], [0, 1])
    for name in ("", "1st", "a-b", "x;y", "_x"):
        with pytest.raises(ValueError, match="identifier"):
            model.to_c(name=name)
    with pytest.raises(ValueError, match="NUL"):
        fasttree.fit(fasttree.Table([["a\0b"], ["c"]], [0, 1])).to_c()

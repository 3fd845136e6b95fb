"""Odd values where rows, folds and scorers are given: each works, or is refused in a sentence.

A refusal is a ValueError or TypeError that names the column, row or parameter, never the address of
an object. Values of parameters are walked by `test_hostile_parameters.py`.
"""

from __future__ import annotations

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import get_scorer_names
from sklearn.model_selection import KFold

import fasttree
from fasttree import metrics, model_selection, naive_bayes
from fasttree.table import Column

from ..tools import thinned

pytestmark = pytest.mark.filterwarnings("ignore")

RNG = np.random.default_rng(0)
N = 40
X, Y, ROWS = RNG.normal(size=(N, 2)), RNG.integers(0, 2, N), np.arange(N)


class NoText:
    """An object whose text cannot be made."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


CELLS = {
    "array": np.array([1, 2]), "array of no dimension": np.array(1.5), "list": [1, 2],
    "nested lists": [[1, [2, ["\ud800"]]]], "dict": {"a": 1}, "set": {1}, "tuple": (1, 2),
    "sNaN": Decimal("sNaN"), "NaN": Decimal("NaN"), "infinity": Decimal("Infinity"),
    "1e400": Decimal("1e400"), "10**400": 10**400, "fraction": Fraction(10**400, 3),
    "half": "\ud800", "half inside": "a\udfffb", "zero": "a\0b", "bytes": b"ab",
    "bytearray": bytearray(b"x"), "memoryview": memoryview(b"x"), "object": object(),
    "no text": NoText(), "complex": 1j, "type": int, "function": len, "NaT": pd.NaT, "NA": pd.NA,
    "NumPy's True": np.True_, "NumPy's text": np.str_("q"), "NumPy's date": np.datetime64("2020"),
    "NumPy's time": np.timedelta64(3, "D"), "void": np.void(b"abc"),
    "date": datetime.date(2020, 1, 1),
    "time": datetime.time(1), "frame": pd.DataFrame({"a": [1]}), "series": pd.Series([1, 2]),
    "interval": pd.Interval(0, 1), "-inf": -np.inf, "range": range(3), "generator": iter("ab"),
    "1e308": 1e308, "long double": np.longdouble("1e4000"), "...": ...,
}  # fmt: skip

NUMBERS = fasttree.fit({"a": ROWS % 7, "z": X[:, 0]}, Y, columns="as_given")
WORDS = fasttree.fit({"a": np.array(["u", "v"])[ROWS % 2], "z": X[:, 0]}, Y, columns="as_given")

# What is done with the odd column: as a frame, as an array of objects, as rows.
USES = {
    "fit": lambda frame, c, rows: fasttree.fit(frame, Y),
    "fit all": lambda frame, c, rows: fasttree.fit(frame, Y, columns="as_given").to_bytes(),
    "fit a dict": lambda frame, c, rows: fasttree.fit({"a": c, "z": X[:, 0]}, Y),
    "fit rows": lambda frame, c, rows: fasttree.fit(rows, Y),
    "fit in Polars": lambda frame, c, rows: fasttree.fit(
        pl.DataFrame({"a": pl.Series(list(c), dtype=pl.Object), "z": X[:, 0]}), Y
    ),
    "labels": lambda frame, c, rows: fasttree.fit(X, c),
    "listed labels": lambda frame, c, rows: fasttree.fit(X, list(c)),
    "a target of a frame": lambda frame, c, rows: fasttree.Table.from_any(frame, target="a"),
    "numbers": lambda frame, c, rows: fasttree.FastTreeRegressor().fit(X, c),
    "levels": lambda frame, c, rows: fasttree.fit(
        fasttree.Table.from_columns([Column("a", "nominal", ROWS % 2, ("b", c[3]))]), Y
    ),
    "predict": lambda frame, c, rows: NUMBERS.predict(frame),
    "predict levels": lambda frame, c, rows: WORDS.predict({"a": c, "z": X[:, 0]}),
    "predict rows": lambda frame, c, rows: NUMBERS.predict(rows),
    "predict one row": lambda frame, c, rows: NUMBERS.predict({"a": c[3], "z": np.float64(1)}),
    "score": lambda frame, c, rows: NUMBERS.score({"a": ROWS, "z": X[:, 0]}, c),
    "metric": lambda frame, c, rows: metrics.accuracy(c, c),
    "metric of numbers": lambda frame, c, rows: metrics.mean_absolute_error(c, X[:, 0]),
    "weights": lambda frame, c, rows: fasttree.fit(X, Y, sample_weight=c),
    "groups": lambda frame, c, rows: model_selection.cross_validate(X, Y, cv="1x2", groups=c),
    "batches": lambda frame, c, rows: fasttree.fit(
        lambda: iter([frame.assign(y=Y)]), "y", threshold_search="histogram"
    ),
    "Bayes": lambda frame, c, rows: naive_bayes.NaiveBayes().fit(frame, Y),
}

NAMED = (
    "column",
    "row",
    "target",
    "sample weights",
    "sample_weight",
    "groups",
    "y should be",
    "'a'",
    "numbers: [",
)


def refused_well(call, *words):
    """Fail unless the call works, or refuses in a sentence that has one of the words."""
    try:
        call()
    except (ValueError, TypeError) as error:
        said = str(error)
        assert not isinstance(error, UnicodeError) and " at 0x" not in said, said
        assert any(word in said for word in words) and len(said) < 900, said


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("beside", ["numbers", "words", "nothing", "alone"])
def test_odd_cells_are_refused_by_column_and_row(use, beside):
    fill = {"numbers": lambda i: float(i % 7), "words": "uv".__getitem__, "nothing": [None] * 2}
    for odd in CELLS.values():
        column = np.empty(N, object)
        for i in ROWS:
            is_odd = beside == "alone" or i % 5 == 3
            column[i] = odd if is_odd else None if beside == "nothing" else fill[beside](i % 2)
        frame = pd.DataFrame({"a": pd.Series(list(column), dtype=object), "z": X[:, 0]})
        rows = [list(row) for row in zip(column, X[:, 0], strict=True)]
        refused_well(lambda: USES[use](frame, column, rows), *NAMED)


class Splits:
    """A splitter that gives what it is told to."""

    def __init__(self, given):
        self.given = given

    def split(self, X, y=None, groups=None):
        return iter(self.given)


FOLDS = {
    "one row": [([0], [1])], "one class": [(ROWS[Y == 0], ROWS[Y == 1])], "none": [],
    "no test": [(ROWS, [])], "no train": [([], ROWS)], "overlap": [(ROWS[:30], ROWS[20:])],
    "all": [(ROWS, ROWS)], "beyond": [(ROWS[:30], [99])], "negative": [(ROWS[:30], [-1])],
    "three": [(ROWS[:9], ROWS[9:20], ROWS[20:])], "array": [ROWS], "flat": [1, 2, 3],
    "mask": [(Y == 0, Y == 1)], "text": [("a", "b")], "float": [(ROWS[:20] + 0.5, ROWS[20:])],
    "2-d": [(ROWS[:20].reshape(4, 5), ROWS[20:])], "None": [(None, None)],
    "twice": [(np.r_[ROWS[:20], ROWS[:20]], ROWS[20:])], "5x": "5x", "0x5": "0x5", "1x1": "1x1",
    "0": 0, "1": 1, "-1": -1, "41": 41, "2.5": 2.5, "NaN": np.nan, "10**400": 10**400, "dict": {},
    "object": object(), "set": {1}, "class": KFold, "too many": KFold(99), "True": True,
    "empty splitter": Splits([]), "one row of a splitter": Splits([([0], [1])]),
    "broken splitter": Splits(None), "bytes": b"2x2", "half": "\ud800", "inf": np.inf,
    "function": lambda X, y: [(ROWS[:20], ROWS[20:])], "frame": pd.DataFrame({"a": ROWS}),
    "10**400 inside": [(ROWS[:20], [10**400])], "sNaN": [(ROWS[:20], [Decimal("sNaN")])],
    "iterator": None,
}  # fmt: skip


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("call", ["cross_validate", "compare", *thinned(["sweep", "advise"], 3)])
def test_odd_folds_are_refused_by_name(call, task):
    y = Y if task == "classification" else X[:, 0]
    table = fasttree.Table(X, y, task=task)
    criterion = "gini" if task == "classification" else "squared_error"
    calls = {
        "cross_validate": lambda cv: model_selection.cross_validate(X, y, criterion, cv=cv),
        "compare": lambda cv: model_selection.compare({"t": table}, [criterion], cv=cv),
        "sweep": lambda cv: fasttree.sweep(X, Y, alpha=(0.0,), cv=cv),
        "advise": lambda cv: fasttree.advise(
            X, y, cv=cv, work="quick", progress=False, n_jobs=1, time_limit=0.2
        ),
    }
    for name, cv in FOLDS.items():
        if name == "iterator":
            cv = ((ROWS[:20], ROWS[20:]) for _ in range(2))
        refused_well(lambda cv=cv: calls[call](cv), "cv", "fold")


@pytest.mark.parametrize(
    "scorer",
    thinned([*(m["name"] for m in fasttree.metrics.list_metrics()), *get_scorer_names()], 5),
)
def test_a_scorer_of_the_other_task_says_so(scorer):
    for y, criterion in ((Y, "gini"), (X[:, 0], "squared_error")):
        for call in (
            lambda: model_selection.cross_validate(X, y, criterion, cv="1x2", scoring=scorer),
            lambda: model_selection.learning_curve(
                X, y, criterion=[criterion], n_repeats=1, train_sizes=(0.5,), scoring=scorer
            ),
        ):
            refused_well(call, scorer)

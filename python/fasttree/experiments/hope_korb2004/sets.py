"""The data sets of Hope & Korb (2004), section 5.2, as far as they are at hand, and how the paper's
names are read.

- "anneal" most likely is anneal.ORIG, whose missing cells are missing. J48 reaches the printed 88.4
  % with it (89.8 %; 98.4 % on the file where they are a value) and AODE its 95.3 %. TAN alone fits
  the other file better.
- "bcw" is the Wisconsin breast cancer set, its grades from 1 to 10 read as levels. All five
  learners then reach the printed accuracies; with grades as numbers naive Bayes and CaMML do not.
- "chess" is the 551-row set of the naive Bayes literature (of the five accuracies printed for it,
  3196 rows could give two).
- "cleveland" and "hungarian" are the two-class versions, "heart" is statlog's set.
- "crx" is credit approval.
- "glass" most likely has three classes (building and vehicle windows of float glass, windows of
  other glass, no windows). Naive Bayes and J48 reach the printed accuracies with these. They are 13
  and 8 points away with the seven of the file.
- "led" has 1000 rows and is drawn again from Breiman's display.
- "sign" is there only discretised: its trees and naive Bayes see bins, not numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...datasets import load, make_led
from ...table import Table
from ..reproduction import plain_key

FILES: dict[str, tuple[str, ...]] = {
    "adult": ("adult-train", "adult-test"),
    "anneal": ("anneal-orig",),
    "balance-scale": ("balance-scale",),
    "bcw": ("breast-w",),
    "bupa": ("bupa",),
    "chess": ("chess-551",),
    "cleveland": ("heart-c",),
    "crx": ("credit-a",),
    "echocardiogram": ("echocardiogram",),
    "german": ("credit-g",),
    "glass": ("glass",),
    "heart": ("heart-statlog",),
    "hepatitis": ("hepatitis",),
    "horse-colic": ("colic",),
    "house-votes-84": ("vote",),
    "hungarian": ("heart-h",),
    "hypothyroid": ("hypothyroid",),
    "ionosphere": ("ionosphere",),
    "iris": ("iris",),
    "labor-neg": ("labor",),
    "led": (),
    "letter-recognition": ("letter",),
    "lung-cancer": ("lung-cancer",),
    "mfeat-mor": ("mfeat-morphological",),
    "new-thyroid": ("new-thyroid",),
    "pendigits": ("pendigits",),
    "post-operative": ("postoperative",),
    "promoters": ("promoters",),
    "ptn": ("primary-tumor",),
    "satellite": ("satellite-train", "satellite-test"),
    "segment": ("segment",),
    "sign": ("sign-mdl",),
    "sonar": ("sonar",),
    "syncon": ("synthetic-control",),
    "ttt": ("tic-tac-toe",),
    "vehicle": ("vehicle",),
    "wine": ("wine",),
}
"""The paper's name of a set -> stems of its files; led is generated."""

NOMINAL_SETS = ("bcw", "chess")
"""Sets whose whole numbers are codes of nominal values."""

HYPOTHYROID_ROWS = 3163
"""Rows of the set hypothyroid; another set of the same name has 3772."""

LOAD_OPTIONS: dict[str, dict[str, Any]] = {
    "adult": {"target": 14, "header": False},
    "echocardiogram": {
        "target": "still_alive",
        "drop": ("survival", "wall_motion_score", "mult", "name", "group", "alive_at_1"),
    },
    "new-thyroid": {"target": 5},
}
"""How files are read that do not say it themselves; attributes that name a patient or leak the
class are left out."""

OUT_OF_REACH: dict[tuple[str, str], str] = {
    ("anneal", "nb"): "not explained: 75.9 to 77.5 % over 10 divisions, 88.1 % where missing cells "
    "are a value of their own; the print lies between",
    ("anneal", "tan"): "missing cells: 97.2 % where they are a value of their own, in the other "
    "file, which is within reach",
    ("echocardiogram", "j48"): "the folds: 62.0 to 67.8 % over 20 other divisions",
    ("promoters", "aode"): "the folds: 81.3 to 85.1 % over 20 other divisions",
    ("hungarian", "camml"): "the folds: 78.2 to 80.8 % over 8 other divisions",
    (
        "led",
        "j48",
    ): "the rows drawn: 69.5 to 75.3 % over 12 samples of 1000 rows, 71.8 % on average",
    ("horse-colic", "j48"): "missing cells: 83.6 % where they take the most frequent value, which "
    "is within reach",
    ("labor-neg", "aode"): "not explained: with missing cells left out, replaced or as a value, "
    "and under six frequency limits, AODE has 84.9 % or more in every folding tried",
    ("lung-cancer", "aode"): "not explained: with columns as levels or as numbers AODE is at least "
    "3 points better in each of 20 divisions, and so is naive Bayes; the paper's rows must differ",
    ("lung-cancer", "camml"): "printed is the share of the first class, 9 of 32 rows; CaMML finds "
    "hardly an arc and predicts the most frequent class, 13 of 32",
}
"""(Set, learner) whose accuracy here is out of reach of the printed one -> its explanation."""


def open_set(name: str, files: Mapping[str, Path]) -> Table | None:
    """One data set as the paper describes it; None when a file of it is not in the folder. The LED
    data are generated."""
    if name == "led":
        return make_led(1000, noise=0.1, random_state=0)
    keys = [plain_key(stem) for stem in FILES[name]]
    if not all(key in files for key in keys):
        return None
    options = LOAD_OPTIONS.get(name, {})
    tables = [load(files[key], **options, task="classification") for key in keys]
    if len(tables) > 1:
        return _stacked(tables, name)
    (table,) = tables
    return PREPARATIONS[name](table) if name in PREPARATIONS else table


def _with_expected_rows(hypothyroid: Table) -> Table | None:
    """The hypothyroid set; None for the other set of this name."""
    return hypothyroid if len(hypothyroid) == HYPOTHYROID_ROWS else None


def _as_levels(table: Table, name: str) -> Table:
    """A set whose whole numbers are codes, with nominal columns."""
    names = table.feature_names
    return Table(table.X, table.y, feature_names=names, categorical_features="all", name=name)


def _three_kinds(glass: Table) -> Table:
    """The glass set with the classes float, non-float and other."""
    kinds = {
        label: "non-float" if "non-float" in label else "float" if "float" in label else "other"
        for label in map(str, glass.classes)
    }
    y = [kinds[str(label)] for label in np.asarray(glass.y)]
    return Table(glass.X, y, feature_names=glass.feature_names, name="glass")


def _stacked(tables: list[Table], name: str) -> Table:
    """Rows of several files as one Table; labels without the full stop that adult's test file puts
    behind them."""
    X = np.vstack([np.asarray(table.X, dtype=object) for table in tables])
    y = np.concatenate([np.asarray(table.y) for table in tables])
    if y.dtype.kind in "OU":
        y = np.array([str(label).rstrip(".") for label in y])
    return Table(X, y, feature_names=tables[0].feature_names, name=name)


PREPARATIONS: dict[str, Callable[[Table], Table | None]] = {
    "echocardiogram": Table.drop_missing_target,
    "glass": _three_kinds,
    "hypothyroid": _with_expected_rows,
    **{name: partial(_as_levels, name=name) for name in NOMINAL_SETS},
}
"""What becomes of a set of one file after it is read; other sets are used as they are."""

"""What the tests of habits share: data, and the list of habits and refusals."""

# ruff: noqa: E402
from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

from sklearn.datasets import load_iris

X, Y = load_iris(return_X_y=True)
IRIS = load_iris(as_frame=True).frame
RNG = np.random.default_rng(0)
N = 240
SIZE = RNG.normal(size=N).round(2)
COLOUR = RNG.choice(["red", "green", "blue"], N)
LABEL = np.where((SIZE > 0) ^ (COLOUR == "red"), "yes", "no")
FRAME = pd.DataFrame(
    {
        "size": SIZE,
        "colour": COLOUR,
        "grade": pd.Categorical(RNG.choice(["low", "high"], N), ["low", "high"], ordered=True),
        "flag": RNG.random(N) < 0.5,
        "count": RNG.integers(0, 5, N),
    }
)
MIXED = FRAME.assign(label=LABEL)

HABITS: dict[str, Callable[[], object]] = {}
REFUSALS: dict[str, tuple[Callable[[], object], str]] = {}


def habit(function):
    HABITS[function.__name__] = function
    return function


def refused(words: str):
    def keep(function):
        REFUSALS[function.__name__] = (function, words)
        return function

    return keep

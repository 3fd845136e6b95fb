"""`warm_start` of a forest: which trees are kept, and what must be as it was.

What
    A forest remembers the seed of its trees, a number for its rows, and its parameters. A further
    fit grows the trees that are not there yet; each has its seed from its place alone, so that the
    forest is the one grown at once.
When not to use it
    Directly; see `FastForestClassifier`.
"""

from __future__ import annotations

import warnings
from copy import copy
from typing import Any

import numpy as np

from .. import _engine
from .._checks import one_value
from .declaration import NOT_STORED, check

__all__ = ["kept_words", "trees_before"]

FREE = ("n_estimators", "oob_score", *NOT_STORED)
"""Parameters that may change between two fits."""


def kept_words(forest: Any) -> dict[str, Any]:
    """Parameters that must not change, options of objects included. Of a generator only the kind
    counts: its state has moved on."""
    words = {k: copy(v) for k, v in forest.get_params(deep=True).items() if k not in FREE}
    state = words["random_state"]
    if isinstance(state, np.random.Generator | np.random.RandomState):
        words["random_state"] = type(state).__name__
    return words


def trees_before(forest: Any, config: dict[str, Any]) -> tuple[_engine.Forest, int] | None:
    """The trees that stay, with the number for their rows, and their seed into the configuration;
    None where all are grown.

    Raises:
        ValueError: fewer trees than there are, or a parameter that has changed.
    """
    if not one_value("warm_start", forest.warm_start) or getattr(forest, "_grown", None) is None:
        return None
    seed, content, words = forest._grown
    before = len(forest._model.seeds)
    if check("n_estimators", forest.n_estimators) < before:
        raise ValueError(
            f"n_estimators={forest.n_estimators} must be larger or equal to the {before} trees "
            "that there are when warm_start=True"
        )
    for name, value in kept_words(forest).items():
        if not is_same(words.get(name), value):
            raise ValueError(
                f"{name}={value!r} was {words.get(name)!r} when the first trees were grown, which "
                "warm_start=True keeps; give that, or set warm_start=False"
            )
    if forest.n_estimators == before:
        warnings.warn(
            "Warm-start fitting without increasing n_estimators does not fit new trees.",
            UserWarning,
            stacklevel=3,
        )
    config["seed"] = seed
    return forest._model, content


def is_same(one: Any, other: Any) -> bool:
    """Whether two values of a parameter are equal; arrays in all cells."""
    if one is other:
        return True
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return bool(np.array_equal(one, other))
    return bool(one == other)

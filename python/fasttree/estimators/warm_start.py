"""`warm_start` of a forest: which trees are kept, and which parameters must not change.

What
    A forest remembers the seed of its trees, a number for its rows, and its parameters. A further
    fit grows the missing trees; the seed of a tree depends on its index alone, so that the
    forest is the one grown at once.
When not to use it
    Directly; see `FastForestClassifier`.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from .. import _engine
from .._checks import one_value
from .._checks.data_warnings import warn_caller
from .declaration import NOT_STORED, check

FREE = ("n_estimators", "oob_score", *NOT_STORED)
"""Parameters that may change between two fits."""


def kept_words(forest: Any) -> dict[str, Any]:
    """Parameters that must not change, with the options of objects.

    A random generator is represented by its class, as its state has advanced since.
    """
    words = {k: copy(v) for k, v in forest.get_params(deep=True).items() if k not in FREE}
    state = words["random_state"]
    if isinstance(state, np.random.Generator | np.random.RandomState):
        words["random_state"] = type(state).__name__
    return words


def trees_before(forest: Any, config: dict[str, Any]) -> tuple[_engine.Forest, int] | None:
    """The trees that are kept, with the hash of their rows; None if all are grown.

    Their seed is entered into `config`.

    Raises:
        ValueError: fewer trees than the forest has, or a parameter that has changed.
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
        warn_caller(
            "Warm-start fitting without increasing n_estimators does not fit new trees.",
            UserWarning,
        )
    config["seed"] = seed
    return forest._model, content


def is_same(one: Any, other: Any) -> bool:
    """True if two values of a parameter are equal; arrays must be equal in all cells."""
    if one is other:
        return True
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return bool(np.array_equal(one, other))
    return bool(one == other)

"""`warm_start` of a forest: which trees are kept, and which parameters must not change.

What
    A forest remembers the seed of its trees, a checksum of its rows, and its parameters. A further
    fit grows the missing trees. The seed of a tree depends on its index alone, so the forest is the
    same as one grown at once.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from .. import _engine
from .._checks import one_value
from .._checks.data_warnings import warn_caller
from .declaration import NOT_STORED, check

MAY_CHANGE = ("n_estimators", "oob_score", *NOT_STORED)
"""Parameters that may change between two fits."""


def fixed_parameters(forest: Any) -> dict[str, Any]:
    """The parameters of a forest that must not change between two fits, with the options of
    objects among them.

    A random generator is represented by the name of its class, as its state has advanced since.
    """
    parameters = {
        k: copy(v) for k, v in forest.get_params(deep=True).items() if k not in MAY_CHANGE
    }
    state = parameters["random_state"]
    if isinstance(state, np.random.Generator | np.random.RandomState):
        parameters["random_state"] = type(state).__name__
    return parameters


def trees_before(forest: Any, config: dict[str, Any]) -> tuple[_engine.Forest, int] | None:
    """The trees of the last fit with the checksum of their rows; None where all trees are to be
    grown. Their seed is written into `config`.

    Raises:
        ValueError: fewer trees than the forest has, or a parameter that has changed.
    """
    if not one_value("warm_start", forest.warm_start) or getattr(forest, "_grown", None) is None:
        return None
    seed, content, parameters = forest._grown
    before = len(forest._model.seeds)
    if check("n_estimators", forest.n_estimators) < before:
        raise ValueError(
            f"n_estimators={forest.n_estimators} must be larger or equal to the {before} trees "
            "that there are when warm_start=True"
        )
    for name, value in fixed_parameters(forest).items():
        if not is_same(parameters.get(name), value):
            raise ValueError(
                f"{name}={value!r} was {parameters.get(name)!r} when the first trees were grown, "
                "which warm_start=True keeps; give that, or set warm_start=False"
            )
    if forest.n_estimators == before:
        warn_caller(
            "Warm-start fitting without increasing n_estimators does not fit new trees.",
            UserWarning,
        )
    config["seed"] = seed
    return forest._model, content


def is_same(one: Any, other: Any) -> bool:
    """Whether two values of a parameter are equal; arrays must be equal in all cells.

    A warm start compares the parameters of the last fit with the current ones by it. Objects are
    compared by ``==``, so criteria with equal options are the same.
    """
    if one is other:
        return True
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return bool(np.array_equal(one, other))
    return bool(one == other)

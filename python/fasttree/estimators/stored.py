"""The state of a fitted estimator as plain values.

What
    pickle, joblib and skops store the state of an estimator. In it the model of the core is the
    bytes of a model file, which the loader validates fully before it is used. Attributes that
    follow from the model are left out and computed again. A class takes both functions as its
    ``__getstate__`` and ``__setstate__``, and gives `_derived`, the names of those attributes, and
    `_take_back`, which sets the model and them from the bytes of its file.
Complexity
    That of writing and reading a model file.
When not to use it
    To keep a model for years: `save` writes the file itself.
"""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator


def state_of(fitted: Any) -> dict[str, Any]:
    """The attributes of an estimator, with its model as bytes."""
    state = dict(BaseEstimator.__getstate__(fitted))
    if state.get("_model") is not None:
        state["_model"] = state["_model"].to_bytes()
        for name in fitted._derived:
            state.pop(name, None)
    return state


def take_state(fitted: Any, state: dict[str, Any]) -> None:
    """Take over the attributes that `state_of` gave.

    Raises:
        ValueError: the bytes of the model are damaged.
    """
    state = dict(state)
    data = state.pop("_model", None)
    BaseEstimator.__setstate__(fitted, state)
    if isinstance(data, bytes):
        fitted._take_back(data)
    elif data is not None:  # older pickles hold the model itself
        fitted._model = data

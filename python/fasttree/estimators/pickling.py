"""Pickles of fitted estimators: their state as plain values.

What
    pickle, joblib and skops store the state of an estimator. In it the model of the core is the
    bytes of a model file, which the loader validates fully before it is used. Attributes that
    follow from the model are left out and computed again. A class takes both functions as its
    ``__getstate__`` and ``__setstate__``. It lists the attributes that follow from the model in
    `_derived`, and sets them and the model in `_load_state`.
Complexity
    The time to write or read a model file.
When not to use it
    To keep a model for years: `save` writes the model file itself.
"""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator


def state_for_pickle(estimator: Any) -> dict[str, Any]:
    """The attributes of an estimator, with its model as the bytes of a model file.

    Attributes that follow from the model (`_derived`) are left out. An estimator that is not fitted
    has no model, and its attributes are returned as they are. It serves as ``__getstate__``.
    """
    state = dict(BaseEstimator.__getstate__(estimator))
    if state.get("_model") is not None:
        state["_model"] = state["_model"].to_bytes()
        for name in estimator._derived:
            state.pop(name, None)
    return state


def restore_state(estimator: Any, state: dict[str, Any]) -> None:
    """Set the attributes that `state_for_pickle` returned.

    The core validates the bytes of the model before any attribute that follows from it is made.

    Raises:
        ValueError: the bytes of the model are damaged.
    """
    state = dict(state)
    data = state.pop("_model", None)
    BaseEstimator.__setstate__(estimator, state)
    if isinstance(data, bytes):
        estimator._load_state(data)
    elif data is not None:  # older pickles hold the model itself
        estimator._model = data

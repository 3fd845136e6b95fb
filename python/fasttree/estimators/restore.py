"""Fitted estimators of trees and forests from the bytes of their model files.

What
    The core validates the whole file before anything is used. The class of the estimator follows
    from the model, its parameters from the text that `stored_parameters` wrote.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from .. import _engine, criteria
from .exact import MinimalTreeClassifier, OptimalTreeClassifier
from .forest import FastForestClassifier, FastForestRegressor
from .parameters import restored_parameters
from .tree import FastTreeClassifier, FastTreeRegressor

_SEARCHED: dict[str, type] = {
    kind.__name__: kind for kind in (MinimalTreeClassifier, OptimalTreeClassifier)
}


def tree_from_bytes(data: bytes) -> Any:
    """The fitted tree in a model file, which is fully validated before it is used.

    Raises:
        ValueError: truncated, damaged, or not a tree of fasttree.
    """
    model = _engine.model_from_bytes(data)
    kind: type = FastTreeRegressor if model.is_regression else FastTreeClassifier
    if '"learner"' in model.parameters:
        kind = _SEARCHED.get(json.loads(model.parameters).get("learner"), kind)
    return _restored(kind, model)


def forest_from_bytes(data: bytes) -> FastForestClassifier | FastForestRegressor:
    """The fitted forest in a model file, a classifier or a regressor as the file says.

    The core validates the whole file before it is used, as `tree_from_bytes` does for trees.

    Raises:
        ValueError: truncated, damaged, or not a forest of fasttree.
    """
    model = _engine.forest_from_bytes(data)
    kind: Any = FastForestRegressor if model.is_regression else FastForestClassifier
    return _restored(kind, model)


def _restored(kind: Any, model: Any) -> Any:
    """A fitted estimator from a model that was read.

    Args:
        kind: class of the estimator.
        model: a model of the core.

    Raises:
        ValueError: parameters that no `fit` wrote.
    """
    try:
        params = restored_parameters(model.parameters)
        known = kind._get_param_names()
        estimator = kind(**{k: v for k, v in params.items() if k in known})
        if "criterion" in known and kind.__name__ not in _SEARCHED:
            criteria.make(estimator.criterion)
        schema = json.loads(model.schema_json())
        labels = schema["classes"]
        one_type = len({type(label) for label in labels}) == 1
        names = [f["name"] for f in schema["features"]]
        estimator._load_model(
            model,
            np.array(labels) if one_type else np.array(labels, dtype=object),
            names != [f"x{j}" for j in range(len(names))],
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"not a valid fasttree model: its parameters cannot be read ({error})"
        ) from error
    return estimator

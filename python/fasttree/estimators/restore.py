"""Estimators of trees, forests and exact trees from the bytes of their model files."""

from __future__ import annotations

import json
from typing import Any

from .. import _engine
from .base import read_back
from .exact import MinimalTreeClassifier, OptimalTreeClassifier
from .forest import FastForestClassifier, FastForestRegressor
from .regressor import FastTreeRegressor
from .tree import FastTreeClassifier

__all__ = ["forest_from_bytes", "tree_from_bytes"]

SEARCHED: dict[str, type] = {
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
        kind = SEARCHED.get(json.loads(model.parameters).get("learner"), kind)
    return read_back(kind, model)


def forest_from_bytes(data: bytes) -> FastForestClassifier | FastForestRegressor:
    """The fitted forest in a model file; see `tree_from_bytes`."""
    model = _engine.forest_from_bytes(data)
    kind: Any = FastForestRegressor if model.is_regression else FastForestClassifier
    forest: FastForestClassifier | FastForestRegressor = read_back(kind, model)
    return forest

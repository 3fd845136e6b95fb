"""Estimators of trees and exact trees from the bytes of their model files."""

from __future__ import annotations

from typing import Any

from .. import _engine
from .base import read_back
from .exact import restored
from .regressor import FastTreeRegressor
from .tree import FastTreeClassifier

__all__ = ["tree_from_bytes"]


def tree_from_bytes(data: bytes) -> Any:
    """The fitted tree in a model file, which is fully validated before it is used.

    Raises:
        ValueError: truncated, damaged, or not a tree of fasttree.
    """
    model = _engine.model_from_bytes(data)
    if '"learner"' in model.parameters:
        return restored(model)
    kind = FastTreeRegressor if model.is_regression else FastTreeClassifier
    estimator, classes, has_names = read_back(kind, model)
    estimator._adopt(model, classes, has_names)
    if model.is_regression:
        estimator._recall()
    return estimator

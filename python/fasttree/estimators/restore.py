"""Model files read back: the estimator of a tree, a forest or an exact tree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .. import _engine
from .._checks import checked, content, path_of
from .base import read_back
from .exact import restored
from .forest import forest_from_bytes
from .tree import FastTreeClassifier

__all__ = ["from_bytes", "load_model"]


@checked(data=content)
def from_bytes(data: bytes) -> Any:
    """A fitted model (tree or forest) from the content of a model file; it is checked before
    anything is believed.

    Raises:
        ValueError: truncated, damaged, or not a model of fasttree.
    """
    if b'"fasttree forest"' in data[:64]:
        return forest_from_bytes(data)
    if b'"fasttree Bayes model"' in data[:64]:
        raise ValueError(
            "not a valid fasttree model of trees: this is a Bayesian classifier, which "
            "fasttree.naive_bayes.load reads"
        )
    model = _engine.model_from_bytes(data)
    if '"learner"' in model.parameters:
        return restored(model)
    estimator, classes, has_names = read_back(FastTreeClassifier, model)
    estimator._candidates = {}
    estimator._adopt(model, classes, has_names)
    return estimator


@checked(path=path_of)
def load_model(path: str | Path) -> Any:
    """A fitted model (tree or forest) from a file written by its `save`."""
    try:
        return from_bytes(Path(path).read_bytes())
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error

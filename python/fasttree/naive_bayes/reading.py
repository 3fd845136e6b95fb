"""Reading Bayesian classifiers from the bytes of a file, for `fasttree.load`.

What
    ``{"format": "fasttree Bayes model", "version": 1, "checksum": "...", "model": {...}}``, the
    document of `bayesian_networks.documents`. The model holds the class of the estimator, its
    parameters, names, kinds and levels of the features, the class labels, and the core's cut points
    and counts.
Safety
    Nothing in a file is executed. The checksum is verified first, then names, kinds, levels and
    classes are compared with the core's model, whose counts the core checks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _engine
from ..bayesian_networks.documents import canonical, checked_values, labels_array, opened
from ..estimators.parameters import restored_discretizer
from ..estimators.schema import Schema
from .aode import AODE
from .base import FORMAT, BayesClassifier
from .naive import NaiveBayes
from .tan import TAN

LEARNERS: dict[str, type[BayesClassifier]] = {
    learner.__name__: learner for learner in (NaiveBayes, TAN, AODE)
}
_COUNTS = frozenset({"class_counts", "counts", "pairs", "singles"})
"""Keys of the core's model whose values are weights of rows."""


def _checked_schema(model: dict[str, Any], core: dict[str, Any], owner: str) -> Schema:
    """Names, kinds and levels of the features; ValueError unless they fit the core's model."""
    features, readings = model["features"], core["readings"]
    if len(features) != len(readings):
        raise ValueError(f"{len(features)} features, but the counts are of {len(readings)}")
    for place, (feature, reading) in enumerate(zip(features, readings, strict=True)):
        if not isinstance(feature["name"], str) or not isinstance(feature["levels"], list):
            raise ValueError(f"feature {place} has no name or no levels")
        levels = feature["levels"]
        wrong = [v for v in levels if not isinstance(v, (str, int, float, bool))]
        if wrong:
            raise ValueError(f"feature {place} has the level {wrong[0]!r:.40}, which is no label")
        if len({(type(v), v) for v in levels}) < len(levels):
            raise ValueError(f"feature {place} has a level twice")
        if (reading["kind"] == "nominal") != feature["nominal"]:
            raise ValueError(f"feature {place} is nominal in one place and numeric in another")
        if feature["nominal"] and reading["levels"] != len(feature["levels"]):
            raise ValueError(f"feature {place} has two numbers of levels")
    return Schema(
        names=[feature["name"] for feature in features],
        nominal=[bool(feature["nominal"]) for feature in features],
        levels=[tuple(feature["levels"]) for feature in features],
        has_names=bool(model["has_names"]),
        owner=owner,
    )


def _check_counts(core: dict[str, Any]) -> None:
    """Refuse counts that no training set has: negative, not finite, or above 2^32 rows."""
    # (key, value, whether it is below a key of counts)
    stack: list[tuple[str, Any, bool]] = [("model", core, False)]
    while stack:
        key, value, is_count = stack.pop()
        if isinstance(value, dict):
            stack += [(name, inner, is_count or name in _COUNTS) for name, inner in value.items()]
        elif isinstance(value, list):
            stack += [(key, inner, is_count) for inner in value]
        elif is_count and isinstance(value, (int, float)) and not 0 <= value <= 2**32:
            shown = str(value) if isinstance(value, float) or abs(value) < 10**20 else "a number"
            raise ValueError(f"{key} holds {shown}, which counts no rows (0 to 2^32)")


def classifier_from_bytes(data: bytes) -> BayesClassifier:
    """A fitted classifier from the content of a file, which is checked.

    Raises:
        ValueError: truncated, damaged, of another version, or no Bayesian classifier of fasttree.
    """
    model = opened(data, FORMAT)
    with checked_values(FORMAT):
        learner = LEARNERS[model["learner"]]
        params = dict(model["parameters"])
        params["discretize"] = restored_discretizer(params.get("discretize"))
        estimator = learner(**params)
        core = model["core"]
        _check_counts(core)
        classes = labels_array(model["classes"])
        if len(classes) != len(core["class_counts"]):
            raise ValueError("the number of classes differs from that of the counts")
        schema = _checked_schema(model, core, learner.__name__)
        cuts = {
            name: np.array(reading["cuts"], dtype=np.float64)
            for name, reading in zip(schema.names, core["readings"], strict=True)
            if reading["kind"] == "binned"
        }
        estimator._model = _engine.bayes_model_from_bytes(canonical(core).encode("utf-8"))
        estimator._adopt(schema, classes, cuts)
    return estimator

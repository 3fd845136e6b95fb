"""The trees of a forest: their parameters, their samples, and the trees as estimators, each made
when it is looked at."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import Any, overload

import numpy as np

from .. import _engine
from .._checks import integer, real
from .._checks.words import counted
from .new_rows import file_cells_of
from .parameters import stored_parameters
from .tree_estimator import TreeEstimator


def tree_parameters(kind: Any, params: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Parameters of one tree, an estimator of class `kind`, of a forest with these parameters."""
    defaults = kind().get_params(deep=False)
    own = {k: v for k, v in params.items() if k in defaults and k not in ("n_jobs", "progress")}
    known = own.get("class_weight")
    if isinstance(known, str) and known == "balanced_subsample":
        own["class_weight"] = "balanced"  # of a tree, whose rows are the sample
    return {**defaults, **own, "random_state": seed}


def sample_size(share: int | float | None, bootstrap: bool, copies: int) -> int | None:
    """Rows in a sample of `max_samples`, None without samples; `copies` are the rows that can be
    drawn."""
    if not bootstrap:
        if share is not None:
            raise ValueError(
                f"max_samples={share!r} needs bootstrap=True: without it no sample is drawn"
            )
        return None
    if share is None:
        return copies
    if isinstance(share, numbers.Integral):
        if integer("max_samples", share, 1) > copies:
            raise ValueError(f"max_samples={share!r} must not exceed the number of rows, {copies}")
        return int(share)
    if real("max_samples", share, 0.0, 1.0) == 0.0:
        raise ValueError("max_samples=0.0 must lie above 0")
    return max(1, round(float(share) * copies))


class ForestTrees(Sequence[TreeEstimator]):
    """Trees of a forest as estimators, from the core's model of the forest."""

    def __init__(
        self,
        kind: Any,
        model: _engine.Forest,
        classes: np.ndarray,
        has_names: bool,
        params: dict[str, Any],
        *,
        float32_conflicts: Any = None,
    ) -> None:
        self._kind, self._float32_conflicts = kind, float32_conflicts
        self._model, self._classes, self._has_names = model, classes, has_names
        self._params = params
        self._file_cells = file_cells_of(model)
        self._seeds: list[int] = model.seeds

    def __len__(self) -> int:
        return len(self._seeds)

    def _tree(self, t: int) -> TreeEstimator:
        params = tree_parameters(self._kind, self._params, self._seeds[t])
        tree: Any = self._kind(**params)
        model = self._model.tree(t, stored_parameters(params, self._file_cells))
        tree._adopt(model, self._classes, self._has_names)
        tree._float32_conflicts = self._float32_conflicts
        grown: TreeEstimator = tree
        return grown

    @overload
    def __getitem__(self, index: int) -> TreeEstimator: ...
    @overload
    def __getitem__(self, index: slice) -> list[TreeEstimator]: ...
    def __getitem__(self, index: int | slice) -> TreeEstimator | list[TreeEstimator]:
        places = range(len(self))[index]
        return self._tree(places) if isinstance(places, int) else [self._tree(t) for t in places]

    def __repr__(self) -> str:
        return f"{counted(len(self), 'tree')}"

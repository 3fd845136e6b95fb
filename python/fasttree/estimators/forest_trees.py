"""The trees of a forest: their parameters, their samples, and the trees as estimators, each made
when it is looked at."""

from __future__ import annotations

import json
import numbers
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np

from .. import _engine
from .._checks import integer, real
from .parameters import stored_parameters
from .tree import FastTreeClassifier


def tree_parameters(params: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Parameters of one tree of a forest with these parameters."""
    defaults = FastTreeClassifier().get_params(deep=False)
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


class ForestTrees(Sequence[FastTreeClassifier]):
    """Trees of a forest as estimators, from the core's model of the forest."""

    def __init__(
        self, model: _engine.Forest, classes: np.ndarray, has_names: bool, params: dict[str, Any]
    ) -> None:
        self._model, self._classes, self._has_names = model, classes, has_names
        self._params = params
        self._seeds: list[int] = model.seeds

    def __len__(self) -> int:
        return len(self._seeds)

    def _tree(self, t: int) -> FastTreeClassifier:
        params = tree_parameters(self._params, self._seeds[t])
        tree = FastTreeClassifier(**params)
        tree._candidates = {}
        model = self._model.tree(t, json.dumps(stored_parameters(params)))
        tree._adopt(model, self._classes, self._has_names)
        return tree

    @overload
    def __getitem__(self, index: int) -> FastTreeClassifier: ...
    @overload
    def __getitem__(self, index: slice) -> list[FastTreeClassifier]: ...
    def __getitem__(self, index: int | slice) -> FastTreeClassifier | list[FastTreeClassifier]:
        places = range(len(self))[index]
        return self._tree(places) if isinstance(places, int) else [self._tree(t) for t in places]

    def __iter__(self) -> Iterator[FastTreeClassifier]:
        return (self._tree(t) for t in range(len(self)))

    def __repr__(self) -> str:
        return f"{len(self)} trees"

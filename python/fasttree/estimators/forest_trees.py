"""The trees of a forest: their parameters, the size of their samples, and the trees as estimators.

What
    A forest is one model of the core. `ForestTrees`, its ``estimators_``, makes an estimator of a
    tree when it is asked for. `tree_parameters` gives the parameters of that estimator.
When not to use it
    To predict: the forest itself is faster than its trees one by one.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import Any

from .._checks import check_integer, number_in
from .._checks.words import counted
from .parameters import stored_parameters
from .schema import file_cells_of


def tree_parameters(
    kind: Any, params: Mapping[str, Any], seed: int, search: str = "exact"
) -> dict[str, Any]:
    """The parameters of one tree of a forest.

    Args:
        kind: class of the tree.
        params: parameters of the forest.
        seed: seed of the tree.
        search: what ``threshold_search="auto"`` has chosen.
    """
    defaults = kind().get_params(deep=False)
    tree_params = {
        k: v for k, v in params.items() if k in defaults and k not in ("n_jobs", "progress")
    }
    class_weight = tree_params.get("class_weight")
    if isinstance(class_weight, str) and class_weight == "balanced_subsample":
        tree_params["class_weight"] = "balanced"  # of a tree, whose rows are the sample
    if tree_params["threshold_search"] not in ("exact", "histogram"):
        tree_params["threshold_search"] = search
    return {**defaults, **tree_params, "random_state": seed}


def sample_size(max_samples: int | float | None, bootstrap: bool, n_rows: int) -> int | None:
    """Number of rows in the sample of a tree; None without samples.

    A whole number is that many rows, a float a share of them, which is rounded and at least one
    row.

    Args:
        max_samples, bootstrap: parameters of the forest.
        n_rows: number of rows of weight > 0.

    Raises:
        ValueError: `max_samples` outside its domain, or without samples.
    """
    if not bootstrap:
        if max_samples is not None:
            raise ValueError(
                f"max_samples={max_samples!r} needs bootstrap=True: without it no sample is drawn"
            )
        return None
    if max_samples is None:
        return n_rows
    if isinstance(max_samples, numbers.Integral):
        if check_integer("max_samples", max_samples, 1) > n_rows:
            raise ValueError(
                f"max_samples={max_samples!r} must not exceed the number of rows, {n_rows}"
            )
        return int(max_samples)
    if number_in(0.0, 1.0)("max_samples", max_samples) == 0.0:
        raise ValueError("max_samples=0.0 must lie above 0")
    return max(1, round(float(max_samples) * n_rows))


class ForestTrees(Sequence[Any]):
    """The trees of a fitted forest as fitted estimators.

    A later fit of the forest does not change them.
    """

    def __init__(self, forest: Any) -> None:
        self._kind, self._model = forest._tree_type, forest._model
        on_bins = (forest._model.route or "").startswith("codes of bins")
        self._search = "histogram" if on_bins else "exact"
        self._params = forest.get_params(deep=False)
        self._known = forest._class_labels(), forest._schema.has_names
        self._rounding = getattr(forest, "_float32_conflicts", None)
        self._file_cells = file_cells_of(forest._model)
        self._seeds: list[int] = forest._model.seeds

    def __len__(self) -> int:
        return len(self._seeds)

    def _tree(self, t: int) -> Any:
        params = tree_parameters(self._kind, self._params, self._seeds[t], self._search)
        tree = self._kind(**params)
        tree._set_model(
            self._model.tree(t, stored_parameters(params, self._file_cells)), *self._known
        )
        tree._float32_conflicts = self._rounding
        return tree

    def __getitem__(self, index: Any) -> Any:
        places = range(len(self))[index]
        return self._tree(places) if isinstance(places, int) else [self._tree(t) for t in places]

    def __repr__(self) -> str:
        return f"{counted(len(self), 'tree')}"

"""Refits of a tree on samples of its rows, for `stability`.

What
    `Resamples` draws rows, or whole groups, and `refit` grows the tree again on each draw. Refits
    that differ only in the sample are grown as the trees of one forest, which sorts the columns
    once (2 to 5 times faster); all others are fits of their own.
Complexity
    `repeats` fits.
When not to use it
    For a random forest: its trees also draw features.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from .. import _engine, criteria
from .._checks.data_warnings import quiet
from .._checks.progress import counter
from .conditions import has_thresholds
from .idle import is_set
from .parameters import config_of, copies_of
from .training_rows import TrainingRows


@dataclass
class Resamples:
    """Samples of rows, or of whole groups; sample i depends on the seed and on i alone.

    Attributes:
        rows: the rows; only rows of weight > 0 are drawn.
        sample, fraction, repeats, seed: as given to `stability`; `seed` is its `random_state`.
        groups: the group of each row; None where rows are drawn.
    """

    rows: TrainingRows
    sample: str
    fraction: float
    repeats: int
    seed: int
    groups: np.ndarray | None

    def __post_init__(self) -> None:
        self._drawable = self.rows.drawable
        drawn = self._drawable if self.groups is None else self.groups[self._drawable]
        units, self._unit_of = np.unique(drawn, return_inverse=True)
        self._n_units = len(units)
        self._n_kept = None if self.sample == "bootstrap" else int(self.fraction * len(units))
        if self._n_kept == 0:
            raise ValueError(f"fraction={self.fraction} of {len(units)} rows or groups leaves none")

    def draw(self, i: int) -> np.ndarray:
        """How often each row is in sample i, int64, shape (n_rows,).

        A bootstrap sample draws as many rows or groups as there are; a subsample draws a fraction
        of them without replacement, so its counts are 0 or 1. All rows of a group have the same
        count.
        """
        random, n, kept = np.random.default_rng([self.seed, i]), self._n_units, self._n_kept
        drawn = random.integers(n, size=n) if kept is None else random.permutation(n)[:kept]
        found = np.zeros(len(self.rows.table), dtype=np.int64)
        found[self._drawable] = np.bincount(drawn, minlength=n)[self._unit_of]
        return found


def _forest_trees_are_refits(fitted: Any, draws: Resamples) -> bool:
    """Whether the trees of a forest are bit-identical to the refits.

    This holds where rows are drawn as a forest draws them, growth learns only the tree from them
    (no bins, no pruning), and nothing else is random.
    """
    weights, params = draws.rows.weights, fitted.get_params(deep=False)
    is_grown = "splitter" in params and fitted._task == "classification"
    are_rows = draws.sample == "bootstrap" and draws.groups is None
    if not (is_grown and are_rows) or draws.rows.class_weights is not None:
        return False
    # A share of the copies of the rows differs by sample.
    limits = (params["min_samples_split"], params["min_samples_leaf"])
    is_share = any(isinstance(n, float) for n in limits) or params["min_weight_fraction_leaf"]
    learned = ("threshold_search", "splitter", "max_features", "cost_matrix",
               "pruning", "ccp_alpha", "merge_redundant", "honest")  # fmt: skip
    return (
        not any(is_set(fitted, name) for name in learned)
        and has_thresholds(params)
        and params["missing"] != "mode"
        and params["ties"] != "random"
        and (params["selection"], params["test"]) != ("significance", "permutation")
        and isinstance(criteria.make(fitted.criterion), criteria.Criterion)
        and (weights is None or (not is_share and bool(np.all(weights == np.floor(weights)))))
    )


def _refit_as_forest(
    fitted: Any, draws: Resamples, *, n_jobs: Any, progress: Any
) -> tuple[list[Any], Callable[[int], np.ndarray]]:
    """The refits as trees of one forest; returns what `refit` returns."""
    table, weights = draws.rows.table, draws.rows.weights
    n = len(table) if weights is None else int(np.count_nonzero(weights))
    copies = copies_of(len(table), draws.rows.copies)[0]
    params = {**fitted.get_params(deep=False), "random_state": draws.seed, "trace": None}
    config, _ = config_of(params, table, draws.rows.copies, sampled=float(copies))
    config.update(seed=draws.seed, parameters="{}")
    bagging = {"trees": draws.repeats, "draws": n}
    model = _engine.forest_fit(
        table, config, bagging, sample_weight=weights, n_jobs=n_jobs, progress=progress
    )

    def draw(i: int) -> np.ndarray:
        data, own = _engine.dataset_of(table, n_jobs), _engine.as_weights(weights)
        counts = _engine.core.bag_counts(data, config, n, [model.seeds[i]], own, n_jobs)
        return np.asarray(counts[0])

    return [model.tree(t, "{}") for t in range(draws.repeats)], draw


def _refit_one_by_one(
    fitted: Any, draws: Resamples, *, n_jobs: Any, progress: Any
) -> tuple[list[Any], Callable[[int], np.ndarray]]:
    """The refits as fits of their own; returns what `refit` returns.

    The number of draws multiplies the weight of a row, so that all copies of a row are in one fold
    of a pruning. Where weights are not numbers of copies, a drawn row is repeated instead, as
    limits on rows count draws.
    """
    step, models = counter(progress, "refits", draws.repeats), []
    changed = {"n_jobs": n_jobs, "progress": None, "trace": None}
    table, own, groups = draws.rows.table, draws.rows.table.sample_weight, draws.groups
    are_copies = own is None or bool(np.all(own == np.floor(own)))
    for i in range(draws.repeats):
        again, times = clone(fitted), draws.draw(i)
        again.set_params(**{k: v for k, v in changed.items() if k in again._get_param_names()})
        copies = np.flatnonzero(times) if are_copies else np.repeat(np.arange(len(table)), times)
        part = table.take(copies)
        if are_copies:
            part.sample_weight = times[copies] * (1.0 if own is None else own[copies])
        honest = {}
        if getattr(again, "honest", None):  # copies of a row must not grow a tree and judge it
            honest["groups"] = copies if groups is None else groups[copies]
        with quiet(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            again.fit(part, **honest)
        models.append(again._model)
        step()
    return models, draws.draw


def refit(
    fitted: Any, draws: Resamples, **options: Any
) -> tuple[list[Any], Callable[[int], np.ndarray]]:
    """Grow a tree again on each sample.

    The refits are grown as the trees of one forest if that gives the same trees to the bit, else
    one by one.

    Args:
        fitted: the estimator.
        draws: the samples.
        options: `n_jobs` and `progress`.

    Returns:
        The core's models, and a function that gives how often refit i was given each row, shape
        (n_rows,).
    """
    grow = _refit_as_forest if _forest_trees_are_refits(fitted, draws) else _refit_one_by_one
    return grow(fitted, draws, **options)

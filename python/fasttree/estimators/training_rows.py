"""`TrainingRows`: the rows of a fit with their weights.

What
    A row has a sample weight (`weights`), and its class has a weight that multiplies it
    (`class_weights`). A whole sample weight stands for that many copies of the row, which limits on
    numbers of rows count; a class weight does not. The core takes both, one beside the other
    (`configured`).
Source and equation
    ``"balanced"``: n / (k n_c), with the sample weights n of all rows and n_c of class c, and the
    number k of classes that occur. Weights of a dict are scaled so that all rows together weigh
    what they weigh without them; equal ones therefore have no effect. Class weights and priors are
    multiplied.
Complexity
    One pass over the labels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from .._checks import at_least_zero, check_weights, shown, weights_array
from .._checks.aliases import MaybeArray
from .._checks.data_warnings import is_quiet, warn_caller
from .._checks.words import counted
from ..criteria import Criterion, evidence_of, is_of_trees, make
from ..table import Table
from ..table.groups import group_codes
from .costs import class_sums, prior_factors

MOST_COPIES = 2.0**32 - 1
"""Weights of a smaller sum may stand for copies of rows. The core counts rows in 32 bits."""


class KeptRows(NamedTuple):
    """Which of the rows given to `fit` are in its Table, without the rows of weight 0.

    Attributes:
        numbers: positions of these rows among the given rows, ascending, shape (n_kept,).
        n_given: how many rows were given.
    """

    numbers: np.ndarray
    n_given: int


@dataclass(frozen=True)
class TrainingRows:
    """Labelled rows, their sample weights and the weights of their classes.

    Every fit reads its rows in this form. Sample weights and class weights are kept apart, because
    limits count copies of rows, but not class weights.

    Attributes:
        table: the rows.
        weights: sample weights >= 0, shape (n_rows,), 0 where the class has weight 0; None when all
            are 1.
        class_weights: the factor of each class, shape (n_classes,); None where all are equal.
        balances_samples: whether the classes are also balanced in the sample of each tree of a
            forest.
        kept: which of the given rows `table` holds; None where it holds all.
        has_exposure: whether `weights` are exposures, which are no copies of rows even if whole.
    """

    table: Table
    weights: np.ndarray | None
    class_weights: np.ndarray | None
    balances_samples: bool = False
    kept: KeptRows | None = None
    has_exposure: bool = False

    @classmethod
    def of(
        cls,
        table: Table,
        sample_weight: MaybeArray,
        class_weight: Any,
        priors: Any = None,
        kept: KeptRows | None = None,
        *,
        balances_samples: bool = False,
    ) -> TrainingRows:
        """Rows with checked weights.

        Args:
            table: rows with their target.
            sample_weight: their weights, shape (n_rows,); None: the Table's, or 1.
            class_weight, priors: as in `FastTreeClassifier`.
            kept, balances_samples: see `TrainingRows`.

        Raises:
            ValueError: weights of another shape, or class weights or priors outside their domain.
        """
        weights = sample_weights(table, sample_weight)
        if table.task == "regression" and weights is not None and np.all(weights >= 0):
            # A number is rounded to a grid over its range, which rows of weight 0 must not widen.
            rows = np.flatnonzero(weights)
            if 0 < len(rows) < len(table):
                kept = KeptRows(rows, len(table))
                table, weights = table.take(rows), weights[rows]
        if table.exposure is not None:
            weights = table.exposure * (1.0 if weights is None else weights)
            return cls(table, weights, None, kept=kept, has_exposure=True)
        if class_weight is None and priors is None:
            return cls(table, weights, None, balances_samples, kept)
        sums = class_sums(table.y_codes, weights, len(table.classes))
        factors = np.ones(len(sums))
        if priors is not None:
            factors = factors * prior_factors(priors, table.classes, sums)
        if class_weight is not None:
            factors = factors * _class_factors(class_weight, table, sums)
        occurring = sums > 0
        if np.any(factors[occurring] == 0):
            base = np.ones(len(table)) if weights is None else weights
            weights = np.where(factors[table.y_codes] == 0, 0.0, base)
            occurring &= factors > 0
        are_equal = len(set(factors[occurring].tolist())) < 2
        return cls(table, weights, None if are_equal else factors, balances_samples, kept)

    @property
    def copies(self) -> np.ndarray | None:
        """The sample weights, shape (n_rows,), if a whole weight stands for copies of the row.

        It is None where each row is one copy: without weights, and with an exposure, whose whole
        numbers are no counts of rows.
        """
        return None if self.has_exposure else self.weights

    @property
    def importances(self) -> np.ndarray | None:
        """Sample weights times class weights, float64, shape (n_rows,); None when all are 1.
        Pruning on rows and honest leaves weigh by this product; growth in the core takes both
        factors (`configured`)."""
        if self.class_weights is None:
            return self.weights
        factors = self.class_weights[self.table.y_codes]
        return np.asarray(factors if self.weights is None else self.weights * factors)

    def configured(self, config: dict[str, Any]) -> dict[str, Any]:
        """The core's configuration `config` with the class weights and options that these rows
        need.

        `config` itself is not changed. An exposure makes weights importances, not copies of rows,
        and ``class_weight="balanced_subsample"`` makes a forest balance each sample.
        """
        if self.class_weights is not None:
            config = {**config, "class_weight": self.class_weights.tolist()}
        if self.has_exposure:
            config = {**config, "importances": True}
        return {**config, "balanced_samples": True} if self.balances_samples else config

    def take(self, part: np.ndarray) -> TrainingRows:
        """The rows at the positions `part`, with their sample weights and the class weights of all
        rows.

        Class weights are not computed again: a part of the rows, such as the rows that an honest
        tree keeps for its leaves, is weighed as in the whole. `part` is an array of integers.
        """
        kept = KeptRows(part, len(self.table))
        if self.kept is not None:
            kept = KeptRows(self.kept.numbers[part], self.kept.n_given)
        weights = None if self.weights is None else self.weights[part]
        return replace(self, table=self.table.take(part), weights=weights, kept=kept)

    def groups(self, given: Any) -> np.ndarray:
        """The group of each row as a code 0, 1, 2, ..., shape (n_rows,).

        `given` has one label per row that the caller gave, also for rows of weight 0, which these
        rows lack. See `group_codes` for the errors.
        """
        if self.kept is None:
            return group_codes(given, len(self.table))
        return group_codes(given, self.kept.n_given)[self.kept.numbers]

    @property
    def drawable(self) -> np.ndarray:
        """Numbers of the rows of weight > 0.

        Bootstrap samples, subsamples and the rows of honest leaves are drawn from these rows.

        Raises:
            ValueError: a weight that is negative or not finite.
        """
        weights = self.importances
        if self.weights is not None:
            check_weights(self.as_given(self.weights, 0.0))
        return np.arange(len(self.table)) if weights is None else np.flatnonzero(weights > 0)

    def as_given(self, values: np.ndarray, fill: Any) -> np.ndarray:
        """Values of these rows, shape (n_rows, ...), in the order of the rows that the caller gave.

        The result has the shape (n_given, ...); rows that were dropped because their weight is 0
        get `fill`. Without dropped rows `values` itself is returned.
        """
        if self.kept is None:
            return values
        out = np.full((self.kept.n_given, *values.shape[1:]), fill, dtype=values.dtype)
        out[self.kept.numbers] = values
        return out


@dataclass(frozen=True)
class FittedOn:
    """The rows and the configuration of a fit.

    A regressor keeps it for quantiles, which read the training targets at the first call.

    Attributes:
        rows: the rows; their cells may be the caller's own arrays.
        config: the core's configuration.
        draws: rows in the sample of each tree of a forest; 0 without samples.
        content: checksum of the rows at the time of the fit; None where it is not needed.
    """

    rows: TrainingRows
    config: dict[str, Any]
    draws: int = 0
    content: int | None = None


def sample_weights(table: Table, sample_weight: MaybeArray) -> np.ndarray | None:
    """The sample weights of the rows of a Table, shape (n_rows,); None where each weighs 1.

    Weights that are 0 or one number, and are not numbers of copies, become 0 and 1: only their
    ratios count.

    Args:
        table: the rows.
        sample_weight: weights, shape (n_rows,), or one number; None: the Table's, or 1.

    Raises:
        ValueError: weights of another shape than (n_rows,).
    """
    if sample_weight is None:
        sample_weight = table.sample_weight
    if sample_weight is None:
        return None
    weights = weights_array(sample_weight)
    if weights.ndim == 0:
        weights = np.full(len(table), float(weights))
    if weights.ndim != 1:
        raise ValueError(
            f"sample_weight of shape {weights.shape}: Sample weights must be 1D array or scalar"
        )
    if len(weights) != len(table):
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(len(table),)}!")
    largest = weights.max(initial=0.0)
    are_copies = largest == np.floor(largest) and weights.sum() < MOST_COPIES
    if 0 < largest < math.inf and not are_copies and np.isin(weights, (0.0, largest)).all():
        return (weights > 0).astype(np.float64)
    return weights


def weighted_rows(table: Table, sample_weight: MaybeArray) -> tuple[Table, np.ndarray | None]:
    """The rows with a weight above 0, and their weights, shape (n_rows,); None where all are 1.

    Raises:
        ValueError: weights that are negative, not finite or all 0.
    """
    weights = sample_weights(table, sample_weight)
    if weights is None:
        return table, None
    check_weights(weights)
    if not weights.any():
        raise ValueError("all sample weights are zero: nothing is left to learn from")
    if weights.all():
        return table, weights
    rows = np.flatnonzero(weights)
    return table.take(rows), weights[rows]


def without_empty_rows(X: Any, y: Any, weights: Any) -> tuple[Any, Any, Any, KeptRows | None]:
    """X, y and weights without the rows of weight 0, and which rows these are.

    They are returned unchanged, with None, if all weights are positive or if the weights are not
    valid: `sample_weights` and the core refuse them with better messages.
    """
    unchanged = X, y, weights, None
    if np.ma.is_masked(weights):  # refused by row where weights are read
        return unchanged
    try:
        given = np.asarray(weights)
    except ValueError:  # ragged: refused by name where weights are read
        return unchanged
    if given.ndim != 1 or given.dtype.kind not in "biuf" or not hasattr(X, "__len__"):
        return unchanged
    if len(X) != len(given) or len(y) != len(given):
        return unchanged
    if np.all(given > 0) or not np.all(given >= 0) or not np.any(given > 0):
        return unchanged
    from sklearn.utils import _safe_indexing

    rows = np.flatnonzero(given)
    labels = y[rows] if hasattr(y, "to_native") else _safe_indexing(y, rows)
    return _safe_indexing(X, rows), labels, given[rows], KeptRows(rows, len(given))


def _class_factors(class_weight: Any, table: Table, sums: np.ndarray) -> np.ndarray:
    """The factor of each class, shape (n_classes,), for the parameter `class_weight`.

    Args:
        class_weight: ``"balanced"``, or a mapping of labels to weights.
        table: the rows with their labels.
        sums: sample weight of each class, shape (n_classes,).

    Raises:
        ValueError: neither of the two, a weight below 0, or a label that no row has.
    """
    occurring = sums > 0
    factors = np.ones(len(sums))
    if isinstance(class_weight, str) and class_weight == "balanced":
        total = math.fsum(sums.tolist())
        factors[occurring] = total / (occurring.sum() * sums[occurring])
        return factors
    if not isinstance(class_weight, Mapping):
        raise ValueError(
            f"class_weight={shown(class_weight)} must be None, 'balanced' or a dict "
            "(of forests also 'balanced_subsample')"
        )
    from sklearn.utils.class_weight import compute_class_weight

    for label, weight in class_weight.items():
        at_least_zero(f"class_weight[{shown(label)}]", weight)
    labels = table.class_values
    present = np.flatnonzero(np.bincount(table.y_codes, minlength=len(sums)))
    factors[present] = compute_class_weight(
        dict(class_weight), classes=labels[present], y=labels[table.y_codes]
    )
    # Only their ratios count: equal weights are none, and whole ratios stay whole.
    smallest = factors[occurring & (factors > 0)].min(initial=math.inf)
    return factors / smallest if smallest < math.inf else factors


def warn_of_few_rows(criterion: Any, table: Table, weights: np.ndarray | None = None) -> None:
    """Warn where a criterion asks for more neighbours than a row has in its class.

    Args:
        criterion: criterion of a fit, or of scores; only the option ``k`` of criteria of the
            registry is checked.
        table: the rows with their target.
        weights: weights of the rows; copies of a row are neighbours of each other, so there is no
            warning with weights.
    """
    if weights is not None or is_quiet() or is_of_trees(criterion):
        return
    if evidence_of(criterion) != "neighbours":
        return
    made = make(criterion)
    if not isinstance(made, Criterion):
        return
    k = made.get_params().get("k")
    if not isinstance(k, int):
        return
    if table.task == "regression":
        fewest, where = len(table), f"there are {counted(len(table), 'row')}"
    else:
        counts = np.bincount(table.y_codes, minlength=len(table.classes))
        rarest = int(np.where(counts > 0, counts, len(table) + 1).argmin())
        fewest = int(counts[rarest])
        where = f"class {table.classes[rarest]!r} has {counted(fewest, 'row')}"
    if fewest <= k:
        kind = type(made).__name__
        fewer = f", for example criterion={kind}(k={max(1, (fewest - 1) // 2)})"
        warn_caller(
            f"{made.name} looks at k={k} neighbours, and {where}: where all rows are neighbours, "
            f"near ones tell nothing; take fewer{fewer}, with {kind} from fasttree.criteria",
            UserWarning,
        )

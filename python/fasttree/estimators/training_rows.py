"""What the rows of a fit count and weigh, in one place.

What
    A row has a weight of its own, `weights`, and its class has a weight that multiplies it,
    `class_weights`. A whole weight is that many copies of the row; a class weight makes no row
    more. The core takes both, apart from each other (`configured`).
Source and equation
    ``"balanced"``: n / (k n_c) in the rows' own weights, k the number of classes that occur.
    Weights of a dict are scaled so that all rows together weigh what they weigh without them;
    equal ones therefore are none. Class weights and priors are multiplied.
Complexity
    One pass over the labels.
When not to use it
    Directly; see `FastTreeClassifier`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._checks import at_least_zero, check_weights, shown, weights_array
from .._checks.aliases import MaybeArray
from .._checks.data_warnings import is_quiet, warn_caller
from .._checks.words import counted
from ..criteria import Criterion, evidence_of, is_of_trees, make
from ..table import Table
from ..table.groups import group_codes
from .costs import class_sums, prior_factors


@dataclass(frozen=True)
class TrainingRows:
    """Labelled rows, their own weights and the weights of their classes.

    Attributes:
        table: the rows that were kept.
        weights: their own weights >= 0, shape (n_rows,), 0 where the class weighs nothing; None
            when all are 1.
        class_weights: what multiplies them, shape (n_classes,); None where all are equal.
        of_samples: the classes of each sample of a forest are balanced in addition.
        kept: numbers of the given rows that are in the table, and how many were given; None where
            all are.
        importances_only: whole weights are no copies of rows (exposures).
    """

    table: Table
    weights: np.ndarray | None
    class_weights: np.ndarray | None
    of_samples: bool = False
    kept: tuple[np.ndarray, int] | None = None
    importances_only: bool = False

    @classmethod
    def of(
        cls,
        table: Table,
        sample_weight: MaybeArray,
        class_weight: Any,
        priors: Any = None,
        kept: tuple[np.ndarray, int] | None = None,
        *,
        of_samples: bool = False,
    ) -> TrainingRows:
        """Rows with checked weights.

        Raises:
            ValueError: weights of another shape, a class weight below 0 or not known.
        """
        weights = own_weights(table, sample_weight)
        if table.task == "regression" and weights is not None and np.all(weights >= 0):
            # A number is rounded to a grid over its range, which rows of weight 0 must not widen.
            rows = np.flatnonzero(weights)
            if 0 < len(rows) < len(table):
                kept = rows, len(table)
                table, weights = table.take(rows), weights[rows]
        if table.exposure is not None:
            weights = table.exposure * (1.0 if weights is None else weights)
            return cls(table, weights, None, of_samples, kept, importances_only=True)
        if class_weight is None and priors is None:
            return cls(table, weights, None, of_samples, kept)
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
        alike = len(set(factors[occurring].tolist())) < 2
        return cls(table, weights, None if alike else factors, of_samples, kept)

    @property
    def copies(self) -> np.ndarray | None:
        """The weights, shape (n_rows,), of which whole ones are copies of rows; None where each row
        is one."""
        return None if self.importances_only else self.weights

    @property
    def importances(self) -> np.ndarray | None:
        """Weights times class weights, shape (n_rows,); None when all are 1."""
        if self.class_weights is None:
            return self.weights
        factors = self.class_weights[self.table.y_codes]
        return np.asarray(factors if self.weights is None else self.weights * factors)

    def configured(self, config: dict[str, Any]) -> dict[str, Any]:
        """The core's configuration with the class weights."""
        if self.class_weights is not None:
            config = {**config, "class_weight": self.class_weights.tolist()}
        if self.importances_only:
            config = {**config, "importances": True}
        return {**config, "balanced_samples": True} if self.of_samples else config

    def take(self, part: np.ndarray) -> TrainingRows:
        """Some of the rows, by their numbers, with the class weights of all."""
        kept = (part, len(self.table))
        if self.kept is not None:
            kept = self.kept[0][part], self.kept[1]
        weights = None if self.weights is None else self.weights[part]
        return replace(self, table=self.table.take(part), weights=weights, kept=kept)

    def groups(self, given: Any) -> np.ndarray:
        """The group of each row as a code, shape (n_rows,), of those of the rows as given."""
        codes = group_codes(given, len(self.table) if self.kept is None else self.kept[1])
        return codes if self.kept is None else codes[self.kept[0]]

    @property
    def drawable(self) -> np.ndarray:
        """Numbers of the rows of weight > 0.

        Raises:
            ValueError: a weight that is negative or not finite.
        """
        weights = self.importances
        if self.weights is not None:
            check_weights(self.as_given(self.weights, 0.0))
        return np.arange(len(self.table)) if weights is None else np.flatnonzero(weights > 0)

    def as_given(self, found: np.ndarray, nothing: Any) -> np.ndarray:
        """What was found of the rows, shape (n_rows, ...), in the order of the rows as given;
        `nothing` stands where a row was left out."""
        if self.kept is None:
            return found
        rows, n = self.kept
        out = np.full((n, *found.shape[1:]), nothing, dtype=found.dtype)
        out[rows] = found
        return out


@dataclass(frozen=True)
class FittedOn:
    """What a fit has read.

    Attributes:
        rows: the rows; their cells may be the caller's own arrays.
        config: the core's configuration.
        draws: rows in the sample of each tree; 0 without samples.
        content: a number for the content of the rows at the time of the fit, where it is needed.
    """

    rows: TrainingRows
    config: dict[str, Any]
    draws: int = 0
    content: int | None = None


def own_weights(table: Table, sample_weight: MaybeArray) -> np.ndarray | None:
    """The weights of the rows as given, by default the Table's, shape (n_rows,); None without any.

    Weights that are no copies of rows and all equal, where they are not 0, are 1 each: only ratios
    of such weights count.

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
    are_copies = largest == np.floor(largest) and weights.sum() < 2.0**32 - 1
    if 0 < largest < math.inf and not are_copies and np.isin(weights, (0.0, largest)).all():
        return (weights > 0).astype(np.float64)
    return weights


def weighted_rows(table: Table, sample_weight: MaybeArray) -> tuple[Table, np.ndarray | None]:
    """The rows with a weight above 0, and their weights (None: all 1)."""
    weights = own_weights(table, sample_weight)
    if weights is None:
        return table, None
    check_weights(weights)
    if not weights.any():
        raise ValueError("all sample weights are zero: nothing is left to learn from")
    if weights.all():
        return table, weights
    rows = np.flatnonzero(weights)
    return table.take(rows), weights[rows]


def without_empty_rows(
    X: Any, y: Any, weights: Any
) -> tuple[Any, Any, Any, tuple[np.ndarray, int] | None]:
    """X, y and weights without the rows of weight 0, the numbers of the rows that are left, and how
    many were given; None where all are.

    They are returned unchanged if all weights are positive, or if weights are not valid: errors are
    raised where weights are read.
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
    return _safe_indexing(X, rows), labels, given[rows], (rows, len(given))


def _class_factors(class_weight: Any, table: Table, sums: np.ndarray) -> np.ndarray:
    """Weight of each class, shape (n_classes,); `sums` are the weights of their rows."""
    occurring, total = sums > 0, math.fsum(sums.tolist())
    factors = np.ones(len(sums))
    if isinstance(class_weight, str) and class_weight == "balanced":
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
    given = compute_class_weight(
        dict(class_weight), classes=labels[present], y=labels[table.y_codes]
    )
    factors[present] = given
    # Only their ratios count: equal weights are none, and whole ratios stay whole.
    smallest = factors[occurring & (factors > 0)].min(initial=math.inf)
    return factors / smallest if smallest < math.inf else factors


def warn_of_few_rows(criterion: Any, table: Table, weights: np.ndarray | None = None) -> None:
    """Warn where a criterion asks for more neighbours than a row has in its class.

    Args:
        criterion: of a fit, or of scores; only options ``k`` of the registry's criteria count.
        table: the rows with their target.
        weights: weights of the rows; copies of rows are neighbours, so that nothing is said.
    """
    if weights is not None or is_quiet() or is_of_trees(criterion):
        return
    if evidence_of(criterion) != "neighbours" or not isinstance(made := make(criterion), Criterion):
        return
    if not isinstance(k := made.get_params().get("k"), int):
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

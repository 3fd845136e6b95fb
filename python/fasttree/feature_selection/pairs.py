"""Pairs of rows by distance: the evidence of the unified framework of Vilalta, Brodie, Oblinger &
Rish (2001).

What
    For every ordered pair of rows (i, j), self-pairs included, let D be the number of features on
    which they differ. One exact pass counts, for every feature, value m of row i and class c of row
    i, the pairs by case and distance. The cases are: 1 same value and class, 2 same value, other
    class, 3 other value, same class, 4 other value and class. Every metric of the framework is a
    contraction of these whole numbers: ``R_m[c, case] = theta_case * sum_D f(D) N[m, c, case, D]``.
Complexity
    O(t^2 n) bit operations for t rows and n features, 512 pairs an instruction; memory O(counts),
    never t x t. A setting of (F, theta, alpha, f) afterwards costs microseconds.
When not to use it
    With hundreds of thousands of rows: it is quadratic. Numbers get ten equal-width bins first.

Examples:
    >>> import fasttree
    >>> counts = pair_counts(fasttree.datasets.make_xor())
    >>> counts.score("pi").round(6).tolist()
    [1.00092, 1.00092, 0.001201]
    >>> counts.score("contextual_merit").tolist(), counts.score("relief", alpha=2).tolist()
    ([10.0, 10.0, 4.0], [8.0, 8.0, -8.0])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _checks as checks
from .. import _engine
from .._checks.aliases import CategoricalFeatures
from .._checks.pair_options import DECAYS, four_weights, several_fours
from .._checks.progress import make_report
from .._checks.words import counted
from ..datasets.inputs import table_of
from ..discretize import make
from ..table import Table

_DEFAULTS: dict[str, dict[str, Any]] = {
    "pi": {"theta": (1.0, 1.0, 1.0, 1.0), "alpha": 0.1, "decay": "exponential"},
    "pi_unweighted": {"theta": (1.0, 1.0, 1.0, 1.0), "alpha": 0.1, "decay": "exponential"},
    "contextual_merit": {"theta": (1.0, 1.0, 1.0, 1.0), "alpha": 2.0, "decay": "power"},
    "relief": {"theta": (1.0, 1.0, 1.0, 1.0), "alpha": None, "decay": "threshold"},
}


class _Counts(Sequence[np.ndarray]):
    """``counts[k]``: an int64 array (values, classes, 4, n_features + 1), made when asked for."""

    def __init__(self, core: Any) -> None:
        self._core = core

    def __len__(self) -> int:
        return int(self._core.features)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"feature {index} of {len(self)}")
        return np.asarray(self._core.feature(index % len(self)))


@dataclass(eq=False, repr=False)
class PairCounts:
    """Counts of ordered pairs; made by `pair_counts`.

    Attributes:
        counts: one int64 array a feature, shape (values, classes, 4, n_features + 1): the first
            axis are the levels in the model's order (one more for missing cells where the column
            has any), the second `classes`, the third the cases 1 to 4, the last the distance.
        pairs: number of ordered pairs counted, self-pairs included.
        feature_names, levels, classes: names of the entries along the axes.
        tables: one array per feature, shape (values, classes): rows i counted (with their copies),
            by value and class.
    """

    _core: Any
    feature_names: list[str]
    levels: list[tuple[Any, ...]]
    classes: tuple[Any, ...]
    _n: int

    @property
    def counts(self) -> Sequence[np.ndarray]:
        """One int64 array per feature, made when it is indexed; the class describes its axes."""
        return _Counts(self._core)

    @property
    def pairs(self) -> int:
        """Number of ordered pairs (i, j) counted; pairs of a row with itself are among them. With
        `rows` only these rows are i."""
        return int(self._core.pairs)

    @property
    def tables(self) -> list[np.ndarray]:
        """Number of rows i by value and class, one int64 array (values, classes) per feature: the
        contingency table of the root."""
        return [counts.sum(axis=(2, 3)) // self._n for counts in self.counts]

    def __add__(self, other: PairCounts) -> PairCounts:
        """Counts of two disjoint sets of pairs over the same table."""
        if not isinstance(other, PairCounts):
            return NotImplemented
        return PairCounts(
            self._core.plus(other._core), self.feature_names, self.levels, self.classes, self._n
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairCounts):
            return NotImplemented
        return len(self.counts) == len(other.counts) and all(
            np.array_equal(a, b) for a, b in zip(self.counts, other.counts, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"PairCounts({counted(self.pairs, 'ordered pair')}, "
            f"{counted(len(self.counts), 'feature')}, "
            f"{counted(len(self.classes), 'class')})"
        )

    def matrices(
        self,
        theta: Any = (1.0, 1.0, 1.0, 1.0),
        alpha: float = 0.1,
        decay: str = "exponential",
        at_zero: float = 0.0,
    ) -> list[np.ndarray]:
        """R of every feature, float64 arrays (values, classes, 4).

        Args:
            theta: weights of the cases 1 to 4, each in [0, 1].
            alpha: finite and >= 0.
            decay: ``"exponential"`` 2^(-alpha D), ``"power"`` D^-alpha (pairs at D = 0 weigh
                `at_zero`), ``"threshold"`` 1 if D < alpha, ``"identical"`` 1 if D = 0,
                ``"uniform"`` 1.
            at_zero: weight of pairs at distance 0 under ``"power"``.

        Raises:
            ValueError: a parameter outside its domain.
        """
        return [np.asarray(r) for r in self._core.matrices(*_setting(theta, alpha, decay, at_zero))]

    def root(
        self,
        theta: Any = (1.0, 1.0, 1.0, 1.0),
        alpha: float = 0.1,
        decay: str = "exponential",
        at_zero: float = 0.0,
    ) -> np.ndarray:
        """R over the whole set (the paper's eq. 12), shape (classes, 4); columns 3 and 4 are
        zero."""
        return np.asarray(self._core.root(*_setting(theta, alpha, decay, at_zero))).reshape(-1, 4)

    def score(
        self,
        criterion: str | Callable[..., Any] = "pi",
        *,
        theta: Any = None,
        alpha: float | None = None,
        decay: str | None = None,
        at_zero: float = 0.0,
    ) -> np.ndarray:
        """One score per feature, shape (n_features,), larger is better.

        Args:
            criterion: ``"pi"`` sum_m n_m/n sum_c (R[c,1] + R[c,4] - R[c,2] - R[c,3]).
                ``"pi_unweighted"`` without n_m/n. ``"contextual_merit"`` sum R[.,4] (power, alpha
                2). ``"relief"`` sum R[.,4] - R[.,3] (threshold; `alpha` is the radius, by default
                the smallest for which rows have on average ten others nearer). Or a function
                ``F(R_root, R, tables) -> scores``: R has shape (features, values, classes, 4) and
                tables (features, values, classes), padded with zeros to the largest number of
                values.
            theta, alpha, decay, at_zero: as in `matrices`; defaults depend on the criterion.

        Raises:
            ValueError: a parameter outside its domain, or a function that returns something else
                than scores.
        """
        theta, alpha, decay = self._defaults(criterion, theta, alpha, decay)
        if not callable(criterion):
            return np.asarray(self._core.score(criterion, *_setting(theta, alpha, decay, at_zero)))
        matrices = self.matrices(theta, alpha, decay, at_zero)
        most = max(len(r) for r in matrices)
        stack = np.zeros((len(matrices), most, len(self.classes), 4))
        tables = np.zeros((len(matrices), most, len(self.classes)))
        for k, (r, table) in enumerate(zip(matrices, self.tables, strict=True)):
            stack[k, : len(r)] = r
            tables[k, : len(r)] = table
        scores = np.asarray(
            criterion(self.root(theta, alpha, decay, at_zero), stack, tables), dtype=np.float64
        )
        if scores.shape != (len(matrices),):
            raise ValueError(
                f"the function returned an array of shape {scores.shape}; it must return one score "
                f"for each of the {counted(len(matrices), 'feature')}"
            )
        return scores

    def sweep(
        self,
        criterion: str | Callable[..., Any] = "pi",
        *,
        theta: Any = None,
        alpha: Any = None,
        decay: Any = None,
        at_zero: float = 0.0,
    ) -> np.ndarray:
        """Scores under every combination of settings: contractions of the counts at hand, about a
        microsecond each.

        Args:
            criterion: as in `score`; a function is called once a setting.
            theta: four weights, or a list of such fours.
            alpha, decay: one value or several. Arguments that are not given are the criterion's, as
                in `score`.
            at_zero: weight of pairs at distance 0 under ``"power"``.

        Returns:
            float64 array (thetas, alphas, decays, features); an axis of length 1 where one value
            was given.

        Raises:
            ValueError: a setting outside its domain.

        Examples:
            >>> import fasttree, numpy as np
            >>> counts = pair_counts(fasttree.datasets.make_xor())
            >>> counts.sweep(alpha=np.linspace(0.0, 1.0, 5)).shape
            (1, 5, 1, 3)
            >>> counts.sweep("contextual_merit", alpha=[1.0, 2.0])[0, :, 0].tolist()
            [[12.0, 12.0, 8.0], [10.0, 10.0, 4.0]]
        """
        theta, alpha, decay = self._defaults(criterion, theta, alpha, decay)
        thetas = several_fours(theta)
        alphas, decays = (
            [x] if isinstance(x, str) or not np.iterable(x) else list(x) for x in (alpha, decay)
        )
        # each value is checked once, not each combination
        reals = [checks.at_least_zero("alpha", a) for a in alphas]
        words = [checks.one_of("decay", d, DECAYS) for d in decays]
        zero = checks.at_least_zero("at_zero", at_zero)
        settings = [(t, a, d, zero) for t in thetas for a in reals for d in words]
        if callable(criterion):
            scores = np.array(
                [
                    self.score(criterion, theta=t, alpha=a, decay=d, at_zero=z)
                    for t, a, d, z in settings
                ]
            )
        else:
            scores = np.asarray(self._core.sweep(criterion, settings))
        return scores.reshape(len(thetas), len(alphas), len(decays), len(self.counts))

    def _defaults(self, criterion: Any, theta: Any, alpha: Any, decay: Any) -> tuple[Any, Any, Any]:
        """The setting, with the criterion's value for each None."""
        if not callable(criterion):
            checks.one_of("criterion", criterion, tuple(_DEFAULTS))
        defaults = _DEFAULTS["pi" if callable(criterion) else criterion]
        theta = defaults["theta"] if theta is None else theta
        alpha = defaults["alpha"] if alpha is None else alpha
        if alpha is None:
            alpha = float(self._core.default_radius())
        return theta, alpha, defaults["decay"] if decay is None else decay


_Setting = tuple[tuple[float, float, float, float], float, str, float]


def _setting(theta: Any, alpha: Any, decay: Any, at_zero: Any) -> _Setting:
    """A setting, checked."""
    return (
        four_weights(theta),
        checks.at_least_zero("alpha", alpha),
        checks.one_of("decay", decay, DECAYS),
        checks.at_least_zero("at_zero", at_zero),
    )


def binned(table: Table, discretize: Any, sample_weight: Any = None) -> Table:
    """The Table without numeric columns, binned as the parameter says by rows of these weights (or
    the Table's). A Table without numeric columns is returned as it is; ValueError if there are some
    and `discretize` is None."""
    # Columns are made from a block of codes only when they are asked for.
    no_numbers = table.block is not None and table.block.dtype.kind != "f"
    numeric = [] if no_numbers else [c.name for c in table.columns if c.kind == "numeric"]
    discretizer = make(discretize)
    if not numeric:
        return table
    if discretizer is None:
        raise ValueError(
            f"column {numeric[0]!r} is numeric and discretize is None: pairs are counted over "
            "nominal columns; "
            "choose discretize='auto', 'equal_width', 'equal_frequency', 'mdlp' or an object of "
            "fasttree.discretize"
        )
    return discretizer.fit_transform(table, None, sample_weight)


def _row_numbers(rows: Any, n: int) -> np.ndarray:
    """Row numbers from indices or a mask of all rows."""
    try:
        array = np.asarray(rows)
    except ValueError:  # lists of several lengths
        array = np.array(rows, dtype=object)
    if array.dtype == np.bool_:
        if array.shape != (n,):
            raise ValueError(
                f"rows is a mask of shape {array.shape}; the data set has {counted(n, 'row')}"
            )
        return np.flatnonzero(array)
    array = array.ravel()
    if len(array) == 0:
        return array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise ValueError(
            f"rows holds {checks.shown(array[0])}; give row numbers or a mask of the rows"
        )
    numbers, times = np.unique(array, return_counts=True)
    if not 0 <= int(numbers[0]) <= int(numbers[-1]) < n:
        bad = numbers[0] if numbers[0] < 0 else numbers[-1]
        raise ValueError(f"rows holds {bad}; the data set has rows 0 to {n - 1}")
    if times.max() > 1:
        raise ValueError(
            f"rows holds row {numbers[times > 1][0]} more than once; the pairs of a row are "
            "counted once"
        )
    return array


def _table_of(
    X: Any, y: Any, sample_weight: Any, categorical_features: CategoricalFeatures, discretize: Any
) -> tuple[Table, np.ndarray | None]:
    """A Table without numeric columns, and the copies of its rows."""
    table = table_of(X, y, categorical_features=categorical_features)
    weights = whole_copies(table, sample_weight)
    return binned(table, discretize, weights), weights


def whole_copies(table: Table, sample_weight: Any) -> np.ndarray | None:
    """Copies of each row: the argument, else the weights of the table, else None.

    Raises:
        ValueError: weights that are not whole numbers >= 0, one per row; the row is named.
    """
    weights = table.sample_weight if sample_weight is None else sample_weight
    if weights is None:
        return None
    weights = checks.weights_array(weights)
    if weights.shape != (len(table),):
        raise ValueError(f"sample_weight has shape {weights.shape}, expected ({len(table)},)")
    odd = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0) & (weights == np.floor(weights))))
    if len(odd):
        raise ValueError(
            f"sample_weight of row {odd[0]} is {weights[odd[0]]}: pairs are counted, so weights "
            "are copies of rows, whole "
            "numbers >= 0; fit and score_features take any"
        )
    return weights


@checks.checked(memory_limit=checks.memory_limit)
def pair_counts(
    X: Any,
    y: Any = None,
    *,
    rows: Any = None,
    sample_weight: Any = None,
    discretize: Any = "auto",
    categorical_features: CategoricalFeatures = "from_dtype",
    n_jobs: int | None = None,
    progress: Any = None,
    memory_limit: int | None = None,
) -> PairCounts:
    """Count all ordered pairs of rows by feature, value, class, case and distance, in one exact
    pass.

    Args:
        X: rows, or a `Table` with its target.
        y: labels, shape (n_rows,).
        rows: the i of the ordered pairs (row numbers, each once, or a mask); j always runs over all
            rows, so the counts of a partition of the rows add up to the whole. Default: all rows.
        sample_weight: copies of each row, whole numbers >= 0, shape (n_rows,). Default: the table's
            own weights.
        discretize: of numeric columns: ``"auto"`` or ``"equal_width"`` (ten bins),
            ``"equal_frequency"`` (ten), ``"mdlp"``, an object of `fasttree.discretize`, or None (a
            numeric column is then an error).
        categorical_features: as in `Table`.
        n_jobs: threads; the counts do not depend on it.
        progress: a function (done, total).
        memory_limit: bytes that the pass may allocate beyond the encoded table, at least 1. It
            works in smaller blocks to keep the limit; the counts do not depend on it. Default: no
            limit but the system's.

    Raises:
        MemoryError: the pass needs more than `memory_limit`, or than the system gives, even in the
            smallest blocks; the message has the need.
        ValueError: a numeric column with ``discretize=None``, rows that do not exist, or weights
            that are not whole.

    Examples:
        >>> import fasttree
        >>> table = fasttree.datasets.load_weather()
        >>> part = pair_counts(table, rows=range(5)) + pair_counts(table, rows=range(5, 14))
        >>> part == pair_counts(table), part.pairs
        (True, 196)
    """
    table, weights = _table_of(X, y, sample_weight, categorical_features, discretize)
    numbers = None if rows is None else _row_numbers(rows, len(table))
    core = _engine.pair_counts(
        table,
        numbers,
        sample_weight=weights,
        n_jobs=n_jobs,
        progress=progress,
        memory_limit=memory_limit,
    )
    levels = [tuple(c.levels or ()) for c in table.columns]
    total = len(table) if weights is None else int(weights.sum())
    return PairCounts(core, table.feature_names, levels, table.classes, total)


@checks.checked(precision=checks.choice("exact", "fixed"))
def count_matrices(
    X: Any,
    y: Any = None,
    *,
    theta: Any = (1.0, 1.0, 1.0, 1.0),
    alpha: float = 0.1,
    decay: str = "exponential",
    at_zero: float = 0.0,
    precision: str = "exact",
    rows: Any = None,
    sample_weight: Any = None,
    discretize: Any = "auto",
    categorical_features: CategoricalFeatures = "from_dtype",
    n_jobs: int | None = None,
    progress: Any = None,
) -> list[np.ndarray]:
    """R of every feature under one setting, float64 arrays (values, classes, 4).

    Args:
        X, y, rows, sample_weight, discretize, categorical_features, n_jobs, progress: as in
            `pair_counts`.
        theta, alpha, decay, at_zero: as in `PairCounts.matrices`.
        precision: ``"exact"``: ``pair_counts(...).matrices(theta, alpha, decay, at_zero)``.
            ``"fixed"``: pairs are not counted by distance, their weights are added up as whole
            numbers. A pair of different rows is off by at most 2^-25 of the largest weight of such
            a pair (of D = 1 where all weigh more than a sixteenth of that). A cell of R is off by
            at most that for each of its pairs (times theta). Pairs at distance 0 are exact. The
            result does not depend on threads. With many features, and on processors without
            AVX-512, it takes a fraction of the time.

    Raises:
        ValueError: a parameter outside its domain, and what `pair_counts` raises.

    Examples:
        >>> import fasttree
        >>> count_matrices(fasttree.datasets.make_xor(), alpha=0.0)[0][0].tolist()
        [[4.0, 4.0, 4.0, 4.0], [4.0, 4.0, 4.0, 4.0]]
        >>> exact, fixed = (
        ...     count_matrices(fasttree.datasets.make_monks(1), precision=p)
        ...     for p in ("exact", "fixed")
        ... )
        >>> max(float(abs(a - b).max()) for a, b in zip(exact, fixed)) < 432**2 * 2**-25
        True
    """
    setting = _setting(theta, alpha, decay, at_zero)
    table, weights = _table_of(X, y, sample_weight, categorical_features, discretize)
    if precision == "exact":
        counts = pair_counts(
            table, rows=rows, sample_weight=weights, n_jobs=n_jobs, progress=progress
        )
        return counts.matrices(theta, alpha, decay, at_zero)
    rows = None if rows is None else _row_numbers(rows, len(table))
    matrices = _engine.core.fixed_matrices(
        _engine.dataset_of(table, n_jobs),
        *setting,
        _engine.as_rows(rows),
        _engine.as_weights(weights),
        n_jobs,
        make_report(progress, "work"),
    )
    return [np.asarray(r) for r in matrices]

"""Discretisation and imputation: `EqualWidth`, `EqualFrequency`, `MDLP`, `ReplaceMissing`.

What
    Objects in scikit-learn's manner that turn numbers into intervals, or fill in missing cells. Bin
    b is ``(cuts[b-1], cuts[b]]``; values beyond the fitted range fall into the first or last bin;
    missing stays missing; empty bins stay declared. What comes out is what went in. A `Table` gives
    a Table whose numeric columns are nominal with all bins as levels. A frame gives a frame of the
    same library with ordered categories, a NumPy array gives the numbers of the bins as floats.
    Nominal columns are never touched.
Scope
    Cut points are learned from training rows. ``scope="fold"`` (default) says: inside each training
    fold. ``scope="all"`` says: `cross_validate` fits on all rows before the folds are made. Test
    rows then have a say in the cut points, which flatters the result; published experiments were
    often made so, and it is there to reproduce them. ``fit`` and ``transform`` themselves do the
    same under both.
Sources
    Equal width and equal frequency: Weka's unsupervised `Discretize`. MDLP: Fayyad & Irani, IJCAI
    1993, as Weka's supervised `Discretize`. Replacement: Weka's ReplaceMissingValues. The core does
    the counting.
Complexity
    O(n) a column for equal width, O(n) after one sort for equal frequency, and O(n k) a level of
    recursion for MDLP (k classes).
When not to use it
    Before a tree that searches thresholds itself: binning throws away what it would look for.
"""

from __future__ import annotations

import json
import numbers
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from .. import _engine
from .._checks import integer, number_array, shown
from ..datasets.inputs import table_of
from ..table import Table
from ..table.columns import Column
from .imputation import ReplaceMissing
from .transformer import ColumnTransformer, Scope

__all__ = [
    "MDLP",
    "Discretizer",
    "EqualFrequency",
    "EqualWidth",
    "ReplaceMissing",
    "interval_labels",
    "make",
]

LARGEST_BINS = 65_535
"""Largest `n_bins`."""


def interval_labels(cuts: Sequence[float] | np.ndarray) -> tuple[str, ...]:
    """Names of the bins between ascending cut points, shape (c,), as Weka writes them; c + 1
    strings.

    Cut points are shown with at most six decimals where that tells them apart, else in full. Bins
    between equal cut points (empty, from a range of a few ulps) are numbered.

    Examples:
        >>> interval_labels([5.55, 6.0])
        ('(-inf-5.55]', '(5.55-6]', '(6-inf)')
        >>> interval_labels([])
        ('All',)
    """
    points = number_array("cuts", cuts).ravel().tolist()
    if not points:
        return ("All",)
    texts = [_short(c) for c in points]
    if len(set(texts)) < len(set(points)):
        texts = [repr(c) for c in points]
    edges = ["-inf", *texts, "inf"]
    labels: list[str] = []
    seen: dict[str, int] = {}
    for low, high in pairwise(edges):
        label = f"({low}-{high}{')' if high == 'inf' else ']'}"
        seen[label] = seen.get(label, 0) + 1
        labels.append(label if seen[label] == 1 else f"{label} #{seen[label]}")
    return tuple(labels)


def _short(cut: float) -> str:
    if abs(cut) >= 1e15:
        return repr(cut)
    text = f"{cut:.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


class Discretizer(ColumnTransformer):
    """Base of the three discretisers.

    Attributes:
        cuts_: ascending cut points of each numeric column, by name: float64, shape (bins - 1,).
        n_features_in_: number of columns in `fit`.
    """

    method: str

    def to_config(self) -> dict[str, Any]:
        """The method as the core reads it.

        Examples:
            >>> EqualWidth(5).to_config(), MDLP().to_config()
            ({'method': 'equal_width', 'n_bins': 5}, {'method': 'mdlp'})
        """
        self._check()
        return {"method": self.method} | {
            k: int(v) for k, v in self.get_params().items() if k == "n_bins"
        }

    @property
    def labels_(self) -> dict[str, tuple[str, ...]]:
        """Names of the bins of each numeric column, by column name."""
        self._need_fit()
        return {name: interval_labels(cuts) for name, cuts in self.cuts_.items()}

    def _check(self) -> None:
        super()._check()
        n_bins = getattr(self, "n_bins", 1)
        whole = isinstance(n_bins, numbers.Integral) and not isinstance(n_bins, bool)
        if not (whole and 1 <= n_bins <= LARGEST_BINS):
            raise ValueError(
                f"n_bins={n_bins!r}: must be an integer between 1 and {LARGEST_BINS:,}"
            )

    def _learn(self, table: Table, weights: np.ndarray | None) -> None:
        method, classes, n_classes = json.dumps(self.to_config()), None, 0
        if self.method == "mdlp":
            classes, n_classes = table.y_codes.astype(np.uint16), len(table.classes)
        own = None if weights is None else _engine.readable(weights)
        self.cuts_: dict[str, np.ndarray] = {}
        for column in table.columns:
            if column.kind == "numeric":
                values = _engine.readable(column.values, np.float64)
                self.cuts_[column.name] = _engine.bin_cuts(method, values, classes, n_classes, own)

    def _concerns(self, column: Column) -> bool:
        if column.name not in self.cuts_:
            return False
        if column.kind == "numeric":
            return True
        raise ValueError(f"column {column.name!r} was numeric in fit but is nominal now")

    def _apply(self, column: Column) -> Column:
        cuts = self.cuts_[column.name]
        codes = np.searchsorted(cuts, column.values, side="left").astype(np.int32)
        codes[np.isnan(column.values)] = -1
        return Column(column.name, "nominal", codes, interval_labels(cuts))

    def _array(self, table: Table, columns: Mapping[int, Column]) -> np.ndarray:
        whole = len(columns) == table.n_features
        result = np.empty(table.shape, dtype=np.float64 if whole else object)
        for j, column in enumerate(table.columns):
            if j in columns:
                codes = columns[j].values
                result[:, j] = np.where(codes < 0, np.nan, codes)
            else:
                result[:, j] = column.labels()
        return result


class EqualWidth(Discretizer):
    """Bins of equal width: cuts ``min + i * ((max - min) / n_bins)``, i = 1 ... n_bins - 1, in this
    float64 order.

    As Weka's unsupervised `Discretize`. A constant column, or one without a known value, is one
    bin.

    Args:
        n_bins: 1 to 65,535.
        scope: ``"fold"``: learned on the training rows of each fold; ``"all"``: on all rows.

    Examples:
        >>> EqualWidth(4).fit_transform([[0.0], [1.0], [2.5], [4.0], [None]]).ravel()
        array([ 0.,  0.,  2.,  3., nan])
        >>> EqualWidth(4).fit([[0.0], [4.0]]).cuts_["x0"]
        array([1., 2., 3.])
    """

    method = "equal_width"

    def __init__(self, n_bins: int = 10, scope: Scope = "fold") -> None:
        self.n_bins = n_bins
        self.scope = scope


class EqualFrequency(Discretizer):
    """Bins of about equal weight, closed at the boundary between values nearest to the average of
    what is left.

    As Weka's unsupervised `Discretize` with -F. With weight W left for b bins, the aim is W / b. Of
    the boundary that reaches it and the one before, the nearer becomes a cut (the later one if
    equally near), midway between two distinct values. Equal values stay together, so there can be
    fewer bins than asked for.

    Args:
        n_bins: largest number of bins, 1 to 65,535.
        scope: ``"fold"``: learned on the training rows of each fold; ``"all"``: on all rows.

    Examples:
        >>> EqualFrequency(3).fit([[v] for v in (1, 2, 3, 4, 50, 60)]).cuts_["x0"]
        array([ 2.5, 27. ])
    """

    method = "equal_frequency"

    def __init__(self, n_bins: int = 10, scope: Scope = "fold") -> None:
        self.n_bins = n_bins
        self.scope = scope


class MDLP(Discretizer):
    """Recursive cuts of least class-information entropy, stopped by minimum description length;
    needs y.

    Fayyad & Irani (IJCAI 1993), as Weka's supervised `Discretize`: with k, k1, k2 the classes that
    occur in S and its halves, a cut is accepted when ``gain > (log2(N - 1) + delta) / N`` and
    ``delta = log2(3^k - 2) - (k H(S) - k1 H(S1) - k2 H(S2))``. A column that says nothing about the
    class is one bin.

    Args:
        scope: ``"fold"``: learned on the training rows of each fold; ``"all"``: on all rows.

    Examples:
        >>> MDLP().fit([[v] for v in range(8)], list("aaaabbbb")).cuts_["x0"]
        array([3.5])
    """

    method = "mdlp"
    _needs_classes = True

    def __init__(self, scope: Scope = "fold") -> None:
        self.scope = scope

    def _table(self, X: Any, y: Any) -> Table:
        table = table_of(X, y)
        if table.target is None:
            raise ValueError("MDLP requires y to be passed, but the target y is None")
        return table


DISCRETIZERS: dict[str, type[Discretizer]] = {
    "equal_width": EqualWidth,
    "equal_frequency": EqualFrequency,
    "mdlp": MDLP,
}
"""Name -> class, as `discretize=` takes it."""


def make(value: Any, n_bins: Any = 10, *, auto: str | None = "equal_width") -> Discretizer | None:
    """The discretiser that a parameter `discretize` means; None for None.

    Args:
        value: None, ``"auto"``, ``"equal_width"``, ``"equal_frequency"``, ``"mdlp"``, or an object
            of this module that makes bins.
        n_bins: bins of the words that take a number of them.
        auto: the word that ``"auto"`` stands for; None: it stands for None.

    Raises:
        ValueError: anything else, or `n_bins` that is no whole number >= 1.

    Examples:
        >>> make("mdlp"), make("auto"), make("equal_frequency", 4)
        (MDLP(scope='fold'), EqualWidth(n_bins=10, scope='fold'), ...)
    """
    if isinstance(value, str) and value == "auto":
        value = auto
    if value is None or isinstance(value, Discretizer):
        return value
    kind = DISCRETIZERS.get(value) if isinstance(value, str) else None
    if kind is None:
        raise ValueError(
            f"discretize={shown(value)} is not known; use 'auto', None, "
            f"{', '.join(map(repr, DISCRETIZERS))} or one of the "
            "discretisers of fasttree.discretize: EqualWidth(...), EqualFrequency(...), MDLP()"
        )
    return MDLP() if kind is MDLP else kind(integer("n_bins", n_bins, 1))  # type: ignore[call-arg]

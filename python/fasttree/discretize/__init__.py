"""Discretisation and imputation: `EqualWidth`, `EqualFrequency`, `MDLP`, `ReplaceMissing`.

What
    Transformers of scikit-learn that replace numbers by intervals, or missing cells by values. Bin
    b is ``(cuts[b-1], cuts[b]]``; values beyond the fitted range are in the first or last bin;
    missing values stay missing; empty bins stay declared. The output has the type of the input: a
    `Table` whose numeric columns are nominal with all bins as levels, a frame of the same library
    with ordered categories, or a NumPy array with the numbers of the bins as floats. Nominal
    columns are not changed.
Scope
    Cut points are learned from training rows. With ``scope="fold"`` (default), `cross_validate`
    fits inside each training fold; with ``scope="all"``, on all rows before the folds are made.
    Then test rows influence the cut points, which biases results upwards; it is there to reproduce
    published experiments, as many of them did so. ``fit`` and ``transform`` do not depend on it.
Sources
    Equal width and equal frequency: Weka's unsupervised `Discretize`. MDLP: Fayyad & Irani, IJCAI
    1993, as Weka's supervised `Discretize`. Replacement: Weka's ReplaceMissingValues. The core
    counts the values.
Complexity
    Per column: O(n) for equal width, O(n) after one sort for equal frequency, and O(n k) per level
    of recursion for MDLP with k classes.
When not to use it
    Before a tree that searches thresholds itself: binning removes most of its candidates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _engine
from .._checks import check_integer, number_array, shown
from .._checks.declared import Declared, declared_class
from ..datasets.inputs import table_of
from ..table import Table
from ..table.columns import Column
from .transformer import ColumnTransformer, ReplaceMissing

__all__ = ["Discretizer", "ReplaceMissing", "interval_labels", "make"]


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


class Discretizer(ColumnTransformer, Declared):
    """Base of the three discretisers.

    Attributes:
        cuts_: ascending cut points of each numeric column, by name: float64, shape (bins - 1,).
        n_features_in_: number of columns in `fit`.
    """

    def to_config(self) -> dict[str, Any]:
        """The method as the core reads it.

        Examples:
            >>> EqualWidth(5).to_config(), MDLP().to_config()
            ({'method': 'equal_width', 'n_bins': 5}, {'method': 'mdlp'})
        """
        params = {name: v for name, v in self.get_params().items() if name != "scope"}
        options = {name: self.checked_option(name, v) for name, v in params.items()}
        return {"method": self.info["name"], **options}

    @property
    def labels_(self) -> dict[str, tuple[str, ...]]:
        """Names of the bins of each numeric column, by column name."""
        self._need_fit()
        return {name: interval_labels(cuts) for name, cuts in self.cuts_.items()}

    def _check(self) -> None:
        super()._check()
        self.to_config()

    def _table(self, X: Any, y: Any) -> Table:
        if not self._needs_classes:
            return super()._table(X, y)
        table = table_of(X, y)
        if table.target is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        return table

    def _learn(self, table: Table, weights: np.ndarray | None) -> None:
        method, classes, n_classes = self.to_config(), None, 0
        if self._needs_classes:
            classes, n_classes = table.y_codes.astype(np.uint16), len(table.classes)
        sample_weight = None if weights is None else _engine.readable(weights)
        self.cuts_: dict[str, np.ndarray] = {}
        for column in table.columns:
            if column.kind == "numeric":
                values = _engine.readable(column.values, np.float64)
                self.cuts_[column.name] = _engine.core.bin_cuts(
                    method, values, classes, n_classes, sample_weight
                )

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
        return Column(column.name, "nominal", codes, interval_labels(cuts), ordered=True)

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


def _made(info: dict[str, Any]) -> type[Discretizer]:
    """The class of an entry of the registry."""
    needs, example = info["needs_classes"], info["example"]
    return declared_class(
        Discretizer, info, f"{info['text']}\n", __name__, example, _needs_classes=needs
    )


DISCRETIZERS: dict[str, type[Discretizer]] = {
    info["name"]: _made(info) for info in _engine.registry("discretizers")
}
"""Classes by the name that `discretize=` takes."""

globals().update({kind.__name__: kind for kind in DISCRETIZERS.values()})
__all__ += [kind.__name__ for kind in DISCRETIZERS.values()]

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


def make(value: Any, n_bins: Any = 10, *, auto: str | None = "equal_width") -> Discretizer | None:
    """The discretiser that the value of a parameter `discretize` stands for; None for None.

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
    made = kind()
    if "n_bins" in made.get_params():
        made.set_params(n_bins=check_integer("n_bins", n_bins, 1))
    return made

"""The border of the metrics: labels become class codes, and probabilities are checked, once.

Labels may be strings, numbers or booleans; a prediction that is None (or NaN) is *unclassified*,
code -1. A tree with empty branches says so, and every metric on labels counts it as an error.
Cost: one pass and a sort of the distinct labels.  Not for training data: a Table does that, with
declared levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._checks import (
    as_list,
    is_missing,
    number_array,
    refuse_masked,
    refuse_unhashable,
    refuse_where,
    shown,
)
from .._checks.aliases import ClassLabels, Label, MaybeArray
from .._checks.naming import written

ROWS_AT_ONCE = 1 << 18
"""Labels that are sorted at once: a sort of NumPy does not hear Ctrl-C."""

PROBABILITY_TOLERANCE = 1e-4
"""How far a row of probabilities may be from summing to 1 (single precision models are)."""


def _one_dimensional(values: Any, what: str) -> np.ndarray:
    """Labels as an array of one dimension, whose objects can be looked up."""
    refuse_masked(what, values)
    array = np.asarray(values)
    if array.dtype == object:
        refuse_unhashable(
            what, (None if is_missing(label) else label for label in array.ravel().tolist())
        )
    if array.ndim != 1:
        raise ValueError(
            f"{what} must be one-dimensional, got shape {array.shape}; pass one label per row"
        )
    return array


def _distinct(array: np.ndarray) -> set[Any]:
    distinct: set[Any] = set()
    for start in range(0, len(array), ROWS_AT_ONCE):
        part = array[start : start + ROWS_AT_ONCE]
        labels = (part if part.dtype == object else np.unique(part)).tolist()
        distinct.update(label for label in labels if not is_missing(label))
    return distinct


def sorted_classes(*arrays: Any) -> tuple[Any, ...]:
    """Return the distinct labels of all arrays, sorted (by type name and text where labels cannot
    be compared). None, which stands for no prediction, is no class.

    >>> sorted_classes(["b", "a"], ["c", None])
    ('a', 'b', 'c')
    """
    distinct: set[Any] = set()
    for values in arrays:
        distinct |= _distinct(_one_dimensional(values, "labels"))
    try:
        return tuple(sorted(distinct))
    except TypeError:
        return tuple(sorted(distinct, key=_in_text))


def _in_text(label: Any) -> tuple[str, str]:
    return type(label).__name__, label if isinstance(label, str) else written(label)


def codes_of(
    values: Any, classes: Sequence[Any], what: str, *, missing_ok: bool = False
) -> np.ndarray:
    """Return the int64 position of each label in `classes`; -1 for a missing one where that is
    allowed.

    Raises ValueError naming the row for an unknown label, or for a missing one in the truth.

    >>> codes_of(["yes", "no", None], ["no", "yes"], "y_pred", missing_ok=True)
    array([ 1,  0, -1])
    """
    array = _one_dimensional(values, what)
    lookup = {label: code for code, label in enumerate(classes)}
    if len(lookup) != len(classes):
        raise ValueError(f"classes holds a label twice: {shown(list(classes))}")
    codes = np.empty(len(array), dtype=np.int64)
    for start in range(0, len(array), ROWS_AT_ONCE):
        part = array[start : start + ROWS_AT_ONCE]
        inverse: Any = slice(None)
        if part.dtype != object:
            part, inverse = np.unique(part, return_inverse=True)
        part_codes = [-1 if is_missing(label) else lookup.get(label, -2) for label in part.tolist()]
        codes[start : start + ROWS_AT_ONCE] = np.array(part_codes, dtype=np.int64)[inverse]
    refuse_where(
        codes == -2,
        lambda row: (
            f"{what}: row {row} holds {shown(array[row : row + 1].tolist()[0])}, which is not one "
            f"of the classes {shown(list(classes))}"
        ),
    )
    if not missing_ok:
        refuse_where(
            codes < 0, lambda row: f"{what}: row {row} has no label; drop the row or give it one"
        )
    return codes


def check_lengths(what: str, expected: int, got: int) -> None:
    """Raise ValueError when two inputs have different numbers of rows, or none at all. `what` names
    the second input in the message."""
    if expected != got:
        raise ValueError(
            f"{what} has {got} rows but y_true has {expected}; they must describe the same rows"
        )
    if expected == 0:
        raise ValueError("there are no rows; a metric needs at least one")


def average(values: np.ndarray, weights: MaybeArray) -> float:
    """Return the (weighted) mean; a weight of zero silences a row even where its value is
    infinite."""
    if weights is None:
        return float(values.mean())
    weights = np.asarray(weights)
    kept = weights > 0
    return float((values[kept] * weights[kept]).sum() / weights[kept].sum())


def known_classes(classes: ClassLabels | None, *labels: Any) -> tuple[Any, ...]:
    """The classes in the given order, or the classes that occur in the labels, sorted. TypeError
    for a class that is not hashable."""
    if classes is None:
        return sorted_classes(*labels)
    known = tuple(as_list("classes", classes))
    for label in known:
        if getattr(label, "__hash__", None) is None:
            raise TypeError(f"classes holds {shown(label)}, which is no label")
    return known


def encode_pair(
    y_true: ArrayLike, y_pred: ArrayLike, classes: ClassLabels | None
) -> tuple[np.ndarray, np.ndarray, tuple[Any, ...]]:
    """Return codes of the truth, codes of the predictions (-1 = unclassified) and the classes.
    `classes` gives the order of the codes; None: the labels of both, sorted. Labels that are not
    known and different lengths raise ValueError."""
    labels = known_classes(classes, y_true, y_pred)
    true_codes = codes_of(y_true, labels, "y_true")
    pred_codes = codes_of(y_pred, labels, "y_pred", missing_ok=True)
    check_lengths("y_pred", len(true_codes), len(pred_codes))
    return true_codes, pred_codes, labels


def check_proba(proba: Any, n_rows: int, n_classes: int, what: str = "proba") -> np.ndarray:
    """Return probabilities as float64 (n_rows, n_classes).

    Entries must lie in [0, 1]; a row sums to 1, or is all zero (unclassified).  A 1-D array is
    accepted for two classes: the probability of the last one.
    """
    checked = number_array(what, proba)
    if checked.ndim == 1 and n_classes == 2:
        checked = np.column_stack([1.0 - checked, checked])
    if checked.ndim != 2 or checked.shape[1] != n_classes:
        raise ValueError(
            f"{what} has shape {checked.shape}, expected ({n_rows}, {n_classes}): one column a "
            "class; pass classes= when some class does not occur in y_true"
        )
    check_lengths(what, n_rows, len(checked))
    refuse_where(
        ~((checked >= 0.0) & (checked <= 1.0 + PROBABILITY_TOLERANCE)).all(axis=1),
        lambda row: (
            f"{what}: row {row} is {shown(checked[row].tolist())}; probabilities must lie between "
            "0 and 1"
        ),
    )
    sums = checked.sum(axis=1)
    refuse_where(
        (np.abs(sums - 1.0) > PROBABILITY_TOLERANCE) & (sums != 0.0),
        lambda row: (
            f"{what}: row {row} sums to {sums[row]:.6g}; a row must sum to 1 (or be all zero: "
            "unclassified)"
        ),
    )
    return np.minimum(checked, 1.0)


def encode_proba(
    y_true: ArrayLike, proba: Any, classes: ClassLabels | None
) -> tuple[np.ndarray, np.ndarray, tuple[Any, ...]]:
    """Return codes of the truth, checked probabilities (n, k) and the classes (columns of `proba`,
    in order). ValueError for rows that are no probabilities, unknown labels and shapes that do not
    fit."""
    labels = known_classes(classes, y_true)
    codes = codes_of(y_true, labels, "y_true")
    return codes, check_proba(proba, len(codes), len(labels)), labels


def positive_code(classes: Sequence[Any], positive: Label | None) -> int:
    """Return the code of the positive class: the last class unless a label is given. ValueError for
    a label that is not among the classes."""
    if positive is None:
        return len(classes) - 1
    for code, label in enumerate(classes):
        if label == positive:
            return code
    raise ValueError(f"positive={shown(positive)} is not one of the classes {shown(list(classes))}")

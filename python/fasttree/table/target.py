"""The two types of target: `Target`, which has classes, and `NumericTarget`.

What
    A `Target` holds 1-D labels in their own dtype, int32 codes and the tuple of classes; a
    `NumericTarget` holds the numbers of a regression. `class_targets` and `numeric_targets` make
    them from the y of a user, whose cells `target_cells` reads.
Errors
    A missing label or number names its row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NoReturn

import numpy as np

from .._checks.words import argument, counted, option, worded
from .columns import Column


def no_target() -> ValueError:
    """The ValueError for rows without a target, to be raised by the caller. In Python its words are
    scikit-learn's, which its estimator checks look for; the shell has words of its own."""
    return ValueError(
        worded(
            "requires y to be passed, but the target y is None: give labels, the name of a column "
            "of a frame X, or a Table with a target",
            f"the data name no target: {option('target')} COLUMN; a PLINK study has one where its "
            ".fam tells cases from controls (ftree rank also takes them from a file: --pheno)",
        )
    )


@dataclass(slots=True)
class Target:
    """A target of classes.

    Codes are what the core reads; labels are kept to be given back unchanged.

    Attributes:
        name: name of the target.
        labels: the labels as given, shape (n_rows,); None if only codes are known.
        codes: positions of the labels in `classes`, int32, shape (n_rows,); -1: missing.
        classes: the class labels, in order.
        values: `classes` as an array.
        is_number: whether the labels are numbers that were not declared as levels.
    """

    name: str
    labels: np.ndarray | None
    codes: np.ndarray
    classes: tuple[Any, ...]
    values: np.ndarray
    is_number: bool = False

    def take(self, rows: Any) -> Target:
        """The same target restricted to some rows; it keeps classes that none of them has.

        Args:
            rows: positions, a slice or a mask.
        """
        labels = None if self.labels is None else self.labels[rows]
        return replace(self, labels=labels, codes=self.codes[rows])

    def decode(self) -> np.ndarray:
        """The labels row by row, shape (n_rows,), in their own dtype. If a label is missing, the
        result is an object array with None for it."""
        if self.labels is not None:
            return self.labels
        if len(self.codes) == 0 or int(self.codes.min()) >= 0:
            return self.values[self.codes]
        return Column(self.name, "nominal", self.codes, self.classes).labels()

    def checked_codes(self) -> np.ndarray:
        """The codes, after a check that every row has a label.

        A fit calls it; a Table itself may have rows without a label, which are predicted.

        Raises:
            ValueError: a label is missing; the message names the first such row.
        """
        if len(self.codes) and int(self.codes.min()) < 0:
            missing_rows = np.flatnonzero(self.codes < 0)
            raise ValueError(missing_message(self.name, int(missing_rows[0]), len(missing_rows)))
        return self.codes


MAX_NUMBER = 1e60
"""Largest number of a regression: sums of its squares are finite."""


@dataclass(slots=True)
class NumericTarget:
    """A target of numbers, which a regression predicts.

    It has the methods `take`, `decode` and `checked_codes` of `Target`, so that a Table calls them
    without asking for its type.

    Attributes:
        name: name of the target.
        numbers: the numbers, float64, shape (n_rows,); NaN where one is missing.
    """

    name: str
    numbers: np.ndarray

    classes: ClassVar[tuple[Any, ...]] = ()
    """A number has no classes."""

    def take(self, rows: Any) -> NumericTarget:
        """The same target restricted to some rows.

        Positions may repeat, as in a bootstrap sample.

        Args:
            rows: positions, a slice or a mask.
        """
        return NumericTarget(self.name, self.numbers[rows])

    def decode(self) -> np.ndarray:
        """The numbers row by row, float64, shape (n_rows,), NaN where one is missing. The array
        itself is returned, not a copy."""
        return self.numbers

    def checked_codes(self) -> NoReturn:
        """Refuse to give codes of classes, which a number does not have.

        Raises:
            ValueError: always; the message says how to use the target.
        """
        raise ValueError(
            f"the target {self.name!r} is a number, which has no classes: use "
            f"{worded('FastTreeRegressor or ')}{argument('task', 'regression')} here, or read it "
            f"as classes: {argument('task', 'classification')}"
        )

    def checked_numbers(self) -> np.ndarray:
        """The numbers, after a check that none is missing.

        A fit calls it; a Table itself may have rows without a number, which are predicted.

        Raises:
            ValueError: a number is missing; the message names the first such row.
        """
        missing_rows = np.flatnonzero(np.isnan(self.numbers))
        if len(missing_rows):
            first_row, n_rows = int(missing_rows[0]), len(missing_rows)
            raise ValueError(missing_message(self.name, first_row, n_rows, "number"))
        return self.numbers


def missing_message(name: str, row: int, n_rows: int = 1, noun: str = "class label") -> str:
    """The message for rows whose target is missing.

    Args:
        name: name of the target; "y" for labels that are no column of a frame.
        row: number of the first such row.
        n_rows: number of such rows.
        noun: what they lack, "class label" or "number".
    """
    in_all = "" if n_rows == 1 else f" ({counted(n_rows, 'row')} in all)"
    in_a_frame = ""
    if name != "y":
        in_a_frame = f"frame.dropna(subset=[{name!r}]), of Polars frame.drop_nulls({name!r}), "
    remedy = worded(f"({in_a_frame}table.drop_missing_target()) ")
    return (
        f"Input y contains NaN: row {row} of the target {name!r} has no {noun}{in_all}; drop such "
        f"rows {remedy}or give them a {noun.removeprefix('class ')}"
    )


def class_array(classes: Sequence[Any], dtype: np.dtype | None = None) -> np.ndarray:
    """The class labels as a 1-D array that holds them as they are.

    Args:
        classes: the class labels.
        dtype: the type of the labels of the rows. Numbers keep it, and texts get one as long as the
            longest class. None: unknown; classes that are all int, bool or float get the type that
            NumPy chooses. All other labels stay Python objects.
    """
    if dtype is not None and dtype.kind in "biuf":
        return np.array(classes, dtype=dtype)
    if dtype is not None and dtype.kind == "U":
        return np.array(classes) if classes else np.array([], dtype=dtype)
    types = set(map(type, classes))
    if dtype is None and types in ({int}, {bool}, {float}):
        return np.array(classes)
    return np.fromiter(classes, dtype=object, count=len(classes))

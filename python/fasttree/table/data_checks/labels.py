"""Features that are the label under another name.

Such a feature has one value for each class, and each value in one class; if the target is a number,
the feature equals it. Missing cells of the feature are not compared. O(n log n) for a suspected
column; a few rows rule nearly all others out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..._checks.words import argument, worded
from .facts import MIN_ROWS, Finding, TableFacts

MIN_LABELLED = 20
"""Smallest number of rows in which a feature is compared with the target."""


def find(facts: TableFacts) -> Iterator[Finding]:
    """Yield a finding for each feature that repeats the target in all rows where both have a value.

    The evidence is "label" if the target has classes, or "target" if it is a number. Fewer than
    `MIN_LABELLED` rows are not checked: chance may make a feature agree with the target in them.
    """
    target, block = facts.target, facts.block
    if target is None or facts.n_rows < MIN_LABELLED or facts.is_genotypes:
        return
    truth, is_number = np.asarray(target.values), target.levels is None
    some = slice(None, None, max(1, facts.n_rows // MIN_ROWS))
    what = "is equal to the target" if is_number else "stands one to one for the classes"
    for place in facts.places:
        if block is not None and not _agree(block[some, place], truth[some], is_number):
            continue
        column = facts.column(place).column
        if is_number and column.levels is not None:
            continue
        values = np.asarray(column.values)
        if _agree(values[some], truth[some], is_number) and _agree(
            values, truth, is_number, least=MIN_LABELLED
        ):
            yield Finding(column.name, what, "target" if is_number else "label")


def sentences(found: Sequence[Finding], facts: TableFacts) -> Iterator[str]:
    """One sentence per column, which asks whether it is the label under another name. A fit uses
    the column nevertheless: only the user knows whether it is known before the label is."""
    for finding in found:
        yield (
            f"column {finding.column!r} {finding.text}: is it the {finding.evidence} under "
            "another name? if so, leave it out: "
            + worded(f"X.drop(columns=[{finding.column!r}])", argument("drop", [finding.column]))
        )


def _agree(values: np.ndarray, truth: np.ndarray, is_number: bool, least: int = 0) -> bool:
    """Whether the numbers of a feature equal the target, or its values correspond one to one to the
    classes.

    Args:
        values, truth: numbers (NaN: missing) or codes (below 0: missing) of a feature and the
            target, (n_rows,).
        is_number: whether the target is a number.
        least: smallest number of rows without a missing cell; if it is above 0, these rows must
            also hold two values, and all classes.
    """
    has_both = _known(values) & _known(truth)
    values, classes = values[has_both], truth[has_both]
    if len(values) < least:
        return False
    if is_number:
        return np.array_equal(values, classes) and (least == 0 or np.ptp(classes) > 0)
    levels, codes = np.unique(values, return_inverse=True)
    n_classes = len(np.unique(classes))
    if len(levels) != n_classes or (least and n_classes > len(classes) / 2):
        return False  # a class of its own in each row, as of an identifier
    if least and (n_classes < 2 or n_classes < len(np.unique(truth[_known(truth)]))):
        return False
    return len(np.unique(codes.reshape(-1) * (int(classes.max(initial=0)) + 1) + classes)) == len(
        levels
    )


def _known(values: np.ndarray) -> np.ndarray:
    """Which cells are not missing, shape (n_rows,): numbers that are not NaN, or codes from 0
    up."""
    return np.asarray(~np.isnan(values) if values.dtype.kind == "f" else values >= 0)

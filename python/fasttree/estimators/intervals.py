"""Split-conformal prediction intervals: the margin, and its scores in model files.

What
    `margin_of` gives how far intervals must reach for a coverage, from the scores of calibration
    rows. `with_scores` and `scores_in` write and read the scores in a model file.
Source and equation
    Lei, G'Sell, Rinaldo, Tibshirani & Wasserman, "Distribution-free predictive inference for
    regression" (2018): of n scores the k-th smallest, k = ceil((n + 1) coverage). The score of a
    new, exchangeable row is as likely to have any rank among the n + 1, so it is at most the k-th
    smallest with a probability of k / (n + 1) or more.
Complexity
    O(n).
"""

from __future__ import annotations

import json
import math
from typing import Literal, TypeAlias

import numpy as np

from .._checks import number_in

IntervalMethod: TypeAlias = Literal["residual", "quantile"]
METHODS: tuple[IntervalMethod, ...] = ("residual", "quantile")
KEY = "calibration"
"""The key of the scores among the parameters in a model file."""
ROUNDING = 1e-9
"""How far (n + 1) coverage may exceed a whole number by rounding, as 10 x 0.7 exceeds 7."""


def checked_coverage(coverage: float, n_rows: int) -> float:
    """A coverage that `n_rows` calibration rows can guarantee.

    The message of the error names the number of rows that the coverage needs.

    Raises:
        ValueError: a number outside (0, 1), or too few rows.

    Examples:
        >>> checked_coverage(0.9, 8)
        Traceback (most recent call last):
        ...
        ValueError: coverage=0.9 needs at least 9 calibration rows, and there are 8: calibrate on \
more, or ask for less
    """
    share = number_in(0.0, 1.0)("coverage", coverage)
    if share in (0.0, 1.0):
        raise ValueError(f"coverage={share} must lie between 0 and 1")
    if rank_of_margin(share, n_rows) > n_rows:
        least = math.ceil(share / (1 - share) - ROUNDING)
        raise ValueError(
            f"coverage={share} needs at least {least:,} calibration rows, and there are "
            f"{n_rows:,}: calibrate on more, or ask for less"
        )
    return share


def rank_of_margin(coverage: float, n_rows: int) -> int:
    """Rank of the margin among `n_rows` scores, 1 for the smallest: (n + 1) coverage, rounded up.

    A rank above `n_rows` means that there are too few scores for the coverage. `ROUNDING` is taken
    off first, so that 10 x 0.7 has the rank 7 and not 8.
    """
    return math.ceil((n_rows + 1) * coverage - ROUNDING)


def margin_of(scores: np.ndarray, coverage: float) -> float:
    """The score that a new row exceeds with a probability of at most 1 - `coverage`.

    Args:
        scores: scores of the calibration rows, shape (n,).
        coverage: as `checked_coverage` gives it.

    Examples:
        >>> margin_of(np.array([3.0, 1.0, 2.0, 4.0]), 0.8)
        4.0
    """
    rank = rank_of_margin(coverage, len(scores))
    return float(np.partition(scores, rank - 1)[rank - 1])


def with_scores(parameters: str, scores: np.ndarray | None) -> str:
    """The parameters of a model file with the scores of a calibration, or without any.

    Args:
        parameters: JSON text.
        scores: shape (n_rows,), or None.

    Examples:
        >>> text = with_scores('{"a": 1}', np.array([0.5, 0.25]))
        >>> text, with_scores(text, None), scores_in(text).tolist()
        ('{"a": 1, "calibration": [0.25, 0.5]}', '{"a": 1}', [0.25, 0.5])
    """
    if scores is None and KEY not in parameters:
        return parameters
    kept = json.loads(parameters or "{}")
    kept.pop(KEY, None)
    if scores is not None and np.isfinite(scores).all():
        kept[KEY] = np.sort(scores).tolist()
    return json.dumps(kept, sort_keys=True)


def scores_in(parameters: str) -> np.ndarray | None:
    """The scores of the calibration in the parameters of a model file; None without one.

    Raises:
        ValueError: a damaged file.
    """
    if KEY not in parameters or (scores := json.loads(parameters).get(KEY)) is None:
        return None
    if not isinstance(scores, list) or not all(
        type(s) is float and 0 <= s < math.inf for s in scores
    ):
        raise ValueError("not a valid fasttree model: its calibration cannot be read")
    return np.array(scores)

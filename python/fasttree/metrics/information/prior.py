"""The class prior that rewards compare with: from training counts, given, or uniform.

Counts start at 0.5 (Hope & Korb 2004), so that no class has prior 0 and no reward an infinite
bound.  O(k).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._checks import number_array, shown
from ..labels import check_proba


def class_prior(counts: Any) -> np.ndarray:
    """Return the prior (n_i + 0.5) / (n + k/2) of training counts (k,); strictly between 0 and 1
    for k > 1.

    >>> class_prior([9, 0])
    array([0.95, 0.05])
    """
    given = number_array("counts", counts)
    if given.ndim != 1 or len(given) == 0 or not (np.isfinite(given) & (given >= 0)).all():
        raise ValueError("counts must be a 1-D array of numbers that are not negative, one a class")
    return (given + 0.5) / (given.sum() + len(given) / 2.0)


def check_prior(prior: Any, n_rows: int, n_classes: int) -> np.ndarray:
    """Return the prior as float64 (k,), or (n, k) when every row has its own; "uniform" is 1/k
    each."""
    if prior is None:
        raise ValueError(
            "prior= must be given: class probabilities of the training rows, "
            'class_prior(counts), or "uniform"'
        )
    if isinstance(prior, str):
        if prior != "uniform":
            raise ValueError(
                f'prior={shown(prior)}; use an array of {n_classes} probabilities or "uniform"'
            )
        return np.full(n_classes, 1.0 / n_classes)
    array = number_array("prior", prior)
    if array.ndim == 1:
        return check_proba(array.reshape(1, -1), 1, n_classes, "prior")[0]
    return check_proba(array, n_rows, n_classes, "prior")

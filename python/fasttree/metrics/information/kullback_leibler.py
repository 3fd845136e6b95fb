"""Kullback & Leibler's divergence of a prediction from the true distribution: the measure where the
truth is known.

    sum_i P_i log(P_i / P'_i),  0 log 0 = 0

For generated data, whose model gives P.  No scorer: labels are not distributions.  O(n k).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._checks import checked, number_array, one_value, row_weights
from ..._checks.aliases import MaybeArray
from ..labels import average, check_proba
from ..metric import metric_of
from ..probability import clip_proba, log_unit
from .reward import ClassRewards, refuse_both


@checked(P_true=number_array, P_pred=number_array, per_instance=one_value, by_class=one_value)
def kullback_leibler_divergence(
    P_true: Any,
    P_pred: Any,
    *,
    base: float | None = 2.0,
    clip: float | None = None,
    sample_weight: MaybeArray = None,
    per_instance: bool = False,
    by_class: bool = False,
) -> Any:
    """Return the mean of sum_i P_i log(P_i / P'_i) over rows, 0 to +inf; both arguments (n, k), or
    (k,) for one row.

    `P_true` are true distributions (known only for generated data), 0 log 0 = 0.  `clip` limits
    `P_pred`. `per_instance=True` gives the values (n,), `by_class=True` a `ClassRewards` whose
    `share` is the mean true probability of a class, `term` its mean part of the sum and `reward`
    their ratio.

    >>> round(kullback_leibler_divergence([1.0, 0.0], [0.25, 0.75]), 6)
    2.0
    """
    refuse_both(per_instance, by_class)
    if np.shape(P_true) != np.shape(P_pred):
        raise ValueError(
            f"P_true has shape {np.shape(P_true)} and P_pred {np.shape(P_pred)}; they must agree"
        )
    true, pred = (np.atleast_2d(part) for part in (P_true, P_pred))
    true = check_proba(true, len(true), true.shape[1], "P_true")
    pred = clip_proba(check_proba(pred, len(true), true.shape[1], "P_pred"), clip)
    terms = np.zeros(true.shape)
    occurs = true > 0
    with np.errstate(divide="ignore"):
        terms[occurs] = true[occurs] * (np.log(true[occurs]) - np.log(pred[occurs]))
    terms /= log_unit(base)
    if per_instance:
        return terms.sum(axis=1)
    weights = row_weights(sample_weight, len(terms))
    if by_class:
        term, share = (np.array([average(c, weights) for c in part.T]) for part in (terms, true))
        reward = np.divide(term, share, out=np.full(len(term), np.nan), where=share > 0)
        return ClassRewards(tuple(range(len(term))), share, reward, term)
    return average(terms.sum(axis=1), weights)


METRICS = (
    metric_of(
        kullback_leibler_divergence,
        "divergence of the prediction from the true distribution",
        "Kullback & Leibler 1951",
        needs="proba",
        better=False,
        maximum=math.inf,
        aliases=("kld",),
        scorable=False,
    ),
)

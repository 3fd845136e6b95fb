"""The information score of Kononenko & Bratko (1991): what was learned about the true class.

    log p' - log p if p' >= p, else log(1 - p) - log(1 - p')      p', p of the true class

It has a kink at p' = p, where its slope jumps from 1/(1 - p) to 1/p. A certain error costs no more
than log(1 - p), so a forecaster may gain from stating more than it believes.
"""

from __future__ import annotations

import math

import numpy as np

from .reward import at_true, difference, reward, true_column


@reward(
    "information gained on the true class against the prior",
    "Kononenko & Bratko 1991",
    mean=False,
    maximum=math.inf,
    aliases=("kononenko_bratko",),
)
def kononenko_bratko_information_score(
    codes: np.ndarray, given: np.ndarray, prior: np.ndarray
) -> np.ndarray:
    """Return the information score: log p' - log p if p' >= p, else log(1 - p) - log(1 - p'), of
    the true class.

    `prior`: (k,), (n, k) or "uniform"; it must be given.  Negative when the prediction is worse
    than the prior. `per_instance=True` gives the values (n,), `by_class=True` the parts
    (`ClassRewards`).

    >>> kononenko_bratko_information_score([1], [[0.5, 0.5]], prior=[0.75, 0.25], classes=[0, 1])
    1.0
    """
    confidence, before = true_column(given, codes), true_column(prior, codes)
    value = np.where(
        confidence >= before,
        difference(confidence, before),
        difference(1.0 - before, 1.0 - confidence),
    )
    return at_true(codes, value, given.shape[1])

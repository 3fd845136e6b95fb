"""The Bayesian information reward (Hope & Korb 2004): what bets for and against every class would
earn.

    mean over classes of log(p'_i/p_i) (true class), log((1 - p'_i)/(1 - p_i)) (others)

0 for predicting the prior, largest on average for the true probabilities, -inf for a certain error.
"""

from __future__ import annotations

import math

import numpy as np

from .reward import difference, is_true, reward


@reward(
    "mean over classes of log(p'/p)",
    "Hope & Korb 2004",
    mean=True,
    maximum=math.inf,
    aliases=("information_reward",),
)
def bayesian_information_reward(
    codes: np.ndarray, given: np.ndarray, prior: np.ndarray
) -> np.ndarray:
    """Return Hope & Korb's reward of 2004: mean over classes of log(p'/p) (others: of the
    complements).

    `prior`: (k,), (n, k) or "uniform"; it must be given.  -inf (a certain error) up to the mean log
    of the inverse priors; 0 for predicting the prior.  `per_instance=True` gives the values (n,),
    `by_class=True` the parts (`ClassRewards`).

    >>> bayesian_information_reward([1], [[0.5, 0.5]], prior=[0.75, 0.25], classes=[0, 1])
    1.0
    >>> parts = bayesian_information_reward(
    ...     [0, 1], [[0.5, 0.5], [0.25, 0.75]], prior="uniform", by_class=True
    ... )
    >>> parts.reward.round(3).tolist(), parts.term.round(3).tolist()
    ([0.0, 0.585], [0.146, 0.146])
    """
    true = is_true(codes, given.shape[1])
    return difference(np.where(true, given, 1.0 - given), np.where(true, prior, 1.0 - prior))

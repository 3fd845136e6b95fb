"""Hope & Korb's first reward (2002): logs of the probabilities as shares of the logs of the prior.

    mean over classes of 1 - log p'_i/log p_i (true class), 1 - log(1 - p'_i)/log(1 - p_i) (others)

Kept for comparison: the reward of 2004 mends that here a forecaster gains from stating more than it
believes (with p = f = 0.1 the mean is largest at p' = 0.005058).
"""

from __future__ import annotations

import numpy as np

from .reward import is_true, reward


@reward("mean over classes of 1 - log p'/log p", "Hope & Korb 2002", mean=True, has_base=False)
def information_reward_2002(codes: np.ndarray, given: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Return Hope & Korb's reward of 2002: mean over classes of 1 - log p'/log p (others: of the
    complements).

    -inf to 1.  `base` is accepted for symmetry: it cancels.  `per_instance=True` gives the values
    (n,), `by_class=True` the parts (`ClassRewards`).

    >>> information_reward_2002([1], [[0.5, 0.5]], prior=[0.75, 0.25], classes=[0, 1])
    0.5
    """
    true = is_true(codes, given.shape[1])
    confidence, before = np.where(true, given, 1.0 - given), np.where(true, prior, 1.0 - prior)
    with np.errstate(divide="ignore", invalid="ignore"):
        return 1.0 - np.where(confidence == before, 1.0, np.log(confidence) / np.log(before))

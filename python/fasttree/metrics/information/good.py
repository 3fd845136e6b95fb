"""Good's reward of 1952, the fair fee of a forecaster: two classes, and fair only when these are
equally likely.

    log(2 p') when the predicted class is right, log(2 (1 - p')) when it is wrong

With two classes 1 - p' is the true class's probability, so both are log 2p' of the true class.
Ranges from -inf to log 2.  Not for unequal priors: who says "no" in nine cases of ten is paid for
nothing.
"""

from __future__ import annotations

import numpy as np

from .reward import at_true, reward, true_column


@reward(
    "log(2p') of the true class, two classes only",
    "Good 1952",
    mean=False,
    uses_prior=False,
    aliases=("good",),
)
def good_information_reward(codes: np.ndarray, given: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Return Good's reward: log(2p') if the predicted class is right, else log(2(1-p')); -inf to
    log 2.

    Two classes only (ValueError otherwise).  `proba` (n, 2), or (n,) for the last class.
    `per_instance=True` gives the values (n,) instead of their mean, `by_class=True` its parts
    (`ClassRewards`).

    >>> round(good_information_reward([0] * 9 + [1], [[0.9, 0.1]] * 10), 4)
    0.531
    """
    if given.shape[1] != 2:
        raise ValueError(
            f"good_information_reward is defined for two classes, got {given.shape[1]}; "
            "use bayesian_information_reward"
        )
    with np.errstate(divide="ignore"):
        return at_true(codes, np.log(2.0 * true_column(given, codes)), 2)

"""The information rewards, each as a formula of the predicted probability and its prior.

With p' the predicted probability of what turned out to be true and p its prior:

    Good 1952               log 2p'                                           two classes, no prior
    Kononenko & Bratko 1991 log p' - log p if p' >= p, else log(1 - p) - log(1 - p')
    Hope & Korb 2002        mean over classes of 1 - log p'/log p
    Hope & Korb 2004        mean over classes of log(p'/p)

A bet on every class is on the true class by p'_i, and against each other class by 1 - p'_i. Good's
fair fee of a forecaster is fair only when both classes are equally likely: else who says "no" in
nine cases of ten is paid for nothing. The score of Kononenko & Bratko has a kink at p' = p, where
its slope jumps from 1/(1 - p) to 1/p; a certain error costs no more than log(1 - p), so that a
forecaster may gain from stating more than it believes. So it may under the reward of 2002 (with p =
f = 0.1 the mean is largest at p' = 0.005058), a flaw that the reward of 2004 does not have: it is 0
for predicting the prior, largest on average for the true probabilities, and -inf for a certain
error.
"""

from __future__ import annotations

import math

import numpy as np

from .reward import reward


def _log_ratio(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """ln left - ln right, 0 where the two are equal (also where both are 0)."""
    return np.where(left == right, 0.0, np.log(left) - np.log(right))


@reward(
    "log(2p') of the true class, two classes only",
    "Good 1952",
    two_classes=True,
    uses_prior=False,
    aliases=("good",),
)
def good_information_reward(given: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Return Good's reward: log(2p') if the predicted class is right, else log(2(1-p')); -inf to
    log 2.

    Two classes only (ValueError otherwise).  `proba` (n, 2), or (n,) for the last class.
    `per_instance=True` gives the values (n,) instead of their mean, `by_class=True` its parts
    (`ClassRewards`).

    >>> round(good_information_reward([0] * 9 + [1], [[0.9, 0.1]] * 10), 4)
    0.531
    """
    return np.log(2.0 * given)


@reward(
    "information gained on the true class against the prior",
    "Kononenko & Bratko 1991",
    maximum=math.inf,
    aliases=("kononenko_bratko",),
)
def kononenko_bratko_information_score(given: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Return the information score: log p' - log p if p' >= p, else log(1 - p) - log(1 - p'), of
    the true class.

    `prior`: (k,), (n, k) or "uniform"; it must be given.  Negative when the prediction is worse
    than the prior. `per_instance=True` gives the values (n,), `by_class=True` the parts
    (`ClassRewards`).

    >>> kononenko_bratko_information_score([1], [[0.5, 0.5]], prior=[0.75, 0.25], classes=[0, 1])
    1.0
    """
    lost = _log_ratio(1.0 - before, 1.0 - given)
    return np.where(given >= before, _log_ratio(given, before), lost)


@reward(
    "mean over classes of 1 - log p'/log p", "Hope & Korb 2002", every_class=True, has_base=False
)
def information_reward_2002(given: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Return Hope & Korb's reward of 2002: mean over classes of 1 - log p'/log p (others: of the
    complements).

    -inf to 1.  `base` is accepted for symmetry: it cancels.  `per_instance=True` gives the values
    (n,), `by_class=True` the parts (`ClassRewards`).

    >>> information_reward_2002([1], [[0.5, 0.5]], prior=[0.75, 0.25], classes=[0, 1])
    0.5
    """
    return 1.0 - np.where(given == before, 1.0, np.log(given) / np.log(before))


@reward(
    "mean over classes of log(p'/p)",
    "Hope & Korb 2004",
    every_class=True,
    maximum=math.inf,
    aliases=("information_reward",),
)
def bayesian_information_reward(given: np.ndarray, before: np.ndarray) -> np.ndarray:
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
    return _log_ratio(given, before)

"""Information rewards: how much a probabilistic prediction is worth, in bits, against the class
prior.

With p' the predicted and p the prior probability, p = (n_i + 0.5)/(n + k/2) from the training
counts:

    * Good 1952 (two classes): log(2 p') when the predicted class is right, else log(2 (1 - p'))
    * Kononenko & Bratko 1991: log p' - log p if p' >= p, else log(1 - p) - log(1 - p'), with p' of
      the true class
    * Hope & Korb 2002: mean over classes of 1 - log p'_i/log p_i (true class) and
      1 - log(1-p'_i)/log(1-p_i) (others)
    * Hope & Korb 2004: mean over classes of log(p'_i/p_i) (true class) and
      log((1-p'_i)/(1-p_i)) (others)
    * Kullback-Leibler: sum_i P_i log(P_i/P'_i), P the true distribution

Hope & Korb 2004 is Bayesian: it rewards the true probability most, which the 2002 form does not.  A
certain wrong prediction is worth -inf, and stays so unless `clip=`.  A prediction equal to the
prior is worth 0 in all but Good's. `formulas` has the rewards, and `reward` turns them into values
per row, means, and parts by class. O(n k).  Not for hard labels: every
certain answer is either very good or worth -inf.
"""

from . import kullback_leibler
from .curves import RewardCurves, reward_curves
from .formulas import (
    bayesian_information_reward,
    good_information_reward,
    information_reward_2002,
    kononenko_bratko_information_score,
)
from .kullback_leibler import kullback_leibler_divergence
from .prior import class_prior
from .reward import ClassRewards

__all__ = [
    "METRICS",
    "ClassRewards",
    "RewardCurves",
    "bayesian_information_reward",
    "class_prior",
    "good_information_reward",
    "information_reward_2002",
    "kononenko_bratko_information_score",
    "kullback_leibler_divergence",
    "reward_curves",
]

METRICS = (
    good_information_reward.metric,
    kononenko_bratko_information_score.metric,
    information_reward_2002.metric,
    bayesian_information_reward.metric,
    *kullback_leibler.METRICS,
)

"""Information rewards over the confidence in the true class: the curves of Hope & Korb (2004),
figure 1.

The true class gets confidence x, the other classes share 1 - x equally. Under a uniform prior the
two rewards of Hope & Korb nearly coincide; under (.1, .45, .45), the first class true, the reward
of 2002 leaves all others far behind. The score of Kononenko & Bratko has a kink where x is the
prior. O(points x k).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..._checks import as_list, checked, number_array, one_of, shown, whole_in
from . import formulas
from .prior import check_prior
from .reward import Reward

REWARDS: dict[str, Reward] = {
    formula.__name__: formula  # type: ignore[attr-defined]
    for formula in (
        formulas.information_reward_2002,
        formulas.bayesian_information_reward,
        formulas.kononenko_bratko_information_score,
        formulas.good_information_reward,
    )
}


class RewardCurves(NamedTuple):
    """Rewards of one row by the confidence in its true class: `confidence` (points,) in the class
    `true_class`, `rewards` name -> values (points,), the `prior` (k,). Values are in bits unless
    another base was asked for."""

    confidence: np.ndarray
    rewards: dict[str, np.ndarray]
    prior: np.ndarray
    true_class: int = 0


@checked(true_class=whole_in(0), points=whole_in(2, 10**6), rewards=as_list)
def reward_curves(
    prior: Any = (1 / 3, 1 / 3, 1 / 3),
    *,
    true_class: int = 0,
    rewards: Sequence[str] = tuple(REWARDS)[:3],
    points: int = 199,
    base: float | None = 2.0,
) -> RewardCurves:
    """Return the values of rewards for confidences 1/(points + 1) to points/(points + 1) in the
    true class.

    `prior` (k,), k >= 2; `true_class` its position; `rewards` names of information rewards (Good's
    for k = 2). The two panels of the figure are `prior` (1/3, 1/3, 1/3) and (.1, .45, .45).

    >>> curves = reward_curves((0.1, 0.45, 0.45), points=9)
    >>> curves.confidence[0].item(), curves.rewards["bayesian_information_reward"][0].item()
    (0.1, 0.0)
    """
    before = number_array("prior", prior)
    k = before.size
    if before.ndim != 1 or k < 2 or not 0 <= true_class < k:
        raise ValueError(
            f"prior={shown(prior)} and true_class={true_class}: give at least two probabilities "
            f"and the "
            "true one's position"
        )
    before = check_prior(before, 1, k)
    for name in rewards:
        one_of("rewards", name, tuple(REWARDS))
    x = np.arange(1, points + 1) / (points + 1)
    rows = np.repeat(((1.0 - x) / (k - 1))[:, None], k, axis=1)
    rows[:, true_class] = x
    codes = np.full(points, true_class)
    values = {name: REWARDS[name].per_row(codes, rows, before, base=base) for name in rewards}
    return RewardCurves(x, values, before, true_class)

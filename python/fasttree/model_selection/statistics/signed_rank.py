"""The Bayesian signed-rank test: the probability that one method is better than another over data
sets, or that they are equal in practice.

The N differences z of two methods' means, one per data set, have the prior of a Dirichlet process
of strength s with all its mass at z_0 = 0, in the region of practical equivalence [-rope, rope].
The posterior draws weights w ~ Dirichlet(s, 1, ..., 1) of z_0, z_1, ..., z_N, and of each draw the
shares of pairs whose mean lies left of the region, in it and right of it (Benavoli, Corani, Demsar
& Zaffalon, JMLR 18, 2017):

    left = sum_ij w_i w_j [z_i + z_j < -2 rope],    right = sum_ij w_i w_j [z_i + z_j > 2 rope]

A pair on the border counts half. The probability of a side is the share of the draws in which it is
the largest. O(draws x N^2). On one data set see `bayesian_correlated_t_test`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._checks import at_least_zero, checked, number_in, whole
from .outcome import FEW_SETS, Posterior, check_alpha
from .t_tests import paired_values
from .ties import TIED, exact_mean

BATCH = 1000
"""Draws that are computed at once."""


@dataclass(frozen=True)
class SignedRankPosterior(Posterior):
    """Outcome of the Bayesian signed-rank test, first minus second.

    Attributes:
        probabilities: (left, rope, right): that the first is lower than the second by more than the
            rope, that they are equal in practice, and that the first is higher; they add up to 1.
        mean_shares: means over the draws of the shares (left, rope, right) of pairs of data sets.
        mean_difference: mean over the data sets.
        rope: half the width of the region of practical equivalence.
        alpha: level.
        n: number of data sets.
        names: of the two methods.
        test: name of the test.
        greater_is_better: whether larger values are better; None: not said.
    """

    probabilities: tuple[float, float, float]
    mean_shares: tuple[float, float, float]
    mean_difference: float
    rope: float
    alpha: float
    n: int
    names: tuple[str, str] = ("A", "B")
    test: str = "Bayesian signed-rank test"
    greater_is_better: bool | None = None

    @property
    def verdict(self) -> str:
        """As of other posteriors; "undecided" over fewer than ten data sets."""
        return super().verdict if self.n >= FEW_SETS else "undecided"

    @property
    def _undecided(self) -> str:
        """What is said without a verdict."""
        few = f"there is no verdict over fewer than {FEW_SETS} data sets"
        return few if self.n < FEW_SETS else super()._undecided

    @property
    def _details(self) -> str:
        """The test and its numbers."""
        return f"{self.test} over {self.n} data sets"


@checked(
    rope=at_least_zero,
    prior_strength=number_in(0.0, 1e9, above=True),
    n_samples=whole(1),
    random_state=whole(0, 2**32 - 1),
)
def bayesian_signed_rank_test(
    a: Any,
    b: Any,
    *,
    rope: float = 0.01,
    prior_strength: float = 0.5,
    n_samples: int = 50_000,
    random_state: int = 0,
    alpha: float = 0.05,
    names: tuple[str, str] = ("A", "B"),
) -> SignedRankPosterior:
    """Return the posterior of two methods' results on the same data sets, one number for each.

    Args:
        a, b: means of the methods, shape (data sets,), at least 2.
        rope: differences up to it count as none, in the units of the values (0.01 = one point of
            accuracy).
        prior_strength: strength of the prior, in data sets without a difference.
        n_samples: number of draws; the standard error of a probability is at most
            ``0.5 / sqrt(n_samples)``.
        random_state: seed of the draws.
        alpha: level of the verdict.
        names: of the two methods.

    Raises:
        ValueError: fewer than 2 data sets, other lengths, or numbers that are not finite.

    >>> found = bayesian_signed_rank_test([0.9, 0.8] * 5, [0.6, 0.5] * 5)
    >>> found.verdict
    'right'
    """
    first, second = paired_values(a, b)
    check_alpha(alpha)
    z = np.concatenate(([0.0], first - second))
    # Sums of pairs beyond the region, on either side; borders within rounding count half.
    sums = z[:, None] + z
    scale = TIED * max(np.abs(first).max(), np.abs(second).max(), rope)
    beyond = np.stack([-sums, sums]) - 2.0 * rope
    beyond[np.abs(beyond) <= scale] = 0.0
    lower, higher = np.heaviside(beyond, 0.5)
    draws = np.random.RandomState(random_state)
    strengths = np.array([prior_strength, *np.ones(len(first))])
    wins, total = np.zeros(3), np.zeros(3)
    for start in range(0, n_samples, BATCH):
        weights = draws.dirichlet(strengths, min(BATCH, n_samples - start))
        left, right = ((weights @ side * weights).sum(axis=1) for side in (lower, higher))
        shares = np.stack([left, np.maximum(0.0, 1.0 - left - right), right])
        largest = shares == shares.max(axis=0)
        wins += (largest / largest.sum(axis=0)).sum(axis=1)
        total += shares.sum(axis=1)
    probabilities, means = ((x / n_samples).tolist() for x in (wins, total))
    return SignedRankPosterior(
        probabilities=tuple(probabilities),
        mean_shares=tuple(means),
        mean_difference=exact_mean(first - second),
        rope=float(rope),
        alpha=alpha,
        n=len(first),
        names=names,
    )

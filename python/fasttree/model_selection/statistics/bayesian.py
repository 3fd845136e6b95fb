"""Bayesian tests: the probability that one method is better than another, or that they are equal in
practice, on one data set (correlated t test) or over several (signed ranks).

The J differences d of a cross-validation are taken as normal with mean mu and a common correlation
rho, because training sets overlap. With n_test and n_train rows, rho = n_test / (n_train + n_test),
1/k for k-fold (Nadeau & Bengio's heuristic).  With flat priors on mu and log sigma the posterior of
mu is a Student distribution (Corani & Benavoli, Machine Learning 100, 2015):

    mu ~ t(J - 1 df, location mean d, scale sqrt((1/J + rho / (1 - rho)) s_d^2))

A region of practical equivalence [-rope, rope] divides it into three probabilities: mu left of it,
in it, right of it. The posterior has the scale of the corrected resampled t test, so with rope = 0
the smaller tail is half that test's p. But the probabilities are of the methods, given the data, so
"equal in practice" can be concluded. Without variance the posterior is a point. O(J).

The N differences z of two methods' means, one per data set, have the prior of a Dirichlet process
of strength s with all its mass at z_0 = 0, in the region of practical equivalence. The posterior
draws weights w ~ Dirichlet(s, 1, ..., 1) of z_0, z_1, ..., z_N, and of each draw the shares of
pairs whose mean lies left of the region, in it and right of it (Benavoli, Corani, Demsar &
Zaffalon, JMLR 18, 2017):

    left = sum_ij w_i w_j [z_i + z_j < -2 rope],    right = sum_ij w_i w_j [z_i + z_j > 2 rope]

A pair on the border counts half. The probability of a side is the share of the draws in which it is
the largest. O(draws x N^2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._checks import at_least_zero, checked, number_in, whole_in
from .outcome import FEW_SETS, Posterior, check_alpha
from .t_tests import paired_values, ratio_of_sizes, t_from_differences, t_quantile
from .ties import TIED, exact_mean


@dataclass(frozen=True)
class BayesianTestResult(Posterior):
    """Posterior of the mean difference, first minus second.

    Attributes:
        probabilities: (left, rope, right): that the difference is below -rope, within it, and above
            rope; they add up to 1.
        statistic: mean / scale of the posterior.
        df: degrees of freedom of the posterior.
        mean_difference, scale: location and scale of the posterior.
        interval: the shortest interval that holds 1 - alpha of the posterior.
        rope: half the width of the region of practical equivalence.
        rho: the correlation that is assumed.
        alpha: level.
        n: number of differences.
        names: of the two methods.
        test: name of the test.
        greater_is_better: whether larger values are better; None: not said.
    """

    probabilities: tuple[float, float, float]
    statistic: float
    df: float
    mean_difference: float
    scale: float
    interval: tuple[float, float]
    rope: float
    rho: float
    alpha: float
    n: int
    names: tuple[str, str] = ("A", "B")
    test: str = "Bayesian correlated t test"
    greater_is_better: bool | None = None

    @property
    def _details(self) -> str:
        """The test and its numbers."""
        return (
            f"{self.test}, {self.df:g} df, rho = {self.rho:.4g}, n = {self.n}, "
            f"{100 * (1 - self.alpha):g} % interval "
            f"[{self.interval[0]:.4g}, {self.interval[1]:.4g}]"
        )


def posterior_probabilities(
    d: np.ndarray, test_over_train: float, rope: float, scale: np.ndarray | float
) -> np.ndarray:
    """Return the probabilities (left, rope, right), shape (..., 3), of differences (..., J).

    `scale` is as in `t_from_differences`.
    """
    from scipy.special import stdtr

    n = d.shape[-1]
    mean, error, _ = t_from_differences(d, 1.0 / n + test_over_train, scale)
    flat = error == 0
    safe = np.where(flat, 1.0, error)
    left = np.where(flat, mean < -rope, stdtr(n - 1, (-rope - mean) / safe))
    right = np.where(flat, mean > rope, stdtr(n - 1, (mean - rope) / safe))
    return np.stack([left, np.maximum(0.0, 1.0 - left - right), right], axis=-1)


@checked(rope=at_least_zero)
def bayesian_correlated_t_test(
    a: Any,
    b: Any,
    *,
    rope: float = 0.01,
    n_train: float | None = None,
    n_test: float | None = None,
    test_over_train: float | None = None,
    alpha: float = 0.05,
    names: tuple[str, str] = ("A", "B"),
) -> BayesianTestResult:
    """Return the posterior of the mean difference of two methods' J results on the same folds.

    `rope`: differences up to it count as none, in the units of the values (0.01 = one point of
    accuracy).  The correlation comes from `test_over_train` (1/9 for 10-fold: rho = 1/10), or from
    n_test and n_train.

    >>> found = bayesian_correlated_t_test([0.9, 0.8, 0.9], [0.5, 0.5, 0.6], test_over_train=1 / 2)
    >>> [round(p, 3) for p in found.probabilities]
    [0.011, 0.001, 0.987]
    """
    first, second = paired_values(a, b)
    check_alpha(alpha)
    factor = ratio_of_sizes(n_train, n_test, test_over_train)
    n = len(first)
    scale = max(np.abs(first).max(), np.abs(second).max())
    d = first - second
    left, inside, right = posterior_probabilities(d, factor, rope, scale).tolist()
    mean, error, t = (float(x) for x in t_from_differences(d, 1.0 / n + factor, scale))
    half = t_quantile(alpha, n - 1) * error
    return BayesianTestResult(
        probabilities=(left, inside, right),
        statistic=t,
        df=float(n - 1),
        mean_difference=mean,
        scale=error,
        interval=(mean - half, mean + half),
        rope=float(rope),
        rho=factor / (1.0 + factor),
        alpha=alpha,
        n=n,
        names=names,
    )


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
        """The region whose probability exceeds 1 - alpha, as for other posteriors; always
        "undecided" over fewer than ten data sets."""
        return super().verdict if self.n >= FEW_SETS else "undecided"

    @property
    def _undecided(self) -> str:
        """The clause in place of a verdict."""
        few = f"there is no verdict over fewer than {FEW_SETS} data sets"
        return few if self.n < FEW_SETS else super()._undecided

    @property
    def _details(self) -> str:
        """The test and its numbers."""
        return f"{self.test} over {self.n} data sets"


@checked(
    rope=at_least_zero,
    prior_strength=number_in(0.0, 1e9, above=True),
    n_samples=whole_in(1),
    random_state=whole_in(0, 2**32 - 1),
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

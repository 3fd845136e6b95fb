"""Rank tests over data sets: Wilcoxon's signed ranks for two methods, Friedman with Nemenyi for
several.

As recommended by Demsar (2006): mean ranks R_j over N data sets,

    chi2_F = 12 N / (k (k + 1)) (sum_j R_j^2 - k (k + 1)^2 / 4)

    F_F = (N - 1) chi2_F / (N (k - 1) - chi2_F)

    CD = q_alpha sqrt(k (k + 1) / (6 N))

chi2_F has k - 1 degrees of freedom and is divided by the tie correction. F_F (Iman & Davenport) has
k - 1 and (k - 1)(N - 1). q_alpha is the studentised range over sqrt 2.

The tests take one value per data set and method (a mean over folds), not fold values, which are not
independent. Values that differ by at most 1e-12 of the largest are tied (`ties`). O(N k log k).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._checks import checked, one_value
from .outcome import FriedmanResult, PairedTestResult, check_alpha, method_names, score_array
from .t_tests import paired_values
from .ties import TIED, exact_mean, mean_ranks, snap

EXACT_UP_TO = 50
"""Pairs up to which the distribution of the signed-rank sum is computed exactly."""


def _rank_sum_shares(ranks: np.ndarray) -> np.ndarray:
    """Return the probability of every sum 0, 1, ... of integer ranks, each of which is in the sum
    with probability 1/2."""
    ways = np.zeros(int(ranks.sum()) + 1)
    ways[0] = 1.0
    for rank in ranks.tolist():
        ways[rank:] = ways[rank:] + ways[: len(ways) - rank]
    return ways / 2.0 ** len(ranks)


def _critical_rank_sum(n: int, alpha: float) -> int:
    """Return the largest c with P(W <= c) <= alpha / 2 for the signed-rank sum of n pairs; -1 when
    there is none."""
    if n > EXACT_UP_TO:
        from scipy.special import ndtri

        centre, spread = n * (n + 1) / 4.0, math.sqrt(n * (n + 1) * (2 * n + 1) / 24.0)
        return math.floor(centre + float(ndtri(alpha / 2.0)) * spread - 0.5)
    below = np.cumsum(_rank_sum_shares(np.arange(1, n + 1)))
    return int(np.searchsorted(below, alpha / 2.0, side="right")) - 1


def _exact_wilcoxon(d: np.ndarray) -> tuple[float, float]:
    """Return the smaller rank sum and its two-sided p-value over all signs, ties sharing their mean
    rank."""
    double_ranks = np.rint(2 * mean_ranks(np.abs(d))).astype(np.int64)
    plus = int(double_ranks[d > 0].sum())
    shares = _rank_sum_shares(double_ranks)
    tail = min(float(shares[: plus + 1].sum()), float(shares[plus:].sum()))
    return min(plus, int(double_ranks.sum()) - plus) / 2.0, min(1.0, 2.0 * tail)


def _pseudomedian_interval(d: np.ndarray, alpha: float) -> tuple[float, float]:
    """Return the interval of the pseudomedian by Walsh averages; infinite when there are too few
    pairs to reject anything."""
    critical = _critical_rank_sum(len(d), alpha)
    if critical < 0:
        return -math.inf, math.inf
    i, j = np.triu_indices(len(d))
    walsh = np.sort((d[i] + d[j]) / 2.0)
    return float(walsh[critical]), float(walsh[len(walsh) - 1 - critical])


def wilcoxon(
    a: Any, b: Any, *, alpha: float = 0.05, names: tuple[str, str] = ("A", "B")
) -> PairedTestResult:
    """Return Wilcoxon's signed-rank test, two-sided, for J pairs.

    Differences of zero are dropped; if all are, p = 1. The distribution is exact for up to 50
    pairs, also with ties. O(J^2 log J).

    Args:
        a, b: results of the methods on the same data sets, shape (J,).
        alpha: level of the interval, in (0, 1).
        names: of the two methods.

    Returns:
        The test; its `statistic` is the smaller rank sum. `interval` is the confidence interval of
        the pseudomedian (Hodges & Lehmann 1963), from the means of all pairs of differences; with
        five pairs or fewer nothing is significant at 0.05, and the interval is infinite.

    Raises:
        ValueError: different lengths, no pair, or a value that is not finite.

    >>> wilcoxon([5, 6, 7, 8, 9], [4, 4, 4, 4, 4]).p_value
    0.0625
    """
    check_alpha(alpha)
    first, second = paired_values(a, b, least=1)
    # Differences within rounding are zeros or ties.
    d = first - second
    scale = max(np.abs(first).max(), np.abs(second).max())
    d[np.abs(d) <= TIED * scale] = 0.0
    d = np.copysign(snap(np.abs(d), scale), d)
    # The exact distribution for few pairs, else scipy's normal approximation.
    if not d.any():
        statistic, p_value = 0.0, 1.0
    else:
        nonzero = d[d != 0]
        if len(nonzero) <= EXACT_UP_TO:
            statistic, p_value = _exact_wilcoxon(nonzero)
        else:
            from scipy.stats import wilcoxon as scipy_wilcoxon

            outcome = scipy_wilcoxon(nonzero)
            statistic, p_value = float(outcome.statistic), float(outcome.pvalue)
    return PairedTestResult(
        test="Wilcoxon signed-rank test",
        statistic=statistic,
        p_value=p_value,
        df=None,
        mean_difference=exact_mean(first - second) if d.any() else 0.0,
        interval=_pseudomedian_interval(d, alpha),
        alpha=alpha,
        n=len(d),
        names=names,
    )


def _chi2(values: np.ndarray, averages: np.ndarray, tie_correction: bool) -> float:
    """Friedman's statistic of scores (data sets, methods) and the methods' mean ranks."""
    n, k = values.shape
    chi2 = 12.0 * n / (k * (k + 1.0)) * float((averages**2).sum() - k * (k + 1.0) ** 2 / 4.0)
    if tie_correction:
        equal = (values[:, None, :] == values[:, :, None]).sum(axis=2)
        ties = float((equal.astype(np.float64) ** 2 - 1.0).sum())
        correction = 1.0 - ties / (n * k * (k**2 - 1.0))
        chi2 = chi2 / correction if correction > 0 else 0.0
    return max(0.0, chi2)


@checked(greater_is_better=one_value, tie_correction=one_value)
def friedman_nemenyi(
    scores: Any,
    *,
    names: Sequence[str] | None = None,
    greater_is_better: bool = True,
    alpha: float = 0.05,
    tie_correction: bool = True,
) -> FriedmanResult:
    """Return Friedman's test over data sets with Nemenyi's pairwise comparisons.

    Iman & Davenport's form decides, and pairs differ only where it rejects (Demsar 2006).

    Args:
        scores: finite, shape (data sets, methods), at least 2 x 2. Scores of a data set within
            1e-12 of its largest magnitude are tied; where all are, p = 1.
        names: of the methods; default: "method 1", "method 2", ...
        greater_is_better: whether the largest score gets rank 1, the best.
        alpha: level, in (0, 1).
        tie_correction: divide chi2 by 1 - sum(t^3 - t) / (N k (k^2 - 1)), as scipy does; the worked
            example of Demsar leaves it out.

    Raises:
        ValueError: another shape, a score that is not finite, or another number of names.

    >>> friedman_nemenyi([[3, 2, 1], [3, 2, 1], [3, 1, 2]]).mean_ranks
    array([1.        , 2.33333333, 2.66666667])
    """
    from scipy.special import chdtrc, fdtrc
    from scipy.stats import studentized_range

    check_alpha(alpha)
    values = score_array(scores, "data sets", "methods")
    n, k = values.shape
    labels = method_names(names, k)
    # Friedman's statistic of the mean ranks, and Iman & Davenport's F from it.
    values = snap(values)
    averages = mean_ranks(-values if greater_is_better else values).mean(axis=0)
    chi2 = _chi2(values, averages, tie_correction)
    rest = n * (k - 1) - chi2
    f_statistic = (n - 1) * chi2 / rest if rest > 1e-9 else math.inf
    f_df = (k - 1, (k - 1) * (n - 1))
    p_value = float(chdtrc(k - 1, chi2))
    # Nemenyi: differences of mean ranks in units of their standard error, for all pairs.
    unit = math.sqrt(k * (k + 1) / (6.0 * n))
    z = np.abs(averages[:, None] - averages[None, :]) / unit
    pairwise = np.clip(studentized_range.sf(z * math.sqrt(2.0), k, np.inf), 0.0, 1.0)
    np.fill_diagonal(pairwise, 1.0)
    return FriedmanResult(
        names=labels,
        mean_ranks=averages,
        statistic=chi2,
        p_value=p_value,
        df=k - 1,
        f_statistic=f_statistic,
        f_p_value=p_value if math.isinf(f_statistic) else float(fdtrc(*f_df, f_statistic)),
        f_df=f_df,
        critical_difference=float(studentized_range.ppf(1.0 - alpha, k, np.inf))
        / math.sqrt(2.0)
        * unit,
        pairwise_p=pairwise,
        alpha=alpha,
        n=n,
    )

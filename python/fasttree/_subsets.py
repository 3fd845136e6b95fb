"""Averages over random feature subsets: strata by size, exact means of a product form, and standard errors.

What
    Keep each of n features with probability q. Scores under ``f(D) = (1 - q)^D`` are means over the subsets of counts of rows that agree on them.
    `Strata` says which subsets are counted and puts the estimate together: subset sizes are strata, small ones are enumerated where the share of
    the budget that is theirs allows it, the rest is drawn without replacement (sizes at the ends together, with replacement).
Source and equation
    Stratified sampling with a difference estimator (Cochran, Sampling techniques, 1977, chapters 5 and 7). What is subtracted from each
    count and added back as its exact mean: were the features independent within a case, the pairs of the case that agree on S would number
    ``N prod_{j in S} r_j`` with r_j the share that agrees on j alone; the mean over the subsets of one size is an elementary symmetric
    polynomial. Right on average whether the features are independent or not; the nearer they are, the smaller the error.
Complexity
    O(n^3) additions for the means; no pass over rows.
When not to use it
    Directly; see `fasttree.estimate_features`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable

import numpy as np

__all__ = ["Strata", "counts_means", "size_probabilities"]

Subset = tuple[int, ...]


def size_probabilities(n: int, keep: float) -> np.ndarray:
    """Probability that 0, 1, ... n of n features are kept, shape (n + 1,)."""
    if keep in (0.0, 1.0):
        return np.eye(n + 1)[n if keep else 0]
    log = [
        math.lgamma(n + 1) - math.lgamma(s + 1) - math.lgamma(n - s + 1)
        + s * math.log(keep) + (n - s) * math.log1p(-keep)
        for s in range(n + 1)
    ]  # fmt: skip
    p = np.exp(log)
    return np.asarray(p / p.sum())


def counts_means(whole: np.ndarray, shares: np.ndarray, sizes: int) -> np.ndarray:
    """Mean of ``whole * prod_{j in S} shares[j]`` over the subsets S of each size 0 ... sizes, shape (sizes + 1, features, 4).

    `whole` has shape (features, 4), `shares` (n, features, 4). Means over subsets of the first j features, one feature more at a time.
    """
    means = np.zeros((sizes + 1, *whole.shape))
    means[0] = 1.0
    for j, share in enumerate(shares, start=1):
        top = min(j, sizes)
        chosen = (np.arange(1, top + 1) / j)[:, None, None]
        means[1 : top + 1] = (1 - chosen) * means[1 : top + 1] + chosen * share * means[:top]
    return np.asarray(means * whole)


class Strata:
    """Which subsets of n features to count, and the estimate from their counts.

    Args:
        n: number of features.
        keep: probability of a feature to be in a subset.
        budget: about how many subsets to count.
        rng: where draws come from.
    """

    def __init__(self, n: int, keep: float, budget: int, rng: np.random.Generator) -> None:
        self.n = n
        self.p = size_probabilities(n, keep)
        self.rng = rng
        self.enumerated, self.drawn = _layout(n, self.p, budget)
        self.subsets: list[Subset] = []
        self.stratum: list[int] = []
        self._seen: list[set[Subset]] = [set() for _ in self.drawn]
        for s in self.enumerated:
            self._take(-1, itertools.combinations(range(n), s))
        self.grow(budget)

    @property
    def exact(self) -> bool:
        """Whether all subsets that have a probability are counted."""
        return not self.drawn

    @property
    def controlled(self) -> bool:
        """Whether every single feature is counted, so that the product form is known."""
        return 1 in self.enumerated and bool(self.drawn)

    def _take(self, stratum: int, subsets: Iterable[Subset]) -> None:
        for subset in subsets:
            self.subsets.append(subset)
            self.stratum.append(stratum)

    def grow(self, budget: int) -> None:
        """Draw subsets until there are about `budget`, those at hand included."""
        left = budget - sum(math.comb(self.n, s) for s in self.enumerated)
        mass = [float(self.p[list(sizes)].sum()) for sizes in self.drawn]
        have = np.bincount([s for s in self.stratum if s >= 0], minlength=len(self.drawn))
        for i, sizes in enumerate(self.drawn):
            wanted = max(3, round(left * mass[i] / sum(mass)))
            if len(sizes) == 1:
                wanted = min(wanted, math.comb(self.n, sizes[0]))
            self._take(i, [self._draw(i, sizes) for _ in range(wanted - have[i])])

    def _draw(self, stratum: int, sizes: tuple[int, ...]) -> Subset:
        if len(sizes) > 1:
            p = self.p[list(sizes)]
            return self._random(int(self.rng.choice(sizes, p=p / p.sum())))
        while (
            True
        ):  # a stratum is never drawn to more than its end, which is reached after n log n draws or so
            subset = self._random(sizes[0])
            if subset not in self._seen[stratum]:
                self._seen[stratum].add(subset)
                return subset

    def _random(self, size: int) -> Subset:
        return tuple(sorted(self.rng.choice(self.n, size, replace=False).tolist()))

    def estimate(self, counts: np.ndarray, factors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The mean of ``counts @ factors`` over all subsets, and the covariance of its error.

        Args:
            counts: pairs of each of `subsets` by feature and case, shape (subsets, n, 4).
            factors: of the cases, shape (4,).

        Returns:
            Shapes (n,) and (n, n).
        """
        stratum = np.asarray(self.stratum)
        whole = np.zeros(self.n)
        covariance = np.zeros((self.n, self.n))
        at = 0
        for s in self.enumerated:
            many = math.comb(self.n, s)
            whole += self.p[s] * (counts[at : at + many] @ factors).mean(axis=0)
            at += many
        expected = np.zeros((self.n + 1, self.n))
        values = counts @ factors
        if self.controlled:
            start, single = counts[0], counts[1 : self.n + 1]
            shares = np.divide(single, start, out=np.zeros_like(single), where=start > 0)
            own = np.arange(self.n)
            shares[own, own] = 1.0  # the scored feature itself is never asked to agree twice, or is left out
            expected = counts_means(start, shares, self.n) @ factors
            for i in np.flatnonzero(stratum >= 0):
                values[i] -= (start * shares[list(self.subsets[i])].prod(axis=0)) @ factors
        for number, sizes in enumerate(self.drawn):
            mine = values[stratum == number]
            p = self.p[list(sizes)]
            whole += p.sum() * mine.mean(axis=0) + p @ expected[list(sizes)]
            rest = 1.0 if len(sizes) > 1 else 1 - len(mine) / math.comb(self.n, sizes[0])
            if rest > 0:
                off = mine - mine.mean(axis=0)
                covariance += p.sum() ** 2 * rest / (len(mine) * (len(mine) - 1)) * (off.T @ off)
        return whole, covariance


LEAST = 6
"""Subsets that a stratum is worth at least."""


def _layout(n: int, p: np.ndarray, budget: int) -> tuple[list[int], list[tuple[int, ...]]]:
    """Sizes to enumerate, and groups of neighbouring sizes to draw from."""
    possible = [s for s in range(n + 1) if p[s] > 0]
    if n < 60 and sum(math.comb(n, s) for s in possible) <= budget:
        return possible, []
    enumerated: list[int] = [s for s in possible if s < 2]
    if n + 1 > 0.75 * budget:
        enumerated = enumerated[:1]
    while True:
        rest = [s for s in possible if s not in enumerated]
        left = budget - sum(math.comb(n, s) for s in enumerated)
        mass = float(p[rest].sum())
        whole = [s for s in rest if math.comb(n, s) <= int(left * p[s] / mass)]
        if not whole:
            break
        enumerated = sorted([*enumerated, *whole])
    groups: list[list[int]] = []
    open_group: list[int] = []
    for s in rest:
        open_group.append(s)
        if left * float(p[open_group].sum()) >= LEAST * mass:
            groups.append(open_group)
            open_group = []
    if open_group:
        if groups:
            groups[-1] = groups[-1] + open_group
        else:
            groups = [open_group]
    return enumerated, [tuple(g) for g in groups]

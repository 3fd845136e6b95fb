"""Averages over random feature subsets: strata by size, exact means of a product form, and standard
errors.

What
    Keep each of n features with probability q. Scores under ``f(D) = (1 - q)^D`` are means over the
    subsets of counts of rows that agree on them. `Strata` says which subsets are counted and puts
    the estimate together. Subset sizes are strata. Small ones are enumerated where the share of the
    budget that is theirs allows it. The rest is drawn without replacement (sizes at the ends
    together, with replacement). Subsets that hold two or more of the few features that change the
    scores of others most are a stratum of their own. They are rare and weigh much, so that an error
    bar from draws that happen to miss them would be far too small.
Source and equation
    Stratified sampling with a difference estimator (Cochran, Sampling techniques, 1977, chapters 5
    and 7). A product form is subtracted from each count and added back as its exact mean. Were the
    features independent within a case, the pairs of the case that agree on S would number ``N
    prod_{j in S} r_j`` with r_j the share that agrees on j alone. The mean over the subsets of one
    size is an elementary symmetric polynomial. Right on average whether the features are
    independent or not; the nearer they are, the smaller the error.
Complexity
    O(n^3) additions for the means; no pass over rows.
When not to use it
    Directly; see `fasttree.estimate_features`.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

import numpy as np

Subset = tuple[int, ...]


def size_probabilities(n: int, keep: float) -> np.ndarray:
    """Probability that 0, 1, ..., n of n features are kept if each is kept with probability `keep`:
    binomial, shape (n + 1,), with sum 1."""
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
    """Mean of ``whole * prod_{j in S} shares[j]`` over the subsets S of each size 0 ... sizes,
    shape (sizes + 1, features, 4).

    `whole` has shape (features, 4), `shares` (n, features, 4). Means over subsets of the first j
    features, one feature more at a time.
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

    Begins with the subsets of the sizes that are enumerated (the empty one among them); `grow`
    draws the others.

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
        self.enumerated, groups = _layout(n, self.p, budget)
        self.left = budget - sum(math.comb(n, s) for s in self.enumerated)
        self.drawn = [_Stratum(sizes, self.p[list(sizes)]) for sizes in groups]
        self.leaders: tuple[int, ...] = ()
        self.subsets: list[Subset] = [
            c for s in self.enumerated for c in itertools.combinations(range(n), s)
        ]
        self.stratum = [-1] * len(self.subsets)

    @property
    def exact(self) -> bool:
        """Whether all subsets that have a probability are counted, so that nothing is drawn and the
        estimate has no error."""
        return not self.drawn

    @property
    def controlled(self) -> bool:
        """Whether every single feature is counted, so that the product form is known and serves as
        a control variate for the drawn subsets."""
        return 1 in self.enumerated and bool(self.drawn)

    def lead(self, counts: np.ndarray, factors: np.ndarray) -> None:
        """Make a stratum of the subsets with two or more leaders, before anything is drawn.

        Leaders are the features that change the scores of others most. `counts` and `factors` are
        the arguments of `estimate` for the enumerated subsets. Nothing is done if the budget is
        small or such subsets are not rare.
        """
        # The probability of two or more leaders among the features of a size.
        m = LEADERS
        if not self.controlled or self.left < 2 * LEADERS_DRAWS or self.n < 2 * m:
            return
        sizes = tuple(s for stratum in self.drawn for s in stratum.sizes)
        high = {s: 1.0 - sum(_overlap(self.n, m, s)[:2]) for s in sizes}
        p = np.array([self.p[s] * max(high[s], 0.0) for s in sizes])
        if p.sum() > 0.3 * self.p[list(sizes)].sum():
            return
        # The influence of j on k: how far agreement on j moves the mean score of k.
        single = counts[1 : self.n + 1]
        pairs = single.sum(axis=2)
        mean = np.divide(
            single @ factors, pairs, out=np.zeros_like(pairs), where=pairs > 0
        )  # [j in S, scored k]
        np.fill_diagonal(mean, np.nan)
        change = np.nan_to_num(np.abs(mean - np.nanmedian(mean, axis=0)))
        influence = np.maximum(change, change.T).max(axis=1)
        # The other strata lose the probability of the new one.
        self.leaders = tuple(sorted(np.argsort(-influence, kind="stable")[:m].tolist()))
        for stratum in self.drawn:
            stratum.p = np.array([self.p[s] * (1 - high[s]) for s in stratum.sizes])
        self.drawn.append(_Stratum(sizes, p, several=True))

    def grow(self, more: int = 0) -> None:
        """Draw the subsets that the budget still allows, after raising it by `more`. Nothing
        happens if all subsets are counted."""
        self.left += more
        if not self.drawn:
            return
        mass = [0.0 if stratum.several else float(stratum.p.sum()) for stratum in self.drawn]
        theirs = max(LEADERS_DRAWS, self.left // 3) if self.leaders else 0
        have = np.bincount([s for s in self.stratum if s >= 0], minlength=len(self.drawn))
        for i, stratum in enumerate(self.drawn):
            wanted = (
                theirs
                if stratum.several
                else max(3, round((self.left - theirs) * mass[i] / sum(mass)))
            )
            wanted = min(wanted, self._population(stratum))
            for _ in range(wanted - have[i]):
                self.subsets.append(self._draw(stratum))
                self.stratum.append(i)

    def _population(self, stratum: _Stratum) -> int:
        """Number of subsets in a stratum; practically infinite if it is drawn with replacement."""
        if stratum.mixed:
            return 1 << 60
        (s,), m = stratum.sizes, len(self.leaders)
        few = math.comb(self.n - m, s) + (m * math.comb(self.n - m, s - 1) if m else 0)
        return few if m else math.comb(self.n, s)

    def _draw(self, stratum: _Stratum) -> Subset:
        """A random subset of a stratum."""
        while True:
            size = stratum.sizes[0]
            if stratum.mixed:
                size = int(self.rng.choice(stratum.sizes, p=stratum.p / stratum.p.sum()))
            if stratum.several:
                return self._with_leaders(size)
            subset = self._without_leaders(size)
            if stratum.mixed:
                return subset
            if subset not in stratum.seen:
                stratum.seen.add(subset)
                return subset

    def _without_leaders(self, size: int) -> Subset:
        """A random subset with at most one leader."""
        # Sizes were drawn from the remaining ones, so only the subset is drawn again.
        while True:
            subset = tuple(sorted(self.rng.choice(self.n, size, replace=False).tolist()))
            if len(set(subset) & set(self.leaders)) < 2:
                return subset

    def _with_leaders(self, size: int) -> Subset:
        """A random subset with two or more leaders."""
        chance = np.array(_overlap(self.n, len(self.leaders), size))
        chance[:2] = 0.0
        held = int(self.rng.choice(len(chance), p=chance / chance.sum()))
        others = [k for k in range(self.n) if k not in self.leaders]
        chosen = self.rng.choice(self.leaders, held, replace=False).tolist()
        rest = self.rng.choice(others, size - held, replace=False).tolist()
        return tuple(sorted(chosen + rest))

    def estimate(self, counts: np.ndarray, factors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The mean of ``counts @ factors`` over all subsets, and the covariance of its error.

        Args:
            counts: pairs of each of `subsets` by feature and case, shape (subsets, n, 4).
            factors: of the cases, shape (4,).

        Returns:
            Shapes (n,) and (n, n).
        """
        stratum = np.asarray(self.stratum)
        values = counts @ factors
        whole, covariance = np.zeros(self.n), np.zeros((self.n, self.n))
        # Enumerated sizes contribute their exact means.
        at = 0
        for s in self.enumerated:
            many = math.comb(self.n, s)
            whole += self.p[s] * values[at : at + many].mean(axis=0)
            at += many
        # Difference estimator: the product form is subtracted, and its exact mean added.
        if self.controlled:
            start, shares = counts[0], _shares(counts[0], counts[1 : self.n + 1])
            for i in np.flatnonzero(stratum >= 0):
                values[i] -= (start * shares[list(self.subsets[i])].prod(axis=0)) @ factors
            means = counts_means(start, shares, self.n) @ factors
            whole += sum(
                self.p[s] * means[s] for part in self.drawn if not part.several for s in part.sizes
            )
        # Drawn strata: mean and variance, with the finite population correction.
        for number, drawn in enumerate(self.drawn):
            mine = values[stratum == number]
            mass = drawn.p.sum()
            whole += mass * mine.mean(axis=0)
            rest = 1.0 if drawn.mixed else 1 - len(mine) / self._population(drawn)
            if rest > 0:
                off = mine - mine.mean(axis=0)
                covariance += mass**2 * rest / (len(mine) * (len(mine) - 1)) * (off.T @ off)
        return whole, covariance


@dataclass
class _Stratum:
    """Subsets of some sizes that are drawn.

    Attributes:
        sizes: the sizes.
        p: probability of each size.
        several: whether it is the stratum of subsets with two or more leaders.
        seen: subsets that were drawn.
    """

    sizes: tuple[int, ...]
    p: np.ndarray
    several: bool = False
    seen: set[Subset] = field(default_factory=set)

    @property
    def mixed(self) -> bool:
        """Drawn with replacement."""
        return self.several or len(self.sizes) > 1


LEADERS = 4
"""Number of features whose pairs get a stratum."""

LEADERS_DRAWS = 24
"""Least number of subsets in that stratum, four per pair of leaders (or a third of all draws)."""

LEAST = 6
"""Least expected number of subsets for which sizes get a stratum."""


def _shares(start: np.ndarray, single: np.ndarray) -> np.ndarray:
    """Share of the pairs of each case that agree on a single feature, shape (n, n, 4): [feature
    agreed on, scored feature, case]."""
    shares = np.divide(single, start, out=np.zeros_like(single), where=start > 0)
    features = np.arange(len(single))
    shares[features, features] = 1.0  # the scored feature itself sets no condition
    return shares


def _overlap(n: int, m: int, size: int) -> list[float]:
    """Probability that a subset of a size holds 0, 1, ... m of m given features."""
    whole = math.comb(n, size)
    return [
        math.comb(m, h) * math.comb(n - m, size - h) / whole if h <= size else 0.0
        for h in range(m + 1)
    ]


def _layout(n: int, p: np.ndarray, budget: int) -> tuple[list[int], list[tuple[int, ...]]]:
    """Sizes to enumerate, and groups of neighbouring sizes to draw from."""
    # If the budget allows it, every size is enumerated.
    possible = [s for s in range(n + 1) if p[s] > 0]
    if n < 60 and sum(math.comb(n, s) for s in possible) <= budget:
        return possible, []
    enumerated: list[int] = [s for s in possible if s < 2]
    if n + 1 + 2 * LEAST > budget:
        enumerated = enumerated[:1]
    # Enumerate further sizes while their share of the remaining budget covers all their subsets.
    while True:
        rest = [s for s in possible if s not in enumerated]
        left = budget - sum(math.comb(n, s) for s in enumerated)
        mass = float(p[rest].sum())
        whole = [s for s in rest if math.comb(n, s) <= int(left * p[s] / mass)]
        if not whole:
            break
        enumerated = sorted([*enumerated, *whole])
    # Join neighbouring sizes to groups with at least `LEAST` expected draws.
    groups: list[list[int]] = [[]]
    for s in rest:
        if left * float(p[groups[-1]].sum()) >= LEAST * mass:
            groups.append([])
        groups[-1].append(s)
    if len(groups) > 1 and left * float(p[groups[-1]].sum()) < LEAST * mass:
        groups[-2:] = [groups[-2] + groups[-1]]
    return enumerated, [tuple(group) for group in groups if group]

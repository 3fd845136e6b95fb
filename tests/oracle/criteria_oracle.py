"""Slow truth about the criteria on tables: every formula as its paper prints it, one table at a
time.

``evaluate(name, table, **options)`` returns ``(score, distance)``. A table is a list of branches, a
branch a list of class counts (integers or real weights). ``declared`` is the declared number of
values of the split feature (default: the number of branches), ``occurring`` says which classes
occur in the training set (default: all).

Nothing here is shared with the Rust core: probabilities instead of counts, ``math.log2``,
``math.fsum``, ``itertools.permutations`` for matchings, explicit pairs of rows for the AUC,
``math.lgamma`` for factorials. Cost is of no concern: matchings are tried one by one (keep
min(branches, classes) below 8).

Sources: Quinlan 1986 (info_gain, gain_ratio), Chen, Wu & Cai 2013 eq. 6, 7, 11 (normal_gain,
mantaras), Spaeh & Kosub section 1.1 (gain ratio, VI, normalised VI, Gini, Jaccard, accuracy),
Stadler algorithms 1 and 2 (f_measure_max, f_measure), Kononenko 1995 (mdl), Dietterich, Kearns &
Mansour 1996 (dkm), Cieslak & Chawla 2008 (hellinger), Fayyad & Irani 1992 (orthogonality), Breiman
et al. 1984 (gini, twoing), Press et al. 1988 (symmetric_uncertainty), Vinh, Epps & Bailey 2010 (the
*_nmi), Clark & Boswell 1991 (laplace), Ferri et al. 2002 (auc).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations

Table = Sequence[Sequence[float]]


def _sizes(table: Table) -> list[float]:
    return [math.fsum(branch) for branch in table]


def _totals(table: Table) -> list[float]:
    return [math.fsum(column) for column in zip(*table, strict=True)]


def _n(table: Table) -> float:
    return math.fsum(_sizes(table))


def _transpose(table: Table) -> list[list[float]]:
    return [list(column) for column in zip(*table, strict=True)]


def _entropy(counts: Sequence[float]) -> float:
    """``-sum p log2 p``."""
    n = math.fsum(counts)
    return -math.fsum(c / n * math.log2(c / n) for c in counts if c > 0) if n > 0 else 0.0


def _conditional(table: Table) -> float:
    """``H(c|m) = -sum P(m, c) log2 P(c|m)``."""
    n = _n(table)
    return 0.0 - math.fsum(
        x / n * math.log2(x / size)
        for branch, size in zip(table, _sizes(table), strict=True)
        for x in branch
        if x > 0
    )


def _gain(table: Table) -> float:
    """``I = sum P(m,c) log2 P(m,c)/(P(m)P(c))``: the divergence from independence."""
    n, sizes, totals = _n(table), _sizes(table), _totals(table)
    return math.fsum(
        x / n * math.log2(x * n / (sizes[m] * totals[c]))
        for m, b in enumerate(table)
        for c, x in enumerate(b)
        if x > 0
    )


def _single(counts: Sequence[float]) -> bool:
    return sum(c > 0 for c in counts) < 2


def _ratio(gain: float, denominator: float, zero: bool) -> float:
    return 0.0 if zero else gain / denominator


def _negative(score: float) -> tuple[float, float]:
    return score, -score


def _complement(score: float) -> tuple[float, float]:
    return score, 1.0 - score


def info_gain(table: Table, **_: object) -> tuple[float, float]:
    return _gain(table), _conditional(table)


def gain_ratio(table: Table, guard: str | None = None, **_: object) -> tuple[float, float]:
    sizes = _sizes(table)
    return _complement(_ratio(_gain(table), _entropy(sizes), _single(sizes)))


def normal_gain(table: Table, declared: int | None = None, **_: object) -> tuple[float, float]:
    v = len(table) if declared is None else declared
    return _negative(_gain(table) / math.log2(v) if v > 1 else 0.0)


def mantaras(table: Table, **_: object) -> tuple[float, float]:
    cells = [x for branch in table for x in branch]
    if _single(cells):
        return 0.0, 0.0
    # Equation 7 for the distance, equation 11 for the score.
    distance = (_conditional(table) + _conditional(_transpose(table))) / _entropy(cells)
    return _gain(table) / _entropy(cells), distance


def variation_of_information(table: Table, **_: object) -> tuple[float, float]:
    distance = _conditional(table) + _conditional(_transpose(table))
    return -distance, distance


def symmetric_uncertainty(table: Table, **_: object) -> tuple[float, float]:
    h, s = _entropy(_totals(table)), _entropy(_sizes(table))
    both = _single(_totals(table)) and _single(_sizes(table))
    return _complement(_ratio(2 * _gain(table), h + s, both))


def _nmi(
    table: Table, mean: Callable[[float, float], float], zero: Callable[[bool, bool], bool]
) -> tuple[float, float]:
    h, s = _entropy(_totals(table)), _entropy(_sizes(table))
    return _complement(
        _ratio(_gain(table), mean(h, s), zero(_single(_totals(table)), _single(_sizes(table))))
    )


def geometric_nmi(table: Table, **_: object) -> tuple[float, float]:
    return _nmi(table, lambda h, s: math.sqrt(h * s), lambda a, b: a or b)


def min_nmi(table: Table, **_: object) -> tuple[float, float]:
    return _nmi(table, min, lambda a, b: a or b)


def max_nmi(table: Table, **_: object) -> tuple[float, float]:
    return _nmi(table, max, lambda a, b: a and b)


def gini(table: Table, **_: object) -> tuple[float, float]:
    n = _n(table)

    def impurity(counts: Sequence[float]) -> float:
        size = math.fsum(counts)
        return 1.0 - math.fsum((c / size) ** 2 for c in counts) if size > 0 else 0.0

    after = math.fsum(size / n * impurity(b) for b, size in zip(table, _sizes(table), strict=True))
    return impurity(_totals(table)) - after, after


def chi2(table: Table, **_: object) -> tuple[float, float]:
    n, sizes, totals = _n(table), _sizes(table), _totals(table)
    cells = [(x, sizes[m] * totals[c] / n) for m, b in enumerate(table) for c, x in enumerate(b)]
    return _negative(math.fsum((x - e) ** 2 / e for x, e in cells if e > 0))


def g_statistic(table: Table, **_: object) -> tuple[float, float]:
    n, sizes, totals = _n(table), _sizes(table), _totals(table)
    cells = [(x, sizes[m] * totals[c] / n) for m, b in enumerate(table) for c, x in enumerate(b)]
    return _negative(2 * math.fsum(x * math.log(x / e) for x, e in cells if x > 0))


def laplace(table: Table, **_: object) -> tuple[float, float]:
    n, k = _n(table), len(table[0])
    return _negative(
        math.fsum(s / n * (max(b) + 1) / (s + k) for b, s in zip(table, _sizes(table), strict=True))
    )


def _best_matching(weights: Table) -> float:
    """Largest sum over one-to-one maps of the smaller side into the larger, all of them tried."""
    w = weights if len(weights) <= len(weights[0]) else _transpose(weights)
    return max(
        math.fsum(row[j] for row, j in zip(w, chosen, strict=True))
        for chosen in permutations(range(len(w[0])), len(w))
    )


def accuracy(table: Table, assignment: str = "majority", **_: object) -> tuple[float, float]:
    if assignment == "majority":
        right = math.fsum(max(branch) for branch in table)
    elif assignment == "matching":
        right = _best_matching(table)
    else:
        right = math.fsum(table[i][i] for i in range(min(len(table), len(table[0]))))
    return _complement(right / _n(table))


def jaccard(
    table: Table,
    assignment: str = "matching",
    size: str | Callable[[float], float] = "cardinality",
    size_values: Sequence[float] | None = None,
    occurring: Sequence[bool] | None = None,
    **_: object,
) -> tuple[float, float]:
    """``D_f = sum_i g(|A_i symdiff B_i|) / g(|A_i union B_i|)``, score = k - D_f."""
    named: dict[str, Callable[[float], float]] = {
        "cardinality": float,
        "sqrt": math.sqrt,
        "log1p": math.log1p,
    }
    if size_values is not None:
        values = list(size_values)
        named["values"] = lambda x: values[int(x)]
    g = size if callable(size) else named[size]
    sizes, totals = _sizes(table), _totals(table)
    known = [True] * len(totals) if occurring is None else list(occurring)

    def apart(m: int, c: int) -> float | None:
        """Distance of branch m (which need not exist) and class c; None for an empty union."""
        branch, both = (sizes[m], table[m][c]) if m < len(table) else (0.0, 0.0)
        union = branch + totals[c] - both
        return g(union - both) / g(union) if union > 0 else None

    if assignment == "identity":
        pairs = [apart(i, i) for i in range(len(totals)) if known[i]]
        distances = [d for d in pairs if d is not None]
        distance = math.fsum(distances)
        return len(distances) - distance, distance
    alike = [
        [0.0 if (d := apart(m, c)) is None else 1.0 - d for c in range(len(totals))]
        for m in range(len(table))
    ]
    score = _best_matching(alike)
    return score, sum(known) - score


def _f_beta(beta: float, tp: float, fp: float, fn: float) -> float:
    """Weighted harmonic mean of precision and recall; 0/0 is 0."""
    if tp == 0:
        return 0.0
    precision, recall = tp / (tp + fp), tp / (tp + fn)
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def f_measure(
    table: Table, beta: float = 1.0, variant: str | None = None, **_: object
) -> tuple[float, float]:
    n, totals = _n(table), _totals(table)
    after = 0.0
    for branch, size in zip(table, _sizes(table), strict=True):
        positive = list(branch).index(max(branch))
        tp = branch[positive]
        after += size / n * _f_beta(beta, tp, size - tp, totals[positive] - tp)
    if variant is None:
        return _complement(after)
    before = _f_beta(beta, max(totals), n - max(totals), 0)
    return _complement(abs(before - after))


def f_measure_max(
    table: Table, beta: float = 1.0, positive: int | None = None, **_: object
) -> tuple[float, float]:
    def stump(c: int) -> float:
        predicted = [branch[c] > math.fsum(branch) - branch[c] for branch in table]
        tp = math.fsum(b[c] for b, yes in zip(table, predicted, strict=True) if yes)
        fp = math.fsum(math.fsum(b) - b[c] for b, yes in zip(table, predicted, strict=True) if yes)
        fn = math.fsum(b[c] for b, yes in zip(table, predicted, strict=True) if not yes)
        return _f_beta(beta, tp, fp, fn)

    k = len(table[0])
    if positive is None and k > 2:
        return _complement(math.fsum(stump(c) for c in range(k)) / k)
    return _complement(stump(k - 1 if positive is None else positive))


def mdl(table: Table, **_: object) -> tuple[float, float]:
    def bits(counts: Sequence[float]) -> float:
        n, k = math.fsum(counts), len(counts)
        arrangement = math.lgamma(n + 1) - math.fsum(math.lgamma(c + 1) for c in counts)
        distribution = math.lgamma(n + k) - math.lgamma(n + 1) - math.lgamma(k)
        return (arrangement + distribution) / math.log(2)

    return _negative((bits(_totals(table)) - math.fsum(bits(b) for b in table)) / _n(table))


def dkm(table: Table, **_: object) -> tuple[float, float]:
    def impurity(counts: Sequence[float]) -> float:
        q = max(0.5, max(counts) / math.fsum(counts))
        return 2 * math.sqrt(q * max(0.0, 1 - q))

    n = _n(table)
    after = math.fsum(
        s / n * impurity(b) for b, s in zip(table, _sizes(table), strict=True) if s > 0
    )
    return _negative(impurity(_totals(table)) - after)


def _class_against_rest(
    table: Table, measure: Callable[[list[tuple[float, float]]], float]
) -> float:
    """``measure([(positive, negative) of each branch])`` for two classes; else the mean with
    weights n_c/n."""
    n, totals = _n(table), _totals(table)
    if len(totals) == 2:
        return measure([(b[1], b[0]) for b in table])
    return math.fsum(
        totals[c] / n * measure([(b[c], math.fsum(b) - b[c]) for b in table])
        for c in range(len(totals))
        if totals[c] > 0
    )


def hellinger(table: Table, **_: object) -> tuple[float, float]:
    def measure(branches: list[tuple[float, float]]) -> float:
        p, q = (math.fsum(side) for side in zip(*branches, strict=True))
        if p <= 0 or q <= 0:
            return 0.0
        return math.sqrt(math.fsum((math.sqrt(a / p) - math.sqrt(b / q)) ** 2 for a, b in branches))

    return _negative(_class_against_rest(table, measure))


def auc(table: Table, **_: object) -> tuple[float, float]:
    def measure(branches: list[tuple[float, float]]) -> float:
        """Mann-Whitney: every positive row against every negative row, by the share of its
        branch."""
        p, q = (math.fsum(side) for side in zip(*branches, strict=True))
        if p <= 0 or q <= 0:
            return 0.5
        occupied = [
            (Fraction(a) / (Fraction(a) + Fraction(b)), a, b) for a, b in branches if a + b > 0
        ]
        won = math.fsum(
            a * b * (1 if r > s else 0.5 if r == s else 0)
            for r, a, _ in occupied
            for s, _, b in occupied
        )
        return won / (p * q)

    return _negative(_class_against_rest(table, measure))


def _branch_against_rest(
    table: Table, measure: Callable[[Sequence[float], Sequence[float]], float]
) -> float:
    """``measure(branch, other)`` for two branches; else the mean of branch against rest, weights
    n_m/n."""
    n, totals = _n(table), _totals(table)

    def pair(left: Sequence[float], right: Sequence[float]) -> float:
        return measure(left, right) if math.fsum(left) > 0 and math.fsum(right) > 0 else 0.0

    if len(table) == 2:
        return pair(table[0], table[1])
    rest = [[t - x for t, x in zip(totals, branch, strict=True)] for branch in table]
    return math.fsum(math.fsum(b) / n * pair(b, r) for b, r in zip(table, rest, strict=True))


def _shares(counts: Sequence[float]) -> list[float]:
    size = math.fsum(counts)
    return [c / size for c in counts]


def euclid(table: Table, **_: object) -> tuple[float, float]:
    return _negative(_branch_against_rest(table, lambda a, b: math.dist(_shares(a), _shares(b))))


def _cosine(a: Sequence[float], b: Sequence[float]) -> float:
    return math.fsum(x * y for x, y in zip(a, b, strict=True)) / (math.hypot(*a) * math.hypot(*b))


def angle(table: Table, **_: object) -> tuple[float, float]:
    return _negative(_branch_against_rest(table, lambda a, b: 1 - _cosine(_shares(a), _shares(b))))


def orthogonality(table: Table, **_: object) -> tuple[float, float]:
    return _negative(_branch_against_rest(table, lambda a, b: 1 - _cosine(a, b)))


def _two_classes(
    table: Table, measure: Callable[[Sequence[float], Sequence[float]], float]
) -> float:
    """``measure`` of two classes' shares of the branches; else the mean of class against rest,
    weights n_c/n; 0 for a single class."""
    n, totals = _n(table), _totals(table)
    if sum(t > 0 for t in totals) < 2:
        return 0.0

    def pair(c: int) -> float:
        own = [branch[c] for branch in table]
        return measure(_shares(own), _shares([math.fsum(b) - b[c] for b in table]))

    if len(totals) == 2:
        return pair(1)
    return math.fsum(t / n * pair(c) for c, t in enumerate(totals) if t > 0)


def class_euclid(table: Table, **_: object) -> tuple[float, float]:
    return _negative(_two_classes(table, lambda a, b: math.dist(a, b) / math.sqrt(2)))


def class_angle(table: Table, **_: object) -> tuple[float, float]:
    def measure(a: Sequence[float], b: Sequence[float]) -> float:
        # sqrt(1 - cosine) as the distance of unit vectors, which does not cancel
        a, b = [x / math.hypot(*a) for x in a], [x / math.hypot(*b) for x in b]
        return math.dist(a, b) / math.sqrt(2)

    return _negative(_two_classes(table, measure))


def twoing(table: Table, **_: object) -> tuple[float, float]:
    def measure(a: Sequence[float], b: Sequence[float]) -> float:
        left, right = math.fsum(a), math.fsum(b)
        apart = math.fsum(abs(x - y) for x, y in zip(_shares(a), _shares(b), strict=True))
        return left * right / (left + right) ** 2 / 4 * apart**2

    return _negative(_branch_against_rest(table, measure))


ORACLE: dict[str, Callable[..., tuple[float, float]]] = {
    f.__name__: f
    for f in (
        info_gain, gain_ratio, normal_gain, mantaras, variation_of_information,
        symmetric_uncertainty, geometric_nmi,
        min_nmi, max_nmi, gini, chi2, g_statistic, laplace, accuracy, jaccard, f_measure,
        f_measure_max, mdl, dkm,
        hellinger, euclid, angle, orthogonality, class_euclid, class_angle, twoing, auc,
    )
}  # fmt: skip

ALIASES = {
    "error": "accuracy",
    "entropy": "info_gain",
    "mutual_information": "info_gain",
    "log_loss": "info_gain",
    "normalized_vi": "mantaras",
}


def evaluate(name: str, table: Table, **options: object) -> tuple[float, float]:
    """Score and distance of one table.

    >>> evaluate("info_gain", [[2, 0], [0, 2]])
    (1.0, 0.0)
    >>> evaluate("jaccard", [[2, 0], [0, 2]])
    (2.0, 0.0)
    """
    name = ALIASES.get(name, name)
    if name not in ORACLE:
        raise LookupError(
            f"no independent formula of {name!r}: write `def {name}(table, **_)`, which returns "
            f"score and distance, in tests/oracle/criteria_oracle.py and list it in ORACLE there"
        )
    return ORACLE[name](table, **options)

"""The finding of a comparison: one sentence to begin with, and a paragraph that a paper can take.

Both are made from Friedman's test over the data sets with Nemenyi's test of each pair (Demsar
2006), or, where there is one data set, from the tests against the baseline.  Numbers are those of
the tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ...model_selection.comparison import Comparison
    from ...model_selection.statistics import FriedmanResult

__all__ = ["finding", "paragraph"]


def listed(names: list[str]) -> str:
    """Names in a sentence.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _sets(n: int) -> str:
    return f"these {n} data sets" if n > 1 else "this data set"


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def finding(result: Comparison) -> str:
    """Say in one sentence what the comparison found."""
    n, k = result.means.shape
    if k == 1:
        return f"{result.methods[0]} alone was run on {_sets(n)}."
    if n > 1 and np.isfinite(result.means).all():
        return _of_ranks(result.friedman())
    better = [result.methods[j] for j in range(k) if (result.marks[:, j] == "v").any()]
    worse = [result.methods[j] for j in range(k) if (result.marks[:, j] == "*").any()]
    if not better and not worse:
        return f"No method differs significantly from {result.baseline} on {_sets(n)}."
    parts = [f"{listed(better)} better"] if better else []
    parts += [f"{listed(worse)} worse"] if worse else []
    return f"Significantly different from {result.baseline} on {_sets(n)}: {'; '.join(parts)}."


def _of_ranks(found: FriedmanResult) -> str:
    sets = _sets(found.n)
    if not found.significant:
        return (
            f"No method is significantly better than another on {sets} "
            f"(Friedman test, {_p(found.p_value)})."
        )
    order = np.argsort(found.mean_ranks, kind="stable").tolist()
    best = order[0]
    beaten = [found.names[j] for j in order[1:] if found.pairwise_p[best, j] < found.alpha]
    if beaten:
        return (
            f"{found.names[best]} has the best mean rank on {sets} and is significantly better "
            f"than {listed(beaten)}."
        )
    pairs = [
        (i, j)
        for a, i in enumerate(order)
        for j in order[a + 1 :]
        if found.pairwise_p[i, j] < found.alpha
    ]
    if pairs:
        i, j = pairs[0]
        return (
            f"{found.names[i]} is significantly better than {found.names[j]} on {sets}, but "
            f"{found.names[best]}, the best by mean rank, than none."
        )
    return (
        f"The methods differ on {sets} (Friedman test, {_p(found.p_value)}), but no pair of them "
        "does significantly."
    )


def paragraph(result: Comparison) -> str:
    """Say what was done and found, as a paper says it; empty where no test over data sets is
    possible."""
    n, k = result.means.shape
    if n < 2 or k < 2 or not np.isfinite(result.means).all():
        return ""
    found = result.friedman()
    cv = next(iter(result.results.values())).settings["cv"]
    order = np.argsort(found.mean_ranks, kind="stable").tolist()
    ranks = ", ".join(f"{found.names[i]} {found.mean_ranks[i]:.2f}" for i in order)
    verdict = "was rejected" if found.significant else "could not be rejected"
    text = (
        f"We compared {k} classifiers on {n} data sets by {result.metric} in {cv} "
        "cross-validation, with the same folds for all. The null hypothesis that all have the same "
        f"mean rank {verdict} at the {found.alpha:g} level (Friedman test, chi-squared = "
        f"{found.statistic:.2f}, df = {found.df}, {_p(found.p_value)}). Mean ranks were {ranks}."
    )
    if not found.significant:
        return text
    groups = [f"{listed(list(group))}" for group in found.groups]
    text += (
        f" By Nemenyi's test mean ranks differ significantly when they differ by more than "
        f"{found.critical_difference:.2f}."
    )
    if groups:
        text += f" No significant difference was found within these groups: {'; '.join(groups)}."
    return text

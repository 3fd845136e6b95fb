"""The result of a comparison in words: one sentence, and a paragraph for a paper.

Both are made from Iman & Davenport's test over the data sets and, where it rejects, Nemenyi's test
of each pair (Demsar 2006), or, where there is one data set, from the tests against the baseline.
The numbers are the same as in the tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ...model_selection.comparison import Comparison
    from ...model_selection.statistics.outcome import FriedmanResult

METHODS = {"classification": "classifiers", "regression": "regressors"}
"""The word for the methods, by task."""


def listed(names: list[str]) -> str:
    """Names as part of a sentence, with commas and a final "and". There must be at least one.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _sets(n: int) -> str:
    return f"these {n} data sets" if n > 1 else "this data set"


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def finding(result: Comparison) -> str:
    """Return the result in one sentence, and the metrics by which the verdict would differ. A
    comparison of one method has no verdict."""
    n, k = result.means.shape
    if k == 1:
        return f"{result.methods[0]} alone was run on {_sets(n)}."
    ranks = result.friedman() if result.is_ranked else None
    verdict = _verdict(result)
    scoring = next(iter(result.results.values())).settings["scoring"]
    others = [
        metric
        for metric in map(str, scoring)
        if metric != result.metric and _verdict(result.with_metric(metric)) != verdict
    ]
    more = f" By {listed(others)}, the verdict differs." if others else ""
    if ranks is not None:
        marked = " Each mark v or * is of one data set alone." * bool((result.marks != "").any())
        return _of_ranks(ranks, result.metric) + marked + more
    better, worse = verdict
    words = [
        f"{listed(names)} {'is' if len(names) == 1 else 'are'} significantly {how} than"
        for names, how in ((better, "better"), (worse, "worse"))
        if names
    ]
    differs = " and ".join(words) or "no method differs significantly from"
    return f"By {result.metric}, {differs} {result.baseline} on {_sets(n)}.{more}"


def _verdict(result: Comparison) -> tuple[list[str], list[str]]:
    """The methods that are significantly better than the baseline, and the methods that are worse;
    over several data sets those that beat another by ranks, and those that are beaten."""
    if result.is_ranked:
        beats = result.friedman().beats
        where = np.flatnonzero(beats.any(axis=1)), np.flatnonzero(beats.any(axis=0))
    else:
        marks = result.marks
        where = np.unique(np.nonzero(marks == "v")[1]), np.unique(np.nonzero(marks == "*")[1])
    better, worse = ([result.methods[j] for j in places.tolist()] for places in where)
    return better, worse


def _of_ranks(found: FriedmanResult, metric: str) -> str:
    """The sentence of the tests of ranks.

    Args:
        found: the tests.
        metric: name of the metric.
    """
    sets, tested = _sets(found.n), f"{found.test} test of {metric}, {_p(found.f_p_value)}"
    if not found.significant:
        return f"Over {sets} together no method is significantly better than another ({tested})."
    order = np.argsort(found.mean_ranks, kind="stable")
    names, beats = [found.names[j] for j in order], found.beats[order][:, order]
    if beats[0].any():
        beaten = [names[j] for j in np.flatnonzero(beats[0])]
        return (
            f"{names[0]} has the best mean rank on {sets} and is significantly better than "
            f"{listed(beaten)} ({metric})."
        )
    if beats.any():
        i, j = np.argwhere(beats)[0]
        return (
            f"{names[i]} is significantly better than {names[j]} on {sets}, but {names[0]}, the "
            f"best by mean rank of {metric}, than none."
        )
    return f"The methods differ on {sets} ({tested}), but no pair of them does significantly."


def paragraph(result: Comparison) -> str:
    """Return methods and results as a paper states them; empty if no test over data sets exists."""
    if not result.is_ranked:
        return ""
    n, k = result.means.shape
    found = result.friedman()
    first = next(iter(result.results.values()))
    cv = first.settings["cv"]
    order = np.argsort(found.mean_ranks, kind="stable").tolist()
    numbers = f"chi-squared = {found.statistic:.2f}, df = {found.df}"
    if found.test == "Iman-Davenport":
        numbers = f"F({found.f_df[0]}, {found.f_df[1]}) = {found.f_statistic:.2f}"
    ranks = ", ".join(f"{found.names[i]} {found.mean_ranks[i]:.2f}" for i in order)
    verdict = "was rejected" if found.significant else "could not be rejected"
    text = (
        f"We compared {k} {METHODS[first.task]} on {n} data sets by {result.metric} in {cv} "
        "cross-validation, with the same folds for all. The null hypothesis that all have the same "
        f"mean rank {verdict} at the {found.alpha:g} level ({found.test} test, "
        f"{numbers}, {_p(found.f_p_value)}). Mean ranks were {ranks}."
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

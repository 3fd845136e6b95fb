r"""Does a criterion that chooses more firmly choose better?

What
    Every method grows trees on the bundled sets. How firmly it chooses is counted on bootstrap
    samples (`stability`): the share of refits whose root tests the column that most of them test,
    the similarity of the leaves of two refits, and the chance that two refits predict the same
    class. How well it chooses is the accuracy in cross-validation, how small its trees are the mean
    number of leaves there.

    On each set the methods are ranked by both, and Spearman's correlation of the ranks says whether
    firm methods are the accurate ones. The sets are independent, so the correlations of all sets
    are compared with 0 by Wilcoxon's test; the methods are compared over the sets by Friedman's and
    Nemenyi's.
Source
    The counts are stablelearner's (Philipp, Rusch, Hornik & Strobl 2018), the tests over data sets
    Demsar's (JMLR 7, 2006).
Complexity
    Per set and method `repeats` refits and a cross-validation; most of it for criteria on pairs.
When not to use it
    For a ranking of criteria: the sets are few, and four of them are complete tables of a rule.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from docs.studies.optimal_trees.study import SETS
from docs.studies.selection_bias.study import evidence_of, methods
from scipy.stats import spearmanr

from fasttree import presets
from fasttree._checks.progress import counter
from fasttree.estimators import FastTreeClassifier
from fasttree.exports.tables.text import render_text
from fasttree.model_selection import (
    FriedmanResult,
    PairedTestResult,
    compare,
    friedman_nemenyi,
    wilcoxon,
)
from fasttree.reports import Cell, ReportTable

__all__ = ["FIRMNESS", "SETS", "Firmness", "Measured", "default_methods", "run"]


FIRMNESS = {
    "root": "refits that ask the same first",
    "similarity": "similarity of the leaves",
    "agreement": "refits that predict alike",
}
"""Measures of how firmly a method chooses, each between 0 and 1."""

GROWTH: dict[str, Any] = {"pruning": "error_based"}
"""Parameters of the trees of all criteria."""


def default_methods() -> dict[str, Any]:
    """Name -> criterion, or parameters of a tree: all criteria, and the presets with a rule of
    significance.

    >>> default_methods()["ctree"]["alpha"]
    0.05
    """
    found = {name: method for name, method in methods().items() if evidence_of(method) != "tree"}
    return {**found, "ctree": presets.CTREE, "CHAID": presets.CHAID}


@dataclass(frozen=True)
class Measured:
    """A method on a set: `FIRMNESS`, accuracy and leaves in cross-validation."""

    data: str
    method: str
    root: float
    similarity: float
    agreement: float
    accuracy: float
    leaves: float


@dataclass
class Firmness:
    """The study's outcome: see the module."""

    results: list[Measured]
    repeats: int
    cv: str

    @property
    def sets(self) -> list[str]:
        """Names of the sets."""
        return list(dict.fromkeys(one.data for one in self.results))

    @property
    def methods(self) -> list[str]:
        """Names of the methods."""
        return list(dict.fromkeys(one.method for one in self.results))

    def values(self, quantity: str) -> np.ndarray:
        """A quantity, shape (sets, methods)."""
        found = [getattr(one, quantity) for one in self.results]
        return np.array(found).reshape(len(self.sets), len(self.methods))

    def correlations(self, firmness: str, quantity: str = "accuracy") -> np.ndarray:
        """Spearman's correlation over the methods, one per set; NaN where one does not vary."""
        pairs = zip(self.values(firmness), self.values(quantity), strict=True)
        return np.array(
            [
                spearmanr(a, b).statistic if np.ptp(a) > 0 and np.ptp(b) > 0 else np.nan
                for a, b in pairs
            ]
        )

    def test(self, firmness: str, quantity: str = "accuracy") -> PairedTestResult:
        """Wilcoxon's test of the correlations that are known against 0."""
        found = self.correlations(firmness, quantity)
        found = found[~np.isnan(found)]
        return wilcoxon(found, np.zeros(len(found)))

    def friedman(self, quantity: str) -> FriedmanResult:
        """Ranks of the methods over the sets, the largest value first; of leaves the smallest."""
        better = quantity != "leaves"
        return friedman_nemenyi(self.values(quantity), names=self.methods, greater_is_better=better)

    def answer_table(self) -> ReportTable:
        """Correlations by set, and their tests."""
        body = []
        for quantity in ("accuracy", "leaves"):
            for firmness, words in FIRMNESS.items():
                found = self.correlations(firmness, quantity)
                body.append(
                    [
                        Cell(f"{words}, {quantity}"),
                        *(Cell("" if np.isnan(one) else f"{one:+.2f}") for one in found),
                        Cell(f"{np.nanmean(found):+.2f}"),
                        Cell(f"{self.test(firmness, quantity).p_value:.2g}"),
                    ]
                )
        return ReportTable(
            "Rank correlation over the methods",
            ["of", *self.sets, "mean", "p"],
            body,
            (len(FIRMNESS),),
            [
                "p: Wilcoxon's test that the correlations of all sets lie around 0. Empty: all "
                "methods do the same."
            ],
        )

    def methods_table(self) -> ReportTable:
        """Means over the sets and mean ranks, most accurate first."""
        ranks = {q: self.friedman(q).mean_ranks for q in ("accuracy", "root")}
        means = {q: self.values(q).mean(axis=0) for q in (*FIRMNESS, "accuracy", "leaves")}
        body = [
            [
                Cell(self.methods[i]),
                Cell(f"{100 * means['accuracy'][i]:.1f}"),
                Cell(f"{ranks['accuracy'][i]:.1f}"),
                Cell(f"{means['leaves'][i]:.0f}"),
                *(Cell(f"{100 * means[q][i]:.0f}") for q in FIRMNESS),
                Cell(f"{ranks['root'][i]:.1f}"),
            ]
            for i in np.argsort(ranks["accuracy"], kind="stable").tolist()
        ]
        notes = []
        for quantity in ("accuracy", "root"):
            found = self.friedman(quantity)
            notes.append(
                f"Friedman, {quantity}: chi2({found.df}) = {found.statistic:.1f}, "
                f"p = {found.p_value:.2g}; mean ranks that differ by less than "
                f"{found.critical_difference:.1f} do not differ (Nemenyi, 5 %)."
            )
        return ReportTable(
            f"Means over {len(self.sets)} sets, percent ({self.cv} folds, {self.repeats} refits)",
            ["method", "accuracy", "rank", "leaves", *FIRMNESS, "rank of root"],
            body,
            notes=notes,
        )

    def to_text(self) -> str:
        """Both tables as text."""
        return render_text([self.answer_table(), self.methods_table()])

    def to_record(self) -> str:
        """JSON of everything; `from_record` reads it."""
        return json.dumps(asdict(self), indent=1) + "\n"

    @classmethod
    def from_record(cls, text: str) -> Firmness:
        """The inverse of `to_record`."""
        found = json.loads(text)
        return cls([Measured(**one) for one in found["results"]], found["repeats"], found["cv"])


def run(
    sets: Mapping[str, Any] | None = None,
    criteria: Mapping[str, Any] | None = None,
    *,
    repeats: int = 200,
    cv: str = "5x10",
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Any = None,
) -> Firmness:
    """Measure how firmly and how well each method chooses.

    Args:
        sets: tables, or functions that load them, by name; `SETS` if not given.
        criteria: by name criteria (a name, an object, a function of your own) and parameters of
            trees; `default_methods` if not given.
        repeats: refits per set and method, at least 2.
        cv: folds for accuracy and leaves.
        random_state: seed of samples and folds.
        n_jobs: threads.
        progress: True for a bar, or a function (done, total), which counts sets and methods.

    Examples:
        >>> found = run({"iris": SETS["iris"], "wine": SETS["wine"]},
        ...             {"gini": "gini", "mine": lambda tables: tables.max(axis=1).sum(axis=1)},
        ...             repeats=20, cv="1x5")
        >>> found.values("accuracy").shape, found.methods
        ((2, 2), ['gini', 'mine'])
    """
    if repeats < 2:
        raise ValueError(f"repeats={repeats!r} must be at least 2")
    sets, criteria = sets or SETS, criteria or default_methods()
    done = counter(progress, "sets and methods", len(sets) * len(criteria))
    results = []
    trees = {
        name: FastTreeClassifier(
            **(what if isinstance(what, Mapping) else {**GROWTH, "criterion": what}), n_jobs=n_jobs
        )
        for name, what in criteria.items()
    }
    for name, load in sets.items():
        table = load() if callable(load) else load
        judged = compare(
            {name: table}, estimators=trees, cv=cv, scoring=["accuracy", "leaves"],
            random_state=random_state, n_jobs=n_jobs,
        )  # fmt: skip
        leaves = judged.with_metric("leaves").means[0].tolist()
        for place, (method, tree) in enumerate(trees.items()):
            found = tree.fit(table).stability(
                table, repeats=repeats, random_state=random_state, n_jobs=n_jobs
            )
            firmness = (found.features.root, found.trees.similarity, found.trees.agreement)
            results.append(
                Measured(
                    name,
                    method,
                    float(max(firmness[0].max(), 1 - firmness[0].sum())),
                    *firmness[1:],
                    accuracy=float(judged.means[0, place]),
                    leaves=leaves[place],
                )
            )
            done()
    return Firmness(results, repeats, cv)

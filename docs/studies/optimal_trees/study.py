r"""Does a better criterion give a tree nearer to the optimum?

What
    Papers on split criteria compare greedy trees with greedy trees. Here the trees of least error
    of depth 2 and 3 are proven, and four questions are asked:

    - *Excess*: how many more training errors has the greedy tree of each criterion than the best
      tree of its depth, in percent of the rows?
    - *Ranks*: do the criteria differ over the data sets (Friedman's test)?
    - *Greedy or criterion*: of criteria that are sums over the leaves the best tree under the
      criterion itself is proven as well. What the greedy tree loses is divided in two: the errors
      of the best tree under the criterion above the optimum (the criterion asks for another tree),
      and those of the greedy tree above that one (greedy growth does not find it).
    - *New rows*: accuracy in cross-validation of optimal and greedy trees of the same depth.
Source
    The comparison of criteria is as old as Mingers (Machine Learning 3, 1989), ranks are Demsar's
    (JMLR 7, 2006), proofs those of `fasttree.optimal_tree`.
Complexity
    A search per data set, depth and loss; seconds at depth 3.
When not to use it
    As a ranking of criteria for new rows, or of deep trees: few errors of a shallow tree on the
    rows of the fit are another aim.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fasttree import datasets
from fasttree._checks.progress import counter
from fasttree.estimators import FastTreeClassifier, OptimalTreeClassifier
from fasttree.estimators.beside_greedy import codes_as_numbers
from fasttree.exports.palette import PALETTE
from fasttree.exports.tables.text import render_text
from fasttree.model_selection import FriedmanResult, compare, friedman_nemenyi
from fasttree.reports import Cell, ReportTable

__all__ = ["CRITERIA", "SETS", "SUMS", "Case", "OptimalTrees", "run"]

SETS: dict[str, Callable[[], Any]] = {
    "balance-scale": datasets.load_balance_scale,
    "breast-cancer": datasets.load_breast_cancer,
    "iris": datasets.load_iris,
    "monks-1": datasets.load_monks_1,
    "monks-2": datasets.load_monks_2,
    "monks-3": datasets.load_monks_3,
    "tic-tac-toe": datasets.load_tic_tac_toe,
    "wine": datasets.load_wine,
}
"""The bundled sets of more than 100 rows. Levels count as numbers in their declared order."""

CRITERIA = (
    "accuracy",
    "auc",
    "chi2",
    "class_angle",
    "dkm",
    "euclid",
    "f_measure",
    "gain_ratio",
    "gini",
    "hellinger",
    "info_gain",
    "jaccard",
    "laplace",
    "mantaras",
    "mdl",
    "twoing",
)
"""What is compared; of criteria that choose the same splits one."""

SUMS = ("gini", "info_gain", "laplace", "dkm", "mdl")
"""Criteria under which a best tree can be proven."""

DEPTHS = (2, 3)

WIDEST = 20
"""Columns up to which best trees of depth 3 and more under `SUMS` are searched for; with the 30 of
breast-cancer a proof takes minutes."""

ON_NEW_ROWS = ("optimal", "gini", "info_gain", "mdl", "hellinger")
"""What is cross-validated."""


@dataclass
class Case:
    """A data set at a depth, errors in rows.

    `greedy` are the errors of the grown tree by criterion, `own` those of the proven best tree
    under the criterion (none where that takes too long). `accuracy` and `mark` are of
    cross-validation, by method; a mark says that a method differs significantly from the optimal
    tree (v: better, \\*: worse).
    """

    name: str
    depth: int
    rows: int
    optimum: float
    greedy: dict[str, float]
    own: dict[str, float]
    accuracy: dict[str, float]
    mark: dict[str, str]

    def percent(self, errors: float) -> float:
        """Errors above the optimum, percent of the rows."""
        return 100.0 * (errors - self.optimum) / self.rows


@dataclass
class OptimalTrees:
    """The study's outcome: see the module."""

    cases: list[Case]
    cv: str

    def depths(self) -> list[int]:
        """The depths, ascending."""
        return sorted({case.depth for case in self.cases})

    def at(self, depth: int) -> list[Case]:
        """All data sets at a depth."""
        return [case for case in self.cases if case.depth == depth]

    def friedman(self, depth: int) -> FriedmanResult:
        """Friedman's test of the criteria over the data sets."""
        cases = self.at(depth)
        names = list(cases[0].greedy)
        values = [[case.percent(case.greedy[name]) for name in names] for case in cases]
        return friedman_nemenyi(values, names=names, greater_is_better=False)

    def excess_table(self, depth: int) -> ReportTable:
        """Excess of the greedy tree by criterion and data set, with mean ranks; best first."""
        cases, found = self.at(depth), self.friedman(depth)
        rows = []
        for i in np.argsort(found.mean_ranks, kind="stable"):
            name = found.names[i]
            values = [case.percent(case.greedy[name]) for case in cases]
            rows.append(
                [
                    Cell(name),
                    *(Cell(f"{value:.1f}", value == 0.0) for value in values),
                    Cell(f"{np.mean(values):.2f}"),
                    Cell(f"{found.mean_ranks[i]:.2f}"),
                ]
            )
        best = [f"{100 * case.optimum / case.rows:.1f}" for case in cases]
        rows.append([Cell("optimum: errors, %"), *map(Cell, best), Cell(""), Cell("")])
        return ReportTable(
            f"Depth {depth}: errors of the greedy tree above the proven optimum, % of the rows",
            ["criterion", *(case.name for case in cases), "mean", "mean rank"],
            rows,
            (len(rows) - 1,),
            [
                f"Friedman: chi2({found.df}) = {found.statistic:.1f}, p = {found.p_value:.2g}; "
                f"Iman and Davenport: F({found.f_df[0]}, {found.f_df[1]}) = "
                f"{found.f_statistic:.2f}, p = {found.f_p_value:.2g}; mean ranks that differ by "
                f"less than {found.critical_difference:.1f} do not differ (Nemenyi, 5 %)."
            ],
        )

    def parts_table(self) -> ReportTable:
        """What of the excess is the criterion's and what is the growth's, means over data sets."""
        rows = []
        for depth in self.depths():
            cases = [case for case in self.at(depth) if case.own]
            for name in cases[0].own:
                asked = np.mean([case.percent(case.own[name]) for case in cases])
                whole = np.mean([case.percent(case.greedy[name]) for case in cases])
                numbers = (whole, asked, whole - asked)
                rows.append([Cell(name), Cell(str(depth)), *(Cell(f"{x:.2f}") for x in numbers)])
        return ReportTable(
            "Where the errors above the optimum come from, % of the rows, means over the data sets",
            ["criterion", "depth", "greedy tree", "criterion", "growth"],
            rows,
            tuple(range(len(SUMS), len(rows), len(SUMS))),
            [
                "At depth 3 without breast-cancer. "
                "criterion: errors of the best tree under the criterion, above the optimum. "
                "growth: errors of the greedy tree above that one; below 0 where growth missed the "
                "criterion's tree and fell on one with fewer errors."
            ],
        )

    def test_table(self) -> ReportTable:
        """Accuracy in cross-validation."""
        rows = []
        for depth in self.depths():
            cases = self.at(depth)
            for case in cases:
                methods = list(case.accuracy)
                best = max(case.accuracy.values())
                cells = [
                    Cell(f"{100 * case.accuracy[m]:.1f}", case.accuracy[m] == best, case.mark[m])
                    for m in methods
                ]
                rows.append([Cell(case.name), Cell(str(depth)), *cells])
            means = [np.mean([case.accuracy[m] for case in cases]) for m in methods]
            rows.append(
                [Cell("mean"), Cell(str(depth)), *(Cell(f"{100 * mean:.1f}") for mean in means)]
            )
        return ReportTable(
            f"Accuracy in cross-validation ({self.cv}), %",
            ["data set", "depth", *methods],
            rows,
            (),
            ["v, *: better, worse than the optimal tree (corrected resampled t test, 5 %)."],
        )

    def tables(self) -> list[ReportTable]:
        """All tables."""
        excess = [self.excess_table(depth) for depth in self.depths()]
        return [*excess, self.parts_table(), self.test_table()]

    def to_text(self) -> str:
        """All tables as text."""
        return render_text(self.tables())

    def to_record(self) -> str:
        """JSON of everything; `from_record` reads it."""
        return json.dumps(asdict(self), indent=1) + "\n"

    @classmethod
    def from_record(cls, text: str) -> OptimalTrees:
        """The inverse of `to_record`."""
        found = json.loads(text)
        return cls([Case(**case) for case in found["cases"]], found["cv"])

    def draw(self) -> Any:
        """A picture: excess by criterion, a dot per data set and the mean, a panel per depth."""
        from fasttree.plots.canvas import new_figure, plain_frame

        depths = self.depths()
        figure, axes = new_figure(1, len(depths), width=4.6 * len(depths), height=4.8)
        for ax, depth in zip(axes, depths, strict=True):
            cases = self.at(depth)
            values = {
                name: [case.percent(case.greedy[name]) for case in cases]
                for name in cases[0].greedy
            }
            names = sorted(values, key=lambda name, of=values: np.mean(of[name]))
            for place, name in enumerate(names):
                ax.scatter(values[name], [place] * len(cases), s=16, color=PALETTE[0], alpha=0.5)
                ax.scatter([np.mean(values[name])], [place], s=70, marker="|", color=PALETTE[1])
            ax.set_yticks(range(len(names)), names, fontsize=8)
            ax.invert_yaxis()
            ax.set_title(f"depth {depth}", fontsize=10)
            ax.set_xlabel("errors above the optimum, % of the rows", fontsize=9)
            plain_frame(ax, "x")
        return figure

    def save_png(self, path: str | Path) -> None:
        """Write the picture."""
        from fasttree.plots.canvas import save_small

        save_small(self.draw(), path)


def run(
    sets: Mapping[str, Any] | None = None,
    criteria: Sequence[str] = CRITERIA,
    *,
    depths: Sequence[int] = DEPTHS,
    cv: str = "5x10",
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Any = False,
) -> OptimalTrees:
    """Search, grow and cross-validate.

    Args:
        sets: tables, or functions that load them, by name; by default `SETS`.
        criteria: what is compared.
        depths: depths of the trees.
        cv: folds for accuracy on new rows.
        random_state: seed of the folds.
        n_jobs: threads.
        progress: False, or a function (done, total); counts data sets and depths.

    Returns:
        The outcome.

    Examples:
        >>> result = run({"iris": datasets.load_iris, "wine": datasets.load_wine},
        ...              ["gini", "mdl"], depths=[1], cv="1x2")
        >>> [case.optimum for case in result.cases]
        [50.0, 54.0]
    """
    sets = SETS if sets is None else sets
    done = counter(progress, "searches", len(sets) * len(depths))
    cases = []
    for depth in depths:
        for name, load in sets.items():
            table = codes_as_numbers(load() if callable(load) else load)
            best = _proven(table, depth, "error", n_jobs)
            grown = best.compare_with_greedy(table, names=criteria)
            own = {
                loss: _proven(table, depth, loss, n_jobs).training_errors_
                for loss in SUMS
                if loss in criteria and (depth <= 2 or table.n_features <= WIDEST)
            }
            methods = {
                one: OptimalTreeClassifier(max_depth=depth)
                if one == "optimal"
                else FastTreeClassifier(criterion=one, max_depth=depth)
                for one in ON_NEW_ROWS
                if one in ("optimal", *criteria)
            }
            judged = compare(
                {name: table}, estimators=methods, cv=cv, random_state=random_state, n_jobs=n_jobs
            )
            greedy = {row["criterion"]: row["errors"] for row in grown}
            cases.append(
                Case(
                    name,
                    depth,
                    len(table),
                    best.training_errors_,
                    {criterion: greedy[criterion] for criterion in criteria},
                    own,
                    dict(zip(judged.methods, judged.means[0].tolist(), strict=True)),
                    dict(zip(judged.methods, map(str, judged.marks[0]), strict=True)),
                )
            )
            done()
    return OptimalTrees(cases, cv)


def _proven(table: Any, depth: int, loss: str, n_jobs: int | None) -> OptimalTreeClassifier:
    """The best tree under a loss."""
    model = OptimalTreeClassifier(criterion=loss, max_depth=depth, n_jobs=n_jobs).fit(table)
    if not model.proven_:
        raise AssertionError(f"depth {depth}, {loss}: a search without limits is not proven")
    return model

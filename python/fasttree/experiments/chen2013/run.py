"""Chen, Wu & Cai (2013), "Learning the attribute selection measures for decision tree": Tables 1 to
3, Figure 1.

What is run
    Weka's Id3, unpruned, with four measures: information gain, gain ratio, gain over the logarithm
    of the number of declared values, and Lopez de Mantaras' distance. Gain ratio chooses among the
    features whose gain is at least the sum of gains over (number of features + 1).
Data
    Identifier columns are removed. Missing cells become means and modes, and numbers ten bins of
    equal width; both are computed from all rows, test rows included, as in the paper. The protocol
    is 10 x 10-fold cross-validation with Weka's own folds: the text describes ten 90/10 splits, but
    only this protocol reproduces its numbers.
What agrees
    Mean, standard deviation (of 100 fold accuracies, n - 1) and mark (corrected resampled t test
    against information gain, two-sided 0.05) of every cell of Table 2, to the last printed digit.
    For letter, mushroom and waveform-5000 the printed deviations are about twice what ten-fold
    cross-validation of all rows can give: the paper must have used a sample, which it does not
    describe. These sets are run on all rows and marked as not comparable.
Complexity
    400 trees per data set and four more on all rows; half a minute of one core in all.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ... import criteria, presets
from ...datasets import load, load_balance_scale
from ...discretize import EqualWidth, ReplaceMissing
from ...estimators import FastTreeClassifier
from ...model_selection import Comparison, WekaStratifiedKFold, cross_validate
from ...table import Table
from ..paper import Paper, preset_without, settings_as_text
from ..reproduction import Reproduction, Row, agrees, plain_key
from . import tables
from .tables import SetResult

METHODS: dict[str, Any] = {
    "info_gain": criteria.make("info_gain"),
    "gain_ratio": criteria.GainRatio(guard="chen2013"),
    "normal_gain": criteria.make("normal_gain"),
    "distance": criteria.make("mantaras"),
}
"""The paper's four measures, by the names of the published tables."""

BASELINE = "info_gain"
FEWEST_SETS = 10
"""Friedman's test on fewer data sets can refute nothing."""

IDENTIFIERS = {"colic.ORIG": "Hospital Number", "splice": "Instance_name", "zoo": "animal"}
"""Identifier columns, which the paper removes."""

BUNDLED = {"balance-scale": load_balance_scale}
"""Bundled sets that equal the paper's, row by row; they are used when there is no data folder."""


def settings() -> dict[str, Any]:
    """Parameters of the trees, without the criterion: the preset of the paper. Each measure of the
    paper is run with them."""
    return preset_without(presets.CHEN2013)


def facts_of(table: Table) -> dict[str, Any]:
    """The facts of Table 1 on a data set, counted in the file; attributes include the class."""
    return {
        "instances": len(table),
        "attributes": table.n_features + 1,
        "classes": len(table.classes),
        "missing": "Y" if any(column.n_missing for column in table.columns) else "N",
        "numeric": "Y" if any(column.kind == "numeric" for column in table.columns) else "N",
        "occurring classes": len(np.unique(table.y_codes)),
    }


def prepare(table: Table, dataset: str) -> Table:
    """The rows as the paper's trees use them: no identifiers, no missing cells, equal-width bins.

    Args:
        table: the rows.
        dataset: the paper's name of the data set.

    >>> prepare(load_balance_scale(), "balance-scale").columns[0].levels[:2]
    ('(-inf-1.4]', '(1.4-1.8]')
    """
    identifier = plain_key(IDENTIFIERS.get(dataset, ""))
    for name in table.feature_names:
        if identifier and plain_key(name) == identifier:
            table = table.drop(name)
    filled: Table = ReplaceMissing(scope="all").fit_transform(table)
    binned: Table = EqualWidth(10, scope="all").fit_transform(filled)
    return binned


def run_set(table: Table, dataset: str, n_jobs: int | None = -1) -> SetResult:
    """Cross-validate the four measures on one data set, and grow the four trees of all its rows.

    Args:
        table: the rows.
        dataset: the paper's name of the data set.
        n_jobs: threads.
    """
    rows = prepare(table, dataset)
    how = {"n_jobs": n_jobs, **settings()}
    validation = cross_validate(rows, criterion=METHODS, cv=WekaStratifiedKFold(), **how)
    validation.name = dataset
    leaves, nonempty = {}, {}
    for method, criterion in METHODS.items():
        tree = FastTreeClassifier(criterion=criterion, **how).fit(rows).tree_
        is_leaf = tree.n_children == 0
        leaves[method] = int(is_leaf.sum())
        nonempty[method] = int((is_leaf & (tree.n_node_samples > 0)).sum())
    return SetResult(facts_of(table), validation, leaves, nonempty)


class Experiment(Paper[str, SetResult]):
    """The paper's tables and figure; `quick` leaves out the sets that the paper sampled."""

    name = "chen2013"
    title = "Four attribute selection measures in Id3: paper and fasttree"
    cut = "data sets of which the paper used a sample, so that its numbers cannot be compared"

    @property
    def sampled(self) -> set[str]:
        """Data sets of which the paper used a sample, by name; a quick run leaves them out. Here
        all rows are used."""
        return set(self.printed["subsampled"])

    def sets(self) -> list[str]:
        return list(self.printed["table2"])

    def open_set(self, name: str, files: Mapping[str, Path]) -> Table | None:
        key = plain_key(name)
        if key in files:
            return load(files[key], task="classification")
        return BUNDLED[name]() if name in BUNDLED else None

    def omits(self, name: str, table: Table) -> bool:
        return name in self.sampled

    def work(self, step: str) -> SetResult:
        return run_set(self.tables[step], step, self.n_jobs)

    def settings(self, found: Mapping[str, SetResult]) -> dict[str, Any]:
        return {
            "protocol": (
                "Weka's 10 x 10-fold cross-validation; imputation and ten equal-width bins on all "
                "rows"
            ),
            "trees": settings_as_text(settings()),
            "criteria": settings_as_text(METHODS),
            "test": "corrected resampled t test, two-sided, 0.05, against info_gain",
        }

    def report(self, found: dict[str, SetResult]) -> None:
        if found:
            self._compare(found)

    def _compare(self, results: dict[str, SetResult]) -> None:
        """Add rows, tables, tests, notes and figures."""
        # Every data set beside the print.
        out, printed, sampled = self.out, self.printed, self.sampled
        everything = _compared(results)
        facts = {name: one.facts for name, one in results.items()}
        out.rows += _accuracy_rows(everything, printed, sampled)
        checks = tables.fact_rows(facts, printed)
        out.rows += [*checks, *_leaf_rows(results, printed)]
        out.tables.append(tables.table_one(checks, facts, printed))
        # Averages, wins and tests over the sets that are comparable.
        comparable = {name: one for name, one in results.items() if name not in sampled}
        fair = _compared(comparable) if comparable else None
        if fair is not None:
            out.rows += tables.average_rows(fair, printed)
        out.tables.append(tables.table_two(out.rows, everything.methods, printed))
        if fair is not None:
            out.extra["win_tie_loss"] = tables.win_tie_loss(fair, printed)
            out.tables.append(tables.table_three(out.extra["win_tie_loss"], len(comparable)))
            if len(comparable) > 1:
                _test_the_claim(out, fair, comparable)
        out.tables.append(tables.leaf_table(results, printed))
        if len(comparable) < len(results):
            names = ", ".join(name for name in results if name in sampled)
            out.notes.append(
                f"Not comparable: {names}. The printed deviations are about twice what 10 x "
                "10-fold cross-validation of all rows can give; the paper must have taken a "
                "sample, which it does not describe. Run here on all rows, and counted neither "
                "among the cells nor in averages and tests."
            )
        _add_figures(out, results, everything, printed)


def _add_figures(
    out: Reproduction,
    results: dict[str, SetResult],
    everything: Comparison,
    printed: dict[str, Any],
) -> None:
    """Add the accuracies, and Figure 1 if its data sets are here.

    Args:
        out: the reproduction.
        results: the result on each data set.
        everything: the comparison on all data sets.
        printed: the paper's numbers.
    """
    from ...plots import criteria_dots

    shown = {name: results[name] for name in printed["figure1"] if name in results}
    if shown:
        out.add_figure(
            "chen2013-figure1",
            "Number of leaves for different measures (Figure 1), with and without empty leaves",
            lambda: tables.figure_one(shown, tuple(METHODS)),
        )
    out.add_figure(
        "chen2013-accuracy",
        "Mean accuracy of the four measures on every data set",
        lambda: criteria_dots(everything).figure,
    )


def _compared(results: dict[str, SetResult]) -> Comparison:
    """The measures over data sets, tested as in the paper."""
    return Comparison(
        {name: one.validation for name, one in results.items()},
        metric="accuracy",
        alpha=0.05,
        baseline=BASELINE,
        test="corrected_resampled_t",
        sd="folds",
    )


def _accuracy_rows(result: Comparison, printed: dict[str, Any], sampled: set[str]) -> list[Row]:
    """Table 2 in percent, one row per cell.

    Args:
        result: the comparison on all data sets.
        printed: the paper's numbers.
        sampled: the data sets from which the paper took a sample.
    """
    rows = []
    marks = result.marks
    for i, dataset in enumerate(result.datasets):
        for j, method in enumerate(result.methods):
            mean, sd, mark = printed["table2"][dataset][method]
            value, deviation = 100.0 * float(result.means[i, j]), 100.0 * float(result.sds[i, j])
            match = agrees(value, mean) and agrees(deviation, sd) and str(marks[i, j]) == mark
            own = (value, deviation, str(marks[i, j]))
            theirs = (float(mean), float(sd), mark)
            row = Row(dataset, method, "accuracy", *own, *theirs, match)
            if dataset in sampled:
                row.match, row.note = None, "not comparable: the paper used a sample of the rows"
            rows.append(row)
    return rows


def _leaf_rows(results: dict[str, SetResult], printed: dict[str, Any]) -> list[Row]:
    """Leaves of the trees of all rows, with the counts that the paper's text gives.

    Args:
        results: the result on each data set.
        printed: the paper's numbers.
    """
    rows = []
    for dataset, one in results.items():
        for method in METHODS:
            text = printed["leaves"].get(dataset, {}).get(method)
            row = Row(dataset, method, "leaves", one.leaves[method])
            if text is not None:
                row.published, row.match = int(text), agrees(one.leaves[method], text)
            rows.append(row)
            rows.append(Row(dataset, method, "nonempty_leaves", one.nonempty[method]))
    return rows


def _test_the_claim(out: Reproduction, fair: Comparison, results: dict[str, SetResult]) -> None:
    """Add Friedman's tests of the paper's conclusion that size differs and accuracy does not.

    Args:
        out: the reproduction.
        fair: the comparison on the comparable sets.
        results: the result on each data set.
    """
    from ...model_selection import friedman_nemenyi
    from ...reports import tables_of

    # Tests of accuracy, of leaves, and of leaves with rows.
    what = {
        "leaves": "leaves, empty ones included (rank 1: fewest)",
        "nonempty_leaves": "leaves that hold training rows (rank 1: fewest)",
    }
    accuracy, sizes = fair.friedman(), {}
    for quantity, field in zip(what, ("leaves", "nonempty"), strict=True):
        counts = [[getattr(one, field)[m] for m in fair.methods] for one in results.values()]
        sizes[quantity] = friedman_nemenyi(counts, names=fair.methods, greater_is_better=False)
    out.extra["friedman"] = {}
    names = ("critical_difference", "significant", "sentence")
    for quantity, found in {"accuracy": accuracy, **sizes}.items():
        out.extra["friedman"][quantity] = {
            "data_sets": found.n,
            **{name: getattr(found, name) for name in ("statistic", "df", "p_value")},
            "mean_ranks": dict(zip(found.names, found.mean_ranks.tolist(), strict=True)),
            **{name: getattr(found, name) for name in names},
        }
        (table,) = tables_of(found)
        table.title = f"Friedman's test: {what.get(quantity, quantity)}"
        out.tables.append(table)
    # The conclusion, in words.
    size = sizes["leaves"]
    verdict = "holds" if size.significant and not accuracy.significant else "does not hold"
    verdict = f"{verdict} over" if size.n >= FEWEST_SETS else "cannot be judged on"
    out.notes.append(
        "The paper's claim that the measure changes the size of the tree but not its accuracy "
        f"{verdict} these "
        f"{size.n} sets: size p = {size.p_value:.2g}, accuracy p = {accuracy.p_value:.2g} "
        "(Friedman)."
    )
    smallest = {
        quantity: found.names[int(np.argmin(found.mean_ranks))] for quantity, found in sizes.items()
    }
    if smallest["leaves"] != smallest["nonempty_leaves"]:
        out.notes.append(
            "Which measure gives the smallest trees depends on what is counted: "
            f"{smallest['leaves']} with empty leaves, "
            f"as the paper counts, {smallest['nonempty_leaves']} without them."
        )
    differs = {"size_differs": size.significant, "accuracy_differs": accuracy.significant}
    out.extra["claim"] = differs

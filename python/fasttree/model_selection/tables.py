"""Tables of the results: cross-validation, comparison over data sets, learning curve, sweep.

The ``tables()`` of a result call these. They only lay out: every number and mark comes from the
result. Accuracy, error rate and the share of unclassified rows are printed in percent; CSV and JSON
keep them as shares.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..rendering.scales import mean_sd, scale_of
from ..rendering.table import Cell, ReportTable, number
from ..reports.classes import per_class_table
from .statistics.ties import TIED

if TYPE_CHECKING:
    from .comparison import Comparison
    from .learning_curve import LearningCurve
    from .result import CrossValidation
    from .sweeping import Sweep


def cross_validation_tables(
    result: CrossValidation, *, sd: str = "folds", per_class: bool = False
) -> list[ReportTable]:
    """Return one table: methods by metrics, mean (sd), the best of every metric emphasised.

    With `per_class` one more per method: the measures of every class.
    """
    # The metrics, then the sizes of trees where all methods are trees.
    metrics = list(result.metrics)
    all_scores = list(result.values())
    for extra in ("leaves", "nodes", "depth"):
        if extra not in metrics and all(np.isfinite(scores[extra]).all() for scores in all_scores):
            metrics.append(extra)
    if any(scores["unclassified"].any() for scores in all_scores) and "unclassified" not in metrics:
        metrics.append("unclassified")
    # The best mean of each metric, which is printed bold.
    best = {}
    for metric in result.metrics:
        means = result.matrix(metric).mean(axis=1)
        if np.isfinite(means).any():
            best[metric] = (
                np.nanmax(means) if result.directions.get(metric, True) else np.nanmin(means)
            )
    rows = []
    for method in result.methods:
        cells = [Cell(method)]
        for metric in metrics:
            mean = result.mean(method, metric)
            bold = (
                len(result) > 1
                and metric in best
                and bool(np.isclose(mean, best[metric], rtol=TIED, atol=0.0))
            )
            cells.append(Cell(mean_sd(mean, result.sd(method, metric, of=sd), metric), bold))
        rows.append(cells)
    rows += [
        [Cell(name), Cell("does not apply"), *(Cell("") for _ in metrics[1:])]
        for name in result.skipped
    ]
    n_folds = len(result.folds.pairs)
    spread = "fold values" if sd == "folds" else "repetition means"
    title = f"{result.name}: " if result.name else ""
    title += f"{len(result)} methods, {n_folds} folds ({result.folds.description})"
    notes = [f"Mean (standard deviation of {spread}) over {n_folds} folds; best values emphasised."]
    if result.unfinished:
        notes.append(f"Interrupted: {result.unfinished} folds are not finished.")
    notes += [f"{name} does not apply: {why}" for name, why in result.skipped.items()]
    table = ReportTable(
        title, ["method", *(scale_of(metric)[2] for metric in metrics)], rows, (), notes
    )
    return [table, *(per_class_table(result, method) for method in result.methods if per_class)]


def comparison_tables(result: Comparison) -> list[ReportTable]:
    """Return the table of means with marks, the matrix of significant wins, and the methods that
    are significantly worse than others."""
    tables = [_means_table(result)]
    if len(result.methods) > 2:
        tables.append(_wins_table(result))
    worse = result.significantly_worse()
    if worse:
        rows = [
            [Cell(one["dataset"]), Cell(one["method"]), Cell(", ".join(one["worse_than"]))]
            for one in worse
        ]
        tables.append(
            ReportTable("Who is significantly worse", ["data set", "method", "than"], rows)
        )
    return tables


def _means_table(result: Comparison) -> ReportTable:
    """Means with marks, the average, and wins, ties and losses against the baseline."""
    marks, best = result.marks, result.best
    factor, digits, label = scale_of(result.metric)
    # One row per data set, then averages, then wins, ties and losses.
    rows = []
    for i, dataset in enumerate(result.datasets):
        cells = [Cell(dataset)]
        for j in range(len(result.methods)):
            text = mean_sd(float(result.means[i, j]), float(result.sds[i, j]), result.metric)
            cells.append(Cell(text, bool(best[i, j]) and len(result.methods) > 1, str(marks[i, j])))
        rows.append(cells)
    n_sets = len(rows)
    rows.append(
        [
            Cell("average"),
            *(Cell(number(factor * float(value), digits)) for value in result.averages),
        ]
    )
    against = [Cell("(v/ /*)")]
    for method, (wins, ties, losses) in zip(result.methods, result.wins_ties_losses, strict=True):
        against.append(Cell("" if method == result.baseline else f"({wins}/{ties}/{losses})"))
    rows.append(against)
    direction = "" if result.greater_is_better else ", smaller is better"
    header = ["data set", *result.methods]
    return ReportTable(f"{label}{direction}", header, rows, (n_sets,), _notes(result))


def _notes(result: Comparison) -> list[str]:
    """Notes below the table: the meaning of the marks, and what is missing."""
    test = (
        result.test
        if isinstance(result.test, str)
        else getattr(result.test, "__name__", "given test")
    )
    name = test.replace("_", " ") + " test"
    notes = [
        "Mean (standard deviation of "
        f"{'fold values' if result.sd == 'folds' else 'repetition means'}); "
        "best values emphasised.",
        (
            f"v / * : significantly better / worse than {result.baseline} ({name}, two-sided, "
            f"{result.alpha:g})."
        ),
    ]
    if result.unfinished:
        notes.append(f"Interrupted; not finished: {', '.join(result.unfinished)}.")
    notes += [f"{name} does not apply: {why}" for name, why in result.skipped.items()]
    return notes


def _wins_table(result: Comparison) -> ReportTable:
    """How often each method is significantly better than each other."""
    wins = result.win_matrix
    rows = [
        [Cell(method), *(Cell("-" if i == j else str(wins[i, j])) for j in range(len(wins)))]
        for i, method in enumerate(result.methods)
    ]
    return ReportTable(
        "Data sets on which the row's method is significantly better than the column's",
        ["method", *result.methods],
        rows,
    )


def learning_curve_tables(result: LearningCurve) -> list[ReportTable]:
    """Return one table per metric: training sizes by methods, mean (sd over repetitions)."""
    found = {(row["metric"], row["n_train"], row["method"]): row for row in result.records()}
    repeats = len(result.values(result.methods[0], result.result.metrics[0]))
    tables = []
    for metric in result.result.metrics:
        rows = []
        for size in result.train_sizes:
            cells = [Cell(str(size))]
            for method in result.methods:
                row = found[metric, size, method]
                cells.append(Cell(mean_sd(row["mean"], row["sd"], metric)))
            rows.append(cells)
        notes = [f"Mean (standard deviation) over {repeats} repetitions."]
        tables.append(
            ReportTable(scale_of(metric)[2], ["training rows", *result.methods], rows, (), notes)
        )
    return tables


def sweep_tables(result: Sweep, *, sd: str = "folds") -> list[ReportTable]:
    """Return one table per metric: the map of settings, mean (sd), the best emphasised."""
    rows, columns, places, across = result.layout()
    methods, scores = result.result.methods, result.result
    tables = []
    for metric in scores.metrics:
        means = [scores.mean(method, metric) for method in methods]
        best = max(means) if scores.directions.get(metric, True) else min(means)
        body = []
        for label, row in zip(rows, places, strict=True):
            cells = [Cell(label)]
            for place in row:
                if place < 0:
                    cells.append(Cell(""))
                    continue
                text = mean_sd(means[place], scores.sd(methods[place], metric, of=sd), metric)
                cells.append(
                    Cell(
                        text,
                        len(methods) > 1
                        and bool(np.isclose(means[place], best, rtol=TIED, atol=0.0)),
                    )
                )
            body.append(cells)
        folds = f"{len(scores.folds.pairs)} folds ({scores.folds.description})"
        title = f"{scores.name}: " if scores.name else ""
        title += f"{scale_of(metric)[2]} by {across}, {folds}"
        spread = "fold values" if sd == "folds" else "repetition means"
        notes = [f"Mean (standard deviation of {spread}); best values emphasised."]
        tables.append(ReportTable(title, ["", *columns], body, (), notes))
    return tables

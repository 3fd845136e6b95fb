"""What tables a result consists of: cross-validation, comparison over data sets, Friedman, learning
curve.

Only layout: every number and mark comes from the result.  Shares (accuracy, error rate,
unclassified) are printed in percent; CSV and JSON keep them as shares.
"""

from __future__ import annotations

import platform
from typing import Any

import numpy as np

from ..model_selection.comparison import Comparison
from ..model_selection.learning_curve import LearningCurve
from ..model_selection.result import CrossValidation
from ..model_selection.statistics import FriedmanResult
from ..model_selection.sweeping import Sweep
from ..rendering.table import Cell, ReportTable, number
from .classes import per_class_table

PERCENT = frozenset(
    {"accuracy", "error_rate", "error", "unclassified_rate", "unclassified", "balanced_accuracy"}
)
SIZES = frozenset({"leaves", "empty_leaves", "nodes", "depth"})


def scale_of(metric: str) -> tuple[float, int, str]:
    """Return factor, digits and label with which a metric is printed."""
    if metric in PERCENT:
        return 100.0, 2, f"{metric} (%)"
    if metric in SIZES:
        return 1.0, 1, metric
    return 1.0, 4, metric


def _mean_sd(mean: float, sd: float, metric: str) -> str:
    factor, digits, _ = scale_of(metric)
    return f"{number(factor * mean, digits)} ({number(factor * sd, digits)})"


def cross_validation_tables(
    result: CrossValidation, *, sd: str = "folds", per_class: bool = False
) -> list[ReportTable]:
    """Return one table: methods by metrics, mean (sd), the best of every metric emphasised.

    With `per_class` one more a method: the measures of every class.
    """
    metrics = list(result.metrics)
    first = [scores for scores in result.values()]
    for extra in ("leaves", "nodes", "depth"):
        if extra not in metrics and all(np.isfinite(scores[extra]).all() for scores in first):
            metrics.append(extra)
    if any(scores["unclassified"].any() for scores in first) and "unclassified" not in metrics:
        metrics.append("unclassified")
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
                and bool(np.isclose(mean, best[metric], rtol=1e-12, atol=0.0))
            )
            cells.append(Cell(_mean_sd(mean, result.sd(method, metric, of=sd), metric), bold))
        rows.append(cells)
    n_folds = len(result.folds.pairs)
    spread = "fold values" if sd == "folds" else "repetition means"
    title = f"{result.name}: " if result.name else ""
    title += f"{len(result)} methods, {n_folds} folds ({result.folds.description})"
    notes = [f"Mean (standard deviation of {spread}) over {n_folds} folds; best values emphasised."]
    table = ReportTable(
        title, ["method", *(scale_of(metric)[2] for metric in metrics)], rows, (), notes
    )
    return [table, *(per_class_table(result, method) for method in result.methods if per_class)]


def comparison_tables(result: Comparison) -> list[ReportTable]:
    """Return the table of means with marks, the matrix of significant wins, and who is
    significantly worse."""
    marks, best = result.marks, result.best
    _, digits, label = scale_of(result.metric)
    factor = scale_of(result.metric)[0]
    rows = []
    for i, dataset in enumerate(result.datasets):
        cells = [Cell(dataset)]
        for j in range(len(result.methods)):
            text = _mean_sd(float(result.means[i, j]), float(result.sds[i, j]), result.metric)
            cells.append(Cell(text, bool(best[i, j]) and len(result.methods) > 1, str(marks[i, j])))
        rows.append(cells)
    n = len(rows)
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
    direction = "" if result.greater_is_better else ", smaller is better"
    tables = [ReportTable(f"{label}{direction}", ["data set", *result.methods], rows, (n,), notes)]
    if len(result.methods) > 2:
        wins = result.win_matrix
        letters = [
            [Cell(method), *(Cell("-" if i == j else str(wins[i, j])) for j in range(len(wins)))]
            for i, method in enumerate(result.methods)
        ]
        tables.append(
            ReportTable(
                "Data sets on which the row's method is significantly better than the column's",
                ["method", *result.methods],
                letters,
            )
        )
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


def learning_curve_tables(result: LearningCurve) -> list[ReportTable]:
    """Return one table a metric: training sizes by methods, mean (sd over repetitions)."""
    found = {(row["metric"], row["n_train"], row["method"]): row for row in result.records()}
    repeats = len(result.values(result.methods[0], result.result.metrics[0]))
    tables = []
    for metric in result.result.metrics:
        rows = []
        for size in result.train_sizes:
            cells = [Cell(str(size))]
            for method in result.methods:
                row = found[metric, size, method]
                cells.append(Cell(_mean_sd(row["mean"], row["sd"], metric)))
            rows.append(cells)
        notes = [f"Mean (standard deviation) over {repeats} repetitions."]
        tables.append(
            ReportTable(scale_of(metric)[2], ["training rows", *result.methods], rows, (), notes)
        )
    return tables


def sweep_tables(result: Sweep, *, sd: str = "folds") -> list[ReportTable]:
    """Return one table a metric: the map of settings, mean (sd), the best emphasised."""
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
                text = _mean_sd(means[place], scores.sd(methods[place], metric, of=sd), metric)
                cells.append(Cell(text, len(methods) > 1 and means[place] == best))
            body.append(cells)
        folds = f"{len(scores.folds.pairs)} folds ({scores.folds.description})"
        title = f"{scores.name}: " if scores.name else ""
        title += f"{scale_of(metric)[2]} by {across}, {folds}"
        spread = "fold values" if sd == "folds" else "repetition means"
        notes = [f"Mean (standard deviation of {spread}); best values emphasised."]
        tables.append(ReportTable(title, ["", *columns], body, (), notes))
    return tables


def friedman_tables(result: FriedmanResult) -> list[ReportTable]:
    """Return mean ranks, best first, with Nemenyi's p-value against the best; the sentence
    below."""
    order = np.argsort(result.mean_ranks, kind="stable")
    rows = [
        [
            Cell(result.names[place]),
            Cell(number(float(result.mean_ranks[place]), 3)),
            Cell("" if place == order[0] else number(float(result.pairwise_p[order[0], place]), 4)),
        ]
        for place in order
    ]
    return [
        ReportTable(
            "Mean ranks", ["method", "mean rank", "p against the best"], rows, (), [result.sentence]
        )
    ]


def settings_of(result: CrossValidation) -> dict[str, Any]:
    """Return what is needed to run it again: methods, folds, seed, versions."""
    from importlib.metadata import PackageNotFoundError, version

    versions = {"python": platform.python_version(), "numpy": np.__version__}
    for package in ("fasttree", "scikit-learn"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return {**result.settings, "versions": versions}


def records_of(
    result: CrossValidation | Comparison | LearningCurve | Sweep,
) -> list[dict[str, Any]]:
    """Return the plain rows of a result, numbers in full precision."""
    return result.summary() if isinstance(result, CrossValidation) else result.records()


def document_of(result: CrossValidation | Comparison | LearningCurve | Sweep) -> dict[str, Any]:
    """Return everything a result says as plain data."""
    if isinstance(result, CrossValidation):
        return {
            "kind": "cross_validation",
            "dataset": result.name,
            "rows": result.summary(),
            "folds": {
                method: {metric: values.tolist() for metric, values in scores.items()}
                for method, scores in result.items()
            },
            "classes": list(result.classes),
            "seconds": result.seconds,
            "settings": settings_of(result),
        }
    if isinstance(result, LearningCurve):
        return {
            "kind": "learning_curve",
            "dataset": result.result.name,
            "train_sizes": result.train_sizes,
            "rows": result.records(),
            "settings": settings_of(result.result),
        }
    if isinstance(result, Sweep):
        return {
            "kind": "sweep",
            "dataset": result.result.name,
            "axes": {name: list(values) for name, values in result.axes.items()},
            "best": result.best,
            "rows": result.records(),
            "settings": settings_of(result.result),
        }
    return {
        "kind": "comparison",
        "metric": result.metric,
        "greater_is_better": result.greater_is_better,
        "baseline": result.baseline,
        "alpha": result.alpha,
        "test": result.test if isinstance(result.test, str) else repr(result.test),
        "methods": list(result.methods),
        "rows": result.records(),
        "averages": dict(zip(result.methods, result.averages.tolist(), strict=True)),
        "wins_ties_losses": dict(
            zip(result.methods, result.wins_ties_losses.tolist(), strict=True)
        ),
        "win_matrix": result.win_matrix.tolist(),
        "significantly_worse": result.significantly_worse(),
        "settings": settings_of(next(iter(result.results.values()))),
    }

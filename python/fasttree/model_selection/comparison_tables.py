"""The tables of a `Comparison`: means with marks, significant wins, and the stability of the trees.

Every function takes the comparison as `result` and lays out its numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._checks.naming import display_name
from .._checks.words import counted
from ..exports.answers import figures
from ..exports.tables.table import Cell, ReportTable, mean_sd, number, report_table, scale_of
from .result import automatic_notes, spread_note
from .statistics.multiple import adjusted_without_nan, holm

MOST_COLUMNS = 6
"""Methods on one data set that are columns of a table; more are rows."""


def tables_of_comparison(result: Any) -> list[ReportTable]:
    """The table of means with marks, the matrix of significant wins, and the methods that are
    significantly worse than others; of many methods on one data set, one row per method."""
    has_stability = any(validation.stability for validation in result.results.values())
    stability = [_stability_table(result)] if has_stability else []
    if len(result.datasets) == 1 and len(result.methods) > MOST_COLUMNS:
        return [_methods_table(result), *stability]
    tables = [_means_table(result), *stability]
    if len(result.methods) > 2:
        tables.append(_wins_table(result))
    worse = result.significantly_worse()
    if worse:
        rows = [[row["dataset"], row["method"], ", ".join(row["worse_than"])] for row in worse]
        header = ["data set", "method", "than"]
        tables.append(report_table("Who is significantly worse", header, rows))
    return tables


def _title(result: Any) -> str:
    """The metric, and its direction if smaller values are better."""
    direction = "" if result.greater_is_better else ", smaller is better"
    return f"{scale_of(result.metric).label}{direction}"


def _test_name(result: Any) -> str:
    return display_name(result.test).replace("_", " ") + " test"


def _methods_table(result: Any) -> ReportTable:
    """One data set: mean, standard deviation, difference from the baseline and p-value of each
    method, p-values also by Holm's correction for all comparisons with the baseline."""
    factor, digits, label = scale_of(result.metric)
    means, baseline = result.means[0], result.methods.index(result.baseline)
    p_values = result.p_values[0, :, baseline].copy()
    p_values[baseline] = np.nan
    corrected = adjusted_without_nan(holm, p_values)
    rows: list[list[Any]] = []
    for j, method in enumerate(result.methods):
        mark = str(result.marks[0, j])
        mean = Cell(number(factor * float(means[j]), digits), bool(result.best[0, j]), mark)
        row = [method, mean, number(factor * float(result.sds[0, j]), digits), "", "", ""]
        if j != baseline:
            row[3] = number(factor * float(means[j] - means[baseline]), digits)
            row[4:] = [number(float(p), 4) for p in (p_values[j], corrected[j])]
        rows.append(row)
    n_others = counted(int((~np.isnan(p_values)).sum()), "comparison")
    return report_table(
        f"{result.datasets[0]}: {_title(result)}",
        ["method", label, "sd", f"- {result.baseline}", "p", "p, Holm"],
        rows,
        *_notes(result),
        f"p and the marks are not corrected for {n_others} with {result.baseline}; Holm's "
        "p-values are. Pairs of other methods: pair_test, p_values.",
    )


def _means_table(result: Any) -> ReportTable:
    """Means with marks, the average, and wins, ties and losses against the baseline."""
    factor, digits, _ = scale_of(result.metric)
    emphasised = result.best & (len(result.methods) > 1)
    rows: list[list[Any]] = []
    for i, dataset in enumerate(result.datasets):
        texts = [
            mean_sd(mean, sd, result.metric)
            for mean, sd in zip(result.means[i].tolist(), result.sds[i].tolist(), strict=True)
        ]
        marks = zip(texts, emphasised[i].tolist(), result.marks[i].tolist(), strict=True)
        rows.append([dataset, *(Cell(*mark) for mark in marks)])
    averages = [number(factor * value, digits) for value in result.averages.tolist()]
    counts = zip(result.methods, result.wins_ties_losses.tolist(), strict=True)
    against = [
        "" if method == result.baseline else f"({'/'.join(map(str, numbers))})"
        for method, numbers in counts
    ]
    rows += [["average", *averages], ["(v/ /*)", *against]]
    rules = (len(result.datasets),)
    header = ["data set", *result.methods]
    return report_table(_title(result), header, rows, *_notes(result), rules=rules)


def _stability_table(result: Any) -> ReportTable:
    """How much refits of each tree on resampled rows agree: a column per method, or a row where
    there are many on one data set."""
    first = next(iter(result.results.values()))
    is_number = first.task == "regression"
    meaning = "Chance that two refits predict the same class, in %."
    if is_number:
        meaning = "Standard deviation of the predictions for a row over the refits."
    rows, samples = [], {}
    for dataset, validation in result.results.items():
        row = [dataset]
        for method in result.methods:
            facts = validation.stability.get(method)
            if facts is None:
                row.append("-")
                continue
            samples[method], agreement = facts["sample"], facts["agreement"]
            text = figures(agreement) if is_number else number(100 * agreement, 1)
            row.append(f"{text} ({facts['similarity']:.2f})")
        rows.append(row)
    header = ["data set", *result.methods]
    if len(rows) == 1 and len(result.methods) > MOST_COLUMNS:
        # One data set: the table stands on its side.
        header, *rows = map(list, zip(["method", *result.methods], rows[0], strict=True))
    notes = [meaning, "In brackets: likeness of their leaves (1: the same division)."]
    on_parts = [method for method in result.methods if samples.get(method) == "subsample"]
    if on_parts:
        notes.append(
            f"On subsamples, as copies of a row make p-values too small: {', '.join(on_parts)}."
        )
    refits = counted(first.asked["stability"], "refit")
    kind = "subsamples" if len(on_parts) == len(result.methods) else "bootstrap samples"
    return report_table(f"Stability: {refits} on {kind}", header, rows, *notes)


def _notes(result: Any) -> list[str]:
    """Notes below the table of means: the meaning of the marks, and the missing parts."""
    best = [Cell("", len(result.methods) > 1 and bool(result.best.any()))]
    notes = [
        spread_note(result.sd, best),
        f"v / * : significantly better / worse than {result.baseline} ({_test_name(result)}, "
        f"two-sided, {result.alpha:g}).",
    ]
    data = {name: validation.settings["data"] for name, validation in result.results.items()}
    targets = {
        name: facts["target"] for name, facts in data.items() if not facts["target_is_named"]
    }
    if len(data) > 1 and {*targets.values()} - {"class"}:
        listed = ", ".join(f"{name} {target!r}" for name, target in targets.items())
        notes.append(f"Targets that are not named (the column 'class', else the last): {listed}.")
    if result.unfinished:
        notes.append(f"Interrupted; not finished: {', '.join(result.unfinished)}.")
    notes += automatic_notes(result.results.values())
    return notes + [f"{name} does not apply: {why}" for name, why in result.skipped.items()]


def _wins_table(result: Any) -> ReportTable:
    """How often each method is significantly better than each other."""
    wins = result.win_matrix
    rows = [
        [method, *("-" if i == j else wins[i, j] for j in range(len(wins)))]
        for i, method in enumerate(result.methods)
    ]
    return report_table(
        "Data sets on which the row's method is significantly better than the column's",
        ["method", *result.methods],
        rows,
        f"Each pair on each data set alone ({_test_name(result)}, {result.alpha:g}), without a "
        "correction for the number of tests: tests over all data sets together may show no "
        "difference.",
    )

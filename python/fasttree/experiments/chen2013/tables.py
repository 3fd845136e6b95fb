"""Tables and figures of the reproduction of Chen, Wu & Cai (2013), ours beside the printed ones.

`run` computes the `SetResult` of each data set; the functions here lay them out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ...exports.tables.table import ReportTable, report_table
from ...model_selection import Comparison, CrossValidation
from ..reproduction import Row, agrees, header_beside

SAME, OTHER, NOT_COMPARABLE = "=", "DIFFERS", "n/c"
"""Verdicts on a cell."""


@dataclass
class SetResult:
    """The results on one data set, which the tables lay out."""

    facts: dict[str, Any]
    """The facts of Table 1."""
    validation: CrossValidation
    leaves: dict[str, int]
    """Leaves of the tree grown on all rows, by measure."""
    nonempty: dict[str, int]
    """Leaves of this tree that hold training rows, by measure; nominal splits make empty ones."""


def fact_rows(facts: Mapping[str, Mapping[str, Any]], printed: Mapping[str, Any]) -> list[Row]:
    """Table 1, one row per fact; Y and N are booleans.

    A printed number of classes agrees if it is the number of declared or of occurring labels.

    Args:
        facts: what was counted in the files, by data set and fact.
        printed: the paper's numbers.
    """
    rows = []
    for dataset, measured in facts.items():
        for name, expected in zip(
            printed["table1_columns"], printed["table1"][dataset], strict=True
        ):
            value, note = measured[name], None
            match = value == expected
            if name == "classes" and not match and measured["occurring classes"] == expected:
                match, note = True, f"{expected} classes occur, {value} are declared"
            if not match:
                note = printed["table1_remarks"].get(dataset)
            if isinstance(expected, str):
                value, expected = value == "Y", expected == "Y"
            theirs = {"published": expected, "match": match, "note": note}
            rows.append(Row(dataset, "", f"table1_{name}", value, **theirs))
    return rows


def table_one(
    checks: Sequence[Row], facts: Mapping[str, Mapping[str, Any]], printed: Mapping[str, Any]
) -> ReportTable:
    """Table 1 as counted in the files; the last column has the values that the paper prints
    differently.

    Args:
        checks: the rows of `fact_rows`, which say what differs.
        facts: what was counted in the files, by data set and fact.
        printed: the paper's numbers.
    """
    names = list(printed["table1_columns"])
    rows, notes = [], []
    for dataset, measured in facts.items():
        expected = dict(zip(names, printed["table1"][dataset], strict=True))
        wrong = [row.quantity[7:] for row in checks if row.dataset == dataset and not row.match]
        differs = ", ".join(f"{name} {expected[name]}" for name in wrong)
        counted = [measured[name] for name in (*names, "occurring classes")]
        rows.append([dataset, *counted, f"paper: {differs}" if differs else SAME])
        if differs and dataset in printed["table1_remarks"]:
            notes.append(f"{dataset}: {printed['table1_remarks'][dataset]}.")
    header = ["data set", *names, "occurring classes", "paper"]
    return report_table("Table 1: the data sets, counted in the files", header, rows, *notes)


def table_two(
    rows: Sequence[Row], methods: Sequence[str], printed: Mapping[str, Any]
) -> ReportTable:
    """Table 2: mean ± sd and mark, ours and the paper's side by side, with averages over the
    comparable sets.

    Args:
        rows: the rows of the accuracies and of their averages.
        methods: names of the measures.
        printed: the paper's numbers.
    """
    # Comparable sets come first, then the others, then the averages of the first.
    cells = {
        (row.dataset, row.method): row
        for row in rows
        if row.quantity in {"accuracy", "average_accuracy"}
    }
    datasets = list(dict.fromkeys(row.dataset for row in rows if row.quantity == "accuracy"))
    comparable = [name for name in datasets if name not in printed["subsampled"]]
    body = []
    for dataset in [*comparable, *(name for name in datasets if name not in comparable)]:
        line = [dataset]
        for method in methods:
            row = cells[dataset, method]
            mean, sd, mark = printed["table2"][dataset][method]
            verdict = NOT_COMPARABLE if row.match is None else SAME if row.match else OTHER
            line += [f"{row.value:.2f}±{row.sd:.2f} {row.mark or ' '}"]
            line += [f"{mean}±{sd} {mark or ' '}", verdict]
        body.append(line)
    if comparable:
        line = ["average"]
        for method in methods:
            row = cells["average", method]
            verdict = SAME if row.match else OTHER
            line += [f"{row.value:.2f}  ", f"{row.published:.2f}  ", verdict]
        body.append(line)
    header = header_beside(["data set"], methods, "paper", "")
    whole = ", ".join(f"{method} {value}" for method, value in printed["table2_average"].items())
    two_parts = comparable and len(comparable) < len(datasets)
    return report_table(
        "Table 2: accuracy, ours beside the paper's",
        header,
        body,
        "Accuracy in percent: mean ± standard deviation of 100 fold values; v / * : significantly "
        "better / worse than info_gain (corrected resampled t test, two-sided 0.05).",
        f"Averages are over the {len(comparable)} comparable sets shown, of our and of the printed "
        f"means; the paper's averages over its 36 sets are {whole}.",
        rules=(*([len(comparable)] if two_parts else []), len(body) - 1),
    )


def averages_agree(ours: float, theirs: float) -> bool:
    """Whether the average of our means and the average of printed means may be equal, apart from
    the rounding of the print, which is up to 0.005 per mean.

    Args:
        ours, theirs: the averages, percent.

    >>> averages_agree(75.0449, 75.0452), averages_agree(75.04, 75.05)
    (True, False)
    """
    return abs(ours - theirs) <= 0.005 + 1e-9


def average_rows(fair: Comparison, printed: Mapping[str, Any]) -> list[Row]:
    """Averages over the comparable sets, ours and of the printed means of the same sets.

    Args:
        fair: the comparison on the comparable sets.
        printed: the paper's numbers.
    """
    rows = []
    for method, value in zip(fair.methods, fair.averages, strict=True):
        theirs = float(
            np.mean([float(printed["table2"][name][method][0]) for name in fair.datasets])
        )
        ours = 100.0 * float(value)
        row = Row("average", method, "average_accuracy", ours, published=round(theirs, 4))
        row.match, row.note = averages_agree(ours, theirs), f"over {len(fair.datasets)} data sets"
        rows.append(row)
    return rows


def win_tie_loss(fair: Comparison, printed: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Table 3: every measure against every base, over the comparable sets.

    The paper prints marks by data set against information gain only, and totals over its 36 sets
    for the other bases.

    Args:
        fair: the comparison on the comparable sets.
        printed: the paper's numbers.
    """
    out = []
    for (i, base), (j, method) in combinations(enumerate(fair.methods), 2):
        same = None
        if i == 0:
            marks = [printed["table2"][name][method][2] for name in fair.datasets]
            same = [marks.count(mark) for mark in ("v", "", "*")]
        words = {"wins": 1, "ties": 0, "losses": -1}
        counts = {word: int((fair.better[:, j, i] == sign).sum()) for word, sign in words.items()}
        theirs = printed["table3"].get(base, {}).get(method)
        found = {"published_same_sets": same, "published_36_sets": theirs}
        out.append({"base": base, "method": method, **counts, **found})
    return out


def table_three(entries: Sequence[Mapping[str, Any]], n_sets: int) -> ReportTable:
    """Table 3: wins / ties / losses of the column's measure against the base.

    Args:
        entries: the result of `win_tie_loss`.
        n_sets: number of comparable sets.
    """
    rows = []
    for one in entries:
        ours = f"{one['wins']}/{one['ties']}/{one['losses']}"
        same = one["published_same_sets"]
        theirs = "not printed" if same is None else "/".join(map(str, same))
        verdict = "" if same is None else SAME if theirs == ours else OTHER
        rows.append([one["base"], one["method"], ours, theirs, verdict, one["published_36_sets"]])
    ours_beside = [f"w/t/l, {n_sets} sets", "paper's marks, same sets", "", "paper, 36 sets"]
    return report_table(
        "Table 3: wins, ties and losses in accuracy",
        ["base", "measure", *ours_beside],
        rows,
        "w/t/l: data sets on which the measure is significantly better than / not different from / "
        "worse than the base.",
    )


def leaf_table(results: Mapping[str, SetResult], printed: Mapping[str, Any]) -> ReportTable:
    """Leaves of the trees of all rows, and in brackets the number of leaves that hold training
    rows.

    Args:
        results: the result on each data set.
        printed: the paper's numbers.
    """
    methods = list(next(iter(results.values())).leaves)
    rows = []
    for dataset, result in results.items():
        counts = result.leaves
        theirs = printed["leaves"].get(dataset)
        text = ""
        if theirs:
            agree = all(agrees(counts[method], number) for method, number in theirs.items())
            numbers = " / ".join(theirs.get(method, "-") for method in methods)
            text = f"{numbers} {SAME if agree else OTHER}"
        rows.append([dataset, *(f"{counts[m]} ({result.nonempty[m]})" for m in methods), text])
    return report_table(
        "Leaves of the trees grown on all rows, empty ones included (without them)",
        ["data set", *methods, "paper"],
        rows,
    )


def figure_one(results: Mapping[str, SetResult], methods: Sequence[str]) -> Any:
    """Figure 1: bars of leaf counts, in two panels, with and without empty leaves.

    Args:
        results: the result on each data set.
        methods: names of the measures.
    """
    from ...plots import grouped_bars, new_figure

    figure, axes = new_figure(1, 2, width=11.0, height=4.2)
    panels = {
        "all leaves, empty ones included": {n: r.leaves for n, r in results.items()},
        "leaves that hold training rows": {n: r.nonempty for n, r in results.items()},
    }
    for place, (ax, (title, counts)) in enumerate(zip(axes, panels.items(), strict=True)):
        values = {method: [counts[name][method] for name in results] for method in methods}
        grouped_bars(
            values, list(results), ylabel="leaves", title=title, ax=ax, legend=place == 1, rotate=20
        )
    figure.suptitle("Number of leaves for different measures")
    return figure

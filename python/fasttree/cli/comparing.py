"""`ftree cv` and `ftree compare`: criteria on the same folds, of one data set or of several.

They print what `fasttree.model_selection.cross_validate` and `compare` return, and with ``--html``
write their page.
"""

from __future__ import annotations

import os
import textwrap
import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from .._checks.words import argument, counted, in_text, some_of
from ..exports.answers import figures
from ..exports.tables.table import PERCENT, number, scale_of
from ..reports import Cell, ReportTable, render
from . import options as o
from .bundles import Without, examples
from .execution import Execution
from .folding import FoldColumns
from .output import check_writable, emit, save_picture
from .shell import split_list
from .tasks import TASKS, baseline_text, costs_said

if TYPE_CHECKING:
    from ..datasets.errors import DataFileError
    from ..model_selection import Comparison, CrossValidation
    from ..table import Table

Cv = Annotated[
    str, "--cv", "Folds: 10x10 (repetitions x folds), 5x10, 5x2, weka (Weka's own 10 x 10), or 10."
]
Metrics = Annotated[
    list[str] | None,
    "--metric -s",
    "Metrics, with commas: accuracy, f_beta(beta=2), auc, leaves, log_loss, "
    f"'expected_cost(cost_matrix=[[0, 1], [10, 0]])' ({o.COST_ORDER}), ...; of a number r2, "
    "rmse, mae, pinball(quantile=0.9), ...",
]


def default_sets(smallest: int = 100) -> list[str]:
    """The bundled data sets that have enough rows to be cross-validated.

    >>> "iris" in default_sets(), "weather" in default_sets()
    (True, False)
    """
    from ..datasets import list_datasets

    return [str(one["name"]) for one in list_datasets() if one["rows"] >= smallest]


Level = Annotated[float, "--alpha", "Level of every single test."]


@dataclass(frozen=True)
class Files:
    """The files that a comparison writes."""

    html: Annotated[
        Path | None, "--html FILE", "Write one self-contained HTML page, with curves and trees."
    ] = None
    fold_values: Annotated[
        Path | None,
        "--fold-values FILE",
        "Write the values of every fold as CSV, one row per method and fold.",
    ] = None

    def check(self) -> None:
        """Refuse files that cannot be written, before anything is fitted."""
        check_writable({"--html": self.html, "--fold-values": self.fold_values})
        if self.html is not None:
            from ..reports.html.page import environment

            environment()

    def write(self, result: Comparison | CrossValidation) -> None:
        """Write the page of a result and its fold values, if the files are given."""
        if self.html is not None:
            result.to_html(self.html)
        if self.fold_values is not None:
            result.to_csv(self.fold_values, folds=True)


@examples(
    "ftree cv iris -c gini,info_gain -s accuracy,leaves",
    "ftree cv data.csv -t label --cv weka",
    "ftree cv patients.csv -t outcome --groups hospital --cv 1x5",
    "ftree cv sales.csv -t demand --time date --cv 5",
    "ftree cv prices.csv -t price --task regression -s r2,leaves",
    "ftree cv iris --html iris.html",
)
def cv(
    data: o.DataFile,
    *,
    columns: o.Columns,
    criteria: o.Criteria = None,
    folds: Cv = "5x10",
    fold_columns: FoldColumns,
    metric: Metrics = None,
    scoring: Annotated[list[str] | None, typer.Option(hidden=True)] = None,
    trees: o.Trees,
    form: o.Form = "text",
    run: o.Run,
    per_class: Annotated[
        bool, "--per-class", "Also the measures of every class, as Weka prints them."
    ] = False,
    files: Files,
    execution: Execution,
    json: o.Json = None,
) -> None:
    """Cross-validate split criteria on one data set, all on the same folds."""
    from ..model_selection import cross_validate

    o.check_form(form)
    files.check()
    fold_columns.check()
    fold_columns.skip_search_for_groups()
    splitting = fold_columns.folds(folds)
    settings = {"columns": columns.treatment, **trees.settings_without_criterion()}
    named = o.criteria_of(criteria)
    rows = columns.table(data, named.values(), settings, aside=fold_columns.names)
    rows = fold_columns.ordered_rows(rows, data)
    task = TASKS[rows.task]
    costs = settings.get("cost_matrix")
    metrics = [o.metric_of(one, costs) for one in split_list(scoring or metric) or task.metrics]
    with execution.opened() as keywords:
        result = cross_validate(
            rows,
            criterion=o.compared(named, task.criteria, settings),
            cv=splitting,
            groups=fold_columns.groups,
            scoring=metrics,
            **run.keywords,
            progress=True,
            keep_proba=rows.task == "classification" and (files.html is not None or per_class),
            on_error="raise" if criteria else "skip",  # one that the user names must apply
            **keywords,
            **settings,
        )
    files.write(result)
    # Tables for people end with the accuracy or error of the best constant.
    for_people = form not in ("csv", "json")
    options = {"per_class": True} if per_class and for_people else {}
    document = result.document()

    def text() -> str:
        tables = render(result, form, **options)
        if not for_people:
            return tables
        constant = baseline_text(result.settings["data"]["constant"])
        constant = f"{constant[:1].upper()}{constant[1:]}"
        if rows.task == "classification" and "accuracy" not in result.metrics:
            constant = f"{constant} right, by accuracy"
        said = [
            *fold_columns.time_order_advice(data, rows),
            *costs_said([rows], settings, *metrics),
        ]
        return "\n".join([tables, f"{constant}.", *said, ""])

    emit(text, document, json)


@examples(
    "ftree compare", "ftree compare a.arff b.csv -c info_gain,gini,mdl --baseline gini -f markdown"
)
def compare(
    data: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DATA",
            help="Data files or bundled sets; default: the bundled ones of 100 rows and more.",
        ),
    ] = None,
    *,
    criteria: o.Criteria = None,
    folds: Cv = "10x10",
    fold_columns: FoldColumns,
    metric: Annotated[
        str | None,
        "--metric -s",
        "What is compared: accuracy (the default), 'f_beta(beta=2)', auc, leaves, "
        f"'expected_cost(cost_matrix=[[0, 1], [10, 0]])' ({o.COST_ORDER}), ...; of a number r2 "
        "(the default), rmse, mae, ...",
    ] = None,
    baseline: Annotated[
        str | None, "Criterion that the marks refer to; default: the first."
    ] = None,
    alpha: Level = 0.05,
    test: Annotated[
        str, "corrected_resampled_t, paired_t, wilcoxon, five_by_two_t or five_by_two_f."
    ] = "corrected_resampled_t",
    target: Annotated[
        list[str] | None,
        "--target -t",
        "Target column of all data files; or given once for each, in their order (bundled "
        "sets have their own). Default: 'class', else the last column.",
    ] = None,
    columns: Annotated[o.Columns, Without("target")],
    on_error: Annotated[
        str | None,
        "A criterion that does not apply: raise, or skip (and say why); default: raise "
        "for criteria that are named, skip for the usual ones.",
    ] = None,
    trees: o.Trees,
    form: o.Form = "text",
    full: Annotated[bool, "--full", "All tables and tests, as in the other forms."] = False,
    stability: o.Stability = None,
    run: o.Run,
    out: o.Pictures = None,
    files: Files,
    execution: Execution,
    json: o.Json = None,
) -> None:
    """Compare split criteria over data sets: accuracy, leaves, significance marks, wins, ties,
    losses."""
    from ..datasets.errors import DataFileError
    from ..model_selection import compare as run_comparison
    from ..model_selection.arguments import unused_name
    from ..model_selection.comparing import one_task

    # The arguments, before anything is fitted.
    o.check_form(form)
    files.check()
    fold_columns.check()
    fold_columns.skip_search_for_groups()
    settings = {"columns": columns.treatment, **trees.settings_without_criterion()}
    named = o.criteria_of(criteria)
    sets: dict[str, Table] = {}
    orders: list[str] = []
    absent: dict[str, list[DataFileError]] = {}
    names = data or default_sets()
    # Options on columns are for the files, if there are any.
    bundled = {*default_sets(0)}
    is_file = [name not in bundled or os.path.exists(name) for name in names]
    is_file = is_file if any(is_file) else [True] * len(names)
    targets: list[str | None] = [*target] if target else [None]
    targets = targets * sum(is_file) if len(targets) == 1 else targets
    if len(targets) not in (sum(is_file), len(names)):
        raise ValueError(
            f"--target is given {len(targets)} times for {counted(sum(is_file), 'data file')}; "
            "give it once for all, or once for each, in their order (bundled sets have their own)"
        )
    own = iter(targets)
    for name, mine in zip(names, is_file, strict=True):
        found = next(own) if mine or len(targets) == len(names) else None
        read = replace(columns if mine else o.Columns(task=columns.task), target=found)
        try:
            one, lacking = _present(
                partial(read.table, name, named.values(), settings, aside=fold_columns.names),
                columns.names if mine and sum(is_file) > 1 else (),
            )
        except DataFileError as error:
            if len(target or ()) != 1 or sum(is_file) == 1 or error.value != found:
                raise
            raise ValueError(f"{error}; give -t once per file, in their order") from error
        for column, refusal in lacking.items():
            absent.setdefault(column, []).append(refusal)
        one = fold_columns.ordered_rows(one, name)
        sets[unused_name(one.name or name, sets)] = one
        orders += fold_columns.time_order_advice(name, one)
    for column, refusals in absent.items():
        if len(refusals) == sum(is_file):
            raise refusals[-1]
        warnings.warn(
            f"{some_of([one.path for one in refusals])}: no column is named {column!r}; the "
            "options on it are for the other files",
            stacklevel=2,
        )
    task = TASKS[one_task({name: one.task for name, one in sets.items()})]
    chosen = o.compared(named, task.criteria, settings)
    scoring = o.metric_of(metric or task.metrics[0], settings.get("cost_matrix"))
    if baseline is not None and baseline not in chosen:
        raise ValueError(f"--baseline {baseline!r} is not one of the criteria {', '.join(chosen)}")
    with execution.opened() as keywords:
        result = run_comparison(
            sets,
            chosen,
            cv=fold_columns.folds(folds),
            groups=fold_columns.groups,
            alpha=alpha,
            baseline=baseline,
            test=test,
            scoring=[scoring],
            **run.keywords,
            progress=True,
            keep_proba=files.html is not None and task is TASKS["classification"],
            on_error=on_error or ("raise" if criteria else "skip"),
            stability=stability,
            params=settings,
            **keywords,
        )
    # The metric and the number of leaves, with a test of each over the data sets.
    files.write(result)
    size = result.with_metric("leaves")
    constants = [one.settings["data"]["constant"] for one in result.results.values()]
    document = result.document()
    if out is not None:
        _draw(result, size, out)

    def text() -> str:
        if form in ("csv", "json"):
            return render(result, form)
        if full or form != "text":
            tables = _all_tables(result, size, constants)
        else:
            pruned = bool(settings.get("pruning") or settings.get("ccp_alpha"))
            stable = [] if stability is None else result.tables()[1:2]
            tables = [*stable, _summary(result, size, constants, pruned)]
        tables[-1].notes[-1:-1] = [*orders, *costs_said(sets.values(), settings, scoring)]
        return render(tables, form)

    emit(text, document, json)


def _present(
    read: Callable[..., Table], names: Collection[str]
) -> tuple[Table, dict[str, DataFileError]]:
    """A Table, and the errors of the columns that options name and it does not have."""
    from ..datasets.errors import DataFileError

    lacking: dict[str, DataFileError] = {}
    while True:
        try:
            return read(lacking=lacking), lacking
        except DataFileError as error:
            if error.value not in names or error.value in lacking:
                raise
            lacking[error.value] = error


def _all_tables(
    result: Comparison, size: Comparison, constants: list[dict[str, Any]]
) -> list[ReportTable]:
    """The tables of the metric and of the leaves, with the tests of ranks over the data sets."""
    compared = (result, size) if result.metric != "leaves" else (result,)
    tables = result.tables() + [one.tables()[0] for one in compared[1:]]
    for one in compared if result.is_ranked else ():
        [ranks] = one.against_baseline().tables()
        ranks.title = f"{one.metric}: {ranks.title.lower()}"
        ranks.notes.insert(0, one.friedman().sentence)
        if one.metric in PERCENT:
            others = [method for method in one.methods if method != one.baseline]
            tests = (one.bayesian_signed_rank(method, one.baseline) for method in others)
            ranks.notes += [test.sentence for test in tests]
        tables.append(ranks)
    number = "mae_of_mean" in constants[0]
    said = "MAE of always saying the mean" if number else "Majority class (%)"
    values = (
        figures(one["mae_of_mean"]) if number else f"{100 * one['majority']:.1f}"
        for one in constants
    )
    known = ", ".join(map(" ".join, zip(result.datasets, values, strict=True)))
    tables[-1].notes.append(f"{said}: {known}.")
    return tables


def _summary(
    result: Comparison, size: Comparison, constants: list[dict[str, Any]], pruned: bool
) -> ReportTable:
    """Means beside the best constant, what looks broken, the conclusion and the next command: a
    screen of 24 lines for the bundled data sets."""
    from ..model_selection.comparison_tables import MOST_COLUMNS
    from ..reports.html.finding import finding, listed

    factor, digits, label = scale_of(result.metric)
    first = next(iter(result.results.values()))
    known = {"accuracy": ("majority", np.nan), "mae": ("mae_of_mean", np.nan), "r2": ("", 0.0)}
    field, usual = known.get(result.metric, ("", np.nan))
    limits = np.array([one.get(field, usual) for one in constants])
    constant = "mean" if first.task == "regression" else "majority"
    table = result.tables()[0]
    # Means without deviations, the best constant, and the leaves below; many methods are rows.
    if len(result.methods) <= MOST_COLUMNS:
        table.rows[-1] = [Cell("leaves"), *(Cell(number(x, 1)) for x in size.averages.tolist())]
        for row in table.rows:
            row[1:] = [replace(cell, text=cell.text.partition(" (")[0]) for cell in row[1:]]
        if not np.isnan(limits).any():
            table.header.append(constant)
            texts = [*(number(factor * x, digits) for x in limits.tolist()), "", ""]
            for row, text in zip(table.rows, texts, strict=True):
                row.append(Cell(text))
    trees = "pruned trees" if pruned else "unpruned trees"
    table.title = (
        f"{label} in {first.settings['cv']} cross-validation: "
        f"{counted(len(result.datasets), 'data set')}, {trees}"
        f"{'' if result.greater_is_better else '; smaller is better'}"
    )
    marks = f"best values emphasised; v / *: significantly better / worse than {result.baseline}"
    notes = [marks] * (len(result.methods) > 1)
    notes += [note for note in table.notes[1:] if not note.startswith("v / *")]
    # Methods below the constant.
    sign = 1.0 if result.greater_is_better else -1.0
    below = sign * result.means < sign * limits[:, None]
    worse = [
        f"{dataset} ({int(below[i].sum())} of {counted(below.shape[1], 'method')}, at best "
        f"{number(factor * sign * float((sign * result.means[i][below[i]]).max()), digits)} "
        f"against {number(factor * limits[i], digits)})"
        for i, dataset in enumerate(result.datasets)
        if below[i].any()
    ]
    if worse:
        hint = "" if pruned else f"; try {in_text(argument('pruning', TASKS[first.task].pruning))}"
        answer = "saying the mean" if constant == "mean" else "answering the most frequent class"
        notes.append(f"Worse than always {answer}: {listed(worse)}{hint}.")
    # The conclusion, and the next command.
    notes.append(finding(result))
    undecided = result.is_ranked and not result.friedman().significant
    table.notes = [line for note in notes for line in textwrap.wrap(note, 80)]
    table.notes.append(
        f"{'These sets do not decide; yours may' if undecided else 'Next'}: ftree advise FILE -t "
        "COLUMN (more: --full)"
    )
    return table


def _draw(result: Comparison, size: Comparison, folder: Path) -> None:
    """Draw the comparison into a folder."""
    from ..plots import criteria_dots, rank_diagram, tree_size_bars

    folder.mkdir(parents=True, exist_ok=True)
    save_picture(folder / f"compare-{result.metric}.png", lambda: criteria_dots(result))
    spread = bool(size.means.max() >= 10 * size.means.min())  # a linear axis shows less
    save_picture(folder / "compare-leaves.png", lambda: tree_size_bars(size, log=spread))
    if min(result.means.shape) > 1:
        save_picture(
            folder / "compare-ranks.png", lambda: rank_diagram(result, title=result.metric)
        )

"""`ftree cv` and `ftree compare`: criteria on the same folds, on one data set or on several.

They print the results of `fasttree.model_selection.cross_validate` and `compare`, and with
``--html`` write their page.
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
    """The names of the bundled data sets that have enough rows to be cross-validated; sets of fewer
    rows than `smallest` are left out.

    >>> "iris" in default_sets(), "weather" in default_sets()
    (True, False)
    """
    from ..datasets import list_datasets

    return [str(one["name"]) for one in list_datasets() if one["rows"] >= smallest]


Level = Annotated[float, "--alpha", "Level of every single test."]


@dataclass(frozen=True)
class Files:
    """The files that a comparison writes, a bundle of options of `compare` and `cv`."""

    html: Annotated[
        Path | None, "--html FILE", "Write one self-contained HTML page, with curves and trees."
    ] = None
    fold_values: Annotated[
        Path | None,
        "--fold-values FILE",
        "Write the values of every fold as CSV, one row per method and fold.",
    ] = None

    def check(self) -> None:
        """Refuse files that cannot be written, and a page without jinja2, before anything is
        fitted. Raises ValueError or ImportError."""
        check_writable({"--html": self.html, "--fold-values": self.fold_values})
        if self.html is not None:
            from ..reports.html.page import environment

            environment()

    def write(self, result: Comparison | CrossValidation) -> None:
        """Write the page of a result and its fold values, if the files are given; existing files
        are replaced."""
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
    from ..model_selection import compare as run_comparison
    from ..model_selection.comparing import one_task

    # The arguments, before anything is fitted.
    o.check_form(form)
    files.check()
    fold_columns.check()
    fold_columns.skip_search_for_groups()
    settings = {"columns": columns.treatment, **trees.settings_without_criterion()}
    named = o.criteria_of(criteria)
    sets, advice = _open_sets(
        data or default_sets(),
        target,
        columns,
        fold_columns=fold_columns,
        criteria=named,
        settings=settings,
    )
    task = TASKS[one_task({name: rows.task for name, rows in sets.items()})]
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
        tables[-1].notes[-1:-1] = [*advice, *costs_said(sets.values(), settings, scoring)]
        return render(tables, form)

    emit(text, document, json)


def _open_sets(
    names: list[str],
    target: list[str] | None,
    columns: o.Columns,
    *,
    fold_columns: FoldColumns,
    criteria: dict[str, Any],
    settings: dict[str, Any],
) -> tuple[dict[str, Table], list[str]]:
    """Read the data sets of a comparison.

    Args:
        names: data files and bundled sets.
        target: the option ``--target``: once for all files, or once for each.
        columns: options on columns. They are for the files, if there are any.
        fold_columns: the columns of ``--groups`` and ``--time``.
        criteria: the criteria by name, for which a target may be read as a number.
        settings: parameters of trees.

    Returns:
        The rows of each data set by its name, and lines of advice on the order of the rows.

    Raises:
        ValueError: targets that do not fit the files.
        DataFileError: a file that cannot be read, or a column that no file has.
    """
    from ..datasets.errors import DataFileError
    from ..model_selection.arguments import unused_name

    bundled = {*default_sets(0)}
    is_file = [name not in bundled or os.path.exists(name) for name in names]
    is_file = is_file if any(is_file) else [True] * len(names)
    n_files = sum(is_file)
    targets = _target_of_each(target, is_file)
    sets: dict[str, Table] = {}
    advice: list[str] = []
    absent: dict[str, list[DataFileError]] = {}
    for name, takes_options, own_target in zip(names, is_file, targets, strict=True):
        options = columns if takes_options else o.Columns(task=columns.task)
        read = partial(
            replace(options, target=own_target).table,
            name,
            criteria.values(),
            settings,
            aside=fold_columns.names,
        )
        try:
            rows, refusals = _present(read, columns.names if takes_options and n_files > 1 else ())
        except DataFileError as error:
            if len(target or ()) != 1 or n_files == 1 or error.value != own_target:
                raise
            raise ValueError(f"{error}; give -t once per file, in their order") from error
        for column, refusal in refusals.items():
            absent.setdefault(column, []).append(refusal)
        rows = fold_columns.ordered_rows(rows, name)
        sets[unused_name(rows.name or name, sets)] = rows
        advice += fold_columns.time_order_advice(name, rows)
    for column, errors in absent.items():
        if len(errors) == n_files:
            raise errors[-1]
        warnings.warn(
            f"{some_of([error.path for error in errors])}: no column is named {column!r}; the "
            "options on it are for the other files",
            stacklevel=3,
        )
    return sets, advice


def _target_of_each(target: list[str] | None, is_file: list[bool]) -> list[str | None]:
    """The name of the target of each data set; None: the one that it has by default.

    Args:
        target: the option ``--target``.
        is_file: whether each data set is a file, or else a bundled set.

    Raises:
        ValueError: neither one target, nor one for each file or for each data set.
    """
    n_files = sum(is_file)
    targets: list[str | None] = [*target] if target else [None]
    if len(targets) == 1:
        targets *= n_files
    if len(targets) not in (n_files, len(is_file)):
        raise ValueError(
            f"--target is given {len(targets)} times for {counted(n_files, 'data file')}; "
            "give it once for all, or once for each, in their order (bundled sets have their own)"
        )
    if len(targets) == len(is_file):
        return targets
    remaining = iter(targets)
    return [next(remaining) if takes_target else None for takes_target in is_file]


def _present(
    read: Callable[..., Table], names: Collection[str]
) -> tuple[Table, dict[str, DataFileError]]:
    """Read a Table without the columns that it does not have.

    Args:
        read: reads the rows; it leaves out the columns in its argument `lacking`.
        names: columns that may be missing.

    Returns:
        The Table, and the error of each missing column, by its name.

    Raises:
        DataFileError: another error than a missing column of these names.
    """
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
    """The tables of the metric and of the leaves, with the tests of ranks over the data sets.

    Args:
        result: the comparison by the metric.
        size: the comparison by the number of leaves.
        constants: measures of the best constant on each data set, by name.
    """
    comparisons = [result] if result.metric == "leaves" else [result, size]
    tables = result.tables() + [comparison.tables()[0] for comparison in comparisons[1:]]
    if result.is_ranked:
        tables += map(_rank_table, comparisons)
    if "mae_of_mean" in constants[0]:
        title = "MAE of always saying the mean"
        values = [figures(constant["mae_of_mean"]) for constant in constants]
    else:
        title = "Majority class (%)"
        values = [f"{100 * constant['majority']:.1f}" for constant in constants]
    value_of_each = ", ".join(map(" ".join, zip(result.datasets, values, strict=True)))
    tables[-1].notes.append(f"{title}: {value_of_each}.")
    return tables


def _rank_table(comparison: Comparison) -> ReportTable:
    """The mean ranks of the methods, with the tests of the differences in notes."""
    [ranks] = comparison.against_baseline().tables()
    ranks.title = f"{comparison.metric}: {ranks.title.lower()}"
    ranks.notes.insert(0, comparison.friedman().sentence)
    if comparison.metric in PERCENT:
        baseline = comparison.baseline
        for method in comparison.methods:
            if method != baseline:
                ranks.notes.append(comparison.bayesian_signed_rank(method, baseline).sentence)
    return ranks


def _summary(
    result: Comparison, size: Comparison, constants: list[dict[str, Any]], pruned: bool
) -> ReportTable:
    """Means beside the best constant, warnings about odd results, the conclusion and the next
    command: a screen of 24 lines for the bundled data sets.

    Args:
        result: the comparison by the metric.
        size: the comparison by the number of leaves.
        constants: measures of the best constant on each data set, by name.
        pruned: whether the trees are pruned.
    """
    from ..model_selection.comparison_tables import MOST_COLUMNS
    from ..reports.html.finding import finding, listed

    factor, digits, label = scale_of(result.metric)
    first = next(iter(result.results.values()))
    limits = _limits(result.metric, constants)
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
    worse = _worse_than(limits, result)
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


def _limits(metric: str, constants: list[dict[str, Any]]) -> np.ndarray:
    """The metric of the best constant on each data set; NaN where it is not known.

    Args:
        metric: name of the metric.
        constants: measures of the best constant on each data set, by name.
    """
    if metric == "r2":  # of the mean, by definition
        return np.zeros(len(constants))
    field = {"accuracy": "majority", "mae": "mae_of_mean"}.get(metric, "")
    return np.array([constant.get(field, np.nan) for constant in constants])


def _worse_than(limits: np.ndarray, result: Comparison) -> list[str]:
    """The data sets on which methods are worse than the best constant, with the best such method.

    Args:
        limits: the metric of the best constant on each data set.
        result: the comparison.
    """
    factor, digits, _ = scale_of(result.metric)
    sign = 1.0 if result.greater_is_better else -1.0
    is_below = sign * result.means < sign * limits[:, None]
    texts = []
    for i, dataset in enumerate(result.datasets):
        if is_below[i].any():
            best = sign * float((sign * result.means[i][is_below[i]]).max())
            texts.append(
                f"{dataset} ({int(is_below[i].sum())} of "
                f"{counted(is_below.shape[1], 'method')}, at best {number(factor * best, digits)} "
                f"against {number(factor * limits[i], digits)})"
            )
    return texts


def _draw(result: Comparison, size: Comparison, folder: Path) -> None:
    """Draw the comparison into a folder.

    Args:
        result: the comparison by the metric.
        size: the comparison by the number of leaves.
        folder: the folder, which is made if there is none.
    """
    from ..plots import criteria_dots, rank_diagram, tree_size_bars

    folder.mkdir(parents=True, exist_ok=True)
    save_picture(folder / f"compare-{result.metric}.png", lambda: criteria_dots(result))
    spread = bool(size.means.max() >= 10 * size.means.min())  # a linear axis shows less
    save_picture(folder / "compare-leaves.png", lambda: tree_size_bars(size, log=spread))
    if min(result.means.shape) > 1:
        save_picture(
            folder / "compare-ranks.png", lambda: rank_diagram(result, title=result.metric)
        )

"""`ftree cv` and `ftree compare`: criteria on the same folds, of one data set or of several.

They print what `fasttree.model_selection.cross_validate` and `compare` return, and with ``--html``
write their page.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from ..exports.answers import figures
from . import options as o
from .bundles import Alias
from .execution import Execution
from .folding import Dependence
from .output import emit, save_picture
from .shell import split_list
from .tasks import TASKS, baseline_of, baseline_text, costs_said

if TYPE_CHECKING:
    from ..model_selection import Comparison, CrossValidation
    from ..table import Table

__all__ = ["COMMANDS", "default_sets"]

Cv = Annotated[
    str,
    typer.Option(
        "--cv",
        help="Folds: 10x10 (repetitions x folds), 5x10, 5x2, weka (Weka's own 10 x 10), or 10.",
    ),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-s",
        help="Metrics, with commas: accuracy, f_beta(beta=2), auc, leaves, log_loss, "
        f"'expected_cost(cost_matrix=[[0, 1], [10, 0]])' ({o.COST_ORDER}), ...; of a number r2, "
        "rmse, mae, pinball(quantile=0.9), ...",
    ),
    Alias("--scoring"),
]


def default_sets(smallest: int = 100) -> list[str]:
    """The bundled data sets that have enough rows to be cross-validated.

    >>> "iris" in default_sets(), "weather" in default_sets()
    (True, False)
    """
    from ..datasets import list_datasets

    return [str(one["name"]) for one in list_datasets() if one["rows"] >= smallest]


Html = Annotated[
    Path | None,
    typer.Option(
        "--html", metavar="FILE", help="Write one self-contained HTML page, with curves and trees."
    ),
]


Sets = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="DATA",
        help="Data files or bundled sets; default: the bundled ones of 100 rows and more.",
    ),
]
Metric = Annotated[
    str | None,
    typer.Option(
        "--metric",
        "-s",
        help="What is compared: accuracy (the default), 'f_beta(beta=2)', auc, leaves, "
        f"'expected_cost(cost_matrix=[[0, 1], [10, 0]])' ({o.COST_ORDER}), ...; of a number r2 "
        "(the default), rmse, mae, ...",
    ),
]
Baseline = Annotated[
    str | None,
    typer.Option("--baseline", help="Criterion that the marks refer to; default: the first."),
]
Level = Annotated[float, typer.Option("--alpha", help="Level of every single test.")]
Test = Annotated[
    str,
    typer.Option(
        "--test",
        help="corrected_resampled_t, paired_t, wilcoxon, five_by_two_t or five_by_two_f.",
    ),
]
OnError = Annotated[
    str | None,
    typer.Option(
        "--on-error",
        help="A criterion that does not apply: raise, or skip (and say why); default: raise for "
        "criteria that are named, skip for the usual ones.",
    ),
]


def _check_output(form: str, file: Path | None) -> None:
    """Refuse an unknown form, and a page that cannot be written, before anything is fitted."""
    o.check_form(form)
    if file is not None:
        from ..reports.html.page import environment

        environment()
        if not file.absolute().parent.is_dir():
            raise FileNotFoundError(f"--html {file}: the folder {file.parent} does not exist")


def _write_page(result: Comparison | CrossValidation, file: Path | None) -> None:
    """Write the page of a result, if a file is given."""
    if file is not None:
        result.to_html(file)


def cv(
    data: o.DataFile,
    *,
    columns: o.Columns,
    criteria: o.Criteria = None,
    folds: Cv = "5x10",
    dependence: Dependence,
    metric: Metrics = None,
    trees: o.Trees,
    form: o.Form = "text",
    run: o.Run,
    per_class: Annotated[
        bool,
        typer.Option("--per-class", help="Also the measures of every class, as Weka prints them."),
    ] = False,
    html: Html = None,
    execution: Execution,
    json: o.Json = None,
) -> None:
    """Cross-validate split criteria on one data set, all on the same folds."""
    from ..model_selection import cross_validate
    from ..reports import render

    _check_output(form, html)
    dependence.check()
    splitting = dependence.folds(folds)
    settings = {"columns": columns.treatment, **trees.settings_without_criterion()}
    named = o.criteria_of(criteria)
    rows = columns.table(data, named.values(), settings, aside=dependence.aside)
    rows = dependence.prepared(rows, data)
    task = TASKS[rows.task]
    costs = settings.get("cost_matrix")
    scoring = [o.metric_of(one, costs) for one in split_list(metric) or task.metrics]
    with execution.opened() as keywords:
        result = cross_validate(
            rows,
            criterion=named or o.criteria_of(task.criteria),
            cv=splitting,
            groups=dependence.groups,
            scoring=scoring,
            **run.keywords,
            progress=True,
            keep_proba=rows.task == "classification" and (html is not None or per_class),
            on_error=_on_error(criteria),
            **keywords,
            **settings,
        )
    _write_page(result, html)
    # Tables for people end with the accuracy or error of the best constant.
    for_people = form not in ("csv", "json")
    options = {"per_class": True} if per_class and for_people else {}
    tested = rows.take(np.unique(result.folds.test_rows))
    document = {**result.document(), **baseline_of(tested)}

    def text() -> str:
        tables = render(result, form, **options)
        if not for_people:
            return tables
        constant = _first_upper(baseline_text(tested))
        if rows.task == "classification" and "accuracy" not in result.metrics:
            constant = f"{constant} right, by accuracy"
        said = costs_said([rows], settings, *scoring)
        return "\n".join([tables, f"{constant}.", *said, ""])

    emit(text, document, json)


def _on_error(criteria: list[str] | None) -> str:
    """The default of ``--on-error``: a criterion that the user names must apply."""
    return "raise" if criteria else "skip"


def _first_upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def compare(
    data: Sets = None,
    *,
    criteria: o.Criteria = None,
    folds: Cv = "10x10",
    dependence: Dependence,
    metric: Metric = None,
    baseline: Baseline = None,
    alpha: Level = 0.05,
    test: Test = "corrected_resampled_t",
    columns: o.Columns,
    on_error: OnError = None,
    trees: o.Trees,
    form: o.Form = "text",
    run: o.Run,
    out: o.Pictures = None,
    html: Html = None,
    execution: Execution,
    json: o.Json = None,
) -> None:
    """Compare split criteria over data sets: accuracy, leaves, significance marks, wins, ties,
    losses."""
    from ..model_selection import compare as run_comparison

    # The arguments, before anything is fitted.
    _check_output(form, html)
    dependence.check()
    settings = {"columns": columns.treatment, **trees.settings_without_criterion()}
    named = o.criteria_of(criteria)
    sets: dict[str, Table] = {}
    for name in data or default_sets():
        one = columns.table(name, named.values(), settings, aside=dependence.aside)
        one = dependence.prepared(one, name)
        sets[_unused(one.name or name, sets)] = one
    task = TASKS[_one_task(sets)]
    chosen = named or o.criteria_of(task.criteria)
    scoring = o.metric_of(metric or task.metrics[0], settings.get("cost_matrix"))
    if baseline is not None and baseline not in chosen:
        raise ValueError(f"--baseline {baseline!r} is not one of the criteria {', '.join(chosen)}")
    with execution.opened() as keywords:
        result = run_comparison(
            sets,
            chosen,
            cv=dependence.folds(folds),
            groups=dependence.groups,
            alpha=alpha,
            baseline=baseline,
            test=test,
            scoring=[scoring],
            **run.keywords,
            progress=True,
            keep_proba=html is not None and task is TASKS["classification"],
            on_error=on_error or _on_error(criteria),
            **keywords,
            **settings,
        )
    # The metric and the number of leaves, with a test of each over the data sets.
    _write_page(result, html)
    size = result.with_metric("leaves")
    document, verdict = _conclusions(result, size, sets)
    verdict += costs_said(sets.values(), settings, scoring)
    if out is not None:
        _draw(result, size, out)
    emit(lambda: _printed(result, size, form, verdict), document, json)


def _one_task(sets: dict[str, Table]) -> str:
    """The task that all data sets have; ValueError where they differ."""
    by_task = {one.task: name for name, one in sets.items()}
    if len(by_task) > 1:
        raise ValueError(
            f"the target of {by_task['regression']} is a number, {by_task['classification']} has "
            "classes: compare sets of one task, or give --task regression where whole numbers are "
            "no classes"
        )
    return next(iter(by_task))


def _printed(result: Comparison, size: Comparison, form: str, verdict: list[str]) -> str:
    """The tables in a form; those that people read end with the verdict."""
    from ..reports import render, tables_of

    if form in ("csv", "json"):
        return render(result, form)
    tables = tables_of(result) + ([] if result.metric == "leaves" else tables_of(size)[:1])
    return render(tables, form) + "".join(f"\n{line}\n" for line in verdict)


def _unused(name: str, taken: dict[str, Table]) -> str:
    """The name, with a number if it is taken."""
    number, final = 2, name
    while final in taken:
        number, final = number + 1, f"{name} ({number})"
    return final


def _conclusions(
    result: Comparison, size: Comparison, sets: dict[str, Table]
) -> tuple[dict[str, Any], list[str]]:
    """The JSON document, and lines of text.

    The lines say whether the criteria's ranks over the data sets differ, by the metric and by
    leaves, and give what the best constants reach.
    """
    document: dict[str, Any] = {**result.document(), "leaves": size.document()["rows"]}
    lines: list[str] = []
    if min(result.means.shape) > 1:
        lines, document["friedman"] = _rank_tests(result, size)
    constants = {name: baseline_of(one) for name, one in sets.items()}
    if _one_task(sets) == "regression":
        document["mae_of_mean"] = {name: one["mae_of_mean"] for name, one in constants.items()}
        errors = ", ".join(f"{name} {figures(v)}" for name, v in document["mae_of_mean"].items())
        return document, [*lines, f"MAE of always saying the mean: {errors}."]
    document["majority"] = {name: one["majority"] for name, one in constants.items()}
    shares = ", ".join(f"{name} {100 * v:.1f}" for name, v in document["majority"].items())
    return document, [*lines, f"Majority class (%): {shares}."]


def _rank_tests(result: Comparison, size: Comparison) -> tuple[list[str], dict[str, Any]]:
    """Friedman's test of the metric and of the leaves, as one line each and as JSON."""
    lines, tests = [], {}
    for one in (result, size) if result.metric != "leaves" else (result,):
        found = one.friedman()
        tests[one.metric] = {
            "p_value": found.p_value,
            "mean_ranks": dict(zip(found.names, found.mean_ranks.tolist(), strict=True)),
            "critical_difference": found.critical_difference,
            "sentence": found.sentence,
        }
        ranked = sorted(zip(found.mean_ranks.tolist(), found.names, strict=True))
        ranks = ", ".join(f"{name} {rank:.2f}" for rank, name in ranked)
        word = "differ" if found.significant else "do not differ"
        lines.append(
            f"{one.metric}: mean ranks over {found.n} data sets {word} (Friedman p = "
            f"{found.p_value:.2g}): {ranks}; "
            f"critical difference {found.critical_difference:.2f}."
        )
    return lines, tests


def _draw(result: Comparison, size: Comparison, folder: Path) -> None:
    """Draw the comparison into a folder."""
    from ..plots import criteria_dots, rank_diagram, tree_size_bars

    folder.mkdir(parents=True, exist_ok=True)
    save_picture(folder / f"compare-{result.metric}.png", lambda: criteria_dots(result))
    save_picture(folder / "compare-leaves.png", lambda: tree_size_bars(size, log=True))
    if min(result.means.shape) > 1:
        save_picture(
            folder / "compare-ranks.png", lambda: rank_diagram(result, title=result.metric)
        )


COMMANDS = (
    (
        compare,
        (
            "ftree compare",
            "ftree compare a.arff b.csv -c info_gain,gini,mdl --baseline gini -f markdown",
        ),
    ),
    (
        cv,
        (
            "ftree cv iris -c gini,info_gain -s accuracy,leaves",
            "ftree cv data.csv -t label --cv weka",
            "ftree cv patients.csv -t outcome --groups hospital --cv 1x5",
            "ftree cv sales.csv -t demand --time date --cv 5",
            "ftree cv prices.csv -t price --task regression -s r2,leaves",
            "ftree cv iris --html iris.html",
        ),
    ),
)
"""Commands with their examples."""

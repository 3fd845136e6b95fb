"""`ftree advise`: a recommended tree for a data file, by `fasttree.advise`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import typer

from .._checks.words import counted
from . import options as o
from .bundles import Without, examples
from .folding import FoldColumns
from .output import check_writable, emit
from .shell import SHELL, listed, quoted, split_list
from .streams import print_to_stderr

PATIENCE = 3.0
"""Seconds of silence where no bar is drawn."""


@examples(
    "ftree advise iris",
    "ftree advise data.csv -t label --html advice.html -m model.json",
    "ftree advise prices.csv -t price --task regression",
    "ftree advise data.csv -t label --metric balanced_accuracy",
    "ftree advise patients.csv -t outcome --groups hospital",
)
def advise(
    data: o.DataFile,
    *,
    columns: Annotated[o.Columns, Without("use", "keep")],
    metric: Annotated[
        str | None,
        "--metric -s",
        "What candidates are compared by: a metric of fasttree (auc, log_loss, "
        "'f_beta(positive=yes)', 'expected_cost(cost_matrix=[[0, 1], [10, 0]])', "
        f"{o.COST_ORDER}), or a scorer of scikit-learn (balanced_accuracy). Default: "
        "accuracy; of a number mae.",
    ] = None,
    prefer: Annotated[
        str,
        "small: the smallest tree within one standard error of the best (of accuracies "
        "also within one point); accurate: the best.",
    ] = "small",
    max_leaves: Annotated[
        int | None, typer.Option(min=2, help="Most leaves of the recommended tree.")
    ] = None,
    fold_columns: FoldColumns,
    work: Annotated[
        str,
        "How much is tried: quick, normal or thorough. It counts fits and rows, so the "
        "answer does not depend on the machine.",
    ] = "normal",
    time_limit: Annotated[
        float,
        "Seconds after which no further candidate is tried; 0: no limit. With one the "
        "answer depends on the machine.",
    ] = 0.0,
    folds: Annotated[
        str, "--cv", "Folds: 3x10, 1x5, 10, ...; auto: by the number of rows."
    ] = "auto",
    run: o.Run,
    model: Annotated[Path | None, "--model -m FILE", "Save the recommended tree."] = None,
    html: Annotated[Path | None, "--html FILE", "Write everything as one page."] = None,
    full: Annotated[bool, "--full", "List all candidates."] = False,
    json: o.Json = None,
) -> None:
    """Recommend a tree: which criterion, splits and pruning, how large, and how accurate on new
    rows."""
    from ..advice import advise as recommend

    check_writable({"--model": model, "--html": html, "--json": json})
    fold_columns.check()
    fold_columns.skip_search_for_groups()
    SHELL.file = data, None
    found = recommend(
        data,
        columns.target,
        scoring=None if metric is None else o.metric_of(metric),
        prefer=prefer,  # type: ignore[arg-type]
        groups=fold_columns.groups,
        exposure=columns.exposure,
        time=fold_columns.time,
        max_leaf_nodes=max_leaves,
        work=work,  # type: ignore[arg-type]
        time_limit=time_limit or None,
        cv=o.fold_count(folds),
        progress="auto" if sys.stderr.isatty() else _said_once(work),
        **run.keywords,
        drop=split_list(columns.drop),
        categorical_features=columns.kinds,
        task=columns.task,  # type: ignore[arg-type]
        **columns.reading,
    )
    # The files that were asked for, with a line on each.
    refit = f"Fit it again:\n{_command(data, found, columns, fold_columns)}"
    text = [found.to_text(refit, full=full)]
    if model is not None:
        found.model.save(model)
        text.append(f"Saved as {model}; use: ftree predict {quoted(str(model))} DATA")
    if html is not None:
        found.to_html(html)
        text.append(f"Page written to {html}")
    about = {"command": "advise", "data": data, "random_state": run.seed}
    emit("\n".join(text), {**about, **found.to_dict()}, json)


def _command(data: str, found: Any, columns: o.Columns, fold_columns: FoldColumns) -> str:
    """The `ftree fit` that grows the recommended tree.

    Args:
        data: the data file or bundled set.
        found: the result of `fasttree.advise`.
        columns: options on columns.
        fold_columns: the columns of ``--groups`` and ``--time``.
    """
    given = {
        "--target": columns.target,
        "--drop": listed(split_list(columns.drop)),
        "--nominal": ",".join(columns.nominal or ()),
        "--header": columns.header,
        "--decimal": columns.decimal,
        "--missing": ",".join(columns.missing or ()),
        "--dates": ",".join(columns.dates or ()),
        "--task": columns.task,
        "--exposure": columns.exposure,
        "--groups": fold_columns.groups,
        "--time": fold_columns.time,
    }
    if found.task == "regression":
        given["--task"] = found.task
    words = [word for option, value in given.items() if value for word in (option, value)]
    typed = ["ftree", "fit", data, *words, *o.typed_params(found.params)]
    return " ".join(map(quoted, typed))


def _said_once(work: str) -> Callable[[int, int], None]:
    """A progress for a stderr that is no terminal: one line, after three seconds."""
    started, lines = monotonic(), iter(range(1))
    fewer = "" if work == "quick" else "--work quick tries fewer, "

    def report(done: int, total: int) -> None:
        spent = monotonic() - started
        if 0 < done < total and spent > PATIENCE and next(lines, None) is not None:
            print_to_stderr(
                f"ftree: {done} of {counted(total, 'candidate')} tried in {spent:.0f} s; "
                f"{fewer}--time-limit SECONDS ends it"
            )

    return report

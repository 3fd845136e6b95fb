"""`ftree advise`: a recommended tree for a data file, by `fasttree.advise`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options as o
from .bundles import Without
from .output import check_writable, emit

__all__ = ["COMMANDS"]


def advise(
    data: o.DataFile,
    *,
    columns: Annotated[o.Columns, Without("use", "keep")],
    prefer: Annotated[
        str,
        typer.Option(
            "--prefer",
            help="small: the smallest tree within one standard error of the best; accurate: the "
            "best.",
        ),
    ] = "small",
    time_limit: Annotated[
        float,
        typer.Option(
            "--time-limit", help="Seconds after which no further candidate is tried; 0: no limit."
        ),
    ] = 10.0,
    folds: Annotated[
        str, typer.Option("--cv", help="Folds: 3x10, 1x5, 10, ...; auto: by the number of rows.")
    ] = "auto",
    run: o.Run,
    model: Annotated[
        Path | None,
        typer.Option("--model", "-m", metavar="FILE", help="Save the recommended tree."),
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write everything as one page.")
    ] = None,
    json: o.Json = None,
) -> None:
    """Recommend a tree: which criterion, splits and pruning, how large, and how accurate on new
    rows."""
    from ..advice import advise as recommend

    check_writable({"--model": model, "--html": html, "--json": json})
    found = recommend(
        data,
        columns.target,
        task=columns.task,  # type: ignore[arg-type]
        prefer=prefer,  # type: ignore[arg-type]
        time_limit=time_limit or None,
        cv=o.fold_count(folds),
        **run.keywords,
        drop=o.split_list(columns.drop),
        categorical_features=columns.kinds,
        **columns.reading,
    )
    # The files that were asked for, with a line on each.
    text = [str(found)]
    if model is not None:
        found.model.save(model)
        text.append(f"Saved as {model}; use: ftree predict {model} DATA")
    if html is not None:
        found.to_html(html)
        text.append(f"Page written to {html}")
    emit("\n".join(text), {"command": "advise", "data": data, **found.to_dict()}, json)


COMMANDS = (
    (
        advise,
        (
            "ftree advise iris",
            "ftree advise data.csv -t label --html advice.html -m model.json",
            "ftree advise prices.csv -t price --task regression",
        ),
    ),
)
"""Commands with their examples."""

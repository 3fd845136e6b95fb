"""`ftree reproduce`: a paper's experiment run again, its printed numbers beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..experiments import EXPERIMENTS
from . import options as o
from .output import emit
from .placing import Cluster, JournalFile, client_at

__all__ = ["COMMANDS"]


def reproduce(
    paper: Annotated[
        str,
        typer.Argument(
            metavar="PAPER",
            help=f"One of {', '.join(EXPERIMENTS)}; 'list' (or none) says what they are.",
            show_default=False,
        ),
    ] = "list",
    *,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="DIR",
            help="Folder of data files; default: $FASTTREE_DATA, else the bundled sets.",
        ),
    ] = None,
    datasets: Annotated[
        list[str] | None,
        typer.Option("--datasets", help="Only these of the paper's data sets, with commas."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Leave out what cannot be compared with the paper.")
    ] = False,
    out: o.Pictures = None,
    n_jobs: o.Jobs = -1,
    cluster: Cluster = None,
    journal: JournalFile = None,
    json: o.Json = None,
) -> None:
    """Run a paper's experiment again and print its numbers beside ours."""
    from .. import experiments

    if paper == "list":
        lines = [f"{name:14}{what}" for name, (_, what) in experiments.EXPERIMENTS.items()]
        emit(
            "\n".join(lines),
            {name: what for name, (_, what) in experiments.EXPERIMENTS.items()},
            json,
        )
        return
    wanted = o.split_list(datasets)
    with client_at(cluster) as client:
        found = experiments.run(
            paper,
            data,
            wanted if datasets is not None else None,
            quick=quick,
            n_jobs=n_jobs,
            progress=True,
            client=client,
            journal=journal,
        )
    document = found.document()
    text = found.to_text()
    if out is not None:
        pictures = found.save_figures(out)
        document["pictures"] = [str(path) for path in pictures]
        text += "".join(
            f"{figure.caption}: {path}\n"
            for figure, path in zip(found.figures, pictures, strict=True)
        )
        if not pictures:
            why = (
                "the figures need what --quick leaves out" if quick else "these data sets have none"
            )
            why = why if found.rows else "no data set was there"
            text += f"No figure is drawn into {out}: {why}.\n"
    elif found.figures:
        text += f"{len(found.figures)} figures are drawn with --pictures DIR.\n"
    emit(text, document, json)
    if not found.rows:
        raise typer.Exit(1)


COMMANDS = (
    (
        reproduce,
        (
            "ftree reproduce chen2013 --data DIR --json chen2013.json --pictures pictures",
            "ftree reproduce chen2013 --datasets balance-scale --quick",
            "ftree reproduce f-measure",
        ),
    ),
)
"""Commands with their examples."""

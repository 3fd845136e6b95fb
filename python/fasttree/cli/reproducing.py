"""`ftree reproduce`: the experiment of a paper run again, by `fasttree.experiments.run`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .._checks.words import counted
from ..experiments import EXPERIMENTS
from . import options as o
from .bundles import examples
from .execution import Execution
from .output import emit
from .shell import split_list

if TYPE_CHECKING:
    from ..experiments.reproduction import Reproduction


@examples(
    "ftree reproduce chen2013 --data DIR --json chen2013.json --pictures pictures",
    "ftree reproduce chen2013 --datasets balance-scale --quick",
    "ftree reproduce f-measure",
)
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
        "--data DIR",
        "Folder of data files; default: $FASTTREE_DATA, else ../shared/data/uci if there "
        "is one, else the bundled sets.",
    ] = None,
    datasets: Annotated[
        list[str] | None, "Only these of the paper's data sets, with commas."
    ] = None,
    quick: Annotated[
        bool,
        "--quick",
        "A shorter run, up to a minute of one processor: fewer repeats, variations or "
        "data sets, as it says.",
    ] = False,
    out: o.Pictures = None,
    n_jobs: o.Jobs = -1,
    execution: Execution,
    json: o.Json = None,
) -> None:
    """Run a paper's experiment again and print its numbers beside ours."""
    from .. import experiments

    if paper == "list":
        about = {name: what for name, (_, what) in EXPERIMENTS.items()}
        emit("\n".join(f"{name:14}{what}" for name, what in about.items()), about, json)
        return
    wanted = split_list(datasets)
    with execution.opened() as keywords:
        found = experiments.run(
            paper,
            data,
            wanted if datasets is not None else None,
            quick=quick,
            n_jobs=n_jobs,
            progress=True,
            **keywords,
        )
    document = found.document()
    text = found.to_text()
    if out is not None:
        pictures = found.save_figures(out)
        document["pictures"] = [str(path) for path in pictures]
        text += _drawn(found, pictures, out, quick)
    elif found.figures:
        text += f"{counted(len(found.figures), 'figure')}: drawn with --pictures DIR.\n"
    emit(text, document, json)
    if not found.rows:
        raise typer.Exit(1)


def _drawn(found: Reproduction, pictures: list[Path], folder: Path, quick: bool) -> str:
    """Lines on the figures that were drawn into the folder, or on why there are none."""
    if pictures:
        return "".join(
            f"{figure.caption}: {path}\n"
            for figure, path in zip(found.figures, pictures, strict=True)
        )
    why = "the figures need what --quick leaves out" if quick else "these data sets have none"
    why = why if found.rows else "no data set was there"
    return f"No figure is drawn into {folder}: {why}.\n"

"""``--cluster`` and ``--journal``, which several long commands share, `ftree status`, and
`ftree reproduce`: the experiment of a paper run again, by `fasttree.experiments.run`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .._checks import import_optional
from .._checks.words import counted
from ..experiments import EXPERIMENTS
from . import options as o
from .bundles import examples
from .output import emit
from .shell import split_list
from .streams import print_to_stderr

if TYPE_CHECKING:
    from ..experiments.reproduction import Reproduction


@dataclass(frozen=True)
class Execution:
    """The cluster that fits, and the journal that keeps finished units; a bundle of options of
    commands that compare."""

    cluster: Annotated[
        str | None,
        "--cluster ADDRESS",
        "Fit on the workers of this Dask scheduler (tcp://host:8786); same results.",
    ] = None
    journal: Annotated[
        Path | None,
        "--journal FILE",
        "Keep finished parts in this file; the same command goes on where it was killed.",
    ] = None

    @contextmanager
    def opened(self) -> Iterator[dict[str, Any]]:
        """Keywords ``client`` and ``journal`` of a comparison; the client is closed at the end.

        Raises:
            ImportError: Dask is not installed.
            OSError: there is no scheduler at the address.
        """
        from ..model_selection.journal import read_journal

        try:
            with self._client() as client:
                yield {"client": client, "journal": self.journal}
        except KeyboardInterrupt:
            if self.journal is not None and self.journal.exists():
                done = _done(read_journal(self.journal))
                print_to_stderr(
                    f"ftree: {self.journal} holds {done}; the same command goes on from there"
                )
            raise

    def _client(self) -> Any:
        """The client of the cluster; None without one."""
        if self.cluster is None:
            return nullcontext()
        needs = "--cluster needs Dask; install it: pip install 'fasttree[distributed]'"
        dask = import_optional("distributed", needs)
        return dask.Client(self.cluster, timeout=10, set_as_default=False)


def _done(found: dict[str, Any]) -> str:
    """The content of a journal in words. No share: a run enters some data sets only when it gets
    there, so that a journal does not know how many will follow."""
    begun = counted(len(found["tasks"]), "cross-validation")
    return f"{found['units_done']:,} of {counted(found['units'], 'fit')} in {begun} begun so far"


@examples("ftree status run.journal", "ftree status run.journal --json -")
def status(
    journal: Annotated[Path, typer.Argument(metavar="FILE", help="A journal.", show_default=False)],
    *,
    json: o.Json = None,
) -> None:
    """Show what a journal contains: what is finished, and whether a run writes it."""
    from ..model_selection.journal import read_journal

    # All units together, then each data set with its methods; equal ones are added up.
    content = read_journal(journal)
    lines = [
        f"finished: {_done(content)}; "
        + ("a run is writing the journal" if content["running"] else "no run is writing it"),
        "versions: " + ", ".join(f"{name} {v}" for name, v in content["versions"].items()),
    ]
    alike: dict[Any, list[dict[str, Any]]] = {}
    for number, task in enumerate(content["tasks"], 1):
        name = task["name"] or f"data set {number}"
        alike.setdefault((name, *task["methods"]), []).append(task)
    for (name, *methods), tasks in alike.items():
        n_folds, skipped = sum(task["folds"] for task in tasks), tasks[-1]["skipped"]
        lines.append(f"{name}{f' ({len(tasks)} cross-validations)' * (len(tasks) > 1)}:")
        lines += [
            f"  {method}: {sum(task['finished'][method] for task in tasks)} of {n_folds} folds"
            + (f"; does not apply: {skipped[method]}" if method in skipped else "")
            for method in methods
        ]
    if content["bytes_dropped"]:
        lines.append(f"a torn last line of {content['bytes_dropped']} bytes does not count")
    emit("\n".join(lines), {"command": "status", **content}, json)


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
        reproduction = experiments.run(
            paper,
            data,
            wanted if datasets is not None else None,
            quick=quick,
            n_jobs=n_jobs,
            progress=True,
            **keywords,
        )
    document = reproduction.document()
    text = reproduction.to_text()
    if out is not None:
        pictures = reproduction.save_figures(out)
        document["pictures"] = [str(path) for path in pictures]
        text += _drawn(reproduction, pictures, out, quick)
    elif reproduction.figures:
        text += f"{counted(len(reproduction.figures), 'figure')}: drawn with --pictures DIR.\n"
    emit(text, document, json)
    if not reproduction.rows:
        raise typer.Exit(1)


def _drawn(found: Reproduction, pictures: list[Path], folder: Path, quick: bool) -> str:
    """Lines on the figures that were drawn into a folder, or on why there are none.

    Args:
        found: the reproduction.
        pictures: the files of its figures; empty: none was drawn.
        folder: the folder.
        quick: whether the run left out what takes long.
    """
    if pictures:
        return "".join(
            f"{figure.caption}: {path}\n"
            for figure, path in zip(found.figures, pictures, strict=True)
        )
    why = "the figures need what --quick leaves out" if quick else "these data sets have none"
    why = why if found.rows else "no data set was there"
    return f"No figure is drawn into {folder}: {why}.\n"

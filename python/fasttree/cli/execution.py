"""``--cluster`` and ``--journal``, which several long commands share, and `ftree status`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from .._checks.words import counted
from . import options as o
from .bundles import examples
from .output import emit
from .streams import say


@dataclass(frozen=True)
class Execution:
    """The cluster that fits, and the journal that keeps finished units."""

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
                say(f"ftree: {self.journal} holds {done}; the same command goes on from there")
            raise

    def _client(self) -> AbstractContextManager[Any]:
        """The client of the cluster; None without one."""
        if self.cluster is None:
            return nullcontext()
        try:
            from distributed import Client
        except ImportError:
            raise ImportError(
                "--cluster needs Dask; install it: pip install 'fasttree[distributed]'"
            ) from None
        client: AbstractContextManager[Any] = Client(self.cluster, timeout=10, set_as_default=False)
        return client


def _done(found: dict[str, Any]) -> str:
    """What a journal holds, in words. No share: a run enters some data sets only when it gets
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
    found = read_journal(journal)
    lines = [
        f"finished: {_done(found)}; "
        + ("a run is writing the journal" if found["running"] else "no run is writing it"),
        "versions: " + ", ".join(f"{name} {v}" for name, v in found["versions"].items()),
    ]
    alike: dict[Any, list[dict[str, Any]]] = {}
    for number, task in enumerate(found["tasks"], 1):
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
    if found["bytes_dropped"]:
        lines.append(f"a torn last line of {found['bytes_dropped']} bytes does not count")
    emit("\n".join(lines), {"command": "status", **found}, json)

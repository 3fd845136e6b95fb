"""`Paper`, the base of the experiments: a run from the data sets to the `Reproduction`.

What
    A subclass states the names of the paper's data sets, how to open one, what to compute in each
    step, and how results become rows, tables and figures. `Paper.run` opens the sets, computes the
    steps with a progress bar, keeps the finished steps of an interrupted run on request, and fills
    a `Reproduction` with settings and results.
Data files
    Their folder is the argument ``data``, else the environment variable FASTTREE_DATA, else
    ``../shared/data/uci`` relative to the working directory or the source tree. Files are matched
    by their stem, ignoring case, dots and dashes.
"""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from .._checks.data_warnings import quiet
from .._checks.progress import Progress, counter
from ..datasets.blocks import split_suffix
from ..model_selection.interrupts import finish
from ..table import Table
from .reproduction import Reproduction, chosen, plain_key, published

READABLE = (".arff", ".csv", ".tsv", ".data", ".parquet", ".tab")
"""Suffixes of data files, the preferred first."""


def data_folder(given: str | PathLike[str] | None) -> Path | None:
    """The folder of the data files; None when none is given and none is found.

    Raises:
        FileNotFoundError: the folder that was named does not exist.
    """
    for what, place in (("--data", given), ("FASTTREE_DATA", os.environ.get("FASTTREE_DATA"))):
        if place:
            folder = Path(place).expanduser()
            if not folder.is_dir():
                raise FileNotFoundError(f"{what}: there is no folder {os.fspath(place)!r}")
            return folder
    for start in (Path.cwd(), Path(__file__).resolve().parents[3]):
        folder = start.parent / "shared" / "data" / "uci"
        if folder.is_dir():
            return folder
    return None


def data_files(folder: Path | None) -> dict[str, Path]:
    """Data files of a folder by `plain_key` of their stem; of several with one stem, the one whose
    suffix comes first in `READABLE`."""
    paths: dict[str, Path] = {}
    for suffix in reversed(READABLE):
        for path in sorted(folder.iterdir()) if folder is not None else ():
            stem, kind, _ = split_suffix(path)
            if kind == suffix and path.is_file():
                paths[plain_key(stem)] = path
    return paths


def open_sets(
    known: Sequence[str],
    wanted: Sequence[str] | None,
    folder: Path | None,
    open_set: Callable[[str, dict[str, Path]], Table | None],
) -> tuple[dict[str, Table], list[str]]:
    """The wanted data sets by the paper's names, and the names of the data sets whose files are not
    there.

    Args:
        known: the paper's names.
        wanted: only these; None for all.
        folder: from `data_folder`.
        open_set: opens one by name from the files of the folder; None when a file is not there.
    """
    files = data_files(folder)
    opened = {name: open_set(name, files) for name in chosen(known, wanted)}
    tables = {name: table for name, table in opened.items() if table is not None}
    return tables, [name for name in opened if name not in tables]


Step = TypeVar("Step")
Found = TypeVar("Found")


@dataclass
class Paper(ABC, Generic[Step, Found]):
    """One run of a paper's experiment.

    Attributes:
        name, title, counted: of the `Reproduction`.
        printed: the published numbers.
        steps_are: name of the steps, in the warning about an interrupt.
        ticks_are: name of the units of the progress bar.
        cut: the parts that a quick run leaves out, in words, before the names of data sets.
        names: the paper's names of its data sets, in the paper's order.
        quick_rows: most rows of a data set of a quick run.
        data, datasets, quick, n_jobs, progress, on_interrupt: as in `fasttree.experiments.run`.
        folder: the folder of the data files, or None.
        out: the result, which `report` fills.
        tables: the data sets that are run, by the paper's names.
        omitted: names of the data sets that a quick run leaves out.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    counted: ClassVar[tuple[str, ...]] = ("accuracy",)
    steps_are: ClassVar[str] = "data sets"
    ticks_are: ClassVar[str] = "data sets"
    cut: ClassVar[str]
    names: ClassVar[Sequence[str]] = ()
    quick_rows: ClassVar[float] = math.inf

    data: str | PathLike[str] | None = None
    datasets: Sequence[str] | None = None
    quick: bool = False
    n_jobs: int | None = -1
    progress: Progress = False
    on_interrupt: str = "raise"

    def __post_init__(self) -> None:
        self.printed = published(self.name.replace("-", "_"))
        self.folder = data_folder(self.data)
        self.out = Reproduction(self.name, self.title, self.printed["source"], self.counted)
        self.tables: dict[str, Table] = {}

    def run(self) -> Reproduction:
        """Open the data sets, compute all steps, and report the results. With
        ``on_interrupt="return"`` Ctrl-C ends with the finished steps."""
        # The data sets at hand, without the ones that a quick run leaves out.
        out = self.out
        opened, out.missing = open_sets(self.sets(), self.datasets, self.folder, self.open_set)
        out.folder = str(self.folder or "")
        self.omitted = [
            name for name, table in opened.items() if self.quick and self.omits(name, table)
        ]
        self.tables = {name: opened[name] for name in opened if name not in self.omitted}
        # The steps, one by one.
        steps = self.steps()
        self.tick = counter(self.progress, self.ticks_are, len(steps) + self.ticks_within())
        self.before()

        def one_step(step: Step) -> Found:
            with quiet():  # the data are the paper's
                result = self.work(step)
            self.tick()
            return result

        finished, left = finish(
            steps, one_step, what=self.steps_are, on_interrupt=self.on_interrupt
        )
        out.unfinished = [self.step_name(step) for step in left]
        out.extra["settings"] = self.settings(finished)
        if self.quick:
            named = f" ({', '.join(self.omitted)})" if self.omitted else ""
            out.notes.append(f"Left out (--quick): {self.cut}{named}.")
        self.report(finished)
        return out

    def sets(self) -> Sequence[str]:
        """The paper's names of its data sets, in the paper's order; by default `names`. `run` opens
        the ones that are asked for."""
        return self.names

    @abstractmethod
    def open_set(self, name: str, files: Mapping[str, Path]) -> Table | None:
        """Open a data set of the paper.

        Args:
            name: the paper's name of the data set.
            files: the files of the folder, by name.

        Returns:
            The rows; None if a file of the data set is not there.
        """

    def omits(self, name: str, table: Table) -> bool:
        """Whether a quick run leaves a data set out; by default one of over `quick_rows` rows.

        Args:
            name: the paper's name of the data set.
            table: its rows.
        """
        return len(table) > self.quick_rows

    def steps(self) -> list[Step]:
        """The arguments of `work`, in order; by default the names of the data sets. Each is one
        step of the progress bar, and is finished or left as a whole."""
        return list(self.tables)  # type: ignore[arg-type]

    def step_name(self, step: Step) -> str:
        """Name of an unfinished step, as the result lists it after an interruption."""
        return str(step)

    def ticks_within(self) -> int:
        """Number of times that `before` and `work` call `tick`; `run` also calls it per step."""
        return 0

    def before(self) -> None:
        """Compute what needs no data sets, before the first step. Ctrl-C here is always raised, as
        nothing is finished yet."""

    @abstractmethod
    def work(self, step: Step) -> Found:
        """Compute one step and return its output. Warnings about the data are off, as the data are
        the paper's."""

    @abstractmethod
    def settings(self, found: dict[Step, Found]) -> dict[str, Any]:
        """The settings of the run, as plain values for the JSON form. `found` has the output of the
        finished steps."""

    @abstractmethod
    def report(self, found: dict[Step, Found]) -> None:
        """Fill `out` with rows, tables, notes and pictures of the finished steps. Steps may be
        missing in `found` after an interruption."""


def preset_without(preset: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """The parameters of a preset without the named ones, by default without the criterion.

    >>> preset_without({"criterion": "gini", "max_depth": 3})
    {'max_depth': 3}
    """
    left_out = names or ("criterion",)
    return {name: value for name, value in preset.items() if name not in left_out}


def settings_as_text(values: Mapping[str, Any]) -> dict[str, str]:
    """Settings as texts (their repr), for the JSON form, which has no values such as prunings.

    >>> settings_as_text({"pruning": None})
    {'pruning': 'None'}
    """
    return {name: repr(value) for name, value in values.items()}

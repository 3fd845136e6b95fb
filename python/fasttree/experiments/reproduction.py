"""`Reproduction`, the result of every experiment: our numbers beside the printed ones.

A printed number is compared to its last digit: ours agrees if a rounding of it is the printed one,
that is if ``|value - printed| <= half a unit of the last printed digit``. The functions at the end
are shared by several experiments.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from .._checks.naming import did_you_mean
from .._engine.versions import versions
from ..exports.tables.records import render_json
from ..exports.tables.table import ReportTable, report_table
from ..exports.tables.text import render_text


def published(name: str) -> dict[str, Any]:
    """The printed numbers of an experiment, as strings with the printed digits, so that agreement
    to the last digit can be tested. `name` is the name of its file in the folder ``published``.

    >>> published("chen2013")["table2"]["iris"]["info_gain"]
    ['90.80', '7.26', '']
    """
    file = resources.files(__package__) / "published" / f"{name}.json"
    document: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return document


def decimals(printed: str) -> int:
    """Number of digits after the point of a printed number; 0 without a point.

    >>> decimals(".0951"), decimals("102")
    (4, 0)
    """
    return len(printed.partition(".")[2])


def agrees(value: float, printed: str) -> bool:
    """Whether a number, rounded to the printed digits, is the printed number.

    Args:
        value: our number.
        printed: the number as the paper prints it.

    >>> agrees(90.8, "90.80"), agrees(90.806, "90.80"), agrees(1.1049, "1.1")
    (True, False, True)
    """
    return abs(value - float(printed)) <= 0.5 * 10.0 ** -decimals(printed) + 1e-9


@dataclass
class Row:
    """One number of ours and, if the paper prints it, the printed one.

    Attributes:
        dataset, method, quantity: what the number is.
        value, sd, mark: ours, with its standard deviation and significance mark.
        published, published_sd, published_mark: the paper's number, standard deviation and mark.
        match: whether they agree; None if the paper prints no comparable number.
        note: explanation of a mismatch, or of why there is no comparison.
    """

    dataset: str
    method: str
    quantity: str
    value: float | int | bool | None
    sd: float | None = None
    mark: str | None = None
    published: float | int | bool | None = None
    published_sd: float | None = None
    published_mark: str | None = None
    match: bool | None = None
    note: str | None = None

    @classmethod
    def of(cls, dataset: str, method: str, quantity: str, values: np.ndarray, **more: Any) -> Row:
        """The mean and the standard deviation (n - 1) of values.

        Args:
            dataset, method, quantity: what was measured, as in `Row`.
            values: the values, shape (n,).
            **more: further fields of the row.

        >>> Row.of("iris", "gini", "leaves", np.array([3.0, 5.0])).value
        4.0
        """
        return cls(
            dataset, method, quantity, float(values.mean()), float(values.std(ddof=1)), **more
        )


@dataclass
class Figure:
    """A figure of a result: stem of its file, caption, and the function that draws it, which is
    called only where figures are wanted."""

    name: str
    caption: str
    draw: Callable[[], Any]


@dataclass
class Reproduction:
    """An experiment run again.

    Attributes:
        name, title, source: which experiment, and where its numbers were printed.
        rows: one per number.
        missing: data sets of the paper that are not in the data folder.
        folder: the data folder; empty without one.
        counted: quantities of `rows` that `cells` counts.
        tables, notes: for the printed report.
        figures: drawn by `save_figures`.
        extra: further sections of the JSON form (tests over data sets, settings).
        said: the summary, if it is not a count of equal cells.
        seconds: wall time.
        unfinished: names of the steps that an interrupt left out.
    """

    name: str
    title: str
    source: str
    counted: tuple[str, ...]
    rows: list[Row] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    folder: str = ""
    tables: list[ReportTable] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)
    said: str = ""
    seconds: float = 0.0
    unfinished: list[str] = field(default_factory=list)

    def add(self, dataset: str, method: str, quantity: str, *values: Any, **more: Any) -> None:
        """Add a `Row`.

        Args:
            dataset, method, quantity: what was measured.
            *values: the next fields of the row, the value first.
            **more: further fields of the row.
        """
        self.rows.append(Row(dataset, method, quantity, *values, **more))

    def add_mean(self, dataset: str, method: str, quantity: str, values: np.ndarray) -> None:
        """Add the row of the mean and the standard deviation (n - 1) of values.

        Args:
            dataset, method, quantity: what was measured.
            values: the values, shape (n,).
        """
        self.rows.append(Row.of(dataset, method, quantity, values))

    def add_table(self, *parts: Any, **rules: Any) -> None:
        """Add a table to the result; the arguments are passed to `report_table`."""
        self.tables.append(report_table(*parts, **rules))

    def add_figure(self, name: str, caption: str, draw: Callable[[], Any]) -> None:
        """Add a `Figure`.

        Args:
            name: name of its file, without the ending.
            caption: what it shows.
            draw: draws it, and returns the figure.
        """
        self.figures.append(Figure(name, caption, draw))

    @property
    def cells(self) -> dict[str, int]:
        """How many printed cells were compared ("total"), are equal ("matched"), and differ with a
        note ("explained"). Only the quantities in `counted` are cells."""
        rows = [row for row in self.rows if row.quantity in self.counted and row.match is not None]
        return {
            "total": len(rows),
            "matched": sum(row.match is True for row in rows),
            "explained": sum(row.match is False and row.note is not None for row in rows),
        }

    @property
    def summary(self) -> str:
        """One sentence on how many printed cells agree to the last digit and how many of the others
        are explained; an experiment without printed numbers has its own."""
        if self.said:
            return self.said
        cells = self.cells
        if cells["total"] == 0:
            return "Nothing to compare with the paper"
        text = f"{cells['matched']} of {cells['total']} printed cells equal to the last digit"
        rest = cells["total"] - cells["matched"]
        if rest:
            text += f"; {cells['explained']} of the other {rest} explained"
        return text

    def to_text(self) -> str:
        """Tables and notes as plain text, with the data sets that are missing, the steps that an
        interruption left, and the summary."""
        head = f"{self.title}\n{self.source}\n"
        parts = [head, render_text(self.tables), *(f"{note}\n" for note in self.notes)]
        if self.missing:
            what = f"Not in the data folder {self.folder}"
            if not self.folder:
                what = "Left out, as these files are not bundled (--data DIR reads them)"
            parts.append(f"{what}: {', '.join(self.missing)}.\n")
        if self.unfinished:
            parts.append(f"Interrupted; not finished: {', '.join(self.unfinished)}.\n")
        parts.append(f"{self.summary} ({self.seconds:.1f} s).\n")
        return "\n".join(part for part in parts if part)

    def document(self) -> dict[str, Any]:
        """Everything but the figures as plain data, for JSON: one dictionary per row, missing data
        sets, cells, notes and versions."""
        rows = []
        for row in self.rows:
            one = asdict(row)
            if one["note"] is None:
                del one["note"]
            rows.append(one)
        return {
            "experiment": self.name,
            "source": self.source,
            "rows": rows,
            "missing": self.missing,
            **({"unfinished": self.unfinished} if self.unfinished else {}),
            "cells": self.cells,
            **self.extra,
            "notes": self.notes,
            "versions": versions(),
            "seconds": self.seconds,
        }

    def to_json(self) -> str:
        """`document` as strict JSON text: NaN becomes null."""
        return render_json(self.document())

    def save_figures(self, folder: str | Path) -> list[Path]:
        """Draw all figures as PNG into a folder, which is made if it does not exist; their
        paths."""
        from ..plots.canvas import save_picture

        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        written = []
        for figure in self.figures:
            path = target / f"{figure.name}.png"
            save_picture(path, figure.draw)
            written.append(path)
        return written


def rank_correlation(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Spearman's rank correlation, ties by mean rank; NaN where one side is constant.

    Args:
        ours, theirs: the numbers, in the same order.

    >>> rank_correlation([1.0, 2.0, 3.0], [0.1, 0.5, 0.2])
    0.5
    """
    from ..model_selection.statistics.ties import mean_ranks

    a, b = mean_ranks(ours), mean_ranks(theirs)
    if a.std() == 0 or b.std() == 0:
        return float("nan")
    return round(float(np.corrcoef(a, b)[0, 1]), 12)


def deviation_of_repetitions(values: np.ndarray, repetitions: int = 5) -> float:
    """Standard deviation (n - 1) of the means of repetitions.

    Args:
        values: the values of the folds, repetition by repetition.
        repetitions: number of repetitions.

    >>> round(deviation_of_repetitions(np.array([0.0, 2.0, 3.0, 5.0]), 2), 6)
    2.12132
    """
    return float(values.reshape(repetitions, -1).mean(axis=1).std(ddof=1))


def header_beside(first: Sequence[str], columns: Iterable[str], *beside: str) -> list[str]:
    """Header of a table that has further columns beside each column of ours.

    Args:
        first: titles of the first columns, which have none beside them.
        columns: titles of our columns.
        *beside: titles of the columns beside each of them.

    >>> header_beside(["data set"], ["gini", "gain"], "paper")
    ['data set', 'gini', 'paper', 'gain', 'paper']
    """
    return [*first, *(title for column in columns for title in (column, *beside))]


def chosen(known: Sequence[str], wanted: Sequence[str] | None) -> list[str]:
    """The wanted data sets by the paper's names, in the paper's order.

    Args:
        known: the paper's names.
        wanted: names in any spelling; None: all.

    Raises:
        ValueError: a name that is not one of the paper's.

    >>> chosen(["Heart", "colic.ORIG"], ["colic-orig"])
    ['colic.ORIG']
    """
    if wanted is None:
        return list(known)
    by_key = {plain_key(name): name for name in known}
    kept = set()
    for name in wanted:
        if plain_key(name) not in by_key:
            every = f"there are {', '.join(known)}"
            hint = did_you_mean(plain_key(name), by_key, every)
            raise ValueError(f"data set {name!r} is not one of the paper's; {hint}")
        kept.add(by_key[plain_key(name)])
    return [name for name in known if name in kept]


def plain_key(name: str) -> str:
    """The letters and digits of a name, in lower case, by which files are matched: dots, dashes and
    blanks vary between sources.

    >>> plain_key("colic.ORIG") == plain_key("colic-orig")
    True
    """
    return "".join(character for character in name.lower() if character.isalnum())

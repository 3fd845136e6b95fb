"""What every experiment returns: our numbers beside the printed ones, tables, pictures, and a
strict JSON form.

A printed number is compared to its last digit: ours agrees when some rounding of it gives what is
printed, that is ``|value - printed| <= half a unit of the last printed digit``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from ..rendering.text import render_text
from ..reports import ReportTable, render_json

__all__ = ["Figure", "Reproduction", "Row", "agrees", "decimals", "published", "rank_correlation"]


def published(name: str) -> dict[str, Any]:
    """The printed numbers of an experiment, as strings with the digits of the print (they ship with
    the package).

    >>> published("chen2013")["table2"]["iris"]["info_gain"]
    ['90.80', '7.26', '']
    """
    file = resources.files(__package__) / "published" / f"{name}.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def decimals(printed: str) -> int:
    """Number of digits after the point.

    >>> decimals(".0951"), decimals("102")
    (4, 0)
    """
    return len(printed.partition(".")[2])


def agrees(value: float, printed: str) -> bool:
    """Whether a number, rounded to the digits of the print, is what is printed.

    >>> agrees(90.8, "90.80"), agrees(90.806, "90.80"), agrees(1.1049, "1.1")
    (True, False, True)
    """
    return abs(value - float(printed)) <= 0.5 * 10.0 ** -decimals(printed) + 1e-9


@dataclass
class Row:
    """One number of ours and, where the paper prints it, the printed one.

    `match` is None where nothing is printed, or where the paper's number belongs to other rows than
    ours (`note` says so); `note` also explains a mismatch.
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

        >>> Row.of("iris", "gini", "leaves", np.array([3.0, 5.0])).value
        4.0
        """
        return cls(
            dataset, method, quantity, float(values.mean()), float(values.std(ddof=1)), **more
        )


@dataclass
class Figure:
    """A picture that is drawn when asked for: file stem, what it shows, and the function that makes
    it."""

    name: str
    caption: str
    draw: Callable[[], Any]


@dataclass
class Reproduction:
    """An experiment run again.

    Attributes:
        name, title, source: which experiment, and where its numbers were printed.
        rows: one a number.
        missing: data sets of the paper that the data folder lacks.
        counted: quantities of `rows` that make up the tables to be met.
        tables, notes: for people.
        figures: pictures, drawn by `save_figures`.
        extra: further sections of the JSON form (tests over data sets, settings).
        said: the summary, where it is not a number of equal cells.
        seconds: wall time.
        unfinished: what an interrupt has left out.
    """

    name: str
    title: str
    source: str
    counted: tuple[str, ...]
    rows: list[Row] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    tables: list[ReportTable] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)
    said: str = ""
    seconds: float = 0.0
    unfinished: list[str] = field(default_factory=list)

    @property
    def cells(self) -> dict[str, int]:
        """How many printed cells were compared, equal, and unequal with an explanation."""
        rows = [row for row in self.rows if row.quantity in self.counted and row.match is not None]
        return {
            "total": len(rows),
            "matched": sum(row.match is True for row in rows),
            "explained": sum(row.match is False and row.note is not None for row in rows),
        }

    @property
    def summary(self) -> str:
        """How many cells agree, in words."""
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
        """Tables and notes as plain text."""
        head = f"{self.title}\n{self.source}\n"
        parts = [head, render_text(self.tables), *(f"{note}\n" for note in self.notes)]
        if self.missing:
            parts.append(f"Missing in the data folder: {', '.join(self.missing)}.\n")
        if self.unfinished:
            parts.append(f"Interrupted; not finished: {', '.join(self.unfinished)}.\n")
        parts.append(f"{self.summary} ({self.seconds:.1f} s).\n")
        return "\n".join(part for part in parts if part)

    def document(self) -> dict[str, Any]:
        """Everything as plain data; ``rows`` and ``missing`` first."""
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
            "seconds": self.seconds,
        }

    def to_json(self) -> str:
        """Strict JSON of `document`."""
        return render_json(self.document())

    def save_figures(self, folder: str | Path) -> list[Path]:
        """Draw all pictures into a folder (made if need be) as PNG; their paths."""
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

    >>> rank_correlation([1.0, 2.0, 3.0], [0.1, 0.5, 0.2])
    0.5
    """
    from ..model_selection.statistics.ties import mean_ranks

    a, b = mean_ranks(ours), mean_ranks(theirs)
    if a.std() == 0 or b.std() == 0:
        return float("nan")
    return round(float(np.corrcoef(a, b)[0, 1]), 12)


def deviation_of_repetitions(values: np.ndarray, repetitions: int = 5) -> float:
    """Standard deviation (n - 1) of the means of repetitions; values of the folds, repetition by
    repetition.

    >>> round(deviation_of_repetitions(np.array([0.0, 2.0, 3.0, 5.0]), 2), 6)
    2.12132
    """
    return float(values.reshape(repetitions, -1).mean(axis=1).std(ddof=1))


def header_beside(first: Sequence[str], columns: Iterable[str], *beside: str) -> list[str]:
    """Header of a table that has further columns beside each column of ours.

    >>> header_beside(["data set"], ["gini", "gain"], "paper")
    ['data set', 'gini', 'paper', 'gain', 'paper']
    """
    return [*first, *(title for column in columns for title in (column, *beside))]


def chosen(known: Sequence[str], wanted: Sequence[str] | None) -> list[str]:
    """The paper's names of the data sets asked for, in the paper's order; all without a wish.

    >>> chosen(["Heart", "colic.ORIG"], ["colic-orig"])
    ['colic.ORIG']
    """
    if wanted is None:
        return list(known)
    by_key = {plain_key(name): name for name in known}
    found = set()
    for name in wanted:
        if plain_key(name) not in by_key:
            import difflib

            close = difflib.get_close_matches(plain_key(name), by_key, 1)
            hint = (
                f"did you mean {by_key[close[0]]!r}?" if close else f"there are {', '.join(known)}"
            )
            raise ValueError(f"data set {name!r} is not one of the paper's; {hint}")
        found.add(by_key[plain_key(name)])
    return [name for name in known if name in found]


def plain_key(name: str) -> str:
    """A name without case, dots, dashes, blanks: what file names and printed names have in common.

    >>> plain_key("colic.ORIG") == plain_key("colic-orig")
    True
    """
    return "".join(character for character in name.lower() if character.isalnum())

"""Folds by groups and by time: ``--groups`` and ``--time`` of `ftree fit`, `cv`, `compare` and
`advise`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import typer

from .._checks.speech import data_row
from ..table.data_checks.warned import pass_over
from ..table.dates import instants_of, order_of_dates
from . import options as o

__all__ = ["Dependence"]

_MONTHS = re.compile(r"\d{4}(-\d{2})?")
"""Years or months, whose order is that of their texts, where all have one length."""

Groups = Annotated[
    str | None,
    typer.Option(
        "--groups",
        metavar="COLUMN",
        help="Folds keep rows of one group (a patient, a site) together; the column is no feature.",
    ),
]
Time = Annotated[
    str | None,
    typer.Option(
        "--time",
        metavar="COLUMN",
        help="Folds in the order of this column: each trains on earlier rows and tests on the "
        "next; the column is no feature. Of --cv RxK only K counts.",
    ),
]


@dataclass(frozen=True)
class Dependence:
    """Columns by which rows depend on each other."""

    groups: Groups = None
    time: Time = None

    @property
    def aside(self) -> list[str]:
        """The columns, which are no features."""
        return [name for name in (self.groups, self.time) if name is not None]

    def check(self) -> None:
        """Refuse both options at once; with one of them no other columns are suspected."""
        if len(self.aside) > 1:
            raise ValueError(
                "--groups and --time: ordered folds do not keep groups together; give one of them"
            )
        if self.aside:
            pass_over("groups")

    def folds(self, cv: str) -> Any:
        """The value of `cv` for `cross_validate`."""
        if self.time is None:
            return o.fold_count(cv)
        match = re.fullmatch(r"(?:\d+\s*[x×]\s*)?(\d+)", cv)
        if match is None:
            raise ValueError(f"--cv {cv} with --time: give a number of folds, --cv 5")
        from sklearn.model_selection import TimeSeriesSplit

        ordered = TimeSeriesSplit(n_splits=int(match[1]))
        vars(ordered)["description"] = f"1x{match[1]} ordered by {self.time}"
        return ordered

    def prepared(self, rows: Any, data: str) -> Any:
        """The Table, of ``--time`` sorted and without its column.

        Args:
            rows: a Table.
            data: the file, for errors.
        """
        ordered = self.ordered(rows, data)
        return ordered if self.time is None else ordered.drop(self.time)

    def ordered(self, rows: Any, data: str) -> Any:
        """The Table, of ``--time`` sorted; arguments as in `prepared`."""
        for option, name in (("--groups", self.groups), ("--time", self.time)):
            if name is not None and name not in rows.feature_names:
                raise ValueError(_unknown(option, name, rows, data))
        if self.time is None:
            return rows
        order = np.argsort(_times(rows.column(self.time), data, rows.row_numbers), kind="stable")
        new = rows.take(order)
        new.origin = rows.origin
        return new


def _unknown(option: str, name: str, rows: Any, data: str) -> str:
    """Why a column cannot be used, and what to do."""
    if name == rows.target:
        return f"{option} {name}: it is the target of {data}; name the target with --target"
    from ..table.sources import unknown_name

    return f"{option} {name}: {unknown_name(name, rows.feature_names, f'column of {data}')}"


def _times(column: Any, data: str, numbers: np.ndarray | None) -> np.ndarray:
    """Places in time of the values of a column: numbers, or dates in any order of day, month and
    year that they show."""
    values = column.labels()
    missing = np.flatnonzero(
        np.isnan(values) if column.kind == "numeric" else [v is None for v in values]
    )
    if len(missing):
        row = missing[0] if numbers is None else numbers[missing[0]]
        raise ValueError(
            f"--time {column.name}: {data_row(row)} of {data} has no value; give "
            "it one, or leave the row out"
        )
    if column.kind == "numeric":
        return np.asarray(values)
    texts = [str(value) for value in values]
    if all(map(_MONTHS.fullmatch, texts)) and len({len(text) for text in texts}) == 1:
        return np.asarray(texts)
    # Dates: what is not one, or a time of day of another form, has no place in the order.
    order = order_of_dates(list(dict.fromkeys(texts)))
    found = instants_of(texts, order or "ymd")
    odd = next((text for text, at in zip(texts, found, strict=True) if at is None), None)
    if odd is not None or len({len(at[1]) for at in found if at is not None}) > 1:
        raise ValueError(
            f"--time {column.name}: {odd or texts[0]!r} has no certain order; write numbers, or "
            "dates of one form such as 2024-12-31 or 31.12.2024 (1/2/2024 and the like where some "
            "day is above 12)"
        )
    rank = {at: place for place, at in enumerate(sorted({at for at in found if at is not None}))}
    return np.array([rank[at] for at in found if at is not None])

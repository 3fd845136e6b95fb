"""Folds by groups and by time: ``--groups`` and ``--time`` of `ftree fit`, `cv`, `compare` and
`advise`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from .._checks.data_warnings import quiet, skip_checks_from_now_on
from .._checks.words import argument
from . import options as o


@dataclass(frozen=True)
class Dependence:
    """Columns by which rows depend on each other."""

    groups: Annotated[
        str | None,
        "--groups COLUMN",
        "Folds keep rows of one group (a patient, a site) together; the column is no feature.",
    ] = None
    time: Annotated[
        str | None,
        "--time COLUMN",
        "Folds in the order of this column: each trains on earlier rows and tests on the "
        "next; the column is no feature. Of --cv RxK only K counts.",
    ] = None

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
            skip_checks_from_now_on("groups")

    def folds(self, cv: str) -> Any:
        """The value of `cv` for `cross_validate`."""
        if self.time is None:
            return o.fold_count(cv)
        from ..model_selection.time_order import folds_by_time

        return folds_by_time(cv, self.time)

    def order_of(self, data: str, rows: Any) -> list[str]:
        """What judges trees where the rows stand in the order of a date, a line; else none."""
        from ..advice.doubts import are_in_order, places_of_dates
        from ..table.data_checks.findings import warn_and_apply

        if self.aside:
            return []
        with quiet():
            dates = warn_and_apply(rows).dates
        if not dates:
            return []
        for name, when in places_of_dates(data, rows, dates, np.array([], dtype=int), None).items():
            if name in dates and are_in_order(when):
                return [
                    f"The rows of {rows.name or data} are in the order of {name!r}, and folds at "
                    "random let a tree learn from later rows; to judge it by earlier ones: "
                    f"{argument('time', name)}"
                ]
        return []

    def prepared(self, rows: Any, data: str) -> Any:
        """The Table, of ``--time`` sorted and without its column.

        Args:
            rows: a Table.
            data: the file, for errors.
        """
        for option, name in (("--groups", self.groups), ("--time", self.time)):
            if name is not None and name not in rows.feature_names:
                raise ValueError(_unknown(option, name, rows, data))
        if self.time is None:
            return rows
        from ..model_selection.time_order import places_in_time

        cells, made = rows.column(self.time).labels(), []
        if self.time in rows.dates:  # of a file that has dates, which no Table holds
            from ..datasets.files import frame_of_file
            from ..table.dates import part_names
            from ..table.named_columns import pop_if_named

            cells = np.array(
                [*pop_if_named(frame_of_file(data), self.time, "time")[1]], dtype=object
            )
            cells = cells if rows.row_numbers is None else cells[rows.row_numbers]
            made = part_names([self.time])
        times = places_in_time(cells, f"--time {self.time}", rows.row_numbers)
        return rows.take(np.argsort(times, kind="stable")).drop(self.time, *made)


def _unknown(option: str, name: str, rows: Any, data: str) -> str:
    """Why a column cannot be used, and what to do."""
    if name == rows.target:
        return f"{option} {name}: it is the target of {data}; name the target with --target"
    from ..table.sources import unknown_name

    return f"{option} {name}: {unknown_name(name, rows.feature_names, f'column of {data}')}"

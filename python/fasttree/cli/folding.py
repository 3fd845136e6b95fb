"""Folds by groups and by time: ``--groups`` and ``--time`` of `ftree fit`, `cv`, `compare` and
`advise`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from .._checks.data_warnings import quiet, skip_checks_from_now_on
from .._checks.words import argument
from . import options as o

if TYPE_CHECKING:
    from ..table import Table


@dataclass(frozen=True)
class FoldColumns:
    """The columns that tell which rows a fold may divide, by groups or by time; a bundle of options
    of commands that cross-validate."""

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
    def names(self) -> list[str]:
        """The names of the given columns, at most one after `check`. They order or group the rows,
        so trees do not read them as features."""
        return [name for name in (self.groups, self.time) if name is not None]

    def check(self) -> None:
        """Check that at most one of the two options is given.

        Raises:
            ValueError: both are given.
        """
        if len(self.names) > 1:
            raise ValueError(
                "--groups and --time: ordered folds do not keep groups together; give one of them"
            )

    def skip_search_for_groups(self) -> None:
        """Let no later check of the data look for groups of rows if one of the options is given.

        The user has then said how rows depend on each other. Checks are switched off for the rest
        of the process, which is one command.
        """
        if self.names:
            skip_checks_from_now_on("groups")

    def folds(self, cv: str) -> Any:
        """The value of `cv` for `cross_validate`: a number of folds, the text itself, or with
        ``--time`` a splitter in the order of the column.

        Args:
            cv: the option ``--cv``, such as "5x10".
        """
        if self.time is None:
            return o.fold_count(cv)
        from ..model_selection.time_order import folds_by_time

        return folds_by_time(cv, self.time)

    def time_order_advice(self, data: str, rows: Table) -> list[str]:
        """Advise ``--time`` if the rows are in the order of a column of dates, because random folds
        then let a tree learn from later rows.

        Args:
            data: the file or name of a bundled set that the rows were read from.
            rows: the rows.

        Returns:
            One line of advice; an empty list if there is none, or if the user named a column.
        """
        from ..advice.doubts import are_in_order, places_of_dates
        from ..table.data_checks.findings import apply_and_warn

        if self.names:
            return []
        with quiet():
            date_columns = apply_and_warn(rows).dates
        if not date_columns:
            return []
        no_rows = np.array([], dtype=int)
        for name, places in places_of_dates(data, rows, date_columns, no_rows, None).items():
            if name in date_columns and are_in_order(places):
                return [
                    f"The rows of {rows.name or data} are in the order of {name!r}, and folds at "
                    "random let a tree learn from later rows; to judge it by earlier ones: "
                    f"{argument('time', name)}"
                ]
        return []

    def ordered_rows(self, rows: Table, data: str) -> Table:
        """The rows sorted by the column of ``--time``, which is left out; without ``--time`` the
        rows as they are.

        Args:
            rows: the rows, with the column of either option.
            data: the file or name of a bundled set that they were read from.

        Raises:
            ValueError: the rows have no such column, or its values have no certain order.
        """
        for option, name in (("--groups", self.groups), ("--time", self.time)):
            if name is not None and name not in rows.feature_names:
                raise ValueError(_unknown_column_message(option, name, rows, data))
        if self.time is None:
            return rows
        from ..model_selection.time_order import places_in_time

        cells, date_parts = rows.column(self.time).labels(), []
        # A Table holds year, month and weekday of a date, not the date: read it from the file.
        if self.time in rows.dates:
            from ..datasets.files import frame_of_file
            from ..table.dates import part_names
            from ..table.named_columns import pop_if_named

            _, dates = pop_if_named(frame_of_file(data), self.time, "time")
            cells = np.array([*dates], dtype=object)
            cells = cells if rows.row_numbers is None else cells[rows.row_numbers]
            date_parts = part_names([self.time])
        places = places_in_time(cells, f"--time {self.time}", rows.row_numbers)
        return rows.take(np.argsort(places, kind="stable")).drop(self.time, *date_parts)


def _unknown_column_message(option: str, name: str, rows: Table, data: str) -> str:
    """The message for an option that names no feature: the target, or a column that is unknown.

    Args:
        option: ``--groups`` or ``--time``.
        name: the name that the user gave.
        rows: the rows.
        data: the file or name of a bundled set that they were read from.
    """
    if name == rows.target:
        return f"{option} {name}: it is the target of {data}; name the target with --target"
    from ..table.sources import unknown_name

    return f"{option} {name}: {unknown_name(name, rows.feature_names, f'column of {data}')}"

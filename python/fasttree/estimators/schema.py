"""`Schema`: names, kinds, levels and classes of the columns that a model was fitted on.

What
    A schema is read from the model of the core (`Schema.of_model`). New rows are matched with it
    (`new_rows`), and names in messages and exports come from it.
When not to use it
    For the columns of a training set: those are in its `Table`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .._checks.data_warnings import warn_caller
from ..table.dates import (
    PARTS,
    DateFormat,
    date_formats,
    form_of_dates,
    formats_for_new_rows,
    part_names,
)
from ..table.file_cells import FileCells


@dataclass
class Schema:
    """The columns of a model.

    It is what a fitted estimator knows of its columns; exports and messages read it, too.

    Attributes:
        names: names of the features.
        nominal: whether each feature is nominal.
        levels: declared levels of each feature, empty for numbers.
        ordered: whether the levels of each feature ascend.
        has_names: whether the names were given by the user.
        classes: class labels.
        owner: name of the estimator, for messages.
        unused: why each feature is not used; None: it is.
        target: name of the target; empty where it is not known.
        file_cells: what missing cells of a file hold, as the file of the training rows said.
        tested: the features that the model reads, ascending; None: all.
        dates: the columns of dates; their year, month and weekday are the last columns.
        given_names: names of the columns that a caller gives: all except the columns that are made
            of dates, which come last.
        is_numeric: whether all columns are numbers that are used, so that arrays are read as they
            are.
    """

    names: list[str]
    nominal: list[bool]
    levels: list[tuple[Any, ...]]
    has_names: bool
    classes: list[Any] = field(default_factory=list)
    owner: str = "FastTreeClassifier"
    unused: list[str | None] = field(default_factory=list)
    ordered: list[bool] = field(default_factory=list)
    target: str = ""
    file_cells: FileCells = field(default_factory=FileCells)
    tested: list[int] | None = None
    dates: dict[str, DateFormat] = field(init=False)
    given_names: list[str] = field(init=False)
    is_numeric: bool = field(init=False)

    def __post_init__(self) -> None:
        self.unused = self.unused or [None] * len(self.names)
        self.ordered = self.ordered or [False] * len(self.names)
        whys = zip(self.names, self.unused, strict=True)
        self.dates = date_formats(self.names, {name: why for name, why in whys if why})
        self.given_names = self.names[: len(self.names) - len(part_names(self.dates))]
        self.is_numeric = not any(self.nominal) and not any(self.unused)

    def by_given_column(self, values: np.ndarray) -> np.ndarray:
        """Sum values over the parts of each date.

        Importances and Shapley values of year, month and weekday are added up, so that a caller
        sees one value for the column of dates. Without dates the values are unchanged.

        Args:
            values: values of the columns of the model, shape (..., n_columns).

        Returns:
            Values of the columns that a caller gives, shape (..., n_given).
        """
        by_column = values[..., : len(self.given_names)].copy()
        for name in self.dates:
            parts = [self.names.index(part) for part in part_names([name])]
            by_column[..., self.names.index(name)] = values[..., parts].sum(axis=-1)
        return by_column

    @classmethod
    def of_model(cls, model: Any, has_names: bool, owner: str = "FastTreeClassifier") -> Schema:
        """The schema of a model of the core.

        It also has the features that some test reads, the date formats, and how the file of the
        training rows wrote missing cells.

        Args:
            model: the model.
            has_names: whether the user named the columns.
            owner: name of the estimator, for messages.
        """
        schema = cls.of_json(model.schema_json(cuts=False), has_names, owner)
        dates = tuple(formats_for_new_rows(schema.dates).items())
        names = (*schema.given_names, schema.target) if has_names else ()
        schema.file_cells = replace(file_cells_of(model), dates=dates, names=names)
        schema.tested = model.tested()
        return schema

    @property
    def date_parts(self) -> dict[str, tuple[str, str]]:
        """(column of dates, part) of each column that was made of a date, by its name.

        The part is one of `PARTS`: year, month or weekday. Exports compute these columns from the
        date, so that a user need not supply them. Without dates the dict is empty.
        """
        parts_of = {name: zip(part_names([name]), PARTS, strict=True) for name in self.dates}
        return {name: (of, part) for of, parts in parts_of.items() for name, part in parts}

    def warn_of_cells(self) -> None:
        """Warn of tested columns whose cells SQL reads in another way than the model does.

        These are dates as text of another form than 2024-01-31, and numbers with a currency or
        percent sign. SQL would compare such cells without an error and predict wrongly.
        """
        tested = {self.names[j] for j in self.read}
        for name in self.dates:
            words = form_of_dates(self.unused[self.names.index(name)] or "")
            if words != "dates" and name in tested:
                warn_caller(
                    f"column {name!r}: the model reads {words}, but the SQL code expects a "
                    "date type or text such as 2024-01-31; store the column in that form, in the "
                    "time zone of the model"
                )
        for name, sign in self.file_cells.signs:
            if name in tested:
                warn_caller(
                    f"column {name!r}: the model reads numbers with the sign {sign!r}, but the SQL "
                    "code expects numbers; store the column as numbers"
                )

    @property
    def read(self) -> list[int]:
        """Positions of the columns that new rows must have: the columns that the model tests, and
        for each date that it tests, the column of dates and all its parts."""
        if self.tested is None:
            return list(range(len(self.names)))
        read = {self.names[j] for j in self.tested}
        for name in self.dates:
            parts = part_names([name])
            if not read.isdisjoint(parts):
                read.update((name, *parts))
        return [j for j, name in enumerate(self.names) if name in read]

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Earlier pickles do not say which levels ascend.
        vars(self).update({"ordered": [False] * len(state["names"]), **state})

    def part(self, places: list[int]) -> Schema:
        """The schema of the columns at the positions `places`, in that order. Predictions from a
        frame with only the tested columns use it. Classes and target stay; which columns are tested
        is left unknown."""
        fields = ("names", "nominal", "levels", "unused", "ordered")
        lists: dict[str, Any] = {f: [getattr(self, f)[j] for j in places] for f in fields}
        return replace(self, **lists, tested=None)

    @classmethod
    def of_json(cls, text: str, has_names: bool, owner: str) -> Schema:
        """The schema in the JSON text that a model of the core writes.

        Unlike `of_model`, it does not know which columns some test reads, so all columns are needed
        for a prediction. `SplitColumns` keeps its schema in this form, in which it can be pickled.
        """
        document = json.loads(text)
        features = document["features"]
        return cls(
            names=[f["name"] for f in features],
            nominal=[f["kind"] == "nominal" for f in features],
            levels=[tuple(f.get("levels", ())) for f in features],
            has_names=has_names,
            unused=[f.get("unused") for f in features],
            ordered=[f.get("ordered", False) for f in features],
            classes=document["classes"],
            owner=owner,
            target=document["target"],
        )


def file_cells_of(model: Any) -> FileCells:
    """What missing cells of a file hold, as a model of the core keeps it.

    Raises:
        ValueError: a damaged file.
    """
    text = model.parameters or ""
    try:  # most models were fitted on rows that were not in a file
        stored = json.loads(text).get("file_cells") if '"file_cells"' in text else None
        return FileCells.of_json(stored)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(
            f"not a valid fasttree model: its missing cells cannot be read ({error})"
        ) from error

"""`Table`: a training set with names, types, declared levels and the target.

What
    Every function that takes (X, y) also takes one `Table`. A Table is made of NumPy arrays, lists,
    and frames of pandas, Polars, Arrow and all that narwhals reads. It stores one 2-D block (all
    numeric, or uint8 codes) or one `Column` per feature. Strings, categories and bools are nominal;
    NaN, None, pandas.NA and NaT are missing.
Complexity
    A float array is not copied; one pass looks for infinity. Strings cost about 60 ns per cell.
When not to use it
    As a data frame: a Table is a finished training set, to be read, subset by rows and fitted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._checks import as_list, checked, mapping, maybe, one_of, shown, string
from .._checks.aliases import TASKS, CategoricalFeatures, MaybeArray, Task
from .._checks.mapped import check_mapped
from .._checks.naming import column_name
from .._checks.words import argument, counted, worded
from ..exports.tables.listing import Records
from . import sources, views
from .class_targets import encode_target, target_of_column
from .columns import Column, Kind, code_block, numeric_block, placeholder_column
from .dates import DateOrder, date_features, date_orders
from .decimal_marks import parse_texts
from .file_cells import FileCells
from .named_columns import pop_column
from .nominal_columns import Roles, column_of, each_role, recast_columns, resolve_roles
from .numeric_targets import encode_numbers, target_numbers
from .target import NumericTarget, Target, no_target


@dataclass(slots=True, eq=False, repr=False)
class _Attributes:
    """The attributes of a Table, with their defaults."""

    shape: tuple[int, int] = (0, 0)
    name: str | None = None
    unused: dict[str, str] = field(default_factory=dict)
    as_given: bool = True
    has_feature_names: bool = True
    sample_weight: np.ndarray | None = None
    exposure: np.ndarray | None = None
    file_cells: FileCells = field(default_factory=FileCells)
    row_numbers: np.ndarray | None = None
    origin: str = ""
    _names: list[str] | None = None
    _target: Target | NumericTarget | None = None
    _columns: tuple[Column, ...] | None = None
    _block: np.ndarray | None = None
    _block_levels: np.ndarray | None = None
    _handle: Any = None
    _inspected: Any = None


class Table(_Attributes):
    """A training set: features with names, kinds and levels, and (optionally) the target.

    A Table is not changed after it is made; methods return new Tables that share the cells. Fits,
    cross-validations and scores encode it for the core once.

    Args:
        X: features, n rows x p columns: 2-D NumPy array (float, int, bool, object, str), list of
            rows, mapping of columns, or a pandas / Polars / PyArrow frame.
        y: n class labels (ints, bools, strings, whole floats, a series of those), for a regression
            n numbers, or None. The classes are the labels that occur, sorted, also if y is a
            categorical series.
        feature_names: p names; for a frame: the columns to use, in this order. Default: the frame's
            names, or ``x0, x1, ...``.
        target: name of the target; when `y` is None, the column of X that holds it. Default
            ``"class"`` or the name of the series y.
        categorical_features: ``"from_dtype"`` (strings, categories, Enums, bools are nominal; but
            strings of a frame that are all numbers with the same currency or percent sign, or with
            separated thousands or a decimal comma, are numbers, as in a CSV file), ``"all"``, None
            (all numeric), or a bool mask, indices or names of the nominal features (the others are
            numeric). A 2-D uint8 array with ``"all"`` is read without a copy when its values are
            codes 0, 1, ... v-1 that all occur in their column.
        levels: mapping from a column's (or the target's) name to its declared levels, in order;
            levels of the target are classes even if no row has them.
        unused: why columns are never read (identifiers, dates, constants), by name; models keep
            their place, and their cells may be of any type.
        dates: columns of X (a frame or mapping) with dates, whose year, month and weekday (1:
            Monday, 7: Sunday) become columns after all others; the columns themselves are unused.
            A mapping gives the order of dates that are text, ``"ymd"``, ``"dmy"`` or ``"mdy"``, and
            the time zone to read them in, if so, as in ``"ymd Europe/Berlin"``.
        task: ``"classification"``: the target has classes; ``"regression"``: it is a number.
        name: the name of the data set, for reports.

    Attributes:
        unused: the unused columns and the reasons, as given; each is a constant 0 in `columns`.
        dates: the order of the dates of each column of which `columns` has year, month and weekday.
        as_given: False where a fit looks for identifiers, dates and constants among the columns: of
            a frame or file that a function has made a Table of. A Table of yours is as given.
        sample_weight: weights of the rows where a file gives them (ARFF), else None.
        exposure: the numbers by which the counts of the target were divided, where `exposure=` of a
            fit or a cross-validation made rates of them, else None. They weigh the rows.
        file_cells: what missing cells of a file hold, where its reader was told some texts or
            numbers, and the decimal mark and signs of its numbers; models keep them.
        row_numbers: numbers of the rows, counted from 0, in the data that they were taken from by
            `drop_missing_target`; None where all rows are there. Messages name rows by them.
        origin: Python that reads the table again, where `fasttree.datasets` made it, else "".

    Raises:
        ValueError: no rows or columns, wrong lengths, infinity, complex numbers, duplicate names,
            missing or continuous labels, more than 65,536 levels.
        TypeError: sparse input, dates and times, cells of mixed types (naming column, row and
            value).

    Examples:
        >>> t = Table(
        ...     [["sunny", 85.0], ["rainy", None]],
        ...     ["no", "yes"],
        ...     feature_names=["outlook", "humidity"],
        ... )
        >>> t
        Table: 2 rows, 2 features (1 numeric, 1 nominal), target 'class' with 2 classes
        >>> t.columns[0].levels, t.classes, t.y_codes.tolist()
        (('rainy', 'sunny'), ('no', 'yes'), [0, 1])
    """

    __slots__ = ()

    @checked(
        feature_names=maybe(as_list),
        target=maybe(string),
        levels=maybe(mapping("a list of levels", np.iterable)),
        unused=maybe(mapping("a reason", lambda value: isinstance(value, str))),
    )
    def __init__(
        self,
        X: Any,
        y: MaybeArray = None,
        *,
        feature_names: Sequence[str] | None = None,
        target: str | None = None,
        categorical_features: CategoricalFeatures = "from_dtype",
        levels: Mapping[str, Sequence[Any]] | None = None,
        unused: Mapping[str, str] | None = None,
        dates: Mapping[str, DateOrder] | Sequence[str] = (),
        task: Task = "classification",
        name: str | None = None,
    ) -> None:
        one_of("task", task, TASKS)
        if isinstance(X, Table):
            raise TypeError(
                "X is a Table already; use it as it is (Table.from_any(X) accepts both)"
            )
        # Features and target as the user gives them.
        parts, reasons = date_features(dates, lambda name: sources.cells_of(X, name))
        super().__init__(name=name, unused={**(unused or {}), **reasons})
        source = sources.read_source(X, self.unused)
        is_frame = source.names is not None
        levels = dict(levels or {})
        label_cells: sources.Cells | None = None
        if feature_names is not None:
            sources.select_or_rename(
                source, [column_name(n) for n in feature_names], target if y is None else None
            )
        if y is None and target is not None:
            label_cells = sources.pop_target(source, target)
        n_rows, n_columns = source.n_rows, source.n_columns
        self.shape = sources.check_shape(n_rows, n_columns)
        self.has_feature_names, self._names = source.names is not None, source.names
        # Declared levels of a feature or the target are under its name.
        target_levels: Sequence[Any] | None = None
        if levels:
            series = getattr(y, "name", None)
            target_name = series if isinstance(series, str) and series else "class"
            target_name = target_name if target is None else target
            target_levels = (
                levels.pop(target_name, None) if target_name not in self.feature_names else None
            )
            sources.check_known(levels, [*self.feature_names, target_name], "levels")
        if self.unused:
            sources.check_known(self.unused, self.feature_names, "unused")

        self._take_features(source, categorical_features, levels)
        by_dtype = isinstance(categorical_features, str) and categorical_features == "from_dtype"
        if is_frame and self._columns and by_dtype:
            self._columns, self.file_cells = parse_texts(self._columns, levels)
        if parts:
            self._set_columns((*self.columns, *parts))
        cells = y if label_cells is None else label_cells
        if cells is not None:
            self._target = (
                encode_numbers(cells, n_rows, target)
                if task == "regression"
                else encode_target(cells, n_rows, target, target_levels)
            )

    def _take_features(
        self, source: sources.Source, categorical: Any, levels: Mapping[str, Sequence[Any]]
    ) -> None:
        roles = self._roles(categorical)
        block = source.block
        if block is not None and not levels and not self.unused:
            if roles is None or roles == "numeric":
                self._block = numeric_block(block, self._column_name)
                return
            if roles == "nominal" and block.dtype == np.uint8:
                self._block, self._block_levels = code_block(block)
                return
        columns = []
        for j, role in enumerate(each_role(roles, self.n_features)):
            column_name, cells = self._column_name(j), source.column(j)
            if column_name in self.unused:
                cells = placeholder_column(column_name, len(cells))
            columns.append(column_of(column_name, cells, role, levels.get(column_name)))
        self._columns = tuple(columns)

    @classmethod
    def from_columns(
        cls,
        columns: Iterable[Column],
        target: Column | None = None,
        *,
        name: str | None = None,
        has_feature_names: bool = True,
        task: Task = "classification",
    ) -> Table:
        """A Table of finished columns (no conversion, no copy).

        Args:
            columns: at least one `Column`, all of one length, with distinct names.
            target: a nominal Column, or a numeric one: of whole numbers, which are classes, or for
                ``task="regression"`` of any. Missing labels are allowed here: `y` shows them as
                None (NaN) and `y_codes` raises an error naming the row.
            name: the name of the data set.
            has_feature_names: False if the columns' names were made up.
            task: ``"regression"``: the target is a number.

        Examples:
            >>> import numpy as np
            >>> a = Column("a", "numeric", np.array([1.5, 2.5]))
            >>> Table.from_columns([a]).shape
            (2, 1)
        """
        self = cls.__new__(cls)
        _Attributes.__init__(self, name=name, has_feature_names=has_feature_names)
        self._set_columns(tuple(columns), *(() if target is None else (target,)))
        if target is not None and task == "regression":
            self._target = NumericTarget(target.name, target_numbers(target.name, target))
        elif target is not None:
            self._target = target_of_column(target)
        return self

    def _set_columns(self, columns: tuple[Column, ...], *others: Column) -> None:
        """Make columns the features; they must be as long as each other and as `others`."""
        n_rows = len(columns[0]) if columns else 0
        self.shape = sources.check_shape(n_rows, len(columns))
        for column in (*columns, *others):
            if len(column) != n_rows:
                raise ValueError(
                    f"column {column.name!r} has {counted(len(column), 'row')} but column "
                    f"{columns[0].name!r} has {n_rows}"
                )
        self._names = sources.check_names([column.name for column in columns])
        self._columns, self._block, self._block_levels = columns, None, None

    @classmethod
    def from_any(
        cls,
        X: Any,
        y: MaybeArray = None,
        *,
        categorical_features: CategoricalFeatures = "from_dtype",
        **options: Any,
    ) -> Table:
        """X itself if it is a Table (then y must be None), else a Table of X and y.

        Args:
            X: a Table, or rows.
            y: labels, or the name of the column of a frame X that holds them.
            categorical_features: as in `Table`; of a Table other than "from_dtype" makes its
                columns nominal or numeric anew.
            options: further arguments of `Table`.

        Examples:
            >>> t = Table([[0.0], [1.0]], [0, 1])
            >>> Table.from_any(t) is t
            True
            >>> Table.from_any(t, categorical_features="all")
            Table: 2 rows, 1 feature (1 nominal), target 'class' with 2 classes
        """
        if isinstance(y, str):
            X, y = pop_column(X, y)
        if isinstance(X, Table):
            if y is not None:
                raise ValueError("X is a Table, which carries its target; do not pass y beside it")
            if options.get("task") == "regression":
                X = X.as_regression()
            return X._recast(categorical_features)
        return cls(X, y, categorical_features=categorical_features, **options)

    def _roles(self, categorical: Any) -> Roles | Kind | None:
        return resolve_roles(categorical, self.n_features, lambda: self.feature_names)

    def _recast(self, categorical: Any) -> Table:
        """The Table with the kinds that `categorical_features` asks for; itself when they are its
        own."""
        roles = self._roles(categorical)
        if roles is None:
            return self
        wanted = each_role(roles, self.n_features)
        block = self.block
        if block is not None and len(set(wanted)) == 1:
            kind = "nominal" if block.dtype == np.uint8 else "numeric"
            if wanted[0] == kind:
                return self
        made = recast_columns(self.columns, wanted, self.unused)
        return self if made is None else self.with_columns(made)

    # -- features ---------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        raise TypeError(
            f"a Table has no [{shown(key)}]: one row is take([i]), some are take(slice(0, 10)) or "
            "take(mask), a feature is column(name).labels(), and to_frame() gives a pandas frame"
        )

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def n_features(self) -> int:
        """Number of features, at least 1. Unused columns and the parts of dates are counted, the
        target is not."""
        return self.shape[1]

    @property
    def block(self) -> np.ndarray | None:
        """The features as one 2-D array when they are: floats (all numeric) or uint8 codes; else
        None."""
        return check_mapped(self._block)

    @property
    def feature_names(self) -> list[str]:
        """Names of the features, in column order; ``x0, x1, ...`` if none were given
        (`has_feature_names`). The result is a new list at each call."""
        if self._names is None:
            self._names = [f"x{j}" for j in range(self.shape[1])]
        return list(self._names)

    def _column_name(self, j: int) -> str:
        return f"x{j}" if self._names is None else self._names[j]

    def column(self, key: int | str) -> Column:
        """One feature by position or name, without making the others.

        A position counts from 0. If the features are one block, the values of the column are a view
        of it.

        Raises:
            KeyError: no feature has this name.
        """
        if isinstance(key, str):
            names = self.feature_names
            if key not in names:
                raise KeyError(sources.unknown_name(key, names, "column"))
            key = names.index(key)
        if self._columns is not None:
            return self._columns[key]
        values = self.block[:, key]  # type: ignore[index]
        if self._block_levels is None:
            return Column(self._column_name(key), "numeric", values)
        levels = np.flatnonzero(self._block_levels[:, key]).tolist()
        return Column(self._column_name(key), "nominal", values, tuple(levels))

    @property
    def columns(self) -> tuple[Column, ...]:
        """All features as columns, in order. If the features are one block, the columns are made on
        first use and kept, with views of the block as values."""
        check_mapped(self._block)
        if self._columns is None:
            self._columns = tuple(self.column(j) for j in range(self.shape[1]))
        return self._columns

    @property
    def X(self) -> np.ndarray:
        """The features as a 2-D array: float64 when all are numeric; uint8 when they came so; else
        objects.

        An object array holds floats (NaN = missing) and labels (None = missing), so that
        ``Table(table.X, table.y)`` describes the same rows.
        """
        if self._block is not None:
            return views.block_as_array(self._block, self._block_levels)
        return views.columns_as_array(self.columns)

    # -- target -----------------------------------------------------------------------------------

    @property
    def target(self) -> str | None:
        """Name of the target; None if the Table has no target. It need not be a column of a frame:
        labels that are given as an array are named "class" by default."""
        return None if self._target is None else self._target.name

    @property
    def y(self) -> np.ndarray | None:
        """The target row by row, shape (n_rows,); None without a target.

        Class labels have their own dtype, or are objects with None where a file has no label. A
        regression has numbers, NaN where one is missing.
        """
        return None if self._target is None else self._target.decode()

    @property
    def task(self) -> Task:
        """``"regression"`` where the target is a number, else ``"classification"``. A Table without
        a target has the latter, too."""
        return "regression" if isinstance(self._target, NumericTarget) else "classification"

    def as_regression(self) -> Table:
        """The Table with its target as a number; itself where it is one.

        Classes that are numbers become these numbers; a missing label becomes NaN. Features and
        weights are shared, not copied.

        Raises:
            ValueError: no target, or classes that are not numbers, with the first row.

        Examples:
            >>> Table([[0.5], [2.5]], [3, 10]).as_regression().y.tolist()
            [3.0, 10.0]
        """
        if self.task == "regression":
            return self
        target, column = self._need_target(), self.target_column
        assert column is not None
        new = self._clone()
        new._target = NumericTarget(target.name, target_numbers(target.name, column))
        new.origin = self.origin and f"{self.origin}.as_regression()"
        return new

    @property
    def numbers(self) -> np.ndarray:
        """The numbers of a regression, float64, shape (n_rows,).

        Raises:
            ValueError: there is no target, it has classes, or the number of a row is missing; the
                message names the row.
        """
        target = self._need_target()
        if isinstance(target, NumericTarget):
            return target.checked_numbers()
        raise ValueError(
            f"the target {target.name!r} has classes, not numbers: read it with "
            f"{argument('task', 'regression')}{worded(', or use as_regression()')}"
        )

    def _need_target(self) -> Target | NumericTarget:
        if self._target is None:
            raise no_target()
        return self._target

    @property
    def classes(self) -> tuple[Any, ...]:
        """Class labels in order: the declared ones, or the occurring ones, sorted. The tuple is
        empty if the target is a number."""
        return self._need_target().classes

    @property
    def class_values(self) -> np.ndarray:
        """`classes` as a 1-D array in the dtype of the labels, which is scikit-learn's
        ``classes_``. It is empty for a regression; a Table without a target raises a ValueError."""
        target = self._need_target()
        return np.array(()) if isinstance(target, NumericTarget) else target.values

    @property
    def labels_are_numbers(self) -> bool:
        """Whether the class labels are numbers: neither text, bools, categories nor declared
        levels. Only such labels may be meant as a regression. It is False for a regression
        itself."""
        target = self._need_target()
        return isinstance(target, Target) and target.is_number

    @property
    def y_codes(self) -> np.ndarray:
        """Labels as int32 codes into `classes`, shape (n_rows,).

        Raises:
            ValueError: there is no target, it is a number, or a row has no label; the message names
                the row.
        """
        return self._need_target().checked_codes()

    @property
    def target_column(self) -> Column | None:
        """The target as a Column: nominal with the classes as levels (code -1 where a label is
        missing), or numeric for a regression. None without a target."""
        t = self._target
        if isinstance(t, NumericTarget):
            return Column(t.name, "numeric", t.numbers)
        return None if t is None else Column(t.name, "nominal", t.codes, t.classes)

    @property
    def all_columns(self) -> tuple[Column, ...]:
        """The features, and the target last if there is one. Checks and views that treat the target
        as one more column read it."""
        target = self.target_column
        return self.columns if target is None else (*self.columns, target)

    # -- rows and columns -------------------------------------------------------------------------

    def take(self, rows: Any) -> Table:
        """The Table of some rows, with the same schema: names, levels and classes, occurring or
        not.

        Args:
            rows: indices, bool mask or slice.

        Raises:
            TypeError: a single number or an array of another shape.

        Examples:
            >>> t = Table([[1.0], [2.0], [3.0]], ["a", "b", "c"])
            >>> t.take([2, 0]).y.tolist(), t.take([2, 0]).classes
            (['c', 'a'], ('a', 'b', 'c'))
        """
        if not isinstance(rows, slice):
            given, rows = rows, np.asarray(rows)
            if rows.ndim != 1:
                raise TypeError(
                    f"take: rows={shown(given)} must be a list of row numbers, a bool mask or a "
                    "slice; one row is take([i])"
                )
            if rows.size == 0:
                rows = rows.astype(np.intp)
        new = self._clone()
        if self._block is not None:
            new._block, new._columns = self._block[rows], None
            new.shape = sources.check_shape(len(new._block), self.shape[1])
        else:
            new._columns = tuple(c.take(rows) for c in self.columns)
            new.shape = sources.check_shape(len(new._columns[0]), self.shape[1])
        new.origin = ""
        new._target = None if self._target is None else self._target.take(rows)
        new.sample_weight = None if self.sample_weight is None else self.sample_weight[rows]
        new.exposure = None if self.exposure is None else self.exposure[rows]
        new.row_numbers = None if self.row_numbers is None else self.row_numbers[rows]
        return new

    def _clone(self) -> Table:
        new = Table.__new__(Table)
        new.__setstate__(self.__getstate__())
        return new

    def drop(self, *names: str) -> Table:
        """The Table without the features of these names; rows, target and weights stay.

        Raises:
            ValueError: a name that is no feature, with the most similar one; or no feature is left.
        """
        sources.check_known(names, self.feature_names, "drop")
        new = self.with_columns(c for c in self.columns if c.name not in names)
        new.origin = self.origin and f"{self.origin}.drop({', '.join(map(repr, names))})"
        return new

    def with_columns(self, columns: Iterable[Column]) -> Table:
        """The same rows, target and weights under other features (binned or imputed ones, say).

        Unused columns stay unused if a new column has their name. `origin` is empty in the result,
        as no call makes these columns from a file.

        Raises:
            ValueError: another number of rows.
        """
        new = self._clone()
        new._set_columns(tuple(columns))
        if new.shape[0] != self.shape[0]:
            raise ValueError(
                f"the new columns have {counted(new.shape[0], 'row')}, the Table has "
                f"{self.shape[0]}"
            )
        new.origin = ""
        names = new.feature_names if self.unused else ()
        new.unused = {name: self.unused[name] for name in names if name in self.unused}
        return new

    def with_unused(self, reasons: Mapping[str, str], names: Sequence[str] = ()) -> Table:
        """The Table with columns that models keep a place for but never read.

        Each of these columns is a constant in the result, whatever its cells were. Thus the
        positions of the other columns equal their positions in a model.

        Args:
            reasons: why each column is unused, by name; a column that the Table lacks is added.
            names: the order of the columns; those that it does not name come last, in their order.

        Examples:
            >>> Table([[0.5], [2.5]], [0, 1]).with_unused({"id": "an identifier"}, ["id"]).unused
            {'id': 'an identifier'}
        """
        if not reasons:
            return self
        column_of = {column.name: column for column in self.columns}
        column_of |= {name: placeholder_column(name, len(self)) for name in reasons}
        order = dict.fromkeys([*(name for name in names if name in column_of), *column_of])
        new = self.with_columns(column_of[name] for name in order)
        new.unused = {**self.unused, **reasons}
        return new

    @property
    def dates(self) -> dict[str, DateOrder]:
        """The columns of dates from which the Table has year, month and weekday, by name, with the
        order and time zone in which they are read, such as ``"dmy"``. Empty without dates."""
        return date_orders(self.feature_names, self.unused) if self.unused else {}

    def with_dates(self, dates: Mapping[str, DateOrder] | Sequence[str]) -> Table:
        """The Table with year, month and weekday of columns of dates, after all other columns; the
        columns themselves are unused.

        Args:
            dates: names of columns of text; a mapping gives their order as well (see `Table`).

        Raises:
            ValueError: a name that is no column, or texts that are no dates, or whose day and month
                cannot be told apart.

        Examples:
            >>> t = Table({"when": ["2024-01-31", "2024-02-03"]}, [0, 1]).with_dates(["when"])
            >>> t.feature_names, t.X[1].tolist()
            (['when', 'when (year)', 'when (month)', 'when (weekday)'], [0.0, 2024.0, 2.0, 6.0])
        """
        sources.check_known(dates, self.feature_names, "dates")
        parts, reasons = date_features(dates, self.column)
        if not parts:
            return self
        new = self.with_unused(reasons)
        new = new.with_columns([*new.columns, *parts])
        new.origin = self.origin and f"{self.origin}.with_dates({dates!r})"
        return new

    @property
    def missing_target(self) -> np.ndarray:
        """Positions of the rows whose label or number is missing, ascending; shape (n_missing,). A
        Table without a target raises a ValueError."""
        target = self._need_target()
        if isinstance(target, NumericTarget):
            return np.flatnonzero(np.isnan(target.numbers))
        return np.flatnonzero(target.codes < 0)

    def drop_missing_target(self) -> Table:
        """The Table of the rows whose target is known (the Table itself if all are).

        Levels that occur only in the other rows are dropped, unless they are declared.
        `row_numbers` keeps the numbers of the rows, so that messages name rows as the file has
        them.
        """
        gone = self.missing_target
        if len(gone) == 0:
            return self
        kept = np.delete(np.arange(len(self)), gone)
        new = self.take(kept)
        if self._block is None:
            every = np.arange(len(new))
            new._columns = tuple(column.as_seen(every) for column in new.columns)
        if new.row_numbers is None:
            new.row_numbers = kept
        new.origin = self.origin and f"{self.origin}.drop_missing_target()"
        return new

    # -- for people -------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return views.summary(self)

    def head(self, n: int = 5) -> Table:
        """The Table of the first n rows, which prints with them.

        It is a Table like any other, with all levels, and its repr lists the rows.

        Examples:
            >>> Table([["a", 1.0], ["b", 2.0], ["a", 4.0]], [0, 1, 1]).head(2)
            Table: 2 rows, 2 features (1 numeric, 1 nominal), target 'class' with 2 classes
            <BLANKLINE>
            x0   x1  class
            --------------
            a   1.0      0
            b   2.0      1
        """
        new = self.take(slice(0, n))
        new.__class__ = Head
        return new

    def _repr_html_(self) -> str:
        return views.html(self)

    def describe(self) -> Records:
        """One row per column (the target last): name, kind, levels (number, None if numeric),
        missing cells, role.

        Examples:
            >>> for row in Table([["a", 1.0], [None, 2.0]], [0, 1]).describe():
            ...     print(*row.values())
            x0 nominal 1 1 feature
            x1 numeric None 0 feature
            class nominal 2 0 target
        """
        return Records(views.column_records(self))

    def to_frame(self) -> Any:
        """A pandas DataFrame with the features, and the target as the last column if there is one.

        Nominal columns and classes are Categoricals with all their levels, from which `Table` reads
        them again. Weights and exposures are not in it.
        """
        return views.pandas_frame(self)

    def equals(self, other: Table) -> bool:
        """Whether both Tables hold the same rows under the same schema.

        Compared are names, kinds, levels, cells, classes and the name of the target, with missing
        cells equal to each other. Weights, exposures and the name of the data set are not.
        """
        if (
            self.shape != other.shape
            or self.feature_names != other.feature_names
            or self.target != other.target
        ):
            return False
        return all(
            a.kind == b.kind
            and a.levels == b.levels
            and np.array_equal(a.values, b.values, equal_nan=a.kind == "numeric")
            for a, b in zip(self.all_columns, other.all_columns, strict=True)
        )

    def __getstate__(self) -> dict[str, Any]:
        kept = (one for one in _Attributes.__slots__ if one not in ("_handle", "_inspected"))
        return {name: getattr(self, name) for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        _Attributes.__init__(self)  # older pickles have not all attributes
        for name, value in state.items():
            setattr(self, name, value)


class Head(Table):
    """The first rows of a Table, as `Table.head` gives them: what is made of it is a Table."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{super().__repr__()}\n\n{views.rows_as_text(self)}"

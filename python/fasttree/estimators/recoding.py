"""Columns of new rows as numbers, or as codes of the levels that a model knows.

What
    `number_column` and `level_column` recode one column. A label that was not declared when the
    model was fitted is treated as missing, with one warning per column, or refused.
    `long_text_coded` does so before a `Table` is made, whose columns have a largest number of
    levels.
Complexity
    One pass over the cells.
When not to use it
    For training rows, whose levels a `Table` declares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import _engine
from .._checks import is_missing
from .._checks.data_warnings import warn_caller
from .._checks.words import row_word, worded
from ..table.columns import MAX_LEVELS, Column, shorten
from ..table.decimal_marks import as_numbers
from ..table.number_texts import codes_of_words, formatted_numbers, stray_word
from ..table.sources import is_single_value, to_list
from .schema import Schema


def number_column(column: Column, decimal: str | None) -> Column:
    """A column as numbers.

    Args:
        column: a column; one without values becomes NaN.
        decimal: decimal mark of numbers in text, as in the training rows.

    Raises:
        TypeError: a label that is not a number, with its row.
    """
    column = as_numbers(column, ",", decimal, None)
    if column.kind == "numeric":
        return column
    if column.n_missing == len(column):
        return Column(column.name, "numeric", np.full(len(column), np.nan))
    codes = np.asarray(column.values)
    not_a_number = np.isin(codes, codes_of_words(column.levels or ()))
    row = int(np.flatnonzero(not_a_number if not_a_number.any() else codes >= 0)[0])
    hint = formatted_numbers(column.levels or ()) or stray_word(column.levels or ())
    cells = worded(
        "(or NaN for missing)", "(--missing TEXT: a text of the file that means missing)"
    )
    raise TypeError(
        f"column {column.name!r} was numeric when the model was fitted, but {row_word(row)} holds "
        f"{column.labels()[row]!r}; {hint[1] if hint else f'give numbers {cells}'}"
    )


def level_column(
    column: Column, levels: tuple[Any, ...], handle_unknown: str, *, ordered: bool
) -> Column:
    """A column as codes of the declared levels, -1 for missing and undeclared ones.

    Args:
        column: a column of labels or numbers.
        levels: the declared levels.
        handle_unknown: undeclared levels are ``"missing"``, with a warning, or an ``"error"``.
        ordered: whether the levels ascend.
    """
    # The column's own levels and codes; the levels of numbers are their distinct values.
    if column.kind == "numeric":
        values = column.values
        distinct = np.unique(values[~np.isnan(values)])
        labels: Sequence[Any] = distinct.tolist()
        codes = np.where(np.isnan(values), -1, np.searchsorted(distinct, values)).astype(np.int32)
    else:
        labels, codes = column.levels or (), np.asarray(column.values, dtype=np.int32)
    # Whole numbers are floats beside missing cells: 3.0 is the level 3, or "3".
    plain = [
        int(v) if isinstance(v, float) and v.is_integer() else _engine.plain(v) for v in labels
    ]
    labels = tuple(as_declared(plain, levels))
    if labels == levels:
        return Column(column.name, "nominal", codes, levels, ordered=ordered)
    # Map own codes to declared ones; the last entry is for -1, missing. Codes such as 01 and 10 are
    # text where some have a leading zero, and numbers in a file of rows without these.
    code_of = {level: j for j, level in enumerate(levels)}
    places = [code_of.get(v, code_of.get(str(v), -1)) for v in labels]
    declared = np.array([*places, -1], dtype=np.int32)
    rows = np.flatnonzero((declared[codes] < 0) & (codes >= 0))
    if len(rows):
        unseen = [labels[code] for code in np.unique(codes[rows])]
        what, first = f"{len(unseen)} level(s)", (int(rows[0]), labels[codes[rows[0]]])
        _report_unseen(column.name, what, unseen, levels, first, handle_unknown=handle_unknown)
    return Column(column.name, "nominal", declared[codes], levels, ordered=ordered)


def as_declared(labels: Any, declared: Sequence[Any]) -> Any:
    """Labels with true and false in the spelling in which they are declared.

    Where only true and false are declared, ``False``, ``"false"`` and ``"FALSE"`` are one label.
    All other labels are unchanged.

    Examples:
        >>> as_declared(["true", "FALSE", "no"], (False, True)), as_declared(["A"], ("a", "b"))
        ([True, False, 'no'], ['A'])
    """
    truths = _truths(declared)
    return [truths.get(str(label).lower(), label) for label in labels] if truths else labels


def _truths(declared: Sequence[Any]) -> dict[str, Any]:
    """The declared labels by "true" and "false", if there are no others; else an empty dict."""
    words = {str(label).lower(): label for label in declared[:3]}
    return words if len(declared) < 3 and words.keys() <= {"false", "true"} else {}


def _report_unseen(
    name: str, what: str, unseen: list[Any], levels: Any, first: Any, *, handle_unknown: str
) -> None:
    """Warn of undeclared levels, or raise a ValueError.

    Args:
        name: name of the column.
        what: number of levels or cells, as text.
        unseen: some of the levels.
        levels: the declared levels.
        first: the first row with an undeclared level, and its cell.
        handle_unknown: ``"missing"`` warns, ``"error"`` raises.
    """
    text = ", ".join(repr(v) for v in unseen[:8]) + (", ..." if len(unseen) > 8 else "")
    fault = f"column {name!r} holds {what} that were not declared when the model was fitted: {text}"
    fault += f" (declared: {shorten(levels, 4)})"
    if handle_unknown == "error":
        raise ValueError(
            f"{fault}; the first is {first[1]!r} in row {first[0]}; drop or recode these rows, or "
            "choose handle_unknown='missing'"
        )
    warn_caller(fault + "; they are treated as missing", UserWarning)


def long_text_coded(schema: Schema, X: Any, handle_unknown: str) -> Any:
    """Recode the text columns of X, if it has more rows than a column of a Table may have levels
    (`MAX_LEVELS`); other X are returned unchanged.

    Args:
        schema: the columns of the model.
        X: an array, a data frame, or a dict of columns.
        handle_unknown: as in `level_column`.

    Returns:
        A dict of columns, or X.
    """
    is_array = isinstance(X, np.ndarray) and X.ndim == 2
    if not any(schema.nominal) or not (isinstance(X, Mapping) or is_array or hasattr(X, "columns")):
        return X
    if not isinstance(X, Mapping) and len(X) <= MAX_LEVELS:
        return X
    names: list[Any] = schema.names
    if isinstance(X, Mapping):
        names, columns = list(X), list(X.values())
    elif is_array:
        columns = list(X.T) if X.dtype.kind in "OUT" else []
    else:
        names = list(getattr(X, "column_names", getattr(X, "columns", ())))
        columns = [X[name] for name in names] if len(set(names)) == len(names) else []
    is_complete = len(columns) == len(names) == len(schema.names)
    if not is_complete or any(map(is_single_value, columns)) or len(columns[0]) <= MAX_LEVELS:
        return X
    if not all(isinstance(name, str) for name in names):
        return X
    by_name = {name: j for j, name in enumerate(schema.names)}
    coded = {}
    for j, (name, cells) in enumerate(zip(names, columns, strict=True)):
        feature = by_name.get(name, j) if schema.has_names else j
        levels = schema.levels[feature]
        is_text = schema.nominal[feature] and all(isinstance(v, str) for v in levels)
        is_text = is_text and not _truths(levels)
        coded[name] = _known_codes(name, cells, levels, handle_unknown) if is_text else cells
    return coded


def _known_codes(name: str, cells: Any, levels: tuple[Any, ...], handle_unknown: str) -> Column:
    """Cells as codes of the declared levels, found one by one: their levels are not listed."""
    values = to_list(cells)
    code_of = {level: code for code, level in enumerate(levels)}
    codes = np.fromiter((code_of.get(v, -1) for v in values), dtype=np.int32, count=len(values))
    unknown = np.flatnonzero(codes < 0).tolist()
    unseen = [row for row in unknown if type(values[row]) is str or not is_missing(values[row])]
    if unseen:
        some = list(dict.fromkeys(values[row] for row in unseen[:9]))
        what, first = f"{len(unseen):,} cell(s) of levels", (unseen[0], values[unseen[0]])
        _report_unseen(name, what, some, levels, first, handle_unknown=handle_unknown)
    return Column(name, "nominal", codes, levels)

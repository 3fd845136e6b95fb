"""`ReportTable`: a table of texts with emphasis and marks, the input of all renderers.

The scale of a metric: shares are in percent with two digits, tree sizes have one digit, other
metrics four. All renderers (text, Markdown, LaTeX, HTML) call `number_columns` for the alignment. A
column is one of numbers, which stand right, if every cell that is not empty reads as a number,
possibly with a percent sign, a deviation or a rank behind it, or as "-" for a missing value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes:
        text: the text.
        bold: whether it is emphasised.
        mark: mark of a significant difference: "v" (better), "*" (worse) or "".
    """

    text: str
    bold: bool = False
    mark: str = ""


@dataclass
class ReportTable:
    """A titled table; columns of numbers are aligned to the right, text to the left.

    Attributes:
        title: line above the table.
        header: titles of the columns.
        rows: the cells, row by row.
        rule_before: positions of rows above which a line is drawn (averages, win/tie/loss rows).
        notes: lines below the table.
        width: the widest line of plain text: long text columns wrap within it; None: any width.
    """

    title: str
    header: list[str]
    rows: list[list[Cell]] = field(default_factory=list)
    rule_before: tuple[int, ...] = ()
    notes: list[str] = field(default_factory=list)
    width: int | None = None

    def number_columns(self) -> list[bool]:
        """Whether each column holds numbers, by column; such columns are aligned right."""
        texts = [[cell.text for cell in row] for row in self.rows]
        return number_columns(texts, len(self.header))


def report_table(
    title: str,
    header: Sequence[str],
    rows: Iterable[Iterable[Any]],
    *notes: str,
    rules: Sequence[int] = (),
    width: int | None = None,
) -> ReportTable:
    """A table from plain values or `Cell` objects.

    Args:
        title: line above the table.
        header: titles of the columns.
        rows: the values, row by row; None is an empty cell. `Cell` objects may be bold or marked.
        *notes: lines below the table.
        rules: positions of rows above which a line is drawn.
        width: the widest line of plain text; None: any width.

    >>> report_table("Sizes", ["data set", "leaves"], [["iris", 9]]).rows[0][1].text
    '9'
    """
    cells = [
        [one if isinstance(one, Cell) else Cell("" if one is None else str(one)) for one in row]
        for row in rows
    ]
    return ReportTable(title, list(header), cells, tuple(rules), list(notes), width)


def tables_of(result: Any, **options: Any) -> list[ReportTable]:
    """The tables of a result; tables are returned unchanged.

    Args:
        result: an object with a method `tables`, a table or a list of tables.
        **options: options of the method `tables`: ``sd="repeats"`` for the standard deviation over
            repetitions, ``per_class=True`` for the measures of each class of a cross-validation.

    Raises:
        TypeError: any other result.
    """
    if hasattr(result, "tables"):
        tables: list[ReportTable] = result.tables(**options)
        return tables
    if isinstance(result, ReportTable):
        return [result]
    if isinstance(result, list) and all(isinstance(one, ReportTable) for one in result):
        return result
    raise TypeError(f"result: cannot make tables of a {type(result).__name__}")


def number(value: float, digits: int) -> str:
    """The text of a number with fixed digits; "-" for NaN, "inf" or "-inf" for infinities.

    Args:
        value: the number.
        digits: digits behind the point.

    >>> number(0.12345, 3), number(float("nan"), 3), number(-0.0001, 2)
    ('0.123', '-', '0.00')
    """
    if math.isnan(value):
        return "-"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if not text.strip("-0.") else text


PERCENT = frozenset(
    {"accuracy", "error_rate", "error", "unclassified_rate", "unclassified", "balanced_accuracy"}
)
SIZES = frozenset({"leaves", "empty_leaves", "nodes", "depth"})


class Scale(NamedTuple):
    """How values of a metric are shown.

    Attributes:
        factor: number that values are multiplied by, 100 for shares.
        digits: digits behind the point.
        label: name of the metric, with its unit.
    """

    factor: float
    digits: int
    label: str


def scale_of(metric: str) -> Scale:
    """The scale of a metric: percent for shares such as the accuracy, one digit for sizes of trees,
    four digits for anything else.

    >>> scale_of("accuracy")
    Scale(factor=100.0, digits=2, label='accuracy (%)')
    """
    if metric in PERCENT:
        return Scale(100.0, 2, f"{metric} (%)")
    return Scale(1.0, 1 if metric in SIZES else 4, metric)


def mean_sd(mean: float, sd: float, metric: str) -> str:
    """The text "mean (sd)" of a metric in its scale.

    Args:
        mean, sd: mean and standard deviation, as the metric gives them.
        metric: name of the metric.
    """
    factor, digits, _ = scale_of(metric)
    return f"{number(factor * mean, digits)} ({number(factor * sd, digits)})"


_NUMBER = re.compile(
    r"""(?:(?:<\s)?[+-]?(?:\d[\d,]*(?:\.\d*)?(?:e[+-]?\d+)?|inf|nan)|-)   # 12, 1,234.5, < 1e-05, -
    \s?%?
    (?:\s(?:\((?:[^()a-z]|inf|nan)*\)|\+-\s[\d.e+-]+))*          # 95.3 (4.1), 0.12 (3) +- 0.01
    |\([\d\s/.,+-]+\)                                           # (3/5/2)
    |\d[\d.]*(?:\s/\s\d[\d.]*)+                                 # 0.1 / 0.7 / 0.2""",
    re.VERBOSE | re.IGNORECASE,
)


def is_number_column(cells: Iterable[str]) -> bool:
    """Whether all cells that are not empty are numbers, and one at least is. A dash stands for a
    missing number; units in percent and standard deviations in brackets are allowed.

    >>> is_number_column(["0.25", "95.3 (4.1)", "-", ""]), is_number_column(["1", "gini"])
    (True, False)
    >>> is_number_column(["", ""]), is_number_column(["-"])
    (False, False)
    """
    filled = [cell for text in cells if (cell := text.strip())]
    return any(cell != "-" for cell in filled) and all(map(_NUMBER.fullmatch, filled))


def number_columns(rows: Sequence[Sequence[str]], n_columns: int) -> list[bool]:
    """Whether each column of a table is one of numbers.

    Args:
        rows: the texts of the cells, row by row.
        n_columns: number of columns.

    >>> number_columns([["gini", "0.5"], ["mdl", "12"]], 2)
    [False, True]
    """
    return [is_number_column([row[j] for row in rows]) for j in range(n_columns)]

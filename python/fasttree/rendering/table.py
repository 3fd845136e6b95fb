"""`ReportTable`: a table of texts with emphasis and marks, the input of all renderers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Cell:
    """One cell: its text, whether it is emphasised, and a significance mark ("v", "*" or "")."""

    text: str
    bold: bool = False
    mark: str = ""


@dataclass
class ReportTable:
    """A titled table; the first column holds names, the others numbers.

    `rule_before` are row positions above which a line is drawn (averages, win/tie/loss rows).
    """

    title: str
    header: list[str]
    rows: list[list[Cell]] = field(default_factory=list)
    rule_before: tuple[int, ...] = ()
    notes: list[str] = field(default_factory=list)


def tables_of(result: Any, **options: Any) -> list[ReportTable]:
    """Return the tables of a result; tables are returned unchanged.

    Options are those of the result's method `tables`: ``sd="repeats"`` for the standard deviation
    over repetitions, ``per_class=True`` for the measures of each class of a cross-validation.
    """
    if hasattr(result, "tables"):
        found: list[ReportTable] = result.tables(**options)
        return found
    if isinstance(result, ReportTable):
        return [result]
    if isinstance(result, list) and all(isinstance(one, ReportTable) for one in result):
        return result
    raise TypeError(f"result: cannot make tables of a {type(result).__name__}")


def number(value: float, digits: int) -> str:
    """Return a number with fixed digits; "-" for NaN, "inf" or "-inf" for infinities.

    >>> number(0.12345, 3), number(float("nan"), 3), number(-0.0001, 2)
    ('0.123', '-', '0.00')
    """
    if math.isnan(value):
        return "-"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if not text.strip("-0.") else text

"""Alignment of table columns by their content: numbers to the right, text to the left.

All renderers of tables (text, Markdown, LaTeX, HTML) call `number_columns`. A column is one of
numbers if every cell that is not empty reads as a number, possibly with a percent sign, a deviation
or a rank behind it, or as "-" for a missing value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_NUMBER = re.compile(
    r"""(?:(?:<\s)?[+-]?(?:\d[\d,]*(?:\.\d*)?(?:e[+-]?\d+)?|inf|nan)|-)   # 12, 1,234.5, < 1e-05, -
    \s?%?
    (?:\s(?:\((?:[^()a-z]|inf|nan)*\)|\+-\s[\d.e+-]+))*          # 95.3 (4.1), 0.12 (3) +- 0.01
    |\([\d\s/.,+-]+\)                                           # (3/5/2)
    |\d[\d.]*(?:\s/\s\d[\d.]*)+                                 # 0.1 / 0.7 / 0.2""",
    re.VERBOSE | re.IGNORECASE,
)


def is_number_column(cells: Iterable[str]) -> bool:
    """Whether all cells that are not empty are numbers, and there is one.

    >>> is_number_column(["0.25", "95.3 (4.1)", "-", ""]), is_number_column(["1", "gini"])
    (True, False)
    >>> is_number_column(["", ""]), is_number_column(["-"])
    (False, False)
    """
    filled = [cell for text in cells if (cell := text.strip())]
    return any(cell != "-" for cell in filled) and all(map(_NUMBER.fullmatch, filled))


def number_columns(rows: Sequence[Sequence[str]], n_columns: int) -> list[bool]:
    """Whether each column of a table is one of numbers.

    >>> number_columns([["gini", "0.5"], ["mdl", "12"]], 2)
    [False, True]
    """
    return [is_number_column([row[j] for row in rows]) for j in range(n_columns)]

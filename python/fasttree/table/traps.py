"""Columns that a tree should not split on, recognised by content: identifiers, dates, constants.

Each finding has a reason as text; nothing is dropped here. O(levels) per nominal column, O(n log n)
a column of whole numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._checks.speech import argument, data_row, reading, worded
from ..rendering.words import counted
from .columns import Column
from .dates import date_reason, order_of_dates, zone_of
from .unfailing import unfailing

__all__ = [
    "COMMA",
    "POINT",
    "are_numbers",
    "date_share",
    "hidden_numbers",
    "is_constant",
    "is_of_numbers",
    "named_code",
    "no_numbers",
    "reason_to_leave_out",
    "strange_cells",
]

_DATE = re.compile(
    r"""\s*(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ]\d{1,2}:\d{2}.*)?   # 2024-01-31, 2024-01-31 12:00
    |\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})(?:,?[T ]\d{1,2}:\d{2}.*)?  # 31.1.2024, 31.1.24
    |\d{1,2}[-/. ]+(?:MONTH)[a-z]*[-/. ,]+\d{2,4}(?:,?[T ]\d{1,2}:\d{2}.*)?
    |(?:MONTH)[a-z]*[. ]+\d{1,2}[, ]+\d{4}(?:,?[T ]\d{1,2}:\d{2}.*)?)\s*""".replace(
        "MONTH", "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
    ),
    re.IGNORECASE | re.VERBOSE,
)
_NAMED_ID = re.compile(
    r"(?:^|[_\s.-])(?:id|ids|uuid|guid|key|rowid|index|serial|iid|fid)$|^unnamed: "
    r"\d+$|^row(?:_?(?:id|number|no|num))$|[a-z]Id$|[a-z]ID$"
)

_NAMED_CODE = re.compile(
    r"(?:^|[_\s.-])(?:code|type|kind|cat|category|group|cluster|region|zone|district|zip|zipcode|"
    r"postcode|plz|country|state|county|city|branch|dept|department|sector|status|gender|sex|race|"
    r"ethnicity|religion|colou?r|brand|model|shop|store|sku)s?$|[a-z](?:Code|Type|Group)$",
    re.IGNORECASE,
)
_GENOTYPE = re.compile(r"(?:rs|snp|chr)[\w.:-]*\d\w*", re.IGNORECASE)

_SIGN = (
    r"(?:[$€£¥₹₽₩₺฿₫₴₪¢]|[A-Z]{0,3}\$|kr\.?|zł|Fr\.|"
    r"USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|SEK|NOK|DKK|PLN)"
)
_CELL = r"[-+−]?\s*(?:\d[\d.,'’\s]*|[.,]\d+)(?:[eE][-+]?\d+)?"
_DRESSED = {
    what: re.compile(
        rf"\s*(?:{form.replace('SIGN', _SIGN).replace('CELL', _CELL)})\s*", re.IGNORECASE
    )
    for what, form in {
        "numbers with a currency sign": r"\(?[-+−]?\s*SIGN\s*CELL-?\)?|\(?CELL\s*SIGN\)?",
        "numbers with a percent sign": r"CELL\s*[%‰]",
        "numbers in brackets, as of losses": r"\(CELL\)",
        "numbers with apostrophes or blanks between thousands": (
            r"[-+]?\d{1,3}(?:['’\s]\d{3})+(?:[.,]\d+)?"
        ),
        "times or durations": (
            r"(?:\d+ days? )?[-+]?\d{1,3}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s*[ap]\.?m\.?)?Z?"
        ),
        "numbers with a unit": (
            r"CELL\s*(?P<unit>[^\W\d_]{1,8}[²³]?(?:/[^\W\d_]{1,4})?|°[CF]?|[\"'])"
        ),
    }.items()
}
"""Texts that are numbers for a reader, by what hides it."""

MOST_UNITS = 3
"""Different units of one column, at most: more are words."""
_PLAIN = re.compile(r"\s*[-+]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][-+]?\d+)?\s*")

COMMA = re.compile(r"\s*[-+]?(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?(?:[eE][-+]?\d+)?\s*")
"""1,5 and 1.234,5"""
POINT = re.compile(r"\s*[-+]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?(?:[eE][-+]?\d+)?\s*")
"""1.5 and 1,234.5"""

_WHOLE = re.compile(r"\s*[-+]?\d+\s*")
_LEADING_ZERO = re.compile(r"\s*[-+]?0\d")

MOST_STRANGERS = 3
"""Texts among the numbers of a column that are named, at most."""

LOOKED_AT = 1000
"""Levels of a column that are read."""

WORDS_OF_TEXT = 3
"""Mean number of words of a cell from which different texts are free text."""

LEAST_ROWS = 50
"""Rows from which a column is taken for an identifier because its values are all different."""


def _share(pattern: re.Pattern[str], levels: tuple[Any, ...]) -> float:
    some = [v for v in levels[:: max(1, len(levels) // LOOKED_AT)] if isinstance(v, str)]
    if not some or len(some) < 0.9 * len(levels[:: max(1, len(levels) // LOOKED_AT)]):
        return 0.0
    return sum(pattern.fullmatch(v) is not None for v in some) / len(some)


def date_share(levels: tuple[Any, ...]) -> float:
    """Share of the levels that read as dates or times.

    Examples:
        >>> date_share(("2024-01-31", "2024-02-01")), date_share(("a", "2024-02-01"))
        (1.0, 0.5)
    """
    return _share(_DATE, levels)


def dressed_as(levels: Sequence[Any]) -> tuple[str, str] | None:
    """What hides that levels are numbers, with an example (a comma, currency signs, units, times of
    day), and what makes numbers of them; None where they are plain numbers or no numbers.

    Examples:
        >>> dressed_as(("$12.50", "$3", "-$4"))
        ("numbers with a currency sign ('$12.50', ...)", 'take it off to use them as numbers')
        >>> dressed_as(("12.5 kg", "800 g", "3"))[0]
        "numbers with a unit ('12.5 kg', ...)"
        >>> dressed_as(("795", "34,481,000"))[1]
        "read the file with fasttree.datasets.load(path, decimal='.') (1,500 is fifteen hundred) \
(a frame: replace the comma, then pandas.to_numeric)"
    """
    some = levels[:: max(1, len(levels) // LOOKED_AT)]
    if commas := [one for one in some if isinstance(one, str) and "," in one]:
        marks = {
            ".": (POINT, "1,500 is fifteen hundred"),
            ",": (COMMA, "1,5 is one and a half"),
        }
        fit = [(m, x) for m, (form, x) in marks.items() if _share(form, tuple(some)) == 1]
        if fit:
            ways = zip((reading, argument), fit, strict=False)
            read = " or ".join(f"{say('decimal', mark)} ({x})" for say, (mark, x) in ways)
            said = f"numbers with a comma ({commas[0]!r}, ...)"
            frame = worded(" (a frame: replace the comma, then pandas.to_numeric)")
            return said, f"read the file with {read}{frame}"
    others = [one for one in some if isinstance(one, str) and not _PLAIN.fullmatch(one)]
    if len(others) < 0.1 * len(some) or not all(isinstance(one, str) for one in some):
        return None
    for what, form in _DRESSED.items():
        found = [match for match in map(form.fullmatch, others) if match is not None]
        if len(found) < max(0.95 * len(others), 1):
            continue
        units = {match["unit"] for match in found} if "unit" in form.groupindex else set()
        if len(units) <= MOST_UNITS:
            times = what.startswith("times")
            remedy = (
                "give numbers, such as hours" if times else "take it off to use them as numbers"
            )
            return f"{what} ({found[0][0]!r}, ...)", remedy
    return None


def hidden_numbers(levels: Sequence[Any]) -> str | None:
    """What dates or numbers the classes of a target are, and what makes numbers of them, or None.

    Examples:
        >>> hidden_numbers(("2024-01-31", "2024-02-01")), hidden_numbers(("1", "2"))
        ('dates as text (2024-01-31, ...): give numbers, such as days', None)
    """
    if date_share(tuple(levels)) >= 0.95:
        return f"dates as text ({levels[0]}, ...): give numbers, such as days"
    dressed = dressed_as(levels)
    return None if dressed is None else ": ".join(dressed)


def no_numbers(levels: Sequence[Any]) -> list[int]:
    """Codes of the levels that are text and read as no number.

    Examples:
        >>> no_numbers(("1", "2,5", "n/a", "1e3", "1.352,16"))
        [2]
    """
    texts = ((code, level) for code, level in enumerate(levels) if isinstance(level, str))
    return [
        code
        for code, text in texts
        if not any(form.fullmatch(text) for form in (_PLAIN, COMMA, POINT))
    ]


def are_numbers(levels: Sequence[Any], *, fractions: bool = False) -> bool:
    """Whether levels are texts that all read as numbers, none with a zero before other digits.

    Args:
        levels: of a column.
        fractions: some must not be whole.

    Examples:
        >>> are_numbers(("1", "-2.5", "1e3")), are_numbers(("01067", "2")), are_numbers(("1", "a"))
        (True, False, False)
    """
    texts = [level for level in levels if isinstance(level, str)]
    if not texts or len(texts) < len(levels):
        return False
    if fractions and all(_WHOLE.fullmatch(text) for text in texts):
        return False
    return all(
        _PLAIN.fullmatch(text) and not _LEADING_ZERO.match(text) and "," not in text
        for text in texts
    )


def strange_cells(column: Column, rows: np.ndarray | None = None) -> tuple[str, str] | None:
    """What keeps a column of text from being numbers: a few texts among them, or a sign at each.

    Returns where the first such cell is, and a remedy; None where neither most levels are numbers
    nor nine in ten rows.

    Args:
        column: a feature.
        rows: the numbers by which rows are named; None: their places.

    Examples:
        >>> import numpy as np
        >>> levels = (*map(str, range(9)), "n/a")
        >>> strange_cells(Column("age", "nominal", np.arange(10, dtype=np.int32), levels))
        ("'n/a' in data row 9 (counted from 0) is no number, 9 of 10 levels are", ...)
    """
    known = column.levels or ()
    if not known or not isinstance(known[0], str):
        return None
    codes = np.asarray(column.values)
    counts = np.bincount(codes[codes >= 0])
    occurring = np.flatnonzero(counts)
    levels = [text for code in occurring if isinstance(text := known[code], str)]
    if len(levels) < len(occurring):
        return None
    dressed = dressed_as(levels)
    if dressed is not None and (len(levels) > 2 or "comma" in dressed[0]):
        return f"{dressed[0]} are text", dressed[1]
    odd = no_numbers(levels)
    most_levels = len(levels) >= 8 and len(odd) <= 0.2 * len(levels)
    n_odd = counts[occurring[odd]].sum()
    most_rows = len(levels) - len(odd) >= 3 and counts.sum() >= max(LEAST_ROWS, 10 * n_odd)
    if not odd or not (most_levels or most_rows):
        return None
    strange = [levels[place] for place in odd]
    first = int(np.isin(codes, occurring[odd]).argmax())
    row = first if rows is None else int(rows[first])
    description = (
        f"{known[codes[first]]!r} in {data_row(row)} is no number, "
        f"{len(levels) - len(strange):,} of {counted(len(levels), 'level')} are"
    )
    if len(strange) > MOST_STRANGERS:
        return description, "correct them"
    frame = worded(" (a frame: pandas.to_numeric with errors='coerce')")
    return description, f"if missing, read the file with {reading('missing', strange)}{frame}"


@unfailing()
def reason_to_leave_out(column: Column, n_rows: int, rows: np.ndarray | None = None) -> str | None:
    """Why a column cannot help to predict new rows (an identifier, a date, one value), or None.

    Args:
        column: a feature.
        n_rows: rows of the data.
        rows: the numbers by which rows are named; None: their places.

    Examples:
        >>> import numpy as np
        >>> reason_to_leave_out(Column("id", "numeric", np.arange(50.0)), 50)
        'an identifier: a different whole number in every row'
    """
    # Nominal: empty, dates, constant, or nearly one level per row.
    if column.kind == "nominal":
        codes = np.asarray(column.values)
        seen = np.unique(codes[codes >= 0])
        levels = tuple((column.levels or ())[int(c)] for c in seen)
        filled = int((codes >= 0).sum())
        if filled == 0:
            return "no value in any row"
        if len(levels) > 2 and date_share(levels) >= 0.95:
            order = order_of_dates(levels)
            if order is not None:
                return date_reason(order + zone_of(levels))
            made = worded(f", or make a Table with dates={{{column.name!r}: 'dmy'}} or 'mdy'")
            return (
                f"dates as text ({levels[0]}, ...) whose day and month cannot be told apart: write "
                f"them as 2024-01-31{made}"
            )
        dressed = dressed_as(levels) if len(levels) > 2 else None
        many = filled >= LEAST_ROWS and len(levels) > 0.5 * filled
        if dressed is not None and (many or dressed[0].startswith("times")):
            return ": ".join(dressed)
        if len(levels) == 1 and filled == len(codes):
            return f"one value, {levels[0]!r}, in all rows"
        if many:
            strange = strange_cells(column, rows)
            if strange is not None:
                return f"numbers read as text: {'; '.join(strange)}"
            if are_numbers(levels):
                other = "" if are_numbers(levels, fractions=True) else "an identifier, or "
                said = f"{other}numbers as text ({levels[0]!r}, ...)"
                return said + worded(": convert with pandas.to_numeric")
            words = sum(len(v.split()) for v in levels if isinstance(v, str)) / len(levels)
            what = "free text" if words >= WORDS_OF_TEXT else "an identifier"
            return f"{what}: {counted(len(levels), 'level')} in {counted(filled, 'row')}"
        return None
    # Numeric: empty, constant, or whole numbers that count the rows.
    values = np.asarray(column.values, dtype=np.float64)
    known = values[~np.isnan(values)]
    if len(known) == 0:
        return "no value in any row"
    if len(known) == len(values) and known.min() == known.max():
        return f"one value, {known[0]:g}, in all rows"
    if n_rows < LEAST_ROWS or not np.array_equal(known, np.floor(known)):
        return None
    counts_up = len(known) == n_rows and known.max() - known.min() == n_rows - 1
    named = _NAMED_ID.search(column.name) is not None
    distinct = len(np.unique(known)) if counts_up or named else 0
    if distinct == n_rows:
        return "an identifier: a different whole number in every row"
    if named and distinct > 0.5 * n_rows:
        return (
            f"an identifier by its name, {counted(distinct, 'different number')} in "
            f"{counted(n_rows, 'row')}"
        )
    return None


def named_code(name: str) -> bool:
    """Whether the name of a column says that it holds codes of categories.

    Examples:
        >>> named_code("zip_code"), named_code("patient")
        (True, False)
    """
    return bool(_NAMED_CODE.search(name.strip()) or _GENOTYPE.fullmatch(name.strip()))


def is_constant(reason: str) -> bool:
    """Whether the reason is that a column has one value or none, so that no split divides it."""
    return reason.startswith(("one value", "no value"))


def is_of_numbers(reason: str) -> bool:
    """Whether a column that is left out for this reason is one of numbers.

    Examples:
        >>> is_of_numbers("one value, 1, in all rows"), is_of_numbers("one value, '1', in all rows")
        (True, False)
    """
    found = re.match(r"one value, [-\d]|an identifier: a different whole|an identifier by", reason)
    return found is not None

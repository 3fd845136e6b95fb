"""What texts say for a reader: numbers, numbers with a sign or unit, dates, times of day.

The levels of a column of text are looked at, or the classes of a target; nothing is converted here.
O(levels), of many levels a thousand.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from .._checks.speech import argument, reading, worded

__all__ = [
    "COMMA",
    "POINT",
    "are_numbers",
    "date_share",
    "dressed_as",
    "hidden_numbers",
    "no_numbers",
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

_CLOCKS = (
    (re.compile(r"-?(?:\d+ days? )?\d+:\d{2}:\d{2}(?:\.\d+)?"), ""),
    (re.compile(r"-?\d+:\d{2}"), " + ':00'"),
)
"""Times that pandas reads as durations, and what it needs at their ends."""

MOST_UNITS = 3
"""Different units of one column, at most: more are words."""
_PLAIN = re.compile(r"\s*[-+]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][-+]?\d+)?\s*")

COMMA = re.compile(r"\s*[-+]?(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?(?:[eE][-+]?\d+)?\s*")
"""1,5 and 1.234,5"""
POINT = re.compile(r"\s*[-+]?(?:\d+|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?(?:[eE][-+]?\d+)?\s*")
"""1.5 and 1,234.5"""

_WHOLE = re.compile(r"\s*[-+]?\d+\s*")
_LEADING_ZERO = re.compile(r"\s*[-+]?0\d")

LOOKED_AT = 1000
"""Levels of a column that are read."""


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
        >>> dressed_as(("$12.50", "$3", "-$4"))[0]
        "numbers with a currency sign ('$12.50', ...)"
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
            remedy = _undressed(what, [match[0] for match in found], len(units))
            return f"{what} ({found[0][0]!r}, ...)", remedy
    return None


def _undressed(what: str, texts: list[str], n_units: int) -> str:
    """What makes numbers of texts with signs: code for Python, an example for the shell.

    Args:
        what: the name of what hides them, in `_DRESSED`.
        texts: the texts.
        n_units: how many different units they have; 0: they have none.

    Examples:
        >>> _undressed("numbers in brackets", ["(1,5)"], 0)
        "use pandas.to_numeric(column.str.replace('(', '-').str.replace(r'[^\\\\d,-]', '', \
regex=True).str.replace(',', '.'))"
    """
    if what.startswith("times"):
        ends = next((end for form, end in _CLOCKS if all(map(form.fullmatch, texts))), None)
        code = f": pandas.to_timedelta(column{ends}).dt.total_seconds() / 3600"
        return "give numbers, such as hours" + worded(code if ends is not None else "")
    if n_units > 1:
        return "write them in one unit, as numbers alone"
    plain = [re.sub(r"[^\d.,-]", "", text.replace("(", "-")) for text in texts]
    marks = [mark for mark, form in ((".", POINT), (",", COMMA)) if all(map(form.fullmatch, plain))]
    has_marks = any("." in one or "," in one for one in plain)
    odd = any(re.search(r"\d[eE][-+]?\d|−", text) for text in texts)
    if odd or not marks or (len(marks) > 1 and has_marks):
        return "write them as numbers alone"
    others = rf"[^\d{marks[0]}-]"
    brackets = ".str.replace('(', '-')" * any("(" in text for text in texts)
    comma = ".str.replace(',', '.')" * (marks[0] == ",")
    cells = f"column{brackets}.str.replace(r'{others}', '', regex=True){comma}"
    example = re.sub(others, "", plain[0])
    return worded(f"use pandas.to_numeric({cells})", f"write numbers alone, such as {example}")


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

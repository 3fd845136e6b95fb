"""Counts and lists in words, for every message and title that prints them.

O(length of the text).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

IRREGULAR = {"leaf": "leaves", "criterion": "criteria"}
"""Plurals that no rule gives."""

MOST_NAMED = 20
"""Names that a list in words gives, at most."""

LONGEST = 400
"""Characters that it gives, at most, where it gives more than one name."""


def p_value_text(p: float, equals: str = "") -> str:
    """A p-value with three figures after a sign of equality; below 1e-300, where doubles lose
    figures, only that.

    Examples:
        >>> p_value_text(0.01234), p_value_text(0.5, "="), p_value_text(1e-310, "=")
        ('0.0123', '=0.5', ' < 1e-300')
    """
    return f"{' ' * bool(equals)}< 1e-300" if p < 1e-300 else f"{equals}{p:.3g}"


def counted(count: int, noun: str) -> str:
    """A count with its noun, in the singular for 1.

    Args:
        count: a whole number.
        noun: in the singular; of several words the last one changes.

    Examples:
        >>> counted(1, "row"), counted(1234, "row"), counted(2, "leaf"), counted(0, "data set")
        ('1 row', '1,234 rows', '2 leaves', '0 data sets')
        >>> counted(3, "class"), counted(2, "criterion")
        ('3 classes', '2 criteria')
    """
    if count == 1:
        return f"1 {noun}"
    *before, last = noun.split(" ")
    plural = IRREGULAR.get(last) or (last + "es" if last.endswith(("s", "x", "ch")) else last + "s")
    return f"{count:,} {' '.join([*before, plural])}"


def some_of(names: Sequence[str], short: Sequence[str] = ()) -> str:
    """Up to 20 names, or 400 characters, as a list in words, and the number of others; `short`:
    all names without what stands behind them, by which the others are named as well.

    Examples:
        >>> some_of(["a (" + "no value, " * 40 + ")", "b (empty)"], ["a", "b"])[-16:]
        ' and 1 other (b)'

        >>> some_of(["a", "b"]), some_of([str(i) for i in range(30)])[-24:]
        ('a, b', '17, 18, 19 and 10 others')
    """
    lengths = accumulate(len(name) + 2 for name in names[:MOST_NAMED])
    most = max(1, sum(length <= LONGEST for length in lengths))
    named, others = ", ".join(names[:most]), len(names) - most
    of = f" ({some_of(short[most:])})" if short else ""
    return f"{named} and {counted(others, 'other')}{of}" if others > 0 else named

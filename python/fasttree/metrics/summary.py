"""`Summary`: measures of predictions by name, as a block of text and as HTML.

The base of `Evaluation` (classes) and `RegressionEvaluation` (numbers). O(measures).
"""

from __future__ import annotations

import math

from ..exports.tables.html import html_table


def rounded(value: float, digits: int = 3) -> str:
    """A value with a fixed number of digits, "-" for NaN. Thousands are separated by commas.

    >>> rounded(0.25), rounded(float("nan"))
    ('0.250', '-')
    """
    return "-" if math.isnan(value) else f"{value:,.{digits}f}"


class Summary:
    """A base class of measures that print in the layout of Weka: one measure per line, its name and
    its value."""

    width = 24
    """Characters of the column of the names."""

    def summary(self) -> list[tuple[str, str]]:
        """Names and values of the measures of all rows as (name, text), in the order of printing.
        Subclasses define it."""
        raise NotImplementedError

    def to_text(self) -> str:
        """The measures as text, one per line with a newline at the end, values aligned below each
        other."""
        return "".join(f"{name:<{self.width}}{value}\n" for name, value in self.summary())

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return html_table(["", ""], self.summary())

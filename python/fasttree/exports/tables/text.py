"""Plain text: aligned columns; "!" follows the best value of a row, then the marks v and *.

Columns of numbers are aligned to the right, text to the left. In a table with a `width`, the last
column that is text continues below itself, then wider text columns before it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import zip_longest

from ..._checks.plain_text import one_line
from .table import ReportTable

GAP = "  "
"""Between two columns."""
NARROWEST = 12
"""Characters below which a column is not wrapped further."""


def render_text(tables: list[ReportTable]) -> str:
    """Return all tables as aligned text, one after the other. Where a table has a `width`, its text
    columns and notes are wrapped."""
    return "\n".join(_one(table) for table in tables)


def columns_text(
    header: Sequence[str],
    body: Sequence[Sequence[str]],
    numbers: Sequence[bool],
    *,
    rules: Sequence[int] = (),
    width: int | None = None,
) -> list[str]:
    """The lines of a table: header, rule, rows.

    Args:
        header, body: cells, each on one line.
        numbers: whether a column is aligned to the right.
        rules: rows above which a line is drawn.
        width: the widest line that is aimed at; None: any.

    >>> columns_text(["a", "b"], [["x", "1"], ["y z", "10"]], [False, True], width=6)
    ['a     b', '-------', 'x     1', 'y z  10']
    """
    widths = [max(map(len, column)) for column in zip(header, *body, strict=True)]
    if width is not None:
        widths = _narrowed(widths, [len(name) for name in header], numbers, width)

    def lines_of(cells: Sequence[str]) -> list[str]:
        # A cell that is wider than its column continues below.
        parts = [
            [cell] if len(cell) <= w else textwrap.wrap(cell, w, break_on_hyphens=False)
            for cell, w in zip(cells, widths, strict=True)
        ]
        lines = [
            GAP.join(
                part.rjust(w) if right else part.ljust(w)
                for part, w, right in zip(line, widths, numbers, strict=True)
            ).rstrip()
            for line in zip_longest(*parts, fillvalue="")
        ]
        return lines or [""]

    rule = "-" * (sum(widths) + len(GAP) * max(0, len(widths) - 1))
    out = [*lines_of(header), rule]
    for place, cells in enumerate(body):
        if place in rules:
            out.append(rule)
        out += lines_of(cells)
    return out


def _narrowed(
    widths: list[int], heads: list[int], numbers: Sequence[bool], width: int
) -> list[int]:
    """Widths of columns such that a line fits, as far as text columns can wrap.

    Args:
        widths: widths of the columns without wrapping, characters.
        heads: least widths, at which their titles fit.
        numbers: whether each column is one of numbers, which is not narrowed.
        width: widest line.
    """
    narrowed = list(widths)
    excess = sum(narrowed) + len(GAP) * (len(narrowed) - 1) - width
    # The last text column down to a readable width, then all of them, the widest first.
    texts = [j for j in range(len(narrowed)) if not numbers[j]]
    for least, order in (
        (3 * NARROWEST, texts[-1:]),
        (NARROWEST, sorted(texts, key=lambda j: -widths[j])),
    ):
        for j in order:
            cut = min(max(excess, 0), max(0, narrowed[j] - max(least, heads[j])))
            narrowed[j] -= cut
            excess -= cut
    return narrowed


def _one(table: ReportTable) -> str:
    # The cells as text. Columns with emphasis or marks keep space for them in every row.
    columns = range(len(table.header))
    emphasised = [any(row[j].bold for row in table.rows) for j in columns]
    marked = [any(row[j].mark for row in table.rows) for j in columns]
    body = []
    for row in table.rows:
        cells = []
        for j in columns:
            best = ("!" if row[j].bold else " ") if emphasised[j] else ""
            cells.append(
                f"{one_line(row[j].text)}{best}" + (f" {row[j].mark or ' '}" if marked[j] else "")
            )
        body.append(cells)
    # The header ends where the numbers end, before emphasis and marks.
    tails = [int(emphasised[j]) + 2 * int(marked[j]) for j in columns]
    head = [one_line(name) + " " * tails[j] for j, name in enumerate(table.header)]
    numbers = table.number_columns()
    out = [one_line(table.title), ""] if table.title else []
    out += columns_text(head, body, numbers, rules=table.rule_before, width=table.width)
    if table.notes:
        marked_best = "emphasised", "marked !"
        notes = [one_line(note).replace(*marked_best) for note in table.notes]
        if table.width is not None:
            notes = [line for note in notes for line in textwrap.wrap(note, table.width) or [""]]
        out += ["", *notes]
    return "\n".join(out) + "\n"

"""Plain text: aligned columns; "!" follows the best value of a row, then the marks v and *."""

from __future__ import annotations

from .plain_text import one_line
from .table import ReportTable


def render_text(tables: list[ReportTable]) -> str:
    """Return all tables as aligned text, one after the other."""
    return "\n".join(_one(table) for table in tables)


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
    widths = [max(len(line[j]) for line in [head, *body]) for j in columns]

    def line(cells: list[str]) -> str:
        first = cells[0].ljust(widths[0])
        rest = [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)]
        return "  ".join([first, *rest]).rstrip()

    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    out = [one_line(table.title), "", line(head), rule] if table.title else [line(head), rule]
    for place, cells in enumerate(body):
        if place in table.rule_before:
            out.append(rule)
        out.append(line(cells))
    if table.notes:
        marked_best = "emphasised", "marked !"
        out += ["", *(one_line(note).replace(*marked_best) for note in table.notes)]
    return "\n".join(out) + "\n"

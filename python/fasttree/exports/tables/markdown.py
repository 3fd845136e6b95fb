"""GitHub Markdown: pipe tables, best values in bold, marks after them; all text is escaped."""

from __future__ import annotations

import re

from ..._checks.plain_text import one_line
from .table import Cell, ReportTable


def escape(text: str) -> str:
    """Return text that Markdown shows as it is, on one line with single blanks.

    >>> print(escape("a|b*c <i>"))
    a\\|b\\*c \\<i\\>
    """
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", " ".join(one_line(text).split()))


def _cell(cell: Cell) -> str:
    text = escape(cell.text)
    text = f"**{text}**" if cell.bold and text else text
    return f"{text} {escape(cell.mark)}" if cell.mark else text


def render_markdown(tables: list[ReportTable]) -> str:
    """Return all tables as GitHub Markdown, one after the other: the title in bold above a table,
    notes below it."""
    return "\n".join(_one(table) for table in tables)


def _one(table: ReportTable) -> str:
    out = [f"**{escape(table.title)}**", ""] if table.title else []
    out.append("| " + " | ".join(map(escape, table.header)) + " |")
    marks = ("--:" if is_number else ":--" for is_number in table.number_columns())
    out.append("|" + "|".join(marks) + "|")
    out += ["| " + " | ".join(map(_cell, row)) + " |" for row in table.rows]
    if table.notes:
        out += ["", *(escape(note) + "  " for note in table.notes)]
    return "\n".join(out) + "\n"

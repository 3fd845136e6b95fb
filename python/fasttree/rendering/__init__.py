"""Tables of a report and what they become: text, Markdown, LaTeX, CSV and JSON. No statistics."""

from .latex import render_latex
from .markdown import render_markdown
from .records import render_csv, render_json
from .render import FORMS, render, tables_of
from .table import Cell, ReportTable
from .text import render_text

__all__ = [
    "FORMS",
    "Cell",
    "ReportTable",
    "render",
    "render_csv",
    "render_json",
    "render_latex",
    "render_markdown",
    "render_text",
    "tables_of",
]

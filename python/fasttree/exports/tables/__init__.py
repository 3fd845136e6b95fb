"""Tables of a report, and their renderers for text, Markdown, LaTeX, CSV and JSON.

Layout only: the numbers come from `fasttree.model_selection` and are not computed here.
"""

from .latex import render_latex
from .markdown import render_markdown
from .records import render_csv, render_json
from .table import Cell, ReportTable, tables_of
from .text import render_text

__all__ = [
    "Cell",
    "ReportTable",
    "render_csv",
    "render_json",
    "render_latex",
    "render_markdown",
    "render_text",
    "tables_of",
]

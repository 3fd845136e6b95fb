"""Results on paper: text, Markdown, LaTeX, HTML, CSV and strict JSON of cross-validations and
comparisons.

Layout only; statistics live in `fasttree.model_selection`.
"""

from ..rendering.records import render_csv, render_json
from ..rendering.table import Cell, ReportTable
from .html import render_html
from .render import FORMS, render, tables_of

__all__ = [
    "FORMS",
    "Cell",
    "ReportTable",
    "render",
    "render_csv",
    "render_html",
    "render_json",
    "tables_of",
]

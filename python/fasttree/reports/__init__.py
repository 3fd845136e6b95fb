"""Results on paper: text, Markdown, LaTeX, HTML, CSV and strict JSON of cross-validations and
comparisons.

Layout only; statistics live in `fasttree.model_selection`.
"""

from ..rendering import Cell, ReportTable, render_csv, render_json, tables_of
from .html import render_html
from .render import FORMS, render

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

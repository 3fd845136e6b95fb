"""Reports of cross-validations and comparisons: text, Markdown, LaTeX, HTML, CSV, strict JSON.

Layout only: the statistics are computed in `fasttree.model_selection`.
"""

from ..exports.tables.forms import FORMS, render
from ..exports.tables.records import render_csv, render_json
from ..exports.tables.table import Cell, ReportTable, tables_of
from .html import render_html

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

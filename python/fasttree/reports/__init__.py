"""Reports of cross-validations and comparisons: text, Markdown, LaTeX, HTML, CSV, strict JSON.

Layout only: the statistics are computed in `fasttree.model_selection`.
"""

from typing import TYPE_CHECKING, Any

from ..exports.tables import Cell, ReportTable, render_csv, render_json, tables_of
from ..exports.tables.forms import FORMS, render

if TYPE_CHECKING:
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


def __getattr__(name: str) -> Any:
    """The page's renderer, loaded on first use."""
    if name != "render_html":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .html import render_html

    return render_html

"""`render(result, form)` with HTML pages beside the forms of `fasttree.rendering`."""

from __future__ import annotations

from typing import Any

from .. import rendering
from .._checks import checked, one_value

__all__ = ["render"]


@checked(form=one_value)
def render(result: Any, form: str = "text", **options: Any) -> str:
    """Return a result (or `ReportTable` objects) as "text", "markdown", "latex", "html", "csv" or
    "json".

    Raises ValueError for an unknown form, TypeError for something that is no result.

    >>> from fasttree.rendering import Cell, ReportTable
    >>> print(render(ReportTable("", ["a", "b"], [[Cell("x"), Cell("1")]])))
    a  b
    ----
    x  1
    <BLANKLINE>
    """
    if form == "html":
        from .html import render_html

        return render_html(result, **options)
    return rendering.render(result, form, **options)

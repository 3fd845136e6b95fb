"""`render(result, form)`: one entry for all results and all forms that need no template.

A result is what has `tables()` (its `ReportTable` objects), `records()` (plain rows) and
`document()` (all it says as plain data).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .latex import render_latex
from .markdown import render_markdown
from .records import render_csv, render_json
from .table import Cell, ReportTable
from .text import render_text

__all__ = ["FORMS", "Cell", "render", "tables_of"]

FORMS: dict[str, Callable[[list[ReportTable]], str]] = {
    "text": render_text,
    "markdown": render_markdown,
    "latex": render_latex,
}
"""Forms made of tables; "csv" and "json" are made of records."""


def tables_of(result: Any, **options: Any) -> list[ReportTable]:
    """Return the tables of a result (or the given tables themselves); `sd="repeats"` for the other
    deviation.

    Of a cross-validation `per_class=True` gives the measures of every class, too.
    """
    if hasattr(result, "tables"):
        found: list[ReportTable] = result.tables(**options)
        return found
    if isinstance(result, ReportTable):
        return [result]
    if isinstance(result, list) and all(isinstance(one, ReportTable) for one in result):
        return result
    raise TypeError(f"result: cannot make tables of a {type(result).__name__}")


def render(result: Any, form: str = "text", **options: Any) -> str:
    """Return a result (or `ReportTable` objects) as "text", "markdown", "latex", "csv" or "json".

    Raises ValueError for an unknown form, TypeError for something that is no result.

    >>> print(render(ReportTable("", ["a", "b"], [[Cell("x"), Cell("1")]])))
    a  b
    ----
    x  1
    <BLANKLINE>
    """
    if isinstance(form, str) and form in FORMS:
        return FORMS[form](tables_of(result, **options))
    if not isinstance(form, str) or form not in ("csv", "json"):
        raise ValueError(f"form={form!r}; use {', '.join(FORMS)}, html, csv or json")
    if not hasattr(result, "document"):
        raise TypeError(
            f"result: csv and json are made of results, not of a {type(result).__name__}"
        )
    return (
        render_csv(result.records(), raw=options.get("raw", False))
        if form == "csv"
        else render_json(result.document(), **options)
    )

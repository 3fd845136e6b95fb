"""`render(result, form)`: one entry for all results and all forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..model_selection.comparison import Comparison
from ..model_selection.learning_curve import LearningCurve
from ..model_selection.result import CrossValidation
from ..model_selection.statistics import FriedmanResult
from ..model_selection.sweeping import Sweep
from ..rendering.latex import render_latex
from ..rendering.markdown import render_markdown
from ..rendering.records import render_csv, render_json
from ..rendering.table import Cell, ReportTable
from ..rendering.text import render_text
from .results import (
    comparison_tables,
    cross_validation_tables,
    document_of,
    friedman_tables,
    learning_curve_tables,
    records_of,
    sweep_tables,
)

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
    if isinstance(result, CrossValidation):
        return cross_validation_tables(result, **options)
    if isinstance(result, Comparison):
        return comparison_tables(result, **options)
    if isinstance(result, LearningCurve):
        return learning_curve_tables(result, **options)
    if isinstance(result, Sweep):
        return sweep_tables(result, **options)
    if isinstance(result, FriedmanResult):
        return friedman_tables(result, **options)
    if isinstance(result, ReportTable):
        return [result]
    if isinstance(result, list) and all(isinstance(one, ReportTable) for one in result):
        return result
    raise TypeError(f"cannot make tables of a {type(result).__name__}")


def render(result: Any, form: str = "text", **options: Any) -> str:
    """Return a result (or `ReportTable` objects) as "text", "markdown", "latex", "html", "csv" or
    "json".

    Raises ValueError for an unknown form, TypeError for something that is no result.

    >>> print(render(ReportTable("", ["a", "b"], [[Cell("x"), Cell("1")]])))
    a  b
    ----
    x  1
    <BLANKLINE>
    """
    if form in FORMS:
        return FORMS[form](tables_of(result, **options))
    if form == "html":
        from .html import render_html

        return render_html(result, **options)
    if form not in ("csv", "json"):
        raise ValueError(f"form={form!r}; use {', '.join(FORMS)}, html, csv or json")
    if not isinstance(result, (CrossValidation, Comparison, LearningCurve, Sweep)):
        raise TypeError(f"csv and json are made of results, not of a {type(result).__name__}")
    return (
        render_csv(records_of(result), raw=options.get("raw", False))
        if form == "csv"
        else render_json(document_of(result), **options)
    )

"""`render(result, form)`: any result as text, Markdown, LaTeX, HTML, CSV or JSON.

A result has the methods `tables()` (its `ReportTable` objects), `records()` (rows of plain values)
and `document()` (all of its content as plain values).
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from os import PathLike
from typing import Any

from ..._checks import one_of
from ..._checks.saving import save_text
from .html import render_fragment
from .latex import render_latex
from .markdown import render_markdown
from .records import records_to_frame, render_csv, render_json
from .table import ReportTable, tables_of
from .text import render_text


def _from_tables(write: Callable[[list[ReportTable]], str]) -> Callable[..., str]:
    """The renderer of a form that shows the tables of a result."""
    return lambda result, **options: write(tables_of(result, **options))


def _check_records(result: Any) -> None:
    if not hasattr(result, "document"):
        raise TypeError(
            f"result: csv and json are made of results, not of a {type(result).__name__}"
        )


def _csv(result: Any, *, raw: bool = False, folds: bool = False, **_: Any) -> str:
    _check_records(result)
    return render_csv(result.records(folds=True) if folds else result.records(), raw=raw)


def _json(result: Any, **options: Any) -> str:
    _check_records(result)
    return render_json(result.document(), **options)


def _page(result: Any, **options: Any) -> str:
    """A page for results of all kinds. Its writer is in `reports`, which imports this package, so
    it is looked up when it is called."""
    package = import_module(__name__.partition(".")[0])
    return str(package.reports.render_html(result, **options))


FORMS: dict[str, Callable[..., str]] = {
    "text": _from_tables(render_text),
    "markdown": _from_tables(render_markdown),
    "latex": _from_tables(render_latex),
    "csv": _csv,
    "json": _json,
    "html": _page,
}
"""Form -> function of a result and the options of `render` that makes it."""


def render(result: Any, form: str = "text", **options: Any) -> str:
    """A result as text of some form.

    Args:
        result: a result, or `ReportTable` objects.
        form: "text", "markdown", "latex", "html", "csv" or "json".
        **options: options of the form or of the tables of the result.

    Raises:
        ValueError: an unknown form.
        TypeError: `result` is not a result.

    >>> from fasttree.reports import Cell, ReportTable
    >>> print(render(ReportTable("", ["a", "b"], [[Cell("x"), Cell("1")]])))
    a  b
    ----
    x  1
    <BLANKLINE>
    """
    return FORMS[one_of("form", form, tuple(FORMS))](result, **options)


class Rendered:
    """A base class of results that have text forms. Every method takes the options of
    `fasttree.reports.render`; a subclass defines `records` and its tables."""

    def records(self) -> list[dict[str, Any]]:
        """The rows of plain values that CSV and frames hold, one dictionary per row. A subclass
        must define it."""
        raise NotImplementedError

    def to_frame(self) -> Any:
        """Return `records` as a pandas frame, one row per record; where pandas is not installed,
        the list itself."""
        return records_to_frame(self.records())

    def to_text(self, **options: Any) -> str:
        """Return all tables as aligned plain text, for a terminal or a log."""
        return render(self, "text", **options)

    def to_markdown(self, **options: Any) -> str:
        """Return all tables as GitHub Markdown; names are escaped."""
        return render(self, "markdown", **options)

    def to_latex(self, **options: Any) -> str:
        """Return all tables as LaTeX for the booktabs package; names are escaped."""
        return render(self, "latex", **options)

    def to_csv(
        self, path: str | PathLike[str] | None = None, *, raw: bool = False, **options: Any
    ) -> str:
        """CSV of the plain numbers, one row per method (and data set) and metric.

        Args:
            path: file that the text is also written to, at once or not at all; or None.
            raw: whether text cells that a spreadsheet would run as a formula stay as they are. Else
                they get an apostrophe, which `datasets.load` takes off again.
            **options: ``folds=True``, of cross-validations and comparisons: the values of each
                fold, one row per (data set and) method and fold.
        """
        text = render(self, "csv", raw=raw, **options)
        if path is not None:
            save_text(path, text)
        return text

    def to_json(self, **options: Any) -> str:
        """Return strict JSON: NaN is null, infinities are the strings "Infinity" and
        "-Infinity"."""
        return render(self, "json", **options)

    def to_html(self, path: str | PathLike[str] | None = None, **options: Any) -> str:
        """Return one self-contained HTML page (needs jinja2), and write it to `path` if given.

        `fasttree.reports.render_html` describes the options.
        """
        page = render(self, "html", **options)
        if path is not None:
            save_text(path, page)
        return page

    def _repr_html_(self) -> str:
        return render_fragment(tables_of(self))

    def __str__(self) -> str:
        return self.to_text()

    def _repr_markdown_(self) -> str:
        return self.to_markdown()

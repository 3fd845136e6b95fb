"""`to_text`, `to_markdown`, ...: a result in all forms of `fasttree.reports`."""

from __future__ import annotations

from os import PathLike
from typing import Any

from ..rendering.saving import save_text


class Rendered:
    """Text forms of a result; every method takes the options of `fasttree.reports.render`."""

    def _render(self, form: str, options: dict[str, Any]) -> str:
        from .. import reports

        return reports.render(self, form, **options)

    def to_text(self, **options: Any) -> str:
        """Return aligned plain text."""
        return self._render("text", options)

    def to_markdown(self, **options: Any) -> str:
        """Return GitHub Markdown."""
        return self._render("markdown", options)

    def to_latex(self, **options: Any) -> str:
        """Return LaTeX for the booktabs package."""
        return self._render("latex", options)

    def to_csv(
        self, path: str | PathLike[str] | None = None, *, raw: bool = False, **options: Any
    ) -> str:
        """Return CSV of the plain numbers, one row a method (and data set) and metric.

        With `path` it is also written to that file, at once or not at all. Text cells that a
        spreadsheet would run as a formula get an apostrophe, which `datasets.load` takes off
        again; ``raw=True`` leaves them as they are.
        """
        text = self._render("csv", {**options, "raw": raw})
        if path is not None:
            save_text(path, text)
        return text

    def to_json(self, **options: Any) -> str:
        """Return strict JSON: NaN is null, infinities are the strings "Infinity" and
        "-Infinity"."""
        return self._render("json", options)

    def to_html(self, path: str | PathLike[str] | None = None, **options: Any) -> str:
        """Return one self-contained HTML page (needs jinja2), and write it to `path` if given.

        Options are those of `fasttree.reports.render_html`.
        """
        page = self._render("html", options)
        if path is not None:
            save_text(path, page)
        return page

    def _repr_html_(self) -> str:
        from .. import reports
        from ..rendering.html import render_fragment

        return render_fragment(reports.tables_of(self))

    def __str__(self) -> str:
        return self.to_text()

    def _repr_markdown_(self) -> str:
        return self.to_markdown()

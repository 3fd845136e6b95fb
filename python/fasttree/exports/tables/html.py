"""HTML fragments for notebooks: tables and folded pictures, without scripts or outside links.

All text is escaped and put on one line in this module. Colours follow the page (light or dark).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape, unescape
from typing import Any

from ..._checks.plain_text import one_line
from .table import number_columns

_TAG = re.compile(r"<[^>]*>")

# Three times the class outweighs JupyterLab's rule for the cells of tables, which aligns them to
# the right.
STYLE = """<style>
.ft-out{overflow-x:auto;max-width:100%;line-height:1.35}
.ft-out table{border-collapse:collapse;margin:.3em 0;font-size:13px}
.ft-out.ft-out.ft-out :is(th,td){padding:2px 10px;text-align:left;border:0;white-space:nowrap}
.ft-out.ft-out.ft-out td.w{white-space:normal}
.ft-out.ft-out.ft-out td.l{min-width:16em}
.ft-out.ft-out.ft-out :is(th,td).n{text-align:right}
.ft-out.ft-out.ft-out thead th{border-bottom:1px solid currentColor;font-weight:600}
.ft-out.ft-out.ft-out tr.r td{border-top:1px solid #9aa5b4}
.ft-out caption,.ft-out p{text-align:left;margin:.2em 0;opacity:.85;caption-side:top}
.ft-out p{font-size:13px}
.ft-out .ft-bar{display:inline-block;height:.7em;background:#1B62D7;vertical-align:baseline;
print-color-adjust:exact}
@media print{.ft-out.ft-out.ft-out :is(th,td){white-space:normal;padding:2px 6px}
.ft-out.ft-out.ft-out td.l{min-width:0;overflow-wrap:anywhere}.ft-out table{font-size:11px}}
</style>"""


class Markup(str):
    """Text that is HTML and is not escaped again."""

    __slots__ = ()
    is_html = True


class Lines(str):
    """Text of several lines, which a notebook shows as lines.

    Examples:
        >>> Lines("a < b")._repr_html_()
        '<pre>a &lt; b</pre>'
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self)}</pre>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))


def _text(text: object) -> str:
    """A text as HTML, escaped and on one line."""
    return escape(one_line(text))


def _cell(value: Any) -> str:
    """A value as HTML; `Markup` is left as it is, None is empty."""
    if isinstance(value, Markup):
        return value
    return "" if value is None else _text(value)


def bar(share: float, width: int = 120) -> Markup:
    """A bar that fills a share (0 to 1) of `width` px.

    Examples:
        >>> bar(0.5, 100)
        '<span class="ft-bar" style="width:50px"></span>'
    """
    size = round(width * min(max(share, 0.0), 1.0))
    return Markup(f'<span class="ft-bar" style="width:{size}px"></span>')


def paragraph(text: str) -> Markup:
    """A paragraph of one line."""
    return Markup(f"<p>{_text(text)}</p>")


def html_table(
    header: Sequence[Any],
    rows: Iterable[Sequence[Any]],
    *,
    title: str = "",
    notes: Sequence[str] = (),
    wrap: Sequence[int] = (),
    rules: Sequence[int] = (),
    head_rows: int = 0,
    styled: bool = True,
) -> str:
    """A table as a fragment; values are escaped unless they are `Markup`. Columns of numbers are
    aligned to the right, text to the left.

    Args:
        header, rows: the cells; None is an empty cell.
        title, notes: lines above and below the table.
        wrap: columns whose text may wrap.
        rules: rows above which a line is drawn.
        head_rows: rows at the top that do not decide the alignment of a column.
        styled: whether the style sheet is included; one per notebook cell suffices.

    Examples:
        >>> "<td>&lt;b&gt;</td>" in html_table(["a"], [["<b>"]])
        True
    """
    body = [[_cell(value) for value in row] for row in rows]
    plain = [[unescape(_TAG.sub("", cell)) for cell in row] for row in body[head_rows:]]
    # Only a column of long texts is kept wide.
    is_long = {j for j in wrap if sum(len(row[j]) for row in plain) > 16 * len(plain)}
    kinds = [
        ' class="n"'
        if is_number
        else ' class="w l"'
        if j in is_long
        else ' class="w"' * (j in wrap)
        for j, is_number in enumerate(number_columns(plain, len(header)))
    ]
    heads = "".join(f"<th{kinds[j]}>{_cell(h)}</th>" for j, h in enumerate(header))
    lines = []
    for place, row in enumerate(body):
        cells = "".join(f"<td{kinds[j]}>{cell}</td>" for j, cell in enumerate(row))
        ruled = ' class="r"' if place in rules else ""
        lines.append(f"<tr{ruled}>{cells}</tr>")
    caption = f"<caption>{_text(title)}</caption>" if title else ""
    below = "".join(paragraph(note) for note in notes)
    return (
        f'{STYLE if styled else ""}<div class="ft-out"><table>{caption}<thead><tr>{heads}</tr>'
        f"</thead><tbody>{''.join(lines)}</tbody></table>{below}</div>"
    )


def folded(summary: str, body: str) -> Markup:
    """A body that opens on a click."""
    return Markup(f"<details><summary>{_text(summary)}</summary>{body}</details>")


def render_fragment(tables: Sequence[Any]) -> str:
    """`ReportTable` objects as a fragment for a notebook, the best values in bold."""

    def marked(cell: Any) -> Markup:
        text = f"<b>{_text(cell.text)}</b>" if cell.bold else _text(cell.text)
        return Markup(f"{text} {_text(cell.mark)}" if cell.mark else text)

    return "".join(
        html_table(
            one.header,
            [list(map(marked, row)) for row in one.rows],
            title=one.title,
            notes=one.notes,
            rules=one.rule_before,
            styled=place == 0,
        )
        for place, one in enumerate(tables)
    )

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

LONG_TEXT = 16
"""Mean number of characters above which a column of texts is kept wide: it is the width, in em, of
the class ``l`` in `STYLE`."""

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
    """Text that is HTML and is not escaped again. Every other string is escaped where it is put
    into a page."""

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


def _escaped(text: object) -> str:
    """A text as HTML, escaped and on one line."""
    return escape(one_line(text))


def _cell(value: Any) -> str:
    """A value as HTML; `Markup` is left as it is, None is empty."""
    if isinstance(value, Markup):
        return value
    return "" if value is None else _escaped(value)


def bar(share: float, width: int = 120) -> Markup:
    """A bar of a length in proportion to a share.

    Args:
        share: the share; it is limited to the range from 0 to 1.
        width: length of the bar of the share 1, px.

    Examples:
        >>> bar(0.5, 100)
        '<span class="ft-bar" style="width:50px"></span>'
    """
    size = round(width * min(max(share, 0.0), 1.0))
    return Markup(f'<span class="ft-bar" style="width:{size}px"></span>')


def paragraph(text: str) -> Markup:
    """A paragraph of HTML with the text escaped and line breaks made blanks. An empty text gives an
    empty paragraph."""
    return Markup(f"<p>{_escaped(text)}</p>")


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
        header: titles of the columns.
        rows: the cells, row by row; None is an empty cell.
        title: line above the table.
        notes: lines below the table.
        wrap: columns whose text may wrap.
        rules: rows above which a line is drawn.
        head_rows: rows at the top that do not decide the alignment of a column.
        styled: whether the style sheet is included; one per notebook cell suffices.

    Examples:
        >>> "<td>&lt;b&gt;</td>" in html_table(["a"], [["<b>"]])
        True
    """
    body = [[_cell(value) for value in row] for row in rows]
    texts = [[unescape(_TAG.sub("", cell)) for cell in row] for row in body[head_rows:]]
    attributes = _column_attributes(texts, len(header), wrap)
    heads = "".join(f"<th{attributes[j]}>{_cell(head)}</th>" for j, head in enumerate(header))
    lines = []
    for row_number, row in enumerate(body):
        cells = "".join(f"<td{attributes[j]}>{cell}</td>" for j, cell in enumerate(row))
        rule = ' class="r"' if row_number in rules else ""
        lines.append(f"<tr{rule}>{cells}</tr>")
    caption = f"<caption>{_escaped(title)}</caption>" if title else ""
    below = "".join(paragraph(note) for note in notes)
    return (
        f'{STYLE if styled else ""}<div class="ft-out"><table>{caption}<thead><tr>{heads}</tr>'
        f"</thead><tbody>{''.join(lines)}</tbody></table>{below}</div>"
    )


def _column_attributes(
    texts: Sequence[Sequence[str]], n_columns: int, wrap: Sequence[int]
) -> list[str]:
    """The HTML attribute of the cells of each column, with a space in front; empty for none.

    A column of numbers stands to the right. A column that may wrap is kept wide (`LONG_TEXT`) only
    if its texts are long, because a browser would otherwise make it as narrow as a word.

    Args:
        texts: the texts of the cells that decide, row by row.
        n_columns: number of columns.
        wrap: columns whose text may wrap.
    """
    attributes = []
    for j, is_number in enumerate(number_columns(texts, n_columns)):
        if is_number:
            attributes.append(' class="n"')
        elif j not in wrap:
            attributes.append("")
        elif sum(len(row[j]) for row in texts) > LONG_TEXT * len(texts):
            attributes.append(' class="w l"')
        else:
            attributes.append(' class="w"')
    return attributes


def folded(summary: str, body: str) -> Markup:
    """A body that opens on a click.

    Args:
        summary: the text that is seen before.
        body: HTML.
    """
    return Markup(f"<details><summary>{_escaped(summary)}</summary>{body}</details>")


def render_fragment(tables: Sequence[Any]) -> str:
    """`ReportTable` objects as a fragment for a notebook, the best values in bold.

    Args:
        tables: the tables, one below the other.
    """

    def markup_of(cell: Any) -> Markup:
        text = f"<b>{_escaped(cell.text)}</b>" if cell.bold else _escaped(cell.text)
        return Markup(f"{text} {_escaped(cell.mark)}" if cell.mark else text)

    fragments = [
        html_table(
            table.header,
            [list(map(markup_of, row)) for row in table.rows],
            title=table.title,
            notes=table.notes,
            rules=table.rule_before,
            styled=position == 0,  # the first style sheet holds for all
        )
        for position, table in enumerate(tables)
    ]
    return "".join(fragments)

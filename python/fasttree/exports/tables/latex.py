"""LaTeX for the booktabs package: one table float per table; all text is escaped.

The best values are bold, significance marks are superscripts.
"""

from __future__ import annotations

from ..._checks.plain_text import one_line
from .table import Cell, ReportTable

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}


def escape(text: str) -> str:
    """Return text that LaTeX typesets as it is.

    >>> print(escape("50% of a_b"))
    50\\% of a\\_b
    """
    return "".join(_SPECIAL.get(letter, letter) for letter in " ".join(one_line(text).split()))


def _cell(cell: Cell) -> str:
    text = escape(cell.text)
    text = rf"\textbf{{{text}}}" if cell.bold and text else text
    return rf"{text}\textsuperscript{{{escape(cell.mark)}}}" if cell.mark else text


def render_latex(tables: list[ReportTable]) -> str:
    """Return all tables as LaTeX, which needs ``\\usepackage{booktabs}``."""
    return "\n".join(_one(table) for table in tables)


def _one(table: ReportTable) -> str:
    out = [r"\begin{table}", r"\centering"]
    if table.title:
        out.append(rf"\caption{{{escape(table.title)}}}")
    letters = "".join("r" if is_number else "l" for is_number in table.number_columns())
    out.append(rf"\begin{{tabular}}{{{letters}}}")
    out += [r"\toprule", " & ".join(map(escape, table.header)) + r" \\", r"\midrule"]
    for place, row in enumerate(table.rows):
        if place in table.rule_before:
            out.append(r"\midrule")
        out.append(" & ".join(map(_cell, row)) + r" \\")
    out += [r"\bottomrule", r"\end{tabular}"]
    if table.notes:
        out += [
            r"\par\smallskip",
            *(rf"{{\footnotesize {escape(note)}\par}}" for note in table.notes),
        ]
    out.append(r"\end{table}")
    return "\n".join(out) + "\n"

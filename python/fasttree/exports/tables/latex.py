"""LaTeX for the booktabs package: one table float per table; all text is escaped.

The best values are bold, significance marks are superscripts.
"""

from __future__ import annotations

import re

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
    """Return text that LaTeX typesets as it is, on one line with single blanks.

    >>> print(escape("50% of a_b"))
    50\\% of a\\_b
    """
    return "".join(_SPECIAL.get(letter, letter) for letter in " ".join(one_line(text).split()))


def _cell(cell: Cell) -> str:
    text = escape(cell.text)
    text = rf"\textbf{{{text}}}" if cell.bold and text else text
    return rf"{text}\textsuperscript{{{escape(cell.mark)}}}" if cell.mark else text


def render_latex(tables: list[ReportTable]) -> str:
    """Return all tables as LaTeX, which needs ``\\usepackage{booktabs}`` in the preamble. The
    tables follow each other, each with its title and notes."""
    return "\n".join(_one(table) for table in tables)


def _one(table: ReportTable) -> str:
    out = [r"\begin{table}", r"\centering"]
    if table.title:
        out.append(rf"\caption{{{escape(table.title)}}}")
        out.append(rf"\label{{tab:{'-'.join(re.findall('[a-z0-9]+', table.title.lower()))}}}")
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


_WORDS = {"cap": "and", "cup": "or", "ne": "!=", "cdot": ".", "mid": "|"}
_OF = r"\{([^{}]*)\}"
_PLAIN = (
    (r"\\(?:left|right|[bB]ig[lr]|[,;]|quad\b)", " "),
    (r"\\\|", "||"),
    (r"\\t?frac(\w)(\w)", r"(\1 / \2)"),
    (rf"\\t?frac{_OF}{_OF}", r"((\1) / (\2))"),
    (rf"\\binom{_OF}{_OF}", r"binomial(\1, \2)"),
    (rf"\\sqrt{_OF}", r"sqrt(\1)"),
    (rf"\\(?:overline{_OF}|bar (\w))", r"mean(\1\2)"),
    (rf"\\(?:text|mathrm|operatorname|mathcal){_OF}", r"\1"),
    (rf"([_^]){_OF}", r"\1(\2)"),
    (r"(?<!\w)\((\w+)\)|(?<=[_^])\((\w+)\)", r"\1\2"),
)
"""Parts of a formula without groups within, and their replacements."""


def plain_formula(formula: str) -> str:
    r"""A formula of LaTeX, as criteria have it, as text for a terminal. Fractions become slashes,
    commands that are not known lose their backslash.

    >>> plain_formula(r"\sum_m \frac{n_m}{n} \left(1 - \sum_c p_{c|m}^2\right)")
    'sum_m (n_m / n) (1 - sum_c p_(c|m)^2)'
    """
    before, text = "", formula
    while before != text:
        before = text
        for pattern, plain in _PLAIN:
            text = re.sub(pattern, plain, text)
    text = re.sub(r"\\(\w+)", lambda found: _WORDS.get(found[1], found[1]), text)
    return re.sub(r"(?<=\() | (?=[),])", "", " ".join(text.split()))

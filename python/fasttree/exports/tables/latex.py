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


_WORDS = {"cap": "and", "cup": "or", "ne": "!=", "cdot": ".", "mid": "|"}
_SPACING = re.compile(r"\\(?:left|right|[bB]ig[lr]|[,;]|quad\b)")
_GROUP = re.compile(
    r"\\t?frac\{(?P<above>[^{}]*)\}\{(?P<below>[^{}]*)\}"
    r"|\\binom\{(?P<n>[^{}]*)\}\{(?P<k>[^{}]*)\}"
    r"|\\(?P<function>sqrt|overline|bar)\{(?P<of>[^{}]*)\}"
    r"|(?P<script>[_^])\{(?P<index>[^{}]*)\}"
    r"|\\(?:text|mathrm|operatorname|mathcal)\{(?P<text>[^{}]*)\}"
)
"""A command whose arguments hold no commands with arguments."""


def _bracketed(text: str) -> str:
    return text if re.fullmatch(r"\w*(\([^()]*\))?", text) else f"({text})"


def _group(found: re.Match[str]) -> str:
    """A command with arguments as plain text."""
    if found["above"] is not None:
        return f"({_bracketed(found['above'])} / {_bracketed(found['below'])})"
    if found["n"] is not None:
        return f"binomial({found['n']}, {found['k']})"
    if found["function"]:
        return f"{'sqrt' if found['function'] == 'sqrt' else 'mean'}({found['of']})"
    return found["text"] or f"{found['script']}{_bracketed(found['index'])}"


def plain_formula(formula: str) -> str:
    r"""A formula of LaTeX, as criteria have it, for a terminal.

    >>> plain_formula(r"\sum_m \frac{n_m}{n} \left(1 - \sum_c p_{c|m}^2\right)")
    'sum_m (n_m / n) (1 - sum_c p_(c|m)^2)'
    """
    text = _SPACING.sub(" ", formula).replace(r"\|", "||")
    text = re.sub(r"(\\t?frac)(\w)(\w)", r"\1{\2}{\3}", text)
    text = re.sub(r"\\bar (\w)", r"\\bar{\1}", text)
    before = ""
    while before != text:
        before, text = text, _GROUP.sub(_group, text)
    text = re.sub(r"\\(\w+)", lambda found: _WORDS.get(found[1], found[1]), text)
    return re.sub(r"(?<=\() | (?=[),])", "", " ".join(text.split()))

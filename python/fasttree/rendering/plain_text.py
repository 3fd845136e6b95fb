"""Text from outside made harmless before it reaches a person's screen, page or spreadsheet.

What
    Names, labels and file names come from data files and may hold anything. Examples are line
    breaks that would forge a line of a tree, ESC sequences that a terminal obeys, BEL and
    backspace, marks that turn the direction of writing. `one_line` is what every text output of the
    package passes them through: text, Markdown, LaTeX, DOT, SVG, rules, SQL comments, messages of
    the command. `guard_cell` and `unguard_cell` do for CSV what spreadsheets need: an apostrophe
    before a cell that would be run as a formula (CWE-1236).
Complexity
    Linear in the text.
When not to use it
    For machine forms that have their own escapes and must keep every character: JSON, model files,
    ARFF, string literals of programs.
"""

from __future__ import annotations

import re

__all__ = ["guard_cell", "one_line", "unguard_cell"]

_CONTROLS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff]+"
)
"""C0 and C1 controls, line and paragraph separators, everything that turns the direction of writing
or has no width, and halves of surrogate pairs, which no encoding can print."""

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def one_line(text: object) -> str:
    """Text without line breaks, control characters and marks that turn the direction of writing.

    Each run of them becomes one blank.

    Examples:
        >>> one_line("two\\nlines"), one_line("\\x1b[31mred\\x07")
        ('two lines', ' [31mred ')
    """
    return _CONTROLS.sub(" ", str(text))


def guard_cell(text: str) -> str:
    """A cell of CSV as a spreadsheet may show it: what starts like a formula gets an apostrophe.

    Plain numbers and single characters stay as they are: no spreadsheet runs them, and ``+`` and
    ``-`` are classes. `unguard_cell` is the inverse.

    Examples:
        >>> [guard_cell(t) for t in ("=1+1", "-2.5", "@a", "plain", "'=x", "+")]
        ["'=1+1", '-2.5', "'@a", 'plain', "''=x", '+']
    """
    if len(text) > 1 and _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        return "'" + text
    return text


def unguard_cell(text: str) -> str:
    """The text that `guard_cell` was given.

    Examples:
        >>> unguard_cell("'=1+1"), unguard_cell("''=x"), unguard_cell("it's"), unguard_cell("'-2.5")
        ('=1+1', "'=x", "it's", '-2.5')
    """
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text

"""Escaping of text from data files before it is displayed or opened in a spreadsheet.

What
    Names, labels and file names come from data files and may hold anything. Examples are line
    breaks that would forge a line of a tree, ESC sequences that a terminal obeys, and marks that
    change the direction of writing. Every text output of the package passes names through
    `one_line`: text, Markdown, LaTeX, DOT, SVG, rules, SQL comments, messages of the command.
    `guard_cell` puts an apostrophe before a CSV cell that a spreadsheet would run as a formula
    (CWE-1236); `unguard_cell` removes it.
Complexity
    Linear in the text.
When not to use it
    For formats with their own escapes that must keep every character: JSON, model files, ARFF,
    string literals of programs.
"""

from __future__ import annotations

import re

_CONTROLS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff]+"
)
"""C0 and C1 controls, line and paragraph separators, characters that change the direction of
writing or have no width, and halves of surrogate pairs, which no encoding can print."""

_IN_LISTS = frozenset(",{}")
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def one_line(text: object) -> str:
    """Text on one line; each run of control characters and the like becomes one blank.

    Examples:
        >>> one_line("two\\nlines"), one_line("\\x1b[31mred\\x07")
        ('two lines', ' [31mred ')
    """
    return _CONTROLS.sub(" ", str(text))


def level_text(level: object) -> str:
    """A level as texts name it: in quotes if it holds a comma or a brace, as lists of levels do.

    Examples:
        >>> level_text("red"), level_text("red, dark"), level_text(3)
        ('red', "'red, dark'", '3')
    """
    text = str(level)
    return repr(text) if _IN_LISTS.intersection(text) else text


def for_terminal(text: str) -> str:
    """Text for a terminal: control characters and the like as escapes, except line ends and tabs.

    Examples:
        >>> print(for_terminal("\\x1b[31mred\\nnext"))
        \\u001b[31mred
        next
    """
    return _CONTROLS.sub(
        lambda run: "".join(c if c in "\n\t" else f"\\u{ord(c):04x}" for c in run[0]), text
    )


def guard_cell(text: str) -> str:
    """A CSV cell that no spreadsheet runs: text that starts like a formula gets an apostrophe.

    Numbers and single characters are not changed: no spreadsheet runs them, and ``+`` and ``-`` are
    common class labels. `unguard_cell` is the inverse.

    Examples:
        >>> [guard_cell(t) for t in ("=1+1", "-2.5", "@a", "plain", "'=x", "+")]
        ["'=1+1", '-2.5', "'@a", 'plain', "''=x", '+']
    """
    if len(text) > 1 and _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        return "'" + text
    return text


def unguard_cell(text: str) -> str:
    """The argument of `guard_cell`, from its result, and the text of ``="text"``, which other
    programs write so that a spreadsheet does not read it as a number.

    Examples:
        >>> unguard_cell("'=1+1"), unguard_cell("''=x"), unguard_cell("it's"), unguard_cell("'-2.5")
        ('=1+1', "'=x", "it's", '-2.5')
        >>> unguard_cell('="007"')
        '007'
    """
    if len(text) > 2 and text.startswith('="') and text.endswith('"'):
        return text[2:-1]
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text

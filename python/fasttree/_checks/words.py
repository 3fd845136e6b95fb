"""The words of messages: arguments in Python or options in the shell, counts, and lists of names.

What
    A message that names an argument calls `argument`, `reading`, `given`, `option`, `data_row` or
    `worded` for that part while it is made. The current `Speaker` writes the part; a command of
    the shell has its own (see `fasttree.cli.shell`). Finished messages are never searched, so
    names and cells may hold anything. Counts and lists are written by `counted` and `some_of`.
Complexity
    O(length of the text).
When not to use it
    For code that the user runs in Python wherever it is printed, such as `Advice.code`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from typing import Any

IRREGULAR = {"leaf": "leaves", "criterion": "criteria"}
"""Irregular plurals."""

MAX_NAMES = 20
"""Largest number of names in a list in words."""

MAX_LENGTH = 400
"""Largest number of characters in a list of more than one name."""


def p_value_text(p: float, equals: str = "") -> str:
    """A p-value with three significant digits, or "< 1e-300", below which doubles lose digits.

    Args:
        p: the p-value.
        equals: the sign that stands before the digits, such as "=".

    Examples:
        >>> p_value_text(0.01234), p_value_text(0.5, "="), p_value_text(1e-310, "=")
        ('0.0123', '=0.5', ' < 1e-300')
    """
    return f"{' ' * bool(equals)}< 1e-300" if p < 1e-300 else f"{equals}{p:.3g}"


def counted(count: int, noun: str) -> str:
    """A count with its noun, in the singular for 1.

    Args:
        count: a whole number.
        noun: the noun in the singular; of several words, the last one changes.

    Examples:
        >>> counted(1, "row"), counted(1234, "row"), counted(2, "leaf"), counted(0, "data set")
        ('1 row', '1,234 rows', '2 leaves', '0 data sets')
        >>> counted(3, "class"), counted(2, "criterion")
        ('3 classes', '2 criteria')
    """
    if count == 1:
        return f"1 {noun}"
    *before, last = noun.split(" ")
    plural = IRREGULAR.get(last) or (last + "es" if last.endswith(("s", "x", "ch")) else last + "s")
    return f"{count:,} {' '.join([*before, plural])}"


def some_of(names: Sequence[str], short: Sequence[str] = ()) -> str:
    """Up to 20 names, or 400 characters, as a list in words, and the number of the others.

    Args:
        names: all names, each with any words on it.
        short: the names alone, if the others are to be listed as well.

    Examples:
        >>> some_of(["a (" + "no value, " * 40 + ")", "b (empty)"], ["a", "b"])[-16:]
        ' and 1 other (b)'

        >>> some_of(["a", "b"]), some_of([str(i) for i in range(30)])[-24:]
        ('a, b', '17, 18, 19 and 10 others')
    """
    lengths = accumulate(len(name) + 2 for name in names[:MAX_NAMES])
    most = max(1, sum(length <= MAX_LENGTH for length in lengths))
    named, others = ", ".join(names[:most]), len(names) - most
    of = f" ({some_of(short[most:])})" if short else ""
    return f"{named} and {counted(others, 'other')}{of}" if others > 0 else named


class Speaker:
    """Writes the parts of messages as code of Python. A command of the shell overrides the methods,
    so that the same message names an option instead; see `speaking`."""

    def argument(self, name: str, value: Any) -> str:
        """An argument with its value as the reader would type it, such as ``drop=['the id']``.
        `value` is written by its repr."""
        return f"{name}={value!r}"

    def given(self, name: str, text: str) -> str:
        """An argument as the reader has given it. `text` shows its value and is not quoted again,
        as the value may be too long for its repr."""
        return f"{name}={text}"

    def option(self, name: str) -> str:
        """The name of an argument as the reader knows it: in Python the name itself, in the shell
        an option such as ``--drop``."""
        return name

    def data_row(self, row: int) -> str:
        """A row of the data in words, from its position counted from 0. A command that reads a file
        may give the line of the file instead."""
        return f"data row {row} (counted from 0)"

    def worded(self, python: str, shell: str) -> str:
        """The text that suits the reader: the first in Python, the second in the shell. It is for
        parts of messages that are no arguments."""
        return python


_SPEAKERS = [Speaker()]
"""Speakers; the last one writes the messages of the process, all threads among it."""


@contextmanager
def speaking(speaker: Speaker) -> Iterator[None]:
    """A context in which `speaker` writes the messages of the process, of all its threads. Contexts
    may be nested; the innermost one speaks."""
    _SPEAKERS.append(speaker)
    try:
        yield
    finally:
        _SPEAKERS.remove(speaker)


def argument(name: str, value: Any) -> str:
    """An argument with its value as the reader types it, for a remedy in a message. In the shell it
    is an option. `value` must have a repr that can be typed.

    >>> argument("drop", ["the id"])
    "drop=['the id']"
    """
    return _SPEAKERS[-1].argument(name, value)


def reading(name: str, value: Any) -> str:
    """An argument of the function that reads files, which other functions do not have. In Python
    the function is named with it; a command of the shell takes the option itself.

    >>> reading("decimal", ",")
    "fasttree.datasets.load(path, decimal=',')"
    """
    typed = argument(name, value)
    return worded(f"fasttree.datasets.load(path, {typed})", typed)


def in_text(typed: str) -> str:
    """What the reader types, where a mark of the sentence follows: the shell would take the mark
    for a part of it, so that it is quoted there.

    >>> in_text("drop=['id']")
    "drop=['id']"
    """
    return worded(typed, f"`{typed}`")


def given(name: str, text: str) -> str:
    """An argument that the reader gave, as it is typed, for a message that refuses it. `text` shows
    the value, and is written as it is.

    >>> given("n_jobs", "0")
    'n_jobs=0'
    """
    return _SPEAKERS[-1].given(name, text)


def option(name: str) -> str:
    """The name of an argument, as the reader knows it: in Python the name itself, in the shell its
    option. It is for messages on an argument that has no value to show.

    >>> option("drop")
    'drop'
    """
    return _SPEAKERS[-1].option(name)


def data_row(row: int) -> str:
    """A row of the data in words that the reader understands, from its position counted from 0.
    Messages about cells name their row in this way.

    >>> data_row(7)
    'data row 7 (counted from 0)'
    """
    return _SPEAKERS[-1].data_row(row)


def row_word(row: int) -> str:
    """The position of a row within a sentence: its number in Python, its line in the shell.

    >>> row_word(7)
    'row 7'
    """
    return worded(f"row {row}", data_row(row))


def worded(python: str, shell: str = "") -> str:
    """The first text in Python, the second one in the shell, where it is empty by default. Messages
    are thus written once for both, with the parts that differ in place.

    >>> worded("read_plink(..., phenotype=FILE)", "--pheno FILE")
    'read_plink(..., phenotype=FILE)'
    """
    return _SPEAKERS[-1].worded(python, shell)

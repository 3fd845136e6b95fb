"""The words of messages: arguments of functions in Python, options in the shell.

What
    A message that names an argument calls `argument`, `reading`, `given`, `option`, `data_row` or
    `worded` for that part while it is made. The current `Speaker` writes the part; a command of
    the shell has its own (see `fasttree.cli.shell`). Finished messages are never searched, so
    names and cells may hold anything.
When not to use it
    For code that the user runs in Python wherever it is printed, such as `Advice.code`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Speaker:
    """Writes the parts of messages for Python."""

    def argument(self, name: str, value: Any) -> str:
        """An argument to type."""
        return f"{name}={value!r}"

    def given(self, name: str, text: str) -> str:
        """An argument as it was given; `text` shows its value."""
        return f"{name}={text}"

    def option(self, name: str) -> str:
        """The name of an argument."""
        return name

    def data_row(self, row: int) -> str:
        """The place of a row."""
        return f"data row {row} (counted from 0)"

    def worded(self, python: str, shell: str) -> str:
        """One of two texts."""
        return python


_SPEAKERS = [Speaker()]
"""The speaker of the process is the last one; threads share it."""


@contextmanager
def speaking(speaker: Speaker) -> Iterator[None]:
    """A context in which `speaker` writes the messages of the process."""
    _SPEAKERS.append(speaker)
    try:
        yield
    finally:
        _SPEAKERS.remove(speaker)


def argument(name: str, value: Any) -> str:
    """An argument as the reader types it.

    >>> argument("drop", ["the id"])
    "drop=['the id']"
    """
    return _SPEAKERS[-1].argument(name, value)


def reading(name: str, value: Any) -> str:
    """An argument of the function that reads files, which other functions do not have.

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
    """An argument that the reader gave, as it is typed; `text` shows the value.

    >>> given("n_jobs", "0")
    'n_jobs=0'
    """
    return _SPEAKERS[-1].given(name, text)


def option(name: str) -> str:
    """The name of an argument, as the reader knows it.

    >>> option("drop")
    'drop'
    """
    return _SPEAKERS[-1].option(name)


def data_row(row: int) -> str:
    """The place of a row of the data, for the reader.

    >>> data_row(7)
    'data row 7 (counted from 0)'
    """
    return _SPEAKERS[-1].data_row(row)


def row_word(row: int) -> str:
    """The place of a row in words that go on: its number, in the shell its line.

    >>> row_word(7)
    'row 7'
    """
    return worded(f"row {row}", data_row(row))


def worded(python: str, shell: str = "") -> str:
    """The first text in Python, the second one in the shell.

    >>> worded("read_plink(..., phenotype=FILE)", "--pheno FILE")
    'read_plink(..., phenotype=FILE)'
    """
    return _SPEAKERS[-1].worded(python, shell)

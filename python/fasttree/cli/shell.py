"""The words of the shell: options as they are typed, and lines of a file in place of rows."""

from __future__ import annotations

import csv
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from .._checks.words import Speaker

DELIMITED = (".csv", ".tsv", ".tab", ".txt", ".data")
"""Files of which the line of a row is known."""

OPTIONS = {
    "categorical_features": "--nominal",
    "columns": "--columns",
    "cv": "--cv",
    "dates": "--dates",
    "decimal": "--decimal",
    "dialect": "--dialect",
    "drop": "--drop",
    "exposure": "--exposure",
    "groups": "--groups",
    "header": "--header",
    "max_nodes": "--max-nodes",
    "n_jobs": "--n-jobs",
    "phenotype": "--pheno",
    "phenotype_name": "--pheno-name",
    "prefer": "--prefer",
    "random_state": "--seed",
    "scoring": "--metric",
    "show": "--show",
    "target": "--target",
    "task": "--task",
    "time": "--time",
    "time_limit": "--time-limit",
    "work": "--work",
}
"""Options of the shell for arguments of functions."""


class Shell(Speaker):
    """Writes the parts of messages for the shell: options in place of arguments, lines of files in
    place of rows. So the package has one text for both."""

    file: tuple[str, int | None] | None = None
    """The file whose rows messages name by their numbers, and how many it has, if that is known."""

    def argument(self, name: str, value: Any) -> str:
        """An option to type; a parameter of trees without an option of its own by ``-p``.

        >>> SHELL.argument("drop", ["Customer ID", "a,b"]), SHELL.argument("pruning", "mdl")
        ('--drop \\'Customer ID,"a,b"\\'', '-p pruning=mdl')
        >>> SHELL.argument("missing", {"the age": [999], None: ["x"]})
        "--missing 'the age=999,x'"
        >>> SHELL.argument("dates", {"the day": "dmy"})
        "--dates 'the day=dmy'"
        """
        if name == "header":
            value = "yes" if value else "no"
        if name == "columns" and isinstance(value, dict):
            return typed("--keep", value)
        if name in ("missing", "dates") and not isinstance(value, str):
            cells = value if isinstance(value, dict) else {None: value}
            return f"--{name} {quoted(by_column(cells))}"
        option = OPTIONS.get(name)
        if option is None:
            return f"-p {quoted(f'{name}={value}')}"
        return typed(option, value) if isinstance(value, list) else f"{option} {quoted(str(value))}"

    def given(self, name: str, text: str) -> str:
        """An option with its value, if the argument has an option of its own.

        Args:
            name: the argument, or the option.
            text: the value as it is typed.
        """
        name = OPTIONS.get(name, name)
        return f"{name} {text}" if name.startswith("--") else super().given(name, text)

    def option(self, name: str) -> str:
        """The option for an argument of Python; an argument without an option keeps its name."""
        return OPTIONS.get(name, name)

    def data_row(self, row: int) -> str:
        """The line of the row in the data file, where it is known, else the row's number."""
        line = None if self.file is None else line_of(*self.file, row)
        return super().data_row(row) if line is None else f"line {line}"

    def worded(self, python: str, shell: str) -> str:
        """The words for the command line.

        Args:
            python: the words for Python, which are not used here.
            shell: the words for the command line.
        """
        return shell


SHELL = Shell()
"""The speaker of the commands."""


def line_of(data: str, n_rows: int | None, row: int) -> int | None:
    """The line of a file on which a row of data begins.

    Args:
        data: the file.
        n_rows: number of its rows; None: they are counted.
        row: number of the row, from 0.

    Returns:
        The line, from 1; None where the file is no delimited text, or is divided into other rows.
    """
    from .._checks.data_warnings import held_warnings, quiet
    from ..datasets import load
    from ..datasets.blocks import split_suffix
    from ..datasets.delimited import lines_of_rows

    path = Path(data).expanduser()
    if split_suffix(path)[1] not in DELIMITED or not path.is_file():
        return None
    try:
        if n_rows is None:
            with quiet(), held_warnings():  # the command has read the file, and said what it found
                n_rows = len(load(data, target=False))
        lines = lines_of_rows(path, n_rows)
    except (OSError, ValueError, csv.Error):
        return None
    return lines[row] if row < len(lines) else None


def quoted(text: str) -> str:
    """A word as it is typed in a shell; one with characters that cannot be typed with escapes.

    >>> quoted("the id"), quoted("a\\nb'")
    ("'the id'", "$'a\\\\nb\\\\''")
    """
    if text.isprintable():
        return shlex.quote(text)
    escaped = "".join(
        f"\\{character}"
        if character in "'\\"
        else character
        if character.isprintable()
        else character.encode("unicode_escape").decode()
        for character in text
    )
    return f"$'{escaped}'"


def listed(items: Iterable[str]) -> str:
    """The value of an option that takes a list, as `options.split_list` reads it. Items with commas
    or quotes are quoted.

    >>> listed(["age", '6" disk, new'])
    'age,"6"" disk, new"'
    """
    return ",".join(map(_item, items))


def by_column(cells: Mapping[str | None, Any]) -> str:
    """The value of an option that takes texts by column, as `cells_by_column` reads it.

    >>> by_column({None: ["n/a"], "a=b": [-9, "x,y"], "day": "dmy"})
    'n/a,"a=b"=-9,"a=b"="x,y",day=dmy'
    """
    return ",".join(
        ("" if column is None else f"{_item(column, '=,')}=") + _item(str(cell), "=,")
        for column, texts in cells.items()
        for cell in ([texts] if isinstance(texts, str) else texts)
    )


def _item(text: str, apart: str = ",") -> str:
    """An item of a list, in double quotes where it would be read otherwise without them.

    Args:
        text: the item.
        apart: characters that divide items.
    """
    if split_list([f"{text},x"]) == [text, "x"] and not set(text) & set(apart):
        return text
    return '"' + text.replace('"', '""') + '"'


def typed(option: str, names: Iterable[str]) -> str:
    """An option of columns as it is typed in a shell.

    Args:
        option: the option.
        names: names of the columns.

    >>> typed("--drop", ["Customer ID", "signup"]), typed("--groups", ["site"])
    ("--drop 'Customer ID,signup'", '--groups site')
    """
    return f"{option} {quoted(listed(names))}"


def split_list(texts: Iterable[str] | None) -> list[str]:
    """Items of repeated options that may hold commas; commas within brackets do not split.

    >>> split_list(["gini, f_measure(beta=2,variant=change)", "mdl"])
    ['gini', 'f_measure(beta=2,variant=change)', 'mdl']
    >>> split_list(["theta=[1, 1, 0, 1],alpha=2"])
    ['theta=[1, 1, 0, 1]', 'alpha=2']
    >>> split_list(['age,"6"" disk, new"'])
    ['age', '6" disk, new']
    """
    return [unquoted(item) for item in _items(texts or ()) if item]


def _items(texts: Iterable[str]) -> Iterator[str]:
    """Items of repeated options, with their quotes."""
    for text in texts:
        depth, inside, current = 0, False, ""
        for character in text:
            if character == '"' and depth == 0:
                # A quote begins an item or follows "=", or goes on after a doubled one.
                inside = not inside and current.strip()[-1:] in ("", "=", '"')
            elif not inside:
                depth += (character in "([") - (character in ")]")
            if character == "," and depth == 0 and not inside:
                yield current.strip()
                current = ""
            else:
                current += character
        yield current.strip()


def unquoted(text: str) -> str:
    """A text without the double quotes around it. Doubled quotes inside become single ones; other
    text is returned as it is.

    >>> unquoted('"6"" disk, new"'), unquoted("it")
    ('6" disk, new', 'it')
    """
    return text[1:-1].replace('""', '"') if _QUOTED.fullmatch(text) else text


_QUOTED = re.compile(r'"(?:[^"]|"")*"', re.DOTALL)
_Q = _QUOTED.pattern
_CELL = re.compile(rf"(?:({_Q}|(?!{_Q}\Z)(?:[^=]*|.*))=)?({_Q}|[^=]*)", re.DOTALL)
"""An item of ``--missing`` or ``--dates``: the column, if one is named, and the text."""


def cells_by_column(texts: Iterable[str] | None) -> dict[str | None, list[str]]:
    """The texts of ``--missing`` by column; under None the texts for all columns.

    >>> cells_by_column(["n/a,age=999", '"a=b"="x,y"', '"c=d"'])
    {None: ['n/a', 'c=d'], 'age': ['999'], 'a=b': ['x,y']}
    """
    cells: dict[str | None, list[str]] = {}
    for item in filter(None, _items(texts or ())):
        match = _CELL.fullmatch(item)
        assert match is not None
        name = match[1] and unquoted(match[1].strip())
        cells.setdefault(name, []).append(unquoted(match[2].strip()))
    return cells

"""The exception of the file readers: it names file, line, column and value, and a remedy."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from .._checks.words import option
from ..table.sources import nearest

Path = str | os.PathLike[str]
"""The path of a file."""


class DataFileError(ValueError):
    """A data file that cannot be read as it stands.

    Attributes:
        path: the file.
        line: line number, from 1 (None when the whole file is meant).
        column: the column's or attribute's name (None when the whole line is meant).
        value: the offending text.

    Examples:
        >>> print(DataFileError("is not a number; write ? for missing", "a.arff", 7, "age", "x1"))
        a.arff, line 7, column 'age': 'x1' is not a number; write ? for missing
    """

    def __init__(
        self,
        problem: str,
        path: Path,
        line: int | None = None,
        column: str | None = None,
        value: Any = None,
    ) -> None:
        self.problem, self.path = problem, os.fspath(path)
        self.line, self.column, self.value = line, column, value
        where = self.path
        if line is not None:
            where += f", line {line}"
        if column is not None:
            where += f", column {column!r}"
        if value is not None:
            text = value if len(str(value)) <= 80 else str(value)[:77] + "..."
            problem = f"{text!r} {problem}"
        super().__init__(f"{where}: {problem}")

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.problem, self.path, self.line, self.column, self.value))


def check_columns(
    wanted: Iterable[str], names: Sequence[str], path: Path, parameter: str = ""
) -> None:
    """Refuse a wanted column that is none of a file's, in an error that names the parameter."""
    by = parameter and f" ({option(parameter)})"
    for name in wanted:
        if name not in names:
            said = f"is not a column{by}; {nearest(name, names)}"
            raise DataFileError(said, path, None, None, name)

"""Where the rows of an advice come from, and the Python that gets them again."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from ..datasets.shelf import SHELF
from ..table import Table

__all__ = ["Source"]


class Source(NamedTuple):
    """What was given to `advise`: a file or data set by name, a Table, or a frame."""

    path: str | None
    is_table: bool
    reading: dict[str, Any]
    nominal: bool
    """Whether columns of numbers were called nominal."""

    @classmethod
    def of(cls, X: Any, reading: dict[str, Any], nominal: Any) -> Source:
        """The source of X."""
        path = os.fspath(X) if isinstance(X, (str, os.PathLike)) else None
        if isinstance(X, Table) and X.name in SHELF:
            path = X.name
        named = not (isinstance(nominal, str) and nominal == "from_dtype")
        return cls(path, isinstance(X, Table), reading, named)

    def code(self, target: str | None, drop: list[str], *, has_gaps: bool) -> str:
        """The line that makes `table`.

        Examples:
            >>> print(Source("a.csv", False, {"decimal": ","}, False).code("y", [], has_gaps=True))
            table = fasttree.datasets.load('a.csv', target='y', decimal=',').drop_missing_target()
            >>> print(Source(None, False, {}, False).code("y", ["id"], has_gaps=False))
            table = fasttree.Table(frame.drop(columns=['id']), target='y')
        """
        end = ".drop_missing_target()" if has_gaps else ""
        if self.path is not None:
            words = {"target": target, **({"drop": drop} if drop else {}), **self.reading}
            more = "".join(f", {name}={value!r}" for name, value in words.items())
            return f"table = fasttree.datasets.load({self.path!r}{more}){end}"
        if self.is_table:
            names = ", ".join(map(repr, drop))
            return f"table = table{f'.drop({names})' if drop else ''}{end}"
        frame = f"frame.drop(columns={drop!r})" if drop else "frame"
        return f"table = fasttree.Table({frame}, target={target!r}){end}"

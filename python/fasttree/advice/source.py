"""Where the rows of an advice come from, and the Python that gets them again."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from ..table import Table

__all__ = ["Source"]


class Source(NamedTuple):
    """What was given to `advise`: a file or data set by name, a Table, or a frame."""

    path: str | None
    table: str
    """Python of a Table, "" of anything else."""
    reading: dict[str, Any]
    nominal: bool
    """Whether columns of numbers were called nominal."""

    @classmethod
    def of(cls, X: Any, reading: dict[str, Any], nominal: Any) -> Source:
        """The source of X."""
        path = os.fspath(X) if isinstance(X, (str, os.PathLike)) else None
        table = X.origin or "table" if isinstance(X, Table) else ""
        named = not (isinstance(nominal, str) and nominal == "from_dtype")
        return cls(path, table, reading, named)

    def code(self, target: str | None, drop: list[str], *, has_gaps: bool) -> str:
        """The line that makes `table`.

        Examples:
            >>> print(Source("a.csv", "", {"decimal": ","}, False).code("y", [], has_gaps=True))
            table = fasttree.datasets.load('a.csv', target='y', decimal=',').drop_missing_target()
            >>> print(Source(None, "", {}, False).code("y", ["id"], has_gaps=False))
            table = fasttree.Table(frame.drop(columns=['id']), target='y')
        """
        end = ".drop_missing_target()" if has_gaps else ""
        if self.path is not None:
            words = {"target": target, **({"drop": drop} if drop else {}), **self.reading}
            more = "".join(f", {name}={value!r}" for name, value in words.items())
            return f"table = fasttree.datasets.load({self.path!r}{more}){end}"
        if self.table:
            names = ", ".join(map(repr, drop))
            return f"table = {self.table}{f'.drop({names})' if drop else ''}{end}"
        frame = f"frame.drop(columns={drop!r})" if drop else "frame"
        return f"table = fasttree.Table({frame}, target={target!r}){end}"

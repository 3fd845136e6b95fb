"""Sources of rows in batches: a Parquet file or folder, an Arrow dataset, a function, or a list.

What
    `batches_of(X)` makes `Batches` of X if X is such a source. A fit reads them several times, so
    an iterator, which can be read only once, is refused.
Complexity
    O(cells); one batch is in memory at a time.
When not to use it
    For rows that fit into memory: an array or a frame is read once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..._checks import import_optional

KINDS = (".parquet", ".pq")
ROWS = 1 << 17
"""Rows of a batch that is read from a dataset."""


@dataclass(frozen=True)
class Batches:
    """Rows that can be read repeatedly, batch by batch.

    The object holds no rows. Every call reads from the start, and a call may name the columns that
    it needs, which a Parquet file then reads alone.

    Attributes:
        read: a function that returns an iterable of batches (Arrow record batches or tables, data
            frames); it takes the names of the columns that are needed, None for all.
        name: what the rows come from, for messages.
        columns: names of all columns, None where there is no schema.
        numbers: names of the columns that are numbers by the schema; empty if there is no schema.
    """

    read: Callable[[Sequence[str] | None], Iterable[Any]]
    name: str
    columns: tuple[str, ...] | None = None
    numbers: tuple[str, ...] = ()

    def __call__(self, columns: Sequence[str] | None = None) -> Iterator[tuple[int, Any]]:
        """Number and rows of each batch that has rows.

        Args:
            columns: names of the columns that are needed; None: all.
        """
        batches = self.read(columns)
        if not isinstance(batches, Iterable):
            raise TypeError(
                f"{self.name} came as a {type(batches).__name__}; give an iterable of batches"
            )
        for number, batch in enumerate(batches):
            frame = _frame(batch)
            if len(frame):
                yield number, frame


def _frame(batch: Any) -> Any:
    """A batch as a frame from which a Table can be made.

    Raises:
        TypeError: something without a length.
    """
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is not None and isinstance(batch, pyarrow.RecordBatch):
        return pyarrow.Table.from_batches([batch])
    if not hasattr(batch, "__len__"):
        raise TypeError(
            f"a batch is a {type(batch).__name__}; batches are Arrow record batches, Arrow tables "
            "or data frames"
        )
    return batch


def is_parquet(X: Any) -> bool:
    """Whether X names a Parquet file, or a folder that holds some.

    The name decides, for a folder the names of the files in it; the files are not opened. Objects
    that are no path give False.

    Examples:
        >>> is_parquet("rows.parquet"), is_parquet("rows.csv"), is_parquet([1])
        (True, False, False)
    """
    if not isinstance(X, (str, os.PathLike)):
        return False
    path = Path(X)
    if path.suffix in KINDS:
        return True
    return path.is_dir() and any(f.suffix in KINDS for f in path.rglob("*.p*q*"))


def parquet_dataset(path: Any) -> Any:
    """A Parquet file or folder as a dataset of Arrow.

    Only the schema is read here; `Batches` reads rows from the dataset. A folder stands for all
    files in it.

    Raises:
        FileNotFoundError: there is no such file or folder.
        ModuleNotFoundError: pyarrow is not installed.
    """
    if not Path(path).exists():
        raise FileNotFoundError(f"there is no file or folder {os.fspath(path)!r}")
    needs = "Parquet in batches needs pyarrow: pip install 'fasttree[data]'"
    return import_optional("pyarrow.dataset", needs).dataset(os.fspath(path), format="parquet")


def batches_of(X: Any, histogram: bool) -> Batches | None:
    """X as batches; None if X is something else.

    Sources are recognised by their type or methods; nothing is read. Arrays, frames and Tables give
    None, as they are in memory already.

    Args:
        X: what `fit` was given.
        histogram: whether thresholds are searched in histograms; if not, a Parquet file is read as
            a whole.

    Raises:
        TypeError: an iterator, which could be read once only.

    Examples:
        >>> batches_of([[1.0], [2.0]], True) is None
        True
        >>> batches_of(lambda: iter([]), True).name
        'batches of a function'
    """
    if is_parquet(X) and (histogram or Path(X).is_dir()):
        return _of_dataset(parquet_dataset(X), f"Parquet {os.fspath(X)!r}")
    arrow = sys.modules.get("pyarrow.dataset")
    if arrow is not None and isinstance(X, arrow.Dataset):
        return _of_dataset(X, "an Arrow dataset")
    if hasattr(X, "__next__") or hasattr(X, "read_next_batch"):
        raise TypeError(
            f"X is a {type(X).__name__}, which can be read once, and batches are read several "
            "times: give a function that returns a new iterator, a list of batches, a "
            "pyarrow.dataset or a Parquet path"
        )
    pyarrow = sys.modules.get("pyarrow")
    kinds = () if pyarrow is None else (pyarrow.RecordBatch, pyarrow.Table)
    if isinstance(X, (list, tuple)) and X and isinstance(X[0], kinds):
        return Batches(lambda columns: X, "a list of batches")
    if callable(X) and not isinstance(X, type) and not hasattr(X, "shape"):
        return Batches(lambda columns: X(), "batches of a function")
    return None


def _of_dataset(dataset: Any, name: str) -> Batches:
    def read(columns: Sequence[str] | None) -> Iterable[Any]:
        wanted = None if columns is None else list(columns)
        return dataset.to_batches(
            columns=wanted, batch_size=ROWS, batch_readahead=2, fragment_readahead=1
        )

    return Batches(read, name, tuple(dataset.schema.names), numeric_columns(dataset.schema))


def numeric_columns(schema: Any) -> tuple[str, ...]:
    """Names of the columns that are integers or floating-point numbers by a schema of Arrow.

    The first pass over the rows need not read these columns, as they have no levels. Decimals and
    bools are not among them.
    """
    from pyarrow import types

    return tuple(f.name for f in schema if types.is_integer(f.type) or types.is_floating(f.type))

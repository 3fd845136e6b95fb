"""Bounds on data files, so that a malformed or hostile file is an error and does not fill the
memory.

Every reader takes `Limits`; the error names the bound that was exceeded. A file that is meant to be
so large is read by ``load(..., limits=Limits(field=...))``.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from .._checks import shown
from ..table.columns import MAX_LEVELS


@dataclass(frozen=True, slots=True)
class Limits:
    """How large the parts of a data file may be.

    Attributes:
        field: bytes of one cell, label or name.
        columns: columns (attributes) of a file.
        levels: distinct labels of a nominal column, at most 65,536.
        unpacked: bytes of a compressed file after unpacking.
        ratio: unpacked bytes per packed byte, checked from 64 MiB of unpacked bytes on.

    Raises:
        ValueError: a bound is no whole number from 1 on, or too large.

    Examples:
        >>> Limits(field=100).field, Limits().columns
        (100, 1000000)
    """

    field: int = 1 << 20
    columns: int = 1_000_000
    levels: int = MAX_LEVELS
    unpacked: int = 1 << 34
    ratio: int = 250

    def __post_init__(self) -> None:
        for bound in fields(self):
            value = getattr(self, bound.name)
            most = MAX_LEVELS if bound.name == "levels" else 1 << 62
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
                raise ValueError(
                    f"Limits({bound.name}={shown(value)}) must be a whole number from 1 to {most}"
                )

    @property
    def core(self) -> tuple[int, int, int]:
        """(field, columns, levels): the bounds that the core checks."""
        return self.field, self.columns, self.levels

"""Bounds on data files: what is beyond them is an error that names the bound, not an empty memory.

Every reader takes them; `load(..., limits=Limits(field=...))` changes them for one file.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from ..table.columns import MAX_LEVELS

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """How large the parts of a data file may be.

    Attributes:
        field: bytes of one cell, label or name.
        columns: columns (attributes) of a file.
        levels: distinct labels of a nominal column, at most 65,536.
        unpacked: bytes of a compressed file after unpacking.
        ratio: unpacked bytes a packed byte, looked at from 64 MiB of unpacked bytes on.

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
        for one in fields(self):
            value = getattr(self, one.name)
            most = MAX_LEVELS if one.name == "levels" else 1 << 62
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
                raise ValueError(
                    f"Limits({one.name}={str(value)[:40]}) must be a whole number from 1 to {most}"
                )

    @property
    def core(self) -> tuple[int, int, int]:
        """Those that the core checks: field, columns, levels."""
        return self.field, self.columns, self.levels

"""A data file as blocks of bytes: unpacked within bounds, UTF-16 turned into UTF-8, errors named.

What
    `blocks` yields the bytes of a file block by block; ``.gz``, ``.bz2`` and ``.xz`` are unpacked
    while they are read. A damaged compressed file is a DataFileError whatever its library raises.
    So is a decompression bomb: a file that unpacks to more than ``limits.unpacked`` bytes, or to
    more than ``limits.ratio`` times its size. All text readers start here.
Complexity
    O(bytes); one block of 256 KiB is in memory.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import os
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import IO, Any

from .._checks import shown
from ..table.columns import MAX_LEVELS
from .errors import DataFileError, Path

BLOCK = 1 << 18
"""Bytes read at a time."""

RATIO_FROM = 1 << 26
"""Unpacked bytes (64 MiB) from which on the ratio is checked: small files may compress well."""

_OPENERS = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_DAMAGE = (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error)


def split_suffix(path: Path) -> tuple[str, str, str]:
    """Name without suffixes, kind suffix and compression suffix of a path.

    Examples:
        >>> split_suffix("data/labor.ARFF.gz")
        ('labor', '.arff', '.gz')
    """
    base = os.path.basename(os.fspath(path))
    stem, packed = os.path.splitext(base)
    if packed.lower() not in _OPENERS:
        stem, packed = base, ""
    stem, kind = os.path.splitext(stem)
    return stem, kind.lower(), packed.lower()


class _Unpacked(io.RawIOBase):
    """The unpacked bytes of a compressed file, within the limits."""

    def __init__(self, path: Path, stream: Any, limits: Limits) -> None:
        self.path, self.stream, self.limits = path, stream, limits
        self.size = os.path.getsize(path)
        self.count = 0

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self.stream.close()
        super().close()

    def readinto(self, buffer: Any) -> int:
        try:
            piece = self.stream.read(len(buffer))
        except _DAMAGE as error:
            raise self._damaged(error) from error
        except OSError as error:  # bz2 says "Invalid data stream" by an OSError without a number
            if error.errno is not None:
                raise
            raise self._damaged(error) from error
        self.count += len(piece)
        if self.count > self.limits.unpacked:
            self._too_large(f"more than {self.limits.unpacked:,} bytes", "unpacked")
        if self.count > RATIO_FROM and self.count > self.limits.ratio * self.size:
            self._too_large(f"more than {self.limits.ratio:,} times its size", "ratio")
        buffer[: len(piece)] = piece
        return len(piece)

    def _damaged(self, error: BaseException) -> DataFileError:
        return DataFileError(
            f"the compressed file is broken ({error}); fetch or pack it again", self.path
        )

    def _too_large(self, what: str, limit: str) -> None:
        raise DataFileError(
            f"unpacks to {what}; if it is meant to, unpack it first or raise "
            f"limits=Limits({limit}=...)",
            self.path,
        )


def open_bytes(path: Path, limits: Limits | None = None) -> IO[bytes]:
    """The file's bytes, unpacked by its suffix within the limits."""
    opener: Any = _OPENERS.get(split_suffix(path)[2])
    if opener is None:
        return open(path, "rb")
    raw = _Unpacked(path, opener(path, "rb"), limits or Limits())
    return io.BufferedReader(raw, BLOCK)


def blocks(path: Path, limits: Limits | None = None) -> Iterator[bytes]:
    """The bytes of a text file in blocks; UTF-16 with a byte-order mark becomes UTF-8."""
    with open_bytes(path, limits) as stream:
        decoder: Any = None
        first = True
        while piece := stream.read(BLOCK):
            if first and piece.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                decoder = codecs.getincrementaldecoder("utf-16")()
            first = False
            yield piece if decoder is None else _recoded(decoder, piece, path)
        if decoder is not None:
            yield _recoded(decoder, b"", path)


def _recoded(decoder: Any, piece: bytes, path: Path) -> bytes:
    """UTF-16 as UTF-8; an empty piece is the end of the file."""
    try:
        text: str = decoder.decode(piece, not piece)
        return text.encode("utf-8")
    except UnicodeError as error:
        raise DataFileError(
            f"starts like UTF-16 and is not ({error}); save it as UTF-8", path
        ) from None


_OTHER_FORMATS = {
    b"PK\x03\x04": "a zip archive or a workbook (.xlsx, .ods)",
    b"\xd0\xcf\x11\xe0": "an old workbook (.xls)",
    b"PAR1": "Parquet (name it .parquet)",
    b"ARROW1": "Feather (name it .feather)",
    b"\x1f\x8b": "packed by gzip (of R, or text that is to be named .gz)",
    b"BZh": "packed by bzip2 (name it .bz2)",
    b"\xfd7zXZ": "packed by xz (name it .xz)",
    b"\x28\xb5\x2f\xfd": "packed by zstd",
    b"7z\xbc\xaf": "a 7z archive",
    b"$FL2": "SPSS (.sav)",
    b"$FL3": "SPSS (.zsav)",
    b"<stata_dta>": "Stata (.dta)",
    b"SAS": "SAS",
    b"SQLite format 3": "an SQLite database",
    b"\x89HDF": "HDF5",
    b"\x93NUMPY": "an array of NumPy (.npy)",
    b"RDX": "of R (.RData)",
    b"%PDF": "PDF",
    b"\x80\x04\x95": "a pickle",
    b"\x80\x05\x95": "a pickle",
}
"""The type of a file by its first bytes, in words for an error."""

_MARKUP = re.compile(
    rb"\s*(?:(?P<JSON>[{\[]\s*[{\[\"\d\]}])|(?P<HTML><!DOCTYPE html|<html)|(?P<XML><\?xml))"
)


def other_format(path: Path, limits: Limits | None = None) -> str | None:
    """The type of a file by its first bytes, in words; None for text in rows and ARFF."""
    first = next(blocks(path, limits), b"")
    for start, what in _OTHER_FORMATS.items():
        if first.startswith(start) and (start != b"SAS" or b"\0" in first):
            return what
    found = _MARKUP.match(first.removeprefix(codecs.BOM_UTF8))
    return None if found is None else found.lastgroup


def head(path: Path, limits: Limits | None = None) -> str:
    """The first block of a file as text, without a byte-order mark."""
    first = next(blocks(path, limits), b"")
    return decode(first.removeprefix(codecs.BOM_UTF8))


def decode(text: bytes) -> str:
    """Bytes as text: UTF-8 if they are valid UTF-8, apart from a last character that is cut off,
    and otherwise Latin-1."""
    try:
        decoder: Any = codecs.getincrementaldecoder("utf-8")()
        return str(decoder.decode(text))
    except UnicodeDecodeError:
        return decode_as(text, "latin-1")


_WINDOWS = {
    code: bytes([code]).decode("cp1252", "ignore") or chr(code) for code in range(0x80, 0xA0)
}
"""The characters of Windows-1252 where Latin-1 has control characters."""


def decode_as(text: bytes, encoding: str) -> str:
    """Text of a known encoding; Latin-1 is read as its superset Windows-1252, which Excel saves.

    Examples:
        >>> decode_as(b"5 \\x80", "latin-1"), decode_as("gr\u00fcn".encode(), "utf-8")
        ('5 \u20ac', 'gr\u00fcn')
    """
    found = text.decode(encoding)
    return found.translate(_WINDOWS) if encoding == "latin-1" else found


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper bounds on the parts of a data file, so that a hostile file cannot exhaust the machine.

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

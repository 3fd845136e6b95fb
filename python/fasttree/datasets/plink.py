"""Reading PLINK 1 files: ``.bed`` / ``.bim`` / ``.fam``, ``.raw``, phenotype and covariate files.

What
    `read_plink` maps the .bed into memory (or reads it in one pass) and reads the two text files
    beside it; `plink_write` writes the three. A ``.raw`` file (``--recode A``) is known by its
    header.
Source
    The file formats of PLINK 1.9 (https://www.cog-genomics.org/plink/1.9/formats).
Complexity
    The text files are read once. Of the .bed, one byte per variant is looked at (the unused bits of
    its last byte), and the rest when something asks for genotypes.
When not to use it
    For VCF, BGEN or PLINK 2 files (.pgen): convert them with ``plink2 --make-bed`` first.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._checks import checked, maybe, one_value, path_of, string
from ..rendering.saving import half_replaced
from ..table.doubtful import warn_caller
from .errors import DataFileError
from .genotypes import Genotypes, pack

__all__ = ["CONTROL_AND_CASE", "MAGIC", "RAW_HEADER", "SUFFIXES", "is_plink", "read_plink"]

SUFFIXES = (".bed", ".bim", ".fam")
MAGIC = b"\x6c\x1b"
RAW_HEADER = ["FID", "IID", "PAT", "MAT", "SEX", "PHENOTYPE"]
CONTROL_AND_CASE = {"1": "control", "2": "case"}
UNKNOWN = {"NA", "N/A", "."}
"""Texts of a missing phenotype, beside every spelling of NaN and of the number -9."""
WHOLE = re.compile(r"[+-]?[0-9]+")


def is_plink(path: str | os.PathLike[str]) -> bool:
    """Whether a file is one that `read_plink` reads: ``.bed`` by its suffix, ``.raw`` by its suffix
    and its header."""
    text = os.fspath(path)
    if text.endswith(".bed"):
        return True
    if not text.endswith(".raw") or not os.path.isfile(text):
        return False
    with open(text, "rb") as file:
        return file.read(200).split()[:6] == [word.encode() for word in RAW_HEADER]


@checked(
    path=path_of,
    phenotype=maybe(path_of),
    phenotype_name=maybe(string),
    covariates=maybe(path_of),
    memory_map=one_value,
)
def read_plink(
    path: str | os.PathLike[str],
    *,
    phenotype: str | os.PathLike[str] | None = None,
    phenotype_name: str | None = None,
    covariates: str | os.PathLike[str] | None = None,
    memory_map: bool = True,
) -> Genotypes:
    """Read the genotypes of a study.

    Args:
        path: the ``.bed`` file (or its name without the suffix), with ``.bim`` and ``.fam`` beside
            it; or a ``.raw`` file.
        phenotype: a file with the phenotype instead of column 6 of the .fam: family, sample and one
            or more columns, with or without a header (PLINK's ``--pheno``). Samples that are not in
            it have none.
        phenotype_name: which column of that file, by its header; the first by default.
        covariates: a file of the same form (``--covar``); all its columns are kept.
        memory_map: map the .bed (the file must not change while the genotypes are in use); False
            reads it into memory at once.

    Returns:
        `Genotypes`. The phenotype is one of classes (``"control"`` and ``"case"``) if its values
        are 1 and 2 (0 and -9 missing); text makes classes of its own; other numbers are a
        quantitative phenotype, of which -9 and NA are missing. As in PLINK 1.9, ``-9.0`` is -9,
        and ``1.0`` and ``2.0`` are a quantitative phenotype, with a warning that names the
        remedy.

    Raises:
        FileNotFoundError: a file is not there.
        DataFileError: a file is damaged, cut short or does not belong to the others, a sample
            occurs twice, or the writing of the three files was broken off between two of them;
            with file, line, column and value.

    Examples:
        >>> import tempfile, fasttree
        >>> study = fasttree.datasets.make_genotypes(100, 30, random_state=0)
        >>> file = fasttree.datasets.dump_plink(study, tempfile.mkdtemp() + "/study.bed")
        >>> read_plink(file)
        Genotypes 'study': 100 samples, 30 variants on 1 chromosome, 2 classes
    """
    text = os.path.expanduser(os.fspath(path))
    facts = _read_raw(text) if text.endswith(".raw") else _read_bed(text, memory_map)
    values, lines, where = (
        facts.pop("phenotype_text"),
        facts.pop("phenotype_lines"),
        facts.pop("of"),
    )
    column = "PHENOTYPE"
    ids = list(zip(facts["family_ids"].tolist(), facts["sample_ids"].tolist(), strict=True))
    if phenotype is not None:
        names, rows, at_lines = _by_sample(phenotype)
        if phenotype_name is not None and phenotype_name not in names:
            raise DataFileError(
                f"is not a column (phenotype_name=); there are {', '.join(names)}",
                phenotype,
                None,
                None,
                phenotype_name,
            )
        chosen = names.index(phenotype_name) if phenotype_name is not None else 0
        column, where = names[chosen], os.fspath(phenotype)
        values = [rows[one][chosen] if one in rows else "NA" for one in ids]
        lines = [at_lines.get(one, 0) for one in ids]
        _some(values, ids, rows, where)
    elif phenotype_name is not None:
        raise ValueError(
            f"phenotype_name={phenotype_name!r} names a column of a phenotype file; give the file "
            "as phenotype="
        )
    facts |= _phenotype(values, lines, where, column)
    if covariates is not None:
        names, rows, _ = _by_sample(covariates)
        _some(["" for one in ids], ids, rows, os.fspath(covariates))
        facts["covariates"] = {
            name: _covariate([rows[one][k] if one in rows else "NA" for one in ids])
            for k, name in enumerate(names)
        }
    return Genotypes(**facts)


def _read_bed(text: str, memory_map: bool) -> dict[str, Any]:
    stem = text[:-4] if text[-4:] in SUFFIXES else text
    files = [stem + end for end in SUFFIXES]
    for file in files:
        if not os.path.isfile(file):
            raise FileNotFoundError(
                f"no file {file!r}; a PLINK study is three files: .bed, .bim and .fam"
            )
    before = _states(files)
    marker = half_replaced(files)
    if marker is not None:
        raise DataFileError(
            "the writing of this study was broken off, so that some of its three files are new and "
            "some old; write the study again (dump_plink), which completes it, or delete "
            f"{marker} if another program has written all three since",
            files[0],
        )
    facts = _read_three(stem, memory_map)
    if _states(files) != before:
        raise DataFileError(
            "this file, its .bim or its .fam was written while they were read; read them again",
            files[0],
        )
    return facts


def _states(files: Sequence[str]) -> list[tuple[int, int, int]]:
    """What changes when a file is written or replaced."""
    found = map(os.stat, files)
    return [(state.st_ino, state.st_size, state.st_mtime_ns) for state in found]


def _read_three(stem: str, memory_map: bool) -> dict[str, Any]:
    family = _rows_of(stem + ".fam", 6, "family, sample, father, mother, sex, phenotype")
    variants = _rows_of(
        stem + ".bim", 6, "chromosome, variant, centimorgans, position, allele 1, allele 2"
    )
    columns = list(zip(*(fields for _, fields in variants), strict=True))
    lines = [line for line, _ in variants]
    people = list(zip(*(fields for _, fields in family), strict=True))
    _unique([line for line, _ in family], people[0], people[1], stem + ".fam")
    return {
        "packed": _packed(stem + ".bed", len(variants), len(family), memory_map),
        "family_ids": _strings(people[0]),
        "sample_ids": _strings(people[1]),
        "sex": np.array([{"1": 1, "2": 2}.get(one, 0) for one in people[4]]),
        "chromosomes": _strings(columns[0]),
        "variant_ids": _strings(columns[1]),
        "positions": _whole(columns[3], lines, stem + ".bim", "position"),
        "alleles": np.array([columns[4], columns[5]], dtype=object).T,
        "phenotype_text": list(people[5]),
        "phenotype_lines": [line for line, _ in family],
        "of": stem + ".fam",
        "name": os.path.basename(stem),
    }


def _packed(path: str, n_variants: int, n_samples: int, memory_map: bool) -> np.ndarray:
    """The bytes behind the magic number, checked against the numbers of the text files."""
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        magic = file.read(3)
        if magic[:2] != MAGIC:
            raise DataFileError(
                f"is no PLINK 1 .bed file: it begins with {magic[:2].hex(' ') or 'nothing'}, not "
                "6c 1b (interval files of the same suffix hold no genotypes)",
                path,
            )
        if magic[2:] != b"\x01":
            raise DataFileError(
                f"is not SNP-major: byte 3 is {magic[2:].hex() or 'missing'}, not 01; write it "
                f"anew "
                "with plink --make-bed",
                path,
            )
        each = (n_samples + 3) // 4
        needed = 3 + n_variants * each
        if size != needed:
            what = "was cut short" if size < needed else "is too long"
            raise DataFileError(
                f"{what}: {n_variants:,} variants (.bim) of {n_samples:,} samples (.fam) need "
                f"{needed:,} bytes, it has {size:,}; the three files must be of one study",
                path,
            )
        shape = (n_variants, each)
        if memory_map:
            packed: np.ndarray = np.memmap(path, dtype=np.uint8, mode="r", offset=3, shape=shape)
        else:
            packed = np.empty(shape, dtype=np.uint8)
            got = file.readinto(packed.data.cast("B"))
            if got != packed.size:
                raise DataFileError(f"ended after {got + 3:,} of {needed:,} bytes", path)
    _unused_bits(packed, n_samples, path)
    return packed


def _unused_bits(packed: np.ndarray, n_samples: int, path: str) -> None:
    """Refuse a .bed with genotypes behind the last sample: the .fam has too few lines."""
    used = n_samples % 4
    if not used:
        return
    filled = np.flatnonzero(packed[:, -1] >> np.uint8(2 * used))
    if len(filled):
        raise DataFileError(
            f"has genotypes behind the {n_samples:,} samples of the .fam (variant "
            f"{int(filled[0]) + 1:,} of the .bim; {len(filled):,} in all): up to {4 - used} lines "
            "of the .fam are missing, or the three files are not of one study",
            path,
        )


def _unique(
    lines: Sequence[int], families: Sequence[str], samples: Sequence[str], path: str
) -> None:
    """Refuse a sample that has two lines."""
    first: dict[tuple[str, str], int] = {}
    for line, *one in zip(lines, families, samples, strict=True):
        before = first.setdefault((one[0], one[1]), line)
        if before != line:
            raise DataFileError(
                f"is a sample (family and sample) of line {before} already; remove one of the "
                "lines with plink --remove, or give it another identifier",
                path,
                line,
                None,
                " ".join(one),
            )


def _rows_of(path: str, fields: int, what: str) -> list[tuple[int, list[str]]]:
    """(line number, fields) of every line that is not empty, each of the given number."""
    found = []
    for number, line in enumerate(_text(path).split("\n"), 1):
        parts = line.split()
        if parts:
            if len(parts) != fields:
                raise DataFileError(
                    f"has {len(parts)} fields; needed are {fields}: {what}", path, number
                )
            found.append((number, parts))
    if not found:
        raise DataFileError("is empty", path)
    return found


def _text(path: str | os.PathLike[str]) -> str:
    data = Path(path).read_bytes()
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise DataFileError("holds a zero byte, so it is no text file or damaged", path, line)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataFileError(
            f"is not UTF-8 text (byte {data[error.start]:#04x})", path, line
        ) from None


def _strings(values: Sequence[str]) -> np.ndarray:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def _whole(values: Sequence[str], lines: Sequence[int], path: str, column: str) -> np.ndarray:
    for line, value in zip(lines, values, strict=True):
        if not WHOLE.fullmatch(value) or len(value) > 20 or not -(2**63) <= int(value) < 2**63:
            raise DataFileError(
                "is no whole number of 64 bits; write it in digits", path, line, column, value
            )
    return np.array([int(value) for value in values], dtype=np.int64)


def _by_sample(
    path: str | os.PathLike[str],
) -> tuple[list[str], dict[tuple[str, str], list[str]], dict[tuple[str, str], int]]:
    """Names of the columns behind family and sample, and their fields and lines by sample."""
    lines = [(n, line.split()) for n, line in enumerate(_text(path).split("\n"), 1) if line.split()]
    if not lines:
        raise DataFileError("is empty", path)
    width = len(lines[0][1])
    if width < 3:
        raise DataFileError(
            f"has {width} fields; needed are family, sample and at least one column", path, 1
        )
    named = lines[0][1][0] in ("FID", "#FID") and lines[0][1][1] == "IID"
    names = lines[0][1][2:] if named else [f"column {k + 1}" for k in range(width - 2)]
    rows: dict[tuple[str, str], list[str]] = {}
    at: dict[tuple[str, str], int] = {}
    for number, parts in lines[named:]:
        if len(parts) != width:
            raise DataFileError(f"has {len(parts)} fields, the first line {width}", path, number)
        one = (parts[0], parts[1])
        if one in rows:
            raise DataFileError(
                "is the second line of this sample", path, number, None, " ".join(one)
            )
        rows[one], at[one] = parts[2:], number
    return names, rows, at


def _some(values: Sequence[Any], ids: Sequence[Any], rows: Any, path: str) -> None:
    """Refuse a file that knows none of the samples."""
    if values and not any(one in rows for one in ids):
        raise DataFileError(
            f"has none of the samples; the study's first is family {ids[0][0]!r}, sample "
            f"{ids[0][1]!r}",
            path,
        )


def _phenotype(
    values: Sequence[str], lines: Sequence[int], path: str, column: str
) -> dict[str, np.ndarray | None]:
    """Classes or numbers, whichever the values are."""
    known = {value for value in values if not _missing(value)}
    if known <= {"0", "1", "2"}:
        if not known & set(CONTROL_AND_CASE):
            return {"y": None, "phenotype": None}
        return {"y": _strings([CONTROL_AND_CASE.get(value) for value in values])}  # type: ignore[misc]
    numbers = [_number(value) for value in values]
    if any(number is None for number in numbers):
        some = [number is not None for number, v in zip(numbers, values, strict=True) if v in known]
        if sum(some) > len(some) / 2:
            at = next(i for i, number in enumerate(numbers) if number is None)
            raise DataFileError(
                "is no number among numbers; NA or -9 is missing",
                path,
                lines[at],
                column,
                values[at],
            )
        return {"y": _strings([None if _missing(value) else value for value in values])}  # type: ignore[misc]
    if {_number(value) for value in known} <= {0.0, 1.0, 2.0}:
        odd = next(i for i, v in enumerate(values) if v in known and v not in ("0", "1", "2"))
        warn_caller(
            f"{path}, line {lines[odd]}, column {column!r}: because of {values[odd]!r} the "
            "phenotype is quantitative, as in PLINK 1.9; if 1 is a control and 2 a case, write "
            "them as 1 and 2, without a decimal point (of a pandas column: .astype(int))"
        )
    return {"phenotype": np.array(numbers, dtype=float)}


def _float(value: str) -> float | None:
    """The number that a text is; None for text (and for what only Python calls a number)."""
    if "_" in value or not value.isascii():
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _missing(value: str) -> bool:
    """Whether a text stands for a missing value: NA, NaN, or -9 however it is written."""
    number = _float(value)
    return value in UNKNOWN or (number is not None and (math.isnan(number) or number == -9))


def _number(value: str) -> float | None:
    """NaN for a missing one, None for text."""
    if _missing(value):
        return float("nan")
    number = _float(value)
    return number if number is not None and math.isfinite(number) else None


def _covariate(values: Sequence[str]) -> np.ndarray:
    numbers = [_number(value) for value in values]
    if any(number is None for number in numbers):
        return _strings([None if _missing(value) else value for value in values])  # type: ignore[misc]
    return np.array(numbers, dtype=float)


def _read_raw(path: str) -> dict[str, Any]:
    """A ``.raw`` file of ``--recode A``: one line a sample, one column of counts a variant."""
    if not os.path.isfile(path):
        raise FileNotFoundError(f"no file {path!r}")
    lines = [(n, line) for n, line in enumerate(_text(path).split("\n"), 1) if line.strip()]
    header = lines[0][1].split() if lines else []
    if header[:6] != RAW_HEADER:
        raise DataFileError(
            f"is no .raw file of plink --recode A: its header begins with "
            f"{' '.join(header[:6]) or 'nothing'}, not {' '.join(RAW_HEADER)}",
            path,
            1,
        )
    names = header[6:]
    if not names or len(lines) < 2:
        raise DataFileError("has no genotypes" if not names else "has no samples", path, 1)
    if any(name.endswith("_HET") for name in names[1::2]):
        raise DataFileError(
            "has dominance columns (_HET); write it with --recode A, not AD", path, 1
        )
    counts = np.empty((len(lines) - 1, len(names)), dtype=np.int8)
    people = []
    for row, (number, line) in enumerate(lines[1:]):
        parts = line.split()
        if len(parts) != len(header):
            raise DataFileError(f"has {len(parts)} fields, the header {len(header)}", path, number)
        people.append(parts[:6])
        try:
            counts[row] = [_COUNTED[value] for value in parts[6:]]
        except KeyError:
            bad = next(k for k, value in enumerate(parts[6:]) if value not in _COUNTED)
            raise DataFileError(
                "is no genotype; 0, 1, 2 or NA", path, number, names[bad], parts[6 + bad]
            ) from None
    columns = list(zip(*people, strict=True))
    _unique([number for number, _ in lines[1:]], columns[0], columns[1], path)
    split = [name.rpartition("_") for name in names]
    alleles = np.array([[s[2] if s[1] else "?" for s in split], ["?"] * len(names)], dtype=object).T
    return {
        "packed": pack(counts),
        "family_ids": _strings(columns[0]),
        "sample_ids": _strings(columns[1]),
        "sex": np.array([{"1": 1, "2": 2}.get(one, 0) for one in columns[4]]),
        "variant_ids": _strings([s[0] if s[1] else s[2] for s in split]),
        "chromosomes": _strings(["0"] * len(names)),
        "positions": np.zeros(len(names), dtype=np.int64),
        "alleles": alleles,
        "phenotype_text": list(columns[5]),
        "phenotype_lines": [number for number, _ in lines[1:]],
        "of": path,
        "name": os.path.basename(path)[:-4],
    }


_COUNTED = {"0": 0, "1": 1, "2": 2, "NA": -127}

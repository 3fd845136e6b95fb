"""Reading PLINK 1 files: ``.bed`` / ``.bim`` / ``.fam``, ``.raw``, phenotype and covariate files.

What
    `read_plink` maps the .bed into memory (or reads it in one pass) and reads the two text files
    beside it; `plink_write` writes the three. A ``.raw`` file (``--recode A``) is known by its
    header.
Source
    The file formats of PLINK 1.9 (https://www.cog-genomics.org/plink/1.9/formats).
Complexity
    The text files are read once. One byte per variant of the .bed, with the unused bits of its last
    byte, is read at once, and the rest when genotypes are needed.
When not to use it
    For VCF, BGEN, PLINK's text files or PLINK 2 files (.pgen): `check_no_other_genotypes`
    names the command that converts them.
"""

from __future__ import annotations

import math
import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._checks import checked, maybe, one_value, path_of, string
from .._checks.data_warnings import warn_caller
from .._checks.saving import half_replaced
from .._checks.words import argument, counted, option
from .errors import DataFileError
from .genotypes import MISSING_GENOTYPE, Genotypes, pack

SUFFIXES = (".bed", ".bim", ".fam")
MAGIC = b"\x6c\x1b"
"""The first two bytes of a PLINK 1 .bed file; the third is 1 where it is SNP-major."""
RAW_HEADER = ["FID", "IID", "PAT", "MAT", "SEX", "PHENOTYPE"]
CONTROL_AND_CASE = {"1": "control", "2": "case"}
OTHER_GENOTYPES = {
    ".vcf": "plink2 --vcf {file}",
    ".bcf": "plink2 --bcf {file}",
    ".bgen": "plink2 --bgen {file} ref-first",
    ".pgen": "plink2 --pfile {stem}",
    ".pvar": "plink2 --pfile {stem}",
    ".psam": "plink2 --pfile {stem}",
    ".ped": "plink --file {stem}",
    ".tped": "plink --tfile {stem}",
    ".tfam": "plink --tfile {stem}",
    ".lgen": "plink --lfile {stem}",
}
"""Suffixes of genotypes that are not read, and how plink takes them."""
SEXES = {"1": 1, "2": 2}
"""Male and female; any other text is 0, unknown."""
UNKNOWN = {"NA", "N/A", "."}
"""Texts of a missing phenotype, beside every spelling of NaN and of the number -9."""
WHOLE = re.compile(r"[+-]?[0-9]+")

SampleId = tuple[str, str]
"""Family and sample."""


class _Column(NamedTuple):
    """A column of a text file, by sample."""

    values: Sequence[str]
    lines: Sequence[int]
    path: str
    name: str = "PHENOTYPE"


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


def is_prefix(text: str) -> bool:
    """Whether a text is the prefix of the three files of a study."""
    return all(os.path.isfile(text + suffix) for suffix in SUFFIXES)


def check_no_other_genotypes(path: str | os.PathLike[str]) -> None:
    """Refuse genotypes of other formats, with the command that converts them.

    >>> check_no_other_genotypes("study.vcf.gz")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    fasttree.datasets.errors.DataFileError: study.vcf.gz: ...: plink2 --vcf study.vcf.gz ...
    """
    text = os.fspath(path)
    stem, kind = os.path.splitext(text.removesuffix(".gz").removesuffix(".zst"))
    if kind in SUFFIXES[1:] and is_prefix(stem):
        raise DataFileError(f"is a part of a PLINK study without genotypes: give {stem}.bed", text)
    words = OTHER_GENOTYPES.get(kind.lower())
    if words is not None:
        given = words.format(file=shlex.quote(text), stem=shlex.quote(stem))
        out = shlex.quote(stem)
        raise DataFileError(
            f"genotypes of type {kind} are not read; convert them: {given} --make-bed "
            f"--out {out}, then give {stem}.bed",
            text,
        )


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
        quantitative phenotype, in which -9 and NA mean missing. As in PLINK 1.9, ``-9.0`` is -9,
        and ``1.0`` and ``2.0`` are a quantitative phenotype, with a warning that names the remedy.

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
    check_no_other_genotypes(text)
    fields, column = _read_raw(text) if text.endswith(".raw") else _read_bed(text, memory_map)
    ids = fields["family_ids"].tolist(), fields["sample_ids"].tolist()
    samples = list(zip(*ids, strict=True))
    # The phenotype from the study's own file, or a column of another file.
    if phenotype is not None:
        columns = _by_sample(phenotype, samples)
        names = [one.name for one in columns]
        if phenotype_name is not None and phenotype_name not in names:
            told = f"is not a column ({option('phenotype_name')}); there are {', '.join(names)}"
            raise DataFileError(told, phenotype, value=phenotype_name)
        column = columns[0 if phenotype_name is None else names.index(phenotype_name)]
    elif phenotype_name is not None:
        raise ValueError(
            f"{argument('phenotype_name', phenotype_name)} names a column of a phenotype file; "
            f"give the file by {argument('phenotype', 'FILE')}"
        )
    fields |= _phenotype(column)
    # All columns of the covariate file, numbers or text.
    if covariates is not None:
        found = _by_sample(covariates, samples)
        fields["covariates"] = {one.name: _covariate(one.values) for one in found}
    return Genotypes(**fields)


def _read_bed(text: str, memory_map: bool) -> tuple[dict[str, Any], _Column]:
    """Read the three files of a study; refuse them if one of them was written or replaced
    meanwhile."""
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
    found = _read_three(stem, memory_map)
    if _states(files) != before:
        raise DataFileError(
            "this file, its .bim or its .fam was written while they were read; read them again",
            files[0],
        )
    return found


def _states(files: Sequence[str]) -> list[tuple[int, int, int]]:
    """Inode, size and time of change of each file: some of them change when it is replaced."""
    found = map(os.stat, files)
    return [(state.st_ino, state.st_size, state.st_mtime_ns) for state in found]


def _read_three(stem: str, memory_map: bool) -> tuple[dict[str, Any], _Column]:
    """Read ``stem.fam``, ``stem.bim`` and ``stem.bed``."""
    family = _rows_of(stem + ".fam", 6, "family, sample, father, mother, sex, phenotype")
    variants = _rows_of(
        stem + ".bim", 6, "chromosome, variant, centimorgans, position, allele 1, allele 2"
    )
    people, phenotypes = _people(family, stem + ".fam")
    columns = list(zip(*(fields for _, fields in variants), strict=True))
    lines = [line for line, _ in variants]
    fields = {
        "packed": _packed(stem + ".bed", len(variants), len(family), memory_map),
        **people,
        "chromosomes": _strings(columns[0]),
        "variant_ids": _strings(columns[1]),
        "positions": _whole(columns[3], lines, stem + ".bim", "position"),
        "alleles": np.array([columns[4], columns[5]], dtype=object).T,
        "name": os.path.basename(stem),
    }
    return fields, phenotypes


def _packed(path: str, n_variants: int, n_samples: int, memory_map: bool) -> np.ndarray:
    """The bytes behind the magic number, if they are as many as the text files demand; shape
    (n_variants, ceil(n_samples / 4))."""
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
                "anew with plink --make-bed",
                path,
            )
        # The size tells whether the three files belong together.
        bytes_per_variant = (n_samples + 3) // 4
        needed = 3 + n_variants * bytes_per_variant
        if size != needed:
            what = "was cut short" if size < needed else "is too long"
            raise DataFileError(
                f"{what}: {counted(n_variants, 'variant')} (.bim) of "
                f"{counted(n_samples, 'sample')} (.fam) need "
                f"{needed:,} bytes, it has {size:,}; the three files must be of one study",
                path,
            )
        shape = (n_variants, bytes_per_variant)
        if memory_map:
            packed: np.ndarray = np.memmap(path, dtype=np.uint8, mode="r", offset=3, shape=shape)
        else:
            packed = np.empty(shape, dtype=np.uint8)
            got = file.readinto(packed.data.cast("B"))
            if got != packed.size:
                raise DataFileError(f"ended after {got + 3:,} of {needed:,} bytes", path)
    _check_unused_bits(packed, n_samples, path)
    return packed


def _check_unused_bits(packed: np.ndarray, n_samples: int, path: str) -> None:
    """Refuse a .bed with genotypes behind the last sample: the .fam has too few lines."""
    used = n_samples % 4
    if not used:
        return
    filled = np.flatnonzero(packed[:, -1] >> np.uint8(2 * used))
    if len(filled):
        raise DataFileError(
            f"has genotypes behind the {counted(n_samples, 'sample')} of the .fam (variant "
            f"{int(filled[0]) + 1:,} of the .bim; {len(filled):,} in all): up to {4 - used} lines "
            "of the .fam are missing, or the three files are not of one study",
            path,
        )


def _people(
    lines: Sequence[tuple[int, Sequence[str]]], path: str
) -> tuple[dict[str, np.ndarray], _Column]:
    """The fields of `Genotypes` about samples, and the traits, of lines with six fields each;
    a sample that has two lines is refused."""
    first: dict[tuple[str, str], int] = {}
    for line, (family, sample, *_) in lines:
        before = first.setdefault((family, sample), line)
        if before != line:
            raise DataFileError(
                f"is a sample (family and sample) of line {before} already; remove one of the "
                "lines with plink --remove, or give it another identifier",
                path,
                line,
                value=f"{family} {sample}",
            )
    families, samples, _, _, sexes, phenotypes = zip(*(fields for _, fields in lines), strict=True)
    people = {
        "family_ids": _strings(families),
        "sample_ids": _strings(samples),
        "sex": np.array([SEXES.get(text, 0) for text in sexes]),
    }
    return people, _Column(phenotypes, [line for line, _ in lines], path)


def _rows_of(path: str, fields: int, what: str) -> list[tuple[int, list[str]]]:
    """(line number, fields) of every line that is not empty; `what` names the `fields` fields."""
    found = [(number, line.split()) for number, line in _lines(path)]
    for number, parts in found:
        if len(parts) != fields:
            needed = f"has {len(parts)} fields; needed are {fields}: {what}"
            raise DataFileError(needed, path, number)
    if not found:
        raise DataFileError("is empty", path)
    return found


def _lines(path: str | os.PathLike[str]) -> list[tuple[int, str]]:
    """Number and text of every line that is not empty."""
    return [(n, line) for n, line in enumerate(_text(path).split("\n"), 1) if line.strip()]


def _text(path: str | os.PathLike[str]) -> str:
    """A text file in UTF-8, without a byte order mark."""
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


def _strings(values: Sequence[str | None]) -> np.ndarray:
    """An array of objects, shape (n,)."""
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def _whole(values: Sequence[str], lines: Sequence[int], path: str, column: str) -> np.ndarray:
    """Texts as 64-bit integers; `lines` are the lines that they come from."""
    for line, value in zip(lines, values, strict=True):
        if not WHOLE.fullmatch(value) or len(value) > 20 or not -(2**63) <= int(value) < 2**63:
            raise DataFileError(
                "is no whole number of 64 bits; write it in digits", path, line, column, value
            )
    return np.array([int(value) for value in values], dtype=np.int64)


def _by_sample(path: str | os.PathLike[str], samples: Sequence[SampleId]) -> list[_Column]:
    """The columns of a phenotype or covariate file, with or without a header ``FID IID ...``; "NA"
    for a sample that is not in the file."""
    lines = [(number, line.split()) for number, line in _lines(path)]
    if not lines:
        raise DataFileError("is empty", path)
    head = lines[0][1]
    width = len(head)
    if width < 3:
        raise DataFileError(
            f"has {width} fields; needed are family, sample and at least one column", path, 1
        )
    named = head[0] in ("FID", "#FID") and head[1] == "IID"
    names = head[2:] if named else [f"column {k + 1}" for k in range(width - 2)]
    rows: dict[SampleId, tuple[int, list[str]]] = {}
    for number, parts in lines[named:]:
        if len(parts) != width:
            raise DataFileError(f"has {len(parts)} fields, the first line {width}", path, number)
        family, sample, *values = parts
        if (family, sample) in rows:
            told = f"{family} {sample}"
            raise DataFileError("is the second line of this sample", path, number, value=told)
        rows[family, sample] = number, values
    if samples and rows.keys().isdisjoint(samples):
        family, sample = samples[0]
        raise DataFileError(
            f"has none of the samples; the study's first is family {family!r}, sample {sample!r}",
            path,
        )
    found = [rows.get(one, (0, ["NA"] * len(names))) for one in samples]
    where = [number for number, _ in found]
    columns = zip(*(values for _, values in found), strict=True)
    return [
        _Column(values, where, os.fspath(path), name)
        for name, values in zip(names, columns, strict=True)
    ]


def _phenotype(found: _Column) -> dict[str, np.ndarray | None]:
    """The fields of `Genotypes` that hold the phenotype: classes or numbers, as the values are."""
    values, lines, path, column = found
    # 1 and 2 are classes; if 0 alone occurs, the phenotype is missing altogether.
    known = {value for value in values if not _missing(value)}
    if known <= {"0", "1", "2"}:
        if not known & set(CONTROL_AND_CASE):
            return {"y": None, "phenotype": None}
        if known == {"0", "1"}:
            warn_caller(
                f"{path}, column {column!r}: 0 is missing and 1 a control, as in PLINK; if 1 is a "
                "case, write 1 and 2"
            )
        return {"y": _strings([CONTROL_AND_CASE.get(value) for value in values])}
    # Text makes classes, unless most values are numbers: then it is taken for a mistake.
    numbers = [_number(value) for value in values]
    if any(number is None for number in numbers):
        numeric = [
            n is not None for n, value in zip(numbers, values, strict=True) if value in known
        ]
        if sum(numeric) > len(numeric) / 2:
            at = next(i for i, number in enumerate(numbers) if number is None)
            told = "is no number among numbers; NA or -9 is missing"
            raise DataFileError(told, path, lines[at], column, values[at])
        return {"y": _strings([None if _missing(value) else value for value in values])}
    # 1.0 and 2.0 are numbers, as in PLINK, and hardly meant to be.
    if {_number(value) for value in known} <= {0.0, 1.0, 2.0}:
        odd = next(i for i, v in enumerate(values) if v in known and v not in ("0", "1", "2"))
        warn_caller(
            f"{path}, line {lines[odd]}, column {column!r}: because of {values[odd]!r} the "
            "phenotype is quantitative, as in PLINK 1.9; if 1 is a control and 2 a case, write "
            "them as 1 and 2, without a decimal point (of a pandas column: .astype(int))"
        )
    return {"phenotype": np.array(numbers, dtype=float)}


def _float(value: str) -> float | None:
    """The number that a text stands for; None for other text, and for numbers that only Python
    accepts, such as ``1_000``."""
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
    """The number that a value stands for: NaN if it is missing, None for other text."""
    if _missing(value):
        return float("nan")
    number = _float(value)
    return number if number is not None and math.isfinite(number) else None


def _covariate(values: Sequence[str]) -> np.ndarray:
    """Numbers with NaN where missing, or text with None; shape (n_samples,)."""
    numbers = [_number(value) for value in values]
    if any(number is None for number in numbers):
        return _strings([None if _missing(value) else value for value in values])
    return np.array(numbers, dtype=float)


def _read_raw(path: str) -> tuple[dict[str, Any], _Column]:
    """Read a ``.raw`` file of ``--recode A``: one line per sample, one column of counts per
    variant."""
    if not os.path.isfile(path):
        raise FileNotFoundError(f"no file {path!r}")
    lines = _lines(path)
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
    # Counts and the six leading fields, line by line.
    counts = np.empty((len(lines) - 1, len(names)), dtype=np.int8)
    people = []
    for row, (number, line) in enumerate(lines[1:]):
        parts = line.split()
        if len(parts) != len(header):
            raise DataFileError(f"has {len(parts)} fields, the header {len(header)}", path, number)
        people.append((number, parts[:6]))
        try:
            counts[row] = [_COUNTED[value] for value in parts[6:]]
        except KeyError:
            bad = next(k for k, value in enumerate(parts[6:]) if value not in _COUNTED)
            raise DataFileError(
                "is no genotype; 0, 1, 2 or NA", path, number, names[bad], parts[6 + bad]
            ) from None
    samples, phenotypes = _people(people, path)
    # The header names each column VARIANT_ALLELE; the other allele and the places are not known.
    split = [name.rpartition("_") for name in names]
    variants = [variant if underscore else allele for variant, underscore, allele in split]
    counted = [allele if underscore else "?" for _, underscore, allele in split]
    fields = {
        "packed": pack(counts),
        **samples,
        "variant_ids": _strings(variants),
        "chromosomes": _strings(["0"] * len(names)),
        "positions": np.zeros(len(names), dtype=np.int64),
        "alleles": np.array([counted, ["?"] * len(names)], dtype=object).T,
        "name": os.path.basename(path)[: -len(".raw")],
    }
    return fields, phenotypes


_COUNTED = {"0": 0, "1": 1, "2": 2, "NA": MISSING_GENOTYPE}

"""Writing genotypes as PLINK's ``.bed``, ``.bim`` and ``.fam``.

What
    `dump_plink` writes what `read_plink` reads back unchanged, or refuses it before a file is
    touched. The three files are replaced together (`_checks.saving.replace_files`), so the files
    that a study is mapped from may be the target.
Decisions
    Covariates are not written, as no file has a place for them; parents and centimorgans are 0.
Complexity
    O(genotypes); `UNPACKED_VARIANTS` variants are in memory at a time.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import IO, Any

import numpy as np

from .._checks import checked, object_with, path_of
from .._checks.mapped import check_mapped
from .._checks.saving import replace_files
from .genotypes import UNPACKED_VARIANTS, Genotypes
from .plink import CONTROL_AND_CASE, MAGIC, SUFFIXES

CODES: tuple[dict[Any, str], ...] = (
    {label: code for code, label in CONTROL_AND_CASE.items()},
    {code: code for code in CONTROL_AND_CASE},
    {int(code): code for code in CONTROL_AND_CASE},
)
"""The three spellings of the two classes, each with its code in a .fam."""


@checked(genotypes=object_with("Genotypes", "packed", "sample_ids", "alleles"), path=path_of)
def dump_plink(genotypes: Genotypes, path: str | os.PathLike[str]) -> str:
    """Write genotypes as ``.bed``, ``.bim`` and ``.fam``.

    The files may be those that the genotypes were read from. Each file holds its old or its new
    content, whatever happens in between. A study of which a process that died left some files new
    and some old is refused by `read_plink`, and the next ``dump_plink`` completes it.

    Args:
        genotypes: what to write. The classes ``"control"`` and ``"case"``, or 1 and 2, are written
            as 1 and 2; a quantitative phenotype as its numbers, a missing one as -9. Covariates
            are not written.
        path: of the .bed (with or without the suffix); the others go beside it.

    Returns:
        The path of the .bed.

    Raises:
        ValueError: what could not be read back, with its row: other classes, an infinite phenotype
            or one of -9, identifiers and alleles that are empty or hold white space, a sample that
            occurs twice. No file is touched. Also a source that another program shortened while
            it was mapped.
        OSError: a file cannot be written; the files are as they were.

    Examples:
        >>> import tempfile, fasttree
        >>> from fasttree.datasets import dump_plink, read_plink
        >>> study = fasttree.datasets.make_genotypes(9, 5, random_state=0)
        >>> again = read_plink(dump_plink(study, tempfile.mkdtemp() + "/tiny"))
        >>> bool((again.to_array() == study.to_array()).all())
        True
    """
    stem = os.path.expanduser(os.fspath(path)).removesuffix(".bed")
    _check_shape(genotypes)
    family, variants = _family(genotypes), _variants(genotypes)
    with replace_files([stem + end for end in SUFFIXES]) as (bed, bim, fam):
        _write_bed(bed, genotypes)
        bim.writelines(line.encode() for line in variants)
        fam.writelines(line.encode() for line in family)
    return stem + ".bed"


def _check_shape(genotypes: Genotypes) -> None:
    """Refuse arrays whose lengths do not fit each other."""
    n, m = genotypes.shape
    if not n or not m:
        raise ValueError(f"{n} samples and {m} variants: a study has at least one of each")
    needed, packed = (m, (n + 3) // 4), genotypes.packed
    if packed.shape != needed or packed.dtype != np.uint8:
        raise ValueError(
            f"packed has shape {packed.shape} and type {packed.dtype}; {n:,} samples of {m:,} "
            f"variants need {needed} and uint8 (see fasttree.datasets.Genotypes)"
        )
    lengths = {
        name: len(values)
        for name in ("family_ids", "sex", "y", "phenotype", "chromosomes", "positions", "alleles")
        if (values := getattr(genotypes, name)) is not None
    }
    for name, length in lengths.items():
        wanted = m if name in ("chromosomes", "positions", "alleles") else n
        if length != wanted:
            raise ValueError(f"{name} has {length:,} values; {wanted:,} are needed")


def _write_bed(file: IO[bytes], genotypes: Genotypes) -> None:
    """Write the genotypes, SNP-major."""
    packed = check_mapped(genotypes.packed)
    used = genotypes.n_samples % 4
    file.write(MAGIC + b"\x01")
    for first in range(0, genotypes.n_variants, UNPACKED_VARIANTS):
        block = packed[first : first + UNPACKED_VARIANTS]
        if used:  # the bits behind the last sample are 0
            block = np.array(block)
            block[:, -1] &= np.uint8((1 << 2 * used) - 1)
        file.write(np.ascontiguousarray(block).data)


def _family(genotypes: Genotypes) -> list[str]:
    """Lines of the .fam: family, sample, no parents, sex, phenotype."""
    families = _fields(genotypes.family_ids, "family_ids")
    samples = _fields(genotypes.sample_ids, "sample_ids")
    first: dict[tuple[str, str], int] = {}
    for row, one in enumerate(zip(families, samples, strict=True)):
        if first.setdefault(one, row) != row:
            raise ValueError(
                f"row {row}: family {one[0]!r}, sample {one[1]!r} is in row {first[one]} already, "
                "and the samples of a .fam are unique; give one of them another identifier"
            )
    sexes = genotypes.sex.tolist()
    for row, sex in enumerate(sexes):
        if sex not in (0, 1, 2):
            raise ValueError(f"sex, row {row}: {sex!r} is not 1 (male), 2 (female) or 0 (unknown)")
    people = zip(families, samples, sexes, _phenotypes(genotypes), strict=True)
    return [
        f"{family}\t{sample}\t0\t0\t{int(sex)}\t{phenotype}\n"
        for family, sample, sex, phenotype in people
    ]


def _phenotypes(genotypes: Genotypes) -> list[str]:
    """Texts of the phenotype column: codes of classes, numbers, or -9 where it is missing."""
    if genotypes.y is not None:
        return _class_codes(genotypes.y.tolist())
    if genotypes.phenotype is None:
        return ["-9"] * genotypes.n_samples
    numbers = [float(x) for x in genotypes.phenotype.tolist()]
    for row, number in enumerate(numbers):
        if np.isinf(number) or number == -9:
            why = "is not finite" if np.isinf(number) else "means a missing phenotype"
            raise ValueError(
                f"phenotype, row {row}: {number!r} {why} in a .fam; make it NaN (missing), or "
                "write the phenotype as a file of its own and read it with phenotype="
            )
    return ["-9" if np.isnan(number) else repr(number) for number in numbers]


def _class_codes(labels: list[Any]) -> list[str]:
    """1, 2 or -9 for each label, by the spelling that has all of them."""
    present = {label for label in labels if label is not None}
    plain = not any(isinstance(label, bool) for label in present)
    codes = next((codes for codes in CODES if plain and present <= set(codes)), None)
    if codes is None:  # name a label that the nearest spelling does not have
        allowed = max(CODES, key=lambda codes: len(present & set(codes)))
        row, label = next(
            (row, label)
            for row, label in enumerate(labels)
            if label is not None and (label not in allowed or isinstance(label, bool))
        )
        raise ValueError(
            f"y, row {row}: {label!r}, one of {len(present)} classes, and a .fam holds two: "
            "'control' and 'case', or 1 and 2; rename the classes, or write the phenotype as a "
            "file of its own (family, sample, class) and read it with phenotype="
        )
    return ["-9" if label is None else codes[label] for label in labels]


def _variants(genotypes: Genotypes) -> list[str]:
    """Lines of the .bim: chromosome, variant, 0 centimorgans, position, two alleles."""
    positions = genotypes.positions.tolist()
    for row, position in enumerate(positions):
        if not isinstance(position, int) or not -(2**63) <= position < 2**63:
            raise ValueError(
                f"positions, row {row}: {position!r} is no whole number of base pairs in 64 bits"
            )
    alleles = np.asarray(genotypes.alleles, dtype=object)
    if alleles.shape != (genotypes.n_variants, 2):
        raise ValueError(f"alleles has shape {alleles.shape}; two a variant are needed")
    columns = zip(
        _fields(genotypes.chromosomes, "chromosomes"),
        _fields(genotypes.variant_ids, "variant_ids"),
        positions,
        _fields(alleles[:, 0], "alleles[:, 0]"),
        _fields(alleles[:, 1], "alleles[:, 1]"),
        strict=True,
    )
    return [
        f"{chromosome}\t{variant}\t0\t{position}\t{first}\t{second}\n"
        for chromosome, variant, position, first, second in columns
    ]


def _fields(values: Sequence[Any] | np.ndarray, name: str) -> list[str]:
    """Texts as fields of a line.

    Raises:
        ValueError: one that is no field: empty, with white space or a line end, a zero byte, what
            UTF-8 does not hold, or (as the first of a file) a byte order mark in front.
    """
    found: Iterable[Any] = values.tolist() if isinstance(values, np.ndarray) else values
    texts = [str(value) for value in found]
    for row, text in enumerate(texts):
        why = None
        if text.split() != [text]:
            why = "holds white space or a line end" if text else "is empty"
        elif "\0" in text:
            why = "holds a zero byte"
        elif row == 0 and text[0] == "\ufeff" and name in ("family_ids", "chromosomes"):
            why = "begins with a byte order mark, as a file may"
        elif any("\ud800" <= sign <= "\udfff" for sign in text):
            why = "holds half of a surrogate pair, which UTF-8 cannot write"
        if why is not None:
            raise ValueError(
                f"{name}, row {row}: {text!r} {why}, so it could not be read back; give it "
                "another text"
            )
    return texts

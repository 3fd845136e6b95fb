"""`Genotypes`: samples by variants in two bits per genotype, as a PLINK .bed file holds them.

What
    The packed bytes (an array or a read-only memory map), the samples, the places of the variants,
    the phenotype and the covariates. Genotypes are unpacked on request, variant by variant; scores
    on neighbours are computed from the packed bytes (`fasttree.score_features`).
Layout
    SNP-major: row v of `packed` holds the samples of variant v, four per byte, the first in the
    lowest two bits. 00 is two copies of allele 1, 10 one copy, 11 none, 01 missing.
Complexity
    n_samples x n_variants / 4 bytes.
When not to use it
    For dosages (numbers between 0 and 2), phased haplotypes or more than two alleles: two bits do
    not hold them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .._checks.mapped import check_mapped
from .._checks.words import counted
from ..table import Table
from ..table.columns import Column

MISSING_GENOTYPE = -127
"""The number of a missing genotype in arrays, as in bed-reader."""

MOST_CELLS = 100_000_000
"""Cells up to which genotypes become a `Table`, which takes four bytes per cell."""

UNPACKED_VARIANTS = 1 << 12
"""Variants that are unpacked at a time, which bounds the temporary arrays."""

COUNTS = np.array([2, MISSING_GENOTYPE, 1, 0], dtype=np.int8)
"""Copies of allele 1 by two-bit code."""


def _bytes_to_counts(missing: int) -> np.ndarray:
    """The four counts in each of the 256 bytes, as one 32-bit number; shape (256,)."""
    counts = COUNTS.copy()
    counts[1] = missing
    byte = np.arange(256, dtype=np.uint8)
    parts = [counts[(byte >> shift) & 3] for shift in (0, 2, 4, 6)]
    return np.ascontiguousarray(np.stack(parts, axis=1)).view(np.uint32).ravel()


def pack(counts: np.ndarray) -> np.ndarray:
    """Pack copies of allele 1 into two bits each.

    Args:
        counts: shape (n_samples, n_variants), integers 0, 1, 2; any other number is missing.

    Returns:
        Shape (n_variants, ceil(n_samples / 4)), uint8.

    Examples:
        >>> pack(np.array([[2], [1], [0], [-127], [2]])).tolist()
        [[120, 0]]
    """
    counts = np.asarray(counts)
    n_samples, n_variants = counts.shape
    packed = np.zeros((n_variants, (n_samples + 3) // 4), dtype=np.uint8)
    for place in range(4):  # every fourth sample has this place in its byte
        own = counts[place::4].T
        code = np.full(own.shape, 1, dtype=np.uint8)
        code[own == 2] = 0
        code[own == 1] = 2
        code[own == 0] = 3
        packed[:, : own.shape[1]] |= code << np.uint8(2 * place)
    return packed


@dataclass(frozen=True, eq=False, repr=False)
class Genotypes:
    """Genotypes of samples at variants; made by `read_plink` or `make_genotypes`.

    Attributes:
        packed: shape (n_variants, ceil(n_samples / 4)), uint8, four genotypes per byte, the
            first in the lowest two bits: 00 two copies of allele 1, 10 one, 11 none, 01 missing; an
            array or a read-only memory map of the file.
        family_ids, sample_ids: shape (n_samples,), str.
        sex: shape (n_samples,), int: 1 male, 2 female, 0 unknown.
        variant_ids, chromosomes: shape (n_variants,), str, as the file spells them.
        positions: shape (n_variants,), int, in base pairs.
        alleles: shape (n_variants, 2), str: allele 1, which is counted, and allele 2.
        y: shape (n_samples,), class labels, None for a missing phenotype; None as a whole where
            the phenotype is quantitative or there is none.
        phenotype: shape (n_samples,), float, a quantitative phenotype, NaN where missing; else
            None.
        covariates: name to a column of shape (n_samples,): float with NaN, or str with None.
        name: of the study.

    Examples:
        >>> import fasttree
        >>> study = fasttree.datasets.make_genotypes(120, 40, random_state=0)
        >>> study
        Genotypes 'simulated': 120 samples, 40 variants on 1 chromosome, 2 classes
        >>> study.to_array(variants=[3, 5])[:4].tolist()
        [[0, 1], [1, 2], [0, 1], [0, 0]]
    """

    packed: np.ndarray
    family_ids: np.ndarray
    sample_ids: np.ndarray
    sex: np.ndarray
    variant_ids: np.ndarray
    chromosomes: np.ndarray
    positions: np.ndarray
    alleles: np.ndarray
    y: np.ndarray | None = None
    phenotype: np.ndarray | None = None
    covariates: Mapping[str, np.ndarray] = field(default_factory=dict)
    name: str = "genotypes"

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.sample_ids)

    @property
    def n_variants(self) -> int:
        """Number of variants."""
        return len(self.variant_ids)

    @property
    def shape(self) -> tuple[int, int]:
        """(n_samples, n_variants)."""
        return self.n_samples, self.n_variants

    @property
    def classes(self) -> tuple[Any, ...]:
        """The class labels that occur, sorted; empty without classes."""
        if self.y is None:
            return ()
        return tuple(sorted({label for label in self.y.tolist() if label is not None}))

    def __len__(self) -> int:
        return self.n_samples

    def __repr__(self) -> str:
        chromosomes = len(set(self.chromosomes.tolist()))
        label = "no phenotype"
        if self.phenotype is not None:
            label = "a quantitative phenotype"
        elif self.y is not None:
            unknown = sum(label is None for label in self.y.tolist())
            label = counted(len(self.classes), "class")
            label += f", {unknown} without phenotype" if unknown else ""
        return (
            f"Genotypes {self.name!r}: {counted(self.n_samples, 'sample')}, "
            f"{counted(self.n_variants, 'variant')} on "
            f"{counted(chromosomes, 'chromosome')}, {label}"
        )

    def to_array(
        self, *, samples: Any = None, variants: Any = None, missing: int = MISSING_GENOTYPE
    ) -> np.ndarray:
        """Copies of allele 1 as numbers.

        Args:
            samples, variants: which (indices, slice or mask); all by default.
            missing: the number of a missing genotype, -128 to 127 but not 0, 1 or 2.

        Returns:
            Shape (samples, variants), int8: 0, 1, 2, or `missing`. Each variant is contiguous in
            memory.

        Raises:
            ValueError: `missing` is a count or no int8.

        Examples:
            >>> import fasttree
            >>> fasttree.datasets.make_genotypes(10, 4, random_state=0).to_array().shape
            (10, 4)
        """
        if isinstance(missing, bool) or not -128 <= missing <= 127 or missing in (0, 1, 2):
            raise ValueError(
                f"missing={missing} must lie in -128..127 and not be a count (0, 1, 2)"
            )
        packed = check_mapped(self.packed)
        packed = packed if variants is None else packed[variants]
        # Every byte is replaced by its four counts.
        counts_of_byte = _bytes_to_counts(int(missing))
        unpacked = np.empty(packed.shape, dtype=np.uint32)
        for first in range(0, len(packed), UNPACKED_VARIANTS):
            batch = slice(first, first + UNPACKED_VARIANTS)
            counts_of_byte.take(packed[batch], out=unpacked[batch], mode="clip")
        counts = unpacked.view(np.int8)[:, : self.n_samples]
        return (counts if samples is None else counts[:, samples]).T

    def take(self, *, samples: Any = None, variants: Any = None) -> Genotypes:
        """Some samples or variants.

        Args:
            samples, variants: which (indices, slice or mask); all by default. Other samples are
                packed anew, in memory.

        Returns:
            Genotypes.

        Examples:
            >>> import fasttree
            >>> study = fasttree.datasets.make_genotypes(10, 4, random_state=0)
            >>> study.take(samples=[0, 2, 4], variants=slice(2)).shape
            (3, 2)
        """
        check_mapped(self.packed)
        taken = self
        if variants is not None:
            per_variant = ("packed", "variant_ids", "chromosomes", "positions", "alleles")
            taken = replace(taken, **{name: getattr(taken, name)[variants] for name in per_variant})
        if samples is None:
            return taken
        # Other samples lie in other bytes: their codes are moved two bits at a time.
        chosen = np.arange(self.n_samples)[samples]
        packed = np.zeros((taken.n_variants, (len(chosen) + 3) // 4), dtype=np.uint8)
        for at, sample in enumerate(chosen.tolist()):
            code = (taken.packed[:, sample // 4] >> np.uint8(2 * (sample % 4))) & np.uint8(3)
            packed[:, at // 4] |= code << np.uint8(2 * (at % 4))
        per_sample = {
            name: getattr(taken, name)[chosen] for name in ("family_ids", "sample_ids", "sex")
        }
        for name in ("y", "phenotype"):
            values = getattr(taken, name)
            per_sample[name] = None if values is None else values[chosen]
        covariates = {name: column[chosen] for name, column in self.covariates.items()}
        return replace(taken, packed=packed, covariates=covariates, **per_sample)

    def feature_names(self) -> list[str]:
        """A unique name per variant.

        It is the identifier. Where that is missing (``.``) or not unique, chromosome, position and
        alleles are appended, and where this is not unique either, the number of the variant.
        """
        names = self.variant_ids.tolist()
        times = Counter(names)
        for v, name in enumerate(names):
            if name == "." or times[name] > 1:
                place = f"{self.chromosomes[v]}:{self.positions[v]}:{':'.join(self.alleles[v])}"
                names[v] = place if name == "." else f"{name}:{place}"
        times = Counter(names)
        return [f"{name}#{v}" if times[name] > 1 else name for v, name in enumerate(names)]

    def to_table(self, *, covariates: bool = False) -> Table:
        """A `Table` of nominal columns with the levels 0, 1, 2 (copies of allele 1).

        Args:
            covariates: whether the covariates become columns, too, after the variants.

        Returns:
            A Table; samples without a phenotype are rows without a class; a quantitative phenotype
            is no target.

        Raises:
            ValueError: more than 100 million cells; take some variants first.

        Examples:
            >>> import fasttree
            >>> fasttree.datasets.make_genotypes(60, 5, random_state=0).to_table()
            Table 'simulated': 60 rows, 5 features (5 nominal), target 'phenotype' with 2 classes
        """
        if self.n_samples * self.n_variants > MOST_CELLS:
            raise ValueError(
                f"{counted(self.n_samples, 'sample')} of {counted(self.n_variants, 'variant')} are "
                "too many cells "
                f"for a Table (at most {MOST_CELLS:,}); take some first: take(variants=...); "
                "score_features works on the genotypes as they are"
            )
        # A variant has the counts that occur as levels; -1, missing, reads the last code.
        counts = self.to_array(missing=-1)
        columns = []
        for v, name in enumerate(self.feature_names()):
            occurs = np.bincount(counts[:, v] + 1, minlength=4)[1:] > 0
            code_of_count = np.append(np.cumsum(occurs) - 1, -1).astype(np.int32)
            levels = tuple(np.flatnonzero(occurs).tolist())
            columns.append(Column(name, "nominal", code_of_count[counts[:, v]], levels))
        if covariates and self.covariates:
            columns += Table(dict(self.covariates)).columns
        target = None
        if self.y is not None:
            classes = self.classes
            code_of = {label: code for code, label in enumerate(classes)}
            codes = np.array([code_of.get(label, -1) for label in self.y.tolist()], dtype=np.int32)
            target = Column("phenotype", "nominal", codes, classes)
        return Table.from_columns(columns, target, name=self.name)

    def variants_records(self, which: Any = None) -> list[dict[str, Any]]:
        """One dict per variant: variant, chromosome, position, allele_1, allele_2.

        Args:
            which: variant numbers, in the order wanted; all by default.
        """
        places = range(self.n_variants) if which is None else np.asarray(which).tolist()
        return [
            {
                "variant": self.variant_ids[v],
                "chromosome": self.chromosomes[v],
                "position": int(self.positions[v]),
                "allele_1": self.alleles[v, 0],
                "allele_2": self.alleles[v, 1],
            }
            for v in places
        ]

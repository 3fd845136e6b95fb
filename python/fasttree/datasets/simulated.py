"""`make_genotypes`: case-control genotypes in which two variants decide together.

What
    A test problem for scores that find interactions (`fasttree.score_features` on neighbours): each
    of the two variants alone is independent of the phenotype.
Complexity
    O(n_samples x n_variants); memory: the packed genotypes and one block of variants.
"""

from __future__ import annotations

import numpy as np

from .._checks import as_float, check_integer, generator_of, shown
from .genotypes import MISSING_GENOTYPE, Genotypes, pack

BLOCK = 1 << 14
"""Variants that are drawn at a time; another number would draw other genotypes."""


def make_genotypes(
    n_samples: int = 400,
    n_variants: int = 1000,
    *,
    effect: float = 0.8,
    missing: float = 0.0,
    chromosomes: int = 1,
    random_state: int = 0,
) -> Genotypes:
    """Draw genotypes of unrelated samples. Two variants together decide about the phenotype, and
    neither does alone.

    Allele frequencies are uniform in [0.1, 0.5], genotypes in Hardy-Weinberg proportions and
    independent between variants. The first two variants (``"together1"``, ``"together2"``) have the
    frequency 1 - sqrt(1/2), so that half the samples carry allele 1. A sample that carries exactly
    one of the two is a case with probability (1 + `effect`) / 2, any other with (1 - `effect`) / 2.

    Args:
        n_samples, n_variants: how many, at least 2.
        effect: strength of the pair, 0 (none: null data) to 1 (it decides alone).
        missing: share of genotypes that are missing, drawn independently, in [0, 1).
        chromosomes: number of chromosomes over which the variants are spread evenly.
        random_state: seed.

    Returns:
        `Genotypes` named ``"simulated"``.

    Raises:
        ValueError: a number outside its range.

    Examples:
        >>> study = make_genotypes(50, 6, random_state=1)
        >>> study.variant_ids[:3].tolist(), study.classes
        (['together1', 'together2', 'rs3'], ('case', 'control'))
    """
    n, m = check_integer("n_samples", n_samples, 2), check_integer("n_variants", n_variants, 2)
    n_chromosomes = check_integer("chromosomes", chromosomes, 1)
    for name, value, most in (("effect", effect, 1.0), ("missing", missing, 1.0)):
        number = as_float(value)
        if number is None or not 0 <= number <= most or (name == "missing" and number == 1):
            raise ValueError(f"{name}={shown(value)} must lie between 0 and 1")
    random = generator_of(random_state)
    # Genotypes, block by block: two copies with probability f^2, at least one with 1 - (1 - f)^2.
    packed = np.empty((m, (n + 3) // 4), dtype=np.uint8)
    carries = np.zeros((2, n), dtype=bool)
    for first in range(0, m, BLOCK):
        width = min(BLOCK, m - first)
        frequency = random.uniform(0.1, 0.5, width)
        if first == 0:
            frequency[:2] = 1 - np.sqrt(0.5)
        draws = random.random((n, width), dtype=np.float32)
        two, some = frequency**2, 1 - (1 - frequency) ** 2
        counts = (draws < some.astype(np.float32)).astype(np.int8)
        counts += draws < two.astype(np.float32)
        if first == 0:
            carries[:] = counts[:, :2].T > 0
        if missing:
            counts[random.random((n, width), dtype=np.float32) < missing] = MISSING_GENOTYPE
        packed[first : first + width] = pack(counts)
    # The phenotype, by whether exactly one of the first two variants is carried.
    case = random.random(n) < np.where(carries[0] ^ carries[1], 1 + effect, 1 - effect) / 2
    names = np.array([f"rs{v + 1}" for v in range(m)], dtype=object)
    names[:2] = ["together1", "together2"]
    people = np.array([f"sample{i + 1}" for i in range(n)], dtype=object)
    per_chromosome = -(-m // n_chromosomes)
    return Genotypes(
        packed=packed,
        family_ids=people,
        sample_ids=people,
        sex=random.integers(1, 3, n),
        variant_ids=names,
        chromosomes=np.array([str(1 + v // per_chromosome) for v in range(m)], dtype=object),
        positions=np.array([1000 * (1 + v % per_chromosome) for v in range(m)], dtype=np.int64),
        alleles=np.array([["A", "G"]] * m, dtype=object),
        y=np.where(case, "case", "control").astype(object),
        name="simulated",
    )

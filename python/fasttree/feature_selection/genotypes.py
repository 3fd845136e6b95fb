"""Scores and p-values of variants, from genotypes in two bits.

What
    `score_features` comes here with `Genotypes`. Criteria on neighbours read the packed genotypes;
    criteria on tables take them as nominal columns, a block at a time; criteria on pairs of rows
    take bytes. `relief_p_values` adds p-values: by permutation of the classes, with the largest
    score of each permutation against the number of variants (Westfall & Young 1993), and STIR's t
    test (Le, Urbanowicz, Moore & McKinney 2019).
Complexity
    O(samples^2 variants) bit operations once; a permutation counts near pairs again and finds no
    neighbour anew.
When not to use it
    With related samples or with ancestry that goes with the phenotype: neighbours are then
    relatives. Permuted classes break that link as well, so that the p-values do not see it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _engine, criteria
from .._checks import check_integer, is_missing, shown, threads
from .._checks.aliases import MaybeArray, Seed
from .._checks.mapped import check_mapped
from .._checks.progress import Progress, make_report
from .._checks.words import argument, counted, worded
from ..datasets.genotypes import Genotypes
from ..datasets.plink import is_plink, read_plink
from ..estimators.parameters import seed_of
from ..table import Table

WITH_P_VALUES = ("surf", "multisurf")
"""Criteria whose neighbours do not depend on the classes."""


def as_genotypes(X: Any) -> Genotypes | None:
    """Return X if it is genotypes, read it if it names a file of PLINK (a ``.bed`` or a ``.raw``),
    else return None, and the caller reads X as a table."""
    if isinstance(X, Genotypes):
        return X
    return read_plink(X) if isinstance(X, str) and is_plink(X) else None


def labelled(genotypes: Genotypes, y: Any) -> tuple[np.ndarray, Table]:
    """Numbers of the samples with a class, and a Table of these samples that has the class as its
    target. Raises ValueError for a quantitative phenotype and where there is no class."""
    if y is None:
        if genotypes.phenotype is not None:
            raise ValueError(
                f"the phenotype of {genotypes.name!r} is quantitative, and variants are scored for "
                "classes such as cases and controls: name another phenotype "
                f"({argument('phenotype_name', 'NAME')}), or "
                "divide its numbers into classes and give these"
            )
        if genotypes.y is None:
            raise ValueError(
                f"{genotypes.name!r} has no phenotype: column 6 of the .fam says 0 or -9 "
                "everywhere; give "
                + worded("labels as y, or read_plink(..., phenotype=FILE)", "--pheno FILE")
            )
        y = genotypes.y
    if len(y) != genotypes.n_samples:
        raise ValueError(
            f"y has {counted(len(y), 'label')} for {counted(genotypes.n_samples, 'sample')}"
        )
    labels = y if isinstance(y, np.ndarray) else np.array(list(y), dtype=object)
    kept = np.flatnonzero([not is_missing(label) for label in labels.tolist()])
    if not len(kept):
        raise ValueError("no sample has a phenotype: all labels are missing")
    stand_in = np.zeros((len(kept), 1), dtype=np.uint8)
    table = Table(stand_in, labels[kept], categorical_features="all")
    if len(np.unique(table.y_codes)) < 2:
        raise ValueError(
            f"the {counted(len(kept), 'sample')} with a phenotype are all of one class; a .fam "
            "says 1 for a control and 2 for a case, 0 and -9 are missing"
        )
    return kept.astype(np.uint32), table


def near_scores(
    genotypes: Genotypes,
    samples: np.ndarray,
    table: Table,
    criterion: criteria.Criterion,
    *,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> np.ndarray:
    """Scores of a criterion on neighbours, from the packed genotypes; `table` has the classes of
    the samples."""
    given = _given(genotypes, samples, table, criterion)
    return _engine.core.genotype_scores(*given, threads(n_jobs), make_report(progress, "work"))


def _given(
    genotypes: Genotypes, samples: np.ndarray, table: Table, criterion: criteria.Criterion
) -> tuple[np.ndarray, int, np.ndarray, np.ndarray, int, str, dict[str, Any]]:
    """The arguments of the core: genotypes, samples, classes, criterion."""
    options = criterion.options(table.classes, len(samples))
    return (
        np.ascontiguousarray(check_mapped(genotypes.packed)),
        genotypes.n_samples,
        samples,
        table.y_codes.astype(np.uint16),
        len(table.classes),
        criterion.name,
        options,
    )


@dataclass(frozen=True, repr=False)
class VariantTests:
    """Scores and p-values of variants; made by `relief_p_values`.

    Attributes:
        genotypes: the samples and variants that were scored.
        criterion: name of the criterion.
        scores: shape (n_variants,), larger is better; NaN for a variant that does not vary.
        t_statistics: shape (n_variants,), STIR's t.
        stir_p: shape (n_variants,), the upper tail of STIR's t. It orders variants as t does, and
            is no p-value under selection.
        p_values: shape (n_variants,), share of permutations (and the classes themselves) in which
            the variant's own score is at least as large; None without permutations.
        adjusted_p: shape (n_variants,), the same for the largest score of all variants: the
            family-wise p-value (single-step max-T); None without permutations.
        largest: shape (n_permutations,), the largest score under each permutation; None without.
    """

    genotypes: Genotypes
    criterion: str
    scores: np.ndarray
    t_statistics: np.ndarray
    stir_p: np.ndarray
    p_values: np.ndarray | None = None
    adjusted_p: np.ndarray | None = None
    largest: np.ndarray | None = None

    @property
    def ranking(self) -> np.ndarray:
        """Numbers of the variants from best to worst, shape (n_variants,). Ties are in the order of
        the file; constant variants come last."""
        return np.argsort(-np.where(np.isnan(self.scores), -np.inf, self.scores), kind="stable")

    def records(self, top: int | None = None) -> list[dict[str, Any]]:
        """One dictionary per variant, best first: chromosome, position, score, t and, after
        permutations, p-values. `top`: only the best ones; None: all."""
        which = self.ranking[:top]
        columns = {"score": self.scores, "stir_t": self.t_statistics}
        if self.p_values is not None and self.adjusted_p is not None:
            columns |= {"p": self.p_values, "adjusted_p": self.adjusted_p}
        places = self.genotypes.variants_records(which)
        numbers = [{name: float(c[v]) for name, c in columns.items()} for v in which.tolist()]
        return [place | row for place, row in zip(places, numbers, strict=True)]

    def to_frame(self, top: int | None = None) -> Any:
        """`records` as a pandas frame, one row per variant, the best `top` ones (None: all); the
        list itself without pandas."""
        from ..exports.tables.records import records_to_frame

        return records_to_frame(self.records(top))

    def __repr__(self) -> str:
        permutations = (
            "no permutations" if self.largest is None else counted(len(self.largest), "permutation")
        )
        return (
            f"VariantTests({self.criterion}, {counted(len(self.scores), 'variant')}, "
            f"{permutations})"
        )


def relief_p_values(
    genotypes: Genotypes | str,
    y: MaybeArray = None,
    *,
    criterion: Any = "multisurf",
    n_permutations: int = 100,
    random_state: Seed = 0,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> VariantTests:
    """P-values of variants by permutation, and STIR's t statistic.

    Neighbours under SURF and MultiSURF do not depend on the classes, so they are found once for all
    permutations. Missing genotypes count as the most frequent genotype of their variant here,
    because Kononenko's treatment looks at the classes; complete genotypes have the scores of
    `score_features`.

    The smallest p-value is 1 / (n_permutations + 1). The adjusted ones hold for all variants
    together. Under permutation of the classes at most a share alpha of studies has any variant with
    an adjusted p-value of at most alpha. STIR's t is not a substitute: pairs of neighbours share
    samples, so that its tail is not a p-value (the page on genotypes has its rate under null data).

    Args:
        genotypes: `Genotypes`, or the path of a ``.bed``.
        y: labels, shape (n_samples,), None where missing; the phenotype of the study by default.
        criterion: ``"multisurf"`` or ``"surf"``, or an object of them.
        n_permutations: how many, 0 or more; 0 gives STIR alone.
        random_state: seed of the permutations.
        n_jobs: threads; no number depends on it.
        progress: a function (done, total).

    Returns:
        `VariantTests`.

    Raises:
        ValueError: another criterion; no classes, or only one; more than 65,536 rows.

    Formula: STIR's t is the mean difference of near misses less the mean difference of near hits,
    divided by the pooled standard deviation times sqrt(1 / misses + 1 / hits), with misses + hits -
    2 degrees of freedom.

    Examples:
        >>> import fasttree
        >>> study = fasttree.datasets.make_genotypes(300, 60, random_state=0)
        >>> found = relief_p_values(study, n_permutations=99)
        >>> sorted(study.variant_ids[found.ranking[:2]].tolist())
        ['together1', 'together2']
        >>> bool((found.adjusted_p[found.ranking[:2]] == 0.01).all())
        True
    """
    study = as_genotypes(genotypes)
    if study is None:
        raise ValueError(
            f"genotypes={str(genotypes)[:60]!r} are Genotypes, or the path of a .bed (read_plink)"
        )
    made = criteria.make(criterion)
    if not isinstance(made, criteria.Criterion) or made.name not in WITH_P_VALUES:
        raise ValueError(
            f"criterion={shown(criterion)} has no p-values here; 'surf' and 'multisurf' have, "
            "whose neighbours do not depend on the classes"
        )
    number = check_integer("n_permutations", n_permutations, 0)
    samples, table = labelled(study, y)
    classes = table.y_codes.astype(np.uint16)
    random = np.random.default_rng(seed_of(random_state))
    permuted = np.array([random.permutation(classes) for _ in range(number)], dtype=np.uint16)
    scores, pairs, differing, (reached, exceeded, largest) = _engine.core.genotype_tests(
        *_given(study, samples, table, made),
        np.ascontiguousarray(permuted.reshape(number, len(samples))),
        threads(n_jobs),
        make_report(progress, "work"),
    )
    # The p-values of the t statistics (STIR), then the p-values by permutations.
    t, p = _stir(pairs, differing)
    constant = np.isnan(scores)
    t[constant], p[constant] = np.nan, np.nan
    tests = VariantTests(study, made.name, scores, t, p)
    if not number:
        return tests
    p_values, family = ((1 + count) / (number + 1) for count in (reached, exceeded))
    p_values[constant], family[constant] = np.nan, np.nan
    return VariantTests(study, made.name, scores, t, p, p_values, family, largest)


def _stir(
    pairs: tuple[int, int], differing: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Student's t with a pooled variance of differences that are 0 or 1, and its upper tail."""
    from scipy.special import stdtr

    hits, misses = (float(n) for n in pairs)
    freedom = hits + misses - 2
    if hits < 1 or misses < 1 or freedom < 1:
        nothing = np.full(len(differing[0]), np.nan)
        return nothing, nothing.copy()
    means = [d / n for d, n in zip(differing, (hits, misses), strict=True)]
    squares = sum(n * m * (1 - m) for n, m in zip((hits, misses), means, strict=True))
    error = np.sqrt(squares / freedom) * math.sqrt(1 / hits + 1 / misses)
    gap = means[1] - means[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(error > 0, gap / error, np.where(gap == 0, 0.0, np.sign(gap) * np.inf))
    return t, stdtr(freedom, -t)

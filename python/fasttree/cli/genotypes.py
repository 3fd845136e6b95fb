"""`ftree rank` for genotypes: variants with chromosome and position, p-values, a Manhattan plot."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from .._checks.words import counted
from ..datasets.inputs import left_out
from .output import emit, save_picture, table

LEVEL = 0.05
"""Level of the line in the Manhattan plot."""
PRINTED = 20
"""Variants that are printed where the user names no number."""


def rank_variants(
    study: Any,
    criteria: dict[str, Any],
    settings: dict[str, Any],
    *,
    permutations: int | None,
    top: int | None,
    plot: Any,
    csv: Any,
    json: Any,
) -> None:
    """Score every variant by one or several criteria, and print them in the order of the first.

    Args:
        study: `Genotypes`.
        criteria: by name.
        settings: keywords of `score_features`.
        permutations: for p-values; None: no p-values.
        top: number of variants in the result; None: all, and the best `PRINTED` are printed.
        plot: file of the Manhattan plot, or None.
        csv: file of the rows as CSV, or None.
        json: file of the document, "-" for stdout, or None.
    """
    from ..feature_selection.features import score_features
    from ..reports import render

    unlabelled = [] if study.y is None else [label is None for label in study.y.tolist()]
    if any(unlabelled):
        samples = counted(len(unlabelled), "sample")
        said = left_out(sum(unlabelled), samples, "phenotype")
        warnings.warn(f"{study.name}: {said}", stacklevel=2)
    notes = []
    # Scores, with p-values if they are asked for; the notes explain only what is printed.
    if permutations is None:
        numbers = {n: score_features(study, criterion=c, **settings) for n, c in criteria.items()}
    else:
        numbers = _tested(study, criteria, settings, permutations)
        notes += [
            f"p, adjusted p: {counted(permutations, 'permutation')} of the classes; the adjusted "
            "one holds for all variants together (max-T).",
            "Scores with p-values count a missing genotype as the most frequent one of a variant.",
        ][not permutations :]
        notes.append(
            "t (STIR) is a statistic, no p-value under selection: its pairs share samples, and the "
            "best of many variants are chosen; p-values come from permutations only."
        )
    # The best variants by the first criterion, as JSON and as a table.
    first = next(iter(numbers.values()))
    order = np.argsort(-np.nan_to_num(first, nan=-np.inf), kind="stable")[:top]
    places = study.variants_records(order)
    document = {
        "command": "rank",
        "data": repr(study),
        "random_state": settings.get("random_state", 0),
        "rows": [
            place | {n: None if np.isnan(x[v]) else float(x[v]) for n, x in numbers.items()}
            for place, v in zip(places, order.tolist(), strict=True)
        ],
    }
    printed = PRINTED if top is None else len(places)
    body = [
        [
            place["variant"],
            place["chromosome"],
            str(place["position"]),
            f"{place['allele_1']}/{place['allele_2']}",
            *("-" if np.isnan(x[v]) else f"{x[v]:.4g}" for x in numbers.values()),
        ]
        for place, v in zip(places[:printed], order[:printed].tolist(), strict=True)
    ]
    if any("-" in row[4:] for row in body):
        notes.insert(0, "'-': the variant does not vary.")
    if len(body) < len(places):
        further = counted(len(places) - len(body), "further variant")
        notes.append(f"{further}: --top {len(places)} prints all, --csv FILE writes all.")
    if plot is not None:
        best = order[np.isfinite(first[order])][: 5 if top is None else min(top, 20)]
        _picture(plot, study, numbers, best)
    header = ["variant", "chromosome", "position", "alleles", *numbers]
    emit(lambda: render(table(repr(study), header, body, notes)), document, json, csv)


def _tested(
    study: Any, criteria: dict[str, Any], settings: dict[str, Any], permutations: int
) -> dict[str, np.ndarray]:
    """Scores of all criteria, and p-values of the criteria that have them: SURF and MultiSURF.

    Args:
        study: the genotypes.
        criteria: the criteria by name.
        settings: further arguments of `score_features`.
        permutations: number of permutations of the classes.

    Returns:
        A number per variant under each title: the criterion, its t statistic, and its p-values.

    Raises:
        ValueError: no criterion has p-values, or a setting that cannot act on them.
    """
    from ..criteria import name_of
    from ..feature_selection.features import score_features
    from ..feature_selection.genotypes import WITH_P_VALUES, relief_p_values

    with_p = {n: c for n, c in criteria.items() if name_of(c) in WITH_P_VALUES}
    if not with_p:
        with_p = criteria  # `relief_p_values` refuses the first one, with the reason
    if idle := sorted(settings.keys() - {"n_jobs", "random_state", "progress"}):
        raise ValueError(
            f"{idle[0]}={settings[idle[0]]!r} cannot act on p-values by permutation; leave it out"
        )
    jobs = {k: settings[k] for k in ("n_jobs", "random_state") if k in settings}
    numbers: dict[str, np.ndarray] = {}
    for name, criterion in criteria.items():
        if name not in with_p:
            numbers[name] = score_features(study, criterion=criterion, **settings)
            continue
        tested = relief_p_values(study, criterion=criterion, n_permutations=permutations, **jobs)
        named = f", {name}" if len(with_p) > 1 else ""
        numbers |= {name: tested.scores, f"t (STIR){named}": tested.t_statistics}
        if tested.p_values is not None and tested.adjusted_p is not None:
            numbers |= {f"p{named}": tested.p_values, f"adjusted p{named}": tested.adjusted_p}
    return numbers


def _picture(path: Any, study: Any, numbers: dict[str, np.ndarray], best: np.ndarray) -> None:
    """Draw a Manhattan plot of the first criterion.

    With p-values it shows the adjusted ones, as -log10, and the line of 0.05: they hold for all
    variants together, so that variants above the line are significant.

    Args:
        path: the picture.
        study: the genotypes.
        numbers: the result of `_tested`, or scores by criterion.
        best: positions of the variants whose names are written.
    """
    from ..plots import manhattan

    (name, heights), label, line = next(iter(numbers.items())), "", None
    adjusted = numbers.get("adjusted p", numbers.get(f"adjusted p, {name}"))
    if adjusted is not None:
        heights, line = -np.log10(adjusted), -math.log10(LEVEL)
        label = f"-log10 adjusted p (max-T, {name})"
    save_picture(
        path,
        lambda: manhattan(
            heights,
            study.chromosomes,
            study.positions,
            names=study.variant_ids,
            top=best,
            threshold=line,
            ylabel=label or name,
            title=study.name,
        ),
    )

"""The part of `ftree rank` that is about genotypes: variants with chromosome and position,
p-values,
a Manhattan plot."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .output import emit, table

__all__ = ["rank_variants"]


def rank_variants(
    study: Any,
    criteria: dict[str, Any],
    settings: dict[str, Any],
    *,
    permutations: int | None,
    top: int | None,
    plot: Any,
    json: Any,
) -> None:
    """Score every variant by one or several criteria; the first decides about the order."""
    from ..reports import render
    from ..scores import relief_p_values, score_features

    gone = [] if study.y is None else [label is None for label in study.y.tolist()]
    if any(gone):
        warnings.warn(
            f"{study.name}: {sum(gone)} of {len(gone)} samples have no phenotype and are left out",
            stacklevel=2,
        )
    numbers: dict[str, np.ndarray] = {}
    notes = ["'-': the variant does not vary."]
    if permutations is not None:
        name, one = next(iter(criteria.items()))
        if len(criteria) > 1:
            raise ValueError("--permutations takes one criterion, multisurf or surf")
        jobs = {"n_jobs": settings.get("n_jobs")}
        found = relief_p_values(study, criterion=one, n_permutations=permutations, **jobs)
        numbers = {name: found.scores, "p (STIR)": found.stir_p}
        if found.p_values is not None and found.adjusted_p is not None:
            numbers |= {"p": found.p_values, "adjusted p": found.adjusted_p}
            notes.append(
                f"p, adjusted p: {permutations} permutations of the classes; the adjusted one "
                f"holds "
                "for all variants together (max-T)."
            )
    else:
        numbers = {n: score_features(study, criterion=c, **settings) for n, c in criteria.items()}
    name, first = next(iter(numbers.items()))
    order = np.argsort(-np.nan_to_num(first, nan=-np.inf), kind="stable")
    places = study.variants_records(order)
    document = {
        "command": "rank",
        "data": repr(study),
        "rows": [
            place | {n: None if np.isnan(x[v]) else float(x[v]) for n, x in numbers.items()}
            for place, v in zip(places, order.tolist(), strict=True)
        ],
    }
    body = [
        [
            place["variant"],
            place["chromosome"],
            str(place["position"]),
            f"{place['allele_1']}/{place['allele_2']}",
            *("-" if np.isnan(x[v]) else f"{x[v]:.4g}" for x in numbers.values()),
        ]
        for place, v in zip(places[:top], order[:top].tolist(), strict=True)
    ]
    if plot is not None:
        _picture(study, name, first, plot)
    header = ["variant", "chromosome", "position", "alleles", *numbers]
    emit(lambda: render(table(repr(study), header, body, notes)), document, json)


def _picture(study: Any, name: str, scores: np.ndarray, path: Any) -> None:
    from ..plots import detached, manhattan

    with detached():
        ax = manhattan(
            scores,
            study.chromosomes,
            study.positions,
            names=study.variant_ids,
            top=min(5, len(scores)),
            ylabel=name,
            title=study.name,
        )
    ax.figure.savefig(path, dpi=150)

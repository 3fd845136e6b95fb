"""The claims of section 5.1 of Hope & Korb (2004), compared with our simulations.

Decisions
    A claim is tested twice. By paired differences, as all learners have the same models: a learner
    is ahead if the interval of the difference is above zero, and two are alike if it contains zero
    (95 %, Bonferroni over the pairs of learners at a size). And as a reader of the paper's figures
    would: a learner is ahead if the intervals of the two means do not overlap (95 %, Bonferroni
    over all cells).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from .models import Simulation


@dataclass(frozen=True)
class Finding:
    """A claim of section 5.1 and whether it holds.

    Attributes:
        kind: type of the models.
        claim: the claim.
        holds: whether it holds by paired differences.
        in_figure: whether it holds by the intervals of the means.
        evidence: the measured numbers.
    """

    kind: str
    claim: str
    holds: bool
    in_figure: bool
    evidence: str


MODELS = {"nb": "naive Bayes", "tan": "TAN", "aode": "AODE"}
"""The paper's words for its types of models."""


def findings(results: Mapping[str, Simulation]) -> list[Finding]:
    """The paper's findings about the models of each type, each with its test on our simulation.
    `results` has a simulation for each of `MODELS`."""
    nb, tan, aode = (results[kind] for kind in MODELS)
    small, large = nb.sizes[0], nb.sizes[-1]
    others = ("nb", "tan", "aode")
    pairs, with_camml = list(combinations(others, 2)), [(other, "camml") for other in others]
    on_tan = (("tan", "aode"), ("camml", "aode"), ("tan", "nb"), ("aode", "nb"))
    alike, like_others = "the learners perform alike", "camml is like the others"
    return [
        *(_alike(nb, alike, pairs, size) for size in nb.sizes),
        *(_ahead(nb, other, "camml", small) for other in others),
        _alike(nb, like_others, with_camml, large, named=False),
        *(_ahead(tan, *pair, large) for pair in on_tan),
        _ahead(tan, "aode", "tan", small),
        *(_ahead(aode, "aode", other, large) for other in ("nb", "tan", "camml")),
        *(_ahead(aode, "camml", other, small) for other in others),
        _unrewarded(aode, small),
    ]


def _ahead(sim: Simulation, first: str, second: str, size: int) -> Finding:
    """The claim that a learner is ahead of another one at a training size.

    Args:
        sim: the simulations.
        first, second: the learners.
        size: training size, rows.
    """
    mean, half = sim.difference(first, second, size)
    return Finding(
        sim.kind,
        f"On {MODELS[sim.kind]} models {first} is ahead of {second} with {size} rows",
        mean > half,
        sim.apart(first, second, size),
        f"{first} - {second} at {size} rows: {mean:+.4f} ± {half:.4f} nats",
    )


def _alike(
    sim: Simulation, claim: str, pairs: Sequence[tuple[str, str]], size: int, named: bool = True
) -> Finding:
    """The claim that the learners of each pair perform alike.

    Args:
        sim: the simulations.
        claim: the claim in words.
        pairs: the pairs of learners.
        size: training size, rows.
        named: whether the evidence names the pairs.
    """
    gaps = [sim.difference(a, b, size) for a, b in pairs]
    texts = [
        (f"{a} - {b}: " if named else "") + f"{mean:+.4f} ± {half:.4f}"
        for (a, b), (mean, half) in zip(pairs, gaps, strict=True)
    ]
    return Finding(
        sim.kind,
        f"On {MODELS[sim.kind]} models {claim} with {size} rows",
        all(abs(mean) <= half for mean, half in gaps),
        not any(sim.apart(a, b, size) or sim.apart(b, a, size) for a, b in pairs),
        ", ".join(texts) + " nats (paired differences)",
    )


def _unrewarded(sim: Simulation, size: int) -> Finding:
    """The claim that CaMML alone has a mean reward above zero at a training size.

    Args:
        sim: the simulations.
        size: training size, rows.
    """
    place = sim.sizes.index(size)
    mean = dict(zip(sim.learners, sim.reward[:, :, place].mean(axis=0), strict=True))
    half = dict(zip(sim.learners, sim.interval()[:, place], strict=True))
    others = [name for name in sim.learners if name != "camml"]
    return Finding(
        sim.kind,
        f"On {MODELS[sim.kind]} models no learner but camml is rewarded above zero with {size} "
        "rows",
        all(mean[name] <= 0 for name in others),
        all(mean[name] - half[name] <= 0 for name in others),
        ", ".join(f"{name} {value:+.4f}" for name, value in mean.items()) + " nats",
    )

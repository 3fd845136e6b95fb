"""The claims of section 5.1 of Hope & Korb (2004), compared with our simulations.

Decisions
    A claim is judged twice. By paired differences, as all learners have the same models: a learner
    is ahead if the interval of the difference is above zero, and two are alike if it contains zero
    (95 %, Bonferroni over the pairs of learners at a size). And as a reader of the paper's figures
    would: a learner is ahead if the intervals of the two means do not overlap (95 %, Bonferroni
    over all cells).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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


def findings(results: Mapping[str, Simulation]) -> list[Finding]:
    """The paper's findings about the models of each type."""
    return [
        *_on_naive_bayes(results["nb"]),
        *_on_tan(results["tan"]),
        *_on_aode(results["aode"]),
    ]


def _ahead(sim: Simulation, models: str, first: str, second: str, size: int) -> Finding:
    """The claim that the first learner is ahead of the second at a training size."""
    mean, half = sim.difference(first, second, size)
    return Finding(
        sim.kind,
        f"On {models} models {first} is ahead of {second} with {size} rows",
        mean > half,
        sim.apart(first, second, size),
        f"{first} - {second} at {size} rows: {mean:+.4f} ± {half:.4f} nats",
    )


def _alike(
    sim: Simulation, claim: str, pairs: Sequence[tuple[str, str]], size: int, named: bool = True
) -> Finding:
    """A claim that the learners of each pair perform alike; `named`: evidence names the pairs."""
    gaps = [sim.difference(a, b, size) for a, b in pairs]
    texts = [
        (f"{a} - {b}: " if named else "") + f"{mean:+.4f} ± {half:.4f}"
        for (a, b), (mean, half) in zip(pairs, gaps, strict=True)
    ]
    return Finding(
        sim.kind,
        claim,
        all(abs(mean) <= half for mean, half in gaps),
        not any(sim.apart(a, b, size) or sim.apart(b, a, size) for a, b in pairs),
        ", ".join(texts) + " nats (paired differences)",
    )


def _on_naive_bayes(sim: Simulation) -> list[Finding]:
    small, large = sim.sizes[0], sim.sizes[-1]
    pairs = [("nb", "tan"), ("nb", "aode"), ("tan", "aode")]
    others = ("nb", "tan", "aode")
    return [
        *(
            _alike(
                sim,
                f"On naive Bayes models the learners perform alike with {size} rows",
                pairs,
                size,
            )
            for size in sim.sizes
        ),
        *(_ahead(sim, "naive Bayes", other, "camml", small) for other in others),
        _alike(
            sim,
            f"On naive Bayes models camml is like the others with {large} rows",
            [(other, "camml") for other in others],
            large,
            named=False,
        ),
    ]


def _on_tan(sim: Simulation) -> list[Finding]:
    pairs = (("tan", "aode"), ("camml", "aode"), ("tan", "nb"), ("aode", "nb"))
    found = [_ahead(sim, "TAN", *pair, sim.sizes[-1]) for pair in pairs]
    return [*found, _ahead(sim, "TAN", "aode", "tan", sim.sizes[0])]


def _on_aode(sim: Simulation) -> list[Finding]:
    small, large = sim.sizes[0], sim.sizes[-1]
    mean = dict(zip(sim.learners, sim.reward[:, :, 0].mean(axis=0), strict=True))
    half = dict(zip(sim.learners, sim.interval()[:, 0], strict=True))
    others = [name for name in sim.learners if name != "camml"]
    return [
        *(_ahead(sim, "AODE", "aode", other, large) for other in ("nb", "tan", "camml")),
        *(_ahead(sim, "AODE", "camml", other, small) for other in ("nb", "tan", "aode")),
        Finding(
            "aode",
            f"On AODE models no learner but camml is rewarded above zero with {small} rows",
            all(mean[name] <= 0 for name in others),
            all(mean[name] - half[name] <= 0 for name in others),
            ", ".join(f"{name} {value:+.4f}" for name, value in mean.items()) + " nats",
        ),
    ]

"""Methods against a control over data sets: the tests after Friedman's where one method is of
interest (Demsar 2006).

    z_j = (R_j - R_control) / sqrt(k (k + 1) / (6 N)),    p_j = 2 (1 - Phi(|z_j|))

for mean ranks R of k methods over N data sets. The k - 1 p-values are corrected by Bonferroni,
which is Dunn's test, and by Holm, which finds whatever Dunn's test finds, and more. Dunn's critical
difference of mean ranks is Phi^-1(1 - alpha / (2 (k - 1))) in units of the denominator. O(k log k).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..._checks import checked, object_with, one_of
from ...exports.tables.table import Cell, ReportTable, number, report_table
from .multiple import adjusted_without_nan, bonferroni, holm
from .outcome import FriedmanResult, Ranked


@dataclass(frozen=True)
class ControlTestResult(Ranked):
    """Outcome of the tests of all methods against a control, by mean ranks over data sets.

    Attributes:
        names: of the methods, the control among them.
        control: the method that the others are compared with.
        mean_ranks: shape (methods,), 1 = best.
        z: shape (methods,), the difference from the control in standard errors, below 0 = better;
            NaN of the control, as in the p-values.
        p_values: shape (methods,), two-sided, not corrected.
        holm: shape (methods,), corrected by Holm.
        bonferroni_dunn: shape (methods,), corrected by Bonferroni.
        critical_difference: Dunn's, of mean ranks, at `alpha`.
        alpha: level.
        n: number of data sets.
    """

    _columns = ("mean_ranks", "z", "p_values", "holm", "bonferroni_dunn")
    names: tuple[str, ...]
    control: str
    mean_ranks: np.ndarray
    z: np.ndarray
    p_values: np.ndarray
    holm: np.ndarray
    bonferroni_dunn: np.ndarray
    critical_difference: float
    alpha: float
    n: int

    @property
    def significant(self) -> bool:
        """Whether some method differs from the control, by p-values with Holm's correction below
        alpha."""
        return bool((self.holm < self.alpha).any())

    @property
    def sentence(self) -> str:
        """The finding in words: methods that rank significantly better or worse than the control by
        Holm's correction, and Bonferroni-Dunn's critical difference."""
        parts = [
            f"{', '.join(names)} {'rank' if len(names) > 1 else 'ranks'} significantly {word}"
            for word, side in (("better", self.z < 0), ("worse", self.z > 0))
            if (names := [self.names[j] for j in np.flatnonzero(side & (self.holm < self.alpha))])
        ]
        return (
            f"Against {self.control} over {self.n} data sets, "
            f"{' and '.join(parts) or 'no method ranks significantly better or worse'} "
            f"(Holm at {self.alpha:g}); Bonferroni-Dunn's critical difference is "
            f"{self.critical_difference:.4g}."
        )

    def tables(self) -> list[ReportTable]:
        """Return mean ranks, best first, with z and p-values against the control; v and * mark
        methods that are better and worse by Holm."""
        rows = []
        for j in np.argsort(self.mean_ranks, kind="stable").tolist():
            mark = ("v" if self.z[j] < 0 else "*") if self.holm[j] < self.alpha else ""
            rank, *tests = (number(float(getattr(self, name)[j]), 4) for name in self._columns)
            rows.append([self.names[j], Cell(rank, mark=mark), *tests])
        header = ["method", "mean rank", "z", "p", "p, Holm", "p, Bonferroni-Dunn"]
        title = f"Mean ranks against {self.control}"
        marks = f"v / * : better / worse than {self.control} (Holm, {self.alpha:g})."
        notes = [self.sentence, *([marks] if any(row[1].mark for row in rows) else [])]
        return [report_table(title, header, rows, *notes)]


@checked(ranks=object_with("a FriedmanResult", "mean_ranks", "names"))
def against_control(ranks: FriedmanResult, control: str) -> ControlTestResult:
    """Return the tests of all methods against `control`, a name, by the ranks of Friedman's test.

    Raises:
        ValueError: `control` is not the name of a method.

    >>> from fasttree.model_selection import friedman_nemenyi
    >>> ranks = friedman_nemenyi([[3, 2, 1], [3, 2, 1], [3, 1, 2]], names=["a", "b", "c"])
    >>> against_control(ranks, "a").holm
    array([       nan, 0.10247043, 0.08245367])
    """
    from scipy.special import ndtr, ndtri

    place = ranks.names.index(one_of("control", control, ranks.names))
    k = len(ranks.names)
    unit = math.sqrt(k * (k + 1) / (6.0 * ranks.n))
    z = (ranks.mean_ranks - ranks.mean_ranks[place]) / unit
    z[place] = math.nan
    p_values = 2.0 * ndtr(-np.abs(z))
    return ControlTestResult(
        names=ranks.names,
        control=control,
        mean_ranks=ranks.mean_ranks,
        z=z,
        p_values=p_values,
        holm=adjusted_without_nan(holm, p_values),
        bonferroni_dunn=adjusted_without_nan(bonferroni, p_values),
        critical_difference=float(-ndtri(ranks.alpha / (2 * (k - 1)))) * unit,
        alpha=ranks.alpha,
        n=ranks.n,
    )

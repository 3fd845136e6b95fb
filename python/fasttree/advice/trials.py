"""The candidates of `advise` on shared folds: what was tried, and what was chosen.

What
    Candidates are cross-validated in the order of their list, one after the other or several at a
    time on a cluster, until time is up. The quality of each row, or of each fold, is kept for the
    choice.
Complexity
    One cross-validation per candidate.
"""

from __future__ import annotations

import math
from contextlib import nullcontext
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from .._checks.data_warnings import quiet
from .._checks.progress import Progress, make_report
from .._checks.words import given, option
from ..estimators.backends import backend_of
from ..model_selection import cross_validate
from ..model_selection.folds import Folds
from ..table import Table
from .candidates import Candidate
from .doubts import LaterRows
from .selection import standard_error
from .tasks import Judge
from .threshold import Threshold

if TYPE_CHECKING:
    from ..estimators.stability import Stability


class _TimeIsUp(Exception):
    """Leaves a cross-validation when the time limit has passed."""


@dataclass
class TriedCandidates:
    """Cross-validated results of constants (first) and of the candidates.

    A quality belongs to a unit in a repetition. Units are rows (whose qualities are means over the
    repetitions of the folds, so that there is one repetition here) or folds.
    """

    candidates: list[Candidate] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    """One record per row of `Advice.table`."""
    qualities: list[np.ndarray] = field(default_factory=list)
    """For each candidate the quality and the mean of its squares, shape (2, repetitions, units);
    NaN for units without a quality."""
    not_tried: list[str] = field(default_factory=list)
    """Names of the candidates for which there was no time."""

    def add(
        self,
        candidate: Candidate,
        judge: Judge,
        qualities: np.ndarray,
        leaves: float = 1.0,
        depth: float = 0.0,
        **more: Any,
    ) -> None:
        """Add a candidate with its qualities and their squares, shape (2, repetitions, units), and
        further entries of its row in the table. `leaves` and `depth` are means over the folds.
        Raises ValueError if no unit has a value."""
        known = ~np.isnan(qualities[0])
        if not known.any():
            raise ValueError(
                f"{given('scoring', repr(judge.metric))} has no value in any fold; use fewer folds "
                f"({option('cv')}) or another metric"
            )
        quality, square = qualities[:, known].mean(axis=1).tolist()
        error = standard_error(quality, square, known.sum() / len(known))
        self.candidates.append(candidate)
        self.qualities.append(qualities)
        self.rows.append(
            {
                "candidate": candidate.name,
                "criterion": candidate.criterion,
                "nominal_splits": candidate.nominal_splits,
                "pruning": candidate.pruning,
                judge.metric: judge.scale * quality + 0.0,  # never -0.0
                "standard_error": abs(judge.scale) * error,
                "leaves": leaves,
                "depth": depth,
                **more,
            }
        )


def cross_validated(
    sample: Table,
    plan: list[Candidate],
    judge: Judge,
    options: dict[str, Any],
    *,
    by_rows: bool,
    deadline: float,
    progress: Progress,
) -> TriedCandidates:
    """Cross-validate candidates until all are tried or time is up.

    Candidates that differ in their pruning alone are tried together, as one tree per fold serves
    them all; with a deadline one candidate is tried at a time. On a cluster all candidates are
    tried together, so that no worker waits; with a deadline one per worker.

    Args:
        sample: rows.
        plan: candidates in the order of trying.
        judge: of the sample.
        options: keywords of `cross_validate`, the folds among them.
        by_rows: whether the units are rows, not folds.
        deadline: of `time.monotonic`, or infinity; the first candidates are tried in any case.
        progress: as in `advise`.
    """
    out, folds = TriedCandidates(), options["cv"]
    tested = np.unique(folds.test_rows)
    backend = backend_of(options["client"])
    workers = 1 if backend is None else backend.workers if deadline < math.inf else len(plan)
    batches = [plan[first : first + workers] for first in range(0, len(plan), workers)]
    if backend is None and deadline == math.inf:
        alike: dict[str, list[Candidate]] = {}
        for one in plan:
            alike.setdefault(repr({**one.params, "pruning": None}), []).append(one)
        batches = [*alike.values()]
    constants = judge.constants()
    if by_rows:
        for constant, answer in constants:
            values = judge.quality(judge.truth[tested], answer)
            answers = np.full(len(folds.test_rows), answer)
            more = judge.by_class(judge.truth[folds.test_rows], answers)
            out.add(constant, judge, np.array((values, values * values))[:, None], **more)

    def check_time(done: int, total: int) -> None:
        if done < total and monotonic() > deadline:
            raise _TimeIsUp

    report = make_report(progress, "candidates")
    order = [*(() if by_rows else (constant for constant, _ in constants)), *plan]
    found: dict[str, Any] = {}
    for first, batch in enumerate(batches):
        if report is not None:
            report(len(found), len(order))
        if first == 0 and not by_rows:
            batch = [*order[: -len(plan)], *batch]
        seed = options["random_state"]
        trees = {c.name: judge.estimator(**c.params, random_state=seed) for c in batch}
        try:
            if first:
                check_time(0, 1)
            # Warnings about the data are given once, by the first cross-validation.
            with quiet() if first else nullcontext():
                result = cross_validate(
                    sample,
                    estimators=trees,
                    scoring=judge.scoring,
                    **options,
                    progress=check_time if first else False,
                )
        except _TimeIsUp:
            break
        found |= {candidate.name: result[candidate.name] for candidate in batch}
    out.not_tried = [candidate.name for candidate in plan if candidate.name not in found]
    for candidate in order[: len(found)]:  # without a deadline all, else the first ones
        scores = found[candidate.name]
        qualities = (_by_row if by_rows else _by_fold)(scores, folds, judge)
        sizes = {size: float(scores[size].mean()) for size in ("leaves", "depth")}
        more = judge.by_class(judge.truth[folds.test_rows], scores.predictions)
        out.add(candidate, judge, qualities, **sizes, **more)
    if report is not None:
        report(len(order), len(order))
    return out


def _by_row(scores: Any, folds: Folds, judge: Judge) -> np.ndarray:
    """Mean quality of the out-of-fold predictions of each tested row over the repetitions, and the
    mean of its squares, shape (2, 1, n_tested)."""
    tested = folds.test_rows
    values = judge.quality(judge.truth[tested], scores.predictions)
    sums = np.array([np.bincount(tested, one) for one in (values, values * values)])
    times = np.bincount(tested)
    return sums[:, None, times > 0] / times[times > 0]


def _by_fold(scores: Any, folds: Folds, judge: Judge) -> np.ndarray:
    """Quality in each fold and its square, shape (2, repetitions, folds)."""
    found = np.asarray(scores[judge.metric], dtype=np.float64) / judge.scale
    values = found.reshape(folds.n_repeats, -1)
    return np.array((values, values * values))


@dataclass
class Choice:
    """The recommended tree, its expected value, and the additions to the sentence and the notes of
    the advice. `_chosen` makes it; `advise` then adds doubts, later rows, threshold and
    stability."""

    model: Any
    params: dict[str, Any]
    """Empty for a constant."""
    value: float
    """The value of the metric to expect on new rows."""
    standard_error: float
    doubts: list[str] = field(default_factory=list)
    later: LaterRows | None = None
    threshold: Threshold | None = None
    stability: Stability | None = None

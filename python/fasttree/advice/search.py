"""`advise`: candidates on shared folds until all are tried or time is up, then the choice.

What
    Rows are screened (`screening`), the candidates of the list (`candidates`) are cross-validated,
    one after the other or several at a time on a cluster, and the smallest accurate one is chosen
    (`selection`) and fitted on all rows. `tasks` says what is a good prediction.
Complexity
    One cross-validation per candidate, on at most 200,000 rows.
"""

from __future__ import annotations

import math
import time
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._checks import as_float, checked, integer, listing, one_of, one_value, shown, string
from .._checks.aliases import TASKS, CategoricalFeatures, MaybeArray, Task
from ..estimators.backends import backend_of
from ..model_selection import cross_validate
from ..rendering.progress import Progress, make_report
from ..table import Table
from ..table.doubtful import quiet
from ..table.traps import code_columns
from .candidates import Candidate, candidates, folds_for, rows_compared
from .result import Advice
from .screening import screened
from .selection import (
    PREFERENCES,
    Prefer,
    choose,
    corrected_accuracy,
    good_enough,
    standard_error,
)
from .source import Source
from .tasks import Judge, judge_of

__all__ = ["advise"]


def _listed(name: str, value: Any) -> Any:
    """Check of an argument: an array becomes a list, anything else is left to later checks."""
    return list(value) if getattr(value, "ndim", 0) else value


def _is_unset(value: Any) -> bool:
    """None or an empty list; never an array, whose comparison is an array."""
    return value is None or (isinstance(value, list | tuple) and not value)


MOST_LEAVES = 0.1
"""Leaves of a recommended tree, at most, as a share of the rows."""
DIVISIONS, DIVISIONS_IF_LARGE, LARGE = 20, 5, 50_000
"""Divisions of `corrected_accuracy`: fewer for more than `LARGE` rows, whose estimate varies
less."""


@checked(categorical_features=_listed, decimal=one_value, missing=_listed)
def advise(
    X: Any,
    y: MaybeArray = None,
    *,
    task: Task | None = None,
    prefer: Prefer = "small",
    time_limit: float | None = 10.0,
    cv: Any = "auto",
    random_state: int | None = 0,
    n_jobs: int | None = -1,
    progress: Progress = "auto",
    drop: Any = (),
    categorical_features: CategoricalFeatures = "from_dtype",
    decimal: str | None = None,
    missing: Any = (),
    client: Any = None,
) -> Advice:
    """Recommend a tree: the smallest within one standard error of the best of a list of candidates.

    Identifiers, free text and columns of one value are left out, with the reason, and year, month
    and weekday stand for dates; the recommended tree accepts rows with and without the columns that
    are left out. Six criteria, three prunings and two kinds of nominal splits
    are cross-validated on the same folds, beside the majority class, C4.5 and small unpruned trees;
    for a number the criteria on numbers, pruned trees and small ones, beside the mean and the
    median. Candidates are compared by the accuracy, for a number by the mean absolute error. No
    candidate with more leaves than a tenth of the rows is recommended.

    Args:
        X: a frame, an array, a `Table`, or the name of a data set or file.
        y: labels or numbers, or the name of the column that holds them.
        task: ``"classification"`` or ``"regression"``; None: found out as in `fasttree.fit`.
        prefer: ``"small"``, or ``"accurate"``: the best candidate whatever its size.
        time_limit: seconds after which no further candidate is tried, and the running one is
            abandoned (the list of candidates is fixed by the data; `not_tried` names the rest);
            None: no limit. The first candidate is always tried, and the recommended tree fitted on
            all rows. If all candidates are tried, the result depends on the data and the seed only.
        cv: folds as in `cross_validate`; ``"auto"``: 3x10 up to 1,000 rows, 1x10 up to 20,000, else
            1x5.
        random_state: seed of the folds, the sample and the correction.
        n_jobs: threads.
        progress: ``"auto"`` or True (a bar where there is a terminal or a notebook), False, or a
            function (done, total).
        drop: columns to leave out.
        categorical_features: names of columns of numbers that are codes, or ``"all"``.
        decimal, missing: how a text file writes numbers and missing cells, as in
            `fasttree.datasets.load`.
        client: a ``dask.distributed.Client`` whose workers fit, as in `cross_validate`: the folds
            of several candidates at a time.

    Returns:
        An `Advice`: ``.model`` (fitted on all rows), ``.sentence``, ``.table``, ``.accuracy`` or
        ``.mae`` (corrected for the choice: judged on out-of-fold predictions that took no part in
        it), ``.code``, ``.left_out``, ``.not_tried``, ``.to_html(path)``.

    Raises:
        ValueError: no target, fewer than two classes or one number, a target that is no class, or a
            time limit that is no positive number.

    Examples:
        >>> import fasttree
        >>> found = fasttree.advise("iris", time_limit=None, progress=False)
        >>> found.model.get_n_leaves(), round(found.accuracy, 2)
        (4, 0.93)
        >>> found = fasttree.advise("iris", "petal width (cm)", time_limit=None, progress=False)
        >>> found.sentence  # doctest: +ELLIPSIS
        "Use ... off, ... % better than always saying the mean (mean absolute error in ...
    """
    # Check the arguments.
    task = None if task is None else one_of("task", task, TASKS)
    one_of("prefer", prefer, PREFERENCES)
    seconds = math.inf if time_limit is None else as_float(time_limit)
    if seconds is None or not seconds > 0:
        raise ValueError(
            f"time_limit={shown(time_limit)} must be a positive number of seconds, or None"
        )
    started = time.monotonic()
    drop = [
        string("drop", name)
        for name in ([drop] if isinstance(drop, str) else listing("drop", drop))
    ]
    keywords = {"decimal": decimal, "missing": missing}
    reading = {name: value for name, value in keywords.items() if not _is_unset(value)}
    # Screen the rows; candidates see neither the unused columns nor more rows than needed.
    whole, left_out, unlabelled = screened(
        X, y, tuple(drop), nominal=categorical_features, reading=reading, task=task
    )
    table = whole.drop(*whole.unused) if whole.unused else whole
    seed = 0 if random_state is None else integer("random_state", random_state, 0)
    sample = _sample(table, seed)
    folds = folds_for(len(sample)) if isinstance(cv, str) and cv == "auto" else cv
    # Cross-validate the candidates, choose one, and fit it on all rows.
    plan, judge = candidates(table), judge_of(sample)
    tried = _cross_validated(
        sample,
        plan,
        judge,
        {
            "cv": _feasible(folds, sample),
            "random_state": seed,
            "n_jobs": n_jobs,
            "client": client,
        },
        at_a_time=_at_a_time(client, seconds, len(plan)),
        deadline=started + seconds,
        progress=progress,
    )
    choice = _chosen(table, whole, tried, judge, seed=seed, prefer=prefer)
    return Advice(
        model=choice.model,
        params=choice.params,
        rows=tried.rows,
        value=choice.value,
        standard_error=choice.standard_error,
        table=table,
        judge=judge if sample is table else judge_of(table),
        left_out=left_out,
        dates=whole.dates,
        unlabelled=unlabelled,
        codes=code_columns(table),
        not_tried=tried.not_tried,
        compared=len(sample),
        folds=tried.folds,
        source=Source.of(X, reading, categorical_features),
        dropped=drop,
        started=started,
    )


class _TimeIsUp(Exception):
    """Leaves a cross-validation when the time limit has passed."""


@dataclass
class _Tried:
    """Cross-validated results of constants (first) and of the candidates."""

    candidates: list[Candidate] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    """One record per row of `Advice.table`."""
    values: list[np.ndarray] = field(default_factory=list)
    """For each of them: mean quality of the predictions of a row over the repetitions, shape
    (n_rows,)."""
    squares: list[np.ndarray] = field(default_factory=list)
    """For each of them: the mean of its squares, shape (n_rows,)."""
    leaves: list[float] = field(default_factory=list)
    """Mean number of leaves of each."""
    not_tried: list[str] = field(default_factory=list)
    folds: str = ""

    def add(
        self,
        candidate: Candidate,
        judge: Judge,
        values: np.ndarray,
        squares: np.ndarray,
        *,
        leaves: float = 1.0,
        depth: float = 0.0,
    ) -> None:
        """Add a candidate with the qualities of its predictions and their squares."""
        quality, square = float(values.mean()), float(squares.mean())
        self.candidates.append(candidate)
        self.values.append(values)
        self.squares.append(squares)
        self.leaves.append(leaves)
        self.rows.append(
            {
                "candidate": candidate.name,
                "criterion": candidate.criterion,
                "nominal_splits": candidate.nominal_splits,
                "pruning": candidate.pruning,
                judge.metric: judge.scale * quality,
                "standard_error": abs(judge.scale) * standard_error(quality, square, len(values)),
                "leaves": leaves,
                "depth": depth,
            }
        )


def _cross_validated(
    sample: Table,
    plan: list[Candidate],
    judge: Judge,
    options: dict[str, Any],
    *,
    at_a_time: int,
    deadline: float,
    progress: Progress,
) -> _Tried:
    """Cross-validate candidates, `at_a_time` together, until all are tried or time is up.

    Args:
        sample: rows.
        plan: candidates in the order of trying.
        judge: of the sample.
        options: keywords of `cross_validate`.
        at_a_time: candidates per cross-validation.
        deadline: of `time.monotonic`; the first candidates are tried in any case.
        progress: as in `advise`.
    """
    out = _Tried()
    for constant, answer in judge.constants():
        values = judge.quality(judge.truth, answer)
        out.add(constant, judge, values, values * values)

    def check_time(done: int, total: int) -> None:
        if done < total and time.monotonic() > deadline:
            raise _TimeIsUp

    report = make_report(progress, "candidates")
    for first in range(0, len(plan), at_a_time):
        if report is not None:
            report(first, len(plan))
        batch = plan[first : first + at_a_time]
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
                    scoring=judge.metric,
                    **options,
                    progress=check_time if first else False,
                )
        except _TimeIsUp:
            out.not_tried = [candidate.name for candidate in plan[first:]]
            break
        out.folds = result.folds.description
        for candidate in batch:
            scores = result[candidate.name]
            values, squares = _by_row(result, candidate.name, judge)
            leaves, depth = (float(scores[size].mean()) for size in ("leaves", "depth"))
            out.add(candidate, judge, values, squares, leaves=leaves, depth=depth)
    if report is not None:
        report(len(plan), len(plan))
    return out


def _at_a_time(client: Any, seconds: float, n_candidates: int) -> int:
    """Candidates per cross-validation.

    One without a cluster. On a cluster all of them, so that no worker waits; with a time limit one
    per worker.
    """
    backend = backend_of(client)
    if backend is None:
        return 1
    return n_candidates if seconds == math.inf else min(backend.workers, n_candidates)


def _sample(table: Table, seed: int) -> Table:
    """The rows that candidates are compared on: all, or a random sample."""
    size = rows_compared(len(table))
    if size == len(table):
        return table
    rows = np.random.default_rng(seed).permutation(len(table))[:size]
    return table.take(np.sort(rows))


def _feasible(folds: Any, table: Table) -> Any:
    """The folds, of which there are fewer than ten where there are fewer than ten rows."""
    if isinstance(folds, str) and folds.endswith("x10") and len(table) < 10:
        return f"{folds.split('x')[0]}x{max(2, len(table) // 2)}"
    return folds


def _by_row(result: Any, name: str, judge: Judge) -> tuple[np.ndarray, np.ndarray]:
    """Mean quality of the out-of-fold predictions of each row over the repetitions, and the mean of
    its squares, each of shape (n_rows,)."""
    tested, n_rows = np.asarray(result.folds.test_rows), len(judge.truth)
    values = judge.quality(judge.truth[tested], result[name].predictions)
    times = np.maximum(np.bincount(tested, minlength=n_rows), 1)
    mean, square = (
        np.bincount(tested, weights=weights, minlength=n_rows) / times
        for weights in (values, values * values)
    )
    return mean, square


@dataclass
class _Choice:
    """The recommended tree and what to expect of it."""

    model: Any
    params: dict[str, Any]
    """Empty for a constant."""
    value: float
    """The metric to expect of it."""
    standard_error: float


def _chosen(
    table: Table, whole: Table, tried: _Tried, judge: Judge, *, seed: int, prefer: Prefer
) -> _Choice:
    """Choose among what was tried, fit it on all rows, and mark the choice in ``tried.rows``.

    `whole` is `table` with its unused columns.
    """
    values, squares = np.array(tried.values).T, np.array(tried.squares).T
    leaves, n = np.array(tried.leaves), len(values)
    # A tree that is small enough in the folds may be too large on all rows: then the next one.
    allowed = np.flatnonzero((leaves <= MOST_LEAVES * n) | (leaves == 1.0))
    means = values.mean(axis=0), squares.mean(axis=0)
    while True:
        quality, square = (one[allowed] for one in means)
        place = int(allowed[choose(quality, leaves[allowed], n, square, prefer)])
        candidate = tried.candidates[place]
        model = judge.estimator(**candidate.params, random_state=seed).fit(whole)
        is_constant = candidate.criterion is None
        if is_constant or model.get_n_leaves() <= max(1, MOST_LEAVES * len(table)):
            break
        allowed = allowed[allowed != place]
    # The quality of the choice among what was allowed, and the marks of the table.
    divisions = DIVISIONS if n <= LARGE else DIVISIONS_IF_LARGE
    found, error = corrected_accuracy(
        values[:, allowed],
        leaves[allowed],
        seed,
        divisions,
        squares=squares[:, allowed],
        prefer=prefer,
    )
    near = allowed[good_enough(quality, n, square)]
    for i, row in enumerate(tried.rows):
        row["within_one_se"] = bool(i in near)
        row["chosen"] = i == place
    params = {} if is_constant else candidate.params
    return _Choice(model, params, judge.scale * found, abs(judge.scale) * error)

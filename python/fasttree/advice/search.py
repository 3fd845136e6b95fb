"""`advise`: candidates on shared folds, one after the other or as many at a time as there are
workers, until all are tried or time is up."""

from __future__ import annotations

import math
import time
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._checks import as_float, checked, integer, listing, one_value, shown, string
from .._checks.aliases import CategoricalFeatures, MaybeArray
from ..estimators import FastTreeClassifier
from ..estimators.backends import backend_of
from ..model_selection import cross_validate
from ..rendering.progress import Progress, make_report
from ..table import Table
from ..table.doubtful import quiet
from ..table.traps import code_columns
from .candidates import Candidate, candidates, folds_for, rows_compared
from .honest import choose, corrected_accuracy, standard_error
from .result import Advice
from .screening import screened
from .source import Source

__all__ = ["advise"]


def _listed(name: str, value: Any) -> Any:
    """An array as a list, anything else as it is."""
    return list(value) if getattr(value, "ndim", 0) else value


def _is_unset(value: Any) -> bool:
    """None or an empty list; never an array, whose comparison is an array."""
    return value is None or (isinstance(value, list | tuple) and not value)


MOST_LEAVES = 0.1
"""Largest share of the rows that a recommended tree has leaves."""


@checked(categorical_features=_listed, decimal=one_value, missing=_listed)
def advise(
    X: Any,
    y: MaybeArray = None,
    *,
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

    Identifiers, dates and columns of one value are left out, with the reason; the recommended tree
    takes rows with them, of any type, or without them. Six criteria, three
    prunings and two kinds of nominal splits are cross-validated on the same folds, beside the
    majority class, C4.5 and small unpruned trees. No candidate with more leaves than a tenth of the
    rows is recommended.

    Args:
        X: a frame, an array, a `Table`, or the name of a data set or file.
        y: labels, or the name of the column that holds them.
        time_limit: seconds after which no further candidate is tried, and the one at work is left
            (the list of candidates is fixed by the data; what was not tried is named); None: no
            limit. The first candidate, and the fit of the recommended tree on all rows, are done
            in any case. Without a cut the result depends on the data and the seed alone.
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
        An `Advice`: ``.model`` (fitted on all rows), ``.sentence``, ``.table``, ``.accuracy``
        (corrected for the choice: judged on out-of-fold answers that took no part in it),
        ``.code``, ``.left_out``, ``.not_tried``, ``.to_html(path)``.

    Raises:
        ValueError: no target, fewer than two classes, a target that is no class, or a time limit
            that is no positive number.

    Examples:
        >>> import fasttree
        >>> found = fasttree.advise("iris", time_limit=None, progress=False)
        >>> found.model.get_n_leaves(), round(found.accuracy, 2)
        (4, 0.93)
    """
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
    words = {"decimal": decimal, "missing": missing}
    reading = {word: value for word, value in words.items() if not _is_unset(value)}
    whole, left_out, unlabelled = screened(X, y, tuple(drop), categorical_features, reading)
    table = whole.drop(*whole.unused) if whole.unused else whole
    seed = 0 if random_state is None else integer("random_state", random_state, 0)
    sample = _sample(table, seed)
    folds = folds_for(len(sample)) if isinstance(cv, str) and cv == "auto" else cv
    plan = candidates(table)
    tried = _tried(
        sample,
        plan,
        {"cv": _possible(folds, sample), "random_state": seed, "n_jobs": n_jobs, "client": client},
        together=_together(client, seconds, len(plan)),
        deadline=started + seconds,
        progress=progress,
    )
    return _recommended(
        table,
        whole,
        tried,
        plan,
        seed=seed,
        about={
            "left_out": left_out,
            "unlabelled": unlabelled,
            "codes": code_columns(table),
            "not_tried": tried.not_tried,
            "compared": len(sample),
            "folds": tried.folds,
            "source": Source.of(X, reading, categorical_features),
            "dropped": drop,
            "started": started,
        },
    )


class _TimeIsUp(Exception):
    """Leaves a cross-validation at the end of the time."""


@dataclass
class _Tried:
    """What cross-validation says of the majority class and of the candidates after it."""

    rows: list[dict[str, Any]]
    right: list[np.ndarray]
    """Of each: share of repetitions in which a row's answer is right, shape (n_rows,)."""
    leaves: list[float]
    not_tried: list[str]
    folds: str = ""


def _tried(
    sample: Table,
    plan: list[Candidate],
    how: dict[str, Any],
    *,
    together: int,
    deadline: float,
    progress: Progress,
) -> _Tried:
    """Cross-validate candidates, so many `together`, until all are tried or time is up."""
    out = _Tried([_majority(sample)], [_majority_right(sample)], [1.0], [])

    def leave(done: int, total: int) -> None:
        if done < total and time.monotonic() > deadline:
            raise _TimeIsUp

    report = make_report(progress, "candidates")
    for place in range(0, len(plan), together):
        if report is not None:
            report(place, len(plan))
        some = plan[place : place + together]
        seed = how["random_state"]
        trees = {c.name: FastTreeClassifier(**c.params, random_state=seed) for c in some}
        try:
            if place:
                leave(0, 1)
            with quiet() if place else nullcontext():  # the first says it for all
                result = cross_validate(
                    sample, estimators=trees, **how, progress=leave if place else False
                )
        except _TimeIsUp:
            out.not_tried = [c.name for c in plan[place:]]
            break
        out.folds = result.folds.description
        for one in some:
            scores = result[one.name]
            out.right.append(_right(result, one.name, len(sample)))
            out.leaves.append(float(scores["leaves"].mean()))
            depth = float(scores["depth"].mean())
            out.rows.append(_row(one, out.right[-1], out.leaves[-1], depth))
    if report is not None:
        report(len(plan), len(plan))
    return out


def _together(client: Any, seconds: float, count: int) -> int:
    """Candidates whose folds are one stream of units: all, or as many as there are workers where
    the time is limited; one after the other where nobody asked for workers."""
    backend = backend_of(client)
    if backend is None:
        return 1
    return count if seconds == math.inf else min(backend.workers, count)


def _sample(table: Table, seed: int) -> Table:
    """The rows that candidates are compared on: all, or a seeded sample."""
    size = rows_compared(len(table))
    if size == len(table):
        return table
    rows = np.random.default_rng(seed).permutation(len(table))[:size]
    return table.take(np.sort(rows))


def _possible(folds: Any, table: Table) -> Any:
    """As many folds as there are rows for, where fewer than ten rows are given."""
    if isinstance(folds, str) and folds.endswith("x10") and len(table) < 10:
        return f"{folds.split('x')[0]}x{max(2, len(table) // 2)}"
    return folds


def _majority(table: Table) -> dict[str, Any]:
    share = float(np.bincount(table.y_codes).max()) / len(table)
    return {
        "candidate": "majority class",
        "criterion": None,
        "nominal_splits": None,
        "pruning": None,
        "accuracy": share,
        "standard_error": standard_error(share, len(table)),
        "leaves": 1.0,
        "depth": 0.0,
    }


def _majority_right(table: Table) -> np.ndarray:
    codes = table.y_codes
    return np.asarray(codes == np.bincount(codes).argmax(), dtype=np.float64)


def _right(result: Any, name: str, n_rows: int) -> np.ndarray:
    """Share of repetitions in which each row's answer is right, shape (n_rows,)."""
    tested = np.asarray(result.folds.test_rows)
    hits = (result[name].predictions == result.true_codes).astype(np.float64)
    times = np.bincount(tested, minlength=n_rows)
    return np.bincount(tested, weights=hits, minlength=n_rows) / np.maximum(times, 1)


def _row(one: Candidate, right: np.ndarray, leaves: float, depth: float) -> dict[str, Any]:
    accuracy = float(right.mean())
    return {
        "candidate": one.name,
        "criterion": one.criterion,
        "nominal_splits": one.nominal_splits,
        "pruning": one.pruning,
        "accuracy": accuracy,
        "standard_error": standard_error(accuracy, len(right)),
        "leaves": leaves,
        "depth": depth,
    }


def _recommended(
    table: Table,
    whole: Table,
    tried: _Tried,
    plan: list[Candidate],
    *,
    seed: int,
    about: dict[str, Any],
) -> Advice:
    """Choose, fit on all rows of `whole` (`table` with its unused columns), and correct the
    accuracy for the choice."""
    rows, right, leaves = tried.rows, np.array(tried.right).T, np.array(tried.leaves)
    n = len(right)
    allowed = np.flatnonzero((leaves <= MOST_LEAVES * n) | (leaves == 1.0))
    while True:
        place = int(allowed[choose(right[:, allowed].mean(axis=0), leaves[allowed], n)])
        one = plan[place - 1] if place else None
        params = {"max_leaf_nodes": 2, "min_score": 1e300} if one is None else one.params
        model = FastTreeClassifier(**params, random_state=seed).fit(whole)
        if one is None or model.get_n_leaves() <= max(1, MOST_LEAVES * len(table)):
            break
        allowed = allowed[allowed != place]
    expected, error = corrected_accuracy(
        right[:, allowed], leaves[allowed], seed, 20 if n <= 50_000 else 5
    )
    best = float(right[:, allowed].mean(axis=0).max())
    for i, row in enumerate(rows):
        row["within_one_se"] = bool(
            i in allowed and row["accuracy"] >= best - standard_error(best, n) - 1e-12
        )
        row["chosen"] = i == place
    return Advice(
        model=model,
        params={} if one is None else params,
        rows=rows,
        accuracy=expected,
        standard_error=error,
        table=table,
        **about,
    )

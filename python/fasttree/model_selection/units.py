"""Units of work: a cross-validation in pieces that run anywhere, in any order.

What
    A `Task` is one data set with its methods and folds. `plan_units` divides it into units, each a
    group of methods on a block of consecutive folds; `run_unit` computes one, in any process;
    `gathered` puts the outcomes together. `grid` calls these. A tree depends on its fold only, so
    the outcome is that of one call to the bit (but for `seconds`, which are measured).
Sizes
    A unit takes about a second. With a journal, a killed run loses the units that were running, so
    there the first fold of each method is measured (`first_units`), and the rest is planned by its
    time (`rest_units`). Without a journal a rough cost model plans all units (`_seconds`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .._checks.progress import Report
from ..metrics.labels import PROBABILITY_TOLERANCE
from .folds import Folds
from .run import REFUSALS, SIZES, Data, Method, Runs, is_ours, named_error, run_methods

__all__ = [
    "REFUSALS",
    "Outcome",
    "Task",
    "Unit",
    "check_runs",
    "covers",
    "first_units",
    "gathered",
    "local_units",
    "named_error",
    "plan_units",
    "rest_units",
    "run_unit",
]

TARGET, SHORTEST = 1.0, 0.1
"""Seconds of a unit: the aim, and the least where little work is divided among many workers."""
UNITS_PER_WORKER = 8
"""Units per worker that little work is divided into, so that all workers end at about one time."""
SAFETY = 50.0
"""Factor by which the rough cost model may be too low."""
TABLE_RATE, PAIR_RATE, PYTHON_FIT = 1e-8, 2e-10, 2e-3
"""Seconds per row, feature and log2(rows) of a tree by tables, per row^2 and feature of one by
pairs of rows, and per fit of another classifier; measured on one core."""


class Unit(NamedTuple):
    """Methods on consecutive folds."""

    places: tuple[int, ...]
    """Positions of the methods in the task."""
    start: int
    """The first fold."""
    stop: int
    """The fold after the last."""


class _PackedFolds:
    """Fold indices as they are sent to a worker: in 32 bits, and without the training rows where
    these are all rows but the test rows."""

    def __init__(self, pairs: list[Any], n_rows: int) -> None:
        self.n_rows = n_rows
        self.folds = []
        for train, test in pairs:
            rest = self._others(test) if len(train) + len(test) == n_rows else None
            same = rest is not None and np.array_equal(rest, train)
            self.folds.append((None if same else train.astype(np.int32), test.astype(np.int32)))

    def _others(self, test: np.ndarray) -> np.ndarray:
        left = np.ones(self.n_rows, dtype=bool)
        left[test] = False
        return np.flatnonzero(left)

    def pairs(self) -> list[Any]:
        """The folds as they were."""
        return [
            (
                self._others(test) if train is None else train.astype(np.int64),
                test.astype(np.int64),
            )
            for train, test in self.folds
        ]


@dataclass
class Task:
    """The cross-validation of one data set; arguments as in `run_methods`."""

    methods: list[Method]
    data: Data
    folds: Folds
    want: str | None
    outside: dict[str, Any]
    settings: dict[str, Any] = field(default_factory=dict)
    """What a journal compares besides methods, folds and data."""
    n_jobs: Any = None
    memory_limit: int | None = None

    def __getstate__(self) -> dict[str, Any]:
        """State for a worker: without settings and views of the rows, folds packed, one thread."""
        state = {**self.__dict__, "settings": {}, "n_jobs": 1}
        state["folds"] = _PackedFolds(self.folds.pairs, len(self.data.target))
        data = self.data
        state["data"] = Data(data.X, data.labels, data.table, data.classes, data.target, data.task)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.folds = Folds.of(state["folds"].pairs())


@dataclass
class Outcome:
    """The outcome of a unit."""

    places: tuple[int, ...]
    """Positions of the methods that apply."""
    runs: Runs | None
    """Their output; None if no method applies."""
    errors: dict[int, Exception] = field(default_factory=dict)
    """Errors of the other methods, by position."""


def run_unit(
    task: Task, unit: Unit, on_error: str = "skip", report: Report | None = None
) -> Outcome:
    """Run the methods of a unit on its folds; a method that does not apply is left out, and with
    ``on_error="raise"`` ends the search for others."""
    folds = task.folds.part(unit.start, unit.stop)

    def run(places: tuple[int, ...], report: Report | None = None) -> Runs:
        return run_methods(
            [task.methods[place] for place in places],
            task.data,
            folds,
            n_jobs=task.n_jobs,
            report=report,
            want=task.want,
            outside=task.outside,
            memory_limit=task.memory_limit,
        )

    # All methods in one call; if that is refused, each alone, to find out which do not apply.
    try:
        return Outcome(unit.places, run(unit.places, report))
    except REFUSALS as error:
        if len(unit.places) == 1:
            return Outcome((), None, {unit.places[0]: error})
    kept: list[int] = []
    errors: dict[int, Exception] = {}
    for place in unit.places:
        try:
            run((place,))
        except REFUSALS as error:
            errors[place] = error
            if on_error == "raise":
                return Outcome((), None, errors)
        else:
            kept.append(place)
    return Outcome(tuple(kept), run(tuple(kept), report) if kept else None, errors)


# -- the plan -------------------------------------------------------------------------------------


def _seconds(task: Task, method: Method) -> float:
    """A rough estimate of the time of one fold."""
    from ..criteria import evidence_of

    n = float(task.folds.train_sizes.mean())
    p = task.data.table.n_features if task.data.table is not None else _width(task.data.X)
    # Criteria on pairs or neighbours of rows are quadratic, all others are not.
    estimator = method.estimator
    criterion = getattr(estimator, "criterion", None)
    try:
        kind = evidence_of(criterion) if method.config is not None else None
    except REFUSALS:
        kind = None
    if kind in ("pairs", "neighbours", "rows"):
        return PAIR_RATE * n * n * p
    trees = getattr(estimator, "n_estimators", 1)
    trees = trees if isinstance(trees, int) and trees > 0 else 1
    fit = TABLE_RATE * n * p * np.log2(n + 2) * trees
    return float(fit if method.config is not None else PYTHON_FIT + fit)


def _width(X: Any) -> int:
    """Number of features, or 10 where it is not known."""
    shape = getattr(X, "shape", None)
    return int(shape[1]) if shape is not None and len(shape) > 1 else 10


def _groups(task: Task) -> list[tuple[int, ...]]:
    """Positions of methods that run in one call: trees of one Table together, others alone."""
    together: dict[int, list[int]] = {}
    alone = []
    for place, method in enumerate(task.methods):
        if method.config is not None and not task.outside:
            table = task.data.table if method.table is None else method.table
            together.setdefault(id(table), []).append(place)
        else:
            alone.append((place,))
    return [*map(tuple, together.values()), *alone]


def plan_units(tasks: list[Task], workers: int = 1) -> list[list[Unit]]:
    """The units of every task.

    Args:
        tasks: cross-validations.
        workers: number of workers that share the units.
    """
    # Seconds per fold of each group of methods, and of all work.
    costs = [
        [(group, sum(_seconds(task, task.methods[i]) for i in group)) for group in _groups(task)]
        for task in tasks
    ]
    whole = sum(
        cost * len(task.folds.pairs)
        for task, groups in zip(tasks, costs, strict=True)
        for _, cost in groups
    )
    target = TARGET
    if workers > 1:
        target = max(SHORTEST, min(TARGET, whole / (workers * UNITS_PER_WORKER)))
    return [
        [
            unit
            for group, cost in groups
            for unit in _blocks(group, task.folds, max(1, int(target / max(cost, 1e-9))))
        ]
        for task, groups in zip(tasks, costs, strict=True)
    ]


def local_units(task: Task, on_interrupt: str) -> list[Unit]:
    """The units of a task in this process: all methods on all folds at once, or with
    ``on_interrupt="return"`` on the folds of a repetition (on one fold where there is one)."""
    n, size = len(task.folds.pairs), task.folds.n_splits if task.folds.n_repeats > 1 else 1
    step, places = size if on_interrupt == "return" else n, tuple(range(len(task.methods)))
    return [Unit(places, at, at + step) for at in range(0, n, step)]


def first_units(task: Task) -> list[Unit]:
    """The units of a task that are run before the others are planned.

    They are the first fold of each method alone. Methods that are fast even by a pessimistic
    estimate are one unit of all folds.
    """
    n_folds = len(task.folds.pairs)
    found = []
    for group in _groups(task):
        guess = SAFETY * n_folds * sum(_seconds(task, task.methods[place]) for place in group)
        found += (
            [Unit(group, 0, n_folds)]
            if n_folds == 1 or guess <= TARGET
            else [Unit((place,), 0, 1) for place in group]
        )
    return found


def units_from(task: Task, begin: int) -> list[Unit]:
    """The first units of the methods from position `begin` on."""
    own = (
        unit._replace(places=tuple(place for place in unit.places if place >= begin))
        for unit in first_units(task)
    )
    return [unit for unit in own if unit.places]


def rest_units(task: Task, units: list[Unit], outcomes: dict[int, Outcome]) -> list[Unit]:
    """The other units of a task, planned by the times of its first units.

    The other folds of a method that did not apply to its first fold are one unit.
    """
    # Seconds per fold of each method of which the first fold alone is planned.
    n_folds = len(task.folds.pairs)
    planned = {place: unit.stop for unit in units for place in unit.places}
    took: dict[int, float] = {}
    for number, unit in enumerate(units):
        one = outcomes[number]
        if planned[unit.places[0]] < n_folds:
            took |= dict.fromkeys(one.errors, math.inf)
            if one.runs is not None:
                took |= zip(one.places, one.runs.folds["seconds"][:, 0].tolist(), strict=True)
    # Methods in groups, and their folds in blocks, of about the target time.
    found = []
    for group in _groups(task):
        for places in _filled([place for place in group if place in took], took):
            cost = sum(took[place] for place in places)
            size = max(1, int(min(n_folds, TARGET / max(cost, 1e-9))))
            if cost == math.inf:
                size = n_folds
            found += _blocks(places, task.folds, size, 1)
    return found


def _filled(places: list[int], took: dict[int, float]) -> list[tuple[int, ...]]:
    """Positions of methods in groups of which one fold takes at most the target time."""
    groups: list[list[int]] = []
    sums = 0.0
    for place in places:
        if not groups or sums + took[place] > TARGET:
            groups.append([])
            sums = 0.0
        groups[-1].append(place)
        sums += took[place]
    return [tuple(group) for group in groups]


def covers(task: Task, units: list[Unit]) -> bool:
    """Whether the units are all units of a task, so that nothing is left to plan."""
    fits = sum(len(unit.places) * (unit.stop - unit.start) for unit in units)
    return fits == len(task.methods) * len(task.folds.pairs)


def _blocks(group: tuple[int, ...], folds: Folds, size: int, begin: int = 0) -> list[Unit]:
    """Blocks of whole repetitions, or of folds of one repetition, from the fold `begin` on."""
    n, k = len(folds.pairs), folds.n_splits
    if size >= k:
        size -= size % k
        units = [Unit(group, at, min(n, at + size)) for at in range(0, n, size)]
    else:
        units = [
            Unit(group, first + at, first + min(k, at + size))
            for first in range(0, n, k)
            for at in range(0, k, size)
        ]
    return [unit._replace(start=max(begin, unit.start)) for unit in units if unit.stop > begin]


def check_runs(task: Task, unit: Unit, outcome: Outcome) -> None:
    """Refuse output, read from a journal, that no run of the unit can have.

    Raises:
        ValueError: a class that the task does not have or that the method never predicts, a
            number that is not finite, probabilities, sizes or seconds outside their range.
    """
    runs = outcome.runs
    if runs is None:
        return
    for own, place in enumerate(outcome.places):
        if task.data.task == "regression":
            if not np.isfinite(runs.predictions[own]).all():
                raise ValueError("a prediction is no finite number")
        else:
            _check_classes(task, runs, own, place)
        sizes = [f"sizes {name}" for name in SIZES if task.methods[place].config]
        found = [runs.folds[name][own] for name in (*sizes, "seconds")]
        if not all(np.isfinite(v).all() and (v >= 0).all() for v in found):
            raise ValueError("a size or a time is no number from 0 up")


def _check_classes(task: Task, runs: Runs, own: int, place: int) -> None:
    """Refuse impossible classes and probabilities of the method at `place`, which is `own` in the
    output."""
    # Our trees leave rows unclassified only if they are told to.
    estimator = task.methods[place].estimator
    ours = is_ours(estimator)
    classifies_all = ours and getattr(estimator, "empty_branch", "") != "unclassified"
    codes = runs.predictions[own]
    if codes.max(initial=0) >= len(task.data.classes) or codes.min(initial=0) < -1:
        raise ValueError("a prediction is none of the classes")
    if classifies_all and codes.min(initial=0) < 0:
        raise ValueError("a row is unclassified by a method that classifies all")
    if task.want is not None:
        _check_shares(runs.rows["proba"][own], codes, task.want, ours)


def _check_shares(shares: np.ndarray, codes: np.ndarray, want: str | None, ours: bool) -> None:
    """Refuse impossible probabilities of one method.

    Scores of other classifiers may be any numbers; a classifier without probabilities has NaN in
    all cells.
    """
    is_nan = np.isnan(shares)
    if is_nan.any() and (ours or want != "if possible" or not is_nan.all()):
        raise ValueError("a probability is NaN")
    if ours:
        sums = shares.sum(axis=1)
        wanted = np.where((codes < 0) & (sums == 0), 0.0, 1.0)
        if (np.abs(sums - wanted) > PROBABILITY_TOLERANCE).any() or shares.min(initial=0) < 0:
            raise ValueError("probabilities of a row do not sum to 1")


# -- putting together -----------------------------------------------------------------------------


def finished_folds(task: Task, units: list[Unit], outcomes: dict[int, Outcome]) -> int:
    """Number of leading folds that every method has finished, in whole repetitions where there are
    several."""
    n = min((u.start for i, u in enumerate(units) if i not in outcomes), default=-1)
    if n < 0 and covers(task, units):
        return len(task.folds.pairs)
    if n < 0:  # the first units alone
        n = min(unit.stop for unit in units)
    return n - n % task.folds.n_splits if task.folds.n_repeats > 1 else n


def gathered(
    task: Task, units: list[Unit], outcomes: dict[int, Outcome], n_folds: int
) -> tuple[list[int], Runs]:
    """Positions of the methods that apply to all folds, and their output on the first `n_folds`."""
    if len(units) == 1 and outcomes[0].runs is not None:
        return list(outcomes[0].places), outcomes[0].runs
    refused = {place for one in outcomes.values() for place in one.errors}
    kept = [place for place in range(len(task.methods)) if place not in refused]
    whole = Runs.empty(
        len(kept),
        task.folds.part(0, n_folds),
        task.data,
        proba=task.want is not None,
        scored=task.outside,
    )
    # Each unit fills a block of folds, and their test rows, of its methods.
    ends = np.append(task.folds.starts, task.folds.test_sizes.sum())
    for number, one in outcomes.items():
        unit = units[number]
        stop = min(unit.stop, n_folds)
        if one.runs is None or unit.start >= stop:
            continue
        blocks = (
            (whole.rows, one.runs.rows, slice(ends[unit.start], ends[stop])),
            (whole.folds, one.runs.folds, slice(unit.start, stop)),
        )
        for own, place in enumerate(one.places):
            for into, found, block in blocks if place in kept else ():
                for name, values in into.items():
                    part = found[name][own, : block.stop - block.start]
                    values[kept.index(place), block] = part
    return kept, whole

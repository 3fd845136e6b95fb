"""One plan of units: a cross-validation in pieces that run anywhere, in any order, and are kept.

What
    A `Task` is one data set with its methods and folds. `plan_units` divides it into units, a group
    of methods on a block of consecutive folds each; `run_unit` computes one, wherever that is;
    `gathered` puts the outcomes together. The engine's trees depend on their fold alone, so the
    pieces are what one call gives, to the bit (`seconds` apart, which are measured).
Sizes
    A unit takes about a second. A kill loses the units that run, so with a journal the first fold
    of each method is measured (`first_units`), and the rest is planned by that (`rest_units`).
    Without a journal a rough cost model plans all. Table criteria take 10 ns x rows x features x
    log2(rows), pair criteria 0.2 ns x rows^2 x features, other estimators 2 ms and the first rate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..metrics.labels import PROBABILITY_TOLERANCE
from .folds import Folds
from .run import SIZES, Data, Method, Runs, is_ours, run_methods

__all__ = [
    "REFUSALS",
    "Outcome",
    "Task",
    "Unit",
    "check_runs",
    "covers",
    "first_units",
    "gathered",
    "plan_units",
    "rest_units",
    "run_unit",
]

REFUSALS = (ValueError, TypeError, NotImplementedError)
"""Errors that say that a method does not apply."""

TARGET, SHORTEST = 1.0, 0.1
"""Seconds of a unit: aimed at, and at least when many workers share little work."""
ROUNDS = 8
"""Units a worker that little work is divided into."""
DOUBT = 50.0
"""How many times the rough cost model may be too low."""


class Unit(NamedTuple):
    """Places of methods, and the first fold and the one after the last."""

    places: tuple[int, ...]
    start: int
    stop: int


class _PackedFolds:
    """Fold indices for the way: 32 bits each, and the test rows alone where the training rows are
    all others."""

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
    """One data set, ready to be cross-validated; `want` and `outside` as in `run_methods`."""

    methods: list[Method]
    data: Data
    folds: Folds
    want: str | None
    outside: dict[str, Any]
    settings: dict[str, Any] = field(default_factory=dict)
    n_jobs: Any = None
    memory_limit: int | None = None

    def __getstate__(self) -> dict[str, Any]:
        """What travels: no settings, no views of the rows, folds packed, one thread per unit."""
        state = {**self.__dict__, "settings": {}, "n_jobs": 1}
        state["folds"] = _PackedFolds(self.folds.pairs, len(self.data.codes))
        data = self.data
        state["data"] = Data(data.X, data.labels, data.table, data.classes, data.codes)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.folds = Folds.of(state["folds"].pairs())


@dataclass
class Outcome:
    """What a unit found: the output of the methods at `places`, and why the others do not
    apply."""

    places: tuple[int, ...]
    runs: Runs | None
    errors: dict[int, Exception] = field(default_factory=dict)


def run_unit(task: Task, unit: Unit) -> Outcome:
    """Fit and ask the methods of a unit on its folds; a method that does not apply is left out."""
    folds = task.folds.part(unit.start, unit.stop)
    how: dict[str, Any] = {"want": task.want, "outside": task.outside, "report": None}

    def run(places: tuple[int, ...]) -> Runs:
        methods = [task.methods[place] for place in places]
        return run_methods(
            methods, task.data, folds, n_jobs=task.n_jobs, memory_limit=task.memory_limit, **how
        )

    try:
        return Outcome(unit.places, run(unit.places))
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
        else:
            kept.append(place)
    return Outcome(tuple(kept), run(tuple(kept)) if kept else None, errors)


# -- the plan -------------------------------------------------------------------------------------


def _seconds(task: Task, method: Method) -> float:
    """A rough guess of the time of one fold."""
    from ..criteria import evidence_of

    n = float(task.folds.train_sizes.mean())
    p = task.data.table.n_features if task.data.table is not None else _width(task.data.X)
    estimator = method.estimator
    criterion = getattr(estimator, "criterion", None)
    try:
        kind = evidence_of(criterion) if method.config is not None else None
    except REFUSALS:
        kind = None
    if kind is not None and kind != "table":
        return 2e-10 * n * n * p
    trees = getattr(estimator, "n_estimators", 1)
    trees = trees if isinstance(trees, int) and trees > 0 else 1
    fit = 1e-8 * n * p * np.log2(n + 2) * trees
    return float(fit if method.config is not None else 2e-3 + fit)


def _width(X: Any) -> int:
    shape = getattr(X, "shape", None)
    return int(shape[1]) if shape is not None and len(shape) > 1 else 10


def _groups(task: Task) -> list[tuple[int, ...]]:
    """Methods that gain from one call: the engine's trees on one Table; others alone."""
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
    """The units of every task, for about so many workers; blocks longer than a repetition are whole
    repetitions."""
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
        target = max(SHORTEST, min(TARGET, whole / (workers * ROUNDS)))
    return [
        [
            unit
            for group, cost in groups
            for unit in _blocks(group, task.folds, max(1, int(target / max(cost, 1e-9))))
        ]
        for task, groups in zip(tasks, costs, strict=True)
    ]


def first_units(task: Task) -> list[Unit]:
    """The units of a task that are run before the others are planned.

    They are the first fold of each method by itself. Methods whose time is short even by a
    pessimistic guess are one unit of all folds.
    """
    n_folds = len(task.folds.pairs)
    found = []
    for group in _groups(task):
        guess = DOUBT * n_folds * sum(_seconds(task, task.methods[place]) for place in group)
        found += (
            [Unit(group, 0, n_folds)]
            if n_folds == 1 or guess <= TARGET
            else [Unit((place,), 0, 1) for place in group]
        )
    return found


def rest_units(task: Task, units: list[Unit], outcomes: dict[int, Outcome]) -> list[Unit]:
    """The other units of a task, by the time that its first ones took.

    A method that its first unit refused is one unit.
    """
    n_folds = len(task.folds.pairs)
    took: dict[int, float] = {}
    for number, unit in enumerate(units):
        one = outcomes[number]
        if unit.stop < n_folds:
            took |= dict.fromkeys(one.errors, math.inf)
        if unit.stop < n_folds and one.runs is not None:
            took |= zip(one.places, one.runs.seconds[:, 0].tolist(), strict=True)
    found = []
    for group in _groups(task):
        for places in _packed([place for place in group if place in took], took):
            cost = sum(took[place] for place in places)
            size = max(1, int(min(n_folds, TARGET / max(cost, 1e-9))))
            if cost == math.inf:
                size = n_folds
            found += _blocks(places, task.folds, size, 1)
    return found


def _packed(places: list[int], took: dict[int, float]) -> list[tuple[int, ...]]:
    """Places in groups whose folds take up to a unit's time each."""
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
    """Whether the units are all of a task, so that nothing is left to plan."""
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
    """Refuse output that no run of the unit gives.

    Raises:
        ValueError: a class that the task does not have or that the method never answers,
            probabilities that are none, sizes or seconds that are no numbers.
    """
    runs = outcome.runs
    for own, place in enumerate(outcome.places if runs is not None else ()):
        assert runs is not None
        estimator = task.methods[place].estimator
        ours = is_ours(estimator)
        answers = ours and getattr(estimator, "empty_branch", "") != "unclassified"
        codes = runs.predictions[own]
        if codes.max(initial=0) >= len(task.data.classes) or codes.min(initial=0) < -1:
            raise ValueError("a prediction is none of the classes")
        if answers and codes.min(initial=0) < 0:
            raise ValueError("a row is unclassified by a method that classifies all")
        if runs.proba is not None:
            _check_shares(runs.proba[own], codes, task.want, ours)
        sizes = [values[own] for values in runs.sizes.values() if task.methods[place].config]
        if not all(np.isfinite(v).all() and (v >= 0).all() for v in [*sizes, runs.seconds[own]]):
            raise ValueError("a size or a time is no number from 0 up")


def _check_shares(shares: np.ndarray, codes: np.ndarray, want: str | None, ours: bool) -> None:
    """Refuse probabilities that are none; scores of other classifiers may be any numbers, and of
    one without probabilities all are NaN."""
    gone = np.isnan(shares)
    if gone.any() and (ours or want != "if possible" or not gone.all()):
        raise ValueError("a probability is NaN")
    if ours:
        sums = shares.sum(axis=1)
        wanted = np.where((codes < 0) & (sums == 0), 0.0, 1.0)
        if (np.abs(sums - wanted) > PROBABILITY_TOLERANCE).any() or shares.min(initial=0) < 0:
            raise ValueError("probabilities of a row do not sum to 1")


# -- putting together -----------------------------------------------------------------------------


def finished_folds(task: Task, units: list[Unit], outcomes: dict[int, Outcome]) -> int:
    """Folds from the first on that every method has finished; whole repetitions where there are
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
    """The methods that apply everywhere, and their output on the first `n_folds` folds."""
    refused = {place for one in outcomes.values() for place in one.errors}
    kept = [place for place in range(len(task.methods)) if place not in refused]
    folds = task.folds.part(0, n_folds)
    shape, total = (len(kept), n_folds), len(folds.test_rows)
    proba = None
    if task.want is not None:
        proba = np.empty((len(kept), total, len(task.data.classes)))
    whole = Runs(
        np.empty((len(kept), total), dtype=np.int32),
        proba,
        {name: np.full(shape, np.nan) for name in SIZES},
        np.zeros(shape),
        {name: np.full(shape, np.nan) for name in task.outside},
    )
    ends = np.append(task.folds.starts, task.folds.test_sizes.sum())
    for number, one in outcomes.items():
        unit = units[number]
        stop = min(unit.stop, n_folds)
        if one.runs is None or unit.start >= stop:
            continue
        rows = slice(ends[unit.start], ends[stop])
        tested, block = rows.stop - rows.start, slice(unit.start, stop)
        for own, place in enumerate(one.places):
            if place in refused:
                continue
            at = kept.index(place)
            whole.predictions[at, rows] = one.runs.predictions[own, :tested]
            if whole.proba is not None and one.runs.proba is not None:
                whole.proba[at, rows] = one.runs.proba[own, :tested]
            for name in SIZES:
                whole.sizes[name][at, block] = one.runs.sizes[name][own, : stop - unit.start]
            whole.seconds[at, block] = one.runs.seconds[own, : stop - unit.start]
            for name in task.outside:
                whole.scored[name][at, block] = one.runs.scored[name][own, : stop - unit.start]
    return kept, whole

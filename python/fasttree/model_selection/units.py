"""Units of work: the pieces of a cross-validation, which may run in any order and process.

What
    `plan_units` divides the remaining fits of tasks into units, each a group of methods on a block
    of consecutive folds; `run_unit` computes one, in any process; `gather_outputs` puts the
    outcomes together. `execution` calls these. A tree depends on its fold only, so the outcome
    equals the outcome of one call to the bit, except for `seconds`, which are measured.
Sizes
    A unit takes about a second. With a journal, a killed run loses the units that were running, so
    there the first fold of each method is measured, and the rest is planned by its time. Without a
    journal a rough cost model plans all units (`_seconds`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .._checks.progress import Report
from .fits import REFUSALS, FoldOutputs, Method, ValidationTask, fit_methods

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
    """A group of methods on a block of consecutive folds: the part of a task that one worker
    computes in one call."""

    places: tuple[int, ...]
    """Positions of the methods in the task."""
    start: int
    """The first fold."""
    stop: int
    """The fold after the last."""

    @property
    def size(self) -> int:
        """Number of fits, one per method and fold, by which progress is counted."""
        return len(self.places) * (self.stop - self.start)


@dataclass
class Outcome:
    """The outcome of a unit: the output of its methods, or their errors. It travels from the
    workers and into the journal."""

    unit: Unit
    outputs: FoldOutputs | None
    """Output of the methods that apply; None if none does."""
    errors: dict[int, Exception] = field(default_factory=dict)
    """Errors of the other methods, by position."""

    @property
    def places(self) -> tuple[int, ...]:
        """Positions in the task of the methods that apply, in the order of the unit; the output has
        one entry for each."""
        return tuple(place for place in self.unit.places if place not in self.errors)


def run_unit(
    task: ValidationTask, unit: Unit, on_error: str = "skip", report: Report | None = None
) -> Outcome:
    """Run the methods of a unit on its folds.

    A method that does not apply is left out; with ``on_error="raise"`` the other methods are then
    not tried.
    """
    folds = task.folds.part(unit.start, unit.stop)

    def run(places: tuple[int, ...], report: Report | None = None) -> FoldOutputs:
        return fit_methods(task, [task.methods[place] for place in places], folds, report)

    # All methods in one call; if that is refused, each alone, to find out which do not apply.
    try:
        return Outcome(unit, run(unit.places, report))
    except REFUSALS as error:
        if len(unit.places) == 1:
            return Outcome(unit, None, {unit.places[0]: error})
    outcome = Outcome(unit, None)
    for place in unit.places:
        try:
            run((place,))
        except REFUSALS as error:
            outcome.errors[place] = error
            if on_error == "raise":
                return outcome
    outcome.outputs = run(outcome.places, report) if outcome.places else None
    return outcome


# -- the plan -------------------------------------------------------------------------------------


def _seconds(task: ValidationTask, method: Method) -> float:
    """A rough estimate of the seconds that a method takes for one fold."""
    from ..criteria import evidence_of

    n, estimator = float(task.folds.train_sizes.mean()), method.estimator
    shape: Any = getattr(task.data.X if task.data.table is None else task.data.table, "shape", ())
    p = int(shape[1]) if len(shape) > 1 else 10  # of other rows the width is not known
    # Criteria on pairs or neighbours of rows are quadratic, all others are not.
    is_tree = method.config is not None
    if is_tree and evidence_of(estimator.criterion) in ("pairs", "neighbours", "rows"):
        return PAIR_RATE * n * n * p
    trees = getattr(estimator, "n_estimators", 1)
    trees = trees if isinstance(trees, int) and trees > 0 else 1
    return float((not is_tree) * PYTHON_FIT + TABLE_RATE * n * p * np.log2(n + 2) * trees)


def is_left(task: ValidationTask, outcomes: list[Outcome]) -> np.ndarray:
    """Which methods are still to be run on which folds, bool, shape (methods, folds). Nothing is
    left of a method that did not apply to some fold."""
    left = np.ones((len(task.methods), len(task.folds.pairs)), dtype=bool)
    for outcome in outcomes:
        left[list(outcome.unit.places), outcome.unit.start : outcome.unit.stop] = False
        left[list(outcome.errors)] = False
    return left


def plan_units(
    tasks: list[ValidationTask],
    outcomes: list[list[Outcome]],
    workers: int = 1,
    *,
    by_first_folds: bool = False,
) -> list[list[Unit]]:
    """The units that are left of every task.

    Args:
        tasks: cross-validations.
        outcomes: the finished units of each.
        workers: number of workers that share the units.
        by_first_folds: the first fold of each method is a unit of its own, after which the others
            are planned by the time that it took. Methods that are fast even by a pessimistic
            estimate are one unit of all folds.
    """
    target = TARGET
    if workers > 1 and not by_first_folds:
        each = [sum(_seconds(task, one) for one in task.methods) for task in tasks]
        whole = sum(cost * len(t.folds.pairs) for cost, t in zip(each, tasks, strict=True))
        target = max(SHORTEST, min(TARGET, whole / (workers * UNITS_PER_WORKER)))
    return [
        _planned(task, known, target, by_first_folds)
        for task, known in zip(tasks, outcomes, strict=True)
    ]


def _planned(
    task: ValidationTask, outcomes: list[Outcome], target: float, by_first_folds: bool
) -> list[Unit]:
    """The units of about `target` seconds that are left of a task."""
    left, n_folds = is_left(task, outcomes), len(task.folds.pairs)
    # Methods that run in one call, on the same folds: trees of one Table together, others alone.
    groups: dict[Any, list[int]] = {}
    for place in np.flatnonzero(left.any(axis=1)).tolist():
        method = task.methods[place]
        shared = (True, id(task.table_of(method))) if task.is_fast(method) else (False, place)
        groups.setdefault((*shared, left[place].tobytes()), []).append(place)
    units: list[Unit] = []
    for places in groups.values():
        cost = {place: _seconds(task, task.methods[place]) for place in places}
        is_slow = n_folds > 1 and SAFETY * n_folds * sum(cost.values()) > TARGET
        if by_first_folds and is_slow and left[places].all():
            units += [Unit((place,), 0, 1) for place in places]
            continue
        if by_first_folds:
            for one in outcomes:
                if one.outputs is not None:
                    cost |= zip(one.places, one.outputs.folds["seconds"].mean(axis=1), strict=True)
        for part in _filled(places, cost) if by_first_folds else [places]:
            size = max(1, int(target / max(sum(cost[place] for place in part), 1e-9)))
            units += _blocks(tuple(part), left[part[0]], task.folds.n_splits, size)
    return units


def _filled(places: list[int], cost: dict[int, float]) -> list[list[int]]:
    """Positions of methods in groups of which one fold takes at most the target time."""
    groups: list[list[int]] = []
    for place in places:
        if not groups or sum(cost[one] for one in [*groups[-1], place]) > TARGET:
            groups.append([])
        groups[-1].append(place)
    return groups


def _blocks(places: tuple[int, ...], left: np.ndarray, n_splits: int, size: int) -> list[Unit]:
    """The folds that are left in blocks of at most `size`, of whole repetitions or within one."""
    units: list[Unit] = []
    size -= size % n_splits if size > n_splits else 0
    for fold in np.flatnonzero(left).tolist():
        begins = (fold if size >= n_splits else fold % n_splits) % size == 0
        if begins or not units or units[-1].stop < fold:
            units.append(Unit(places, fold, fold))
        units[-1] = units[-1]._replace(stop=fold + 1)
    return units


def local_units(task: ValidationTask, on_interrupt: str) -> list[Unit]:
    """The units of a task in this process: all methods on all folds at once, or with
    ``on_interrupt="return"`` on the folds of a repetition (on one fold where there is one)."""
    n, size = len(task.folds.pairs), task.folds.n_splits if task.folds.n_repeats > 1 else 1
    step, places = size if on_interrupt == "return" else n, tuple(range(len(task.methods)))
    return [Unit(places, start, start + step) for start in range(0, n, step)]


# -- putting together -----------------------------------------------------------------------------


def n_finished_folds(task: ValidationTask, outcomes: list[Outcome]) -> int:
    """Number of leading folds that every method has finished; whole repetitions only where there
    are several. Results after an interruption are cut to these folds."""
    n = int(np.append(is_left(task, outcomes).any(axis=0), True).argmax())
    return n - n % task.folds.n_splits if task.folds.n_repeats > 1 else n


def gather_outputs(
    task: ValidationTask, outcomes: list[Outcome], n_folds: int
) -> tuple[list[int], FoldOutputs]:
    """Positions of the methods that apply to all folds, and their output on the first `n_folds`. A
    method with an error in any unit is left out of all folds."""
    refused = {place for outcome in outcomes for place in outcome.errors}
    kept = [place for place in range(len(task.methods)) if place not in refused]
    if len(outcomes) == 1 and outcomes[0].outputs is not None and outcomes[0].unit.stop == n_folds:
        return kept, outcomes[0].outputs
    whole = FoldOutputs.empty(task, len(kept), task.folds.part(0, n_folds))
    # Each unit fills a block of folds, and their test rows, of its methods.
    offsets = task.folds.offsets
    for outcome in outcomes:
        start, stop = outcome.unit.start, min(outcome.unit.stop, n_folds)
        if outcome.outputs is None or start >= stop:
            continue
        blocks = (
            (whole.rows, outcome.outputs.rows, slice(offsets[start], offsets[stop])),
            (whole.folds, outcome.outputs.folds, slice(start, stop)),
        )
        for row, place in enumerate(outcome.places):
            for into, parts, block in blocks if place in kept else ():
                for name, values in into.items():
                    part = parts[name][row, : block.stop - block.start]
                    values[kept.index(place), block] = part
    return kept, whole

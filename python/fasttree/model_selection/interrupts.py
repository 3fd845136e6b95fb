"""Interrupted runs: with ``on_interrupt="return"`` Ctrl-C returns what is finished.

`finish` works on units (data sets, repetitions of the folds, steps of an experiment). A unit is
kept whole or not at all, so a result never mixes finished and unfinished work. An interrupt before
the first unit is finished is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from .._checks import choice
from .._checks.data_warnings import warn_caller

ON_INTERRUPT = choice("raise", "return")
"""What Ctrl-C does: a KeyboardInterrupt, or what is finished is the result."""

K = TypeVar("K")
V = TypeVar("V")


class InterruptedWarning(UserWarning):
    """A run was interrupted and returned what was finished."""


def finish(
    units: Iterable[K], work: Callable[[K], V], *, what: str, on_interrupt: str = "raise"
) -> tuple[dict[K, V], list[K]]:
    """Work on each unit; the results of the finished ones, and the units that are not.

    >>> finish(["a", "b"], str.upper, what="letters")
    ({'a': 'A', 'b': 'B'}, [])
    """
    units = list(units)
    done: dict[K, V] = {}
    for unit in units:
        try:
            done[unit] = work(unit)
        except KeyboardInterrupt:
            if on_interrupt == "raise" or not done:
                raise
            warn_caller(
                f"interrupted: {len(done)} of {len(units)} {what} are finished, and the result "
                "holds these alone",
                InterruptedWarning,
            )
            break
    return done, units[len(done) :]

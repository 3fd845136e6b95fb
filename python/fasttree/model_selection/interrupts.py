"""Ctrl-C with ``on_interrupt="return"``: the finished part is the result.

`finish` works on units, such as data sets or the steps of an experiment. The result of a unit is
kept as a whole or not at all. An interrupt before the first unit is finished is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from .._checks import choice
from .._checks.data_warnings import warn_caller

ON_INTERRUPT = choice("raise", "return")
"""A check of the argument `on_interrupt`: Ctrl-C raises KeyboardInterrupt, or the call returns the
finished part."""

K = TypeVar("K")
V = TypeVar("V")


class InterruptedWarning(UserWarning):
    """A run was interrupted and returned the finished part. The result then covers fewer folds or
    data sets than were asked for."""


def finish(
    units: Iterable[K], work: Callable[[K], V], *, what: str, on_interrupt: str = "raise"
) -> tuple[dict[K, V], list[K]]:
    """Work on units one after the other, until Ctrl-C.

    Args:
        units: the arguments of `work`.
        work: computes the result of a unit.
        what: the word for the units, in the plural, for the warning.
        on_interrupt: ``"raise"`` or ``"return"``.

    Returns:
        The results of the finished units, by unit, and the units that are not finished.

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

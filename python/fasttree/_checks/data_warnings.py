"""Warnings about a user's data: at the line that called the package, once per call.

A call that fits many models (a cross-validation, an advice) warns about all of its rows itself and
runs its fits under `quiet`. Warnings about one of several data sets begin with its name
(`warnings_about`). Warnings of worker threads are collected (`held_warnings`), and the thread that
started the work issues them. Checks whose findings the user has already been told are skipped by
name (`skip_checks`). Every setting is a context variable, so concurrent calls do not affect each
other.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TypeVar

_PREFIX: ContextVar[str] = ContextVar("fasttree_warning_prefix", default="")

_ISSUED: ContextVar[set[str] | None] = ContextVar("fasttree_issued_warnings", default=None)

_HELD: ContextVar[list[tuple[str, type[Warning]]] | None] = ContextVar("held", default=None)

_QUIET: ContextVar[bool] = ContextVar("fasttree_quiet", default=False)

_SKIPPED: ContextVar[frozenset[str]] = ContextVar("fasttree_skipped_checks", default=frozenset())

_NUMBER = re.compile(r"(?<![\w'])\d[\d.,]*")
"""A number in a text that is no part of a name."""

_FITTING_PACKAGES = frozenset({"fasttree", "sklearn", "joblib"})
"""Packages that fit and score on behalf of a user; no warning points at their lines."""


class DataWarning(UserWarning):
    """A model can be fitted to the data, but hardly the one that the user meant.

    Examples are identifiers among the features, dates as text, and classes of very few rows. It is
    a UserWarning; filters on this class leave warnings of other packages alone.
    """


V = TypeVar("V")


@contextmanager
def _with_value(variable: ContextVar[V], value: V) -> Iterator[None]:
    """A context in which the variable has this value."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


@contextmanager
def warnings_about(name: str = "") -> Iterator[None]:
    """A context whose warnings begin with a name, such as the name of one of several data sets.

    Warnings that differ in numbers alone, such as the warnings of different folds, are issued once
    in the outermost context.
    """
    issued = set() if (outer := _ISSUED.get()) is None else outer
    prefix = _PREFIX.get() + (name and f"{name}: ")
    with _with_value(_PREFIX, prefix), _with_value(_ISSUED, issued):
        yield


@contextmanager
def held_warnings() -> Iterator[list[tuple[str, type[Warning]]]]:
    """A context that appends its warnings to a list, as (text, category), instead of issuing them.

    Worker threads run under it, and the thread that started them issues the texts with its own
    prefix. A caller that has already reported the same fault discards the list.
    """
    held: list[tuple[str, type[Warning]]] = []
    with _with_value(_HELD, held), _with_value(_PREFIX, ""):
        yield held


def quiet() -> AbstractContextManager[None]:
    """A context in which checks of data issue no warnings, because the caller has issued them
    already. A cross-validation warns once about all rows and then fits its folds under it."""
    return _with_value(_QUIET, True)


def is_quiet() -> bool:
    """Whether the caller has already issued the warnings about the data; see `quiet`. Checks that
    cost much ask this before they look at the rows."""
    return _QUIET.get()


def skip_checks(*names: str) -> AbstractContextManager[None]:
    """A context in which nothing is said of what these checks find.

    A caller uses it that reports these findings in its own result. Contexts may be nested, and
    their names add up.

    Args:
        names: keys of `fasttree.table.data_checks.CHECKS`.
    """
    return _with_value(_SKIPPED, skipped_checks() | {*names})


def skip_checks_from_now_on(*names: str) -> None:
    """Skip the checks of these names until the process or thread ends; see `skip_checks`.

    A command of the shell calls it before it reports the same findings in its own output.
    """
    _SKIPPED.set(skipped_checks() | {*names})


def skipped_checks() -> frozenset[str]:
    """Names of the checks whose findings are not reported at present. The set is empty unless
    `skip_checks` or `skip_checks_from_now_on` has named some."""
    return _SKIPPED.get()


def warn_caller(text: str, category: type[Warning] = DataWarning) -> None:
    """Issue a warning at the line of the user that called the package.

    Frames of scikit-learn and of other packages that fit models are skipped, too, so that the line
    is the user's own. Python shows the same text once per line; under `warnings_about` texts that
    differ in numbers alone are issued once.
    """
    text, issued, held = _PREFIX.get() + text, _ISSUED.get(), _HELD.get()
    if held is not None:
        held.append((text, category))
        return
    if issued is not None:
        if (without_numbers := _NUMBER.sub("#", text)) in issued:
            return
        issued.add(without_numbers)
    frame, level, outside = sys._getframe(1), 2, 2
    while frame.f_back:
        package = frame.f_globals.get("__name__", "").partition(".")[0]
        frame, level = frame.f_back, level + 1
        outside = level if package in _FITTING_PACKAGES else outside
    warnings.warn(text, category, stacklevel=outside)

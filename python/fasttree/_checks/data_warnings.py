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
    """A model can be fitted to the data, but hardly the one that the user meant."""


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
    """A context whose warnings begin with a name, such as that of one of several data sets.

    Warnings that differ in numbers alone, such as those of each fold, are issued once in the
    outermost context.
    """
    issued = set() if (outer := _ISSUED.get()) is None else outer
    prefix = _PREFIX.get() + (name and f"{name}: ")
    with _with_value(_PREFIX, prefix), _with_value(_ISSUED, issued):
        yield


@contextmanager
def held_warnings() -> Iterator[list[tuple[str, type[Warning]]]]:
    """A context that appends its warnings, as (text, category), to a list instead of issuing
    them."""
    held: list[tuple[str, type[Warning]]] = []
    with _with_value(_HELD, held), _with_value(_PREFIX, ""):
        yield held


def quiet() -> AbstractContextManager[None]:
    """A context without warnings about the data: the caller has issued them already."""
    return _with_value(_QUIET, True)


def is_quiet() -> bool:
    """Whether the caller has already issued the warnings about the data."""
    return _QUIET.get()


def skip_checks(*names: str) -> AbstractContextManager[None]:
    """A context in which nothing is said of what these checks find.

    Args:
        names: keys of `fasttree.table.data_checks.CHECKS`.
    """
    return _with_value(_SKIPPED, skipped_checks() | {*names})


def skip_checks_from_now_on(*names: str) -> None:
    """As `skip_checks`, until the process or thread ends: a command says these findings itself."""
    _SKIPPED.set(skipped_checks() | {*names})


def skipped_checks() -> frozenset[str]:
    """Names of the checks whose findings are not to be said."""
    return _SKIPPED.get()


def warn_caller(text: str, category: type[Warning] = DataWarning) -> None:
    """Issue a warning at the line that called the package, also through scikit-learn and wrappers
    of other packages; Python shows the same text once per line."""
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

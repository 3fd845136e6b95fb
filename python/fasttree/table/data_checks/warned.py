"""Warnings about data: one per call of the package, at the line that called it.

What
    A call that fits many models (a cross-validation, an advice) warns about all its rows, and its
    fits are `quiet`. The warnings of one of several data sets begin with its name (`about`), those
    of other threads are held for the thread that began the work.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = [
    "DataWarning",
    "about",
    "groups_known",
    "held_warnings",
    "is_quiet",
    "pass_over",
    "quiet",
    "said_already",
    "warn_caller",
]

_QUIET: ContextVar[bool] = ContextVar("fasttree_data_warnings_said", default=False)

_PASSED_OVER: ContextVar[frozenset[str]] = ContextVar("fasttree_checks_said", default=frozenset())

_ABOUT: ContextVar[str] = ContextVar("fasttree_warnings_about", default="")

_SAID: ContextVar[set[str] | None] = ContextVar("fasttree_warnings_said", default=None)

_HELD: ContextVar[list[tuple[str, type[Warning]]] | None] = ContextVar(
    "fasttree_warnings_held", default=None
)

_NUMBER = re.compile(r"(?<![\w'])\d[\d.,]*")
"""A number in a text that is no part of a name."""


class DataWarning(UserWarning):
    """A model can be fitted to the data, but hardly the one that the user meant."""


@contextmanager
def quiet() -> Iterator[None]:
    """A context without these warnings: the caller has warned already, or the data are known."""
    before = _QUIET.set(True)
    try:
        yield
    finally:
        _QUIET.reset(before)


def is_quiet() -> bool:
    """Whether a caller has warned already."""
    return _QUIET.get()


@contextmanager
def about(what: str = "") -> Iterator[None]:
    """A context whose warnings begin with a name, of one data set of several for instance. Warnings
    that differ in numbers alone, such as those of each fold, come once in the outermost one."""
    before = _ABOUT.set(_ABOUT.get() + (what and f"{what}: "))
    said = _SAID.set(set() if (known := _SAID.get()) is None else known)
    try:
        yield
    finally:
        _SAID.reset(said)
        _ABOUT.reset(before)


@contextmanager
def held_warnings() -> Iterator[list[tuple[str, type[Warning]]]]:
    """A context that keeps its warnings for the thread that began the work, which says them."""
    warned: list[tuple[str, type[Warning]]] = []
    held, before = _HELD.set(warned), _ABOUT.set("")
    try:
        yield warned
    finally:
        _ABOUT.reset(before)
        _HELD.reset(held)


@contextmanager
def groups_known(known: bool = True) -> Iterator[None]:
    """A context in which the groups of rows are known, so that none are suspected."""
    before = _PASSED_OVER.set(said_already() | ({"groups"} if known else set()))
    try:
        yield
    finally:
        _PASSED_OVER.reset(before)


def pass_over(*kinds: str) -> None:
    """Say nothing of some kinds of findings in this command: it says them itself, or groups are
    named already, or are no matter without folds."""
    _PASSED_OVER.set(said_already() | {*kinds})


def said_already() -> frozenset[str]:
    """Kinds of findings that a fit does not say: the user knows, or has been told."""
    return _PASSED_OVER.get()


def warn_caller(text: str, category: type[Warning] = DataWarning) -> None:
    """Warn at the line that called the package, also through wrappers of other packages; there the
    same text is shown once."""
    text, said, held = _ABOUT.get() + text, _SAID.get(), _HELD.get()
    if held is not None:
        held.append((text, category))
        return
    if said is not None:
        if (alike := _NUMBER.sub("#", text)) in said:
            return
        said.add(alike)
    frame, level, outside = sys._getframe(1), 2, 2
    while frame.f_back:
        is_ours = frame.f_globals.get("__name__", "").partition(".")[0] == "fasttree"
        frame, level = frame.f_back, level + 1
        outside = level if is_ours else outside
    warnings.warn(text, category, stacklevel=outside)

"""Warnings at the line that called the package.

What
    The warnings of one of several data sets begin with its name (`about`), those of other threads
    are held for the thread that began the work (`held_warnings`), and those that differ in numbers
    alone come once.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

_ABOUT: ContextVar[str] = ContextVar("fasttree_warnings_about", default="")

_SAID: ContextVar[set[str] | None] = ContextVar("fasttree_warnings_said", default=None)

_HELD: ContextVar[list[tuple[str, type[Warning]]] | None] = ContextVar("held", default=None)

_NUMBER = re.compile(r"(?<![\w'])\d[\d.,]*")
"""A number in a text that is no part of a name."""

_PASSED = frozenset({"fasttree", "sklearn", "joblib"})
"""Packages whose lines no warning points at: what fits and scores on behalf of a user."""


class DataWarning(UserWarning):
    """A model can be fitted to the data, but hardly the one that the user meant."""


V = TypeVar("V")


@contextmanager
def setting(variable: ContextVar[V], value: V) -> Iterator[None]:
    """A context in which a variable has a value; afterwards it has the one before."""
    before = variable.set(value)
    try:
        yield
    finally:
        variable.reset(before)


@contextmanager
def about(what: str = "") -> Iterator[None]:
    """A context whose warnings begin with a name, of one data set of several for instance. Warnings
    that differ in numbers alone, such as those of each fold, come once in the outermost one."""
    texts = set() if (outer := _SAID.get()) is None else outer
    with setting(_ABOUT, _ABOUT.get() + (what and f"{what}: ")), setting(_SAID, texts):
        yield


@contextmanager
def held_warnings() -> Iterator[list[tuple[str, type[Warning]]]]:
    """A context that keeps its warnings for the thread that began the work, which says them."""
    warned: list[tuple[str, type[Warning]]] = []
    with setting(_HELD, warned), setting(_ABOUT, ""):
        yield warned


def warn_caller(text: str, category: type[Warning] = DataWarning) -> None:
    """Warn at the line that called the package, also through scikit-learn and wrappers of other
    packages; there the same text is shown once."""
    text, texts, held = _ABOUT.get() + text, _SAID.get(), _HELD.get()
    if held is not None:
        held.append((text, category))
        return
    if texts is not None:
        if (alike := _NUMBER.sub("#", text)) in texts:
            return
        texts.add(alike)
    frame, level, outside = sys._getframe(1), 2, 2
    while frame.f_back:
        passed = frame.f_globals.get("__name__", "").partition(".")[0] in _PASSED
        frame, level = frame.f_back, level + 1
        outside = level if passed else outside
    warnings.warn(text, category, stacklevel=outside)

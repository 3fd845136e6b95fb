"""Warnings about data: one per call of the package, at the line that called it.

What
    A call that fits many models (a cross-validation, an advice) warns about all its rows, and its
    fits are `quiet`. How a warning is said is in `fasttree._checks.warned`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar

from ..._checks.warned import DataWarning, about, held_warnings, setting, warn_caller
from ..._checks.words import some_of

__all__ = [
    "DataWarning",
    "about",
    "groups_known",
    "held_warnings",
    "is_quiet",
    "pass_over",
    "quiet",
    "said_already",
    "say_signs",
    "warn_caller",
]

_QUIET: ContextVar[bool] = ContextVar("fasttree_data_warnings_said", default=False)

_PASSED_OVER: ContextVar[frozenset[str]] = ContextVar("fasttree_checks_said", default=frozenset())


def quiet() -> AbstractContextManager[None]:
    """A context without these warnings: the caller has warned already, or the data are known."""
    return setting(_QUIET, True)


def is_quiet() -> bool:
    """Whether a caller has warned already."""
    return _QUIET.get()


def say_signs(signs: Sequence[tuple[str, str]], before: str = "") -> None:
    """Says in a line, which begins with `before`, of which columns of text the numbers are read,
    and their signs."""
    if signs and not is_quiet():
        named = some_of([f"{name!r} ({sign})" for name, sign in signs])
        warn_caller(f"{before}numbers with a currency or percent sign are read as numbers: {named}")


def groups_known(known: bool = True) -> AbstractContextManager[None]:
    """A context in which the groups of rows are known, so that none are suspected."""
    return setting(_PASSED_OVER, said_already() | ({"groups"} if known else set()))


def pass_over(*kinds: str) -> None:
    """Say nothing of some kinds of findings in this command: it says them itself, or groups are
    named already, or are no matter without folds."""
    _PASSED_OVER.set(said_already() | {*kinds})


def said_already() -> frozenset[str]:
    """Kinds of findings that a fit does not say: the user knows, or has been told."""
    return _PASSED_OVER.get()

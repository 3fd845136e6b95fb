"""Hints that cannot stop a fit: what fails in one is silent, except in tests."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

STRICT = False
"""Whether errors in hints are raised, as they are in the tests of the package."""

C = TypeVar("C", bound=Callable[..., Any])


def unfailing(otherwise: Any = None) -> Callable[[C], C]:
    """A decorator of functions that look at data for hints: an error in one is its result
    `otherwise`. Warnings that a filter makes errors are raised.

    >>> @unfailing(otherwise=0)
    ... def ratio(x):
    ...     return 1 / x
    >>> ratio(2)
    0.5
    """

    def decorate(function: C) -> C:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except Exception as error:
                if STRICT or isinstance(error, Warning):
                    raise
                return otherwise

        return cast("C", call)

    return decorate

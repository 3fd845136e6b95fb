"""A decorator by which errors in data checks do not stop a fit: they are logged, and raised in
tests."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any, TypeVar, cast

STRICT = False
"""Whether errors are raised, as in the tests of the package."""

C = TypeVar("C", bound=Callable[..., Any])


def unfailing(otherwise: Any = None) -> Callable[[C], C]:
    """Return `otherwise` if the decorated function raises an error, which is logged at the level
    DEBUG. Warnings that a filter turns into errors are raised.

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
                logging.getLogger(__name__).debug(
                    "%s failed; its result is %r", function.__qualname__, otherwise, exc_info=True
                )
                return otherwise

        return cast("C", call)

    return decorate

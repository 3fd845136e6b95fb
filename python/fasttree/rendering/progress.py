"""A plain progress bar on stderr, and the common form of progress: a callable (done, total).

True shows a bar when stderr is a terminal (nothing otherwise), a callable is called with (done,
total), False or None is silent.  The bar redraws at most ten times a second.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

Report = Callable[[int, int], Any]


class Bar:
    """A text bar that redraws itself in one line of stderr.

    >>> Bar("folds")(1, 2) is None
    True
    """

    def __init__(self, what: str) -> None:
        self.what = what
        self._started = time.monotonic()
        self._drawn = 0.0
        self._silent = not sys.stderr.isatty()

    def __call__(self, done: int, total: int) -> None:
        """Draw the state; a finished bar ends its line."""
        now = time.monotonic()
        if self._silent or (done < total and now - self._drawn < 0.1):
            return
        self._drawn = now
        spent = now - self._started
        filled = 30 * done // max(total, 1)
        left = f", {spent / done * (total - done):.0f} s left" if 0 < done < total else ""
        line = f"\r{self.what} [{'#' * filled}{'.' * (30 - filled)}] {done}/{total}, {spent:.1f} s{left}   "
        sys.stderr.write(line + ("\n" if done >= total else ""))
        sys.stderr.flush()


def make_report(progress: Any, what: str) -> Report | None:
    """Return the callable meant by `progress`: a bar for True, the user's own, or None."""
    if callable(progress):
        return progress
    return Bar(what) if progress else None

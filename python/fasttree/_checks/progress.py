"""Progress of long calls: the parameter `progress`, and a bar for terminals and notebooks.

True and "auto" show a bar if stderr is a terminal or the process is a notebook. A callable is
called with (done, total). False and None are silent. The bar is drawn by rich if it is installed,
else as plain text (in a notebook, one output of the cell). It is redrawn at most ten times per
second and removed when the call ends.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from . import shown

Report = Callable[[int, int], Any]
Progress: TypeAlias = bool | Literal["auto"] | Report | None
"""Type of the parameter `progress`."""


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook, where a bar is an output of the cell. A
    terminal session of IPython is none; IPython is not imported for the answer."""
    shell = sys.modules.get("IPython")
    if shell is None:
        return False
    interpreter = shell.get_ipython()
    return interpreter is not None and type(interpreter).__name__ == "ZMQInteractiveShell"


class Bar:
    """A progress bar on stderr, or in the cell of a notebook. It is called with (done, total),
    draws itself at most ten times per second, and is removed by `close`. `what` is the text before
    it.

    >>> Bar("folds")(1, 2) is None
    True
    """

    def __init__(self, what: str) -> None:
        self.what = what
        self._started = time.monotonic()
        self._drawn = float("-inf")
        self._rich: Any = None
        self._width = 0
        self._cell: Any = None
        self._silent = not (sys.stderr.isatty() or in_notebook())

    def __call__(self, done: int, total: int) -> None:
        """Draw the state; a finished bar is removed."""
        if self._silent:
            return
        now = time.monotonic()
        if done < total and now - self._drawn < 0.1:
            return
        self._drawn = now
        if self._rich is None:
            self._rich = self._made()
        if self._rich is False:
            self._plain(done, total, now - self._started)
            return
        live, task = self._rich
        live.update(task, completed=done, total=total)
        live.refresh()
        if done >= total:
            self.close()

    def _made(self) -> Any:
        """rich's progress and its task; False without rich, and in notebooks, where rich needs
        ipywidgets."""
        if in_notebook():
            return False
        try:
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                Progress,
                TextColumn,
                TimeRemainingColumn,
            )
        except ImportError:
            return False
        live = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(file=sys.stderr),
            auto_refresh=False,
            transient=True,
        )
        live.start()
        return live, live.add_task(self.what, total=None)

    def _plain(self, done: int, total: int, spent: float) -> None:
        """Draw the bar as text; `spent`: seconds since the start."""
        filled = 30 * done // max(total, 1)
        left = f", {spent / done * (total - done):.0f} s left" if 0 < done < total else ""
        line = f"{self.what} [{'#' * filled}{'.' * (30 - filled)}] {done}/{total}{left}"
        if in_notebook():
            self._note("" if done >= total else line)
            return
        blank = " " * max(0, self._width - len(line))
        self._width = len(line)
        if done >= total:
            line, blank = " " * len(line), ""
        sys.stderr.write(f"\r{line}{blank}" + ("\r" if done >= total else ""))
        sys.stderr.flush()

    def _note(self, line: str) -> None:
        """Show a line as the output of the cell; the last line is empty."""
        from IPython import display as ipython

        display: Any = ipython.display
        shown = {"text/plain": line}
        if self._cell is None:
            self._cell = display(shown, raw=True, display_id=True)
        else:
            self._cell.update(shown, raw=True)

    def close(self) -> None:
        """Remove the bar from the terminal or the cell. Later calls of the bar draw nothing, and
        closing it twice has no effect."""
        if self._cell is not None and not self._silent:
            self._note("")
        if self._rich:
            self._rich[0].stop()
        self._rich = None
        self._silent = True

    def __del__(self) -> None:
        if self._rich or self._cell is not None:
            self.close()


def make_report(progress: Progress, what: str) -> Report | None:
    """The callable of a value of `progress`: a bar for True and "auto", a user's function, or None.

    Raises:
        ValueError: any other value.

    Examples:
        >>> make_report(None, "fits") is None, make_report(print, "fits") is print
        (True, True)
    """
    if callable(progress):
        return progress
    if progress is None or progress is False:
        return None
    if progress is True or (isinstance(progress, str) and progress == "auto"):
        return Bar(what)
    raise ValueError(
        f"progress={shown(progress)} is not known; use True or 'auto' (a bar), False or None, or a "
        "function (done, total)"
    )


def counter(progress: Progress, what: str, total: int) -> Callable[[], None]:
    """A function to be called after each of `total` steps; it reports the number of steps that are
    done.

    Examples:
        >>> done = counter(print, "steps", 2)
        >>> done()
        1 2
    """
    report, steps = make_report(progress, what), itertools.count(1)

    def step() -> None:
        if report is not None:
            report(next(steps), total)

    return step

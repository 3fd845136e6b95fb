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
from typing import Any, Literal, Protocol, TypeAlias

from . import shown

Report = Callable[[int, int], Any]
Progress: TypeAlias = bool | Literal["auto"] | Report | None
"""Type of the parameter `progress`."""

SECONDS_BETWEEN_DRAWS = 0.1
BAR_WIDTH = 30
"""Characters between the brackets of a bar of text."""


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
        self._drawing: _Drawing | None = None  # chosen when the bar is first drawn
        self._is_silent = not (sys.stderr.isatty() or in_notebook())

    def __call__(self, done: int, total: int) -> None:
        """Draw the state; a finished bar is removed."""
        if self._is_silent:
            return
        now = time.monotonic()
        if done < total and now - self._drawn < SECONDS_BETWEEN_DRAWS:
            return
        self._drawn = now
        if self._drawing is None:
            self._drawing = _drawing_of(self.what)
        self._drawing.draw(done, total, now - self._started)
        if done >= total:
            self.close()

    def close(self) -> None:
        """Remove the bar from the terminal or the cell. Later calls of the bar draw nothing, and
        closing it twice has no effect."""
        if self._drawing is not None:
            self._drawing.remove()
        self._drawing = None
        self._is_silent = True

    def __del__(self) -> None:
        self.close()


class _Drawing(Protocol):
    """A way to draw a bar: rich's, as text, or in the cell of a notebook."""

    def draw(self, done: int, total: int, seconds: float) -> None:
        """Draw the state; `seconds` have passed since the start."""

    def remove(self) -> None:
        """Remove what was drawn."""


def _drawing_of(what: str) -> _Drawing:
    """rich's bar with the text `what`; as text without rich, and in notebooks, where rich needs
    ipywidgets."""
    if in_notebook():
        return _CellDrawing(what)
    try:
        return _RichDrawing(what)
    except ImportError:
        return _TextDrawing(what)


class _RichDrawing:
    """The bar by rich; an ImportError if it is not installed."""

    def __init__(self, what: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        self._live = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(file=sys.stderr),
            auto_refresh=False,
            transient=True,
        )
        self._live.start()
        self._task = self._live.add_task(what, total=None)

    def draw(self, done: int, total: int, seconds: float) -> None:
        self._live.update(self._task, completed=done, total=total)
        self._live.refresh()

    def remove(self) -> None:
        self._live.stop()


def _text_of(what: str, done: int, total: int, seconds: float) -> str:
    """The bar as a line of text."""
    filled = BAR_WIDTH * done // max(total, 1)
    left = f", {seconds / done * (total - done):.0f} s left" if 0 < done < total else ""
    return f"{what} [{'#' * filled}{'.' * (BAR_WIDTH - filled)}] {done}/{total}{left}"


class _TextDrawing:
    """The bar as a line of text in a terminal, which is written over."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._n_written = 0

    def draw(self, done: int, total: int, seconds: float) -> None:
        line = _text_of(self._what, done, total, seconds)
        self._write(line.ljust(self._n_written))
        self._n_written = len(line)

    def remove(self) -> None:
        self._write(" " * self._n_written + "\r")

    def _write(self, text: str) -> None:
        sys.stderr.write(f"\r{text}")
        sys.stderr.flush()


class _CellDrawing:
    """The bar as an output of the cell of a notebook."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._output: Any = None

    def draw(self, done: int, total: int, seconds: float) -> None:
        self._show(_text_of(self._what, done, total, seconds))

    def remove(self) -> None:
        self._show("")

    def _show(self, line: str) -> None:
        from IPython import display as ipython

        bundle = {"text/plain": line}
        if self._output is None:
            self._output = ipython.display(bundle, raw=True, display_id=True)
        else:
            self._output.update(bundle, raw=True)


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

"""From arguments to an exit code: all errors and interrupts of a command, in one place.

Messages name options in place of arguments (`shell`).
"""

from __future__ import annotations

import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any

import typer

from .._checks import plain_text
from .._checks.words import speaking
from .shell import SHELL
from .streams import drop, print_to_stderr
from .unknown_names import meant_by

REFUSED, INTERRUPTED, TERMINATED, BROKEN = 2, 130, 143, 1
"""Exit codes: a request that cannot be fulfilled; Ctrl-C; SIGTERM; a defect of fasttree."""

REFUSALS = (ValueError, TypeError, KeyError, OSError, ImportError, NotImplementedError, MemoryError)
"""Errors that a request that cannot be fulfilled raises; any other error is a defect."""

ClickException: type[Exception] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)
"""The parser's own errors (typer carries its own click in new versions)."""


def one_line(error: BaseException) -> str:
    """An error as one line: no quotes around a KeyError, no line breaks."""
    message: Any = error.args[0] if isinstance(error, KeyError) and error.args else error
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        message = f"{error.filename}: {error.strerror[0].lower()}{error.strerror[1:]}"
    return _joined(message) or type(error).__name__


def _joined(message: Any) -> str:
    """The lines of a message as one, without their indents; blanks within a line stay."""
    return plain_text.one_line(" ".join(line.strip() for line in str(message).split("\n")))


def _complain(text: str) -> None:
    """Print an error."""
    print_to_stderr(f"ftree: error: {text}")


def _warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning, as `warnings.showwarning` does."""
    print_to_stderr(f"ftree: warning: {_joined(message)}")


def run(arguments: list[str]) -> int:
    """Run the command and return its exit code: 0, or another one after an error, which is printed
    on stderr. Warnings are printed in the words of the shell."""
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # PYTHONWARNINGS does not silence the command's warnings
        for kind in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", kind)
        warnings.showwarning = _warning
        SHELL.file = None
        with speaking(SHELL), _terminable() as asked:
            return copy_context().run(_run, arguments, asked)  # a later call repeats the warnings


@contextmanager
def _terminable() -> Iterator[list[int]]:
    """A context in which SIGTERM interrupts the command as Ctrl-C does, so that it says what a
    journal holds; the list gets the signal's number."""
    asked: list[int] = []

    def interrupt(number: int, _: Any) -> None:
        asked.append(number)
        raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGTERM, interrupt)
    except ValueError:  # not in the main thread
        yield asked
        return
    try:
        yield asked
    finally:
        signal.signal(signal.SIGTERM, before)


def _run(arguments: list[str], asked: list[int]) -> int:
    """Run the command; every exception becomes a message and an exit code.

    Args:
        arguments: the arguments of the command line.
        asked: holds the number of SIGTERM once it has come; empty until then.
    """
    try:
        from .app import app

        code = app(args=arguments, prog_name="ftree", standalone_mode=False)
        sys.stdout.flush()
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        return code if isinstance(code, int) else 0
    except (KeyboardInterrupt, typer.Abort):
        print_to_stderr("ftree: terminated" if asked else "ftree: interrupted")
        return TERMINATED if asked else INTERRUPTED
    except typer.Exit as stop:
        return int(stop.exit_code)
    except (BrokenPipeError, SystemExit):  # stdout was closed, as in `ftree ... | head`
        drop(sys.stdout)
        return 0
    except ClickException as error:
        context = getattr(error, "ctx", None)
        hint, where = "", f" (see {context.command_path} --help)" if context is not None else ""
        if context is not None and hasattr(error, "possibilities"):  # an unknown option
            known = [name for one in context.command.params for name in one.opts]
            hint, error.possibilities = meant_by(getattr(error, "option_name", ""), known), None
        text = _joined(error.format_message()).rstrip(".")  # type: ignore[attr-defined]
        _complain("; ".join(filter(None, (text, hint))) + where)
        return REFUSED
    except REFUSALS as error:
        _complain(one_line(error))
        return REFUSED
    except Exception as error:
        _complain(
            f"{type(error).__name__}: {one_line(error)} (a defect of fasttree; please report it)"
        )
        return BROKEN

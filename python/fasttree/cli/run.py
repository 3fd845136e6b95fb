"""From arguments to an exit code: all errors and interrupts of a command, in one place.

Messages of the package name arguments of Python; here they become options (`shell_words`).
"""

from __future__ import annotations

import os
import sys
import warnings
from contextvars import copy_context
from typing import Any

import typer

from ..rendering import plain_text
from .shell_words import in_shell_words

__all__ = ["run"]

REFUSED, INTERRUPTED, BROKEN = 2, 130, 1
"""Exit codes: a request that cannot be fulfilled; Ctrl-C; a defect of fasttree."""

ClickException: type[Exception] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)
"""The parser's own errors (typer carries its own click in new versions)."""


def one_line(error: BaseException) -> str:
    """An error as one line: no quotes around a KeyError, no line breaks."""
    message: Any = error.args[0] if isinstance(error, KeyError) and error.args else error
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        message = f"{error.filename}: {error.strerror[0].lower()}{error.strerror[1:]}"
    return _with_options(message) or type(error).__name__


def _with_options(message: Any) -> str:
    """A message in one line, with options of the command line for arguments of Python."""
    return in_shell_words(" ".join(plain_text.one_line(message).split()))


def _complain(text: str) -> None:
    """Print an error."""
    print(f"ftree: error: {text}", file=sys.stderr)


def _warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning, as `warnings.showwarning` does."""
    print(f"ftree: warning: {_with_options(message)}", file=sys.stderr)


def run(arguments: list[str]) -> int:
    """Run the command and return its exit code."""
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # PYTHONWARNINGS does not silence the command's warnings
        for kind in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", kind)
        warnings.showwarning = _warning
        return copy_context().run(_run, arguments)  # a later call repeats the warnings


def _run(arguments: list[str]) -> int:
    """Run the command; every exception becomes a message and an exit code."""
    try:
        from .app import app

        code = app(args=arguments, prog_name="ftree", standalone_mode=False)
        sys.stdout.flush()
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        return code if isinstance(code, int) else 0
    except (KeyboardInterrupt, typer.Abort):
        print("ftree: interrupted", file=sys.stderr)
        return INTERRUPTED
    except typer.Exit as stop:
        return int(stop.exit_code)
    except (BrokenPipeError, SystemExit):  # stdout was closed, as in `ftree ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())  # type: ignore[union-attr]
        return 0
    except ClickException as error:
        context = getattr(error, "ctx", None)
        text = " ".join(plain_text.one_line(error.format_message()).split())  # type: ignore[attr-defined]
        hint = f" (see {context.command_path} --help)" if context is not None else ""
        _complain(text.rstrip(".") + hint)
        return REFUSED
    except (
        ValueError,
        TypeError,
        KeyError,
        OSError,
        ImportError,
        NotImplementedError,
        MemoryError,
    ) as error:
        _complain(one_line(error))
        return REFUSED
    except Exception as error:
        _complain(
            f"{type(error).__name__}: {one_line(error)} (a defect of fasttree; please report it)"
        )
        return BROKEN

"""From arguments to an exit code: every way a command can end, in one place."""

from __future__ import annotations

import ast
import os
import re
import sys
import warnings
from contextvars import copy_context
from typing import Any

import typer

from ..rendering import plain_text

__all__ = ["run"]

REFUSED, INTERRUPTED, BROKEN = 2, 130, 1
"""Exit codes: what was asked for cannot be done; Ctrl-C; a defect of fasttree."""

ClickException: type[Exception] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)
"""The parser's own errors (typer carries its own click in new versions)."""


def one_line(error: BaseException) -> str:
    """An error as one line: no quotes around a KeyError, no line breaks."""
    said: Any = error.args[0] if isinstance(error, KeyError) and error.args else error
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        said = f"{error.filename}: {error.strerror[0].lower()}{error.strerror[1:]}"
    return _typed(said) or type(error).__name__


def _typed(said: Any) -> str:
    """A message in one line and in the words that are typed."""
    text = " ".join(plain_text.one_line(said).split())
    for pattern, words in WORDS:
        text = re.sub(pattern, words, text)
    return text


WORDS = (
    (r"drop=\[([^\]]*)\]", lambda m: "--drop " + m[1].replace("'", "").replace(", ", ",")),
    (r"(?<![\w.(])target='([^']*)'", r"--target \1"),
    (r" \((?:drop|target)=\)", ""),
    (r"name another with target=, load without one by target=False,", "name another: --target,"),
    (r"name another with target=", "name another: --target"),
    (r", or give names=\[\.\.\.\]", " in the file"),
    (r"\bleave (decimal|missing) out", r"leave --\1 out"),
    (r"\(pruning='error_based'\)", "(-p pruning=error_based)"),
    (r"\bdecimal='(.*?)'", r"--decimal \1"),
    (r"\bmissing=(\[.*?\])", lambda m: "--missing " + ",".join(ast.literal_eval(m[1]))),
    (r"\btarget=(-?\d+)", r"--target \1"),
    (r"\(or NaN for missing\)", "(--missing TEXT: a text of the file that means missing)"),
    (r"; header=False reads it as data", "; put the rows below it"),
    (r"\bmax_nodes=", "--max-nodes "),
    (r"categorical_features='all'", "--nominal all"),
    (r"\bn_jobs=(-?\d+)", r"--n-jobs \1"),
    (r"random_state=(\d+)", r"--seed \1"),
    (r"\bcv='([^']*)'", r"--cv \1"),
    (r"\(table\.drop_missing_target\(\)\) ", ""),
    (r"pass fasttree\.Table\([^)]*\)", "name it with --target"),
)
"""Words of the Python interface, and what is typed instead."""


def _complain(text: str) -> None:
    print(f"ftree: error: {text}", file=sys.stderr)


def _warning(message: Warning | str, *_: Any, **__: Any) -> None:
    print(f"ftree: warning: {_typed(message)}", file=sys.stderr)


def run(arguments: list[str]) -> int:
    """Run the command and translate how it ended into an exit code."""
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # whatever PYTHONWARNINGS says: these are the command's
        for kind in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", kind)
        warnings.showwarning = _warning
        return copy_context().run(_run, arguments)  # what was said is forgotten at the end


def _run(arguments: list[str]) -> int:
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
    except (
        BrokenPipeError,
        SystemExit,
    ):  # the reader of our output has gone, as in `ftree ... | head`
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

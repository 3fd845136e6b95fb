"""The words of the shell for those of Python: options in place of arguments, in any text that the
package writes."""

from __future__ import annotations

import ast
import csv
import io
import re
import shlex
from collections.abc import Iterable
from contextvars import ContextVar
from pathlib import Path
from typing import Any

__all__ = ["in_shell_words", "rows_are_of", "typed"]

_FILE: ContextVar[tuple[str, int | None] | None] = ContextVar("ftree_file", default=None)

DELIMITED = (".csv", ".tsv", ".tab", ".txt", ".data")
"""Files of which the line of a row is known."""


def rows_are_of(data: str, n_rows: int | None = None) -> None:
    """Rows that messages name by number are those of this file from now on; None: its rows are
    counted when a message needs them."""
    _FILE.set((data, n_rows))


def _place(match: re.Match[str]) -> str:
    """The line of a row that a message names by number, as it was where no line is known."""
    found = _FILE.get()
    line = None if found is None else line_of(*found, int(match[1]))
    return match[0] if line is None else f"line {line}"


def line_of(data: str, n_rows: int | None, row: int) -> int | None:
    """The line of a file, counted from 1, on which a row of data begins; None where the file is no
    delimited text, or has other records than a header and the rows."""
    from ..datasets import load
    from ..datasets.delimited import sniff
    from ..table.doubtful import quiet

    path = Path(data).expanduser()
    if path.suffix.lower() not in DELIMITED or not path.is_file():
        return None
    try:
        if n_rows is None:
            with quiet():
                n_rows = len(load(data, target=False))
        text = path.read_text("latin-1")
        first = next((line for line in text.splitlines() if line.strip()), "")
        reader = csv.reader(
            io.StringIO(text, newline=""), delimiter=sniff(first), skipinitialspace=True
        )
        starts, before = [], 0
        for record in reader:
            if any(cell.strip() for cell in record):
                starts.append(before + 1)
            before = reader.line_num
    except (OSError, ValueError, csv.Error):
        return None
    # A line "sep=;" and a header may stand above the rows.
    above = len(starts) - n_rows
    return starts[above + row] if above in (0, 1, 2) else None


def in_shell_words(text: str) -> str:
    """A text with options of the command line for arguments of Python.

    >>> in_shell_words("leave it out: drop=['the id']; or task='regression'")
    "leave it out: --drop 'the id'; or --task regression"
    """
    for pattern, option in OPTIONS:
        text = re.sub(pattern, option, text)
    return text


def typed(option: str, names: Iterable[str]) -> str:
    """An option of columns as it is typed in a shell.

    >>> typed("--drop", ["Customer ID", "signup"]), typed("--groups", ["site"])
    ("--drop 'Customer ID,signup'", '--groups site')
    """
    return f"{option} {shlex.quote(','.join(names))}"


def _missing_option(argument: str) -> str:
    """``--missing`` for a value of `missing`.

    >>> _missing_option("['n/a', 999]"), _missing_option("{'the age': [999], None: ['x']}")
    ('--missing n/a,999', "--missing 'the age=999,x'")
    """
    given = ast.literal_eval(argument)
    by_column = given if isinstance(given, dict) else {None: given}
    texts = [
        f"{'' if name is None else f'{name}='}{cell}"
        for name, cells in by_column.items()
        for cell in cells
    ]
    return typed("--missing", texts)


OPTIONS: tuple[tuple[str, Any], ...] = (
    (r"\bdata row (\d+) \(counted from 0\)", _place),
    (
        r"\(cut; all: print\(model\.to_text\(\)\), a picture: model\.plot\(\)\)",
        "(cut; save it by --model MODEL; all: ftree show MODEL, a picture: --plot FILE)",
    ),
    (
        r"\b(?:scoring|groups|missing|drop|categorical_features)=.*? \(ftree: (.*?)\)(?=[.;, ]|$)",
        r"\1",
    ),
    (r"drop=(\[[^\]]*\])", lambda m: typed("--drop", ast.literal_eval(m[1]))),
    (r"(?<![\w.(])target='([^']*)'", lambda m: typed("--target", [m[1]])),
    (r" \((?:drop|target|missing)=\)", ""),
    (r" \(phenotype_name=\)", " (--pheno-name)"),
    (r"name another with target=, load without one by target=False,", "name another: --target,"),
    (r"name another with target=", "name another: --target"),
    (r", or give names=\[\.\.\.\]", " in the file"),
    (r"\bleave (decimal|missing) out", r"leave --\1 out"),
    (r"\(pruning='error_based'\)", "(-p pruning=error_based)"),
    (r"\btask='(\w+)'", r"--task \1"),
    (r"\bdecimal='(.*?)'", r"--decimal \1"),
    (r"\bmissing=(\[.*?\]|\{.*?\})", lambda m: _missing_option(m[1])),
    (r"(--missing .*) of fasttree\.datasets\.load, or NaN in a frame", r"\1"),
    (r"\bin cross_validate, compare and advise", "in cv, compare and advise"),
    (r" \(a frame: pandas\.to_numeric with errors='coerce'\)", ""),
    (r"\bgroups=('[^']*'|\"[^\"]*\")", lambda m: typed("--groups", [m[1][1:-1]])),
    (r"\btarget=(-?\d+)", r"--target \1"),
    (r"\(or NaN for missing\)", "(--missing TEXT: a text of the file that means missing)"),
    (r"; header=False reads it as data", "; put the rows below it"),
    (r"\bmax_nodes=", "--max-nodes "),
    (r"categorical_features='all'", "--nominal all"),
    (r"columns=\{'([^']*)': 'as_given'\}", lambda m: typed("--keep", [m[1]])),
    (r"columns='as_given'", "--columns as_given"),
    (r"\bn_jobs=(-?\d+)", r"--n-jobs \1"),
    (r"random_state=(\d+)", r"--seed \1"),
    (r"\bprefer='([^']*)'", r"--prefer \1"),
    (r"\bcv='([^']*)'", r"--cv \1"),
    (r"\(table\.drop_missing_target\(\)\) ", ""),
    (r"pass fasttree\.Table\([^)]*\)", "name it with --target"),
)
"""Patterns of arguments in the messages of the package, and the options that replace them."""

"""The command line: ``ftree advise | fit | predict | rank | cv | compare | show | criteria |
...``.

What
    `main` is the entry point of ``ftree`` and of ``python -m fasttree.cli``. Wrong usage, bad data
    and bad parameters print one line on stderr and exit with 2. Ctrl-C exits with 130, SIGTERM
    with 143, a defect of fasttree with 1 and a request to report it. The commands are in `app`,
    their ends in `run`.
When not to use it
    From Python: every command is a few calls of the package.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``ftree`` with the given arguments (default: the arguments of the process) and return its
    exit code.

    >>> main(["datasets", "describe", "no-such-set"])
    2
    """
    from .streams import drop, prepare, print_to_stderr

    prepare()
    code = 0
    try:
        code = _main(sys.argv[1:] if arguments is None else list(arguments))
        sys.stdout.flush()
    except OSError as error:  # stdout is full or closed
        drop(sys.stdout)
        if code == 0 and not isinstance(error, BrokenPipeError):
            print_to_stderr(f"ftree: error: standard output: {error.strerror}")
            code = 2
    return code


def _main(given: list[str]) -> int:
    """The command, its standard streams open."""
    # Version and help of ftree itself load neither NumPy nor the commands.
    if given == ["--version"]:
        from .front import version

        print(f"ftree {version()}")
        return 0
    if given in ([], ["-h"], ["--help"]):
        from .front import HELP

        print(HELP, end="")
        return 0
    try:
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ImportError as error:
        print(
            f"ftree: error: the command line needs {error.name}: pip install 'fasttree[cli]'",
            file=sys.stderr,
        )
        return 2
    from .run import run

    return run(given)

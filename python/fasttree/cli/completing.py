"""`ftree completion`: the script by which bash, zsh or fish complete commands and options.

The script calls ``ftree`` with typer's environment variables, which then prints the completions.
"""

from __future__ import annotations

from typing import Annotated

import typer
from typer.completion import get_completion_script  # type: ignore[attr-defined]

from .._checks import one_of
from .bundles import examples


@examples(
    "ftree completion bash >> ~/.bashrc",
    "ftree completion fish > ~/.config/fish/completions/ftree.fish",
)
def completion(
    shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
) -> None:
    """Print the script that completes ftree's commands and options in a shell."""
    one_of("shell", shell, ("bash", "zsh", "fish"))
    names = {"prog_name": "ftree", "complete_var": "_FTREE_COMPLETE"}
    print(get_completion_script(**names, shell=shell))

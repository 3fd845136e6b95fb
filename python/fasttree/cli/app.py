"""The typer application of ``ftree``: the commands of all modules of this folder.

Each module lists its commands with examples in ``COMMANDS``; `bundles.expanded` gives them their
options.
"""

from __future__ import annotations

from typing import Annotated

import typer

from . import (
    advising,
    catalogue,
    citing,
    comparing,
    completing,
    data,
    doctor,
    execution,
    fitting,
    reproducing,
    showing,
    sweeping,
    trees,
)
from .bundles import expanded
from .standard_input import reading_standard_input
from .unknown_names import Commands

app = typer.Typer(
    name="ftree",
    cls=Commands,
    add_completion=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Decision trees whose split criterion is the subject, not a detail.",
    epilog=(
        "Start with:\n\nftree advise iris\n\nftree fit iris\n\nftree compare\n\n"
        "ftree reproduce chen2013 --datasets balance-scale --quick"
    ),
)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Decision trees whose split criterion is the subject, not a detail."""
    if version:
        import fasttree

        print(f"ftree {fasttree.__version__}")
        raise typer.Exit(0)
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit(0)


for module in (
    advising,
    comparing,
    fitting,
    trees,
    sweeping,
    showing,
    catalogue,
    citing,
    doctor,
    reproducing,
    execution,
    completing,
):
    for command, examples in module.COMMANDS:
        app.command(epilog="\n\n".join(("Examples:", *examples)))(
            expanded(reading_standard_input(command))
        )
app.add_typer(data.app, name="datasets")

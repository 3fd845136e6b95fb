"""The typer application of ``ftree``: the commands of all modules of this folder, in the order of
its help.
"""

from __future__ import annotations

from typing import Annotated

import typer

from . import data
from .advising import advise
from .bundles import EXAMPLES, expanded
from .catalogue import cite, criteria
from .comparing import compare, cv
from .completing import completion
from .doctor import doctor
from .execution import reproduce, status
from .fitting import fit
from .predicting import predict
from .ranking import rank
from .showing import show
from .sweeping import sweep
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


@app.callback()
@expanded
def root(
    version: Annotated[bool, "--version", "Print the version and exit."] = False,
) -> None:
    """Decision trees whose split criterion is the subject, not a detail."""
    if version:
        import fasttree

        print(f"ftree {fasttree.__version__}")
        raise typer.Exit(0)


for command in (
    advise,
    compare,
    cv,
    fit,
    predict,
    rank,
    sweep,
    show,
    criteria,
    cite,
    doctor,
    reproduce,
    status,
    completion,
):
    epilog = "\n\n".join(("Examples:", *EXAMPLES[command.__name__]))
    app.command(epilog=epilog)(expanded(command))
app.add_typer(data.app, name="datasets")

"""`ftree cite`: BibTeX of the software, or of the publications that split criteria come from."""

from __future__ import annotations

from typing import Annotated

import typer

from .._engine import core_version
from ..exports.bibtex import publications
from . import options as o
from .bundles import examples
from .catalogue import found
from .output import emit
from .shell import split_list

SOFTWARE = """@software{{fasttree,
  author  = {{{{The fasttree authors}}}},
  title   = {{{{fasttree: decision trees whose split criterion is the subject}}}},
  version = {{{}}},
}}"""


@examples("ftree cite", "ftree cite gain_ratio", "ftree cite gini 'pi(alpha=1)'")
def cite(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CRITERION]...", help="Criteria, as -c takes them; default: fasttree itself."
        ),
    ] = None,
    *,
    json: o.Json = None,
) -> None:
    """Print BibTeX to cite fasttree, or what split criteria come from."""
    rows = [found(text.partition("(")[0]) for text in split_list(names)]
    keys = dict.fromkeys(key for row in rows for key in row["publications"])
    entries = [publications()[key] for key in keys] or [SOFTWARE.format(core_version())]
    text = "\n\n".join(entries)
    emit(text, {"command": "cite", "bibtex": text}, json)

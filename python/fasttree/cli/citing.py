"""`ftree cite`: BibTeX of the software, or of the papers that a split criterion comes from."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from .._engine import core_version
from ..exports.tables.latex import escape
from . import options as o
from .catalogue import found
from .output import emit

__all__ = ["AUTHORS", "COMMANDS", "TITLE"]

AUTHORS = "The fasttree authors"
TITLE = "fasttree: decision trees whose split criterion is the subject"

_NAME = r"[^,&(]+"
_SOURCE = re.compile(
    rf"(?P<author>(?:{_NAME}, )*{_NAME} & {_NAME}|{_NAME})"
    r"(?:, (?P<title>[^,]+?)(?:, (?P<howpublished>.+?))?)?(?: \((?P<year>\d{4})\))?"
)
"""A source, such as ``Quinlan, Induction of decision trees, Machine Learning 1 (1986)``."""


def _entry(kind: str, key: str, fields: dict[str, str]) -> str:
    """An entry of BibTeX."""
    width = max(map(len, fields))
    lines = (f"  {name:{width}} = {{{value}}}," for name, value in fields.items())
    return "\n".join((f"@{kind}{{{key},", *lines, "}"))


def _entry_of(source: str, criterion: str) -> str:
    """The entry of one source of a criterion; what is no author with a title or year is a note."""
    parts = _SOURCE.fullmatch(source)
    known = {} if parts is None else {k: escape(v) for k, v in parts.groupdict().items() if v}
    if parts is None or len(known) < 2:
        return _entry("misc", criterion, {"note": escape(source)})
    names = re.split(r", | & ", parts["author"])
    known["author"] = " and ".join(f"{{{n}}}" if " " in n else n for n in map(escape, names))
    first = "".join(filter(str.isalpha, names[0])).lower()
    return _entry("misc", f"{first}{known.get('year', '')}", known)


def cite(
    name: Annotated[
        str | None,
        typer.Argument(metavar="CRITERION", help="A criterion; without it fasttree is cited."),
    ] = None,
    *,
    json: o.Json = None,
) -> None:
    """Print BibTeX to cite fasttree, or what a split criterion comes from."""
    if name is None:
        known = {"author": f"{{{AUTHORS}}}", "title": f"{{{TITLE}}}", "version": core_version()}
        entries = [_entry("software", "fasttree", known)]
    else:
        row = found(name)
        entries = [_entry_of(source, row["name"]) for source in row["source"].split("; ")]
    text = "\n\n".join(entries)
    emit(text, {"command": "cite", "bibtex": text}, json)


COMMANDS = ((cite, ("ftree cite", "ftree cite gain_ratio")),)
"""Commands with their examples."""

"""`ftree criteria`: a table of all split criteria, or the full description of one; `ftree cite`:
BibTeX of the software, or of the publications that criteria come from."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .._engine import core_version
from ..exports.bibtex import OF_COMPARISON, OF_PRESETS, SOFTWARE, publications
from . import options as o
from .bundles import examples
from .output import emit, table
from .shell import split_list


@examples("ftree criteria", "ftree criteria gain_ratio", "ftree criteria --evidence neighbours")
def criteria(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A criterion; without it all are listed.")
    ] = None,
    *,
    evidence: Annotated[
        str | None, "Only those on table, pairs, neighbours or rows; on a number: moments or order."
    ] = None,
    json: o.Json = None,
) -> None:
    """List the split criteria, or describe one with its formula, options and source."""
    from .._checks import choice, maybe
    from ..criteria import list_criteria
    from ..reports import render

    # One criterion in full, or a table of all, or of the criteria on one kind of evidence.
    if name is not None:
        emit(_described(criterion_record(name)), criterion_record(name), json)
        return
    known = list(list_criteria())
    kinds = sorted({row["evidence"] for row in known})
    maybe(choice(*kinds))("--evidence", evidence)
    rows = [row for row in known if evidence in (None, row["evidence"])]
    body = [[row["name"], row["target"], row["evidence"], _summary(row)] for row in rows]
    shown = table(
        f"{len(rows)} criteria; one in full: ftree criteria NAME",
        ["name", "target", "looks at", "what it is"],
        body,
    )
    emit(lambda: render(shown), {"command": "criteria", "rows": rows}, json)


def _summary(row: dict[str, Any]) -> str:
    """A criterion's class and its other names."""
    also = f" Also: {', '.join(row['aliases'])}." if row["aliases"] else ""
    return f"{row['summary']}{also}"


def criterion_record(name: str) -> dict[str, Any]:
    """The record of a criterion by its name, an alias or its class, as `list_criteria` has it.
    ValueError, with the most similar name, for another text."""
    from ..criteria import list_criteria, suggestion

    for row in list_criteria():
        if name in (row["name"], *row["aliases"], row["class_name"]):
            return row
    hint = suggestion(name)[0] or "ftree criteria lists them"
    raise ValueError(f"no criterion is named {name!r}; {hint}")


def _described(row: dict[str, Any]) -> str:
    """Name, formula, source, range and options of a criterion, as text."""
    from .._checks.declared import given_options
    from ..criteria import make
    from ..exports.tables.latex import plain_formula

    also = f" (also {', '.join(row['aliases'])})" if row["aliases"] else ""
    lines = [
        f"{row['name']}{also}: {row['summary']}",
        "",
        f"score     {plain_formula(row['formula'])}",
        f"distance  {plain_formula(row['distance'])}",
        f"source    {row['source']}",
        f"target    {row['target']}",
        f"looks at  {row['evidence']}",
        f"range     {_bound(row['lowest'])} to {_bound(row['highest'])}; larger is better",
    ]
    if row["evidence"] == "pairs":
        lines.append(
            "numbers   in 10 bins of equal width, unless `-p discretize=...` says otherwise"
        )
    for option in given_options(getattr(make(row["name"]), "info", {"options": ()})):
        lines.append(f"option    {option['name']} = {option['default']}: {option['doc']}")
    task = " --task regression" if row["target"] == "number" else ""
    lines += ["", f"ftree fit DATA -c {row['name']}{task}"]
    return "\n".join(lines)


def _bound(value: Any) -> str:
    return "unbounded" if value is None else f"{value:g}"


@examples("ftree cite", "ftree cite gain_ratio", "ftree cite gini 'pi(alpha=1)' CTREE compare")
def cite(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...",
            help="Criteria, as -c takes them, presets, or 'compare' for its tests; default: "
            "fasttree itself.",
        ),
    ] = None,
    *,
    json: o.Json = None,
) -> None:
    """Print BibTeX to cite fasttree, or what criteria, presets and tests come from."""
    keys: dict[str, None] = {}
    for text in split_list(names):
        if text == "compare":
            keys |= dict.fromkeys(OF_COMPARISON)
        elif text.upper() in OF_PRESETS:
            keys[OF_PRESETS[text.upper()]] = None
        else:
            keys |= dict.fromkeys(criterion_record(text.partition("(")[0])["publications"])
    entries = [publications()[key] for key in keys] or [SOFTWARE.format(core_version())]
    text = "\n\n".join(entries)
    emit(text, {"command": "cite", "bibtex": text}, json)

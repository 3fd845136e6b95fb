"""``ftree show``: a saved tree in any of its languages, to the screen or to a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from ..rendering.saving import save_bytes
from . import options as o
from .output import emit

__all__ = ["COMMANDS", "FORMS", "ModelFile", "Picture", "size_text", "sizes"]

ModelFile = Annotated[
    Path,
    typer.Argument(
        metavar="MODEL", help="A model file written by ftree fit --model.", show_default=False
    ),
]
Picture = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help="Draw a picture (PNG, SVG or PDF).")
]


FORMS: dict[str, Callable[[Any, int | None, int], str | bytes]] = {
    "text": lambda tree, depth, decimals: (
        f"{tree.criterion!r}: {size_text(tree)}\n\n{tree.to_text(decimals, depth)}"
    ),
    "j48": lambda tree, depth, decimals: tree.to_text(style="j48"),
    "rules": lambda tree, depth, decimals: tree.to_rules().to_text(decimals),
    "dot": lambda tree, depth, decimals: tree.to_dot(decimals, depth),
    "svg": lambda tree, depth, decimals: tree.to_svg(max_depth=depth, decimals=decimals),
    "sql": lambda tree, depth, decimals: tree.to_sql(),
    "python": lambda tree, depth, decimals: tree.to_python(),
    "c": lambda tree, depth, decimals: tree.to_c(),
    "onnx": lambda tree, depth, decimals: tree.to_onnx().SerializeToString(),
    "json": lambda tree, depth, decimals: tree.to_bytes().decode("utf-8"),
}
"""Formats of a tree, by name."""

WHOLE = ("j48", "rules", "sql", "python", "c", "onnx", "json")
"""Formats that tell the whole tree."""


def sizes(tree: Any) -> dict[str, int]:
    """Leaves, empty leaves, nodes and depth."""
    arrays = tree.tree_
    ends = arrays.n_children == 0
    return {
        "leaves": int(ends.sum()),
        "empty_leaves": int((ends & (arrays.n_node_samples == 0)).sum()),
        "nodes": int(arrays.node_count),
        "depth": tree.get_depth(),
    }


def size_text(tree: Any) -> str:
    """The sizes in words."""
    found = sizes(tree)
    empty = f" ({found['empty_leaves']} empty)" if found["empty_leaves"] else ""
    return f"{found['leaves']} leaves{empty}, {found['nodes']} nodes, depth {found['depth']}"


def show(
    model: ModelFile,
    *,
    form: Annotated[
        str,
        typer.Option(
            "--format", "--form", "-f", help=f"One of {', '.join(FORMS)} (json is the model file)."
        ),
    ] = "text",
    depth: Annotated[
        int | None, typer.Option("--depth", help="Deepest level shown (text, dot, svg and --plot).")
    ] = None,
    decimals: Annotated[int, typer.Option("--decimals", help="Digits of numbers for the eye.")] = 6,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write to a file; onnx needs one."),
    ] = None,
    plot: Picture = None,
    json: o.Json = None,
) -> None:
    """Print a saved tree, or turn it into rules, SQL, Python, C, ONNX or a picture."""
    from ..estimators import load_model

    if form not in FORMS:
        raise ValueError(f"--format {form!r} is not known; use {', '.join(FORMS)}")
    if form == "onnx" and out is None:
        raise ValueError("--format onnx is not text: name a file with --out FILE")
    if depth is not None and form in WHOLE and plot is None:
        raise ValueError(
            f"--depth is for text, dot, svg and --plot: --format {form} tells the whole tree"
        )
    tree = load_model(model)
    if hasattr(tree, "estimators_"):
        _show_forest(tree, model, form if plot is None else "--plot", out, json)
        return
    said = FORMS[form](tree, depth, decimals)
    document = {
        "command": "show",
        "model": str(model),
        "criterion": repr(tree.criterion),
        "classes": tree.classes_.tolist(),
        "features": list(tree._schema.names),
        **sizes(tree),
        "tree": tree.to_text(decimals, depth),
    }
    if plot is not None:
        from ..plots import detached, plot_tree

        with detached():
            ax = plot_tree(tree, max_depth=depth)
        ax.figure.savefig(plot, dpi=150)
    emit(_told(said, form, out), document, json)


def _told(said: str | bytes, form: str, out: Path | None) -> str:
    """What is printed: the text, or where it was written."""
    if out is None:
        return str(said)
    save_bytes(out, said if isinstance(said, bytes) else said.encode("utf-8"))
    return f"{form} written to {out}"


def _show_forest(forest: Any, model: Path, form: str, out: Path | None, json: Path | None) -> None:
    """A forest has no one tree to show: its sizes, its file or its ONNX graph."""
    if form not in ("text", "onnx", "json"):
        raise ValueError(
            f"{model} is a forest of {len(forest.estimators_)} trees: --format text, onnx and json "
            "are for forests; the others are for "
            "one tree (save one: forest.estimators_[0].save(FILE))"
        )
    nodes, leaves, depth = forest._model.shapes().mean(axis=0).tolist()
    document = {
        "command": "show",
        "model": str(model),
        "criterion": repr(forest.criterion),
        "classes": forest.classes_.tolist(),
        "features": list(forest._schema.names),
        "trees": len(forest.estimators_),
        "mean_leaves": leaves,
        "mean_nodes": nodes,
        "mean_depth": depth,
    }
    said: str | bytes = (
        f"{forest.criterion!r}: {document['trees']} trees; on average {leaves:.1f} leaves, "
        f"{nodes:.1f} nodes, depth {depth:.1f}"
    )
    if form != "text":
        said = FORMS[form](forest, None, 6)
    emit(_told(said, form, out), document, json)


COMMANDS = (
    (
        show,
        (
            "ftree show model.json",
            "ftree show model.json --format sql",
            "ftree show model.json --format svg -o tree.svg",
        ),
    ),
)
"""Commands with their examples."""

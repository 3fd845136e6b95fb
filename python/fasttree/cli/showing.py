"""`ftree show`: a saved tree as text, code, a picture or a page, on stdout or in a file.

`rows_for` reads rows of a file for a saved model, for `ftree predict`, too: columns are matched by
name, and the target is split off.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from .._checks import one_of
from .._checks.naming import shown_criterion, splits_by_significance
from .._checks.saving import save_bytes
from .._checks.words import counted
from ..exports import FORMATS
from ..exports.drawing import SHOW
from ..exports.reading import Reading
from ..exports.sql import DIALECTS
from ..table.dates import part_names
from ..table.file_cells import FileCells
from . import options as o
from .bundles import examples
from .output import check_writable, emit, save_picture
from .shell import split_list
from .streams import print_to_stderr

ModelFile = Annotated[
    Path,
    typer.Argument(
        metavar="MODEL", help="A model file written by ftree fit --model.", show_default=False
    ),
]
Picture = Annotated[Path | None, "--plot FILE", "Draw a picture (PNG, SVG or PDF)."]


@dataclass(frozen=True)
class Look:
    """The appearance of a picture of a tree, a bundle of options of `fit` and `show`."""

    title: Annotated[str, "Heading of the picture."] = ""
    decimals: Annotated[int, "Digits of numbers after the point, for the eye."] = 6
    fontsize: Annotated[float | None, "Size of names in the picture: points, in SVG files px."] = (
        None
    )
    show: Annotated[
        list[str] | None, "--show WORDS", f"What the picture also shows: {', '.join(SHOW)}."
    ] = None

    @property
    def keywords(self) -> dict[str, Any]:
        """The options as keywords of `to_svg` and `plot_tree`; `show` is a list, empty if the
        option is not given."""
        look = {"title": self.title, "decimals": self.decimals, "fontsize": self.fontsize}
        return {**look, "show": split_list(self.show)}

    def check(self, drawn: tuple[str, ...], where: str) -> None:
        """Refuse unknown words, and options that nothing takes.

        Args:
            drawn: names of the options that the picture takes; none where no picture is drawn.
            where: how to ask for a picture.
        """
        for word in split_list(self.show):
            one_of("show", word, SHOW)
        for name in ALL:
            if getattr(self, name) and name not in drawn:
                raise ValueError(f"--{name} is for pictures: {where}")


ALL = ("title", "fontsize", "show")
"""Options of `Look` that are for pictures alone."""


def model_of(file: Path, task: str | None = None) -> Any:
    """The model of a file.

    Args:
        file: the model file.
        task: the task that the user says it has; None: any.

    Raises:
        FileNotFoundError, ValueError: no such file, or no tree or forest, or of another task; the
            message says how to write one.
    """
    from .. import load
    from .._checks.aliases import TASKS
    from ..estimators.base import Estimator

    if not file.is_file():
        raise FileNotFoundError(
            f"{file}: there is no such model file; write one with ftree fit DATA --model FILE"
        )
    model = load(file)
    if not isinstance(model, Estimator):
        raise ValueError(
            f"{file} holds a {type(model).__name__}; the command reads trees and forests, "
            "fasttree.load reads it in Python"
        )
    if task is not None and one_of("task", task, TASKS) != model._task:
        raise ValueError(
            f"--task {task}: {file} holds a {type(model).__name__}, of {model._task}; fit another "
            "with ftree fit DATA --model FILE, or leave --task out"
        )
    return model


def sizes(tree: Any) -> dict[str, int]:
    """Leaves, empty leaves, nodes and depth of a tree, by name. Empty leaves are leaves that no
    training row reached."""
    arrays = tree.tree_
    is_leaf = arrays.n_children == 0
    return {
        "leaves": int(is_leaf.sum()),
        "empty_leaves": int((is_leaf & (arrays.n_node_samples == 0)).sum()),
        "nodes": int(arrays.node_count),
        "depth": tree.get_depth(),
    }


def tests_of(tree: Any) -> dict[str, list[float]]:
    """Statistic and p-value of each node by name, in pre-order, if tests have chosen the splits of
    the tree; else an empty dictionary."""
    if not splits_by_significance(tree):
        return {}
    return {name: getattr(tree.tree_, name).tolist() for name in ("statistic", "p_value")}


def text_of(tree: Any, decimals: int = 6, depth: int | None = None, **known: Any) -> str:
    """A tree as text, with p-values if tests have chosen its splits.

    Args:
        tree: the tree.
        decimals: digits of numbers behind the point, at most.
        depth: deepest level that is shown; None: all.
        **known: further arguments of `to_text`.
    """
    return str(tree.to_text(decimals, depth, p_values=bool(tests_of(tree)), **known))


def size_text(tree: Any) -> str:
    """The sizes in words, such as "5 leaves, 9 nodes, depth 3", with the number of empty leaves if
    there are any."""
    size = sizes(tree)
    empty = f" ({size['empty_leaves']} empty)" if size["empty_leaves"] else ""
    return (
        f"{counted(size['leaves'], 'leaf')}{empty}, {counted(size['nodes'], 'node')}, depth "
        f"{size['depth']}"
    )


@examples(
    "ftree show model.json",
    "ftree show model.json --form sql --dialect sqlite",
    "ftree show model.json --form svg -o tree.svg --show scores,counts",
    "ftree show model.json --html tree.html --data iris",
)
def show(
    model: ModelFile,
    *,
    form: Annotated[
        str, "--form -f", f"One of {', '.join(FORMATS)} (json is the model file)."
    ] = "text",
    format_: Annotated[str | None, typer.Option("--format", hidden=True)] = None,
    depth: Annotated[int | None, "Deepest level shown (text, dot, svg and --plot)."] = None,
    look: Look,
    dialect: Annotated[str | None, f"Of --form sql: {', '.join(DIALECTS)}."] = None,
    out: Annotated[Path | None, "--out -o FILE", "Write to a file; onnx needs one."] = None,
    plot: Picture = None,
    html: Annotated[Path | None, "--html FILE", "Write the model as an interactive page."] = None,
    data: Annotated[
        str | None,
        "--data DATA",
        "Rows for --html: histograms, rows to follow and candidates need them.",
    ] = None,
    task: o.TaskName = None,
    json: o.Json = None,
) -> None:
    """Print a saved tree, or turn it into rules, SQL, Python, C, ONNX, a picture or a page."""
    check_writable({"--out": out, "--plot": plot, "--html": html, "--json": json})
    if data is not None and html is None:
        raise ValueError("--data gives rows to the page: name its file with --html FILE")
    form = format_ or form
    _check_format(form, out, depth if plot is None else None)
    if dialect is not None and (form != "sql" or plot is not None or html is not None):
        raise ValueError("--dialect is for --form sql")
    drawn = ALL if form == "svg" or plot is not None else ("show",) if form == "dot" else ()
    look.check(() if html is not None else drawn, "--form svg or --plot FILE (dot has --show)")
    options = {name: look.keywords[name] for name in drawn if plot is None}
    if dialect is not None:
        options = {"dialect": dialect}
    # A page, a forest, or a tree in a format.
    tree = model_of(model, task)
    if html is not None:
        _write_page(tree, html, data, json)
        return
    is_forest = hasattr(tree, "estimators_")
    if is_forest:
        _check_of_forests(tree, model, form if plot is None else "--plot")
        head, facts = _of_forest(tree)
    else:
        head, facts = (
            size_text(tree),
            {**sizes(tree), **tests_of(tree), "tree": text_of(tree, look.decimals, depth)},
        )
    content: str | bytes = f"{shown_criterion(tree)}: {head}"
    is_picture = plot is not None and form == "text" and out is None
    if is_picture:
        content = f"{content!s}\nDrawn as {plot}"
    elif form != "text":
        content = FORMATS[form].show(tree, depth, look.decimals, **options)
    elif not is_forest:
        content = f"{content!s}\n\n{text_of(tree, look.decimals, depth)}"
    document = {
        "command": "show",
        "model": str(model),
        "task": tree._task,
        "criterion": shown_criterion(tree),
        "classes": list(tree._schema.classes),
        "features": list(tree._schema.names),
        **facts,
    }
    if plot is not None:
        draw(tree, plot, look, depth)
    emit(_stored(content, form, out), document, json)
    if form in PROGRAMS and plot is None and not is_forest:
        _say_inputs(tree, form)


PROGRAMS = ("sql", "python", "c", "onnx")
"""Forms that others run on their own rows."""


def _say_inputs(tree: Any, form: str) -> None:
    """Say on stderr which numbers of dates a program reads, and how to make them, and which numbers
    it takes as missing, as the file of the model said.

    Args:
        tree: the tree.
        form: the format of the program.
    """
    used = {tree._schema.names[f] for f in tree.tree_.feature.tolist() if f >= 0}
    made = [(part, *of) for part, of in tree._schema.date_parts.items() if part in used]
    quoted = [
        f"{part!r} ({word} of {name!r}{zone and f' in {zone}'}"
        f"{', 1: Monday' if word == 'weekday' else ''})"
        for part, name, word in made
        for zone in [tree._schema.dates[name].zone]
    ]
    if quoted and form != "sql":  # SQL takes them from the dates itself
        print_to_stderr(f"{form} reads numbers of dates: {'; '.join(quoted)}")
    if said := Reading(tree).sentinels_text:
        print_to_stderr(f"{form} reads numbers as missing, as the model does: {said}")


def _check_format(form: str, out: Path | None, depth: int | None) -> None:
    """Check the option ``--form`` together with the options that belong to it.

    Args:
        form: the format.
        out: the file of ``--out``; None: stdout.
        depth: deepest level that is shown; None: all.

    Raises:
        ValueError: an unknown format, one that needs a file, or a depth for one that has none.
    """
    one_of("--form", form, tuple(FORMATS))
    if FORMATS[form].binary and out is None:
        raise ValueError(f"--form {form} is not text: name a file with --out FILE")
    if depth is not None and FORMATS[form].whole:
        partial = ", ".join(name for name, one in FORMATS.items() if not one.whole)
        raise ValueError(f"--depth is for {partial} and --plot: --form {form} tells the whole tree")


def _write_page(model: Any, html: Path, data: str | None, json: Path | None) -> None:
    """Write the interactive page of a model.

    Args:
        model: the tree or forest.
        html: the file.
        data: file of rows that the page shows; None: no rows.
        json: file of the facts as JSON; None: it is not written.
    """
    rows = None if data is None else rows_for(model, data)
    if rows is not None and rows.target is None:
        raise ValueError(f"--data {data}: there is no column {model._schema.target!r}, the target")
    explorer = model.explore(rows)
    explorer.save(html)
    document = {"command": "show", "html": str(html), "kept": explorer.document["kept"]}
    emit(f"Written as a page: {html}; open it in a browser", document, json)


def _stored(content: str | bytes, form: str, out: Path | None) -> str:
    """Write the content to a file, if there is one.

    Args:
        content: text or bytes.
        form: its format.
        out: the file; None: it is not written.

    Returns:
        The text to print: the content, or a line on the file.
    """
    if out is None:
        return str(content)
    save_bytes(out, content if isinstance(content, bytes) else content.encode("utf-8"))
    return f"{form} written to {out}"


def draw(tree: Any, file: Path, look: Look, depth: int | None = None) -> None:
    """Draw a tree into a file.

    Args:
        tree: the tree.
        file: a picture, whose format follows from its name.
        look: how the picture is drawn.
        depth: deepest level that is shown; None: all.
    """
    save_picture(file, lambda: tree.plot(max_depth=depth, **look.keywords))


def _check_of_forests(forest: Any, model: Path, form: str) -> None:
    """Refuse a format that is for one tree.

    Args:
        forest: the forest.
        model: its file, for the error.
        form: the format, or ``--plot``.

    Raises:
        ValueError: the format is for one tree.
    """
    if form not in FORMATS or not FORMATS[form].forests:
        *most, last = (name for name, one in FORMATS.items() if one.forests)
        raise ValueError(
            f"{model} is a forest of {counted(len(forest.estimators_), 'tree')}: --form "
            f"{', '.join(most)} and {last} are for forests; the others are for one tree (save one: "
            "forest.estimators_[0].save(FILE))"
        )


def _of_forest(forest: Any) -> tuple[str, dict[str, Any]]:
    """The sizes of a forest in words, and as values."""
    nodes, leaves, depth = forest._model.shapes().mean(axis=0).tolist()
    n_trees = len(forest.estimators_)
    facts = {"trees": n_trees, "mean_leaves": leaves, "mean_nodes": nodes, "mean_depth": depth}
    words = f"on average {leaves:.1f} leaves, {nodes:.1f} nodes, depth {depth:.1f}"
    return f"{counted(n_trees, 'tree')}; {words}", facts


def rows_for(tree: Any, data: str, columns: o.Columns | None = None) -> Any:
    """New rows as a Table, with the model's target split off if the file has it.

    Args:
        tree: a fitted tree or forest.
        data: the file.
        columns: options on its columns. Cells that mean a missing value in the model's own training
            file do so in this one.
    """
    from ..datasets import load
    from ..estimators.labelled_rows import without_unknown_columns
    from ..estimators.matching import check_readable

    columns = columns or o.Columns()
    drop, schema = split_list(columns.drop), tree._schema
    missing = schema.file_cells.merged_with(FileCells.of(columns.reading.get("missing")))
    reading = {**columns.reading, "missing": missing, "as_given": False}
    target, names = schema.target, schema.given_names
    read = load(data, target=False, drop=drop, **reading)
    check_readable(schema, read)
    table = without_unknown_columns(schema, read)
    kept = {*table.feature_names, *part_names(read.dates)}
    drop = [*drop, *(name for name in read.feature_names if name not in kept)]
    # The target is a column of its name, or without names one column more than the features.
    if target in table.feature_names and target not in names:
        return load(data, target, drop, task=tree._task, **reading)
    if table.n_features == len(names) + 1 and not table.has_feature_names:
        return load(data, drop=drop, task=tree._task, **reading)
    return table

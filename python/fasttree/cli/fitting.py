"""`ftree fit`: a tree with its cross-validated accuracy, that of the majority class, and a hint.

The hint recommends pruning where a pruned tree is as accurate with fewer leaves.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from ..rendering.saving import save_text
from . import options as o
from .output import check_writable, emit, save_picture
from .showing import size_text, sizes

if TYPE_CHECKING:
    from ..estimators import FastTreeClassifier
    from ..table import Table

__all__ = ["COMMANDS", "majority_of", "majority_text"]

MOST_CLASSES = 100
"""More classes than this, each with fewer than five rows, are not cross-validated."""


ModelOut = Annotated[
    Path | None, typer.Option("--model", "-m", metavar="FILE", help="Save the model.")
]
Svg = Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Draw the tree as SVG.")]
Png = Annotated[
    Path | None,
    typer.Option("--png", metavar="FILE", help="Draw the tree as PNG (or PDF, by the name)."),
]
Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Write the tree as an interactive page."),
]

Depth = Annotated[int, typer.Option("--show-depth", help="Levels of the tree that are printed.")]
NoCv = Annotated[bool, typer.Option("--no-cv", help="Do not cross-validate (for many rows).")]


@dataclass
class Verdict:
    """Cross-validated accuracy of the tree, and of a pruned one where it is not pruned."""

    folds: str
    accuracy: float
    error: float
    """Standard error of the accuracy."""
    pruned_accuracy: float | None = None
    pruned_leaves: float | None = None
    """Mean number of leaves of the pruned tree."""

    @property
    def text(self) -> str:
        """The accuracy in words."""
        return f"accuracy {100 * self.accuracy:.2f} % ({self.folds} cross-validation)"


def majority_of(table: Table) -> tuple[Any, float]:
    """The most frequent class and its share of the rows."""
    counts = np.bincount(table.y_codes, minlength=len(table.classes))
    place = int(counts.argmax())
    return table.classes[place], float(counts[place]) / len(table)


def majority_text(table: Table) -> str:
    """The majority in words."""
    label, share = majority_of(table)
    return f"always answering {label!r}: {100 * share:.2f} %"


def judged(rows: Table, settings: dict[str, Any], n_jobs: int) -> Verdict | None:
    """Cross-validate a tree with the settings, and a pruned one where they have no pruning.

    None for fewer than ten rows, or far too many classes.
    """
    from ..estimators import FastTreeClassifier
    from ..model_selection import cross_validate

    n_classes, n_rows = len(rows.classes), len(rows)
    if n_rows < 10 or (n_classes > MOST_CLASSES and n_rows < 5 * n_classes):
        return None
    tree = FastTreeClassifier(**settings)
    methods: dict[str, Any] = {"tree": tree}
    if tree.pruning is None and not tree.ccp_alpha:
        methods["pruned"] = FastTreeClassifier(**{**settings, "pruning": "error_based"})
    folds = "1x10" if n_rows <= 20_000 else "1x5"
    try:  # some settings do not go with pruning: then the tree alone
        found = cross_validate(rows, estimators=methods, cv=folds, n_jobs=n_jobs, progress=True)
    except (ValueError, TypeError):
        found = cross_validate(
            rows, estimators={"tree": tree}, cv=folds, n_jobs=n_jobs, progress=True
        )
    accuracy = found.mean("tree", "accuracy")
    error = float(np.sqrt(max(accuracy * (1 - accuracy), 0.0) / n_rows))
    verdict = Verdict(folds, accuracy, error)
    if "pruned" in found:
        verdict.pruned_accuracy = found.mean("pruned", "accuracy")
        verdict.pruned_leaves = float(found["pruned"]["leaves"].mean())
    return verdict


def advice_of(verdict: Verdict | None, leaves: int) -> str | None:
    """A recommendation of pruning, if a pruned tree is as accurate within a standard error and has
    at least a fifth fewer leaves."""
    if verdict is None or verdict.pruned_accuracy is None or verdict.pruned_leaves is None:
        return None
    as_good = verdict.pruned_accuracy >= verdict.accuracy - verdict.error
    if not as_good or verdict.pruned_leaves > 0.8 * leaves:
        return None
    return (
        f"A pruned tree does as well or better: about {verdict.pruned_leaves:.0f} leaves, "
        f"{100 * verdict.pruned_accuracy:.2f} %: add -p pruning=error_based, or ask ftree advise."
    )


def warn_of_size(rows: Table, leaves: int) -> None:
    """Warn of hundreds of classes, and of trees with more than a leaf per five rows."""
    n_rows, n_classes = len(rows), len(rows.classes)
    if n_classes > MOST_CLASSES:
        warnings.warn(
            f"{n_classes:,} classes in {n_rows:,} rows: is {rows.target!r} a class? Name it with "
            "--target",
            stacklevel=2,
        )
    if n_rows >= 50 and leaves > n_rows / 5:
        # The column with the most levels is often the reason.
        widest = max(
            (column for column in rows.columns if column.levels is not None),
            key=lambda column: len(column.levels or ()),
            default=None,
        )
        hint = ""
        if widest is not None and len(widest.levels or ()) > 20:
            hint = f", --drop {widest.name} ({len(widest.levels or ()):,} levels)"
        warnings.warn(
            f"{leaves:,} leaves for {n_rows:,} rows: the tree learns rows by heart; prune it: "
            f"-p pruning=error_based{hint}, or ask ftree advise",
            stacklevel=2,
        )


def fit(
    data: o.DataFile,
    *,
    columns: o.Columns,
    criterion: o.Criterion = None,
    trees: o.Trees,
    model: ModelOut = None,
    svg: Svg = None,
    png: Png = None,
    html: Html = None,
    max_depth: Depth = 4,
    no_cv: NoCv = False,
    n_jobs: o.Jobs = -1,
    json: o.Json = None,
) -> None:
    """Grow a tree on a data file and print it, with its accuracy in cross-validation."""
    from ..estimators import FastTreeClassifier

    check_writable({"--model": model, "--svg": svg, "--png": png, "--html": html, "--json": json})
    rows = columns.table(data)
    settings = trees.settings()
    if criterion is not None:
        settings["criterion"] = o.criterion_of(criterion)
    # Fit and judge; the warning about levels comes in the words of the command line instead.
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*fewer than five rows a level")
        tree = FastTreeClassifier(n_jobs=n_jobs, **settings).fit(rows)
        verdict = None if no_cv else judged(rows, settings, n_jobs)
    leaves = tree.get_n_leaves()
    warn_of_size(rows, leaves)
    label, share = majority_of(rows)
    advice = advice_of(verdict, leaves)
    document = {
        "command": "fit",
        "data": repr(rows),
        "criterion": repr(tree.criterion),
        **sizes(tree),
        "accuracy": None if verdict is None else verdict.accuracy,
        "folds": None if verdict is None else verdict.folds,
        "majority": share,
        "majority_class": label,
        "advice": advice,
        "training_accuracy": tree.score(rows),
        "model": None if model is None else str(model),
        "tree": tree.to_text(),
    }
    # The same facts for people, with a line on each file.
    head = "not cross-validated" if verdict is None else verdict.text
    text = [
        f"{rows!r}",
        f"{document['criterion']}: {size_text(tree)}; {head}; {majority_text(rows)}",
        *([advice] if advice else []),
        "",
        tree.to_text(max_depth=max_depth).rstrip("\n"),
        *_written(tree, rows, model=model, svg=svg, png=png, html=html),
    ]
    emit("\n".join(text), document, json)


def _written(
    tree: FastTreeClassifier,
    rows: Table,
    *,
    model: Path | None,
    svg: Path | None,
    png: Path | None,
    html: Path | None,
) -> list[str]:
    """Write the files that were asked for; one line on each."""
    lines = []
    if model is not None:
        tree.save(model)
        lines += ["", f"Saved as {model}; use: ftree predict {model} DATA"]
    if svg is not None:
        save_text(svg, tree.to_svg())
        lines.append(f"Drawn as {svg}")
    if png is not None:
        save_picture(png, tree.plot)
        lines.append(f"Drawn as {png}")
    if html is not None:
        tree.explore(rows).save(html)
        lines.append(f"Written as a page: {html}; open it in a browser")
    return lines


COMMANDS = (
    (
        fit,
        (
            "ftree fit iris",
            "ftree fit iris -c gini -p max_depth=3 --svg tree.svg",
            "ftree fit iris --html tree.html",
            "ftree fit data.csv -t label -p pruning=error_based -m model.json",
        ),
    ),
)
"""Commands with their examples."""

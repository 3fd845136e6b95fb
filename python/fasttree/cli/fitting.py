"""`ftree fit`: a tree with its cross-validated accuracy or error, the accuracy or error of the best
constant, and a hint.

The hint recommends pruning where a pruned tree is as good with fewer leaves.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from .. import criteria
from .._checks.data_warnings import quiet
from .._checks.naming import shown_criterion, splits_by_significance
from .._checks.saving import save_text
from .._checks.words import argument, counted, in_text
from ..exports.answers import figures
from ..metrics.rare import RareClass, few_rows
from ..table.data_checks import inspect
from . import options as o
from .bundles import examples
from .folding import FoldColumns
from .output import check_writable, emit
from .shell import quoted
from .showing import ALL, Look, draw, size_text, sizes, tests_of, text_of
from .tasks import TASKS, Task, baseline_of, baseline_text, costs_said, varies

if TYPE_CHECKING:
    from ..model_selection import CrossValidation
    from ..table import Table

MOST_CLASSES = 100
"""More classes than this, each with fewer than five rows, are not cross-validated."""
MOST_NODES = 63
"""A tree of more nodes is refitted only as a whole: the shares of its tests come from whole
refits."""
FOLD_SEED = 0
"""Seed of the folds."""


@dataclass(frozen=True)
class Files:
    """The files that a fit writes, a bundle of options of `fit`."""

    model: Annotated[Path | None, "--model -m FILE", "Save the model."] = None
    svg: Annotated[Path | None, "--svg FILE", "Draw the tree as SVG."] = None
    png: Annotated[Path | None, "--png FILE", "Draw the tree as PNG (or PDF, by the name)."] = None
    html: Annotated[Path | None, "--html FILE", "Write the tree as an interactive page."] = None

    def write(self, tree: Any, rows: Table, look: Look, stability: Any) -> list[str]:
        """Write the files that were asked for.

        Args:
            tree: the fitted tree.
            rows: its rows.
            look: how pictures are drawn.
            stability: the result of refits; None if there are none.

        Returns:
            A line on each file.
        """
        lines = []
        if self.model is not None:
            tree.save(self.model)
            use = f"ftree predict {quoted(str(self.model))} DATA"
            lines += ["", f"Saved as {self.model}; use: {use}"]
        if self.svg is not None:
            save_text(self.svg, tree.to_svg(**look.keywords))
            lines.append(f"Drawn as {self.svg}")
        if self.png is not None:
            draw(tree, self.png, look)
            lines.append(f"Drawn as {self.png}")
        if self.html is not None:
            tree.explore(rows, stability=stability).save(self.html)
            lines.append(f"Written as a page: {self.html}; open it in a browser")
        return lines


Depth = Annotated[int, "--show-depth", "Levels of the tree that are printed."]
NoCv = Annotated[bool, "--no-cv", "Do not cross-validate (for many rows)."]


@dataclass(frozen=True)
class Verdict:
    """A cross-validation of the tree, and of a pruned one where nothing ends its growth, for the
    lines that `fit` prints."""

    found: CrossValidation
    task: Task
    folds: str
    by: str
    """The grouping or order that the folds follow, in words."""

    def measures(self, method: str = "tree") -> dict[str, float]:
        """Means over the folds of each metric of the task, by its name, for the tree or another
        method."""
        return {metric: self.found.mean(method, metric) for metric in self.task.metrics}

    def leaves(self, method: str = "tree") -> float:
        """Mean number of leaves over the folds, for the tree or another method."""
        return float(self.found[method]["leaves"].mean())

    @property
    def constant(self) -> dict[str, Any]:
        """The best constant answer for the rows that some fold tests, with the fields of
        `baseline_of`. The measures of the tree are compared with it."""
        constant: dict[str, Any] = self.found.settings["data"]["constant"]
        return constant

    @property
    def text(self) -> str:
        """The measures in words, with the folds that they are means over."""
        return f"{_said(self.measures())} ({self.folds} cross-validation{self.by})"

    def standard_error(self, n_rows: int) -> float:
        """The standard error of the metric that judges: binomial for an accuracy, from the folds
        for a mean of numbers."""
        values = self.found["tree"][self.task.judged_by]
        if self.task.judged_by == "accuracy":
            accuracy = float(values.mean())
            return float(np.sqrt(max(accuracy * (1 - accuracy), 0.0) / n_rows))
        return float(values.std(ddof=1) / np.sqrt(len(values)))


def _said(measures: dict[str, float]) -> str:
    """Measures in words."""
    if "accuracy" in measures:
        return f"accuracy {100 * measures['accuracy']:.2f} %"
    return f"R2 {measures['r2']:.3f}, MAE {figures(measures['mae'])}"


def judged(
    rows: Table, settings: dict[str, Any], n_jobs: int, fold_columns: FoldColumns
) -> Verdict | None:
    """Cross-validate a tree, and a pruned one where nothing ends its growth.

    Args:
        rows: the rows, with the column of groups of `fold_columns`.
        settings: parameters of the tree.
        n_jobs: threads.
        fold_columns: the columns of ``--groups`` and ``--time``.

    Returns:
        The verdict; None for fewer than ten rows, or far too many classes.
    """
    from ..estimators import FastTreeClassifier, FastTreeRegressor
    from ..model_selection import cross_validate

    n_classes, n_rows, task = len(rows.classes), len(rows), TASKS[rows.task]
    if n_rows < 10 or (n_classes > MOST_CLASSES and n_rows < 5 * n_classes):
        return None
    kind: Any = FastTreeRegressor if rows.task == "regression" else FastTreeClassifier
    tree = kind(**settings)
    methods: dict[str, Any] = {"tree": tree}
    if may_be_pruned(tree):
        methods["pruned"] = kind(**{**settings, "pruning": task.pruning})
    folds = "1x10" if n_rows <= 20_000 else "1x5"
    options: dict[str, Any] = {
        "cv": fold_columns.folds(folds),
        "groups": fold_columns.groups,
        "random_state": FOLD_SEED,
        "scoring": task.metrics,
        "n_jobs": n_jobs,
    }
    try:  # some settings do not go with pruning: then the tree alone
        validation = cross_validate(rows, estimators=methods, progress=True, **options)
    except (ValueError, TypeError):
        validation = cross_validate(rows, estimators={"tree": tree}, progress=True, **options)

    by = f" in the order of {fold_columns.time}" if fold_columns.time is not None else ""
    if fold_columns.groups is not None:
        by = f" by {fold_columns.groups}"
    return Verdict(validation, task, folds, by)


def may_be_pruned(tree: Any) -> bool:
    """Whether pruning is left to be recommended for a tree: it has the parameter, which is not
    given, and nothing else that ends its growth early."""
    params = tree.get_params(deep=False)
    has_none = params.get("pruning", "") is None and not params["ccp_alpha"]
    return has_none and not splits_by_significance(tree)


def advice_of(
    verdict: Verdict | None, rows: Table, pruned_leaves: Callable[[str], int]
) -> str | None:
    """A recommendation of pruning, if a pruned tree is as good within a standard error and has at
    least a fifth fewer leaves; or that no tree does better than the best constant of the rows.

    Args:
        verdict: the cross-validation.
        rows: all rows.
        pruned_leaves: the number of leaves of the tree of all rows, by the name of a pruning: folds
            may have other trees, for instance because honest rows are drawn anew.
    """
    if verdict is None or "pruned" not in verdict.found:
        return None
    metric, pruning = verdict.task.judged_by, verdict.task.pruning
    sign = 1 if metric == "accuracy" else -1  # of what is better
    tree, pruned = (sign * verdict.measures(one)[metric] for one in ("tree", "pruned"))
    leaves = verdict.leaves("pruned")
    if tree - pruned > verdict.standard_error(len(rows)) or leaves > 0.8 * verdict.leaves():
        return None
    said = _said(verdict.measures("pruned")).removeprefix("accuracy ")
    known = verdict.constant["majority" if metric == "accuracy" else "mae_of_mean"]
    if max(tree, pruned) <= sign * known:
        best = "the most frequent class" if metric == "accuracy" else "always saying the mean"
        return f"Neither this tree nor a pruned one does better than {best}."
    announced = pruned_leaves(pruning)
    if announced == 1:  # it asks nothing
        return None
    return (
        "A pruned tree is as good within one standard error: "
        f"{counted(announced, 'leaf')}, {said}: "
        f"add {in_text(argument('pruning', pruning))}, or ask ftree advise."
    )


def of_quantile(tree: Any) -> str | None:
    """A hint for a tree that predicts a quantile other than the median: the metric that judges it;
    None for other trees. R2 and MAE would call a good quantile bad."""
    criterion = tree.criterion
    if criteria.name_of(criterion) != "quantile" or getattr(criterion, "q", 0.5) == 0.5:
        return None
    return (
        f"The leaves predict the {criterion.q:g}-quantile, which R2 and MAE do not judge; "
        f"ftree cv --metric 'pinball(quantile={criterion.q:g})' does."
    )


def of_rare_class(rows: Table, settings: dict[str, Any]) -> str | None:
    """The metrics to compare trees by where one class is rare and errors have no costs, or which of
    several classes have too few rows; None elsewhere.

    Args:
        rows: the rows.
        settings: parameters of the tree.
    """
    if rows.task == "regression" or settings.get("cost_matrix") is not None:
        return None
    counts = np.bincount(rows.y_codes, minlength=len(rows.classes))
    few = few_rows(counts, rows.classes) if len(rows.classes) > 2 else ""
    if few:
        return few
    rare = RareClass.of(counts, rows.classes)
    if rare is None:
        return None
    metrics = " or ".join(f"`--metric {shell}`" for _, shell in rare.proposals())
    return (
        f"{rare.head()}; the accuracy says little "
        f"about this class: compare trees by ftree advise or ftree cv {metrics}, or give the trees "
        f"costs: {argument('cost_matrix', '...')} ({o.COST_ORDER})."
    )


def warn_of_size(rows: Table, tree: Any) -> None:
    """Warn of numbers as classes, of hundreds of classes, and of trees with more than a leaf per
    five rows, with the remedies that the tree does not have yet.

    Args:
        rows: the rows.
        tree: the fitted tree.
    """
    n_rows, n_classes, leaves = len(rows), len(rows.classes), tree.get_n_leaves()
    asked = inspect(rows, "as_given").of("numbers_as_classes")  # by the fit
    if n_classes > MOST_CLASSES and not asked:
        warnings.warn(
            f"{counted(n_classes, 'class')} in {counted(n_rows, 'row')}: is {rows.target!r} a "
            "class? Name it with --target",
            stacklevel=2,
        )
    if n_rows >= 50 and leaves > n_rows / 5:
        # The column with the most levels is often the reason.
        pairs = zip(rows.columns, tree._schema.unused, strict=False)
        levels = {one.name: len(one.levels or ()) for one, why in pairs if why is None}
        widest, remedies = max(levels, key=lambda name: levels[name], default=""), []
        if may_be_pruned(tree):
            pruning = argument("pruning", TASKS[rows.task].pruning)
            remedies.append(f"prune it: {in_text(pruning)}, or ")
        if levels.get(widest, 0) > 20:
            has = counted(levels[widest], "level")
            drop = argument("drop", [widest])
            remedies.append(f"leave out {widest!r} ({has}): {in_text(drop)}, or ")
        warnings.warn(
            f"{counted(leaves, 'leaf')} for {counted(n_rows, 'row')}: the tree memorises rows "
            f"(overfits); {''.join(remedies)}ask ftree advise",
            stacklevel=2,
        )


@examples(
    "ftree fit iris",
    "ftree fit iris -c gini -p max_depth=3 --svg tree.svg --title Irises",
    "ftree fit iris --optimal -p max_depth=3",
    "ftree fit iris --stability 100",
    "ftree fit iris --html tree.html",
    "ftree fit data.csv -t label -p pruning=error_based -m model.json",
    "ftree fit prices.csv -t price --task regression -p max_leaf_nodes=20",
)
def fit(
    data: o.DataFile,
    *,
    columns: o.Columns,
    criterion: o.Criterion = None,
    trees: o.Trees,
    fold_columns: FoldColumns,
    files: Files,
    look: Look,
    optimal: Annotated[
        bool, "--optimal", "Search for the best tree instead of growing one."
    ] = False,
    max_depth: Depth = 4,
    no_cv: NoCv = False,
    stability: o.Stability = None,
    n_jobs: o.Jobs = -1,
    json: o.Json = None,
) -> None:
    """Grow a tree on a data file and print it, with its accuracy or error in cross-validation.

    With --optimal the tree is searched for, within the limits of -p (max_depth=3, for instance),
    and it is said how far it can be from the best at most; it is not cross-validated.
    """
    from ..estimators.exact import optimal_tree
    from ..estimators.stability import sample_for
    from ..estimators.tree import fit as grown

    outputs = {**vars(files), "json": json}
    check_writable({f"--{name}": file for name, file in outputs.items()})
    look.check(ALL if files.svg or files.png else (), "--svg FILE or --png FILE")
    settings = _settings(columns, trees, criterion, optimal=optimal)
    fold_columns.check()
    fold_columns.skip_search_for_groups()
    whole = columns.table(data, [settings.get("criterion")], settings, aside=fold_columns.names)
    whole = fold_columns.ordered_rows(whole, data)
    rows = whole if fold_columns.groups is None else whole.drop(fold_columns.groups)
    groups = fold_columns.groups and list(whole.column(fold_columns.groups).labels())
    drawn: dict[str, Any] = {}
    if settings.get("honest"):
        settings.setdefault("random_state", 0)
        drawn = {"groups": groups}
    # Fit and judge; warnings about levels come in the words of the command line.
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*fewer than five rows a level")
        if optimal:
            tree: Any = optimal_tree(rows, **{"n_jobs": n_jobs, **settings})
        else:
            tree = grown(rows, task=rows.task, n_jobs=n_jobs, **settings, **drawn)
        with quiet():  # the fit has warned of the columns
            is_constant = rows.task == "regression" and not varies(rows.numbers)
            unjudged = no_cv or optimal or is_constant
            verdict = None if unjudged else judged(whole, settings, n_jobs, fold_columns)
    refits = None
    if stability is not None:
        options: dict[str, Any] = {"sample": sample_for(tree), "groups": groups, "n_jobs": n_jobs}
        options["nodes"] = tree.n_nodes_ <= MOST_NODES
        refits = tree.stability(rows, repeats=stability, progress=True, **options)
    warn_of_size(rows, tree)

    def pruned_leaves(pruning: str) -> int:
        again = {"n_jobs": n_jobs, **settings, **drawn, "pruning": pruning}
        with quiet():
            return int(grown(rows, task=rows.task, **again).get_n_leaves())

    advice = of_quantile(tree) or advice_of(verdict, rows, pruned_leaves)
    rare = of_rare_class(rows, settings)
    constant = baseline_of(rows) if verdict is None else verdict.constant
    order = [] if verdict is None else fold_columns.time_order_advice(data, rows)
    main = TASKS[rows.task].metrics[0]
    document = {
        "command": "fit",
        "data": repr(rows),
        "task": rows.task,
        "criterion": shown_criterion(tree),
        **sizes(tree),
        **tests_of(tree),
        **(dict.fromkeys(TASKS[rows.task].metrics) if verdict is None else verdict.measures()),
        "folds": None if verdict is None else verdict.folds,
        "folds_random_state": FOLD_SEED,
        "random_state": tree.get_params().get("random_state"),
        **constant,
        "advice": advice,
        "rare_class_hint": rare,
        **({"gap": tree.gap_, "proven": tree.proven_} if optimal else {}),
        f"training_{main}": tree.score(rows),
        "model": None if files.model is None else str(files.model),
        "tree": text_of(tree),
        **({} if refits is None else {"stability": refits.to_dict()}),
    }
    # The same facts for people, with a line on each file.
    head = verdict.text if verdict is not None else "not cross-validated"
    if verdict is None and constant.get("mae_of_mean") == 0.0:
        head = "all numbers are equal: R2 has no meaning"
    n_left_out = sum(bool(why) and not why.startswith("dates") for why in tree._schema.unused)
    text = [
        f"{rows!r}" + (f"; {counted(n_left_out, 'feature')} left out" if n_left_out else ""),
        f"{document['criterion']}: {size_text(tree)}; {head}; {baseline_text(constant)}",
        *filter(None, (advice, rare)),
        *order,
        *costs_said([rows], settings),
        *_held_out(rows, tree),
        *([_proof(tree)] if optimal else []),
        "",
        text_of(
            tree,
            look.decimals,
            max_depth,
            stability=refits,
            intervals=tree.leaf_intervals() if settings.get("honest") else None,
        ).rstrip("\n"),
        *([] if refits is None else ["", refits.to_text().rstrip("\n")]),
        *files.write(tree, rows, look, refits),
    ]
    emit("\n".join(text), document, json)


def _settings(
    columns: o.Columns, trees: o.Trees, criterion: str | None, *, optimal: bool
) -> dict[str, Any]:
    """The parameters of the tree.

    Args:
        columns: options on columns.
        trees: options of trees.
        criterion: the option ``--criterion``; None: it is not given.
        optimal: whether the tree is searched for.

    Raises:
        ValueError: a preset for a search, or a parameter that it does not have.
    """
    from ..estimators.exact import OptimalTreeClassifier

    if optimal and trees.preset is not None:
        raise ValueError(
            f"--preset {trees.preset} with --optimal: presets are parameters of trees that grow; "
            "give parameters of the search by -p, such as -p max_depth=3"
        )
    known = OptimalTreeClassifier._get_param_names() if optimal else None
    settings = {"columns": columns.treatment, **trees.settings(known)}
    if criterion is not None:
        named = {criterion: o.criterion_of(criterion)}
        [settings["criterion"]] = o.compared(named, (), settings).values()
    return settings


def _held_out(rows: Table, tree: Any) -> list[str]:
    """A line on how many rows a pruning has held out, which the counts in the tree are without.

    Args:
        rows: the rows.
        tree: the fitted tree.
    """
    pruning, n_held = getattr(tree, "pruning", None), len(rows) - int(tree.tree_.n_node_samples[0])
    if "reduced_error" not in (pruning, getattr(pruning, "name", "")) or n_held <= 0:
        return []
    return [
        f"reduced_error held out {counted(n_held, 'row')} to prune the tree; its counts are those "
        "of the others."
    ]


def _proof(tree: Any) -> str:
    """The proven bounds of an optimal tree, in words."""
    if tree.proven_:
        return "Proven: no tree within the limits is better on these rows."
    return f"Not proven: the best tree may be better by {100 * tree.gap_:.1f} % of the loss."

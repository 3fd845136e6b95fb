"""`render_html`: the content of an HTML report, in order; the templates have the layout.

A page has the result in words, tables over all data sets, and for each data set its classes,
curves, confusions and trees; the end states how to repeat the run. Names of data sets, methods,
classes and features come from files and may hold anything: the templates escape all text, SVG is
made of escaped text, and a content security policy forbids all scripts but the page's own. Cost:
fits of the trees on all rows, and O(test rows) for the curves.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field
from importlib import resources
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._checks import at_least_zero, checked, import_optional, maybe, one_value, path_of, whole_in
from ..._checks.plain_text import one_line
from ..._checks.saving import save_text
from ..._checks.words import counted
from ...exports.explorer import component
from ...exports.palette import css_colours
from ...exports.tables.table import (
    PERCENT,
    Cell,
    ReportTable,
    number,
    report_table,
    scale_of,
    tables_of,
)
from . import settings
from .charts import STYLES, Series, line_chart, nice_ticks, rank_note, rank_svg
from .confusion import confusion_of
from .curves import Panel, curve_panels
from .finding import METHODS, finding, listed, paragraph
from .trees import trees_of

if TYPE_CHECKING:
    from ...model_selection.comparison import Comparison
    from ...model_selection.learning_curve import LearningCurve
    from ...model_selection.parameter_sweep import Sweep
    from ...model_selection.result import CrossValidation

TREE_NODES = 1500
"""Largest number of nodes of all trees on a page, which keeps it below two megabytes."""

WIDE = 520
"""Width of learning curves, px."""


@dataclass
class Page:
    """The content of a page, as the template reads it: texts, tables and charts that are already
    made. Empty parts are not shown."""

    title: str
    summary: list[str]
    methods: list[str]
    paper: str = ""
    tables: list[ReportTable] = field(default_factory=list)
    ranks: str = ""
    bars: str = ""
    charts: list[Panel] = field(default_factory=list)
    sections: list[dict[str, Any]] = field(default_factory=list)
    facts: list[tuple[str, str]] = field(default_factory=list)
    made: list[tuple[str, str]] = field(default_factory=list)
    again: str = ""


def _value(value: float, metric: str) -> str:
    """A value of a metric as text, with the unit.

    Args:
        value: the value, as the metric gives it.
        metric: name of the metric.
    """
    factor, digits, _ = scale_of(metric)
    return number(factor * value, digits) + (" %" if metric in PERCENT else "")


def _best_of(result: CrossValidation, metric: str) -> str:
    """A clause on the methods with the best mean of a metric.

    Args:
        result: the cross-validation.
        metric: name of the metric.
    """
    means = np.array([result.mean(method, metric) for method in result.methods])
    if not np.isfinite(means).any():
        return f"no method has a finite mean {metric}"
    sign = 1.0 if result.directions.get(metric, True) else -1.0
    top = float(np.nanmax(sign * means)) * sign
    best = [
        method
        for method, value in zip(result.methods, means, strict=True)
        if np.isclose(value, top, rtol=1e-12)
    ]
    word = "highest" if sign > 0 else "lowest"
    verb = "has" if len(best) == 1 else "have"
    return f"{listed(best)} {verb} the {word} mean {metric} ({_value(top, metric)})"


def _lead(result: CrossValidation, facts: dict[str, Any]) -> str:
    """The line on size and target of a data set.

    Args:
        result: the cross-validation.
        facts: the facts of the data, as `settings.data_facts` gives them.
    """
    if facts["rows"] is None:
        return str(facts["target"])
    features = "" if facts["features"] is None else f"{counted(facts['features'], 'feature')}, "
    return f"{counted(facts['rows'], 'row')}, {features}{facts['target']}"


def _section(result: CrossValidation, key: str, *, nodes: int, sentences: bool) -> dict[str, Any]:
    """The content of the section of one data set, as the template reads it.

    Args:
        result: the cross-validation.
        key: identifier of the section in the page.
        nodes: largest number of nodes of a tree that is drawn; 0: no trees.
        sentences: whether tests against the first method are told in sentences.
    """
    facts = settings.data_facts(result)
    of_classes = result.task == "classification"
    panels = curve_panels(result)
    trees, texts = trees_of(result, nodes, f"{key}-trees") if nodes else ("", [])
    without = "No class probabilities were kept: run with keep_proba=True for ROC and calibration"
    return {
        "key": key,
        "name": result.name or "the data",
        "lead": _lead(result, facts),
        "sentences": [test.sentence for test in result.against_first()] if sentences else [],
        "tables": result.tables(),
        "panels": panels,
        "missing": "" if panels else f"{without} curves.",
        "per_class": result.tables(per_class=True)[1:] if of_classes else [],
        "confusions": [confusion_of(result, name) for name in result.methods if of_classes],
        "trees": trees,
        "texts": texts,
        "facts": facts,
    }


def _posterior_table(result: Comparison, rope: float) -> ReportTable:
    """Probabilities that each method is worse, equal in practice, better than the baseline.

    Args:
        result: the comparison.
        rope: difference of the metric up to which methods are equal in practice.
    """
    values = result.posterior(rope=rope)
    others = [j for j, method in enumerate(result.methods) if method != result.baseline]
    rows = []
    for i, dataset in enumerate(result.datasets):
        cells: list[Any] = [dataset]
        for j in others:
            worse, equal, better = values[i, j].tolist()
            sure = max(worse, equal, better) > 1 - result.alpha
            text = "-" if np.isnan(worse) else f"{worse:.2f} / {equal:.2f} / {better:.2f}"
            cells.append(Cell(text, bool(sure)))
        rows.append(cells)
    factor = scale_of(result.metric).factor
    unit = "" if result.metric not in PERCENT else " point" if factor * rope == 1 else " points"
    return report_table(
        "How probable is a difference that matters?",
        ["data set", *(result.methods[j] for j in others)],
        rows,
        f"Probability of worse / equal in practice / better than {result.baseline} (Bayesian "
        f"correlated t test); equal: within {factor * rope:g}{unit}. Emphasised where one of them "
        f"exceeds {1 - result.alpha:g}.",
    )


def _comparison_summary(result: Comparison) -> list[str]:
    n, k = result.means.shape
    order = np.argsort(
        -result.averages if result.greater_is_better else result.averages, kind="stable"
    )
    best = int(order[0])
    out = [
        finding(result),
        f"{counted(k, 'method')} on {counted(n, 'data set')}, "
        f"{next(iter(result.results.values())).settings['cv']} "
        f"cross-validation on the same folds, compared by {result.metric}: {result.methods[best]} "
        "has the best average "
        f"({_value(float(result.averages[best]), result.metric)}).",
    ]
    parts = []
    for j, method in enumerate(result.methods):
        wins, _, losses = (int(x) for x in result.wins_ties_losses[j])
        if method != result.baseline and wins + losses:
            parts.append(f"{method} is significantly better on {wins} and worse on {losses}")
    if parts:
        out.append(f"Against {result.baseline}: {'; '.join(parts)} of {n}, each tested alone.")
    elif k > 1:
        out.append(f"Against {result.baseline} no method is significantly better or worse on any.")
    if result.is_ranked:
        out.append(result.friedman().sentence)
    return out


def _comparison_page(result: Comparison, title: str, nodes: int, rope: float | None) -> Page:
    """The content of the page of a comparison.

    Args:
        result: the comparison.
        title: title of the page; empty: a usual one.
        nodes: largest number of nodes of a tree that is drawn; 0: no trees.
        rope: difference of the metric up to which methods are equal in practice; None: no
            probabilities of that.
    """
    n, k = result.means.shape
    first = next(iter(result.results.values()))
    page = Page(
        title or f"Comparison of {METHODS[first.task]}",
        _comparison_summary(result),
        list(result.methods),
    )
    page.paper = paragraph(result)
    page.tables = result.tables()
    # Tables of the other metrics, and of the tree sizes if all methods are trees.
    shown = [m for m in first.metrics if m != result.metric]
    if all(np.isfinite(one.matrix("leaves")).all() for one in result.results.values()):
        shown += [m for m in ("leaves",) if m not in (*shown, result.metric)]
    page.tables += [table for metric in shown for table in result.with_metric(metric).tables()[:1]]
    # Probabilities of a difference that matters: of more than one percentage point by default.
    if rope is None and result.metric in PERCENT:
        rope = 0.01
    if rope is not None and k > 1:
        page.tables.append(_posterior_table(result, rope))
    if result.is_ranked:
        ranked = result.friedman()
        page.ranks, page.bars = rank_svg(ranked), rank_note(ranked)
    # The nodes of a page are divided among its trees.
    share = max(9, min(80, nodes // max(1, n * k))) if nodes else 0
    page.sections = [
        _section(one, f"set-{place}", nodes=share, sentences=False)
        for place, one in enumerate(result.results.values(), 1)
    ]
    page.facts = [
        ("baseline", result.baseline),
        ("test", result.test if isinstance(result.test, str) else repr(result.test)),
        ("level", f"{result.alpha:g}"),
        *settings.protocol_facts(first),
    ]
    page.made, page.again = (
        settings.methods_of(first),
        settings.run_again(first, "compare", list(result.results.values())),
    )
    return page


def _validation_page(result: CrossValidation, title: str, nodes: int) -> Page:
    """The content of the page of a cross-validation.

    Args:
        result: the cross-validation.
        title: title of the page; empty: a usual one.
        nodes: largest number of nodes that are drawn, of all methods together but at most 200 of
            each; 0: no trees.
    """
    name = result.name or "the data"
    metric = result.metrics[0]
    summary = [
        f"{counted(len(result), 'method')} on {name}, "
        f"{counted(len(result.folds.pairs), 'fold')} "
        f"({result.folds.description}): {_best_of(result, metric)}."
    ]
    share = min(200, nodes // max(1, len(result))) if nodes else 0
    page = Page(title or f"Cross-validation of {name}", summary, list(result.methods))
    page.sections = [_section(result, "set-1", nodes=share, sentences=True)]
    page.facts, page.made = settings.protocol_facts(result), settings.methods_of(result)
    page.again = settings.run_again(result, "cross_validate")
    return page


def _chart(lines: list[Series], metric: str, xlabel: str, title: str) -> list[Panel]:
    """Means of a metric as lines over a number; no chart where no mean is finite.

    Args:
        lines: the lines.
        metric: name of the metric.
        xlabel: label of the horizontal axis.
        title: text for screen readers.
    """
    every = np.array([y for line in lines for y in line.y])
    every = every[np.isfinite(every)]
    if not every.size:
        return []
    label = scale_of(metric).label
    svg = line_chart(
        lines,
        xlabel=xlabel,
        ylabel=label,
        title=title,
        x_ticks=nice_ticks(0, max(x for line in lines for x in line.x)),
        y_ticks=nice_ticks(float(every.min()), float(every.max())),
        width=WIDE,
        height=320,
    )
    return [Panel(label, svg, [(line.place, line.name) for line in lines], WIDE)]


def _sweep_page(result: Sweep, title: str) -> Page:
    """The content of the page of a sweep.

    Args:
        result: the sweep.
        title: title of the page; empty: a usual one.
    """
    validation = result.result
    name = validation.name or "the data"
    page = Page(title or f"Settings of pair criteria on {name}", [], list(validation.methods))
    metric, best = validation.metrics[0], result.best
    chosen = validation.methods[result.settings.index({k: best[k] for k in result.settings[0]})]
    page.summary = [
        f"{chosen} has the best mean {metric} ({_value(best[metric], metric)}) of "
        f"{counted(len(result), 'setting')} on {name}.",
        f"{counted(len(validation.folds.pairs), 'fold')} ({validation.folds.description}).",
    ]
    if len(result) > 1:
        page.summary[1] += (
            " The best of several settings is optimistic: choose a setting on training folds alone."
        )
    labels, _, places, across = result.layout()
    if across in ("alpha", "radius") and len(labels) <= STYLES and places.shape[1] > 1:
        for metric in validation.metrics:
            factor = scale_of(metric).factor
            lines = []
            for place, (label, row) in enumerate(zip(labels, places.tolist(), strict=True)):
                by_alpha = sorted((result.settings[i]["alpha"], i) for i in row if i >= 0)
                alphas = [alpha for alpha, _ in by_alpha]
                methods = [validation.methods[i] for _, i in by_alpha]
                means = [factor * validation.mean(method, metric) for method in methods]
                lines.append(Series(label, place, alphas, means, dots=True))
            page.charts += _chart(lines, metric, across, f"{metric} by {across}")
    page.tables = result.tables()
    page.facts, page.made = settings.protocol_facts(validation), settings.methods_of(validation)
    page.again = settings.run_again(validation, "cross_validate")
    return page


def _learning_page(result: LearningCurve, title: str) -> Page:
    """The content of the page of learning curves.

    Args:
        result: the learning curves.
        title: title of the page; empty: a usual one.
    """
    validation = result.result
    name = validation.name or "the data"
    last = result.train_sizes[-1]
    page = Page(title or f"Learning curves on {name}", [], list(result.methods))
    rows = result.records()
    for metric in validation.metrics:
        sign = 1.0 if validation.directions.get(metric, True) else -1.0
        best = max(
            (row for row in rows if row["metric"] == metric and row["n_train"] == last),
            key=lambda row: sign * row["mean"],
        )
        page.summary.append(
            f"With {last} training rows {best['method']} has the best mean {metric} "
            f"({_value(best['mean'], metric)})."
        )
        factor = scale_of(metric).factor
        lines = []
        for place, method in enumerate(result.methods):
            of_method = [row for row in rows if row["metric"] == metric and row["method"] == method]
            sizes = [row["n_train"] for row in of_method]
            values = [factor * row["mean"] for row in of_method]
            lines.append(Series(method, place, sizes, values, dots=True))
        page.charts += _chart(lines, metric, "training rows", f"Learning curves, {metric}")
    page.tables = result.tables()
    page.facts, page.made = settings.protocol_facts(validation), settings.methods_of(validation)
    return page


def environment() -> Any:
    """Return jinja2's environment with this package's templates and escaping on; ImportError names
    the extra where jinja2 is not installed."""
    jinja2 = import_optional("jinja2", "HTML reports need jinja2: pip install 'fasttree[report]'")
    loader = jinja2.FunctionLoader(_template)
    made = jinja2.Environment(
        loader=loader,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    made.finalize = lambda value: one_line(value) if type(value) is str else value
    return made


def _template(name: str) -> str:
    return (resources.files(__package__) / "templates" / name).read_text(encoding="utf-8")


@checked(max_nodes=whole_in(0), rope=maybe(at_least_zero), path=maybe(path_of), trees=one_value)
def render_html(
    result: Any,
    path: str | PathLike[str] | None = None,
    *,
    title: str = "",
    trees: bool = True,
    max_nodes: int = TREE_NODES,
    rope: float | None = None,
) -> str:
    """Return a result as one HTML page without links to anything outside; also written to `path` if
    given.

    Args:
        result: a `Comparison`, `CrossValidation`, `LearningCurve` or `Sweep`, or anything else that
            has tables: they alone make its page.
        path: file to write (UTF-8).
        title: heading; by default it names the kind of the result.
        trees: fit the trees among the methods on all rows and draw them.
        max_nodes: nodes of all trees together; deeper ones are cut, and say so.
        rope: differences that mean nothing, for the Bayesian table of a comparison, in the metric's
            units; None: 0.01 for accuracy and its kin, no table for other metrics.

    Raises:
        ImportError: jinja2 is not installed.
        TypeError: something that is no result.
        ValueError: a negative `max_nodes`.

    Examples:
        >>> from fasttree import datasets
        >>> from fasttree.model_selection import cross_validate
        >>> page = render_html(cross_validate(datasets.load_iris(), cv="2x3", keep_proba=True))
        >>> (
        ...     page.startswith("<!doctype html>"),
        ...     "http:" in page.replace("http://www.w3.org/2000/svg", ""),
        ... )
        (True, False)
    """
    templates = environment()
    nodes = max_nodes if trees else 0
    kind = getattr(result, "kind", None)
    if kind == "comparison":
        page = _comparison_page(result, title, nodes, rope)
    elif kind == "cross_validation":
        page = _validation_page(result, title, nodes)
    elif kind == "learning_curve":
        page = _learning_page(result, title)
    elif kind == "sweep":
        page = _sweep_page(result, title)
    else:
        page = Page(title or "Result", [], [], tables=tables_of(result))
    style, explorer = component()
    script = _template("report.js") + explorer
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    text: str = templates.get_template("page.html").render(
        page=page,
        style=css_colours(_template("report.css"), "m") + style,
        script=script,
        digest=digest,
        styles=STYLES,
    )
    if path is not None:
        save_text(path, text)
    return text

"""Commands that compare criteria: cv on one data set, compare over several."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from . import options as o
from .fitting import majority_of, majority_text
from .output import emit
from .placing import Cluster, JournalFile, client_at

__all__ = ["COMMANDS", "DEFAULT_CRITERIA", "default_sets"]

DEFAULT_CRITERIA = ("info_gain", "gain_ratio", "gini", "mantaras")

Cv = Annotated[
    str,
    typer.Option(
        "--cv",
        help="Folds: 10x10 (repetitions x folds), 5x10, 5x2, weka (Weka's own 10 x 10), or 10.",
    ),
]
Scoring = Annotated[
    list[str] | None,
    typer.Option(
        "--scoring", "-s", help="Metrics, with commas: accuracy, f_beta, auc, leaves, log_loss, ..."
    ),
]


def default_sets(smallest: int = 100) -> list[str]:
    """The bundled data sets that have enough rows to be cross-validated.

    >>> "iris" in default_sets(), "weather" in default_sets()
    (True, False)
    """
    from ..datasets import list_datasets

    return [str(one["name"]) for one in list_datasets() if one["rows"] >= smallest]


Html = Annotated[
    Path | None,
    typer.Option(
        "--html", metavar="FILE", help="Write one self-contained HTML page, with curves and trees."
    ),
]


def _check_page(file: Path | None) -> None:
    """Refuse a page that could not be written, before anything runs."""
    if file is not None:
        from ..reports.html.page import environment

        environment()
        if not file.absolute().parent.is_dir():
            raise FileNotFoundError(f"--html {file}: the folder {file.parent} does not exist")


def _write_page(result: Any, file: Path | None) -> None:
    """Write the page if it was asked for."""
    if file is not None:
        result.to_html(file)


def cv(
    data: o.DataFile,
    *,
    target: o.Target = None,
    drop: o.Drop = None,
    nominal: o.Nominal = None,
    decimal: o.Decimal = None,
    missing: o.Missing = None,
    criteria: o.Criteria = None,
    folds: Cv = "5x10",
    scoring: Scoring = None,
    preset: o.Preset = None,
    param: o.Params = None,
    form: o.Form = "text",
    seed: o.Seed = 0,
    n_jobs: o.Jobs = -1,
    per_class: Annotated[
        bool,
        typer.Option("--per-class", help="Also the measures of every class, as Weka prints them."),
    ] = False,
    html: Html = None,
    cluster: Cluster = None,
    journal: JournalFile = None,
    json: o.Json = None,
) -> None:
    """Cross-validate split criteria on one data set, all on the same folds."""
    from ..model_selection import cross_validate
    from ..reports import render

    o.check_form(form)
    _check_page(html)
    rows = o.table_of(data, target, drop, nominal, decimal=decimal, missing=missing)
    settings = settings_of(param, preset)
    with client_at(cluster) as client:
        result = cross_validate(
            rows,
            criterion=o.criteria_of(criteria, DEFAULT_CRITERIA),
            cv=o.fold_count(folds),
            scoring=o.split_list(scoring) or ["accuracy"],
            random_state=seed,
            n_jobs=n_jobs,
            progress=True,
            keep_proba=html is not None or per_class,
            on_error=_on_error(criteria),
            client=client,
            journal=journal,
            **settings,
        )
    _write_page(result, html)
    more = {"per_class": True} if per_class and form not in ("csv", "json") else {}
    label, share = majority_of(rows)
    document = {**result.document(), "majority": share, "majority_class": label}

    def text() -> str:
        said = render(result, form, **more)
        return (
            said if form in ("csv", "json") else f"{said}\n{_first_upper(majority_text(rows))}.\n"
        )

    emit(text, document, json)


def _on_error(criteria: list[str] | None) -> str:
    """What happens to a criterion that does not apply: one that nobody named is skipped."""
    return "raise" if criteria else "skip"


def _first_upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def settings_of(param: list[str] | None, preset: str | None) -> dict[str, Any]:
    """Parameters of the trees, without a criterion."""
    settings = o.params_of(param, preset)
    settings.pop("criterion", None)
    return settings


def compare(
    data: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DATA",
            help="Data files or bundled sets; default: the bundled ones of 100 rows and more.",
        ),
    ] = None,
    *,
    criteria: o.Criteria = None,
    folds: Cv = "10x10",
    metric: Annotated[
        str,
        typer.Option("--metric", "-s", help="What is compared: accuracy, f_beta, auc, leaves, ..."),
    ] = "accuracy",
    baseline: Annotated[
        str | None,
        typer.Option("--baseline", help="Criterion that the marks refer to; default: the first."),
    ] = None,
    alpha: Annotated[float, typer.Option("--alpha", help="Level of every single test.")] = 0.05,
    test: Annotated[
        str,
        typer.Option(
            "--test",
            help="corrected_resampled_t, paired_t, wilcoxon, five_by_two_t or five_by_two_f.",
        ),
    ] = "corrected_resampled_t",
    target: o.Target = None,
    drop: o.Drop = None,
    nominal: o.Nominal = None,
    decimal: o.Decimal = None,
    missing: o.Missing = None,
    on_error: Annotated[
        str | None,
        typer.Option(
            "--on-error",
            help="A criterion that does not apply: raise, or skip (and say why); default: raise "
            "for criteria that are named, skip for the usual ones.",
        ),
    ] = None,
    preset: o.Preset = None,
    param: o.Params = None,
    form: o.Form = "text",
    seed: o.Seed = 0,
    n_jobs: o.Jobs = -1,
    out: o.Pictures = None,
    html: Html = None,
    cluster: Cluster = None,
    journal: JournalFile = None,
    json: o.Json = None,
) -> None:
    """Compare split criteria over data sets: accuracy, leaves, significance marks, wins, ties,
    losses."""
    from ..model_selection import compare as run_comparison
    from ..reports import render, tables_of

    o.check_form(form)
    _check_page(html)
    chosen = o.criteria_of(criteria, DEFAULT_CRITERIA)
    if baseline is not None and baseline not in chosen:
        raise ValueError(f"--baseline {baseline!r} is not one of the criteria {', '.join(chosen)}")
    sets: dict[str, Any] = {}
    for name in data or default_sets():
        one = o.table_of(name, target, drop, nominal, decimal=decimal, missing=missing)
        sets[_unused(one.name or name, sets)] = one
    with client_at(cluster) as client:
        result = run_comparison(
            sets,
            chosen,
            cv=o.fold_count(folds),
            alpha=alpha,
            baseline=baseline,
            test=test,
            scoring=[metric],
            random_state=seed,
            n_jobs=n_jobs,
            progress=True,
            keep_proba=html is not None,
            on_error=on_error or _on_error(criteria),
            client=client,
            journal=journal,
            **settings_of(param, preset),
        )
    _write_page(result, html)
    size = result.with_metric("leaves")
    document: dict[str, Any] = {**result.document(), "leaves": size.document()["rows"]}
    verdict = _verdict(result, size, document)
    document["majority"] = {name: majority_of(one)[1] for name, one in sets.items()}
    shares = ", ".join(f"{name} {100 * v:.1f}" for name, v in document["majority"].items())
    verdict.append(f"Majority class (%): {shares}.")

    def text() -> str:
        if form in ("csv", "json"):
            return render(result, form)
        tables = tables_of(result) + ([] if metric == "leaves" else tables_of(size)[:1])
        return render(tables, form) + "".join(f"\n{line}\n" for line in verdict)

    if out is not None:
        _draw(result, size, out)
    emit(text, document, json)


def _unused(name: str, taken: dict[str, Any]) -> str:
    number, final = 2, name
    while final in taken:
        number, final = number + 1, f"{name} ({number})"
    return final


def _verdict(result: Any, size: Any, document: dict[str, Any]) -> list[str]:
    """One line a quantity: whether the criteria's ranks over the data sets differ."""
    if min(result.means.shape) < 2:
        return []
    lines = []
    document["friedman"] = {}
    for one in (result, size) if result.metric != "leaves" else (result,):
        found = one.friedman()
        document["friedman"][one.metric] = {
            "p_value": found.p_value,
            "mean_ranks": dict(zip(found.names, found.mean_ranks.tolist(), strict=True)),
            "critical_difference": found.critical_difference,
            "sentence": found.sentence,
        }
        ranked = sorted(zip(found.mean_ranks.tolist(), found.names, strict=True))
        ranks = ", ".join(f"{name} {rank:.2f}" for rank, name in ranked)
        word = "differ" if found.significant else "do not differ"
        lines.append(
            f"{one.metric}: mean ranks over {found.n} data sets {word} (Friedman p = "
            f"{found.p_value:.2g}): {ranks}; "
            f"critical difference {found.critical_difference:.2f}."
        )
    return lines


def _draw(result: Any, size: Any, folder: Path) -> None:
    from ..plots import criteria_dots, detached, rank_diagram, tree_size_bars

    folder.mkdir(parents=True, exist_ok=True)
    with detached():
        drawn = {
            f"compare-{result.metric}.png": criteria_dots(result),
            "compare-leaves.png": tree_size_bars(size, log=True),
        }
        if min(result.means.shape) > 1:
            drawn["compare-ranks.png"] = rank_diagram(result, title=result.metric)
    for name, ax in drawn.items():
        ax.figure.savefig(folder / name, dpi=150)


COMMANDS = (
    (
        compare,
        (
            "ftree compare",
            "ftree compare a.arff b.csv -c info_gain,gini,mdl --baseline gini -f markdown",
        ),
    ),
    (
        cv,
        (
            "ftree cv iris -c gini,info_gain -s accuracy,leaves",
            "ftree cv data.csv -t label --cv weka",
            "ftree cv iris --html iris.html",
        ),
    ),
)
"""Commands with their examples."""

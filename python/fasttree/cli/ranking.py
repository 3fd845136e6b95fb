"""`ftree rank`: scores of features.

Genotypes are ranked by `genotypes.rank_variants`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from .._checks.data_warnings import quiet
from .._checks.words import argument, counted, in_text, p_value_text, some_of
from . import options as o
from .bundles import Without, examples
from .output import check_writable, emit, save_picture, table
from .showing import Picture
from .tasks import TASKS, varies

if TYPE_CHECKING:
    from ..reports import ReportTable
    from ..table import Table


@examples(
    "ftree rank tic-tac-toe -c info_gain,chi2,mdl",
    "ftree rank data.arff --top 10 --plot rank.png",
    "ftree rank data.csv -t label --test quadratic",
    "ftree rank study.bed -c multisurf --top 20 --plot manhattan.png",
    "ftree rank --bfile study --permutations 99",
)
def rank(
    data: o.MaybeDataFile = None,
    *,
    bfile: Annotated[
        str | None, "--bfile PREFIX", "Genotypes PREFIX.bed, .bim and .fam, in place of DATA."
    ] = None,
    columns: Annotated[o.Columns, Without("exposure")],
    criteria: o.Criteria = None,
    param: o.Params = None,
    top: Annotated[int | None, "Only the best features (by the first criterion)."] = None,
    plot: Picture = None,
    estimate: Annotated[
        str | None,
        "'subsets' or 'rows': scores on pairs of rows estimated with standard errors, for "
        "many rows (see estimate_features).",
    ] = None,
    test: Annotated[
        str | None,
        "quadratic, maximum or permutation: also statistic and p-value of each feature's "
        "test of independence at the root (adjusted for their number unless "
        "-p adjust=none).",
    ] = None,
    permutations: Annotated[
        int | None,
        "For genotypes: p-values of multisurf or surf from N permutations of the classes, "
        "and STIR's t statistic; 0 for the statistic alone.",
    ] = None,
    phenotype: Annotated[
        str | None,
        "--pheno --phenotype FILE",
        "For genotypes: a file of family, sample, phenotype.",
    ] = None,
    phenotype_name: Annotated[
        str | None, "--pheno-name NAME", "Which column of that file; the first."
    ] = None,
    covariates: Annotated[
        str | None,
        typer.Option(
            "--covar", "--covariates", metavar="FILE", hidden=True, help="Refused, with the reason."
        ),
    ] = None,
    n_jobs: o.Jobs = -1,
    csv: o.Csv = None,
    json: o.Json = None,
) -> None:
    """Score every feature (for genotypes, a .bed: every variant) by one or several criteria."""
    # Genotypes have scores of their own.
    check_writable({"--plot": plot, "--csv": csv, "--json": json})
    data = _data_or_study(data, bfile)
    if covariates is not None:
        raise ValueError(
            f"--covar {covariates}: scores and p-values are not adjusted for covariates. In a "
            "table covariates are columns like others; of genotypes a tree can ask for them "
            "(Python: read_plink(..., covariates=FILE).to_table(covariates=True))"
        )
    genetic = {"--pheno": phenotype, "--pheno-name": phenotype_name, "--permutations": permutations}
    if _is_study(data, genetic):
        _only_for_tables({**vars(replace(columns, use="")), "estimate": estimate, "test": test})
        if phenotype_name is not None and phenotype is None:
            raise ValueError(
                f"--pheno-name {phenotype_name} is a column of a phenotype file: give --pheno FILE"
            )
        from ..datasets import read_plink
        from .genotypes import rank_variants

        rank_variants(
            read_plink(data, phenotype=phenotype, phenotype_name=phenotype_name),
            o.criteria_of(criteria or ["multisurf"]),
            {"n_jobs": n_jobs, **o.params_of(param)},
            permutations=permutations,
            top=top,
            plot=plot,
            csv=csv,
            json=json,
        )
        return
    # A table: scores, or estimates for many rows.
    from .._checks.data_warnings import skip_checks_from_now_on
    from ..reports import render
    from ..table.data_checks.findings import apply_and_warn

    skip_checks_from_now_on("groups")  # features are scored on all rows, without folds
    named = o.criteria_of(criteria)
    given = o.pairs_of(param or [], "--param")
    rows = columns.table(data, named.values(), given)
    seed = given.get("random_state", 0)
    chosen = named or o.criteria_of(TASKS[rows.task].ranking if estimate is None else ["pi"])
    treated = apply_and_warn(rows, columns.treatment)
    settings = {"n_jobs": n_jobs, "columns": columns.treatment}
    if test is not None and estimate is not None:
        raise ValueError(f"--test {test} reads all rows, --estimate {estimate} some: leave one out")
    scored_rows = rows if estimate is None else treated
    tests: dict[str, np.ndarray] = {}
    with quiet():  # the columns have been warned of
        if test is not None:
            options = {"random_state": seed, **settings, **o.params_of(param)}
            tests = _tests_at_root(scored_rows, test, options)
            # Scores by a criterion have nothing to adjust.
            param = [text for text in param or [] if not text.startswith("adjust=")]
        scores, errors = _scores_and_errors(scored_rows, chosen, estimate, param, settings)
    if plot is not None:
        _draw_scores(scores, rows.feature_names, plot)
    notes = _missing_value_notes(rows, {} if estimate or "missing" in given else chosen)
    if test == "permutation":
        notes.append(
            f"The test draws up to 9,999 permutations (random_state={seed}), until 100 of them "
            "reach the statistic."
        )
    printed, facts = _ranking(
        scored_rows, scores, errors, tests, treated=treated, notes=notes, top=top
    )
    about = {"data": repr(scored_rows), "random_state": seed}
    emit(lambda: render(printed), {"command": "rank", **about, **facts}, json, csv)


def _tests_at_root(rows: Table, test: str, options: dict[str, Any]) -> dict[str, np.ndarray]:
    """The tests of independence of each feature and the target: "statistic" and "p_value", shape
    (n_features,) each.

    Args:
        rows: the rows.
        test: quadratic, maximum or permutation.
        options: further arguments of `score_features`.
    """
    from ..feature_selection.features import score_features

    # The statistic that is permuted is the quadratic one: nothing is drawn twice.
    form = "quadratic" if test == "permutation" else test
    return {
        "statistic": score_features(rows, statistic=True, **{"test": form, **options}),
        "p_value": score_features(rows, **{"test": test, **options}),
    }


def _ranking(
    rows: Table,
    scores: dict[str, np.ndarray],
    errors: dict[str, np.ndarray],
    tests: dict[str, np.ndarray],
    *,
    treated: Table,
    notes: list[str],
    top: int | None,
) -> tuple[ReportTable, dict[str, Any]]:
    """The features in the order of the first criterion's scores, best first, as a table and as
    values. Features that were left out are not among them.

    Args:
        rows: the rows that were scored.
        scores: by criterion, shape (n_features,).
        errors: standard errors of scores that are estimates, by criterion; empty for others.
        tests: statistics and p-values, by name; empty: none.
        treated: the rows as trees read them.
        notes: notes on the scores.
        top: largest number of features; None: no limit.
    """
    from ..table.data_checks import inspect

    left_out = [name for name in treated.unused if name not in treated.dates]
    # Ranks by every criterion; rows are in the order of the first one.
    ranks = {name: _ranks(values) for name, values in scores.items()}
    first_scores = next(iter(scores.values()))
    names = rows.feature_names
    by_score = np.argsort(-np.nan_to_num(first_scores, nan=-np.inf), kind="stable").tolist()
    order = [j for j in by_score if names[j] not in left_out][:top]
    facts: dict[str, Any] = {
        "rows": [
            {
                "feature": names[j],
                "criterion": name,
                "score": float(values[j]),
                "rank": None if np.isnan(values[j]) else int(ranks[name][j]),
                **({"standard_error": float(errors[name][j])} if errors else {}),
                **{title: float(values[j]) for title, values in tests.items()},
            }
            for j in order
            for name, values in scores.items()
        ]
    }
    body = [
        [
            names[j],
            *(
                _score_text(values[j], ranks[name][j])
                + (f" +- {errors[name][j]:.4g}" if errors else "")
                for name, values in scores.items()
            ),
            *(_test_text(title, values[j]) for title, values in tests.items()),
        ]
        for j in order
    ]
    error = " +- standard error" if errors else ""
    notes = [f"Score (rank){error}; '-': no split is possible.", *notes]
    if tests:
        notes += _test_notes(treated)
    if left_out:
        facts["left_out"] = left_out
        notes.append(f"Left out, without a score: {some_of(left_out)}.")
    ranked = {names[j] for j in order}
    findings = inspect(treated, "as_given").of("thin_levels")
    thin = {finding.column: finding.evidence for finding in findings if finding.column in ranked}
    if thin:
        facts["few_rows_a_level"] = list(thin)
        few = some_of([f"{name} ({counted(n, 'level')})" for name, n in thin.items()])
        notes.append(
            f"Caution: fewer than five rows a level: {few}. Most criteria favour such columns "
            f"whatever they say of new rows; leave out: {in_text(argument('drop', list(thin)))}."
        )
    return table(repr(rows), ["feature", *scores, *tests], body, notes), facts


def _test_notes(treated: Table) -> list[str]:
    """The notes on tests: what is tested, and for how many columns p-values are adjusted.

    Args:
        treated: the rows as trees read them.
    """
    n_tested = sum(varies(column.values[~column.is_missing]) for column in treated.columns)
    parts = ", with year, month and weekday of dates," if treated.dates else ""
    return [
        "statistic, p_value: the test of independence of feature and target,",
        f"adjusted for {counted(n_tested, 'column')} that vary{parts} unless -p adjust=none.",
    ]


def _test_text(title: str, value: float) -> str:
    """A statistic or p-value as text; "-" for NaN.

    Args:
        title: "statistic" or "p_value".
        value: the number.
    """
    if np.isnan(value):
        return "-"
    return p_value_text(value) if title == "p_value" and value < 1e-300 else f"{value:.4g}"


def _missing_value_notes(rows: Table, criteria: dict[str, Any]) -> list[str]:
    """A note on how to get the scores of a tree's root, if some criteria treat missing values in
    another way than a tree; else no note.

    Args:
        rows: the rows.
        criteria: the criteria by name.
    """
    from ..criteria import evidence_of
    from ..estimators.automatic import has_missing, missing_treatment

    differ = [
        name
        for name, criterion in criteria.items()
        if evidence_of(criterion) in ("table", "moments", "order")
        and missing_treatment({"criterion": criterion}) == "branch"
    ]
    if not differ or not has_missing(rows):
        return []
    return [
        f"Scores by {some_of(differ)} leave out rows without a value, a tree gives them a branch: "
        f"{in_text(argument('missing', 'branch'))} scores as its root does."
    ]


def _scores_and_errors(
    rows: Table,
    chosen: dict[str, Any],
    estimate: str | None,
    param: list[str] | None,
    settings: dict[str, Any],
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Scores by criterion, shape (n_features,), and their standard errors if they are estimates.

    Args:
        rows: the rows.
        chosen: the criteria by name.
        estimate: "subsets" or "rows", from which scores are estimated; None: all rows.
        param: texts NAME=VALUE of further arguments.
        settings: further arguments of `score_features`.
    """
    if estimate is None:
        from ..feature_selection.features import score_features

        settings = {**settings, **o.params_of(param)}
        scores = {
            name: score_features(rows, criterion=criterion, **settings)
            for name, criterion in chosen.items()
        }
        return scores, {}
    from ..feature_selection.estimates import SIZES, estimate_features

    settings = {"n_jobs": settings["n_jobs"], **o.params_of(param, known=SIZES)}
    results = {
        name: estimate_features(rows, criterion=criterion, method=estimate, **settings)
        for name, criterion in chosen.items()
    }
    errors = {name: result.standard_errors for name, result in results.items()}
    return {name: result.scores for name, result in results.items()}, errors


def _draw_scores(scores: dict[str, np.ndarray], names: list[str], plot: Path) -> None:
    """Draw the scores as bars into a file.

    Args:
        scores: by criterion, shape (n_features,).
        names: names of the features.
        plot: the file.
    """
    from ..plots import criteria_bars

    numbers = {name: values.tolist() for name, values in scores.items()}
    save_picture(plot, lambda: criteria_bars(numbers, names))


def _data_or_study(data: str | None, bfile: str | None) -> str:
    """The data file, or the .bed of ``--bfile``.

    Args:
        data: the argument DATA.
        bfile: the option.

    Raises:
        ValueError: both are given, or neither.
    """
    if data is not None and bfile is not None:
        raise ValueError(f"--bfile {bfile} takes the place of DATA: leave {data} out")
    if bfile is not None:
        return bfile if bfile.endswith(".bed") else f"{bfile}.bed"
    if data is None:
        raise ValueError("no data: name DATA, or genotypes with --bfile PREFIX")
    return data


def _is_study(data: str, options: dict[str, Any]) -> bool:
    """Whether the data are genotypes.

    Args:
        data: the data file.
        options: the options that need genotypes, with their values.

    Raises:
        ValueError: such an option is given, and the data are no genotypes.
    """
    from ..datasets.plink import check_no_other_genotypes, is_plink

    if is_plink(data):
        return True
    check_no_other_genotypes(data)
    for option, value in options.items():
        if value is not None:
            raise ValueError(
                f"{option} {value} is for genotypes (.bed, .raw), and {data!r} has none"
            )
    return False


def _only_for_tables(options: dict[str, Any]) -> None:
    """Refuse options that genotypes do not have."""
    for option, value in options.items():
        if value:
            raise ValueError(
                f"--{option} {value} is for tables; genotypes have variants and a phenotype"
            )


def _ranks(values: np.ndarray) -> np.ndarray:
    """Ranks, 1 the best; equal scores share the smallest."""
    ascending = -np.nan_to_num(values, nan=-np.inf)
    return 1 + np.searchsorted(np.sort(ascending), ascending)


def _score_text(score: float, rank: int) -> str:
    if np.isnan(score):
        return "-"
    return f"{score:{'.4f' if abs(score) < 1e4 else ',.0f'}} ({rank})"

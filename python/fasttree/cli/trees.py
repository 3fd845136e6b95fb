"""`ftree predict`: new rows by a saved model; `ftree rank`: scores of features.

Genotypes are ranked by `genotypes.rank_variants`.
"""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from .._checks.data_warnings import quiet
from .._checks.saving import save_text
from .._checks.words import argument, counted, in_text, p_value_text, some_of
from ..exports.tables.records import write_csv
from . import options as o
from .bundles import Without, examples
from .output import check_writable, emit, save_picture, table
from .shell import listed
from .showing import ModelFile, Picture, model_of, rows_for
from .streams import say
from .tasks import TASKS, quality_of

if TYPE_CHECKING:
    from ..reports import ReportTable
    from ..table import Table


@examples(
    "ftree predict model.json new.csv",
    "ftree predict model.json test.arff --proba -o answers.csv",
    "ftree predict model.json customers.csv --id customer",
)
def predict(
    model: ModelFile,
    data: o.DataFile,
    *,
    columns: Annotated[o.Columns, Without("target", "nominal", "use", "keep", "exposure")],
    id: Annotated[
        list[str] | None,
        "--id COLUMN",
        "A column of DATA that the output carries along, as it is written; may be repeated.",
    ] = None,
    groups: Annotated[
        str | None,
        "--groups COLUMN",
        "A column of DATA whose rows of one value belong together (a patient, a site): "
        "accuracy or error get a standard error over these groups.",
    ] = None,
    proba: Annotated[bool, "--proba", "Also the probability of every class."] = False,
    threshold: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            metavar="SHARE",
            help="Of two classes, answer the second one from this probability on; ftree advise "
            "--metric proposes one.",
        ),
    ] = None,
    out: Annotated[Path | None, "--out -o FILE", "Write the CSV to a file."] = None,
    n_jobs: o.Jobs = -1,
    json: o.Json = None,
) -> None:
    """Predict the rows of a data file; CSV on stdout, accuracy or error on stderr where the target
    is known."""
    from ..datasets.files import load_texts

    check_writable({"--out": out, "--json": json})
    tree = model_of(model, columns.task).set_params(n_jobs=n_jobs)
    if proba and tree._task == "regression":
        raise ValueError(f"--proba: {model} predicts numbers, which have no probabilities")
    # Columns that are carried along or name groups, as they are written.
    aside = list(dict.fromkeys([*(id or ()), *([] if groups is None else [groups])]))
    texts = load_texts(data, aside, columns.reading.get("header")) if aside else {}
    carried = {name: texts[name] for name in id or ()}
    schema = tree._schema
    unused = [name for name in aside if name not in (*schema.names, schema.target)]
    rows = rows_for(tree, data, replace(columns, drop=[*(columns.drop or []), listed(unused)]))
    if any(len(cells) != len(rows) for cells in texts.values()):
        option = "--id" if id else "--groups"
        raise ValueError(
            f"{option}: {data} has other rows as text than as data; leave {option} out"
        )
    answers = tree.predict(rows)
    classes = list(schema.classes)
    shares = tree.predict_proba(rows) if proba or threshold is not None else np.empty((0, 2))
    if threshold is not None:
        if len(classes) != 2:
            what = f"{len(classes)} classes" if classes else "numbers"
            raise ValueError(f"--threshold: {model} predicts {what}; it is for two classes")
        by_threshold = tree.classes_[(shares[:, 1] >= threshold).astype(int)]
        answers = np.where(np.isnan(shares[:, 1]), answers, by_threshold)
    quality, said = quality_of(
        answers,
        rows.y,
        tree._task,
        None if groups is None else texts[groups],
        classes=classes,
        costs=getattr(tree, "cost_matrix", None),
    )
    document = {
        "command": "predict",
        "model": str(model),
        "data": data,
        "task": tree._task,
        "rows": len(answers),
        **quality,
        "classes": classes,
        **({"id": carried} if carried else {}),
        "predictions": answers.tolist(),
        **({} if threshold is None else {"threshold": threshold}),
        "probabilities": shares.tolist() if proba else None,
    }
    names = [f"p({label})" for label in classes] if proba else []
    lines = (
        [
            place,
            *(cells[place] for cells in carried.values()),
            "" if answer is None else _short(answer),
            *(map(_short, shares[place].tolist()) if proba else []),
        ]
        for place, answer in enumerate(answers.tolist())
    )
    stream = io.StringIO()
    write_csv(stream, ["row", *carried, "prediction", *names], lines)
    text = stream.getvalue()
    if out is not None:
        save_text(out, text)
        text = f"{counted(len(answers), 'prediction')} written to {out}"
    emit(text, document, json)
    if said:
        sys.stdout.flush()
        say("\n".join(said))


def _short(value: Any) -> Any:
    """A number without the rounding of a sum, where 15 digits tell it: 44.148 in place of
    44.147999999999996; all others as they are.

    >>> _short(44.147999999999996), _short(1 / 3), _short("b"), _short(2**60)
    (44.148, 0.3333333333333333, 'b', 1152921504606846976)
    """
    if not isinstance(value, float):
        return value
    short = f"{value:.15g}"
    return float(short) if len(short) < len(repr(value)) - 3 else value


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
    from ..feature_selection.features import score_features
    from ..reports import render
    from ..table.data_checks.findings import warn_and_apply

    skip_checks_from_now_on("groups")  # features are scored on all rows, without folds
    named = o.criteria_of(criteria)
    given = o.pairs_of(param or [], "--param")
    rows = columns.table(data, named.values(), given)
    seed = given.get("random_state", 0)
    chosen = named or o.criteria_of(TASKS[rows.task].ranking if estimate is None else ["pi"])
    treated = warn_and_apply(rows, columns.treatment)
    settings = {"n_jobs": n_jobs, "columns": columns.treatment}
    if test is not None and estimate is not None:
        raise ValueError(f"--test {test} reads all rows, --estimate {estimate} some: leave one out")
    scored = rows if estimate is None else treated
    with quiet():  # the columns have been said
        tests: dict[str, np.ndarray] = {}
        if test is not None:
            how = {"test": test, "random_state": seed, **settings, **o.params_of(param)}
            # The statistic that is permuted is the quadratic one: nothing is drawn twice.
            form = {"test": "quadratic"} if test == "permutation" else {}
            tests["statistic"] = score_features(scored, statistic=True, **{**how, **form})
            tests["p_value"] = score_features(scored, **how)
            # scores by a criterion have nothing to adjust
            param = [one for one in param or [] if not one.startswith("adjust=")]
        scores, errors = _scored(scored, chosen, estimate, param, settings)
    if plot is not None:
        _draw_scores(scores, rows.feature_names, plot)
    said = _left_out_rows(rows, {} if estimate or "missing" in given else chosen)
    if test == "permutation":
        said.append(
            f"The test draws up to 9,999 permutations (random_state={seed}), until 100 of them "
            "reach the statistic."
        )
    shown, facts = _ranking(scored, scores, errors, tests, treated=treated, said=said, top=top)
    about = {"data": repr(scored), "random_state": seed}
    emit(lambda: render(shown), {"command": "rank", **about, **facts}, json, csv)


def _ranking(
    rows: Table,
    scores: dict[str, np.ndarray],
    errors: dict[str, np.ndarray],
    tests: dict[str, np.ndarray],
    *,
    treated: Table,
    said: list[str],
    top: int | None,
) -> tuple[ReportTable, dict[str, Any]]:
    """The features in the order of the first criterion's scores, best first, but for those that
    were left out, as a table and as values; `treated` are the rows as trees read them, `said` are
    notes on the scores."""
    from ..table.data_checks import inspect

    left_out = [name for name in treated.unused if name not in treated.dates]
    # Ranks by every criterion; the order is that of the first.
    ranks = {name: _ranks(values) for name, values in scores.items()}
    first = next(iter(scores.values()))
    names = rows.feature_names
    by_score = np.argsort(-np.nan_to_num(first, nan=-np.inf), kind="stable").tolist()
    order = [j for j in by_score if names[j] not in left_out][:top]
    facts: dict[str, Any] = {
        "rows": [
            {
                "feature": names[j],
                "criterion": name,
                "score": float(values[j]),
                "rank": None if np.isnan(values[j]) else int(ranks[name][j]),
                **({"standard_error": float(errors[name][j])} if errors else {}),
                **{what: float(of[j]) for what, of in tests.items()},
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
            *("-" if np.isnan(of[j]) else _test_text(what, of[j]) for what, of in tests.items()),
        ]
        for j in order
    ]
    error = " +- standard error" if errors else ""
    notes = [f"Score (rank){error}; '-': no split is possible.", *said]
    if tests:
        filled = [one.values[~one.is_missing] for one in treated.columns]
        n_tested = sum(len(values) > 0 and bool((values != values[0]).any()) for values in filled)
        parts = ", with year, month and weekday of dates," if treated.dates else ""
        notes += [
            "statistic, p_value: the test of independence of feature and target,",
            f"adjusted for {counted(n_tested, 'column')} that vary{parts} unless -p adjust=none.",
        ]
    if left_out:
        facts["left_out"] = left_out
        notes.append(f"Left out, without a score: {some_of(left_out)}.")
    shown = {names[j] for j in order}
    found = inspect(treated, "as_given").of("thin_levels")
    thin = {one.column: one.evidence for one in found if one.column in shown}
    if thin:
        facts["few_rows_a_level"] = list(thin)
        few = some_of([f"{name} ({counted(n, 'level')})" for name, n in thin.items()])
        notes.append(
            f"Caution: fewer than five rows a level: {few}. Most criteria favour such columns "
            f"whatever they say of new rows; leave out: {in_text(argument('drop', list(thin)))}."
        )
    return table(repr(rows), ["feature", *scores, *tests], body, notes), facts


def _test_text(what: str, value: float) -> str:
    """A statistic or p-value of a test."""
    return p_value_text(value) if what == "p_value" and value < 1e-300 else f"{value:.4g}"


def _left_out_rows(rows: Table, criteria: dict[str, Any]) -> list[str]:
    """How to get the scores of a tree's root, if some of these criteria differ from it in their
    treatment of missing values."""
    from ..criteria import evidence_of
    from ..estimators.automatic import has_missing, missing_of

    differ = [
        name
        for name, one in criteria.items()
        if evidence_of(one) in ("table", "moments", "order")
        and missing_of({"criterion": one}) == "branch"
    ]
    if not differ or not has_missing(rows):
        return []
    return [
        f"Scores by {some_of(differ)} leave out rows without a value, a tree gives them a branch: "
        f"{in_text(argument('missing', 'branch'))} scores as its root does."
    ]


def _scored(
    rows: Table,
    chosen: dict[str, Any],
    estimate: str | None,
    param: list[str] | None,
    settings: dict[str, Any],
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Scores by criterion, shape (n_features,), and if they are estimates their standard errors."""
    if estimate is None:
        from ..feature_selection.features import score_features

        settings = {**settings, **o.params_of(param)}
        return {n: score_features(rows, criterion=c, **settings) for n, c in chosen.items()}, {}
    from ..feature_selection.estimates import SIZES, estimate_features

    settings = {"n_jobs": settings["n_jobs"], **o.params_of(param, known=SIZES)}
    results = {
        n: estimate_features(rows, criterion=c, method=estimate, **settings)
        for n, c in chosen.items()
    }
    errors = {name: one.standard_errors for name, one in results.items()}
    return {name: one.scores for name, one in results.items()}, errors


def _draw_scores(scores: dict[str, np.ndarray], names: list[str], plot: Path) -> None:
    """Draw the scores as bars into a file."""
    from ..plots import criteria_bars

    numbers = {name: values.tolist() for name, values in scores.items()}
    save_picture(plot, lambda: criteria_bars(numbers, names))


def _data_or_study(data: str | None, bfile: str | None) -> str:
    """The data file, or the .bed of ``--bfile``."""
    if data is not None and bfile is not None:
        raise ValueError(f"--bfile {bfile} takes the place of DATA: leave {data} out")
    if bfile is not None:
        return bfile if bfile.endswith(".bed") else f"{bfile}.bed"
    if data is None:
        raise ValueError("no data: name DATA, or genotypes with --bfile PREFIX")
    return data


def _is_study(data: str, options: dict[str, Any]) -> bool:
    """Whether the data are genotypes; if not, options that need genotypes are refused."""
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

"""Stadler & Dave, "An experimental analysis of decision trees that split on the F-measure":
training and test tables, ROC.

What is run
    Trees that split by the change of the weighted F measure (``f_measure`` with
    ``variant="change"``, as in the authors' program), by Gini and by information gain, on three
    data sets in the authors' row order. Trees have at most 10 levels; a node is a leaf if it is
    pure or has at most 20 / 10 / 5 rows (Breast / Heart / PopFailure). Thresholds are data values,
    and ties are broken by row order. With c = floor(n / 5), rows 0 .. 4c - 1 form four contiguous
    folds, and the rest is the test set, on which the fold model with the lowest validation error
    is evaluated.
What agrees
    60 of the 63 printed cells to the last digit; the other three are misprints, each explained.
Not in the paper
    Algorithm 1 (``f_measure_max``), algorithm 2 as written (``f_measure``), and beta 0.5 and 2 of
    all three. Also a weakness of algorithm 1: it scores every split 0 whose sides both have a
    majority of class 0, however pure they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ... import criteria, presets
from ...criteria import Criterion
from ...datasets import load
from ...estimators import FastTreeClassifier
from ...exports.tables.table import ReportTable, report_table
from ...feature_selection.features import score_features
from ...metrics import auc, confusion_matrix, error_rate, f_beta, roc_curve
from ...model_selection import ContiguousKFold, cross_validate
from ...table import Table
from ..paper import Paper, preset_without, settings_as_text
from ..reproduction import Reproduction, agrees, header_beside, plain_key

SMALLEST_SPLIT = {"Breast": 21, "Heart": 11, "PopFailure": 6}
"""Rows that a node must have to be split: one more than the paper's largest leaf."""

CRITERION: Criterion = presets.FMEASURE["criterion"]

METHODS: dict[str, Any] = {
    "f_measure": CRITERION,
    "gini": criteria.make("gini"),
    "mutual_information": criteria.make("info_gain"),
}
"""The paper's three criteria, by the names of the published tables."""

TRAINING = ("training_error_mean", "training_error_sd", "training_f_mean", "training_f_sd")
TEST = ("test_error", "test_f", "test_auc")


def _variations() -> dict[str, Any]:
    """Other readings of the F measure as a criterion, by name."""
    out: dict[str, Any] = {}
    for beta in (1.0, 0.5, 2.0):
        suffix = "" if beta == 1.0 else f"_beta{beta:g}"
        out[f"algorithm1{suffix}"] = criteria.FMeasureMax(beta=beta)
        out[f"algorithm2{suffix}"] = criteria.FMeasure(beta=beta)
        if beta != 1.0:
            out[f"change{suffix}"] = criteria.FMeasure(variant="change", beta=beta)
    return out


@dataclass
class Outcome:
    """The results of one criterion on one data set: the numbers of its cells, and the points of its
    figure."""

    cells: dict[str, float]
    """The numbers of the paper's tables, by quantity."""
    point: tuple[float, float]
    """(false positive rate, true positive rate) of the chosen model on the test rows."""
    curve: Any
    """Its ROC curve."""
    leaves: list[int]
    """Leaves of the four fold models."""
    """The chosen one of them."""


def settings(dataset: str) -> dict[str, Any]:
    """Parameters of the trees on a data set, without the criterion: the preset, and the data set's
    least number of rows to split."""
    own = preset_without(presets.FMEASURE)
    return {**own, "min_samples_split": SMALLEST_SPLIT[dataset]}


def evaluate(
    table: Table, dataset: str, methods: Mapping[str, Any], n_jobs: int | None = -1
) -> dict[str, Outcome]:
    """Four contiguous folds of every criterion, then the best fold model on the held-out rows.

    Args:
        table: the rows.
        dataset: the paper's name of the data set.
        methods: the criteria by name.
        n_jobs: threads.
    """
    # All criteria on the same four folds.
    splitter = ContiguousKFold()
    params = {**settings(dataset), "n_jobs": n_jobs}
    how = {"scoring": ("error_rate", "f_beta"), **params}
    validation = cross_validate(table, criterion=dict(methods), cv=splitter, **how)
    folds = list(splitter.split(table))
    test = table.take(splitter.holdout_rows(len(table)))
    out = {}
    for name, criterion in methods.items():
        # The best fold model on the held-out rows.
        errors, f_values = validation[name]["error_rate"], validation[name]["f_beta"]
        train, _ = folds[int(np.argmin(errors))]
        model = FastTreeClassifier(criterion=criterion, **params).fit(table.take(train))
        truth, answers = np.asarray(test.y), model.predict(test)
        scores = model.predict_proba(test)[:, 1]
        (tn, fp), (fn, tp) = confusion_matrix(truth, answers, classes=table.classes)[:, :2]
        values = (
            errors.mean(),
            errors.std(ddof=1),
            f_values.mean(),
            f_values.std(ddof=1),
            error_rate(truth, answers, classes=table.classes),
            f_beta(truth, answers, classes=table.classes),
            auc(truth, scores),
        )
        out[name] = Outcome(
            dict(zip((*TRAINING, *TEST), map(float, values), strict=True)),
            (float(fp / (fp + tn)), float(tp / (tp + fn))),
            roc_curve(truth, scores),
            validation[name]["leaves"].astype(int).tolist(),
        )
    return out


def pure_negative_side(tables: np.ndarray) -> np.ndarray:
    """Rows in the largest side of a split that holds class 0 only; `tables` (candidates, branches,
    2).

    It is a criterion by which `blind_splits` finds the splits that algorithm 1 scores 0.

    >>> pure_negative_side(np.array([[[0.0, 5.0], [40.0, 30.0]], [[35.0, 0.0], [5.0, 35.0]]]))
    array([ 0., 35.])
    """
    side: np.ndarray = np.where(tables[:, :, 1] == 0, tables[:, :, 0], 0.0).max(axis=1)
    return side


def blind_splits(model: FastTreeClassifier, table: Table) -> dict[str, int]:
    """Numbers of splits of a tree of algorithm 1 with score 0, where it takes the first candidate.

    Args:
        model: the tree.
        table: its training rows.

    Returns:
        splits: number of splits; blind_splits: number of splits with score 0; with_pure_side:
        number of blind splits at which some candidate has a side of class 0 only;
        rows_in_pure_sides: rows in the largest such side, summed over the nodes.
    """
    tree = model.tree_
    inner = np.flatnonzero(tree.n_children > 0)
    blind = inner[tree.score[inner] == 0.0]
    paths = model.decision_path(table).tocsc()
    pure = []
    for node in blind.tolist():
        rows = table.take(paths[:, node].indices)
        pure.append(int(np.nanmax(score_features(rows, criterion=pure_negative_side))))
    return {
        "splits": len(inner),
        "blind_splits": len(blind),
        "with_pure_side": int(np.count_nonzero(pure)),
        "rows_in_pure_sides": int(sum(pure)),
    }


class Experiment(Paper[str, tuple[dict[str, Outcome], dict[str, int]]]):
    """The paper's three tables, and other readings of its algorithm."""

    name = "f-measure"
    title = "Trees that split on the F measure: paper and fasttree"
    counted = (*TRAINING, *TEST)
    cut = "the other readings of the paper's algorithms"

    @property
    def methods(self) -> dict[str, Any]:
        """The criteria by name: the paper's, and the other readings of its algorithm where the run
        is not quick."""
        return dict(METHODS) if self.quick else {**METHODS, **_variations()}

    def sets(self) -> list[str]:
        return list(self.printed["cells"])

    def open_set(self, name: str, files: Mapping[str, Path]) -> Table | None:
        key = plain_key(f"fmeasure-{name}")
        return load(files[key], task="classification") if key in files else None

    def work(self, step: str) -> tuple[dict[str, Outcome], dict[str, int]]:
        table, seen = self.tables[step], {}
        outcome = evaluate(table, step, self.methods, self.n_jobs)
        if not self.quick:
            training = table.take(ContiguousKFold().training_rows(len(table)))
            grown = FastTreeClassifier(
                criterion=self.methods["algorithm1"], n_jobs=self.n_jobs, **settings(step)
            ).fit(training)
            seen = blind_splits(grown, training)
        return outcome, seen

    def settings(self, found: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "protocol": (
                "c = floor(n/5); four contiguous folds of c rows, the rest is the test set; best "
                "fold model tested"
            ),
            "trees": {name: settings_as_text(settings(name)) for name in SMALLEST_SPLIT},
            "criteria": settings_as_text(self.methods),
        }

    def report(self, found: dict[str, tuple[dict[str, Outcome], dict[str, int]]]) -> None:
        results = {name: outcome for name, (outcome, _) in found.items()}
        if results:
            _compare(self.out, results, self.printed)
            if not self.quick:
                _beside(self.out, results, {name: seen for name, (_, seen) in found.items()})
            _draw(self.out, results)


def _compare(
    out: Reproduction, results: dict[str, dict[str, Outcome]], printed: dict[str, Any]
) -> None:
    """Add rows and tables of the 63 cells, and an explanation of each one that differs.

    Args:
        out: the reproduction.
        results: the outcome of each criterion, by data set.
        printed: the paper's numbers.
    """
    # Every cell beside the print, with the misprint that explains it if it differs.
    slips = {(one["dataset"], one["method"], one["quantity"]): one for one in printed["slips"]}
    explained = []
    lines: dict[tuple[str, ...], list[list[Any]]] = {TRAINING: [], TEST: []}
    for dataset, by_method in results.items():
        for method in METHODS:
            texts = printed["cells"][dataset][method]
            line: dict[str, list[Any]] = {}
            for quantity, value in by_method[method].cells.items():
                text, verdict, note = texts[quantity], "=", None
                match = agrees(value, text)
                slip = slips.get((dataset, method, quantity))
                if not match:
                    verdict = "DIFFERS"
                    if slip is not None and agrees(value, slip["reads"]):
                        verdict = "slip"
                        note = f"printed {text}, should read {slip['reads']}: {slip['why']}"
                        explained.append(f"{dataset}, {method}, {_words(quantity)}: {note}.")
                theirs = {"published": float(text), "match": match, "note": note}
                out.add(dataset, method, quantity, value, **theirs)
                line[quantity] = [_short(value), text, verdict]
            for quantities, body in lines.items():
                cells = (cell for quantity in quantities for cell in line[quantity])
                body.append([dataset, method, *cells])
    titles = (
        "Training: error and F over the four folds",
        "Test: error, F and AUC of the best fold model",
    )
    for title, (quantities, body) in zip(titles, lines.items(), strict=True):
        names = [_words(quantity.split("_", 1)[1]) for quantity in quantities]
        header = header_beside(["data set", "criterion"], names, "paper", "")
        out.add_table(title, header, body)
    if explained:
        out.notes.append("Slips of the print:\n" + "\n".join(f"- {one}" for one in explained))
    out.extra["explanations"] = explained


def _words(quantity: str) -> str:
    return quantity.replace("_", " ")


def _short(value: float) -> str:
    """Four digits without the leading zero, as the paper prints them."""
    return f"{value:.4f}".replace("0.", ".", 1)


EXAMPLE = np.array([[[40, 0], [35, 30]], [[2, 3], [73, 27]]])
"""Two candidate splits of 75 rows of class 0 and 30 of class 1."""


def _beside(
    out: Reproduction, results: dict[str, dict[str, Outcome]], blind: dict[str, dict[str, int]]
) -> None:
    """Add other readings of the criterion, and the splits that algorithm 1 scores 0.

    Args:
        out: the reproduction.
        results: the outcome of each criterion, by data set.
        blind: the numbers of `blind_splits`, by data set.
    """
    _other_readings(out, results)
    seen = _example_scores()
    out.tables += [_blind_table(blind), _example_table(seen)]
    out.extra["blindness"] = {
        "trees": blind,
        "example": {"tables": EXAMPLE.tolist(), "scores": seen},
    }


def _other_readings(out: Reproduction, results: dict[str, dict[str, Outcome]]) -> None:
    """Add rows and a table of all criteria, the paper's and others.

    Args:
        out: the reproduction.
        results: the outcome of each criterion, by data set.
    """
    body = []
    for dataset, by_method in results.items():
        for method, outcome in by_method.items():
            if method not in METHODS:
                for quantity, value in outcome.cells.items():
                    out.add(dataset, method, quantity, value)
            leaves = float(np.mean(outcome.leaves))
            numbers = map(_short, outcome.cells.values())
            body.append([dataset, method, *numbers, f"{leaves:.1f}"])
            out.add(dataset, method, "leaves", leaves)
    columns = ["error", "sd", "F", "sd", "test error", "test F", "test AUC", "leaves"]
    methods = len(body) // len(results)
    out.add_table(
        "Beside the paper's tables: algorithm 1 (f_measure_max), algorithm 2 as written, "
        "what was run (change), and beta",
        ["data set", "criterion", *columns],
        body,
        "F is F1 throughout, whatever beta the criterion has; leaves: mean of the four "
        "fold models.",
        rules=range(methods, len(body), methods),
    )


def _blind_table(blind: dict[str, dict[str, int]]) -> ReportTable:
    """Splits of algorithm 1 with score 0, one row per data set."""
    columns = ["splits", "with score 0", "of these, with a pure class-0 side"]
    return report_table(
        "Where algorithm 1 is blind: its tree of the training rows",
        ["data set", *columns, "rows in those sides"],
        [[name, *counts.values()] for name, counts in blind.items()],
        "With score 0 no candidate makes a side of majority class 1; all candidates "
        "tie and the first is taken,",
        "though at the nodes of the fourth column another one would have cut off rows "
        "of class 0 alone.",
    )


def _example_scores() -> dict[str, list[float]]:
    """Scores of the example by four criteria."""
    return {
        "f_measure_max": criteria.FMeasureMax().score(EXAMPLE).tolist(),
        "f_measure, change": CRITERION.score(EXAMPLE).tolist(),
        "gini": METHODS["gini"].score(EXAMPLE).tolist(),
        "info_gain": METHODS["mutual_information"].score(EXAMPLE).tolist(),
    }


def _example_table(seen: dict[str, list[float]]) -> ReportTable:
    """Scores of two candidate splits by four criteria."""
    return report_table(
        "An example: 75 rows of class 0 and 30 of class 1",
        ["criterion", "(40, 0) | (35, 30)", "(2, 3) | (73, 27)"],
        [[name, *(f"{score:.4f}" for score in scores)] for name, scores in seen.items()],
        "Sides as (class 0, class 1). Algorithm 1 prefers a side of three positives in "
        "five to 40 rows without any.",
    )


def _draw(out: Reproduction, results: dict[str, dict[str, Outcome]]) -> None:
    """Add ROC graphs (one point per model) and ROC curves, one panel per data set.

    Args:
        out: the reproduction.
        results: the outcome of each criterion, by data set.
    """

    def panels(what: str) -> Any:
        from ...plots import new_figure, roc_curves, roc_graph

        drawn = roc_curves if what == "curve" else roc_graph
        figure, axes = new_figure(1, len(results), width=4.3 * len(results) + 0.4, height=4.5)
        for ax, (dataset, by_method) in zip(axes, results.items(), strict=True):
            drawn({m: getattr(by_method[m], what) for m in METHODS}, title=dataset, ax=ax)
        return figure

    out.add_figure("f-measure-roc-graph", "ROC graphs: one point a model", lambda: panels("point"))
    out.add_figure("f-measure-roc-curves", "ROC curves by Laplace scores", lambda: panels("curve"))
    rates = ("false_positive_rate", "true_positive_rate")
    out.extra["roc_points"] = {
        dataset: {m: dict(zip(rates, by_method[m].point, strict=True)) for m in METHODS}
        for dataset, by_method in results.items()
    }

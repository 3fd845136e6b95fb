"""`CrossValidation`: fold values of every method and metric, with the folds and the settings.

`result["gini"]["accuracy"]` is the array of fold values. There are two standard deviations: of the
fold values (n - 1), as Weka prints it, and of the repetition means, as tables of "5 x 10-fold"
cross-validation print it. Frames and texts are built on request.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from .._checks import shown
from .._checks.aliases import Task
from .._checks.naming import display_name
from .._checks.words import counted
from .._engine.versions import versions
from ..exports.tables.forms import Rendered
from ..exports.tables.records import records_to_frame
from ..exports.tables.table import Cell, ReportTable, mean_sd, report_table, scale_of
from ..metrics.per_class import per_class_table
from .folds import Folds
from .scoring import greater_is_better
from .statistics.outcome import PairedTestResult
from .statistics.t_tests import corrected_resampled_t_test
from .statistics.ties import TIED, exact_mean

T = TypeVar("T")


class ByName(Generic[T]):
    """A read-only mapping in the order of insertion. Its KeyError for an unknown name lists the
    known ones."""

    _noun: ClassVar[str]
    _held: dict[str, T]

    def __getitem__(self, name: str) -> T:
        try:
            return self._held[name]
        except (KeyError, TypeError):
            names = ", ".join(map(repr, self._held))
            raise KeyError(f"no {self._noun} {shown(name)}; there are {names}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)


@dataclass(eq=False, repr=False)
class MethodScores(ByName[np.ndarray], Mapping[str, np.ndarray]):
    """Fold values of one method: a mapping from metric to float64 (folds,), sizes and times
    included.

    Attributes:
        name: of the method.
        predictions: class codes, -1 = unclassified, int32, or the numbers of a regression,
            float64 (test rows,), in the order of `folds.test_rows`.
        proba: class probabilities, shape (test rows, n_classes), in that order, or None.
    """

    _noun = "metric"
    name: str
    _held: dict[str, np.ndarray]
    predictions: np.ndarray
    proba: np.ndarray | None

    def __repr__(self) -> str:
        return f"MethodScores({self.name!r}, {', '.join(self)})"


@dataclass(eq=False, repr=False)
class CrossValidation(Rendered, ByName[MethodScores], Mapping[str, MethodScores]):
    """Result of `cross_validate`: a mapping from method to `MethodScores`.

    Attributes:
        metrics: names of the metrics of `scoring`.
        folds: the `Folds`.
        task: "classification" or "regression".
        classes: class labels; empty for a regression.
        settings: methods, folds, scoring, seed, parameters, and what automatic settings mean.
        seconds: wall time.
        directions: metric -> larger is better.
        data: the rows (not copied; None in a pickled result).
        unfinished: number of folds that an interrupt has left out.
        skipped: method -> why it does not apply (with ``on_error="skip"``).
        asked: cv, groups, random_state and scoring as they were given.
        stability: method -> what refits of its tree on all rows have in common, as
            `Stability.to_dict` has it; filled by ``compare(..., stability=N)``.
    """

    kind, _noun = "cross_validation", "method"
    _held: dict[str, MethodScores]
    _: KW_ONLY
    metrics: tuple[str, ...]
    directions: dict[str, bool]
    folds: Folds
    classes: tuple[Any, ...]
    _truth: np.ndarray
    task: Task
    name: str | None
    settings: dict[str, Any]
    seconds: float
    data: Any
    unfinished: int
    skipped: dict[str, str]
    asked: dict[str, Any]
    stability: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "data": None}

    def __repr__(self) -> str:
        what = f" of {self.name!r}" if self.name else ""
        methods = counted(len(self), "method")
        folds = f"{counted(len(self.folds.pairs), 'fold')} ({self.folds.description})"
        return f"CrossValidation{what}: {methods} x {folds}, metrics {', '.join(self.metrics)}"

    @property
    def true_codes(self) -> np.ndarray:
        """True class codes, shape (test rows,), in the order of `folds.test_rows`. AttributeError
        for a regression, which has `true_numbers`."""
        if self.task == "regression":
            raise AttributeError("a regression has no class codes: see true_numbers")
        return self._truth

    @property
    def true_numbers(self) -> np.ndarray:
        """The observed numbers of a regression, float64, shape (test rows,), in the order of
        `folds.test_rows`. AttributeError for a classification, which has `true_codes`."""
        if self.task == "classification":
            raise AttributeError("a classification has no numbers: see true_codes")
        return self._truth

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of the methods, in the order in which they were given; methods that do not apply
        are not among them."""
        return tuple(self._held)

    def values(self) -> Any:
        """The `MethodScores`, in the order of `methods`, as for any mapping. Values of the folds
        are in each of them, by metric."""
        return self._held.values()

    def matrix(self, metric: str) -> np.ndarray:
        """Return the fold values of a metric for all methods, shape (methods, folds). Folds in
        which the metric has no value are NaN."""
        return np.array([scores[metric] for scores in self._held.values()])

    def larger_is_better(self, metric: str) -> bool:
        """Whether larger values of a metric of the result are better: false of errors, sizes of
        trees and seconds."""
        direction = self.directions.get(metric)
        return greater_is_better(metric) if direction is None else direction

    def repeat_means(self, method: str, metric: str) -> np.ndarray:
        """Return the mean over the folds of every repetition, shape (repetitions,). Their spread is
        smaller than the spread of folds."""
        repeats = self[method][metric].reshape(self.folds.n_repeats, self.folds.n_splits)
        return np.array([exact_mean(folds) for folds in repeats.tolist()])

    def mean(self, method: str, metric: str) -> float:
        """Return the mean of a metric over the folds. It is rounded once, from the exact sum, so
        that the order of the folds does not matter."""
        return exact_mean(self[method][metric].tolist())

    def sd(self, method: str, metric: str, *, of: str = "folds") -> float:
        """Return the standard deviation (n - 1) of fold values, or of repetition means with
        of="repeats".

        NaN with a single value.
        """
        if of not in ("folds", "repeats"):
            raise ValueError(f'of={shown(of)}; use "folds" or "repeats"')
        values = self[method][metric] if of == "folds" else self.repeat_means(method, metric)
        if len(values) < 2 or not np.isfinite(values).all():
            return float("nan")
        return float(values.std(ddof=1))

    def refit(self, method: str) -> Any:
        """Return a new estimator of a method, fitted on all rows.

        Raises ValueError when the result was pickled and its rows are gone.
        """
        if self.data is None:
            raise ValueError(
                "the rows are not kept in a pickled result; fit the method on them yourself"
            )
        return self.data.fitted(self.settings["methods"][self[method].name])

    def summary(self) -> list[dict[str, Any]]:
        """Return one dictionary per method and metric: mean, sd (of folds), sd_repeats (of means of
        repetitions) and number of folds. Sizes of trees are among the metrics where every fold has
        one."""
        return [
            {
                "dataset": self.name,
                "method": method,
                "metric": metric,
                "mean": self.mean(method, metric),
                "sd": self.sd(method, metric),
                "sd_repeats": self.sd(method, metric, of="repeats"),
                "folds": len(self.folds.pairs),
            }
            for method, scores in self._held.items()
            for metric in (*self.metrics, *self._sizes)
            if metric in self.metrics or np.isfinite(scores[metric]).all()
        ]

    @property
    def _sizes(self) -> list[str]:
        """Sizes of trees that were not asked for."""
        return [name for name in ("leaves", "nodes", "depth") if name not in self.metrics]

    def records(self, *, folds: bool = False) -> list[dict[str, Any]]:
        """Return the rows of `summary`, which CSV and JSON hold.

        With `folds` one dict per method and fold: the sizes of the fold, the metrics' values and
        the sizes of the tree. `folds.test_rows` has the rows of the folds.
        """
        if not folds:
            return self.summary()
        n_splits = self.folds.n_splits
        return [
            {
                "method": method,
                "repeat": place // n_splits + 1,
                "fold": place % n_splits + 1,
                "n_train": int(self.folds.train_sizes[place]),
                "n_test": int(self.folds.test_sizes[place]),
                **{
                    name: float(values[place])
                    for name, values in scores.items()
                    if name != "seconds"
                },
            }
            for method, scores in self._held.items()
            for place in range(len(self.folds.pairs))
        ]

    @property
    def fold_values(self) -> dict[str, dict[str, list[float]]]:
        """Values of the folds in order, by method and metric, as JSON holds them. Times are left
        out, so that equal runs give equal values."""
        return {
            method: {name: values.tolist() for name, values in scores.items() if name != "seconds"}
            for method, scores in self.items()
        }

    def tables(self, *, sd: str = "folds", per_class: bool = False) -> list[ReportTable]:
        """Return the tables of the result: methods by metrics; with `per_class` one more per
        method. `sd`: "folds" or "repeats", as in `sd`. ValueError for `per_class` of a
        regression."""
        if per_class and self.task == "regression":
            raise ValueError("per_class=True: a regression has no classes; leave it out")
        # The metrics, then the sizes of trees where all methods are trees.
        metrics = [*self.metrics, *(n for n in self._sizes if np.isfinite(self.matrix(n)).all())]
        of_classes = self.task == "classification" and "unclassified" not in metrics
        if of_classes and self.matrix("unclassified").any():
            metrics.append("unclassified")
        columns = [mean_cells(self, metric, sd) for metric in metrics]
        rows: list[tuple[Any, ...]] = list(zip(self.methods, *columns, strict=True))
        rows += [(name, "does not apply", *([""] * (len(metrics) - 1))) for name in self.skipped]
        n_folds = counted(len(self.folds.pairs), "fold")
        title = f"{self.name}: " if self.name else ""
        title += f"{counted(len(self), 'method')}, {n_folds} ({self.folds.description})"
        notes = [spread_note(sd, *columns, over=f" over {n_folds}")]
        if self.unfinished:
            verb = "is" if self.unfinished == 1 else "are"
            notes.append(f"Interrupted: {counted(self.unfinished, 'fold')} {verb} not finished.")
        notes += automatic_notes([self])
        notes += [f"{name} does not apply: {why}" for name, why in self.skipped.items()]
        header = ["method", *(scale_of(metric).label for metric in metrics)]
        return [
            report_table(title, header, rows, *notes),
            *(
                per_class_table(name, self.classes, self.true_codes, one.predictions, one.proba)
                for name, one in self.items()
                if per_class
            ),
        ]

    def against_first(self, metric: str | None = None) -> list[PairedTestResult]:
        """Return the corrected resampled t test of every other method against the first.

        `metric` is by default the first that was asked for; methods with fold values that are not
        finite, and single folds, are left out.
        """
        metric = self.metrics[0] if metric is None else metric
        first, *others = self.methods
        tests = []
        for other in others:
            a, b = self[first][metric], self[other][metric]
            if len(a) > 1 and np.isfinite(a).all() and np.isfinite(b).all():
                ratio = self.folds.n_test_over_n_train
                test = corrected_resampled_t_test(a, b, test_over_train=ratio, names=(first, other))
                tests.append(replace(test, greater_is_better=self.larger_is_better(metric)))
        return tests

    def environment(self) -> dict[str, Any]:
        """Return everything that is needed to run it again: methods, folds, seed, data, versions.

        ``data`` has rows and target; of a result that has the rows also the Python that reads a
        file or data set again (``read_by``, "" for others) and the SHA-256 of columns and target.
        """
        made = {name: _estimator_code(one) for name, one in self.settings["methods"].items()}
        about, data = dict(self.settings["data"]), self.data
        if data is not None:
            about["read_by"] = getattr(data.table, "origin", "")
            about["sha256"] = data.sha256()
        return {**self.settings, "methods": made, "data": about, "versions": versions()}

    def document(self) -> dict[str, Any]:
        """Return the whole result as plain data, for JSON: a summary per method, fold values, the
        best constant and the settings."""
        return {
            "kind": self.kind,
            "dataset": self.name,
            "task": self.task,
            "rows": self.summary(),
            "folds": self.fold_values,
            "classes": list(self.classes),
            **self.settings["data"]["constant"],
            "seconds": self.seconds,
            "settings": self.environment(),
        }

    def to_frame(self, *, folds: bool = False) -> Any:
        """Return a pandas frame (a list of dicts without pandas).

        One row per method with mean, sd and sd_repeats of every metric; with `folds=True` one row
        per method and fold with the metrics' values and sizes as columns.
        """
        if folds:
            return records_to_frame(self.records(folds=True))
        by_method: dict[str, dict[str, Any]] = {method: {"method": method} for method in self._held}
        for row in self.summary():
            for part in ("mean", "sd", "sd_repeats"):
                by_method[row["method"]][f"{row['metric']}_{part}"] = row[part]
        return records_to_frame(list(by_method.values()))


def mean_cells(result: CrossValidation, metric: str, sd: str) -> list[Cell]:
    """Mean and deviation (`sd` as in `CrossValidation.tables`) of each method; the best mean of a
    metric that was asked for is bold."""
    means = np.array([result.mean(method, metric) for method in result.methods])
    bold = np.zeros(len(means), dtype=bool)
    if metric in result.metrics and len(means) > 1 and np.isfinite(means).any():
        best = np.nanmax(means) if result.directions.get(metric, True) else np.nanmin(means)
        bold = np.isclose(means, best, rtol=TIED, atol=0.0)
    return [
        Cell(mean_sd(mean, result.sd(method, metric, of=sd), metric), is_best)
        for method, mean, is_best in zip(result.methods, means.tolist(), bold.tolist(), strict=True)
    ]


def _estimator_code(estimator: Any) -> str:
    """The code of an estimator, which names its criterion even if it is the default.

    >>> from fasttree import FastTreeClassifier
    >>> _estimator_code(FastTreeClassifier(max_depth=2))
    "FastTreeClassifier(criterion='info_gain', max_depth=2)"
    """
    text, criterion = display_name(estimator), getattr(estimator, "criterion", None)
    name, _, rest = text.partition("(")
    if not isinstance(criterion, str) or not hasattr(estimator, "missing") or "criterion=" in rest:
        return text
    return f"{name}(criterion={criterion!r}{', ' * (rest != ')')}{rest}"


def automatic_notes(results: Iterable[CrossValidation]) -> list[str]:
    """The note on settings that follow the criterion, on all data sets; empty where there are no
    such settings."""
    phrases = dict.fromkeys(phrase for result in results for phrase in result.settings["automatic"])
    return [f"Automatic settings: {'; '.join(phrases)}."] if phrases else []


def spread_note(sd: str, *columns: Iterable[Cell], over: str = "") -> str:
    """The note of a table: its numbers are means with standard deviations of folds or of
    repetitions (`sd`), and the best values are emphasised, if a cell is bold."""
    spread = "fold values" if sd == "folds" else "repetition means"
    best = "; best values emphasised" * any(cell.bold for column in columns for cell in column)
    return f"Mean (standard deviation of {spread}){over}{best}."

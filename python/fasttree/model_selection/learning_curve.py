"""`learning_curve`: how a method improves with more training rows.

Each repetition draws a test set and trains on growing shares of the other rows
(`LearningCurveSplit`); all methods get the same rows. It costs as much as `cross_validate` with
sizes x repetitions folds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._checks import as_list, checked, one_value, random_seed
from .._checks.aliases import MaybeArray, Seed, Task
from .._checks.progress import Progress
from ..exports.tables.forms import Rendered
from ..exports.tables.table import ReportTable, mean_sd, report_table, scale_of
from .arguments import Request, data_and_criteria
from .learning_curve_split import LearningCurveSplit
from .result import CrossValidation
from .statistics.ties import exact_mean
from .validation import cross_validate

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False, repr=False)
class LearningCurve(Rendered):
    """Result of `learning_curve`; `to_text()` and so on print it.

    Attributes:
        result: the underlying `CrossValidation`.
        train_sizes: training sizes in rows.
    """

    kind = "learning_curve"
    result: CrossValidation
    train_sizes: list[int]

    def __repr__(self) -> str:
        return f"LearningCurve: {len(self.methods)} methods, {len(self.train_sizes)} training sizes"

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of the methods, in the order in which they were given."""
        return self.result.methods

    def values(self, method: str, metric: str) -> np.ndarray:
        """The scores of a method by a metric, shape (repetitions, sizes). KeyError for an unknown
        method or metric.

        Args:
            method: name of the method.
            metric: name of the metric.
        """
        return self.result[method][metric].reshape(-1, len(self.train_sizes))

    def plot(self, metric: str | None = None, ax: Axes | None = None, **options: Any) -> Any:
        """Draw the curves; see `fasttree.plots.learning_curves`.

        Args:
            metric: name of the metric; None: the first one.
            ax: axes to draw on; None: a new figure.
            **options: further arguments of `learning_curves`.

        Returns:
            The axes.
        """
        from ..plots import learning_curves

        return learning_curves(self, metric=metric, ax=ax, **options)

    def records(self) -> list[dict[str, Any]]:
        """Return one dict per method, metric and size: mean, sd over repetitions (n - 1; NaN for
        one), repetitions."""
        return [
            {
                "method": method,
                "metric": metric,
                "n_train": size,
                "mean": exact_mean(column.tolist()),
                "sd": float(column.std(ddof=1)) if len(column) > 1 else float("nan"),
                "repeats": len(column),
            }
            for method in self.methods
            for metric in self.result.metrics
            for size, column in zip(self.train_sizes, self.values(method, metric).T, strict=True)
        ]

    def tables(self) -> list[ReportTable]:
        """Return one table per metric: a row for each training size, a column for each method, with
        mean and standard deviation over the repetitions. All text forms render these."""
        records = {(row["metric"], row["n_train"], row["method"]): row for row in self.records()}
        repeats = len(self.values(self.methods[0], self.result.metrics[0]))
        tables = []
        for metric in self.result.metrics:
            rows = []
            for size in self.train_sizes:
                of_size = [records[metric, size, method] for method in self.methods]
                rows.append([size, *(mean_sd(row["mean"], row["sd"], metric) for row in of_size)])
            note = f"Mean (standard deviation) over {repeats} repetitions."
            header = ["training rows", *self.methods]
            tables.append(report_table(scale_of(metric).label, header, rows, note))
        return tables

    def document(self) -> dict[str, Any]:
        """Return the whole result as plain data, for JSON: training sizes, one record per metric,
        size and method, and the settings."""
        return {
            "kind": self.kind,
            "dataset": self.result.name,
            "train_sizes": self.train_sizes,
            "rows": self.records(),
            "settings": self.result.environment(),
        }


@checked(train_sizes=as_list, random_state=random_seed, stratify=one_value, nested=one_value)
def learning_curve(
    X: Any,
    y: MaybeArray = None,
    criterion: Any = None,
    *,
    estimators: Any = None,
    train_sizes: Sequence[float] = (0.1, 0.25, 0.5, 0.75, 1.0),
    test_size: float = 0.1,
    n_repeats: int = 100,
    stratify: bool = True,
    nested: bool = True,
    scoring: Any = None,
    task: Task | None = None,
    random_state: Seed = 0,
    n_jobs: int | None = None,
    progress: Progress = False,
    client: Any = None,
    journal: Any = None,
    **params: Any,
) -> LearningCurve:
    """Cross-validate methods by training size.

    Args:
        X: the rows: a Table, anything that `Table` takes, or the name of a data set or file.
        y: their labels or numbers, or the name of a column of X.
        criterion: split criteria to compare, one tree each.
        estimators: further methods: an estimator of scikit-learn, a list or a dict of them.
        train_sizes: training sizes: whole numbers of rows, or shares of the rows outside the test
            set.
        test_size: share of the rows that are tested.
        n_repeats: how often a test set is drawn.
        stratify: whether test sets keep the shares of the classes; numbers are never stratified.
        nested: whether a larger training set contains the smaller ones of the same repetition.
        scoring: metrics, by name; None: the usual ones of the task.
        task: "classification" or "regression"; None: by y.
        random_state: seed or generator of the test sets and of methods that draw.
        n_jobs: threads; None means the engine's default for trees and one for other estimators.
        progress: whether a bar is drawn, or a function ``progress(done, total)``.
        client: a Dask client, on whose workers the methods are fitted.
        journal: a file to which finished units of work are appended; the same call continues a
            killed run.
        **params: parameters of every tree.

    Returns:
        A `LearningCurve`.

    Raises:
        ValueError: a size outside its range, and the errors of `cross_validate`.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> curve = learning_curve(
    ...     X, y, estimators={"NB": GaussianNB()}, train_sizes=(0.2, 1.0), n_repeats=3
    ... )
    >>> curve.train_sizes, curve.values("NB", "accuracy").shape
    ([27, 135], (3, 2))
    """
    if "cv" in params:
        raise TypeError(
            f"cv={params['cv']!r} is not a parameter of learning_curve, which draws its own "
            "divisions: say n_repeats, test_size and train_sizes"
        )
    X, y, criterion = data_and_criteria(X, y, criterion)
    X, y, task = Request(criterion, estimators, scoring, params, task).read(X, y)
    cv = LearningCurveSplit(
        train_sizes,
        test_size=test_size,
        n_repeats=n_repeats,
        stratify=stratify and task == "classification",
        nested=nested,
        random_state=random_state,
    )
    result = cross_validate(
        X,
        y,
        criterion,
        estimators=estimators,
        cv=cv,
        scoring=scoring,
        task=task,
        random_state=random_state,
        n_jobs=n_jobs,
        progress=progress,
        client=client,
        journal=journal,
        **params,
    )
    return LearningCurve(
        result, [int(size) for size in result.folds.train_sizes[: len(train_sizes)]]
    )

"""Fitting methods on the training rows of folds, and their predictions for the test rows.

`fit_methods` fits our trees to all folds by one call into the core, and any other estimator fold by
fold, in threads of joblib. Both ways fill the same arrays (`FoldOutputs`), which `scoring` reads. A
tree for which `estimators.tree.config_for` has no configuration is fitted fold by fold, and so is
every method if a scorer needs a fitted estimator. `units` calls `fit_methods`, in this process or
on a worker.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .._checks.aliases import Task
from .._checks.data_warnings import held_warnings, quiet, warn_caller, warnings_about
from .._checks.progress import Report
from ..metrics.labels import check_lengths, codes_of
from ..metrics.number_errors import finite_numbers
from ..metrics.tree_size import depth, leaves, nodes
from ..table import Table
from ..table.data_checks.findings import treated, treatments_by_fold
from ..table.dates import parse_date_reasons
from .folds import Folds
from .identity import hash_of_rows

REFUSALS = (ValueError, TypeError, NotImplementedError)
"""Errors by which a method refuses the data."""

SIZES = ("leaves", "empty_leaves", "nodes", "depth")
"""Sizes of a fitted tree, NaN for another estimator."""


@dataclass
class Method:
    """An estimator with its name, as one row of a result. Trees carry the core's configuration, so
    that the engine can fit them to all folds in one call."""

    name: str
    estimator: Any
    config: dict[str, Any] | None = None
    """The configuration of a tree for the core; None: the estimator is fitted fold by fold."""
    table: Table | None = None
    """The Table that a discretiser with ``scope="all"`` has binned; None: the Table of the data."""


@dataclass
class Data:
    """The rows that methods are fitted on, with their target, in the forms that different
    estimators take. Workers of a cluster get a copy."""

    X: Any
    """Rows as the user gave them."""
    labels: np.ndarray | None
    """Labels or numbers, shape (n_rows,); None: they are still to be decoded."""
    table: Any
    """The Table of the rows; None if no method needs one."""
    classes: tuple[Any, ...]
    """The class labels; empty for a regression."""
    target: np.ndarray
    """Class codes, or the numbers of a regression, shape (n_rows,)."""
    task: Task
    groups: Any = None
    """The group of each row, where there are groups."""
    _views: dict[str, Any] = field(default_factory=dict)

    @property
    def y(self) -> np.ndarray:
        """Labels or numbers, shape (n_rows,). The labels of a Table are decoded when first asked
        for, as our own trees do not need them."""
        if self.labels is None:
            self.labels = np.asarray(self.table.y)
        return self.labels

    def view(self, method: Method) -> Any:
        """Return the rows in the form the estimator takes.

        Our own estimators get the Table. Others get X as the user gave it. If that is a Table, they
        get a float array with nominal columns as codes in declared order and NaN where missing; a
        pipeline, which may encode columns itself, gets a data frame.
        """
        estimator = method.estimator
        if method.table is not None:
            return method.table
        if is_ours(estimator) and self.table is not None:
            return self.table
        if self.X is not self.table:
            return self.X
        form = "frame" if hasattr(estimator, "steps") else "codes"
        if form not in self._views:
            table = self.table
            if form == "frame":  # without the target: it is no feature
                self._views[form] = table.to_frame()[table.feature_names]
            else:
                columns = [column.numbers() for column in table.columns]
                self._views[form] = np.column_stack(columns).astype(np.float64, copy=False)
        return self._views[form]

    def as_seen(self, table: Table, train: np.ndarray, dates: Collection[str] = ()) -> Table:
        """The Table with the levels that occur in the training rows, as if `fit` read these alone.

        Columns of `dates` are read in all rows. A Table that the caller gave declares its levels.
        """
        if table is not self.table or self.X is table:
            return table
        columns = [
            column if column.name in dates else column.as_seen(train) for column in table.columns
        ]
        same = all(new is old for new, old in zip(columns, table.columns, strict=True))
        return table if same else table.with_columns(columns)

    def treated(self, table: Table, reasons: dict[str, str]) -> Any:
        """The Table whose columns are treated for these reasons. A treated copy of the data's Table
        is made once and kept, since several methods share it."""
        if not reasons:
            return table
        if table is not self.table:
            return treated(table, reasons)
        key = f"{id(table)} {reasons}"
        if key not in self._views:
            self._views[key] = treated(table, reasons)
        return self._views[key]

    def sha256(self) -> str:
        """SHA-256 (hex) of the rows and their target, by which a journal recognises the data. It
        reads all cells."""
        return hash_of_rows(self.X, self.labels, self.table)

    def fitted(self, estimator: Any) -> Any:
        """Return a clone of the estimator, fitted on all rows. Warnings about the data are not
        repeated."""
        from sklearn.base import clone

        X = self.view(Method("", estimator))
        with quiet():  # the cross-validation has warned
            return clone(estimator).fit(X, *(() if isinstance(X, Table) else (self.y,)))


@dataclass
class ValidationTask:
    """The cross-validation of one data set: methods, rows, folds and the wanted output. It holds no
    scores; workers get it whole or in units."""

    methods: list[Method]
    data: Data
    folds: Folds
    want: str | None
    """The output beside the classes: None: nothing (always for a regression); "proba":
    probabilities; "scores": probabilities, or the values of decision_function; "if possible":
    probabilities, NaN for a classifier without any."""
    estimator_scorers: dict[str, Any]
    """Scorers that need a fitted estimator, by name; with some, every fit is in Python."""
    settings: dict[str, Any] = field(default_factory=dict)
    """Settings that a journal compares besides methods, folds and data."""
    n_jobs: Any = None
    """Threads."""
    memory_limit: int | None = None
    """The argument `memory_limit` of `cross_validate`, in bytes."""

    def __getstate__(self) -> dict[str, Any]:
        """State for a worker: without settings and views of the rows, and for one thread."""
        data = replace(self.data, groups=None, _views={})
        return {**self.__dict__, "data": data, "settings": {}, "n_jobs": 1}

    def is_fast(self, method: Method) -> bool:
        """Whether a method is one of our trees that the engine fits to all folds in one call. A
        scorer that needs fitted estimators rules this out for all methods."""
        return method.config is not None and not self.estimator_scorers

    def table_of(self, method: Method) -> Any:
        """The Table that a tree learns from: the method's own one, which a discretiser has binned,
        else the Table of the data."""
        return self.data.table if method.table is None else method.table


@dataclass
class FoldOutputs:
    """Out-of-fold output of all methods; test rows are in the order of `Folds.test_rows`. Scores
    are computed from it afterwards, so that workers and the journal need not know the metrics."""

    rows: dict[str, np.ndarray]
    """``"predictions"``: class codes, -1 = unclassified, int32, or numbers, float64, shape
    (methods, test rows). ``"proba"``, if asked for: probabilities or scores, shape (methods, test
    rows, n_classes)."""
    folds: dict[str, np.ndarray]
    """Arrays of shape (methods, folds): ``"sizes NAME"`` for each of `SIZES`; ``"seconds"``, the
    time of a fit and its predictions; ``"scored NAME"`` for each scorer of fitted estimators."""

    @classmethod
    def empty(cls, task: ValidationTask, n_methods: int, folds: Folds) -> FoldOutputs:
        """Arrays for the output of some methods of a task on folds, still to be filled. Values per
        fold are NaN; predictions are uninitialised memory."""
        total, data = len(folds.test_rows), task.data
        dtype = np.float64 if data.task == "regression" else np.int32
        rows = {"predictions": np.empty((n_methods, total), dtype)}
        if task.want is not None:
            rows["proba"] = np.empty((n_methods, total, len(data.classes)))
        names = (
            *(f"sizes {n}" for n in SIZES),
            "seconds",
            *(f"scored {n}" for n in task.estimator_scorers),
        )
        return cls(rows, {name: np.full((n_methods, len(folds.pairs)), np.nan) for name in names})

    @property
    def predictions(self) -> np.ndarray:
        """Predicted class codes (int32; -1 stands for no prediction) or numbers (float64), shape
        (methods, test rows). The test rows of all folds follow each other."""
        return self.rows["predictions"]

    @property
    def proba(self) -> np.ndarray | None:
        """Probabilities or scores, shape (methods, test rows, n_classes); None if the metrics do
        not need any."""
        return self.rows.get("proba")

    def store_trees(
        self, places: list[int], output: dict[str, Any], seconds: float, folds: Folds, numbers: Any
    ) -> None:
        """Store the output of the core.

        Args:
            places: positions of the methods.
            output: the output of `_engine.cross_validate`.
            seconds: time that the call took.
            folds: all folds.
            numbers: numbers of the folds that were fitted.
        """
        tested = np.concatenate([np.arange(*folds.offsets[[fold, fold + 1]]) for fold in numbers])
        # The core gives the prediction of a number in the place of a probability.
        if self.predictions.dtype.kind == "f":
            output = {**output, "predictions": output["proba"][..., 0]}
        for name, values in self.rows.items():
            values[np.array(places)[:, None], tested] = output[name]
        cells = np.array(places)[:, None], np.array(numbers)
        for name in SIZES:
            self.folds[f"sizes {name}"][cells] = output[name]
        self.folds["seconds"][cells] = seconds / (len(places) * len(numbers))

    def store_estimator(self, place: int, output: list[dict[str, Any]]) -> None:
        """Store the output of `_fit_on_fold` for the method at this position, one dictionary per
        fold in the order of the folds. All folds must be there."""
        for name, values in self.rows.items():
            values[place] = np.concatenate([fold[name] for fold in output])
        for name, values in self.folds.items():
            values[place] = [fold[name] for fold in output]


def is_ours(estimator: Any) -> bool:
    """Whether an estimator is defined in this package, so that it takes Tables. Subclasses that a
    user defines elsewhere get arrays, as other estimators do."""
    return type(estimator).__module__.split(".")[0] == __name__.split(".", maxsplit=1)[0]


def lacks_seed(estimator: Any) -> bool:
    """Whether an estimator of this package, or a part of a pipeline, draws random numbers and has
    no seed, so that two runs differ. Estimators of other packages are not checked."""
    from ..estimators.parameters import grows_at_random

    for part in (
        estimator,
        *(estimator.get_params().values() if hasattr(estimator, "steps") else ()),
    ):
        params = (
            part.get_params(deep=False) if is_ours(part) and hasattr(part, "get_params") else {}
        )
        if params.get("random_state", 0) is None and (
            params.keys().isdisjoint({"ties"})  # no tree
            or "n_estimators" in params
            or params.get("honest")
            or grows_at_random(params)
        ):
            return True
    return False


def take_rows(X: Any, rows: np.ndarray) -> Any:
    """Return rows of an array, frame, list or sparse matrix, by position. The kind of X is kept."""
    if isinstance(X, np.ndarray):
        return X[rows]
    from sklearn.utils import _safe_indexing

    return _safe_indexing(X, rows)


def named_error(name: str, error: Exception) -> Exception:
    """The error with the name of the method in its message, for comparisons of many methods. An
    error that names it already is returned as it is."""
    if name in str(error):
        return error
    kind = next((kind for kind in REFUSALS if isinstance(error, kind)), type(error))
    return kind(f"{name}: {error}")


def _scored(name: str, scorer: Any, estimator: Any, X: Any, y: Any) -> float:
    """The value of a scorer; its errors name it."""
    try:
        return float(scorer(estimator, X, y))
    except (TypeError, ValueError) as error:
        raise named_error(f"scoring: {name!r}", error) from error


def _fit_on_fold(task: ValidationTask, method: Method, fold: Any) -> dict[str, Any]:
    """Fit a method on one fold; return predictions, probabilities, sizes, seconds, values of the
    scorers of fitted estimators, and warnings, by the names that `FoldOutputs` has for them."""
    from sklearn.base import clone

    # Fit and predict, in the form that the estimator takes.
    data, (train, test) = task.data, fold
    estimator = clone(method.estimator)
    X = data.view(method)
    started = time.perf_counter()
    X_test = X.take(test) if isinstance(X, Table) else take_rows(X, test)
    with held_warnings() as warned, warnings_about(method.name):
        with quiet():  # the data are warned of once, for all rows
            if isinstance(X, Table):
                estimator.fit(data.as_seen(X, train).take(train))
            else:
                estimator.fit(take_rows(X, train), data.y[train])
        predicted = estimator.predict(X_test)
    seconds = time.perf_counter() - started
    output: dict[str, Any] = {
        "predictions": _checked_predictions(predicted, method.name, data, len(test)),
        "sizes leaves": leaves(estimator),
        "sizes empty_leaves": float("nan"),
        "sizes nodes": nodes(estimator),
        "sizes depth": depth(estimator),
        "seconds": seconds,
        "warned": warned,
    }
    for name, one in task.estimator_scorers.items():
        output[f"scored {name}"] = _scored(name, one, estimator, X_test, data.y[test])
    if task.want is not None:
        output["proba"] = _proba(estimator, X_test, len(test), method.name, task)
    return output


def _proba(estimator: Any, X: Any, n_rows: int, name: str, task: ValidationTask) -> np.ndarray:
    """Probabilities, or scores if `task.want` allows these, shape (n_rows, n_classes); the lowest
    possible value for classes that the training rows lacked."""
    classes = task.data.classes
    if hasattr(estimator, "predict_proba"):
        values, missing = np.asarray(estimator.predict_proba(X)), 0.0
    elif task.want == "scores" and hasattr(estimator, "decision_function"):
        values, missing = np.asarray(estimator.decision_function(X)), -np.inf
        if values.ndim == 1:
            values = np.column_stack([-values, values])
    elif task.want == "if possible":
        return np.full((n_rows, len(classes)), np.nan)
    else:
        raise ValueError(
            f"{name} has no predict_proba, which the scoring needs; wrap it in "
            "CalibratedClassifierCV or leave out metrics of probabilities"
        )
    probabilities = np.full((n_rows, len(classes)), missing)
    probabilities[:, list(map(classes.index, np.asarray(estimator.classes_).tolist()))] = values
    return probabilities


def _checked_predictions(predicted: Any, name: str, data: Data, n_rows: int) -> np.ndarray:
    """Predictions as class codes or as finite numbers, shape (n_rows,)."""
    what = f"predictions of {name}"
    if data.task == "classification":
        return codes_of(predicted, data.classes, what, missing_ok=True)
    numbers = finite_numbers(what, predicted)
    check_lengths(what, n_rows, len(numbers))
    return numbers


def _fit_estimators(
    task: ValidationTask, methods: list[Method], folds: Folds, report: Report
) -> Iterator[list[dict[str, Any]]]:
    """Yield the output of `_fit_on_fold` on all folds, method by method, in threads if `n_jobs` of
    the task asks for them."""
    jobs = [(task, method, fold) for method in methods for fold in folds.pairs]
    for method in methods:  # objects that all fits share are made before threads start
        task.data.view(method)
    assert len(task.data.y) == len(task.data.target)
    # Outputs come in the order of the jobs, from one thread or several.
    if task.n_jobs in (None, 1):
        stream: Any = itertools.starmap(_fit_on_fold, jobs)
    else:
        # joblib's, which also pass scikit-learn's settings on to the threads
        from sklearn.utils.parallel import Parallel, delayed

        pool = Parallel(n_jobs=task.n_jobs, prefer="threads", return_as="generator")
        stream = pool(delayed(_fit_on_fold)(*job) for job in jobs)
    done: list[dict[str, Any]] = []
    for number, output in enumerate(stream, 1):
        for text, category in output.pop("warned"):  # at the caller's line, also from threads
            warn_caller(text, category)
        done.append(output)
        report(number, len(jobs))
        if len(done) == len(folds.pairs):
            yield done
            done = []


def _methods_by_table(
    task: ValidationTask, methods: list[Method], places: list[int]
) -> list[tuple[Any, ...]]:
    """Return (Table, `columns`, positions of the methods that learn from it) for each Table and
    each way to use its columns."""
    groups: dict[Any, tuple[Any, Any, list[int]]] = {}
    for place in places:
        table = task.table_of(methods[place])
        columns = "as_given" if table.as_given else methods[place].estimator.columns
        groups.setdefault((id(table), repr(columns)), (table, columns, []))[2].append(place)
    return list(groups.values())


def _tables_by_fold(
    data: Data, table: Table, columns: Any, folds: Folds
) -> Iterator[tuple[Table, list[int]]]:
    """Yield the Tables as which the training rows of the folds are read, each with the numbers of
    its folds."""
    for reasons, numbers in treatments_by_fold(table, columns, (train for train, _ in folds.pairs)):
        whole, dates = [], parse_date_reasons(reasons)
        for number in numbers:
            seen = data.as_seen(table, folds.pairs[number][0], dates)
            if seen is table:
                whole.append(number)
            else:
                yield data.treated(seen, reasons), [number]
        if whole:
            yield data.treated(table, reasons), whole


def fit_methods(
    task: ValidationTask, methods: list[Method], folds: Folds, report: Report | None = None
) -> FoldOutputs:
    """Fit some methods of a task on some of its folds, and predict the test rows.

    Args:
        task: the cross-validation.
        methods: some of its methods.
        folds: some of its folds.
        report: called with (fits done, fits), or None.
    """
    from .. import _engine
    from ..estimators.tree import config_for

    outputs = FoldOutputs.empty(task, len(methods), folds)
    fast = [place for place, method in enumerate(methods) if task.is_fast(method)]
    slow = [place for place in range(len(methods)) if place not in fast]

    done = 0

    def report_more(more: int, _: int) -> None:
        """Report fits beside those that were `done` before."""
        if report is not None:
            report(done + more, len(methods) * len(folds.pairs))

    # Our trees: one call into the core for each Table.
    for table, columns, places in _methods_by_table(task, methods, fast):
        for own, numbers in _tables_by_fold(task.data, table, columns, folds):
            started = time.perf_counter()
            trees = [methods[place] for place in places]
            if own.dates:  # their parts are columns, which a configuration counts
                configs = [config_for(one.estimator, own) or {} for one in trees]
            else:
                configs = [one.config or {} for one in trees]
            found = _engine.cross_validate(
                own,
                configs,
                [folds.pairs[number] for number in numbers],
                sample_weight=own.sample_weight,  # an ARFF file's count as they do in `fit`
                proba=task.want is not None or task.data.task == "regression",
                n_jobs=task.n_jobs,
                progress=report and report_more,
                memory_limit=task.memory_limit,
            )
            outputs.store_trees(places, found, time.perf_counter() - started, folds, numbers)
            done += len(places) * len(numbers)
    # All other methods, fold by fold.
    if slow:
        own_methods = [methods[place] for place in slow]
        found_by_method = _fit_estimators(task, own_methods, folds, report_more)
        for place, by_fold in zip(slow, found_by_method, strict=True):
            outputs.store_estimator(place, by_fold)
    return outputs

"""Running the methods over the folds: our trees in one call into Rust, any other estimator fold by
fold.

Both ways fill the same arrays (`Runs`), which `scoring` reads. A tree for which
`estimators.tree.config_for` has no configuration is fitted fold by fold, and so is every method if
a scorer needs a fitted estimator. Fits of other estimators run in threads (joblib), as most of
them release the GIL. `units` calls `run_methods`, in this process or on a worker.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .._checks.aliases import Task
from .._checks.progress import Progress, Report
from ..metrics.labels import check_lengths, codes_of
from ..metrics.number_errors import finite_numbers
from ..metrics.tree_size import depth, leaves, nodes
from ..table.data_checks.findings import of_folds, treated
from ..table.data_checks.warned import about, held_warnings, quiet, warn_caller
from ..table.dates import dates_of
from .folds import Folds

if TYPE_CHECKING:
    from ..table import Table


REFUSALS = (ValueError, TypeError, NotImplementedError)
"""Errors by which a method refuses the data."""

SIZES = ("leaves", "empty_leaves", "nodes", "depth")
"""Sizes of a fitted tree, NaN for another estimator."""


@dataclass
class Method:
    """A named estimator."""

    name: str
    estimator: Any
    config: dict[str, Any] | None = None
    """The configuration of a tree for the Rust engine; None: it is fitted fold by fold."""
    table: Table | None = None
    """A Table of its own, binned by a discretiser with ``scope="all"``; None: that of the data."""


@dataclass
class Data:
    """The rows that methods are fitted on."""

    X: Any
    """Rows as the user gave them."""
    labels: np.ndarray | None
    """Labels or numbers, shape (n_rows,); None: not decoded yet."""
    table: Any
    """The Table of the rows; None if no method needs one."""
    classes: tuple[Any, ...]
    """The class labels; none of a regression."""
    target: np.ndarray
    """Class codes, or the numbers of a regression, shape (n_rows,)."""
    task: Task
    groups: Any = None
    """The group of each row, where there are groups."""
    _views: dict[str, Any] = field(default_factory=dict)

    @property
    def y(self) -> np.ndarray:
        """Labels or numbers (n,); of a Table, decoded when first asked for."""
        if self.labels is None:
            self.labels = np.asarray(self.table.y)
        return self.labels

    def view(self, method: Method) -> tuple[str, Any]:
        """Return ("table" | "rows", X) in the form the estimator takes.

        Our own estimators get the Table. Others get X as the user gave it. If that is a Table, they
        get a float array with nominal columns as codes in declared order and NaN where missing; a
        pipeline, which may encode columns itself, gets a data frame.
        """
        estimator = method.estimator
        if method.table is not None:
            return "table", method.table
        if is_ours(estimator) and self.table is not None:
            return "table", self.table
        if self.X is not self.table:
            return "rows", self.X
        form = "frame" if hasattr(estimator, "steps") else "codes"
        if form not in self._views:
            if form == "frame":  # without the target: it is no feature
                self._views[form] = self.table.to_frame()[self.table.feature_names]
            else:
                self._views[form] = codes_matrix(self.table)
        return "rows", self._views[form]

    def as_seen(self, table: Table, train: np.ndarray, dates: Collection[str] = ()) -> Table:
        """The Table as `fit` reads the training rows alone, but for columns of dates, which are
        read in all rows. One that the caller gave has declared its levels."""
        if table is not self.table or self.X is table:
            return table
        columns = [one if one.name in dates else one.as_seen(train) for one in table.columns]
        same = all(new is old for new, old in zip(columns, table.columns, strict=True))
        return table if same else table.with_columns(columns)

    def treated(self, table: Table, reasons: dict[str, str]) -> Any:
        """The Table with its columns treated for these reasons, made once."""
        if not reasons:
            return table
        if table is not self.table:
            return treated(table, reasons)
        key = f"{id(table)} {reasons}"
        if key not in self._views:
            self._views[key] = treated(table, reasons)
        return self._views[key]

    def fitted(self, estimator: Any) -> Any:
        """Return a clone of the estimator, fitted on all rows."""
        from sklearn.base import clone

        form, X = self.view(Method("", estimator))
        with quiet():  # the cross-validation has warned
            if form == "table":
                return clone(estimator).fit(X)
            return clone(estimator).fit(X, self.y)


@dataclass
class Runs:
    """Out-of-fold output of all methods; test rows are in the order of `Folds.test_rows`."""

    rows: dict[str, np.ndarray]
    """``"predictions"``: class codes, -1 = unclassified, int32, or numbers, float64, shape
    (methods, test rows). ``"proba"``, if asked for: probabilities or scores, shape (methods, test
    rows, n_classes)."""
    folds: dict[str, np.ndarray]
    """Of shape (methods, folds): ``"sizes NAME"`` for each of `SIZES`; ``"seconds"``, the time of a
    fit and its predictions; ``"scored NAME"`` for each scorer of fitted estimators."""

    @classmethod
    def empty(
        cls, n_methods: int, folds: Folds, data: Data, *, proba: bool, scored: Iterable[str]
    ) -> Runs:
        """No output yet."""
        total, dtype = len(folds.test_rows), np.float64 if data.task == "regression" else np.int32
        rows = {"predictions": np.empty((n_methods, total), dtype)}
        if proba:
            rows["proba"] = np.empty((n_methods, total, len(data.classes)))
        names = (*(f"sizes {n}" for n in SIZES), "seconds", *(f"scored {n}" for n in scored))
        return cls(rows, {name: np.full((n_methods, len(folds.pairs)), np.nan) for name in names})

    @property
    def predictions(self) -> np.ndarray:
        """Class codes or numbers, shape (methods, test rows)."""
        return self.rows["predictions"]

    @property
    def proba(self) -> np.ndarray | None:
        """Probabilities or scores, shape (methods, test rows, n_classes)."""
        return self.rows.get("proba")

    def add_trees(
        self,
        places: list[int],
        found: Mapping[str, Any],
        seconds: float,
        *,
        folds: Folds,
        numbers: list[int],
    ) -> None:
        """Store the engine's output on the folds of these numbers, of all `folds`, for the methods
        at these positions."""
        starts, sizes = folds.starts[numbers], folds.test_sizes[numbers]
        tested = np.concatenate([np.arange(s, s + n) for s, n in zip(starts, sizes, strict=True)])
        # The core gives the prediction of a number in the place of a probability.
        if self.predictions.dtype.kind == "f":
            found = {**found, "predictions": found["proba"][..., 0]}
        for name, values in self.rows.items():
            values[np.array(places)[:, None], tested] = found[name]
        at = np.array(places)[:, None], np.array(numbers)
        for name in SIZES:
            self.folds[f"sizes {name}"][at] = found[name]
        self.folds["seconds"][at] = seconds / (len(places) * len(numbers))

    def add_estimator(self, place: int, output: list[dict[str, Any]]) -> None:
        """Store what `_fit_one` returned on each fold for the method at this position."""
        for name, values in self.rows.items():
            values[place] = np.concatenate([one[name] for one in output])
        for name, values in self.folds.items():
            values[place] = [one[name] for one in output]

    def of_methods(self, places: np.ndarray) -> Runs:
        """The output of the methods at these positions."""
        parts = (self.rows, self.folds)
        return Runs(*({name: values[places] for name, values in part.items()} for part in parts))


def is_ours(estimator: Any) -> bool:
    """Whether an estimator is one of this package, which takes Tables."""
    return type(estimator).__module__.split(".")[0] == __name__.split(".", maxsplit=1)[0]


def codes_matrix(table: Table) -> np.ndarray:
    """Return a Table as float64 (n, p): numeric columns as they are, nominal ones as codes, missing
    NaN."""
    matrix = np.empty(table.shape, dtype=np.float64)
    for place, column in enumerate(table.columns):
        matrix[:, place] = column.numbers()
    return matrix


def take_rows(X: Any, rows: np.ndarray) -> Any:
    """Return rows of an array, frame, list or sparse matrix."""
    if isinstance(X, np.ndarray):
        return X[rows]
    from sklearn.utils import _safe_indexing

    return _safe_indexing(X, rows)


def _run_trees(
    table: Table,
    configs: list[dict[str, Any]],
    folds: Folds,
    *,
    n_jobs: Any,
    progress: Progress,
    proba: bool,
    memory_limit: int | None,
) -> Any:
    """Fit and predict all configurations on all folds by one call into the engine."""
    from .. import _engine

    # Weights that came with the Table (an ARFF file's) count here as they do in `fit`.
    weights = getattr(table, "sample_weight", None)
    return _engine.cross_validate(
        table,
        configs,
        folds.pairs,
        n_jobs=n_jobs,
        progress=progress,
        proba=proba,
        memory_limit=memory_limit,
        **({} if weights is None else {"sample_weight": weights}),
    )


def _aligned(
    scores: np.ndarray, own: list[Any], classes: tuple[Any, ...], fill: float
) -> np.ndarray:
    """Return columns in the order of all classes; classes the training fold lacked get `fill`."""
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    out = np.full((len(scores), len(classes)), fill)
    lookup = {label: place for place, label in enumerate(classes)}
    out[:, [lookup[label] for label in own]] = scores
    return out


def named_error(name: str, error: Exception) -> Exception:
    """An error whose message begins with the method's name, unless it contains it."""
    if name in str(error):
        return error
    kind = next((kind for kind in REFUSALS if isinstance(error, kind)), type(error))
    return kind(f"{name}: {error}")


def _scored(name: str, scorer: Any, estimator: Any, X: Any, y: Any) -> float:
    """A scorer's value; what it refuses names it."""
    try:
        return float(scorer(estimator, X, y))
    except (TypeError, ValueError) as error:
        raise named_error(f"scoring: {name!r}", error) from error


def _fit_one(
    method: Method, data: Data, fold: Any, want: str | None, outside: dict[str, Any]
) -> dict[str, Any]:
    """Fit on one fold and return predictions, probabilities, sizes, seconds and outside scores."""
    from sklearn.base import clone

    # Fit and predict, in the form that the estimator takes.
    train, test = fold
    estimator = clone(method.estimator)
    form, X = data.view(method)
    started = time.perf_counter()
    X_test = X.take(test) if form == "table" else take_rows(X, test)
    with held_warnings() as warned, about(method.name):
        with quiet():  # the data are warned of once, for all rows
            if form == "table":
                estimator.fit(data.as_seen(X, train).take(train))
            else:
                estimator.fit(take_rows(X, train), data.y[train])
        predicted = estimator.predict(X_test)
    seconds = time.perf_counter() - started
    out: dict[str, Any] = {
        "predictions": _checked_predictions(predicted, method.name, data, len(test)),
        "sizes leaves": leaves(estimator),
        "sizes empty_leaves": float("nan"),
        "sizes nodes": nodes(estimator),
        "sizes depth": depth(estimator),
        "seconds": seconds,
        "warned": warned,
    }
    for name, one in outside.items():
        out[f"scored {name}"] = _scored(name, one, estimator, X_test, data.y[test])
    # Probabilities, or scores in their place where these will do.
    if want is not None:
        own = np.asarray(estimator.classes_).tolist()
        if hasattr(estimator, "predict_proba"):
            out["proba"] = _aligned(
                np.asarray(estimator.predict_proba(X_test)), own, data.classes, 0.0
            )
        elif want == "scores" and hasattr(estimator, "decision_function"):
            out["proba"] = _aligned(
                np.asarray(estimator.decision_function(X_test)), own, data.classes, -np.inf
            )
        elif want == "if possible":
            out["proba"] = np.full((len(test), len(data.classes)), np.nan)
        else:
            raise ValueError(
                f"{method.name} has no predict_proba, which the scoring needs; wrap it in "
                "CalibratedClassifierCV or leave out metrics of probabilities"
            )
    return out


def _checked_predictions(predicted: Any, name: str, data: Data, n_rows: int) -> np.ndarray:
    """Predictions as class codes, or as finite numbers."""
    what = f"predictions of {name}"
    if data.task == "classification":
        return codes_of(predicted, data.classes, what, missing_ok=True)
    found = finite_numbers(what, predicted)
    check_lengths(what, n_rows, len(found))
    return found


def _run_estimators(
    methods: list[Method],
    data: Data,
    folds: Folds,
    *,
    n_jobs: Any,
    report: Report,
    want: str | None,
    outside: dict[str, Any],
) -> list[list[dict[str, Any]]]:
    """Return the output of `_fit_one` by method and fold; threads when n_jobs asks for them."""
    jobs = [(method, fold) for method in methods for fold in folds.pairs]
    for method in methods:
        data.view(method)
    labels = data.y  # decoded before threads start
    assert len(labels) == len(data.target)
    # Outputs come in the order of the jobs, from one thread or several.
    done: list[dict[str, Any]] = []
    if n_jobs in (None, 1):
        stream: Any = (_fit_one(method, data, fold, want, outside) for method, fold in jobs)
    else:
        # joblib's, which also pass scikit-learn's settings on to the threads
        from sklearn.utils.parallel import Parallel, delayed

        pool = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
        stream = pool(delayed(_fit_one)(method, data, fold, want, outside) for method, fold in jobs)
    for one in stream:
        for text, category in one.pop("warned"):  # at the caller's line, also from threads
            warn_caller(text, category)
        done.append(one)
        report(len(done), len(jobs))
    return [done[at : at + len(folds.pairs)] for at in range(0, len(done), len(folds.pairs))]


def _by_table(
    methods: list[Method], places: list[int], shared: Any
) -> list[tuple[Any, Any, list[int]]]:
    """Return (Table, `columns`, positions of the methods that learn from it) for each Table and
    each way to use its columns."""
    groups: dict[Any, tuple[Any, Any, list[int]]] = {}
    for place in places:
        method = methods[place]
        table = method.table if method.table is not None else shared
        columns = "as_given" if table.as_given else method.estimator.columns
        groups.setdefault((id(table), repr(columns)), (table, columns, []))[2].append(place)
    return list(groups.values())


def _folds_alike(
    data: Data, table: Table, columns: Any, folds: Folds
) -> Iterator[tuple[Table, list[int]]]:
    """Tables as the training rows of folds are read, and the numbers of the folds of each."""
    for reasons, numbers in of_folds(table, columns, (train for train, _ in folds.pairs)):
        whole, dates = [], dates_of(reasons)
        for number in numbers:
            seen = data.as_seen(table, folds.pairs[number][0], dates)
            if seen is table:
                whole.append(number)
            else:
                yield data.treated(seen, reasons), [number]
        if whole:
            yield data.treated(table, reasons), whole


def _config_on(method: Method, table: Table) -> dict[str, Any]:
    """The configuration of a tree on a Table whose columns were screened."""
    from ..estimators.tree import config_for

    config = config_for(method.estimator, table) if table.dates else method.config
    return config or {}


def run_methods(
    methods: list[Method],
    data: Data,
    folds: Folds,
    *,
    n_jobs: Any,
    report: Report | None,
    want: str | None,
    outside: dict[str, Any],
    memory_limit: int | None = None,
) -> Runs:
    """Run every method on every fold.

    Args:
        methods, data, folds: methods, rows and folds.
        n_jobs: threads.
        report: called with (fits done, fits), or None.
        want: None: predictions only (always of a regression); "proba": probabilities; "scores":
            probabilities, or the values of decision_function; "if possible": probabilities, NaN for
            a classifier without any.
        outside: scorers of fitted estimators by name, which need every fit in Python.
        memory_limit: as in `cross_validate`.
    """
    runs = Runs.empty(len(methods), folds, data, proba=want is not None, scored=outside)
    fast = [
        place for place, method in enumerate(methods) if method.config is not None and not outside
    ]
    slow = [place for place in range(len(methods)) if place not in fast]
    n_folds = len(folds.pairs)

    def after(before: int) -> Report:
        """Report what is done of all fits, after those that were done `before`."""

        def report_more(done: int, total: int) -> None:
            if report is not None:
                report(before + done, len(methods) * n_folds)

        return report_more

    # Our trees: one call into the engine for each Table.
    done = 0
    for table, columns, places in _by_table(methods, fast, data.table):
        for own, numbers in _folds_alike(data, table, columns, folds):
            started = time.perf_counter()
            found = _run_trees(
                own,
                [_config_on(methods[place], own) for place in places],
                Folds.of([folds.pairs[number] for number in numbers]),
                n_jobs=n_jobs,
                progress=report and after(done),
                proba=want is not None or data.task == "regression",
                memory_limit=memory_limit,
            )
            seconds = time.perf_counter() - started
            runs.add_trees(places, found, seconds, folds=folds, numbers=numbers)
            done += len(places) * len(numbers)
    # All other methods, fold by fold.
    if slow:
        outputs = _run_estimators(
            [methods[place] for place in slow],
            data,
            folds,
            n_jobs=n_jobs,
            report=after(done),
            want=want,
            outside=outside,
        )
        for place, output in zip(slow, outputs, strict=True):
            runs.add_estimator(place, output)
    return runs

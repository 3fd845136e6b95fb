"""`cross_validate`: several split criteria and any scikit-learn estimators on the same folds.

Folds are made once. Our own trees run on all folds by one call into Rust, other estimators are
cloned, fitted and called fold by fold; scoring is vectorised over methods and folds. A prediction
None of a class counts as an error, and the share of such rows is kept as "unclassified". Cost
beside the fits: O(methods x test rows). For several data sets and significance marks use `compare`.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._checks import checked, choice, memory_limit, one_value, random_seed, shown
from .._checks.aliases import CvFolds, Seed, Task
from .._checks.data_warnings import skip_checks, warn_caller, warnings_about
from .._checks.naming import display_name, shown_criterion
from .._checks.progress import Progress, make_report
from .._checks.words import argument, counted, some_of
from ..metrics.constant import best_constant
from ..metrics.labels import codes_of, sorted_classes
from ..table.data_checks.findings import apply_and_warn, inspect
from ..table.data_checks.frames import unscreened_table
from ..table.data_checks.targets import warn_of_small_classes
from ..table.exposure import with_exposure
from ..table.named_columns import pop_if_named
from ..table.target import no_target
from .arguments import Request, data_and_criteria, named_items, refuse_other_task, unused_name
from .execution import Execution, FinishedTask, execution_of, run_tasks
from .fits import REFUSALS, Data, Method, ValidationTask, is_ours, lacks_seed, named_error
from .folds import make_folds
from .interrupts import ON_INTERRUPT
from .result import CrossValidation, MethodScores
from .scoring import (
    FoldScores,
    estimator_scorers,
    greater_is_better,
    needed_probabilities,
    scoring_for_task,
)

ON_ERROR = choice("raise", "skip")
"""The treatment of a method that does not apply."""


def list_methods(
    criterion: Any, estimators: Any, random_state: Seed, params: Mapping[str, Any], task: Task
) -> list[tuple[str, Any]]:
    """Return (name, estimator) of every method, under unique names: criteria as trees with
    `params`, then estimators. Trees get the seed if `random_state` is a number."""
    # A tree for each criterion; parameters of trees need one.
    methods: list[tuple[str, Any]] = []
    criteria = named_items(criterion, "criterion")
    if criteria:
        from ..estimators import FastTreeClassifier, FastTreeRegressor
        from ..estimators.conditions import ignores_criterion
        from ..estimators.idle import drop_idle_of_some
        from ..estimators.parameters import made_of

        kind = FastTreeRegressor if task == "regression" else FastTreeClassifier
        seed = random_state if isinstance(random_state, (int, np.integer)) else None
        settings = {"random_state": seed, **params}
        trees = [made_of(kind, item, settings) for _, item in criteria]
        drop_idle_of_some(trees)
        for (name, item), tree in zip(criteria, trees, strict=True):
            if name == display_name(item):
                name = shown_criterion(tree)
            methods.append((name, tree))
        if len(trees) > 1 and ignores_criterion(params):
            raise ValueError(
                f"criteria {some_of([display_name(item) for _, item in criteria])}: "
                "selection='significance' chooses features and cuts by tests, so that they are one "
                f"tree; name one, or give {argument('cut', 'criterion')}"
            )
    elif params:
        raise TypeError(
            f"unexpected arguments {', '.join(params)}: they are parameters of trees, and "
            "criterion= names none"
        )
    # Other estimators, which must be instances.
    for name, model in named_items(estimators, "estimators"):
        if isinstance(model, type) or not (hasattr(model, "fit") and hasattr(model, "predict")):
            raise TypeError(
                f"estimators: {name!r} is {shown(model)}, which has no fit and predict; "
                "give an instance"
            )
        methods.append((name, model))
    refuse_other_task(methods, task)
    if not methods:
        raise ValueError(
            f"criterion={shown(criterion)} and estimators={shown(estimators)} name no method"
        )
    unique: dict[str, Any] = {}
    for name, model in methods:
        unique[unused_name(name, unique)] = model
    return list(unique.items())


def _tree_parameters(methods: list[tuple[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the parameters of our trees and forests among the methods, by the names of the method
    and of the step of a pipeline that is the tree ("" if the method is a tree itself)."""
    parts = (
        (name, path, part)
        for name, model in methods
        for path, part in {
            "": model,
            **(model.get_params() if hasattr(model, "steps") else {}),
        }.items()
    )
    return {
        (name, path): part.get_params(deep=False)
        for name, path, part in parts
        if is_ours(part) and {"criterion", "missing"} <= part.get_params(deep=False).keys()
    }


def with_same_missing(methods: list[tuple[str, Any]], data: Data) -> list[tuple[str, Any]]:
    """Return the methods with one value of `missing` in all trees that have ``"auto"``, so that a
    comparison of criteria does not compare treatments of missing values. Estimators that change are
    cloned."""
    from sklearn.base import clone

    from ..estimators.automatic import share_missing

    settled, by_name = _tree_parameters(methods), dict(methods)
    if data.table is not None:
        share_missing(list(settled.values()), data.table)
    for (name, path), before in _tree_parameters(methods).items():
        if settled[name, path]["missing"] != before["missing"]:
            changed = {f"{path}__missing".lstrip("_"): settled[name, path]["missing"]}
            by_name[name] = clone(by_name[name]).set_params(**changed)
    return list(by_name.items())


def prepare_data(
    X: Any,
    y: Any,
    methods: list[tuple[str, Any]],
    params: Mapping[str, Any],
    task: Task,
    *,
    exposure: Any,
) -> Data:
    """Return the rows in the forms that the methods need; there is a Table only if the caller gives
    one or one of our methods needs it."""
    from ..table import Table
    from ..table.numeric_targets import encode_numbers

    # A Table checks rows and labels itself.
    is_number = task == "regression"
    if (
        isinstance(X, Table)
        or any(is_ours(one) for _, one in methods)
        or y is None
        or exposure is not None
    ):
        kinds = params.get("categorical_features", "from_dtype")
        columns = params.get("columns", "auto")
        table = unscreened_table(X, y, columns, categorical_features=kinds, task=task)
        if table.target is None:
            raise no_target()
        if exposure is not None:
            table = with_exposure(table, exposure)
        return Data(
            table if isinstance(X, Table) else X,
            None if y is None or is_number else np.asarray(y),
            table,
            tuple(table.classes),
            table.numbers if is_number else np.asarray(table.y_codes),
            task,
        )
    # Else the rows are what the estimators accept, and labels or numbers alone are checked.
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if is_number:
        numbers = encode_numbers(y, n_rows).numbers
        return Data(X, numbers, None, (), numbers, task)
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    classes = sorted_classes(labels)
    codes = codes_of(labels, classes, "y")
    if n_rows != len(labels):
        raise ValueError(f"X has {counted(n_rows, 'row')} but y has {len(labels)}")
    return Data(X, labels, None, classes, codes, task)


def _configure(name: str, model: Any, data: Data, binned: dict[str, Any]) -> Method:
    """Return a method with its configuration for the core, if it is a tree.

    Args:
        name: name of the method.
        model: its estimator.
        data: the rows.
        binned: the Tables of discretisers that were fitted on all rows, by repr; new ones are
            added.
    """
    from ..estimators import FastTreeClassifier, FastTreeRegressor
    from ..estimators.tree import config_for

    if data.table is None or not isinstance(model, FastTreeClassifier | FastTreeRegressor):
        return Method(name, model)
    if getattr(model.discretize, "scope", "fold") == "fold":
        return Method(name, model, config_for(model, data.table))
    # Fitted on all rows before the folds are made, as the papers did.
    key = repr(model.discretize)
    if key not in binned:
        binned[key] = copy.copy(model.discretize).fit_transform(data.table)
    model = type(model)(**{**model.get_params(deep=False), "discretize": None})
    return Method(name, model, config_for(model, binned[key]), binned[key])


def _configure_all(
    methods: list[tuple[str, Any]], data: Data, on_error: str
) -> tuple[list[Method], dict[str, Exception]]:
    """Return the methods that apply to the data, and the errors of the others, by name.

    The first error is raised with ``on_error="raise"``, or if no method applies.
    """
    configured: list[Method] = []
    refused: dict[str, Exception] = {}
    binned: dict[str, Any] = {}
    for name, one in methods:
        try:
            configured.append(_configure(name, one, data, binned))
        except REFUSALS as error:
            refused[name] = error
            if on_error == "raise":
                break
    if refused and (on_error == "raise" or not configured):
        name, why = next(iter(refused.items()))
        raise named_error(name, why) from why
    return configured, refused


def _describe_columns(data: Data, methods: list[tuple[str, Any]]) -> dict[str, Any]:
    """Warn of how trees treat the columns, and return the facts of them that a result keeps: the
    name of the target, whether the caller named it, and the columns left out with the reasons."""
    if data.table is None:
        return {"target": None, "target_is_named": True, "left_out": {}}
    screens = (one.columns for _, one in methods if is_ours(one) and hasattr(one, "columns"))
    with skip_checks(*([] if data.groups is None else ["groups"])):
        seen = apply_and_warn(data.table, next(screens, "as_given"))
        inspect(seen, "as_given").warn()
    is_read = data.table.origin.startswith("fasttree.datasets.load(")
    return {
        "target": data.table.target,
        "target_is_named": not is_read or ", target=" in data.table.origin,
        "left_out": {name: why for name, why in seen.unused.items() if name not in seen.dates},
    }


@checked(
    random_state=random_seed,
    keep_proba=one_value,
    on_interrupt=ON_INTERRUPT,
    on_error=ON_ERROR,
    memory_limit=memory_limit,
)
def cross_validate(
    X: Any,
    y: Any = None,
    criterion: Any = None,
    *,
    estimators: Any = None,
    cv: CvFolds = "5x10",
    groups: Any = None,
    exposure: Any = None,
    scoring: Any = None,
    task: Task | None = None,
    random_state: Seed = 0,
    n_jobs: int | None = None,
    progress: Progress = False,
    keep_proba: bool = False,
    on_interrupt: str = "raise",
    on_error: str = "raise",
    client: Any = None,
    journal: Any = None,
    memory_limit: int | None = None,
    **params: Any,
) -> CrossValidation:
    """Cross-validate split criteria and other estimators, for classes or for a number, on the same
    folds.

    Args:
        X: Table, array or frame of shape (n_rows, n_features), or name of a data set or file. A
            Table, or anything `Table` takes; without trees of ours, anything the estimators take.
        y: array of shape (n_rows,), or name of a column of a frame. Labels or numbers. For a Table
            or a data set, which have a target, this argument may be the criteria.
        criterion: str, criterion object, callable, list or dict of these. Each becomes a
            `FastTreeClassifier(criterion=..., **params)`, or for a number a `FastTreeRegressor`.
            Without criterion and estimators: "info_gain", or "squared_error".
        estimators: classifier or regressor, list or dict of them. Any of scikit-learn's; cloned for
            every fold. Our own get the Table; of a Table, others get a float array with nominal
            columns as codes, and pipelines a data frame.
        cv: str, int, splitter or list of (train, test) index arrays. "RxK" = R repetitions of
            stratified K-fold, "weka" = Weka's 10 x 10 folds. For a number the rows are shuffled and
            not stratified: the folds of scikit-learn's `RepeatedKFold` with the same seed, and
            Weka's for a numeric class.
        groups: array of shape (n_rows,), or name of a column of a frame or Table. The group of each
            row (a patient, a site), which goes to the splitter. "RxK" then keeps groups together:
            scikit-learn's `StratifiedGroupKFold`, for a number `GroupKFold`, in several repetitions
            shuffled by `random_state`. A column that is named is no feature.
        exposure: array of shape (n_rows,), or name of a column of a frame or Table. For counts and
            ``criterion="poisson"``, see `FastTreeRegressor.fit`. Trees are fitted on the rates of
            each fold, weighted by exposure. Predicted rates are scored without weights. Other
            estimators get the rates without weights.
        scoring: name, scorer, list or dict of them. Names in `METRICS` ("leaves", "nodes" and
            "depth" among them) or of scikit-learn scorers; by default "accuracy", for a number
            "r2", "rmse" and "mae". Information rewards use the prior of each training fold. Values
            keep the metric's own orientation.
        task: "classification" | "regression". What the target is. By default a number where a
            criterion reads numbers, `target_bins` is given, an estimator is a regressor, a metric
            is one of regression, a Table says so, or y is floats with fractions; whole numbers are
            classes.
        random_state: seeds the folds, and the trees unless `params` does.
        n_jobs: threads; None means the engine's default for trees and one for other estimators.
        progress: bool or callable(done, total). True draws a bar on stderr when that is a terminal.
        keep_proba: keep class probabilities, for ROC and calibration curves, even if no metric
            reads them; NaN for a classifier without any. A regression has none.
        on_interrupt: "raise" | "return". With "return" Ctrl-C ends with the repetitions that are
            finished (of a single one: the folds), a warning, and `unfinished`, the number of folds
            that are not.
        on_error: "raise" | "skip". A method that does not apply to the data raises an error that
            names it, or is left out and kept in `result.skipped` with the reason; tables say "does
            not apply".
        client: dask.distributed.Client. Fit on its workers. Without it the backend of
            ``joblib.parallel_config(backend=...)`` is used, if there is one. The result is the same
            except for `seconds`.
        journal: a file to which finished units of work are appended. The same call continues a
            killed run; a call with other settings or data is refused. `random_state` must be a
            number.
        memory_limit: bytes, at least 1, that passes over pairs and neighbours of rows may allocate
            beyond the encoded table; on each worker with `client`. Fewer folds run at a time, in
            smaller blocks, and no result depends on it. What the growth of the trees takes besides
            is not limited.
        **params: parameters of every tree.

    Returns:
        CrossValidation: `result["gini"]["accuracy"]` holds the fold values; `.to_frame()`,
        `.to_text()`, `.to_json()` and so on. For a regression
        ``result["squared_error"].predictions`` are the numbers predicted out of fold, and
        ``result.true_numbers`` the observed numbers.

    Raises:
        MemoryError: a pass needs more than `memory_limit`, or than the system allows, even in the
            smallest blocks; the message states how much.
        ValueError: more folds than rows or groups, a splitter by groups without `groups`, unknown
            metric or criterion, a metric of the other task, probabilities asked of a classifier
            without them.
        TypeError: an estimator of the other task.

    Examples:
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> result = cross_validate(X, y, estimators={"NB": GaussianNB()}, cv="2x5")
        >>> result["NB"]["accuracy"].shape
        (10,)
        >>> from sklearn.datasets import load_diabetes
        >>> X, y = load_diabetes(return_X_y=True)
        >>> found = cross_validate(X, y, ["squared_error", "absolute_error"], cv="1x5", max_depth=2)
        >>> found.metrics, round(found.mean("squared_error", "r2"), 1)
        (('r2', 'rmse', 'mae'), 0.3)
    """
    X, y, criterion = data_and_criteria(X, y, criterion)
    with warnings_about():
        run = prepare_validation(
            X,
            y,
            Request(criterion, estimators, scoring, params, task, on_error),
            cv=cv,
            groups=groups,
            exposure=exposure,
            random_state=random_state,
            n_jobs=n_jobs,
            keep_proba=keep_proba,
            memory_limit=memory_limit,
        )
        report = make_report(progress, "fits")
        with execution_of(client, journal) as execution:
            check_seeded(execution, random_state)
            return run.execute(execution, on_interrupt, report)


def check_seeded(execution: Execution, random_state: Seed) -> None:
    """Refuse a journal without a seed, as another call would draw other folds. Raises
    ValueError."""
    if execution.journal is not None and random_state is None:
        raise ValueError(
            "journal= needs random_state as a number: with None every call draws other folds"
        )


def prepare_validation(
    X: Any,
    y: Any,
    request: Request,
    *,
    cv: CvFolds,
    random_state: Seed,
    n_jobs: int | None,
    keep_proba: bool,
    memory_limit: int | None = None,
    groups: Any = None,
    exposure: Any = None,
) -> PreparedValidation:
    """Check the arguments of a cross-validation, encode the rows and draw the folds, without a fit;
    arguments as in `cross_validate`. Comparisons prepare all data sets first, so that wrong
    arguments are refused before hours of work."""
    started = time.perf_counter()
    X, y, task = request.read(X, y)
    scorers, params = scoring_for_task(request.scorers, task), request.params
    call = {"cv": cv, "groups": groups, "random_state": random_state, "scoring": request.scoring}
    X, groups = pop_if_named(X, groups, "groups")
    X, exposure = pop_if_named(X, exposure, "exposure")
    criterion, estimators = request.criterion, request.estimators
    if criterion is None and estimators is None:
        criterion = "squared_error" if task == "regression" else "info_gain"
    methods = list_methods(criterion, estimators, random_state, params, task)
    data = replace(prepare_data(X, y, methods, params, task, exposure=exposure), groups=groups)
    methods = with_same_missing(methods, data)
    folds = make_folds(cv, data.target, random_state, task, groups)
    about_columns = _describe_columns(data, methods)
    unseeded = [name for name, one in methods if random_state is not None and lacks_seed(one)]
    if unseeded:
        warn_caller(
            f"{some_of(unseeded)}: random numbers are drawn without a seed, so that another run "
            "gives other results; give random_state to the estimator",
            UserWarning,
        )
    if task == "classification" and folds.partition_rows(len(data.target)):
        warn_of_small_classes(data.classes, data.target, folds.n_splits)
    # Probabilities, or scores that rank, only if some metric or the caller needs them.
    want = needed_probabilities(scorers)
    if keep_proba and want is None and task == "classification":
        want = "if possible"
    settings = {
        "task": task,
        "cv": folds.description,
        "scoring": tuple(scorers),
        "random_state": random_state,
        "params": dict(params),
        "without_seed": unseeded,
        "data": {**about_columns, "rows": len(data.target)},
    }
    configured, refused = _configure_all(methods, data, request.on_error)
    known = {name: settings[name] for name in ("task", "cv", "random_state")}
    unit_task = ValidationTask(
        configured,
        data,
        folds,
        want,
        estimator_scorers(scorers),
        {**known, "probabilities for scoring (--metric)": want},
        n_jobs,
        memory_limit,
    )
    return PreparedValidation(
        unit_task, methods, scorers, settings, call, refused, request.on_error, started
    )


@dataclass
class PreparedValidation:
    """A cross-validation before it is run.

    `execution.run_tasks` runs its task, and `scored` makes the result from its output; `execute`
    does both.

    Attributes:
        task: the methods, the data and the folds.
        methods: names and estimators of all methods, those that were refused among them.
        scorers: the metrics, by name.
        settings: settings of the result.
        call: cv, groups, random_state and scoring as they were given.
        refused: errors of the methods that do not apply, by name.
        on_error: as in `cross_validate`.
        started: time at which the call began, of `time.perf_counter`.
    """

    task: ValidationTask
    methods: list[tuple[str, Any]]
    scorers: dict[str, Any]
    settings: dict[str, Any]
    call: dict[str, Any]
    refused: dict[str, Exception]
    on_error: str
    started: float

    @property
    def name(self) -> str | None:
        """The name of the data set, as its Table has it; None for arrays and tables without a
        name."""
        return getattr(self.task.data.table, "name", None)

    def execute(
        self, execution: Execution, on_interrupt: str = "raise", report: Any = None
    ) -> CrossValidation:
        """Run the task, on workers or in this process, and score its output. With
        ``on_interrupt="return"`` Ctrl-C gives the result of the finished folds."""
        policy: dict[str, Any] = {"on_interrupt": on_interrupt, "on_error": self.on_error}
        (outcome,) = run_tasks([self.task], execution, names=[self.name], report=report, **policy)
        assert outcome is not None
        return self.scored(outcome)

    def scored(self, outcome: FinishedTask) -> CrossValidation:
        """Score the output of the methods on the folds that were run, and return the result.
        Methods that do not apply are listed as skipped."""
        from ..estimators.automatic import differences_in_words
        from ..estimators.deep_trees import warn_of_few_leaves
        from ..estimators.tree_estimator import TreeEstimator

        errors, data = {**self.refused, **outcome.skipped}, self.task.data
        methods = {name: model for name, model in self.methods if name not in errors}
        outputs, folds, scorers = outcome.outputs, outcome.folds, self.scorers
        trees = {}
        if data.table is not None:
            trees = {
                name: model for (name, _), model in _tree_parameters(list(methods.items())).items()
            }
        sizes = zip(outputs.folds["sizes leaves"], outputs.folds["sizes depth"], strict=True)
        for (name, model), (leaves, depth) in zip(methods.items(), sizes, strict=True):
            if isinstance(model, TreeEstimator) and data.table is not None:
                fold = int(np.argmin(leaves))
                with warnings_about(name):
                    warn_of_few_leaves(
                        model, data.fitted, data.table, int(leaves[fold]), int(depth[fold])
                    )
        fold_scores = FoldScores(data, folds, outputs)
        columns = fold_scores.columns(scorers)
        tested, exposure = np.unique(folds.test_rows), getattr(data.table, "exposure", None)
        exposure = None if exposure is None else exposure[tested]
        constant = best_constant(data.target[tested], data.classes, exposure=exposure)
        by_method = {
            name: MethodScores(
                name,
                {metric: values[place] for metric, values in columns.items()},
                outputs.predictions[place],
                None if outputs.proba is None else outputs.proba[place],
            )
            for place, name in enumerate(methods)
        }
        return CrossValidation(
            by_method,
            metrics=tuple(scorers),
            directions={name: greater_is_better(name, scorers) for name in scorers},
            folds=folds,
            classes=data.classes,
            _truth=fold_scores.truth,
            task=data.task,
            name=self.name,
            settings={
                "methods": methods,
                **self.settings,
                "data": {**self.settings["data"], "constant": constant},
                "automatic": differences_in_words(trees, data.table),
            },
            seconds=time.perf_counter() - self.started,
            data=data,
            unfinished=len(self.task.folds.pairs) - len(folds.pairs),
            skipped={name: str(errors[name]) for name, _ in self.methods if name in errors},
            asked=self.call,
        )

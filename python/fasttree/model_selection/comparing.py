"""`compare`: methods over data sets, each cross-validated on folds that all methods share.

`compare` reads the data sets, prepares a cross-validation of each, runs them (`_validate_all`), and
returns a `Comparison` of the results. In this process the data sets are worked on one after the
other, each by one call into the core; on a cluster, or with a journal, the units of all data sets
are one stream (`execution`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain, count
from typing import Any

import numpy as np

from .._checks import (
    check_integer,
    checked,
    choice,
    maybe,
    one_value,
    random_seed,
    shown,
    string,
    whole_in,
)
from .._checks.aliases import CvFolds, Seed, Task
from .._checks.data_warnings import quiet, warnings_about
from .._checks.naming import did_you_mean
from .._checks.progress import Progress, counter, make_report
from .._checks.words import counted, option
from ..datasets.inputs import resolve_names
from ..table.data_checks.findings import all_as_given
from ..table.exposure import with_exposure
from ..table.sources import check_known
from .arguments import Request, has_labels, is_pair, load_tables
from .comparison import Comparison
from .execution import Execution, execution_of, run_tasks
from .interrupts import ON_INTERRUPT, finish
from .result import CrossValidation
from .scoring import scoring_for_task
from .statistics.outcome import check_alpha
from .validation import ON_ERROR, PreparedValidation, check_seeded, prepare_validation


def _position(name: str, value: Any) -> str | int:
    """Check of an argument that is the name or position of a method."""
    return value if isinstance(value, str) else check_integer(name, value, -(2**31))


def _tree_parameters(params: Any) -> dict[str, Any]:
    """The parameters of trees that `params` holds, each of which some tree has."""
    from ..estimators import FastTreeClassifier, FastTreeRegressor

    if not isinstance(params, Mapping | None):
        raise TypeError(
            f"params={shown(params)}: give a dict of parameters of trees, such as "
            "fasttree.presets.CTREE"
        )
    parameters = {*FastTreeClassifier._get_param_names(), *FastTreeRegressor._get_param_names()}
    for name in params or {}:
        if name not in parameters:
            hint = did_you_mean(str(name), parameters, "see FastTreeClassifier")
            raise TypeError(f"params: {shown(name)} is no parameter of a tree; {hint}")
    return dict(params or {})


def _tables_and_criteria(tables: Any, criteria: Any, more: Any) -> tuple[Any, Any]:
    """The tables and criteria of a call of `compare`, whose positional arguments may also be X, y
    and the criteria."""
    if more is not None and has_labels(tables):
        raise TypeError(
            f"more={shown(more)}: the tables bring their classes; the order is compare(tables, "
            "criteria) or compare(X, y, criteria)"
        )
    if is_pair(tables):
        return {"data": tables}, criteria
    if more is not None or (criteria is not None and not has_labels(tables)):
        return {"data": resolve_names(tables, criteria)}, more
    return tables, criteria


@checked(
    random_state=random_seed,
    sd=choice("folds", "repeats"),
    baseline=maybe(_position),
    metric=maybe(string),
    keep_proba=one_value,
    on_interrupt=ON_INTERRUPT,
    on_error=ON_ERROR,
    stability=maybe(whole_in(1)),
)
def compare(
    tables: Any,
    criteria: Any = None,
    more: Any = None,
    *,
    estimators: Any = None,
    cv: CvFolds = "10x10",
    groups: Any = None,
    exposure: Any = None,
    alpha: float = 0.05,
    baseline: str | int | None = None,
    test: Any = "corrected_resampled_t",
    scoring: Any = None,
    task: Task | None = None,
    metric: str | None = None,
    sd: str = "folds",
    random_state: Seed = 0,
    n_jobs: int | None = None,
    progress: Progress = False,
    keep_proba: bool = False,
    on_interrupt: str = "raise",
    on_error: str = "raise",
    client: Any = None,
    journal: Any = None,
    stability: int | None = None,
    params: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> Comparison:
    """Compare split criteria and other estimators, for classes or for a number, over data sets.

    Args:
        tables: Table, name of a data set or file, pair (X, y), or a list or dict of these. The data
            sets; ``compare(X, y, criteria)`` compares on one.
        more: the criteria, where `tables` and `criteria` are X and y of one data set.
        criteria: str, criterion object, callable, list or dict of these. Each becomes a
            `FastTreeClassifier(criterion=..., **params)`, or for a number a `FastTreeRegressor`.
            Without criteria and estimators: "info_gain", or "squared_error".
        estimators: classifier or regressor, list or dict of them. Any of scikit-learn's. A pipeline
            gets a data frame, any other a float array with nominal columns as codes.
        cv: str, int, splitter or list of (train, test) index arrays. As in `cross_validate`.
        exposure: name of a column, array, or dict of these by data set. As in `cross_validate`.
        groups: name of a column, array, or dict of these by data set. The group of each row, as in
            `cross_validate`. A name is a column of every data set; an array is for a single one.
        scoring: name, scorer, list or dict of them. The metrics that are computed; by default
            "accuracy", for a number "r2", "rmse" and "mae".
        task: "classification" | "regression". As in `cross_validate`; the same for all data sets.
        random_state: seeds the folds, and the trees unless `params` does.
        n_jobs: threads; None means the engine's default for trees and one for other estimators.
        keep_proba: keep class probabilities, for the ROC and calibration curves of a report.
        params: parameters of the trees of `criteria` as a dict, such as a preset; also `alpha` and
            `test` of trees by significance, as the keywords of these names are the comparison's.
        **keywords: further parameters of these trees.
        alpha: level of every single test.
        baseline: method name or position. What the marks v (significantly better) and * (worse)
            refer to.
        test: str or callable. Also "paired_t", "five_by_two_t", "five_by_two_f" (with cv="5x2"),
            "wilcoxon", or f(a, b) -> PairedTestResult.
        metric: the metric compared: the first of `scoring` unless given.
        sd: "folds" | "repeats". Standard deviation shown: of fold values, or of repetition means.
        progress: bool, "auto" or callable(done, total), which counts data sets.
        on_interrupt: "raise" | "return". With "return" Ctrl-C ends with the data sets that are
            finished, a warning, and `unfinished`, the names of those that are not.
        on_error: "raise" | "skip". With "skip" a criterion that does not apply to some data set is
            left out of the comparison and named in `skipped` with the reason.
        client, journal: as in `cross_validate`; all data sets share the workers and the file.
        stability: how often the tree of each method is refitted on bootstrap samples of all rows
            of a data set (of whole groups with `groups`; subsamples of trees with
            ``selection="significance"``), in this process: how much the refits agree is a table of
            the comparison, and `results[name].stability` has the counts (`Stability.to_dict`).
            Searches with a time limit and other estimators have none.

    Returns:
        Comparison: means, marks, win/tie/loss; `.to_text()`, `.to_latex()` and so on.

    Examples:
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.dummy import DummyClassifier
        >>> from sklearn.naive_bayes import GaussianNB
        >>> sets = {"iris": load_iris(return_X_y=True)}
        >>> result = compare(
        ...     sets, estimators={"NB": GaussianNB(), "prior": DummyClassifier()}, cv="2x5"
        ... )
        >>> result.marks.tolist()
        [['', '*']]
    """
    # The arguments, before anything is fitted.
    tables, criteria = _tables_and_criteria(tables, criteria, more)
    if criteria is not None and "criterion" in keywords:
        raise TypeError("criteria are given twice, as `criteria` and as `criterion`")
    by_test = keywords.get("selection") == "significance"
    if by_test and (alpha, test) != (0.05, "corrected_resampled_t"):
        raise ValueError(
            f"alpha={shown(alpha)} and test={shown(test)} belong to the comparison, not to trees "
            "with selection='significance': give the parameters of the trees in a dict, "
            "params={'selection': 'significance', 'alpha': ..., 'test': ...}"
        )
    params = {**_tree_parameters(params), **keywords}
    preset = params.pop("criterion", None)  # `criteria` vary it
    criteria = preset if criteria is None else criteria
    request = Request(criteria, estimators, scoring, params, task, on_error)
    as_given = all_as_given(params)
    loaded = load_tables(tables, request.task_of, request.task_of_files, as_given=as_given)
    columns = params.get("columns")
    if isinstance(columns, Mapping):
        every = list(dict.fromkeys(chain(*(one.feature_names for one in loaded.values()))))
        check_known(columns, every, "columns")
    groups_of = _by_set("groups", groups, list(loaded))
    for name, values in _by_set("exposure", exposure, list(loaded)).items():
        if values is not None:
            loaded[name] = with_exposure(loaded[name], values)
    task = one_task({name: request.task_of(table, None) for name, table in loaded.items()})
    request, scorers = replace(request, task=task), scoring_for_task(request.scorers, task)
    metric = metric or next(iter(scorers))
    check_alpha(alpha)
    report = make_report(progress, "data sets")
    # One cross-validation per data set, then the tests.
    run_makers = {
        name: partial(
            prepare_validation,
            table,
            None,
            replace(request, params=_params_of(params, table)),
            cv=cv,
            groups=groups_of[name],
            random_state=random_state,
            n_jobs=n_jobs,
            keep_proba=keep_proba,
        )
        for name, table in loaded.items()
    }
    policy = {"on_interrupt": on_interrupt, "on_error": on_error}
    with execution_of(client, journal) as execution, warnings_about():
        check_seeded(execution, random_state)
        results, unfinished = _validate_all(run_makers, execution, report=report, **policy)
    for name, values in results.items():
        values.name = name
    if stability is not None:
        _refit(results.values(), stability, n_jobs, progress)
    return Comparison(
        results,
        metric=metric,
        alpha=alpha,
        baseline=baseline,
        test=test,
        sd=sd,
        unfinished=unfinished,
    )


def _validate_all(
    prepare: Mapping[str, Callable[[], PreparedValidation]],
    execution: Execution,
    *,
    report: Callable[[int, int], Any] | None,
    on_interrupt: str,
    on_error: str,
) -> tuple[dict[str, CrossValidation], list[str]]:
    """The results by name, and the names of the data sets that an interrupt left unfinished.

    Args:
        prepare: for the name of each data set, a function that prepares its cross-validation.
        execution: backend and journal.
        report: called with (data sets done, data sets), or None.
        on_interrupt, on_error: as in `compare`. After an interrupt, data sets that run as one
            stream are finished if all of their folds are.
    """
    if execution.is_local:
        n_done = count(1)

        def validate(name: str) -> CrossValidation:
            with warnings_about(name):
                result = prepare[name]().execute(execution)
            if report is not None:
                report(next(n_done), len(prepare))
            return result

        return finish(prepare, validate, what="data sets", on_interrupt=on_interrupt)
    prepared: dict[str, PreparedValidation] = {}
    for name, make in prepare.items():
        with warnings_about(name):
            prepared[name] = make()
    finished = run_tasks(
        [one.task for one in prepared.values()],
        execution,
        names=list(prepared),
        tasks_report=None if report is None else lambda n_done: report(n_done, len(prepared)),
        on_interrupt=on_interrupt,
        on_error=on_error,
        whole_tasks=True,
    )
    results = {}
    for (name, one), outcome in zip(prepared.items(), finished, strict=True):
        if outcome is not None:
            with warnings_about(name):
                results[name] = one.scored(outcome)
    return results, [name for name in prepared if name not in results]


def _params_of(params: dict[str, Any], table: Any) -> dict[str, Any]:
    """The parameters of trees for a data set; ``columns`` only names columns that it has."""
    columns = params.get("columns")
    if not isinstance(columns, Mapping):
        return params
    own = {name: how for name, how in columns.items() if name in table.feature_names}
    return {**params, "columns": own}


def _refit(
    results: Collection[CrossValidation], repeats: int, n_jobs: int | None, progress: Progress
) -> None:
    """Set the stability of the results, for each tree that can be refitted."""
    from ..estimators.stability import sample_for  # imports scikit-learn

    todo = [
        (result, method)
        for result in results
        for method, tree in result.settings["methods"].items()
        if hasattr(tree, "stability") and getattr(tree, "time_limit", None) is None
    ]
    step = counter(progress, "stability", len(todo))
    for result in results:
        result.asked["stability"] = repeats
    for result, method in todo:
        data, seed = result.data, result.settings["random_state"]
        seed = seed if isinstance(seed, int | np.integer) else 0
        with quiet():
            tree = result.refit(method)
            words = {"sample": sample_for(tree), "random_state": seed, "n_jobs": n_jobs}
            stability = tree.stability(data.table, repeats=repeats, groups=data.groups, **words)
        result.stability[method] = stability.to_dict()
        step()


def _by_set(what: str, groups: Any, names: list[str]) -> dict[str, Any]:
    """The groups or exposures of each data set, by its name.

    Args:
        what: name of the argument, for errors.
        groups: a dict by data set, the name of a column that all have, or the array of a single
            data set.
        names: names of the data sets.
    """
    if isinstance(groups, Mapping):
        unknown = [name for name in groups if name not in names]
        if unknown:
            raise ValueError(f"{what}: {unknown[0]!r} is no data set; there are {', '.join(names)}")
        return {name: groups.get(name) for name in names}
    if groups is not None and not isinstance(groups, str) and len(names) > 1:
        raise ValueError(
            f"{what}: one array for {counted(len(names), 'data set')}; give a dict of arrays by "
            "data set, or "
            "the name of a column that all have"
        )
    return dict.fromkeys(names, groups)


def one_task(tasks: dict[str, Task]) -> Task:
    """The task of all data sets, from the task of each by name.

    Raises:
        ValueError: the tasks differ.
    """
    by_task = {task: name for name, task in tasks.items()}
    if len(by_task) > 1:
        raise ValueError(
            f"the target of {by_task['regression']!r} is a number and that of "
            f"{by_task['classification']!r} is classes: compare them apart, or give "
            f"{option('task')}"
        )
    return next(iter(by_task))

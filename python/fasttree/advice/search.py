"""`advise`: candidates on shared folds as far as the budget goes, then the choice.

What
    Rows are screened (`screening`), the candidates of the list (`candidates`) are cross-validated,
    one after the other or several at a time on a cluster, and the smallest good one is chosen
    (`selection`) and fitted on all rows. `tasks` says what is a good prediction.
Complexity
    One cross-validation per candidate, on at most 200,000 rows. `work` limits fits x rows x
    features x classes, which every machine counts alike.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from functools import cache
from time import monotonic
from typing import Any

import numpy as np

from .._checks import (
    as_float,
    as_list,
    check_integer,
    checked,
    choice,
    maybe,
    one_value,
    shown,
    text_or_texts,
    weights_array,
    whole_in,
)
from .._checks.aliases import TASKS, CategoricalFeatures, MaybeArray, Task
from .._checks.data_warnings import held_warnings, quiet, warnings_about
from .._checks.progress import Progress
from .._checks.words import argument, counted, given, option
from ..datasets import load
from ..datasets.files import frame_of_file
from ..estimators.automatic import differences_in_words
from ..model_selection import cross_validate
from ..model_selection.folds import Folds, make_folds
from ..model_selection.time_order import are_by_time, folds_by_time, places_in_time
from ..table import Table
from ..table.data_checks import inspect
from ..table.data_checks.findings import checks_of_scope
from ..table.exposure import with_exposure
from ..table.groups import group_codes
from ..table.named_columns import pop_if_named
from .candidates import WORK, Candidate, Work, candidates, folds_for, rows_compared, work_of
from .doubts import (
    explained_by_missing,
    few_rows_per_level,
    leaks,
    on_later_rows,
    passing_years,
    places_of_dates,
)
from .evidence import better_by_other_metric, is_associated
from .result import Advice
from .screening import NO_YEAR, Source, screened
from .selection import (
    FEW,
    PREFERENCES,
    Prefer,
    beats,
    choose,
    corrected_accuracy,
    good_enough,
    small_choice,
    standard_error,
)
from .tasks import Judge, RequestedMetric, judge_of
from .threshold import Threshold, best_threshold
from .trials import Choice, TriedCandidates, cross_validated


def _listed(name: str, value: Any) -> Any:
    """Check of an argument: an array becomes a list, anything else is left to later checks."""
    return list(value) if getattr(value, "ndim", 0) else value


def _is_unset(value: Any) -> bool:
    """None or an empty list; never an array, whose comparison is an array."""
    return value is None or (isinstance(value, list | tuple) and not value)


REFITS, REFITTED = 100, 20_000
"""Refits of the recommended tree, and the most cells of data on which they cost little."""
DIVISIONS, DIVISIONS_IF_LARGE, LARGE = 20, 5, 50_000
"""Divisions of `corrected_accuracy`: fewer for more than `LARGE` rows, whose estimate varies
less."""


@checked(
    task=maybe(choice(*TASKS)),
    prefer=choice(*PREFERENCES),
    work=choice(*WORK),
    drop=text_or_texts,
    scoring=one_value,
    groups=_listed,
    exposure=_listed,
    time=_listed,
    max_leaf_nodes=maybe(whole_in(2)),
    categorical_features=_listed,
    decimal=one_value,
    missing=_listed,
)
def advise(
    X: Any,
    y: MaybeArray = None,
    *,
    task: Task | None = None,
    scoring: Any = None,
    prefer: Prefer = "small",
    groups: Any = None,
    exposure: Any = None,
    time: Any = None,
    max_leaf_nodes: int | None = None,
    work: Work = "normal",
    time_limit: float | None = None,
    cv: Any = "auto",
    random_state: int | None = 0,
    n_jobs: int | None = -1,
    progress: Progress = "auto",
    drop: Any = (),
    categorical_features: CategoricalFeatures = "from_dtype",
    header: bool | None = None,
    decimal: str | None = None,
    missing: Any = (),
    dates: Any = (),
    client: Any = None,
) -> Advice:
    """Recommend a tree: the smallest within one standard error of the best of a list of candidates.

    Identifiers, free text and columns of one value are left out, with the reason, and year, month
    and weekday stand for dates; the recommended tree accepts rows with and without the columns that
    are left out. Six criteria, three prunings and two kinds of nominal splits are cross-validated
    on the same folds, beside the majority class, C4.5, trees that are not pruned, small ones, and
    CART with cost-complexity pruning; for a number the criteria on numbers, pruned trees and small
    ones, beside the mean and the median. A tree is recommended only if it is announced to be better
    than the constant, and if it is better by 2.5 standard errors of the difference or a permutation
    test says that some column is informative about the target. Where no tree is recommended, the
    sentence says whether small trees are better by the AUC or R2. Among trees for classes the
    smaller one never costs more than one point of accuracy, as estimated, and of a number 2 % of
    the error. A tree gives way to one of at most half as many leaves whose corrected value is
    within one standard error and these limits.

    The sentence also asks about columns that are equivalent to the target. Where the rows are in
    the order of a date or a number that counts time by its name, or the tree splits on a year, it
    also names the value of the tree on later rows, fitted on earlier ones. For a tree of more than
    32 leaves it also names the value of a small one.

    Args:
        X: a frame, an array, a `Table`, or the name of a data set or file.
        y: labels or numbers, or the name of the column that holds them.
        task: ``"classification"`` or ``"regression"``; None: detected as in `fasttree.fit`.
        scoring: what candidates are compared by: a name in `fasttree.metrics.METRICS` or of a
            scorer of scikit-learn, a `fasttree.metrics.Scorer` (which takes options such as
            ``positive=``), or a function (estimator, X, y). By default the accuracy, for a number
            the mean absolute error, for a number of two values the root mean squared error (the
            more frequent value would have the least absolute error). ``Scorer("expected_cost",
            cost_matrix=...)``: errors have costs, which the trees know too.
        prefer: ``"small"``, or ``"accurate"``: the best candidate whatever its size.
        groups: the group of each row (a patient, a site), shape (n_rows,), or the name of a column
            of X, which then is no feature: folds keep the rows of one group together.
        exposure: for counts, whose rates are predicted: positive numbers, shape (n_rows,), or the
            name of a column of X, which then is no feature; only ``criterion="poisson"`` is tried.
        time: dates or numbers that order the rows, shape (n_rows,), or the name of a column of X,
            which then is no feature: each fold trains on earlier rows and is tested on the next
            ones, and years of other dates that no later row repeats are no features. Without it,
            `cv` may be a splitter such as scikit-learn's ``TimeSeriesSplit()``, for rows in the
            order of time.
        max_leaf_nodes: most leaves of the recommended tree; None: no limit. Where candidates are
            compared on a sample, the tree has at most as many as it had there.
        work: ``"quick"``, ``"normal"`` or ``"thorough"``: how many candidates are tried, and how
            many rows they are compared on (10,000, 50,000 or 200,000 at most). It counts fits x
            rows x features x classes, so the result depends on the data and the seed only: a few
            seconds, up to half a minute, or some minutes. `not_tried` names what was too much.
        time_limit: seconds after which no further candidate is tried, and the running one is
            abandoned; None: no limit. The first candidate is always tried, and the recommended
            tree fitted on all rows. With a limit the result depends on the machine and its load.
        cv: folds as in `cross_validate`; ``"auto"``: 3x10 up to 1,000 rows, 1x10 up to 20,000, else
            1x5; with `time` a number of folds, 5 by default.
        random_state: seed of the folds, the sample and the correction.
        n_jobs: threads.
        progress: ``"auto"`` or True (a bar where there is a terminal or a notebook), False, or a
            function (done, total).
        drop: columns to leave out.
        categorical_features: names of columns of numbers that are codes, or ``"all"``.
        header, decimal, missing, dates: whether a text file names its columns, and how it writes
            numbers, missing cells and dates, as in `fasttree.datasets.load`.
        client: a ``dask.distributed.Client`` whose workers fit, as in `cross_validate`: the folds
            of several candidates at a time.

    Returns:
        An `Advice`: ``.model`` (fitted on all rows), ``.sentence``, ``.table``, ``.value`` (the
        metric, corrected for the choice: judged on out-of-fold predictions that took no part in
        it; also ``.accuracy`` or ``.mae``), ``.threshold``, ``.by_time``, ``.code``,
        ``.left_out``, ``.not_tried``, ``.to_html(path)``.

    Raises:
        ValueError: no target, fewer than two classes or one number, a target that is no class, a
            metric of the other task or one without a value, or a time limit that is no positive
            number.

    Examples:
        >>> import fasttree
        >>> found = fasttree.advise("iris", progress=False)
        >>> found.model.get_n_leaves(), round(found.accuracy, 2)
        (4, 0.93)
        >>> found = fasttree.advise("iris", "petal width (cm)", progress=False)
        >>> found.sentence  # doctest: +ELLIPSIS
        "Use ... off, ... % better than always saying the mean (mean absolute error in ...
        >>> found = fasttree.advise("breast-cancer", scoring="auc", progress=False)
        >>> found.metric, round(found.value, 1)
        ('auc', 1.0)
    """
    # Check the arguments.
    seconds, started = _seconds(time_limit), monotonic()
    if time is not None and groups is not None:
        raise ValueError(
            f"{option('groups')} and {option('time')}: ordered folds do not keep groups together; "
            "give one of them"
        )
    asked = None if scoring is None else RequestedMetric.of(scoring)
    task = task or (None if asked is None else asked.task)
    keywords = {"header": header, "decimal": decimal, "missing": missing, "dates": dates}
    reading = {name: value for name, value in keywords.items() if not _is_unset(value)}
    # Screen the rows; candidates see neither the unused columns nor more rows than needed.
    if exposure is not None:
        if task == "classification":
            raise ValueError(
                f"{option('exposure')} with {argument('task', task)}: only counts have rates; "
                "leave one out"
            )
        task = "regression"
    aside = [one for one in (groups, exposure, time) if isinstance(one, str)]
    named = exposure if isinstance(exposure, str) else None
    members = _beside(X, y, groups, "groups", reading=reading, task=task)
    exposure = _beside(X, y, exposure, "exposure", reading=reading, task=task)
    times = _beside(X, y, time, "time", reading=reading, task=task)
    exposure = None if exposure is None else weights_array(exposure, "exposure")
    whole, left_out, unlabelled, raw = screened(
        X, y, (*drop, *aside), nominal=categorical_features, reading=reading, task=task
    )
    if members is not None:
        members = np.delete(group_codes(members, len(whole) + len(unlabelled)), unlabelled)
    if exposure is not None:
        whole = with_exposure(whole, np.delete(exposure, unlabelled))
    seed = 0 if random_state is None else check_integer("random_state", random_state, 0)
    if time is not None:
        when = time if isinstance(time, str) else "time"
        whole = _in_order_of_time(whole, times, when, unlabelled)
        cv = folds_by_time(5 if isinstance(cv, str) and cv == "auto" else cv, when)
    rows = _sample(len(whole), rows_compared(len(whole), work), seed)
    members = members if members is None or rows is None else members[rows]
    folds = _folds_of(whole, rows, members, cv, seed)
    if are_by_time(folds):
        years = dict.fromkeys(passing_years(whole, whole.dates).values(), NO_YEAR)
        left_out, whole = [*left_out, *years.items()], whole.with_unused(years)
    table = whole.drop(*whole.unused) if whole.unused else whole
    sample = table if rows is None else table.take(rows)
    judge = judge_of(sample, asked, np.unique(folds.test_rows))
    # Cross-validate the candidates, choose one, and fit it on all rows.
    listed = candidates(table, judge.shared, judge.weighs_classes, max_leaf_nodes)
    plan, over_budget = _within_budget(listed, sample, len(folds.pairs), WORK[work].units)
    options = {"cv": folds, "random_state": seed, "n_jobs": n_jobs, "client": client}
    with warnings_about():
        tried = cross_validated(
            sample,
            plan,
            judge,
            options,
            by_rows=judge.has_rows and members is None,
            deadline=started + seconds,
            progress=progress,
        )
        # Rows of one group depend on each other, so that they cannot be permuted.
        is_informative = cache(lambda: members is None and is_associated(sample, seed))
        choice = _chosen(whole, tried, judge, is_informative, seed=seed, prefer=prefer)
    # Questions and further facts for the sentence.
    is_tree = bool(choice.params)
    with warnings_about(), quiet():
        if not is_tree and judge.otherwise:
            trees = _small_trees(tried.candidates[0], listed, judge, seed)
            choice.doubts += better_by_other_metric(
                sample, trees, judge.otherwise, is_informative=is_informative(), **options
            )
        if is_tree:
            of_columns = (explained_by_missing, few_rows_per_level)
            doubts = (doubt for asked in of_columns for doubt in asked(whole, choice.model))
            choice.doubts += [*leaks(whole), *doubts]
        if (
            is_tree
            and rows is None
            and time_limit is None
            and table.n_features * len(table) <= REFITTED
        ):
            refits = {"repeats": REFITS, "groups": members, "random_state": seed}
            choice.stability = choice.model.stability(whole, n_jobs=n_jobs, **refits)
        if is_tree and time is None and members is None and not are_by_time(folds):
            places = places_of_dates(X, raw, whole.dates, unlabelled, rows)
            choice.later = on_later_rows(sample, places, choice.model, asked, options)
        if is_tree and judge.weighs_classes and len(table.classes) == 2:
            choice.threshold = _threshold_of(choice.model, sample, judge, options)
    if judge.rare is not None:
        judge.answers = choice.model.predict(whole).tolist()
    kinds = [kind for kind in checks_of_scope("frame") if kind not in ("codes", "groups")]
    groups_asked = inspect(raw).sentences("groups") if members is None else []
    return Advice(
        choice,
        tried,
        judge,
        table,
        left_out=left_out,
        dates=whole.dates,
        unlabelled=len(unlabelled),
        over_budget=over_budget,
        automatic=differences_in_words({one.name: one.params for one in plan}, table),
        work=work,
        time_limit=None if time_limit is None else seconds,
        folds=folds.description,
        groups=groups if isinstance(groups, str) else None,
        exposure=None if exposure is None else repr(named) if named else "exposure",
        hints=groups_asked + inspect(whole).sentences(*kinds),
        source=Source.of(X, y, reading, categorical_features, raw.dates),
        dropped=[*drop, *(name for name in aside if name != named)],
        started=started,
    )


def _beside(
    X: Any, y: Any, named: Any, what: str, *, reading: dict[str, Any], task: Task | None
) -> Any:
    """The group, the exposure or the time of each row as it was given; None without any."""
    if isinstance(named, str) and isinstance(X, (str, os.PathLike)):
        with held_warnings():  # said where the rows are screened
            frame = frame_of_file(X) if what == "time" else None  # dates, which no Table holds
            X = load(X, target=y, task=task, **reading) if frame is None else frame
    return pop_if_named(X, named, what)[1]


def _within_budget(
    plan: list[Candidate], sample: Table, n_folds: int, units: float
) -> tuple[list[Candidate], list[str]]:
    """The candidates that the budget allows in their order, the first one in any case, and the
    names of the others."""
    allowed, others, spent = plan[:1], [], work_of(plan[0], sample, n_folds)
    for candidate in plan[1:]:
        needed = work_of(candidate, sample, n_folds)
        if spent + needed > units:
            others.append(candidate.name)
        else:
            allowed.append(candidate)
            spent += needed
    return allowed, others


def _seconds(time_limit: Any) -> float:
    """A time limit as seconds, infinity for None. Raises ValueError for another value that is no
    positive number."""
    seconds = math.inf if time_limit is None else as_float(time_limit)
    if seconds is None or not seconds > 0:
        raise ValueError(
            f"{given('time_limit', shown(time_limit))} must be a positive number of "
            "seconds, or None"
        )
    return seconds


def _in_order_of_time(table: Table, times: Any, when: str, unlabelled: Any) -> Table:
    """The rows in the order of time, equal times in their own order.

    Args:
        table: the rows with a target.
        times: the time of each given row.
        when: name of the times, for errors.
        unlabelled: positions of the given rows that have no target.
    """
    cells = np.delete(np.array(as_list("time", times), dtype=object), unlabelled)
    order = places_in_time(cells, given("time", when), table.row_numbers)
    if len(order) != len(table):
        raise ValueError(
            f"time has {counted(len(times), 'value')}, there are "
            f"{counted(len(table) + len(unlabelled), 'row')}; give one per row"
        )
    return table.take(np.argsort(order, kind="stable"))


def _folds_of(
    table: Table, rows: np.ndarray | None, members: np.ndarray | None, cv: Any, seed: int
) -> Folds:
    """The folds of the compared rows. `members` holds the group of each row; None: no groups."""
    truth = table.numbers if table.task == "regression" else table.y_codes
    truth = truth if rows is None else truth[rows]
    cv = folds_for(len(truth)) if isinstance(cv, str) and cv == "auto" else cv
    return make_folds(_feasible(cv, len(truth), members), truth, seed, table.task, members)


def _small_trees(
    constant: Candidate, trees: list[Candidate], judge: Judge, seed: int
) -> dict[str, Any]:
    """The constant and the small trees by the usual criterion of the task, as estimators by
    name."""
    few = [one for one in trees if one.params.get("max_leaf_nodes", FEW + 1) <= FEW]
    return {
        one.name: judge.estimator(**one.params, random_state=seed)
        for one in (constant, *few)
        if one.criterion in (None, "gini", "squared_error")
    }


def _threshold_of(model: Any, sample: Table, judge: Judge, options: dict[str, Any]) -> Threshold:
    """The best threshold for a tree of two classes, by its out-of-fold probabilities."""
    found = cross_validate(sample, estimators={"tree": model}, keep_proba=True, **options)
    how = {"folds": options["cv"], "classes": sample.classes, "scorer": judge.scorer}
    return best_threshold(found["tree"], judge.truth, **how)


def _sample(n_rows: int, size: int, seed: int) -> np.ndarray | None:
    """Numbers of the rows that candidates are compared on; None: all."""
    if size == n_rows:
        return None
    return np.sort(np.random.default_rng(seed).permutation(n_rows)[:size])


def _feasible(cv: Any, n_rows: int, members: np.ndarray | None) -> Any:
    """The folds; there are fewer than ten of them where there are fewer than ten rows or groups."""
    most = n_rows // 2 if n_rows < 10 else 10
    if members is not None:
        most = min(most, len(np.unique(members)))
    if isinstance(cv, str) and cv.endswith("x10") and most < 10:
        return f"{cv.split('x')[0]}x{max(2, most)}"
    return cv


def _chosen(
    whole: Table,
    tried: TriedCandidates,
    judge: Judge,
    is_informative: Callable[[], bool],
    *,
    seed: int,
    prefer: Prefer,
) -> Choice:
    """Choose among the candidates that were tried, fit the choice on all rows, and mark it in
    ``tried.rows``.

    Args:
        whole: the rows with their unused columns.
        tried: the candidates.
        judge: the judge of the sample.
        is_informative: whether a permutation test finds that some column is informative.
        seed: of the correction.
        prefer: as in `advise`.
    """
    values, squares = np.array(tried.qualities).swapaxes(0, 1)
    leaves = np.array([row["leaves"] for row in tried.rows])
    # Units that have a value for all candidates; candidates whose mean is a number.
    known = ~np.isnan(values).any(axis=0)
    means = values[:, known].mean(axis=1), squares[:, known].mean(axis=1)
    allowed = np.flatnonzero(np.isfinite(means[0]))
    if len(allowed) == 0:
        raise ValueError(
            f"{given('scoring', repr(judge.metric))} is infinite or has no value for all "
            "candidates; use another metric"
        )
    n = float(known.sum() / len(known))
    rule: Any = {"price": judge.price, "share": judge.share}

    def judged(some: np.ndarray) -> tuple[int, float, float]:
        place = choose(means[0][some], leaves[some], n, means[1][some], prefer=prefer, **rule)
        by_repetition = [
            corrected_accuracy(
                values[some, r][:, known[r]].T,
                leaves[some],
                seed,
                1 if len(known) > 1 else DIVISIONS if n <= LARGE else DIVISIONS_IF_LARGE,
                squares=squares[some, r][:, known[r]].T,
                prefer=prefer,
                **rule,
            )
            for r in range(len(known))
            if known[r].any()
        ]
        expected, error = np.array(by_repetition).mean(axis=0).tolist()
        return int(some[place]), expected, error

    if prefer == "small" and judge.has_rows:
        place, expected, error = small_choice(allowed, leaves, judged, **rule)
    else:
        place, expected, error = judged(allowed)
    flat = [int(i) for i in allowed if tried.candidates[i].criterion is None]
    if flat:
        best = max(flat, key=lambda i: means[0][i])
        floor = float(means[0][best])
        better = allowed[(leaves[allowed] >= 1.5) & (means[0][allowed] > floor)]
        if place not in better and not judge.has_rows and len(better):
            # The standard error of few folds is so large that a constant is within it.
            place, expected, error = judged(better)
        # A tree takes the place of a constant if it is announced to be better, and is clearly
        # better or some column is informative about the target.
        if not (
            place in better
            and expected > floor
            and (beats(values[place][known], values[best][known], n) or is_informative())
        ):
            place, expected = best, floor
            error = standard_error(floor, float(means[1][best]), n)
    # The tree has at most as many leaves as the one that was judged on a sample of the rows.
    candidate = tried.candidates[place]
    params = {} if candidate.criterion is None else {**candidate.params}
    if params and len(judge.truth) < len(whole):
        params["max_leaf_nodes"] = max(2, math.ceil(leaves[place]))
    model = judge.estimator(**(params or candidate.params), random_state=seed).fit(whole)
    # The marks of the table.
    quality, square = (one[allowed] for one in means)
    near = allowed[good_enough(quality, n, square, **rule)]
    for i, row in enumerate(tried.rows):
        row["within_one_se"] = bool(i in near)
        row["chosen"] = i == place
    return Choice(model, params, judge.scale * expected + 0.0, abs(judge.scale) * error)

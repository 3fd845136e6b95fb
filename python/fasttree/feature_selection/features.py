"""`score_features`: the score of each feature at the root; `turf`: that repeated, again and
again without the worst.

What
    A filter. Criteria on tables of classes, and criteria on a numeric target, score a feature
    alone: nominal ones by their multiway table, numeric ones by their best threshold, or by their
    bins when `discretize` is set. Rows that miss the feature are left out and the score is scaled
    by the known fraction (info_gain, gain_ratio, gini, squared_error, `poisson`,
    standard_deviation), unless `missing` says otherwise. Criteria on pairs or neighbours of rows
    score all features together.
Complexity
    Tables and numbers: one node of a tree, a sort of each numeric column, then one pass. Pairs and
    neighbours: O(rows^2 features) bit operations.
When not to use it
    With a criterion on tables, to find features that matter only together (XOR): a score of one
    feature cannot see them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _engine, criteria
from .._checks import as_float, check_integer, checked, choice, memory_limit, shown
from .._checks.aliases import MaybeArray, Task
from .._checks.progress import make_report
from ..datasets.genotypes import Genotypes
from ..estimators.idle import defaults_of, refuse_unscored
from ..estimators.parameters import config_of, made_of
from ..estimators.training_rows import warn_of_few_rows, without_empty_rows
from ..estimators.tree import FastTreeClassifier, FastTreeRegressor, given_with_task, task_named
from ..table import Table
from ..table.data_checks.frames import screened_table
from ..table.dates import part_names
from .genotypes import as_genotypes, labelled, near_scores
from .streaming import codes_of, stream

VARIANTS = 2000
"""Variants of genotypes that become a Table together."""


@checked(memory_limit=memory_limit, named=choice(False, True), statistic=choice(False, True))
def score_features(
    X: Any,
    y: MaybeArray = None,
    *,
    criterion: Any = None,
    test: str | None = None,
    statistic: bool = False,
    sample_weight: MaybeArray = None,
    task: Task | None = None,
    memory_limit: int | None = None,
    named: bool = False,
    **params: Any,
) -> Any:
    """One score per feature: how well it alone splits the rows by their classes or numbers.

    Args:
        X: rows, or a `Table` with its target. A 2-D uint8 array or `numpy.memmap` with
            ``categorical_features="all"`` is read where it lies by every criterion on neighbours,
            and with more than 64 columns and no weights by `pi`, `contextual_merit` and `relief`.
            `Genotypes`, or the path of a ``.bed``: one score per variant; criteria on neighbours
            read the packed genotypes, and samples without a phenotype are left out.
        y: labels or numbers, shape (n_rows,), or the name of their column of X.
        criterion: as in `FastTreeClassifier` or, for numbers, `FastTreeRegressor`.
        test: ``"quadratic"``, ``"maximum"`` or ``"permutation"``: the result is the p-value of each
            feature's test of independence, adjusted for their number unless ``adjust="none"``, as
            in the root of a tree with ``selection="significance"``; `criterion` is then left out.
        statistic: the result is the statistic of each `test` in place of its p-value.
        sample_weight: weights >= 0, shape (n_rows,). For criteria on neighbours whole numbers are
            copies of a row, and others are importances relative to their mean.
        task: ``"classification"`` or ``"regression"``; None: detected as in `fasttree.fit`.
        memory_limit: bytes that scoring may allocate beyond the encoded table, at least 1, where
            pairs or neighbours of rows are the evidence. It works in smaller blocks to keep the
            limit; the scores do not depend on it. Default: no limit but the system's. `Genotypes`
            take none.
        named: whether the scores have the names of the features.
        **params: parameters of the tree that matter at the root: `discretize`,
            `n_bins`, `missing`, `categorical_features`, `min_samples_leaf`, `n_jobs`, `progress`,
            ... Others than their defaults that cannot act on these scores are refused by name.
            A tree gives rows without a value a branch of their own unless the facts of its
            criterion say ``fractional``; ``missing="branch"`` gives the scores of its root.

    Returns:
        Scores, larger is better (p-values of `test`: smaller is better), shape (n_features,), in
        column order; NaN where a feature allows no split, does not vary, or is left out (see
        `columns` of `FastTreeClassifier`). A date has the best score of its year, month and
        weekday. With ``named=True`` a dict of name -> score in the same order.

    Raises:
        MemoryError: more than `memory_limit` is needed, or than the system gives, even in the
            smallest blocks; the message has the need.
        ValueError: a parameter outside its domain; a numeric column where pairs are counted and
            ``discretize=None``; too many columns for counts of pairs by distance, which would take
            more than 2 GB (``precision="fixed"`` of the criterion keeps no counts).

    Examples:
        >>> import fasttree
        >>> fasttree.score_features(fasttree.datasets.load_weather(), criterion="info_gain").round(
        ...     3
        ... ).tolist()
        [0.247, 0.029, 0.152, 0.048]
        >>> fasttree.score_features("weather", criterion="gini", named=True)["windy"].__round__(3)
        0.031
        >>> X, y = [[1, 0], [2, 0], [3, 1]], [0.5, 1, 4]
        >>> fasttree.score_features(X, y, criterion="squared_error").round(3).tolist()
        [2.347, 2.347]
        >>> [f"{p:.2g}" for p in fasttree.score_features("iris", test="quadratic")]
        ['3.8e-20', '4.3e-13', '1.4e-30', '3.5e-30']
    """
    if criterion is None and test is None:
        raise TypeError("score_features needs criterion=, or test= for p-values")
    if criterion is not None and test is not None:
        raise ValueError(
            f"test={shown(test)} cannot act on scores by a criterion; leave one of them out"
        )
    if statistic and test is None:
        raise ValueError("statistic=True needs test=: scores by a criterion have no statistic")
    study = as_genotypes(X)
    if test is not None and study is not None:
        raise ValueError(
            f"test={shown(test)} with genotypes: their variants are scored in blocks, and p-values "
            "are adjusted for all features; give a frame, study.to_table().to_frame()"
        )
    if study is not None:
        options: dict[str, Any] = {"task": task, "memory_limit": memory_limit}
        scores = _of_genotypes(study, y, criterion, sample_weight, params=params, **options)
    else:
        X, y, task = given_with_task(X, y, task, criterion, params)
        if test is not None:
            params |= {"selection": "significance", "test": test}
        estimator = _estimator(task, criterion, params)
        options = {"memory_limit": memory_limit, "statistic": statistic}
        scores = _of_rows(estimator, X, y, sample_weight, params=params, **options)
    if not named:
        return scores
    names = _names(X) if study is None else study.variant_ids
    return dict(zip(map(str, names), scores.tolist(), strict=True))


def _estimator(task: Task, criterion: Any, params: dict[str, Any]) -> Any:
    """The tree whose root is scored. Without a criterion it has the default criterion of its
    class."""
    kind: Any = FastTreeRegressor if task == "regression" else FastTreeClassifier
    if criterion is None:
        criterion = defaults_of(kind)["criterion"]
    estimator = made_of(kind, criterion, params)
    refuse_unscored(estimator)
    return estimator


def _of_rows(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: MaybeArray,
    *,
    params: dict[str, Any],
    memory_limit: int | None,
    statistic: bool,
) -> np.ndarray:
    """One score per given column, by the criterion or the test of an estimator."""
    # Codes of a uint8 array are read where they are, if no parameter needs more.
    made: Any = criteria.make(estimator.criterion)
    usual = set(params) <= {"categorical_features", "class_weight", "n_jobs", "progress"}
    weighted = sample_weight is not None or params.get("class_weight") is not None
    weighted = weighted or (isinstance(X, Table) and X.sample_weight is not None)
    codes = None
    if usual and isinstance(estimator, FastTreeClassifier):
        codes = codes_of(X, estimator.categorical_features, made, weighted)
    if codes is not None:
        table = X if isinstance(X, Table) else Table(codes[:, :1], y, categorical_features="all")
        weights = estimator._weigh(table, sample_weight).importances
        warn_of_few_rows(made, table, weights)
        how = {"n_jobs": estimator.n_jobs, "progress": estimator.progress}
        return stream(codes, table, made, weights, memory_limit=memory_limit, **how)
    # All other rows become a Table.
    table, weights, config, custom = prepared(estimator, X, y, sample_weight)
    scores = _engine.dataset_of(table, estimator.n_jobs).score_features(
        config,
        None,
        _engine.as_weights(weights),
        custom,
        estimator.n_jobs,
        make_report(estimator.progress, "scoring"),
        memory_limit,
        statistic,
    )
    if _is_own(X):
        return scores
    # The best of the parts of a date is the largest score or statistic, or the smallest p-value.
    sign = 1 if "test" not in params or statistic else -1
    return sign * _of_given_columns(table, table.feature_names, sign * scores)


def _is_own(X: Any) -> bool:
    """Whether X is a Table of the caller's, all of whose columns have scores."""
    return isinstance(X, Table) and X.as_given


def _of_given_columns(table: Table, names: list[str], values: np.ndarray) -> np.ndarray:
    """Values per column of the Table as values per column of the data, shape (n_features,).

    A date has the largest one of its year, month and weekday; a column that is left out has NaN.

    Args:
        table: the Table whose columns were screened.
        names: the columns that `values` are of.
        values: shape (len(names),).
    """
    if not table.unused:
        return values
    value_of = dict(zip(names, values.tolist(), strict=True))
    for name in table.unused:
        parts = [value_of[part] for part in part_names([name]) if name in table.dates]
        value_of[name] = max((part for part in parts if not np.isnan(part)), default=np.nan)
    n_given = table.n_features - len(part_names(table.dates))
    return np.array([value_of[name] for name in table.feature_names[:n_given]])


def prepared(
    estimator: Any, X: Any, y: Any, sample_weight: MaybeArray
) -> tuple[Table, np.ndarray | None, dict[str, Any], Any]:
    """The rows and weights that are scored by an estimator's criterion, the core's configuration,
    and the user's criterion. Rows of weight 0 are left out, as in a fit."""
    if sample_weight is not None and y is not None and not isinstance(y, str):
        # a level that only rows of weight 0 have is not declared
        X, y, sample_weight, _ = without_empty_rows(X, y, sample_weight)
    table = estimator._make_table(X, y)
    rows = estimator._weigh(table, sample_weight)
    table, weights = rows.table, rows.weights
    warn_of_few_rows(estimator.criterion, table, weights)
    settings = estimator.get_params(deep=False)
    if settings["nominal_splits"] == "auto":
        settings["nominal_splits"] = "multiway"
    config, custom = config_of(settings, table, weights)
    return table, weights, rows.configured(config), custom


def _names(X: Any) -> Iterable[Any]:
    """Names of the features of rows. The columns of an array get the names that a Table gives
    them."""
    table = X if isinstance(X, Table) else Table.from_any(X)
    return table.feature_names


def _of_genotypes(
    study: Genotypes,
    y: Any,
    criterion: Any,
    sample_weight: MaybeArray,
    *,
    params: dict[str, Any],
    task: Task | None,
    memory_limit: int | None,
) -> np.ndarray:
    """One score per variant: from the packed genotypes, from bytes where pairs are the evidence,
    and else from Tables of some variants."""
    task = task_named(task, criterion, params) or "classification"
    _estimator(task, criterion, params)  # refuses what cannot act
    if task == "regression":
        raise ValueError(
            f"criterion={shown(criterion)} with genotypes: variants are scored for classes "
            "such as cases and controls; for a number score a frame, "
            "study.to_table().to_frame(), with the numbers as y"
        )
    if memory_limit is not None:
        raise ValueError(
            f"memory_limit={memory_limit}: genotypes are scored in blocks of a fixed size; "
            "leave it out"
        )
    made: Any = criteria.make(criterion)
    samples, table = labelled(study, y)
    evidence = criteria.evidence_of(made)
    if evidence == "neighbours" and sample_weight is None and set(params) <= {"n_jobs", "progress"}:
        return near_scores(study, samples, table, made, **params)
    options = {"criterion": criterion, **params}
    if sample_weight is not None:
        options["sample_weight"] = np.asarray(sample_weight)[samples]
    if evidence == "pairs":
        codes = np.ascontiguousarray(study.to_array(samples=samples, missing=3)).view(np.uint8)
        options["categorical_features"] = "all"
        return score_features(codes, table.y, **options)
    progress = options.pop("progress", None)
    size = VARIANTS if evidence == "table" else study.n_variants
    parts = []
    for first in range(0, study.n_variants, size):
        part = study.take(variants=slice(first, first + size)).to_table().take(samples)
        part = Table.from_columns(list(part.columns), table.target_column, name=study.name)
        parts.append(score_features(part, **options))
        if progress is not None:
            progress(min(first + size, study.n_variants), study.n_variants)
    return np.concatenate(parts)


@dataclass(frozen=True)
class TurfResult:
    """The result of `turf`.

    Attributes:
        scores: shape (n_features,), the score of each feature in the last round in which it took
            part.
        rounds: shape (n_features,), the number of that round, from 0; -1 of a column that is left
            out (see `columns` of `FastTreeClassifier`).
    """

    scores: np.ndarray
    rounds: np.ndarray

    @property
    def ranking(self) -> np.ndarray:
        """Features from best to worst: first by the rounds that they stayed, then by score, then by
        position."""
        scores = np.where(np.isnan(self.scores), -np.inf, self.scores)
        return np.lexsort((-scores, -self.rounds))


def turf(
    X: Any,
    y: MaybeArray = None,
    *,
    criterion: Any = "relieff",
    share: float = 0.5,
    keep: int = 10,
    sample_weight: MaybeArray = None,
    **params: Any,
) -> TurfResult:
    """Tuned ReliefF (Moore & White 2007): score, drop the worst features, score the rest again.

    Noise features blur the distances by which neighbours are found; without the worst of them the
    neighbours of the next round are better.

    Args:
        X: as in `score_features`, and so are y, criterion, sample_weight and the other parameters;
            meant for criteria on neighbours.
        share: share of the features left that a round drops, in (0, 1); at least one is dropped.
        keep: number of features at which the rounds stop, at least 1.

    Returns:
        A `TurfResult`. The number of rounds is about ``log(n_features / keep) / -log(1 - share)``
        and it costs as much as ``1 / share`` calls of `score_features`.

    Raises:
        ValueError: `share` or `keep` outside its domain.

    Examples:
        >>> import fasttree
        >>> table = fasttree.datasets.make_parity(2, 38, 200, random_state=0)
        >>> sorted(turf(table, keep=5).ranking[:2].tolist())
        [0, 1]
    """
    if not 0 < (as_float(share) or 0.0) < 1:
        raise ValueError(
            f"share={shown(share)} must be a number that lies between 0 and 1, both excluded"
        )
    keep = check_integer("keep", keep, 1)
    if as_genotypes(X) is None:
        X, y, params["task"] = given_with_task(X, y, params.get("task"), criterion, params)
    options = {"criterion": criterion, "sample_weight": sample_weight, **params}
    nominal = params.get("categorical_features", "from_dtype")
    streams = codes_of(X, nominal, criteria.make(criterion)) is not None and not isinstance(
        X, Table
    )
    task = params.get("task") or "classification"
    source: Any = X
    if not streams:  # the Table has its kinds; masks and names are of all its columns
        options.pop("categorical_features", None)
        use = options.pop("columns", "auto")
        table = screened_table(X, y, use, categorical_features=nominal, task=task)
        source = table if _is_own(X) else table.drop(*table.unused)
    p = source.shape[1]
    left = np.arange(p)
    scores, rounds = np.full(p, np.nan), np.zeros(p, dtype=np.int64)
    number = 0
    while True:
        if streams:
            new_scores = score_features(source if len(left) == p else source[:, left], y, **options)
        else:
            new_scores = score_features(_columns(source, left), **options)
        scores[left], rounds[left] = new_scores, number
        if len(left) <= keep:
            break
        stay = max(keep, len(left) - max(1, int(share * len(left))))
        order = np.argsort(-np.where(np.isnan(new_scores), -np.inf, new_scores), kind="stable")
        left = np.sort(left[order[:stay]])
        number += 1
    if not streams and not _is_own(X):
        scores, rounds_or_nan = (
            _of_given_columns(table, source.feature_names, values) for values in (scores, rounds)
        )
        rounds = np.where(np.isnan(rounds_or_nan), -1, rounds_or_nan).astype(np.int64)
    return TurfResult(scores, rounds)


def _columns(table: Table, which: np.ndarray) -> Table:
    """The Table of some features."""
    if len(which) == table.n_features:
        return table
    return table.with_columns([table.column(int(j)) for j in which])

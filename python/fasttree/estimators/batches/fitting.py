"""Fits of trees and forests on batches of rows; only codes of the cells are kept in memory.

What
    `fit` reads the batches in several passes, keeps one byte per cell (two if a column has more
    than 256 codes), and grows a tree or forest on these codes. The model is bit-identical to a fit
    on all rows together with ``threshold_search="histogram"``; numbers of a target are kept on one
    grid (2^-41 of their range at most), so the predicted numbers are bit-identical only if all
    numbers of the target lie on this grid.
Complexity
    Two to five passes over the batches: one for kinds, levels and classes (if there is a schema, it
    reads labels, weights and nominal columns only), one for imputed values with ``missing="mode"``,
    one or two for the cut points of numeric columns, and one for the codes. Growth costs as much as
    on an array.
Memory
    Three times p + 1 bytes per row for p columns (p + 5 with weights), rounded up to a multiple of
    eight; a forest needs 20 bytes per row more.
When not to use it
    For rows that are in memory as an array already.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ... import _engine
from ..._checks import HALF, HALF_REMEDY, shown
from ..._checks.data_warnings import warn_caller
from ..._checks.words import option
from ..deep_trees import warn_of_depth
from ..idle import refuse_idle
from ..parameters import config_of
from ..training_rows import TrainingRows
from . import passes
from .coding import Coding
from .part_facts import PartFacts, TargetNumbers, facts_of_rows, merge_facts
from .reading import Reader
from .sources import Batches
from .unchanged import Repeated

core = _engine.core


class Facts(NamedTuple):
    """What the core needs to know about all rows together.

    The core reads them in place of the schema and the columns of a Table, as it gets rows as codes.
    Numbers of codes, sums and ranges are over all parts.

    Attributes:
        schema: names, kinds, levels and classes (`Coding.schema`).
        features: for each feature, its number of codes, whether one of them is for missing cells,
            and for a numeric one the range of each code.
        weighted: whether rows have weights.
        sums: sums of the target by class (`passes.Encoded`).
        n_rows: number of rows.
        target_range: the smallest and the largest number of a regression; None for classes.
    """

    schema: dict[str, Any]
    features: list[passes.CodedFeature]
    weighted: bool
    sums: list[int]
    n_rows: int
    target_range: tuple[float, float] | None


def plan_of(estimator: Any, facts: PartFacts) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The configuration of a fit on parts.

    Batches and partitions share it. Only names, levels, classes and the number of copies are read,
    not cells, so it can refuse parameters before a second pass over the rows.

    Args:
        estimator: a tree or a forest.
        facts: of all parts.

    Returns:
        The core's configuration of a tree, and how a forest draws its samples (None for a tree).

    Raises:
        ValueError: a user's function as criterion, or too many rows.
    """
    if facts.copies >= 2**32 - 1:
        raise ValueError(
            f"{facts.copies:,} rows or copies of rows: at most 4,294,967,294 are supported; divide "
            "the weights by a number, or sample the rows"
        )
    # Columns, classes and the number of copies are all that is read here.
    table, weights = facts.table_of_one_row(), np.array([float(facts.copies)])
    params, bagging = estimator.get_params(deep=False), None
    if params.get("honest"):
        raise ValueError(
            f"honest={params['honest']!r} on rows in batches or partitions: supported are rows in "
            "memory; load them, or a sample of them, or leave honest out"
        )
    if hasattr(estimator, "_plan"):
        rows = TrainingRows(table, weights, None)
        config, custom, bagging = estimator._plan(rows, params, facts.rows)
        if config["threshold_search"] == "auto":  # rows in batches are codes of bins
            config["threshold_search"] = "histogram"
    else:
        config, custom = config_of(params, table, weights)
    if custom is not None:
        raise ValueError(
            "a function as criterion on rows in batches or partitions: supported are the criteria "
            "of fasttree.list_criteria()"
        )
    return config, bagging


def check_plan(config: dict[str, Any], facts: PartFacts, target: str, forest: bool) -> None:
    """Check that a fit on codes supports the parameters, before the numbers are read.

    Args:
        config: the core's configuration of a tree.
        facts: of all parts.
        target: name of the target.
        forest: whether a forest is fitted.

    Raises:
        ValueError: naming the parameter and what is supported.
    """
    bins = config["max_bins"]
    none = np.empty((0, 2))
    features: list[Any] = [
        (bins, False, none) if v is None else (len(v), False, None) for v in facts.levels
    ]
    others = facts.classes[1:] if facts.target_range is None else (0, 0)
    coding = Coding(facts, target, (None,) * len(facts.names))
    core_facts = facts_of(coding, features, [facts.copies, *(0 for _ in others)])
    try:
        core.check_codes(core_facts, config, forest)
    except UnicodeEncodeError:
        known_levels = zip(facts.names, facts.levels, strict=True)
        for name, levels in (*known_levels, (target, facts.classes)):
            for text in (name, *(levels or ())):
                if isinstance(text, str) and HALF.search(text):
                    raise ValueError(f"column {name!r}: {shown(text)} {HALF_REMEDY}") from None
        raise
    if facts.numbers is not None:
        _warn_of_lost_digits(facts.numbers, target)


def _warn_of_lost_digits(numbers: TargetNumbers, target: str) -> None:
    """Warn where the grid of the target, which all rows share, is too coarse for most numbers."""
    low, high = numbers.range
    typical = math.exp(numbers.log_sum / numbers.n_logs) if numbers.n_logs else high - low
    if high - low <= 2.0**20 * typical or (numbers.are_whole and high - low < 2.0**39):
        return
    warn_caller(
        f"the target {target!r} lies between {low:g} and {high:g}, and a typical number has the "
        f"size {typical:.3g}: of rows in batches or partitions only whole multiples of "
        f"{2.0 ** (math.floor(math.log2(high - low)) - 40):.3g} are kept, so that leaf numbers and "
        "splits of small numbers are inexact; fit rows in memory, which are read again, or predict "
        "the logarithm of the target",
        UserWarning,
    )


def check_arguments(estimator: Any, y: Any, sample_weight: Any, frames: bool = True) -> None:
    """Check that batches and partitions support the arguments of `fit` and the parameters.

    It runs before any row is read. What depends on the columns is checked by `check_plan` after the
    first pass.

    Args:
        estimator: a tree or a forest.
        y, sample_weight: as `fit` was given them.
        frames: whether parts are frames that hold labels and weights as columns.

    Raises:
        ValueError: naming the argument or parameter, and what is supported.
    """
    if frames and not isinstance(y, str):
        raise ValueError(
            "rows in batches or partitions carry their labels: y must be the name of a column, "
            f"got {'None' if y is None else type(y).__name__}"
        )
    if frames and sample_weight is not None and not isinstance(sample_weight, str):
        raise ValueError(
            "rows in batches or partitions carry their weights: sample_weight must be the name of "
            f"a column, got {type(sample_weight).__name__}"
        )
    for name, plain in (
        ("class_weight", None), ("priors", None), ("oob_score", False), ("warm_start", False),
    ):  # fmt: skip
        if getattr(estimator, name, plain) not in (plain, None):
            raise ValueError(
                f"{name}={getattr(estimator, name)!r} on rows in batches or partitions; supported: "
                f"{name}={plain}, and weights in a column"
            )
    refuse_idle(estimator)
    if getattr(estimator, "trace", None) == "candidates":
        raise ValueError(
            "trace='candidates' on rows in batches or partitions; supported: 'steps' and None"
        )


def reader_for(estimator: Any, y: str | None = None, sample_weight: str | None = None) -> Reader:
    """The reader that splits each part into features, target and weights for an estimator.

    `y` and `sample_weight` are names of columns of the parts; None where they come as collections
    beside the rows (Dask Arrays), or where rows have no weights. Which columns are nominal, and
    whether the target is a number, follows from the estimator.
    """
    return Reader(y, sample_weight, estimator.categorical_features, estimator._task)


def facts_of(coding: Coding, features: list[passes.CodedFeature], sums: list[int]) -> Facts:
    """The facts of all rows for the core.

    `coding` need not have cut points yet: `check_plan` makes facts with the largest number of bins
    in their place.

    Args:
        coding: of all parts.
        features, sums: as in `Facts`.
    """
    facts = coding.facts
    return Facts(coding.schema(), features, facts.weighted, sums, facts.rows, facts.target_range)


@dataclass(frozen=True)
class Columns:
    """The features of a source with a schema.

    Numeric columns need not be read for levels, and a Parquet file can leave columns out, so the
    first pass over a wide table is short. Without a schema both tuples are empty, and all columns
    are read.

    Attributes:
        features: names of the features, in order.
        spared: the features that are numeric by the schema, which the first pass does not read.
    """

    features: tuple[str, ...]
    spared: tuple[str, ...]

    @classmethod
    def of(cls, names: Iterable[str], numbers: Iterable[str], reader: Reader) -> Columns:
        """The features of a source.

        Columns are spared only with ``categorical_features="from_dtype"``. At least one column is
        read, because a Table cannot be empty.

        Args:
            names: names of all its columns.
            numbers: names of its numeric columns.
            reader: knows the columns of labels and weights, and which columns are nominal.
        """
        others = {reader.target, reader.weights}
        features = [n for n in names if n not in others]
        numeric = set(numbers) - others if reader.categorical_features == "from_dtype" else set()
        # A Table needs a column: if all are numeric, the first one is read.
        spared = [n for n in features if n in numeric][1 if numeric >= set(features) else 0 :]
        return cls(tuple(features), tuple(spared))

    def completed(self, facts: PartFacts) -> PartFacts:
        """The facts of a pass that did not read the spared columns, with these columns added.

        The spared columns are numeric by the schema, so they have no levels. Afterwards the columns
        are in the order of `features`.
        """
        if not self.spared:
            return facts
        levels_of = dict(zip(facts.names, facts.levels, strict=True))
        levels = tuple(levels_of.get(name) for name in self.features)
        return replace(facts, names=self.features, levels=levels)


def first_pass(batches: Batches, reader: Reader) -> tuple[Repeated, PartFacts]:
    """Make a first pass over the batches.

    It reads labels, weights and nominal columns, and only those numeric columns that cannot be
    spared (`Columns`). Classes without a row of weight > 0 are left out of the facts.

    Args:
        batches: the source.
        reader: of the estimator.

    Returns:
        The source for further passes, and the facts of all batches.

    Raises:
        ValueError: no rows, or a column that does not exist.
    """
    names = batches.columns or ()
    for column in (reader.target, reader.weights):
        if names and column is not None and column not in names:
            raise ValueError(
                f"{batches.name} has no column {column!r}; there are {', '.join(names[:20])}"
            )
    columns = Columns.of(names, batches.numbers, reader)
    wanted = [n for n in names if n not in columns.spared] or None
    source = Repeated(batches, reader)
    facts = source.merged_results(facts_of_rows, merge_facts, wanted)
    if facts is None:
        raise ValueError(f"{batches.name} holds no rows with a positive weight")
    source.expected = columns.completed(facts.without_unused_classes())
    return source, source.expected


def coded_rows(
    source: Repeated, config: dict[str, Any], facts: PartFacts, hashed: bool
) -> core.Dataset:
    """Read all rows of the batches into a data set of the core, as codes.

    Args:
        source: the batches, after the first pass.
        config: the core's configuration of a tree.
        facts: of all batches.
        hashed: whether to hash the content of each row, from which forests draw samples.
    """
    coding = Coding(facts, source.reader.target or "class", (None,) * len(facts.names))
    coding = passes.complete_coding(coding, config, source.merged_results)
    # The last pass: codes of all rows in one array, in the order of the batches.
    records = np.empty((facts.rows, 0), np.uint8)
    hashes = np.empty(facts.rows, np.uint64) if hashed else None
    features: list[Any] = []
    sums: list[int] = []
    start = 0
    for encoded in source.results(partial(passes.encode_part, coding, hashed)):
        if not start:
            records = np.empty((facts.rows, encoded.records.shape[1]), np.uint8)
            features, sums = encoded.features, [0] * len(encoded.sums)
        part = slice(start, start + len(encoded.records))
        start = part.stop
        records[part] = encoded.records
        if hashes is not None and encoded.hashes is not None:
            hashes[part] = encoded.hashes
        features = passes.merge_features(features, encoded.features)
        sums = passes.merge_sums(sums, encoded.sums)
    return core.Dataset.of_codes(facts_of(coding, features, sums), records, hashes)


def fit(estimator: Any, batches: Batches, y: Any, sample_weight: Any, exposure: Any = None) -> Any:
    """Fit a tree or forest on batches.

    Args:
        estimator: the estimator.
        batches: the rows.
        y, sample_weight: names of the columns of labels and weights (None: no weights).
        exposure: must be None.

    Returns:
        The estimator.

    Raises:
        ValueError: arguments or parameters that batches do not support, or data outside their
            domain.
    """
    if exposure is not None:
        raise ValueError(
            f"{option('exposure')} with rows in batches: rates are made of rows in memory; read "
            "the rows into one array or frame"
        )
    check_arguments(estimator, y, sample_weight)
    reader = reader_for(estimator, y, sample_weight)
    source, facts = first_pass(batches, reader)
    config, bagging = plan_of(estimator, facts)
    is_forest = bagging is not None
    check_plan(config, facts, y, is_forest)
    rows = coded_rows(source, config, facts, is_forest)
    report = _engine.make_report(estimator.progress, "trees" if is_forest else "growing")
    options: dict[str, Any] = {"n_jobs": estimator.n_jobs, "progress": report}
    if bagging is None:
        model: Any = core.tree_fit(rows, config, **options)
    else:
        model = core.forest_fit(rows, config, bagging, **options)
    return finished(estimator, model, facts)


def finished(estimator: Any, model: Any, facts: PartFacts) -> Any:
    """Give an estimator the model that was grown on parts; returns the estimator.

    Args:
        estimator: the estimator.
        model: a model of the core.
        facts: of all parts.
    """
    estimator._set_model(model, facts.values, facts.has_names)
    estimator._float32_conflicts = None
    tree = getattr(estimator, "tree_", None)
    if tree is not None:  # not a forest
        warn_of_depth(tree, list(facts.names), estimator.criterion, ties=estimator.ties)
    return estimator

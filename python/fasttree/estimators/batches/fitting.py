"""Trees and forests of one machine on batches of rows: the numbers are gone once they are codes.

What
    `fit_tree` and `fit_forest` read the batches pass by pass, hold a byte a cell (two beyond 256
    codes), and grow on that. The model has the bytes of a fit on all rows together with
    ``threshold_search="histogram"``.
Complexity
    Three passes over the batches (the first reads labels, weights and nominal columns alone, where
    there is a schema); growth as on an array.
Memory
    For p columns p + 1 bytes per row (and 4 where rows have weights), rounded up to eight, three
    times; a forest 8 + 12 bytes per row more.
When not to use it
    For rows that are in memory as an array already.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ... import _engine
from ..deep_trees import warn_of_depth
from ..idle import refuse_idle
from ..parameters import config_of
from ..training_rows import TrainingRows
from . import passes
from .parts import Coding, PartFacts, Reader, describe, joined
from .passes import Encoded
from .sources import Batches
from .unchanged import Repeated

__all__ = [
    "Columns",
    "Facts",
    "check_plan",
    "check_words",
    "configured",
    "facts_of",
    "finished",
    "fit_forest",
    "fit_tree",
    "forest_configured",
    "reader_for",
]

core = _engine.core
Facts = tuple[str, list[tuple[int, bool, np.ndarray | None]], bool, bool, list[int], int]


class RowCount:
    """As much of a Table as a configuration asks for: rows, features, classes."""

    def __init__(self, facts: PartFacts) -> None:
        self.classes, self.n_features, self._rows = facts.classes, len(facts.names), facts.rows

    def __len__(self) -> int:
        return self._rows


def configured(params: dict[str, Any], facts: PartFacts) -> dict[str, Any]:
    """The core's configuration.

    Raises:
        ValueError: a user's function as criterion.
    """
    config, custom = config_of(params, *_counted(facts))
    _refuse_function(custom)
    return config


def forest_configured(estimator: Any, facts: PartFacts) -> tuple[dict[str, Any], dict[str, Any]]:
    """The core's configuration of a forest's trees, and how samples are drawn."""
    rows = TrainingRows(*_counted(facts), None)
    config, custom, bagging = estimator._plan(rows, estimator.get_params(deep=False))
    _refuse_function(custom)
    return config, bagging


def _counted(facts: PartFacts) -> tuple[Any, np.ndarray | None]:
    """The rows where only their number matters, and their weight where rows are weighted."""
    if facts.copies >= 2**32 - 1:
        raise ValueError(
            f"{facts.copies:,} rows or copies of rows: at most 4,294,967,294 are supported; divide "
            "the weights by a number, or sample the rows"
        )
    return RowCount(facts), np.array([float(facts.copies)]) if facts.weighted else None


def _refuse_function(custom: Callable[..., Any] | None) -> None:
    if custom is not None:
        raise ValueError(
            "a function as criterion on rows in batches or partitions: supported are the criteria "
            "of fasttree.list_criteria()"
        )


def check_plan(config: dict[str, Any], facts: PartFacts, forest: bool) -> None:
    """Refuse what cannot be done on codes, before numbers are read.

    Raises:
        ValueError: naming what is not served, and what is.
    """
    bins = config["max_bins"]
    none = np.empty((0, 2))
    features: list[Any] = [
        (bins, False, none) if v is None else (len(v), False, None) for v in facts.levels
    ]
    totals = [facts.copies, *(0 for _ in facts.classes[1:])]
    coding = Coding(facts, "class", (None,) * len(facts.names))
    known = (coding.schema_json(), features, facts.weighted, False, totals, facts.rows)
    core.check_codes(known, json.dumps(config), forest)


def check_words(estimator: Any, y: Any, sample_weight: Any, frames: bool = True) -> None:
    """Refuse what rows in parts do not go with, by name."""
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


def reader_for(estimator: Any, y: str | None, sample_weight: str | None) -> Reader:
    """How an estimator reads parts."""
    return Reader(y, sample_weight, estimator.categorical_features)


def facts_of(
    coding: Coding, features: list[tuple[int, bool, np.ndarray | None]], totals: np.ndarray
) -> Facts:
    """What the core must know of all rows."""
    facts = coding.facts
    weights = [int(t) for t in totals]
    return coding.schema_json(), features, facts.weighted, False, weights, facts.rows


def _over(
    source: Repeated,
    of_part: Callable[[Any, str], Any],
    join: Callable[[Any, Any], Any],
    columns: list[str] | None = None,
) -> Any:
    """What all batches say together; None without rows."""
    found = None
    for batch, where in source.parts(columns):
        found = join(found, of_part(batch, where))
    return found


@dataclass(frozen=True)
class Columns:
    """Columns of a schema: the features in order, and those among them whose numbers need not be
    read to know what they are."""

    features: tuple[str, ...]
    spared: tuple[str, ...]

    @classmethod
    def of(cls, names: Iterable[str], numbers: Iterable[str], reader: Reader) -> Columns:
        """`numbers` are the names of columns of which the schema says that they are numbers."""
        own = {reader.target, reader.weights}
        features = [n for n in names if n not in own]
        known = set(numbers) - own if reader.categorical_features == "from_dtype" else set()
        # A Table has a column: the first number stands for the others.
        spared = [n for n in features if n in known][1 if known >= set(features) else 0 :]
        return cls(tuple(features), tuple(spared))

    def completed(self, facts: PartFacts) -> PartFacts:
        """What parts hold, the spared columns put back."""
        if not self.spared:
            return facts
        known = dict(zip(facts.names, zip(facts.kinds, facts.levels, strict=True), strict=True))
        pairs = [known.get(n, ("numeric", None)) for n in self.features]
        kinds, levels = zip(*pairs, strict=True)
        return replace(facts, names=self.features, kinds=kinds, levels=levels)


def described(batches: Batches, reader: Reader) -> tuple[Repeated, PartFacts]:
    """The source, and columns, levels and classes of all batches; numbers are not read where a
    schema names them.

    Raises:
        ValueError: no rows, or a column that is not there.
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
    facts: PartFacts | None = _over(
        source, lambda part, where: describe(source, part, where), joined, wanted
    )
    if facts is None:
        raise ValueError(f"{batches.name} holds no rows with a positive weight")
    source.expected = columns.completed(facts)
    return source, source.expected


@dataclass(frozen=True)
class CodedRows:
    """All rows as codes."""

    coding: Coding
    facts: Facts
    records: np.ndarray
    hashes: np.ndarray | None

    def dataset(self) -> core.Dataset:
        """The rows as the core fits on them."""
        return core.Dataset.of_codes(self.facts, self.records, self.hashes)


def coded_rows(
    source: Repeated, config: dict[str, Any], facts: PartFacts, hashed: bool
) -> CodedRows:
    """All rows of the batches as codes."""
    coding = Coding(facts, source.reader.target or "class", (None,) * len(facts.names))
    bins = config["max_bins"]
    if config["missing"] == "mode":
        gaps = _over(
            source,
            lambda part, where: passes.gaps_of_part(source, coding, part, where),
            lambda a, b: passes.joined_gaps(coding, a, b),
        )
        coding = passes.fills_of(coding, gaps)
    if "numeric" in facts.kinds:
        coding = _with_cuts(source, coding, bins)
    records: np.ndarray | None = None
    hashes: np.ndarray | None = None
    features: list[Any] = []
    totals, at = np.zeros(len(facts.classes), np.uint64), 0
    for batch, where in source.parts():
        part = passes.encoded_part(source, coding, hashed, batch, where)
        if part is None:
            continue
        if records is None:
            records = np.empty((facts.rows, part.records.shape[1]), np.uint8)
            hashes = np.empty(facts.rows, np.uint64) if hashed else None
            features = part.features
        end = at + len(part.records)
        _put(part, records, hashes, at)
        features, totals, at = (
            passes.joined_features(features, part.features),
            totals + part.totals,
            end,
        )
    assert records is not None
    return CodedRows(coding, facts_of(coding, features, totals), records, hashes)


def _put(part: Encoded, records: np.ndarray, hashes: np.ndarray | None, at: int) -> None:
    records[at : at + len(part.records)] = part.records
    if hashes is not None and part.hashes is not None:
        hashes[at : at + len(part.hashes)] = part.hashes


def _with_cuts(source: Repeated, coding: Coding, bins: int) -> Coding:
    edges = _over(
        source,
        lambda part, where: passes.edges_of_part(source, coding, bins, part, where),
        lambda a, b: passes.joined_edges(bins, a, b),
    )
    coding, columns = passes.cuts_of(coding, edges, bins)
    if columns:
        names = [coding.facts.names[j] for j in columns]
        values = _over(
            source,
            lambda part, where: passes.values_of_part(source, coding, columns, part, where),
            lambda a, b: passes.joined_values(names, a, b),
        )
        coding = passes.with_values(coding, columns, values, bins)
    return coding


def fit_tree(estimator: Any, batches: Batches, y: Any, sample_weight: Any) -> Any:
    """Fit a `FastTreeClassifier` on batches."""
    check_words(estimator, y, sample_weight)
    reader = reader_for(estimator, y, sample_weight)
    source, facts = described(batches, reader)
    config = configured(estimator.get_params(deep=False), facts)
    check_plan(config, facts, False)
    rows = coded_rows(source, config, facts, False)
    report = _engine.make_report(estimator.progress, "growing")
    text, n_jobs = json.dumps(config), estimator.n_jobs
    model = core.tree_fit(rows.dataset(), text, n_jobs=n_jobs, progress=report)
    return finished(estimator, model, facts)


def fit_forest(estimator: Any, batches: Batches, y: Any, sample_weight: Any) -> Any:
    """Fit a `FastForestClassifier` on batches."""
    check_words(estimator, y, sample_weight)
    reader = reader_for(estimator, y, sample_weight)
    source, facts = described(batches, reader)
    config, bagging = forest_configured(estimator, facts)
    check_plan(config, facts, True)
    rows = coded_rows(source, config, facts, True)
    texts = (json.dumps(config), json.dumps(bagging))
    report = _engine.make_report(estimator.progress, "trees")
    forest = core.forest_fit(rows.dataset(), *texts, n_jobs=estimator.n_jobs, progress=report)
    return finished(estimator, forest, facts)


def finished(estimator: Any, model: Any, facts: PartFacts) -> Any:
    """The estimator with its model."""
    estimator._adopt(model, facts.values, facts.has_names)
    estimator._float32_conflicts = []
    estimator._candidates = {}
    tree = getattr(estimator, "tree_", None)
    if tree is not None:  # a forest has many
        warn_of_depth(tree, list(facts.names), estimator.criterion)
    return estimator

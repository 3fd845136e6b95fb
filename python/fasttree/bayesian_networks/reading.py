"""Training rows as the core's networks read them: binned, missing cells filled, the class last.

What
    `read` turns (X, y) or a `Table` into a `Reading`: columns of levels, cut points of numeric
    columns, weights. `CaMML`, `exact_posterior` and `message_length` begin with it. `prior_config`
    checks the priors over graphs. Columns are given by name or number, the class being the last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _engine
from .._checks import as_list, check_share, check_whole, is_whole, mapping, number_in, one_of, shown
from .._checks.aliases import MaybeArray
from ..datasets.inputs import resolve_names
from ..discretize import interval_labels, make
from ..estimators.training_rows import weighted_rows
from ..table import Table
from ..table.data_checks import inspect

ARC_PROBABILITY = number_in(0.0, 1.0, above=True, below=True)
"""The prior probability of an arc; 0.5 is neutral."""

LARGEST_PARENTS = 11
"""Largest number of parents of a column, as in the authors' program."""


@dataclass
class Reading:
    """A training set and how its cells become levels.

    Attributes:
        table: the rows with their class.
        weights: weight of each row, or None for 1.
        names: columns, then the class.
        cuts: ascending cut points of each binned column, by name.
        config: cut points and options as the core reads them, without a prior.
    """

    table: Table
    weights: np.ndarray | None
    names: list[str]
    cuts: dict[str, np.ndarray]
    config: dict[str, Any]

    def levels(self) -> list[tuple[Any, ...]]:
        """Labels of the values of each column, and of the classes last; binned columns have
        intervals as labels."""
        labels = [
            interval_labels(self.cuts[c.name]) if c.kind == "numeric" else tuple(c.levels or ())
            for c in self.table.columns
        ]
        return [*(levels or (None,) for levels in labels), tuple(self.table.classes)]

    def counts(self, parents: list[list[int]]) -> list[np.ndarray]:
        """Weight of each (configuration of the parents, value) of each column, flat."""
        return self._counted(parents)[0]

    def fill(self) -> dict[str, int]:
        """Code that replaces a missing cell, by name of the column."""
        codes = self._counted([[] for _ in self.names])[1]
        return {
            name: code for name, code in zip(self.names, codes, strict=False) if code is not None
        }

    def shares(self) -> dict[str, list[float]]:
        """Shares of the values of each column among its known cells, by name, for fractional rows;
        empty unless missing cells are ``"parts"``."""
        if self.config["missing"] != "parts":
            return {}
        counted = self._counted([[] for _ in self.names])[0][:-1]
        return {
            name: (counts / counts.sum()).tolist()
            for name, counts in zip(self.names, counted, strict=False)
            if counts.size
        }

    def _counted(self, parents: list[list[int]]) -> tuple[list[np.ndarray], list[int | None]]:
        """Counts as in `counts`, and the code of a missing cell of each column beside the class."""
        weights = _engine.as_weights(self.weights)
        return _engine.core.network_counts(*self.for_core({}), parents, weights)

    def for_core(
        self, prior: dict[str, Any], n_jobs: int | None = None
    ) -> tuple[_engine.core.Dataset, dict[str, Any]]:
        """The rows and the configuration with this prior, as the core takes them."""
        return _engine.dataset_of(self.table, n_jobs), {**self.config, "prior": prior}


def place(names: Sequence[str], key: int | str, what: str) -> int:
    """Number of a column given by number or name; messages name it `what`.

    >>> place(["a", "b", "class"], "b", "ordered"), place(["a", "b", "class"], -1, "ordered")
    (1, 2)
    """
    if isinstance(key, str):
        if key not in names:
            raise ValueError(f"{what}: {shown(key)} is not a column; columns are {list(names)}")
        return list(names).index(key)
    if not is_whole(key):
        raise TypeError(f"{what}: {shown(key)} is neither the number nor the name of a column")
    if not -len(names) <= key < len(names):
        raise ValueError(f"{what}: there are {len(names)} columns, {shown(key)} is none of them")
    return int(key) % len(names)


def read(
    X: Any,
    y: MaybeArray = None,
    *,
    sample_weight: MaybeArray = None,
    discretize: Any = "mdlp",
    n_bins: int = 10,
    missing: str = "mode",
    max_parents: int = LARGEST_PARENTS,
) -> Reading:
    """Read and check training rows; the arguments are the same as in `CaMML`.

    Raises:
        ValueError: no class, a numeric column without a discretiser, weights outside their domain.
    """
    table = Table.from_any(*resolve_names(X, y, "classification"))
    if table.target is None:
        raise ValueError("the Table has no target: the class is the last column of a network")
    one_of("missing", missing, ("mode", "parts", "error"))
    inspect(table, "as_given").warn()
    max_parents = check_whole("max_parents", max_parents, 0)
    table, weights = weighted_rows(table, sample_weight)
    numeric = [c.name for c in table.columns if c.kind == "numeric"]
    cuts = cut_points(table, numeric, weights, discretize, n_bins)
    names = table.feature_names
    config = {
        "cuts": [cuts[name].tolist() if name in cuts else None for name in names],
        "missing": missing,
        "max_parents": int(max_parents),
    }
    return Reading(table, weights, [*names, str(table.target)], cuts, config)


def cut_points(
    table: Table,
    names: list[str],
    weights: np.ndarray | None,
    discretize: Any,
    n_bins: int,
    *,
    needs: str = "a network needs bins",
) -> dict[str, np.ndarray]:
    """Ascending cut points of the numeric columns of these names; `needs` says who needs them."""
    from sklearn.base import clone

    discretizer = make(discretize, n_bins, auto="mdlp")
    if not names:
        return {}
    if discretizer is None:
        raise ValueError(
            f"discretize=None, but column {names[0]!r} is numeric and {needs}; "
            "use 'mdlp', 'equal_width', 'equal_frequency' or an object of fasttree.discretize"
        )
    part = Table.from_columns([table.column(name) for name in names], table.target_column)
    return clone(discretizer).fit(part, None, weights).cuts_


def prior_config(
    names: Sequence[str],
    arc_probability: float | None,
    arc_priors: Mapping[tuple[Any, Any], float] | None = None,
    ordered: Iterable[tuple[Any, Any]] = (),
    tied: Iterable[tuple[Any, Any]] = (),
) -> dict[str, Any]:
    """The prior over graphs as the core reads it; arguments as in `CaMML`.

    >>> prior_config(["a", "b", "class"], 0.5, {("a", "class"): 0.9}, ordered=[("a", "b")])
    {'arc_probability': 0.5, 'arcs': [[0, 2, 0.9]], 'ordered': [[0, 1]], 'tied': []}
    """

    def pair(given: Any, what: str) -> list[int]:
        """The numbers of two different columns."""
        if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != 2:
            raise ValueError(f"{what}: {shown(given)} is not a pair of columns")
        first, second = (place(names, key, what) for key in given)
        if first == second:
            raise ValueError(f"{what}: {shown(given)} names one column twice")
        return [first, second]

    if arc_probability is not None:
        arc_probability = ARC_PROBABILITY("arc_probability", arc_probability)
    given = {} if arc_priors is None else mapping("probabilities")("arc_priors", arc_priors)
    arcs = [(pair(arc, "arc_priors"), check_share("arc_priors", p)) for arc, p in given.items()]
    named = [ends for ends, _ in arcs]
    for i, j in named:
        if named.count([i, j]) > 1:
            raise ValueError(f"arc_priors: the arc {names[i]!r} to {names[j]!r} is named twice")
    return {
        "arc_probability": arc_probability,
        "arcs": [[*ends, p] for ends, p in arcs],
        "ordered": [pair(columns, "ordered") for columns in as_list("ordered", ordered)],
        "tied": [pair(columns, "tied") for columns in as_list("tied", tied)],
    }

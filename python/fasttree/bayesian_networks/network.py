r"""`BayesianNetwork`: a directed acyclic graph with a full table for each column.

What
    The joint distribution :math:`P(x) = \prod_j P(x_j \mid x_{\text{parents}(j)})` over columns of
    levels; the class is the last column. Numeric columns are columns of bins.
Formula
    Estimated from counts as in the minimum message length program: :math:`(n_i + 1/2) / (N + v/2)`.
Source
    Pearl, *Probabilistic Reasoning in Intelligent Systems*, 1988; Wallace & Korb 1999.
Complexity
    Prediction reads the table of the class and the tables of its children: O(rows x classes x
    children).
When not to use it
    With many parents of many levels: a table has a cell for each combination.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from os import PathLike
from typing import Any

import numpy as np

from .. import _engine
from .._checks import as_list, checked, generator_of, mapping, maybe, number_array
from .._checks.aliases import MaybeArray, Seed
from .._checks.plain_text import one_line
from .._checks.saving import save_bytes
from .._checks.words import counted
from ..datasets.table_network import TableNetwork
from ..table import Table
from .columns import ColumnReader
from .documents import sealed
from .drawing import dot, svg
from .lengths import message_length
from .reading import place, read
from .structure import arcs_of, check_acyclic, equivalent, parent_lists

Family = tuple[int, tuple[int, ...]]
"""A column and its parents, by number."""


def probability_table(name: str, given: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """A copy of a table of conditional probabilities of the column ``name``.

    Raises:
        ValueError: another shape, a negative or missing number, a row that does not sum to 1.
    """
    table = given.copy()
    if table.shape != shape:
        raise ValueError(
            f"the table of {name!r} has shape {table.shape}, its parents and values need {shape}"
        )
    if not (table >= 0).all() or abs(table.sum(axis=-1) - 1).max() > 1e-9:
        raise ValueError(f"the table of {name!r}: probabilities are not negative and sum to 1")
    return table


class BayesianNetwork(TableNetwork):
    """A network over named columns, the class last.

    Args:
        names: of the columns, distinct.
        levels: labels of the values of each column.
        parents: of each column, by number or name.
        tables: P(column | parents) of each column, shape (values of each parent in ascending order
            of their numbers, values of the column); each row sums to 1.
        cuts: ascending cut points of columns that are bins of numbers, by name.
        fill: number of the level that replaces a missing cell, by name.
        shares: shares of the levels that a missing cell takes instead, by name.

    Raises:
        ValueError: a circle, a table of another shape, probabilities that do not sum to 1.

    Examples:
        >>> rain = BayesianNetwork(
        ...     ["sprinkler", "rain", "wet"],
        ...     [["off", "on"], ["no", "yes"], [False, True]],
        ...     [["rain"], [], ["sprinkler", "rain"]],
        ...     [[[0.6, 0.4], [0.99, 0.01]], [0.8, 0.2],
        ...      [[[1.0, 0.0], [0.2, 0.8]], [[0.1, 0.9], [0.01, 0.99]]]],
        ... )
        >>> rain.predict_proba([["on", "yes"], ["off", "no"]]).tolist()
        [[0.01, 0.99], [1.0, 0.0]]
        >>> rain.markov_blanket("sprinkler")
        ['rain', 'wet']
    """

    @checked(
        names=as_list,
        levels=as_list,
        tables=as_list,
        cuts=maybe(mapping("a list of cut points", np.iterable)),
        fill=maybe(mapping("the number of a level")),
        shares=maybe(mapping("the shares of the levels", np.iterable)),
    )
    def __init__(
        self,
        names: Sequence[str],
        levels: Sequence[Sequence[Any]],
        parents: Sequence[Iterable[int | str]],
        tables: Sequence[Any],
        *,
        cuts: Mapping[str, Any] | None = None,
        fill: Mapping[str, int] | None = None,
        shares: Mapping[str, Any] | None = None,
    ) -> None:
        self.names = [str(name) for name in names]
        if len(set(self.names)) < len(self.names) or not self.names:
            raise ValueError(f"names of columns are distinct, at least one: {self.names}")
        self.levels = [tuple(as_list("levels", labels)) for labels in levels]
        if len(self.levels) != len(self.names) or not all(self.levels):
            raise ValueError("levels: a list of at least one label for each column")
        lists = parent_lists(parents, self.names)
        order = check_acyclic(lists, self.names)
        if len(tables) != len(self.names):
            raise ValueError(f"{len(tables)} tables for {counted(len(self.names), 'column')}")
        whole = [self._checked(j, lists[j], table) for j, table in enumerate(tables)]
        super().__init__(lists, whole, order)
        self._reader = ColumnReader.of(
            self.names[:-1], self.levels[:-1], cuts or {}, fill or {}, shares=shares
        )

    def _checked(self, j: int, parents: Sequence[int], given: Any) -> np.ndarray:
        shape = tuple(len(self.levels[i]) for i in (*parents, j))
        table = probability_table(self.names[j], number_array(f"tables[{j}]", given), shape)
        table.flags.writeable = False
        return table

    # -- making -----------------------------------------------------------------------------------

    @classmethod
    def from_table(
        cls,
        table: Table,
        parents: Any,
        *,
        discretize: Any = "mdlp",
        n_bins: int = 10,
        missing: str = "mode",
        sample_weight: MaybeArray = None,
    ) -> BayesianNetwork:
        """The network of a graph, its tables estimated from rows: (n_i + 1/2) / (N + v/2).

        Args:
            table: rows with a class.
            parents: of each column, by number or name, the class being the last column.
            discretize, n_bins, missing, sample_weight: as in `message_length`.

        Examples:
            >>> import fasttree
            >>> table = fasttree.datasets.load_weather()
            >>> network = BayesianNetwork.from_table(table, [["play"], [], [], [], []])
            >>> network.tables[-1].round(2).tolist()
            [0.63, 0.37]
        """
        reading = read(
            table,
            sample_weight=sample_weight,
            discretize=discretize,
            n_bins=n_bins,
            missing=missing,
        )
        return cls.from_reading(reading, parent_lists(parents, reading.names))

    @classmethod
    def from_reading(cls, reading: Any, parents: list[list[int]]) -> BayesianNetwork:
        """The network of a graph, its tables estimated from the rows of a `Reading`."""
        check_acyclic(parents, reading.names)
        table_of = family_tables(reading, list(enumerate(map(tuple, parents))))
        tables = [table_of[j, tuple(family)] for j, family in enumerate(parents)]
        names = reading.names
        return cls(
            names,
            reading.levels(),
            parents,
            tables,
            cuts=reading.cuts,
            fill=reading.fill(),
            shares=reading.shares(),
        )

    # -- asking -----------------------------------------------------------------------------------

    @property
    def classes(self) -> tuple[Any, ...]:
        """Labels of the class."""
        return self.levels[-1]

    @property
    def arcs(self) -> list[tuple[str, str]]:
        """(parent, child) by name, children in column order."""
        return arcs_of(self.names, self.parents)

    @property
    def n_parameters(self) -> int:
        """Free parameters of all tables."""
        return sum(table.size // table.shape[-1] * (table.shape[-1] - 1) for table in self.tables)

    def markov_blanket(self, column: int | str = -1) -> list[str]:
        """Parents, children and the children's other parents: all that the column depends on given
        the rest, in column order."""
        j = place(self.names, column, "column")
        blanket = set(self.parents[j])
        for child, parents in enumerate(self.parents):
            if j in parents:
                blanket |= {child, *parents}
        return [self.names[i] for i in sorted(blanket - {j})]

    def is_equivalent(self, other: Any) -> bool:
        """Whether another graph over the same columns is Markov equivalent: the same edges and the
        same v-structures."""
        return equivalent(self, other)

    def families(self) -> list[Family]:
        """(column, parents) of the class and of its children."""
        return class_families(self.parents)

    def predict_proba(self, X: Any) -> np.ndarray:
        """P(class | all other columns), by the class's Markov blanket, shape (n_rows, n_classes).

        A missing cell takes the most frequent level of the rows that the network was made from, or
        all levels by their shares; without those it is an error. A row that is impossible for every
        class gets equal shares.
        """
        tables = {(j, parents): self.tables[j] for j, parents in self.families()}
        return mixture_proba(self._reader, X, [(1.0, list(tables))], tables)

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each row; of several, the first."""
        return np.array(self.classes, dtype=object if _mixed(self.classes) else None)[
            self.predict_proba(X).argmax(axis=1)
        ]

    def log_probabilities(self, table: Table) -> np.ndarray:
        """Natural logarithm of the probability of each row with its class, shape (n_rows,)."""
        return self.log_joint(self._codes(table))

    def log_likelihood(self, table: Table) -> float:
        """Sum of `log_probabilities`, in nits."""
        return math.fsum(self.log_probabilities(table))

    def _codes(self, table: Table) -> np.ndarray:
        """Codes of the cells of a Table's rows in the network, the class last, shape (n_rows,
        columns)."""
        codes = self._reader.codes(table)
        code_of = {_engine.plain(label): code for code, label in enumerate(self.classes)}
        given = [_engine.plain(label) for label in table.classes]
        unknown = [
            label
            for code, label in enumerate(given)
            if label not in code_of and (table.y_codes == code).any()
        ]
        if unknown:
            raise ValueError(f"{unknown[0]!r} is not a class of the network: {list(code_of)}")
        of_class = np.array([code_of.get(label, 0) for label in given])[table.y_codes]
        return np.column_stack([codes, of_class])

    def sample(self, n_samples: int, random_state: Seed = None) -> Table:
        """Independent rows with their class, as a Table; values of bins are intervals.

        Args:
            n_samples: rows, at least 1.
            random_state: seed or Generator.
        """
        if n_samples < 1:
            raise ValueError(f"n_samples={n_samples} must be at least 1")
        codes = self.draw(n_samples, generator_of(random_state))
        return self._reader.table(codes, self.names[-1], self.classes)

    def arc_strengths(self, table: Table, *, arc_probability: float = 0.5) -> dict[Any, float]:
        """Nits by which the message grows without each arc, by (parent, child).

        Args:
            table: rows with a class, in the columns of the network.
            arc_probability: p of `message_length`.
        """
        binned = self._reader.table(self._codes(table), self.names[-1], self.classes)
        lists = [list(parents_of) for parents_of in self.parents]
        whole = message_length(binned, lists, arc_probability=arc_probability).total
        strengths = {}
        for j, parents_of in enumerate(lists):
            for i in parents_of:
                others = [
                    [parent for parent in parents if (parent, child) != (i, j)]
                    for child, parents in enumerate(lists)
                ]
                without = message_length(binned, others, arc_probability=arc_probability).total
                strengths[self.names[i], self.names[j]] = without - whole
        return strengths

    # -- showing and keeping ----------------------------------------------------------------------

    def to_dot(self, labels: Mapping[tuple[str, str], str] | None = None) -> str:
        """The graph in Graphviz's language; `labels` are texts of arcs by (parent, child)."""
        return dot(self.names, self.arcs, labels or {})

    def to_svg(self, weights: Mapping[tuple[str, str], float] | None = None) -> str:
        """The graph as a picture; `weights` in [0, 1] are the opacities of arcs."""
        return svg(self.names, self.parents, weights or {})

    def _repr_html_(self) -> str:
        return self.to_svg()

    def __repr__(self) -> str:
        arcs = ", ".join(f"{one_line(a)} -> {one_line(b)}" for a, b in self.arcs) or "no arcs"
        return f"BayesianNetwork({counted(len(self.names), 'column')}: {arcs})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BayesianNetwork):
            return NotImplemented
        return self.to_bytes() == other.to_bytes()

    __hash__ = None  # type: ignore[assignment]

    def to_bytes(self) -> bytes:
        """The model file's content: a versioned JSON document with a checksum."""
        return sealed({"kind": "network", "network": self.state()})

    def save(self, path: str | PathLike[str]) -> None:
        """Write the network to a file, which `fasttree.load` reads."""
        save_bytes(path, self.to_bytes())

    def state(self) -> dict[str, Any]:
        """The network as JSON; the arguments of the constructor, tables flat."""
        return {
            "names": self.names,
            "levels": [[_engine.plain(v) for v in values] for values in self.levels],
            "parents": [list(values) for values in self.parents],
            "tables": [table.ravel().tolist() for table in self.tables],
            "cuts": {name: values.tolist() for name, values in self._reader.cuts.items()},
            "fill": self._reader.fill,
            "shares": {name: values.tolist() for name, values in self._reader.shares.items()},
        }


def _mixed(labels: Sequence[Any]) -> bool:
    """Whether labels are of several types."""
    return len({type(label) for label in labels}) > 1


def class_families(parents: Sequence[Sequence[int]]) -> list[Family]:
    """(column, parents) of the class, which is the last column, and of its children.

    >>> class_families([[2], [0], []])
    [(0, (2,)), (2, ())]
    """
    last = len(parents) - 1
    return [
        (j, tuple(parents_of))
        for j, parents_of in enumerate(parents)
        if j == last or last in parents_of
    ]


def used_columns(families: Iterable[Family]) -> set[int]:
    """Columns beside the class (the highest one) that the class's posterior depends on.

    >>> used_columns([(0, (3,)), (3, (1,))])
    {0, 1}
    """
    columns = {i for child, parents in families for i in (child, *parents)}
    return columns - {max(columns)}


def whole_rows(proba: np.ndarray, rows: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Probabilities of whole rows, from the probabilities of the fractional rows that
    `ColumnReader.fractional_rows` made of them."""
    if len(rows) == (rows[-1] + 1 if len(rows) else 0):
        return proba
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    total = np.add.reduceat(proba * share[:, None], starts, axis=0)
    return np.asarray(total / total.sum(axis=1, keepdims=True))


def family_tables(reading: Any, families: Sequence[Family]) -> dict[Family, np.ndarray]:
    """P(column | parents) of each family, (n_i + 1/2) / (N + v/2), from the rows of a `Reading`."""
    levels = [len(labels) for labels in reading.levels()]
    tables = {}
    waiting = list(dict.fromkeys(families))
    while waiting:
        # A call counts one family of each column; the others wait for the next call.
        lists: list[list[int]] = [[] for _ in levels]
        chosen: dict[int, tuple[int, ...]] = {}
        for child, parents in waiting:
            if child not in chosen:
                chosen[child] = parents
                lists[child] = list(parents)
        waiting = [family for family in waiting if chosen.get(family[0]) != family[1]]
        counted = reading.counts(lists)
        for child, parents in chosen.items():
            shape = [levels[i] for i in (*parents, child)]
            counts = counted[child].reshape(shape)
            total = counts.sum(axis=-1, keepdims=True)
            tables[child, parents] = (counts + 0.5) / (total + levels[child] / 2)
    return tables


def mixture_proba(
    reader: ColumnReader,
    X: Any,
    mixture: Sequence[tuple[float, Sequence[Family]]],
    tables: Mapping[Family, np.ndarray],
    handle_unknown: str = "missing",
) -> np.ndarray:
    """Probabilities of the classes by models that share tables, shape (n_rows, n_classes).

    Args:
        reader: of the columns beside the class.
        X: rows without the class.
        mixture: weight and families of each model.
        tables: probabilities of every family.
        handle_unknown: as in `CaMML`.
    """
    codes, rows, share = reader.fractional_rows(X, used_columns(tables), handle_unknown)
    last = len(reader.schema.names)
    # Every family's factor once, then the posterior of each model, averaged by weight.
    logs = {family: family_log(table, *family, codes, last) for family, table in tables.items()}
    total = sum(
        weight * normalised(reduce(np.add, (logs[family] for family in families)))
        for weight, families in mixture
    )
    proba = np.asarray(total)
    if len(mixture) > 1:
        proba /= proba.sum(axis=1, keepdims=True)
    return whole_rows(proba, rows, share)


def family_log(
    table: np.ndarray, child: int, parents: tuple[int, ...], codes: np.ndarray, last: int
) -> np.ndarray:
    """ln P(child | parents) for every class, shape (n_rows, n_classes); the class is column
    ``last``."""
    with np.errstate(divide="ignore"):
        logs = np.log(table)
    # The axis of the class goes last, the others are indexed by the rows' codes.
    axes = [*parents, child]
    logs = np.moveaxis(logs, axes.index(last), -1)
    cells = tuple(codes[:, i] for i in axes if i != last)
    return np.broadcast_to(logs[cells], (len(codes), logs.shape[-1]))


def normalised(log_joint: np.ndarray) -> np.ndarray:
    """Posterior probabilities from ln P(row, class), both (n_rows, n_classes); the classes of an
    impossible row are equally probable."""
    top = log_joint.max(axis=1, keepdims=True)
    shares = np.exp(log_joint - np.where(np.isfinite(top), top, 0.0))
    shares = np.where(np.isfinite(top), shares, 1.0)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))

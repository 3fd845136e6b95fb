"""`TableNetwork`: a directed acyclic graph over columns of codes, with a table for each column.

What
    The base of `fasttree.bayesian_networks.BayesianNetwork` and of the random models of
    `fasttree.datasets.make_bayesian_network`: it draws rows and computes their probability.
Formula
    P(x) = prod_j P(x_j | x_parents(j)).
Complexity
    O(rows x columns x values).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np


class TableNetwork:
    """A network over columns of codes, the class last.

    Args:
        parents: numbers of the parents of each column, ascending.
        tables: P(column | parents) of each column, shape (values of each parent, values of the
            column).
        order: columns, parents before children; None: by `generations`.

    Examples:
        >>> coin = TableNetwork([[1], []], [[[0.9, 0.1], [0.2, 0.8]], [0.5, 0.5]])
        >>> coin.joint(np.array([[0], [1]])).round(2).tolist()
        [[0.45, 0.1], [0.05, 0.4]]
        >>> coin.draw(4, np.random.default_rng(0)).tolist()
        [[1, 1], [1, 0], [0, 0], [0, 0]]
    """

    def __init__(
        self,
        parents: Sequence[Sequence[int]],
        tables: Sequence[np.ndarray],
        order: Sequence[int] | None = None,
    ) -> None:
        self.parents = [tuple(own) for own in parents]
        self.tables = [np.asarray(table) for table in tables]
        self.order = tuple(generations(self.parents) if order is None else order)

    def draw(
        self,
        n_samples: int,
        rng: np.random.Generator,
        known: np.ndarray | None = None,
        fixed: Collection[int] = (),
    ) -> np.ndarray:
        """Independent rows of codes, shape (n_samples, columns), column after column in `order`.

        Args:
            n_samples: rows.
            rng: generator of the random numbers, one for each cell that is drawn.
            known: codes of the rows, shape (n_samples, columns); only their `fixed` columns are
                kept.
            fixed: numbers of columns that are not drawn.
        """
        codes = np.zeros((n_samples, len(self.parents)), dtype=np.int32)
        if known is not None:
            codes[:] = known
        for j in self.order:
            if j not in fixed:
                shares = self.tables[j][tuple(codes[:, i] for i in self.parents[j])]
                codes[:, j] = drawn(np.broadcast_to(shares, (n_samples, shares.shape[-1])), rng)
        return codes

    def log_joint(self, codes: np.ndarray) -> np.ndarray:
        """Natural logarithm of the probability of each row of codes, shape (n_rows,)."""
        total = np.zeros(len(codes))
        with np.errstate(divide="ignore"):
            for j, own in enumerate(self.parents):
                total += np.log(self.tables[j][tuple(codes[:, i] for i in (*own, j))])
        return total

    def joint(self, codes: np.ndarray) -> np.ndarray:
        """P(row, class) for every class, shape (n_rows, n_classes).

        Args:
            codes: codes of the columns beside the class, shape (n_rows, columns - 1).
        """
        last = len(self.parents) - 1
        total = np.ones((len(codes), self.tables[last].shape[-1]))
        for j, own in enumerate(self.parents):
            axes = [*own, j]
            cells = tuple(codes[:, i] for i in axes if i != last)
            # A table with the class as parent or column has a factor for each class.
            if last in axes:
                total *= np.moveaxis(self.tables[j], axes.index(last), -1)[cells]
            else:
                total *= self.tables[j][cells][:, None]
        return total


def drawn(shares: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random code for each row of probabilities, by inversion of their sums; shape (n_rows,)."""
    limits = np.cumsum(shares, axis=1)
    points = rng.random((len(shares), 1)) * limits[:, -1:]
    return np.minimum((points >= limits).sum(axis=1), limits.shape[1] - 1)


def generations(parents: Sequence[Sequence[int]]) -> list[int]:
    """Columns in topological order: those without parents, then those whose parents came before,
    and so on, each generation in ascending order.

    Raises:
        ValueError: a cycle.

    >>> generations([[3], [0, 3], [3], []])
    [3, 0, 2, 1]
    """
    order: list[int] = []
    waiting = list(range(len(parents)))
    while waiting:
        ready = [j for j in waiting if all(i in order for i in parents[j])]
        if not ready:
            raise ValueError(f"the parents form a circle among columns {waiting}")
        order += ready
        waiting = [j for j in waiting if j not in ready]
    return order

"""`LeafTargets`: the training numbers in the leaves of a regression tree or forest, as quantiles.

What
    Each leaf holds the training rows of the tree's sample that end in it. A new row weighs the
    training rows by the leaves that it shares with them; the quantiles of the target under these
    weights estimate the quantiles of its distribution given the row's features.
Source and equation
    Meinshausen, "Quantile regression forests", Journal of Machine Learning Research 7 (2006): with
    b_ti the weight of row i, times its draws in the sample of tree t, and
    L_t(x) the leaf of x, row i weighs

        w_i(x) = mean over t of  b_ti [i in L_t(x)] / sum of b_tj over j in L_t(x),

    and the q-quantile is the smallest y_i for which the weights of all y_j <= y_i sum to at least
    q. Sums are compared with a slack of 1e-12, so that their rounding decides nothing.
Complexity
    One sort of the targets, and O(rows x trees) to fill the leaves. A new row costs the sum of the
    sizes of its leaves, and a sort of the training rows in them; rows that share all their leaves
    are answered once.
When not to use it
    For the mean: `predict` needs no training rows.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._checks import check_share, shown
from ..table import Table
from .tree_arrays import TreeArrays

SLACK = 1e-12
"""Sums of weights that differ by less are equal."""
CELLS = 1 << 22
"""Largest number of pairs of a new row and a training row that are in memory at once."""
CHECKED_ROWS = 1000
"""Rows whose cells enter the checksum."""


def checksum_of(table: Table, weights: np.ndarray | None = None) -> int:
    """A checksum of up to `CHECKED_ROWS` rows of a Table, evenly spaced.

    It tells two Tables apart, and a Table from itself before the caller changed the arrays that it
    was made of.
    """
    some = np.unique(np.linspace(0, len(table) - 1, CHECKED_ROWS).astype(np.int64))
    cells = [column.values for column in table.columns] if table.block is None else [table.block]
    checksum = 0
    for array in (*cells, table.numbers, weights):
        if array is not None:
            checksum = zlib.crc32(array[some].tobytes(), checksum)
    return checksum


def checked_quantiles(quantiles: Any) -> np.ndarray:
    """The argument `quantiles` as numbers in [0, 1], shape (n_quantiles,).

    Raises:
        ValueError: no quantiles, or one outside [0, 1], which is named with its position.

    Examples:
        >>> checked_quantiles((0.5, 1.5))
        Traceback (most recent call last):
        ...
        ValueError: quantiles[1]=1.5 must be a number in [0, 1]
    """
    listed = list(quantiles) if np.iterable(quantiles) else [quantiles]
    if not listed or isinstance(quantiles, str | bytes):
        raise ValueError(f"quantiles={shown(quantiles)} must be numbers in [0, 1], at least one")
    return np.array([check_share(f"quantiles[{i}]", q) for i, q in enumerate(listed)])


@dataclass
class LeafTargets:
    """Training targets by leaf.

    They are sorted into the leaves once, at the first prediction of quantiles, and pickled with the
    estimator.

    Attributes:
        targets: the targets of the training rows in ascending order, shape (n_rows,).
        held: weight of the training row of each rank in each node, a sparse matrix
            (n_nodes, n_rows); the nodes of all trees follow each other.
        firsts: number of the first node of each tree in it, shape (n_trees,).
        totals: weight in each node, shape (n_nodes,).
    """

    targets: np.ndarray
    held: Any
    firsts: np.ndarray
    totals: np.ndarray

    @classmethod
    def of(
        cls, targets: np.ndarray, leaves: np.ndarray, sampled: np.ndarray, sizes: np.ndarray
    ) -> LeafTargets:
        """Put the training targets into the leaves.

        Args:
            targets: targets of the training rows, shape (n_rows,).
            leaves: leaf of each row in each tree, shape (n_rows, n_trees).
            sampled: weight of each row in the sample of each tree, shape (n_trees, n_rows).
            sizes: number of nodes of each tree, shape (n_trees,).
        """
        from scipy.sparse import csr_matrix, vstack

        order = np.argsort(targets, kind="stable")
        ranks = np.empty(len(order), dtype=np.int32)
        ranks[order] = np.arange(len(order), dtype=np.int32)
        trees = []
        for t, weights in enumerate(sampled):
            rows = np.flatnonzero(weights)
            places = (leaves[rows, t], ranks[rows])
            shape = (int(sizes[t]), len(order))
            trees.append(csr_matrix((weights[rows].astype(np.float64), places), shape=shape))
        held = vstack(trees, format="csr")
        firsts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        return cls(targets[order], held, firsts, np.asarray(held.sum(axis=1)).ravel())

    def __getstate__(self) -> dict[str, Any]:
        """The fields, with the arrays of the sparse matrix: skops then trusts NumPy alone."""
        held = self.held
        return {**self.__dict__, "held": (held.data, held.indices, held.indptr, held.shape)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        from scipy.sparse import csr_matrix

        *arrays, shape = state["held"]
        self.__dict__.update(state, held=csr_matrix(tuple(arrays), shape=shape))

    def quantiles(
        self, leaves: np.ndarray, at: np.ndarray, tree_of: Callable[[int], TreeArrays]
    ) -> np.ndarray:
        """Quantiles of new rows.

        Rows with the same leaves in all trees are answered once. Blocks of rows bound the memory to
        about `CELLS` pairs of a new row and a training row.

        Args:
            leaves: leaf of each row in each tree, shape (n_rows, n_trees).
            at: the quantiles, shape (n_quantiles,).
            tree_of: the nodes of a tree by its number. A leaf without training rows answers with
                the rows of the nearest node above it that has some.

        Returns:
            Shape (n_rows, n_quantiles).
        """
        from scipy.sparse import csr_matrix

        nodes, back = np.unique(leaves + self.firsts, axis=0, return_inverse=True)
        nodes, held, totals = self._with_rows(nodes, tree_of)
        shares = 1.0 / (nodes.shape[1] * totals[nodes])
        entries = np.diff(held.indptr)[nodes].sum(axis=1)
        answers = np.empty((len(nodes), len(at)))
        # Blocks of rows whose leaves are of about the same size.
        order, done = np.argsort(-entries, kind="stable"), 0
        while done < len(order):
            block = order[done : done + max(1, CELLS // int(entries[order[done]]))]
            done += len(block)
            ends = np.arange(len(block) + 1) * nodes.shape[1]
            shape = (len(block), held.shape[0])
            asked = csr_matrix((shares[block].ravel(), nodes[block].ravel(), ends), shape=shape)
            answers[block] = self._read(asked @ held, at)
        return answers[back.ravel()]

    def _read(self, weights: Any, at: np.ndarray) -> np.ndarray:
        """Weighted quantiles of the training targets.

        Args:
            weights: weight of the training row of each rank, a sparse matrix (n_new, n_rows).
            at: the quantiles, shape (n_quantiles,).

        Returns:
            Shape (n_new, n_quantiles).
        """
        weights.sort_indices()
        counts = np.diff(weights.indptr)
        cumulated = np.zeros((len(counts), int(counts.max())))
        cumulated[np.arange(cumulated.shape[1]) < counts[:, None]] = weights.data
        np.cumsum(cumulated, axis=1, out=cumulated)
        answers = np.empty((len(counts), len(at)))
        for j, q in enumerate(at):
            before = (cumulated < q - SLACK).sum(axis=1)
            places = weights.indptr[:-1] + np.minimum(before, counts - 1)
            answers[:, j] = self.targets[weights.indices[places]]
        return answers

    def _with_rows(
        self, nodes: np.ndarray, tree_of: Callable[[int], TreeArrays]
    ) -> tuple[np.ndarray, Any, np.ndarray]:
        """Replace leaves without training rows by the nearest node above that has some.

        Args:
            nodes: numbers of nodes over all trees, shape (n_new, n_trees).
            tree_of: as in `quantiles`.

        Returns:
            The nodes, with new numbers in place of leaves without rows; and `held` and `totals`,
            with a line for each new number.
        """
        from scipy.sparse import csr_matrix, vstack

        bare = np.unique(nodes[self.totals[nodes] == 0])
        if not len(bare):
            return nodes, self.held, self.totals
        above = []
        for node in bare.tolist():
            t = int(np.searchsorted(self.firsts, node, side="right")) - 1
            first, tree = int(self.firsts[t]), tree_of(t)
            ends, local = tree.subtree_ends(), node - first
            while not self.totals[first + local : first + ends[local]].any():
                local = int(tree.parent[local])
            above.append(csr_matrix(self.held[first + local : first + ends[local]].sum(axis=0)))
        nodes = nodes.copy()
        missing = self.totals[nodes] == 0
        nodes[missing] = len(self.totals) + np.searchsorted(bare, nodes[missing])
        totals = np.concatenate([self.totals, [float(row.sum()) for row in above]])
        return nodes, vstack([self.held, *above], format="csr"), totals

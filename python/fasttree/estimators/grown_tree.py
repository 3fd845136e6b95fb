"""`GrownTree`: what a single tree does, whether it predicts classes or a number.

What
    Growth by the core, the leaves of rows, the nodes as arrays, the trace of growth, importances,
    cuts and pictures.
Complexity
    Growth: O(rows x features) per level after one sort of each numeric column; O(depth) per row
    sent down.
When not to use it
    Alone: it is a base of `FastTreeClassifier` and `FastTreeRegressor`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _engine, criteria
from .._checks.aliases import MaybeArray
from ..criteria import Criterion, NamedCallable
from ..exports import Readable
from ..table.data_checks.targets import warn_of_small_classes
from . import explained, interoperable, prunable
from .base import Estimator
from .batches.sources import batches_of
from .deep_trees import DEEP, warn_of_depth
from .idle import refuse_idle
from .parameters import config_of
from .training_rows import FittedOn, TrainingRows
from .tree_arrays import Trace, TreeArrays

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from typing_extensions import Self

__all__ = ["GrownTree"]


class GrownTree(Readable, Estimator):
    """A tree grown by the core.

    Attributes:
        _candidates: candidates of the inner nodes by node number, with ``trace="candidates"``.
    """

    # What a fitted tree is asked: a function per question.
    explain, decision_rule = explained.explain, explained.decision_rule
    cp_table, prune = prunable.cp_table, prunable.prune
    cost_complexity_pruning_path = prunable.cost_complexity_pruning_path
    prune_report_ = property(prunable.prune_report_)
    ccp_path_ = property(prunable.ccp_path_)
    _path_of, _ended_by = explained.path_of, explained.ended_by

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name, as in scikit-learn.

        Args:
            deep: whether the parameters of objects among them are listed, too.
        """
        params = super().get_params(deep)
        # As they were given: the attribute `cut` is a word that calls a method.
        return {name: vars(self).get(name, value) for name, value in params.items()}

    # -- fitting ----------------------------------------------------------------------------------

    def fit(self, X: Any, y: MaybeArray = None, sample_weight: MaybeArray = None) -> Self:
        """Grow the tree.

        Args:
            X: rows, or a `Table` with its target (then y is None); or, for
                ``threshold_search="histogram"``, rows in batches: a Parquet file or folder, a
                ``pyarrow.dataset``, a list of Arrow batches, a function that returns an iterable of
                batches.
            y: labels, or the numbers of a regression, shape (n_rows,); of batches the name of their
                column.
            sample_weight: weights >= 0, shape (n_rows,); an integer weight is that many copies of
                the row, a row of weight 0 is dropped before anything else. Default: the Table's own
                weights, or 1. Of batches the name of their column.

        Returns:
            The estimator.
        """
        batches = batches_of(X, self.threshold_search == "histogram")
        if batches is not None:
            from .batches import fitting

            return fitting.fit(self, batches, y, sample_weight)
        return self._fit_rows(self._training_rows(X, y, sample_weight))

    def _fit_rows(self, rows: TrainingRows) -> Self:
        """Grow the tree on checked rows."""
        table, weights = rows.table, rows.weights
        config, custom = config_of(self.get_params(deep=False), table, rows.copies)
        config = rows.configured(config)
        refuse_idle(self)
        if config.get("alpha_rule") and table.task == "classification":
            warn_of_small_classes(table.classes, table.y_codes, config["alpha_rule"]["folds"])
        model = _engine.fit(
            table,
            config,
            sample_weight=weights,
            custom=custom,
            n_jobs=self.n_jobs,
            progress=self.progress,
        )
        self._adopt(model, table.class_values, table.has_feature_names)
        if model.shape[3] > DEEP:  # the arrays of a tree take time, so they are made on demand
            warn_of_depth(self.tree_, self._schema.names, self.criterion, table, self.ties)
        interoperable.remember_rounding(self, table, None if rows.kept is None else rows.kept[0])
        self._keep_rows(FittedOn(rows, config))
        if self.trace == "candidates":
            self._candidates = explained.all_candidates(self, rows, config, custom)
        return self

    def _adopt(self, model: _engine.Model, classes: np.ndarray, has_names: bool) -> None:
        super()._adopt(model, classes, has_names)
        self.n_nodes_, self._candidates = model.shape[0], {}

    def _class_totals(self) -> np.ndarray:
        totals: np.ndarray = self.tree_.value[0]
        return totals

    # -- predicting -------------------------------------------------------------------------------

    def apply(self, X: Any) -> np.ndarray:
        """Leaf of each row as a node number, shape (n_rows,)."""
        blocks, n = self._blocks(X)
        return np.asarray(self._model.apply(blocks, n, self.n_jobs))

    def decision_path(self, X: Any) -> Any:
        """Nodes that each row passes: CSR indicator matrix, shape (n_rows, n_nodes)."""
        from scipy.sparse import csr_matrix

        blocks, n = self._blocks(X)
        indptr, nodes = self._model.decision_path(blocks, n)
        return csr_matrix(
            (np.ones(len(nodes), dtype=np.int64), nodes, indptr), shape=(n, self.n_nodes_)
        )

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Predictions of the tree after 0, 1, 2, ... splits."""
        blocks, n = self._blocks(X)
        for step in range(len(self._model.steps()) + 1):
            yield self._answers(self._model.cut(step), blocks, n)

    def staged_score(self, X: Any, y: MaybeArray = None) -> np.ndarray:
        """Accuracy, or R2 of numbers, of the tree after 0, 1, 2, ... splits, shape
        (n_splits + 1,)."""
        X, truth = self._truth(X, y)
        return np.array([self._score_of(p, truth) for p in self.staged_predict(X)])

    # -- reading the tree -------------------------------------------------------------------------

    @property
    def tree_(self) -> TreeArrays:
        """The nodes as read-only arrays."""
        if "_tree" not in self.__dict__:
            check_is_fitted(self, "_model")
            self._tree = TreeArrays(self._model.arrays(), criteria.name_of(self.criterion))
        return self._tree

    @property
    def trace_(self) -> Trace:
        """The splits in the order in which they were made."""
        check_is_fitted(self)
        if self.trace is None:
            raise AttributeError(
                "trace_ is not kept when trace=None; fit with trace='steps' or 'candidates'"
            )
        if "_trace" not in self.__dict__:
            order, distances = self._model.steps(), self._global_distances()
            self._trace = Trace(self.tree_, self._schema, order, self._candidates, distances)
        return self._trace

    def _global_distances(self) -> np.ndarray | None:
        """Distance of the whole tree to the classes after each split; None without the criterion,
        or if it reads no tables."""
        if criteria.is_of_trees(self.criterion):
            return None
        made = criteria.make(self.criterion)
        if self._task == "regression" or criteria.evidence_of(made) != "table":
            return None
        if isinstance(made, Criterion):
            total = int(np.ceil(self.tree_.weighted_n_node_samples[0]))
            labels = [_engine.plain(c) for c in self._schema.classes]
            options = made.options(labels, total)
            return self._model.global_distances(made.name, options)
        if isinstance(made, NamedCallable):
            return None
        return self._model.global_distances("callable", {}, made)

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each feature in the sum of score x node weight over its splits, shape
        (n_features,). That of a date is the sum over its year, month and weekday.

        With ``criterion="gini"`` or ``"squared_error"`` these are the usual impurity importances.
        Negative scores count as 0.
        """
        tree = self.tree_
        inner = tree.n_children > 0
        gains = np.maximum(tree.score, 0.0) * tree.weighted_n_node_samples
        total = np.bincount(
            tree.feature[inner], weights=gains[inner], minlength=len(self._schema.names)
        )
        total = self._schema.by_given_column(total)
        whole = total.sum()
        return total / whole if whole > 0 else total.astype(float)

    def get_depth(self) -> int:
        """Longest path from the root to a leaf, in splits."""
        check_is_fitted(self)
        return self._model.shape[3]

    def get_n_leaves(self) -> int:
        """Number of leaves; empty ones count."""
        check_is_fitted(self)
        return self._model.shape[1]

    def cut(self, step: int) -> Self:
        """The model as it was after `step` splits (0: the root alone)."""
        check_is_fitted(self)
        from sklearn.base import clone

        if step < 0:
            raise ValueError(f"step={step} must not be negative")
        other: Self = clone(self)
        prunable.hand_over(self, self._model.cut(int(step)), other)
        return other

    def plot(self, ax: Axes | None = None, **options: Any) -> Any:
        """Draw the tree with matplotlib; see `fasttree.plots.plot_tree`. Returns the axes."""
        from ..plots import plot_tree

        return plot_tree(self, ax=ax, **options)

"""`FastTreeClassifier`: a decision tree for any split criterion, as a scikit-learn estimator.

What
    ``fasttree.fit(X, y, criterion=...)`` and ``FastTreeClassifier(criterion=...).fit(X, y)`` are
    the same thing. Data are encoded once; growth, prediction and storage happen in the Rust core.
Complexity
    Growth: O(rows x features) per level after one sort of each numeric column; prediction: O(depth)
    per row.
When not to use it
    For regression; and where a boosted ensemble's accuracy matters more than a tree that can be
    read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from .. import _engine, criteria
from .._checks.aliases import MaybeArray
from ..criteria import Criterion, NamedCallable
from ..exports import Readable
from ..table import Table
from ..table.doubtful import warn_of_small_classes
from .base import Classifier
from .batches.fitting import fit_tree
from .batches.sources import batches_of
from .declaration import TREE, check
from .deep_trees import warn_of_depth
from .described import described, documented
from .explained import Explained
from .explored import Explorable
from .idle import refuse_idle
from .interoperable import Interoperable
from .keywords import SplitCriterion, TreeParameters, TreeSettings
from .parameters import config_of, made_of
from .prunable import Prunable
from .tree_arrays import Trace, TreeArrays

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from typing_extensions import Unpack

__all__ = ["FastTreeClassifier", "config_for", "fit"]


@described(TREE)
class FastTreeClassifier(
    Readable,
    Explained,
    Explorable,
    Prunable,
    Interoperable,
    TreeSettings,
    Classifier,
    ClassifierMixin,
    BaseEstimator,
):
    """A decision tree that splits by any criterion.

    Args:
        ...

    Attributes:
        classes_: class labels, shape (n_classes,).
        class_prior_: (n_i + 0.5) / (n + k/2) from the training weights, shape (n_classes,).
        n_features_in_, feature_names_in_: as in scikit-learn.
        n_nodes_: number of nodes.
        route_: the form in which `fit` read the rows, and why.
        tree_: read-only arrays (`TreeArrays`).
        trace_: the splits in order (`Trace`).
        prune_report_: what pruning cut and why (`fasttree.pruning.PruneReport`).
        ccp_path_: how the complexity penalty was chosen, with ``CostComplexity("cv")``.
        feature_importances_: share of each feature in the summed score x weight of the splits,
            shape (n_features,).

    Raises:
        ValueError: a parameter or data outside their domain; the message names parameter, column
            and row.
        TypeError: cells that are neither numbers nor labels.

    Examples:
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> tree = FastTreeClassifier(criterion="gini", max_depth=2).fit(X, y)
        >>> round(tree.score(X, y), 2), tree.get_n_leaves()
        (0.96, 3)
    """

    # -- fitting ----------------------------------------------------------------------------------

    def fit(
        self, X: Any, y: MaybeArray = None, sample_weight: MaybeArray = None
    ) -> FastTreeClassifier:
        """Grow the tree.

        Args:
            X: rows, or a `Table` with its target (then y is None); or, for
                ``threshold_search="histogram"``, rows in batches: a Parquet file or folder, a
                ``pyarrow.dataset``, a list of Arrow batches, a function that returns an iterable of
                batches.
            y: labels, shape (n_rows,); of batches the name of their column.
            sample_weight: weights >= 0, shape (n_rows,); an integer weight is that many copies of
                the row, a row of weight 0 is dropped before anything else. Default: the Table's own
                weights, or 1. Of batches the name of their column.

        Returns:
            The estimator.
        """
        batches = batches_of(X, self.threshold_search == "histogram")
        if batches is not None:
            return fit_tree(self, batches, y, sample_weight)
        rows = self._training_rows(X, y, sample_weight)
        table, weights = rows.table, rows.weights
        check("trace", self.trace)
        config, custom = config_of(self.get_params(deep=False), table, weights)
        config = rows.configured(config)
        refuse_idle(self)
        if config.get("alpha_rule"):
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
        warn_of_depth(self.tree_, self._schema.names, self.criterion, table)
        self._remember_rounding(table)
        self._candidates = (
            self._all_candidates(rows, config, custom) if self.trace == "candidates" else {}
        )
        return self

    def _adopt(self, model: _engine.Model, classes: np.ndarray, has_names: bool) -> None:
        self._adopt_schema(model, classes, has_names)
        for cached in ("_tree", "_trace", "_float32_conflicts"):
            self.__dict__.pop(cached, None)
        counts = self.tree_.value[0]
        self.class_prior_ = (counts + 0.5) / (counts.sum() + len(counts) / 2)
        self.n_nodes_ = self.tree_.node_count

    def _defaults(self) -> dict[str, Any]:
        """Parameters of a tree where none is given."""
        return FastTreeClassifier().get_params(deep=False)

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

    # -- reading the tree -------------------------------------------------------------------------

    @property
    def tree_(self) -> TreeArrays:
        """The nodes as read-only arrays."""
        if "_tree" not in self.__dict__:
            check_is_fitted(self, "_model")
            self._tree = TreeArrays(self._model.arrays())
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
        made = criteria.make(self.criterion)
        if criteria.evidence_of(made) != "table":
            return None
        if isinstance(made, Criterion):
            total = int(np.ceil(self.tree_.value[0].sum()))
            options = json.dumps(made.options([_engine.plain(c) for c in self.classes_], total))
            return self._model.global_distances(made.name, options)
        if isinstance(made, NamedCallable):
            return None
        return self._model.global_distances("callable", "{}", made)

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each feature in the sum of score x node weight over its splits, shape
        (n_features,).

        With ``criterion="gini"`` these are the usual impurity importances. Negative scores count as
        0.
        """
        tree = self.tree_
        inner = tree.n_children > 0
        gains = np.maximum(tree.score, 0.0) * tree.weighted_n_node_samples
        total = np.bincount(
            tree.feature[inner], weights=gains[inner], minlength=self.n_features_in_
        )
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

    def cut(self, step: int) -> FastTreeClassifier:
        """The model as it was after `step` splits (0: the root alone)."""
        check_is_fitted(self)
        from sklearn.base import clone

        if step < 0:
            raise ValueError(f"step={step} must not be negative")
        other = clone(self)
        other._adopt(self._model.cut(int(step)), self.classes_, self._schema.has_names)
        other._candidates = {}
        other._float32_conflicts = getattr(self, "_float32_conflicts", [])
        return other

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Predictions of the tree after 0, 1, 2, ... splits."""
        blocks, n = self._blocks(X)
        for step in range(len(self._model.steps()) + 1):
            yield self._labels(self._model.cut(step).predict(blocks, n, self.n_jobs))

    def staged_score(self, X: Any, y: MaybeArray = None) -> np.ndarray:
        """Accuracy of the tree after 0, 1, 2, ... splits, shape (n_splits + 1,)."""
        return np.array([np.mean(self._right(p, X, y)) for p in self.staged_predict(X)])

    def plot(self, ax: Axes | None = None, **options: Any) -> Any:
        """Draw the tree with matplotlib; see `fasttree.plots.plot_tree`. Returns the axes."""
        from ..plots import plot_tree

        return plot_tree(self, ax=ax, **options)


@documented(FastTreeClassifier, TREE)
def fit(
    X: Any,
    y: MaybeArray = None,
    *,
    criterion: SplitCriterion = "info_gain",
    sample_weight: MaybeArray = None,
    **params: Unpack[TreeParameters],
) -> FastTreeClassifier:
    """Fit a tree: exactly ``FastTreeClassifier(criterion=criterion, **params).fit(X, y,
    sample_weight)``.

    Args:
        X: rows: a data frame, an array, a list of rows, or a `Table` with its target.
        y: labels, shape (n_rows,), or the name of the column of X that holds them.
        sample_weight: weights >= 0, shape (n_rows,); see `FastTreeClassifier.fit`.
        ...

    Returns:
        The fitted tree.

    Raises:
        TypeError: a name that is not a parameter, with the nearest one.
        ValueError: a parameter or data outside their domain.

    Examples:
        >>> import fasttree
        >>> fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], criterion="gini").get_n_leaves()
        4
    """
    return made_of(FastTreeClassifier, criterion, params).fit(X, y, sample_weight=sample_weight)


def config_for(estimator: FastTreeClassifier, table: Table) -> dict[str, Any] | None:
    """The core's configuration of an estimator, one for all folds of a cross-validation; None where
    each fold needs its own `fit`.

    Class weights and shares of the rows depend on the training rows, and only `fit` calls a user's
    function.
    """
    shares = (estimator.min_samples_split, estimator.min_samples_leaf)
    if (
        estimator.class_weight is not None
        or estimator.priors is not None
        or any(isinstance(one, float) for one in shares)
    ):
        return None
    config, custom = config_of(estimator.get_params(deep=False), table)
    refuse_idle(estimator)
    return config if custom is None else None

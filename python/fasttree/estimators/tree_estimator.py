"""`TreeEstimator`, the base class of all single trees.

What
    `_fit` grows the tree. The other methods serve any fitted tree, of classes or a number, grown or
    searched: leaves of rows, nodes as arrays, the trace, importances, pictures and text. Larger
    subjects have modules of their own (`explained`, `prunable`, `honest`, `stability`), whose
    functions take the estimator and become its methods in the first lines of the class. It has no
    parameters.
Complexity
    Growth: O(rows x features) per level after one sort of each numeric column; O(depth) per row
    sent down.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _engine, criteria
from .._checks.aliases import MaybeArray, Self
from .._checks.words import counted, worded
from ..criteria import Criterion, NamedCallable
from ..exports import Readable
from ..exports.reading import Reading
from ..exports.words import branch_text, xml
from ..table.data_checks.targets import warn_of_small_classes
from . import candidates, decision_rules, explained, honest, prunable, stability
from .base import Estimator
from .batches.sources import batches_of
from .deep_trees import DEEP, warn_of_depth, warn_of_few_leaves
from .idle import refuse_idle
from .parameters import config_of
from .training_rows import FittedOn, TrainingRows
from .tree_arrays import Trace, TreeArrays

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_LINES = 60
"""Largest number of lines of a printed tree."""

MAX_PRINTED_LEAVES = 4000
"""Number of leaves above which the full text is not even made before it is cut."""


class TreeEstimator(Readable, Estimator):
    """A single tree.

    Attributes:
        _candidates: candidates of the inner nodes by node number, with ``trace="candidates"``.
        _largest_weight: the largest weight of a row; None where it is not known.
        _leaf_squares: sum of the squared weights of the rows in each node, shape (n_nodes,); None
            where all weigh 1, and where it is not known.
    """

    _largest_weight: float | None
    _leaf_squares: np.ndarray | None

    # Methods that are functions of a fitted tree, each in the module of its subject.
    explain, decision_rule = explained.explain, decision_rules.decision_rule
    cp_table, prune = prunable.cp_table, prunable.prune
    cost_complexity_pruning_path = prunable.cost_complexity_pruning_path
    stability, leaf_intervals = stability.stability, honest.leaf_intervals
    prune_report_ = property(prunable.prune_report_)
    ccp_path_ = property(prunable.ccp_path_)
    _path_of, _ended_by = decision_rules.path_of, explained.ended_by

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name, as in scikit-learn.

        With `deep`, options of an object have names such as ``criterion__alpha``, by which grid
        searches set them.

        Args:
            deep: whether the parameters of objects among them are listed, too.
        """
        params, attributes = super().get_params(deep), vars(self)
        # The attribute of a parameter may be a `CallableWord`; its plain value is in `vars`.
        return params | {name: attributes[name] for name in params.keys() & attributes.keys()}

    # -- fitting ----------------------------------------------------------------------------------

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: MaybeArray,
        exposure: MaybeArray = None,
        groups: Any = None,
    ) -> Self:
        """Grow the tree.

        Args:
            X, y, sample_weight, groups: as in `FastTreeClassifier.fit`; X may be batches.
            exposure: as in `FastTreeRegressor.fit`.

        Returns:
            The estimator.
        """
        batches = batches_of(X, self.threshold_search == "histogram")
        if groups is not None and (batches is None or not self.honest):
            X, y, groups = honest.with_groups(self, X, y, groups)
        if batches is not None:
            from .batches import fitting

            return fitting.fit(self, batches, y, sample_weight, exposure)
        return self._fit_rows(self._training_rows(X, y, sample_weight, exposure), groups)

    def _fit_rows(self, given: TrainingRows, groups: list[Any] | None = None) -> Self:
        """Grow the tree on rows in memory.

        Args:
            given: the rows of `fit`; `honest` keeps some of them for the leaves.
            groups: with `honest`, the group of each row that `fit` was given.

        Returns:
            The estimator.
        """
        # The rows that choose the tests, and those that are counted in the leaves.
        rows, leaf_rows = honest.split_rows(self, given, groups)
        table = rows.table
        # What the core is to do with them.
        config, custom = config_of(self.get_params(deep=False), table, rows.copies)
        config = rows.configured(config)
        refuse_idle(self)
        if config.get("alpha_rule") and table.task == "classification":
            warn_of_small_classes(table.classes, table.y_codes, config["alpha_rule"]["folds"])
        model = _engine.fit(
            table,
            config,
            sample_weight=rows.weights,
            custom=custom,
            n_jobs=self.n_jobs,
            progress=self.progress,
            leaves=None if leaf_rows is None else (leaf_rows.table, leaf_rows.weights),
        )
        self._finish_fit(model, given)
        # Warnings about trees of an unusual shape.
        _, n_leaves, _, depth = model.shape
        if depth > DEEP:  # making the arrays of a tree takes time
            warn_of_depth(self.tree_, self._schema.names, self.criterion, table, self.ties)
        warn_of_few_leaves(self, lambda tree: tree._fit_rows(given, groups), table, n_leaves, depth)
        # What later calls read beside the model.
        counted_rows = leaf_rows or rows
        self._remember_rows(FittedOn(counted_rows, config))
        self._largest_weight, self._leaf_squares = honest.leaf_weights(self, counted_rows)
        if self.trace == "candidates":
            self._candidates = candidates.all_candidates(self, rows, config, custom)
        return self

    def _set_model(self, model: _engine.Model, classes: np.ndarray, has_names: bool) -> None:
        super()._set_model(model, classes, has_names)
        self.n_nodes_, self._candidates = model.shape[0], {}
        self._largest_weight = self._leaf_squares = None

    def _as_grown(self) -> TreeEstimator:
        """This tree in an estimator with the parameters of growth, which searched trees lack."""
        return self

    # -- predicting -------------------------------------------------------------------------------

    def apply(self, X: Any) -> np.ndarray:
        """Leaf of each row as a node number (`tree_`), shape (n_rows,).

        A row that is divided among branches (``missing="fractional"``) is in the leaf with the
        largest part of it.

        Args:
            X: rows, as in `predict`.
        """
        blocks, n = self._encode(X)
        return np.asarray(self._model.apply(blocks, n, self.n_jobs))

    def decision_path(self, X: Any) -> Any:
        """Nodes that each row passes: a CSR indicator matrix of int64, shape (n_rows, n_nodes).

        The columns are node numbers, and the root is in each row. A row that is divided among
        branches (``missing="fractional"``) passes nodes of all of them.

        Args:
            X: rows, as in `predict`.
        """
        from scipy.sparse import csr_matrix

        blocks, n = self._encode(X)
        indptr, nodes = self._model.decision_path(blocks, n)
        return csr_matrix(
            (np.ones(len(nodes), dtype=np.int64), nodes, indptr), shape=(n, self.n_nodes_)
        )

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Yield the predictions of the tree after 0, 1, 2, ... splits, in the order of growth.

        Each array is as from `predict`: first of the root alone, last of the whole tree. The rows
        are encoded once; each stage costs a prediction of all rows.

        Args:
            X: rows, as in `predict`.

        Args:
            X: rows, as in `predict`.
        """
        blocks, n = self._encode(X)
        for step in range(len(self._model.steps()) + 1):
            yield self._predictions(self._model.cut(step), blocks, n)

    def staged_score(self, X: Any, y: MaybeArray = None) -> np.ndarray:
        """Accuracy, or R2 of numbers, of the tree after 0, 1, 2, ... splits, shape
        (n_splits + 1,)."""
        X, truth = self._rows_and_target(X, y)
        return np.array([self._score_of(p, truth) for p in self.staged_predict(X)])

    # -- reading the tree -------------------------------------------------------------------------

    @property
    def tree_(self) -> TreeArrays:
        """The nodes as read-only arrays (`TreeArrays`), in pre-order.

        They are made from the model when they are first asked for, and kept; changing the model (a
        new fit, say) makes new ones.
        """
        if "_tree" not in self.__dict__:
            self._refuse_unfitted()
            self._tree = TreeArrays(self._model.arrays(), criteria.name_of(self.criterion))
        return self._tree

    @property
    def trace_(self) -> Trace:
        """The splits in the order in which they were made (`Trace`).

        With ``trace="candidates"`` each step also has the scores of all candidates of its node.

        Raises:
            AttributeError: the tree was fitted with ``trace=None``.
        """
        check_is_fitted(self)
        if self.trace is None:
            raise AttributeError(
                "trace_ is not kept when trace=None; fit with trace='steps' or 'candidates'"
            )
        if "_trace" not in self.__dict__:
            order = self._model.steps()
            reading = Reading(self)
            branches: dict[int, tuple[str, ...]] = {}
            for node in np.flatnonzero(self.tree_.n_groups).tolist():
                feature = reading.features[reading.feature[node]]
                shown = reading.shown_sets(node)
                branches[node] = tuple(branch_text(feature, one) for one in shown)
            self._trace = Trace(
                self.tree_,
                self._schema,
                order,
                self._candidates,
                distances=self._global_distances(),
                branches=branches,
            )
        return self._trace

    def _global_distances(self) -> np.ndarray | None:
        """Distance of the whole tree to the classes after each split, shape (n_splits,); None for a
        criterion that reads no tables, or a function that was not loaded."""
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
        (n_features,). The importance of a date is the sum over its year, month and weekday.

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
        """Length of the longest path from the root to a leaf, in splits: 0 for a tree of one leaf.
        Leaves that no training row reaches count as well."""
        check_is_fitted(self)
        return self._model.shape[3]

    def get_n_leaves(self) -> int:
        """Number of leaves, at least 1. Leaves that no training row reaches, as a branch per
        declared level may have, count as well."""
        check_is_fitted(self)
        return self._model.shape[1]

    def cut(self, step: int) -> Self:
        """The model as it was after `step` splits, as a new estimator; 0 gives the root alone.

        Nodes that were split later are leaves again. The estimator itself is not changed.

        Raises:
            ValueError: a negative `step`.

        Raises:
            ValueError: a negative `step`.
        """
        check_is_fitted(self)
        from sklearn.base import clone

        if step < 0:
            raise ValueError(f"step={step} must not be negative")
        other: Self = clone(self)
        prunable.transfer_model(self, self._model.cut(int(step)), other)
        return other

    def plot(self, ax: Axes | None = None, **options: Any) -> Any:
        """Draw the tree with matplotlib.

        Args:
            ax: the axes to draw on; None makes a new figure.
            options: further arguments of `fasttree.plots.plot_tree`.

        Returns:
            The axes.
        """
        from ..plots import plot_tree

        return plot_tree(self, ax=ax, **options)

    # -- in a notebook and in print ---------------------------------------------------------------

    def _summary_line(self) -> str:
        """Parameters and sizes in one line, without a full stop."""
        n_nodes, n_leaves, _, depth = self._model.shape
        sizes = f"{counted(n_leaves, 'leaf')}, {counted(n_nodes, 'node')}, depth {depth}"
        return f"{' '.join(repr(self).split())}: {sizes}"

    def __str__(self) -> str:
        """A head line and the text of a fitted tree, at most 60 lines; else the parameters."""
        if "_model" not in self.__dict__:
            return repr(self)
        _, n_leaves, _, _ = self._model.shape
        lines = None
        if n_leaves <= MAX_PRINTED_LEAVES:
            lines = self.to_text().rstrip("\n").split("\n")
        if lines is None or len(lines) > MAX_LINES:
            lines = self._short_text()
        return "\n".join((self._summary_line(), "", *lines))

    def _short_text(self) -> list[str]:
        """As many upper levels as fit into 60 lines, and a line that says how to see all."""
        shown: list[str] = []
        *_, tree_depth = self._model.shape
        for depth in range(tree_depth + 1):
            lines = self.to_text(max_depth=depth).rstrip("\n").split("\n")
            if len(lines) > MAX_LINES:
                shown = shown or lines[:MAX_LINES]
                break
            shown = lines
        return [
            *shown,
            worded(
                "(cut; all: print(model.to_text()), a picture: model.plot())",
                "(cut; of a file by --model MODEL all: ftree show MODEL, a picture: "
                "ftree show MODEL --plot FILE)",
            ),
        ]

    def _repr_html_(self) -> str:
        """The tree as a picture of at most 40 nodes; scikit-learn's diagram before `fit`."""
        if "_model" not in self.__dict__:
            return super()._repr_html_()
        from ..exports.svg import svg_of_page

        picture = svg_of_page(self, 40)
        head = f"<p><code>{xml(self._summary_line())}</code></p>"
        return f'<div style="overflow-x:auto">{head}{picture}</div>'

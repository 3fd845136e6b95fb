"""`TAN`: tree-augmented naive Bayes, by Chow and Liu's tree or by a wrapper search.

Source
    Friedman, Geiger & Goldszmidt, Machine Learning 29, 1997 (conditional mutual information); Keogh
    & Pazzani, AI & Statistics 1999 (SuperParent, by leave-one-out accuracy).
Complexity
    Chow-Liu: one pass over the rows for each pair of features. Wrapper: O(p) rounds of O(p^2 n k),
    with p features, n rows and k classes.
When not to use it
    On few rows: each feature's table is split by class and by the values of its parent.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._checks import one_of, shown
from ..bayesian_networks.documents import parsed
from ..bayesian_networks.network import BayesianNetwork
from ..bayesian_networks.reading import place
from ..discretize import interval_labels
from ..table import Table
from .base import BayesClassifier


@dataclass(kw_only=True, eq=False, repr=False)
class TAN(BayesClassifier):
    r"""Naive Bayes in which each feature may also depend on one other feature, without circles.

    :math:`P(c) \prod_j P(x_j \mid c, x_{\pi(j)})`, all shares smoothed: :math:`(n + s) / (N + s
    v)`.

    Args:
        structure: ``"chow_liu"``: the spanning tree of largest total conditional mutual information
            I(X_i; X_j | C), from rows in which both are known; equal edges in the order of their
            features. ``"wrapper"``: SuperParent of Keogh & Pazzani, arcs added while leave-one-out
            accuracy rises; the result is a forest. Ties go to the lower feature.
        root: feature (name or index) from which Chow-Liu's tree is directed; None: the lower
            feature of the strongest edge. The direction matters only through the smoothing.
        alpha: > 0; 0.5 is Weka's SimpleEstimator's.
        smoothing: ``"laplace"``: s = alpha; ``"m_estimate"``: s = alpha / v.
        missing: ``"marginal"``: missing cells are left out of the counts and summed out in
            prediction; ``"mode"``: replaced by the most frequent value or bin of the training rows,
            as Weka's BayesNet does.
        discretize: of numeric columns: ``"mdlp"`` or ``"auto"``, ``"equal_width"``,
            ``"equal_frequency"``, an object of `fasttree.discretize`, or None (a numeric column is
            then an error); fitted on the training rows.
        n_bins: bins of the methods that take a number.
        categorical_features: as in `Table`.
        handle_unknown: levels not seen in fit are ``"missing"`` (with a warning) or an ``"error"``.
        n_jobs: threads; None is one, -1 all cores. Nothing depends on it.

    Attributes:
        parents_: index of each feature's parent, None without one.
        edges_: of Chow-Liu: (feature, feature, conditional mutual information in nats), strongest
            first; else empty.
        network_: the model as a `BayesianNetwork`, which can be plotted and sampled and has
            likelihoods.

    Examples:
        >>> X = [["a", "a", "u"], ["b", "b", "v"], ["a", "a", "v"], ["b", "b", "u"]] * 5
        >>> model = TAN().fit(X, [0, 0, 1, 1] * 5)
        >>> model.parents_
        [None, 0, 0]
        >>> model.network_.markov_blanket()
        ['x0', 'x1', 'x2']
    """

    structure: str = "chow_liu"
    root: int | str | None = None
    alpha: float = 0.5
    missing: str = "marginal"

    def _learner(self, table: Table) -> dict[str, Any]:
        """The learner as the core reads it."""
        wrapper = one_of("structure", self.structure, ("chow_liu", "wrapper")) == "wrapper"
        fill = one_of("missing", self.missing, ("marginal", "mode")) == "mode"
        return {
            "learner": "tan",
            "wrapper": wrapper,
            "root": self._root(table, wrapper),
            "fill": fill,
        }

    def _root(self, table: Table, wrapper: bool) -> int | None:
        """Index of the root of Chow-Liu's tree; None if the core chooses it."""
        root = self.root
        if root is None:
            return None
        if wrapper:
            raise ValueError(
                f"root={shown(root)}: the wrapper search finds its own roots; leave it None"
            )
        return place(table.feature_names, root, "root")

    def _read(self, state: dict[str, Any]) -> None:
        """Set parents and edges, from the core's model."""
        self.parents_: list[int | None] = state["parents"]
        self.edges_ = [(i, j, w) for i, j, w in state["edges"]]
        self.__dict__.pop("network_", None)

    @cached_property
    def network_(self) -> BayesianNetwork:
        """The classifier as a network, in which the class is a parent of every feature.

        For complete rows its posterior equals `predict_proba`. The classifier sums missing cells
        out; the network fills them only with ``missing="mode"``.
        """
        check_is_fitted(self)
        state = parsed(self._model.to_bytes())
        counts_state, readings = state["kind"]["tan"], state["readings"]
        smoothing, k = counts_state["smoothing"], len(self.classes_)
        names = self._schema.names
        levels = [
            interval_labels(self.cuts_[name]) if name in self.cuts_ else declared or (None,)
            for name, declared in zip(names, self._schema.levels, strict=True)
        ]

        def shares(counts: np.ndarray) -> np.ndarray:
            """Smoothed shares along the last axis."""
            values = counts.shape[-1]
            added = smoothing["alpha"] / (1 if smoothing["method"] == "laplace" else values)
            total = counts.sum(axis=-1, keepdims=True)
            return np.asarray((counts + added) / (total + added * values))

        # P(feature | parent, class) of every feature, then P(class).
        parents, tables = [], []
        for j, parent in enumerate(self.parents_):
            arity = 0 if levels[j] == (None,) else len(levels[j])
            parent_arity = 1 if parent is None else len(levels[parent])
            # axes: value of the parent, value, class; the last place of a value is missing cells
            counts = np.array(counts_state["counts"][j]).reshape(-1, arity + 1, k)
            table = shares(np.moveaxis(counts[:parent_arity, : max(arity, 1)], 1, 2))
            parents.append([len(names)] if parent is None else [parent, len(names)])
            tables.append(table[0] if parent is None else table)
        parents.append([])
        tables.append(shares(self.class_count_))
        fill = {
            name: reading["fill"]
            for name, reading in zip(names, readings, strict=True)
            if reading.get("fill") is not None
        }
        target = "class" if "class" not in names else "target"
        return BayesianNetwork(
            [*names, target],
            [*levels, tuple(self.classes_.tolist())],
            parents,
            tables,
            cuts=self.cuts_,
            fill=fill,
        )

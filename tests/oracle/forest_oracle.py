"""The vote of a forest, row by row and tree by tree: slow truth for `FastForestClassifier`."""

from __future__ import annotations

import numpy as np


def leaf_of(tree, row) -> int:
    """Walk one row of numbers down a tree of thresholds without missing values."""
    node = 0
    while tree.n_children[node]:
        children = tree.children_of(node)
        node = int(children[0] if row[tree.feature[node]] <= tree.threshold[node] else children[1])
    return node


def vote(trees, X, seen=None) -> tuple[np.ndarray, np.ndarray]:
    """Mean of the leaves' class shares (n_rows, n_classes) and number of voters (n_rows,).

    With `seen` (n_trees, n_rows), a tree says nothing of the rows that it has seen. Rows without a
    voter are NaN.
    """
    k = trees[0].value.shape[1]
    total, voters = np.zeros((len(X), k)), np.zeros(len(X), dtype=int)
    for t, tree in enumerate(trees):
        for i, row in enumerate(X):
            if seen is None or seen[t][i] == 0:
                counts = tree.value[leaf_of(tree, row)]
                total[i] += counts / counts.sum()
                voters[i] += 1
    with np.errstate(invalid="ignore"):
        return total / voters[:, None], voters


def importances(trees, n_features) -> np.ndarray:
    """Mean over the trees of each feature's share in gain x weight."""
    shares = []
    for tree in trees:
        gain = np.zeros(n_features)
        for node in range(tree.node_count):
            if tree.n_children[node]:
                gain[tree.feature[node]] += tree.score[node] * tree.weighted_n_node_samples[node]
        shares.append(gain / gain.sum() if gain.sum() > 0 else gain)
    mean = np.mean(shares, axis=0)
    return mean / mean.sum()

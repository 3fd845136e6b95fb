"""Shapley values by their definition: every set of features, by a walk that knows no formula.

The game of a row is path-dependent: v(S) answers the tests of features in S by the row, and sends
it down all branches by their shares of the training weight at the others. 2^p walks a row.
"""

from __future__ import annotations

import json
import math
from itertools import combinations

import numpy as np


def shares(tree, node):
    """Share of each branch in the weight of a node's branches; equal ones where there is none."""
    weights = tree.weighted_n_node_samples[tree.children_of(node)].tolist()
    whole = math.fsum(weights)
    return [w / whole if whole > 0 else 1 / len(weights) for w in weights]


def branch(model, node, row):
    """The branch that a row of cells takes, None where it takes all of them."""
    tree, schema = model.tree_, model._schema
    feature = int(tree.feature[node])
    stored = json.loads(model._model.schema_json())["features"][feature]
    x, levels, cuts, fill = row[feature], schema.levels[feature], *map(stored.get, ("cuts", "fill"))
    if isinstance(x, float) and math.isnan(x):
        x = None
    code = None
    if schema.nominal[feature]:
        code = levels.index(x) if x in levels else None
        if code is None and fill is not None:
            code = int(fill)
    elif x is None and fill is not None:
        x = fill
    gone = code is None if schema.nominal[feature] else x is None
    if gone:
        where = int(tree.missing_branch[node])
        return None if where == -2 else where
    if tree.n_levels[node]:
        return 0 if code in tree.levels_of(node).tolist() else 1
    if not math.isnan(tree.threshold[node]):
        return 0 if x <= tree.reach[node] else 1
    return code if schema.nominal[feature] else int(np.searchsorted(cuts, x))


def value(model, row, known, node=0):
    """v(known): class probabilities below a node, or the number as one of them."""
    tree = model.tree_
    kids = tree.children_of(node).tolist()
    if not kids:
        return model._model.node_proba(np.array([node]))[0]
    parts = shares(tree, node)
    taken = branch(model, node, row) if int(tree.feature[node]) in known else None
    if taken is not None:
        parts = [float(b == taken) for b in range(len(kids))]
    return sum(
        w * value(model, row, known, kid) for w, kid in zip(parts, kids, strict=True) if w > 0
    )


def shapley(model, row):
    """Shapley values (n_features, n_classes) and v of no feature (n_classes,)."""
    p = len(model._schema.names)
    worth = {
        known: value(model, row, known)
        for size in range(p + 1)
        for known in map(frozenset, combinations(range(p), size))
    }
    out = np.zeros((p, max(1, len(model._schema.classes))))
    for f in range(p):
        for known, v in worth.items():
            if f not in known:
                size = len(known)
                weight = math.factorial(size) * math.factorial(p - size - 1) / math.factorial(p)
                out[f] += weight * (worth[known | {f}] - v)
    return out, worth[frozenset()]

"""Counts, scores and trees of ordered pairs by a double loop, straight from the definition (Vilalta
et al. 2001, figures 3 and 4).

Scores are exact fractions, so a tie is a tie.
"""

from __future__ import annotations

from fractions import Fraction

import tree_oracle


def counts(rows, classes, n_values, n_classes, first=None):
    """``N[k][value][class][case][distance]`` as nested lists; `first`: the i of the pairs (all if
    None)."""
    n = len(n_values)
    out = [
        [[[[0] * (n + 1) for _ in range(4)] for _ in range(n_classes)] for _ in range(v)]
        for v in n_values
    ]
    for i in range(len(rows)) if first is None else first:
        for j in range(len(rows)):
            distance = sum(a != b for a, b in zip(rows[i], rows[j]))
            for k in range(n):
                same_value, same_class = rows[i][k] == rows[j][k], classes[i] == classes[j]
                case = (0 if same_class else 1) if same_value else (2 if same_class else 3)
                out[k][rows[i][k]][classes[i]][case][distance] += 1
    return out


def weight_of(decay, alpha, d, at_zero=0):
    """f(D) as an exact fraction (alpha a whole number for powers and exponentials)."""
    if decay == "exponential":
        return Fraction(1, 2 ** (alpha * d))
    if decay == "power":
        return Fraction(at_zero) if d == 0 else Fraction(1, d**alpha)
    return Fraction(int({"threshold": d < alpha, "identical": d == 0, "uniform": True}[decay]))


SIGNS = {
    "pi": (1, -1, -1, 1),
    "pi_unweighted": (1, -1, -1, 1),
    "contextual_merit": (0, 0, 0, 1),
    "relief": (0, 0, -1, 1),
}


def scores(columns, y, weights, rows, metric, decay, alpha, theta=(1, 1, 1, 1), at_zero=0):
    """Score of every feature, and of the split that divides nothing, for some rows: a double loop
    over ordered pairs."""
    n, signs = len(columns), SIGNS[metric]
    total = sum(weights[i] for i in rows)
    sums = [[Fraction(0)] * 4 for _ in range(n)]
    whole = Fraction(0)
    share = [
        {v: Fraction(sum(weights[i] for i in rows if column[i] == v), total) for v in set(column)}
        for column in columns
    ]
    for i in rows:
        for j in rows:
            pair = weights[i] * weights[j]
            f = pair * weight_of(decay, alpha, sum(c[i] != c[j] for c in columns), at_zero)
            for k, c in enumerate(columns):
                case = (0 if y[i] == y[j] else 1) if c[i] == c[j] else (2 if y[i] == y[j] else 3)
                sums[k][case] += theta[case] * f * (share[k][c[i]] if metric == "pi" else 1)
            case = 0 if y[i] == y[j] else 1
            whole += signs[case] * theta[case] * f
    return [sum(s * x for s, x in zip(signs, of_feature)) for of_feature in sums], whole


def default_radius(columns, weights, rows):
    """The smallest whole radius with on average ten others nearer than it."""
    total = sum(weights[i] for i in rows)
    for radius in range(1, len(columns) + 1):
        near = sum(
            weights[i] * weights[j]
            for i in rows
            for j in rows
            if sum(c[i] != c[j] for c in columns) < radius
        )
        if near - total >= 10 * total:
            return radius
    return len(columns) + 1


class Grower(tree_oracle.Grower):
    """Growth as on tables, with scores by the double loop; columns are nominal, a missing cell is
    -1."""

    def told(self, metric, **setting):
        self.metric, self.setting, self.extensive = metric, setting, True
        return self

    def candidates(self, rows):
        splits = [c for f in range(len(self.columns)) for c in self.splits_of(f, rows)]
        found = [c for c in splits if self.is_valid(c)]
        codes = [c[1] for c in self.columns]
        weights = self.weights or [1] * len(self.y)
        by_feature, whole = scores(codes, self.y, weights, rows, self.metric, **self.setting)
        self.evaluate = lambda tables: [(whole, -whole)] * len(tables)
        for c in found:
            c.score, c.distance = by_feature[c.feature], -by_feature[c.feature]
        return found

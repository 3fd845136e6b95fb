"""Counts of ordered pairs by a double loop, straight from the definition (Vilalta et al. 2001, figures 3 and 4)."""

from __future__ import annotations


def counts(rows, classes, n_values, n_classes, first=None):
    """``N[k][value][class][case][distance]`` as nested lists; `first`: the i of the pairs (all if None)."""
    n = len(n_values)
    out = [
        [[[[0] * (n + 1) for _ in range(4)] for _ in range(n_classes)] for _ in range(v)] for v in n_values
    ]
    for i in range(len(rows)) if first is None else first:
        for j in range(len(rows)):
            distance = sum(a != b for a, b in zip(rows[i], rows[j]))
            for k in range(n):
                same_value, same_class = rows[i][k] == rows[j][k], classes[i] == classes[j]
                case = (0 if same_class else 1) if same_value else (2 if same_class else 3)
                out[k][rows[i][k]][classes[i]][case][distance] += 1
    return out

"""
A sweep of Pi
=============

Pi has weights for four kinds of pairs and a decay with the distance. A sweep counts the pairs once
and tries all settings on the same folds.
"""

import fasttree

data = fasttree.datasets.make_parity(2, 4, 200, flip=0.05, random_state=0)
result = fasttree.sweep(
    data,
    theta=[(1, 1, 1, 1), (0, 1, 0, 1), (1, 0, 1, 0)],
    alpha=(0.0, 0.1, 0.5, 1.0, 2.0),
    cv="2x5",
    random_state=0,
)
fasttree.plots.accuracy_map(result)

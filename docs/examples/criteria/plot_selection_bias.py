"""
Selection bias
==============

All features are noise, with 2 to 20 values. How often does each criterion pick each of them? A fair
criterion would pick each equally often.

More: :doc:`/explanation/selection_bias`.
"""

import numpy as np

import fasttree

rng = np.random.default_rng(0)
sizes = (2, 5, 10, 20)
picks = {name: np.zeros(4) for name in ("info_gain", "gain_ratio", "mdl")}
for _ in range(200):
    X = np.column_stack([rng.integers(0, s, 200) for s in sizes]).astype(str)
    y = rng.integers(0, 2, 200)
    for name, counts in picks.items():
        counts[np.argmax(fasttree.score_features(X, y, criterion=name))] += 1
ax = fasttree.plots.grouped_bars(
    {name: 100 * counts / 200 for name, counts in picks.items()},
    [f"{s} values" for s in sizes],
    ylabel="picked (%)",
)
ax.axhline(25, color="grey", linestyle=":")

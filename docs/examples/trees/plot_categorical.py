"""
Categorical features: one branch a level, or subsets
====================================================

Tic-tac-toe: a branch per level, or a binary split of the levels.

More: :doc:`/how_to/categorical_features`.
"""

import matplotlib.pyplot as plt

import fasttree

data = fasttree.datasets.load_tic_tac_toe()
fig, axes = plt.subplots(2, 1, figsize=(8, 9), height_ratios=(2, 1))
for ax, how in zip(axes, ("multiway", "subset"), strict=True):
    tree = fasttree.fit(data, criterion="gini", nominal_splits=how, max_depth=2)
    tree.plot(ax=ax)
    ax.set_title(f"nominal_splits={how!r}: {tree.get_n_leaves()} leaves")
fig.tight_layout()

"""
The smallest tree
=================

Greedy growth and the smallest tree that makes no error on the training rows (exact search).

More: :doc:`/explanation/exact`.
"""

import matplotlib.pyplot as plt

import fasttree

data = fasttree.datasets.make_monks(1, 50, random_state=0)
greedy = fasttree.fit(data, criterion="info_gain")
smallest = fasttree.minimal_tree(data)
fig, axes = plt.subplots(2, 1, figsize=(9, 15), height_ratios=(5, 2))
for ax, (name, tree) in zip(axes, {"info_gain": greedy, "smallest": smallest}.items(), strict=True):
    tree.plot(ax=ax)
    ax.set_title(f"{name}: {tree.get_n_leaves()} leaves")
fig.tight_layout()

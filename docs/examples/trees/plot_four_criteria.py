"""
Four criteria, four trees
=========================

The same data, the same limits, four criteria. The measures agree about the root here and part
below.
"""

import matplotlib.pyplot as plt

import fasttree

data = fasttree.datasets.load_monks_2()
fig, axes = plt.subplots(2, 2, figsize=(13, 9))
for ax, criterion in zip(axes.flat, ["gini", "hellinger", "jaccard", "mdl"], strict=True):
    tree = fasttree.fit(data, criterion=criterion, max_leaf_nodes=6)
    tree.plot(ax=ax)
    ax.set_title(f"{criterion}: training accuracy {tree.score(data):.3f}")
fig.tight_layout()

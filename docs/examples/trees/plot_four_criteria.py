"""
Four criteria, four trees
=========================

The same data, the same depth, four criteria. They ask for other features, and cut the same feature
at other values.
"""

import matplotlib.pyplot as plt

import fasttree

data = fasttree.datasets.load_breast_cancer()
fig, axes = plt.subplots(4, 1, figsize=(8, 11))
for ax, criterion in zip(axes.flat, ["gini", "info_gain", "gain_ratio", "hellinger"], strict=True):
    tree = fasttree.fit(data, criterion=criterion, max_depth=2)
    tree.plot(ax=ax)
    ax.set_title(f"{criterion}: training accuracy {tree.score(data):.3f}")
fig.tight_layout()

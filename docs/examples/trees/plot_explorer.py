"""
Explore a tree in a browser
===========================

``explore`` writes one page that needs no network: fold the tree, follow a row, see the scores of
all candidates of a node and what another criterion would have done. The bars below are part of what
it shows for the root.

More: :doc:`/how_to/explore`.
"""

import matplotlib.pyplot as plt

import fasttree

wine = fasttree.datasets.load_wine()
tree = fasttree.fit(wine, criterion="gini", max_depth=3)
page = tree.explore(wine, beside="hellinger")
print(page)

fig, (left, right) = plt.subplots(1, 2, figsize=(12, 4), width_ratios=(3, 2))
tree.plot(ax=left)
best = {}
for candidate in tree.explain(0, wine):
    best.setdefault(candidate["feature"], candidate["score"])
names = sorted(best, key=best.get)
right.barh(names, [best[name] for name in names])
right.set(xlabel="gini score of the feature's best threshold", title="candidates of the root")
fig.tight_layout()

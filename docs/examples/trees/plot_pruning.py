"""
Five ways to prune
==================

The same grown tree under five prunings: leaves and accuracy on rows that were set aside.

More: :doc:`/how_to/prune`.
"""

import matplotlib.pyplot as plt
import numpy as np

import fasttree

data = fasttree.datasets.make_waveform(2000, random_state=1)
order = np.random.default_rng(0).permutation(2000)
train, test = data.take(order[:1000]), data.take(order[1000:])
prunings = {
    "none": None,
    "error_based": "error_based",
    "pessimistic": "pessimistic",
    "mdl": "mdl",
    "reduced_error": "reduced_error",
    "cost_complexity": fasttree.pruning.CostComplexity(ccp_alpha="cv", random_state=0),
}
fig, ax = plt.subplots()
for name, pruning in prunings.items():
    tree = fasttree.fit(train, criterion="gini", pruning=pruning)
    ax.scatter(tree.get_n_leaves(), 100 * tree.score(test))
    ax.annotate(
        name,
        (tree.get_n_leaves(), 100 * tree.score(test)),
        xytext=(5, 5),
        textcoords="offset points",
    )
ax.set(xlabel="leaves", ylabel="accuracy on 1,000 new rows (%)", xlim=(0, None))
ax.margins(0.15)

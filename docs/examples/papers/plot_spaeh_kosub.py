"""
Späh & Kosub: growth by the distance of the whole tree
======================================================

Local and global growth under the Jaccard distance: accuracy on new rows of a random tree's classes,
over the share of labels that were flipped.

More: :doc:`/explanation/spaeh_kosub`.
"""

import matplotlib.pyplot as plt
import numpy as np

import fasttree

data, truth = fasttree.datasets.make_random_tree(600, random_state=1)
rng = np.random.default_rng(0)
noises = (0.0, 0.1, 0.2, 0.3)
fig, ax = plt.subplots()
for evaluation in ("local", "global"):
    found = []
    for noise in noises:
        flip = rng.random(300) < noise
        y = np.where(flip, rng.permutation(data.y[:300]), data.y[:300])
        tree = fasttree.fit(
            data.X[:300], y, criterion="jaccard", evaluation=evaluation, no_distance_decay=True
        )
        found.append(100 * tree.score(data.X[300:], data.y[300:]))
    ax.plot(noises, found, marker="o", label=evaluation)
ax.set(xlabel="share of flipped labels", ylabel="accuracy on new rows (%)")
ax.legend()

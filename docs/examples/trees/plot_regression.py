"""
Three criteria on a noisy curve
===============================

Steps of three trees with eight leaves on a sine with a few numbers far off: means follow them,
medians do not, and nine tenths of the points lie below the quantile of 0.9.
"""

import matplotlib.pyplot as plt
import numpy as np

import fasttree

rng = np.random.default_rng(0)
X = np.sort(rng.uniform(0, 6, size=(300, 1)), axis=0)
y = np.sin(X[:, 0]) + rng.normal(scale=0.2, size=300)
y[::20] += rng.exponential(4, size=15)
criteria = {
    "squared_error": "squared_error",
    "absolute_error": "absolute_error",
    "quantile, q = 0.9": fasttree.criteria.Quantile(q=0.9),
}
grid = np.linspace(0, 6, 600)[:, None]
fig, axes = plt.subplots(1, 3, figsize=(12, 4), sharey=True)
for ax, (name, criterion) in zip(axes, criteria.items(), strict=True):
    model = fasttree.fit(X, y, criterion=criterion, max_leaf_nodes=8, min_samples_leaf=15)
    ax.plot(X[:, 0], y, ".", color="0.7", markersize=4)
    ax.plot(grid[:, 0], np.sin(grid[:, 0]), "--", color="0.4", linewidth=1)
    ax.step(grid[:, 0], model.predict(grid), color="tab:blue")
    ax.set(title=name, xlabel="x", ylim=(-2, 4))
fig.tight_layout()

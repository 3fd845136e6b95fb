"""
Interacting genotypes
=====================

Two of 60 variants act together and not alone. MultiSURF ranks both first; chi-squared does not.

More: :doc:`/how_to/genotypes`.
"""

import matplotlib.pyplot as plt
import numpy as np

import fasttree

rng = np.random.default_rng(3)
X = rng.binomial(2, 0.5, (600, 60))
risk = (X[:, 7] == 1) ^ (X[:, 31] == 1)
y = np.where(rng.random(600) < 0.1, ~risk, risk)
fig, axes = plt.subplots(2, 1, sharex=True)
for ax, name in zip(axes, ("chi2", "multisurf"), strict=True):
    scores = fasttree.score_features(X.astype(str), y, criterion=name)
    colours = ["C1" if i in (7, 31) else "C0" for i in range(60)]
    ax.scatter(range(60), scores, c=colours, s=18)
    ax.set(ylabel=name)
axes[1].set(xlabel="variant (the two that interact in orange)")

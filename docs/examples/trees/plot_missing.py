"""
Three ways with missing values
==============================

Cells of the wine data are deleted at random. The accuracy of three ways to grow with them.

More: :doc:`/how_to/missing_values`.
"""

import matplotlib.pyplot as plt
import numpy as np

import fasttree
from fasttree.model_selection import cross_validate

wine = fasttree.datasets.load_wine()
rng = np.random.default_rng(0)
shares = (0.0, 0.1, 0.2, 0.4)
fig, ax = plt.subplots()
for way in ("branch", "mode", "fractional"):
    found = []
    for share in shares:
        X = np.where(rng.random(wine.X.shape) < share, np.nan, wine.X.astype(float))
        result = cross_validate(X, wine.y, "gain_ratio", missing=way, cv="5x10", random_state=0)
        found.append(100 * float(result["gain_ratio"]["accuracy"].mean()))
    ax.plot(shares, found, marker="o", label=way)
ax.set(xlabel="share of missing cells", ylabel="accuracy (%)", title="wine, 5 x 10 folds")
ax.legend()

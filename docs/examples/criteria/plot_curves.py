"""
Curves of the criteria
======================

Scores of a binary split of two classes over the share of one class in the left branch, scaled to 0
(nothing learned) and 1 (pure). The :doc:`playground </reference/playground>` draws them live.
"""

import matplotlib.pyplot as plt
import numpy as np

from fasttree import criteria

left = np.linspace(0, 50, 101)
fig, ax = plt.subplots()
for name in ("info_gain", "gini", "hellinger", "accuracy", "dkm"):
    score = criteria.make(name).score
    values = np.array([score([[50 - c, c], [c, 50 - c]]) for c in left])
    low, high = score([[25, 25], [25, 25]]), score([[50, 0], [0, 50]])
    ax.plot(left / 50, (values - low) / (high - low), label=name)
ax.set(xlabel="share of class 1 in the left branch", ylabel="score, scaled")
ax.legend()

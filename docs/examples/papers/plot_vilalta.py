"""
Vilalta et al.: how far a pair counts
=====================================

Accuracy of Pi on XOR-like data over the decay of a pair's weight with its distance.

More: :doc:`/explanation/vilalta2001`.
"""

import matplotlib.pyplot as plt

import fasttree
from fasttree.criteria import Pi
from fasttree.model_selection import cross_validate

data = fasttree.datasets.load_monks_2()
fig, ax = plt.subplots()
alphas = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
for decay in ("exponential", "power"):
    settings = [Pi(alpha=alpha, decay=decay) for alpha in alphas]
    result = cross_validate(data, criterion=settings, cv="2x10", random_state=0)
    found = [100 * float(scores["accuracy"].mean()) for scores in result.values()]
    ax.plot(alphas, found, marker="o", label=decay)
ax.set(xlabel="alpha", ylabel="accuracy (%)", title="monks-2")
ax.legend()

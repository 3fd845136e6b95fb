"""
Which arcs are certain?
=======================

The exact posterior of all networks over the columns of MONK's problem 1: the probability of every
arc. The class depends on a1, a2 and a5.
"""

import matplotlib.pyplot as plt

import fasttree
from fasttree.bayesian_networks import exact_posterior

data = fasttree.datasets.load_monks_1()
exact = exact_posterior(data)
fig, ax = plt.subplots()
image = ax.imshow(exact.arc_probabilities, cmap="viridis", vmin=0, vmax=1)
ax.set_xticks(range(len(exact.names)), exact.names, rotation=90)
ax.set_yticks(range(len(exact.names)), exact.names)
ax.set(title="exact probability of an arc, row to column")
fig.colorbar(image)
fig.tight_layout()

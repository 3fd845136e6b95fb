"""
Asia: exact and sampled arcs
============================

A thousand patients drawn from the Asia network, and the probability of every arc: summed over all
networks, and by the search of CaMML. The two agree to .01.

More: :doc:`/explanation/networks`.
"""

import matplotlib.pyplot as plt
import numpy as np

from fasttree.bayesian_networks import BayesianNetwork, CaMML, exact_posterior


def table(*yes):
    """P(no), P(yes) for each combination of the parents."""
    return np.column_stack([1 - np.array(yes), yes]).squeeze()


names = ["asia", "tub", "smoke", "lung", "either", "xray", "bronc", "dysp"]
parents = [[], ["asia"], [], ["smoke"], ["tub", "lung"], ["either"], ["smoke"], ["either", "bronc"]]
tables = [
    table(0.01),
    table(0.01, 0.05),
    table(0.5),
    table(0.01, 0.1),
    table(0, 1, 1, 1).reshape(2, 2, 2),
    table(0.05, 0.98),
    table(0.3, 0.6),
    table(0.1, 0.8, 0.7, 0.9).reshape(2, 2, 2),
]
asia = BayesianNetwork(names, [["no", "yes"]] * 8, parents, tables)
patients = asia.sample(1000, random_state=0)
model = CaMML(random_state=0).fit(patients)
exact = exact_posterior(patients, arc_probability=model.arc_probability_)

fig, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained", sharey=True)
sides = {"exact": exact.arc_probabilities, "sampled": model.arc_probabilities_}
for ax, (title, arcs) in zip(axes, sides.items(), strict=True):
    image = ax.imshow(arcs, cmap="Blues", vmin=0, vmax=1)
    ax.set_xticks(range(8), names, rotation=90)
    ax.set_yticks(range(8), names)
    ax.set(title=f"{title}: arc from row to column", xlabel="to")
    for i, j in np.argwhere(arcs >= 0.05):
        colour = "white" if arcs[i, j] > 0.6 else "black"
        ax.text(j, i, f"{arcs[i, j]:.2f}", ha="center", va="center", fontsize=7, color=colour)
axes[0].set_ylabel("from")
fig.colorbar(image, ax=axes)

"""
Scores of many rows by sampled pairs
====================================

Pairs grow with the square of the rows. Subsets of the pairs give the scores with error bars.
"""

import matplotlib.pyplot as plt

import fasttree

data = fasttree.datasets.make_parity(2, 6, 20000, flip=0.1, random_state=0)
found = fasttree.estimate_features(data, criterion="pi", n_subsets=64, random_state=0)
fig, ax = plt.subplots()
ax.errorbar(range(8), found.scores, yerr=2 * found.standard_errors, fmt="o", capsize=4)
ax.set_xticks(range(8), data.feature_names)
ax.set(ylabel="Pi, two standard errors", title="20,000 rows")

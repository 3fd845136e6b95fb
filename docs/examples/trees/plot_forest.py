"""
A forest and its out-of-bag accuracy
====================================

Out-of-bag accuracy of forests of 1 to 100 trees under two criteria.

More: :doc:`/how_to/forests`.
"""

import warnings

import matplotlib.pyplot as plt

import fasttree

data = fasttree.datasets.make_waveform(600, random_state=0)
sizes = (10, 20, 40, 70, 100)
fig, ax = plt.subplots()
for criterion in ("gini", "hellinger"):
    found = []
    for size in sizes:
        forest = fasttree.FastForestClassifier(
            size, criterion=criterion, oob_score=True, random_state=0
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # few trees: some rows are in every sample
            found.append(100 * forest.fit(data).oob_score_)
    ax.plot(sizes, found, marker="o", label=criterion)
ax.set(xlabel="trees", ylabel="out-of-bag accuracy (%)", title="waveform, 600 rows")
ax.legend()

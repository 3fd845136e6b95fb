"""
Criteria over data sets
=======================

Mean accuracy of four criteria, a line a data set. Filled dots differ significantly from the
baseline.
"""

import fasttree
from fasttree.model_selection import compare

names = ("tic-tac-toe", "balance-scale", "wine", "iris", "monks-1", "monks-2")
sets = [fasttree.datasets.load(name) for name in names]
result = compare(sets, ["info_gain", "gini", "hellinger", "jaccard"], cv="5x10", random_state=0)
fasttree.plots.criteria_dots(result)

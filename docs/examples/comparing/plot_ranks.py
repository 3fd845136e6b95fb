"""
Critical difference diagram
===========================

Mean ranks over the data sets; bars join methods that do not differ (Nemenyi).

More: :doc:`/how_to/compare`.
"""

import fasttree
from fasttree.model_selection import compare

names = ("tic-tac-toe", "balance-scale", "wine", "iris", "monks-1", "monks-2", "monks-3")
sets = [fasttree.datasets.load(name) for name in names]
methods = ["info_gain", "gini", "hellinger", "jaccard", "accuracy"]
fasttree.plots.rank_diagram(compare(sets, methods, cv="2x5", random_state=0))

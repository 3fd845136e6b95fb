"""
Greedy trees beside the optimal one
===================================

What trees grown by each criterion lose against the proven best tree of depth 3: training errors
above the optimum. None of them finds it.

More: :doc:`/how_to/optimal_trees`.
"""

import fasttree

data = fasttree.datasets.load_balance_scale()
model = fasttree.optimal_tree(data, max_depth=3)
print(f"{model.training_errors_:g} errors, proven: {model.proven_}")
model.compare_with_greedy(data).plot()

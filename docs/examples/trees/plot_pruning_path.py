"""
The cost-complexity path
========================

CART's weakest-link pruning: leaves and test accuracy along the path of alpha.
"""

import matplotlib.pyplot as plt
import numpy as np

import fasttree

data = fasttree.datasets.load_breast_cancer()
order = np.random.default_rng(0).permutation(len(data.y))
train, test = data.take(order[:400]), data.take(order[400:])
path = fasttree.FastTreeClassifier(criterion="gini").cost_complexity_pruning_path(train)
trees = [fasttree.fit(train, criterion="gini", ccp_alpha=float(a)) for a in path.ccp_alphas]
fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
left.step(path.ccp_alphas, [t.get_n_leaves() for t in trees], where="post")
left.set(xlabel="alpha", ylabel="leaves")
right.step(path.ccp_alphas, [t.score(train) for t in trees], where="post", label="training rows")
right.step(path.ccp_alphas, [t.score(test) for t in trees], where="post", label="new rows")
right.set(xlabel="alpha", ylabel="accuracy")
right.legend()
fig.tight_layout()

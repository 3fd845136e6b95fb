"""
Cost curves
===========

Expected cost over all operating conditions (Drummond & Holte): which classifier for which costs?

More: :doc:`/how_to/costs`.
"""

import numpy as np

import fasttree
from fasttree.naive_bayes import NaiveBayes

data = fasttree.datasets.load_breast_cancer()
order = np.random.default_rng(0).permutation(len(data.y))
train, test = data.take(order[:350]), data.take(order[350:])
models = {
    "tree": fasttree.fit(train, criterion="gini", pruning="error_based"),
    "naive Bayes": NaiveBayes().fit(train),
}
curves = {
    name: fasttree.metrics.cost_curve(test.y, m.predict_proba(test)[:, 1], positive=m.classes_[1])
    for name, m in models.items()
}
fasttree.plots.cost_curves(curves)

"""
ROC curves of several classifiers
=================================

Curves with the area under each, from the same test rows.
"""

import numpy as np

import fasttree
from fasttree.naive_bayes import AODE, NaiveBayes

data = fasttree.datasets.load_breast_cancer()
order = np.random.default_rng(0).permutation(len(data.y))
train, test = data.take(order[:350]), data.take(order[350:])
models = {
    "tree": fasttree.fit(train, criterion="gain_ratio", pruning="error_based"),
    "forest": fasttree.FastForestClassifier(100, random_state=0).fit(train),
    "naive Bayes": NaiveBayes().fit(train),
    "AODE": AODE().fit(train),
}
curves = {
    name: fasttree.metrics.roc_curve(test.y, m.predict_proba(test)[:, 1], positive=m.classes_[1])
    for name, m in models.items()
}
fasttree.plots.roc_curves(curves)

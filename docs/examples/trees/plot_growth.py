"""
Growth step by step
===================

Accuracy on training and test rows while the tree grows, leaf by leaf. ``staged_predict`` and
``cut`` give the tree after any step.

More: :doc:`/explanation/growing`.
"""

import numpy as np

import fasttree

data = fasttree.datasets.make_waveform(1000, random_state=0)
order = np.random.default_rng(0).permutation(1000)
train, test = data.take(order[:500]), data.take(order[500:])
tree = fasttree.fit(train, criterion="gini", trace="steps")
fasttree.plots.growth_curve(tree, train, test)

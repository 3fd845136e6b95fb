"""
Learning curves
===============

Accuracy over the number of training rows, with one standard deviation.
"""

import fasttree
from fasttree.model_selection import learning_curve

data = fasttree.datasets.make_waveform(1000, random_state=0)
result = learning_curve(
    data, criterion=["gini", "gain_ratio", "jaccard"], n_repeats=10, random_state=0
)
fasttree.plots.learning_curves(result)

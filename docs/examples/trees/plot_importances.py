"""
Importances of a forest
=======================

Which features do the trees of a forest use? Mean decrease of impurity, summed to 1.
"""

import matplotlib.pyplot as plt
import numpy as np

import fasttree

data = fasttree.datasets.load_breast_cancer()
forest = fasttree.FastForestClassifier(100, criterion="gini", random_state=0).fit(data)
order = np.argsort(forest.feature_importances_)[-12:]
fig, ax = plt.subplots()
ax.barh([data.feature_names[i] for i in order], forest.feature_importances_[order])
ax.set(xlabel="importance")
fig.tight_layout()

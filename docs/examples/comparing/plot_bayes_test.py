"""
A Bayesian test of two classifiers
==================================

The posterior of the difference of two accuracies: worse, practically equal, better.
"""

import matplotlib.pyplot as plt

import fasttree
from fasttree.model_selection import bayesian_correlated_t_test, cross_validate

data = fasttree.datasets.load_tic_tac_toe()
result = cross_validate(data, criterion=["info_gain", "gain_ratio"], cv="10x10", random_state=0)
a, b = (result[name]["accuracy"] for name in ("info_gain", "gain_ratio"))
test = bayesian_correlated_t_test(b, a, rope=0.01, test_over_train=1 / 9)
print(test)

fig, ax = plt.subplots()
ax.hist(100 * (b - a).ravel(), bins=30)
ax.axvspan(-1, 1, alpha=0.2, label="practically equal")
ax.set(xlabel="gain_ratio less info_gain, points of accuracy, 100 folds", ylabel="folds")
ax.legend()

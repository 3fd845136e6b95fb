"""
Bayesian learners beside trees
==============================

Naive Bayes, TAN and AODE beside a tree, on the same folds.
"""

import fasttree
from fasttree.model_selection import compare
from fasttree.naive_bayes import AODE, TAN, NaiveBayes

names = ("tic-tac-toe", "balance-scale", "monks-1", "monks-2", "monks-3")
sets = [fasttree.datasets.load(name) for name in names]
learners = {"naive Bayes": NaiveBayes(), "TAN": TAN(), "AODE": AODE()}
result = compare(sets, ["info_gain"], estimators=learners, cv="2x5", random_state=0)
fasttree.plots.criteria_dots(result)

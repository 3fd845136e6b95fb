"""
Hope & Korb: learners by information reward
===========================================

Naive Bayes, TAN and AODE on data that each kind of model made itself: bits of reward a row.

More: :doc:`/explanation/hope_korb2004`.
"""

import numpy as np

import fasttree
from fasttree.metrics import bayesian_information_reward, class_prior
from fasttree.naive_bayes import AODE, TAN, NaiveBayes

rewards = {"naive Bayes": [], "TAN": [], "AODE": []}
kinds = ("nb", "tan", "aode")
for kind in kinds:
    data, _ = fasttree.datasets.make_bayesian_network(kind, 1500, random_state=2)
    train, test = data.take(range(500)), data.take(range(500, 1500))
    for name, learner in zip(rewards, (NaiveBayes(), TAN(), AODE()), strict=True):
        model = learner.fit(train)
        reward = bayesian_information_reward(
            test.y,
            model.predict_proba(test),
            prior=class_prior(np.unique(train.y, return_counts=True)[1]),
            classes=model.classes_,
        )
        rewards[name].append(reward)
fasttree.plots.grouped_bars(
    rewards, [f"data from {k.upper()}" for k in kinds], ylabel="Bayesian information reward (bits)"
)

"""
What information rewards pay
============================

Rewards for the confidence in the true class (Hope & Korb). An honest reward pays nothing for the
prior.
"""

import fasttree

fasttree.plots.reward_curves(fasttree.metrics.reward_curves(prior=(0.6, 0.3, 0.1)))

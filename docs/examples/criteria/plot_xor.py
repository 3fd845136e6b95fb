"""
XOR: what tables of one feature cannot see
==========================================

The class is the exclusive or of two bits; eight bits are noise. The bars are multiples of the
largest score in 20 runs with shuffled classes. Information gain does not rise above that noise;
criteria on pairs of rows and on neighbours find both bits.

More: :doc:`/explanation/interactions`.
"""

import numpy as np

import fasttree

data = fasttree.datasets.make_parity(2, 8, 400, random_state=0)
names = ("info_gain", "pi", "contextual_merit", "relieff")
scores = {name: fasttree.score_features(data, criterion=name) for name in names}
rng = np.random.default_rng(0)
noise = dict.fromkeys(names, 0.0)
for y in [rng.permutation(data.y) for _ in range(20)]:
    for name in names:
        found = fasttree.score_features(data.X, y, criterion=name)
        noise[name] = max(noise[name], found.max())
fasttree.plots.criteria_bars(
    scores, data.feature_names, noise=noise, title="parity of two bits, eight noise bits"
)

"""
XOR: what tables of one feature cannot see
==========================================

The class is the exclusive or of two bits; eight bits are noise. Information gain sees nothing,
criteria on pairs of rows and on neighbours find both bits.

More: :doc:`/explanation/interactions`.
"""

import fasttree

data = fasttree.datasets.make_parity(2, 8, 400, random_state=0)
names = ("info_gain", "pi", "contextual_merit", "relieff")
scores = {name: fasttree.score_features(data, criterion=name) for name in names}
fasttree.plots.criteria_bars(
    scores, data.feature_names, title="parity of two bits, eight noise bits"
)

"""
Chen et al.: gain, gain ratio, normal gain and distance
=======================================================

Four measures in Id3, accuracy and leaves on bundled sets.
"""

import fasttree
from fasttree.model_selection import compare

sets = [fasttree.datasets.load(n) for n in ("tic-tac-toe", "balance-scale", "monks-1", "monks-3")]
methods = ["info_gain", "gain_ratio", "normal_gain", "mantaras"]
result = compare(
    sets,
    methods,
    cv="2x10",
    random_state=0,
    **{k: v for k, v in fasttree.presets.CHEN2013.items() if k != "criterion"},
)
fasttree.plots.tree_size_bars(result)

"""
Stadler & Dave: trees that split on the F measure
=================================================

F measure of trees under three criteria on three data sets, in cross-validation. Trees that split on
the F measure are the baseline.
"""

import fasttree
from fasttree.model_selection import compare

sets = [fasttree.datasets.load(n) for n in ("balance-scale", "tic-tac-toe", "breast-cancer")]
result = compare(
    sets,
    ["f_measure", "gini", "info_gain"],
    cv="2x10",
    scoring=("f_beta", "accuracy"),
    metric="f_beta",
    random_state=0,
)
fasttree.plots.criteria_dots(result)

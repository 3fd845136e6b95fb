"""
Why did the tree split here?
============================

``explain`` lists every candidate of a node. The bars show the best threshold of each feature of the
wine data at the root, under three criteria, each relative to its own best.
"""

import fasttree

wine = fasttree.datasets.load_wine()
scores = {
    name: fasttree.score_features(wine, criterion=name) for name in ("gini", "hellinger", "mdl")
}
fasttree.plots.criteria_bars(scores, wine.feature_names, title="wine, root")
for candidate in fasttree.fit(wine, criterion="gini").explain(0, wine)[:5]:
    print(f"{candidate['feature']} <= {candidate['threshold']:g}: {candidate['score']:.4f}")

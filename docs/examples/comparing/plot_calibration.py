"""
Calibration
===========

Are the predicted probabilities right? Leaves without smoothing are too sure of themselves.
"""

import numpy as np

import fasttree

data = fasttree.datasets.make_waveform(3000, random_state=0)
binary = np.where(data.y == data.classes[0], "first", "other")
order = np.random.default_rng(0).permutation(3000)
train, test = order[:1000], order[1000:]
curves = {}
for smoothing in ("none", "laplace"):
    model = fasttree.fit(
        data.X[train],
        binary[train],
        criterion="gini",
        min_samples_leaf=5,
        leaf_smoothing=None if smoothing == "none" else smoothing,
    )
    curves[f"leaf_smoothing: {smoothing}"] = fasttree.metrics.calibration_curve(
        binary[test], model.predict_proba(data.X[test]), positive="first"
    )
fasttree.plots.calibration_curves(curves)

"""
Interacting genotypes
=====================

A Manhattan plot shows the score of every variant at its place on the chromosomes. The first two of
200 variants decide together who is a case, and neither does alone. MultiSURF looks at samples that
are alike and finds both; the chi-squared test looks at one variant at a time and finds neither.

More: :doc:`/tutorials/geneticist`, :doc:`/how_to/genotypes`.
"""

import matplotlib.pyplot as plt

import fasttree

study = fasttree.datasets.make_genotypes(600, 200, effect=0.9, chromosomes=3, random_state=0)
fig, axes = plt.subplots(2, 1, figsize=(7, 5.5), layout="constrained")
for ax, name in zip(axes, ("chi2", "multisurf"), strict=True):
    fasttree.plots.manhattan(
        fasttree.score_features(study, criterion=name),
        study.chromosomes,
        study.positions,
        names=study.variant_ids,
        top=2,
        ylabel=name,
        ax=ax,
    )

"""Fits on rows that come in parts: batches of a Parquet file, partitions of a cluster.

What
    `sources` are what batches are read from. `parts` finds names, levels, classes and cut points of
    all parts together, and turns a part into codes; `fitting` grows trees and forests on the codes.
Complexity
    Two passes over the numbers, and one over labels, weights and nominal columns.
When not to use it
    From outside the package: `fasttree.fit`, the estimators and `fasttree.distributed` call it.
"""

from __future__ import annotations

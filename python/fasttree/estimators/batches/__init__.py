"""Fits on rows in batches (of a Parquet file, say) or in partitions of a cluster.

What
    A *part* is a batch or a partition. `sources` reads batches, and `unchanged` refuses a source
    that changes between two passes. `part_facts` merges the names, levels and classes of all parts,
    `passes` finds imputed values and cut points and turns parts into codes, and `fitting` grows
    trees and forests on the codes.
Complexity
    Two passes over the numbers, and one over labels, weights and nominal columns.
When not to use it
    From outside the package: `fasttree.fit`, the estimators and `fasttree.distributed` call it.
"""

from __future__ import annotations

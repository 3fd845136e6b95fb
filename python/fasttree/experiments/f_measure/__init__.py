"""Stadler & Dave: trees that split on the F measure, against Gini and information gain."""

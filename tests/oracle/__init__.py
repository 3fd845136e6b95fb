"""Slow truth: definitions written out with plain loops, for tests to compare the fast paths
with."""

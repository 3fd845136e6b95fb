"""Tests of differences between methods: on folds, on data sets, on several methods at once.

Every result carries its statistic, p-value, degrees of freedom, interval and a written sentence.
scipy (which comes with scikit-learn) is loaded when a test runs, not on import.
"""

from __future__ import annotations
